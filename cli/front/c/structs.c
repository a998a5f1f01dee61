/* structs.c - structures that parameters are or point to: their fields, for `inspect`. */
#include "unit_internal.h"

struct fields {
    struct unit *unit;
    struct model_param *param;
    const char *prefix; /* "p." */
    bool is_writable;   /* through a pointer to a structure that is not const */
};

static bool
is_nameless_record(CXCursor field)
{
    CXCursor record = clang.getTypeDeclaration(clang.getCursorType(field));
    return clang.Cursor_isAnonymousRecordDecl(record) != 0;
}

/* What the declaration alone says: a field itself, arrays in it included, is written through a pointer to the structure only;
 * what a field points to, whatever the structure is. */
static enum model_writes
possible_writes(const struct fields *fields, CXType type, const struct model_type *described)
{
    CXType canonical = clang.getCanonicalType(type), inner = canonical;
    for (CXType next = inner; next.kind != CXType_Invalid; next = clang.getArrayElementType(inner))
        inner = clang.getCanonicalType(next);
    bool is_read_only = canonical.kind == CXType_Pointer && type_is_read_only(described);
    bool points_to_writable = inner.kind == CXType_Pointer && !is_read_only;
    return fields->is_writable || points_to_writable ? WRITES_MAYBE : WRITES_NO;
}

static void describe_fields(struct fields *fields, CXType record);

static enum CXVisitorResult
add_field(CXCursor field, CXClientData data)
{
    struct fields *fields = data;
    struct unit *unit = fields->unit;
    struct arena *arena = unit->front->arena;
    if (is_nameless_record(field)) { /* its members are reached through the outer structure's name */
        clang.Type_visitFields(clang.getCursorType(field), add_field, data);
        return CXVisit_Continue;
    }
    const char *name = clang_take_string(arena, clang.getCursorSpelling(field));
    if (*name == '\0') /* padding: int : 3 */
        return CXVisit_Continue;
    struct model_param attribute = {.name = arena_printf(arena, "%s%s", fields->prefix, name), .order = "C"};
    unit_place(unit, clang.getCursorLocation(field), &attribute.place, NULL);
    type_describe(unit, clang.getCursorType(field), false, &attribute.type);
    attribute.writes = possible_writes(fields, clang.getCursorType(field), &attribute.type);
    if (attribute.type.kind == KIND_STRUCT && !attribute.type.is_pointer) {
        struct fields inner = {unit, &attribute, arena_printf(arena, "%s.", attribute.name), fields->is_writable};
        describe_fields(&inner, clang.getCursorType(field));
    }
    attribute.position = fields->param->n_attributes;
    *ARENA_PUSH(arena, fields->param->attributes, fields->param->n_attributes) = attribute;
    return CXVisit_Continue;
}

static void
describe_fields(struct fields *fields, CXType record)
{
    clang.Type_visitFields(clang.getCanonicalType(record), add_field, fields);
}

void
struct_describe(struct unit *unit, CXType type, struct model_param *param)
{
    CXType record = clang.getCanonicalType(type);
    while (record.kind != CXType_Record)
        record = clang.getCanonicalType(record.kind == CXType_Pointer ? clang.getPointeeType(record)
                                                                      : clang.getArrayElementType(record));
    struct fields fields = {unit, param, arena_printf(unit->front->arena, "%s.", param->name),
                            param->type.is_pointer && !param->type.is_const};
    describe_fields(&fields, record);
}
