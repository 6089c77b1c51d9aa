// SPDX-License-Identifier: GPL-3.0-or-later
// The sender's side of the reliable connection to another card: go-back-N with send records,
// sessions, and streams that a missing receive buffer puts to sleep.
#include "models/myrinet_gm/gm/gm_internal.h"
#include "sim/core/fifo.h"

static const struct stage finish_receive_stage = {"finish receive", STAGE_NIC};
static const struct stage resend_timer_stage = {"resend timer", STAGE_FOR_ACK};
static const struct stage timer_stage = {"timer", STAGE_NIC};

static const char *const nack_names[] = {
    [GM_PACKET_ACK] = "ACK",
    [GM_PACKET_NACK_GAP] = "NACK: gap",
    [GM_PACKET_NACK_REFUSED] = "NACK: no receive buffer",
    [GM_PACKET_NACK_CLOSED] = "NACK: port closed",
    [GM_PACKET_NACK_REJECTED] = "NACK: memory not registered",
};

// ---- Create and free ----

struct gm_connection *gm_connection_get(struct gm_card *card, int peer)
{
    struct gm_connection **place = sparse_at(&card->connections, peer), *connection = *place;
    if (connection)
        return connection;
    const struct gm_fabric *fabric = card->fabric;
    connection = *place = g_new0(struct gm_connection, 1);
    connection->card = card;
    connection->peer = peer;
    connection->route = network_route(card->network, lanai_station(card->lanai),
                                      lanai_station(fabric->cards[peer].lanai));
    connection->records = g_new0(struct gm_record, card->config->window);
    connection->resend.timer.item.handler = GM_TIMER;
    connection->resend.connection = connection;
    return connection;
}

void gm_connections_clear(struct gm_card *card)
{
    for (int peer = 0; peer < card->connections.length; peer++) {
        struct gm_connection *const *place = sparse_peek(&card->connections, peer);
        struct gm_connection *connection = place ? *place : NULL;
        if (!connection)
            continue;
        for (struct gm_stream *stream = connection->streams, *next; stream; stream = next) {
            next = stream->next;
            g_free(stream);
        }
        for (struct gm_incoming *at = connection->incoming, *next; at; at = next) {
            next = at->next;
            g_free(at);
        }
        g_free(connection->records);
        g_free(connection);
    }
    sparse_clear(&card->connections);
}

static struct gm_stream *stream_get(struct gm_connection *connection,
                                    const struct gm_send_token *token)
{
    const struct gm_message *message = &token->message;
    struct gm_stream **at = &connection->streams;
    for (; *at; at = &(*at)->next)
        if ((*at)->source_port == token->port->number &&
            (*at)->target_port == message->target_port && (*at)->priority == message->priority)
            return *at;
    struct gm_stream *stream = *at = g_new0(struct gm_stream, 1);
    stream->connection = connection;
    stream->source_port = (uint8_t)token->port->number;
    stream->target_port = (uint8_t)message->target_port;
    stream->priority = (uint8_t)message->priority;
    stream->alarm.timer.item.handler = GM_TIMER;
    stream->alarm.connection = connection;
    stream->alarm.stream = stream;
    return stream;
}

// ---- States ----

// Enters the state that follows from the records.
static void settle(struct gm_connection *connection, sim_time now, const char *event)
{
    enum gm_connection_state state = connection->count == 0 ? GM_CONNECTION_IDLE
                                     : connection->cursor < connection->count
                                         ? GM_CONNECTION_RESENDING
                                         : GM_CONNECTION_SENDING;
    gm_enter(connection->card, now, &gm_connection_machine, &connection->machine, state,
             connection->peer, event);
}

static void stream_enter(struct gm_stream *stream, sim_time now, enum gm_stream_state state,
                         const char *event)
{
    gm_enter(stream->connection->card, now, &gm_stream_machine, &stream->machine, state,
             stream->target_port, event);
}

static void timer_restart(struct gm_connection *connection, sim_time now)
{
    const struct gm_card *card = connection->card;
    connection->quiet_since = now;
    if (connection->count > 0)
        lanai_timer_set(card->lanai, &connection->resend.timer,
                        now + card->config->resend_interval);
    else
        lanai_timer_stop(card->lanai, &connection->resend.timer);
}

// ---- Turns: which stream's packet is next ----

static void control_turn_add(struct gm_stream *stream)
{
    struct gm_connection *connection = stream->connection;
    if (!stream->cursor || stream->machine.state == GM_STREAM_ASLEEP || stream->queued)
        return;
    stream->queued = true;
    FIFO_APPEND(connection->turn, connection->turn_tail, stream, next_turn);
}

static struct gm_stream *control_turn_take(struct gm_connection *connection)
{
    struct gm_stream *stream = connection->turn;
    connection->turn = stream->next_turn;
    stream->queued = false;
    return stream;
}

