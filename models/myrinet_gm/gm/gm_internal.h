// SPDX-License-Identifier: GPL-3.0-or-later
// Inside GM: what gm_*.c share. Users see gm.h only.
//
// On a card four state machines work together: SDMA fetches a packet's payload from the host into
// SRAM, SEND puts it on the link, RECV checks packets that have come, RDMA writes payload and
// events into host memory. Below them are the connections, one per other card.
//
// A connection is a go-back-N of packets: each packet has a session number and a sequence number of
// 16 bits, and a send record until it is acknowledged. A connection carries streams: a stream is
// the messages from one port to one port with one priority, which stay in order; packets of several
// streams take turns. A message that finds no receive buffer puts its own stream to sleep only: the
// packets sent after it are taken back, and are sent again under the next session number.
#ifndef NETSIM_MODELS_MYRINET_GM_GM_GM_INTERNAL_H
#define NETSIM_MODELS_MYRINET_GM_GM_GM_INTERNAL_H

#include "models/myrinet_gm/gm/gm.h"
#include "models/myrinet_gm/gm/gm_config.h"
#include "sim/core/machine.h"
#include "sim/core/pool.h"
#include "sim/core/sparse.h"

#include <glib.h>

#define GM_PRIORITIES 2 // low, high
#define GM_SIZES 32     // size classes

struct gm_card;
struct gm_connection;
struct gm_send_token;

// ---- On the wire ----

enum gm_packet_kind {
    GM_PACKET_DATA,
    GM_PACKET_DIRECTED,
    GM_PACKET_ACK,
    GM_PACKET_NACK_GAP,      // a packet before it is missing
    GM_PACKET_NACK_REFUSED,  // no receive buffer
    GM_PACKET_NACK_CLOSED,   // no such port is open
    GM_PACKET_NACK_REJECTED, // the remote address is not registered
};

struct gm_header {
    enum gm_packet_kind kind;
    int source_host;
    uint16_t session, sequence; // of an ACK or NACK: the packet that is expected next
    // How often the packet has been sent. A NACK repeats it: a NACK of an earlier attempt is out of
    // date.
    uint16_t attempt;
    uint8_t source_port, target_port, priority, size;
    bool last;               // of its message
    int64_t position, bytes; // of the message's bytes, header included
    int64_t length, header;  // of the whole
    int64_t remote_address;  // directed: of the message's first byte
    struct message_ref message;
    int64_t offset;
    const void *content;
};

// ---- Tokens ----

enum gm_descriptor_kind { GM_SEND_DESCRIPTOR, GM_RECEIVE_DESCRIPTOR };

// The first member of both tokens: the host writes it into the card.
struct gm_descriptor {
    struct lanai_write write;
    enum gm_descriptor_kind kind;
};

enum gm_rdma_kind { GM_RDMA_PAYLOAD, GM_RDMA_RECEIVE_EVENT, GM_RDMA_SENT_EVENT };

// One transfer into host memory.
struct gm_rdma_job {
    struct lanai_transfer transfer;
    enum gm_rdma_kind kind;
    struct gm_rdma_job *next;
};

enum gm_token_state {
    GM_TOKEN_CLIENT,  // owned by the client
    GM_TOKEN_WRITTEN, // under way to the card, or not yet found there
    GM_TOKEN_QUEUED,  // in its stream
    GM_TOKEN_SENDING, // some of its bytes are fetched
    GM_TOKEN_SENT,    // acknowledged or failed; to be reported
};

struct gm_send_token {
    struct gm_descriptor descriptor;
    struct gm_port *port;
    struct gm_message message;
    bool directed;
    int64_t remote_address;
    struct machine machine; // enum gm_token_state
    enum gm_status status;
    struct gm_stream *stream;
    int64_t fetched; // bytes put into packets so far
    struct gm_rdma_job report;
    struct gm_send_token *next; // in its stream; among the client's
};

// The fields before this are unset while the client has the token.
#define GM_SEND_TOKEN_OF_CLIENT offsetof(struct gm_send_token, machine)

