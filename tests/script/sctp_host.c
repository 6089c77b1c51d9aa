// SPDX-License-Identifier: GPL-3.0-or-later
// SCTP's side of a script (struct script_protocol): packets in both directions.
#include "tests/script/sctp_host.h"

#include "models/ethernet/nics.h"
#include "models/sctp_cmt/wire/codec.h"

#include <string.h>

static const char scenario[] =
    "schema: 1\n"
    "name: script\n"
    "stack: script\n"
    "nic: eepro100\n"
    "what_if: [card_rate, bus_rate]\n"                          // neither takes time
    "sctp: {profile: %s, init_bytes: 0 B, cookie_bytes: 0 B}\n" // no extensions are announced
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

// A stack that is nothing but SCTP: no program runs on it.
static const struct stack script_stack = {
    .schema =
        {
            .name = "script",
            .doc = "SCTP sockets for packet scripts",
            .benchmarks = (const char *const[]){"native.pingpong", NULL},
            .sections = (const char *const[]){"sctp", NULL},
            .one_process_per_host = true,
            .cards = STACK_CARDS_ALL,
        },
    .card = ETHERNET_CARD,
};

static const struct model script_model = {
    .name = "script",
    .stacks = (const struct stack *const[]){&script_stack, NULL},
};

extern const struct model ethernet_model, inet_model, sctp_wire_model, sctp_model;
static const struct registry registry = {(const struct model *const[]){
    &ethernet_model, &inet_model, &sctp_wire_model, &sctp_model, &script_model, NULL}};

// A script's own addresses (packetdrill's defaults), and those of captures.
static const char *const own_addresses[] = {"192.168.0.1", "10.0.0.1", NULL};
static const char *const peer_addresses[] = {"192.0.2.1", "10.0.0.2", NULL};

struct sniffed_bytes {
    uint32_t length;
    uint8_t bytes[];
};

static struct sctp_script_host *host_of(const struct script_world *world)
{
    return world->host;
}

// ---- Life ----

static void *script_host_new(struct script_world *world, const struct script *script)
{
    struct sctp_script_host *host = g_new0(struct sctp_script_host, 1);
    (void)script;
    host->sctp = sctp_host_new(world->cluster, world->cluster->hosts[0],
                               scenario_section_values(world->test_case, "sctp"));
    sctp_pools_init(&host->pools);
    host->tuned = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    host->own_port = host->peer_port = SCTP_SCRIPT_PORT;
    return host;
}

static void script_host_free(void *owner)
{
    struct sctp_script_host *host = owner;
    g_hash_table_unref(host->tuned);
    sctp_host_free(host->sctp);
    sctp_pools_clear(&host->pools);
    sctp_numbering_clear(&host->numbers);
    g_free(host);
}

// ---- Packets ----

static bool addresses_fit(const struct script_event *event, struct script_report *report)
{
    bool inbound = event->kind == SCRIPT_INBOUND;
    const char *own = inbound ? event->destination : event->source;
    const char *peer = inbound ? event->source : event->destination;
    if (!event->source ||
        (g_strv_contains(own_addresses, own) && g_strv_contains(peer_addresses, peer)))
        return true;
    script_unsupported(report, event->line, "addresses %s > %s", event->source, event->destination);
    return false;
}

// User data from outside belong to no message: fragments of one have nothing else in common.
static void forget_messages(struct packet *packet)
{
    for (struct sctp_chunk *chunk = sctp_packet_of(packet)->first; chunk; chunk = chunk->next) {
        if (sctp_chunk_form(chunk) != SCTP_FORM_DATA)
            continue;
        sctp_message_free(chunk->data.message);
        chunk->data.message = NULL;
    }
    packet->message = MESSAGE_NONE;
}

static struct packet *inject(struct script_world *world, const struct script_event *event,
                             struct script_report *report)
{
    struct sctp_script_host *host = host_of(world);
    struct network *network = world->cluster->network;
    if (!addresses_fit(event, report))
        return NULL;
    GByteArray *bytes =
        sctp_text_bytes(event->packet, &host->numbers, host->peer_port, host->own_port, report);
    if (!bytes)
        return NULL;
    struct packet *packet = packet_new(network);
    sctp_packet_init(packet, &host->pools);
    packet->protocol = IP_ETHERTYPE;
    packet->route = network_route(network, world->peer, world->station);
    sctp_decode(bytes->data, bytes->len, packet);
    forget_messages(packet);
    packet->wire_bytes = ETHERNET_HEADER + IP_HEADER + bytes->len + ETHERNET_FCS;
    sctp_packet_of(packet)->ip.protocol = SCTP_PROTOCOL;
    g_byte_array_unref(bytes);
    return packet;
}

static void *sniff(struct script_world *world, const struct packet *packet)
{
    const struct sctp_packet *sctp = sctp_packet_of(packet);
    struct sniffed_bytes *sniffed = g_malloc0(sizeof *sniffed + sctp->bytes);
    (void)world;
    sniffed->length = sctp_encode(sctp, sniffed->bytes, sctp->bytes);
    return sniffed;
}

static void match(struct script_world *world, const struct script_event *event, const void *sniffed,
                  struct script_report *report)
{
    struct sctp_script_host *host = host_of(world);
    const struct sniffed_bytes *packet = sniffed;
    const struct sctp_text *expected = event->packet;
    GString *why = g_string_new(NULL);
    if (addresses_fit(event, report) &&
        !sctp_text_match(expected, &host->numbers, packet->bytes, packet->length, why)) {
        char *got = sctp_bytes_text(&host->numbers, packet->bytes, packet->length, true);
        script_fail(report, event->line, "expected %s, got %s (%s differs)", expected->source, got,
                    why->str);
        g_free(got);
    }
    if (packet->length >= 4) {
        host->own_port = sctp_get16(packet->bytes);
        host->peer_port = sctp_get16(packet->bytes + 2);
    }
    g_string_free(why, TRUE);
}

static char *event_text(struct script_world *world, const struct script_event *event)
{
    (void)world;
    return g_strdup(((const struct sctp_text *)event->packet)->source);
}

static char *sniffed_text(struct script_world *world, const void *sniffed)
{
    const struct sniffed_bytes *packet = sniffed;
    return sctp_bytes_text(&host_of(world)->numbers, packet->bytes, packet->length, true);
}

// ---- The protocol ----

static const char *const defined[] = {"FreeBSD", "__FreeBSD__", NULL};
static const char *const profiles[] = {"rfc9260", "s2007", NULL};

const struct script_protocol sctp_script_protocol = {
    .program = "sctp_script",
    .defined = defined,
    .profiles = profiles,
    .registry = &registry,
    .scenario = scenario,
    .mtu = "sctp.mtu",
    .constants = sctp_script_constants,
    .parse = sctp_text_parse,
    .packet_free = sctp_text_free,
    .host_new = script_host_new,
    .host_free = script_host_free,
    .inject = inject,
    .sniff = sniff,
    .match = match,
    .text = event_text,
    .sniffed_text = sniffed_text,
    .call = sctp_script_call,
    .shell = sctp_script_shell,
};
