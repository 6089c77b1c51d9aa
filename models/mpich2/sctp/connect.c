// SPDX-License-Identifier: GPL-3.0-or-later
// One socket per process, business cards, associations that the first message makes, connection
// packets, and the end (thesis 004, 3.2.1).
#include "models/mpich2/sctp/channel.h"

#include <string.h>

#define PORT_BASE 33000 // captures show no known protocol on it
#define OPEN_MARK 0xff  // first byte of a connection packet: no type of a packet
#define RANK_AT CH3_PKT_BYTES
#define TEXT_AT (RANK_AT + 4)

static const struct stage look_up_stage = {"look-up of a business card", STAGE_LIBRARY};

uint16_t ch3_sctp_port(int rank)
{
    return (uint16_t)(PORT_BASE + rank % 10000);
}

uint64_t ch3_sctp_cards(const struct ch3_sctp_config *config)
{
    uint64_t mask = 0;
    for (int i = 0; i < config->cards.count; i++)
        mask |= (uint64_t)1 << config->cards.values[i];
    return mask ? mask : (uint64_t)1 << config->daemon_card;
}

// ---- MPI_Init ----

// The card is with the daemon. MPI_Init returns once all are.
static void published_event(struct engine *engine, struct event *event)
{
    const struct mpi_process *process =
        container_of(event, struct ch3_sctp_process, published)->process;
    (void)engine;
    if (++ch3_sctp_of(process->peers[0])->published_count < process->ranks)
        return;
    for (int rank = 0; rank < process->ranks; rank++) {
        ch3_sctp_of(process->peers[rank])->all_published = true;
        cpu_wake(&process->peers[rank]->task);
    }
}

static void set_options(struct ch3_sctp_process *sctp)
{
    const struct ch3_sctp_config *config = sctp->config;
    struct sctp_settings *settings = sctp_socket_settings(sctp->socket);
    settings->streams_out = settings->streams_in = config->streams;
    if (config->no_delay)
        settings->no_delay = true;
    if (config->socket_buffer)
        settings->send_buffer = settings->receive_buffer = config->socket_buffer;
    sctp_subscribe(sctp->socket,
                   SCTP_EVENT_DATA_IO | (config->association_events ? SCTP_EVENT_ASSOCIATION : 0));
}

enum mpi_progress ch3_sctp_open_step(struct cpu_context *context, struct mpi_process *process,
                                     int peer)
{
    struct ch3_sctp_process *sctp = ch3_sctp_of(process);
    (void)peer;
    sctp->socket = sctp_socket_new(context, sctp->host, SCTP_ONE_TO_MANY, &process->task);
    set_options(sctp);
    sctp_bind(context, sctp->socket, ch3_sctp_port(process->rank), ch3_sctp_cards(sctp->config));
    sctp_listen(context, sctp->socket);
    return PROGRESS_NOTHING;
}

enum mpi_progress ch3_sctp_publish_step(struct cpu_context *context, struct mpi_process *process,
                                        int peer)
{
    struct ch3_sctp_process *sctp = ch3_sctp_of(process);
    (void)peer;
    event_init(&sctp->published, published_event);
    engine_schedule(process->sim->engine, &sctp->published, context->now + sctp->config->daemon);
    return PROGRESS_NOTHING;
}

enum mpi_progress ch3_sctp_all_step(struct cpu_context *context, struct mpi_process *process,
                                    int peer)
{
    (void)context, (void)peer;
    return ch3_sctp_of(process)->all_published ? PROGRESS_NOTHING : PROGRESS_BLOCKED;
}

static const struct machine_state ch3_sctp_startup_states[] = {
    [0] = {"open", .next = MACHINE_TO(1)},
    [1] = {"publish", .next = MACHINE_TO(2)},
    [2] = {"all", .next = MACHINE_TO(3)},
    [3] = {.name = "up"},
};

