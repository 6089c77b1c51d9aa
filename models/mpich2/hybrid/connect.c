// SPDX-License-Identifier: GPL-3.0-or-later
// Connections of queue pairs (thesis 004, 3.4.2, figures 3.8 and 3.9). The initiator's request goes
// to the target's second socket; the target peels the association off, answers, and registers the
// descriptor with a queue pair; the initiator does so with the answer.
//
// If two processes ask one another at once, the request of the lower rank holds, and the lower rank
// discards the other one. Both travel on one association, since SCTP merges what both ends open.
#include "models/mpich2/hybrid/hybrid.h"

#include <string.h>

#define PORT_BASE 34000 // captures show no known protocol on it

static const struct stage look_up_stage = {"look-up of a business card", STAGE_LIBRARY};

enum { REQUEST = 1, ANSWER };

// A request or an answer, as its content.
struct connection_packet {
    int32_t kind, rank;
    int64_t buffer;
    uint32_t stag;
};

static uint16_t port_of(int rank)
{
    return (uint16_t)(PORT_BASE + rank % 10000);
}

static const struct machine_state rdma_vc_states[] = {
    [CH3_HYBRID_NONE] = {"NONE", .next = MACHINE_TO(CH3_HYBRID_REQ_SENT, CH3_HYBRID_ACCEPTING)},
    [CH3_HYBRID_REQ_SENT] = {"REQ-SENT", .next = MACHINE_TO(CH3_HYBRID_UP, CH3_HYBRID_ACCEPTING)},
    [CH3_HYBRID_ACCEPTING] = {"ACCEPTING", .next = MACHINE_TO(CH3_HYBRID_UP)},
    [CH3_HYBRID_UP] = {.name = "UP"},
};

const struct machine_kind ch3_hybrid_vc_machine = {
    .name = "rdma vc",
    .title = "Queue pair of a virtual connection of ch3:hybrid",
    .source = "thesis 004, 3.4.2, figures 3.8 and 3.9",
    .states = rdma_vc_states,
    .count = G_N_ELEMENTS(rdma_vc_states),
};

static bool connects(const struct ch3_hybrid_vc *vc)
{
    return vc->machine.state == CH3_HYBRID_REQ_SENT || vc->machine.state == CH3_HYBRID_ACCEPTING;
}

static void enter_rdma_vc_state(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                                enum ch3_hybrid_vc_state state)
{
    const struct machine_owner owner = {.where = ch3_hybrid_mpi(vc->hybrid)->name,
                                        .subject = vc->peer};
    vc->hybrid->requests -= connects(vc);
    cpu_machine_enter(context, &ch3_hybrid_vc_machine, &vc->machine, state, owner, NULL);
    vc->hybrid->requests += connects(vc);
}

static void fail_connection(const struct ch3_hybrid_process *hybrid, const char *why)
{
    mpi_fail(ch3_hybrid_mpi(hybrid), "connection_broken", NULL, " connects queue pairs: %s", why);
}

// ---- A VC's objects ----

// The queue pair and the memory of a VC, made before it connects.
static void prepare_vc(struct cpu_context *context, struct ch3_hybrid_vc *vc)
{
    struct ch3_hybrid_process *hybrid = vc->hybrid;
    const struct ch3_hybrid_config *config = hybrid->config;
    const struct iwarp_qp_attributes attributes = {hybrid->cq, hybrid->cq, hybrid->domain, vc};
    if (vc->qp)
        return;
    vc->qp = iwarp_qp_create(context, hybrid->rnic, &attributes);
    vc->buffer = mpi_process_allocate(ch3_hybrid_mpi(hybrid), config->buffer);
    vc->stag =
        iwarp_memory_register(context, hybrid->rnic, hybrid->domain, vc->buffer, config->buffer);
    for (int slot = 0; slot < config->receives; slot++)
        ch3_hybrid_post_receive(context, vc, slot);
}

