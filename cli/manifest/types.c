/* types.c - the types of a manifest's values. */
#include "types_internal.h"

#include <string.h>

bool
is_identifier(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return name[0] != '\0' && !(name[0] >= '0' && name[0] <= '9') && name[strspn(name, letters)] == '\0';
}

bool
is_python_keyword(const char *name)
{
    static const char *const keywords[] = {
        "False", "None",   "True",  "and",    "as",   "assert", "async",  "await", "break",    "class",  "continue", "def",
        "del",   "elif",   "else",  "except", "finally", "for", "from",   "global", "if",      "import", "in",       "is",
        "lambda", "nonlocal", "not", "or",    "pass", "raise",  "return", "try",   "while",    "with",   "yield",
    };
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keywords[i], name) == 0)
            return true;
    return false;
}

bool
is_dotted_name(const char *name)
{
    char part[256];
    for (;;) {
        size_t length = strcspn(name, ".");
        if (length >= sizeof part)
            return false;
        memcpy(part, name, length);
        part[length] = '\0';
        if (!is_identifier(part))
            return false;
        if (name[length] == '\0')
            return true;
        name += length + 1;
    }
}

bool
is_printable(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            return false;
    return text[0] != '\0';
}

bool
json_small_integer(const struct json_value *value, int limit, int *number)
{
    if (value->kind != JSON_NUMBER || !(value->number >= -limit && value->number <= limit))
        return false;
    *number = (int)value->number;
    return (double)*number == value->number;
}

/* --- objects --- */

void
read_typed(struct reader *reader, const struct json_value *value, const char *what, const struct manifest_type *type,
           void *member)
{
    if (!type->read(reader, value, member))
        refuse(reader->diag, "wrong-value", value->place, "\"%s\" is %s, expected %s", what,
               json_excerpt(reader->arena, value), type->expected);
}

static void
unknown_key(struct reader *reader, const struct json_value *member, const struct manifest_row *rows, int n_rows)
{
    const char **keys = arena_take(reader->arena, (size_t)n_rows, sizeof *keys);
    for (int i = 0; i < n_rows; i++)
        keys[i] = rows[i].key;
    const char *nearest = diag_nearest(member->key, keys, n_rows);
    struct text text = {0};
    for (int i = 0; i < n_rows && nearest == NULL; i++)
        text_printf(&text, "%s%s", i ? ", " : "; valid are ", keys[i]);
    if (nearest != NULL)
        text_printf(&text, "; did you mean \"%s\"?", nearest);
    refuse(reader->diag, "unknown-key", member->key_place, "unknown key \"%s\"%s", member->key, text.data ? text.data : "");
    text_release(&text);
}

const struct json_value *
after_comments(struct reader *reader, const struct json_value *member)
{
    for (; member != NULL && strcmp(member->key, "$comment") == 0; member = member->next)
        read_typed(reader, member, member->key, &type_comment, NULL);
    return member;
}

void
read_object(struct reader *reader, const struct json_value *object, const struct manifest_row *rows, int n_rows,
            void *target, const struct json_value **given)
{
    bool *seen = arena_take(reader->arena, (size_t)n_rows, sizeof *seen);
    for (const struct json_value *member = after_comments(reader, object->child); member != NULL;
         member = after_comments(reader, member->next)) {
        int row = 0;
        while (row < n_rows && strcmp(rows[row].key, member->key) != 0)
            row++;
        if (row == n_rows) {
            unknown_key(reader, member, rows, n_rows);
            continue;
        }
        seen[row] = true;
        if (given != NULL && !(member->kind == JSON_BOOL && !member->boolean && rows[row].type == &type_bool))
            given[row] = member;
        read_typed(reader, member, member->key, rows[row].type, (char *)target + rows[row].offset);
    }
    for (int i = 0; i < n_rows; i++)
        if (rows[i].required && !seen[i])
            refuse(reader->diag, "missing-key", object->place, "the key \"%s\" is missing", rows[i].key);
}

/* --- plain values --- */

static bool
read_bool(struct reader *reader, const struct json_value *value, void *member)
{
    (void)reader;
    *(bool *)member = value->boolean;
    return value->kind == JSON_BOOL;
}

static bool
read_comment(struct reader *reader, const struct json_value *value, void *member)
{
    (void)reader;
    (void)member;
    return value->kind == JSON_STRING;
}

static bool
read_text(struct reader *reader, const struct json_value *value, void *member)
{
    (void)reader;
    *(struct manifest_text *)member = (struct manifest_text){value->string, value->place};
    return value->kind == JSON_STRING;
}

