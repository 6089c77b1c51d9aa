// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of a DUMPI trace, as those of a recording.
#include "sim/recording/dumpi.h"

#include "sim/config/quantity.h"
#include "sim/program/communicator.h"

#include <stdlib.h>
#include <string.h>

#define DUMPI_NO_PEER (-1) // number of a request to or from MPI_PROC_NULL

// ---- Parameters ----

static const struct dumpi_field *dumpi_field_named(const struct dumpi_call *call, const char *name)
{
    for (guint i = 0; i < call->fields->len; i++) {
        const struct dumpi_field *field = &g_array_index(call->fields, struct dumpi_field, i);
        if (strcmp(field->name, name) == 0)
            return field;
    }
    return NULL;
}

void dumpi_complain(const struct dumpi_call *call, const char *field, const char *hint,
                    const char *format, ...)
{
    const struct dumpi_field *at = field ? dumpi_field_named(call, field) : NULL;
    va_list arguments;
    va_start(arguments, format);
    char *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    diag_add(call->reader->diags, (struct source_mark){call->file, at ? at->line : call->line, 1},
             NULL, hint, "%s: %s", call->name, text);
    g_free(text);
}

// The value of a parameter that the call must have; NULL after an error.
static const char *dumpi_value(const struct dumpi_call *call, const char *name)
{
    const struct dumpi_field *field = dumpi_field_named(call, name);
    if (!field)
        dumpi_complain(call, NULL, "the file may have been cut off", "there is no %s", name);
    return field ? field->value : NULL;
}

// A whole number at the beginning of a text, which ends there or with a blank, comma or bracket.
static bool dumpi_number_in(const char *text, int64_t least, int64_t most, int64_t *number,
                            const char **rest)
{
    char *end;
    int64_t value = g_ascii_strtoll(text, &end, 10);
    if (rest)
        *rest = end;
    if (end == text || !strchr(" ,]", *end) || value < least || value > most)
        return false;
    *number = value;
    return true;
}

static bool dumpi_integer(const struct dumpi_call *call, const char *name, int64_t least,
                          int64_t most, int64_t *number)
{
    const char *value = dumpi_value(call, name);
    if (!value)
        return false;
    if (dumpi_number_in(value, least, most, number, NULL))
        return true;
    dumpi_complain(call, name, NULL,
                   "%s is \"%.40s\", and no whole number of %" G_GINT64_FORMAT
                   " to %" G_GINT64_FORMAT,
                   name, value, least, most);
    return false;
}

// A list of numbers, "[2, 3]"; <IGNORED> stands for none.
static bool dumpi_list(const struct dumpi_call *call, const char *name, int64_t least, int64_t most,
                       GArray *numbers)
{
    const char *value = dumpi_value(call, name);
    g_array_set_size(numbers, 0);
    if (!value)
        return false;
    if (strcmp(value, "<IGNORED>") == 0 || strcmp(value, "[]") == 0)
        return true;
    const char *at = value;
    int64_t number;
    bool good = *at++ == '[';
    while (good) {
        good = dumpi_number_in(at, least, most, &number, &at);
        if (good)
            g_array_append_val(numbers, number);
        if (!good || *at == ']')
            break;
        good = strncmp(at, ", ", 2) == 0;
        at += 2;
    }
    if (!good)
        dumpi_complain(call, name, NULL, "%s is no list of numbers", name);
    return good;
}

static const struct {
    const char *name;
    int bytes;
} dumpi_types[] = {
    {"MPI_CHAR", 1},           {"MPI_SIGNED_CHAR", 1},
    {"MPI_UNSIGNED_CHAR", 1},  {"MPI_BYTE", 1},
    {"MPI_WCHAR", 4},          {"MPI_SHORT", 2},
    {"MPI_UNSIGNED_SHORT", 2}, {"MPI_INT", 4},
    {"MPI_UNSIGNED", 4},       {"MPI_LONG", 8},
    {"MPI_UNSIGNED_LONG", 8},  {"MPI_FLOAT", 4},
    {"MPI_DOUBLE", 8},         {"MPI_LONG_DOUBLE", 16},
    {"MPI_LONG_LONG_INT", 8},  {"MPI_UNSIGNED_LONG_LONG", 8},
    {"MPI_LONG_LONG", 8},      {"MPI_PACKED", 1},
    {"MPI_FLOAT_INT", 8},      {"MPI_DOUBLE_INT", 12},
    {"MPI_LONG_INT", 12},      {"MPI_SHORT_INT", 6},
    {"MPI_2INT", 8},           {"MPI_LONG_DOUBLE_INT", 20},
};

