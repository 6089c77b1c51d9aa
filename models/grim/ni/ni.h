// SPDX-License-Identifier: GPL-3.0-or-later
// GRIM's half on the card: the firmware that carries messages from one endpoint's logical channel
// to another's, in order and without loss (thesis 003, 4.1 to 4.3).
//
// An endpoint opens one logical channel of its host's card, for both directions. Its messages go
// into the channel's message queue in the card's SRAM. The firmware scans the channels round robin,
// stamps a message that it finds with a token and the next sequence number of its flow, and sends
// it without asking whether the other end has room (go-back-N, optimistic). The card at the other
// end takes a message that is next in sequence and that its interface accepts, and answers with an
// ACK; it refuses one that is not accepted with a NACK, and drops all that follow until the refused
// message arrives again. A message leaves its queue when it and all before it are acknowledged.
//
// A message that has been taken goes to the interface that its type names. Active messages have an
// endpoint queue of limited room in host memory, which is in here; the remote memory interfaces
// come from above as tables of functions.
//
// Not modelled: multicast (there is the type and no interface for it); how the front of a queue
// becomes known to the host (it sees room when the card makes it); the gap at the end of an
// append-style queue, in which a message is stored in one piece; the SRAM of the firmware's own
// code; messages from an endpoint to one on the same card (the run ends with "same_card"); the
// CRC-8, which belongs to the link (`link.gap`); timers for control messages: with `timeouts` a
// lost ACK or NACK is given again when its message comes again.
#ifndef NETSIM_MODELS_GRIM_NI_NI_H
#define NETSIM_MODELS_GRIM_NI_NI_H

#include "models/grim/ni/message.h"
#include "models/myrinet_gm/lanai/lanai.h"
#include "sim/cluster/cluster.h"
#include "sim/core/machine.h"

#include <jansson.h>

// ---- Configuration ----

enum grim_queue_kind { GRIM_QUEUE_APPEND, GRIM_QUEUE_SLOTTED, GRIM_QUEUE_HYBRID };
enum grim_sequencing { GRIM_SEQUENCE_CHANNEL, GRIM_SEQUENCE_NI };
enum grim_buffering { GRIM_BUFFER_SENDER, GRIM_BUFFER_BOTH };
enum grim_second_dma { GRIM_SECOND_CHAINED, GRIM_SECOND_WAITS };

// Section "grim_ni": queues, protocol, and the costs of the firmware's pieces. Its table
// (ni_config.c) describes each field; here are units.
struct grim_ni_config {
    int queue_style; // enum grim_queue_kind
    int64_t queue;   // bytes
    int64_t channels, in_flight;
    int64_t slot;   // bytes
    int second_dma; // enum grim_second_dma
    int sequencing; // enum grim_sequencing
    int buffering;  // enum grim_buffering
    int64_t receive_buffers;
    int64_t receive_buffer; // bytes
    bool control_queue;
    int64_t control_entries;
    bool reordering, timeouts;
    sim_time timeout, nack_pause, stalled; // ps
    int64_t outstanding;
    int64_t dma_threshold; // bytes
    int64_t endpoint_messages, endpoint_bytes;

    // Cycles of the LANai: sending
    struct cost send, record, second, sequence_channel, sequence_ni, control, fetch;
    // receiving
    struct cost receive, deliver, incoming, finish;
    // answers
    struct cost acknowledged, refused, freed, walk;
    struct cost post;
};

// Sections "grim_lanai4" and "grim_lanai9": the costs of a scan of the channels on each card.
struct grim_scan_config {
    struct cost scan;         // per round
    struct cost scan_channel; // per channel
};

extern const struct param_table grim_ni_table;
extern const struct param_table grim_lanai4_table, grim_lanai9_table;

// The three, for a registry ("grim_ni", "grim_lanai4", "grim_lanai9"). Ends with a NULL path.
extern const struct scenario_section grim_ni_sections[];

#define GRIM_CARD "LANai with GRIM's firmware" // kind of card (struct card)

// The link type of captures at the cards.
extern const struct capture_link grim_capture_link;

// ---- Cards ----

struct grim_fabric; // the cards of a cluster, and which endpoint is where
struct grim_ni;
struct grim_channel;

// Puts GRIM's firmware on a card of every host, that which the case's stack uses. Free with
// grim_fabric_free, before the cluster.
struct grim_fabric *grim_fabric_new(struct cluster *cluster, const struct scenario_case *test_case);

struct grim_card {
    const char *section; // "lanai4", for messages
    const struct lanai_config *lanai;
    const struct grim_scan_config *scan;
};

// Like grim_fabric_new, but from values, which are copied, with a card for each host.
struct grim_fabric *grim_fabric_make(struct cluster *cluster, const struct grim_card *cards,
                                     const struct grim_ni_config *config);
void grim_fabric_free(struct grim_fabric *fabric);

// After all channels are open and before the first message: shares out the SRAM. Returns false if
// it does not suffice; the run has then failed, and its message names a remedy.
bool grim_fabric_start(struct grim_fabric *fabric);

