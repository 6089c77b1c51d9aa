// SPDX-License-Identifier: GPL-3.0-or-later
// The chunks of an arriving packet: whether its tag is right, what is done with one that no
// association takes, which chunk is for which state, and what is not understood (RFC 9260, 3.2,
// 6.10, 8.4, 8.5).
#include "models/sctp_cmt/sctp/setup.h"
#include "models/sctp_cmt/wire/codec.h"

typedef void chunk_fn(struct cpu_context *context, struct sctp_arrival *arrival,
                      const struct sctp_chunk *chunk);

// ---- Chunk handlers ----

static void on_data(struct cpu_context *context, struct sctp_arrival *arrival,
                    const struct sctp_chunk *chunk)
{
    if (chunk->data.bytes == 0) {
        uint8_t tsn[4];
        inet_put32(tsn, chunk->data.tsn);
        sctp_fail(arrival->association, SCTP_NO_USER_DATA, tsn, sizeof tsn, SCTP_RESET);
        return;
    }
    sctp_data_arrived(context, arrival->association, arrival->from, chunk);
}

static void on_sack(struct cpu_context *context, struct sctp_arrival *arrival,
                    const struct sctp_chunk *chunk)
{
    sctp_sack_arrived(context, arrival->association, arrival->from, chunk);
}

static void on_heartbeat(struct cpu_context *context, struct sctp_arrival *arrival,
                         const struct sctp_chunk *chunk)
{
    sctp_heartbeat_arrived(context, arrival->association, arrival->from, chunk);
}

static void on_heartbeat_ack(struct cpu_context *context, struct sctp_arrival *arrival,
                             const struct sctp_chunk *chunk)
{
    sctp_heartbeat_ack_arrived(context, arrival->association, chunk);
}

static void on_abort(struct cpu_context *context, struct sctp_arrival *arrival,
                     const struct sctp_chunk *chunk)
{
    bool opening = arrival->association->machine.state == SCTP_COOKIE_WAIT ||
                   arrival->association->machine.state == SCTP_COOKIE_ECHOED;
    (void)chunk;
    sctp_association_end(context, arrival->association,
                         opening ? SCTP_CANT_STR_ASSOC : SCTP_COMM_LOST,
                         opening ? SCTP_REFUSED : SCTP_RESET);
}

// Returns true, and how late the cookie was (us), if the causes include a stale cookie.
static bool stale_cookie(const struct sctp_chunk *chunk, uint32_t *staleness)
{
    struct sctp_tlv cause;
    for (uint32_t at = 0; sctp_tlv_next(chunk->bytes, &at, &cause);) {
        if (!cause.sound || cause.type != SCTP_STALE_COOKIE)
            continue;
        *staleness = cause.value_length >= 4 ? sctp_get32(cause.value) : 0;
        return true;
    }
    return false;
}

static void on_error(struct cpu_context *context, struct sctp_arrival *arrival,
                     const struct sctp_chunk *chunk)
{
    uint32_t staleness;
    if (stale_cookie(chunk, &staleness))
        sctp_stale_cookie_arrived(context, arrival->association, staleness);
    else
        sctp_notify(context, arrival->association, SCTP_REMOTE_ERROR, arrival->from->remote);
}

static void on_cookie_ack(struct cpu_context *context, struct sctp_arrival *arrival,
                          const struct sctp_chunk *chunk)
{
    (void)chunk;
    sctp_cookie_ack_arrived(context, arrival->association, "receive COOKIE-ACK");
}

static void on_forward_tsn(struct cpu_context *context, struct sctp_arrival *arrival,
                           const struct sctp_chunk *chunk)
{
    sctp_forward_tsn_arrived(context, arrival->association, chunk);
}

// ---- Dispatch by state ----

#define IN(state) (1u << SCTP_##state)
#define SET_UP                                                                                     \
    (IN(COOKIE_ECHOED) | IN(ESTABLISHED) | IN(SHUTDOWN_PENDING) | IN(SHUTDOWN_SENT) |              \
     IN(SHUTDOWN_RECEIVED) | IN(SHUTDOWN_ACK_SENT))

