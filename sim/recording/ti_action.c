// SPDX-License-Identifier: GPL-3.0-or-later
// The actions of time-independent traces, as calls.
#include "sim/recording/ti.h"

#include "sim/config/quantity.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Bytes of a datatype, by its number; 0: it has none that is known.
static const unsigned char type_bytes[] = {
    8,
    4,
    1,
    2,
    8,
    4,
    1,
    8, // double .. long long
    1,
    1,
    2,
    4,
    8,
    8,
    16,
    4, // signed char .. wchar
    1,
    1,
    2,
    4,
    8,
    1,
    2,
    4,
    8, // bool, int8 .. uint64
    8,
    16,
    32,
    8,
    8, // complexes, aint, offset
    8,
    16,
    16,
    8,
    8,
    8,
    16,
    16, // float_int .. 2long
    4,
    4,
    8,
    16,
    8,
    16,
    16, // real .. complex32
    4,
    2,
    4,
    8,
    16,
    32, // integer1 .. long_double_int
    [57] = 1 /* packed */,
    [58] = 0,
    [59] = 8 /* count */,
};

struct action {
    const char *name;
    int least, most; // arguments, besides lists; most ANY_NUMBER: as many as it likes
    int lists;       // of a number per rank
    bool (*put)(const struct ti_line *line, const struct action *action);
    enum op_code code;
    const char *why; // it is refused
};

#define ANY_NUMBER (-1)

// Words of a line: the first of the arguments.
#define ARGUMENT 2

static struct ti_rank *state_of(const struct ti_line *line)
{
    return &line->reader->rank[line->rank];
}

static struct recorded_call call_of(const struct ti_line *line, enum op_code code)
{
    return recorded_call(code, line->mark.line);
}

static bool put(const struct ti_line *line, const struct recorded_call *call)
{
    recording_builder_put(line->reader->builder, line->rank, call);
    return true;
}

// ---- Arguments ----

bool ti_number(const struct ti_line *line, int word, const char *what, int64_t least, int64_t most,
               int64_t *value)
{
    const char *text = line->words[word].text;
    char *end;
    errno = 0;
    double number = strtod(text, &end); // counts may have been written as 1e+06
    bool whole = *text && *end == '\0' && isfinite(number) && floor(number) == number;
    if (whole && fabs(number) < 9e15)
        *value = (int64_t)number;
    else
        *value = whole && number > 0 ? INT64_MAX : INT64_MIN;
    if (!whole)
        ti_complain(line, word, NULL, "\"%.40s\" is no whole number (%s)", text, what);
    else if (*value < least || *value > most)
        ti_complain(line, word, NULL,
                    "%s %.40s is out of range (%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT ")", what,
                    text, least, most);
    return whole && *value >= least && *value <= most;
}

static bool amount(const struct ti_line *line, int word, const char *what, double most,
                   double *value)
{
    const char *text = line->words[word].text;
    char *end;
    *value = strtod(text, &end);
    if (*text && *end == '\0' && *value >= 0 && *value <= most)
        return true;
    ti_complain(line, word, NULL, "\"%.40s\" is no %s", text, what);
    return false;
}

// A rank that the call talks to.
static bool rank_at(const struct ti_line *line, int word, int *rank)
{
    int64_t value;
    if (!ti_number(line, word, "rank", 0, line->reader->ranks - 1, &value))
        return false;
    *rank = (int)value;
    return true;
}

static bool is_null_or_any(const struct ti_line *line, int word)
{
    return strtol(line->words[word].text, NULL, 10) == TI_NULL_OR_ANY;
}

static bool tag_at(const struct ti_line *line, int word, int64_t *tag)
{
    if (strtol(line->words[word].text, NULL, 10) == TI_ANY_TAG) {
        *tag = OPERATION_ANY;
        return true;
    }
    return ti_number(line, word, "tag", 0, INT32_MAX, tag);
}

