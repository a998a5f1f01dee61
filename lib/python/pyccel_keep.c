/* pyccel_keep.c - see pyccel_instance.h: arguments that a compiled object refers to when the call is over. */
#include "errors.h"
#include "prepare.h"
#include "pyccel_instance.h"

/* --- memory that outlives the call ---------------------------------------------------------------------------------------- */

static bool
is_array_argument(const struct call *call, int position)
{
    return call->kernel->params[position].kind == PKW_ARRAY && call->arguments[position].is_array;
}

/* The host copy that an array has already, in the order that the parameter wants: as an earlier argument, or in the object that
 * is the first one. Borrowed; NULL: it has none. */
static PyObject *
find_copy(const struct call *call, int position)
{
    const pkw_param *params = call->kernel->params;
    const PyObject *given = call->arguments[position].given;
    for (int i = 0; i < position; i++)
        if (is_array_argument(call, i) && call->arguments[i].given == given
            && ((params[i].flags ^ params[position].flags) & PKW_FORTRAN) == 0)
            return call->arguments[i].passed;
    const struct pyccel_instance *self =
        pyccel_variant_of(call)->keeps == KEEPS_IN_SELF ? as_instance(call->arguments[0].given) : NULL;
    for (int i = 0; self != NULL && i < self->n_pairs; i++)
        if (self->pairs[i].outside == given && pyccel_fits(self->pairs[i].inside, (params[position].flags & PKW_FORTRAN) != 0))
            return (PyObject *)self->pairs[i].inside;
    return NULL;
}

/* An array that is on a device, or was packed: `passed` becomes what outlives the call. */
static int
keep_array(struct call *call, int position)
{
    struct argument *argument = &call->arguments[position];
    PyArrayObject *elements = (PyArrayObject *)argument->passed;
    PyObject *copy = Py_XNewRef(find_copy(call, position));
    if (copy != NULL && copy != argument->passed && PyArray_CopyInto((PyArrayObject *)copy, elements) < 0)
        Py_CLEAR(copy);
    else if (copy == NULL && argument->view >= 0) /* a view of staging memory, which ends with the call */
        copy = PyArray_NewCopy(elements, NPY_KEEPORDER);
    else if (copy == NULL)
        return 0;
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
        if (argument->array != NULL && PyArray_BASE(argument->array) == NULL /* of another library, whose memory it needs */
            && PyArray_SetBaseObject(argument->array, Py_NewRef(argument->given)) < 0)
            return -1;
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
        const struct pair pair = {.inside = (PyArrayObject *)argument->passed};
        PyObject *staged = pair_staged(&pair, session_view(&call->session, argument->view));
        int done = staged == NULL ? -1 : PyArray_CopyInto((PyArrayObject *)staged, pair.inside);
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

static bool
is_reference(const pkw_py_param *attribute)
{
    return attribute->kind == PKW_PY_ARRAY && attribute->flags & PKW_ALIAS;
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

/* Arrays that an object may refer to. */
struct candidates {
    struct pair *pairs;
    int n;
};

static void
add_candidate(struct candidates *list, PyObject *outside, PyArrayObject *inside)
{
    for (int i = 0; i < list->n; i++)
        if (list->pairs[i].inside == inside)
            return;
    Py_INCREF((PyObject *)inside);
    list->pairs[list->n++] = (struct pair){.outside = Py_NewRef(outside), .inside = inside};
}

/* Arguments of the call that are not what the caller gave, or that the compiled code must not be let write later. */
static int
find_candidates(struct candidates *list, const struct pyccel_instance *instance, const struct call *call)
{
    list->pairs = PyMem_Calloc((size_t)(instance->n_pairs + call->kernel->n_params) + 1, sizeof *list->pairs);
    if (list->pairs == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    for (int i = 0; i < instance->n_pairs; i++)
        add_candidate(list, instance->pairs[i].outside, instance->pairs[i].inside);
    for (int i = 0; i < call->kernel->n_params; i++) {
        const struct argument *argument = &call->arguments[i];
        PyObject *outside = argument->array != NULL ? (PyObject *)argument->array : argument->given;
        if (is_array_argument(call, i) && (argument->passed != outside || argument->info.read_only))
            add_candidate(list, outside, (PyArrayObject *)argument->passed);
    }
    return 0;
}

/* A pair for each attribute that refers to a candidate. */
static int
name_pairs(struct pair *named, int *n_named, const struct pyccel_instance *instance, const struct candidates *list)
{
    const pkw_py_class *source = instance->class->source;
    for (int i = 0; i < source->n_attributes; i++) {
        PyObject *value = is_reference(&source->attributes[i]) ? attribute_value(instance->real, source->attributes[i].name) : NULL;
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
            pair->name = source->attributes[i].name;
            break;
        }
        Py_XDECREF(value);
    }
    return 0;
}

/* Objects among the arguments, which this one may refer to now. */
static int
keep_objects(struct pyccel_instance *instance, const struct call *call)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        PyObject *given = call->kernel->params[i].kind == PARAM_CLASS ? call->arguments[i].given : NULL;
        if (given == NULL || given == (PyObject *)instance || as_instance(given) == NULL)
            continue;
        if (instance->objects == NULL)
            instance->objects = PyList_New(0);
        int there = instance->objects == NULL ? -1 : PySequence_Contains(instance->objects, given);
        if (there < 0 || (there == 0 && PyList_Append(instance->objects, given) < 0))
            return -1;
    }
    return 0;
}

