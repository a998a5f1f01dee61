/* class.c - see instance_internal.h: the type for an argument class. */
#include <string.h>

#include "instance_internal.h"
#include "call/stats.h"

static struct pyccel_class *all_classes; /* of every generated module, changed under the GIL */

PyObject *
pyccel_class_target(struct pyccel_class *class)
{
    if (class->target == NULL)
        class->target = pyccel_lookup(class->module, class->source->name);
    return class->target;
}

bool
pyccel_type_is_named(const PyTypeObject *type, const char *name)
{
    for (; type != NULL; type = type->tp_base) {
        if (strcmp(pyccel_own_name(type->tp_name), name) == 0)
            return true;
    }
    return false;
}

/* A compiled module that was imported: what its classes are can be looked up. */
static bool
is_imported(const struct pyccel_module *module)
{
    PyObject *modules = PyImport_GetModuleDict(); /* borrowed */
    return PyDict_GetItemString(modules, module->table->extension) != NULL;
}

struct pyccel_class *
pyccel_class_of(struct pyccel_module *module, PyObject *real)
{
    PyObject *type = (PyObject *)Py_TYPE(real);
    for (struct pyccel_class *class = all_classes; class != NULL; class = class->next) {
        if (class->target == NULL && pyccel_type_is_named(Py_TYPE(real), class->source->name)
            && (class->module == module || is_imported(class->module)) && pyccel_class_target(class) == NULL)
            PyErr_Clear(); /* a class of another module, which has the same name */
        if (class->target == type)
            return class;
    }
    return NULL;
}

bool
pyccel_class_refers(const struct pyccel_class *class)
{
    return class->refers_to_arrays || class->refers_to_objects;
}

bool
pyccel_class_refers_to_objects(const struct pyccel_class *class)
{
    return class->refers_to_objects;
}

/* --- construction ------------------------------------------------------------------------------------------------------ */

/* Takes the reference of the value. */
static int
add_item(PyObject *dict, const char *name, PyObject *value)
{
    int done = value == NULL ? -1 : PyDict_SetItemString(dict, name, value);
    Py_XDECREF(value);
    return done;
}

static PyObject *
new_function(struct pyccel_class *class, enum pyccel_role role, const pkw_py_function *function)
{
    if (stats_announce(class->module->table->name, function->name, function->variants[0].kernel.state) < 0)
        return NULL;
    return pyccel_function_new(class->module, class, role, function);
}

static PyObject *
new_property(struct pyccel_class *class, const pkw_py_function *function)
{
    PyObject *getter = new_function(class, ROLE_PROPERTY, function);
    PyObject *property = getter == NULL ? NULL : PyObject_CallOneArg((PyObject *)&PyProperty_Type, getter);
    Py_XDECREF(getter);
    return property;
}

/* With the signature in front, as CPython keeps it in types of C. */
static PyObject *
internal_doc(const pkw_py_class *source)
{
    const char *doc = source->constructor == NULL ? NULL : source->constructor->doc;
    const char *end = doc == NULL ? NULL : strstr(doc, ")\n--\n\n");
    if (end == NULL)
        return PyUnicode_FromString(source->doc);
    PyObject *signature = PyUnicode_FromStringAndSize(doc, end - doc);
    PyObject *both = signature == NULL ? NULL : PyUnicode_FromFormat("%U)\n--\n\n%s", signature, source->doc);
    Py_XDECREF(signature);
    return both;
}

static int
fill(PyObject *dict, struct pyccel_class *class)
{
    const pkw_py_class *source = class->source;
    if (add_item(dict, "__pkwrap_class__", PyCapsule_New(class, NULL, NULL)) < 0
        || add_item(dict, "__module__", PyUnicode_FromString(class->module->table->name)) < 0
        || add_item(dict, "__slots__", PyTuple_New(0)) < 0 || add_item(dict, "__doc__", internal_doc(source)) < 0)
        return -1;
    for (int i = 0; i < source->n_attributes; i++)
        if (add_item(dict, attribute_of(source, i)->name, pyccel_attribute_new(class, &source->attributes[i])) < 0)
            return -1;
    for (int i = 0; i < source->n_properties; i++)
        if (add_item(dict, pyccel_own_name(source->properties[i].name), new_property(class, &source->properties[i])) < 0)
            return -1;
    for (int i = 0; i < source->n_methods; i++)
        if (add_item(dict, pyccel_own_name(source->methods[i].name), new_function(class, ROLE_METHOD, &source->methods[i])) < 0)
            return -1;
    return 0;
}

static PyTypeObject *
make_type(struct pyccel_class *class)
{
    PyObject *dict = PyDict_New(), *type = NULL;
    if (dict != NULL && fill(dict, class) == 0)
        type = PyObject_CallFunction((PyObject *)&PyType_Type, "s(O)O", class->source->name, &pyccel_instance_type, dict);
    Py_XDECREF(dict);
    PyObject *doc = type == NULL ? NULL : PyUnicode_FromString(class->source->doc); /* without the signature */
    if (doc == NULL || PyObject_SetAttrString(type, "__doc__", doc) < 0)
        Py_CLEAR(type);
    Py_XDECREF(doc);
    return (PyTypeObject *)type;
}

PyObject *
pyccel_class_new(struct pyccel_module *module, const pkw_py_class *source)
{
    struct pyccel_class *class = PyMem_RawCalloc(1, sizeof *class); /* its objects and functions refer to it for ever */
    if (class == NULL)
        return PyErr_NoMemory();
    class->source = source;
    class->module = module;
    for (int i = 0; i < source->n_attributes; i++) {
        const pkw_param *attribute = attribute_of(source, i);
        class->refers_to_arrays |= is_reference(attribute);
        class->refers_to_objects |= attribute->kind == PKW_PY_CLASS;
    }
    if (source->constructor != NULL)
        class->constructor = new_function(class, ROLE_CONSTRUCTOR, source->constructor);
    if (source->constructor == NULL || class->constructor != NULL)
        class->type = make_type(class);
    if (class->type == NULL) {
        Py_XDECREF(class->constructor);
        PyMem_RawFree(class);
        return NULL;
    }
    class->next = all_classes;
    all_classes = class;
    return Py_NewRef((PyObject *)class->type);
}
