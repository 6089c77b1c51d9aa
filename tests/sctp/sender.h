// SPDX-License-Identifier: GPL-3.0-or-later
// A sender by itself: streams, output, SACK processing, recovery, T3 and congestion control with
// the paths, their schedulers and RTO of the model, but with fakes in place of the host, the
// receiver, set-up and heartbeats. A test program includes this once.
//
// Output is recorded as text: "1[1 2] 2[3]" are two packets, of TSNs 1 and 2 to path 1 and of TSN
// 3 to path 2; TSNs count from 1, whatever the initial TSN. A test feeds SACKs: "4 6-7 9" has
// cum_tsn 4 and two gap blocks.
#ifndef NETSIM_TESTS_SCTP_SENDER_H
#define NETSIM_TESTS_SCTP_SENDER_H

#include "models/sctp_cmt/sctp/association.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SENDER_PATHS 3
#define SENDER_RWND 1000000
#define CHUNK 1452 // bytes of user data that fill a packet of 1,500 B
#define WIRE 1468  // with the chunk's header: what flight counts

struct sender {
    struct sim *sim;
    struct cpu *cpu, *cores[1];
    struct host host;
    struct inet_host inet;
    struct inet_interface interfaces[SENDER_PATHS];
    struct sctp_host stack;
    struct sctp_config config;
    struct param_values *values;
    struct sctp_association association;
    struct sctp_path paths[SCTP_MOST_PATHS];
    struct pool boxes; // of packets
    int64_t counters[32];
    uint32_t first; // initial TSN
    GString *sent;
    int64_t packets, largest; // sent; bytes of the largest
    bool full[SENDER_PATHS];  // the interface's queue is
    bool sack_due;
    bool quiet; // no text of what leaves
    int aborts, woken, heartbeats;
    void (*carry)(struct sender *sender, const struct sctp_path *path, uint32_t tsn); // NULL: none
};

// The fakes find the test's sender by it.
static struct sender *sender_now;

// ---- Fakes ----

// Other tests have stand-ins of their own for these, in a library that is searched first: only what
// the sender itself refers to is to decide.
#pragma weak sctp_output
#pragma weak sctp_control_queue

const struct stage sctp_stage = {"SCTP", STAGE_KERNEL};

bool sctp_may_send_data(const struct sctp_association *association)
{
    return association->machine.state == SCTP_ESTABLISHED ||
           association->machine.state == SCTP_SHUTDOWN_PENDING ||
           association->machine.state == SCTP_SHUTDOWN_RECEIVED ||
           (association->machine.state == SCTP_COOKIE_ECHOED && association->echo_waits);
}

void sctp_fail(struct sctp_association *association, enum sctp_cause cause, const void *info,
               uint32_t info_bytes, enum sctp_result error)
{
    (void)cause, (void)info, (void)info_bytes, (void)error;
    sctp_due(association, SCTP_DUE_ABORT);
}

void sctp_association_abort(struct cpu_context *context, struct sctp_association *association)
{
    (void)context;
    association->machine.state = SCTP_CLOSED;
    for (int i = 0; i < association->path_count; i++)
        sctp_t3_stop(&association->paths[i]);
    sender_now->aborts++;
}

void sctp_message_lost(struct sctp_host *host, const struct sctp_message *message, uint32_t offset,
                       int64_t bytes, const char *reason)
{
    (void)host, (void)message, (void)offset, (void)bytes, (void)reason;
}

void sctp_heartbeat_send(struct cpu_context *context, struct sctp_path *path)
{
    (void)context, (void)path;
    sender_now->heartbeats++;
}

void sctp_heartbeat_again(struct cpu_context *context, struct sctp_path *path)
{
    sctp_heartbeat_send(context, path);
}

void sctp_heartbeat_rearm(struct cpu_context *context, struct sctp_path *path)
{
    (void)context, (void)path;
}

void sctp_notify(struct cpu_context *context, struct sctp_association *association,
                 enum sctp_notification notification, int station)
{
    (void)context, (void)association, (void)notification, (void)station;
}

void sctp_values_tell(const struct cpu_context *context, struct sctp_association *association)
{
    (void)context, (void)association;
}

