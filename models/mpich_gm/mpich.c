// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich_gm/mpich.h"

#include "sim/core/fifo.h"
#include "sim/core/poison.h"

static const struct stage mpich_stage = {"MPICH", STAGE_LIBRARY};
static const struct stage mpi_iprobe_stage = {"MPI_Iprobe", STAGE_LIBRARY};

#define M struct mpich_gm_config
#define PRIOR "prior: instructions"

static const struct param params[] = {
    PARAM(M, eager, PARAM_SIZE, .fallback = "16 KiB", .most = "1 MiB",
          .doc = "longest message to another node; longer ones are not modelled",
          .source = "MPICH-GM 1.2: eager up to 16 KiB"),
    PARAM(M, header, PARAM_SIZE, .fallback = "32 B", .most = "1 KiB", .doc = "header of a message",
          .source = "prior: some 8 words", .prior = "24 B .. 48 B"),
    PARAM(M, send_buffers, PARAM_COUNT, .fallback = "32", .least = "1", .most = "1024",
          .doc = "registered buffers that messages are sent out of", .source = "assumed",
          .prior = "within 2"),
    PARAM(M, receive_buffers, PARAM_COUNT, .fallback = "64", .least = "1", .most = "1024",
          .doc = "receive buffers per port", .source = "assumed", .prior = "within 2"),
    PARAM(M, send, PARAM_COST, .fallback = "600 cycles",
          .doc = "a send: choosing the protocol, filling in a header", .source = PRIOR),
    PARAM(M, receive, PARAM_COST, .fallback = "400 cycles", .doc = "posting a receive",
          .source = PRIOR),
    PARAM(M, check, PARAM_COST, .fallback = "150 cycles",
          .doc = "one look of the device at its port, besides GM's own", .source = PRIOR),
    PARAM(M, iprobe, PARAM_COST, .fallback = "500 cycles",
          .doc = "MPI_Iprobe: the call and a search of the queues, besides that look",
          .source = PRIOR),
    {0},
};

const struct param_table mpich_gm_table =
    PARAM_TABLE(struct mpich_gm_config, params, .name = "mpich_gm",
                .doc = "MPICH 1.2 over GM, as far as ARMCI's programs use it");

static int64_t buffer_bytes(const struct mpich *mpich)
{
    return mpich->config->header + mpich->config->eager;
}

// ---- Startup ----

static int64_t registered(struct mpich *mpich, int64_t bytes)
{
    int64_t address = mpi_process_allocate(mpich->process, bytes);
    gm_dma_memory(mpich->port, address, bytes);
    return address;
}

static void release(struct mpich_buffer *buffer)
{
    buffer->next = buffer->mpich->free_buffers;
    buffer->mpich->free_buffers = buffer;
    poison(buffer, sizeof *buffer);
}

void mpich_init(struct mpich *mpich, struct mpi_process *process,
                const struct mpich_gm_config *config, struct gm_port *port, struct pool *headers,
                int64_t reserved)
{
    *mpich = (struct mpich){
        .process = process,
        .config = config,
        .port = port,
        .headers = headers,
        .reserved = reserved,
        .send_buffers = g_new0(struct mpich_buffer, config->send_buffers),
        .iprobes = sim_counter(process->sim, "MPICH: calls of MPI_Iprobe by ARMCI"),
    };
    int64_t bytes = buffer_bytes(mpich), address = registered(mpich, bytes * config->send_buffers);
    for (int64_t i = 0; i < config->send_buffers; i++) {
        mpich->send_buffers[i] =
            (struct mpich_buffer){.mpich = mpich, .address = address + i * bytes};
        release(&mpich->send_buffers[i]);
    }
}

void mpich_clear(struct mpich *mpich)
{
    g_free(mpich->send_buffers);
}

void mpich_startup(struct cpu_context *context, struct mpich *mpich)
{
    int size = gm_min_size_for_length(buffer_bytes(mpich));
    int64_t count = MIN(mpich->config->receive_buffers, gm_receive_tokens(mpich->port)),
            address = registered(mpich, count << size);
    for (int64_t i = 0; i < count; i++)
        gm_provide_receive_buffer(context, mpich->port, address + (i << size), size, 0);
}

// ---- Sending to another node ----

static void sent(struct cpu_context *context, struct gm_port *port, void *callback_context,
                 enum gm_status status);

