// SPDX-License-Identifier: GPL-3.0-or-later
// Long messages (thesis 002, 5.2.2 and Fig. 5.5). The initiator sends the Portals header by a
// TRY_MATCH; the target matches in the handler's thread and reads the bytes that it wants by GETs;
// a MATCH_REPLY ends the message.
//
// The handlers are connected when a first message to an unknown peer is sent; an UPD_CONN has the
// peer enter this process in its own table. The thesis's process holds a semaphore while that goes
// on and sleeps; here its call returns, and the handler's queue keeps the order.
//
// Short messages go by a VNIC of their own, and nothing keeps the order between the two kinds: a
// short put that is sent after a long one may be matched first.
#include "models/intercept/p3/long.h"

#include "models/intercept/p3/handler_cb.h"

#include "sim/core/sparse.h"
#include <string.h>

// Types of the handler's messages; those of handler_cb.h are higher.
enum { LONG_TRY_MATCH = 1, LONG_MATCH_REPLY, LONG_UPD_CONN };

#define RANK_BYTES 8 // the physical rank in an UPD_CONN: pid and nid (5.2.2)
#define KEY_BYTES 8

// The contents of a TRY_MATCH. The buffer's address is what its key stands for.
struct try_match {
    struct portals_header portals;
    int64_t address;
};

static_assert(sizeof(struct try_match) <= VDMA_CLIENT_BYTES, "a TRY_MATCH fits");

// A TRY_MATCH, for portals_parse and p3_long_receive.
struct long_arriving {
    struct p3_arriving arriving;
    int from;
    uint32_t number;
    int64_t address;
    struct message_ref message;
};

// ---- Records ----

enum send_state { SEND_NEW, SEND_CONNECTING, SEND_WAIT_MATCH, SEND_DONE };

struct long_send {
    struct long_send *next;
    struct portals_transfer *transfer;
    struct machine machine; // enum send_state
    int peer;
    uint32_t number;
};

enum receive_state { RECEIVE_MATCHED, RECEIVE_READING, RECEIVE_ENDED };

struct long_receive {
    struct long_receive *next;
    struct portals_transfer *transfer; // NULL: nothing is wanted
    struct machine machine;            // enum receive_state
    int peer;
    uint32_t number; // the sender's
    struct message_ref message;
};

struct p3_long {
    p3_message_fn *others;
    struct sparse known; // bool, by IUCA: the rank table
    uint32_t numbers;
    struct long_send *sends, *sends_last;
    struct long_receive *reading, *reading_last;
    struct pool send_pool, receive_pool;
    int64_t *try_matches, *match_replies, *updates;
};

static const struct machine_state long_send_states[] = {
    [SEND_NEW] = {"NEW", .next = MACHINE_TO(SEND_CONNECTING, SEND_WAIT_MATCH)},
    [SEND_CONNECTING] = {"CONNECTING",
                         {"the VDMA handlers' connection", WAIT_ACK},
                         HELD_BY_PEER,
                         MACHINE_TO(SEND_WAIT_MATCH)},
    [SEND_WAIT_MATCH] = {"WAIT_MATCH",
                         {"MATCH_REPLY", WAIT_OTHER},
                         HELD_BY_PEER,
                         MACHINE_TO(SEND_DONE)},
    [SEND_DONE] = {.name = "DONE"},
};

const struct machine_kind p3_long_send_machine = {
    .name = "long send",
    .title = "Long message of Portals at its initiator",
    .source = "thesis 002, 5.2.2 and figure 5.5",
    .states = long_send_states,
    .count = G_N_ELEMENTS(long_send_states),
};

static const struct machine_state long_receive_states[] = {
    [RECEIVE_MATCHED] = {"MATCHED", .next = MACHINE_TO(RECEIVE_READING, RECEIVE_ENDED)},
    [RECEIVE_READING] = {"READING",
                         {"the VDMA read", WAIT_OTHER},
                         HELD_BY_PEER,
                         MACHINE_TO(RECEIVE_ENDED)},
    [RECEIVE_ENDED] = {.name = "ENDED"},
};

const struct machine_kind p3_long_receive_machine = {
    .name = "long receive",
    .title = "Long message of Portals at its target",
    .source = "thesis 002, 5.2.2 and figure 5.5",
    .states = long_receive_states,
    .count = G_N_ELEMENTS(long_receive_states),
};

// The wait of a process that sleeps.
static const struct wait match_wait = {"MATCH_REPLY", WAIT_OTHER};

static void long_send_enter(const struct cpu_context *context, const struct p3_process *process,
                            struct long_send *send, enum send_state state, const char *event)
{
    cpu_machine_enterf(context, &p3_long_send_machine, &send->machine, state,
                       p3_owner(process, p3_long_send_machine.name, send->number), "%s, %s",
                       p3_host_name(process, send->peer), event);
}

static void long_receive_enter(const struct cpu_context *context, const struct p3_process *process,
                               struct long_receive *receive, enum receive_state state,
                               const char *event)
{
    cpu_machine_enterf(context, &p3_long_receive_machine, &receive->machine, state,
                       p3_owner(process, p3_long_receive_machine.name, receive->number), "%s, %s",
                       p3_host_name(process, receive->peer), event);
}

