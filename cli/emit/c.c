/* c.c - the module's C source, in order: headers and calls, kernels, method table, init. */
#include "emit_internal.h"
#include "py.h"
#include "base/files.h"

static void
add_mark(struct text *out, const struct plan *plan)
{
    text_add(out, EMIT_C_MARK);
    emit_comment(out, path_name(plan->manifest));
    text_add(out, ". Change that and run pkwrap again. */\n");
}

static void
add_doc(const struct emission *e)
{
    struct text doc = {0};
    text_printf(&doc, "%s\n--\n\n", e->kernel->signature);
    emit_doc(&doc, e->kernel);
    text_printf(e->out, "PyDoc_STRVAR(%s__doc,\n    ", e->kernel->c_name);
    emit_string(e->out, doc.data, 4);
    text_add(e->out, ");\n\n");
    text_release(&doc);
}

static void
add_kernel(struct text *out, const struct plan *plan, const struct plan_kernel *kernel)
{
    struct emission e = {.out = out, .plan = plan, .kernel = kernel};
    name_locals(&e);
    text_printf(out, "/* --- %s --- */\n\n", kernel->c_name);
    emit_tables(&e);
    emit_run(&e);
    emit_kernel_table(&e);
    add_doc(&e);
    emit_wrapper(&e);
}

static void
add_methods(struct text *out, const struct plan *plan)
{
    text_add(out, "static PyMethodDef module__methods[] = {\n");
    for (int i = 0; i < plan->n_kernels; i++) {
        text_add(out, "    {");
        emit_string(out, plan->kernels[i].name, 0);
        text_printf(out, ", (PyCFunction)(void (*)(void))%s__wrapper, METH_FASTCALL | METH_KEYWORDS, %s__doc},\n",
                    plan->kernels[i].c_name, plan->kernels[i].c_name);
    }
    text_add(out, "    {NULL, NULL, 0, NULL},\n};\n\n");
}

static void
add_exec(struct text *out, const struct plan *plan)
{
    text_add(out, "static int\nmodule__exec(PyObject *module)\n{\n");
    if (plan->n_kernels > 0) {
        text_add(out, "    static const pkw_kernel *const kernels[] = {\n");
        for (int i = 0; i < plan->n_kernels; i++)
            text_printf(out, "        &%s__kernel,\n", plan->kernels[i].c_name);
        text_add(out, "    };\n");
    }
    text_add(out, "    (void)module;\n"
                  "    pkwrap = pkw_get_api(PKW_ABI);\n"
                  "    if (pkwrap == NULL)\n"
                  "        return -1;\n");
    if (plan->n_kernels > 0)
        text_printf(out, "    return pkwrap->register_kernels(kernels, %d);\n}\n\n", plan->n_kernels);
    else
        text_add(out, "    return 0;\n}\n\n");
}

static bool
all_thread_safe(const struct plan *plan)
{
    if (plan->python != NULL)
        return false; /* Pyccel's modules do not say that they are */
    for (int i = 0; i < plan->n_kernels; i++)
        if (!plan->kernels[i].thread_safe)
            return false;
    return true;
}

static void
add_init(struct text *out, const struct plan *plan)
{
    text_add(out, "static PyModuleDef_Slot module__slots[] = {\n"
                  "    {Py_mod_exec, __extension__(void *)module__exec},\n"
                  "#ifdef Py_mod_multiple_interpreters\n"
                  "    {Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},\n"
                  "#endif\n");
    if (all_thread_safe(plan))
        text_add(out, "#ifdef Py_mod_gil\n"
                      "    {Py_mod_gil, Py_MOD_GIL_NOT_USED},\n"
                      "#endif\n");
    text_add(out, "    {0, NULL},\n};\n\n");
    text_add(out, "static struct PyModuleDef module__definition = {\n"
                  "    PyModuleDef_HEAD_INIT,\n"
                  "    .m_name = ");
    emit_string(out, plan->module, 0);
    text_add(out, ",\n");
    if (plan->python == NULL)
        text_add(out, "    .m_methods = module__methods,\n");
    text_add(out, "    .m_slots = module__slots,\n};\n\n");
    text_printf(out,
                "PyMODINIT_FUNC PyInit_%s(void);\n\n"
                "PyMODINIT_FUNC\nPyInit_%s(void)\n{\n    return PyModuleDef_Init(&module__definition);\n}\n",
                plan->module, plan->module);
}

void
emit_c(struct text *out, const struct plan *plan)
{
    add_mark(out, plan);
    if (plan->python != NULL) {
        text_add(out, "#include \"pkwrap.h\"\n\n");
        emit_py_tables(out, plan);
    } else {
        emit_calls(out, plan);
        text_add(out, "#include \"pkwrap.h\"\n\nstatic const pkw_api *pkwrap;\nstatic pkw_module_state module__state;\n\n");
        for (int i = 0; i < plan->n_kernels; i++)
            add_kernel(out, plan, &plan->kernels[i]);
        add_methods(out, plan);
        add_exec(out, plan);
    }
    add_init(out, plan);
}

void
emit_probe(struct text *out, const struct plan *plan)
{
    emit_headers(out, plan);
    text_add(out, "void (*const pkw_probe[])(void) = {\n");
    for (int i = 0; i < plan->n_kernels; i++)
        if (!plan->kernels[i].is_static)
            text_printf(out, "    (void (*)(void))%s,\n", plan->kernels[i].c_name);
    text_add(out, "    0};\n");
}