struct gm_receive_token {
    struct gm_descriptor descriptor;
    struct gm_port *port;
    int64_t address;
    int size, priority;
    struct gm_receive_token *next;
};

struct gm_receive_queue {
    struct gm_receive_token *head, *tail;
};

// ---- Ports ----

enum gm_wait { GM_AWAKE, GM_POLLING, GM_BLOCKED };

struct gm_region {
    int64_t address, bytes;
    bool pinned_by_client;
};

struct gm_port {
    struct gm_card *card;
    const struct gm_config *config;
    int number;
    bool open;
    const char *name;
    struct cpu_task *task;

    struct gm_send_token *send_tokens;       // all, config.send_tokens of them
    struct gm_send_token *free_send;         // the client's
    struct gm_receive_token *receive_tokens; // all
    struct gm_receive_token *free_receive;
    int64_t sends_left, receives_left; // that the client has
    trace_values values;               // 0: not announced
    struct gm_receive_queue posted[GM_PRIORITIES][GM_SIZES];

    struct gm_event *events; // ring in host memory, `slots` of them
    uint32_t slots, head, tail;

    enum gm_wait wait;
    bool slept; // woken by an interrupt: the process switch is still to be charged
    sim_time poll_since, poll_turn;
    struct event wake;
    struct gm_port *next_interrupted;
    bool interrupted;

    GArray *regions; // struct gm_region
    guint last_region;
    int64_t pinned;
    gm_written_fn *written;
    void *written_owner;
};

// ---- Connections ----

struct gm_alarm {
    struct lanai_timer timer;
    struct gm_connection *connection;
    struct gm_stream *stream; // NULL: the connection's resend timer
};

enum gm_stream_state { GM_STREAM_AWAKE, GM_STREAM_ASLEEP };

// Messages of one port to one port, at the sender.
struct gm_stream {
    struct gm_connection *connection;
    uint8_t source_port, target_port, priority;
    struct gm_send_token *head, *tail; // not yet acknowledged
    struct gm_send_token *cursor;      // the first that is not fetched completely
    struct machine machine;            // enum gm_stream_state; asleep: refused, until its alarm
    bool queued;                       // among the connection's `turn`
    struct gm_stream *next_turn;
    sim_time refused_since; // when the head was first refused; 0: never
    sim_time asleep_since;
    struct gm_alarm alarm;
    struct gm_stream *next;
};

// At the receiver: a message of which packets are missing.
struct gm_incoming {
    uint8_t source_port, target_port, priority;
    bool active;
    int64_t position;               // bytes that have come
    struct gm_receive_token *token; // NULL: a directed send
    struct gm_incoming *next;
};

struct gm_record {
    struct gm_send_token *token;
    int64_t position, bytes;
    uint16_t attempt;
    bool last;
};

enum gm_connection_state {
    GM_CONNECTION_IDLE,      // nothing is unacknowledged
    GM_CONNECTION_SENDING,   // packets wait for their ACK
    GM_CONNECTION_RESENDING, // the same, and some of them must be sent again
};

struct gm_connection {
    struct gm_card *card;
    int peer; // host
    const struct route *route;

    // Sender.
    struct machine machine;       // enum gm_connection_state
    uint16_t session, first;      // sequence number of the first record
    struct gm_record *records;    // ring of config.window
    uint32_t head, count, cursor; // cursor: the next record to send (again); `count` if none
    int in_pipe;                  // packets between the start of SDMA and the end of SEND
    sim_time progress;            // when the first record became the first
    struct gm_alarm resend;
    sim_time quiet_since; // when its timer was set
    struct gm_stream *streams;
    struct gm_stream *turn, *turn_tail; // streams with something to fetch
    bool queued;                        // among the card's
    struct gm_connection *next_turn;

    // Receiver.
    uint16_t in_session, expected;
    bool gap_told; // a NACK for `expected` was sent, and it has not come yet
    struct gm_incoming *incoming;

