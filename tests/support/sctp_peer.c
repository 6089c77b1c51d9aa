// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/sctp_peer.h"

#include "tests/support/suite.h"

#include <string.h>

// ---- What comes ----

static void tell_causes(struct sctp_peer *peer, const struct sctp_chunk *chunk)
{
    struct sctp_tlv cause;
    for (uint32_t at = 0; sctp_tlv_next(chunk->bytes, &at, &cause);)
        g_string_append_printf(peer->came, "(%d)", cause.type);
}

static void tell_parameters(struct sctp_peer *peer, const struct sctp_init *init)
{
    struct sctp_tlv tlv;
    for (uint32_t at = 0; sctp_tlv_next(init->parameters, &at, &tlv);) {
        if (tlv.type == SCTP_UNRECOGNIZED_PARAMETER)
            g_string_append_printf(peer->came, " unrecognized=0x%x", sctp_get16(tlv.value));
        if (tlv.type == SCTP_COOKIE_PRESERVATIVE)
            g_string_append_printf(peer->came, " preservative=%u", sctp_get32(tlv.value));
    }
}

static void keep_init(struct sctp_peer *peer, const struct sctp_init *init)
{
    struct sctp_tlv tlv;
    peer->own_tag = init->tag;
    peer->own_tsn = init->tsn;
    for (uint32_t at = 0; sctp_tlv_next(init->parameters, &at, &tlv);) {
        if (tlv.type != SCTP_STATE_COOKIE)
            continue;
        struct sctp_bytes *cookie = sctp_bytes_new(&peer->host->pools, tlv.value_length);
        memcpy(cookie->data, tlv.value, tlv.value_length);
        cookie->length = tlv.value_length;
        g_ptr_array_add(peer->cookies, cookie);
    }
}

static void tell_chunk(struct sctp_peer *peer, const struct sctp_chunk *chunk)
{
    g_string_append(peer->came, sctp_chunk_name(chunk->type));
    switch (chunk->type) {
    case SCTP_INIT:
    case SCTP_INIT_ACK:
        keep_init(peer, &chunk->init);
        tell_parameters(peer, &chunk->init);
        break;
    case SCTP_DATA:
        g_string_append_printf(peer->came, "(%d)", (int)(chunk->data.tsn - peer->own_tsn));
        break;
    case SCTP_SACK:
        g_string_append_printf(peer->came, "(%d)", (int)(chunk->sack.cum_tsn - SCTP_PEER_TSN));
        break;
    case SCTP_SHUTDOWN:
        g_string_append_printf(peer->came, "(%d)", (int)(chunk->cum_tsn - SCTP_PEER_TSN));
        break;
    case SCTP_ABORT:
    case SCTP_SHUTDOWN_COMPLETE:
        if (chunk->flags & SCTP_REFLECTED)
            g_string_append(peer->came, " T");
        if (chunk->type == SCTP_ABORT)
            tell_causes(peer, chunk);
        break;
    case SCTP_ERROR:
        tell_causes(peer, chunk);
        break;
    default:
        break;
    }
}

static void peer_receive(struct cpu_context *context, void *owner, struct inet_interface *interface,
                         struct packet *packet)
{
    struct sctp_peer *peer = owner;
    const struct sctp_packet *sctp = sctp_packet_of(packet);
    sim_time now = context->now;
    peer->own_port = sctp->source_port;
    peer->port = sctp->destination_port;
    for (const struct sctp_chunk *chunk = sctp->first; chunk; chunk = chunk->next) {
        tell_chunk(peer, chunk);
        if (chunk->next)
            g_string_append_c(peer->came, ' ');
    }
    if (sctp->tag == 0)
        g_string_append(peer->came, "/0");
    else if (sctp->tag == peer->own_tag)
        g_string_append(peer->came, "/own");
    else if (sctp->tag != peer->tag)
        g_string_append_printf(peer->came, "/%u", sctp->tag);
    if (interface != inet_interface_at(peer->host->inet, 0))
        g_string_append_printf(peer->came, " on card %d",
                               inet_subnet(peer->world->cluster, inet_station(interface)));
    g_string_append_c(peer->came, '\n');
    g_array_append_val(peer->times, now);
    inet_packet_free(interface, packet);
}

