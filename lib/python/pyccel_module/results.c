/* results.c - what a call of a compiled function gives: arrays of the caller's kind, views of the caller's arrays, instances for
 * compiled objects.
 */
#include "arrays/to_device.h"
#include "arrays/views.h"
#include "base/errors.h"
#include "instance_internal.h"

/* The device array whose kind new ones get. */
static struct array_model
find_model(const struct call *call)
{
    struct array_model model = {0};
    for (int i = 0; i < call->kernel->n_params; i++) {
        const struct argument *argument = &call->arguments[i];
        if (argument->is_array)
            model_offer(&model, argument->given, &argument->info);
    }
    offer_instances(call, &model);
    return model;
}

/* A new object keeps what it refers to of the arguments: compiled functions do not. */
static int
keep_for_result(struct pyccel_instance *instance, const struct call *call)
{
    instance->held = held_arguments(instance, call);
    if (instance->held == NULL || keep_arrays(instance, call, NULL) < 0)
        return -1;
    return instance->class->refers_to_objects ? link_objects(instance, call) : 0;
}

/* An object of a class of which no wrapper is loaded, made by a call whose arrays were copies: they would be gone, and what is
 * written there lost. */
static int
refuse_unknown_object(const struct call *call, PyObject *object)
{
    bool copied = false;
    for (int i = 0; i < call->kernel->n_params; i++)
        copied = copied || call->arguments[i].view >= 0 || call->arguments[i].packed != NULL;
    if (!copied || object == Py_None || PyBool_Check(object) || PyLong_Check(object) || PyFloat_Check(object)
        || PyComplex_Check(object) || PyUnicode_Check(object) || PyArray_IsScalar(object, Generic))
        return 0;
    return raise_call_error(PyExc_TypeError, call->kernel->name,
                            "the result is a %s object, and no wrapper of its class is imported that could keep the host copies of "
                            "the arguments; import that module first",
                            Py_TYPE(object)->tp_name);
}

/* An object that was among the arguments, or a new one. */
static PyObject *
convert_object(const struct call *call, PyObject *object)
{
    for (int i = 0; i < call->kernel->n_params; i++)
        if (call->arguments[i].passed == object && call->kernel->params[i].kind == PKW_PY_CLASS)
            return Py_NewRef(call->arguments[i].given);
    const struct pyccel_function *function = pyccel_call_of(call)->function;
    PyObject *adopted = pyccel_adopt(function->module, Py_NewRef(object));
    struct pyccel_instance *instance = adopted == NULL ? NULL : as_instance(adopted);
    int done = adopted == NULL ? -1
               : instance != NULL ? keep_for_result(instance, call)
               : function->source->gives_objects || function->source->keeps == PKW_KEEPS_IN_RESULT ? refuse_unknown_object(call, object)
                                        : 0;
    if (done < 0)
        Py_CLEAR(adopted);
    return adopted;
}

/* --- arrays ------------------------------------------------------------------------------------------------------------- */

/* A result that lies in the memory of an argument: the caller's own array, or a view of it. */
static PyObject *
part_of_argument(const struct call *call, const struct argument *argument, PyObject *object)
{
    const struct array_info *info = &argument->info;
    PyArrayObject *passed = (PyArrayObject *)argument->passed;
    PyObject *owner = info->on_device ? argument->given : (PyObject *)host_array(argument);
    if (argument->passed == object)
        return Py_NewRef(argument->given);
    if (argument->passed == owner && !info->read_only)
        return Py_NewRef(object);
    return view_of_array(owner, info, passed, (PyArrayObject *)object, call->kernel->name, "the result");
}

/* The same for any memory that is the caller's. *found: whether it is. */
static PyObject *
part_of_given(const struct call *call, PyObject *object, bool *found)
{
    *found = true;
    for (int i = 0; i < call->kernel->n_params; i++) {
        const struct argument *argument = &call->arguments[i];
        if (call->kernel->params[i].kind == PKW_ARRAY && argument->passed != NULL
            && (argument->passed == object || array_lies_in((PyArrayObject *)object, (PyArrayObject *)argument->passed)))
            return part_of_argument(call, argument, object);
    }
    const struct pair *pair = used_pair(call, (PyArrayObject *)object);
    if (pair != NULL)
        return pair_view(pair, (PyArrayObject *)object, call->kernel->name, "the result");
    *found = false;
    return NULL;
}

/* Without a model new arrays stay what they are. An array that is new belongs to a capsule; one that belongs to a compiled object shows
 * that object's own memory, which is on the host. */
static PyObject *
convert_array(const struct call *call, const struct array_model *model, PyObject *object)
{
    bool found;
    PyObject *base = PyArray_BASE((PyArrayObject *)object), *part = part_of_given(call, object, &found);
    if (found)
        return part;
    if (model->like == NULL || (base != NULL && !PyCapsule_CheckExact(base)))
        return Py_NewRef(object);
    return device_array_from_host(model, (PyArrayObject *)object, call->kernel->name, "result", call->kernel->state);
}

static PyObject *
convert_result(const struct call *call, const struct array_model *model, PyObject *object)
{
    if (PyArray_Check(object))
        return convert_array(call, model, object);
    if (!PyTuple_CheckExact(object) && !PyList_CheckExact(object))
        return convert_object(call, object);
    Py_ssize_t n = PySequence_Fast_GET_SIZE(object);
    PyObject *converted = PyTuple_CheckExact(object) ? PyTuple_New(n) : PyList_New(n);
    for (Py_ssize_t i = 0; converted != NULL && i < n; i++) {
        PyObject *item = convert_result(call, model, PySequence_Fast_GET_ITEM(object, i));
        if (item == NULL)
            Py_CLEAR(converted);
        else if (PyTuple_CheckExact(object))
            PyTuple_SET_ITEM(converted, i, item);
        else
            PyList_SET_ITEM(converted, i, item);
    }
    return converted;
}

PyObject *
pyccel_results(struct call *call)
{
    PyObject *returned = pyccel_call_of(call)->returned;
    if (returned == Py_None || PyFloat_CheckExact(returned) || PyLong_CheckExact(returned)) /* what most functions return */
        return Py_NewRef(returned);
    const struct array_model model = find_model(call);
    return convert_result(call, &model, returned);
}