    // The prestaged ACK or NACK; a later one replaces it.
    struct gm_header control;
    bool control_pending;
    struct gm_connection *next_control;
};

// ---- The card ----

enum gm_handler {
    GM_TIMER,
    GM_FINISH_RDMA,
    GM_FINISH_RECV,
    GM_FINISH_SDMA,
    GM_FINISH_SEND,
    GM_START_SEND,
    GM_START_SDMA,
    GM_START_RDMA,
    GM_POLL,
    GM_HANDLERS
};

enum gm_sdma_state { GM_SDMA_IDLE, GM_SDMA_FETCHING };
enum gm_send_state { GM_SEND_IDLE, GM_SEND_DATA, GM_SEND_CONTROL };
enum gm_recv_state { GM_RECV_EMPTY, GM_RECV_SOME, GM_RECV_FULL };
enum gm_rdma_state { GM_RDMA_IDLE, GM_RDMA_WRITING };

// A packet in SRAM to be sent.
struct gm_send_buffer {
    struct lanai_transfer transfer;
    struct packet *packet;
    struct gm_connection *connection;
    uint16_t session;
    struct gm_send_buffer *next;
};

// A received packet in SRAM.
struct gm_receive_buffer {
    struct lanai_buffer buffer;
    struct gm_rdma_job job;
    struct gm_header header;
    struct gm_receive_token *token; // of the message's last packet, to be reported
};

struct gm_counters {
    int64_t *resent, *refused, *gaps, *duplicates, *timed_out, *interrupts;
};

struct gm_card {
    struct gm_fabric *fabric;
    struct sim *sim;
    struct host *host;
    struct network *network;
    const struct gm_config *config;
    struct lanai *lanai;
    struct gm_port *ports;     // config.ports
    struct sparse connections; // struct gm_connection *, by host; made when first used
    struct gm_counters counters;

    // SDMA
    struct machine sdma;                    // enum gm_sdma_state
    struct gm_connection *turn, *turn_tail; // connections with something to fetch
    struct gm_send_buffer *send_buffers, *free_buffers;
    // SEND
    struct machine send; // enum gm_send_state
    struct gm_send_buffer *fetched, *fetched_tail;
    struct gm_connection *control, *control_tail;
    struct lanai_transfer control_transfer;
    // RECV
    struct machine recv; // enum gm_recv_state
    struct gm_receive_buffer *receive_buffers;
    int64_t held; // receive buffers with a packet
    // RDMA
    struct machine rdma; // enum gm_rdma_state
    struct gm_rdma_job *jobs, *jobs_tail;

    struct cpu_task interrupt; // the driver's
    struct gm_port *interrupted, *interrupted_tail;
};

struct gm_fabric {
    struct cluster *cluster;
    const struct gm_config *config;
    struct gm_card *cards; // by host
    int hosts;
    struct event stop; // ends the run at once if something failed before the engine ran
};

// ---- gm_machine.c: the state machines ----

extern const struct machine_kind gm_token_machine, gm_connection_machine, gm_stream_machine;
extern const struct machine_kind gm_sdma_machine, gm_send_machine, gm_recv_machine, gm_rdma_machine;

// Takes the step of a machine of the card to `state`, unless it is there, and traces it.
void gm_enter(const struct gm_card *card, sim_time now, const struct machine_kind *kind,
              struct machine *machine, unsigned state, int64_t subject, const char *event);

// gm_enter for a send token, untraced: traces show the client's steps alone.
void gm_token_enter(struct gm_send_token *token, enum gm_token_state state);

// ---- gm_capture.c ----

// Packets as captures show them (lanai.h); the owner is the card.
extern const struct lanai_frames gm_frames;

// ---- gm_memory.c ----

bool gm_registered(struct gm_port *port, int64_t address, int64_t bytes);

// ---- gm_port.c ----

// Puts an event into the port's queue now, and wakes the task that waits for it.
void gm_port_event(struct gm_port *port, const struct gm_event *event);

