// SPDX-License-Identifier: GPL-3.0-or-later
// Sockets as a process sees them, between hosts with whole stacks; claims
// sctp.sctp.message_oriented, sctp.sctp.max_message_sndbuf, sctp.sctp.multihoming of thesis
// 004, 2.2, 3.2.6.
#include "tests/support/suite.h"
#include "tests/support/world_sctp.h"

#include <string.h>

typedef void call_fn(struct cpu_context *context, struct sctp_node *node, void *argument);

static void call_at(struct world *world, int node, sim_time when, call_fn *run, void *argument)
{
    struct sctp_call *call = world_keep(world, g_new0(struct sctp_call, 1));
    *call = (struct sctp_call){run, argument};
    world_do_at(sctp_node(world, node), when, sctp_call_job, call);
}

// A message of the ledger from node 0 to node 1.
static struct sctp_send_info message(const struct world *world, int64_t bytes)
{
    return (struct sctp_send_info){
        .station = -1,
        .bytes = bytes,
        .message = ledger_open(world->sim->ledger, 0, 1, bytes, 0),
    };
}

struct result {
    int64_t value;
    struct sctp_received received;
};

// Receives at most `value` bytes, which becomes what sctp_receive returns.
static void receive(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct result *result = argument;
    result->value = sctp_receive(context, node->socket, result->value, &result->received);
}

static struct result receive_now(struct world *world, int node, int64_t room)
{
    struct result result = {.value = room};
    sim_time now = sim_now(world->sim);
    call_at(world, node, now, receive, &result);
    sctp_run_until(world, now + 2 * TIME_MS);
    return result;
}

static void send_one(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_send_info info = message(node->process.world, (int64_t)GPOINTER_TO_SIZE(argument));
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), info.bytes);
}

static struct world *connected(const char *const *sets)
{
    struct world *world = sctp_world(2, 1, sets, NULL);
    sctp_connect_nodes(world);
    sctp_run_until(world, 10 * TIME_MS);
    CU_ASSERT_FATAL(sctp_node(world, 0)->socket && sctp_node(world, 1)->socket);
    CU_ASSERT(sctp_established(sctp_node(world, 0)->socket));
    CU_ASSERT(sctp_established(sctp_node(world, 1)->socket));
    return world;
}

// ---- Messages ----

// A receive returns one message, or a part of it, never of two (sctp.message_oriented).
static void test_boundaries(void)
{
    struct world *world = connected(NULL);
    static const int64_t sizes[] = {100, 5000, 1};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        call_at(world, 0, 11 * TIME_MS, send_one, GSIZE_TO_POINTER(sizes[i]));
    sctp_run_until(world, 20 * TIME_MS);
    struct result result = receive_now(world, 1, 1 << 20);
    SUITE_SAME_INTEGER(result.value, 100);
    CU_ASSERT(result.received.end);
    for (int64_t taken = 0; taken < 5000; taken += result.value) {
        result = receive_now(world, 1, 2048);
        SUITE_SAME_INTEGER(result.value, MIN(2048, 5000 - taken));
        SUITE_SAME_INTEGER(result.received.offset, taken);
        SUITE_SAME_INTEGER(result.received.end, taken + result.value == 5000);
        CU_ASSERT_FATAL(result.value > 0);
    }
    SUITE_SAME_INTEGER(receive_now(world, 1, 2048).value, 1);
    SUITE_SAME_INTEGER(receive_now(world, 1, 2048).value, SCTP_AGAIN);
    world_free(world);
}

static void send_content(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_send_info info = message(node->process.world, 1000);
    (void)argument;
    info.bytes += 8;
    info.content = "envelope";
    info.content_length = 8;
    info.stream = 3;
    info.protocol = 17;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), 1008);
}