// After cursors have moved back, or streams have gone to sleep. Messages that hold a receive buffer
// already go first: if others could be refused before them for ever, no buffer would become free.
static void turn_rebuild(struct gm_connection *connection)
{
    while (connection->turn)
        control_turn_take(connection);
    for (struct gm_stream *stream = connection->streams; stream; stream = stream->next)
        if (stream->cursor && stream->cursor->fetched > 0)
            control_turn_add(stream);
    for (struct gm_stream *stream = connection->streams; stream; stream = stream->next)
        control_turn_add(stream);
}

void gm_connection_queue(struct gm_send_token *token)
{
    struct gm_connection *connection =
        gm_connection_get(token->port->card, token->message.target_host);
    struct gm_stream *stream = token->stream = stream_get(connection, token);
    gm_token_enter(token, GM_TOKEN_QUEUED);
    FIFO_APPEND(stream->head, stream->tail, token, next);
    if (!stream->cursor)
        stream->cursor = token;
    control_turn_add(stream);
    gm_sdma_connection(connection);
}

// ---- Records ----

static struct gm_record *record_at(const struct gm_connection *connection, uint32_t index)
{
    uint32_t window = (uint32_t)connection->card->config->window;
    return &connection->records[(connection->head + index) % window];
}

static struct gm_record *record_new(struct gm_connection *connection, sim_time now)
{
    struct gm_stream *stream = control_turn_take(connection);
    struct gm_send_token *token = stream->cursor;
    struct gm_record *record = record_at(connection, connection->count);
    int64_t left = token->message.length - token->fetched;
    record->token = token;
    record->position = token->fetched;
    record->bytes = MIN(left, connection->card->config->mtu);
    record->last = record->bytes == left;
    record->attempt = 0;
    gm_token_enter(token, GM_TOKEN_SENDING);
    token->fetched += record->bytes;
    if (record->last)
        stream->cursor = token->next;
    control_turn_add(stream);
    if (connection->count++ == 0)
        connection->progress = now;
    return record;
}

static void fill_header(const struct gm_connection *connection, const struct gm_record *record,
                        uint16_t sequence, struct gm_header *header)
{
    const struct gm_send_token *token = record->token;
    const struct gm_message *message = &token->message;
    *header = (struct gm_header){
        .kind = token->directed ? GM_PACKET_DIRECTED : GM_PACKET_DATA,
        .source_host = connection->card->host->index,
        .session = connection->session,
        .sequence = sequence,
        .attempt = record->attempt,
        .source_port = (uint8_t)token->port->number,
        .target_port = (uint8_t)message->target_port,
        .priority = (uint8_t)message->priority,
        .size = (uint8_t)message->size,
        .last = record->last,
        .position = record->position,
        .bytes = record->bytes,
        .length = message->length,
        .header = message->header,
        .remote_address = token->remote_address,
        .message = message->message,
        .offset = message->offset,
        .content = message->content,
    };
}

void gm_connection_next(struct cpu_context *context, struct gm_connection *connection,
                        struct gm_header *header)
{
    struct gm_record *record;
    uint16_t sequence = (uint16_t)(connection->first + connection->cursor);
    if (connection->cursor < connection->count) {
        record = record_at(connection, connection->cursor);
        record->attempt++;
        (*connection->card->counters.resent)++;
        trace_repeat(connection->card->sim->trace, "GM packet", connection->card->host->name,
                     context->now);
    } else {
        record = record_new(connection, context->now);
    }
    connection->cursor++;
    fill_header(connection, record, sequence, header);
    settle(connection, context->now, NULL);
}

void gm_connection_left(struct cpu_context *context, struct gm_connection *connection)
{
    timer_restart(connection, context->now);
}

// ---- Ends of messages ----

static void stream_pop(struct gm_stream *stream, struct gm_send_token *token)
{
    g_assert(stream->head == token);
    stream->head = token->next;
    stream->refused_since = 0;
    if (stream->cursor == token)
        stream->cursor = token->next;
}

// Ends the token's message; an event reports it to the client.
static void token_end(struct gm_send_token *token, enum gm_status status)
{
    stream_pop(token->stream, token);
    gm_token_enter(token, GM_TOKEN_SENT);
    token->status = status;
    gm_rdma_sent(token->port->card, token);
}

static void token_fail(struct gm_send_token *token, enum gm_status status, const char *reason)
{
    const struct gm_message *message = &token->message;
    ledger_drop(token->port->card->sim->ledger, message->message, message->offset,
                message->length - message->header, reason);
    token_end(token, status);
}

// Undoes all that is not acknowledged: the next packet is the first of a new session.
static void unwind(struct gm_connection *connection)
{
    while (connection->count > 0) {
        const struct gm_record *record = record_at(connection, --connection->count);
        record->token->fetched = record->position;
        record->token->stream->cursor = record->token;
        if (record->position == 0)
            gm_token_enter(record->token, GM_TOKEN_QUEUED);
    }
    connection->cursor = 0;
    connection->session++;
    connection->first = 0;
}

static void time_out_stream(struct gm_stream *stream)
{
    int64_t *timed_out = stream->connection->card->counters.timed_out;
    while (stream->head) {
        token_fail(stream->head, GM_SEND_TIMED_OUT, "GM send timed out");
        (*timed_out)++;
    }
}

