// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/recording/ti_write.h"

#include "sim/recording/ti.h"

#include <string.h>

// The number that SimGrid 3.32 has for MPI_BYTE: all sizes are in bytes.
#define TI_BYTE 6
#define MOST_COUNT INT32_MAX // of elements of a message

// A request that is open.
struct open_request {
    int number; // recorded_call.request
    int source, destination;
    int64_t tag;
    int line;
    bool tested;
};

struct ti_writer {
    FILE *out;
    int rank, ranks;
    GArray *open; // struct open_request, in the order of their starts
};

static struct open_request *open_at(const struct ti_writer *writer, guint at)
{
    return &g_array_index(writer->open, struct open_request, at);
}

static void begin(const struct ti_writer *writer, const char *action)
{
    fprintf(writer->out, "%d %s", writer->rank, action);
}

static void put_number(const struct ti_writer *writer, int64_t number)
{
    fprintf(writer->out, " %" G_GINT64_FORMAT, number);
}

static void put_tag(const struct ti_writer *writer, int64_t tag)
{
    put_number(writer, tag == OPERATION_ANY ? TI_ANY_TAG : tag);
}

// With as few digits as give the number again.
static void put_amount(const struct ti_writer *writer, double amount)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    static const char *const formats[] = {"%.15g", "%.16g", "%.17g"};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_ascii_formatd(text, sizeof text, formats[i], amount);
        if (g_ascii_strtod(text, NULL) == amount)
            break;
    }
    fprintf(writer->out, " %s", text);
}

static void ti_line_end(const struct ti_writer *writer)
{
    fputc('\n', writer->out);
}

// ---- Requests ----

static bool same_names(const struct open_request *one, const struct open_request *other)
{
    return one->source == other->source && one->destination == other->destination &&
           one->tag == other->tag;
}

static int ti_communicator_find(const struct ti_writer *writer, int number)
{
    for (guint i = 0; i < writer->open->len; i++)
        if (open_at(writer, i)->number == number)
            return (int)i;
    return -1;
}

// Another with these names that was started earlier is the one that the trace would mean.
static bool hidden(const struct ti_writer *writer, int at)
{
    for (int i = 0; i < at; i++)
        if (same_names(open_at(writer, (guint)i), open_at(writer, (guint)at)))
            return true;
    return false;
}

// Returns why the request cannot be started, or NULL.
static const char *ti_line_start(struct ti_writer *writer, const struct recorded_call *call,
                                 bool receives)
{
    const struct open_request request = {call->request,
                                         receives ? call->peer : writer->rank,
                                         receives ? writer->rank : call->peer,
                                         call->tag,
                                         call->line,
                                         false};
    for (guint i = 0; i < writer->open->len; i++) {
        const struct open_request *other = open_at(writer, i);
        if (other->number == call->request || (other->tested && same_names(other, &request)))
            return "a TI trace does not say whether a test found the request done that was started "
                   "before";
    }
    g_array_append_val(writer->open, request);
    return NULL;
}

static void put_request(const struct ti_writer *writer, const char *action, int at)
{
    const struct open_request *request = open_at(writer, (guint)at);
    begin(writer, action);
    put_number(writer, request->source);
    put_number(writer, request->destination);
    put_tag(writer, request->tag);
    ti_line_end(writer);
}

// A wait for one or a test of it; nothing if it is not open any more.
// Returns why it cannot be written, or NULL.
static const char *put_wait(struct ti_writer *writer, int number, bool tests)
{
    int at = ti_communicator_find(writer, number);
    if (at < 0)
        return NULL;
    if (hidden(writer, at))
        return "a TI trace knows a request by source, destination and tag: one that was started "
               "earlier has the same";
    put_request(writer, tests ? "test" : "wait", at);
    if (tests)
        open_at(writer, (guint)at)->tested = true;
    else
        g_array_remove_index(writer->open, (guint)at);
    return NULL;
}

