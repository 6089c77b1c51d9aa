// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/op_read.h"

#include "sim/config/expression.h"
#include "sim/config/quantity.h"
#include "sim/config/reader.h"

#include <string.h>

// ---- What operations look like ----

struct op_key;
typedef void key_reader_fn(struct op_reader *reader, struct op *op, const struct op_key *key,
                           const struct node *node, const char *path);

static key_reader_fn read_value, read_request, read_awaited, read_awaited_all, read_counter,
    read_body;

// A key of an operation, and how it is read.
struct op_key {
    const char *name;
    key_reader_fn *read;
    size_t value;                // of the op_value it fills
    enum quantity_kind quantity; // what a plain number must be
    bool any;                    // "any" is a value
};

#define VALUE(field) .read = read_value, .value = offsetof(struct op, field)

enum key {
    TO,
    FROM,
    SOURCE,
    ROOT,
    SIZE,
    TAG,
    TAG_OR_ANY,
    BUFFER,
    RECEIVE_BUFFER,
    REQUEST,
    AWAITED,
    ALL,
    TIME,
    COUNT,
    AS,
    DO
};

static const struct op_key keys[] = {
    [TO] = {"to", VALUE(peer), .quantity = QUANTITY_COUNT},
    [FROM] = {"from", VALUE(peer), .quantity = QUANTITY_COUNT, .any = true},
    [SOURCE] = {"from", VALUE(source), .quantity = QUANTITY_COUNT, .any = true},
    [ROOT] = {"root", VALUE(root), .quantity = QUANTITY_COUNT},
    [SIZE] = {"size", VALUE(size), .quantity = QUANTITY_SIZE},
    [TAG] = {"tag", VALUE(tag), .quantity = QUANTITY_COUNT},
    [TAG_OR_ANY] = {"tag", VALUE(tag), .quantity = QUANTITY_COUNT, .any = true},
    [BUFFER] = {"buffer", VALUE(buffer), .quantity = QUANTITY_COUNT},
    [RECEIVE_BUFFER] = {"receive_buffer", VALUE(receive_buffer), .quantity = QUANTITY_COUNT},
    [REQUEST] = {"request", .read = read_request},
    [AWAITED] = {"request", .read = read_awaited},
    [ALL] = {"requests", .read = read_awaited_all},
    [TIME] = {"time", VALUE(time), .quantity = QUANTITY_DURATION},
    [COUNT] = {"count", VALUE(count), .quantity = QUANTITY_COUNT},
    [AS] = {"as", .read = read_counter},
    [DO] = {"do", .read = read_body},
};

#define KEYS G_N_ELEMENTS(keys)
#define BIT(key) (1u << (key))
#define SENDING (BIT(TO) | BIT(SIZE))
#define RECEIVING (BIT(FROM) | BIT(SIZE))
#define ROOTED (BIT(ROOT) | BIT(SIZE))
#define BUFFERS (BIT(BUFFER) | BIT(RECEIVE_BUFFER))

// Which keys an operation must and may have, and which one a value without keys stands for
// ("compute: 3 ms").
static const struct op_shape {
    const char *name;
    unsigned must, may;
    bool plain;    // may be written without keys: the value is that of the only key in `must`
    bool internal; // not in YAML
} shapes[] = {
    [OP_SEND] = {.name = "send", .must = SENDING, .may = BIT(TAG) | BIT(BUFFER)},
    [OP_SSEND] = {.name = "ssend", .must = SENDING, .may = BIT(TAG) | BIT(BUFFER)},
    [OP_ISEND] = {.name = "isend", .must = SENDING | BIT(REQUEST), .may = BIT(TAG) | BIT(BUFFER)},
    [OP_ISSEND] = {.name = "issend", .must = SENDING | BIT(REQUEST), .may = BIT(TAG) | BIT(BUFFER)},
    [OP_RECV] = {.name = "recv", .must = RECEIVING, .may = BIT(TAG_OR_ANY) | BIT(BUFFER)},
    [OP_IRECV] = {.name = "irecv",
                  .must = RECEIVING | BIT(REQUEST),
                  .may = BIT(TAG_OR_ANY) | BIT(BUFFER)},
    [OP_PROBE] = {.name = "probe", .must = BIT(FROM), .may = BIT(TAG_OR_ANY)},
    [OP_IPROBE] = {.name = "iprobe", .must = BIT(FROM), .may = BIT(TAG_OR_ANY)},
    [OP_WAIT] = {.name = "wait", .must = BIT(AWAITED), .plain = true},
    [OP_WAITALL] = {.name = "waitall", .must = BIT(ALL), .plain = true},
    [OP_COMPUTE] = {.name = "compute", .must = BIT(TIME), .plain = true},
    [OP_BARRIER] = {.name = "barrier", .plain = true},
    [OP_SENDRECV] = {.name = "sendrecv", .must = SENDING | BIT(SOURCE), .may = BIT(TAG) | BUFFERS},
    [OP_BCAST] = {.name = "bcast", .must = ROOTED, .may = BIT(BUFFER)},
    [OP_REDUCE] = {.name = "reduce", .must = ROOTED, .may = BUFFERS},
    [OP_ALLREDUCE] = {.name = "allreduce", .must = BIT(SIZE), .may = BUFFERS, .plain = true},
    [OP_GATHER] = {.name = "gather", .must = ROOTED, .may = BUFFERS},
    [OP_SCATTER] = {.name = "scatter", .must = ROOTED, .may = BUFFERS},
    [OP_ALLGATHER] = {.name = "allgather", .must = BIT(SIZE), .may = BUFFERS, .plain = true},
    [OP_ALLTOALL] = {.name = "alltoall", .must = BIT(SIZE), .may = BUFFERS, .plain = true},
    [OP_COPY] = {.name = "copy", .must = BIT(SIZE), .plain = true},
    [OP_REGISTER] = {.name = "register", .must = BIT(SIZE) | BIT(BUFFER)},
    [OP_DEREGISTER] = {.name = "deregister", .must = BIT(SIZE) | BIT(BUFFER)},
    [OP_LOOP] = {.name = "loop", .must = BIT(COUNT) | BIT(DO), .may = BIT(AS)},
    [OP_MEASURE_START] = {.name = "measure_start", .internal = true},
    [OP_MEASURE_STOP] = {.name = "measure_stop", .internal = true},
};

