/* keep.c - see instance_internal.h: arguments that a compiled object refers to when the call is over. */
#include "base/errors.h"
#include "instance_internal.h"

/* --- memory that outlives the call ---------------------------------------------------------------------------------------- */

static bool
is_array_argument(const struct call *call, int position)
{
    return call->kernel->params[position].kind == PKW_ARRAY && call->arguments[position].is_array;
}

/* The host copy that an array has already, in the order that the parameter wants: as an earlier argument, or in an object
 * among them. Borrowed; NULL: it has none. */
static PyObject *
find_copy(const struct call *call, int position)
{
    const pkw_param *params = call->kernel->params;
    const PyObject *given = call->arguments[position].given;
    bool kept = pyccel_keeps(call) != PKW_KEEPS_NOTHING;
    for (int i = 0; kept && i < position; i++)
        if (is_array_argument(call, i) && call->arguments[i].given == given
            && ((params[i].flags ^ params[position].flags) & PKW_FORTRAN) == 0)
            return call->arguments[i].passed;
    const struct pyccel_instance *self =
        pyccel_keeps(call) == PKW_KEEPS_IN_SELF ? given_instance(call, 0) : NULL;
    bool fortran = (params[position].flags & PKW_FORTRAN) != 0;
    for (int i = 0; self != NULL && i < self->n_pairs; i++)
        if (self->pairs[i].outside == given && pyccel_fits(self->pairs[i].inside, fortran))
            return (PyObject *)self->pairs[i].inside;
    return used_copy(call, given, fortran);
}

/* An array that is on a device, or was packed: `passed` becomes what outlives the call. */
static int
keep_array(struct call *call, int position)
{
    struct argument *argument = &call->arguments[position];
    PyArrayObject *elements = (PyArrayObject *)argument->passed;
    PyObject *copy = Py_XNewRef(find_copy(call, position));
    if (copy == NULL && (argument->view < 0 || pyccel_keeps(call) == PKW_KEEPS_NOTHING))
        return 0;
    if (copy == NULL) /* of a view of staging memory, which ends with the call */
        copy = PyArray_NewCopy(elements, NPY_KEEPORDER);
    else if (copy != argument->passed && !is_write_only(&call->kernel->params[position])
             && PyArray_CopyInto((PyArrayObject *)copy, elements) < 0)
        Py_CLEAR(copy);
    if (copy == NULL)
        return -1;
    if (argument->packed != NULL)
        Py_SETREF(argument->packed, (PyArrayObject *)Py_NewRef(copy));
    Py_SETREF(argument->passed, copy);
    return 0;
}

int
keep_before(struct call *call)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        struct argument *argument = &call->arguments[i];
        if (!is_array_argument(call, i))
            continue;
        if ((argument->view >= 0 || argument->packed != NULL) && keep_array(call, i) < 0)
            return -1;
    }
    return 0;
}

int
keep_after(struct call *call)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        const struct argument *argument = &call->arguments[i];
        if (!is_array_argument(call, i) || argument->view < 0 || !is_written(&call->kernel->params[i])
            || is_empty_array(&argument->info))
            continue;
        PyArrayObject *kept = (PyArrayObject *)argument->passed;
        const struct device_view *view = session_view(&call->session, argument->view);
        if (PyArray_DATA(kept) == view->host)
            continue;
        PyObject *staged = staged_like(kept, view);
        int done = staged == NULL ? -1 : PyArray_CopyInto((PyArrayObject *)staged, kept);
        Py_XDECREF(staged);
        if (done < 0)
            return -1;
    }
    return 0;
}

/* --- what an object refers to ----------------------------------------------------------------------------------------------- */

/* Whether an attribute's value refers to memory of the array; `part`: not to just its elements in its shape. */
static bool
refers_to(PyObject *value, PyArrayObject *inside, bool *part)
{
    if (!PyArray_Check(value) || PyArray_SIZE((PyArrayObject *)value) == 0 || PyArray_SIZE(inside) == 0)
        return false;
    PyArrayObject *array = (PyArrayObject *)value;
    struct array_info info;
    read_numpy_array((PyObject *)inside, &info);
    uintptr_t low, high, data = (uintptr_t)PyArray_DATA(array);
    array_bounds(&info, &low, &high);
    array_info_release(&info);
    *part = data != (uintptr_t)PyArray_DATA(inside) || PyArray_NDIM(array) != PyArray_NDIM(inside);
    for (int i = 0; i < PyArray_NDIM(inside) && !*part; i++)
        *part = PyArray_DIM(array, i) != PyArray_DIM(inside, i)
                || (PyArray_DIM(array, i) > 1 && PyArray_STRIDE(array, i) != PyArray_STRIDE(inside, i));
    return data >= low && data < high;
}