// The bytes of the protocol above precede the rest, and are valid until the next receive.
static void test_content(void)
{
    struct world *world = connected(NULL);
    call_at(world, 0, 11 * TIME_MS, send_content, NULL);
    sctp_run_until(world, 20 * TIME_MS);
    struct result result = receive_now(world, 1, 5);
    SUITE_SAME_INTEGER(result.value, 5);
    SUITE_SAME_INTEGER(result.received.content_length, 5);
    CU_ASSERT(memcmp(result.received.content, "envel", 5) == 0);
    result = receive_now(world, 1, 103);
    SUITE_SAME_INTEGER(result.received.content_length, 3);
    CU_ASSERT(memcmp(result.received.content, "ope", 3) == 0);
    SUITE_SAME_INTEGER(result.received.offset, 0);
    SUITE_SAME_INTEGER(result.received.stream, 3);
    SUITE_SAME_INTEGER(result.received.protocol, 17);
    result = receive_now(world, 1, 5000);
    SUITE_SAME_INTEGER(result.value, 900);
    SUITE_SAME_INTEGER(result.received.content_length, 0);
    SUITE_SAME_INTEGER(result.received.offset, 100);
    world_free(world);
}

static void send_limits(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_send_info info = {.station = -1, .bytes = 20001};
    (void)argument;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), SCTP_TOO_LONG);
    info.bytes = 0;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), SCTP_INVALID);
    info.bytes = 15000;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), 15000);
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), SCTP_AGAIN);
    SUITE_SAME_INTEGER(sctp_writable(node->socket), 5000); // nothing of it was taken
    const struct inet_socket *inet = sctp_socket_inet(node->socket);
    CU_ASSERT(!(inet->ops->ready(inet) & INET_WRITABLE));
    info.bytes = 5000;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), 5000);
    SUITE_SAME_INTEGER(sctp_writable(node->socket), 0);
    info.stream = 60000;
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), SCTP_INVALID);
}

// A message is taken whole or not at all; one above the send buffer never
// (sctp.max_message_sndbuf).
static void test_send_buffer(void)
{
    struct world *world = connected((const char *const[]){"sctp.send_buffer=20000 B", NULL});
    call_at(world, 0, 11 * TIME_MS, send_limits, NULL);
    sctp_run_until(world, 500 * TIME_MS);
    SUITE_SAME_INTEGER(sctp_writable(sctp_node(world, 0)->socket), 20000);
    SUITE_SAME_INTEGER(receive_now(world, 1, 1 << 20).value, 15000);
    SUITE_SAME_INTEGER(receive_now(world, 1, 1 << 20).value, 5000);
    world_free(world);
}

// A writer sleeps until its message has room, and a reader until there is one.
static void test_waiting(void)
{
    struct world *world =
        sctp_world(2, 1, (const char *const[]){"sctp.send_buffer=20000 B", NULL}, NULL);
    sctp_transfer(world, 10 * TIME_MS, 300000, 15000);
    world_run(world);
    SUITE_SAME_INTEGER(sctp_node(world, 1)->bytes_read, 300000);
    CU_ASSERT(ledger_balanced(world->sim->ledger));
    world_free(world);
}

// Selects for what can be read of the listener and of the accepted socket.
struct selection {
    int calls, listener, accepted; // that found them ready
};

static bool select_job(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    struct selection *selection = argument;
    struct inet_selected selected[] = {
        {.socket = sctp_socket_inet(node->listener), .wanted = INET_READABLE},
        {.socket = sctp_socket_inet(node->socket), .wanted = INET_READABLE},
    };
    selection->calls++;
    if (inet_select(context, selected, 2, true) == 0)
        return false;
    selection->listener += selected[0].ready == INET_READABLE;
    selection->accepted += selected[1].ready == INET_READABLE;
    return true;
}

static void test_select(void)
{
    struct selection selection = {0};
    struct world *world = connected(NULL);
    world_do_at(sctp_node(world, 1), 20 * TIME_MS, select_job, &selection);
    sctp_run_until(world, 50 * TIME_MS);
    int calls = selection.calls; // it sleeps
    SUITE_SAME_INTEGER(selection.accepted + selection.listener, 0);
    call_at(world, 0, 60 * TIME_MS, send_one, GSIZE_TO_POINTER(100));
    sctp_run_until(world, 100 * TIME_MS);
    SUITE_SAME_INTEGER(selection.calls, calls + 1);
    SUITE_SAME_INTEGER(selection.accepted, 1);
    SUITE_SAME_INTEGER(selection.listener, 0);
    SUITE_SAME_INTEGER(receive_now(world, 1, 1000).value, 100);
    sctp_node(world, 0)->socket = NULL; // connects another one
    world_do_at(sctp_node(world, 0), 200 * TIME_MS, sctp_connect_job, NULL);
    world_do_at(sctp_node(world, 1), 200 * TIME_MS, select_job, &selection);
    sctp_run_until(world, 300 * TIME_MS);
    SUITE_SAME_INTEGER(selection.accepted, 1);
    SUITE_SAME_INTEGER(selection.listener, 1);
    world_free(world);
}