struct gm_receive_token *gm_receive_token_take(struct gm_port *port, int size, int priority);
void gm_receive_token_post(struct gm_receive_token *token); // the firmware may use it now
void gm_ports_init(struct gm_card *card);
void gm_ports_clear(struct gm_card *card);
enum cpu_next gm_interrupt_run(struct cpu_context *context, struct cpu_task *task);

// ---- gm_connection.c ----

struct gm_connection *gm_connection_get(struct gm_card *card, int peer);
void gm_connections_clear(struct gm_card *card);

// Queues a token that the firmware has found in SRAM in its stream.
void gm_connection_queue(struct gm_send_token *token);

// Returns true if there is a packet to fetch, a new one or one to be sent again.
bool gm_connection_ready(const struct gm_connection *connection);

// Makes the record of the next such packet and fills in its header. The connection must be ready.
void gm_connection_next(struct cpu_context *context, struct gm_connection *connection,
                        struct gm_header *header);

// A packet of the connection has left the card: restarts the resend timer.
void gm_connection_left(struct cpu_context *context, struct gm_connection *connection);

// Handles an ACK or NACK.
void gm_connection_answer(struct cpu_context *context, struct gm_connection *connection,
                          const struct gm_header *header);

// The firmware's handler of all timers.
void gm_timer_run(struct cpu_context *context, void *owner, struct lanai_item *item);

// ---- gm_reply.c ----

// The fate of a data packet that has come.
enum gm_verdict {
    GM_ACCEPTED,
    GM_DUPLICATE, // accepted before
    GM_GAP,       // a packet before it is missing
    GM_STALE,     // of an old session
    GM_REFUSED,   // no receive buffer of its class
    GM_CLOSED,    // no such port
    GM_REJECTED,  // a directed send to memory that is not registered
};

// Judges by session and sequence number alone. Returns GM_ACCEPTED if the packet is the next.
enum gm_verdict gm_connection_check(struct gm_connection *connection,
                                    const struct gm_header *header);

// Prepares the answer to the packet: ACK, NACK or none.
void gm_connection_reply(struct gm_connection *connection, enum gm_verdict verdict,
                         const struct gm_header *header);

// Returns the message that the packet belongs to, which it makes if the packet is its first.
struct gm_incoming *gm_connection_incoming(struct gm_connection *connection,
                                           const struct gm_header *header);

// ---- gm_handover.c: between the firmware's machines ----

// Wake the machine if it is idle and has work.
void gm_sdma_kick(struct gm_card *card);
void gm_send_kick(struct gm_card *card);
void gm_rdma_kick(struct gm_card *card);

void gm_sdma_connection(struct gm_connection *connection); // it may be ready now
void gm_send_buffer_free(struct gm_card *card, struct gm_send_buffer *buffer);
void gm_send_data(struct gm_card *card, struct gm_send_buffer *buffer);
void gm_send_control(struct gm_connection *connection);            // its control packet is pending
void gm_recv_hold(struct gm_card *card, sim_time now, int change); // of receive buffers in use
void gm_recv_release(struct cpu_context *context, struct gm_card *card,
                     struct gm_receive_buffer *buffer);
void gm_rdma_receive(struct gm_card *card, struct gm_receive_buffer *buffer);
void gm_rdma_sent(struct gm_card *card, struct gm_send_token *token);

// True if the message comes to its port in the event (fast receive).
static inline bool gm_fast_receive(const struct gm_card *card, const struct gm_header *header)
{
    return header->kind == GM_PACKET_DATA && header->length <= card->config->fast_receive;
}

// ---- The firmware's machines: their handlers ----

void gm_start_sdma_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void gm_finish_sdma_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void gm_start_send_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void gm_finish_send_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void gm_finish_recv_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void gm_start_rdma_run(struct cpu_context *context, void *owner, struct lanai_item *item);
void gm_finish_rdma_run(struct cpu_context *context, void *owner, struct lanai_item *item);

#endif