static void register_descriptor(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                                struct sctp_socket *socket)
{
    vc->socket = socket;
    ++*vc->hybrid->count.descriptors;
    if (iwarp_qp_register_sctp(context, vc->qp, socket) != IWARP_OK)
        fail_connection(vc->hybrid, "its descriptor is not connected");
}

static struct sctp_socket *peel_off(struct cpu_context *context,
                                    const struct ch3_hybrid_process *hybrid, uint32_t association)
{
    return sctp_peel_off(context, hybrid->socket, association, &ch3_hybrid_mpi(hybrid)->task);
}

// ---- Requests and answers ----

static struct sctp_send_info packet_info(const struct ch3_hybrid_vc *vc,
                                         struct connection_packet *packet, int kind)
{
    *packet = (struct connection_packet){.kind = kind,
                                         .rank = ch3_hybrid_mpi(vc->hybrid)->rank,
                                         .buffer = vc->buffer,
                                         .stag = vc->stag};
    return (struct sctp_send_info){
        .station = -1,
        .bytes = vc->hybrid->config->connect,
        .content = packet,
        .content_length = sizeof *packet,
    };
}

void ch3_hybrid_connect(struct cpu_context *context, struct ch3_hybrid_vc *vc)
{
    struct ch3_hybrid_process *hybrid = vc->hybrid;
    struct connection_packet packet;
    if (vc->machine.state != CH3_HYBRID_NONE)
        return;
    prepare_vc(context, vc);
    cpu_spend_time(context, hybrid->sctp.config->daemon, &look_up_stage);
    struct sctp_send_info info = packet_info(vc, &packet, REQUEST);
    info.station = ch3_sctp_address(&hybrid->sctp, vc->peer);
    info.port = port_of(vc->peer);
    if (sctp_send(context, hybrid->socket, &info) < 0)
        fail_connection(hybrid, "a request cannot be sent");
    enter_rdma_vc_state(context, vc, CH3_HYBRID_REQ_SENT);
}

static void accept_request(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                           uint32_t association)
{
    struct ch3_hybrid_process *hybrid = vc->hybrid;
    struct connection_packet packet;
    prepare_vc(context, vc);
    struct sctp_socket *socket = peel_off(context, hybrid, association);
    struct sctp_send_info info = packet_info(vc, &packet, ANSWER);
    if (!socket || sctp_send(context, socket, &info) < 0) {
        fail_connection(hybrid, "an answer cannot be sent");
        return;
    }
    register_descriptor(context, vc, socket);
    enter_rdma_vc_state(context, vc, CH3_HYBRID_ACCEPTING);
}

static void request_arrived(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                            uint32_t association)
{
    switch ((enum ch3_hybrid_vc_state)vc->machine.state) {
    case CH3_HYBRID_NONE:
        break;
    case CH3_HYBRID_REQ_SENT:
        if (vc->peer > ch3_hybrid_mpi(vc->hybrid)->rank)
            return; // discarded: the own one holds
        break;
    case CH3_HYBRID_ACCEPTING:
    case CH3_HYBRID_UP:
        fail_connection(vc->hybrid, "a second request");
        return;
    }
    accept_request(context, vc, association);
}

static void answer_arrived(struct cpu_context *context, struct ch3_hybrid_vc *vc,
                           uint32_t association)
{
    struct sctp_socket *socket = peel_off(context, vc->hybrid, association);
    if (!socket || vc->machine.state != CH3_HYBRID_REQ_SENT) {
        fail_connection(vc->hybrid, "an answer that nobody has asked for");
        return;
    }
    register_descriptor(context, vc, socket);
    enter_rdma_vc_state(context, vc, CH3_HYBRID_UP);
    ch3_hybrid_pump(context, vc);
}

