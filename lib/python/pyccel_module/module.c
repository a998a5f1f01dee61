/* module.c - see pyccel_module.h: what a module generated from a stub holds. */
#include "base/errors.h"
#include "pyccel_module.h"
#include "call/stats.h"

static PyObject *
import_extension(struct pyccel_module *module)
{
    PyObject *extension = PyImport_ImportModule(module->table->extension);
    if (extension != NULL || !PyErr_ExceptionMatches(PyExc_ImportError))
        return extension;
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    PyErr_Format(PyExc_ImportError,
                 "%s needs the compiled Pyccel module '%s', of which it knows the stub '%s', and which cannot be imported: %S",
                 module->table->name, module->table->extension, module->table->stub, value == NULL ? Py_None : value);
    Py_XDECREF(type);
    Py_XDECREF(value);
    Py_XDECREF(traceback);
    return NULL;
}

PyObject *
pyccel_lookup(struct pyccel_module *module, const char *name)
{
    if (module->extension == NULL && (module->extension = import_extension(module)) == NULL)
        return NULL;
    PyObject *found = PyObject_GetAttrString(module->extension, name);
    if (found == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_ImportError, "the compiled Pyccel module '%s' has no '%s', which its stub '%s' declares",
                     module->table->extension, name, module->table->stub);
    }
    return found;
}

/* --- module variables --------------------------------------------------------------------------------------------- */

/* module.__getattr__(name): the variables of the compiled module, as they are now. */
static PyObject *
get_variable(PyObject *capsule, PyObject *name)
{
    struct pyccel_module *module = PyCapsule_GetPointer(capsule, NULL);
    const char *text = PyUnicode_AsUTF8(name);
    if (module == NULL || text == NULL)
        return NULL;
    for (int i = 0; i < module->table->n_variables; i++)
        if (PyUnicode_CompareWithASCIIString(name, module->table->variables[i]) == 0)
            return pyccel_lookup(module, text);
    PyErr_Format(PyExc_AttributeError, "module '%s' has no attribute '%U'", module->table->name, name);
    return NULL;
}

static PyMethodDef get_variable_method = {"__getattr__", get_variable, METH_O, NULL};

static int
add_getattr(PyObject *object, struct pyccel_module *module)
{
    PyObject *capsule = PyCapsule_New(module, NULL, NULL);
    PyObject *getattr = capsule == NULL ? NULL : PyCFunction_New(&get_variable_method, capsule);
    Py_XDECREF(capsule);
    int done = getattr == NULL ? -1 : PyObject_SetAttrString(object, "__getattr__", getattr);
    Py_XDECREF(getattr);
    return done;
}

/* --- everything ---------------------------------------------------------------------------------------------------- */

/* Steals `value`. */
static int
add_public(PyObject *object, PyObject *all, const char *name, PyObject *value)
{
    if (value == NULL)
        return -1;
    int done = PyObject_SetAttrString(object, name, value);
    Py_DECREF(value);
    PyObject *text = done < 0 ? NULL : PyUnicode_FromString(name);
    done = text == NULL ? -1 : PyList_Append(all, text);
    Py_XDECREF(text);
    return done;
}

static int
fill(PyObject *object, PyObject *all, struct pyccel_module *module)
{
    const pkw_py_module *table = module->table;
    for (int i = 0; i < table->n_classes; i++)
        if (add_public(object, all, table->classes[i].name, pyccel_class_new(module, &table->classes[i])) < 0)
            return -1;
    for (int i = 0; i < table->n_functions; i++) {
        const pkw_py_function *function = &table->functions[i];
        if (add_public(object, all, function->name, pyccel_function_new(module, NULL, ROLE_FUNCTION, function)) < 0
            || stats_announce(table->name, function->name, function->variants[0].kernel.state) < 0)
            return -1;
    }
    for (int i = 0; i < table->n_variables; i++) {
        PyObject *name = PyUnicode_FromString(table->variables[i]);
        int done = name == NULL ? -1 : PyList_Append(all, name);
        Py_XDECREF(name);
        if (done < 0)
            return -1;
    }
    return 0;
}

int
pyccel_add(PyObject *object, const pkw_py_module *table)
{
    if (pyccel_init() < 0)
        return -1;
    struct pyccel_module *module = PyMem_RawCalloc(1, sizeof *module); /* the module's functions refer to it for ever */
    PyObject *all = module == NULL ? PyErr_NoMemory() : PyList_New(0);
    if (all == NULL) {
        PyMem_RawFree(module);
        return -1;
    }
    module->table = table;
    int done = fill(object, all, module);
    if (done == 0 && table->n_variables > 0) /* with a __getattr__, CPython looks everything up the slow way */
        done = add_getattr(object, module);
    if (done == 0)
        done = PyObject_SetAttrString(object, "__all__", all);
    Py_DECREF(all);
    return done;
}

int
pyccel_init(void)
{
    PyTypeObject *const types[] = {&pyccel_function_type, &pyccel_attribute_type, &pyccel_instance_type};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (PyType_Ready(types[i]) < 0)
            return -1;
    return 0;
}