void sctp_shutdown_check(struct cpu_context *context, struct sctp_association *association)
{
    (void)context, (void)association;
}

void sctp_t1_start(struct cpu_context *context, struct sctp_association *association)
{
    (void)context, (void)association;
}

void sctp_t2_start(struct cpu_context *context, struct sctp_association *association)
{
    (void)context, (void)association;
}

static inline void sender_t3(struct cpu_context *context, void *owner)
{
    struct sctp_path *path = owner;
    sctp_t3_expired(context, path);
    sctp_run_due(context, path->association);
}

static const struct inet_timer_kind sender_timers[SCTP_TIMERS] = {
    [SCTP_T3] = {.wait = {"T3-rtx", STAGE_FOR_ACK},
                 .waited = sctp_t3_waited,
                 .stage = &sctp_stage,
                 .run = sender_t3},
    [SCTP_T3_IDLE_PROBE] = {.wait = {"T3-rtx (window probe)", STAGE_FOR_WINDOW},
                            .stage = &sctp_stage,
                            .run = sender_t3,
                            .background = true},
};

void sctp_socket_changed(struct cpu_context *context, struct sctp_association *association)
{
    (void)context, (void)association;
    sender_now->woken++;
}

struct sctp_chunk *sctp_sack_take(struct cpu_context *context, struct sctp_association *association,
                                  bool always)
{
    (void)context, (void)always;
    if (!sender_now->sack_due)
        return NULL;
    sender_now->sack_due = false;
    return sctp_chunk_new(&association->host->pools, SCTP_SACK, 0);
}

bool inet_full(const struct inet_interface *interface)
{
    return sender_now->full[interface - sender_now->interfaces];
}

struct inet_interface *inet_interface_of(const struct inet_host *host, int station)
{
    (void)host;
    return &sender_now->interfaces[station];
}

const struct route *inet_route(const struct inet_interface *interface, int station)
{
    (void)station;
    return (const void *)interface; // not NULL, and never dereferenced
}

int64_t inet_path_mtu(const struct inet_interface *interface, int station)
{
    (void)station;
    return interface->mtu;
}

struct packet *inet_packet_new(struct inet_interface *interface, const struct route *route,
                               int64_t bytes)
{
    (void)interface;
    struct packet *packet = pool_take(&sender_now->boxes);
    *packet = (struct packet){.route = route, .wire_bytes = (uint32_t)bytes};
    return packet;
}

struct packet *sctp_path_packet(const struct sctp_path *path)
{
    return sctp_packet_new(&path->association->host->pools, path->interface, path->route);
}

static inline void sender_tell(struct sender *sender, const struct sctp_path *path,
                               const struct sctp_chunk *first)
{
    g_string_append_printf(sender->sent, "%s%d[", sender->sent->len ? " " : "", path->number + 1);
    for (const struct sctp_chunk *chunk = first; chunk; chunk = chunk->next) {
        if (chunk != first)
            g_string_append_c(sender->sent, ' ');
        if (chunk->type == SCTP_DATA)
            g_string_append_printf(sender->sent, "%u", chunk->data.tsn - sender->first + 1);
        else
            g_string_append(sender->sent, sctp_chunk_name(chunk->type));
    }
    g_string_append_c(sender->sent, ']');
}

void sctp_packet_send(struct cpu_context *context, struct sctp_association *association,
                      struct sctp_path *path, struct packet *packet)
{
    struct sender *sender = sender_now;
    const struct sctp_chunk *first = sctp_packet_of(packet)->first;
    (void)context;
    if (first->type == SCTP_COOKIE_ECHO)
        association->echo_waits = false;
    for (const struct sctp_chunk *chunk = first; chunk; chunk = chunk->next)
        if (chunk->type == SCTP_DATA && sender->carry)
            sender->carry(sender, path, chunk->data.tsn);
    if (!sender->quiet)
        sender_tell(sender, path, first);
    sender->packets++;
    sender->largest = MAX(sender->largest, IP_HEADER + sctp_packet_of(packet)->bytes);
    packet->load->release(packet);
    pool_give(&sender->boxes, packet);
}

// ---- The sender ----