// Bytes of an element: of the type that the line has at that place, or of the default.
static bool type_at(const struct ti_line *line, int word, int64_t *bytes)
{
    int64_t type;
    if (word >= line->count) {
        *bytes = state_of(line)->doubles ? 8 : 1;
        return true;
    }
    if (!ti_number(line, word, "datatype", -1, INT32_MAX, &type))
        return false;
    *bytes = type >= 0 && type < (int64_t)G_N_ELEMENTS(type_bytes) ? type_bytes[type] : 0;
    if (type == -1)
        ti_complain(line, word, "let the program send elements of MPI's own types, or bytes",
                    "the trace does not say how large the derived datatype is");
    else if (*bytes == 0)
        ti_complain(line, word, NULL, "datatype %.40s is not known", line->words[word].text);
    return *bytes > 0;
}

static bool bytes_at(const struct ti_line *line, int word, int type, int64_t *bytes)
{
    int64_t element, count;
    return type_at(line, type, &element) &&
           ti_number(line, word, "count", 0, quantity_most_value(QUANTITY_SIZE) / element,
                     &count) &&
           (*bytes = count * element, true);
}

static bool root_at(const struct ti_line *line, int word, int *root)
{
    *root = 0;
    return word >= line->count || rank_at(line, word, root);
}

// A block per rank, from that word on, in elements of `element` bytes.
static bool blocks_at(const struct ti_line *line, int word, int64_t element, GArray *blocks)
{
    int ranks = line->reader->ranks;
    int64_t most = quantity_most_value(QUANTITY_SIZE) / element / ranks;
    g_array_set_size(blocks, 0);
    for (int i = 0; i < ranks; i++) {
        int64_t count;
        if (!ti_number(line, word + i, "count", 0, most, &count))
            return false;
        count *= element;
        g_array_append_val(blocks, count);
    }
    return true;
}

static int64_t sum_of(const GArray *blocks)
{
    int64_t sum = 0;
    for (guint i = 0; i < blocks->len; i++)
        sum += g_array_index(blocks, int64_t, i);
    return sum;
}

// ---- Requests ----

static int request_start(const struct ti_line *line, int source, int destination, int64_t tag,
                         bool null)
{
    struct ti_rank *rank = state_of(line);
    struct ti_request request = {source, destination, tag, OPERATION_ANY};
    if (!null && rank->spare->len > 0) {
        request.number = g_array_index(rank->spare, int, rank->spare->len - 1);
        g_array_set_size(rank->spare, rank->spare->len - 1);
    } else if (!null) {
        request.number = rank->numbers++;
    }
    g_array_append_val(rank->open, request);
    return request.number;
}

// Which open request `wait` and `test` mean, by source, destination and tag: the first of those
// that are alike. -1: none.
static int request_find(const struct ti_rank *rank, int source, int destination, int64_t tag)
{
    for (guint i = 0; i < rank->open->len; i++) {
        const struct ti_request *one = &g_array_index(rank->open, struct ti_request, i);
        if (one->source == source && one->destination == destination &&
            (one->tag == tag || one->tag == OPERATION_ANY))
            return (int)i;
    }
    return -1;
}

// It is over: its number is free for another.
static void request_end(struct ti_rank *rank, int at)
{
    const struct ti_request *one = &g_array_index(rank->open, struct ti_request, (guint)at);
    if (one->number != OPERATION_ANY)
        g_array_append_val(rank->spare, one->number);
    g_array_remove_index(rank->open, (guint)at);
}

static void requests_end(struct ti_rank *rank)
{
    while (rank->open->len > 0)
        request_end(rank, (int)rank->open->len - 1);
    rank->tested = false;
}

