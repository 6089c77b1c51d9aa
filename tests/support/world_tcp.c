// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/world_tcp.h"

#include "models/ethernet/nics.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

// ---- Reading frames back ----

static uint32_t get16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t get32(const uint8_t *at)
{
    return get16(at) << 16 | get16(at + 2);
}

static uint32_t sum_of(const uint8_t *bytes, uint32_t length, uint32_t sum)
{
    for (uint32_t i = 0; i < length; i++)
        sum += i & 1 ? bytes[i] : (uint32_t)bytes[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum;
}

static bool checksums_right(const uint8_t *ip, uint32_t length)
{
    uint32_t tcp = length - IP_HEADER;
    uint32_t pseudo = sum_of(ip + 12, 8, 6 + tcp);
    return sum_of(ip, IP_HEADER, 0) == 0xffff && sum_of(ip + IP_HEADER, tcp, pseudo) == 0xffff;
}

static void read_sacks(struct tcp_line *line, const uint8_t *at, uint32_t initial)
{
    line->sacks = (at[1] - 2) / 8;
    for (int i = 0; i < line->sacks && i < TCP_SACK_BLOCKS; i++) {
        line->sack_from[i] = get32(at + 2 + 8 * i) - initial;
        line->sack_to[i] = get32(at + 6 + 8 * i) - initial;
    }
}

static void read_options(struct tcp_line *line, const uint8_t *at, const uint8_t *end,
                         uint32_t peer_initial)
{
    line->mss = line->scale = -1;
    for (; at < end; at += at[0] == 1 ? 1 : at[1])
        switch (at[0]) {
        case 1:
            break;
        case 2:
            line->mss = get16(at + 2);
            break;
        case 3:
            line->scale = at[2];
            break;
        case 4:
            line->sack_permitted = true;
            break;
        case 5:
            read_sacks(line, at, peer_initial);
            break;
        case 8:
            line->timestamps = true;
            line->timestamp = get32(at + 2);
            line->echo = get32(at + 6);
            break;
        default:
            CU_FAIL("an unknown TCP option");
            return;
        }
}

static void captured(struct wire *of, const struct capture_frame *told)
{
    struct tcp_wire *wire = container_of(of, struct tcp_wire, wire);
    const uint8_t *frame = told->bytes, *ip = frame + ETHERNET_HEADER, *tcp = ip + IP_HEADER;
    int node = told->interface;
    CU_ASSERT(get16(frame + 12) == IP_ETHERTYPE && ip[0] == 0x45 && ip[9] == 6);
    int peer = (int)(get32(ip + 16) - 0x0a000001);
    uint32_t header = (uint32_t)(tcp[12] >> 4) * 4;
    struct tcp_line line = {
        .when = told->when,
        .node = node,
        .source_port = (uint16_t)get16(tcp),
        .flags = tcp[13],
        .payload = (int64_t)get16(ip + 2) - IP_HEADER - header,
        .window = get16(tcp + 14),
        .wire = told->length,
        .checksums = checksums_right(ip, get16(ip + 2)),
    };
    if (line.flags & TCP_SYN)
        wire->initial[node] = get32(tcp + 4);
    line.sequence = (int32_t)(get32(tcp + 4) - wire->initial[node]);
    if (line.flags & TCP_ACK)
        line.acknowledgment = (int32_t)(get32(tcp + 8) - wire->initial[peer]);
    read_options(&line, tcp + TCP_HEADER, tcp + header, wire->initial[peer]);
    CU_ASSERT(line.checksums);
    g_array_append_val(wire->lines, line);
}

// ---- Jobs ----

bool tcp_listen_job(struct cpu_context *context, void *process, void *options)
{
    struct tcp_node *node = process;
    node->listener = tcp_listen(context, node->host, TCP_PORT, options, &node->process.task);
    return true;
}

bool tcp_accept_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    (void)argument;
    node->socket = tcp_accept(context, node->listener);
    return node->socket;
}

