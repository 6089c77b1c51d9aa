// SPDX-License-Identifier: GPL-3.0-or-later
// Inside the firmware: what ni*.c share. Users see ni.h only.
#ifndef NETSIM_MODELS_GRIM_NI_NI_INTERNAL_H
#define NETSIM_MODELS_GRIM_NI_NI_INTERNAL_H

#include "models/grim/ni/ni.h"
#include "sim/core/machine.h"
#include "sim/core/pool.h"

#include <glib.h>

// Rows of the firmware's table, in the order of priority.
enum grim_handler {
    GRIM_FINISH_SEND, // the send engine has sent a message
    GRIM_RECEIVED,    // a packet is in a receive buffer
    GRIM_SEND,        // the next message to send: shares its place with incoming ones
    GRIM_INCOMING, // an incoming queue (buffering at both) may have room to go: shares the slot, so
                   // that refused messages that are sent again cannot starve it
    GRIM_FINISH_DMA,   // an arrival's DMA has ended
    GRIM_FINISH_FETCH, // a payload is in the queue
    GRIM_POSTED,       // a request of the host
    GRIM_TIMEOUT,
    GRIM_PAUSE,       // after a NACK
    GRIM_START_FETCH, // a message whose payload is still in host memory
    GRIM_HANDLERS,
};

// A message of 8 bits of sequence numbers is distinguished from an earlier one up to half of them
// apart.
#define GRIM_WINDOW 128
#define GRIM_TOKENS 256

// Thesis 003, 4.2.2. Unused: what has been freed.
enum grim_entry_state { GRIM_UNUSED, GRIM_NOT_SENT, GRIM_SENT, GRIM_ACKNOWLEDGED };

// Words under way from the host into SRAM, for which no handler is called.
struct grim_pio {
    struct event event;
    struct bus *bus;
    int64_t bytes;
    struct message_ref message;
    bool on_bus;
    void (*written)(struct grim_pio *pio); // in the event in which they are there
};

struct grim_entry {
    struct grim_message message;
    struct grim_channel *channel;
    struct grim_flow *flow;
    struct machine machine; // enum grim_entry_state
    bool filled;            // whole in SRAM, so that it can be sent
    bool stamped;           // has token and sequence number
    int64_t number;         // counts the channel's messages, from 1
    int64_t stored;         // bytes of the queue that it takes
    int64_t tries;          // times that it has been sent
    int64_t refusals;       // NACKs for it so far
    sim_time refused_since; // of the first of them
    sim_time sent, first_sent;
    struct grim_entry *next;                      // in the channel's queue, front to back
    struct grim_entry *flow_next, *flow_previous; // in the order of sequence
    struct grim_pio pio;
    struct lanai_transfer fetch; // of the payload from host memory
};

// Messages that are numbered in one sequence, at their sender: from a channel to a
// channel, or from card to card.
struct grim_flow {
    uint64_t key; // in the card's table
    struct grim_ni *ni;
    struct grim_ni *to;
    uint8_t sequence;                // of the next new message
    struct grim_entry *first, *last; // stamped and not freed
    struct grim_entry *resend;       // the next of them that is to be sent again
    bool paused;                     // after a NACK
    struct lanai_timer pause;
    struct lanai_timer timeout;
    bool timing;
};

// Like a flow, at its receiver.
enum grim_receiver_state { GRIM_EXPECTING, GRIM_DROPPING };
struct grim_receiver {
    uint64_t key;
    uint8_t expected;
    struct machine machine; // enum grim_receiver_state
    int64_t number;         // messages taken
};

// How a message's sequence number stands to the expected one.
enum grim_relation { GRIM_NEXT, GRIM_BEHIND, GRIM_AHEAD };