static bool
read_reason(struct reader *reader, const struct json_value *value, void *member)
{
    (void)reader;
    *(const char **)member = value->string;
    return value->kind == JSON_STRING && value->string[0] != '\0';
}

const struct manifest_type type_bool = {"true or false", read_bool};
const struct manifest_type type_comment = {"a string", read_comment};
const struct manifest_type type_text = {"a string", read_text};
const struct manifest_type type_reason = {"the reason, a string that is not empty", read_reason};

/* --- names --- */

static bool
read_python_name(struct reader *reader, const struct json_value *value, void *member)
{
    if (value->kind != JSON_STRING || !is_identifier(value->string))
        return false;
    if (is_python_keyword(value->string))
        refuse(reader->diag, "python-keyword", value->place, "'%s' is a reserved word of Python", value->string);
    *(struct manifest_text *)member = (struct manifest_text){value->string, value->place};
    return true;
}

static bool
read_parameter_name(struct reader *reader, const struct json_value *value, void *member)
{
    struct manifest_text name;
    if (!read_python_name(reader, value, &name))
        return false;
    *(const char **)member = name.text;
    return true;
}

static bool
read_module_path(struct reader *reader, const struct json_value *value, void *member)
{
    (void)reader;
    *(struct manifest_text *)member = (struct manifest_text){value->string, value->place};
    return value->kind == JSON_STRING && is_dotted_name(value->string);
}

#define A_NAME "a name of ASCII letters, digits and underscores that does not begin with a digit"
const struct manifest_type type_python_name = {A_NAME, read_python_name};
const struct manifest_type type_parameter_name = {A_NAME, read_parameter_name};
const struct manifest_type type_module_path = {"the name of a module, such as \"package.module\"", read_module_path};

/* --- lists --- */

static bool
read_items(const struct json_value *value, struct reader *reader, struct manifest_list *list,
           bool (*is_good)(const char *))
{
    if (value->kind != JSON_ARRAY)
        return false;
    for (const struct json_value *item = value->child; item != NULL; item = item->next) {
        if (item->kind != JSON_STRING || !is_good(item->string))
            return false;
        *ARENA_PUSH(reader->arena, list->items, list->n) = (struct manifest_text){item->string, item->place};
    }
    return true;
}

static bool
read_list(struct reader *reader, const struct json_value *value, void *member)
{
    return read_items(value, reader, member, is_printable);
}

static bool
read_some(struct reader *reader, const struct json_value *value, void *member)
{
    return read_items(value, reader, member, is_printable) && value->n_children > 0;
}

static bool
is_header(const char *text)
{
    return is_printable(text) && strpbrk(text, "\"<>\\") == NULL;
}

static bool
read_headers(struct reader *reader, const struct json_value *value, void *member)
{
    return read_items(value, reader, member, is_header) && value->n_children > 0;
}

static bool
is_package(const char *text)
{
    return is_printable(text) && text[0] != '-';
}

static bool
read_packages(struct reader *reader, const struct json_value *value, void *member)
{
    return read_items(value, reader, member, is_package);
}

static bool
read_module_paths(struct reader *reader, const struct json_value *value, void *member)
{
    return read_items(value, reader, member, is_dotted_name);
}

static bool
read_defines(struct reader *reader, const struct json_value *value, void *member)
{
    struct manifest_defines *defines = member;
    if (value->kind != JSON_OBJECT)
        return false;
    for (const struct json_value *item = after_comments(reader, value->child); item != NULL;
         item = after_comments(reader, item->next)) {
        if (!is_identifier(item->key) || item->kind != JSON_STRING
            || !(item->string[0] == '\0' || is_printable(item->string)))
            return false;
        *ARENA_PUSH(reader->arena, defines->items, defines->n) =
            (struct manifest_define){item->key, item->string, item->key_place};
    }
    return true;
}

#define A_LIST "a list of strings of printable characters, none of them empty"
const struct manifest_type type_list = {A_LIST, read_list};
const struct manifest_type type_some = {A_LIST " and one at least", read_some};
const struct manifest_type type_headers = {
    "a list of one or more headers: strings of printable characters without \" < > and backslashes", read_headers};
const struct manifest_type type_packages = {"a list of names that pkg-config knows", read_packages};
const struct manifest_type type_module_paths = {"a list of names of modules, such as \"package.module\"", read_module_paths};
const struct manifest_type type_attributes = {
    "a list of classes and attributes of classes, such as \"Grid\" and \"Grid.nodes\"", read_module_paths};
const struct manifest_type type_defines = {"an object of macro names, each with its value as a string", read_defines};
