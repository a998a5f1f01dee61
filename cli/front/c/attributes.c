/* attributes.c - attributes that may change which code is executed: weak, alias, ifunc, cleanup, names in the object file. */
#include <string.h>

#include "lower_internal.h"

/* The attribute's name is one of these, with or without underscores around it: what is executed stays the same. */
static const char *const harmless[] = {
    "access", "aligned", "alloc_align", "alloc_size", "always_inline", "artificial", "assume_aligned", "cold", "const",
    "constructor", "deprecated", "destructor", "diagnose_if", "enable_if", "fallthrough", "flatten", "format", "format_arg",
    "gnu_inline", "hot", "leaf", "malloc", "may_alias", "maybe_unused", "minsize", "mode", "no_instrument_function",
    "no_profile_instrument_function", "no_sanitize", "no_sanitize_address", "no_sanitize_thread", "no_sanitize_undefined",
    "no_split_stack", "no_stack_protector", "noclone", "nodebug", "nodiscard", "noinline", "nonnull", "nonstring", "noreturn",
    "nothrow", "optimize", "optnone", "overloadable", "packed", "pure", "restrict", "returns_nonnull", "section", "sentinel",
    "stack_protect", "target", "tls_model", "transparent_union", "unused", "used", "vector_size", "visibility", "warning",
    "warn_unused_result",
};

struct attributes {
    struct builder *builder;
    unsigned name; /* where the declaration's is */
    bool has_effect, has_any;
};

static bool
is_harmless(const char *text, size_t length)
{
    while (length > 0 && *text == '_') {
        text++;
        length--;
    }
    size_t n = 0;
    while (n < length && (text[n] == '_' || (text[n] >= 'a' && text[n] <= 'z')))
        n++;
    while (n > 0 && text[n - 1] == '_')
        n--;
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (strlen(harmless[i]) == n && strncmp(harmless[i], text, n) == 0)
            return true;
    return false;
}

static enum CXChildVisitResult
look_at(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct attributes *attributes = data;
    if (!clang.isAttribute(clang.getCursorKind(cursor)))
        return CXChildVisit_Continue;
    attributes->has_any = true;
    CXFile file;
    unsigned start = 0;
    size_t length = 0;
    clang.getSpellingLocation(clang.getRangeStart(clang.getCursorExtent(cursor)), &file, NULL, NULL, &start);
    if (file == NULL || start == attributes->name) /* clang's own, of functions of the C library */
        return CXChildVisit_Continue;
    const char *bytes = clang.getFileContents(attributes->builder->unit->tu, file, &length);
    if (bytes == NULL || start >= length || !is_harmless(bytes + start, length - start))
        attributes->has_effect = true;
    return CXChildVisit_Continue;
}

bool
has_attribute_of_effect(struct builder *builder, CXCursor declaration)
{
    if (!clang.Cursor_hasAttrs(declaration) || clang.Location_isInSystemHeader(clang.getCursorLocation(declaration)))
        return false; /* the C library has its own other names for its functions */
    struct attributes attributes = {.builder = builder};
    clang.getSpellingLocation(clang.getCursorLocation(declaration), NULL, NULL, NULL, &attributes.name);
    clang.visitChildren(declaration, look_at, &attributes);
    return attributes.has_effect || !attributes.has_any; /* #pragma weak cannot be seen */
}