static bool put_wait(const struct ti_line *line, const struct action *action)
{
    struct ti_rank *rank = state_of(line);
    int64_t ends[2], tag;
    for (int i = 0; i < 2; i++)
        if (!ti_number(line, ARGUMENT + i, "rank", TI_NULL_OR_ANY, line->reader->ranks - 1,
                       &ends[i]))
            return false;
    if (!tag_at(line, ARGUMENT + 2, &tag))
        return false;
    int at = request_find(rank, (int)ends[0], (int)ends[1], tag);
    if (at < 0) {
        ti_complain(line, ARGUMENT, "its start must come before", "no such request is open");
        return false;
    }
    int number = g_array_index(rank->open, struct ti_request, (guint)at).number;
    struct recorded_call call = call_of(line, action->code);
    call.awaited = &number;
    call.awaited_count = 1;
    if (number != OPERATION_ANY)
        put(line, &call);
    if (action->code == OP_WAIT)
        request_end(rank, at);
    rank->tested = rank->tested || action->code == OP_TEST;
    return true;
}

// It waits for all that are open, or else the trace does not say for which.
static bool put_waitall(const struct ti_line *line, const struct action *action)
{
    struct ti_rank *rank = state_of(line);
    struct recorded_call call = call_of(line, action->code);
    int64_t count;
    if (!ti_number(line, ARGUMENT, "count", 0, INT32_MAX, &count))
        return false;
    if (count < rank->open->len && !rank->tested) {
        ti_complain(line, ARGUMENT, "let the program wait for each, or for all",
                    "the trace does not say which %d of the %u open requests are waited for",
                    (int)count, rank->open->len);
        return false;
    }
    call.awaits_all = true;
    requests_end(rank);
    return put(line, &call);
}

// ---- Messages ----

static bool put_transfer(const struct ti_line *line, const struct action *action)
{
    bool receives = action->code == OP_RECV || action->code == OP_IRECV;
    bool starts = action->code == OP_IRECV || action->code == OP_ISEND || action->code == OP_ISSEND;
    struct recorded_call call = call_of(line, action->code);
    bool null = is_null_or_any(line, ARGUMENT);
    if (null && receives) {
        ti_complain(line, ARGUMENT, NULL,
                    "-333 stands for MPI_ANY_SOURCE and for MPI_PROC_NULL: the trace does not say "
                    "for which");
        return false;
    }
    call.peer = TI_NULL_OR_ANY;
    if (!(null || rank_at(line, ARGUMENT, &call.peer)) || !tag_at(line, ARGUMENT + 1, &call.tag) ||
        !bytes_at(line, ARGUMENT + 2, ARGUMENT + 3, &call.size))
        return false;
    if (call.tag == OPERATION_ANY && !receives) {
        ti_complain(line, ARGUMENT + 1, NULL, "a message is sent with a tag, not with any");
        return false;
    }
    if (starts)
        call.request = request_start(line, receives ? call.peer : line->rank,
                                     receives ? line->rank : call.peer, call.tag, null);
    return null || put(line, &call);
}

// MPI_Sendrecv: the trace has no tags.
static bool put_sendrecv(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    if (is_null_or_any(line, ARGUMENT + 1) || is_null_or_any(line, ARGUMENT + 3)) {
        ti_complain(line, ARGUMENT, NULL, "the trace does not say which end is MPI_PROC_NULL");
        return false;
    }
    return bytes_at(line, ARGUMENT, ARGUMENT + 4, &call.size) &&
           rank_at(line, ARGUMENT + 1, &call.peer) &&
           bytes_at(line, ARGUMENT + 2, ARGUMENT + 5, &call.receive_size) &&
           rank_at(line, ARGUMENT + 3, &call.source) && put(line, &call);
}

// ---- Time ----

static bool put_compute(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    return amount(line, ARGUMENT, "number of operations", 1e30, &call.work) &&
           (call.work == 0 || put(line, &call));
}

static bool put_sleep(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    return amount(line, ARGUMENT, "time of at most 1e6 s", 1e6, &call.seconds) &&
           (call.seconds == 0 || put(line, &call));
}

// The work of a reduction's own, after it.
static bool put_with_work(const struct ti_line *line, const struct recorded_call *call, int word)
{
    struct recorded_call work = call_of(line, OP_COMPUTE);
    if (!amount(line, word, "number of operations", 1e30, &work.work))
        return false;
    put(line, call);
    return work.work == 0 || put(line, &work);
}