static void peer_write(const struct packet *packet, const struct inet_addresses *addresses,
                       uint8_t *bytes, uint32_t room)
{
    (void)packet, (void)addresses;
    memset(bytes, 0, room); // its contents are not captured
}

static const struct inet_protocol peer_protocol = {
    .number = SCTP_PROTOCOL, .receive = peer_receive, .write = peer_write};

// ---- What is sent ----

// A field of a chunk's text: "os=5" has the value 5, "bad" has 1.
static bool field(char **words, const char *name, const char **text)
{
    size_t length = strlen(name);
    for (char **word = words + 1; *word; word++) {
        if (strncmp(*word, name, length) != 0)
            continue;
        if ((*word)[length] != '=' && (*word)[length] != '\0')
            continue;
        *text = (*word)[length] ? *word + length + 1 : "1";
        return true;
    }
    return false;
}

static uint32_t number(char **words, const char *name, uint32_t fallback)
{
    const char *text;
    return field(words, name, &text) ? (uint32_t)g_ascii_strtoll(text, NULL, 0) : fallback;
}

static void append_init(struct sctp_peer *peer, struct sctp_chunk *chunk, char **words)
{
    static const uint8_t cookie[] = "a cookie of the peer";
    struct sctp_bytes *all = sctp_bytes_new(&peer->host->pools, 512);
    uint8_t value[4];
    peer->tag = number(words, "tag", peer->tag);
    chunk->init = (struct sctp_init){
        .tag = peer->tag,
        .a_rwnd = number(words, "rwnd", 100000),
        .streams_out = (uint16_t)number(words, "os", 5),
        .streams_in = (uint16_t)number(words, "is", 5),
        .tsn = SCTP_PEER_TSN + number(words, "tsn", 0),
        .parameters = all,
    };
    for (char **word = words + 1; *word; word++) {
        if (g_str_has_prefix(*word, "address=")) {
            int card = (int)g_ascii_strtoll(*word + strlen("address="), NULL, 0);
            inet_put32(value, inet_station_address(
                                  peer->world->cluster,
                                  network_station(peer->world->cluster->network, 1, card)));
            sctp_tlv_append(all, SCTP_IPV4_ADDRESS, value, 4);
        } else if (g_str_has_prefix(*word, "param=")) {
            uint16_t type = (uint16_t)g_ascii_strtoll(*word + strlen("param="), NULL, 0);
            sctp_tlv_append(all, type, NULL, 4);
        } else if (g_str_has_prefix(*word, "preservative=")) {
            inet_put32(value, number(words, "preservative", 0));
            sctp_tlv_append(all, SCTP_COOKIE_PRESERVATIVE, value, 4);
        } else if (strcmp(*word, "host") == 0) {
            sctp_tlv_append(all, SCTP_HOST_NAME_ADDRESS, "host.org", 8);
        } else if (strcmp(*word, "torn") == 0) {
            sctp_tlv_append(all, SCTP_IPV4_ADDRESS, value, 4)[-1] = 200; // longer than the rest
        }
    }
    if (chunk->type == SCTP_INIT_ACK && number(words, "cookie", 1))
        sctp_tlv_append(all, SCTP_STATE_COOKIE, cookie, sizeof cookie);
    chunk->length = (uint16_t)(SCTP_INIT_HEADER + all->length);
}

static void append_cookie(struct sctp_peer *peer, struct sctp_chunk *chunk, char **words)
{
    const struct sctp_bytes *cookie =
        peer->cookies->pdata[number(words, "cookie", peer->cookies->len) - 1];
    chunk->bytes = sctp_bytes_new(&peer->host->pools, cookie->length);
    memcpy(chunk->bytes->data, cookie->data, cookie->length);
    chunk->bytes->length = cookie->length;
    chunk->bytes->data[0] ^= (uint8_t)number(words, "bad", 0);
    chunk->length = (uint16_t)(SCTP_CHUNK_HEADER + cookie->length);
}

