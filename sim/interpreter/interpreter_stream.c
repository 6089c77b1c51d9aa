// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that go on until a time has passed (stream.h): one buffer after the other.
#include "sim/interpreter/interpreter_internal.h"

static const struct stage wait_stage = {"wait for the start", STAGE_COMPUTE};

static enum interpreter_phase start_stream(struct interpreter *run, struct cpu_context *context,
                                           enum mpi_request_kind kind)
{
    const struct mpi_transfer transfer = {
        .peer = run->step.peer,
        .context = CONTEXT_POINT_TO_POINT,
        .address = run->step.address,
        .size = run->stream->write_size,
        .blocking = true,
    };
    interpreter_wait_for(run, mpi_start(context, run->process, kind, &transfer));
    return PHASE_WAIT;
}

static enum interpreter_phase write_next(struct interpreter *run, struct cpu_context *context)
{
    struct stream *stream = run->stream;
    sim_time start = time_after(stream->config->start, run->start); // by the process's own time
    if (!stream->begun && context->now < start) {
        cpu_spend_time(context, start - context->now, &wait_stage);
        return PHASE_NEXT;
    }
    if (!stream->begun)
        sim_measurement_begins(run->process->sim);
    stream_write(stream, context->now);
    return start_stream(run, context, REQUEST_SEND);
}

enum interpreter_phase interpreter_stream(struct interpreter *run, struct cpu_context *context)
{
    if (!run->stream) {
        interpreter_fail(run, "only a benchmark over time has a stream");
        return PHASE_NEXT;
    }
    run->streams = true;
    return op_call_is(&run->call, OP_STREAM_WRITE) ? write_next(run, context)
                                                   : start_stream(run, context, REQUEST_RECV);
}

bool interpreter_stream_goes_on(struct interpreter *run, sim_time now)
{
    if (!run->streams)
        return false;
    if (op_call_is(&run->call, OP_STREAM_WRITE)) {
        run->streams = !stream_is_written(run->stream);
    } else {
        stream_receive(run->stream, now);
        run->streams = !run->stream->ended;
    }
    return run->streams;
}
