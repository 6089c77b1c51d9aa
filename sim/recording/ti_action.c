// SPDX-License-Identifier: GPL-3.0-or-later
// The actions of time-independent traces, as calls.
#include "sim/recording/ti.h"

#include <string.h>

// ---- Messages ----

static bool put_transfer(const struct ti_line *line, const struct ti_action *action)
{
    bool receives = action->code == OP_RECV || action->code == OP_IRECV;
    bool starts = action->code == OP_IRECV || action->code == OP_ISEND || action->code == OP_ISSEND;
    struct recorded_call call = ti_call(line, action->code);
    bool null = ti_is_null_or_any(line, TI_ARGUMENT);
    if (null && receives) {
        ti_complain(line, TI_ARGUMENT, NULL,
                    "-333 stands for MPI_ANY_SOURCE and for MPI_PROC_NULL: the trace does not say "
                    "for which");
        return false;
    }
    call.peer = TI_NULL_OR_ANY;
    if (!(null || ti_rank_at(line, TI_ARGUMENT, &call.peer)) ||
        !ti_tag_at(line, TI_ARGUMENT + 1, &call.tag) ||
        !ti_bytes_at(line, TI_ARGUMENT + 2, TI_ARGUMENT + 3, &call.size))
        return false;
    if (call.tag == OPERATION_ANY && !receives) {
        ti_complain(line, TI_ARGUMENT + 1, NULL, "a message is sent with a tag, not with any");
        return false;
    }
    if (starts)
        call.request = ti_request_start(line, receives ? call.peer : line->rank,
                                        receives ? line->rank : call.peer, call.tag, null);
    return null || ti_put(line, &call);
}

// MPI_Sendrecv: the trace has no tags.
static bool put_sendrecv(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    if (ti_is_null_or_any(line, TI_ARGUMENT + 1) || ti_is_null_or_any(line, TI_ARGUMENT + 3)) {
        ti_complain(line, TI_ARGUMENT, NULL, "the trace does not say which end is MPI_PROC_NULL");
        return false;
    }
    return ti_bytes_at(line, TI_ARGUMENT, TI_ARGUMENT + 4, &call.size) &&
           ti_rank_at(line, TI_ARGUMENT + 1, &call.peer) &&
           ti_bytes_at(line, TI_ARGUMENT + 2, TI_ARGUMENT + 5, &call.receive_size) &&
           ti_rank_at(line, TI_ARGUMENT + 3, &call.source) && ti_put(line, &call);
}

// ---- Time ----

static bool read_compute(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    return ti_amount(line, TI_ARGUMENT, "number of operations", 1e30, &call.work) &&
           (call.work == 0 || ti_put(line, &call));
}

static bool put_sleep(const struct ti_line *line, const struct ti_action *action)
{
    struct recorded_call call = ti_call(line, action->code);
    return ti_amount(line, TI_ARGUMENT, "time of at most 1e6 s", 1e6, &call.seconds) &&
           (call.seconds == 0 || ti_put(line, &call));
}

// ---- The beginning and the end ----

static bool put_init(const struct ti_line *line, const struct ti_action *action)
{
    (void)action;
    struct ti_rank *rank = ti_state(line);
    rank->doubles = line->count > TI_ARGUMENT;
    rank->started = true;
    return true;
}

static bool put_finalize(const struct ti_line *line, const struct ti_action *action)
{
    (void)action;
    ti_requests_finish(line);
    ti_state(line)->ended = true;
    return true;
}

static bool put_nothing(const struct ti_line *line, const struct ti_action *action)
{
    (void)line;
    (void)action;
    return true;
}

// Complains once about each kind of action, as a trace has many of one kind.
static bool ti_refuse(const struct ti_line *line, const struct ti_action *action)
{
    GPtrArray *refused = line->reader->refused;
    if (g_ptr_array_find_with_equal_func(refused, action->name, g_str_equal, NULL))
        return false;
    g_ptr_array_add(refused, (gpointer)action->name);
    ti_complain(line, 1, "traces/record_otf2.sh records what is missing",
                "%s cannot be replayed: %s", action->name, action->why);
    return false;
}

// Hints at why a number of arguments may be wrong.
#define FEWER "collectives of fewer ranks than all cannot be replayed"
#define NO_BLOCK "of MPI_Reduce_scatter_block the trace does not say how much it sends"

#define NOT_WHICH "the trace does not say which requests were done"

