/* linked.c - see instance_internal.h: objects that objects refer to.
 *
 * Reading an attribute of a compiled object makes a new object of the compiled class each time, so which instance it is has to be
 * found out: by the arrays and scalars of both.
 */
#include <string.h>

#include "instance_internal.h"

/* "grid.inner" in `text`, or NULL where the way is not known or too long. */
static const char *
longer_path(char *text, size_t size, const char *path, PyObject *key)
{
    const char *name = path != NULL && PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;
    if (name == NULL || strlen(path) + strlen(name) + 2 > size)
        return NULL;
    PyOS_snprintf(text, size, "%s%s%s", path, path[0] == '\0' ? "" : ".", name);
    return text;
}

/* The instances on the way down to one: objects may refer to each other in a ring. */
struct way {
    const struct way *above;
    const struct pyccel_instance *instance;
};

static int
visit_below(const struct way *above, struct pyccel_instance *instance, const char *path, instance_visitor visit, void *data)
{
    for (const struct way *way = above; way != NULL; way = way->above)
        if (way->instance == instance)
            return visit(instance, NULL, data); /* there are more ways to it than could be told */
    int answer = visit(instance, path, data);
    const struct way here = {above, instance};
    PyObject *objects = Py_XNewRef(instance->objects), *key, *value; /* the instance may get others meanwhile */
    Py_ssize_t at = 0;
    while (answer == 0 && objects != NULL && PyDict_Next(objects, &at, &key, &value)) {
        char text[512];
        answer = visit_below(&here, as_instance(value), longer_path(text, sizeof text, path, key), visit, data);
    }
    Py_XDECREF(objects);
    return answer;
}

int
visit_instances(struct pyccel_instance *instance, const char *path, instance_visitor visit, void *data)
{
    return visit_below(NULL, instance, path, visit, data);
}

static int
is_not_plain(struct pyccel_instance *instance, const char *path, void *data)
{
    (void)path;
    (void)data;
    return instance->real == NULL || instance->n_pairs > 0;
}

bool
is_plain_instance(struct pyccel_instance *instance)
{
    return !is_not_plain(instance, NULL, NULL)
           && (instance->objects == NULL || visit_instances(instance, NULL, is_not_plain, NULL) == 0);
}

/* --- which instance it is ---------------------------------------------------------------------------------------------------- */

/* A NaN is not equal to itself. */
static bool
is_nan(PyObject *object)
{
    return PyFloat_Check(object) && PyFloat_AS_DOUBLE(object) != PyFloat_AS_DOUBLE(object);
}

/* Whether two values of an attribute are the same: arrays by their memory, all else by comparison. 1, 0 or -1. */
static int
is_same_value(PyObject *one, PyObject *other)
{
    if (is_nan(one) && is_nan(other))
        return 1;
    if (!PyArray_Check(one) || !PyArray_Check(other))
        return PyObject_RichCompareBool(one, other, Py_EQ);
    return PyArray_DATA((PyArrayObject *)one) == PyArray_DATA((PyArrayObject *)other)
           && PyArray_NDIM((PyArrayObject *)one) == PyArray_NDIM((PyArrayObject *)other)
           && PyArray_CompareLists(PyArray_DIMS((PyArrayObject *)one), PyArray_DIMS((PyArrayObject *)other),
                                   PyArray_NDIM((PyArrayObject *)one));
}

/* 1, 0 or -1. */
static int
is_same_object(const pkw_py_class *source, PyObject *one, PyObject *other)
{
    int same = 1;
    for (int i = 0; i < source->n_attributes && same > 0; i++) {
        const pkw_param *attribute = attribute_of(source, i);
        if ((attribute->kind != PKW_ARRAY && attribute->kind != PKW_PY_SCALAR) || attribute->flags & PKW_SET_LATE)
            continue;
        PyObject *first = PyObject_GetAttrString(one, attribute->name);
        PyObject *second = first == NULL ? NULL : PyObject_GetAttrString(other, attribute->name);
        same = second == NULL ? -1 : is_same_value(first, second);
        Py_XDECREF(first);
        Py_XDECREF(second);
    }
    return same;
}

/* Whether an instance may be the one for a compiled object of the class. 1, 0 or -1. */
static int
may_be(const struct pyccel_instance *instance, const struct pyccel_class *class, PyObject *real)
{
    return instance != NULL && instance->class == class && instance->real != NULL
               ? is_same_object(class->source, instance->real, real)
               : 0;
}

/* How many of a list of instances may be the compiled object, with the last of them in *found (borrowed); -1 with an exception
 * set. */
static int
count_same(PyObject *list, const struct pyccel_class *class, PyObject *real, struct pyccel_instance **found)
{
    int n = 0;
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        struct pyccel_instance *other = as_instance(PyList_GET_ITEM(list, i));
        int same = may_be(other, class, real);
        if (same < 0)
            return -1;
        if (same > 0)
            *found = other;
        n += same;
    }
    return n;
}

/* The argument that was given for the attribute: by the parameter of its name, as setters have it and constructors do. Borrowed;
 * NULL: there is none, or the attribute refers to another object. */
static struct pyccel_instance *
given_for(const struct call *call, const char *attribute, const struct pyccel_class *class, PyObject *real)
{
    for (int i = 0; call != NULL && i < call->kernel->n_params; i++) {
        struct pyccel_instance *instance = given_instance(call, i);
        if (strcmp(call->kernel->params[i].name, attribute) == 0)
            return may_be(instance, class, real) > 0 ? instance : NULL;
    }
    return NULL;
}

