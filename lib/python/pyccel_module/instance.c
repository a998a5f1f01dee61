/* instance.c - see instance_internal.h: the object. */
#include <string.h>

#include "base/errors.h"
#include "instance_internal.h"

struct pair *
find_pair(const struct pyccel_instance *instance, const char *name)
{
    for (int i = 0; i < instance->n_pairs; i++)
        if (strcmp(instance->pairs[i].name, name) == 0)
            return &instance->pairs[i];
    return NULL;
}

/* Its number, or -1. */
static int
attribute_number(const pkw_py_class *source, const char *name)
{
    int number = source->n_attributes - 1;
    while (number >= 0 && strcmp(attribute_of(source, number)->name, name) != 0)
        number--;
    return number;
}

bool
is_set_by_name(const struct pyccel_instance *instance, const char *attribute)
{
    int number = attribute_number(instance->class->source, attribute);
    return number < 0 || is_set(instance, number);
}

void
note_set(struct pyccel_instance *instance, const char *attribute)
{
    int number = attribute_number(instance->class->source, attribute);
    if (number >= 0 && instance->set_late != NULL)
        instance->set_late[number] = true;
}

int
pyccel_raise_unconstructed(const struct pyccel_instance *instance)
{
    PyErr_Format(PyExc_TypeError, "this %s object was never constructed: its __init__() has not run, or has failed",
                 Py_TYPE(instance)->tp_name);
    return -1;
}

bool
is_constant(const struct pyccel_instance *instance, const pkw_param *attribute)
{
    bool constant = (attribute->flags & PKW_CONSTANT) != 0 || instance->constant == Py_True;
    for (Py_ssize_t i = 0; !constant && instance->constant != NULL && i < PyTuple_GET_SIZE(instance->constant); i++)
        constant = PyUnicode_CompareWithASCIIString(PyTuple_GET_ITEM(instance->constant, i), attribute->name) == 0;
    return constant;
}

/* Of the class, or of a type that is derived from its. */
static struct pyccel_instance *
allocate(struct pyccel_class *class, PyTypeObject *type)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)type->tp_alloc(type, 0);
    bool late = false;
    for (int i = 0; i < class->source->n_attributes; i++)
        late = late || attribute_of(class->source, i)->flags & PKW_SET_LATE;
    if (instance == NULL)
        return NULL;
    instance->class = class;
    instance->set_late = late ? PyMem_Calloc((size_t)class->source->n_attributes, sizeof *instance->set_late) : NULL;
    if (late && instance->set_late == NULL) {
        PyErr_NoMemory();
        Py_CLEAR(instance);
    }
    return instance;
}

PyObject *
pyccel_instance_new(struct pyccel_class *class, PyObject *real)
{
    struct pyccel_instance *instance = allocate(class, class->type);
    if (instance != NULL)
        instance->real = Py_NewRef(real);
    return (PyObject *)instance;
}

PyObject *
pyccel_adopt(struct pyccel_module *module, PyObject *object)
{
    struct pyccel_class *class = object == NULL ? NULL : pyccel_class_of(module, object);
    if (class == NULL)
        return object;
    PyObject *instance = pyccel_instance_new(class, object);
    Py_DECREF(object);
    return instance;
}

/* --- the type ---------------------------------------------------------------------------------------------------------- */

/* The class that a type, or one that it is derived from, stands for. */
static PyObject *
instance_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    (void)args;
    (void)keywords;
    PyObject *capsule = PyObject_GetAttrString((PyObject *)type, "__pkwrap_class__");
    struct pyccel_class *class = capsule == NULL ? NULL : PyCapsule_GetPointer(capsule, NULL);
    Py_XDECREF(capsule);
    return class == NULL ? NULL : (PyObject *)allocate(class, type);
}

/* Objects that referred to the one that the constructor made refer to the one that has taken over from it. */
static int
take_over(struct pyccel_instance *instance, const char *path, void *pair)
{
    (void)path;
    PyObject *const *objects = pair; /* the old one, the new one */
    PyObject *key, *value;
    Py_ssize_t at = 0;
    while (instance->objects != NULL && PyDict_Next(instance->objects, &at, &key, &value))
        if (value == objects[0] && PyDict_SetItem(instance->objects, key, objects[1]) < 0)
            return -1;
    return 0;
}

/* Whether it names an attribute that refers to an array of the caller. */
static bool
is_reference_name(const pkw_py_class *source, PyObject *name)
{
    const char *text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : NULL;
    int number = text == NULL ? -1 : attribute_number(source, text);
    PyErr_Clear();
    return number >= 0 && is_reference(attribute_of(source, number));
}

/* The argument `constant` of the class: a bool, or a sequence of names. A new reference to True or a tuple; NULL with an exception
 * set. */
static PyObject *
read_constant(const pkw_py_class *source, PyObject *given)
{
    if (given == Py_True)
        return Py_NewRef(given);
    if (given == Py_False)
        return PyTuple_New(0);
    if (PyUnicode_Check(given) || given == Py_None) {
        PyErr_Format(PyExc_TypeError, "%s(): argument 'constant' must be a bool or a sequence of names of attributes, not %R", source->name,
                     given);
        return NULL;
    }
    PyObject *names = PySequence_Tuple(given);
    for (Py_ssize_t i = 0; names != NULL && i < PyTuple_GET_SIZE(names); i++)
        if (!is_reference_name(source, PyTuple_GET_ITEM(names, i))) {
            PyErr_Format(PyExc_ValueError, "%s(): argument 'constant' names %R, which is no attribute that refers to a given array",
                         source->name, PyTuple_GET_ITEM(names, i));
            Py_CLEAR(names);
        }
    return names;
}