bool ch3_hybrid_listen(struct cpu_context *context, struct ch3_hybrid_process *hybrid)
{
    const struct mpi_process *process = ch3_hybrid_mpi(hybrid);
    struct connection_packet packet;
    struct sctp_received received;
    int64_t bytes = sctp_receive(context, hybrid->socket, hybrid->config->connect, &received);
    if (bytes == SCTP_AGAIN)
        return false;
    if (bytes <= 0 || received.notification != SCTP_NOTHING ||
        received.content_length != sizeof packet) {
        fail_connection(hybrid, "what is no request");
        return true;
    }
    memcpy(&packet, received.content, sizeof packet);
    if (packet.rank < 0 || packet.rank >= process->ranks) {
        fail_connection(hybrid, "a request of nobody");
        return true;
    }
    struct ch3_hybrid_vc *vc = &hybrid->vcs[packet.rank];
    if (packet.kind == REQUEST)
        request_arrived(context, vc, received.association);
    else
        answer_arrived(context, vc, received.association);
    return true;
}

// An accepted connection is up once the initiator's host has the answer: nothing overtakes it then.
bool ch3_hybrid_accepted(struct cpu_context *context, struct ch3_hybrid_process *hybrid)
{
    struct sctp_status status;
    for (int rank = 0; rank < ch3_hybrid_mpi(hybrid)->ranks; rank++) {
        struct ch3_hybrid_vc *vc = &hybrid->vcs[rank];
        if (vc->machine.state != CH3_HYBRID_ACCEPTING || !sctp_status(vc->socket, 0, &status) ||
            status.unacked > 0)
            continue;
        enter_rdma_vc_state(context, vc, CH3_HYBRID_UP);
        ch3_hybrid_pump(context, vc);
        return true;
    }
    return false;
}

// ---- MPI_Init ----

static void placed(struct cpu_context *context, const struct iwarp_qp *qp,
                   enum iwarp_operation operation, struct message_ref message)
{
    struct ch3_hybrid_vc *vc = iwarp_qp_owner(qp);
    const GPtrArray *asked = vc->hybrid->asked;
    if (operation == IWARP_WRITE)
        g_array_append_val(vc->landed, message);
    for (guint i = 0; i < asked->len; i++) {
        struct ch3_hybrid_op *op = g_ptr_array_index(asked, i);
        if (!op || !message_same(op->pkt.message, message))
            continue;
        op->arrived = true; // the answer, in the order of the questions, ends it
        return;
    }
    mpi_message_arrived(context, ch3_hybrid_mpi(vc->hybrid), message);
}

static void barrier_event(struct engine *engine, struct event *event)
{
    const struct ch3_hybrid_process *first =
        container_of(event, struct ch3_hybrid_process, barrier);
    const struct mpi_process *process = ch3_hybrid_mpi(first);
    (void)engine;
    for (int rank = 0; rank < process->ranks; rank++) {
        ch3_hybrid_of(process->peers[rank])->barriers++;
        cpu_wake(&process->peers[rank]->task);
    }
}

static enum mpi_progress open_step(struct cpu_context *context, struct mpi_process *process,
                                   int peer)
{
    struct ch3_hybrid_process *hybrid = ch3_hybrid_of(process);
    const struct iwarp_user user = {
        .sim = process->sim,
        .host = process->host,
        .name = process->name,
        .task = &process->task,
        .thread_core = host_process_core(process->host, 1),
        .placed = placed,
    };
    (void)peer;
    event_init(&hybrid->barrier, barrier_event);
    hybrid->rnic = iwarp_rnic_open(context, hybrid->verbs, &user);
    hybrid->domain = iwarp_pd_allocate(context, hybrid->rnic);
    hybrid->cq = iwarp_cq_create(context, hybrid->rnic);
    hybrid->socket = sctp_socket_new(context, hybrid->sctp.host, SCTP_ONE_TO_MANY, &process->task);
    struct sctp_settings *settings = sctp_socket_settings(hybrid->socket);
    settings->no_delay = hybrid->sctp.config->no_delay;
    if (hybrid->sctp.config->socket_buffer)
        settings->send_buffer = settings->receive_buffer = hybrid->sctp.config->socket_buffer;
    sctp_bind(context, hybrid->socket, port_of(process->rank), ch3_sctp_cards(hybrid->sctp.config));
    sctp_listen(context, hybrid->socket);
    return PROGRESS_NOTHING;
}