const char *op_kind_name(enum op_kind kind)
{
    return shapes[kind].name;
}

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
    bool rank = key->value == offsetof(struct op, peer) ||
                key->value == offsetof(struct op, source) ||
                key->value == offsetof(struct op, root);
    if (value < 0)
        return op_complain(reader, node, path, NULL, "the value is negative");
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

static void read_value(struct op_reader *reader, struct op *op, const struct op_key *key,
                       const struct node *node, const char *path)
{
    struct op_value *value = (struct op_value *)((char *)op + key->value);
    value->mark = node->mark;
    const char *text = reader_text(node, path, "a value or an expression", reader->diags);
    if (!text)
        return;
    if (key->any && strcmp(text, OP_ANY) == 0)
        value->text = g_strdup(text);
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

static void read_request(struct op_reader *reader, struct op *op, const struct op_key *key,
                         const struct node *node, const char *path)
{
    (void)key;
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

static void read_awaited(struct op_reader *reader, struct op *op, const struct op_key *key,
                         const struct node *node, const char *path)
{
    (void)key;
    op->name = await(reader, node, path);
}

static void read_awaited_all(struct op_reader *reader, struct op *op, const struct op_key *key,
                             const struct node *node, const char *path)
{
    (void)key;
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
    for (guint i = 0; i < reader->waits->len && !reader->diags->overflow; i++) {
        const struct awaited *awaited = g_ptr_array_index(reader->waits, i);
        if (g_hash_table_contains(reader->requests, awaited->node->text))
            continue;
        char *hint = reader_hint(awaited->node->text, (const char *const *)started);
        diag_add(reader->diags, awaited->node->mark, awaited->path, hint,
                 "no operation of these ranks starts a request \"%.40s\"", awaited->node->text);
        g_free(hint);
    }
    g_free(started);
    g_hash_table_remove_all(reader->requests);
    g_ptr_array_set_size(reader->waits, 0);
}

struct op_reader *op_reader_new(int ranks, struct diag_list *diags)
{
    struct op_reader *reader = g_new0(struct op_reader, 1);
    reader->ranks = ranks;
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

static void read_counter(struct op_reader *reader, struct op *op, const struct op_key *key,
                         const struct node *node, const char *path)
{
    (void)key;
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

static void read_body(struct op_reader *reader, struct op *op, const struct op_key *key,
                      const struct node *node, const char *path)
{
    (void)key;
    if (op->name)
        g_ptr_array_add(reader->variables, op->name);
    op_read_list(reader, node, path, op->body);
    if (op->name)
        g_ptr_array_set_size(reader->variables, (int)reader->variables->len - 1);
}

static void read_key(struct op_reader *reader, struct op *op, const struct op_key *key,
                     const struct node *node, const char *path)
{
    char *key_path = reader_path(path, key->name);
    key->read(reader, op, key, node, key_path);
    g_free(key_path);
}

// Reads the keys of an operation in the order of `keys`: a loop's counter before its body.
static void read_keys(struct op_reader *reader, struct op *op, const struct op_shape *shape,
                      const struct node *map, const char *path)
{
    const char *known[KEYS + 1];
    int count = 0;
    for (unsigned i = 0; i < KEYS; i++)
        if ((shape->must | shape->may) & BIT(i))
            known[count++] = keys[i].name;
    known[count] = NULL;
    reader_keys(map, path, known, reader->diags);
    for (unsigned i = 0; i < KEYS; i++) {
        const struct node *node = node_get(map, keys[i].name);
        if (((shape->must | shape->may) & BIT(i)) && node)
            read_key(reader, op, &keys[i], node, path);
        else if (shape->must & BIT(i))
            diag_add(reader->diags, map->mark, path, NULL, "the key %s is missing", keys[i].name);
    }
}

// The only key of a plain operation; NULL for barrier.
static const struct op_key *plain_key(const struct op_shape *shape)
{
    return shape->must ? &keys[__builtin_ctz(shape->must)] : NULL;
}

static void read_arguments(struct op_reader *reader, struct op *op, const struct node *node,
                           const char *path)
{
    const struct op_shape *shape = &shapes[op->kind];
    if (node && node->kind == NODE_MAP) {
        read_keys(reader, op, shape, node, path);
    } else if (!shape->plain) {
        diag_add(reader->diags, node ? node->mark : op->mark, path, NULL,
                 "a map of arguments is expected here, not %s", reader_noun(node));
    } else if (!plain_key(shape)) {
        if (node && !node_is_null(node))
            diag_add(reader->diags, node->mark, path, NULL, "%s has no arguments", shape->name);
    } else if (node) {
        plain_key(shape)->read(reader, op, plain_key(shape), node, path);
    } else {
        diag_add(reader->diags, op->mark, path, NULL, "%s needs a value", shape->name);
    }
}

static bool find_kind(struct op_reader *reader, const char *name, struct source_mark mark,
                      const char *path, enum op_kind *kind)
{
    const char *names[G_N_ELEMENTS(shapes) + 1];
    int count = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        if (shapes[i].internal)
            continue;
        *kind = (enum op_kind)i;
        if (strcmp(shapes[i].name, name) == 0)
            return true;
        names[count++] = shapes[i].name;
    }
    names[count] = NULL;
    char *hint = reader_hint(name, names);
    diag_add(reader->diags, mark, path, hint, "unknown operation \"%.40s\"", name);
    g_free(hint);
    return false;
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
    read_arguments(reader, op, arguments, op_path);
    g_free(op_path);
}

void op_read_list(struct op_reader *reader, const struct node *list, const char *path,
                  GPtrArray *body)
{
    if (!reader_is(list, NODE_LIST, path, "a list of operations", reader->diags))
        return;
    for (guint i = 0; i < list->children->len && !reader->diags->overflow; i++) {
        char *item_path = reader_path_item(path, i);
        read_op(reader, g_ptr_array_index(list->children, i), item_path, body);
        g_free(item_path);
    }
}

// ---- JSON Schema ----

static json_t *key_schema(const struct op_key *key)
{
    json_t *text = json_pack("{s:s}", "type", "string");
    if (key->read == read_value)
        return json_pack("{s:[o, {s:s}]}", "anyOf", text, "type", "integer");
    if (key->read == read_awaited_all)
        return json_pack("{s:[{s:s}, {s:s, s:o}]}", "anyOf", "const", "all", "type", "array",
                         "items", text);
    if (key->read != read_body)
        return text;
    json_decref(text);
    return json_pack("{s:s}", "$ref", "#/$defs/operations");
}

static json_t *shape_schema(const struct op_shape *shape)
{
    json_t *properties = json_object(), *required = json_array();
    for (unsigned i = 0; i < KEYS; i++) {
        if ((shape->must | shape->may) & BIT(i))
            json_object_set_new(properties, keys[i].name, key_schema(&keys[i]));
        if (shape->must & BIT(i))
            json_array_append_new(required, json_string(keys[i].name));
    }
    json_t *map = json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties,
                            "required", required, "additionalProperties", 0);
    if (!shape->plain)
        return map;
    json_t *plain = shape->must ? key_schema(plain_key(shape)) : json_pack("{s:s}", "type", "null");
    return json_pack("{s:[o, o]}", "anyOf", map, plain);
}

json_t *program_operations_schema(void)
{
    json_t *properties = json_object(), *words = json_array();
    for (size_t i = 0; i < G_N_ELEMENTS(shapes); i++) {
        if (shapes[i].internal)
            continue;
        json_object_set_new(properties, shapes[i].name, shape_schema(&shapes[i]));
        if (shapes[i].plain && !shapes[i].must)
            json_array_append_new(words, json_string(shapes[i].name));
    }
    return json_pack("{s:s, s:{s:[{s:o}, {s:s, s:o, s:i, s:i, s:b}]}}", "type", "array", "items",
                     "anyOf", "enum", words, "type", "object", "properties", properties,
                     "minProperties", 1, "maxProperties", 1, "additionalProperties", 0);
}
