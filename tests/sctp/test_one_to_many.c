// SPDX-License-Identifier: GPL-3.0-or-later
// One-to-many sockets: one per process serves all peers; claims sctp.sctp.one_to_many and
// sctp.sctp.peeloff of thesis 004, 3.2.1 and 3.4.2.
#include "tests/support/suite.h"
#include "tests/support/transition_log.h"
#include "tests/support/world_sctp.h"

#include <string.h>

#define PORT 6100
#define NODES 4
#define BYTES 3000
#define SMALL 1000

typedef void call_fn(struct cpu_context *context, struct sctp_node *node, void *argument);

static void call_at(struct world *world, int node, sim_time when, call_fn *run, void *argument)
{
    struct sctp_call *call = world_keep(world, g_new0(struct sctp_call, 1));
    *call = (struct sctp_call){run, argument};
    world_do_at(sctp_node(world, node), when, sctp_call_job, call);
}

static void open_socket(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    const struct inet_socket *inet;
    node->socket = sctp_socket_new(context, node->host, SCTP_ONE_TO_MANY, &node->process.task);
    sctp_subscribe(node->socket, argument ? SCTP_EVENT_ASSOCIATION | SCTP_EVENT_SHUTDOWN : 0);
    SUITE_SAME_INTEGER(sctp_bind(context, node->socket, PORT, 0), 0);
    SUITE_SAME_INTEGER(sctp_listen(context, node->socket), 0);
    inet = sctp_socket_inet(node->socket);
    SUITE_SAME_INTEGER(inet->ops->ready(inet), INET_WRITABLE);
}

static int station_of(const struct world *world, int node)
{
    return network_station(world->cluster->network, node, 0);
}

static struct sctp_send_info to_node(const struct world *world, int from, int to, int64_t bytes)
{
    return (struct sctp_send_info){
        .station = station_of(world, to),
        .port = PORT,
        .bytes = bytes,
        .message =
            ledger_open(world->sim->ledger, from, to, bytes, (uint64_t)from * 100 + (uint64_t)to),
    };
}

// A message to the node that the argument numbers, by its address.
static void send_to(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_send_info info =
        to_node(node->process.world, node->process.number, GPOINTER_TO_INT(argument), BYTES);
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), BYTES);
}

// Reads all that there is from a socket, and closes its messages. Returns the bytes.
static int64_t read_all(struct cpu_context *context, struct sctp_node *node,
                        struct sctp_socket *socket)
{
    struct ledger *ledger = node->process.world->sim->ledger;
    struct sctp_received received;
    int64_t total = 0;
    while (sctp_receive(context, socket, 1 << 20, &received) > 0) {
        if (received.notification) {
            node->notified |= 1u << received.notification;
            continue;
        }
        total += received.bytes;
        ledger_deliver(ledger, received.message, received.offset, received.bytes);
        ledger_match(ledger, received.message);
        ledger_complete(ledger, received.message);
    }
    return total;
}

static void read_socket(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    node->bytes_read += read_all(context, node, node->socket);
}

static struct world *opened(int nodes, struct trace *trace)
{
    struct world *world = sctp_world(nodes, 1, NULL, trace);
    for (int i = 0; i < nodes; i++)
        call_at(world, i, TIME_US, open_socket, GINT_TO_POINTER(1));
    return world;
}

// ---- Associations by sending ----

static void send_small(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_send_info info = to_node(node->process.world, 0, 1, SMALL);
    (void)argument;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), SMALL);
}