// Bytes of an element: "9 (MPI_INT)".
static bool dumpi_element(const struct dumpi_call *call, const char *name, int64_t *bytes)
{
    const char *value = dumpi_value(call, name), *type = value ? strchr(value, '(') : NULL;
    size_t length = type ? strcspn(++type, ")") : 0;
    if (!value)
        return false;
    for (size_t i = 0; type && i < G_N_ELEMENTS(dumpi_types); i++)
        if (strlen(dumpi_types[i].name) == length &&
            strncmp(dumpi_types[i].name, type, length) == 0) {
            *bytes = dumpi_types[i].bytes;
            return true;
        }
    dumpi_complain(call, name, "let the program send elements of C's types, or bytes",
                   "the trace does not have the size of datatype %.40s", value);
    return false;
}

static bool dumpi_bytes(const struct dumpi_call *call, const char *count, const char *type,
                        int64_t *bytes)
{
    int64_t element, number;
    return dumpi_element(call, type, &element) &&
           dumpi_integer(call, count, 0, quantity_most_value(QUANTITY_SIZE) / element, &number) &&
           (*bytes = number * element, true);
}

// A rank, or OPERATION_ANY; *null for MPI_PROC_NULL.
static bool dumpi_peer(const struct dumpi_call *call, const char *name, int *peer, bool *null)
{
    int64_t number;
    if (!dumpi_integer(call, name, INT32_MIN, call->reader->ranks - 1, &number))
        return false;
    bool any = strstr(dumpi_value(call, name), "(MPI_ANY_SOURCE)") != NULL;
    *null = number < 0 && !any;
    *peer = any ? OPERATION_ANY : (int)number;
    return true;
}

static bool dumpi_tag(const struct dumpi_call *call, const char *name, bool any, int64_t *tag)
{
    const char *value = dumpi_value(call, name);
    if (value && any && strstr(value, "(MPI_ANY_TAG)")) {
        *tag = OPERATION_ANY;
        return true;
    }
    return value && dumpi_integer(call, name, 0, INT32_MAX, tag);
}

// The communicator's number in the recording.
static bool dumpi_communicator(const struct dumpi_call *call, const char *name, int *communicator)
{
    const char *value = dumpi_value(call, name);
    int64_t number;
    gpointer known;
    *communicator = NO_COMMUNICATOR;
    if (!value)
        return false;
    if (strstr(value, "(MPI_COMM_WORLD)"))
        return true;
    if (dumpi_number_in(value, 0, INT32_MAX, &number, NULL) &&
        g_hash_table_lookup_extended(call->communicators, GINT_TO_POINTER((int)number), NULL,
                                     &known)) {
        *communicator = GPOINTER_TO_INT(known);
        return true;
    }
    dumpi_complain(call, name, "MPI_Comm_dup and MPI_Comm_split of MPI_COMM_WORLD can be replayed",
                   "communicator %.40s is not one whose ranks the trace has", value);
    return false;
}

// ---- Requests ----

static bool dumpi_request_id(const struct dumpi_call *call, int *id)
{
    int64_t number;
    if (!dumpi_list(call, "request", 0, INT32_MAX, call->reader->awaited))
        return false;
    if (call->reader->awaited->len != 1) {
        dumpi_complain(call, "request", NULL, "there is not one request");
        return false;
    }
    number = g_array_index(call->reader->awaited, int64_t, 0);
    *id = (int)number;
    return true;
}

static int dumpi_request_open(struct dumpi_call *call, int id, bool null)
{
    int number = DUMPI_NO_PEER;
    if (g_hash_table_contains(call->requests, GINT_TO_POINTER(id))) {
        dumpi_complain(call, "request", NULL, "request %d is open already", id);
        return OPERATION_ANY;
    }
    if (!null && call->spare->len > 0) {
        number = g_array_index(call->spare, int, call->spare->len - 1);
        g_array_set_size(call->spare, call->spare->len - 1);
    } else if (!null) {
        number = call->numbers++;
    }
    g_hash_table_insert(call->requests, GINT_TO_POINTER(id), GINT_TO_POINTER(number));
    return number;
}