static void append_causes(struct sctp_peer *peer, struct sctp_chunk *chunk, char **words)
{
    uint32_t cause = number(words, "cause", 0);
    uint8_t value[4];
    if (cause == 0)
        return;
    inet_put32(value, number(words, "value", 0));
    chunk->bytes = sctp_bytes_new(&peer->host->pools, 8);
    sctp_tlv_append(chunk->bytes, (uint16_t)cause, value, 4);
    chunk->length = SCTP_CHUNK_HEADER + 8;
}

static void append_bytes(struct sctp_peer *peer, struct sctp_chunk *chunk, uint32_t bytes)
{
    if (bytes == 0)
        return;
    chunk->bytes = sctp_bytes_new(&peer->host->pools, bytes);
    memset(chunk->bytes->data, 0, bytes);
    chunk->bytes->length = bytes;
    chunk->length = (uint16_t)(SCTP_CHUNK_HEADER + bytes);
}

static uint8_t type_of(char **words)
{
    static const uint8_t types[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 192};
    for (size_t i = 0; i < G_N_ELEMENTS(types); i++)
        if (strcmp(sctp_chunk_name(types[i]), words[0]) == 0)
            return types[i];
    g_assert(strcmp(words[0], "CHUNK") == 0);
    return (uint8_t)number(words, "type", 0);
}

static struct sctp_chunk *chunk_of(struct sctp_peer *peer, char **words)
{
    struct sctp_pools *pools = &peer->host->pools;
    struct sctp_chunk *chunk =
        sctp_chunk_new(pools, type_of(words), (uint8_t)number(words, "flags", 0));
    if (number(words, "short", 0)) {
        chunk->fault = SCTP_CHUNK_SHORT;
        append_bytes(peer, chunk, 4);
        return chunk;
    }
    switch (chunk->type) {
    case SCTP_DATA:
        chunk->data = (struct sctp_data){
            .tsn = SCTP_PEER_TSN + number(words, "tsn", 0),
            .stream = (uint16_t)number(words, "sid", 0),
            .ssn = (uint16_t)number(words, "ssn", 0),
            .bytes = number(words, "bytes", 100),
        };
        chunk->flags |= SCTP_DATA_BEGIN | SCTP_DATA_END;
        chunk->length = (uint16_t)(SCTP_DATA_HEADER + chunk->data.bytes);
        break;
    case SCTP_INIT:
    case SCTP_INIT_ACK:
        append_init(peer, chunk, words);
        break;
    case SCTP_SACK:
        chunk->sack.cum_tsn = peer->own_tsn + number(words, "cum", (uint32_t)-1);
        chunk->sack.a_rwnd = 100000;
        break;
    case SCTP_SHUTDOWN:
        chunk->cum_tsn = peer->own_tsn + number(words, "cum", (uint32_t)-1);
        break;
    case SCTP_COOKIE_ECHO:
        append_cookie(peer, chunk, words);
        break;
    case SCTP_ABORT:
    case SCTP_ERROR:
        append_causes(peer, chunk, words);
        break;
    case SCTP_HEARTBEAT:
        append_bytes(peer, chunk, 8);
        break;
    default:
        if (sctp_chunk_form(chunk) == SCTP_FORM_BYTES)
            append_bytes(peer, chunk, number(words, "bytes", 0));
        break;
    }
    return chunk;
}

static uint32_t tag_of(const struct sctp_peer *peer, char **words)
{
    const char *text;
    bool init = strcmp(words[0], "INIT") == 0;
    if (!field(words, "vtag", &text))
        return init ? 0 : peer->own_tag;
    if (strcmp(text, "own") == 0)
        return peer->own_tag;
    if (strcmp(text, "peer") == 0)
        return peer->tag;
    if (strcmp(text, "other") == 0)
        return peer->own_tag ^ 0x5555;
    return (uint32_t)g_ascii_strtoll(text, NULL, 0);
}

struct step {
    struct sctp_peer *peer;
    int card;
    const char *text;
    struct sctp_call call;
};

