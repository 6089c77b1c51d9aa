// SPDX-License-Identifier: GPL-3.0-or-later
// TCP's side of a script (struct script_protocol): packets in both directions.
#include "tests/script/tcp_host.h"

#include "models/ethernet/nic.h"
#include "tests/script/world.h"

#define PEER_INITIAL 100000 // the peer's initial sequence number on the wire

static const char scenario[] =
    "schema: 1\n"
    "name: script\n"
    "stack: tcp\n"
    "nic: eepro100\n"
    "what_if: [card_rate, bus_rate]\n" // neither takes time
    "host:\n"
    "  processor: {cores: 1, clock: 1000 GHz}\n"
    "  memory: {copy_cached: 100 GB/s, copy_uncached: 100 GB/s}\n"
    "  bus: {clock: 1 GHz, rate: 100 GB/s}\n"
    "  kernel: {interrupt_latency: 1 ns, interrupt_unmask: 1 ns}\n"
    "eepro100: {tx_start: 1 ns, rx_status: 1 ns, interrupt_delay: 1 ns, doorbell: 1 ns,\n"
    "           status_read: 1 ns, tx_frame: 1 ns, tx_done: 1 ns, rx_frame: 1 ns}\n"
    "hosts: [{name: node, count: 2}]\n"
    "links: [{from: node0, to: node1}]\n"
    "link: {rate: 100 Gb/s, propagation: 1 ns}\n"
    "workload: {benchmark: native.pingpong, sizes: [1 B]}\n";

static struct tcp_script_host *host_of(const struct script_world *world)
{
    return world->host;
}

// ---- Life ----

static void *script_host_new(struct script_world *world, const struct script *script)
{
    struct tcp_script_host *host = g_new0(struct tcp_script_host, 1);
    const char *unit = script_option(script, "tcp_ts_tick_usecs");
    host->tcp = tcp_host_new(world->cluster, world->cluster->hosts[0],
                             scenario_section_values(world->test_case, "tcp"));
    pool_init(&host->singles, sizeof(struct tcp_stream_run));
    pool_init(&host->contents, TCP_CONTENT_BYTES);
    tcp_stream_init(&host->stream, &host->singles, &host->contents);
    host->live_times = g_hash_table_new(NULL, NULL);
    if (unit)
        host->time_unit = (sim_time)(g_ascii_strtoull(unit, NULL, 10) % 10000000) * TIME_US;
    host->own.port = host->peer.port = TCP_SCRIPT_PORT;
    host->peer.live = PEER_INITIAL;
    return host;
}

static void script_host_free(void *owner)
{
    struct tcp_script_host *host = owner;
    tcp_host_free(host->tcp);
    tcp_stream_clear(&host->stream);
    pool_clear(&host->singles);
    pool_clear(&host->contents);
    g_hash_table_unref(host->live_times);
    g_free(host);
}

// ---- Numbers: the script's and those of the wire ----

// From a script's number to the stack's, which counts from the SYN without wrap.
static int64_t to_live(const struct tcp_numbering *side, int64_t script)
{
    return (int32_t)(uint32_t)(script - side->script);
}

static uint32_t to_script(const struct tcp_numbering *side, int64_t live)
{
    return (uint32_t)(live + side->script);
}

static uint32_t live_echo(const struct tcp_script_host *host, uint32_t echo)
{
    gpointer live;
    if (g_hash_table_lookup_extended(host->live_times, GUINT_TO_POINTER(echo), NULL, &live))
        return GPOINTER_TO_UINT(live);
    return host->times_known ? echo - host->script_time + host->live_time : echo;
}

// ---- From the script to the host ----

// The peer's stream grows to the segment's end, so that a reader finds the bytes.
static void extend_stream(struct tcp_script_host *host, const struct tcp_segment *segment)
{
    int64_t missing = segment->sequence + segment->payload - 1 - host->stream.written;
    if (segment->payload == 0 || missing <= 0)
        return;
    struct tcp_run run = {.length = missing};
    tcp_stream_append(&host->stream, &run, 0, missing);
}

