// SPDX-License-Identifier: GPL-3.0-or-later
// The device: requests become work requests, and completions end them.
#include "models/iwarp/native.h"

enum native_state {
    NATIVE_START,
    NATIVE_QUEUED,
    NATIVE_SEND,
    NATIVE_RECEIVE,
    NATIVE_READ,
    NATIVE_DONE,
};

static const struct machine_state native_states[] = {
    [NATIVE_START] = {"start",
                      {NULL, WAIT_OTHER},
                      HOLDER_UNKNOWN,
                      .next = MACHINE_TO(NATIVE_QUEUED, NATIVE_SEND, NATIVE_RECEIVE, NATIVE_READ)},
    [NATIVE_QUEUED] = {"queued",
                       {"room in the QP's queue", WAIT_DESCRIPTOR},
                       HELD_HERE,
                       .next = MACHINE_TO(NATIVE_SEND, NATIVE_RECEIVE, NATIVE_READ)},
    [NATIVE_SEND] = {"posted",
                     {"the progress thread to send it", WAIT_BUFFER},
                     HELD_HERE,
                     .next = MACHINE_TO(NATIVE_DONE)},
    [NATIVE_RECEIVE] = {"posted",
                        {"an entry of the CQ: its message", WAIT_OTHER},
                        HELD_BY_PEER,
                        .next = MACHINE_TO(NATIVE_DONE)},
    [NATIVE_READ] = {"posted",
                     {"an entry of the CQ: the response", WAIT_OTHER},
                     HELD_BY_PEER,
                     .next = MACHINE_TO(NATIVE_DONE)},
    [NATIVE_DONE] = {"done", {NULL, WAIT_OTHER}, HOLDER_UNKNOWN, 0},
};

static const struct machine_kind native_iwarp_machine = {
    .name = "iwarp native request",
    .logged = "send, recv, rdma_write, rdma_read",
    .title = "Request on bare iWARP",
    .source = "thesis 004, 3.3.6: work requests and their completions",
    .states = native_states,
    .count = G_N_ELEMENTS(native_states),
};

static struct native_iwarp_link *link_of(const struct mpi_request *request)
{
    return &native_iwarp_of(request->process)->links[request->peer];
}

static enum iwarp_operation operation_of(const struct mpi_request *request)
{
    if (request->kind == REQUEST_OPERATION)
        return request->operation->code == NATIVE_RDMA_WRITE ? IWARP_WRITE : IWARP_READ;
    return request->kind == REQUEST_SEND ? IWARP_SEND : IWARP_RECEIVE;
}

// ---- Failures ----

static void fail_link(const struct mpi_process *process, int peer)
{
    const char *error = iwarp_qp_error(native_iwarp_of(process)->links[peer].qp);
    mpi_fail(process, "qp_error",
             json_pack("{s:i, s:s}", "peer", peer, "error", error ? error : "closed"),
             " loses its queue pair with rank %d: %s", peer,
             error ? error : "the peer has closed it");
}

static void check_links(const struct mpi_process *process)
{
    for (int peer = 0; peer < process->ranks; peer++) {
        const struct iwarp_qp *qp = native_iwarp_of(process)->links[peer].qp;
        if (qp && iwarp_qp_error(qp)) {
            fail_link(process, peer);
            return;
        }
    }
}

// ---- Starting ----

int64_t native_iwarp_peer_address(const struct mpi_request *request)
{
    const struct native_iwarp_transfer *transfer = request->arguments;
    return transfer->peer_buffer != 0 ? transfer->peer_buffer : request->address;
}

// The tag of the caller's memory, which is registered now if it was not.
static uint32_t own_tag(struct cpu_context *context, const struct mpi_request *request)
{
    const struct native_iwarp_process *native = native_iwarp_of(request->process);
    uint32_t stag = iwarp_memory_find(native->rnic, request->address, request->size);
    if (stag != 0)
        return stag;
    return iwarp_memory_register(context, native->rnic, native->domain, request->address,
                                 MAX(1, request->size));
}

