/* clang_structs.c - structures that parameters are or point to: their fields, for `inspect`. */
#include "clang_unit.h"

struct fields {
    struct unit *unit;
    struct model_param *param;
    const char *prefix; /* "p." */
};

static bool is_nameless_record(CXCursor field)
{
    CXCursor record = clang.getTypeDeclaration(clang.getCursorType(field));
    return clang.Cursor_isAnonymousRecordDecl(record) != 0;
}

static enum CXVisitorResult add_field(CXCursor field, CXClientData data)
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
    struct model_param *attribute = ARENA_PUSH(arena, fields->param->attributes, fields->param->n_attributes);
    attribute->name = arena_printf(arena, "%s%s", fields->prefix, name);
    attribute->position = fields->param->n_attributes - 1;
    unit_place(unit, clang.getCursorLocation(field), &attribute->place, NULL);
    type_describe(unit, clang.getCursorType(field), false, &attribute->type);
    bool nested = attribute->type.kind == KIND_STRUCT && !attribute->type.is_pointer;
    if (nested)
        struct_describe(unit, clang.getCursorType(field), attribute);
    attribute->writes = attribute->type.is_pointer && !attribute->type.is_const ? WRITES_MAYBE : WRITES_NO;
    return CXVisit_Continue;
}

void struct_describe(struct unit *unit, CXType type, struct model_param *param)
{
    CXType record = clang.getCanonicalType(type);
    while (record.kind != CXType_Record)
        record = clang.getCanonicalType(record.kind == CXType_Pointer ? clang.getPointeeType(record)
                                                                      : clang.getArrayElementType(record));
    struct fields fields = {unit, param, arena_printf(unit->front->arena, "%s.", param->name)};
    clang.Type_visitFields(record, add_field, &fields);
}