/* Takes `constant` out of the keywords, unless the constructor has a parameter of that name: a new dict (or NULL: there are no keywords).
 * 0, or -1 with an exception set. */
static int
take_constant(struct pyccel_instance *instance, PyObject **keywords)
{
    const pkw_py_class *source = instance->class->source;
    const pkw_kernel *kernel = &source->constructor->variants[0].kernel;
    PyObject *given = *keywords == NULL ? NULL : PyDict_GetItemString(*keywords, "constant");
    for (int i = 0; given != NULL && i < kernel->n_params; i++)
        if (strcmp(kernel->params[i].name, "constant") == 0)
            given = NULL;
    *keywords = given == NULL ? Py_XNewRef(*keywords) : PyDict_Copy(*keywords);
    if (given == NULL)
        return 0;
    PyObject *constant = read_constant(source, given);
    if (constant == NULL || *keywords == NULL || PyDict_DelItemString(*keywords, "constant") < 0) {
        Py_XDECREF(constant);
        Py_CLEAR(*keywords);
        return -1;
    }
    Py_XSETREF(instance->constant, constant);
    return 0;
}

/* Takes over what the constructor has made. Compiled objects may refer to this one, so that it cannot become another. */
static int
instance_init(PyObject *self, PyObject *args, PyObject *keywords)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)self;
    PyObject *constructor = instance->class->constructor;
    if (constructor == NULL) {
        PyErr_Format(PyExc_TypeError, "%s objects cannot be made: the stub declares no __init__()", instance->class->source->name);
        return -1;
    }
    if (instance->real != NULL) {
        PyErr_Format(PyExc_TypeError, "this %s object is constructed already: make a new one", instance->class->source->name);
        return -1;
    }
    if (take_constant(instance, &keywords) < 0)
        return -1;
    PyObject *object = PyObject_Call(constructor, args, keywords);
    Py_XDECREF(keywords);
    struct pyccel_instance *made = object == NULL ? NULL : as_instance(object);
    if (made == NULL) {
        if (object != NULL)
            PyErr_Format(PyExc_TypeError, "%s() of the compiled module returned a %s object", instance->class->source->name,
                         Py_TYPE(object)->tp_name);
        Py_XDECREF(object);
        return -1;
    }
    instance->real = made->real;
    instance->pairs = made->pairs;
    instance->n_pairs = made->n_pairs;
    instance->objects = made->objects;
    instance->held = made->held;
    PyMem_Free(instance->set_late);
    instance->set_late = made->set_late;
    made->set_late = NULL;
    for (int i = 0; i < instance->n_pairs; i++)
        instance->pairs[i].constant = is_constant(
            instance, attribute_of(instance->class->source, attribute_number(instance->class->source, instance->pairs[i].name)));
    made->real = made->objects = made->held = NULL;
    made->pairs = NULL;
    made->n_pairs = 0;
    PyObject *const both[] = {object, self};
    int done = visit_instances(instance, "", take_over, (void *)both);
    Py_DECREF(object);
    return done;
}

static int
instance_traverse(PyObject *self, visitproc visit, void *arg)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)self;
    Py_VISIT(instance->real);
    Py_VISIT(instance->objects);
    Py_VISIT(instance->held);
    for (int i = 0; i < instance->n_pairs; i++) {
        Py_VISIT(instance->pairs[i].outside);
        Py_VISIT((PyObject *)instance->pairs[i].inside);
    }
    return 0;
}

static int
instance_clear(PyObject *self)
{
    Py_CLEAR(((struct pyccel_instance *)self)->objects); /* `held` is needed until the compiled object is gone */
    return 0;
}

static void
instance_dealloc(PyObject *self)
{
    struct pyccel_instance *instance = (struct pyccel_instance *)self;
    PyObject_GC_UnTrack(self);
    if (instance->weak_references != NULL)
        PyObject_ClearWeakRefs(self);
    Py_XDECREF(instance->real); /* before the memory that it refers to */
    pairs_free(instance->pairs, instance->n_pairs);
    Py_XDECREF(instance->objects);
    Py_XDECREF(instance->held);
    Py_XDECREF(instance->constant);
    PyMem_Free(instance->set_late);
    Py_TYPE(self)->tp_free(self);
}

/* The compiled object, for compiled modules without a wrapper. */
static PyObject *
get_compiled(PyObject *self, void *unused)
{
    (void)unused;
    struct pyccel_instance *instance = (struct pyccel_instance *)self;
    if (instance->real == NULL) {
        pyccel_raise_unconstructed(instance);
        return NULL;
    }
    return Py_NewRef(instance->real);
}

static PyGetSetDef instance_attributes[] = {
    {"__compiled__", get_compiled, NULL, "The object of the compiled class, which refers to host arrays.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject pyccel_instance_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "pkwrap.PyccelObject",
    .tp_doc = PyDoc_STR("Base of the classes of modules that are generated from Pyccel's stubs."),
    .tp_basicsize = sizeof(struct pyccel_instance),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .tp_weaklistoffset = offsetof(struct pyccel_instance, weak_references),
    .tp_new = instance_new,
    .tp_init = instance_init,
    .tp_dealloc = instance_dealloc,
    .tp_traverse = instance_traverse,
    .tp_clear = instance_clear,
    .tp_getset = instance_attributes,
};
