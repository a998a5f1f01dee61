/* json.c - values with places. json_scan.c judges the text and finds the places; cJSON then makes the tree of it and decodes its
 * strings; here the two are joined, in the order of the text, with the integers that a double cannot hold. */
#include "json.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "json_scan_internal.h"

struct place
json_place(const struct json_document *document, size_t offset)
{
    struct place place = {document->file, 1, 1};
    for (size_t i = 0; i < offset && i < document->length; i++) {
        unsigned char c = (unsigned char)document->text[i];
        if (c == '\n') {
            place.line++;
            place.column = 1;
        } else if ((c & 0xC0) != 0x80) { /* not the continuation of a character */
            place.column++;
        }
    }
    return place;
}

struct place
json_place_in(const struct json_value *string, size_t offset)
{
    struct place place = string->place;
    if (string->kind != JSON_STRING || string->end - string->start != strlen(string->string) + 2)
        return place;
    place.column++; /* the quote */
    for (size_t i = 0; i < offset && string->string[i] != '\0'; i++)
        if (((unsigned char)string->string[i] & 0xC0) != 0x80)
            place.column++;
    return place;
}

const char *
json_kind_name(const struct json_value *value)
{
    static const char *const names[] = {[JSON_NULL] = "null",      [JSON_BOOL] = "true or false", [JSON_NUMBER] = "a number",
                                        [JSON_STRING] = "a string", [JSON_ARRAY] = "an array",     [JSON_OBJECT] = "an object"};
    return value->kind == JSON_BOOL ? value->boolean ? "true" : "false" : names[value->kind];
}

const char *
json_excerpt(struct arena *arena, const struct json_value *value)
{
    enum { LONGEST = 40 };
    char text[LONGEST + 1];
    size_t length = 0, at = value->start;
    for (; at < value->end && length < LONGEST; at++) {
        bool blank = strchr(" \t\r\n", value->text[at]) != NULL;
        if (!blank)
            text[length++] = value->text[at];
        else if (length > 0 && text[length - 1] != ' ')
            text[length++] = ' ';
    }
    while (at < value->end && length > 0 && ((unsigned char)value->text[at] & 0xC0) == 0x80) { /* no half characters */
        at--;
        length--;
    }
    return arena_printf(arena, "%.*s%s", (int)length, text, at < value->end ? "..." : "");
}

const struct json_value *
json_member(const struct json_value *object, const char *key)
{
    if (object == NULL || object->kind != JSON_OBJECT)
        return NULL;
    for (const struct json_value *member = object->child; member != NULL; member = member->next)
        if (strcmp(member->key, key) == 0)
            return member;
    return NULL;
}

/* --- cJSON's tree becomes ours --- */

struct builder {
    struct json_document *document;
    struct arena *arena;
    const struct json_span *span; /* the next one: both trees are in the order of the text */
    size_t offset;                /* where `place` is; places are asked for in order, so the text is walked once */
    struct place place;
};

static struct place
place_at(struct builder *builder, size_t offset)
{
    const char *text = builder->document->text;
    for (; builder->offset < offset; builder->offset++) {
        unsigned char c = (unsigned char)text[builder->offset];
        if (c == '\n') {
            builder->place.line++;
            builder->place.column = 1;
        } else if ((c & 0xC0) != 0x80) {
            builder->place.column++;
        }
    }
    return builder->place;
}

static void
read_number(struct json_value *value, const char *text)
{
    char *end;
    value->number = strtod(text, NULL);
    errno = 0;
    value->integer = strtoll(text, &end, 10);
    value->is_integer = errno == 0;
    if (errno == ERANGE && *text != '-') {
        errno = 0;
        value->integer = (int64_t)strtoull(text, &end, 10);
        value->is_integer = value->is_unsigned = errno == 0;
    }
    if (*end == '.' || *end == 'e' || *end == 'E')
        value->is_integer = value->is_unsigned = false;
}