static bool is_awaited(const struct recorded_call *call, int number)
{
    for (int i = 0; i < call->awaited_count; i++)
        if (call->awaited[i] == number)
            return true;
    return call->awaits_all;
}

static const char *put_waitall(struct ti_writer *writer, const struct recorded_call *call)
{
    guint awaited = 0;
    for (guint i = 0; i < writer->open->len; i++)
        awaited += is_awaited(call, open_at(writer, i)->number);
    if (awaited == writer->open->len) {
        begin(writer, "waitall");
        put_number(writer, awaited);
        ti_line_end(writer);
        g_array_set_size(writer->open, 0);
        return NULL;
    }
    for (guint i = 0; i < writer->open->len;) {
        int number = open_at(writer, i)->number;
        const char *why = NULL;
        if (!is_awaited(call, number))
            i++;
        else
            why = put_wait(writer, number, false);
        if (why)
            return why;
    }
    return NULL;
}

// ---- Arguments ----

static int64_t block_of(const int64_t *blocks, const struct recorded_call *call, int rank)
{
    return blocks ? blocks[rank] : call->size;
}

static int64_t blocks_sum_of(const struct ti_writer *writer, const int64_t *blocks,
                             const struct recorded_call *call)
{
    int64_t sum = 0;
    for (int rank = 0; rank < writer->ranks; rank++)
        sum += block_of(blocks, call, rank);
    return sum;
}

static void ti_put_blocks(const struct ti_writer *writer, const int64_t *blocks,
                          const struct recorded_call *call)
{
    for (int rank = 0; rank < writer->ranks; rank++)
        put_number(writer, block_of(blocks, call, rank));
}

// A rank that is not the root knows its own block alone.
static void put_blocks_of_root(const struct ti_writer *writer, const struct recorded_call *call)
{
    bool root = writer->rank == call->root;
    for (int rank = 0; rank < writer->ranks; rank++)
        put_number(writer, root || rank == writer->rank ? block_of(call->blocks, call, rank) : 0);
}

enum field {
    FIELD_END,
    FIELD_PEER,
    FIELD_TAG,
    FIELD_SIZE,
    FIELD_SOURCE,
    FIELD_RECEIVE_SIZE,
    FIELD_ROOT,
    FIELD_NO_WORK, // of a reduction, whose work is unknown: a recording has it apart
    FIELD_OWN_BLOCK,
    FIELD_BLOCKS,
    FIELD_BLOCKS_OF_ROOT,
    FIELD_SUM, // of the blocks
    FIELD_RECEIVE_SUM,
    FIELD_RECEIVE_BLOCKS,
    FIELD_TYPE,
};

static void put_field(const struct ti_writer *writer, const struct recorded_call *call,
                      enum field field)
{
    switch (field) {
    case FIELD_END:
        return;
    case FIELD_PEER:
        put_number(writer, call->peer);
        return;
    case FIELD_TAG:
        put_tag(writer, call->tag);
        return;
    case FIELD_SIZE:
        put_number(writer, call->size);
        return;
    case FIELD_SOURCE:
        put_number(writer, call->source);
        return;
    case FIELD_RECEIVE_SIZE:
        put_number(writer, call->receive_size);
        return;
    case FIELD_ROOT:
        put_number(writer, call->root);
        return;
    case FIELD_NO_WORK:
        put_number(writer, 0);
        return;
    case FIELD_OWN_BLOCK:
        put_number(writer, block_of(call->blocks, call, writer->rank));
        return;
    case FIELD_BLOCKS:
        ti_put_blocks(writer, call->blocks, call);
        return;
    case FIELD_BLOCKS_OF_ROOT:
        put_blocks_of_root(writer, call);
        return;
    case FIELD_SUM:
        put_number(writer, blocks_sum_of(writer, call->blocks, call));
        return;
    case FIELD_RECEIVE_SUM:
        put_number(writer, blocks_sum_of(writer, call->receive_blocks, call));
        return;
    case FIELD_RECEIVE_BLOCKS:
        ti_put_blocks(writer, call->receive_blocks, call);
        return;
    case FIELD_TYPE:
        put_number(writer, TI_BYTE);
        return;
    }
}

