// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/program/op_read.h"

#include "sim/config/expression.h"
#include "sim/config/reader.h"
#include "sim/program/op_shape.h"

#include <string.h>

// ---- Values ----

bool op_complain(struct op_reader *reader, const struct node *node, const char *path,
                 const char *hint, const char *error)
{
    diag_add(reader->diags, node->mark, path, hint, "\"%.60s\": %s", node->text, error);
    return false;
}

// Whether a text is a number with at most a unit behind it, and not a calculation.
static bool is_number(const char *text)
{
    text += *text == '-' || *text == '+';
    size_t digits = strspn(text, "0123456789.");
    const char *unit = text + digits + strspn(text + digits, " ");
    return digits > 0 && unit[strcspn(unit, "+-*%^()<>=!&|?:, ")] == '\0';
}

static bool check_bounds(struct op_reader *reader, const struct op_key *key, int64_t value,
                         const struct node *node, const char *path)
{
    bool rank = key->field == offsetof(struct op, peer) ||
                key->field == offsetof(struct op, source) ||
                key->field == offsetof(struct op, root);
    if (value < 0)
        return op_complain(reader, node, path, NULL, "the value is negative");
    if (value > quantity_most_value(key->quantity)) {
        char *hint = g_strdup_printf("at most %s", quantity_most(key->quantity));
        op_complain(reader, node, path, hint, "the value is too large");
        g_free(hint);
        return false;
    }
    if (!rank || value < reader->ranks)
        return true;
    char *hint = g_strdup_printf("ranks are 0 .. %d", reader->ranks - 1);
    op_complain(reader, node, path, hint, "there is no such rank");
    g_free(hint);
    return false;
}

// A plain number: its unit is checked, and its value is kept as text in the base unit.
static void read_number(struct op_reader *reader, const struct op_key *key, struct op_value *value,
                        const struct node *node, const char *path)
{
    struct quantity quantity;
    char *error, *hint;
    if (!quantity_parse(node->text, key->quantity, &quantity, &error, &hint))
        op_complain(reader, node, path, hint, error);
    else if (check_bounds(reader, key, quantity.integer, node, path))
        value->text = op_value_of(quantity.integer).text;
    g_free(error);
    g_free(hint);
}

static struct expression *compile(struct op_reader *reader, const char *text, int count,
                                  char **error)
{
    double values[NODE_MAX_DEPTH + 2]; // rank, ranks, and at most a counter a level
    struct expression_variables variables = {count, (const char *const *)reader->variables->pdata,
                                             values};
    for (int i = 0; i < count; i++)
        values[i] = 1;
    return expression_new(text, &variables, error);
}

// A calculation: it must compile, and if it has no variables its value is known now.
static void read_calculation(struct op_reader *reader, const struct op_key *key,
                             struct op_value *value, const struct node *node, const char *path)
{
    char *error;
    struct expression *expression = compile(reader, node->text, 0, &error);
    bool good = true;
    if (expression) {
        int64_t constant = expression_value(expression, &error);
        good = error ? op_complain(reader, node, path, NULL, error)
                     : check_bounds(reader, key, constant, node, path);
    } else {
        g_free(error);
        expression = compile(reader, node->text, (int)reader->variables->len, &error);
        good = expression || op_complain(reader, node, path, NULL, error);
    }
    if (good)
        value->text = g_strdup(node->text);
    g_free(error);
    expression_free(expression);
}

void op_read_value(struct op_reader *reader, const struct op_key *key, struct op_value *value,
                   const struct node *node, const char *path)
{
    value->mark = node->mark;
    const char *text = reader_text(node, path, "a value or an expression", reader->diags);
    if (!text)
        return;
    if (key->any && strcmp(text, key->any) == 0)
        value->text = g_strdup(OP_ANY);
    else if (is_number(text))
        read_number(reader, key, value, node, path);
    else
        read_calculation(reader, key, value, node, path);
}

// ---- Requests ----

struct awaited {
    const struct node *node;
    char *path;
};