// How messages lie in a queue; one row per style.
struct grim_queue_style {
    const char *name;
    bool scoreboard; // their state lies apart from them
    int host_words;  // registers that the host writes for each message
    bool second_dma; // the payload is sent by a DMA of its own
    int64_t (*room)(const struct grim_ni_config *config, int64_t share); // bytes for messages
    int64_t (*most)(const struct grim_ni_config *config, int64_t share); // messages; 0: no bound
    int64_t (*stored)(const struct grim_ni_config *config, const struct grim_message *message);
};
const struct grim_queue_style *ni_queue_style(enum grim_queue_kind kind);

// A message in an endpoint queue, or under way into it.
struct grim_held {
    struct grim_message message;
    struct grim_channel *channel;
    struct grim_held *next;
    struct grim_pio release;
};

struct grim_channel {
    struct grim_ni *ni;
    int number, index; // at its card; in the fabric
    uint16_t endpoint;
    const char *name;
    grim_notify_fn *notify;
    void *owner;

    // Message queue: front .. back, and the next that is to be sent.
    struct grim_entry *front, *back, *next;
    int64_t entries, used, last_number;
    int64_t room, most; // of the queue: bytes, messages
    struct grim_entry *tokens[GRIM_TOKENS];
    uint8_t free_tokens[GRIM_TOKENS]; // a ring
    int tokens_first, tokens_free, tokens_all;
    bool lacks_room; // an interface has asked for room for an answer, and there was none

    // The host's side.
    const struct wait *waits_for; // NULL: the last injection went
    bool wanted;                  // and GRIM_ROOM is to come
    struct event room_event;
    int32_t *unanswered; // by channel of the fabric; NULL: not bounded
    int wanted_index;    // channel whose message it waits for, or GRIM_ANY_ROOM

    // Endpoint queue: room is taken when a message is accepted, and it can be seen when it is
    // there.
    struct grim_held *held_first, *held_last;
    int64_t endpoint_messages, endpoint_bytes, waiting;
    trace_values values; // of both queues; 0: not announced

    // Incoming queue on the card (buffering at both).
    struct grim_arrival *incoming_first, *incoming_last;
    int64_t incoming_used, incoming_room;
};

enum grim_incoming_state { GRIM_INCOMING_QUEUED, GRIM_INCOMING_DELIVERED };

struct grim_arrival {
    struct grim_message message;
    struct grim_channel *channel;
    const struct grim_interface *interface;
    void *owner;
    struct lanai_buffer *buffer; // NULL: in the incoming queue's memory
    int64_t stored;              // of which it takes so much
    struct lanai_transfer transfer;
    grim_step_fn *next_step;
    void (*landed)(struct grim_arrival *arrival);
    struct grim_arrival_notes notes;
    struct grim_arrival *next; // in the incoming queue
    bool early;                // begun with its head, and the firmware has not seen its end yet
    bool over;                 // its interface has ended it already
    bool lost;                 // it has turned out damaged
    struct machine machine;    // enum grim_incoming_state: of the incoming queue
};

// A receive buffer, and what the firmware has done at the head of the packet in it.
struct grim_receive {
    struct lanai_buffer buffer;
    bool looked, sequenced; // its cost is charged
    struct grim_arrival *early;
};

// An ACK or NACK that is to be sent.
struct grim_answer {
    struct grim_header header;
    struct grim_ni *to;
};

enum grim_firmware_state {
    GRIM_FIRMWARE_RUNNING,
    GRIM_FIRMWARE_WAITING, // for the first DMA of a message
};

enum grim_control_state {
    GRIM_CONTROL_OPEN,
    GRIM_CONTROL_CLOSED, // no message is taken before an answer has left
};

struct grim_ni {
    struct grim_fabric *fabric;
    struct host *host;
    struct bus *bus;
    struct lanai *card;
    struct grim_scan_config scan_costs;
    const char *name;    // "node0's card", interned
    GPtrArray *channels; // struct grim_channel *
    int64_t scanned;     // channels of a scan: those that are configured
    GHashTable *flows, *receivers;

