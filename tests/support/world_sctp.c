// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/world_sctp.h"

#include "models/ethernet/nics.h"
#include "tests/support/suite.h"

#include <string.h>

// ---- The wire ----

static void captured(struct wire *of, const struct capture_frame *told)
{
    struct sctp_wire *wire = container_of(of, struct sctp_wire, wire);
    const uint8_t *bytes = told->bytes;
    uint32_t at = ETHERNET_HEADER + IP_HEADER + SCTP_COMMON_HEADER;
    while (at + SCTP_CHUNK_HEADER <= told->length) {
        struct sctp_line line = {
            .when = told->when,
            .node = told->interface / of->networks,
            .card = told->interface % of->networks,
            .type = bytes[at],
            .flags = bytes[at + 1],
            .length = (uint16_t)(bytes[at + 2] << 8 | bytes[at + 3]),
            .packet = wire->packets,
        };
        if (line.length < SCTP_CHUNK_HEADER) // padding of the frame
            break;
        if (line.length >= 8 && at + 8 <= told->length)
            line.tsn = sctp_get32(bytes + at + 4);
        g_array_append_val(wire->lines, line);
        at += sctp_padded(line.length);
    }
    wire->packets++;
}

// ---- Jobs ----

static bool failed(struct sctp_node *node, int64_t result)
{
    if (result >= 0 || result == SCTP_AGAIN || result == SCTP_IN_PROGRESS)
        return false;
    if (node->error == 0)
        node->error = (int)result;
    return true;
}

bool sctp_listen_job(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    (void)argument;
    node->listener = sctp_socket_new(context, node->host, SCTP_ONE_TO_ONE, &node->process.task);
    failed(node, sctp_bind(context, node->listener, SCTP_WORLD_PORT, 0));
    failed(node, sctp_listen(context, node->listener));
    return true;
}

bool sctp_accept_job(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    (void)argument;
    struct sctp_socket *socket = sctp_accept(context, node->listener, &node->process.task);
    if (socket) {
        node->socket = socket;
        return true;
    }
    if (inet_wait(context, sctp_socket_inet(node->listener), INET_READABLE))
        cpu_post_wake(context, &node->process.task);
    return false;
}

bool sctp_connect_job(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    int stations[SCTP_MOST_PATHS];
    if (!node->socket) {
        int count = inet_stations(node->process.world->cluster, 1, stations, SCTP_MOST_PATHS);
        if (!argument)
            count = 1;
        node->socket = sctp_socket_new(context, node->host, SCTP_ONE_TO_ONE, &node->process.task);
        int result = sctp_connect(context, node->socket, stations, count, SCTP_WORLD_PORT, NULL);
        if (failed(node, result))
            return true;
    }
    if (sctp_established(node->socket) || failed(node, sctp_socket_error(node->socket)))
        return true;
    if (inet_wait(context, sctp_socket_inet(node->socket), INET_WRITABLE))
        cpu_post_wake(context, &node->process.task);
    return false;
}

bool sctp_close_job(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    (void)argument;
    sctp_close(context, node->socket);
    return true;
}

// The next message; the same one until the socket has taken it.
static struct sctp_send_info next_message(struct sctp_node *node, struct sctp_traffic *traffic)
{
    struct ledger *ledger = node->process.world->sim->ledger;
    int64_t bytes = MIN(traffic->message, traffic->bytes - traffic->done);
    uint16_t stream = traffic->streams > 0 ? (uint16_t)(traffic->sent % traffic->streams) : 0;
    int from = node->process.number, peer = from == 0 ? 1 : 0;
    if (traffic->waits.generation == 0)
        traffic->waits = ledger_open(ledger, from, peer, bytes, (uint64_t)from << 32 | stream);
    return (struct sctp_send_info){
        .station = -1,
        .stream = stream,
        .unordered = traffic->unordered,
        .bytes = bytes,
        .message = traffic->waits,
    };
}