static void set_options(const struct tcp_script_host *host, const struct tcp_text *text,
                        struct tcp_segment *segment)
{
    segment->options = (uint8_t)text->options;
    segment->mss = (uint16_t)text->mss;
    segment->scale = (uint8_t)text->scale;
    segment->timestamp = text->timestamp;
    segment->echo = live_echo(host, text->echo);
    segment->sack_count = (uint8_t)text->sack_count;
    for (int i = 0; i < text->sack_count; i++)
        segment->sack[i] = (struct tcp_sack_offset){
            (uint32_t)to_live(&host->own, text->sack[i][0]) - (uint32_t)segment->acknowledgment,
            (uint32_t)to_live(&host->own, text->sack[i][1]) - (uint32_t)segment->acknowledgment,
        };
}

static bool can_send(const struct script_event *event, const struct tcp_text *text,
                     struct script_report *report)
{
    if (event->source)
        script_unsupported(report, event->line, "addresses of a packet");
    else if ((text->flags & TCP_SYN) && text->payload > 0)
        script_unsupported(report, event->line, "data in a SYN");
    else if (text->any_time)
        script_fail(report, event->line, "expected a timestamp in what the script sends, got ...");
    return report->verdict == SCRIPT_PASS;
}

static struct packet *inject(struct script_world *world, const struct script_event *event,
                             struct script_report *report)
{
    struct tcp_script_host *host = host_of(world);
    const struct tcp_text *text = event->packet;
    if (!can_send(event, text, report))
        return NULL;
    if ((text->flags & TCP_SYN) && !host->peer.known) {
        host->peer.known = true;
        host->peer.script = text->sequence;
    }
    struct tcp_segment segment = {
        .ip.protocol = TCP_PROTOCOL,
        .stream = &host->stream,
        .sequence = to_live(&host->peer, text->sequence),
        .payload = (uint32_t)text->payload,
        .initial = host->peer.live,
        .peer_initial = host->own.live,
        .source_port = host->peer.port,
        .destination_port = host->own.port,
        .window = (uint16_t)text->window,
        .flags = (uint8_t)text->flags,
    };
    if (text->flags & TCP_ACK)
        segment.acknowledgment = to_live(&host->own, text->acknowledgment);
    set_options(host, text, &segment);
    extend_stream(host, &segment);
    struct network *network = world->cluster->network;
    struct packet *packet = packet_new(network);
    packet->protocol = IP_ETHERTYPE;
    packet->route = network_route(network, world->peer, world->station);
    packet->wire_bytes =
        (uint32_t)(ETHERNET_HEADER + tcp_segment_ip_bytes(&segment) + ETHERNET_FCS);
    *packet_header(packet, struct tcp_segment) = segment;
    return packet;
}

// ---- From the host to the script ----

static void *sniff(struct script_world *world, const struct packet *packet)
{
    (void)world;
    return g_memdup2(tcp_segment_of(packet), sizeof(struct tcp_segment));
}

// The segment in the script's numbers.
static struct tcp_text text_of(const struct tcp_script_host *host,
                               const struct tcp_segment *segment)
{
    struct tcp_text text = {
        .flags = segment->flags,
        .sequence = to_script(&host->own, segment->sequence),
        .payload = segment->payload,
        .window = segment->window,
        .options = segment->options,
        .mss = segment->options & TCP_OPTION_MSS ? segment->mss : 0,
        .scale = segment->options & TCP_OPTION_SCALE ? segment->scale : 0,
        .sack_count = segment->sack_count,
    };
    if (segment->flags & TCP_ACK)
        text.acknowledgment = to_script(&host->peer, segment->acknowledgment);
    if (segment->options & TCP_OPTION_TIMESTAMP) {
        text.timestamp = segment->timestamp - host->live_time + host->script_time;
        text.echo = segment->echo;
    }
    for (int i = 0; i < segment->sack_count; i++) {
        text.sack[i][0] = to_script(&host->peer, segment->acknowledgment + segment->sack[i].from);
        text.sack[i][1] = to_script(&host->peer, segment->acknowledgment + segment->sack[i].to);
    }
    return text;
}

