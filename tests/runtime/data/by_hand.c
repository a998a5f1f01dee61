/* by_hand.c - the smallest module that a person would write for libpkwrap: one kernel, y = 2 x, without a fast path. */
#include "pkwrap.h"

#ifndef ABI
#define ABI PKW_ABI
#endif

static void
run(pkw_slot *result, const pkw_slot *slots)
{
    (void)result;
    const double *x = slots[1].ptr;
    double *y = slots[2].ptr;
    for (int i = 0; i < slots[0].i32; i++)
        y[i] = 2 * x[i];
}

static const pkw_expr shape[] = {PKW_EXPR("n", {0, PKW_OP_PARAM})};
static const pkw_param params[] = {
    {.name = "n", .c_type = "int", .kind = PKW_SIZE, .dtype = PKW_I32, .from_param = 1, .from_dim = 0},
    {.name = "x", .c_type = "double", .kind = PKW_ARRAY, .dtype = PKW_F64, .rank = 1, .shape = shape},
    {.name = "y", .c_type = "double", .kind = PKW_ARRAY, .dtype = PKW_F64, .rank = 1, .shape = shape,
     .flags = PKW_WRITTEN | PKW_OVERWRITTEN | PKW_CREATE},
};

static pkw_kernel_state state;
static pkw_module_state module_state;
static const pkw_kernel twice = {
    .name = "twice",
    .module = "by_hand",
    .params = params,
    .visible = (const int16_t[]){1, 2},
    .results = (const int16_t[]){2},
    .n_params = 3,
    .n_visible = 2,
    .n_required = 1,
    .n_positional = 2,
    .n_results = 1,
    .run = run,
    .state = &state,
    .module_state = &module_state,
};

static const pkw_api *api;

static PyObject *
call_twice(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
{
    (void)module;
    return api->call(&twice, args, nargs, kwnames);
}

static PyMethodDef methods[] = {
    {"twice", (PyCFunction)(void (*)(void))call_twice, METH_FASTCALL | METH_KEYWORDS, "twice(x, y=None)"},
    {NULL, NULL, 0, NULL},
};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "by_hand", NULL, -1, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC
PyInit_by_hand(void)
{
    api = pkw_get_api(ABI);
    if (api == NULL || api->register_kernels((const pkw_kernel *const[]){&twice}, 1) < 0)
        return NULL;
    return PyModule_Create(&definition);
}