// ---- Opening ----

static void bind_rules(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct cpu_task *task = &node->process.task;
    struct sctp_socket *sockets[4];
    (void)argument;
    for (int i = 0; i < 4; i++)
        sockets[i] = sctp_socket_new(context, node->host, SCTP_ONE_TO_MANY, task);
    SUITE_SAME_INTEGER(sctp_bind(context, sockets[0], 7000, 1), 0);
    SUITE_SAME_INTEGER(sctp_bind(context, sockets[1], 7000, 0), SCTP_IN_USE);
    SUITE_SAME_INTEGER(sctp_bind(context, sockets[1], 7000, 3), SCTP_IN_USE);
    SUITE_SAME_INTEGER(sctp_bind(context, sockets[1], 7000, 2), 0); // the other card
    SUITE_SAME_INTEGER(sctp_bind(context, sockets[1], 7001, 2), SCTP_INVALID);
    SUITE_SAME_INTEGER(sctp_bind(context, sockets[2], 0, 0), 0);
    SUITE_SAME_INTEGER(sctp_bind(context, sockets[3], 0, 0), 0);
    CU_ASSERT(sockets[2]->port >= 49152 && sockets[3]->port > sockets[2]->port);
    int station = 1000;
    struct sctp_received received;
    SUITE_SAME_INTEGER(sctp_receive(context, sockets[0], 100, &received), SCTP_AGAIN);
    CU_ASSERT_PTR_NULL(sctp_accept(context, sockets[0], task));
    SUITE_SAME_INTEGER(sctp_shutdown(context, sockets[0], 0), SCTP_GONE);
    SUITE_SAME_INTEGER(sctp_abort(context, sockets[0], 0), SCTP_GONE);
    CU_ASSERT_PTR_NULL(sctp_peel_off(context, sockets[0], 1, task));
    (void)station;
}

static void test_bind(void)
{
    struct world *world = sctp_world(2, 2, NULL, NULL);
    call_at(world, 0, TIME_MS, bind_rules, NULL);
    world_run(world);
    world_free(world);
}

static void connect_only_second(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    const struct cluster *cluster = node->process.world->cluster;
    int stations[2];
    (void)argument;
    inet_stations(cluster, 1, stations, 2);
    node->socket = sctp_socket_new(context, node->host, SCTP_ONE_TO_ONE, &node->process.task);
    SUITE_SAME_INTEGER(sctp_bind(context, node->socket, 0, 2), 0);
    // Its first card's network can't be reached from the second card.
    SUITE_SAME_INTEGER(sctp_connect(context, node->socket, stations, 1, SCTP_WORLD_PORT, NULL),
                       SCTP_NO_ROUTE);
    SUITE_SAME_INTEGER(sctp_connect(context, node->socket, stations, 2, SCTP_WORLD_PORT, NULL),
                       SCTP_IN_PROGRESS);
    SUITE_SAME_INTEGER(sctp_connect(context, node->socket, stations, 2, SCTP_WORLD_PORT, NULL),
                       SCTP_CONNECTED);
}

// sctp_bindx: only the cards of the mask take part.
static void test_cards(void)
{
    struct world *world = sctp_world(2, 2, NULL, NULL);
    world_do(sctp_node(world, 1), sctp_listen_job, NULL);
    world_do(sctp_node(world, 1), sctp_accept_job, NULL);
    call_at(world, 0, TIME_MS, connect_only_second, NULL);
    sctp_run_until(world, TIME_S);
    CU_ASSERT(sctp_established(sctp_node(world, 0)->socket));
    for (int i = 0; i < 2; i++)
        SUITE_SAME_INTEGER(sctp_node_association(world, i)->path_count, 1);
    for (int i = 0; i < sctp_log_count(world); i++)
        SUITE_SAME_INTEGER(sctp_log_at(world, i)->card, 1);
    world_free(world);
}

