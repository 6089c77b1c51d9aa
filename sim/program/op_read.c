// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/program/op_read.h"

#include "sim/config/param_kind.h"
#include "sim/config/reader.h"
#include "sim/core/intern.h"

#include <string.h>

// ---- Values ----

static void read_number(struct op_reader *reader, struct op *op, const struct operation_key *key,
                        const struct node *node, const char *path)
{
    int64_t value;
    if (key->per_peer && node->kind == NODE_LIST) {
        op_read_sizes(reader, op, key, node, path);
        return;
    }
    switch (op_read_number(reader, key, node, path, &value)) {
    case OP_READING_BAD:
        break;
    case OP_READING_KNOWN:
        operation_store(key, op->arguments, value);
        break;
    case OP_READING_COMPUTED:
        op_add_computed(op, key, node->text, node->mark);
        break;
    }
}

// Reads a key by its parameter's own kind.
static void read_fixed(struct op_reader *reader, struct op *op, const struct operation_key *key,
                       const struct node *node, const char *path)
{
    param_types[key->param.kind].read(
        &(struct param_reading){.param = &key->param,
                                .node = node,
                                .path = path,
                                .field = (char *)op->arguments + key->param.offset,
                                .diags = reader->diags});
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

struct op_reader *op_reader_new(int ranks, const GPtrArray *communicators,
                                const struct op_library *library, struct diag_list *diags)
{
    struct op_reader *reader = g_new0(struct op_reader, 1);
    reader->ranks = ranks;
    reader->library = library;
    reader->diags = diags;
    reader->variables = g_ptr_array_new();
    g_ptr_array_add(reader->variables, (char *)"rank");
    g_ptr_array_add(reader->variables, (char *)"ranks");
    reader->communicators = communicators;
    for (guint i = 0; i < communicators->len; i++) {
        const struct communicator *one = g_ptr_array_index(communicators, i);
        g_ptr_array_add(reader->variables, (char *)one->rank_variable);
        g_ptr_array_add(reader->variables, (char *)one->ranks_variable);
    }
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
    // It must work as a variable besides the existing ones.
    guint count = reader->variables->len;
    bool taken = g_ptr_array_find_with_equal_func(reader->variables, node->text, g_str_equal, NULL);
    g_ptr_array_add(reader->variables, node->text);
    char *error = NULL;
    struct expression *expression = op_compile(reader, node->text, (int)count + 1, &error);
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

static void read_name(struct op_reader *reader, struct op *op, const struct operation_key *key,
                      const struct node *node, const char *path)
{
    if (reader_name(node, path, reader->diags))
        *(const char **)(void *)((char *)op->arguments + key->param.offset) =
            intern_text(node->text);
}

// A communicator is made by the call that it was declared for.
static void check_made(struct op_reader *reader, const struct op *op, const struct node *node,
                       const char *path)
{
    static const enum op_code calls[] = {[COMMUNICATOR_CREATED] = OP_COMM_CREATE,
                                         [COMMUNICATOR_SPLIT] = OP_COMM_SPLIT,
                                         [COMMUNICATOR_DUPLICATED] = OP_COMM_DUP};
    const struct communicator *one = g_ptr_array_index(reader->communicators, op->communicator);
    enum op_code call = calls[one->made];
    if (op->kind->class != CALL_COMMUNICATOR || op_is(op, OP_COMM_FREE) || op_is(op, call))
        return;
    char *hint = g_strdup_printf("%s makes it", operation_table[call].name);
    static const char *const declared[] = {"it is a list of ranks", "it is a split", "it is a dup"};
    op_complain(reader, node, path, hint, declared[one->made]);
    g_free(hint);
}

static void read_communicator(struct op_reader *reader, struct op *op, const struct node *node,
                              const char *path)
{
    const char *text = reader_text(node, path, "the name of a communicator", reader->diags);
    if (!text)
        return;
    op->communicator = communicator_find(reader->communicators, text);
    if (op->communicator != NO_COMMUNICATOR) {
        check_made(reader, op, node, path);
        return;
    }
    GPtrArray *names = g_ptr_array_new();
    for (guint i = 0; i < reader->communicators->len; i++) {
        const struct communicator *one = g_ptr_array_index(reader->communicators, i);
        g_ptr_array_add(names, (char *)one->name);
    }
    g_ptr_array_add(names, NULL);
    char *hint = reader_hint(text, (const char *const *)names->pdata);
    op_complain(reader, node, path,
                names->len > 1 ? hint : "workload.communicators: {NAME: [ranks]} makes them",
                "there is no such communicator");
    g_free(hint);
    g_ptr_array_free(names, TRUE);
}

// Whether a value is a number or an expression, which its parameter's own kind does not read.
static bool calculates(const struct operation_key *key, const struct node *node)
{
    bool hex = key->param.kind == PARAM_BITS && node->kind == NODE_SCALAR && node->text &&
               param_is_hex(node->text);
    return operation_key_computes(key) && !hex;
}

static void read_by_form(struct op_reader *reader, struct op *op, const struct operation_key *key,
                         const struct node *node, const char *path)
{
    if (key == operation_plain_key(op->kind))
        op->plain_mark = node->mark;
    switch (key->form) {
    case OPERATION_VALUE:
    case OPERATION_RANK:
        (calculates(key, node) ? read_number : read_fixed)(reader, op, key, node, path);
        break;
    case OPERATION_NAME:
        read_name(reader, op, key, node, path);
        break;
    case OPERATION_REQUEST:
        read_request(reader, op, node, path);
        break;
    case OPERATION_AWAITED:
        op->name = await(reader, node, path);
        break;
    case OPERATION_AWAITED_ALL:
        read_awaited_all(reader, op, node, path);
        break;
    case OPERATION_COUNTER:
        read_counter(reader, op, node, path);
        break;
    case OPERATION_BODY:
        read_body(reader, op, node, path);
        break;
    case OPERATION_COMMUNICATOR:
        read_communicator(reader, op, node, path);
        break;
    case OPERATION_STRIDED:
        op_read_strided(reader, op, node, path);
        break;
    case OPERATION_SEGMENTS:
        op_read_segments(reader, op, node, path);
        break;
    }
}

static void read_key(struct op_reader *reader, struct op *op, const struct operation_key *key,
                     const struct node *node, const char *path)
{
    char *key_path = reader_path(path, key->param.name);
    read_by_form(reader, op, key, node, key_path);
    g_free(key_path);
}

// Of the keys that describe the data, exactly one must be there.
static void check_data(struct op_reader *reader, const struct operation_kind *kind,
                       const struct node *map, const char *path)
{
    int keys = 0, given = 0;
    for (const struct operation_key *key = kind->keys; key && key->param.name; key++)
        if (operation_key_is_data(kind, key)) {
            keys++;
            given += node_get(map, key->param.name) != NULL;
        }
    if (keys > 0 && given != 1)
        diag_add(reader->diags, map->mark, path, NULL,
                 given ? "size, strided and segments exclude each other"
                       : "one of the keys size, strided and segments is missing");
}

static void check_names(struct op_reader *reader, const struct operation_kind *kind,
                        const struct node *map, const char *path)
{
    GPtrArray *known = g_ptr_array_new();
    for (const struct operation_key *key = kind->keys; key && key->param.name; key++)
        g_ptr_array_add(known, (gpointer)key->param.name);
    g_ptr_array_add(known, NULL);
    reader_keys(map, path, (const char *const *)known->pdata, reader->diags);
    g_ptr_array_free(known, TRUE);
}

// Reads the keys of an operation in the order of its kind.
static void read_keys(struct op_reader *reader, struct op *op, const struct node *map,
                      const char *path)
{
    check_names(reader, op->kind, map, path);
    check_data(reader, op->kind, map, path);
    for (const struct operation_key *key = op->kind->keys; key && key->param.name; key++) {
        const struct node *node = node_get(map, key->param.name);
        if (node)
            read_key(reader, op, key, node, path);
        else if (!key->param.fallback)
            diag_add(reader->diags, map->mark, path, NULL, "the key %s is missing",
                     key->param.name);
    }
}

static void read_arguments(struct op_reader *reader, struct op *op, const struct node *node,
                           const char *path)
{
    const struct operation_key *first = operation_plain_key(op->kind);
    if (node && node->kind == NODE_MAP) {
        read_keys(reader, op, node, path);
    } else if (!op->kind->plain) {
        diag_add(reader->diags, node ? node->mark : op->mark, path, NULL,
                 "a map of arguments is expected here, not %s", reader_noun(node));
    } else if (!first) {
        if (node && !node_is_null(node))
            diag_add(reader->diags, node->mark, path, NULL, "%s has no arguments", op->kind->name);
    } else if (node) {
        read_by_form(reader, op, first, node, path);
    } else {
        diag_add(reader->diags, op->mark, path, NULL, "%s needs a value", op->kind->name);
    }
}

// Lets the kind's owner check the arguments as a whole.
static void complete(struct op_reader *reader, struct op *op, const char *path)
{
    char *error = NULL;
    if (op->kind->complete && !op->kind->complete(op->arguments, &error))
        diag_add(reader->diags, op->mark, path, NULL, "%s", error);
    g_free(error);
}

// ---- Kinds ----

static void add_names(GPtrArray *names, const struct operation_kind *kind)
{
    for (; kind && kind->name; kind++)
        if (!kind->internal &&
            !g_ptr_array_find_with_equal_func(names, kind->name, g_str_equal, NULL))
            g_ptr_array_add(names, (gpointer)kind->name);
}

static void complain_unknown(struct op_reader *reader, const char *name, struct source_mark mark,
                             const char *path)
{
    GPtrArray *names = g_ptr_array_new();
    add_names(names, operation_table);
    add_names(names, reader->library->own);
    for (const struct operation_kind *const *table = reader->library->all; table && *table; table++)
        add_names(names, *table);
    g_ptr_array_add(names, NULL);
    char *hint =
        diag_full(reader->diags) ? NULL : reader_hint(name, (const char *const *)names->pdata);
    diag_add(reader->diags, mark, path, hint, "unknown operation \"%.40s\"", name);
    g_ptr_array_free(names, TRUE);
    g_free(hint);
}

// The kind of that name: the library's own, one of sim/, or another model's.
static const struct operation_kind *find_kind(const struct op_library *library, const char *name)
{
    const struct operation_kind *kind = operation_find(library->own, name);
    if (!kind)
        kind = operation_find(operation_table, name);
    for (const struct operation_kind *const *table = library->all; !kind && table && *table;
         table++)
        kind = operation_find(*table, name);
    return kind && !kind->internal ? kind : NULL;
}

// Whether the library that the program is for has the operation; complains if not.
static bool check_library(struct op_reader *reader, const struct operation_kind *kind,
                          struct source_mark mark, const char *path)
{
    const struct op_library *library = reader->library;
    if (!library->name || op_library_has(library, kind))
        return true;
    char *list = library->operations ? g_strjoinv(", ", (char **)library->operations) : NULL;
    char *hint = list ? g_strdup_printf("it has %s", list) : NULL;
    diag_add(reader->diags, mark, path,
             hint ? hint : "it has what every MPI library has: sends, receives, collectives",
             "the stack %s has no %s", library->name, kind->name);
    g_free(hint);
    g_free(list);
    return false;
}

bool op_library_has(const struct op_library *library, const struct operation_kind *kind)
{
    bool of_model = kind->class == CALL_OPERATION, of_mpi = operation_of_mpi(kind);
    if (!of_model && !of_mpi)
        return true;
    if (!library->operations)
        return of_mpi;
    return g_strv_contains(library->operations, kind->name) &&
           (of_mpi || operation_find(library->own, kind->name) == kind);
}

// Of an operation that is not read: what would be waited for is not missing too.
static void note_request(struct op_reader *reader, const struct node *arguments)
{
    bool map = arguments && arguments->kind == NODE_MAP;
    const struct node *request = map ? node_get(arguments, "request") : NULL;
    if (request && request->kind == NODE_SCALAR && request->text)
        g_hash_table_add(reader->requests, request->text);
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
    const struct operation_kind *kind = find_kind(reader->library, name);
    if (!kind) {
        complain_unknown(reader, name, mark, path);
        return;
    }
    char *op_path = reader_path(path, name);
    // Another model's keys are of no use, and without a stack it is not known whose are meant.
    if (!check_library(reader, kind, mark, op_path) ||
        (!reader->library->name && kind->class == CALL_OPERATION)) {
        note_request(reader, arguments);
    } else {
        struct op *op = op_append_kind(body, kind);
        guint before = reader->diags->found;
        op->mark = mark;
        read_arguments(reader, op, arguments, op_path);
        if (reader->diags->found == before)
            complete(reader, op, op_path);
    }
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