static const struct ti_action readable_actions[] = {
    {"init", 0, 1, 0, put_init, OP_LOOP, NULL},
    {"finalize", 0, 0, 0, put_finalize, OP_LOOP, NULL},
    {"compute", 1, 1, 0, read_compute, OP_COMPUTE, NULL},
    {"sleep", 1, 1, 0, put_sleep, OP_COMPUTE, NULL},
    {"location", 2, 2, 0, put_nothing, OP_LOOP, NULL},
    {"comm_size", 0, 1, 0, put_nothing, OP_LOOP, NULL},
    {"comm_split", 0, TI_ANY_NUMBER, 0, put_nothing, OP_LOOP, NULL},
    {"comm_dup", 0, TI_ANY_NUMBER, 0, put_nothing, OP_LOOP, NULL},
    {"send", 3, 4, 0, put_transfer, OP_SEND, NULL},
    {"Ssend", 3, 4, 0, put_transfer, OP_SSEND, NULL},
    {"isend", 3, 4, 0, put_transfer, OP_ISEND, NULL},
    {"ISsend", 3, 4, 0, put_transfer, OP_ISSEND, NULL},
    {"recv", 3, 4, 0, put_transfer, OP_RECV, NULL},
    {"irecv", 3, 4, 0, put_transfer, OP_IRECV, NULL},
    {"wait", 3, 3, 0, ti_put_wait, OP_WAIT, NULL},
    {"test", 3, 3, 0, ti_put_wait, OP_TEST, NULL},
    {"waitall", 1, 1, 0, ti_put_waitall, OP_WAITALL, NULL},
    {"sendRecv", 4, 6, 0, put_sendrecv, OP_SENDRECV, NULL},
    {"barrier", 0, 0, 0, ti_put_barrier, OP_BARRIER, NULL},
    {"bcast", 1, 3, 0, ti_put_bcast, OP_BCAST, NULL},
    {"reduce", 2, 4, 0, ti_put_reduce, OP_REDUCE, NULL},
    {"allreduce", 2, 3, 0, ti_put_allreduce, OP_ALLREDUCE, NULL},
    {"scan", 2, 3, 0, ti_put_allreduce, OP_SCAN, NULL},
    {"exscan", 2, 3, 0, ti_put_allreduce, OP_EXSCAN, NULL},
    {"alltoall", 2, 4, 0, ti_put_exchange, OP_ALLTOALL, NULL},
    {"allgather", 2, 4, 0, ti_put_exchange, OP_ALLGATHER, NULL},
    {"gather", 2, 5, 0, ti_put_gather_scatter, OP_GATHER, NULL},
    {"scatter", 2, 5, 0, ti_put_gather_scatter, OP_SCATTER, NULL},
    {"gatherv", 1, 4, 1, ti_put_rooted_blocks, OP_GATHERV, FEWER},
    {"scatterv", 1, 4, 1, ti_put_rooted_blocks, OP_SCATTERV, FEWER},
    {"allgatherv", 1, 3, 1, ti_put_allgatherv, OP_ALLGATHERV, FEWER},
    {"reducescatter", 1, 2, 1, ti_put_reduce_scatter, OP_REDUCE_SCATTER, NO_BLOCK},
    {"alltoallv", 2, 4, 2, ti_put_alltoallv, OP_ALLTOALLV, FEWER},
    {"waitAny", 0, TI_ANY_NUMBER, 0, ti_refuse, OP_WAITANY, NOT_WHICH},
    {"waitany", 0, TI_ANY_NUMBER, 0, ti_refuse, OP_WAITANY, NOT_WHICH},
    {"waitsome", 0, TI_ANY_NUMBER, 0, ti_refuse, OP_WAITSOME, NOT_WHICH},
    {"testall", 0, TI_ANY_NUMBER, 0, ti_refuse, OP_TESTALL, NOT_WHICH},
    {"testany", 0, TI_ANY_NUMBER, 0, ti_refuse, OP_TESTANY, NOT_WHICH},
    {"testsome", 0, TI_ANY_NUMBER, 0, ti_refuse, OP_TESTSOME, NOT_WHICH},
    {"Start", 0, TI_ANY_NUMBER, 0, ti_refuse, OP_START,
     "the trace does not say whether it sends or receives"},
    {"Startall", 0, TI_ANY_NUMBER, 0, ti_refuse, OP_STARTALL,
     "the trace does not say what it starts"},
    {"bsend", 0, TI_ANY_NUMBER, 0, ti_refuse, OP_BSEND,
     "the trace does not say how much memory was attached"},
    {"ibsend", 0, TI_ANY_NUMBER, 0, ti_refuse, OP_IBSEND,
     "the trace does not say how much memory was attached"},
    {NULL, 0, 0, 0, NULL, OP_LOOP, NULL},
};

static bool counted_right(const struct ti_line *line, const struct ti_action *action)
{
    int count = line->count - TI_ARGUMENT, listed = action->lists * line->reader->ranks;
    int least = action->least + listed, most = action->most + listed;
    if (count >= least && (action->most == TI_ANY_NUMBER || count <= most))
        return true;
    ti_complain(line, 1, action->why, "%s has %d argument%s, and not %d to %d as on %d ranks",
                action->name, count, count == 1 ? "" : "s", least, most, line->reader->ranks);
    return false;
}

bool ti_action(const struct ti_line *line)
{
    const char *name = line->words[1].text;
    const struct ti_action *action = readable_actions;
    while (action->name && strcmp(action->name, name) != 0)
        action++;
    const struct ti_rank *rank = ti_state(line);
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