static void listen_on_first(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    node->listener = sctp_socket_new(context, node->host, SCTP_ONE_TO_ONE, &node->process.task);
    SUITE_SAME_INTEGER(sctp_bind(context, node->listener, SCTP_WORLD_PORT, 1), 0);
    SUITE_SAME_INTEGER(sctp_listen(context, node->listener), 0);
}

// Again: the host has lost the association without a word, and its socket keeps the port.
static void connect_again(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    int station = network_station(node->process.world->cluster->network, 1, 0);
    (void)argument;
    if (node->socket)
        sctp_association_end(context, sctp_socket_association(node->socket, 0), SCTP_COMM_LOST,
                             SCTP_RESET);
    else
        node->socket = sctp_socket_new(context, node->host, SCTP_ONE_TO_ONE, &node->process.task);
    SUITE_SAME_INTEGER(sctp_connect(context, node->socket, &station, 1, SCTP_WORLD_PORT, NULL),
                       SCTP_IN_PROGRESS);
}

// An address that the listener's card has no route to never becomes a path; it is not a new one
// when its host restarts (RFC 9260, 5.2.2).
static void test_restart_without_route(void)
{
    struct world *world = sctp_world(2, 2, NULL, NULL);
    call_at(world, 1, 0, listen_on_first, NULL);
    call_at(world, 0, TIME_MS, connect_again, NULL);
    call_at(world, 0, 100 * TIME_MS, connect_again, NULL);
    sctp_run_until(world, TIME_S);
    CU_ASSERT(sctp_established(sctp_node(world, 0)->socket));
    CU_ASSERT(sctp_log_find(world, 0, 1, -1, SCTP_ABORT) < 0);
    SUITE_SAME_INTEGER(sctp_log_between(world, 0, TIME_NEVER, 1, 0, SCTP_COOKIE_ACK), 2);
    world_free(world);
}

// All addresses of both ends become paths, and the first one is the primary (sctp.multihoming).
static void test_paths(void)
{
    struct world *world = sctp_world(2, 2, NULL, NULL);
    sctp_connect_nodes(world);
    sctp_run_until(world, 20 * TIME_S);
    for (int i = 0; i < 2; i++) {
        const struct sctp_association *association = sctp_node_association(world, i);
        SUITE_SAME_INTEGER(association->path_count, 2);
        SUITE_SAME_INTEGER(association->primary->number, 0);
        for (int n = 0; n < 2; n++) {
            const struct sctp_path *path = &association->paths[n];
            SUITE_SAME_INTEGER(path->machine.state, SCTP_PATH_ACTIVE);
            SUITE_SAME_INTEGER(inet_subnet(world->cluster, path->local), n);
            SUITE_SAME_INTEGER(inet_subnet(world->cluster, path->remote), n);
        }
    }
    world_free(world);
}

// There is no listener.
static void test_refused(void)
{
    struct world *world = sctp_world(2, 1, NULL, NULL);
    world_do_at(sctp_node(world, 0), TIME_MS, sctp_connect_job, NULL);
    world_run(world);
    SUITE_SAME_INTEGER(sctp_node(world, 0)->error, SCTP_REFUSED);
    SUITE_SAME_INTEGER(sctp_socket_error(sctp_node(world, 0)->socket), 0); // reported once
    world_free(world);
}

// ---- Closing ----

static void close_socket(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    sctp_close(context, node->socket);
}

