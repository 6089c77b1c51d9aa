// SPDX-License-Identifier: GPL-3.0-or-later
// Setting up an association: INIT, INIT-ACK, and what the client does with the cookie (RFC 9260,
// 5).
#include "models/sctp_cmt/sctp/setup.h"

#include <string.h>

#define LEAST_RWND 1500 // RFC 9260, 3.3.2
#define IPV4_TYPE 5     // in the list of supported address types

uint32_t sctp_new_tag(struct sctp_host *host)
{
    return (uint32_t)random_below(host->random, UINT32_MAX) + 1;
}

// ---- Chunks ----

// The contents of this end's INIT or INIT-ACK.
struct offer {
    const struct sctp_socket *socket;
    const struct sctp_settings *settings;
    uint32_t tag, tsn;
    int streams_out;
};

static void append_address(const struct inet_interface *interface, struct sctp_bytes *parameters)
{
    uint8_t address[4];
    inet_put32(address, inet_station_address(interface->host->cluster, inet_station(interface)));
    sctp_tlv_append(parameters, SCTP_IPV4_ADDRESS, address, sizeof address);
}

// All addresses of the socket if it has several; one is known by the packet.
static void append_addresses(const struct sctp_socket *socket, struct sctp_bytes *parameters)
{
    const struct inet_host *inet = socket->host->inet;
    int used = 0;
    for (int i = 0; i < inet_interfaces(inet); i++)
        used += sctp_uses_card(socket, inet_interface_at(inet, i));
    for (int i = 0; i < inet_interfaces(inet) && used > 1; i++)
        if (sctp_uses_card(socket, inet_interface_at(inet, i)))
            append_address(inet_interface_at(inet, i), parameters);
}

// Without the parameters that only one of INIT and INIT-ACK has. `room`: bytes of those.
static struct sctp_chunk *init_chunk(struct sctp_host *host, enum sctp_chunk_type type,
                                     const struct offer *offer, uint32_t room)
{
    static const uint8_t types[] = {0, IPV4_TYPE};
    struct sctp_chunk *chunk = sctp_chunk_new(&host->pools, (uint8_t)type, 0);
    uint32_t wanted = (uint32_t)host->config->init_bytes;
    struct sctp_bytes *parameters = sctp_bytes_new(&host->pools, 256 + wanted + room);
    append_addresses(offer->socket, parameters);
    if (type == SCTP_INIT) // RFC 9260, 3.3.3: not in INIT-ACK
        sctp_tlv_append(parameters, SCTP_SUPPORTED_ADDRESS_TYPES, types, sizeof types);
    uint32_t length = SCTP_INIT_HEADER + sctp_padded(parameters->length);
    if (wanted >= length + 4) // what the system announces of extensions that are not modelled
        sctp_tlv_append(parameters, SCTP_PADDING, NULL, wanted - length - 4);
    chunk->init = (struct sctp_init){
        .tag = offer->tag,
        .a_rwnd = (uint32_t)MIN(offer->settings->receive_buffer, UINT32_MAX),
        .tsn = offer->tsn,
        .streams_out = (uint16_t)offer->streams_out,
        .streams_in = (uint16_t)MIN(offer->settings->streams_in, UINT16_MAX),
        .parameters = parameters,
    };
    return chunk;
}

static void init_chunk_close(struct sctp_chunk *chunk)
{
    chunk->length = (uint16_t)(SCTP_INIT_HEADER + chunk->init.parameters->length);
}

// ---- The client ----

void sctp_t1_start(struct cpu_context *context, struct sctp_association *association)
{
    if (association->t1_tries == 0)
        association->setup_sent = inet_ticks(association->host->inet, context->now);
    sctp_timer_arm(context, association, &association->t1,
                   association->machine.state == SCTP_COOKIE_WAIT ? SCTP_T1_INIT : SCTP_T1_COOKIE,
                   association, association->setup_path->rto.rto);
}

// The answer has come: T1 ends, and its time is a round trip if nothing was sent twice.
static void t1_stop(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_path *path = association->setup_path;
    bool armed = inet_timer_armed(association->t1);
    inet_timer_cancel(&association->t1);
    if (armed && association->t1_tries == 0)
        sctp_rto_sample(&path->rto, association,
                        inet_ticks(association->host->inet, context->now) -
                            association->setup_sent);
    association->t1_tries = 0;
}

