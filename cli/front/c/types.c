/* types.c - what a C type is to a wrapper: a scalar, an array of elements, a string, or why nothing. */
#include "types_internal.h"

#include <stdint.h>
#include <string.h>

/* --- a table of the types described --- */

/* libclang's name of a type is unique for each way to write it ("double *" is one, however often it is used), so that the
 * 40,000 parameters of a big header are a few hundred types. */
struct type_entry {
    const void *key;
    bool is_result;
    struct model_type type;
};

struct type_table {
    struct arena *arena;
    struct type_entry *entries; /* open addressing; room is a power of 2 */
    size_t room, used;
};

struct type_table *
type_table_make(struct arena *arena)
{
    struct type_table *table = arena_take(arena, 1, sizeof *table);
    table->arena = arena;
    table->room = 64;
    table->entries = arena_take(arena, table->room, sizeof *table->entries);
    return table;
}

/* The entry of a type, or the free one that it would have. */
static struct type_entry *
type_table_find(struct type_table *table, const void *key, bool is_result)
{
    size_t i = (size_t)(((uintptr_t)key >> 3) * UINT64_C(0x9E3779B97F4A7C15) >> 20) + is_result;
    for (;; i++) {
        struct type_entry *entry = &table->entries[i & (table->room - 1)];
        if (entry->key == NULL || (entry->key == key && entry->is_result == is_result))
            return entry;
    }
}

static void
type_table_add(struct type_table *table, const void *key, bool is_result, const struct model_type *type)
{
    if (2 * (table->used + 1) > table->room) {
        struct type_entry *old = table->entries;
        size_t n = table->room;
        table->room *= 2;
        table->entries = arena_take(table->arena, table->room, sizeof *table->entries);
        for (size_t i = 0; i < n; i++)
            if (old[i].key != NULL)
                *type_table_find(table, old[i].key, old[i].is_result) = old[i];
    }
    *type_table_find(table, key, is_result) = (struct type_entry){key, is_result, *type};
    table->used++;
}

/* --- element types --- */

/* Element types by libclang's kind; size 0: whatever it has. Integers go by sign and size, so that long is right on every
 * platform. */
static const struct scalar {
    enum CXTypeKind kind;
    char sign; /* 'i', 'u': by size; else the dtype */
    pkw_dtype dtype;
} scalars[] = {
    {CXType_Bool, 0, PKW_BOOL},     {CXType_Char_S, 0, PKW_I8},       {CXType_Char_U, 0, PKW_U8},
    {CXType_SChar, 'i', 0},         {CXType_Short, 'i', 0},           {CXType_Int, 'i', 0},
    {CXType_Long, 'i', 0},          {CXType_LongLong, 'i', 0},        {CXType_UChar, 'u', 0},
    {CXType_UShort, 'u', 0},        {CXType_UInt, 'u', 0},            {CXType_ULong, 'u', 0},
    {CXType_ULongLong, 'u', 0},     {CXType_Half, 0, PKW_F16},        {CXType_Float16, 0, PKW_F16},
    {CXType_BFloat16, 0, PKW_BF16}, {CXType_Float, 0, PKW_F32},       {CXType_Double, 0, PKW_F64},
    {CXType_LongDouble, 0, PKW_LD},
};

static const struct complex_pair {
    pkw_dtype part, whole;
} complex_pairs[] = {{PKW_F32, PKW_C64}, {PKW_F64, PKW_C128}, {PKW_LD, PKW_CLD}};

static pkw_dtype
integer_dtype(char sign, long long size)
{
    static const pkw_dtype of_size[][2] = {{PKW_I8, PKW_U8}, {PKW_I16, PKW_U16}, {PKW_I32, PKW_U32}, {PKW_I64, PKW_U64}};
    for (int i = 0; i < 4; i++)
        if (size == 1 << i)
            return of_size[i][sign == 'u'];
    return PKW_NO_DTYPE;
}