// Ends a request; OPERATION_ANY: there is none of that id (MPI_REQUEST_NULL, or done before), or it
// had no peer.
static int dumpi_request_close(struct dumpi_call *call, int id)
{
    gpointer known;
    if (!g_hash_table_lookup_extended(call->requests, GINT_TO_POINTER(id), NULL, &known))
        return OPERATION_ANY;
    int number = GPOINTER_TO_INT(known);
    g_hash_table_remove(call->requests, GINT_TO_POINTER(id));
    if (number == DUMPI_NO_PEER)
        return OPERATION_ANY;
    g_array_append_val(call->spare, number);
    return number;
}

// ---- What a kind of call is made of ----

struct dumpi_kind {
    const char *name;
    bool (*put)(struct dumpi_call *call, const struct dumpi_kind *kind);
    enum op_code code;
};

static bool dumpi_append(const struct dumpi_call *call, const struct recorded_call *recorded)
{
    recording_builder_put(call->reader->builder, call->rank, recorded);
    return true;
}

static bool dumpi_put_ignored(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    (void)call;
    (void)kind;
    return true;
}

static bool dumpi_put_world_size(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    int64_t size;
    const char *comm = dumpi_value(call, "comm");
    (void)kind;
    if (!comm || !strstr(comm, "(MPI_COMM_WORLD)"))
        return comm != NULL;
    if (!dumpi_integer(call, "size", 1, INT32_MAX, &size))
        return false;
    if (size != call->reader->ranks)
        dumpi_complain(call, "size", "each rank has a file, numbered from 0",
                       "the program has %d ranks, and there are files of %d", (int)size,
                       call->reader->ranks);
    return size == call->reader->ranks;
}

static bool dumpi_put_end(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    (void)kind;
    call->ended = true;
    if (call->spare->len == (guint)call->numbers) // no request is open
        return true;
    struct recorded_call recorded = recorded_call(OP_WAITALL, call->line);
    recorded.awaits_all = true;
    return dumpi_append(call, &recorded);
}

// Sends and receives, blocking or not, and probes.
static bool dumpi_put_message(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    enum op_code code = kind->code;
    bool probes = code == OP_PROBE || code == OP_IPROBE,
         receives = probes || code == OP_RECV || code == OP_IRECV,
         starts = code == OP_ISEND || code == OP_ISSEND || code == OP_IRSEND || code == OP_IRECV,
         null;
    struct recorded_call recorded = recorded_call(code, call->line);
    int id = 0;
    if (!dumpi_peer(call, receives ? "source" : "dest", &recorded.peer, &null) ||
        !dumpi_tag(call, "tag", receives, &recorded.tag) ||
        !dumpi_communicator(call, "comm", &recorded.communicator) ||
        !(probes || dumpi_bytes(call, "count", "datatype", &recorded.size)) ||
        !(!starts || dumpi_request_id(call, &id)))
        return false;
    if (starts) {
        recorded.request = dumpi_request_open(call, id, null);
        if (recorded.request == OPERATION_ANY && !null)
            return false;
    }
    return null || dumpi_append(call, &recorded);
}

static bool dumpi_put_both(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    struct recorded_call recorded = recorded_call(kind->code, call->line);
    bool replaces = kind->code == OP_SENDRECV_REPLACE, to_null, from_null;
    if (!dumpi_peer(call, "dest", &recorded.peer, &to_null) ||
        !dumpi_peer(call, "source", &recorded.source, &from_null) ||
        !dumpi_tag(call, "sendtag", false, &recorded.tag) ||
        !dumpi_tag(call, "recvtag", true, &recorded.receive_tag) ||
        !dumpi_communicator(call, "comm", &recorded.communicator) ||
        !dumpi_bytes(call, replaces ? "count" : "sendcount", replaces ? "datatype" : "sendtype",
                     &recorded.size))
        return false;
    recorded.receive_size = recorded.size;
    if (!replaces && !dumpi_bytes(call, "recvcount", "recvtype", &recorded.receive_size))
        return false;
    if (to_null && from_null)
        return true;
    if (to_null || from_null) { // one half is left of it
        recorded.code = to_null ? OP_RECV : OP_SEND;
        recorded.peer = to_null ? recorded.source : recorded.peer;
        recorded.tag = to_null ? recorded.receive_tag : recorded.tag;
        recorded.size = to_null ? recorded.receive_size : recorded.size;
    }
    return dumpi_append(call, &recorded);
}

