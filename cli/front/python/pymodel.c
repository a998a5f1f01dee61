/* pymodel.c - see pymodel.h: which files belong together, and what they declare. */
#include "pymodel.h"

#include <string.h>

#include "base/deep.h"
#include "base/files.h"
#include "pymodel_internal.h"

static bool
ends_with(const char *name, const char *ending)
{
    size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

bool
pymodel_reads(const char *file)
{
    return ends_with(file, ".pyi") || ends_with(file, ".py");
}

/* File name without folder and ending. */
static const char *
stem_of(struct arena *arena, const char *path)
{
    const char *name = path_name(path);
    return arena_copy_n(arena, name, strcspn(name, "."));
}

/* --- which files --- */

/* Where the last folder called __pyccel__ begins in a path; NULL: there is none. */
static const char *
pyccel_folder(const char *path)
{
    static const char name[] = "__pyccel__/";
    const char *last = NULL;
    for (const char *at = strstr(path, name); at; at = strstr(at + 1, name))
        if (at == path || at[-1] == '/')
            last = at;
    return last;
}

const char *
pymodel_extension(struct arena *arena, const char *stub)
{
    const char *generated = pyccel_folder(stub);
    if (generated == NULL)
        return stem_of(arena, stub);
    const char *inside = strchr(generated, '/') + 1;
    char *name = arena_copy_n(arena, inside, strlen(inside) - strlen(path_name(inside)) + strlen(stem_of(arena, inside)));
    for (char *at = strchr(name, '/'); at != NULL; at = strchr(at, '/'))
        *at = '.';
    return name;
}

/* The source beside a stub: x.py in its folder; for a/__pyccel__/b/x.pyi (b: `pyccel make`) a/b/x.py. NULL: there is none. */
static const char *
source_beside(struct arena *arena, const char *stub)
{
    const char *name = arena_printf(arena, "%s.py", stem_of(arena, stub));
    const char *path = path_join(arena, path_folder(arena, stub), name);
    if (file_exists(path))
        return path;
    const char *generated = pyccel_folder(stub);
    if (!generated)
        generated = pyccel_folder(stub = path_real(arena, stub));
    if (!generated)
        return NULL;
    const char *inside = path_folder(arena, strchr(generated, '/') + 1);
    const char *folder = path_join(arena, arena_copy_n(arena, stub, (size_t)(generated - stub)), inside);
    path = path_join(arena, folder, name);
    return file_exists(path) ? path : NULL;
}

static bool
is_given(const struct pymodel_request *request, struct arena *arena, const char *path)
{
    const char *real = path_real(arena, path);
    for (int i = 0; i < request->n_files; i++)
        if (strcmp(path_real(arena, request->files[i]), real) == 0)
            return true;
    return false;
}

/* epyccel gives stubs names of its own: where one stub and one source are given, they belong together. -1: that is not so. */
static int
only_source(const struct pytree *tree)
{
    int source = -1, n_stubs = 0, n_sources = 0;
    for (int i = 0; i < tree->n_asked; i++) {
        bool is_stub = ends_with(pytree_name(tree, tree->files[i]), ".pyi");
        n_stubs += is_stub;
        n_sources += !is_stub;
        source = is_stub ? source : i;
    }
    return n_stubs == 1 && n_sources == 1 ? source : -1;
}

/* The file index of a stub's source among those that were read; -1: none. */
static int
source_of(const struct loader *loader, int stub)
{
    const struct pytree *tree = &loader->tree;
    struct arena *arena = loader->model->arena;
    const char *path = pytree_name(tree, tree->files[stub]), *beside = source_beside(arena, path);
    const char *stem = stem_of(arena, path);
    int same = -1;
    for (int i = 0; i < tree->n_asked; i++) {
        const char *other = pytree_name(tree, tree->files[i]);
        if (!ends_with(other, ".py") || strcmp(stem_of(arena, other), stem) != 0)
            continue;
        if (beside && strcmp(path_real(arena, beside), path_real(arena, other)) == 0)
            return i;
        same = same < 0 ? i : -2;
    }
    return same >= 0 ? same : same == -1 ? only_source(tree) : -1;
}

/* --- reading --- */

static void
read_metavar(struct arena *arena, struct model_module *module, const char *line)
{
    static const char start[] = "header metavar ";
    const char *at = line + strspn(line, "#$ ");
    if (strncmp(at, start, sizeof start - 1) != 0)
        return;
    at += sizeof start - 1;
    for (at += strspn(at, " ,"); *at; at += strspn(at, " ,")) {
        size_t n = strcspn(at, "=, ");
        const char *name = arena_copy_n(arena, at, n), *value = "";
        at += n;
        if (*at == '=') {
            char quote = at[1] == '\'' ? '\'' : '"';
            bool quoted = at[1] == quote;
            const char *first = at + 1 + quoted;
            const char *end = quoted ? strchr(first, quote) : first + strcspn(first, ", ");
            if (!end)
                end = first + strlen(first);
            value = arena_copy_n(arena, first, (size_t)(end - first));
            at = end + (quoted && *end);
        }
        struct model_metavar *row = ARENA_PUSH(arena, module->metavars, module->n_metavars);
        row->name = name;
        row->value = value;
    }
}

/* Findings of the parser, and the headers. */
static void
read_notes(struct loader *loader, struct stub_source *source, struct model_module *module)
{
    const struct pytree *tree = &loader->tree;
    int file = tree->files[source->file];
    PYTREE_EACH(tree, note, file + 1) {
        if (tree->nodes[note].kind == PY_HEADER) {
            read_metavar(loader->model->arena, module, pytree_name(tree, note));
            continue;
        }
        struct place place = {pytree_name(tree, file), tree->nodes[note].line, tree->nodes[note].column};
        diag_add(source->diag, SEVERITY_ERROR, "python", place, "cannot be parsed: %s", pytree_name(tree, note));
        source->failed = true;
    }
}

/* What the stub leaves out, the source has: Pyccel writes no docstrings. */
static void
read_function(struct loader *loader, struct stub_source *source, struct model_function *function, int node,
              const char *class_name, int flow_file)
{
    const struct pytree *tree = &loader->tree;
    stub_function(source, function, node, class_name);
    const struct pyflow_function *flow = pymodel_find_flow(loader, flow_file, function->name, class_name);
    if (flow && function->doc[0] == '\0')
        function->doc = stub_doc(source, pytree_child(tree, flow->node, 3));
    pymodel_set_writes(loader, source, function, flow, flow_file,
                       flow_file < 0 ? "no source was read" : "the source does not define it");
}

static void
read_attribute(struct stub_source *source, struct model_class *class, int node)
{
    const struct pytree *tree = source->tree;
    struct model_param *a = ARENA_PUSH(source->arena, class->attributes, class->n_attributes);
    *a = (struct model_param){.name = pytree_name(tree, node + 1), .position = class->n_attributes - 1};
    a->place = stub_place(source, node);
    stub_model_type(source, &a->type, pytree_child(tree, node, 1));
    const struct stub_type *type = a->type.annotation;
    a->alias = type && type->is_alias;
    if (type && type->kind == STUB_ARRAY)
        a->order = type->order ? type->order : type->rank > 1 ? "C" : NULL;
}

/* The attributes first, and the class into the model with them: its methods' `self` has them. */
static void
read_class(struct loader *loader, struct stub_source *source, int node, int flow_file)
{
    const struct pytree *tree = &loader->tree;
    struct model *model = loader->model;
    struct model_class class = {.name = pytree_name(tree, node), .place = stub_place(source, node), .module = source->module};
    class.is_imported = source->file >= tree->n_asked;
    const struct pyflow_class *flow = flow_file < 0 ? NULL : pyflow_find_class(&loader->flow, flow_file, class.name);
    class.doc = stub_doc(source, pytree_child(tree, node, 2));
    if (flow && class.doc[0] == '\0')
        class.doc = stub_doc(source, pytree_child(tree, flow->node, 2));
    PYTREE_EACH(tree, s, pytree_child(tree, node, 3))
        if (tree->nodes[s].kind == PY_ANN_ASSIGN && tree->nodes[s + 1].kind == PY_NAME)
            read_attribute(source, &class, s);
    int index = model->n_classes;
    *ARENA_PUSH(model->arena, model->classes, model->n_classes) = class;
    PYTREE_EACH(tree, s, pytree_child(tree, node, 3)) {
        if (tree->nodes[s].kind != PY_FUNCTION)
            continue;
        struct model_function *method = ARENA_PUSH(model->arena, class.methods, class.n_methods);
        read_function(loader, source, method, s, class.name, flow_file);
    }
    model->classes[index].methods = class.methods;
    model->classes[index].n_methods = class.n_methods;
}

static void
read_variable(struct loader *loader, struct stub_source *source, int node)
{
    const struct pytree *tree = &loader->tree;
    if (tree->nodes[node + 1].kind != PY_NAME)
        return;
    struct model_variable *v = ARENA_PUSH(loader->model->arena, loader->model->variables, loader->model->n_variables);
    *v = (struct model_variable){.name = pytree_name(tree, node + 1), .place = stub_place(source, node)};
    v->module = source->module;
    stub_model_type(source, &v->type, pytree_child(tree, node, 1));
}

static struct stub_source
open_file(struct loader *loader, int file)
{
    const struct pytree *tree = &loader->tree;
    struct model *model = loader->model;
    struct model_module *module = ARENA_PUSH(model->arena, model->modules, model->n_modules);
    const char *path = pytree_name(tree, tree->files[file]);
    *module = (struct model_module){.file = path, .stem = stem_of(model->arena, path), .doc = ""};
    module->is_stub = ends_with(path, ".pyi");
    struct stub_source source = {.arena = model->arena, .diag = loader->diag, .tree = tree, .file = file};
    source.module = model->n_modules - 1;
    source.is_stub = module->is_stub;
    read_notes(loader, &source, module);
    return source;
}

/* Classes first: parameters of any file may be of any of them. */
static void
read_classes(struct loader *loader, struct stub_source *source, int flow_file)
{
    const struct pytree *tree = &loader->tree;
    PYTREE_EACH(tree, s, pytree_child(tree, tree->files[source->file], 1))
        if (tree->nodes[s].kind == PY_CLASS)
            read_class(loader, source, s, flow_file);
}

static void
read_functions(struct loader *loader, struct stub_source *source, int flow_file)
{
    const struct pytree *tree = &loader->tree;
    struct model *model = loader->model;
    PYTREE_EACH(tree, s, pytree_child(tree, tree->files[source->file], 1)) {
        if (tree->nodes[s].kind == PY_ANN_ASSIGN && source->is_stub)
            read_variable(loader, source, s);
        if (tree->nodes[s].kind != PY_FUNCTION)
            continue;
        struct model_function *function = ARENA_PUSH(model->arena, model->functions, model->n_functions);
        read_function(loader, source, function, s, NULL, flow_file);
    }
}

static int
read_all(struct loader *loader)
{
    const struct pytree *tree = &loader->tree;
    struct arena *arena = loader->model->arena;
    int n = tree->n_asked;
    struct stub_source *sources = arena_take(arena, (size_t)n, sizeof *sources);
    int *flow_files = arena_take(arena, (size_t)n, sizeof *flow_files);
    bool *has_stub = arena_take(arena, (size_t)n, sizeof *has_stub);
    for (int i = 0; i < n; i++) {
        sources[i] = open_file(loader, i);
        flow_files[i] = sources[i].is_stub ? source_of(loader, i) : i;
        if (sources[i].is_stub && flow_files[i] >= 0)
            has_stub[flow_files[i]] = true;
    }
    for (int i = n; i < tree->n_files; i++) /* stubs that the given ones take classes from */
        if (ends_with(pytree_name(tree, tree->files[i]), ".pyi")) {
            struct stub_source imported = open_file(loader, i);
            read_classes(loader, &imported, -1);
            loader->failed |= imported.failed;
        }
    for (int i = 0; i < n; i++)
        if (!has_stub[i])
            read_classes(loader, &sources[i], flow_files[i]);
    for (int i = 0; i < n; i++) {
        if (!has_stub[i])
            read_functions(loader, &sources[i], flow_files[i]);
        loader->failed |= sources[i].failed;
    }
    return loader->failed ? EXIT_INPUT : EXIT_DONE;
}

static void
analyse(void *data)
{
    struct loader *loader = data;
    pyflow_run(&loader->flow, loader->model->arena, &loader->tree);
}

int
pymodel_load(struct model *model, struct diag *diag, const struct pymodel_request *request)
{
    struct arena *arena = model->arena;
    struct loader loader = {.model = model, .diag = diag};
    const char **files = NULL;
    int n_files = 0;
    for (int i = 0; i < request->n_files; i++)
        *ARENA_PUSH(arena, files, n_files) = request->files[i];
    for (int i = 0; i < request->n_files; i++) {
        const char *beside = ends_with(request->files[i], ".pyi") ? source_beside(arena, request->files[i]) : NULL;
        if (beside && !is_given(request, arena, beside))
            *ARENA_PUSH(arena, files, n_files) = beside;
    }
    struct pytree_request parse = {.python = request->python,
                                   .files = files,
                                   .n_files = n_files,
                                   .roots = request->roots,
                                   .n_roots = request->n_roots};
    int status = pytree_read(&loader.tree, arena, &parse);
    if (status != EXIT_DONE)
        return status;
    if (!deep_run((size_t)loader.tree.depth, analyse, &loader))
        return EXIT_ENVIRONMENT;
    for (int i = 0; i < loader.tree.n_files; i++)
        *ARENA_PUSH(arena, model->dependencies, model->n_dependencies) = pytree_name(&loader.tree, loader.tree.files[i]);
    return read_all(&loader);
}