const struct grim_ni_config *grim_fabric_config(const struct grim_fabric *fabric);
struct grim_ni *grim_fabric_ni(const struct grim_fabric *fabric, int host);
struct lanai *grim_ni_card(const struct grim_ni *ni);
struct host *grim_ni_host(const struct grim_ni *ni);

// ---- Logical channels ----

// Tells an endpoint what has happened on its channel, in the event in which the host can see it; no
// processor's time. The callback wakes an endpoint that polls or waits.
enum grim_notice {
    GRIM_ARRIVED, // an active message is in the endpoint queue
    GRIM_ROOM,    // an injection that was refused may go now
};
typedef void grim_notify_fn(void *owner, enum grim_notice notice);

// Opens the next logical channel of a card for endpoint `endpoint`, which is new in the cluster.
// `name` is interned and names it in traces and reports ("rank 0"). notify may be NULL. Owned by
// the fabric.
struct grim_channel *grim_channel_open(struct grim_ni *ni, uint16_t endpoint, const char *name,
                                       grim_notify_fn *notify, void *owner);

// Returns the channel of an endpoint, or NULL if no such endpoint exists.
struct grim_channel *grim_channel_find(const struct grim_fabric *fabric, uint16_t endpoint);

struct grim_ni *grim_channel_ni(const struct grim_channel *channel);
int grim_channel_number(const struct grim_channel *channel); // at its card, from 0
uint16_t grim_channel_endpoint(const struct grim_channel *channel);
const char *grim_channel_name(const struct grim_channel *channel); // "rank 0"

// Queues a message after the others of its channel, from a handler of the host: charges the words
// that the processor writes (stage "PIO"; from dma_threshold on the header's only, and the card
// fetches the payload, which must stay as it is until then). message->source is set here.
// Returns false if there is no room now, or as many messages as grim_ni.outstanding allows are
// unanswered: GRIM_ROOM comes when it is worth another try. Messages to no endpoint, to the same
// card, of more than GRIM_MOST_PAYLOAD or of a length that no queue or buffer can ever hold end the
// run.
//
// Unanswered are the messages to an endpoint less the active messages that have come from it: the
// limit is that of a flow control between endpoints, as thesis 003, 4.2.4 simulates it.
bool grim_channel_inject(struct cpu_context *context, struct grim_channel *channel,
                         const struct grim_message *message);

// Returns the reason for the last refusal.
const struct wait *grim_channel_waits_for(const struct grim_channel *channel);

// Returns the number of messages in the channel's queue on the card: not sent, or not yet
// acknowledged with all before them.
int grim_channel_queued(const struct grim_channel *channel);

// ---- The endpoint queue: active messages in host memory ----

// Returns the oldest message in the queue, or NULL if there is none. It stays, and keeps its room,
// until it is released: a handler that answers holds it meanwhile (thesis 003, 4.4.3). Free of
// charge: the polling caller charges the look.
const struct grim_message *grim_endpoint_peek(const struct grim_channel *channel);

// Returns the number of messages in the queue.
int grim_endpoint_waiting(const struct grim_channel *channel);

// Returns the number of messages that the endpoint has not released: those in the queue, and those
// that the card has taken for it and that are under way.
int64_t grim_endpoint_unhandled(const struct grim_channel *channel);

// Gives back the room of the oldest message; the card learns of it by a word that is written to it
// (stage "PIO").
void grim_endpoint_release(struct cpu_context *context, struct grim_channel *channel);

// ---- Interfaces: what the firmware does with a message that has come ----

// A message that the card has taken and that an interface works on. It holds a buffer in SRAM until
// grim_arrival_end.
struct grim_arrival;
typedef void grim_step_fn(struct cpu_context *context, struct grim_arrival *arrival);

struct grim_interface {
    const char *name; // static
    // Whether the message can be taken now; it is taken if so. Called in the firmware's handler, on
    // the message that is next in sequence, and may spend. If false, the message is refused (NACK)
    // and sent again; with buffers at both cards it waits there, and the interface is asked again
    // when something has changed for its channel. NULL: always.
    bool (*accepts)(struct cpu_context *context, void *owner, struct grim_channel *channel,
                    const struct grim_message *message);
    // Works on the message: called in the firmware's handler with its cost (grim_ni.deliver)
    // charged. It starts DMAs with grim_arrival_move, goes on in their steps, and in one of them,
    // or at once, calls grim_arrival_end. Messages of one type to one channel are delivered in
    // order; later ones are delivered while this one is under way. The payload may still be
    // arriving: no move ends, and none that was started through grim_arrival_behind, before all of
    // it is there, and then the message may be lost (grim_arrival_lost).
    void (*deliver)(struct cpu_context *context, void *owner, struct grim_arrival *arrival);
    // No ACK when it is taken: a later message acknowledges it (grim_acknowledge), as an RM-RV
    // reply does the read (thesis 003, 4.5.4).
    bool answered;
};

// The interface of active messages (endpoint queue), which they have from the start.
extern const struct grim_interface ni_endpoint_interface;