/* The attribute of the compiled object: a new reference; NULL without an exception where the constructor did not set it. */
static PyObject *
attribute_value(PyObject *real, const char *name)
{
    PyObject *value = PyObject_GetAttrString(real, name);
    if (value == NULL && PyErr_ExceptionMatches(PyExc_AttributeError))
        PyErr_Clear();
    return value;
}

/* The same by number, where it is a reference to an array, and set. */
static PyObject *
reference_value(const struct pyccel_instance *instance, int attribute)
{
    const pkw_param *source = attribute_of(instance->class->source, attribute);
    return is_reference(source) && is_set(instance, attribute) ? attribute_value(instance->real, source->name) : NULL;
}

/* Arrays that an object may refer to. */
struct candidates {
    struct pair *pairs;
    int n, room;
};

static int
add_candidate(struct candidates *list, PyObject *outside, PyArrayObject *inside)
{
    for (int i = 0; i < list->n; i++)
        if (list->pairs[i].inside == inside)
            return 0;
    if (list->n == list->room) {
        list->room = 2 * list->room + 8;
        struct pair *longer = PyMem_Realloc(list->pairs, (size_t)list->room * sizeof *longer);
        if (longer == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        list->pairs = longer;
    }
    Py_INCREF((PyObject *)inside);
    list->pairs[list->n++] = (struct pair){.outside = Py_NewRef(outside), .inside = inside};
    return 0;
}

static int
add_pairs_of(struct pyccel_instance *instance, const char *path, void *data)
{
    (void)path;
    for (int i = 0; i < instance->n_pairs; i++)
        if (add_candidate(data, instance->pairs[i].outside, instance->pairs[i].inside) < 0)
            return -1;
    return 0;
}

/* The argument's memory ends with the call: it is staging memory, or was packed for a function that keeps nothing. */
static bool
is_lent(const struct call *call, int position)
{
    const struct argument *argument = &call->arguments[position];
    bool fortran = (call->kernel->params[position].flags & PKW_FORTRAN) != 0;
    return pyccel_keeps(call) == PKW_KEEPS_NOTHING && (argument->view >= 0 || argument->packed != NULL)
           && used_copy(call, argument->given, fortran) != argument->passed;
}

/* Arguments of the call that are not what the caller gave, or that compiled code must not be let write later; and the arrays of
 * objects among them. */
static int
add_arguments(struct candidates *list, const struct call *call)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        const struct argument *argument = &call->arguments[i];
        struct pyccel_instance *object = given_instance(call, i);
        PyObject *outside = argument->array != NULL ? (PyObject *)argument->array : argument->given;
        if (object != NULL && visit_instances(object, "", add_pairs_of, list) < 0)
            return -1;
        if (is_array_argument(call, i) && !is_lent(call, i) && (argument->passed != outside || argument->info.read_only)
            && add_candidate(list, outside, (PyArrayObject *)argument->passed) < 0)
            return -1;
    }
    return 0;
}

static int
find_candidates(struct candidates *list, struct pyccel_instance *instance, const struct call *call, PyObject *others)
{
    if (visit_instances(instance, "", add_pairs_of, list) < 0)
        return -1;
    for (Py_ssize_t i = 0; others != NULL && i < PyList_GET_SIZE(others); i++)
        if (visit_instances(as_instance(PyList_GET_ITEM(others, i)), "", add_pairs_of, list) < 0)
            return -1;
    return call == NULL ? 0 : add_arguments(list, call);
}

/* A pair for each attribute that refers to a candidate. */
static int
name_pairs(struct pair *named, int *n_named, const struct pyccel_instance *instance, const struct candidates *list)
{
    const pkw_py_class *source = instance->class->source;
    for (int i = 0; i < source->n_attributes; i++) {
        PyObject *value = reference_value(instance, i);
        if (value == NULL && PyErr_Occurred())
            return -1;
        for (int k = 0; value != NULL && k < list->n; k++) {
            bool part;
            if (!refers_to(value, list->pairs[k].inside, &part))
                continue;
            struct pair *pair = &named[(*n_named)++];
            *pair = list->pairs[k];
            Py_INCREF(pair->outside);
            Py_INCREF((PyObject *)pair->inside);
            pair->part = part;
            pair->name = attribute_of(source, i)->name;
            pair->constant = is_constant(instance, attribute_of(source, i));
            const struct pair *before = find_pair(instance, pair->name);
            pair->settled = before != NULL && before->settled && before->inside == pair->inside;
            break;
        }
        Py_XDECREF(value);
    }
    return 0;
}