// Graceful: what was sent before arrives, then the reader sees the end.
static void test_close(void)
{
    struct world *world = connected(NULL);
    call_at(world, 0, 11 * TIME_MS, send_one, GSIZE_TO_POINTER(50000));
    call_at(world, 0, 12 * TIME_MS, close_socket, NULL);
    sctp_run_until(world, TIME_S);
    SUITE_SAME_INTEGER(receive_now(world, 1, 1 << 20).value, 50000);
    SUITE_SAME_INTEGER(receive_now(world, 1, 1 << 20).value, 0);
    for (int i = 0; i < 2; i++)
        SUITE_SAME_INTEGER(sctp_node_association(world, i)->machine.state, SCTP_CLOSED);
    CU_ASSERT(sctp_log_find(world, 0, 0, -1, SCTP_SHUTDOWN_COMPLETE) >= 0);
    world_free(world);
}

// With data unread the peer gets an ABORT; both losses are on the books.
static void test_close_unread(void)
{
    struct world *world = connected(NULL);
    call_at(world, 0, 11 * TIME_MS, send_one, GSIZE_TO_POINTER(5000));
    call_at(world, 1, 500 * TIME_MS, close_socket, NULL);
    sctp_run_until(world, TIME_S);
    SUITE_SAME_INTEGER(receive_now(world, 0, 100).value, SCTP_RESET);
    SUITE_SAME_INTEGER(receive_now(world, 0, 100).value, 0);
    CU_ASSERT(sctp_log_find(world, 0, 1, -1, SCTP_ABORT) >= 0);
    char *line = world_ledger_line(world);
    SUITE_CONTAINS(line, "SCTP socket closed with data unread");
    g_free(line);
    world_free(world);
}

static void send_after(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_send_info info = {.station = -1, .bytes = 100};
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), GPOINTER_TO_INT(argument));
}

static void test_send_after_end(void)
{
    struct world *world = connected(NULL);
    call_at(world, 0, 12 * TIME_MS, close_socket, NULL);
    call_at(world, 1, 500 * TIME_MS, send_after, GINT_TO_POINTER(SCTP_GONE));
    sctp_run_until(world, TIME_S);
    world_free(world);
}

// A listener that closes refuses what waits to be accepted.
static void test_close_listener(void)
{
    struct world *world = sctp_world(2, 1, NULL, NULL);
    world_do(sctp_node(world, 1), sctp_listen_job, NULL);
    world_do_at(sctp_node(world, 0), TIME_MS, sctp_connect_job, NULL);
    sctp_run_until(world, 10 * TIME_MS);
    CU_ASSERT(sctp_established(sctp_node(world, 0)->socket));
    sctp_node(world, 1)->socket = sctp_node(world, 1)->listener;
    call_at(world, 1, 11 * TIME_MS, close_socket, NULL);
    sctp_run_until(world, 20 * TIME_MS);
    SUITE_SAME_INTEGER(sctp_node_association(world, 0)->machine.state, SCTP_CLOSED);
    SUITE_SAME_INTEGER(sctp_socket_error(sctp_node(world, 0)->socket), SCTP_RESET);
    world_free(world);
}

// ---- Notifications ----

static void subscribe(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)context;
    (void)argument;
    sctp_subscribe(node->socket, SCTP_EVENT_ASSOCIATION | SCTP_EVENT_SHUTDOWN);
}

// Notifications are in the order of their events, messages among them.
static void test_notifications(void)
{
    static const enum sctp_notification order[] = {SCTP_NOTHING, SCTP_SHUTDOWN_EVENT,
                                                   SCTP_SHUTDOWN_COMP};
    struct world *world = connected(NULL);
    call_at(world, 1, 11 * TIME_MS, subscribe, NULL);
    call_at(world, 0, 12 * TIME_MS, send_one, GSIZE_TO_POINTER(500));
    call_at(world, 0, 300 * TIME_MS, close_socket, NULL);
    sctp_run_until(world, TIME_S);
    for (size_t i = 0; i < G_N_ELEMENTS(order); i++) {
        struct result result = receive_now(world, 1, 1 << 20);
        SUITE_SAME_INTEGER(result.received.notification, order[i]);
        SUITE_SAME_INTEGER(result.value, order[i] == SCTP_NOTHING ? 500 : 1);
    }
    SUITE_SAME_INTEGER(receive_now(world, 1, 1 << 20).value, 0);
    world_free(world);
}

// ---- Options and reports ----