// Sets the interface of a type. The table must outlive the fabric.
void grim_fabric_interface(struct grim_fabric *fabric, enum grim_type type,
                           const struct grim_interface *interface, void *owner);

const struct grim_message *grim_arrival_message(const struct grim_arrival *arrival);
struct grim_channel *grim_arrival_channel(const struct grim_arrival *arrival); // that it came to
void *grim_arrival_owner(const struct grim_arrival *arrival);                  // the interface's
// For the interface's own use between steps; zeroed at first.
struct grim_arrival_notes {
    void *pointer;
    struct machine machine;
};
struct grim_arrival_notes *grim_arrival_notes(struct grim_arrival *arrival);

// Moves `bytes` (>= 0) by the card's DMA (LANAI_TO_HOST, LANAI_FROM_HOST) at the context's now, and
// then calls `next` in a handler of the firmware (its cost, grim_ni.finish, charged). `landed`, if
// not NULL, is called in the event in which the last byte is there: for what the host sees in its
// memory. One move at a time.
void grim_arrival_move(struct cpu_context *context, struct grim_arrival *arrival,
                       enum lanai_move move, int64_t bytes, grim_step_fn *next,
                       void (*landed)(struct grim_arrival *arrival));

// Goes on with `next` later: when grim_arrival_resume is called, from a handler of the firmware (a
// post). Meanwhile the arrival keeps its buffer.
void grim_arrival_hold(struct grim_arrival *arrival, grim_step_fn *next);
void grim_arrival_resume(struct cpu_context *context, struct grim_arrival *arrival);

// Whether the message has turned out damaged, which is not known before its last byte: the bytes
// already written stay, but must not be reported to any process.
bool grim_arrival_lost(const struct grim_arrival *arrival);

// Like the arrival's own moves, but for a transfer of an interface: bytes of the payload from
// `offset` on, which may still be arriving.
void grim_arrival_behind(const struct grim_arrival *arrival, struct lanai_transfer *transfer,
                         int64_t offset);

// The message has reached its last place; the buffer is free again. Once for each delivery.
void grim_arrival_end(struct cpu_context *context, struct grim_arrival *arrival);

// An interface may now accept messages that it has refused before: the firmware offers it again
// those in incoming queues (buffering at both). From a handler of the firmware.
void grim_ni_retry(struct grim_ni *ni);

// ---- Messages that the firmware sends by itself (an RM-RV reply) ----

struct grim_entry; // a message in a channel's queue

// Room in a channel's queue for a message that is not to be sent before grim_entry_commit: its
// payload is being fetched. From a handler of the firmware. Returns NULL if the queue has no room
// now. The message takes its place in the queue at once, and later messages wait for it.
struct grim_entry *grim_entry_reserve(struct cpu_context *context, struct grim_channel *channel,
                                      const struct grim_message *message);
void grim_entry_commit(struct cpu_context *context, struct grim_entry *entry);

// Marks the message that `channel` has sent with this token and sequence number as acknowledged, as
// an ACK does: in a handler of the firmware. Nothing happens if it is no longer under way.
void grim_acknowledge(struct cpu_context *context, struct grim_channel *channel, uint8_t token,
                      uint8_t sequence);

// ---- Requests of the host ----

// Words that the host writes to the card, for which the firmware then calls `run` (its cost,
// grim_ni.post, charged). Set bytes (> 0), run and message; all else 0 at first. Free again when
// run is called.
struct grim_post {
    struct lanai_write write; // item.message and bytes are the caller's
    void (*run)(struct cpu_context *context, struct grim_ni *ni, struct grim_post *post);
};
void grim_ni_post(struct cpu_context *context, struct grim_ni *ni, struct grim_post *post);

// Makes the firmware look through `channels` (1 .. 65536) empty logical channels once, and measures
// that (thesis 003, 4.3.4). `done` is called in the event of its end. Free again then.
struct grim_scan {
    int64_t channels;
    void (*done)(void *owner, struct grim_scan *scan);
    void *owner;
    sim_time time;  // that the processor took
    sim_time clock; // what the card's real-time clock shows of it, in its ticks; time if it is
                    // exact
    struct grim_post post; // the card's
    struct event event;
};
void grim_ni_scan(struct cpu_context *context, struct grim_ni *ni, struct grim_scan *scan);

// ---- Reports ----

// When nothing has moved for grim_ni.stalled, `stalled` is called before the card makes its own
// report: a callee that knows more ends the run (sim_fail).
void grim_fabric_on_stalled(struct grim_fabric *fabric, void (*stalled)(void *owner), void *owner);

// Finds cards that hold one another: each has a full message queue, whose first message the next
// card does not take because it has no room for an answer. Returns a sentence on which waits for
// which, and what would avoid it, or NULL if there is no such circle. The caller frees it.
char *grim_fabric_circle(const struct grim_fabric *fabric);

// Reports what the channel's oldest message waits for and what holds it, the endpoint queue, and
// the state of the card. Returns a new reference.
json_t *grim_channel_describe(const struct grim_channel *channel);

#endif
