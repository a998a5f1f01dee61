/* lower_functions.c - functions as those see them who call them. */
#include "lower_internal.h"

/* What a function's type says. Without a prototype it takes any arguments. */
static struct called *
describe_type(struct builder *builder, CXType type)
{
    struct called *called = arena_take(builder->arena, 1, sizeof *called);
    int n = clang.getNumArgTypes(type);
    called->n_params = n > 0 ? n : 0;
    called->is_variadic = clang.isFunctionTypeVariadic(type) != 0;
    enum node_type result = type_class(clang.getResultType(type));
    called->returns_pointer = result == TYPE_POINTER || result == TYPE_RECORD || result == TYPE_ARRAY;
    called->may_write = arena_take(builder->arena, (size_t)called->n_params + 1, sizeof *called->may_write);
    called->is_flat = arena_take(builder->arena, (size_t)called->n_params + 1, sizeof *called->is_flat);
    for (int i = 0; i < called->n_params; i++) {
        struct model_type described;
        CXType param = clang.getArgType(type, (unsigned)i);
        type_describe(builder->unit, param, false, &described);
        called->may_write[i] = type_class(param) != TYPE_FLOATING && !type_is_read_only(&described);
        CXType pointee = clang.getCanonicalType(clang.getPointeeType(clang.getCanonicalType(param)));
        enum node_type element = type_class(pointee);
        called->is_flat[i] = type_class(param) == TYPE_POINTER
                             && (element == TYPE_INTEGER || element == TYPE_FLOATING || element == TYPE_OTHER);
    }
    return called;
}

const struct called *
describe_function(struct builder *builder, CXCursor function)
{
    struct called *called = describe_type(builder, clang.getCanonicalType(clang.getCursorType(function)));
    called->name = clang_take_string(builder->arena, clang.getCursorSpelling(function));
    called->unit = clang.getCursorLinkage(function) == CXLinkage_External ? NULL : builder->unit->path;
    called->is_replaceable = has_attribute_of_effect(builder, function);
    return called;
}

const struct called *
describe_pointer(struct builder *builder, CXCursor callee)
{
    CXType type = clang.getCanonicalType(clang.getCursorType(callee));
    if (type.kind == CXType_Pointer)
        type = clang.getCanonicalType(clang.getPointeeType(type));
    return type.kind == CXType_FunctionProto ? describe_type(builder, type) : NULL;
}
