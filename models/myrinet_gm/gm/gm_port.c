// SPDX-License-Identifier: GPL-3.0-or-later
// Ports: tokens, the queue of events in host memory, and processes that sleep until one arrives.
#include "models/myrinet_gm/gm/gm_internal.h"

#include "sim/core/fifo.h"
#include "sim/core/intern.h"
#include "sim/core/poison.h"

// ---- Opening and closing ----

static struct gm_descriptor descriptor_of(enum gm_descriptor_kind kind)
{
    return (struct gm_descriptor){.kind = kind, .write.item.handler = GM_POLL};
}

static void make_send_tokens(struct gm_port *port)
{
    port->sends_left = port->config->send_tokens;
    port->send_tokens = g_new(struct gm_send_token, port->sends_left);
    for (int64_t i = port->sends_left - 1; i >= 0; i--) {
        port->send_tokens[i] = (struct gm_send_token){
            .descriptor = descriptor_of(GM_SEND_DESCRIPTOR), .port = port, .next = port->free_send};
        port->free_send = &port->send_tokens[i];
        poison(port->free_send, GM_SEND_TOKEN_OF_CLIENT);
    }
}

static void make_receive_tokens(struct gm_port *port)
{
    port->receives_left = port->config->receive_tokens;
    port->receive_tokens = g_new(struct gm_receive_token, port->receives_left);
    for (int64_t i = port->receives_left - 1; i >= 0; i--) {
        port->receive_tokens[i] =
            (struct gm_receive_token){.descriptor = descriptor_of(GM_RECEIVE_DESCRIPTOR),
                                      .port = port,
                                      .next = port->free_receive};
        port->free_receive = &port->receive_tokens[i];
        poison(port->free_receive, sizeof *port->free_receive);
    }
}

static void wake_event(struct engine *engine, struct event *event)
{
    (void)engine;
    cpu_wake(container_of(event, struct gm_port, wake)->task);
}

void gm_ports_init(struct gm_card *card)
{
    card->ports = g_new0(struct gm_port, card->config->ports);
    for (int i = 0; i < card->config->ports; i++) {
        struct gm_port *port = &card->ports[i];
        port->card = card;
        port->config = card->config;
        port->number = i;
        event_init(&port->wake, wake_event);
    }
}

void gm_ports_clear(struct gm_card *card)
{
    for (int i = 0; i < card->config->ports; i++) {
        struct gm_port *port = &card->ports[i];
        g_free(port->send_tokens);
        g_free(port->receive_tokens);
        g_free(port->events);
        if (port->regions)
            g_array_free(port->regions, TRUE);
    }
    g_free(card->ports);
}

struct gm_port *gm_open(struct gm_fabric *fabric, int host, int number, const char *name,
                        struct cpu_task *task)
{
    struct gm_card *card = &fabric->cards[host];
    if (number < 0 || number >= fabric->config->ports || card->ports[number].send_tokens)
        return NULL;
    struct gm_port *port = &card->ports[number];
    if (!lanai_sram_take(card->lanai, "ports", fabric->config->port_sram, "gm.port_sram"))
        return NULL;
    port->open = true;
    port->name = intern_text(name);
    port->task = task;
    make_send_tokens(port);
    make_receive_tokens(port);
    // Each token stands for one event at most.
    port->slots = (uint32_t)(port->config->send_tokens + port->config->receive_tokens);
    port->events = g_new0(struct gm_event, port->slots);
    port->regions = g_array_new(FALSE, FALSE, sizeof(struct gm_region));
    return port;
}

int64_t gm_ports(const struct gm_config *config)
{
    return config->ports;
}

int64_t gm_card_footprint(const struct gm_config *config)
{
    return config->ports * (int64_t)sizeof(struct gm_port);
}

int64_t gm_port_footprint(const struct gm_config *config)
{
    int64_t event = sizeof(struct gm_event);
    return config->send_tokens * ((int64_t)sizeof(struct gm_send_token) + event) +
           config->receive_tokens * ((int64_t)sizeof(struct gm_receive_token) + event);
}

void gm_close(struct gm_port *port)
{
    port->open = false;
    port->wait = GM_AWAKE;
    engine_cancel(port->card->sim->engine, &port->wake);
}

// ---- Queries ----

int gm_port_host(const struct gm_port *port)
{
    return port->card->host->index;
}

int gm_port_number(const struct gm_port *port)
{
    return port->number;
}

int64_t gm_send_tokens(const struct gm_port *port)
{
    return port->sends_left;
}

int64_t gm_receive_tokens(const struct gm_port *port)
{
    return port->receives_left;
}

int gm_waiting(const struct gm_port *port)
{
    return (int)(port->tail - port->head);
}

void gm_on_write(struct gm_port *port, gm_written_fn *written, void *owner)
{
    port->written = written;
    port->written_owner = owner;
}