int
keep_arrays(struct pyccel_instance *instance, const struct call *call, PyObject *others)
{
    struct candidates list = {0};
    struct pair *named = PyMem_Calloc((size_t)instance->class->source->n_attributes + 1, sizeof *named);
    int n_named = 0, done = named == NULL ? (PyErr_NoMemory(), -1) : find_candidates(&list, instance, call, others);
    if (done == 0 && list.n > 0)
        done = name_pairs(named, &n_named, instance, &list);
    pairs_free(list.pairs, list.n);
    if (done < 0) {
        pairs_free(named, n_named);
        return -1;
    }
    struct pair *old = instance->pairs;
    int n_old = instance->n_pairs;
    instance->pairs = named;
    instance->n_pairs = n_named;
    pairs_free(old, n_old);
    return 0;
}

/* --- objects that functions return ------------------------------------------------------------------------------------------- */

/* Whether an array attribute of the compiled object refers to memory of the array. 1, 0 or -1. */
static int
object_refers_to(const struct pyccel_instance *instance, PyArrayObject *array)
{
    const pkw_py_class *source = instance->class->source;
    bool found = false, part;
    for (int i = 0; i < source->n_attributes && !found; i++) {
        PyObject *value = reference_value(instance, i);
        found = value != NULL && refers_to(value, array, &part);
        Py_XDECREF(value);
        if (PyErr_Occurred())
            return -1;
    }
    return found;
}

/* The same for any array attribute of another object. */
static int
objects_share(const struct pyccel_instance *instance, const struct pyccel_instance *other)
{
    const pkw_py_class *source = other->class->source;
    int shared = 0;
    for (int i = 0; i < source->n_attributes && shared == 0; i++) {
        PyObject *value = reference_value(other, i);
        if (value != NULL && PyArray_Check(value))
            shared = object_refers_to(instance, (PyArrayObject *)value);
        Py_XDECREF(value);
        if (PyErr_Occurred())
            return -1;
    }
    return shared;
}

PyObject *
held_arguments(const struct pyccel_instance *instance, const struct call *call)
{
    PyObject *held = PyList_New(0);
    int done = held == NULL ? -1 : 0;
    for (int i = 0; i < call->kernel->n_params && done == 0; i++) {
        const struct argument *argument = &call->arguments[i];
        PyObject *object = argument->passed != NULL ? argument->passed : argument->given;
        const struct pyccel_instance *other = given_instance(call, i);
        int needed = 0;
        if (other != NULL)
            needed = other->class->refers_to_objects ? 1 : objects_share(instance, other);
        else if (object != NULL && PyArray_Check(object))
            needed = instance->class->refers_to_objects ? 1 : object_refers_to(instance, (PyArrayObject *)object);
        done = needed < 0 || (needed > 0 && PyList_Append(held, other != NULL ? argument->given : object) < 0) ? -1 : 0;
    }
    if (done < 0)
        Py_CLEAR(held);
    return held;
}

/* --- functions that set attributes --------------------------------------------------------------------------------------------- */

/* The argument whose memory of this call an attribute refers to, or NULL. */
static const pkw_param *
find_lent(const struct call *call, PyObject *value)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        bool part;
        if (is_array_argument(call, i) && is_lent(call, i) && refers_to(value, (PyArrayObject *)call->arguments[i].passed, &part))
            return &call->kernel->params[i];
    }
    return NULL;
}

/* Such an attribute gets a copy of its own, so that the object stays usable. */
static int
take_back(const struct call *call, PyObject *real, PyObject *value, const pkw_param *lent, const char *attribute,
          const char *full_name)
{
    PyObject *copy = PyArray_NewCopy((PyArrayObject *)value, NPY_KEEPORDER);
    if (copy != NULL && PyObject_SetAttrString(real, attribute, copy) == 0)
        raise_call_error(PyExc_ValueError, call->kernel->name,
                         "the function makes '%s' refer to argument '%s', whose host copy ends with the call; give an array in "
                         "host memory, or set the attribute before the call",
                         full_name, lent->name);
    Py_XDECREF(copy);
    return -1;
}

int
keep_settled(struct pyccel_instance *instance, const char *attribute, const char *name, const struct call *call,
             PyObject *others)
{
    bool part;
    PyObject *value = attribute_value(instance->real, attribute);
    const pkw_param *lent = value == NULL ? NULL : find_lent(call, value);
    const struct pair *pair = find_pair(instance, attribute);
    int done = PyErr_Occurred() ? -1 : 0;
    if (lent != NULL)
        done = take_back(call, instance->real, value, lent, attribute, name);
    else if (value != NULL && (pair == NULL || !refers_to(value, pair->inside, &part) || part != pair->part))
        done = keep_arrays(instance, call, others);
    Py_XDECREF(value);
    return done;
}