bool sctp_send_job(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    struct sctp_traffic *traffic = argument;
    if (traffic->done >= traffic->bytes || node->error)
        return true;
    struct sctp_send_info info = next_message(node, traffic);
    int64_t taken = sctp_send(context, node->socket, &info);
    if (failed(node, taken))
        return true;
    if (taken == SCTP_AGAIN) {
        if (inet_wait(context, sctp_socket_inet(node->socket), INET_WRITABLE))
            cpu_post_wake(context, &node->process.task);
        return false;
    }
    CU_ASSERT_FATAL(taken == info.bytes);
    traffic->waits = MESSAGE_NONE;
    traffic->done += taken;
    traffic->sent++;
    cpu_post_wake(context, &node->process.task);
    return false;
}

static void take(struct sctp_node *node, const struct sctp_received *received)
{
    struct ledger *ledger = node->process.world->sim->ledger;
    if (received->message.generation == 0)
        return;
    ledger_deliver(ledger, received->message, received->offset, received->bytes);
    if (!received->end)
        return;
    if (!received->unordered)
        ledger_match(ledger, received->message);
    ledger_complete(ledger, received->message);
}

bool sctp_read_job(struct cpu_context *context, void *process, void *argument)
{
    struct sctp_node *node = process;
    struct sctp_traffic *traffic = argument;
    struct sctp_received received;
    if (traffic->done >= traffic->bytes)
        return true;
    int64_t bytes = sctp_receive(context, node->socket, 1 << 20, &received);
    if (bytes == 0 || failed(node, bytes))
        return true;
    if (bytes > 0) {
        if (received.notification) {
            node->notified |= 1u << received.notification;
        } else {
            traffic->done += bytes;
            node->bytes_read += bytes;
            node->last_read = context->now;
            take(node, &received);
        }
        cpu_post_wake(context, &node->process.task);
        return false;
    }
    if (inet_wait(context, sctp_socket_inet(node->socket), INET_READABLE))
        cpu_post_wake(context, &node->process.task);
    return false;
}

bool sctp_call_job(struct cpu_context *context, void *process, void *argument)
{
    const struct sctp_call *call = argument;
    call->run(context, process, call->argument);
    return true;
}

void sctp_connect_nodes(struct world *world)
{
    world_do(sctp_node(world, 1), sctp_listen_job, NULL);
    world_do(sctp_node(world, 1), sctp_accept_job, NULL);
    world_do_at(sctp_node(world, 0), TIME_MS, sctp_connect_job, NULL);
}

struct sctp_traffic *sctp_transfer(struct world *world, sim_time when, int64_t bytes,
                                   int64_t message)
{
    struct sctp_traffic *sent = world_keep(world, g_new0(struct sctp_traffic, 1));
    struct sctp_traffic *read = world_keep(world, g_new0(struct sctp_traffic, 1));
    *sent = *read = (struct sctp_traffic){.bytes = bytes, .message = message};
    sctp_connect_nodes(world);
    world_do(sctp_node(world, 1), sctp_read_job, read);
    world_do_at(sctp_node(world, 0), when, sctp_send_job, sent);
    return sent;
}

static void nothing(struct engine *engine, struct event *event)
{
    (void)engine;
    (void)event;
}

void sctp_run_until(struct world *world, sim_time until)
{
    struct event *end = world_keep(world, g_new0(struct event, 1));
    event_init(end, nothing);
    engine_schedule(world->sim->engine, end, until);
    engine_run(world->sim->engine, until);
}

void sctp_world_call(struct world *world, int number,
                     void (*run)(struct cpu_context *context, struct sctp_node *node,
                                 void *argument),
                     void *argument)
{
    struct sctp_call *call = world_keep(world, g_new(struct sctp_call, 1));
    *call = (struct sctp_call){run, argument};
    world_do(sctp_node(world, number), sctp_call_job, call);
    sctp_run_until(world, sim_now(world->sim) + TIME_MS);
}

void sctp_world_up(struct world *world)
{
    sctp_connect_nodes(world);
    sctp_run_until(world, 2 * TIME_S);
    CU_ASSERT_FATAL(sctp_node_association(world, 0) != NULL);
    SUITE_SAME_TEXT(sctp_state_name(sctp_node_association(world, 0)), "ESTABLISHED");
}

// ---- Life ----

static void build(struct world *world)
{
    struct cluster *cluster = world->cluster;
    const struct sctp_config *config = scenario_section_values(world->test_case, "sctp");
    ethernet_add_nics(cluster, world->test_case);
    for (int i = 0; i < cluster->host_count; i++) {
        struct sctp_node *node = world_process_new(world, host_process_core(cluster->hosts[i], 0));
        node->host = sctp_host_new(cluster, cluster->hosts[i], config);
    }
}