// ---- Collectives ----

static bool put_barrier(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    return put(line, &call);
}

static bool put_bcast(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    return bytes_at(line, ARGUMENT, ARGUMENT + 2, &call.size) &&
           root_at(line, ARGUMENT + 1, &call.root) && put(line, &call);
}

static bool put_reduce(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    return bytes_at(line, ARGUMENT, ARGUMENT + 3, &call.size) &&
           root_at(line, ARGUMENT + 2, &call.root) && put_with_work(line, &call, ARGUMENT + 1);
}

// COUNT FLOPS [TYPE]
static bool put_allreduce(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    return bytes_at(line, ARGUMENT, ARGUMENT + 2, &call.size) &&
           put_with_work(line, &call, ARGUMENT + 1);
}

// SENT RECEIVED [TYPE TYPE]
static bool put_exchange(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    int64_t received;
    return bytes_at(line, ARGUMENT, ARGUMENT + 2, &call.size) &&
           bytes_at(line, ARGUMENT + 1, ARGUMENT + 3, &received) && put(line, &call);
}

// SENT RECEIVED [ROOT TYPE TYPE]: a block counts where it is, at the rank that is not the root
static bool put_gather_scatter(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    int64_t sent, received;
    bool gathers = action->code == OP_GATHER;
    if (!bytes_at(line, ARGUMENT, ARGUMENT + 3, &sent) ||
        !bytes_at(line, ARGUMENT + 1, ARGUMENT + 4, &received) ||
        !root_at(line, ARGUMENT + 2, &call.root))
        return false;
    call.size = gathers ? sent : received;
    return put(line, &call);
}

static void take_blocks(const struct ti_line *line, struct recorded_call *call)
{
    const GArray *blocks = line->reader->blocks;
    call->blocks = &g_array_index(blocks, int64_t, 0);
    call->block_count = (int)blocks->len;
    call->size = sum_of(blocks);
}

// gatherv: SENT RECEIVED*ranks [ROOT TYPE TYPE]; scatterv: SENT*ranks RECEIVED [ROOT TYPE TYPE].
// Ranks that are not the root know their own block alone.
static bool put_rooted_blocks(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    int ranks = line->reader->ranks;
    bool gathers = action->code == OP_GATHERV;
    int one = gathers ? ARGUMENT : ARGUMENT + ranks, many = gathers ? ARGUMENT + 1 : ARGUMENT;
    int root = ARGUMENT + 1 + ranks, send_type = root + 1, receive_type = root + 2;
    int64_t own, element;
    if (!root_at(line, root, &call.root) ||
        !bytes_at(line, one, gathers ? send_type : receive_type, &own) ||
        !type_at(line, gathers ? receive_type : send_type, &element) ||
        !blocks_at(line, many, element, line->reader->blocks))
        return false;
    int64_t *block = &g_array_index(line->reader->blocks, int64_t, (guint)line->rank);
    if (line->rank == call.root && *block != own) {
        ti_complain(line, one, NULL, "the root's own block has two sizes");
        return false;
    }
    *block = own;
    take_blocks(line, &call);
    return put(line, &call);
}

// SENT RECEIVED*ranks [TYPE TYPE]
static bool put_allgatherv(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    int types = ARGUMENT + 1 + line->reader->ranks;
    int64_t sent, element;
    if (!bytes_at(line, ARGUMENT, types, &sent) ||
        !type_at(line, types + 1 < line->count ? types + 1 : types, &element) ||
        !blocks_at(line, ARGUMENT + 1, element, line->reader->blocks))
        return false;
    if (sent != g_array_index(line->reader->blocks, int64_t, (guint)line->rank)) {
        ti_complain(line, ARGUMENT, NULL, "the rank's own block has two sizes");
        return false;
    }
    take_blocks(line, &call);
    return put(line, &call);
}