// Puts a wait for the requests of these ids of the tracer, as far as they are open.
static bool dumpi_await(struct dumpi_call *call, const int64_t *ids, guint count)
{
    GArray *numbers = g_array_new(FALSE, FALSE, sizeof(int));
    for (guint i = 0; i < count; i++) {
        int number = dumpi_request_close(call, (int)ids[i]);
        if (number != OPERATION_ANY)
            g_array_append_val(numbers, number);
    }
    struct recorded_call recorded =
        recorded_call(numbers->len == 1 ? OP_WAIT : OP_WAITALL, call->line);
    recorded.awaited = (int *)(void *)numbers->data;
    recorded.awaited_count = (int)numbers->len;
    bool good = numbers->len == 0 || dumpi_append(call, &recorded);
    g_array_unref(numbers);
    return good;
}

// Whether a test found its requests done; a wait does.
static bool dumpi_done(const struct dumpi_call *call, bool *done)
{
    int64_t flag = 1;
    bool good = !dumpi_field_named(call, "flag") || dumpi_integer(call, "flag", 0, 1, &flag);
    *done = flag != 0;
    return good;
}

// MPI_Wait, MPI_Waitall and their tests: all requests, if they are done.
static bool dumpi_put_all_done(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    bool one = kind->code == OP_WAIT || kind->code == OP_TEST, done;
    GArray *ids = call->reader->awaited;
    return dumpi_list(call, one ? "request" : "requests", 0, INT32_MAX, ids) &&
           dumpi_done(call, &done) &&
           (!done || dumpi_await(call, (int64_t *)(void *)ids->data, ids->len));
}

// MPI_Waitany and MPI_Testany: the one that was done.
static bool dumpi_put_one_done(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    GArray *ids = call->reader->awaited;
    int64_t index;
    bool done;
    (void)kind;
    if (!dumpi_list(call, "requests", 0, INT32_MAX, ids) || !dumpi_done(call, &done))
        return false;
    if (!done)
        return true;
    if (!dumpi_integer(call, "index", INT32_MIN, INT32_MAX, &index))
        return false;
    bool is_one = index >= 0 && index < (int64_t)ids->len; // else MPI_UNDEFINED: none was open
    return !is_one || dumpi_await(call, &g_array_index(ids, int64_t, (guint)index), 1);
}

// MPI_Waitsome and MPI_Testsome: those that were done.
static bool dumpi_put_some_done(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    GArray *ids = call->reader->awaited, *indices = call->reader->blocks;
    (void)kind;
    if (!dumpi_list(call, "requests", 0, INT32_MAX, ids) ||
        !dumpi_list(call, "indices", 0, (int64_t)ids->len - 1, indices))
        return false;
    for (guint i = 0; i < indices->len; i++) {
        guint index = (guint)g_array_index(indices, int64_t, i);
        g_array_index(indices, int64_t, i) = g_array_index(ids, int64_t, index);
    }
    return dumpi_await(call, (int64_t *)(void *)indices->data, indices->len);
}

// ---- Collectives ----

static bool dumpi_root(const struct dumpi_call *call, int *root)
{
    int64_t number;
    return dumpi_integer(call, "root", 0, call->reader->ranks - 1, &number) &&
           (*root = (int)number, true);
}

// Of one message: barrier, broadcast, reductions, scans.
static bool dumpi_put_whole(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    struct recorded_call recorded = recorded_call(kind->code, call->line);
    bool rooted = kind->code == OP_BCAST || kind->code == OP_REDUCE;
    return dumpi_communicator(call, "comm", &recorded.communicator) &&
           (kind->code == OP_BARRIER || dumpi_bytes(call, "count", "datatype", &recorded.size)) &&
           (!rooted || dumpi_root(call, &recorded.root)) && dumpi_append(call, &recorded);
}

// Of one block a rank: what the rank gives, or gets from a scatter.
static bool dumpi_put_equal_blocks(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    struct recorded_call recorded = recorded_call(kind->code, call->line);
    bool scatters = kind->code == OP_SCATTER, gathers = kind->code == OP_GATHER;
    return dumpi_communicator(call, "comm", &recorded.communicator) &&
           (!(scatters || gathers) || dumpi_root(call, &recorded.root)) &&
           dumpi_bytes(call, scatters ? "recvcount" : "sendcount",
                       scatters ? "recvtype" : "sendtype", &recorded.size) &&
           dumpi_append(call, &recorded);
}