static void init_send(struct cpu_context *context, struct sctp_association *association)
{
    const struct offer offer = {
        .socket = association->socket,
        .settings = &association->settings,
        .tag = association->tag,
        .tsn = association->initial_tsn,
        .streams_out = association->out.stream_count,
    };
    struct packet *packet = sctp_path_packet(association->setup_path);
    struct sctp_chunk *chunk = init_chunk(association->host, SCTP_INIT, &offer, 8);
    if (association->preservative > 0) {
        uint8_t value[4];
        inet_put32(value, association->preservative);
        sctp_tlv_append(chunk->init.parameters, SCTP_COOKIE_PRESERVATIVE, value, sizeof value);
    }
    init_chunk_close(chunk);
    sctp_packet_add(packet, chunk);
    sctp_packet_send(context, association, association->setup_path, packet);
    sctp_t1_start(context, association);
}

void sctp_associate(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_host *host = association->host;
    association->tag = sctp_new_tag(host);
    association->initial_tsn = sctp_new_tag(host);
    association->setup_path = association->primary;
    association->opened = context->now;
    sctp_out_init(association, association->initial_tsn, (int)association->settings.streams_out);
    sctp_enter(context, association, SCTP_COOKIE_WAIT, "associate");
    init_send(context, association);
}

// Parameters that were not understood are reported after the cookie.
static void queue_report(struct sctp_association *association, const struct sctp_bytes *unknown)
{
    struct sctp_pools *pools = &association->host->pools;
    struct sctp_tlv tlv;
    for (uint32_t at = 0; sctp_tlv_next(unknown, &at, &tlv);)
        sctp_control_queue(association->setup_path,
                           sctp_cause_chunk(pools, SCTP_ERROR, SCTP_UNRECOGNIZED_PARAMETERS,
                                            tlv.value, tlv.value_length));
}

// DATA may follow in the packet, but not when it is sent again. `unknown`: reports for the peer.
static void cookie_send(struct cpu_context *context, struct sctp_association *association,
                        const struct sctp_bytes *unknown)
{
    struct sctp_chunk *chunk = sctp_chunk_new(&association->host->pools, SCTP_COOKIE_ECHO, 0);
    chunk->bytes = association->cookie;
    sctp_bytes_ref(chunk->bytes);
    chunk->length = (uint16_t)(SCTP_CHUNK_HEADER + chunk->bytes->length);
    if (association->t1_tries == 0) {
        association->echo_waits = true;
        sctp_control_queue(association->setup_path, chunk);
        queue_report(association, unknown);
        sctp_due(association, SCTP_DUE_OUTPUT | SCTP_DUE_T1);
    } else {
        struct packet *packet = sctp_path_packet(association->setup_path);
        sctp_packet_add(packet, chunk);
        sctp_packet_send(context, association, association->setup_path, packet);
        sctp_t1_start(context, association);
    }
}

// No answer to INIT or COOKIE-ECHO (RFC 9260, 4, note 3; 5.1).
static void setup_failed(struct cpu_context *context, struct sctp_association *association)
{
    if (association->host->config->setup_abort)
        sctp_abort_send(context, association);
    sctp_association_end(context, association, SCTP_CANT_STR_ASSOC, SCTP_TIMED_OUT);
}

void sctp_t1_expired(struct cpu_context *context, struct sctp_association *association)
{
    struct sctp_path *path = association->setup_path;
    bool init = association->machine.state == SCTP_COOKIE_WAIT;
    if (association->t1_tries >= association->settings.init_retries) {
        setup_failed(context, association);
        return;
    }
    sctp_count_timeout(association->host, init ? SCTP_T1_INIT : SCTP_T1_COOKIE);
    association->t1_tries++;
    sctp_rto_back_off(&path->rto, association);
    if (init)
        sctp_rto_limit_init(&path->rto, association);
    if (init) // the user vouches for all addresses that are known yet
        association->setup_path = &association->paths[(path->number + 1) % association->path_count];
    else
        association->setup_path = sctp_path_alternate(path);
    if (init)
        init_send(context, association);
    else
        cookie_send(context, association, NULL);
}

// ---- The server ----