static bool connect_with(struct cpu_context *context, struct tcp_node *node,
                         const struct tcp_options *options)
{
    if (!node->socket)
        node->socket =
            tcp_connect(context, node->host,
                        tcp_peer_station(node->host, tcp_node(node->process.world, 1)->host),
                        TCP_PORT, options, &node->process.task);
    return inet_wait(context, tcp_socket_inet(node->socket), INET_WRITABLE);
}

bool tcp_connect_job(struct cpu_context *context, void *process, void *options)
{
    struct tcp_node *node = process;
    return connect_with(context, node, options);
}

bool tcp_connect_no_delay_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    static const struct tcp_options no_delay = {.no_delay = true};
    (void)argument;
    return connect_with(context, node, &no_delay);
}

bool tcp_write_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    if (node->target == 0)
        node->target = (int64_t)GPOINTER_TO_SIZE(argument);
    struct tcp_run run = {.length = node->target};
    int64_t taken = tcp_write(context, node->socket, INET_WRITE, &run, 1);
    if (taken < 0) {
        node->reset = true;
        node->target = 0;
        return true;
    }
    node->target -= taken;
    if (node->target == 0)
        return true;
    if (inet_wait(context, tcp_socket_inet(node->socket), INET_WRITABLE))
        cpu_post_wake(context, &node->process.task);
    return false;
}

bool tcp_read_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    struct tcp_piece pieces[8];
    int count;
    if (node->target == 0)
        node->target = (int64_t)GPOINTER_TO_SIZE(argument);
    int64_t bytes = tcp_read(context, node->socket, INET_READ, node->target, pieces, 8, &count);
    if (bytes < 0) {
        node->reset = true;
        node->target = 0;
        return true;
    }
    node->bytes_read += bytes;
    node->target -= bytes;
    if (node->target == 0)
        return true;
    if (inet_wait(context, tcp_socket_inet(node->socket), INET_READABLE))
        cpu_post_wake(context, &node->process.task);
    return false;
}

bool tcp_close_job(struct cpu_context *context, void *process, void *argument)
{
    struct tcp_node *node = process;
    (void)argument;
    tcp_close(context, node->socket);
    return true;
}

void tcp_connect_nodes(struct world *world)
{
    world_do(tcp_node(world, 1), tcp_listen_job, NULL);
    world_do(tcp_node(world, 1), tcp_accept_job, NULL);
    world_do_at(tcp_node(world, 0), TIME_MS, tcp_connect_job, NULL);
}

void tcp_transfer(struct world *world, int64_t bytes)
{
    tcp_connect_nodes(world);
    world_do_at(tcp_node(world, 1), 5 * TIME_MS, tcp_read_job, GSIZE_TO_POINTER(bytes));
    world_do_at(tcp_node(world, 0), 10 * TIME_MS, tcp_write_job, GSIZE_TO_POINTER(bytes));
}

// ---- Life ----

static void prepare(struct world *world)
{
    struct tcp_wire *wire = world_keep(world, g_new0(struct tcp_wire, 1));
    wire_init(&wire->wire, world, 1, captured);
    wire->lines = g_array_new(FALSE, FALSE, sizeof(struct tcp_line));
    world->state = wire;
}

static void build(struct world *world)
{
    struct cluster *cluster = world->cluster;
    const struct tcp_config *config = scenario_section_values(world->test_case, "tcp");
    ethernet_add_nics(cluster, world->test_case);
    for (int i = 0; i < cluster->host_count; i++) {
        struct tcp_node *node = world_process_new(world, host_process_core(cluster->hosts[i], 0));
        node->host = tcp_host_new(cluster, cluster->hosts[i], config);
    }
}

static void node_close(void *process)
{
    struct tcp_node *node = process;
    tcp_host_free(node->host);
}

static void free_wire(struct world *world)
{
    g_array_unref(tcp_wire(world)->lines);
}

const struct world_provider world_tcp = {
    .process_bytes = sizeof(struct tcp_node),
    .prepare = prepare,
    .build = build,
    .close = node_close,
    .free = free_wire,
};

struct tcp_node *tcp_node(const struct world *world, int number)
{
    return world_process(world, number);
}