// The data are in a buffer of the library then, and the send is done.
static bool send_now(struct cpu_context *context, struct mpich *mpich, struct mpi_request *request)
{
    const struct mpich *peer = mpich_of(request->process->peers[request->peer]);
    struct mpich_buffer *buffer = mpich->free_buffers;
    if (!buffer || gm_send_tokens(mpich->port) <= mpich->reserved)
        return false;
    unpoison(buffer, sizeof *buffer);
    mpich->free_buffers = buffer->next;
    struct mpich_header *header = pool_take(mpich->headers);
    *header = (struct mpich_header){
        .self = header, .envelope = mpi_send_envelope(request), .message = request->message};
    mpi_copy(context, mpich->process, request->size, COPY_WARM, request->message);
    struct gm_message message = {
        .address = buffer->address,
        .length = mpich->config->header + request->size,
        .header = mpich->config->header,
        .size = gm_min_size_for_length(buffer_bytes(mpich)),
        .target_host = peer->process->host->index,
        .target_port = gm_port_number(peer->port),
        .message = request->message,
        .content = header,
        .callback = sent,
        .callback_context = buffer,
    };
    gm_send_with_callback(context, mpich->port, &message);
    mpi_finish(context, request);
    return true;
}

static void sent(struct cpu_context *context, struct gm_port *port, void *callback_context,
                 enum gm_status status)
{
    struct mpich_buffer *buffer = callback_context;
    struct mpich *mpich = buffer->mpich;
    (void)port;
    release(buffer);
    if (status != GM_SUCCESS) {
        mpi_fail(mpich->process, "send_failed", NULL, ": GM gave up a message of MPICH's");
        return;
    }
    while (mpich->waiting.head && send_now(context, mpich, mpich->waiting.head))
        mpi_queue_pop(&mpich->waiting);
}

static bool refused(const struct mpich *mpich, const struct mpi_request *request)
{
    if (!request->synchronous && request->size <= mpich->config->eager)
        return false;
    mpi_fail(mpich->process, "unsupported", json_pack("{s:s}", "setting", "mpich_gm.eager"),
             " sends %" G_GINT64_FORMAT
             " B%s to rank %d: MPICH beside ARMCI is modelled for eager messages only "
             "(mpich_gm.eager: %" G_GINT64_FORMAT " B)",
             request->size, request->synchronous ? " synchronously" : "", request->peer,
             mpich->config->eager);
    return true;
}

// ---- Within the node: through shared memory ----

static void local_event(struct engine *engine, struct event *event)
{
    struct mpich_header *header = container_of(event, struct mpich_header, event);
    struct mpich *mpich = header->to;
    (void)engine;
    FIFO_APPEND(mpich->local, mpich->local_tail, header, next);
    cpu_wake(&mpich->process->task);
}

static void send_local(struct cpu_context *context, struct mpich *mpich,
                       struct mpi_request *request)
{
    struct mpich_header *header = pool_take(mpich->headers);
    *header = (struct mpich_header){
        .envelope = mpi_send_envelope(request),
        .message = request->message,
        .to = mpich_of(request->process->peers[request->peer]),
    };
    mpi_copy(context, mpich->process, request->size, COPY_WARM, request->message);
    event_init(&header->event, local_event);
    cpu_post(context, &header->event);
    mpi_finish(context, request);
}

static void start_send(struct cpu_context *context, struct mpich *mpich,
                       struct mpi_request *request)
{
    cpu_spend_for(context, mpich->config->send, &mpich_stage, request->message);
    if (request->process->peers[request->peer]->host == mpich->process->host) {
        send_local(context, mpich, request);
        return;
    }
    if (refused(mpich, request))
        return;
    if (!mpich->waiting.head && send_now(context, mpich, request))
        return;
    mpi_enter(context, request, MPICH_WAIT_TOKEN, NULL);
    mpi_queue_append(&mpich->waiting, request);
}

// ---- Receiving ----

// The message lies in a buffer of the library.
static void take_data(struct cpu_context *context, struct mpi_request *request,
                      enum copy_source source)
{
    mpi_copy(context, request->process, request->status.length, source, request->message);
    mpi_deliver(request);
    mpi_finish(context, request);
}

static void claim(struct cpu_context *context, struct mpi_request *request,
                  struct mpi_unexpected *message)
{
    (void)message;
    take_data(context, request, COPY_WARM);
}