static struct json_value *
build(struct builder *builder, const cJSON *item, struct json_value *parent)
{
    const struct json_span *span = builder->span++;
    struct json_value *value = arena_take(builder->arena, 1, sizeof *value);
    value->parent = parent;
    value->text = builder->document->text;
    value->key_start = span->key_start;
    value->start = span->start;
    value->end = span->end;
    value->key_place = place_at(builder, span->key_start);
    value->place = place_at(builder, span->start);
    if (item->string != NULL)
        value->key = arena_copy(builder->arena, item->string);
    if (cJSON_IsBool(item)) {
        value->kind = JSON_BOOL;
        value->boolean = cJSON_IsTrue(item);
    } else if (cJSON_IsNumber(item)) {
        value->kind = JSON_NUMBER;
        read_number(value, builder->document->text + span->start);
    } else if (cJSON_IsString(item)) {
        value->kind = JSON_STRING;
        value->string = arena_copy(builder->arena, item->valuestring);
    } else if (cJSON_IsArray(item) || cJSON_IsObject(item)) {
        value->kind = cJSON_IsArray(item) ? JSON_ARRAY : JSON_OBJECT;
        struct json_value **last = &value->child;
        for (const cJSON *child = item->child; child != NULL; child = child->next) {
            *last = build(builder, child, value);
            last = &(*last)->next;
            value->n_children++;
        }
    }
    return value;
}

/* --- duplicate keys: only decoded keys can be compared ("a" is "\u0061") --- */

static int
compare_members(const void *a, const void *b)
{
    const struct json_value *left = *(const struct json_value *const *)a, *right = *(const struct json_value *const *)b;
    int order = strcmp(left->key, right->key);
    return order != 0 ? order : (left->start > right->start) - (left->start < right->start);
}

static void
check_duplicates(struct builder *builder, struct diag *diag, const struct json_value *value)
{
    if (value->kind == JSON_OBJECT && value->n_children > 1) {
        int n = 0;
        const struct json_value **members = arena_take(builder->arena, (size_t)value->n_children, sizeof *members);
        for (const struct json_value *member = value->child; member != NULL; member = member->next)
            members[n++] = member;
        qsort(members, (size_t)n, sizeof *members, compare_members);
        for (int i = 1; i < n; i++)
            if (strcmp(members[i - 1]->key, members[i]->key) == 0)
                refuse(diag, "json-duplicate-key", members[i]->key_place, "duplicate key \"%s\", already given in line %d",
                       members[i]->key, members[i - 1]->key_place.line);
    }
    for (const struct json_value *child = value->child; child != NULL; child = child->next)
        check_duplicates(builder, diag, child);
}

int
json_parse(struct json_document *document, struct arena *arena, struct diag *diag, const char *file, const char *text,
           size_t length)
{
    *document = (struct json_document){.file = file, .text = text, .length = length};
    struct json_spans spans = {0};
    if (!json_scan(document, arena, diag, &spans))
        return EXIT_INPUT;
    cJSON *tree = cJSON_ParseWithLength(text, length);
    if (tree == NULL) /* the text was checked: only memory can be missing */
        return environment_error("out of memory");
    struct builder builder = {document, arena, spans.items, 0, {file, 1, 1}};
    document->root = build(&builder, tree, NULL);
    cJSON_Delete(tree);
    int errors = diag->n_errors;
    check_duplicates(&builder, diag, document->root);
    return diag->n_errors > errors ? EXIT_INPUT : EXIT_DONE;
}

int
json_read(struct json_document *document, struct arena *arena, struct diag *diag, const char *file)
{
    struct text text = {0};
    if (file_read(file, &text) < 0) {
        refuse(diag, "cannot-read", ((struct place){.file = file}), "cannot be read: %s", strerror(errno));
        text_release(&text);
        return EXIT_INPUT;
    }
    char *copy = arena_copy_n(arena, text.data == NULL ? "" : text.data, text.length);
    size_t length = text.length;
    text_release(&text);
    return json_parse(document, arena, diag, file, copy, length);
}