static void send_step(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    const struct step *step = argument;
    struct sctp_peer *peer = step->peer;
    struct inet_interface *interface = inet_interface_at(node->host->inet, step->card);
    int to = network_station(peer->world->cluster->network, 0, step->card);
    struct packet *packet =
        sctp_packet_new(&node->host->pools, interface, inet_route(interface, to));
    struct sctp_packet *sctp = sctp_packet_of(packet);
    sctp->source_port = peer->port;
    sctp->destination_port = peer->own_port;
    char **chunks = g_strsplit(step->text, ";", -1);
    for (char **chunk = chunks; *chunk; chunk++) {
        char **words = g_strsplit(g_strstrip(*chunk), " ", -1);
        if (chunk == chunks) {
            sctp->tag = tag_of(peer, words);
            sctp->bad_checksum = number(words, "bad_crc", 0);
        }
        sctp_packet_add(packet, chunk_of(peer, words));
        g_strfreev(words);
    }
    g_strfreev(chunks);
    inet_send(context, interface, SCTP_PROTOCOL, NULL, packet);
}

void sctp_peer_from(struct sctp_peer *peer, sim_time when, int card, const char *packet)
{
    struct step *step = world_keep(peer->world, g_new0(struct step, 1));
    *step = (struct step){peer, card, packet, {send_step, step}};
    world_do_at(sctp_node(peer->world, 1), when, sctp_call_job, &step->call);
}

void sctp_peer_at(struct sctp_peer *peer, sim_time when, const char *packet)
{
    sctp_peer_from(peer, when, 0, packet);
}

void sctp_peer_call(struct sctp_peer *peer, sim_time when,
                    void (*run)(struct cpu_context *context, struct sctp_node *node,
                                void *argument),
                    void *argument)
{
    struct sctp_call *call = world_keep(peer->world, g_new0(struct sctp_call, 1));
    *call = (struct sctp_call){run, argument};
    world_do_at(sctp_node(peer->world, 0), when, sctp_call_job, call);
}

// ---- Life ----

struct sctp_peer *sctp_peer_new(int networks, const char *const *sets)
{
    struct sctp_peer *peer = g_new0(struct sctp_peer, 1);
    peer->log = transition_log_new("sctp", true);
    peer->world = sctp_world(2, networks, sets, &peer->log->sink.trace);
    peer->host = sctp_node(peer->world, 1)->host;
    peer->came = g_string_new(NULL);
    peer->times = g_array_new(FALSE, FALSE, sizeof(sim_time));
    peer->cookies = g_ptr_array_new_with_free_func((GDestroyNotify)sctp_bytes_free);
    peer->tag = SCTP_PEER_TAG;
    peer->port = SCTP_PEER_PORT;
    peer->own_port = SCTP_WORLD_PORT;
    peer->host->inet->protocols[0].ops = &peer_protocol;
    peer->host->inet->protocols[0].owner = peer;
    return peer;
}

void sctp_peer_free(struct sctp_peer *peer)
{
    g_ptr_array_unref(peer->cookies);
    world_free(peer->world);
    transition_log_free(peer->log);
    g_string_free(peer->came, TRUE);
    g_array_unref(peer->times);
    g_free(peer);
}

const char *sctp_peer_run(struct sctp_peer *peer, sim_time until)
{
    g_string_truncate(peer->came, 0);
    g_array_set_size(peer->times, 0);
    g_string_truncate(peer->log->text, 0);
    sctp_run_until(peer->world, until);
    return peer->came->str;
}

const char *sctp_peer_steps(struct sctp_peer *peer)
{
    return peer->log->text->str;
}

// ---- Node 0 ----

#define ALL_EVENTS                                                                                 \
    (SCTP_EVENT_ASSOCIATION | SCTP_EVENT_ADDRESS | SCTP_EVENT_SEND_FAILURE |                       \
     SCTP_EVENT_PEER_ERROR | SCTP_EVENT_SHUTDOWN)

static void open_socket(struct cpu_context *context, struct sctp_node *node, enum sctp_style style)
{
    node->socket = sctp_socket_new(context, node->host, style, &node->process.task);
    sctp_subscribe(node->socket, ALL_EVENTS);
}

