/* lower.c - bodies of functions from clang's syntax trees: statements, variables, functions. */
#include "lower_internal.h"

#include <string.h>

/* --- cursors and nodes --- */

struct child_list {
    struct arena *arena;
    struct cursors cursors;
};

static enum CXChildVisitResult
add_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct child_list *list = data;
    *ARENA_PUSH(list->arena, list->cursors.items, list->cursors.n) = cursor;
    return CXChildVisit_Continue;
}

struct cursors
children_of(struct builder *builder, CXCursor cursor)
{
    struct child_list list = {.arena = builder->arena};
    clang.visitChildren(cursor, add_child, &list);
    return list.cursors;
}

static enum CXVisitorResult
find_pointer(CXCursor field, CXClientData data)
{
    enum node_type type = type_class(clang.getCursorType(field));
    if (type == TYPE_ARRAY) {
        CXType element = clang.getCanonicalType(clang.getCursorType(field));
        while (type_class(element) == TYPE_ARRAY)
            element = clang.getCanonicalType(clang.getArrayElementType(element));
        type = type_class(element);
    }
    if (type != TYPE_POINTER && type != TYPE_RECORD)
        return CXVisit_Continue;
    *(bool *)data = true;
    return CXVisit_Break;
}

/* Whether a structure holds no addresses: what is read from it leads nowhere. */
static bool
is_plain(CXType record)
{
    bool has_pointer = false;
    if (clang.Type_getSizeOf(record) < 0) /* incomplete */
        return false;
    clang.Type_visitFields(record, find_pointer, &has_pointer);
    return !has_pointer;
}

enum node_type
type_class(CXType type)
{
    switch ((int)clang.getCanonicalType(type).kind) {
    case CXType_Pointer:
    case CXType_FunctionProto:
    case CXType_FunctionNoProto:
    case CXType_Invalid: /* nobody knows: as if it could point */
    case CXType_Unexposed:
        return TYPE_POINTER;
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
        return TYPE_ARRAY;
    case CXType_Record:
        return is_plain(clang.getCanonicalType(type)) ? TYPE_FLOATING : TYPE_RECORD;
    case CXType_Atomic:
        return TYPE_RECORD;
    case CXType_Void:
        return TYPE_OTHER;
    case CXType_Float:
    case CXType_Double:
    case CXType_LongDouble:
    case CXType_Half:
    case CXType_Float16:
    case CXType_Float128:
    case CXType_BFloat16:
    case CXType_Complex:
    case CXType_Bool:
        return TYPE_FLOATING;
    case CXType_Vector: /* its elements are somewhere in it */
    case CXType_ExtVector:
        return TYPE_RECORD;
    default: /* integers of every kind */
        return TYPE_INTEGER;
    }
}

int
integer_width(CXType type, bool *is_signed)
{
    type = clang.getCanonicalType(type);
    *is_signed = false;
    if (type_class(type) != TYPE_INTEGER)
        return 0;
    if (type.kind == CXType_Enum)
        type = clang.getCanonicalType(clang.getEnumDeclIntegerType(clang.getTypeDeclaration(type)));
    switch ((int)type.kind) {
    case CXType_Char_S:
    case CXType_SChar:
    case CXType_Short:
    case CXType_Int:
    case CXType_Long:
    case CXType_LongLong:
    case CXType_Int128:
        *is_signed = true;
        break;
    default:
        break;
    }
    long long size = clang.Type_getSizeOf(type);
    return size > 0 ? 8 * (int)size : 0;
}

struct node *
node_make(struct builder *builder, enum node_kind kind, CXCursor cursor)
{
    struct node *node = arena_take(builder->arena, 1, sizeof *node);
    node->kind = kind;
    node->variable = -1;
    node->op = OPERATOR_OTHER;
    node->type = TYPE_OTHER;
    if (clang.isExpression(clang.getCursorKind(cursor)))
        node->type = type_class(clang.getCursorType(cursor));
    if (node->type == TYPE_INTEGER)
        node->width = integer_width(clang.getCursorType(cursor), &node->is_signed);
    node->height = 1;
    return node;
}