const struct machine_kind ch3_sctp_startup_machine = {
    .name = "ch3:sctp",
    .title = "Start-up of ch3:sctp",
    .source = "thesis 004, 3.2.1",
    .states = ch3_sctp_startup_states,
    .count = G_N_ELEMENTS(ch3_sctp_startup_states),
};

const struct mpi_startup_step ch3_sctp_startup[] = {
    {.run = ch3_sctp_open_step},
    {.run = ch3_sctp_publish_step},
    {.gate = true, .run = ch3_sctp_all_step},
    {0},
};

// ---- Virtual connections ----

struct ch3_sctp_vc *ch3_sctp_vc_at(struct ch3_sctp_process *sctp, int peer)
{
    struct ch3_sctp_vc *vc = sparse_at(&sctp->vcs, peer);
    if (vc->streams[0].vc)
        return vc;
    vc->peer = peer;
    for (int i = 0; i < sctp->config->streams; i++) {
        vc->streams[i].vc = vc;
        vc->streams[i].number = (uint16_t)i;
    }
    return vc;
}

// A VC is connected with the first of its streams, in either direction.
static const struct machine_state vc_states[] = {
    [CH3_SCTP_VC_NONE] = {"NONE",
                          .next = MACHINE_TO(CH3_SCTP_VC_CONNECTING, CH3_SCTP_VC_CONNECTED)},
    [CH3_SCTP_VC_CONNECTING] = {"CONNECTING", .next = MACHINE_TO(CH3_SCTP_VC_CONNECTED)},
    [CH3_SCTP_VC_CONNECTED] = {"CONNECTED", .next = MACHINE_TO(CH3_SCTP_VC_CLOSED)},
    [CH3_SCTP_VC_CLOSED] = {.name = "CLOSED"},
};

const struct machine_kind ch3_sctp_vc_machine = {
    .name = "vc",
    .title = "Virtual connection of ch3:sctp",
    .source = "thesis 004, 3.2.5",
    .states = vc_states,
    .count = G_N_ELEMENTS(vc_states),
};

void ch3_sctp_vc_enter(struct cpu_context *context, struct ch3_sctp_process *sctp,
                       struct ch3_sctp_vc *vc, enum ch3_sctp_vc_state state)
{
    if (vc->machine.state == state)
        return;
    const struct machine_owner owner = {.where = sctp->process->name, .subject = vc->peer};
    cpu_machine_enter(context, &ch3_sctp_vc_machine, &vc->machine, state, owner, NULL);
}

// The first address of the peer's business card: that of the first of its cards which take part.
int ch3_sctp_address(const struct ch3_sctp_process *sctp, int peer)
{
    int all[CH3_SCTP_MOST_CARDS];
    uint64_t mask = ch3_sctp_cards(sctp->config);
    int count = inet_stations(sctp->cluster, sctp->process->peers[peer]->host->index, all,
                              CH3_SCTP_MOST_CARDS);
    for (int card = 0; card < MIN(count, CH3_SCTP_MOST_CARDS); card++)
        if (mask >> card & 1)
            return all[card];
    return -1;
}

void ch3_sctp_vc_look_up(struct cpu_context *context, struct ch3_sctp_process *sctp,
                         struct ch3_sctp_vc *vc)
{
    if (vc->machine.state != CH3_SCTP_VC_NONE)
        return;
    cpu_spend_time(context, sctp->config->daemon, &look_up_stage);
    (*sctp->count.lookups)++;
    vc->station = ch3_sctp_address(sctp, vc->peer);
    ch3_sctp_vc_enter(context, sctp, vc, CH3_SCTP_VC_CONNECTING);
}

void ch3_sctp_vc_associated(struct ch3_sctp_process *sctp, struct ch3_sctp_vc *vc,
                            uint32_t association)
{
    g_hash_table_insert(sctp->by_id, GUINT_TO_POINTER(association), vc);
    if (vc->association == 0)
        vc->association = association;
}