// The peer gets INIT-ACK with a cookie; this host keeps nothing.
static void init_ack_send(struct cpu_context *context, struct sctp_arrival *arrival,
                          const struct sctp_init *init, const struct sctp_peer_facts *facts,
                          const struct offer *offer, struct sctp_cookie *cookie)
{
    struct sctp_host *host = arrival->host;
    cookie->made = context->now;
    cookie->life =
        time_after(offer->settings->cookie_life, (sim_time)facts->preservative * TIME_MS);
    cookie->tag = offer->tag;
    cookie->peer_tag = init->tag;
    cookie->tsn = offer->tsn;
    cookie->peer_tsn = init->tsn;
    cookie->peer_rwnd = init->a_rwnd;
    cookie->peer_streams_out = init->streams_out;
    cookie->peer_streams_in = init->streams_in;
    cookie->port = arrival->sctp->destination_port;
    cookie->peer_port = arrival->sctp->source_port;
    cookie->station_count = facts->station_count;
    for (int i = 0; i < facts->station_count; i++)
        cookie->stations[i] = facts->stations[i];
    struct sctp_bytes *bytes = sctp_cookie_make(host, cookie);
    uint32_t unknown = facts->unrecognized ? facts->unrecognized->length : 0;
    struct sctp_chunk *chunk = init_chunk(host, SCTP_INIT_ACK, offer, bytes->length + unknown + 16);
    // The cookie last, as the BSD stack has it.
    struct sctp_tlv tlv;
    for (uint32_t at = 0; sctp_tlv_next(facts->unrecognized, &at, &tlv);)
        sctp_tlv_append(chunk->init.parameters, tlv.type, tlv.value, tlv.value_length);
    sctp_tlv_append(chunk->init.parameters, SCTP_STATE_COOKIE, bytes->data, bytes->length);
    sctp_bytes_free(bytes);
    init_chunk_close(chunk);
    sctp_reply(context, host, arrival->interface, arrival->packet, init->tag, chunk);
}

static void refuse(struct cpu_context *context, struct sctp_arrival *arrival,
                   const struct sctp_init *init, enum sctp_cause cause, const void *info,
                   uint32_t info_bytes)
{
    struct sctp_chunk *chunk =
        sctp_cause_chunk(&arrival->host->pools, SCTP_ABORT, cause, info, info_bytes);
    sctp_reply(context, arrival->host, arrival->interface, arrival->packet, init->tag, chunk);
}

// A listening socket answers with a tag and a TSN that only the cookie keeps.
static void init_for_listener(struct cpu_context *context, struct sctp_arrival *arrival,
                              const struct sctp_init *init, const struct sctp_peer_facts *facts)
{
    struct sctp_host *host = arrival->host;
    const struct sctp_socket *socket =
        sctp_host_listener(host, arrival->interface, arrival->sctp->destination_port);
    if (!socket) {
        refuse(context, arrival, init, (enum sctp_cause)0, NULL, 0);
        return;
    }
    const struct offer offer = {
        .socket = socket,
        .settings = &socket->settings,
        .tag = sctp_new_tag(host),
        .tsn = sctp_new_tag(host),
        .streams_out = (int)MIN(socket->settings.streams_out, init->streams_in),
    };
    struct sctp_cookie cookie = {0};
    init_ack_send(context, arrival, init, facts, &offer, &cookie);
}

// Answers to an INIT if there is an association (RFC 9260, 5.2.1, 5.2.2, 9.2).
enum init_answer { AS_FOR_A_LISTENER, OWN_TAG, OWN_TAG_TIED, NEW_TAG_TIED, SHUTDOWN_ACK_AGAIN };

static const enum init_answer init_answers[] = {
    [SCTP_CLOSED] = AS_FOR_A_LISTENER,       [SCTP_COOKIE_WAIT] = OWN_TAG,
    [SCTP_COOKIE_ECHOED] = OWN_TAG_TIED,     [SCTP_ESTABLISHED] = NEW_TAG_TIED,
    [SCTP_SHUTDOWN_PENDING] = NEW_TAG_TIED,  [SCTP_SHUTDOWN_SENT] = NEW_TAG_TIED,
    [SCTP_SHUTDOWN_RECEIVED] = NEW_TAG_TIED, [SCTP_SHUTDOWN_ACK_SENT] = SHUTDOWN_ACK_AGAIN,
};

static uint8_t *put_address(uint8_t *at, uint32_t address)
{
    return inet_put32(inet_put16(inet_put16(at, SCTP_IPV4_ADDRESS), 8), address);
}