int
keep_in(struct pyccel_instance *instance, const struct call *call)
{
    const struct pyccel_class *class = instance->class;
    if (class->refers_to_objects && keep_objects(instance, call) < 0)
        return -1;
    struct candidates list = {0};
    if (find_candidates(&list, instance, call) < 0)
        return -1;
    int n_named = 0, done = 0;
    size_t room = (size_t)class->source->n_attributes + (size_t)list.n;
    struct pair *named = PyMem_Calloc(room + 1, sizeof *named);
    if (named == NULL) {
        PyErr_NoMemory();
        done = -1;
    } else if (list.n > 0) {
        done = name_pairs(named, &n_named, instance, &list);
    }
    if (class->refers_to_objects) /* where they are is not known: any of them may be reached through those objects */
        for (int k = 0; named != NULL && k < list.n; k++) {
            named[n_named++] = list.pairs[k];
            list.pairs[k] = (struct pair){0};
        }
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

/* --- functions that set attributes --------------------------------------------------------------------------------------------- */

/* The argument whose memory of this call an attribute refers to, or NULL. */
static const pkw_param *
find_lent(const struct call *call, PyObject *value)
{
    for (int i = 0; i < call->kernel->n_params; i++) {
        const struct argument *argument = &call->arguments[i];
        bool part;
        if (is_array_argument(call, i) && (argument->view >= 0 || argument->packed != NULL)
            && refers_to(value, (PyArrayObject *)argument->passed, &part))
            return &call->kernel->params[i];
    }
    return NULL;
}

/* Such an attribute gets a copy of its own, so that the object stays usable. */
static int
take_back(const struct call *call, PyObject *real, const char *attribute, const char *full_name)
{
    PyObject *value = attribute_value(real, attribute);
    const pkw_param *lent = value == NULL ? NULL : find_lent(call, value);
    int done = PyErr_Occurred() ? -1 : 0;
    if (lent != NULL) {
        PyObject *copy = PyArray_NewCopy((PyArrayObject *)value, NPY_KEEPORDER);
        if (copy != NULL && PyObject_SetAttrString(real, attribute, copy) == 0)
            raise_call_error(PyExc_ValueError, call->kernel->name,
                             "the function makes '%s' refer to argument '%s', whose host copy ends with the call; give an array in "
                             "host memory, or set the attribute before the call",
                             full_name, lent->name);
        Py_XDECREF(copy);
        done = -1;
    }
    Py_XDECREF(value);
    return done;
}

int
check_nothing_kept(const struct call *call)
{
    const struct pyccel_variant *variant = pyccel_variant_of(call);
    const char *const *names = variant->attribute_names;
    for (int i = 0; i < call->kernel->n_params; i++) {
        const pkw_py_param *source = &variant->source[i];
        const struct argument *argument = &call->arguments[i];
        PyObject *real = argument->passed != NULL ? argument->passed : argument->given;
        for (int k = 0; k < source->n_attributes; k++, names++)
            if (real != NULL && source->attributes[k].flags & PKW_WRITTEN
                && take_back(call, real, source->attributes[k].name, *names) < 0)
                return -1;
    }
    return 0;
}