// No packet gets through: every send to that card ends.
static void time_out_all(struct gm_connection *connection)
{
    unwind(connection);
    for (struct gm_stream *stream = connection->streams; stream; stream = stream->next)
        time_out_stream(stream);
    turn_rebuild(connection);
}

int64_t gm_connection_footprint(const struct gm_config *config)
{
    return (int64_t)sizeof(struct gm_connection) +
           config->window * (int64_t)sizeof(struct gm_record);
}

// ---- Answers ----

static void free_records(struct cpu_context *context, struct gm_connection *connection,
                         uint32_t number)
{
    struct gm_card *card = connection->card;
    sim_time each = cpu_cost(context->cpu, card->config->free_record);
    for (uint32_t i = 0; i < number; i++) {
        const struct gm_record *record = record_at(connection, 0);
        cpu_spend_message(context, each, &finish_receive_stage, record->token->message.message);
        connection->head = (connection->head + 1) % (uint32_t)card->config->window;
        connection->first++;
        connection->count--;
        if (record->last)
            token_end(record->token, GM_SUCCESS);
    }
    connection->cursor -= MIN(connection->cursor, number);
    if (number == 0)
        return;
    connection->progress = context->now;
    timer_restart(connection, context->now);
}

// The head's message has no receive buffer: its stream sleeps. The receiver has dropped the packets
// after it, so they are sent again in a new session.
static void refused(struct cpu_context *context, struct gm_connection *connection)
{
    struct gm_card *card = connection->card;
    struct gm_stream *stream = record_at(connection, 0)->token->stream;
    sim_time now = context->now;
    (*card->counters.refused)++;
    unwind(connection);
    if (stream->refused_since == 0)
        stream->refused_since = now;
    if (now - stream->refused_since >= card->config->send_timeout) {
        time_out_stream(stream);
    } else {
        stream->asleep_since = now;
        lanai_timer_set(card->lanai, &stream->alarm.timer, now + card->config->refused_interval);
        stream_enter(stream, now, GM_STREAM_ASLEEP, "no receive buffer at the target");
    }
    turn_rebuild(connection);
    timer_restart(connection, now);
}

static void failed(struct cpu_context *context, struct gm_connection *connection,
                   enum gm_status status, const char *reason)
{
    struct gm_send_token *token = record_at(connection, 0)->token;
    unwind(connection);
    token_fail(token, status, reason);
    turn_rebuild(connection);
    timer_restart(connection, context->now);
}

void gm_connection_answer(struct cpu_context *context, struct gm_connection *connection,
                          const struct gm_header *header)
{
    uint16_t number = (uint16_t)(header->sequence - connection->first);
    if (header->session != connection->session || number > connection->count)
        return; // out of date
    free_records(context, connection, number);
    bool mine = connection->count > 0 && record_at(connection, 0)->attempt == header->attempt;
    switch (header->kind) {
    case GM_PACKET_NACK_GAP:
        if (connection->cursor == connection->count)
            connection->cursor = 0;
        break;
    case GM_PACKET_NACK_REFUSED:
        if (mine)
            refused(context, connection);
        break;
    case GM_PACKET_NACK_CLOSED:
        if (mine)
            failed(context, connection, GM_SEND_PORT_CLOSED, "GM target port closed");
        break;
    case GM_PACKET_NACK_REJECTED:
        if (mine)
            failed(context, connection, GM_SEND_REJECTED, "GM send rejected");
        break;
    case GM_PACKET_ACK:
    case GM_PACKET_DATA:
    case GM_PACKET_DIRECTED:
        break;
    }
    settle(connection, context->now, nack_names[header->kind]);
    gm_sdma_connection(connection);
}

// ---- Timers ----

static void resend_timer(struct cpu_context *context, struct gm_connection *connection)
{
    const struct gm_config *config = connection->card->config;
    if (connection->count == 0)
        return;
    lanai_timer_trace(&connection->resend.timer, &resend_timer_stage, connection->quiet_since,
                      record_at(connection, 0)->token->message.message);
    if (context->now - connection->progress >= config->send_timeout) {
        time_out_all(connection);
    } else if (connection->in_pipe == 0 && connection->cursor == connection->count) {
        cpu_spend_time(context,
                       time_times(connection->count, cpu_cost(context->cpu, config->resend_record)),
                       &timer_stage);
        connection->cursor = 0;
    }
    timer_restart(connection, context->now);
    settle(connection, context->now, "resend timer");
    gm_sdma_connection(connection);
}

void gm_timer_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    (void)owner;
    struct gm_alarm *alarm = container_of(item, struct gm_alarm, timer.item);
    struct gm_stream *stream = alarm->stream;
    if (!stream) {
        resend_timer(context, alarm->connection);
        return;
    }
    if (stream->head)
        lanai_timer_trace(&alarm->timer, &wait_stages[WAIT_BUFFER], stream->asleep_since,
                          stream->head->message.message);
    stream_enter(stream, context->now, GM_STREAM_AWAKE, NULL);
    control_turn_add(stream);
    gm_sdma_connection(alarm->connection);
}