// ---- Calls ----

struct action {
    enum op_code code;
    const char *name;
    // NULL: any call of the code can be written. Returns why this one cannot, or NULL.
    const char *(*objection)(const struct recorded_call *call);
    enum field fields[7];
};

static const char *rank_objection(const struct recorded_call *call)
{
    return call->peer == OPERATION_ANY
               ? "in a TI trace a receive from any rank looks like one from MPI_PROC_NULL"
               : NULL;
}

static const char *sendrecv_objection(const struct recorded_call *call)
{
    if (call->tag != 0 || call->receive_tag != 0)
        return "in a TI trace a sendrecv has no tags";
    return call->source == OPERATION_ANY ? "in a TI trace a sendrecv receives from one rank" : NULL;
}

#define MESSAGE                                                                                    \
    {                                                                                              \
        FIELD_PEER, FIELD_TAG, FIELD_SIZE, FIELD_TYPE                                              \
    }
#define REDUCTION                                                                                  \
    {                                                                                              \
        FIELD_SIZE, FIELD_NO_WORK, FIELD_TYPE                                                      \
    }
#define EXCHANGE                                                                                   \
    {                                                                                              \
        FIELD_SIZE, FIELD_SIZE, FIELD_TYPE, FIELD_TYPE                                             \
    }
#define ROOTED                                                                                     \
    {                                                                                              \
        FIELD_SIZE, FIELD_SIZE, FIELD_ROOT, FIELD_TYPE, FIELD_TYPE                                 \
    }

static const struct action written_actions[] = {
    {OP_SEND, "send", NULL, MESSAGE},
    {OP_ISEND, "isend", NULL, MESSAGE},
    {OP_RECV, "recv", rank_objection, MESSAGE},
    {OP_IRECV, "irecv", rank_objection, MESSAGE},
    {OP_SENDRECV,
     "sendRecv",
     sendrecv_objection,
     {FIELD_SIZE, FIELD_PEER, FIELD_RECEIVE_SIZE, FIELD_SOURCE, FIELD_TYPE, FIELD_TYPE}},
    {OP_BARRIER, "barrier", NULL, {FIELD_END}},
    {OP_BCAST, "bcast", NULL, {FIELD_SIZE, FIELD_ROOT, FIELD_TYPE}},
    {OP_REDUCE, "reduce", NULL, {FIELD_SIZE, FIELD_NO_WORK, FIELD_ROOT, FIELD_TYPE}},
    {OP_ALLREDUCE, "allreduce", NULL, REDUCTION},
    {OP_SCAN, "scan", NULL, REDUCTION},
    {OP_EXSCAN, "exscan", NULL, REDUCTION},
    {OP_ALLTOALL, "alltoall", NULL, EXCHANGE},
    {OP_ALLGATHER, "allgather", NULL, EXCHANGE},
    {OP_GATHER, "gather", NULL, ROOTED},
    {OP_SCATTER, "scatter", NULL, ROOTED},
    {OP_GATHERV,
     "gatherv",
     NULL,
     {FIELD_OWN_BLOCK, FIELD_BLOCKS_OF_ROOT, FIELD_ROOT, FIELD_TYPE, FIELD_TYPE}},
    {OP_SCATTERV,
     "scatterv",
     NULL,
     {FIELD_BLOCKS_OF_ROOT, FIELD_OWN_BLOCK, FIELD_ROOT, FIELD_TYPE, FIELD_TYPE}},
    {OP_ALLGATHERV, "allgatherv", NULL, {FIELD_OWN_BLOCK, FIELD_BLOCKS, FIELD_TYPE, FIELD_TYPE}},
    {OP_REDUCE_SCATTER, "reducescatter", NULL, {FIELD_BLOCKS, FIELD_NO_WORK, FIELD_TYPE}},
    {OP_ALLTOALLV,
     "alltoallv",
     NULL,
     {FIELD_SUM, FIELD_BLOCKS, FIELD_RECEIVE_SUM, FIELD_RECEIVE_BLOCKS, FIELD_TYPE, FIELD_TYPE}},
};