// A peer that restarts, or opens at the same time, must not bring addresses along that the
// association does not know: they may belong to another host (RFC 9260, 5.2.1, 5.2.2). One without
// a route never became a path.
static bool new_addresses(const struct sctp_association *association,
                          const struct sctp_peer_facts *facts, uint8_t *info, uint32_t *info_bytes)
{
    uint8_t *at = info;
    for (int i = 0; i < facts->station_count; i++) {
        if (sctp_path_to(association, facts->stations[i]) ||
            !sctp_card_for(association->socket, facts->stations[i]))
            continue;
        at = put_address(at, inet_station_address(association->host->cluster, facts->stations[i]));
    }
    for (int i = 0; i < facts->stranger_count; i++)
        at = put_address(at, facts->strangers[i]);
    *info_bytes = (uint32_t)(at - info);
    return *info_bytes > 0;
}

static void init_for_association(struct cpu_context *context, struct sctp_arrival *arrival,
                                 const struct sctp_init *init, const struct sctp_peer_facts *facts)
{
    struct sctp_association *association = arrival->association;
    enum init_answer answer = init_answers[association->machine.state];
    uint8_t info[2 * 8 * SCTP_MOST_PATHS];
    uint32_t info_bytes;
    if (answer == SHUTDOWN_ACK_AGAIN) {
        sctp_shutdown_ack_queue(association, NULL);
        return;
    }
    bool fresh = answer == NEW_TAG_TIED, tied = answer != OWN_TAG;
    if (tied && new_addresses(association, facts, info, &info_bytes)) {
        refuse(context, arrival, init, SCTP_RESTART_WITH_NEW_ADDRESSES, info, info_bytes);
        return;
    }
    const struct offer offer = {
        .socket = association->socket,
        .settings = &association->settings,
        .tag = fresh ? sctp_new_tag(arrival->host) : association->tag,
        .tsn = fresh ? sctp_new_tag(arrival->host) : association->initial_tsn,
        .streams_out = association->out.stream_count,
    };
    struct sctp_cookie cookie = {
        .tie_tag = tied ? association->tag : 0,
        .peer_tie_tag = tied ? association->peer_tag : 0,
    };
    init_ack_send(context, arrival, init, facts, &offer, &cookie);
}

// It may be known by another of the addresses that the INIT names: both ends open at once, from
// different cards.
static bool has_association(struct sctp_arrival *arrival, const struct sctp_peer_facts *facts)
{
    if (!arrival->association)
        arrival->association =
            sctp_host_find_any(arrival->host, facts->stations, facts->station_count,
                               arrival->sctp->destination_port, arrival->sctp->source_port);
    return arrival->association;
}

void sctp_init_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                       const struct sctp_chunk *chunk)
{
    const struct sctp_init *init = &chunk->init;
    arrival->stop = true;
    if (arrival->sctp->tag != 0 || init->tag == 0) // there is no tag for an answer: RFC
                                                   // 9260, 3.3.2, 8.5.1
        return;
    if (init->streams_out == 0 || init->streams_in == 0 || init->a_rwnd < LEAST_RWND) {
        refuse(context, arrival, init, SCTP_INVALID_MANDATORY_PARAMETER, NULL, 0);
        return;
    }
    struct sctp_peer_facts facts =
        sctp_peer_facts(arrival->host, init, route_from(arrival->packet->route));
    if (facts.malformed)
        refuse(context, arrival, init, SCTP_PROTOCOL_VIOLATION, NULL, 0);
    else if (facts.host_name.length > 0)
        refuse(context, arrival, init, SCTP_UNRESOLVABLE_ADDRESS, facts.host_name.value - 4,
               facts.host_name.length);
    else if (has_association(arrival, &facts))
        init_for_association(context, arrival, init, &facts);
    else
        init_for_listener(context, arrival, init, &facts);
    sctp_bytes_free(facts.unrecognized);
}

// ---- The client, again ----

void sctp_take_peer(struct sctp_association *association, uint32_t tag, uint32_t tsn, uint32_t rwnd,
                    uint16_t streams_out, uint16_t streams_in)
{
    association->peer_tag = tag;
    association->peer_initial_tsn = tsn;
    sctp_out_limit_streams(association, streams_in);
    sctp_out_open(association, rwnd);
    sctp_in_clear(association);
    sctp_in_init(association, tsn, (int)MIN(association->settings.streams_in, streams_out));
}