    // Sending.
    struct lanai_transfer send;
    bool sending;         // the engine has a message
    bool sending_control; // which is an ACK or NACK
    const char *sent_to;  // its name
    int scan_at;          // where the last scan ended
    sim_time scan_end;

    // Control message queue; `late` is the answer that found no place in it.
    struct grim_answer *answers;
    int64_t answers_first, answers_count;
    struct grim_answer late;
    bool has_late;

    // Receiving.
    struct grim_receive *buffers;
    struct machine intake;                     // enum grim_control_state
    struct machine firmware;                   // enum grim_firmware_state
    struct lanai_item *arrived, *arrived_last; // receive buffers with packets, first in, first out
    struct lanai_item *deferred;               // other items that came while it waited
    uint32_t deferred_calls;                   // and calls, by handler
    struct lanai_buffer *withheld[256];        // buffers that are free again when it opens
    int withheld_count;
};

struct grim_served {
    const struct grim_interface *interface;
    void *owner;
};

struct grim_fabric {
    struct cluster *cluster;
    struct sim *sim;
    struct grim_ni_config config;
    const struct grim_queue_style *style;
    const struct lanai_handler *handlers; // the firmware's table
    struct grim_ni *nis;
    GPtrArray *channels;  // struct grim_channel *, owned
    GPtrArray *endpoints; // struct grim_channel *, by endpoint; NULL: none
    struct grim_served served[GRIM_TYPES];
    struct pool entries, arrivals, held;
    bool started;
    void (*stalled)(void *owner);
    void *stalled_owner;
    sim_time progress; // when a message was last taken, or an endpoint moved
    int64_t *accepted, *refusals, *dropped, *duplicates, *resent, *timed_out, *queued_answers,
        *corrupt, *foreign, *sent_bytes, *control, *control_bytes, *most_empty, *most_queued;
};

// The header of a packet.
struct grim_packet {
    uint8_t bytes[GRIM_HEADER_BYTES];
    const void *content;
};

// ---- ni_turn.c ----

extern const struct stage ni_scan_stage;
extern const struct stage ni_sequence_stage;

void ni_spend(struct cpu_context *context, const struct grim_ni *ni, struct cost cost,
              const struct stage *stage, struct message_ref message);

// Returns true if the firmware does nothing but wait, so that the handler is called again later,
// with the item or (NULL) without. ni_resume ends that.
bool ni_defers(struct grim_ni *ni, enum grim_handler handler, struct lanai_item *item);
void ni_resume(struct grim_ni *ni);

// Wakes the sender, if there is anything and the link is free.
void ni_look(struct grim_ni *ni);
// Called when an interface may go on: room in its endpoint, an end of its work, or room for an
// answer.
void ni_look_incoming(const struct grim_channel *channel);
// Notifies the endpoint that what its refused injection waited for may be there: room in the queue
// (GRIM_ANY_ROOM), or a message from the channel with this index.
#define GRIM_ANY_ROOM (-1)
void ni_notify_room(struct cpu_context *context, struct grim_channel *channel, int index);

// How long a scan of so many channels takes.
sim_time ni_scan_time(const struct grim_ni *ni, int64_t channels);

// The stage of a handler's row. Rows charge nothing by themselves: handlers charge their pieces.
static inline const struct stage *ni_stage(const struct grim_ni *ni, enum grim_handler handler)
{
    return &ni->fabric->handlers[handler].stage;
}

// ---- ni_machine.c: the state machines ----

extern const struct machine_kind grim_message_machine;  // by enum grim_entry_state
extern const struct machine_kind grim_receiver_machine; // by enum grim_receiver_state
extern const struct machine_kind grim_incoming_machine; // by enum grim_incoming_state
extern const struct machine_kind grim_firmware_machine; // by enum grim_firmware_state
extern const struct machine_kind grim_control_machine;  // by enum grim_control_state