/* libclang 19 has a kind for __bf16 and does not use it. */
static bool
is_bfloat16(CXType type)
{
    if (type.kind != CXType_Unexposed)
        return false;
    CXString spelling = clang.getTypeSpelling(clang.getUnqualifiedType(type));
    bool same = strcmp(clang.getCString(spelling), "__bf16") == 0;
    clang.disposeString(spelling);
    return same;
}

bool
clang_is_unsigned(CXType type)
{
    enum CXTypeKind kind = clang.getCanonicalType(type).kind;
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (scalars[i].kind == kind)
            return scalars[i].sign == 'u' || kind == CXType_Bool || kind == CXType_Char_U;
    return false;
}

/* The dtype of a canonical type, or PKW_NO_DTYPE. */
static pkw_dtype
element_dtype(CXType type)
{
    if (type.kind == CXType_Complex) {
        pkw_dtype part = element_dtype(clang.getCanonicalType(clang.getElementType(type)));
        for (size_t i = 0; i < sizeof complex_pairs / sizeof *complex_pairs; i++)
            if (complex_pairs[i].part == part)
                return complex_pairs[i].whole;
        return PKW_NO_DTYPE;
    }
    if (type.kind == CXType_Enum)
        return element_dtype(clang.getCanonicalType(clang.getEnumDeclIntegerType(clang.getTypeDeclaration(type))));
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
        if (scalars[i].kind != type.kind)
            continue;
        long long size = clang.Type_getSizeOf(type);
        if (scalars[i].sign != 0)
            return integer_dtype(scalars[i].sign, size);
        return scalars[i].dtype == PKW_LD && size != 16 ? PKW_NO_DTYPE : scalars[i].dtype; /* -mlong-double-64 */
    }
    return is_bfloat16(type) ? PKW_BF16 : PKW_NO_DTYPE;
}

/* --- one step at a time through what a type is written as --- */

static bool
is_array(CXType type)
{
    return type.kind == CXType_ConstantArray || type.kind == CXType_IncompleteArray || type.kind == CXType_VariableArray;
}

/* Follows typedefs and the like up to something of the canonical type's kind. */
static CXType
reveal(CXType type, enum CXTypeKind kind)
{
    while (type.kind != kind) {
        CXType next = {0};
        if (type.kind == CXType_Typedef)
            next = clang.getTypedefDeclUnderlyingType(clang.getTypeDeclaration(type));
        else if (type.kind == CXType_Elaborated)
            next = clang.Type_getNamedType(type);
        else if (type.kind == CXType_Attributed)
            next = clang.Type_getModifiedType(type);
        if (next.kind == CXType_Invalid || next.kind == CXType_Unexposed)
            return clang.getCanonicalType(type);
        type = next;
    }
    return type;
}

static const char *
spelling_of(struct arena *arena, CXType type)
{
    return clang_without_places(arena, clang_take_string(arena, clang.getTypeSpelling(type)));
}

/* How to spell an element type in a cast or a declaration of a variable: without qualifiers, those of a typedef included. */
static const char *
element_spelling(struct arena *arena, CXType type)
{
    CXType plain = clang.getUnqualifiedType(type);
    if (clang.isConstQualifiedType(clang.getCanonicalType(plain)))
        plain = clang.getUnqualifiedType(clang.getCanonicalType(plain));
    return spelling_of(arena, plain);
}

/* --- kinds --- */

static void
unsupported(struct model_type *out, enum model_kind kind, const char *reason)
{
    out->kind = kind;
    out->reason = reason;
}