static inline struct cpu_context sender_context(const struct sender *sender)
{
    return (struct cpu_context){sender->cpu, sim_now(sender->sim)};
}

static inline void sender_config(struct sender *sender, const char *text)
{
    struct diag_list *diags = diag_list_new();
    struct node *map = node_parse(text, strlen(text), "t.yaml", NULL, diags);
    sender->values = param_read(&sctp_table, map, "sctp", diags);
    char *complaints = fake_complaints(diags);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    sender->config = *(const struct sctp_config *)sender->values->values;
    sender->config.costs = (struct sctp_costs){0};
    sender->config.inet.timer = (struct cost){0};
    node_free(map);
    diag_list_free(diags);
}

static inline void sender_hosts(struct sender *sender)
{
    int64_t **counters = (int64_t **)&sender->stack.count;
    sender->cores[0] = sender->cpu;
    sender->host = (struct host){.sim = sender->sim, .name = "node0", .cores = sender->cores};
    sender->host.config.processor.cores = 1;
    sender->inet = (struct inet_host){
        .sim = sender->sim, .host = &sender->host, .config = &sender->config.inet};
    sender->stack.sim = sender->sim;
    sender->stack.host = &sender->host;
    sender->stack.inet = &sender->inet;
    sender->stack.config = &sender->config;
    sender->stack.timers = sender_timers;
    sender->stack.random = random_new(1, "sender");
    for (size_t i = 0; i < sizeof(sender->stack.count) / sizeof(int64_t *); i++)
        counters[i] = &sender->counters[i];
    memset(sender->stack.count.timeout, 0, sizeof sender->stack.count.timeout);
    inet_timers_init(&sender->inet);
    sctp_pools_init(&sender->stack.pools);
    pool_init(&sender->stack.pending, sizeof(struct sctp_pending));
    pool_init(&sender->boxes, sizeof(struct packet));
}

// `text`: the section sctp, "{profile: s2007}". An established association with `paths` confirmed
// paths of 1,500 B (or the section's mtu) whose peer offers SENDER_RWND.
static inline struct sender *sender_traced(const char *text, int paths, uint32_t first,
                                           struct trace *trace)
{
    struct sender *sender = g_new0(struct sender, 1);
    struct sctp_association *association = &sender->association;
    sender_now = sender;
    sender->sent = g_string_new(NULL);
    sender->first = first;
    sender->sim = sim_new(1, trace);
    sender->cpu = cpu_new(sender->sim, "node0", "cpu 0", 1000000000, true);
    sender_config(sender, text);
    sender_hosts(sender);
    *association = (struct sctp_association){
        .host = &sender->stack,
        .id = 1,
        .machine = {SCTP_ESTABLISHED},
        .settings = sender->config.settings,
        .paths = sender->paths,
        .primary = &sender->paths[0],
    };
    sctp_out_init(association, first, 10);
    for (int i = 0; i < paths; i++) {
        sender->interfaces[i].mtu = sender->config.inet.mtu;
        sctp_path_init(&sender->paths[i], association, association->path_count++, i, i, true);
    }
    sctp_out_open(association, SENDER_RWND);
    return sender;
}

static inline struct sender *sender_new(const char *text, int paths)
{
    return sender_traced(text, paths, 1000, NULL);
}

static inline void sender_free(struct sender *sender)
{
    for (int i = 0; i < sender->association.path_count; i++)
        sctp_path_clear(&sender->paths[i]);
    sctp_out_clear(&sender->association);
    SUITE_SAME_INTEGER(sender->stack.pending.in_use, 0);
    SUITE_SAME_INTEGER(sender->stack.pools.messages.in_use, 0);
    SUITE_SAME_INTEGER(sender->stack.pools.chunks.in_use, 0);
    pool_clear(&sender->stack.pending);
    pool_clear(&sender->boxes);
    sctp_pools_clear(&sender->stack.pools);
    inet_timers_clear(&sender->inet);
    random_free(sender->stack.random);
    param_values_free(sender->values);
    cpu_free(sender->cpu);
    sim_free(sender->sim);
    g_string_free(sender->sent, TRUE);
    g_free(sender);
    sender_now = NULL;
}