static inline struct machine_owner grim_entry_owner(const struct grim_entry *entry)
{
    return (struct machine_owner){.where = entry->channel->name, .subject = entry->number};
}

static inline bool ni_closed(const struct grim_ni *ni)
{
    return ni->intake.state == GRIM_CONTROL_CLOSED;
}

static inline bool ni_waits(const struct grim_ni *ni)
{
    return ni->firmware.state == GRIM_FIRMWARE_WAITING;
}

// ---- ni_capture.c ----

// Packets as captures show them (lanai.h).
extern const struct lanai_frames grim_frames;

// ---- ni_report.c ----

// Ends the run if nothing has moved for grim_ni.stalled since `since`.
void ni_check_stalled(struct grim_ni *ni, const struct grim_entry *entry, sim_time now,
                      sim_time since);

// ---- ni_host.c ----

void ni_pio_write(struct cpu_context *context, struct grim_ni *ni, struct grim_pio *pio);
void ni_start_fetch_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void ni_finish_fetch_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void ni_posted_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void ni_channel_init(struct grim_channel *channel);

// ---- ni_flow.c ----

struct grim_flow *ni_flow(struct grim_channel *channel, struct grim_channel *to);
struct grim_receiver *ni_receiver(struct grim_channel *from, struct grim_channel *channel);
enum grim_relation ni_relation(uint8_t expected, uint8_t sequence);
bool ni_may_send(const struct grim_entry *entry);
// Token and sequence number for a new message of its flow.
void ni_flow_join(struct grim_entry *entry);
// The entry has left its queue.
void ni_flow_forget(struct grim_entry *entry);

// ---- ni_link.c ----

// A packet of `bytes` to another card, without its message; then the send engine starts with it.
// `to` is for reports.
struct packet *ni_packet(struct grim_ni *ni, const struct grim_ni *to,
                         const struct grim_header *header, int64_t bytes);
void ni_start_send(struct cpu_context *context, struct grim_ni *ni, struct packet *packet,
                   bool control, const char *to);

// ---- ni_queue.c ----

// Appends a message to the queue. Returns NULL if it does not fit.
struct grim_entry *ni_queue_append(struct grim_channel *channel, const struct grim_message *message,
                                   struct grim_flow *flow);
bool ni_queue_can_hold(const struct grim_channel *channel, const struct grim_message *message);
// Frees what is acknowledged, from the front on; true if there is more room then.
bool ni_queue_free(struct cpu_context *context, struct grim_channel *channel);

// Traces how many messages both queues of the channel hold.
void ni_queues_tell(struct grim_channel *channel, sim_time now);

// ---- ni_channel.c ----

void ni_send_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void ni_finish_send_run(struct cpu_context *context, void *owner, struct lanai_item *item);

// ---- ni_reliable.c ----

// The message is sent now; a new one joins its flow.
void ni_stamp(struct cpu_context *context, struct grim_entry *entry);
void ni_acknowledged(struct cpu_context *context, struct grim_ni *ni,
                     const struct grim_header *header);
void ni_refused(struct cpu_context *context, struct grim_ni *ni, const struct grim_header *header);
void ni_timeout_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void ni_pause_run(struct cpu_context *context, void *owner, struct lanai_item *item);

// ---- ni_control.c ----

// Answers a message: at once, or through the queue.
void ni_answer(struct cpu_context *context, struct grim_ni *ni, enum grim_type type,
               const struct grim_message *message, struct grim_ni *to);
// Sends the next answer that waits; false if there is none.
bool ni_control_next(struct cpu_context *context, struct grim_ni *ni);
// An answer has left.
void ni_control_left(struct cpu_context *context, struct grim_ni *ni);

// ---- ni_receive.c ----

void ni_received_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void ni_finish_dma_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void ni_incoming_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void ni_buffer_free(struct cpu_context *context, struct grim_ni *ni, struct lanai_buffer *buffer);

#endif