// A block for each rank of the communicator.
static bool dumpi_blocks(const struct dumpi_call *call, const char *counts, const char *type,
                         GArray *blocks)
{
    int64_t element, size;
    if (!dumpi_element(call, type, &element) ||
        !dumpi_integer(call, "commsize", 1, call->reader->ranks, &size) ||
        !dumpi_list(call, counts, 0,
                    quantity_most_value(QUANTITY_SIZE) / element / call->reader->ranks, blocks))
        return false;
    if ((int64_t)blocks->len != size) {
        dumpi_complain(call, counts, NULL, "%s has %u numbers, and the communicator %d ranks",
                       counts, blocks->len, (int)size);
        return false;
    }
    for (guint i = 0; i < blocks->len; i++)
        g_array_index(blocks, int64_t, i) *= element;
    return true;
}

static bool dumpi_take_blocks(const struct dumpi_call *call, struct recorded_call *recorded)
{
    const GArray *blocks = call->reader->blocks;
    recorded->blocks = &g_array_index(blocks, int64_t, 0);
    recorded->block_count = (int)blocks->len;
    recorded->size = 0;
    for (guint i = 0; i < blocks->len; i++)
        recorded->size += recorded->blocks[i];
    return dumpi_append(call, recorded);
}

static bool dumpi_put_blocks(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    struct recorded_call recorded = recorded_call(kind->code, call->line);
    struct dumpi_reader *reader = call->reader;
    bool reduces = kind->code == OP_REDUCE_SCATTER, exchanges = kind->code == OP_ALLTOALLV;
    if (!dumpi_communicator(call, "comm", &recorded.communicator) ||
        !dumpi_blocks(call, exchanges ? "sendcounts" : "recvcounts",
                      reduces     ? "datatype"
                      : exchanges ? "sendtype"
                                  : "recvtype",
                      reader->blocks))
        return false;
    if (exchanges) {
        if (!dumpi_blocks(call, "recvcounts", "recvtype", reader->receive_blocks))
            return false;
        recorded.receive_blocks = &g_array_index(reader->receive_blocks, int64_t, 0);
    }
    return dumpi_take_blocks(call, &recorded);
}

// Ranks that are not the root know their own block alone, whose place the trace has as `commrank`.
static bool dumpi_put_rooted_blocks(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    struct recorded_call recorded = recorded_call(kind->code, call->line);
    bool gathers = kind->code == OP_GATHERV;
    int64_t rank, size;
    GArray *blocks = call->reader->blocks;
    if (!dumpi_communicator(call, "comm", &recorded.communicator) ||
        !dumpi_root(call, &recorded.root) ||
        !dumpi_integer(call, "commsize", 1, call->reader->ranks, &size) ||
        !dumpi_integer(call, "commrank", 0, size - 1, &rank))
        return false;
    if (rank == recorded.root)
        return dumpi_blocks(call, gathers ? "recvcounts" : "sendcounts",
                            gathers ? "recvtype" : "sendtype", blocks) &&
               dumpi_take_blocks(call, &recorded);
    if (!dumpi_bytes(call, gathers ? "sendcount" : "recvcount", gathers ? "sendtype" : "recvtype",
                     &recorded.size))
        return false;
    g_array_set_size(blocks, 0);
    g_array_set_size(blocks, (guint)size);
    g_array_index(blocks, int64_t, (guint)rank) = recorded.size;
    return dumpi_take_blocks(call, &recorded);
}

// ---- Communicators ----

static void dumpi_made_free(gpointer one)
{
    struct dumpi_made *made = one;
    g_array_unref(made->members);
    g_free(made);
}

// The next communicator that the rank makes; NULL after an error: other ranks make another one.
static struct dumpi_made *dumpi_made_next(struct dumpi_call *call, bool split)
{
    GPtrArray *all = call->reader->made;
    if (call->made == (int)all->len) {
        struct dumpi_made *made = g_new(struct dumpi_made, 1);
        *made = (struct dumpi_made){split, g_array_new(FALSE, FALSE, sizeof(struct dumpi_member))};
        g_ptr_array_set_free_func(all, dumpi_made_free);
        g_ptr_array_add(all, made);
    }
    struct dumpi_made *made = g_ptr_array_index(all, call->made);
    if (made->split == split)
        return made;
    dumpi_complain(call, NULL, NULL, "other ranks make communicator %d by another call",
                   call->made + 1);
    return NULL;
}