void
node_add(struct node *parent, struct node *child)
{
    if (parent->last != NULL)
        parent->last->next = child;
    else
        parent->child = child;
    parent->last = child;
    parent->n_children++;
    if (child->height >= parent->height)
        parent->height = child->height + 1;
}

/* --- variables --- */

enum { FIRST_SLOTS = 64 };

static int *
find_slot(struct builder *builder, CXCursor declaration)
{
    for (unsigned i = clang.hashCursor(declaration);; i++) {
        int *slot = &builder->slots[i & (unsigned)(builder->n_slots - 1)];
        if (*slot < 0 || clang.equalCursors(builder->declarations[*slot], declaration))
            return slot;
    }
}

static void
make_slots(struct builder *builder, int n)
{
    builder->n_slots = n;
    builder->slots = arena_take(builder->arena, n, sizeof *builder->slots);
    memset(builder->slots, 0xFF, (size_t)n * sizeof *builder->slots);
    for (int i = 0; i < builder->body->n_variables; i++)
        *find_slot(builder, builder->declarations[i]) = i;
}

/* A variable of every function, or only of one file or one function. */
static const char *
unit_of(struct builder *builder, CXCursor declaration)
{
    if (clang.getCursorLinkage(declaration) == CXLinkage_External)
        return NULL;
    struct place place;
    unit_place(builder->unit, clang.getCursorLocation(declaration), &place, NULL);
    return arena_printf(builder->arena, "%s:%d:%d", place.file != NULL ? place.file : "", place.line, place.column);
}

/* The type of the elements, whatever the rank. */
static CXType
innermost(CXType type)
{
    type = clang.getCanonicalType(type);
    while (type_class(type) == TYPE_ARRAY)
        type = clang.getCanonicalType(clang.getArrayElementType(type));
    return type;
}

/* What a global variable holds from the start, if that may be addresses. */
static void
build_initial(struct builder *builder, CXCursor declaration, int index)
{
    enum node_type element = type_class(innermost(clang.getCursorType(declaration)));
    CXCursor initializer = clang.Cursor_getVarDeclInitializer(declaration);
    if ((element != TYPE_POINTER && element != TYPE_RECORD) || clang.Cursor_isNull(initializer))
        return;
    struct node *initial = build_expression(builder, initializer);
    builder->body->variables[index].initial = initial;
    builder->body->variables[index].is_constant = clang.isConstQualifiedType(innermost(clang.getCursorType(declaration))) != 0;
}

int
builder_variable(struct builder *builder, CXCursor declaration)
{
    CXCursor given = declaration;
    declaration = clang.getCanonicalCursor(declaration);
    int *slot = find_slot(builder, declaration);
    if (*slot >= 0)
        return *slot;
    struct body *body = builder->body;
    int index = body->n_variables, n_declarations = index;
    *ARENA_PUSH(builder->arena, builder->declarations, n_declarations) = declaration;
    struct variable *variable = ARENA_PUSH(builder->arena, body->variables, body->n_variables);
    enum CX_StorageClass storage = clang.Cursor_getStorageClass(declaration);
    bool is_automatic = storage == CX_SC_None || storage == CX_SC_Auto || storage == CX_SC_Register;
    CXCursor owner = clang.getCursorSemanticParent(declaration);
    *variable = (struct variable){
        .name = clang_take_string(builder->arena, clang.getCursorSpelling(declaration)),
        .type = type_class(clang.getCursorType(declaration)),
        .param = -1,
        .is_global = !is_automatic || clang.getCursorKind(owner) == CXCursor_TranslationUnit,
    };
    variable->width = integer_width(clang.getCursorType(declaration), &variable->is_signed);
    if (variable->is_global)
        variable->unit = unit_of(builder, declaration);
    *slot = index;
    if (2 * body->n_variables > builder->n_slots)
        make_slots(builder, 2 * builder->n_slots);
    if (body->variables[index].is_global && clang.getCursorKind(declaration) == CXCursor_VarDecl)
        build_initial(builder, given, index);
    return index;
}