static void prepare(struct world *world)
{
    struct sctp_wire *wire = world_keep(world, g_new0(struct sctp_wire, 1));
    const struct scenario_case *test_case = world->test_case;
    int hosts = (int)test_case->topology.hosts->len;
    wire_init(&wire->wire, world, (int)test_case->topology.links->len / hosts, captured);
    wire->lines = g_array_new(FALSE, FALSE, sizeof(struct sctp_line));
    world->state = wire;
}

static void node_close(void *process)
{
    struct sctp_node *node = process;
    sctp_host_free(node->host);
}

static void free_wire(struct world *world)
{
    g_array_unref(sctp_wire(world)->lines);
}

static const struct world_provider world_sctp = {
    .process_bytes = sizeof(struct sctp_node),
    .prepare = prepare,
    .build = build,
    .close = node_close,
    .free = free_wire,
};

static void add_machines(GString *text, const char *nic, int hosts, int networks)
{
    g_string_append_printf(text, "hosts: [{name: node, count: %d, nics: [", hosts);
    for (int n = 0; n < networks; n++)
        g_string_append_printf(text, "%s{name: eth%d, nic: %s}", n ? ", " : "", n, nic);
    g_string_append(text, "]}]\nswitches: [");
    for (int n = 0; n < networks; n++)
        g_string_append_printf(text, "%s{name: net%d}", n ? ", " : "", n);
    g_string_append(text, "]\nlinks:\n");
    for (int h = 0; h < hosts; h++)
        for (int n = 0; n < networks; n++)
            g_string_append_printf(text, "- {from: node%d.eth%d, to: net%d}\n", h, n, n);
}

struct world *sctp_world(int hosts, int networks, const char *const *sets, struct trace *trace)
{
    return sctp_world_of("eepro100", hosts, networks, sets, trace);
}

struct world *sctp_world_of(const char *nic, int hosts, int networks, const char *const *sets,
                            struct trace *trace)
{
    GString *text = g_string_new(
        "schema: 1\n"
        "name: t\n"
        "stack: sctp\n"
        "host: {processor: {cores: 2, clock: 3 GHz}, bus: {clock: 66 MHz, width: 8 B}}\n"
        "link: {rate: 100 Mb/s, propagation: 53 ns}\n"
        "switch: {latency: 5003 ns}\n"
        "workload: {benchmark: native.pingpong, sizes: [1 B], repetitions: 10}\n");
    add_machines(text, nic, hosts, networks);
    struct world *world = world_new(&world_sctp, text->str, sets, trace);
    g_string_free(text, TRUE);
    return world;
}

struct sctp_node *sctp_node(const struct world *world, int number)
{
    return world_process(world, number);
}

struct sctp_wire *sctp_wire(const struct world *world)
{
    return world->state;
}

struct sctp_association *sctp_node_association(const struct world *world, int number)
{
    const struct sctp_host *host = sctp_node(world, number)->host;
    return host->associations->len ? g_ptr_array_index(host->associations, 0) : NULL;
}

// ---- The log ----

int sctp_log_count(const struct world *world)
{
    return (int)sctp_wire(world)->lines->len;
}

const struct sctp_line *sctp_log_at(const struct world *world, int index)
{
    static const struct sctp_line none = {.node = -1};
    if (index < 0 || index >= sctp_log_count(world))
        return &none;
    return &g_array_index(sctp_wire(world)->lines, struct sctp_line, index);
}

static bool fits(const struct sctp_line *line, int node, int card, int type)
{
    return line->node == node && (card < 0 || line->card == card) && line->type == type;
}

int sctp_log_find(const struct world *world, int index, int node, int card, int type)
{
    for (int i = index; i < sctp_log_count(world); i++)
        if (fits(sctp_log_at(world, i), node, card, type))
            return i;
    return -1;
}

int sctp_log_between(const struct world *world, sim_time from, sim_time to, int node, int card,
                     int type)
{
    int count = 0;
    for (int i = 0; i < sctp_log_count(world); i++) {
        const struct sctp_line *line = sctp_log_at(world, i);
        count += line->when >= from && line->when < to && fits(line, node, card, type);
    }
    return count;
}
