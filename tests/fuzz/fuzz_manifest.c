/* fuzz_manifest.c - any bytes as a manifest, against one declaration of every kind of parameter: what is accepted can be emitted,
 * and whatever was wrong has been said with a place inside the file. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/check_fix.h"
#include "emit/emit.h"
#include "manifest/manifest.h"
#include "plan/resolve.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct model_dim dims[] = {{.kind = DIM_EXPRESSION, .text = "n"}, {.kind = DIM_FIXED, .size = 4, .text = "4"},
                                  {.kind = DIM_FREE, .text = ""}, {.kind = DIM_FIXED, .size = 3, .text = "3"}};

#define SCALAR(name_, position_, ...) \
    {.name = (name_), .position = (position_), .writes = WRITES_NO, .type = {.kind = KIND_SCALAR, .spelling = "scalar", __VA_ARGS__}}
#define POINTER(name_, position_, ...)                           \
    {.name = (name_), .position = (position_), .writes = WRITES_MAYBE, \
     .type = {.kind = KIND_ARRAY, .spelling = "pointer", .is_pointer = true, __VA_ARGS__}}

static struct model_param params[] = {
    SCALAR("n", 0, .dtype = PKW_I32, .element = "int"),
    SCALAR("m", 1, .dtype = PKW_U64, .element = "size_t"),
    SCALAR("b", 2, .dtype = PKW_BOOL, .element = "_Bool"),
    SCALAR("c", 3, .dtype = PKW_I8, .element = "char", .is_char = true),
    SCALAR("e", 4, .dtype = PKW_U32, .element = "enum side", .is_enum = true),
    SCALAR("d", 5, .dtype = PKW_F64, .element = "double"),
    SCALAR("z", 6, .dtype = PKW_C64, .element = "float _Complex"),
    POINTER("x", 7, .dtype = PKW_F64, .element = "double"),
    POINTER("y", 8, .dtype = PKW_F32, .element = "float", .is_const = true),
    POINTER("v", 9, .dtype = PKW_NO_DTYPE, .element = "void", .is_void = true),
    POINTER("a", 10, .dtype = PKW_F64, .element = "double", .dims = dims, .n_dims = 2),
    POINTER("q", 11, .dtype = PKW_I16, .element = "short", .dims = dims + 2, .n_dims = 2, .is_restrict = true),
    {.name = "s", .position = 12, .type = {.kind = KIND_STRING, .element = "char", .spelling = "const char *", .is_const = true}},
};
static struct model_function functions[] = {
    {.name = "f", .place = {"f.h", 1, 6}, .header = "f.h", .declaration = "void f(...)", .doc = "Does it.", .params = params,
     .n_params = sizeof params / sizeof *params, .returns = {.kind = KIND_SCALAR, .is_void = true}},
    {.name = "g", .place = {"f.h", 2, 6}, .header = "f.h", .declaration = "int g(int n)", .doc = "", .params = params, .n_params = 1,
     .returns = {.kind = KIND_SCALAR, .dtype = PKW_I32, .element = "int"}},
    {.name = "h", .place = {"f.h", 3, 6}, .header = "f.h", .declaration = "int h(int n, ...)", .doc = "", .reason = "variadic"},
};
static struct model_constant constants[] = {{.name = "DIM", .value = 3}, {.name = "BIG", .value = INT64_MAX}};

static void
emit_all(const struct plan *plan)
{
    struct text c = {0}, pyi = {0};
    emit_c(&c, plan);
    emit_pyi(&pyi, plan);
    if (c.length == 0 || pyi.length == 0)
        abort();
    text_release(&c);
    text_release(&pyi);
}

static void
check_findings(const struct diag *diag)
{
    if (diag->n_errors == 0)
        abort();
    for (int i = 0; i < diag->n_findings; i++) {
        const struct finding *finding = &diag->findings[i];
        if (finding->code == NULL || finding->place.file == NULL || finding->place.line < 1 || finding->place.column < 1)
            abort();
    }
}

/* Whatever is fixed in what was accepted, it stays JSON. */
static void
fix_all(struct arena *arena, struct diag *diag, const struct manifest *manifest)
{
    struct fixes fixes = {0};
    for (int i = 0; i < manifest->n_kernels; i++) {
        const struct manifest_kernel *kernel = &manifest->kernels[i];
        for (int k = 0; k < kernel->n_outputs; k += 1 + kernel->n_outputs % 2)
            *ARENA_PUSH(arena, fixes.items, fixes.n) =
                (struct fix){.kind = FIX_REMOVE_OUTPUT, .kernel = kernel, .output = &kernel->outputs[k]};
        *ARENA_PUSH(arena, fixes.items, fixes.n) = (struct fix){.kind = FIX_ADD_OUTPUT, .kernel = kernel, .name = "x"};
        *ARENA_PUSH(arena, fixes.items, fixes.n) =
            (struct fix){.kind = FIX_OVERWRITTEN, .kernel = kernel, .name = "x", .said = manifest_param(kernel, "x")};
    }
    struct text text = {0};
    struct json_document fixed;
    fixes_text(&text, arena, manifest, &fixes);
    if (json_parse(&fixed, arena, diag, "m.json", text.data, text.length) != EXIT_DONE)
        abort();
    text_release(&text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct diag diag;
    struct json_document document;
    struct manifest manifest;
    arena_init(&arena);
    diag_init(&diag, &arena);
    diag.quiet = true;
    const char *text = arena_copy_n(&arena, (const char *)data, size), *header = "f.h";
    const struct model model = {.arena = &arena,
                                .functions = functions,
                                .n_functions = sizeof functions / sizeof *functions,
                                .constants = constants,
                                .n_constants = sizeof constants / sizeof *constants};
    struct plan plan = {.arena = &arena, .manifest = "m.json", .directory = ".", .headers = &header, .n_headers = 1};
    int status = json_parse(&document, &arena, &diag, "m.json", text, size);
    if (status == EXIT_DONE)
        status = manifest_check(&manifest, &arena, &diag, "m.json", &document);
    if (status == EXIT_DONE && manifest.stubs.n == 0) {
        plan.module = manifest.module.text;
        status = resolve_plan(&plan, &diag, &model, &manifest);
        if (status == EXIT_DONE) {
            emit_all(&plan);
            fix_all(&arena, &diag, &manifest);
        }
    }
    if (status != EXIT_DONE)
        check_findings(&diag);
    arena_release(&arena);
    return 0;
}