/* --- statements --- */

struct node *
build_parts(struct builder *builder, enum node_kind kind, CXCursor cursor, struct cursors parts)
{
    struct node *node = node_make(builder, kind, cursor);
    for (int i = 0; i < parts.n; i++)
        node_add(node, build_statement(builder, parts.items[i]));
    return node;
}

/* The sizes of variable length arrays, which are evaluated where the type is. */
static void
add_sizes(struct builder *builder, struct node *block, CXCursor declaration, CXCursor initializer)
{
    struct cursors parts = children_of(builder, declaration);
    for (int i = 0; i < parts.n; i++)
        if (clang.isExpression(clang.getCursorKind(parts.items[i])) && !clang.equalCursors(parts.items[i], initializer))
            node_add(block, build_expression(builder, parts.items[i]));
}

static struct node *
build_variable_declaration(struct builder *builder, CXCursor cursor, CXCursor initializer)
{
    struct node *node = node_make(builder, NODE_DECLARE, cursor);
    node->variable = builder_variable(builder, cursor);
    if (!clang.Cursor_isNull(initializer)) {
        struct node *value = build_expression(builder, initializer);
        bool is_array = builder->body->variables[node->variable].type == TYPE_ARRAY;
        if (is_array && value->kind != NODE_LIST && value->kind != NODE_OPAQUE && value->kind != NODE_LITERAL)
            builder->body->broken = "it declares a pointer that clang calls an array"; /* __auto_type, typeof */
        node_add(node, value);
    }
    unit_place(builder->unit, clang.getCursorLocation(cursor), &node->place, NULL);
    return node;
}

static void
add_declaration(struct builder *builder, struct node *block, CXCursor cursor)
{
    CXCursor none = clang.getNullCursor();
    switch ((int)clang.getCursorKind(cursor)) {
    case CXCursor_VarDecl: {
        CXCursor initializer = clang.Cursor_getVarDeclInitializer(cursor);
        add_sizes(builder, block, cursor, initializer);
        struct node *declaration = build_variable_declaration(builder, cursor, initializer);
        node_add(block, declaration);
        if (has_attribute_of_effect(builder, cursor)) { /* cleanup: somebody has its address when the block is left */
            struct node *unknown = node_make(builder, NODE_UNKNOWN, cursor);
            struct node *address = node_make(builder, NODE_ADDRESS, cursor);
            struct node *variable = node_make(builder, NODE_VARIABLE, cursor);
            variable->variable = declaration->variable;
            variable->type = builder->body->variables[declaration->variable].type;
            address->type = TYPE_POINTER;
            node_add(address, variable);
            node_add(unknown, address);
            node_add(block, unknown);
        }
        break;
    }
    case CXCursor_TypedefDecl:
        add_sizes(builder, block, cursor, none);
        break;
    case CXCursor_StructDecl:
    case CXCursor_UnionDecl:
    case CXCursor_EnumDecl:
    case CXCursor_FunctionDecl:
    case CXCursor_StaticAssert:
        break;
    default:
        builder->body->broken = "there is a declaration in it that is not understood";
        break;
    }
}

static struct node *
build_declarations(struct builder *builder, CXCursor cursor)
{
    struct cursors parts = children_of(builder, cursor);
    struct node *block = node_make(builder, NODE_BLOCK, cursor);
    for (int i = 0; i < parts.n; i++)
        add_declaration(builder, block, parts.items[i]);
    return block;
}

/* Of `case 1 ... 3: statement` only the statement. */
static struct node *
build_case(struct builder *builder, CXCursor cursor, struct cursors parts)
{
    struct node *node = node_make(builder, NODE_CASE, cursor);
    if (parts.n > 0)
        node_add(node, build_statement(builder, parts.items[parts.n - 1]));
    return node;
}

