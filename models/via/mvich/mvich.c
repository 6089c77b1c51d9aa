// SPDX-License-Identifier: GPL-3.0-or-later
// MVICH as a device: MPID_DeviceCheck, its waits, and its part of reports.
//
// MPID_DeviceCheck handles all completed descriptors, also if it may not block; it finds them on
// one completion queue, or else polls the queues of every VI in turn. Data of rendezvous leave when
// no packets are left. With nothing to handle a blocking check spins, and then waits on the
// completion queue.
#include "models/via/mvich/mvich.h"
#include "models/via/vip/process.h"

#define QUEUES 2 // of a VI: receive, send

static struct mvich_vbuf *vbuf_of(struct vip_descriptor *descriptor)
{
    return container_of(descriptor, struct mvich_vbuf, descriptor);
}

// ---- Looking ----

// VipRecvDone, then VipSendDone. True: one of them had something.
static bool look(struct cpu_context *context, struct mvich_connection *connection)
{
    struct vip_descriptor *descriptor = vip_recv_done(context, connection->vi);
    if (descriptor) {
        mvich_received(context, connection, vbuf_of(descriptor));
        return true;
    }
    descriptor = vip_send_done(context, connection->vi);
    if (descriptor)
        mvich_sent(context, connection->owner, vbuf_of(descriptor));
    return descriptor != NULL;
}

static bool anything(const struct mvich_connection *connection)
{
    return connection->vi->receive.done.head || connection->vi->send.done.head;
}

// Looks at the VIs in turn, from the one after the last that had something, until one has.
static bool look_round(struct cpu_context *context, struct mvich_process *mvich)
{
    int ranks = mvich->process->ranks;
    bool polled = mvich->polled;
    mvich->polled = false;
    for (int i = 0; i < ranks; i++) {
        struct mvich_connection *connection = &mvich->connections[mvich->next];
        if (++mvich->next == ranks)
            mvich->next = 0;
        if (connection->rank == mvich->process->rank || (polled && !anything(connection)))
            continue;
        if (look(context, connection))
            return true;
    }
    return false;
}

static bool look_at_cq(struct cpu_context *context, struct mvich_process *mvich)
{
    struct vip_cq_entry entry;
    mvich->polled = false;
    if (!vip_cq_done(context, mvich->cq, &entry))
        return false;
    struct mvich_connection *connection = entry.vi->owner;
    if (entry.receive)
        mvich_received(context, connection, vbuf_of(vip_recv_done(context, entry.vi)));
    else
        mvich_sent(context, mvich, vbuf_of(vip_send_done(context, entry.vi)));
    return true;
}

static bool push(struct cpu_context *context, struct mvich_process *mvich)
{
    for (int rank = 0; rank < mvich->process->ranks; rank++)
        if (mvich_push(context, &mvich->connections[rank]))
            return true;
    return false;
}

// ---- Waiting ----

static bool can_sleep(const struct mvich_process *mvich)
{
    return mvich->config->wait == MVICH_SPIN_WAIT && (mvich->cq || mvich->process->ranks == 2);
}

static enum mpi_progress sleep_on_queue(struct cpu_context *context, struct mvich_process *mvich)
{
    struct vip_cq_entry entry;
    if (!mvich->cq) // of two ranks: the other one's
        vip_wait(context, mvich->connections[mvich->process->rank == 0 ? 1 : 0].vi, false);
    else if (vip_cq_wait(context, mvich->cq, &entry))
        g_assert_not_reached(); // it was empty in this slice
    return PROGRESS_BLOCKED;
}

// A turn of the loop: a poll of every queue.
static sim_time turn(const struct cpu_context *context, const struct mvich_process *mvich)
{
    sim_time look = cpu_cost(context->cpu, vip_config(mvich->nic)->queue_check);
    int64_t queues = mvich->cq ? 1 : QUEUES * (mvich->process->ranks - 1);
    return MAX(1, time_times(MAX(1, queues), look));
}