// In other states the chunk is dropped, and the next one is processed.
static const struct chunk_rule {
    uint8_t type;
    unsigned states;
    chunk_fn *run; // NULL: nothing is done with it
} chunk_rules[] = {
    {SCTP_DATA, IN(ESTABLISHED) | IN(SHUTDOWN_PENDING) | IN(SHUTDOWN_SENT), on_data},
    {SCTP_INIT_ACK, IN(COOKIE_WAIT), sctp_init_ack_arrived},
    {SCTP_SACK, IN(COOKIE_ECHOED) | IN(ESTABLISHED) | IN(SHUTDOWN_PENDING) | IN(SHUTDOWN_RECEIVED),
     on_sack},
    {SCTP_HEARTBEAT, SET_UP, on_heartbeat},
    {SCTP_HEARTBEAT_ACK, SET_UP, on_heartbeat_ack},
    {SCTP_ABORT, SET_UP | IN(COOKIE_WAIT), on_abort},
    {SCTP_SHUTDOWN, SET_UP & ~IN(COOKIE_ECHOED), sctp_shutdown_arrived},
    {SCTP_SHUTDOWN_ACK, IN(SHUTDOWN_SENT) | IN(SHUTDOWN_ACK_SENT), sctp_shutdown_ack_arrived},
    {SCTP_ERROR, SET_UP, on_error},
    {SCTP_COOKIE_ECHO, SET_UP | IN(COOKIE_WAIT), sctp_cookie_echo_arrived},
    {SCTP_COOKIE_ACK, IN(COOKIE_ECHOED), on_cookie_ack},
    {SCTP_ECNE, SET_UP, NULL}, // without ECN
    {SCTP_CWR, SET_UP, NULL},
    {SCTP_SHUTDOWN_COMPLETE, IN(SHUTDOWN_ACK_SENT), sctp_shutdown_complete_arrived},
    {SCTP_FORWARD_TSN, IN(ESTABLISHED) | IN(SHUTDOWN_PENDING) | IN(SHUTDOWN_SENT), on_forward_tsn},
    {SCTP_INIT, 0, NULL}, // not in front: it may not be bundled
};

static const struct chunk_rule *chunk_rule_of(uint8_t type)
{
    for (size_t i = 0; i < G_N_ELEMENTS(chunk_rules); i++)
        if (chunk_rules[i].type == type)
            return &chunk_rules[i];
    return NULL;
}

static bool accepts_chunk(const struct chunk_rule *rule, const struct sctp_association *association)
{
    return rule->states >> association->machine.state & 1;
}

// ---- Unknown and malformed chunks ----

#define CHUNK_SKIP 0x80   // the high bits of an unknown type: go on with the next chunk;
#define CHUNK_REPORT 0x40 // report it to the sender

static void unknown_chunk(struct sctp_arrival *arrival, const struct sctp_chunk *chunk)
{
    int64_t most = arrival->from->mtu - IP_HEADER - SCTP_COMMON_HEADER - 2 * SCTP_CHUNK_HEADER;
    uint32_t length = (uint32_t)MIN(chunk->length, most & ~3);
    arrival->stop = !(chunk->type & CHUNK_SKIP);
    if (!(chunk->type & CHUNK_REPORT) || arrival->association->peer_tag == 0) // COOKIE-WAIT
        return;
    struct sctp_chunk *error =
        sctp_cause_chunk(&arrival->host->pools, SCTP_ERROR, SCTP_UNRECOGNIZED_CHUNK, NULL, length);
    sctp_chunk_encode(chunk, error->bytes->data + 4, length);
    sctp_control_queue(arrival->from, error);
}

// A chunk that is shorter than its type has it: DATA break the protocol in the states that take
// them; of anything else the rest of the packet can't be trusted either.
static void malformed(struct sctp_arrival *arrival, const struct sctp_chunk *chunk)
{
    arrival->stop = true;
    if (chunk->type == SCTP_DATA && chunk->fault == SCTP_CHUNK_SHORT &&
        accepts_chunk(chunk_rule_of(SCTP_DATA), arrival->association))
        sctp_fail(arrival->association, SCTP_PROTOCOL_VIOLATION, NULL, 0, SCTP_RESET);
}