/* Those among the list that may be it, and were given, are kept under numbers: what happens to their arrays concerns this object,
 * too. */
static int
keep_possible(PyObject *objects, PyObject *list, const struct pyccel_class *class, PyObject *real)
{
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(list); i++) {
        PyObject *item = PyList_GET_ITEM(list, i);
        struct pyccel_instance *other = as_instance(item);
        int same = other->stands_in ? 0 : may_be(other, class, real);
        PyObject *key = same > 0 ? PyLong_FromVoidPtr(item) : NULL;
        int done = same < 0 || (same > 0 && (key == NULL || PyDict_SetItem(objects, key, item) < 0)) ? -1 : 0;
        Py_XDECREF(key);
        if (done < 0)
            return -1;
    }
    return 0;
}

/* A new instance for an object that no one instance stands for; it has the arrays of those that it may be. */
static PyObject *
new_instance(struct pyccel_class *class, PyObject *real, const struct call *call, PyObject *list)
{
    PyObject *made = pyccel_instance_new(class, real);
    struct pyccel_instance *instance = (struct pyccel_instance *)made;
    if (made != NULL)
        instance->stands_in = true;
    if (made != NULL && (keep_arrays(instance, call, list) < 0 || (class->refers_to_objects && link_objects(instance, call) < 0)))
        Py_CLEAR(made);
    return made;
}

/* The instance for what one attribute refers to, into `objects`. */
static int
link_attribute(struct pyccel_instance *instance, const char *name, const struct call *call, PyObject *objects, PyObject *list)
{
    PyObject *real = PyObject_GetAttrString(instance->real, name);
    struct pyccel_class *class = real == NULL ? NULL : pyccel_class_of(instance->class->module, real);
    if (real == NULL && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear(); /* one that the constructor does not set */
    if (class == NULL || !pyccel_class_refers(class)) { /* one that refers to nothing is as good as new each time */
        Py_XDECREF(real);
        return PyErr_Occurred() ? -1 : 0;
    }
    struct pyccel_instance *found = given_for(call, name, class, real);
    int n = found != NULL ? 1 : PyErr_Occurred() ? -1 : count_same(list, class, real, &found);
    if (n > 1) { /* what stood for it before still does */
        PyObject *before = instance->objects == NULL ? NULL : PyDict_GetItemString(instance->objects, name);
        found = before == NULL ? NULL : as_instance(before);
        if (may_be(found, class, real) <= 0)
            found = NULL;
    }
    PyObject *linked = n < 0                      ? NULL
                       : found != NULL && n > 0 ? Py_NewRef((PyObject *)found)
                                                  : new_instance(class, real, call, list);
    int done = linked == NULL || PyDict_SetItemString(objects, name, linked) < 0
                       || (n > 1 && keep_possible(objects, list, class, real) < 0)
                   ? -1
                   : 0;
    Py_XDECREF(linked);
    Py_DECREF(real);
    return done;
}

static int
add_once(PyObject *list, PyObject *object)
{
    for (Py_ssize_t k = 0; k < PyList_GET_SIZE(list); k++)
        if (PyList_GET_ITEM(list, k) == object)
            return 0;
    return PyList_Append(list, object);
}

/* The object itself, the instances that it had, and those among the arguments, each once: a new list. */
static PyObject *
known_objects(struct pyccel_instance *instance, const struct call *call)
{
    PyObject *list = PyList_New(0), *key, *value;
    Py_ssize_t at = 0;
    int done = list == NULL ? -1 : add_once(list, (PyObject *)instance);
    while (done == 0 && instance->objects != NULL && PyDict_Next(instance->objects, &at, &key, &value))
        done = add_once(list, value);
    for (int i = 0; done == 0 && call != NULL && i < call->kernel->n_params; i++)
        if (given_instance(call, i) != NULL)
            done = add_once(list, call->arguments[i].given);
    if (done < 0)
        Py_CLEAR(list);
    return list;
}

int
link_objects(struct pyccel_instance *instance, const struct call *call)
{
    const pkw_py_class *source = instance->class->source;
    PyObject *objects = PyDict_New(), *list = known_objects(instance, call);
    int done = objects == NULL || list == NULL ? -1 : 0;
    for (int i = 0; i < source->n_attributes && done == 0; i++)
        if (attribute_of(source, i)->kind == PKW_PY_CLASS && is_set(instance, i))
            done = link_attribute(instance, attribute_of(source, i)->name, call, objects, list);
    Py_XDECREF(list);
    if (done == 0)
        Py_XSETREF(instance->objects, Py_NewRef(objects));
    Py_XDECREF(objects);
    return done;
}

PyObject *
linked_object(struct pyccel_instance *instance, const char *attribute, PyObject *real)
{
    struct pyccel_class *class = pyccel_class_of(instance->class->module, real);
    if (class == NULL || !pyccel_class_refers(class))
        return pyccel_adopt(instance->class->module, real);
    PyObject *known = instance->objects == NULL ? NULL : PyDict_GetItemString(instance->objects, attribute);
    struct pyccel_instance *other = known == NULL ? NULL : as_instance(known);
    int same = may_be(other, class, real);
    Py_DECREF(real);
    if (same == 0) /* compiled code has replaced it */
        same = link_objects(instance, NULL) < 0 ? -1 : 1;
    known = same < 0 || instance->objects == NULL ? NULL : PyDict_GetItemString(instance->objects, attribute);
    if (known == NULL && !PyErr_Occurred())
        PyErr_SetString(PyExc_AttributeError, attribute);
    return Py_XNewRef(known);
}