static enum mpi_progress wait_for_event(struct cpu_context *context, struct mvich_process *mvich)
{
    sim_time round = turn(context, mvich);
    if (mvich->spun || (can_sleep(mvich) && mvich->config->spin == 0)) {
        mvich->spun = false;
        return sleep_on_queue(context, mvich);
    }
    if (can_sleep(mvich))
        engine_reschedule(mvich->process->sim->engine, &mvich->spin_over,
                          time_after(context->now, time_times(mvich->config->spin, round)));
    vip_poll_all(mvich->nic, round);
    mvich->polled = true;
    return PROGRESS_BLOCKED;
}

static enum mpi_progress advance(struct cpu_context *context, struct mpi_process *process,
                                 bool blocking)
{
    struct mvich_process *mvich = mvich_process_of(process);
    if (event_pending(&mvich->spin_over))
        engine_cancel(process->sim->engine, &mvich->spin_over);
    if (!mvich->checking)
        cpu_spend(context, mvich->config->check, &mvich_stage);
    mvich->checking = true;
    bool any = mvich->cq ? look_at_cq(context, mvich) : look_round(context, mvich);
    if (any || push(context, mvich)) {
        mvich->spun = false;
        return PROGRESS_EVENT;
    }
    if (blocking)
        return wait_for_event(context, mvich);
    mvich->checking = false;
    return PROGRESS_NOTHING;
}

// ---- Reports ----

static json_t *describe_request(const struct mpi_request *request)
{
    const struct mvich_request *r = (const struct mvich_request *)(const void *)request->device;
    bool matched = request->machine.state != MVICH_POSTED;
    json_t *json = json_object();
    if (matched)
        json_object_set_new(json, "protocol", json_string(mvich_protocol_name(r->protocol)));
    if (r->connection)
        json_object_set_new(json, "credits", json_integer(r->connection->remote_credit));
    return json;
}

static json_t *describe_process(const struct mpi_process *process)
{
    const struct mvich_process *mvich = mvich_process_of(process);
    return json_pack("{s:I, s:I, s:I, s:I}", "pinned_bytes",
                     (json_int_t)vip_pinned_bytes(mvich->nic), "pin_limit_bytes",
                     (json_int_t)vip_pin_limit(mvich->nic), "vbufs", (json_int_t)mvich->vbufs,
                     "vbufs_free", (json_int_t)mvich->vbufs_free);
}

// MPID_DeviceCheck handles all descriptors that are finished.
static const struct mpi_progress_rule mvich_progress = {
    .library = "MVICH 1.0",
    .turn = "MPID_DeviceCheck on one finished descriptor",
    .source =
        "MVAPICH 1.2RC1 (grondo/mvapich-cce 07401b8), mpid/ch_gen2: viacheck.c 60-77, 275-587, "
        "mpid_send.c 200-342, mpid_recv.c 54-111; MPICH 1.2.5, src/pt2pt: waitall.c 112-222, "
        "testall.c 70-124, waitany.c 105-193",
    .test = {MPI_TURNS, MPI_LOOKS, MPI_TURNS, MPI_LOOKS},
    .probe = {MPI_LOOKS, MPI_TURNS, MPI_LOOKS},
    .waits = MPI_WAITS_EXHAUST,
    .in_order = true,
};

const struct mpi_device_ops mvich_ops = {
    .name = "MVICH",
    .arrival = &mvich_arrival,
    .longest = MPI_LONGEST_COUNT,
    .request_size = sizeof(struct mvich_request),
    .machine = &mvich_request_machine,
    .startup = mvich_startup,
    .startup_machine = &mvich_startup_machine,
    .finalize = vip_process_finalize,
    .start = mvich_start,
    .progress = &mvich_progress,
    .advance = advance,
    .destroy = mvich_destroy,
    .describe_request = describe_request,
    .describe_process = describe_process,
};