// The message is in the packet of COOKIE-ECHO, since both fit into one.
static void test_implicit(void)
{
    struct transition_log *log = transition_log_new("sctp", false);
    struct world *world = opened(2, &log->sink.trace);
    call_at(world, 0, TIME_MS, send_small, NULL);
    call_at(world, 1, TIME_S, read_socket, NULL);
    sctp_run_until(world, 2 * TIME_S);
    SUITE_SAME_TEXT(log->text->str, "node0 sctp[1] CLOSED -> COOKIE-WAIT\n"
                                    "node0 sctp[1] COOKIE-WAIT -> COOKIE-ECHOED\n"
                                    "node1 sctp[1] CLOSED -> ESTABLISHED\n"
                                    "node0 sctp[1] COOKIE-ECHOED -> ESTABLISHED\n");
    int echo = sctp_log_find(world, 0, 0, -1, SCTP_COOKIE_ECHO);
    CU_ASSERT_FATAL(echo >= 0);
    const struct sctp_line *data = sctp_log_at(world, echo + 1);
    SUITE_SAME_INTEGER(data->type, SCTP_DATA);
    SUITE_SAME_INTEGER(data->packet, sctp_log_at(world, echo)->packet);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, SMALL);
    CU_ASSERT(sctp_node(world, 1)->notified & 1u << SCTP_COMM_UP);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
    transition_log_free(log);
}

static void test_all_to_all(void)
{
    struct world *world = opened(NODES, NULL);
    for (int round = 0; round < 3; round++)
        for (int from = 0; from < NODES; from++)
            for (int to = 0; to < NODES; to++)
                if (from != to)
                    call_at(world, from, (1 + 200 * round) * TIME_MS, send_to, GINT_TO_POINTER(to));
    for (int i = 0; i < NODES; i++)
        call_at(world, i, 5 * TIME_S, read_socket, NULL);
    sctp_run_until(world, 6 * TIME_S);
    for (int i = 0; i < NODES; i++) {
        SUITE_SAME_INTEGER(sctp_node(world, i)->bytes_read, 3 * (NODES - 1) * BYTES);
        SUITE_SAME_INTEGER(sctp_node(world, i)->socket->associations->len, NODES - 1);
        SUITE_SAME_INTEGER(sctp_node(world, i)->host->associations->len, NODES - 1);
    }
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
}

// Both send to one another for the first time at once: one association results, and the data of
// both directions arrive once (RFC 9260, 5.2.4 B and D).
static void test_collision(void)
{
    static const sim_time later[] = {0, 20 * TIME_US, 60 * TIME_US, 150 * TIME_US, 400 * TIME_US};
    for (size_t i = 0; i < G_N_ELEMENTS(later); i++) {
        struct world *world = opened(2, NULL);
        call_at(world, 0, TIME_MS, send_to, GINT_TO_POINTER(1));
        call_at(world, 1, TIME_MS + later[i], send_to, GINT_TO_POINTER(0));
        for (int node = 0; node < 2; node++)
            call_at(world, node, 5 * TIME_S, read_socket, NULL);
        sctp_run_until(world, 6 * TIME_S);
        for (int node = 0; node < 2; node++) {
            const struct sctp_association *association = sctp_node_association(world, node);
            SUITE_SAME_INTEGER(sctp_node(world, node)->host->associations->len, 1);
            SUITE_SAME_INTEGER(association->machine.state, SCTP_ESTABLISHED);
            SUITE_SAME_INTEGER(association->tag, sctp_node_association(world, !node)->peer_tag);
            SUITE_SAME_INTEGER(sctp_node(world, node)->bytes_read, BYTES);
            SUITE_SAME_INTEGER(association->out.buffer.used, 0);
        }
        CU_ASSERT(ledger_balanced(world->sim->ledger));
        world_free(world);
    }
}

static void send_across(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    const struct world *world = node->process.world;
    int from = node->process.number, card = GPOINTER_TO_INT(argument);
    struct sctp_send_info info = to_node(world, from, !from, BYTES);
    info.station = network_station(world->cluster->network, !from, card);
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), BYTES);
}

// A collision from different cards: neither end knows the address that the other's INIT comes from,
// but INIT and cookie name one that it knows (RFC 9260, 5.2.1).
static void test_collision_across(void)
{
    struct world *world = sctp_world(2, 2, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        call_at(world, i, TIME_US, open_socket, NULL);
        call_at(world, i, TIME_MS, send_across, GINT_TO_POINTER(i));
        call_at(world, i, 5 * TIME_S, read_socket, NULL);
    }
    sctp_run_until(world, 6 * TIME_S);
    for (int i = 0; i < 2; i++) {
        const struct sctp_association *association = sctp_node_association(world, i);
        SUITE_SAME_INTEGER(sctp_node(world, i)->host->associations->len, 1);
        SUITE_SAME_INTEGER(association->machine.state, SCTP_ESTABLISHED);
        SUITE_SAME_INTEGER(association->path_count, 2);
        SUITE_SAME_INTEGER(sctp_node(world, i)->bytes_read, BYTES);
    }
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
}