void ch3_sctp_disconnect(struct cpu_context *context, struct ch3_process *ch3, int peer)
{
    struct ch3_sctp_process *sctp = ch3_sctp_of_ch3(ch3);
    ch3_sctp_vc_enter(context, sctp, ch3_sctp_vc_at(sctp, peer), CH3_SCTP_VC_CLOSED);
}

void ch3_sctp_lost(const struct ch3_sctp_process *sctp, const struct ch3_sctp_vc *vc)
{
    bool stuck = sctp->config->progress == CH3_SCTP_WRITE_FIRST && sctp->queue_head;
    if (vc)
        mpi_fail(sctp->process, "connection_broken", json_pack("{s:i}", "peer", vc->peer),
                 " loses its association with rank %d%s", vc->peer,
                 stuck ? ", which it has not read, as it writes before it reads "
                         "(ch3_sctp.progress)"
                       : "");
    else
        mpi_fail(sctp->process, "connection_broken", NULL,
                 " loses an association on which nobody has said who sends");
}

// ---- Connection packets ----

// The process group's name, of which all ranks have the same.
static void group_name(const struct ch3_sctp_process *sctp, char *name, size_t room)
{
    g_snprintf(name, room, "mpd_%.12s", sctp->process->peers[0]->host->name);
}

uint32_t ch3_sctp_open_write(const struct ch3_sctp_process *sctp, uint8_t *content)
{
    char group[32], text[CH3_SCTP_OPEN_BYTES - TEXT_AT];
    int32_t rank = sctp->process->rank;
    group_name(sctp, group, sizeof group);
    g_snprintf(text, sizeof text, "%s %.12s", group, sctp->process->host->name);
    memset(content, 0, SCTP_CONTENT_BYTES);
    content[0] = OPEN_MARK;
    memcpy(content + RANK_AT, &rank, sizeof rank);
    memcpy(content + TEXT_AT, text, strlen(text) + 1);
    return (uint32_t)(TEXT_AT + strlen(text) + 1);
}

// The rank that a connection packet of this group names, or -1.
static int parse(const struct ch3_sctp_process *sctp, const uint8_t *content, uint32_t length)
{
    char group[32];
    int32_t rank;
    group_name(sctp, group, sizeof group);
    size_t named = strlen(group);
    if (length <= TEXT_AT + named || content[0] != OPEN_MARK ||
        memcmp(content + TEXT_AT, group, named) != 0)
        return -1;
    memcpy(&rank, content + RANK_AT, sizeof rank);
    return rank >= 0 && rank < sctp->process->ranks ? rank : -1;
}

bool ch3_sctp_open_arrived(struct cpu_context *context, struct ch3_sctp_process *sctp,
                           const struct ch3_sctp_event *event)
{
    int rank = parse(sctp, event->content, event->received.content_length);
    if (rank < 0) {
        mpi_fail(sctp->process, "protocol", NULL,
                 " reads on stream %d what is no connection packet of its process group",
                 event->received.stream);
        return false;
    }
    struct ch3_sctp_vc *vc = ch3_sctp_vc_at(sctp, rank);
    struct ch3_sctp_stream *stream = &vc->streams[event->received.stream];
    ch3_sctp_vc_associated(sctp, vc, event->received.association);
    ch3_sctp_in_enter(context, sctp, stream, CH3_SCTP_KNOWN);
    if (vc->machine.state != CH3_SCTP_VC_CLOSED)
        ch3_sctp_vc_enter(context, sctp, vc, CH3_SCTP_VC_CONNECTED);
    return true;
}

// ---- MPI_Finalize ----

enum mpi_progress ch3_sctp_finalize(struct cpu_context *context, struct mpi_process *process)
{
    struct ch3_sctp_process *sctp = ch3_sctp_of(process);
    enum mpi_progress progress = ch3_finalize(context, process);
    if (progress != PROGRESS_NOTHING)
        return progress;
    if (sctp->queue_head || sctp->event_head || sctp->writing)
        return mpi_progress(context, process, true);
    if (sctp->socket)
        sctp_close(context, sctp->socket);
    sctp->socket = NULL;
    return PROGRESS_NOTHING;
}