static void awaited_free(void *data)
{
    struct awaited *awaited = data;
    g_free(awaited->path);
    g_free(awaited);
}

static void read_request(struct op_reader *reader, struct op *op, const struct node *node,
                         const char *path)
{
    if (!reader_name(node, path, reader->diags))
        return;
    op->name = g_strdup(node->text);
    g_hash_table_add(reader->requests, node->text);
}

static char *await(struct op_reader *reader, const struct node *node, const char *path)
{
    const char *text = reader_text(node, path, "the name of a request", reader->diags);
    if (!text)
        return NULL;
    struct awaited *awaited = g_new(struct awaited, 1);
    *awaited = (struct awaited){node, g_strdup(path)};
    g_ptr_array_add(reader->waits, awaited);
    return g_strdup(text);
}

static void read_awaited(struct op_reader *reader, struct op *op, const struct node *node,
                         const char *path)
{
    op->name = await(reader, node, path);
}

static void read_awaited_all(struct op_reader *reader, struct op *op, const struct node *node,
                             const char *path)
{
    if (node->kind == NODE_SCALAR && g_strcmp0(node->text, "all") == 0)
        return;
    if (!reader_is(node, NODE_LIST, path, "\"all\" or a list of requests", reader->diags))
        return;
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < node->children->len; i++) {
        char *item_path = reader_path_item(path, i);
        char *name = await(reader, g_ptr_array_index(node->children, i), item_path);
        if (name)
            g_ptr_array_add(names, name);
        g_free(item_path);
    }
    g_ptr_array_add(names, NULL);
    op->names = (char **)g_ptr_array_free(names, FALSE);
}

void op_reader_finish(struct op_reader *reader)
{
    char **started = (char **)g_hash_table_get_keys_as_array(reader->requests, NULL);
    for (guint i = 0; i < reader->waits->len; i++) {
        const struct awaited *awaited = g_ptr_array_index(reader->waits, i);
        if (g_hash_table_contains(reader->requests, awaited->node->text))
            continue;
        char *hint = diag_full(reader->diags)
                         ? NULL
                         : reader_hint(awaited->node->text, (const char *const *)started);
        diag_add(reader->diags, awaited->node->mark, awaited->path, hint,
                 "no operation of these ranks starts a request \"%.40s\"", awaited->node->text);
        g_free(hint);
    }
    g_free(started);
    g_hash_table_remove_all(reader->requests);
    g_ptr_array_set_size(reader->waits, 0);
}

struct op_reader *op_reader_new(int ranks, const struct op_library *library,
                                struct diag_list *diags)
{
    struct op_reader *reader = g_new0(struct op_reader, 1);
    reader->ranks = ranks;
    reader->library = library;
    reader->diags = diags;
    reader->variables = g_ptr_array_new();
    g_ptr_array_add(reader->variables, (char *)"rank");
    g_ptr_array_add(reader->variables, (char *)"ranks");
    reader->requests = g_hash_table_new(g_str_hash, g_str_equal);
    reader->waits = g_ptr_array_new_with_free_func(awaited_free);
    return reader;
}

void op_reader_free(struct op_reader *reader)
{
    g_ptr_array_free(reader->variables, TRUE);
    g_hash_table_destroy(reader->requests);
    g_ptr_array_free(reader->waits, TRUE);
    g_free(reader);
}

// ---- Operations ----

static void read_counter(struct op_reader *reader, struct op *op, const struct node *node,
                         const char *path)
{
    if (!reader_name(node, path, reader->diags))
        return;
    // It must work as a variable beside those that are there already.
    guint count = reader->variables->len;
    bool taken = g_ptr_array_find_with_equal_func(reader->variables, node->text, g_str_equal, NULL);
    g_ptr_array_add(reader->variables, node->text);
    char *error = NULL;
    struct expression *expression = compile(reader, node->text, (int)count + 1, &error);
    g_ptr_array_set_size(reader->variables, (int)count);
    if (taken || !expression)
        op_complain(reader, node, path, "take a name such as i",
                    taken ? "the name is already taken" : "cannot be the name of a counter");
    else
        op->name = g_strdup(node->text);
    g_free(error);
    expression_free(expression);
}