static void post_control(struct cpu_context *context, struct p3_process *process, int peer,
                         uint8_t type, uint32_t number, int64_t bytes, const struct try_match *body,
                         struct message_ref message)
{
    struct vdma_client_message made = {
        .type = type, .number = number, .bytes = bytes, .message = message};
    if (body)
        memcpy(made.body, body, sizeof *body);
    vdma_post_message(context, process->handler, peer, &made);
}

// ---- Connections ----

void p3_long_meet(struct cpu_context *context, struct p3_process *process, int peer)
{
    struct p3_long *side = process->long_side;
    bool *known = sparse_at(&side->known, peer);
    if (*known)
        return;
    *known = true;
    vdma_post_connect(context, process->handler, peer);
    ++*side->updates;
    post_control(context, process, peer, LONG_UPD_CONN, 0, RANK_BYTES, NULL, MESSAGE_NONE);
}

static void connected(struct cpu_context *context, void *owner, int peer)
{
    const struct p3_process *process = owner;
    for (struct long_send *send = process->long_side->sends; send; send = send->next)
        if (send->peer == peer && send->machine.state == SEND_CONNECTING)
            long_send_enter(context, process, send, SEND_WAIT_MATCH, "connected");
}

// ---- The initiator ----

enum portals_status p3_long_send(struct cpu_context *context, struct p3_process *process,
                                 struct portals_transfer *transfer)
{
    struct p3_long *side = process->long_side;
    const struct portals_header *header = &transfer->header;
    struct long_send *send = pool_take(&side->send_pool);
    *send = (struct long_send){
        .transfer = transfer,
        .peer = header->to.nid,
        .number = ++side->numbers,
    };
    FIFO_APPEND(side->sends, side->sends_last, send, next);
    p3_spend(context, process->config->record, header->message);
    p3_long_meet(context, process, send->peer);
    bool ready = vdma_connected(process->handler, send->peer);
    portals_transfer_waits(transfer, &match_wait);
    long_send_enter(context, process, send, ready ? SEND_WAIT_MATCH : SEND_CONNECTING, "TRY_MATCH");
    struct try_match body = {.portals = *header, .address = transfer->address};
    ++*side->try_matches;
    post_control(context, process, send->peer, LONG_TRY_MATCH, send->number,
                 portals_ni_config(process->ni)->header, &body, header->message);
    return PORTALS_OK;
}

static void match_reply_arrived(struct cpu_context *context, struct p3_process *process,
                                uint32_t number)
{
    struct p3_long *side = process->long_side;
    struct long_send *previous = NULL, *send = side->sends;
    for (; send && send->number != number; send = send->next)
        previous = send;
    if (!send) {
        p3_fail_unknown(process, "MATCH_REPLY");
        return;
    }
    struct portals_transfer *transfer = send->transfer;
    if (previous)
        previous->next = send->next;
    else
        side->sends = send->next;
    if (side->sends_last == send)
        side->sends_last = previous;
    p3_spend(context, process->config->record, transfer->header.message);
    long_send_enter(context, process, send, SEND_DONE, "MATCH_REPLY");
    pool_give(&side->send_pool, send);
    portals_finalize(context, process->ni, transfer, PORTALS_OK);
}

// ---- The target ----

// The reply is posted first, as after short messages (5.3.2); the handler's thread, which this is,
// sends it when the library has made its event.
static void long_end(struct cpu_context *context, struct p3_process *process,
                     struct long_receive *receive, const char *event)
{
    struct portals_transfer *transfer = receive->transfer;
    ++*process->long_side->match_replies;
    post_control(context, process, receive->peer, LONG_MATCH_REPLY, receive->number, KEY_BYTES,
                 NULL, receive->message);
    long_receive_enter(context, process, receive, RECEIVE_ENDED, event);
    pool_give(&process->long_side->receive_pool, receive);
    if (transfer)
        portals_finalize(context, process->ni, transfer, PORTALS_OK);
}

void p3_long_receive(struct cpu_context *context, struct p3_process *process, void *arriving,
                     struct portals_transfer *transfer)
{
    const struct long_arriving *try = arriving;
    struct p3_long *side = process->long_side;
    struct long_receive *receive = pool_take(&side->receive_pool);
    *receive = (struct long_receive){
        .transfer = transfer,
        .peer = try->from,
        .number = try->number,
        .message = try->message,
    };
    p3_spend(context, process->config->record, receive->message);
    if (!transfer || transfer->length == 0) {
        long_end(context, process, receive, transfer ? "nothing wanted" : "no match");
        return;
    }
    FIFO_APPEND(side->reading, side->reading_last, receive, next);
    long_receive_enter(context, process, receive, RECEIVE_READING, "GET");
    struct vdma_transfer read = {
        .peer = try->from,
        .local = transfer->address,
        .remote = try->address,
        .bytes = transfer->length,
        .message = receive->message,
        .key = (uint64_t)(uintptr_t)receive,
    };
    vdma_post_read(context, process->handler, &read);
}