static const struct action *action_of(enum op_code code)
{
    for (size_t i = 0; i < G_N_ELEMENTS(written_actions); i++)
        if (written_actions[i].code == code)
            return &written_actions[i];
    return NULL;
}

// Why a call of no action cannot be written.
static const char *no_action(enum op_code code)
{
    switch ((int)code) {
    case OP_SSEND:
    case OP_ISSEND:
        return "the replay of TI traces knows no synchronous send";
    case OP_WAITANY:
    case OP_WAITSOME:
    case OP_TESTALL:
    case OP_TESTANY:
    case OP_TESTSOME:
        return "a TI trace does not say which requests were done";
    default:
        return "TI traces have no such call";
    }
}

static const char *put_action(struct ti_writer *writer, const struct recorded_call *call)
{
    const struct action *action = action_of(call->code);
    bool receives = call->code == OP_IRECV;
    const char *why = !action             ? no_action(call->code)
                      : action->objection ? action->objection(call)
                                          : NULL;
    if (!why && MAX(call->size, call->receive_size) > MOST_COUNT)
        why = "in a TI trace an MPI count is at most 2147483647";
    if (!why && (receives || call->code == OP_ISEND))
        why = ti_line_start(writer, call, receives);
    if (why)
        return why;
    begin(writer, action->name);
    for (size_t i = 0; i < G_N_ELEMENTS(action->fields); i++)
        put_field(writer, call, action->fields[i]);
    ti_line_end(writer);
    return NULL;
}

static void ti_put_compute(const struct ti_writer *writer, const struct recorded_call *call)
{
    const struct {
        const char *action;
        double amount;
    } parts[] = {{"compute", call->work}, {"sleep", call->seconds}};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        if (parts[i].amount <= 0)
            continue;
        begin(writer, parts[i].action);
        put_amount(writer, parts[i].amount);
        ti_line_end(writer);
    }
}

bool ti_writer_put(struct ti_writer *writer, const struct recorded_call *call, const char **why)
{
    *why = NULL;
    if (call->communicator != NO_COMMUNICATOR)
        *why = "TI traces have no communicators";
    else if (call->code == OP_COMPUTE)
        ti_put_compute(writer, call);
    else if (call->code == OP_WAITALL)
        *why = put_waitall(writer, call);
    else if (call->code == OP_WAIT || call->code == OP_TEST)
        *why = put_wait(writer, call->awaited[0], call->code == OP_TEST);
    else
        *why = put_action(writer, call);
    return !*why;
}

// ---- The beginning and the end ----

struct ti_writer *ti_writer_new(FILE *out, int rank, int ranks)
{
    struct ti_writer *writer = g_new(struct ti_writer, 1);
    *writer = (struct ti_writer){out, rank, ranks,
                                 g_array_new(FALSE, FALSE, sizeof(struct open_request))};
    begin(writer, "init");
    ti_line_end(writer);
    return writer;
}

void ti_writer_free(struct ti_writer *writer)
{
    if (!writer)
        return;
    g_array_unref(writer->open);
    g_free(writer);
}

bool ti_writer_end(struct ti_writer *writer, const char **why, int *line)
{
    if (writer->open->len > 0) {
        *why = "nothing waits for the request: a TI trace would not say whether it was done";
        *line = open_at(writer, 0)->line;
        return false;
    }
    begin(writer, "finalize");
    ti_line_end(writer);
    return true;
}
