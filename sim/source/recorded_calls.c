// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/source/recorded_calls.h"

#include "sim/source/call_kind.h"

// Exact if the result is a whole number, as it is of a trace that was replayed at this speed.
static double compute_work_of(const struct recorded_calls *calls, sim_time time)
{
    return (double)((long double)time * (long double)calls->speed / (long double)TIME_S);
}

// A call that names no request blocks, whatever it is called.
static const char *take_transfer(const struct op_call *from, struct recorded_call *call)
{
    const struct transfer_arguments *arguments = from->arguments;
    enum op_code code = (enum op_code)from->kind->code;
    bool starts = from->request != CALL_NO_REQUEST;
    enum send_mode mode = call_send_mode(code);
    if (call_request_kind(code) == REQUEST_PROBE)
        return "no recording has a probe";
    if (mode == SEND_BUFFERED || mode == SEND_READY)
        return "no recording says that a send is buffered, or that its receive is posted";
    call->tag = arguments->tag;
    if (call_request_kind(code) == REQUEST_RECV)
        call->code = starts ? OP_IRECV : OP_RECV;
    else if (mode == SEND_SYNCHRONOUS)
        call->code = starts ? OP_ISSEND : OP_SSEND;
    else
        call->code = starts ? OP_ISEND : OP_SEND;
    return NULL;
}

static const char *take_sendrecv(const struct op_call *from, struct recorded_call *call)
{
    const struct sendrecv_arguments *arguments = from->arguments;
    if (op_call_is(from, OP_SENDRECV_REPLACE))
        return "no recording says that the received data replace those that are sent";
    call->tag = arguments->send.tag;
    call->source = arguments->source;
    call->receive_size = sendrecv_receive_size(from->kind, arguments);
    call->receive_tag = sendrecv_receive_tag(from->kind, arguments);
    return NULL;
}

static const char *take_collective(const struct recorded_calls *calls, struct recorded_call *call)
{
    const struct collective_arguments *arguments = calls->from.arguments;
    call->peer = OPERATION_ANY;
    call->root = arguments->root;
    call->blocks = arguments->blocks;
    call->receive_blocks = arguments->receive_blocks;
    call->block_count = arguments->blocks ? calls->ranks : 0;
    return NULL;
}

static const char *take_wait(const struct op_call *from, struct recorded_call *call)
{
    enum op_code code = (enum op_code)from->kind->code;
    const struct test_arguments *test = from->arguments;
    if (call_tests(code) && test->every != OPERATION_ANY)
        return "how often it tests, only a run says";
    call->awaited = from->awaited;
    call->awaited_count = from->awaited_count;
    call->awaits_all = from->awaits_all;
    return NULL;
}

// Of what is not a message or a wait, a recording has nothing but work.
static const char *take_local(const struct recorded_calls *calls, struct recorded_call *call)
{
    const struct compute_arguments *arguments = calls->from.arguments;
    if (!op_call_is(&calls->from, OP_COMPUTE))
        return "no recording has it: the host's memory says how long it takes";
    call->work = compute_work_of(calls, arguments->time);
    return NULL;
}

// Fills in the call. Returns why no recording has it, or NULL.
static const char *take(const struct recorded_calls *calls, struct recorded_call *call)
{
    const struct op_call *from = &calls->from;
    *call = recorded_call((enum op_code)from->kind->code, from->mark->line);
    if (from->group)
        return "communicators cannot be recorded";
    call->peer = op_call_common(from)->peer;
    call->size = op_call_common(from)->size;
    call->request = from->request;
    switch (from->kind->class) {
    case CALL_TRANSFER:
        return take_transfer(from, call);
    case CALL_SENDRECV:
        return take_sendrecv(from, call);
    case CALL_COLLECTIVE:
        return take_collective(calls, call);
    case CALL_WAIT:
        return take_wait(from, call);
    case CALL_LOCAL:
        return take_local(calls, call);
    case CALL_COMMUNICATOR:
        return "communicators cannot be recorded";
    case CALL_PERSISTENT:
    case CALL_REQUEST:
        return "no recording has requests that are started again and again";
    case CALL_BUFFER:
        return "no recording has buffered sends";
    case CALL_OPERATION:
    case CALL_MEMORY:
        return "a recording has MPI's messages and collectives alone";
    case CALL_STREAM:
        return "how much is written until a time is over, only a run says";
    case CALL_MEASURE:
    case CALL_LOOP:
        break;
    }
    return NULL;
}

enum source_next recorded_calls_next(struct recorded_calls *calls, int rank,
                                     struct recorded_call *call)
{
    for (;;) {
        enum source_next next = calls->source->next(calls->source, rank, &calls->from);
        if (next == SOURCE_WRONG)
            calls->why = calls->from.wrong;
        if (next == SOURCE_END || next == SOURCE_WRONG)
            return next;
        enum call_class class = calls->from.kind->class;
        if (next == SOURCE_LAP || class == CALL_MEASURE || class == CALL_LOOP || calls->from.passes)
            continue;
        calls->why = take(calls, call);
        return calls->why ? SOURCE_WRONG : SOURCE_CALL;
    }
}