struct tcp_wire *tcp_wire(const struct world *world)
{
    return world->state;
}

// Its links one by one, so that faults can be set for each.
struct world *tcp_world(const char *const *sets, struct trace *trace)
{
    const char *links = strstr(world_pair, "links:");
    GString *text = g_string_new_len(world_pair, links - world_pair);
    g_string_append(text, "links: [{from: node0, to: switch, fault_direction: forward},\n"
                          "        {from: node1, to: switch, fault_direction: forward}]\n");
    struct world *world = world_new(&world_tcp, text->str, sets, trace);
    g_string_free(text, TRUE);
    return world;
}

// ---- The log ----

int tcp_log_count(const struct world *world)
{
    return (int)tcp_wire(world)->lines->len;
}

const struct tcp_line *tcp_log_at(const struct world *world, int index)
{
    static const struct tcp_line none = {.node = -1};
    if (index < 0 || index >= tcp_log_count(world))
        return &none;
    return &g_array_index(tcp_wire(world)->lines, struct tcp_line, index);
}

const struct tcp_line *tcp_log_data(const struct world *world, int node, int from, int nth)
{
    for (int i = from; i < tcp_log_count(world); i++) {
        const struct tcp_line *line = tcp_log_at(world, i);
        if (line->node == node && line->payload > 0 && nth-- == 0)
            return line;
    }
    return NULL;
}

char *tcp_line_text(const struct tcp_line *line)
{
    static const struct {
        int flag;
        char name;
    } flags[] = {{TCP_SYN, 'S'}, {TCP_FIN, 'F'}, {TCP_RST, 'R'}, {TCP_PSH, 'P'}, {TCP_ACK, 'A'}};
    GString *text = g_string_new(NULL);
    if (line->node < 0)
        return g_string_free(g_string_append(text, "nothing"), FALSE);
    g_string_printf(text, "node%d ", line->node);
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++)
        if (line->flags & flags[i].flag)
            g_string_append_c(text, flags[i].name);
    g_string_append_printf(text, " %ld:%ld(%ld)", (long)line->sequence,
                           (long)(line->sequence + line->payload), (long)line->payload);
    if (line->flags & TCP_ACK)
        g_string_append_printf(text, " ack %ld", (long)line->acknowledgment);
    g_string_append_printf(text, " win %ld", (long)line->window);
    for (int i = 0; i < line->sacks; i++)
        g_string_append_printf(text, "%s%ld:%ld", i ? "," : " sack ", (long)line->sack_from[i],
                               (long)line->sack_to[i]);
    return g_string_free(text, FALSE);
}

void tcp_log_print(const struct world *world, int around)
{
    for (int i = MAX(0, around - 12); i < MIN(tcp_log_count(world), around + 6); i++) {
        char *text = tcp_line_text(tcp_log_at(world, i));
        fprintf(stderr, "  %3d%c %12.6f ms  %s\n", i, i == around ? '*' : ' ',
                time_to_us(tcp_log_at(world, i)->when) / 1000, text);
        g_free(text);
    }
}

bool tcp_log_expect(const char *file, int line, const struct world *world, int index, sim_time when,
                    const char *text)
{
    const struct tcp_line *is = tcp_log_at(world, index);
    char *happened = tcp_line_text(is);
    bool same = strcmp(happened, text) == 0;
    if (when != TIME_NEVER && (is->when < when - TIME_US || is->when > when + TIME_US))
        same = false;
    if (!same) {
        char *message =
            g_strdup_printf("line %d: expected \"%s\" at %.6f ms, happened \"%s\" at %.6f ms",
                            index, text, when == TIME_NEVER ? -1.0 : time_to_us(when) / 1000,
                            happened, time_to_us(is->when) / 1000);
        fprintf(stderr, "%s:%d: %s\n", file, line, message);
        tcp_log_print(world, index);
        CU_assertImplementation(CU_FALSE, (unsigned)line, message, file, "", CU_FALSE);
        g_free(message);
    }
    g_free(happened);
    return same;
}