void sctp_peer_listen(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    open_socket(context, node, SCTP_ONE_TO_MANY);
    SUITE_SAME_INTEGER(sctp_bind(context, node->socket, SCTP_WORLD_PORT, 0), 0);
    SUITE_SAME_INTEGER(sctp_listen(context, node->socket), 0);
}

static void connect_to(struct cpu_context *context, struct sctp_node *node, int most)
{
    int stations[SCTP_MOST_PATHS];
    int count = inet_stations(node->process.world->cluster, 1, stations, SCTP_MOST_PATHS);
    open_socket(context, node, SCTP_ONE_TO_ONE);
    SUITE_SAME_INTEGER(
        sctp_connect(context, node->socket, stations, MIN(count, most), SCTP_WORLD_PORT, NULL),
        SCTP_IN_PROGRESS);
}

void sctp_peer_connect(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    connect_to(context, node, 1);
}

void sctp_peer_connect_all(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    connect_to(context, node, SCTP_MOST_PATHS);
}

void sctp_peer_shutdown(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    SUITE_SAME_INTEGER(sctp_shutdown(context, node->socket, 0), 0);
}

void sctp_peer_abort(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    (void)argument;
    SUITE_SAME_INTEGER(sctp_abort(context, node->socket, 0), 0);
}

void sctp_peer_send(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    const struct sctp_association *association = g_ptr_array_index(node->socket->associations, 0);
    int64_t bytes = (int64_t)GPOINTER_TO_SIZE(argument);
    struct ledger *ledger = node->process.world->sim->ledger;
    struct sctp_send_info info = {
        .association = association->id,
        .station = -1,
        .bytes = bytes,
        .message = ledger_open(ledger, 0, 1, bytes, 0),
    };
    SUITE_SAME_INTEGER(sctp_send(context, node->socket, &info), bytes);
}

void sctp_peer_associate(struct sctp_peer *peer)
{
    sctp_peer_call(peer, 0, sctp_peer_listen, NULL);
    sctp_peer_at(peer, 1 * TIME_MS, "INIT");
    sctp_peer_at(peer, 5 * TIME_MS, "COOKIE-ECHO");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 10 * TIME_MS), "INIT-ACK\nCOOKIE-ACK\n");
    SUITE_SAME_TEXT(sctp_peer_steps(peer),
                    "node0 sctp[1] CLOSED -> ESTABLISHED (receive COOKIE-ECHO)\n");
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_COMM_UP);
}

void sctp_peer_accept(struct sctp_peer *peer)
{
    sctp_peer_call(peer, 1 * TIME_MS, sctp_peer_connect, NULL);
    sctp_peer_at(peer, 4 * TIME_MS, "INIT-ACK");
    sctp_peer_at(peer, 7 * TIME_MS, "COOKIE-ACK");
    SUITE_SAME_TEXT(sctp_peer_run(peer, 10 * TIME_MS), "INIT/0\nCOOKIE-ECHO\n");
    SUITE_SAME_TEXT(sctp_peer_steps(peer),
                    "node0 sctp[1] CLOSED -> COOKIE-WAIT (associate)\n"
                    "node0 sctp[1] COOKIE-WAIT -> COOKIE-ECHOED (receive INIT-ACK)\n"
                    "node0 sctp[1] COOKIE-ECHOED -> ESTABLISHED (receive COOKIE-ACK)\n");
    SUITE_SAME_INTEGER(sctp_peer_notified(peer), SCTP_COMM_UP);
}

static void take_one(struct cpu_context *context, struct sctp_node *node, void *argument)
{
    int *found = argument;
    struct sctp_received received;
    int64_t bytes = sctp_receive(context, node->socket, 1 << 20, &received);
    *found = bytes > 0 ? (int)received.notification : -1;
}

int sctp_peer_notified(struct sctp_peer *peer)
{
    sim_time now = sim_now(peer->world->sim);
    int found = -1;
    struct sctp_call call = {take_one, &found};
    world_do_at(sctp_node(peer->world, 0), now, sctp_call_job, &call);
    sctp_run_until(peer->world, now + TIME_MS);
    return found;
}