/* Statements whose kind decides everything. */
static const struct {
    enum CXCursorKind kind;
    enum node_kind node;
} statements[] = {
    {CXCursor_CompoundStmt, NODE_BLOCK}, {CXCursor_IfStmt, NODE_IF},         {CXCursor_DoStmt, NODE_DO},
    {CXCursor_SwitchStmt, NODE_SWITCH},  {CXCursor_LabelStmt, NODE_LABEL},   {CXCursor_GotoStmt, NODE_GOTO},
    {CXCursor_IndirectGotoStmt, NODE_GOTO}, {CXCursor_BreakStmt, NODE_BREAK}, {CXCursor_ContinueStmt, NODE_CONTINUE},
    {CXCursor_ReturnStmt, NODE_RETURN},  {CXCursor_NullStmt, NODE_BLOCK},    {CXCursor_GCCAsmStmt, NODE_ASSEMBLER},
    {CXCursor_MSAsmStmt, NODE_ASSEMBLER},
};

static struct node *
build_any_statement(struct builder *builder, CXCursor cursor)
{
    enum CXCursorKind kind = clang.getCursorKind(cursor);
    if (clang.isExpression(kind))
        return build_expression(builder, cursor);
    if (kind == CXCursor_DeclStmt)
        return build_declarations(builder, cursor);
    if (kind == CXCursor_LabelRef)
        return node_make(builder, NODE_OPAQUE, cursor);
    struct cursors parts = children_of(builder, cursor);
    if (kind == CXCursor_ForStmt && parts.n == 4)
        return build_parts(builder, NODE_FOR, cursor, parts);
    if (kind == CXCursor_WhileStmt && parts.n == 2)
        return build_parts(builder, NODE_WHILE, cursor, parts);
    if (kind == CXCursor_CaseStmt || kind == CXCursor_DefaultStmt)
        return build_case(builder, cursor, parts);
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++)
        if (statements[i].kind == kind)
            return build_parts(builder, statements[i].node, cursor, parts);
    /* While with a declaration; a `for` with parts left out, of which libclang does not tell which; attributes. Others hide what
     * is in them. All are loops that may be left and entered anywhere between their parts. */
    bool is_known = kind == CXCursor_WhileStmt || kind == CXCursor_ForStmt || (kind == CXCursor_UnexposedStmt && parts.n > 0);
    if (!is_known)
        builder->body->broken = "there is a statement in it that is not understood";
    return build_parts(builder, NODE_LOOP, cursor, parts);
}

struct node *
build_statement(struct builder *builder, CXCursor cursor)
{
    if (builder->depth == HIGHEST_TREE) {
        builder->body->broken = "it is nested too deeply to follow";
        return node_make(builder, NODE_UNKNOWN, cursor);
    }
    builder->depth++;
    struct node *node = build_any_statement(builder, cursor);
    builder->depth--;
    return node;
}

/* --- functions --- */

/* The extents of an array parameter, outermost first. */
static struct node *
build_extents(struct builder *builder, CXCursor param)
{
    struct cursors parts = children_of(builder, param);
    struct node *list = node_make(builder, NODE_LIST, param);
    int next = parts.n; /* they come innermost first */
    for (CXType type = clang.getCanonicalType(clang.getCursorType(param)); type.kind != CXType_Invalid;
         type = clang.getCanonicalType(clang.getArrayElementType(type))) {
        struct node *extent;
        if (type.kind == CXType_ConstantArray) {
            extent = node_make(builder, NODE_NUMBER, param);
            extent->value = clang.getArraySize(type);
        } else if (type.kind != CXType_VariableArray) {
            break;
        } else {
            extent = node_make(builder, NODE_UNKNOWN, param);
        }
        node_add(list, extent);
    }
    for (struct node *extent = list->child, *previous = NULL; extent != NULL; previous = extent, extent = extent->next) {
        while (next > 0 && !clang.isExpression(clang.getCursorKind(parts.items[next - 1])))
            next--;
        if (next == 0)
            break;
        next--;
        if (extent->kind != NODE_UNKNOWN)
            continue;
        struct node *built = build_expression(builder, parts.items[next]);
        built->next = extent->next;
        *(previous != NULL ? &previous->next : &list->child) = built;
        extent = built;
    }
    return list;
}