static bool dumpi_put_new_communicator(struct dumpi_call *call, const struct dumpi_kind *kind)
{
    bool split = kind->code == OP_COMM_SPLIT;
    int64_t colour = 0, key = 0, id;
    const char *old = dumpi_value(call, "oldcomm");
    if (!old)
        return false;
    if (!strstr(old, "(MPI_COMM_WORLD)")) {
        dumpi_complain(call, "oldcomm", NULL,
                       "a communicator of another one than MPI_COMM_WORLD cannot be replayed");
        return false;
    }
    if (call->made == COMMUNICATORS_MOST) {
        dumpi_complain(call, NULL, NULL, "at most %d communicators can be replayed",
                       COMMUNICATORS_MOST);
        return false;
    }
    struct dumpi_made *made = dumpi_made_next(call, split);
    if (!made || !dumpi_integer(call, "newcomm", 0, INT32_MAX, &id) ||
        (split && (!dumpi_integer(call, "color", INT32_MIN, INT32_MAX, &colour) ||
                   !dumpi_integer(call, "key", INT32_MIN, INT32_MAX, &key))))
        return false;
    const struct dumpi_member member = {call->rank, (int)colour, (int)key};
    g_array_append_val(made->members, member);
    g_hash_table_insert(call->communicators, GINT_TO_POINTER((int)id), GINT_TO_POINTER(call->made));
    call->made++;
    return true;
}