static uint32_t peer_tag(const struct mpi_request *request)
{
    const struct mpi_process *peer = request->process->peers[request->peer];
    return iwarp_memory_find(native_iwarp_of(peer)->rnic, native_iwarp_peer_address(request),
                             request->size);
}

// Fills the work request's part on the peer's memory. Returns false if it is not registered.
static bool name_peer_memory(const struct mpi_request *request, struct iwarp_work_request *work)
{
    if (request->kind != REQUEST_OPERATION)
        return true;
    work->remote_stag = peer_tag(request);
    work->remote_address = native_iwarp_peer_address(request);
    if (work->remote_stag != 0)
        return true;
    mpi_fail(request->process, "not_registered", json_pack("{s:i}", "peer", request->peer),
             ": %s of %" G_GINT64_FORMAT " B at %" G_GINT64_FORMAT
             " of rank %d, which has not registered that memory: let its program register it first",
             request->operation->name, request->size, work->remote_address, request->peer);
    return false;
}

// Posts the work request. Returns false if the queue is full.
static bool post_request(struct cpu_context *context, struct mpi_request *request)
{
    struct iwarp_qp *qp = link_of(request)->qp;
    enum iwarp_operation operation = operation_of(request);
    bool receives = operation == IWARP_RECEIVE || operation == IWARP_READ;
    struct iwarp_work_request work = {
        .id = request->number,
        .owner = request,
        .operation = operation,
        .message = request->message,
        .stands_in = request->size == 0 && operation != IWARP_RECEIVE,
    };
    if (!name_peer_memory(request, &work))
        return true;
    if (request->size > 0 || operation == IWARP_READ) {
        work.sgl[0] =
            (struct iwarp_sge){own_tag(context, request), request->address, request->size};
        work.sge_count = 1;
    }
    enum iwarp_result result =
        receives ? iwarp_qp_post_rq(context, qp, &work) : iwarp_qp_post_sq(context, qp, &work);
    if (result == IWARP_FULL)
        return false;
    if (result == IWARP_STATE)
        fail_link(request->process, request->peer);
    else if (result != IWARP_OK)
        mpi_fail(request->process, "iwarp", NULL, " posts a %s: %s", mpi_request_name(request),
                 iwarp_result_text(result));
    return true;
}

static enum native_state posted_state(const struct mpi_request *request)
{
    enum iwarp_operation operation = operation_of(request);
    return operation == IWARP_RECEIVE ? NATIVE_RECEIVE
           : operation == IWARP_READ  ? NATIVE_READ
                                      : NATIVE_SEND;
}

static bool same_queue(const struct mpi_request *a, const struct mpi_request *b)
{
    enum iwarp_operation one = operation_of(a), other = operation_of(b);
    bool sends = one == IWARP_SEND || one == IWARP_WRITE;
    bool both = other == IWARP_SEND || other == IWARP_WRITE;
    return a->peer == b->peer && (sends ? both : one == other);
}

// Whether an earlier one waits for the same queue.
static bool queue_has_earlier(const struct native_iwarp_process *native,
                              const struct mpi_request *request)
{
    for (const struct mpi_request *at = native->waiting.head; at; at = at->next)
        if (same_queue(at, request))
            return true;
    return false;
}

static void start_request(struct cpu_context *context, struct mpi_request *request)
{
    struct native_iwarp_process *native = native_iwarp_of(request->process);
    if (request->peer < 0 || request->peer == request->process->rank) {
        mpi_fail(request->process, "unsupported", NULL,
                 ": bare iWARP has no messages from any source or to self");
        return;
    }
    if (queue_has_earlier(native, request) || !post_request(context, request)) {
        mpi_enter(context, request, NATIVE_QUEUED, NULL);
        mpi_queue_append(&native->waiting, request);
        return;
    }
    mpi_enter(context, request, posted_state(request), NULL);
}

