/* manifest.c - the manifest as a whole. */
#include "manifest.h"

#include <string.h>

#include "base/files.h"
#include "kernels_internal.h"

static bool
read_version(struct reader *reader, const struct json_value *value, void *member)
{
    int version;
    (void)reader;
    (void)member;
    return json_small_integer(value, 1, &version) && version == 1;
}
static const struct manifest_type type_version = {"1, the only version yet", read_version};

#define AT(member) offsetof(struct manifest, member)
static const struct manifest_row compile_rows[] = {
    {"include_dirs", &type_list, AT(include_dirs), false},
    {"defines", &type_defines, AT(defines), false},
    {"flags", &type_list, AT(compile_flags), false},
    {"pkg_config", &type_packages, AT(pkg_config), false},
};

static const struct manifest_row link_rows[] = {
    {"libraries", &type_list, AT(libraries), false},
    {"library_dirs", &type_list, AT(library_dirs), false},
    {"flags", &type_list, AT(link_flags), false},
};

static bool
read_compile(struct reader *reader, const struct json_value *value, void *member)
{
    if (value->kind == JSON_OBJECT)
        read_object(reader, value, compile_rows, sizeof compile_rows / sizeof *compile_rows, member, NULL);
    return value->kind == JSON_OBJECT;
}

static bool
read_link(struct reader *reader, const struct json_value *value, void *member)
{
    if (value->kind == JSON_OBJECT)
        read_object(reader, value, link_rows, sizeof link_rows / sizeof *link_rows, member, NULL);
    return value->kind == JSON_OBJECT;
}

static const struct manifest_type type_compile = {"an object", read_compile};
static const struct manifest_type type_link = {"an object", read_link};

static const struct manifest_row rows[] = {
    {"$schema", &type_comment, 0, false},
    {"version", &type_version, 0, false},
    {"module", &type_python_name, AT(module), true},
    {"headers", &type_headers, AT(headers), false},
    {"sources", &type_list, AT(sources), false},
    {"compile", &type_compile, 0, false},
    {"link", &type_link, 0, false},
    {"stubs", &type_some, AT(stubs), false},
    {"extension", &type_module_path, AT(extension), false},
    {"kernel_sources", &type_list, AT(kernel_sources), false},
    {"object_modules", &type_module_paths, AT(object_modules), false},
    {"constant", &type_attributes, AT(constant), false},
    {"kernels", &type_kernels, 0, false},
};
#undef AT

/* Kernels are listed functions of headers, or come from stubs. */
static void
check_origin(struct reader *reader, const struct json_value *root)
{
    static const char *const keys[] = {"extension", "kernel_sources", "object_modules", "constant"};
    bool stubs = json_member(root, "stubs") != NULL;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !stubs; i++) {
        const struct json_value *member = json_member(root, keys[i]);
        if (member != NULL)
            refuse(reader->diag, "needs-stubs", member->key_place, "\"%s\" is for kernels from \"stubs\", and there are none",
                   keys[i]);
    }
    if (stubs && json_member(root, "extension") == NULL)
        refuse(reader->diag, "no-extension", root->place,
               "the key \"extension\" is missing: the compiled module that the kernels from \"stubs\" are in");
    if (!stubs && json_member(root, "headers") == NULL)
        refuse(reader->diag, "no-headers", root->place, "neither \"headers\" nor \"stubs\" says where the kernels are declared");
    else if (!stubs && json_member(root, "kernels") == NULL)
        refuse(reader->diag, "missing-key", root->place, "the key \"kernels\" is missing");
}

bool
is_taken_module_name(const char *name)
{
    static const char *const taken[] = {"numpy", "pkwrap", "_pkwrap", "cupy", "builtins", "sys", "importlib", "ctypes", "__main__", "__init__"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        if (strcmp(name, taken[i]) == 0)
            return true;
    return false;
}

static void
check_module_name(struct reader *reader, const struct manifest *manifest)
{
    if (manifest->module.text != NULL && is_taken_module_name(manifest->module.text))
        refuse(reader->diag, "module-name", manifest->module.place,
               "a module called \"%s\" would stand in the way of the one that has this name; choose another",
               manifest->module.text);
}

int
manifest_check(struct manifest *manifest, struct arena *arena, struct diag *diag, const char *path,
               const struct json_document *document)
{
    struct reader reader = {arena, diag, document};
    const struct json_value *root = document->root;
    int errors = diag->n_errors;
    *manifest = (struct manifest){
        .arena = arena, .document = *document, .path = path, .directory = path_folder(arena, path)};
    if (root->kind != JSON_OBJECT) {
        refuse(diag, "not-an-object", root->place, "a manifest is an object, not %s", json_kind_name(root));
        return EXIT_INPUT;
    }
    read_object(&reader, root, rows, sizeof rows / sizeof *rows, manifest, NULL);
    check_origin(&reader, root);
    check_module_name(&reader, manifest);
    const struct json_value *kernels = json_member(root, "kernels");
    if (diag->n_errors == errors && kernels != NULL && manifest->n_kernels == 0)
        refuse(diag, "no-kernels", kernels->place, "\"kernels\" lists no function: nothing to wrap");
    return diag->n_errors > errors ? EXIT_INPUT : EXIT_DONE;
}

int
manifest_read(struct manifest *manifest, struct arena *arena, struct diag *diag, const char *path)
{
    struct json_document document;
    int status = json_read(&document, arena, diag, path);
    return status == EXIT_DONE ? manifest_check(manifest, arena, diag, path, &document) : status;
}