// The process has done its part of the phase, and waits for all others.
static enum mpi_progress phase_barrier(struct cpu_context *context,
                                       struct ch3_hybrid_process *hybrid)
{
    struct mpi_process *process = ch3_hybrid_mpi(hybrid);
    struct ch3_hybrid_process *first = ch3_hybrid_of(process->peers[0]);
    if (!hybrid->waits) {
        hybrid->waits = true;
        if (++first->at_barrier == process->ranks) {
            first->at_barrier = 0;
            engine_schedule(process->sim->engine, &first->barrier,
                            context->now + hybrid->sctp.config->daemon);
        }
    }
    if (hybrid->barriers <= hybrid->phase)
        return PROGRESS_BLOCKED;
    hybrid->waits = false;
    hybrid->phase++;
    return PROGRESS_EVENT;
}

// Whether all VCs of this phase are connected, as far as this process knows.
static bool phase_over(const struct ch3_hybrid_process *hybrid)
{
    const struct mpi_process *process = ch3_hybrid_mpi(hybrid);
    if (hybrid->phase < process->rank)
        return hybrid->vcs[hybrid->phase].machine.state == CH3_HYBRID_UP;
    if (hybrid->phase > process->rank)
        return true;
    for (int rank = process->rank + 1; rank < process->ranks; rank++)
        if (hybrid->vcs[rank].machine.state != CH3_HYBRID_UP)
            return false;
    return true;
}

// Static connections: in phase i rank i connects to all higher ranks.
static enum mpi_progress join_step(struct cpu_context *context, struct mpi_process *process,
                                   int peer)
{
    struct ch3_hybrid_process *hybrid = ch3_hybrid_of(process);
    (void)peer;
    if (hybrid->config->connections == CH3_HYBRID_DYNAMIC || hybrid->phase == process->ranks)
        return PROGRESS_NOTHING;
    if (hybrid->phase == process->rank && hybrid->next < process->ranks) {
        int rank = MAX(hybrid->next, process->rank + 1);
        hybrid->next = rank + 1;
        if (rank < process->ranks)
            ch3_hybrid_connect(context, &hybrid->vcs[rank]);
        return PROGRESS_EVENT;
    }
    if (phase_over(hybrid))
        return phase_barrier(context, hybrid);
    if (hybrid->phase < process->rank &&
        hybrid->vcs[hybrid->phase].machine.state == CH3_HYBRID_ACCEPTING) {
        enter_rdma_vc_state(context, &hybrid->vcs[hybrid->phase], CH3_HYBRID_UP); // the barrier is
                                                                                  // to come
        return PROGRESS_EVENT;
    }
    if (!inet_wait(context, sctp_socket_inet(hybrid->socket), INET_READABLE))
        return PROGRESS_BLOCKED;
    ch3_hybrid_listen(context, hybrid);
    return PROGRESS_EVENT;
}

static const struct machine_state ch3_hybrid_startup_states[] = {
    [0] = {"open", .next = MACHINE_TO(1)},    [1] = {"open rdma", .next = MACHINE_TO(2)},
    [2] = {"publish", .next = MACHINE_TO(3)}, [3] = {"all", .next = MACHINE_TO(4)},
    [4] = {"join", .next = MACHINE_TO(5)},    [5] = {.name = "up"},
};

const struct machine_kind ch3_hybrid_startup_machine = {
    .name = "ch3:hybrid",
    .title = "Start-up of ch3:hybrid",
    .source = "thesis 004, 3.4.2",
    .states = ch3_hybrid_startup_states,
    .count = G_N_ELEMENTS(ch3_hybrid_startup_states),
};

const struct mpi_startup_step ch3_hybrid_startup[] = {
    {.run = ch3_sctp_open_step},
    {.run = open_step},
    {.run = ch3_sctp_publish_step},
    {.gate = true, .run = ch3_sctp_all_step},
    {.run = join_step},
    {0},
};