static void read_body(struct op_reader *reader, struct op *op, const struct node *node,
                      const char *path)
{
    if (op->name)
        g_ptr_array_add(reader->variables, op->name);
    op_read_list(reader, node, path, op->body);
    if (op->name)
        g_ptr_array_set_size(reader->variables, (int)reader->variables->len - 1);
}

static void read_flag(struct op_reader *reader, bool *flag, const struct node *node,
                      const char *path)
{
    const char *text = reader_text(node, path, "true or false", reader->diags);
    if (!text)
        return;
    *flag = strcmp(text, "true") == 0;
    if (!*flag && strcmp(text, "false") != 0)
        op_complain(reader, node, path, NULL, "true or false is expected here");
}

static void read_function(struct op_reader *reader, struct op *op, const struct node *node,
                          const char *path)
{
    if (reader_name(node, path, reader->diags))
        op->function = g_strdup(node->text);
}

static void read_by_form(struct op_reader *reader, struct op *op, const struct op_key *key,
                         const struct node *node, const char *path)
{
    void *field = (char *)op + key->field;
    switch (key->form) {
    case OP_KEY_VALUE:
        op_read_value(reader, key, field, node, path);
        break;
    case OP_KEY_REQUEST:
        read_request(reader, op, node, path);
        break;
    case OP_KEY_AWAITED:
        read_awaited(reader, op, node, path);
        break;
    case OP_KEY_AWAITED_ALL:
        read_awaited_all(reader, op, node, path);
        break;
    case OP_KEY_COUNTER:
        read_counter(reader, op, node, path);
        break;
    case OP_KEY_BODY:
        read_body(reader, op, node, path);
        break;
    case OP_KEY_FLAG:
        read_flag(reader, field, node, path);
        break;
    case OP_KEY_FUNCTION:
        read_function(reader, op, node, path);
        break;
    case OP_KEY_STRIDED:
        op_read_strided(reader, op, node, path);
        break;
    case OP_KEY_SEGMENTS:
        op_read_segments(reader, op, node, path);
        break;
    }
}

static void read_key(struct op_reader *reader, struct op *op, const struct op_key *key,
                     const struct node *node, const char *path)
{
    char *key_path = reader_path(path, key->name);
    read_by_form(reader, op, key, node, key_path);
    g_free(key_path);
}

// Of the keys that say which data, one must be there and no other.
static void check_data(struct op_reader *reader, const struct node *map, const char *path)
{
    int given = 0;
    for (unsigned i = 0; i < OP_KEYS; i++)
        given += (OP_DATA_KEYS & OP_KEY_BIT(i)) && node_get(map, op_keys[i].name);
    if (given != 1)
        diag_add(reader->diags, map->mark, path, NULL,
                 given ? "size, strided and segments exclude each other"
                       : "one of the keys size, strided and segments is missing");
}

// Reads the keys of an operation in the order of op_keys.
static void read_keys(struct op_reader *reader, struct op *op, const struct op_shape *shape,
                      const struct node *map, const char *path)
{
    const char *known[OP_KEYS + 1];
    int count = 0;
    for (unsigned i = 0; i < OP_KEYS; i++)
        if ((shape->must | shape->may) & OP_KEY_BIT(i))
            known[count++] = op_keys[i].name;
    known[count] = NULL;
    reader_keys(map, path, known, reader->diags);
    if (shape->data)
        check_data(reader, map, path);
    for (unsigned i = 0; i < OP_KEYS; i++) {
        const struct node *node = node_get(map, op_keys[i].name);
        if (((shape->must | shape->may) & OP_KEY_BIT(i)) && node)
            read_key(reader, op, &op_keys[i], node, path);
        else if (shape->must & OP_KEY_BIT(i))
            diag_add(reader->diags, map->mark, path, NULL, "the key %s is missing",
                     op_keys[i].name);
    }
}