/* What the element of a pointer or an array, or the scalar itself, is; `out->is_pointer` says which. */
static void
describe_element(struct model_type *out, CXType element)
{
    bool indirect = out->is_pointer;
    switch (element.kind) {
    case CXType_Void:
        out->kind = indirect ? KIND_ARRAY : KIND_SCALAR;
        out->is_void = true;
        return;
    case CXType_Record:
        if (clang.getCursorKind(clang.getTypeDeclaration(element)) == CXCursor_UnionDecl)
            unsupported(out, KIND_UNSUPPORTED, "unions are not supported");
        else
            unsupported(out, KIND_STRUCT, indirect ? "pointers to structures are not supported yet"
                                                   : "structures by value are not supported yet");
        return;
    case CXType_Pointer:
        if (clang.getPointeeType(element).kind != CXType_Invalid)
            unsupported(out, KIND_UNSUPPORTED, "pointers to pointers are not supported");
        return;
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
        unsupported(out, KIND_UNSUPPORTED, "function pointers are not supported");
        return;
    default:
        break;
    }
    out->dtype = element_dtype(element);
    out->is_enum = element.kind == CXType_Enum;
    out->is_char = element.kind == CXType_Char_S || element.kind == CXType_Char_U;
    if (out->dtype == PKW_NO_DTYPE)
        unsupported(out, KIND_UNSUPPORTED, "NumPy has no such element type");
    else if (!indirect && (out->dtype == PKW_F16 || out->dtype == PKW_BF16))
        unsupported(out, KIND_UNSUPPORTED, "16-bit floating point numbers are supported as elements of arrays only");
    else
        out->kind = indirect ? KIND_ARRAY : KIND_SCALAR;
}

static struct model_dim
describe_extent(struct arena *arena, CXType array)
{
    if (array.kind == CXType_IncompleteArray)
        return (struct model_dim){.kind = DIM_FREE, .text = ""};
    if (array.kind == CXType_VariableArray)
        return (struct model_dim){.kind = DIM_EXPRESSION};
    long long size = clang.getArraySize(array);
    return (struct model_dim){.kind = DIM_FIXED, .size = size, .text = arena_printf(arena, "%lld", size)};
}

/* True: the description holds for every use of the type. */
static bool
describe(struct unit *unit, CXType type, struct model_type *out)
{
    struct arena *arena = unit->front->arena;
    bool shared = true;
    CXType canonical = clang.getCanonicalType(type), written = type;
    *out = (struct model_type){.spelling = spelling_of(arena, type),
                               .is_restrict = clang.isRestrictQualifiedType(canonical)};
    bool outermost = true;
    while (is_array(canonical) || (outermost && canonical.kind == CXType_Pointer)) {
        written = reveal(written, canonical.kind);
        if (canonical.kind == CXType_Pointer) {
            canonical = clang.getPointeeType(canonical);
            written = clang.getPointeeType(written);
            if (is_array(canonical)) /* T (*a)[M] is T a[][M] */
                *ARENA_PUSH(arena, out->dims, out->n_dims) = (struct model_dim){.kind = DIM_FREE, .text = ""};
        } else {
            shared &= canonical.kind != CXType_VariableArray;
            *ARENA_PUSH(arena, out->dims, out->n_dims) = describe_extent(arena, canonical);
            /* The const of `const double a[]` is the array's in some versions of clang, the element's in others. */
            out->is_const |= clang.isConstQualifiedType(canonical) != 0;
            canonical = clang.getArrayElementType(canonical);
            written = clang.getArrayElementType(written);
        }
        canonical = clang.getCanonicalType(canonical);
        out->is_pointer = true;
        outermost = false;
    }
    out->is_const |= clang.isConstQualifiedType(canonical) != 0;
    out->element = element_spelling(arena, written);
    describe_element(out, canonical);
    return shared;
}

/* Strings: const char * without an extent, as a parameter or a result. */
static void
refine(struct model_type *out, bool is_result)
{
    bool open = out->n_dims == 0 || (out->n_dims == 1 && out->dims[0].kind == DIM_FREE);
    if (out->kind == KIND_ARRAY && out->is_char && out->is_const && open)
        out->kind = KIND_STRING;
    else if (is_result && out->kind == KIND_ARRAY)
        unsupported(out, KIND_UNSUPPORTED, "returned pointers are not supported yet");
    if (!out->is_pointer)
        out->is_const = false; /* const of a parameter itself is the callee's affair */
}

void
type_describe(struct unit *unit, CXType type, bool is_result, struct model_type *out)
{
    const void *key = type.data[0];
    struct type_entry *entry = type_table_find(unit->types, key, is_result);
    if (entry->key != NULL) {
        *out = entry->type;
        return;
    }
    bool shared = describe(unit, type, out);
    refine(out, is_result);
    if (shared)
        type_table_add(unit->types, key, is_result, out);
}