/* Whether a pointer or an array of any rank leads to numbers, not to addresses. */
static bool
leads_to_numbers(CXType type)
{
    CXType element = clang.getCanonicalType(type);
    for (bool is_first = true; is_first || type_class(element) == TYPE_ARRAY; is_first = false) {
        bool is_array = type_class(element) == TYPE_ARRAY;
        element = clang.getCanonicalType(is_array ? clang.getArrayElementType(element) : clang.getPointeeType(element));
    }
    enum node_type class = type_class(element);
    return class == TYPE_INTEGER || class == TYPE_FLOATING;
}

static void
add_param(struct builder *builder, CXCursor param, int position)
{
    int index = builder_variable(builder, param);
    struct variable *variable = &builder->body->variables[index];
    variable->param = position;
    variable->is_global = false;
    struct model_type *declared = arena_take(builder->arena, 1, sizeof *declared);
    type_describe(builder->unit, clang.getCursorType(param), false, declared);
    if (declared->n_dims > 0)
        extents_fill(builder->unit, param, declared);
    variable->declared = declared;
    bool is_pointer = variable->type == TYPE_POINTER || variable->type == TYPE_ARRAY;
    variable->is_flat = is_pointer && leads_to_numbers(clang.getCursorType(param));
    if (variable->type == TYPE_ARRAY) {
        struct node *extents = build_extents(builder, param);
        variable = &builder->body->variables[index];
        variable->extents = extents;
        variable->type = TYPE_POINTER; /* what the parameter is */
    }
}

/* The body behind the sizes in the types of parameters that are pointers to arrays; those of arrays are their extents. */
static struct node *
with_sizes(struct builder *builder, CXCursor function, struct node *body)
{
    struct node *block = node_make(builder, NODE_BLOCK, function);
    for (int i = 0; i < builder->body->n_params; i++)
        if (builder->body->variables[i].extents == NULL)
            add_sizes(builder, block, clang.Cursor_getArgument(function, (unsigned)i), clang.getNullCursor());
    if (block->child == NULL)
        return body;
    node_add(block, body);
    return block;
}

void
body_add(struct program *program, struct unit *unit, CXCursor function)
{
    struct arena *arena = program->arena;
    struct body *body = ARENA_PUSH(arena, program->bodies, program->n_bodies);
    body->name = clang_take_string(arena, clang.getCursorSpelling(function));
    body->unit = clang.getCursorLinkage(function) == CXLinkage_External ? NULL : unit->path;
    struct place end;
    unit_place(unit, clang.getCursorLocation(function), &body->place, NULL);
    unit_place(unit, clang.getRangeEnd(clang.getCursorExtent(function)), &end, NULL);
    body->last_line = end.line;
    struct builder builder = {.unit = unit, .arena = arena, .body = body};
    make_slots(&builder, FIRST_SLOTS);
    int n = clang.Cursor_getNumArguments(function);
    body->n_params = n > 0 ? n : 0;
    for (int i = 0; i < body->n_params; i++)
        add_param(&builder, clang.Cursor_getArgument(function, i), i);
    struct cursors parts = children_of(&builder, function);
    for (int i = 0; i < parts.n; i++)
        if (clang.getCursorKind(parts.items[i]) == CXCursor_CompoundStmt)
            body->root = with_sizes(&builder, function, build_statement(&builder, parts.items[i]));
    if (body->root == NULL)
        body->broken = "it has no body that clang could read";
    else if (body->root->height > HIGHEST_TREE)
        body->broken = "it is nested too deeply to follow";
    body->is_replaceable = body->unit == NULL && has_attribute_of_effect(&builder, function);
}