static void read_arguments(struct op_reader *reader, struct op *op, const struct node *node,
                           const char *path)
{
    const struct op_shape *shape = &op_shapes[op->kind];
    if (node && node->kind == NODE_MAP) {
        read_keys(reader, op, shape, node, path);
    } else if (!shape->plain) {
        diag_add(reader->diags, node ? node->mark : op->mark, path, NULL,
                 "a map of arguments is expected here, not %s", reader_noun(node));
    } else if (!op_plain_key(shape)) {
        if (node && !node_is_null(node))
            diag_add(reader->diags, node->mark, path, NULL, "%s has no arguments", shape->name);
    } else if (node) {
        read_by_form(reader, op, op_plain_key(shape), node, path);
    } else {
        diag_add(reader->diags, op->mark, path, NULL, "%s needs a value", shape->name);
    }
}

static bool find_kind(struct op_reader *reader, const char *name, struct source_mark mark,
                      const char *path, enum op_kind *kind)
{
    GPtrArray *names = g_ptr_array_new();
    bool found = false;
    for (size_t i = 0; !found && i < op_shape_count; i++) {
        if (op_shapes[i].internal)
            continue;
        *kind = (enum op_kind)i;
        found = strcmp(op_shapes[i].name, name) == 0;
        g_ptr_array_add(names, (char *)op_shapes[i].name);
    }
    g_ptr_array_add(names, NULL);
    char *hint = found || diag_full(reader->diags)
                     ? NULL
                     : reader_hint(name, (const char *const *)names->pdata);
    if (!found)
        diag_add(reader->diags, mark, path, hint, "unknown operation \"%.40s\"", name);
    g_ptr_array_free(names, TRUE);
    g_free(hint);
    return found;
}

// Whether the library that the program is for has the operation.
static void check_library(struct op_reader *reader, enum op_kind kind, struct source_mark mark,
                          const char *path)
{
    const struct op_library *library = reader->library;
    if (!library || op_library_has(library, kind))
        return;
    char *list = library->operations ? g_strjoinv(", ", (char **)library->operations) : NULL;
    char *hint = list ? g_strdup_printf("it has %s", list) : NULL;
    diag_add(reader->diags, mark, path,
             hint ? hint : "it has what every MPI library has: sends, receives, collectives",
             "the stack %s has no %s", library->name, op_kind_name(kind));
    g_free(hint);
    g_free(list);
}

// "barrier", or a map with one key: the operation.
static void read_op(struct op_reader *reader, const struct node *node, const char *path,
                    GPtrArray *body)
{
    bool word = node->kind == NODE_SCALAR && node->text;
    if (!word && (node->kind != NODE_MAP || node->children->len != 1)) {
        diag_add(reader->diags, node->mark, path, "write - send: {…}",
                 "one operation is expected here, not %s",
                 node->kind == NODE_MAP ? "a map with several keys or none" : reader_noun(node));
        return;
    }
    const struct node *arguments = word ? NULL : g_ptr_array_index(node->children, 0);
    const char *name = word ? node->text : arguments->key;
    struct source_mark mark = word ? node->mark : arguments->key_mark;
    enum op_kind kind;
    if (!find_kind(reader, name, mark, path, &kind))
        return;
    struct op *op = op_append(body, kind);
    op->mark = mark;
    char *op_path = reader_path(path, name);
    check_library(reader, kind, mark, op_path);
    read_arguments(reader, op, arguments, op_path);
    g_free(op_path);
}

void op_read_list(struct op_reader *reader, const struct node *list, const char *path,
                  GPtrArray *body)
{
    if (!reader_is(list, NODE_LIST, path, "a list of operations", reader->diags))
        return;
    for (guint i = 0; i < list->children->len; i++) {
        char *item_path = reader_path_item(path, i);
        read_op(reader, g_ptr_array_index(list->children, i), item_path, body);
        g_free(item_path);
    }
}