// An INIT-ACK that nothing can be made of ends the association.
static bool init_ack_fault(struct cpu_context *context, struct sctp_arrival *arrival,
                           const struct sctp_init *init, const struct sctp_peer_facts *facts)
{
    struct sctp_association *association = arrival->association;
    static const uint8_t no_cookie[] = {0, 0, 0, 1, 0, SCTP_STATE_COOKIE};
    enum sctp_cause cause = (enum sctp_cause)0;
    const void *info = NULL;
    uint32_t info_bytes = 0;
    if (init->tag == 0 || init->streams_out == 0 || init->streams_in == 0 ||
        init->a_rwnd < LEAST_RWND) {
        cause = SCTP_INVALID_MANDATORY_PARAMETER;
    } else if (facts->malformed) {
        cause = SCTP_PROTOCOL_VIOLATION;
    } else if (facts->host_name.length > 0) {
        cause = SCTP_UNRESOLVABLE_ADDRESS;
        info = facts->host_name.value - 4, info_bytes = facts->host_name.length;
    } else if (!facts->cookie) {
        cause = SCTP_MISSING_MANDATORY_PARAMETER;
        info = no_cookie, info_bytes = sizeof no_cookie;
    } else {
        return false;
    }
    association->peer_tag = init->tag;
    if (init->tag == 0) { // so the ABORT has this end's tag (T)
        struct sctp_chunk *chunk =
            sctp_cause_chunk(&arrival->host->pools, SCTP_ABORT, cause, info, info_bytes);
        chunk->flags = SCTP_REFLECTED;
        sctp_reply(context, arrival->host, arrival->interface, arrival->packet, association->tag,
                   chunk);
    }
    sctp_fail(association, cause, info, info_bytes, SCTP_REFUSED);
    return true;
}

static void keep_cookie(struct sctp_association *association, const struct sctp_peer_facts *facts)
{
    sctp_bytes_free(association->cookie);
    association->cookie = sctp_bytes_new(&association->host->pools, facts->cookie_length);
    memcpy(association->cookie->data, facts->cookie, facts->cookie_length);
    association->cookie->length = facts->cookie_length;
}

void sctp_init_ack_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                           const struct sctp_chunk *chunk)
{
    struct sctp_association *association = arrival->association;
    const struct sctp_init *init = &chunk->init;
    struct sctp_peer_facts facts =
        sctp_peer_facts(arrival->host, init, route_from(arrival->packet->route));
    if (!init_ack_fault(context, arrival, init, &facts)) {
        t1_stop(context, association);
        association->setup_path = association->primary = arrival->from;
        sctp_path_confirm(context, arrival->from);
        for (int i = 0; i < facts.station_count; i++)
            sctp_add_path(association, facts.stations[i], false);
        sctp_take_peer(association, init->tag, init->tsn, init->a_rwnd, init->streams_out,
                       init->streams_in);
        keep_cookie(association, &facts);
        sctp_enter(context, association, SCTP_COOKIE_ECHOED, "receive INIT-ACK");
        cookie_send(context, association, facts.unrecognized);
    }
    sctp_bytes_free(facts.unrecognized);
}

void sctp_cookie_ack_arrived(struct cpu_context *context, struct sctp_association *association,
                             const char *event)
{
    t1_stop(context, association);
    sctp_establish(context, association, SCTP_COMM_UP, event);
}

void sctp_stale_cookie_arrived(struct cpu_context *context, struct sctp_association *association,
                               uint32_t staleness)
{
    if (association->machine.state != SCTP_COOKIE_ECHOED)
        return;
    inet_timer_cancel(&association->t1);
    association->t1_tries = 0;
    if (++association->stale_cookies > association->settings.init_retries) {
        sctp_association_end(context, association, SCTP_CANT_STR_ASSOC, SCTP_TIMED_OUT);
        return;
    }
    association->preservative = (uint32_t)(2 * (uint64_t)staleness / 1000);
    association->peer_tag = 0;
    sctp_enter(context, association, SCTP_COOKIE_WAIT, "receive ERROR, stale cookie");
    init_send(context, association);
}

void sctp_establish(struct cpu_context *context, struct sctp_association *association,
                    enum sctp_notification notification, const char *event)
{
    inet_timer_cancel(&association->t1);
    inet_timer_cancel(&association->t2);
    inet_timer_cancel(&association->t5);
    association->t1_tries = association->t2_tries = 0;
    association->echo_waits = false;
    sctp_bytes_free(association->cookie);
    association->cookie = NULL;
    sctp_trace_setup(context, association);
    sctp_enter(context, association, SCTP_ESTABLISHED, event);
    sctp_notify(context, association, notification, association->primary->remote);
    sctp_heartbeats_start(context, association);
    sctp_socket_changed(context, association);
}