// ---- By the association's number ----

static void send_by_number(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct world *world = node->process.world;
    struct sctp_send_info info = to_node(world, 0, 1, BYTES);
    (void)argument;
    info.station = -1;
    info.association = sctp_node_association(world, 0)->id;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), BYTES);
    info.association = 77;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), SCTP_GONE);
    info.association = 0;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), SCTP_INVALID);
    info.station = station_of(world, 1);
    info.bytes = INT32_MAX;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), SCTP_TOO_LONG);
}

static void test_by_number(void)
{
    struct world *world = opened(2, NULL);
    call_at(world, 0, TIME_MS, send_to, GINT_TO_POINTER(1));
    call_at(world, 0, 100 * TIME_MS, send_by_number, NULL);
    call_at(world, 1, TIME_S, read_socket, NULL);
    sctp_run_until(world, 2 * TIME_S);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, 2 * BYTES);
    world_free(world);
}

// ---- Peeling off ----

struct peeled {
    struct sctp_socket *socket;
    int64_t bytes;
};

// The association with node 1, of those that node 0 has.
static struct sctp_association *with_node(const struct world *world, int peer)
{
    const struct sctp_host *host = sctp_node(world, 0)->host;
    for (guint i = 0; i < host->associations->len; i++) {
        struct sctp_association *association = g_ptr_array_index(host->associations, i);
        if (association->primary->remote == station_of(world, peer))
            return association;
    }
    return NULL;
}

static void peel(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct peeled *peeled = argument;
    const struct sctp_association *association = with_node(node->process.world, 1);
    CU_ASSERT_FATAL(association != NULL);
    CU_ASSERT_PTR_NULL(sctp_peel_off(context, node->socket, 99, &node->process.task));
    peeled->socket = sctp_peel_off(context, node->socket, association->id, &node->process.task);
    CU_ASSERT_FATAL(peeled->socket != NULL);
    CU_ASSERT(sctp_established(peeled->socket));
    CU_ASSERT_PTR_NULL(sctp_peel_off(context, node->socket, association->id, &node->process.task));
    peeled->bytes = read_all(context, node, peeled->socket);
    node->bytes_read = read_all(context, node, node->socket);
}

static void read_peeled(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct peeled *peeled = argument;
    peeled->bytes += read_all(context, node, peeled->socket);
}

static void send_peeled(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct peeled *peeled = argument;
    struct sctp_send_info info = to_node(node->process.world, 0, 1, BYTES);
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), SCTP_INVALID); // it is not there
    info.station = -1;
    SUITE_SAME_INTEGER(sctp_send(context, peeled->socket, &info), BYTES);
}