static bool same_time(const struct tcp_script_host *host, const struct tcp_text *expected,
                      const struct tcp_text *got)
{
    if (expected->echo != got->echo)
        return false;
    return expected->any_time || host->time_unit == 0 || !host->times_known ||
           ABS((int32_t)(expected->timestamp - got->timestamp)) <= 1;
}

static bool same_options(const struct tcp_script_host *host, const struct tcp_text *expected,
                         const struct tcp_text *got)
{
    if (expected->any_options)
        return true;
    if (expected->options != got->options || expected->sack_count != got->sack_count ||
        expected->mss != got->mss || expected->scale != got->scale)
        return false;
    for (int i = 0; i < got->sack_count; i++)
        if (expected->sack[i][0] != got->sack[i][0] || expected->sack[i][1] != got->sack[i][1])
            return false;
    return !(got->options & TCP_OPTION_TIMESTAMP) || same_time(host, expected, got);
}

static bool same(const struct tcp_script_host *host, const struct tcp_text *expected,
                 const struct tcp_text *got)
{
    return expected->flags == got->flags &&
           (uint32_t)expected->sequence == (uint32_t)got->sequence &&
           expected->payload == got->payload &&
           (uint32_t)expected->acknowledgment == (uint32_t)got->acknowledgment &&
           (expected->window < 0 || expected->window == got->window) &&
           same_options(host, expected, got);
}

// Learns from the host's first SYN, and every timestamp.
static void learn(struct tcp_script_host *host, const struct tcp_text *expected,
                  const struct tcp_segment *segment)
{
    if ((segment->flags & TCP_SYN) && !host->own.known) {
        host->own = (struct tcp_numbering){
            .known = true,
            .script = expected->sequence,
            .live = segment->initial,
            .port = segment->source_port,
        };
        host->peer.port = segment->destination_port;
    }
}

static void learn_time(struct tcp_script_host *host, const struct tcp_text *expected,
                       const struct tcp_segment *segment)
{
    bool both = expected->options & segment->options & TCP_OPTION_TIMESTAMP;
    if (!both || expected->any_time)
        return;
    if (!host->times_known) {
        host->times_known = true;
        host->script_time = expected->timestamp;
        host->live_time = segment->timestamp;
    }
    g_hash_table_insert(host->live_times, GUINT_TO_POINTER(expected->timestamp),
                        GUINT_TO_POINTER(segment->timestamp));
}

static void match(struct script_world *world, const struct script_event *event, const void *sniffed,
                  struct script_report *report)
{
    struct tcp_script_host *host = host_of(world);
    const struct tcp_text *expected = event->packet;
    if (event->source) {
        script_unsupported(report, event->line, "addresses of a packet");
        return;
    }
    learn(host, expected, sniffed);
    struct tcp_text got = text_of(host, sniffed);
    if (!same(host, expected, &got)) {
        char *wanted = tcp_text_print(expected), *is = tcp_text_print(&got);
        script_fail(report, event->line, "expected %s, got %s", wanted, is);
        g_free(wanted);
        g_free(is);
        return;
    }
    learn_time(host, expected, sniffed);
}

static char *event_text(struct script_world *world, const struct script_event *event)
{
    (void)world;
    return tcp_text_print(event->packet);
}

static char *sniffed_text(struct script_world *world, const void *sniffed)
{
    struct tcp_text text = text_of(host_of(world), sniffed);
    return tcp_text_print(&text);
}

// ---- The protocol ----

static const char *const defined[] = {"Linux", "linux", "__linux__", NULL};
static const char *const more_options[] = {"tcp_ts_tick_usecs", NULL};

const struct script_protocol tcp_script_protocol = {
    .program = "tcp_script",
    .defined = defined,
    .registry = &model_registry,
    .scenario = scenario,
    .mtu = "tcp.mtu",
    .more_options = more_options,
    .constants = tcp_script_constants,
    .parse = tcp_text_parse,
    .packet_free = g_free,
    .host_new = script_host_new,
    .host_free = script_host_free,
    .inject = inject,
    .sniff = sniff,
    .match = match,
    .text = event_text,
    .sniffed_text = sniffed_text,
    .call = tcp_script_call,
};