static void look(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    struct sctp_status status;
    const struct sctp_association *association = argument;
    CU_ASSERT_FATAL(sctp_status(node->socket, 0, &status));
    SUITE_SAME_TEXT(status.state, "ESTABLISHED");
    SUITE_SAME_INTEGER(status.paths, 2);
    SUITE_SAME_INTEGER(status.primary, association->paths[0].remote);
    SUITE_SAME_INTEGER(status.fragment_point, 1452);
    SUITE_SAME_INTEGER(status.unacked, 0);
    int other = association->paths[1].remote;
    SUITE_SAME_INTEGER(sctp_set_primary(context, node->socket, 0, 12345), SCTP_INVALID);
    SUITE_SAME_INTEGER(sctp_set_primary(context, node->socket, 0, other), 0);
    sctp_status(node->socket, 0, &status);
    SUITE_SAME_INTEGER(status.primary, other);
    SUITE_SAME_INTEGER(sctp_set_primary(context, node->socket, 999, other), SCTP_GONE);
    CU_ASSERT_PTR_NULL(sctp_association_settings(node->socket, 999));
    CU_ASSERT(sctp_association_settings(node->socket, 0) == &association->settings);
    CU_ASSERT_PTR_NULL(sctp_socket_wait(node->socket));
}

static void test_status(void)
{
    struct world *world = sctp_world(2, 2, NULL, NULL);
    sctp_connect_nodes(world);
    sctp_run_until(world, 20 * TIME_S);
    call_at(world, 0, 21 * TIME_S, look, sctp_node_association(world, 0));
    sctp_run_until(world, 22 * TIME_S);
    json_t *report = sctp_socket_describe(sctp_node(world, 0)->socket);
    const json_t *association = json_array_get(json_object_get(report, "associations"), 0);
    SUITE_SAME_TEXT(json_string_value(json_object_get(association, "state")), "ESTABLISHED");
    SUITE_SAME_TEXT(json_string_value(json_object_get(association, "timer")), "none");
    SUITE_SAME_INTEGER((long long)json_array_size(json_object_get(association, "paths")), 2);
    json_decref(report);
    world_free(world);
}

// ---- Costs ----

static const char *const costs[] = {"sctp.crc=1 us", "sctp.crc_per_kib=2048 ns", NULL};

// Both ends compute the checksum of each packet: 1 us, and 2 ns per byte.
static void test_checksum_cost(void)
{
    for (int on = 0; on < 2; on++) {
        const char *const sets[] = {costs[0], costs[1],
                                    on ? "sctp.checksum=true" : "sctp.checksum=false", NULL};
        struct world *world = connected(sets);
        sctp_run_until(world, TIME_S);
        int64_t packets = world_counter(world, "sctp packets sent"), bytes = 0;
        for (int i = 0; i < sctp_log_count(world); i++)
            bytes += sctp_padded(sctp_log_at(world, i)->length);
        bytes += packets * SCTP_COMMON_HEADER;
        sim_time spent = 0;
        for (int i = 0; i < 2; i++)
            for (int core = 0; core < 2; core++)
                spent += world_stage_time(world->cluster->hosts[i]->cores[core], "CRC32c");
        SUITE_SAME_INTEGER(spent, on ? 2 * (packets * TIME_US + bytes * 2 * TIME_NS) : 0);
        world_free(world);
    }
}

static const struct suite_case cases[] = {
    {"a receive gives one message or a part of it", test_boundaries},
    {"content comes first", test_content},
    {"messages fit into the send buffer as a whole or not", test_send_buffer},
    {"writers and readers sleep", test_waiting},
    {"select", test_select},
    {"bind", test_bind},
    {"only the bound cards take part", test_cards},
    {"a restart with an address that has no route", test_restart_without_route},
    {"paths between all addresses", test_paths},
    {"nobody listens", test_refused},
    {"close is graceful", test_close},
    {"close with data unread aborts", test_close_unread},
    {"nothing is sent after the end", test_send_after_end},
    {"a listener that closes", test_close_listener},
    {"notifications keep their order", test_notifications},
    {"status, primary, report", test_status},
    {"checksums cost time at both ends", test_checksum_cost},
    {0},
};

int main(void)
{
    return suite_run("sctp: sockets", cases);
}