// An association becomes a one-to-one socket with its queued messages; the peer hears nothing of it
// and goes on as before.
static void test_peel_off(void)
{
    struct world *world = opened(3, NULL);
    struct peeled peeled = {NULL, 0};
    for (int i = 0; i < 2; i++) {
        call_at(world, 1, (1 + i) * TIME_MS, send_to, GINT_TO_POINTER(0));
        call_at(world, 2, (1 + i) * TIME_MS, send_to, GINT_TO_POINTER(0));
    }
    sctp_run_until(world, TIME_S);
    int64_t sent = world_counter(world, "sctp packets sent");
    call_at(world, 0, TIME_S, peel, &peeled);
    sctp_run_until(world, TIME_S + 100 * TIME_MS);
    SUITE_SAME_INTEGER(world_counter(world, "sctp packets sent"), sent);
    SUITE_SAME_INTEGER(peeled.bytes, 2 * BYTES);
    SUITE_SAME_INTEGER(sctp_node(world, 0)->bytes_read, 2 * BYTES);
    SUITE_SAME_INTEGER(sctp_node(world, 0)->socket->associations->len, 1);
    call_at(world, 1, 2 * TIME_S, send_to, GINT_TO_POINTER(0));
    call_at(world, 2, 2 * TIME_S, send_to, GINT_TO_POINTER(0));
    call_at(world, 0, 2 * TIME_S, send_peeled, &peeled);
    call_at(world, 0, 3 * TIME_S, read_peeled, &peeled);
    call_at(world, 0, 3 * TIME_S, read_socket, NULL);
    call_at(world, 1, 3 * TIME_S, read_socket, NULL);
    sctp_run_until(world, 4 * TIME_S);
    SUITE_SAME_INTEGER(peeled.bytes, 3 * BYTES);
    SUITE_SAME_INTEGER(sctp_node(world, 0)->bytes_read, 3 * BYTES);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, BYTES);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->socket->associations->len, 1);
    world_free(world);
}

// ---- Closing ----

static void close_socket(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    sctp_close(context, node->socket);
}

static void abort_first(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    SUITE_SAME_INTEGER(sctp_abort(context, node->socket, 0), SCTP_GONE); // which one?
    SUITE_SAME_INTEGER(sctp_abort(context, node->socket, with_node(node->process.world, 1)->id), 0);
}

// close shuts all associations down; the peers' sockets go on without them.
static void test_close(void)
{
    struct world *world = opened(3, NULL);
    for (int to = 1; to < 3; to++)
        call_at(world, 0, TIME_MS, send_to, GINT_TO_POINTER(to));
    call_at(world, 0, TIME_S, close_socket, NULL);
    sctp_run_until(world, 2 * TIME_S);
    for (int i = 0; i < 3; i++) {
        SUITE_SAME_INTEGER(sctp_node(world, i)->socket->associations->len, 0);
        SUITE_SAME_INTEGER(g_hash_table_size(sctp_node(world, i)->host->by_peer), 0);
    }
    for (int i = 1; i < 3; i++) {
        call_at(world, i, 2 * TIME_S, read_socket, NULL);
        call_at(world, i, 2 * TIME_S, send_to, GINT_TO_POINTER(3 - i)); // still in use
    }
    sctp_run_until(world, 3 * TIME_S);
    for (int i = 1; i < 3; i++) {
        SUITE_SAME_INTEGER(sctp_node(world, i)->bytes_read, BYTES);
        CU_ASSERT(sctp_node(world, i)->notified & 1u << SCTP_SHUTDOWN_COMP);
        SUITE_SAME_INTEGER(sctp_node(world, i)->socket->associations->len, 1);
    }
    world_free(world);
}

static void test_abort_one(void)
{
    struct world *world = opened(3, NULL);
    for (int to = 1; to < 3; to++)
        call_at(world, 0, TIME_MS, send_to, GINT_TO_POINTER(to));
    call_at(world, 0, TIME_S, abort_first, NULL);
    call_at(world, 1, 2 * TIME_S, read_socket, NULL);
    sctp_run_until(world, 3 * TIME_S);
    SUITE_SAME_INTEGER(sctp_node(world, 0)->socket->associations->len, 1);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->socket->associations->len, 0);
    SUITE_SAME_INTEGER(sctp_node(world, 2)->socket->associations->len, 1);
    CU_ASSERT(sctp_node(world, 1)->notified & 1u << SCTP_COMM_LOST);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, BYTES); // received before that
    world_free(world);
}

static const struct suite_case cases[] = {
    {"the first message associates and goes with COOKIE-ECHO", test_implicit},
    {"one socket serves all peers", test_all_to_all},
    {"both send first", test_collision},
    {"both send first, from different cards", test_collision_across},
    {"messages by the association's number", test_by_number},
    {"peel off", test_peel_off},
    {"close ends all associations", test_close},
    {"abort ends one", test_abort_one},
    {0},
};

int main(void)
{
    return suite_run("sctp: one-to-many", cases);
}