static inline struct sctp_out *sender_out(struct sender *sender)
{
    return &sender->association.out;
}

// The chunk of a TSN, counted from 1.
static inline struct sctp_outgoing *sender_chunk(struct sender *sender, uint32_t tsn)
{
    return sctp_out_at(sender_out(sender), sender->first + tsn - 1);
}

// Queues a message without output.
static inline void sender_put(struct sender *sender, int stream, int64_t bytes, bool unordered)
{
    struct sctp_message *message = sctp_message_new(&sender->stack.pools);
    message->length = (uint32_t)bytes;
    sctp_stream_put(&sender->association,
                    &(struct sctp_send_info){
                        .stream = (uint16_t)stream, .bytes = bytes, .unordered = unordered},
                    message);
}

static inline void sender_output(struct sender *sender)
{
    struct cpu_context context = sender_context(sender);
    sctp_due(&sender->association, SCTP_DUE_OUTPUT);
    sctp_run_due(&context, &sender->association);
}

// Queues `count` messages of `bytes` on stream 0 and sends what may leave.
static inline void sender_send(struct sender *sender, int count, int64_t bytes)
{
    for (int i = 0; i < count; i++)
        sender_put(sender, 0, bytes, false);
    sender_output(sender);
}

// The packets sent since the last call; the text is valid until the next.
static inline const char *sender_take(struct sender *sender)
{
    static char text[4096];
    g_strlcpy(text, sender->sent->str, sizeof(text));
    g_string_truncate(sender->sent, 0);
    return text;
}

#define SENT(sender, expected) SUITE_SAME_TEXT(sender_take(sender), expected)

// A SACK, as "4 6-7 9", with flags and a window.
static inline void sender_sack_of(struct sender *sender, const char *text, uint8_t flags,
                                  uint32_t a_rwnd)
{
    struct cpu_context context = sender_context(sender);
    struct sctp_chunk *chunk = sctp_chunk_new(&sender->stack.pools, SCTP_SACK, flags);
    char *at;
    unsigned long cum = strtoul(text, &at, 10);
    struct sctp_bytes *blocks = sctp_bytes_new(&sender->stack.pools, 400);
    struct sctp_gap *gaps = (struct sctp_gap *)(void *)blocks->data;
    chunk->sack = (struct sctp_sack){
        .cum_tsn = sender->first + (uint32_t)cum - 1, .a_rwnd = a_rwnd, .blocks = blocks};
    while (*at) {
        unsigned long from = strtoul(at, &at, 10), to = from;
        if (*at == '-')
            to = strtoul(at + 1, &at, 10);
        gaps[chunk->sack.gap_count++] =
            (struct sctp_gap){(uint16_t)(from - cum), (uint16_t)(to - cum)};
    }
    blocks->length = 4u * chunk->sack.gap_count;
    sctp_sack_arrived(&context, &sender->association, &sender->paths[0], chunk);
    sctp_due(&sender->association, SCTP_DUE_OUTPUT); // as at the end of each packet
    sctp_run_due(&context, &sender->association);
    sctp_chunk_free(&sender->stack.pools, chunk);
}

static inline void sender_sack(struct sender *sender, const char *text)
{
    sender_sack_of(sender, text, 0, SENDER_RWND);
}

static inline void sender_woken(struct engine *engine, struct event *event)
{
    (void)engine, (void)event;
}

// Runs the clock on; timers expire.
static inline void sender_wait(struct sender *sender, sim_time time)
{
    struct event until;
    event_init(&until, sender_woken);
    engine_schedule(sender->sim->engine, &until, sim_now(sender->sim) + time);
    engine_run(sender->sim->engine, sim_now(sender->sim) + time);
}

static inline bool sender_timer(const struct sender *sender, int path)
{
    return inet_timer_armed(sender->paths[path].t3);
}

#define WINDOW(sender, path, cwnd_, ssthresh_)                                                     \
    do {                                                                                           \
        SUITE_SAME_INTEGER((sender)->paths[path].cc.cwnd, cwnd_);                                  \
        SUITE_SAME_INTEGER((sender)->paths[path].cc.ssthresh, ssthresh_);                          \
    } while (0)

#endif