// ---- Tags (RFC 9260, 8.5) ----

// They stand alone in their packets; otherwise the packet is ignored.
static bool type_stands_alone(uint8_t type)
{
    return type == SCTP_INIT || type == SCTP_INIT_ACK || type == SCTP_SHUTDOWN_COMPLETE;
}

static bool tag_right(const struct sctp_association *association, const struct sctp_packet *sctp)
{
    const struct sctp_chunk *first = sctp->first;
    bool reflects = first->type == SCTP_ABORT || first->type == SCTP_SHUTDOWN_COMPLETE;
    if (reflects && first->flags & SCTP_REFLECTED)
        return association->peer_tag != 0 && sctp->tag == association->peer_tag;
    return sctp->tag == association->tag;
}

// ---- Out of the blue (RFC 9260, 8.4) ----

enum blue_action { BLUE_DROP, BLUE_COMPLETE, BLUE_ABORT };

// In this order; the last row fits all others. INIT and COOKIE-ECHO in front do not come here.
static const struct blue_rule {
    uint8_t type;
    bool first, stale; // only in front; only with the cause "stale cookie"
    enum blue_action action;
} blue_rules[] = {
    {SCTP_ABORT, false, false, BLUE_DROP},
    {SCTP_SHUTDOWN_ACK, true, false, BLUE_COMPLETE},
    {SCTP_SHUTDOWN_COMPLETE, true, false, BLUE_DROP},
    {SCTP_ERROR, false, true, BLUE_DROP},
    {SCTP_COOKIE_ACK, false, false, BLUE_DROP},
};

static bool blue_fits(const struct blue_rule *rule, const struct sctp_chunk *chunk)
{
    uint32_t staleness;
    for (; chunk; chunk = rule->first ? NULL : chunk->next)
        if (chunk->type == rule->type &&
            (!rule->stale || (!chunk->fault && stale_cookie(chunk, &staleness))))
            return true;
    return false;
}

static void out_of_the_blue(struct cpu_context *context, const struct sctp_arrival *arrival)
{
    static const uint8_t answers[] = {
        [BLUE_COMPLETE] = SCTP_SHUTDOWN_COMPLETE, [BLUE_ABORT] = SCTP_ABORT};
    enum blue_action action = BLUE_ABORT;
    (*arrival->host->count.out_of_the_blue)++;
    for (size_t i = 0; i < G_N_ELEMENTS(blue_rules); i++)
        if (blue_fits(&blue_rules[i], arrival->sctp->first)) {
            action = blue_rules[i].action;
            break;
        }
    if (action == BLUE_DROP)
        return;
    sctp_reply(context, arrival->host, arrival->interface, arrival->packet, arrival->sctp->tag,
               sctp_chunk_new(&arrival->host->pools, answers[action], SCTP_REFLECTED));
}

// ---- Packets ----

static void charge_chunk(struct cpu_context *context, const struct sctp_arrival *arrival,
                         const struct sctp_chunk *chunk)
{
    const struct sctp_costs *costs = &arrival->host->config->costs;
    struct message_ref message = MESSAGE_NONE;
    if (sctp_chunk_form(chunk) == SCTP_FORM_DATA && chunk->data.message)
        message = chunk->data.message->message;
    (*arrival->host->count.chunks_received)++;
    cpu_spend_for(context, chunk->type == SCTP_SACK ? costs->sack_in : costs->chunk_in, &sctp_stage,
                  message);
}

// Only a peer that is up sends DATA: COOKIE-ACK was lost, or follows. Dropping them makes the
// peer count errors until T1-cookie expires, which may be too late: the peer's RTO may have come
// down since, by heartbeats, while T1-cookie has backed off.
static void imply_cookie_ack(struct cpu_context *context, struct sctp_association *association,
                             const struct sctp_chunk *chunk)
{
    if (chunk->type == SCTP_DATA && association->machine.state == SCTP_COOKIE_ECHOED &&
        association->host->config->data_for_cookie_ack)
        sctp_cookie_ack_arrived(context, association, "receive DATA");
}