// RECEIVED*ranks FLOPS [TYPE]
static bool put_reduce_scatter(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    int flops = ARGUMENT + line->reader->ranks;
    int64_t element;
    if (!type_at(line, flops + 1, &element) ||
        !blocks_at(line, ARGUMENT, element, line->reader->blocks))
        return false;
    take_blocks(line, &call);
    return put_with_work(line, &call, flops);
}

// BUFFER SENT*ranks BUFFER RECEIVED*ranks [TYPE TYPE]
static bool put_alltoallv(const struct ti_line *line, const struct action *action)
{
    struct recorded_call call = call_of(line, action->code);
    int ranks = line->reader->ranks, types = ARGUMENT + 2 + 2 * ranks;
    int64_t sent, received;
    if (!type_at(line, types, &sent) || !type_at(line, types + 1, &received) ||
        !blocks_at(line, ARGUMENT + 1, sent, line->reader->blocks) ||
        !blocks_at(line, ARGUMENT + 2 + ranks, received, line->reader->receive_blocks))
        return false;
    take_blocks(line, &call);
    call.receive_blocks = &g_array_index(line->reader->receive_blocks, int64_t, 0);
    return put(line, &call);
}

// ---- The beginning and the end ----

static bool put_init(const struct ti_line *line, const struct action *action)
{
    (void)action;
    struct ti_rank *rank = state_of(line);
    rank->doubles = line->count > ARGUMENT;
    rank->started = true;
    rank->open = g_array_new(FALSE, FALSE, sizeof(struct ti_request));
    rank->spare = g_array_new(FALSE, FALSE, sizeof(int));
    return true;
}

// A request that was tested and never waited for was found done by its last test: how often the
// replay has to look it can't know, and waits.
static bool put_finalize(const struct ti_line *line, const struct action *action)
{
    (void)action;
    struct ti_rank *rank = state_of(line);
    struct recorded_call call = call_of(line, OP_WAITALL);
    call.awaits_all = true;
    if (rank->open->len > 0)
        put(line, &call);
    requests_end(rank);
    rank->ended = true;
    return true;
}

static bool put_nothing(const struct ti_line *line, const struct action *action)
{
    (void)line;
    (void)action;
    return true;
}

static bool refuse(const struct ti_line *line, const struct action *action)
{
    ti_complain(line, 1, NULL, "%s cannot be replayed: %s", action->name, action->why);
    return false;
}

#define NOT_WHICH "the trace does not say which requests were done"