const struct mpi_arrival_ops mpich_gm_arrival = {
    .posted = MPICH_POSTED, .done = MPICH_DONE, .claim = claim};

static void start_receive(struct cpu_context *context, struct mpich *mpich,
                          struct mpi_request *request)
{
    cpu_spend_for(context, mpich->config->receive, &mpich_stage, MESSAGE_NONE);
    mpi_receive_start(context, request);
}

// Takes a message that has come, and gives the header back.
static void take(struct cpu_context *context, struct mpich *mpich, struct mpich_header *header,
                 enum copy_source source)
{
    struct mpi_process *process = mpich->process;
    const struct mpi_envelope *envelope = &header->envelope;
    bool good;
    struct mpi_request *request = mpi_arrived(context, process, envelope, header->message, &good);
    if (request) {
        take_data(context, request, source);
    } else if (good) {
        struct mpi_unexpected *kept = mpi_keep(context, process, envelope, header->message, NULL);
        kept->whole = true;
        kept->buffered = envelope->length;
        mpi_copy(context, process, kept->buffered, source, header->message);
    }
    pool_give(mpich->headers, header);
}

void mpich_start(struct cpu_context *context, struct mpich *mpich, struct mpi_request *request)
{
    if (request->kind == REQUEST_SEND)
        start_send(context, mpich, request);
    else
        start_receive(context, mpich, request);
}

// ---- Progress ----

enum mpich_found { MPICH_FOUND_NOTHING, MPICH_FOUND_CALLBACK, MPICH_FOUND_MESSAGE };

static enum mpich_found take_event(struct cpu_context *context, struct mpich *mpich)
{
    struct gm_event event;
    switch (gm_receive(context, mpich->port, &event)) {
    case GM_NO_EVENT:
        break;
    case GM_RECV_EVENT:
    case GM_FAST_RECV_EVENT:
        take(context, mpich, ((const struct mpich_header *)event.content)->self, COPY_COLD);
        gm_provide_receive_buffer(context, mpich->port, event.buffer, event.size, 0);
        return MPICH_FOUND_MESSAGE;
    case GM_SENT_EVENT:
    case GM_ALARM_EVENT:
        gm_unknown(context, mpich->port, &event);
        return MPICH_FOUND_CALLBACK;
    }
    return MPICH_FOUND_NOTHING;
}

static enum mpich_found take_next(struct cpu_context *context, struct mpich *mpich)
{
    struct mpich_header *header = mpich->local;
    if (!header)
        return take_event(context, mpich);
    mpich->local = header->next;
    take(context, mpich, header, COPY_WARM);
    return MPICH_FOUND_MESSAGE;
}

// gmpi_net_lookup (f90a191, mpid/ch_gm/gmpi_priv.c 1021-1098): it ends with the first message,
// after any callbacks of sends before that; one that may wait ends with the first callback, too.
enum mpi_progress mpich_check(struct cpu_context *context, struct mpich *mpich, bool blocking)
{
    bool began = mpich->checking;
    if (!began)
        cpu_spend_for(context, mpich->config->check, &mpich_stage, MESSAGE_NONE);
    enum mpich_found found = take_next(context, mpich);
    mpich->checking = found == MPICH_FOUND_CALLBACK && !blocking;
    if (mpich->checking)
        return PROGRESS_PART;
    return found != MPICH_FOUND_NOTHING || began ? PROGRESS_EVENT : PROGRESS_NOTHING;
}

enum mpi_progress mpich_iprobe(struct cpu_context *context, struct mpich *mpich)
{
    if (!mpich->checking) {
        ++*mpich->iprobes;
        cpu_spend(context, mpich->config->iprobe, &mpi_iprobe_stage);
    }
    return mpich_check(context, mpich, false);
}

static sim_time turn(const struct mpich *mpich, struct cost more)
{
    const struct cpu *cpu = mpich->process->task.cpu;
    return MAX(1, cpu_cost(cpu, mpich->config->check) + cpu_cost(cpu, more));
}

sim_time mpich_check_turn(const struct mpich *mpich)
{
    return turn(mpich, (struct cost){0});
}

sim_time mpich_iprobe_turn(const struct mpich *mpich)
{
    return turn(mpich, mpich->config->iprobe);
}