static void one_chunk(struct cpu_context *context, struct sctp_arrival *arrival,
                      const struct sctp_chunk *chunk)
{
    const struct chunk_rule *rule = chunk_rule_of(chunk->type);
    charge_chunk(context, arrival, chunk);
    if (!chunk->fault)
        imply_cookie_ack(context, arrival->association, chunk);
    if (chunk->fault)
        malformed(arrival, chunk);
    else if (!rule)
        unknown_chunk(arrival, chunk);
    else if (accepts_chunk(rule, arrival->association) && rule->run)
        rule->run(context, arrival, chunk);
    else if (type_stands_alone(chunk->type))
        arrival->stop = true;
}

static bool still_processing(const struct sctp_association *association)
{
    return !association->ended && !(association->due & SCTP_DUE_ABORT);
}

static void run_chunks(struct cpu_context *context, struct sctp_arrival *arrival,
                       const struct sctp_chunk *chunk)
{
    for (; chunk && !arrival->stop && still_processing(arrival->association); chunk = chunk->next)
        one_chunk(context, arrival, chunk);
    if (!still_processing(arrival->association))
        return;
    sctp_in_packet_done(context, arrival->association);
    sctp_due(arrival->association, SCTP_DUE_OUTPUT | SCTP_DUE_SHUTDOWN);
}

// RFC 9260, 8.5.1 E: so that a peer that has gone on without this end may close.
static bool as_out_of_the_blue(const struct sctp_association *association, uint8_t type)
{
    return !association ||
           (type == SCTP_SHUTDOWN_ACK && (association->machine.state == SCTP_COOKIE_WAIT ||
                                          association->machine.state == SCTP_COOKIE_ECHOED));
}

// Out of the blue, the tag 0 is an INIT's (RFC 9260, 8.5.1 A). SHUTDOWN-ACK has a rule of its own,
// which reflects its tag whatever that is (8.5.1 E, 8.4).
static bool tag_acceptable(const struct sctp_association *association,
                           const struct sctp_packet *sctp)
{
    uint8_t type = sctp->first->type;
    if (as_out_of_the_blue(association, type))
        return type == SCTP_SHUTDOWN_ACK || sctp->tag != 0;
    return tag_right(association, sctp);
}

void sctp_packet_arrived(struct cpu_context *context, struct sctp_host *host,
                         struct inet_interface *interface, const struct packet *packet)
{
    struct sctp_arrival arrival = {
        .host = host, .interface = interface, .packet = packet, .sctp = sctp_packet_of(packet)};
    const struct sctp_packet *sctp = arrival.sctp;
    const struct sctp_chunk *first = sctp->first;
    int source = route_from(packet->route);
    if (!first || (type_stands_alone(first->type) && first->next))
        return;
    arrival.association = sctp_host_find(host, source, sctp->destination_port, sctp->source_port);
    if (arrival.association)
        arrival.from = sctp_path_to(arrival.association, source);
    if (first->type == SCTP_INIT && !first->fault) {
        charge_chunk(context, &arrival, first);
        sctp_init_arrived(context, &arrival, first);
    } else if (first->type == SCTP_COOKIE_ECHO && !first->fault) {
        charge_chunk(context, &arrival, first);
        sctp_cookie_echo_arrived(context, &arrival, first);
        if (!arrival.stop)
            run_chunks(context, &arrival, first->next);
    } else if (!tag_acceptable(arrival.association, sctp)) {
        (*host->count.bad_tags)++;
    } else if (as_out_of_the_blue(arrival.association, first->type)) {
        bool opens = first->type == SCTP_INIT || first->type == SCTP_COOKIE_ECHO;
        if (!first->fault || !opens) // a torn INIT is not worth an answer
            out_of_the_blue(context, &arrival);
    } else {
        run_chunks(context, &arrival, first);
    }
    if (arrival.association)
        sctp_run_due(context, arrival.association);
}