static void try_match_arrived(struct cpu_context *context, struct p3_process *process, int from,
                              const struct vdma_client_message *message)
{
    struct try_match body;
    memcpy(&body, message->body, sizeof body);
    struct long_arriving arriving = {
        .arriving = {.is_long = true},
        .from = from,
        .number = message->number,
        .address = body.address,
        .message = message->message,
    };
    if (p3_addressed(context, process, from, message->number, &body.portals))
        portals_parse(context, process->ni, &body.portals, &arriving);
}

static void read_done(struct cpu_context *context, void *owner,
                      const struct vdma_transfer *transfer)
{
    struct p3_process *process = owner;
    struct p3_long *side = process->long_side;
    struct long_receive *previous = NULL, *receive = (void *)(uintptr_t)transfer->key;
    for (struct long_receive *at = side->reading; at != receive; at = at->next)
        previous = at;
    if (previous)
        previous->next = receive->next;
    else
        side->reading = receive->next;
    if (side->reading_last == receive)
        side->reading_last = previous;
    long_end(context, process, receive, "all there");
}

// ---- The handler's client ----

static void message_arrived(struct cpu_context *context, void *owner, int from,
                            const struct vdma_client_message *message)
{
    struct p3_process *process = owner;
    switch (message->type) {
    case LONG_TRY_MATCH:
        try_match_arrived(context, process, from, message);
        return;
    case LONG_MATCH_REPLY:
        match_reply_arrived(context, process, message->number);
        return;
    case LONG_UPD_CONN:
        p3_spend(context, process->config->record, MESSAGE_NONE);
        *(bool *)sparse_at(&process->long_side->known, from) = true;
        return;
    default:
        process->long_side->others(context, process, from, message->body);
        return;
    }
}

// With vdma_handler.unaligned: refuse, as in the unmodified handler.
static void refused(struct cpu_context *context, void *owner, const struct vdma_transfer *transfer,
                    const char *reason)
{
    const struct p3_process *process = owner;
    (void)context;
    sim_fail(process->sim, SIM_FAILED, "vdma_refused", NULL,
             "%s cannot read %" G_GINT64_FORMAT " B from %s: %s (vdma_handler.unaligned: split "
             "moves them)",
             process->process->name, transfer->bytes, p3_host_name(process, transfer->peer),
             reason);
}

static const char *message_name(uint8_t type)
{
    static const char *const names[] = {[LONG_TRY_MATCH] = "TRY_MATCH",
                                        [LONG_MATCH_REPLY] = "MATCH_REPLY",
                                        [LONG_UPD_CONN] = "UPD_CONN"};
    return type < G_N_ELEMENTS(names) ? names[type] : type == P3_CB_PIECE ? "piece" : "end";
}

static const struct vdma_client client = {.connected = connected,
                                          .read_done = read_done,
                                          .refused = refused,
                                          .message = message_arrived,
                                          .message_name = message_name};

// ---- Reports ----

static char *send_waits_for(const struct p3_process *process, const struct long_send *send)
{
    return g_strdup_printf("%s for long message %u from %s",
                           machine_wait(&p3_long_send_machine, &send->machine)->text, send->number,
                           p3_host_name(process, send->peer));
}

char *p3_long_send_waits(const struct p3_process *process, const struct portals_transfer *transfer)
{
    for (const struct long_send *send = process->long_side->sends; send; send = send->next)
        if (send->transfer == transfer)
            return send_waits_for(process, send);
    return NULL;
}

void p3_long_waits(const struct p3_process *process, GPtrArray *waits)
{
    const struct p3_long *side = process->long_side;
    if (!side)
        return;
    for (const struct long_send *send = side->sends; send; send = send->next)
        g_ptr_array_add(waits, send_waits_for(process, send));
    for (const struct long_receive *receive = side->reading; receive; receive = receive->next)
        g_ptr_array_add(waits,
                        g_strdup_printf("the VDMA read of long message %u from %s", receive->number,
                                        p3_host_name(process, receive->peer)));
}

// ---- Create and free ----

void p3_long_init(struct p3_process *process, p3_message_fn *others)
{
    struct p3_long *side = g_new0(struct p3_long, 1);
    process->long_side = side;
    side->others = others;
    sparse_init(&side->known, process->hosts, sizeof(bool));
    pool_init(&side->send_pool, sizeof(struct long_send));
    pool_init(&side->receive_pool, sizeof(struct long_receive));
    side->try_matches = sim_counter(process->sim, "VDMA handler: TRY_MATCH posted");
    side->match_replies = sim_counter(process->sim, "VDMA handler: MATCH_REPLY posted");
    side->updates = sim_counter(process->sim, "VDMA handler: UPD_CONN posted");
    vdma_handler_set_client(process->handler, &client, process);
}

void p3_long_clear(struct p3_process *process)
{
    struct p3_long *side = process->long_side;
    if (!side)
        return;
    sparse_clear(&side->known);
    pool_clear(&side->send_pool);
    pool_clear(&side->receive_pool);
    g_free(side);
    process->long_side = NULL;
}