// The end of that request has made room in its queue.
static void post_waiting(struct cpu_context *context, struct native_iwarp_process *native,
                         const struct mpi_request *done)
{
    struct mpi_request *request = native->waiting.head;
    while (request && !same_queue(request, done))
        request = request->next;
    if (!request || !post_request(context, request))
        return;
    mpi_queue_remove(&native->waiting, request);
    mpi_enter(context, request, posted_state(request), NULL);
}

// ---- Completions ----

static void complete_request(struct cpu_context *context, const struct iwarp_completion *completion)
{
    struct mpi_request *request = completion->owner;
    if (completion->status != IWARP_SUCCESS) {
        fail_link(request->process, request->peer);
        return;
    }
    if (completion->operation == IWARP_RECEIVE) {
        const struct mpi_envelope envelope = {.source = request->peer, .length = completion->bytes};
        mpi_request_match(request, &envelope, completion->message);
    }
    mpi_enter(context, request, NATIVE_DONE, NULL);
    post_waiting(context, native_iwarp_of(request->process), request);
    mpi_request_done(context, request);
}

static bool poll_cq(struct cpu_context *context, struct mpi_process *process)
{
    struct iwarp_completion completion;
    enum iwarp_poll found = iwarp_cq_poll(context, native_iwarp_of(process)->cq, &completion);
    if (found == IWARP_POLL_ENTRY)
        complete_request(context, &completion);
    if (found != IWARP_POLL_NOTHING)
        check_links(process);
    return found != IWARP_POLL_NOTHING;
}

static enum mpi_progress native_advance(struct cpu_context *context, struct mpi_process *process,
                                        bool blocking)
{
    if (poll_cq(context, process))
        return PROGRESS_EVENT;
    if (!blocking || !process->active)
        return PROGRESS_NOTHING;
    bool now = iwarp_cq_block(context, native_iwarp_of(process)->cq) == IWARP_OK;
    return now ? PROGRESS_EVENT : PROGRESS_BLOCKED;
}

// ---- Memory ----

static bool register_memory(struct cpu_context *context, struct mpi_process *process,
                            int64_t address, int64_t size)
{
    const struct native_iwarp_process *native = native_iwarp_of(process);
    return iwarp_memory_register(context, native->rnic, native->domain, address, size) != 0;
}

static bool deregister_memory(struct cpu_context *context, struct mpi_process *process,
                              int64_t address, int64_t size)
{
    const struct native_iwarp_process *native = native_iwarp_of(process);
    uint32_t stag = iwarp_memory_find(native->rnic, address, size);
    return stag != 0 && iwarp_memory_deregister(context, native->rnic, stag) == IWARP_OK;
}

// ---- Order and reports ----

#define WAYS 256

// Writes of different streams, which follow from their steering tags, may overtake one another;
// all others complete in the order of their posting.
static int way(const struct mpi_request *request)
{
    if (request->kind != REQUEST_OPERATION || operation_of(request) != IWARP_WRITE)
        return 0;
    return iwarp_qp_stream(link_of(request)->qp, peer_tag(request)) % WAYS;
}

static json_t *describe_process(const struct mpi_process *process)
{
    const struct native_iwarp_process *native = native_iwarp_of(process);
    return native->rnic ? json_pack("{s:o}", "iwarp", iwarp_rnic_describe(native->rnic)) : NULL;
}

const struct mpi_device_ops native_iwarp_ops = {
    .name = "iWARP",
    .machine = &native_iwarp_machine,
    .startup = native_iwarp_startup,
    .startup_machine = &native_iwarp_startup_machine,
    .finalize = native_iwarp_finalize,
    .start = start_request,
    .advance = native_advance,
    .way = way,
    .register_memory = register_memory,
    .deregister_memory = deregister_memory,
    .describe_process = describe_process,
};