static const struct action actions[] = {
    {"init", 0, 1, 0, put_init, OP_LOOP, NULL},
    {"finalize", 0, 0, 0, put_finalize, OP_LOOP, NULL},
    {"compute", 1, 1, 0, put_compute, OP_COMPUTE, NULL},
    {"sleep", 1, 1, 0, put_sleep, OP_COMPUTE, NULL},
    {"location", 2, 2, 0, put_nothing, OP_LOOP, NULL},
    {"comm_size", 0, 1, 0, put_nothing, OP_LOOP, NULL},
    {"comm_split", 0, ANY_NUMBER, 0, put_nothing, OP_LOOP, NULL},
    {"comm_dup", 0, ANY_NUMBER, 0, put_nothing, OP_LOOP, NULL},
    {"send", 3, 4, 0, put_transfer, OP_SEND, NULL},
    {"Ssend", 3, 4, 0, put_transfer, OP_SSEND, NULL},
    {"isend", 3, 4, 0, put_transfer, OP_ISEND, NULL},
    {"ISsend", 3, 4, 0, put_transfer, OP_ISSEND, NULL},
    {"recv", 3, 4, 0, put_transfer, OP_RECV, NULL},
    {"irecv", 3, 4, 0, put_transfer, OP_IRECV, NULL},
    {"wait", 3, 3, 0, put_wait, OP_WAIT, NULL},
    {"test", 3, 3, 0, put_wait, OP_TEST, NULL},
    {"waitall", 1, 1, 0, put_waitall, OP_WAITALL, NULL},
    {"sendRecv", 4, 6, 0, put_sendrecv, OP_SENDRECV, NULL},
    {"barrier", 0, 0, 0, put_barrier, OP_BARRIER, NULL},
    {"bcast", 1, 3, 0, put_bcast, OP_BCAST, NULL},
    {"reduce", 2, 4, 0, put_reduce, OP_REDUCE, NULL},
    {"allreduce", 2, 3, 0, put_allreduce, OP_ALLREDUCE, NULL},
    {"scan", 2, 3, 0, put_allreduce, OP_SCAN, NULL},
    {"exscan", 2, 3, 0, put_allreduce, OP_EXSCAN, NULL},
    {"alltoall", 2, 4, 0, put_exchange, OP_ALLTOALL, NULL},
    {"allgather", 2, 4, 0, put_exchange, OP_ALLGATHER, NULL},
    {"gather", 2, 5, 0, put_gather_scatter, OP_GATHER, NULL},
    {"scatter", 2, 5, 0, put_gather_scatter, OP_SCATTER, NULL},
    {"gatherv", 1, 4, 1, put_rooted_blocks, OP_GATHERV, NULL},
    {"scatterv", 1, 4, 1, put_rooted_blocks, OP_SCATTERV, NULL},
    {"allgatherv", 1, 3, 1, put_allgatherv, OP_ALLGATHERV, NULL},
    {"reducescatter", 1, 2, 1, put_reduce_scatter, OP_REDUCE_SCATTER, NULL},
    {"alltoallv", 2, 4, 2, put_alltoallv, OP_ALLTOALLV, NULL},
    {"waitAny", 0, ANY_NUMBER, 0, refuse, OP_WAITANY, NOT_WHICH},
    {"waitany", 0, ANY_NUMBER, 0, refuse, OP_WAITANY, NOT_WHICH},
    {"waitsome", 0, ANY_NUMBER, 0, refuse, OP_WAITSOME, NOT_WHICH},
    {"testall", 0, ANY_NUMBER, 0, refuse, OP_TESTALL, NOT_WHICH},
    {"testany", 0, ANY_NUMBER, 0, refuse, OP_TESTANY, NOT_WHICH},
    {"testsome", 0, ANY_NUMBER, 0, refuse, OP_TESTSOME, NOT_WHICH},
    {"Start", 0, ANY_NUMBER, 0, refuse, OP_START,
     "the trace does not say whether it sends or receives"},
    {"Startall", 0, ANY_NUMBER, 0, refuse, OP_STARTALL, "the trace does not say what it starts"},
    {"bsend", 0, ANY_NUMBER, 0, refuse, OP_BSEND,
     "the trace does not say how much memory was attached"},
    {"ibsend", 0, ANY_NUMBER, 0, refuse, OP_IBSEND,
     "the trace does not say how much memory was attached"},
    {NULL, 0, 0, 0, NULL, OP_LOOP, NULL},
};

static bool counted_right(const struct ti_line *line, const struct action *action)
{
    int count = line->count - ARGUMENT, listed = action->lists * line->reader->ranks;
    int least = action->least + listed, most = action->most + listed;
    if (count >= least && (action->most == ANY_NUMBER || count <= most))
        return true;
    ti_complain(line, 1, NULL, "%s has %d argument%s, and not %d to %d as on %d ranks",
                action->name, count, count == 1 ? "" : "s", least, most, line->reader->ranks);
    return false;
}

bool ti_action(const struct ti_line *line)
{
    const char *name = line->words[1].text;
    const struct action *action = actions;
    while (action->name && strcmp(action->name, name) != 0)
        action++;
    const struct ti_rank *rank = state_of(line);
    if (!action->name) {
        ti_complain(line, 1, NULL, "\"%.40s\" is no action that can be replayed", name);
        return false;
    }
    if (rank->started == (action->put == put_init) || rank->ended) {
        ti_complain(line, 1, NULL,
                    rank->ended     ? "%s after finalize"
                    : rank->started ? "%s for the second time"
                                    : "%s before init",
                    name);
        return false;
    }
    return counted_right(line, action) && action->put(line, action);
}