// By colour, in it by key and then by rank.
static gint dumpi_member_order(gconstpointer one, gconstpointer other)
{
    const struct dumpi_member *a = one, *b = other;
    if (a->colour != b->colour)
        return a->colour < b->colour ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

bool dumpi_groups(struct dumpi_reader *reader, struct source_mark where, GPtrArray *communicators)
{
    for (guint i = 0; i < reader->made->len; i++) {
        const struct dumpi_made *made = g_ptr_array_index(reader->made, i);
        if ((int)made->members->len != reader->ranks) {
            diag_add(reader->diags, where, NULL, NULL, "communicator %u is made by %u of %d ranks",
                     i + 1, made->members->len, reader->ranks);
            return false;
        }
        char *name = g_strdup_printf("c%u", i);
        struct communicator *one = communicator_add(communicators, name);
        g_free(name);
        g_array_sort(made->members, dumpi_member_order);
        GArray *group = NULL;
        for (guint k = 0; k < made->members->len; k++) {
            const struct dumpi_member *member =
                &g_array_index(made->members, struct dumpi_member, k);
            if (member->colour < 0) // MPI_UNDEFINED
                continue;
            if (!group || member->colour != member[-1].colour)
                group = communicator_add_group(one);
            g_array_append_val(group, member->rank);
        }
    }
    return true;
}

// ---- All kinds ----

static const struct dumpi_kind dumpi_kinds[] = {
    {"MPI_Send", dumpi_put_message, OP_SEND},
    {"MPI_Ssend", dumpi_put_message, OP_SSEND},
    {"MPI_Rsend", dumpi_put_message, OP_RSEND},
    {"MPI_Recv", dumpi_put_message, OP_RECV},
    {"MPI_Isend", dumpi_put_message, OP_ISEND},
    {"MPI_Issend", dumpi_put_message, OP_ISSEND},
    {"MPI_Irsend", dumpi_put_message, OP_IRSEND},
    {"MPI_Irecv", dumpi_put_message, OP_IRECV},
    {"MPI_Probe", dumpi_put_message, OP_PROBE},
    {"MPI_Iprobe", dumpi_put_message, OP_IPROBE},
    {"MPI_Sendrecv", dumpi_put_both, OP_SENDRECV},
    {"MPI_Sendrecv_replace", dumpi_put_both, OP_SENDRECV_REPLACE},
    {"MPI_Wait", dumpi_put_all_done, OP_WAIT},
    {"MPI_Test", dumpi_put_all_done, OP_TEST},
    {"MPI_Waitall", dumpi_put_all_done, OP_WAITALL},
    {"MPI_Testall", dumpi_put_all_done, OP_TESTALL},
    {"MPI_Waitany", dumpi_put_one_done, OP_WAITANY},
    {"MPI_Testany", dumpi_put_one_done, OP_TESTANY},
    {"MPI_Waitsome", dumpi_put_some_done, OP_WAITSOME},
    {"MPI_Testsome", dumpi_put_some_done, OP_TESTSOME},
    {"MPI_Barrier", dumpi_put_whole, OP_BARRIER},
    {"MPI_Bcast", dumpi_put_whole, OP_BCAST},
    {"MPI_Reduce", dumpi_put_whole, OP_REDUCE},
    {"MPI_Allreduce", dumpi_put_whole, OP_ALLREDUCE},
    {"MPI_Scan", dumpi_put_whole, OP_SCAN},
    {"MPI_Exscan", dumpi_put_whole, OP_EXSCAN},
    {"MPI_Gather", dumpi_put_equal_blocks, OP_GATHER},
    {"MPI_Scatter", dumpi_put_equal_blocks, OP_SCATTER},
    {"MPI_Allgather", dumpi_put_equal_blocks, OP_ALLGATHER},
    {"MPI_Alltoall", dumpi_put_equal_blocks, OP_ALLTOALL},
    {"MPI_Gatherv", dumpi_put_rooted_blocks, OP_GATHERV},
    {"MPI_Scatterv", dumpi_put_rooted_blocks, OP_SCATTERV},
    {"MPI_Allgatherv", dumpi_put_blocks, OP_ALLGATHERV},
    {"MPI_Alltoallv", dumpi_put_blocks, OP_ALLTOALLV},
    {"MPI_Reduce_scatter", dumpi_put_blocks, OP_REDUCE_SCATTER},
    {"MPI_Comm_dup", dumpi_put_new_communicator, OP_COMM_DUP},
    {"MPI_Comm_split", dumpi_put_new_communicator, OP_COMM_SPLIT},
    {"MPI_Comm_size", dumpi_put_world_size, OP_LOOP},
    {"MPI_Finalize", dumpi_put_end, OP_LOOP},
    {NULL, NULL, OP_LOOP},
};

// Calls that send nothing; names that end with _ stand for all that begin so.
static const char *const dumpi_silent[] = {
    "MPI_Init",      "MPI_Init_thread", "MPI_Initialized", "MPI_Finalized",    "MPI_Query_thread",
    "MPI_Comm_rank", "MPI_Comm_free",   "MPI_Comm_group",  "MPI_Comm_compare", "MPI_Comm_test_",
    "MPI_Comm_set_", "MPI_Comm_get_",   "MPI_Group_",      "MPI_Type_",        "MPI_Get_",
    "MPI_Op_",       "MPI_Errhandler_", "MPI_Error_",      "MPI_Attr_",        "MPI_Keyval_",
    "MPI_Address",   "MPI_Wtime",       "MPI_Wtick",       "MPI_Pcontrol",     "MPI_Test_cancelled",
    "MPI_Pack",      "MPI_Unpack",      "MPI_Pack_",       "MPI_Dims_create",  "MPI_Alloc_mem",
    "MPI_Free_mem",  "MPI_Info_",
};

static bool dumpi_is_silent(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(dumpi_silent); i++) {
        const char *one = dumpi_silent[i];
        bool many = g_str_has_suffix(one, "_");
        if (many ? g_str_has_prefix(name, one) : strcmp(name, one) == 0)
            return true;
    }
    return false;
}

// Complains once about each kind of call, as a trace has many of one kind.
static bool dumpi_refuse(const struct dumpi_call *call)
{
    GPtrArray *refused = call->reader->refused;
    if (g_ptr_array_find_with_equal_func(refused, call->name, g_str_equal, NULL))
        return false;
    g_ptr_array_add(refused, g_strdup(call->name));
    dumpi_complain(call, NULL, "traces/record_otf2.sh records programs with more calls",
                   "this call of a DUMPI trace cannot be replayed");
    return false;
}

bool dumpi_put(struct dumpi_call *call)
{
    const struct dumpi_kind *kind = dumpi_kinds;
    if (call->before >= 0 && call->begin > call->before) {
        struct recorded_call work = recorded_call(OP_COMPUTE, call->line);
        work.work = (double)(call->begin - call->before);
        dumpi_append(call, &work);
    }
    while (kind->name && strcmp(kind->name, call->name) != 0)
        kind++;
    if (kind->name)
        return kind->put(call, kind);
    return dumpi_is_silent(call->name) ? dumpi_put_ignored(call, kind) : dumpi_refuse(call);
}