static const char *send_waits_for(const struct gm_send_token *token)
{
    switch ((enum gm_token_state)token->machine.state) {
    case GM_TOKEN_CLIENT:
        return NULL;
    case GM_TOKEN_WRITTEN:
        return "the MCP to find it";
    case GM_TOKEN_QUEUED:
        return token->stream->machine.state == GM_STREAM_ASLEEP
                   ? "a receive buffer of its size class at the target"
                   : "its turn";
    case GM_TOKEN_SENDING:
        return "an ACK of the target's card";
    case GM_TOKEN_SENT:
        return "the client to poll";
    }
    return NULL;
}

json_t *gm_describe(const struct gm_port *port)
{
    json_t *sends = json_array();
    for (int64_t i = 0; i < port->config->send_tokens; i++) {
        const struct gm_send_token *token = &port->send_tokens[i];
        const char *waits_for = send_waits_for(token);
        if (waits_for)
            json_array_append_new(sends, json_pack("{s:i, s:i, s:I, s:i, s:s}", "to_host",
                                                   token->message.target_host, "to_port",
                                                   token->message.target_port, "bytes",
                                                   (json_int_t)token->message.length, "size_class",
                                                   token->message.size, "waits_for", waits_for));
    }
    return json_pack("{s:i, s:I, s:I, s:i, s:o}", "gm_port", port->number, "send_tokens",
                     (json_int_t)port->sends_left, "receive_tokens",
                     (json_int_t)port->receives_left, "events_waiting", gm_waiting(port), "sends",
                     sends);
}

// ---- Receive tokens on the card ----

void gm_receive_token_post(struct gm_receive_token *token)
{
    struct gm_receive_queue *queue = &token->port->posted[token->priority][token->size];
    FIFO_APPEND(queue->head, queue->tail, token, next);
}

struct gm_receive_token *gm_receive_token_take(struct gm_port *port, int size, int priority)
{
    struct gm_receive_queue *queue = &port->posted[priority][size];
    struct gm_receive_token *token = queue->head;
    if (token)
        queue->head = token->next;
    return token;
}

// ---- Events, and waiting for them ----

static void interrupt(struct gm_port *port)
{
    struct gm_card *card = port->card;
    if (port->interrupted)
        return;
    port->interrupted = true;
    FIFO_APPEND(card->interrupted, card->interrupted_tail, port, next_interrupted);
    host_interrupt(card->host, &card->interrupt);
}

void gm_port_event(struct gm_port *port, const struct gm_event *event)
{
    struct sim *sim = port->card->sim;
    sim_time now = sim_now(sim), turn;
    if (!port->open)
        return;
    g_assert(port->tail - port->head < port->slots);
    port->events[port->tail++ % port->slots] = *event;
    switch (port->wait) {
    case GM_AWAKE:
        break;
    case GM_POLLING:
        turn = time_next_tick(port->poll_since, port->poll_turn, now);
        trace_delay(sim->trace, cpu_lane(port->task->cpu), &stage_poll, now, turn, event->message);
        engine_reschedule(sim->engine, &port->wake, turn);
        break;
    case GM_BLOCKED:
        interrupt(port);
        break;
    }
    port->wait = GM_AWAKE;
}

// The driver's interrupt handler, one port a slice.
enum cpu_next gm_interrupt_run(struct cpu_context *context, struct cpu_task *task)
{
    struct gm_card *card = container_of(task, struct gm_card, interrupt);
    const struct kernel_config *kernel = &card->host->config.kernel;
    struct gm_port *port = card->interrupted;
    if (!port)
        return CPU_SLEEP;
    card->interrupted = port->next_interrupted;
    port->interrupted = false;
    (*card->counters.interrupts)++;
    host_interrupt_enter(context, card->host);
    cpu_spend(context, card->config->interrupt, &stage_driver);
    if (port->open) {
        cpu_spend(context, kernel->wake_process, &stage_wake_up);
        port->slept = true;
        cpu_post_wake(context, port->task);
    }
    host_interrupt_leave(context, card->host);
    return card->interrupted ? CPU_AGAIN : CPU_SLEEP;
}

// Returns true if there is nothing to sleep for.
static bool event_there(struct cpu_context *context, const struct gm_port *port)
{
    if (gm_waiting(port) == 0)
        return false;
    cpu_post_wake(context, port->task);
    return true;
}

void gm_poll(struct cpu_context *context, struct gm_port *port, sim_time turn)
{
    g_assert(turn > 0);
    if (event_there(context, port))
        return;
    port->wait = GM_POLLING;
    port->poll_since = context->now;
    port->poll_turn = turn;
}

void gm_block(struct cpu_context *context, struct gm_port *port)
{
    const struct kernel_config *kernel = &port->card->host->config.kernel;
    if (event_there(context, port))
        return;
    cpu_spend(context, kernel->system_call, &stage_trap);
    cpu_spend(context, kernel->block_process, &stage_block);
    port->wait = GM_BLOCKED;
}
