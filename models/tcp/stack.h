// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/tcp: a host's stack, a socket with its state, and the functions between the
// files.
//
// Not modelled: the socket lock's backlog and prequeue (a segment is processed when it arrives, on
// the interrupt processor; a socket's segments keep their order on the wire), fast path against
// slow path, ARP, fragments of IP, urgent data, keep-alive, the end of TIME_WAIT, ECN, PAWS, the
// undoing of needless retransmissions, D-SACK, FACK, rate halving, Linux's own filter of round
// trips (RFC 2988's is used), metrics that routes keep from earlier connections, collapsing of
// queues under memory pressure, wrap of sequence numbers. Of Linux 6 not: undoing and F-RTO, D-SACK
// (so that RACK's reordering window does not grow), pacing, small queues (TSQ), compressed
// acknowledgments, the ratio of data to memory that receive windows follow. Of FreeBSD 6.2 not:
// inflight limiting (it is on, but rests where round trips are shorter than 10 ms:
// inflight.rttthresh), header prediction (it saves processing only), the limit of mbufs in a buffer
// (sb_mbmax), buffers rounded up to whole segments, the byte of data in its window probes, PSH on
// each segment that empties the buffer, its own timeouts for SYNs that it has answered (syncache),
// its recovery with selective acknowledgments where it differs from RFC 3517's.
#ifndef NETSIM_MODELS_TCP_STACK_H
#define NETSIM_MODELS_TCP_STACK_H

#include "models/inet/cc.h"
#include "models/inet/rtt.h"
#include "models/inet/timer.h"
#include "models/tcp/segment.h"
#include "models/tcp/socket.h"
#include "models/tcp/stream.h"

#include "sim/core/random.h"

#include <glib.h>

enum tcp_state {
    TCP_CLOSED,
    TCP_SYN_SENT,
    TCP_SYN_RECEIVED,
    TCP_ESTABLISHED,
    TCP_FIN_WAIT_1,
    TCP_FIN_WAIT_2,
    TCP_CLOSE_WAIT,
    TCP_CLOSING,
    TCP_LAST_ACK,
    TCP_TIME_WAIT,
};

// Recovery's view of the connection. TCP_DISORDER: duplicate acknowledgments, not yet enough for a
// loss. TCP_LOSS: after a timeout, until everything sent before it is acknowledged.
enum tcp_recovery_state { TCP_OPEN, TCP_DISORDER, TCP_RECOVERY, TCP_LOSS };

// One segment of the send queue: data written and not yet acknowledged.
struct tcp_buffer {
    struct tcp_buffer *next, *previous;
    int64_t sequence;
    int64_t length; // bytes of payload
    bool fin;       // takes one sequence number after the payload
    bool push;
    int transmissions;
    bool retransmitted; // in this recovery
    bool sacked, lost;
    int64_t when;  // ticks, of the last transmission
    sim_time sent; // ps
    int64_t truesize;
};

// A received segment: in order and not yet read, or after a gap.
struct tcp_arrival {
    struct tcp_arrival *next;
    int64_t sequence, length;
    int64_t truesize;
    int64_t read; // bytes
};

// Segments that a timer has sent once more, or, of a closed window, anew.
enum tcp_again { TCP_AGAIN_SYN, TCP_AGAIN_DATA, TCP_AGAIN_FIN, TCP_AGAIN_PROBE, TCP_SENT_AGAIN };

// Segments that an arrival, a timer or a call has decided to send (tcp_run_due).
enum tcp_due_mark {
    TCP_DUE_RETRANSMISSION = 1, // the first segment again
    TCP_DUE_ACK = 2,
    TCP_DUE_MARKED = 4, // those marked as lost, as the congestion window allows
};

enum tcp_timer_kind {
    TCP_TIMER_RETRANSMIT,
    TCP_TIMER_PROBE,
    TCP_TIMER_ACK,
    TCP_TIMER_TAIL,    // of tail loss probes
    TCP_TIMER_REORDER, // of RACK's reordering window
};
#define TCP_TIMERS 5 // from TCP_TIMER_TAIL on in struct tcp_extra

struct tcp_block {
    int64_t from, to;
};

// The send sequence space (RFC 793, 3.2) and its queue (send.c). The queue goes from `first`, the
// oldest unacknowledged segment, to `last`; `unsent` is the first never sent.
struct tcp_snd {
    struct tcp_stream stream;
    struct tcp_buffer *first, *last, *unsent;
    int64_t una, nxt, end;     // SND.UNA, SND.NXT, end of the queue
    int64_t wnd, wl1, max_wnd; // SND.WND, SND.WL1, largest seen
    uint32_t iss;
    int scale;                 // window scale of the peer's offers
    int64_t mss;               // bytes
    int64_t outstanding;       // segments sent and not acknowledged
    struct inet_buffer buffer; // SO_SNDBUF
    bool wants_space;          // the program waits for room in it
    bool no_delay;             // TCP_NODELAY
    bool fin_queued;
    bool writing;       // in tcp_write
    bool idle;          // nothing was under way when this write, or else this push, began (RFC 896)
    int64_t pushed;     // sequence number up to which PSH was set
    int64_t last_small; // Minshall: end of the last segment smaller than a full one
    int64_t last_sent;  // ticks
    const struct wait *held_for; // for the trace: what holds back the next segment; NULL: nothing
    sim_time held_since;
    struct inet_flow leaving; // segments made, in order, but not yet at the card
};

// Segments that have arrived after a gap, by sequence, and the blocks of selective acknowledgments,
// the one that changed last first (reassembly.c).
struct tcp_gaps {
    struct tcp_arrival *head;
    struct tcp_block blocks[TCP_SACK_BLOCKS];
    int block_count;
};

// The receive sequence space (RFC 793, 3.2) and its queues (receive.c, reassembly.c).
struct tcp_rcv {
    struct tcp_stream *stream; // the peer's
    struct tcp_arrival *ready_head, *ready_tail;
    struct tcp_gaps *gaps;     // NULL: all that has arrived is in order
    int64_t nxt, copied;       // RCV.NXT, first byte not yet read
    int64_t wup, wnd;          // RCV.NXT and RCV.WND of the last segment sent
    int64_t clamp, limit;      // largest offer ever, and now (Linux: window_clamp, rcv_ssthresh)
    struct inet_buffer buffer; // SO_RCVBUF
    uint32_t irs;
    int scale;
    int64_t fin_at; // sequence number of the peer's FIN; 0: not seen
    bool fin_received;
    uint32_t ts_recent; // RFC 1323: TS.Recent
    int64_t when;       // ticks, of the last segment
};

// Growth of the receive buffer (ack_linux6.c).
struct tcp_tuning {
    sim_time since;     // ps: begin of the present measurement
    int64_t from;       // rcv.copied at that time
    int64_t space;      // bytes read in the best round trip
    int64_t round_trip; // ticks, scaled by 8, by the peer's echoes of timestamps; 0: not measured
    bool grows;
};

// Segments that cross the stack together (send.c, merge.c).
struct tcp_offload {
    int64_t ride_next, ride_room; // sent: end of the last segment, bytes that may follow it
    // Received: bytes of the first segment, and of all; 0: none.
    int64_t merge_segment, merged;
    struct tcp_socket *merge_next; // in the host's list
    bool merging;                  // it is in that list
};

// State of a tail loss probe (RFC 8985, 7).
enum tcp_tail_state { TCP_TAIL_IDLE, TCP_TAIL_PROBING };

// Times of sending: round trips more finely than the clock's, RACK, proportional rate reduction and
// tail loss probes (rack.c, tail.c). Times are ps, amounts segments.
struct tcp_rack {
    sim_time smoothed, shortest; // round trips; 0: not measured
    sim_time first, last;        // round trips shown by the present acknowledgment; -1: none
    bool ambiguous;              // it covers a segment that was sent twice (Karn)
    int64_t delivered;           // by the present acknowledgment
    int64_t sacked;              // in the queue
    // The segment that was sent last of those that have arrived.
    sim_time sent, round_trip;
    int64_t end;
    sim_time newest; // when the last segment was sent
    bool advanced;   // since the last search for losses
    bool reordered;  // some segment has arrived after a later one
    int64_t highest; // end of the highest segment that has arrived
    int64_t prior_window, reduced_delivered, reduced_sent; // RFC 9937: RecoverFS, prr_delivered,
                                                           // prr_out
    struct machine tail;                                   // enum tcp_tail_state
    int64_t tail_end;                                      // snd.nxt when the probe was sent
    bool tail_again;                                       // the probe was a retransmission
};

// State of rules that Linux 2.4 does not have: most sockets of a large job have none.
struct tcp_extra {
    struct tcp_rack rack;
    struct tcp_tuning tuning;
    struct tcp_offload offload;
    struct inet_timer *timers[TCP_TIMERS - TCP_TIMER_TAIL];
};

// When to acknowledge (ack.c; RFC 1122, 4.2.3.2; Linux 2.4).
struct tcp_ack {
    bool scheduled, pushed, pingpong;
    bool now; // not to be delayed: a duplicate, a gap, a FIN
    int quick;
    int64_t interval;      // ATO, ticks
    int64_t last_received; // ticks
    int64_t segment;       // bytes of a full segment of the peer
    int64_t last_segment;
};

// Loss recovery (recovery.c, scoreboard.c).
struct tcp_recovery {
    const struct tcp_recovery_ops *ops;
    struct machine machine; // enum tcp_recovery_state
    bool partial_seen;      // a partial acknowledgment in this recovery
    int dupacks;
    int64_t recover;     // NewReno's recover, RFC 3517's RecoveryPoint, or the end of TCP_LOSS
    int64_t high_sack;   // end of the highest block
    int64_t local_until; // snd.nxt when the host's own queue was full: cwnd is reduced once per
                         // such window
};

// The key of a connection on its host: stations and ports of both ends.
struct tcp_key {
    int local, remote; // stations
    uint16_t port, remote_port;
};

// Transmission control block: a socket of either end.
struct tcp_socket {
    struct inet_socket inet;
    struct tcp_host *host;
    const struct tcp_config *config;
    struct tcp_listener *listener; // that received the connection, until it is accepted
    struct tcp_socket *next;       // in the listener's queue
    uint32_t number;               // on its host, from 1
    uint32_t peer_number;          // of the peer's socket on the peer's host; 0: not known yet
    struct machine machine;        // enum tcp_state
    bool gone;                     // reset or given up
    uint8_t end;                   // enum tcp_end, until the program has asked
    bool closed_by_user;           // tcp_close was called
    struct tcp_key key;
    struct inet_interface *interface; // through which it sends
    const struct route *route;
    struct tcp_snd snd;
    struct tcp_rcv rcv;
    struct tcp_ack ack;
    struct inet_cc cc;
    struct tcp_extra *extra; // NULL: the configuration has no such rule
    struct tcp_recovery recovery;
    struct inet_rtt rtt;
    struct inet_timer *timers[TCP_TIMER_TAIL]; // NULL: not armed
    int retries, probes;            // consecutive retransmissions and probes of a closed window
    trace_values values;            // 0: not traced
    bool timestamps, scaling, sack; // negotiated (RFC 1323, RFC 2018)
    uint8_t due;                    // enum tcp_due_mark
};

struct tcp_listener {
    struct inet_socket inet;
    struct tcp_host *host;
    uint16_t port;
    struct tcp_options options;
    bool waiting;                   // in tcp_accept
    struct tcp_socket *head, *tail; // established, not yet accepted
};

struct tcp_host {
    struct sim *sim;
    struct cluster *cluster;
    struct host *host;
    struct inet_host *inet;
    const struct tcp_config *config;
    const struct tcp_receiver_ops *receiver;
    const struct inet_timer_kind *timers; // by enum tcp_timer_kind
    GPtrArray *sockets, *listeners;       // a socket is at index number - 1
    GHashTable *connections;              // the keys of open sockets
    struct random_stream *random;
    uint16_t next_port;
    struct pool buffers, arrivals, gaps, singles, contents;
    int64_t *segments_sent, *segments_received, *retransmissions, *timeouts, *recoveries;
    int64_t *again[TCP_SENT_AGAIN]; // those of the time-outs by what was sent; NULL: none yet
    int64_t *duplicates_received, *probes_sent, *acks_delayed, *held, *pure_acks;
    int64_t *tail_probes, *reordering_timeouts, *segments_merged; // NULL: never
    struct tcp_socket *merging_head, *merging_tail;
};

// News of an acknowledgment.
struct tcp_ack_news {
    int64_t segments;      // freed
    int64_t flight_before; // in the unit of the congestion window
    bool duplicate;        // RFC 2581's, or with selective acknowledgments one with a new block
    bool repeated;         // nothing: neither data nor block nor window
};

// Recovery from losses, by name of the RFC (recovery.c).
struct tcp_recovery_ops {
    const char *name;
    bool sack;        // offers and uses selective acknowledgments
    bool impatient;   // RFC 2582, 4: only the first partial acknowledgment restarts the timer
    bool last_resort; // RFC 3517, NextSeg, rule 3
    // Segments estimated to be in the network.
    int64_t (*in_flight)(const struct tcp_socket *socket);
    // Returns true if the duplicates so far call for a fast retransmit.
    bool (*is_loss)(const struct tcp_socket *socket);
    void (*enter)(struct cpu_context *context, struct tcp_socket *socket);
    // Another duplicate acknowledgment has arrived in TCP_RECOVERY.
    void (*duplicate)(struct cpu_context *context, struct tcp_socket *socket);
    // New data are acknowledged in TCP_RECOVERY, `segments` of them.
    void (*advance)(struct cpu_context *context, struct tcp_socket *socket, int64_t segments);
    // The congestion window once everything sent before the recovery is acknowledged.
    int64_t (*window_after)(const struct tcp_socket *socket);
    bool probes; // tail loss probes (tcp.tail_loss_probe)
    // Processes an acknowledgment in place of the steps above. NULL: by those.
    void (*acked)(struct cpu_context *context, struct tcp_socket *socket,
                  const struct tcp_ack_news *news);
    // The retransmission timer has expired: marks what is lost. NULL: everything.
    void (*timed_out)(struct cpu_context *context, struct tcp_socket *socket);
};

// When a receiver acknowledges, and which window it offers (ack.c, ack_bsd.c). The struct of a
// system's rules is named by the parameter `receiver`.
struct tcp_receiver_ops {
    bool whole_units; // the offer is a multiple of what the window field counts
    // Sets the largest offers of a new socket.
    void (*init)(struct tcp_socket *socket);
    // The segments' size is known.
    void (*established)(struct tcp_socket *socket);
    // The window that could be offered now, bytes.
    int64_t (*window)(struct tcp_socket *socket);
    // A segment with data in order was taken; it takes `truesize` bytes of memory.
    void (*data)(struct cpu_context *context, struct tcp_socket *socket,
                 const struct tcp_segment *segment, int64_t truesize);
    // Acknowledges received data, now or later. at_once: a gap exists, or one was closed
    // (RFC 2581, 4.2).
    void (*check)(struct cpu_context *context, struct tcp_socket *socket, bool at_once);
    // The reader has taken `bytes`.
    void (*read)(struct tcp_socket *socket, int64_t bytes);
};

// transmit.c
extern const struct stage tcp_stage, tcp_checksum_stage;
struct packet *tcp_segment_packet(struct inet_interface *interface, const struct route *route,
                                  const struct tcp_segment *segment);
void tcp_host_send(struct cpu_context *context, struct tcp_host *host,
                   struct inet_interface *interface, struct inet_flow *flow, struct packet *packet,
                   struct cost cost);
// Like tcp_host_send, for a segment that the card cuts from the one sent before it.
void tcp_host_send_part(struct cpu_context *context, struct tcp_host *host,
                        struct inet_interface *interface, struct inet_flow *flow,
                        struct packet *packet);
uint32_t tcp_timestamp(const struct tcp_host *host, sim_time now);

// connection.c
void tcp_enter(struct cpu_context *context, struct tcp_socket *socket, enum tcp_state state,
               const char *event);
extern const struct machine_kind tcp_connection_machine; // by enum tcp_state

static inline struct machine_owner tcp_machine_owner(const struct tcp_socket *socket)
{
    return (struct machine_owner){.where = socket->host->host->name, .subject = socket->number};
}

guint tcp_key_hash(gconstpointer key);
gboolean tcp_key_equal(gconstpointer a, gconstpointer b);
// Returns a new closed socket on an interface that reaches the remote station.
struct tcp_socket *tcp_socket_new(struct tcp_host *host, struct inet_interface *interface,
                                  int remote, uint16_t remote_port, uint16_t port,
                                  const struct tcp_options *options);
void tcp_socket_free(struct tcp_socket *socket);
void tcp_send_syn(struct cpu_context *context, struct tcp_socket *socket);
void tcp_syn_arrived(struct cpu_context *context, struct tcp_host *host,
                     struct inet_interface *interface, const struct packet *packet);
// Handles a segment for a socket that is not yet established. Returns true if it is established now
// and the segment needs further processing.
bool tcp_handshake(struct cpu_context *context, struct tcp_socket *socket,
                   const struct packet *packet);
void tcp_fin_arrived(struct cpu_context *context, struct tcp_socket *socket);
void tcp_fin_acknowledged(struct cpu_context *context, struct tcp_socket *socket);
void tcp_refuse(struct cpu_context *context, struct tcp_host *host,
                struct inet_interface *interface, const struct packet *packet);
void tcp_send_reset(struct cpu_context *context, struct tcp_socket *socket);
// Answers a segment that the connection can't take by a reset; the connection ends.
void tcp_refuse_segment(struct cpu_context *context, struct tcp_socket *socket,
                        const struct packet *packet, enum tcp_end end);
void tcp_reset_arrived(struct cpu_context *context, struct tcp_socket *socket);
// The connection has ended without a FIN: the program learns of it by `end`.
void tcp_connection_lost(struct cpu_context *context, struct tcp_socket *socket, enum tcp_end end,
                         const char *event);

// buffer.c
// Bytes that one segment counts in the send buffer besides what is written into it.
int64_t tcp_buffer_size(const struct tcp_socket *socket);
int64_t tcp_current_mss(const struct tcp_socket *socket);
// Bytes of a full segment of the peer.
int64_t tcp_own_mss(const struct tcp_socket *socket);
struct tcp_buffer *tcp_buffer_append(struct tcp_socket *socket);
// Cuts a segment that was never sent after `length` bytes.
void tcp_buffer_split(struct tcp_socket *socket, struct tcp_buffer *buffer, int64_t length);
// Frees acknowledged data. Returns the number of fully acknowledged segments.
int64_t tcp_clean(struct cpu_context *context, struct tcp_socket *socket, int64_t acknowledgment,
                  bool *sample, int64_t *sent_at);

static inline int64_t tcp_buffer_end(const struct tcp_buffer *buffer)
{
    return buffer->sequence + buffer->length + buffer->fin;
}

// send.c
// Does what is due: at the end of a segment, a timer and a read, and after an acknowledgment.
void tcp_run_due(struct cpu_context *context, struct tcp_socket *socket);
void tcp_ack_send(struct cpu_context *context, struct tcp_socket *socket);
void tcp_segment_init(struct tcp_socket *socket, struct cpu_context *context,
                      struct tcp_segment *segment, int flags);
void tcp_segment_send(struct cpu_context *context, struct tcp_socket *socket,
                      struct tcp_segment *segment, struct cost cost);
bool tcp_in_window(const struct tcp_socket *socket, const struct tcp_buffer *buffer);

// Counts and traces a segment that is sent again.
void tcp_count_repeat(const struct cpu_context *context, const struct tcp_socket *socket);
void tcp_buffer_send(struct cpu_context *context, struct tcp_socket *socket,
                     struct tcp_buffer *buffer);
// Sends what windows, Nagle's algorithm and congestion control allow.
void tcp_push(struct cpu_context *context, struct tcp_socket *socket);
void tcp_send_probe(struct cpu_context *context, struct tcp_socket *socket);
void tcp_queue_fin(struct cpu_context *context, struct tcp_socket *socket);

// receive.c
void tcp_arrive(struct cpu_context *context, struct tcp_socket *socket, const struct packet *packet,
                const struct tcp_segment *segment);

// readiness.c
extern const struct inet_socket_ops tcp_socket_ops;
int tcp_ready(const struct tcp_socket *socket); // enum inet_readiness
// The buffer has the room that a writer of `bytes` waits for (FreeBSD 6.2: sosend).
bool tcp_above_low_water(const struct tcp_socket *socket, int64_t bytes);

// reassembly.c
void tcp_reassemble(struct cpu_context *context, struct tcp_socket *socket,
                    const struct packet *packet, const struct tcp_segment *segment);

// ack.c
int64_t tcp_receive_window(const struct tcp_socket *socket);
extern const struct tcp_receiver_ops tcp_receiver_linux;
int64_t tcp_buffer_share(const struct tcp_config *config, int64_t bytes);
void tcp_linux_data(struct cpu_context *context, struct tcp_socket *socket,
                    const struct tcp_segment *segment, int64_t truesize);
void tcp_linux_established(struct tcp_socket *socket);
int64_t tcp_linux_window(struct tcp_socket *socket);
void tcp_linux_check(struct cpu_context *context, struct tcp_socket *socket, bool at_once);
void tcp_linux_read(struct tcp_socket *socket, int64_t bytes);
uint16_t tcp_window_offer(struct tcp_socket *socket);
void tcp_ack_quickly(struct tcp_socket *socket);
void tcp_ack_sent(struct tcp_socket *socket);
void tcp_ack_data_sent(struct tcp_socket *socket, int64_t now);
void tcp_ack_expired(struct tcp_socket *socket); // TCP_TIMER_ACK has

// ack_bsd.c
extern const struct tcp_receiver_ops tcp_receiver_bsd;

// ack_linux6.c
extern const struct tcp_receiver_ops tcp_receiver_linux6;

// merge.c
// The segment that is being processed has joined those before it.
static inline bool tcp_merged(const struct tcp_socket *socket)
{
    return socket->extra && socket->extra->offload.merged > 0;
}
// The segment crosses the stack with the one before it (receive_offload).
bool tcp_merges(const struct tcp_socket *socket, const struct tcp_segment *segment);
// Segments of this connection may follow in the same service of the card: its end does the rest.
// Returns false if not.
bool tcp_merge_hold(struct tcp_socket *socket, const struct tcp_segment *segment);
// An arrival that the stack has finished: wakes the reader and acknowledges. `at_once`: see
// tcp_receiver_ops.check.
void tcp_arrival_done(struct cpu_context *context, struct tcp_socket *socket, bool at_once);
// Ends a merge: the next segment begins anew.
void tcp_merge_close(struct cpu_context *context, struct tcp_socket *socket);
// The service has ended. Returns true if some connection waited for that.
bool tcp_merge_end(struct cpu_context *context, struct tcp_host *host);

// delivery.c
// A segment was handed on.
void tcp_rack_sent(const struct cpu_context *context, struct tcp_socket *socket,
                   struct tcp_buffer *buffer);
// A segment has arrived, as its acknowledgment or a block reports.
void tcp_rack_delivered(const struct cpu_context *context, struct tcp_socket *socket,
                        const struct tcp_buffer *buffer);
// The SYN was answered: takes its round trip.
void tcp_rack_established(const struct cpu_context *context, struct tcp_socket *socket);
// Takes the round trips of the acknowledgment that was processed.
void tcp_rack_measure(const struct cpu_context *context, struct tcp_socket *socket);

// rack.c
extern const struct tcp_recovery_ops tcp_recovery_rack;
// TCP_TIMER_REORDER has expired: marks what is lost by now as due.
void tcp_rack_expired(struct cpu_context *context, struct tcp_socket *socket);

// tail.c
extern const struct machine_kind tcp_tail_machine; // by enum tcp_tail_state
// Arms or cancels the timer of tail loss probes.
void tcp_tail_schedule(struct cpu_context *context, struct tcp_socket *socket);
// A probe was sent: a retransmission if `again`.
void tcp_tail_sent(struct cpu_context *context, struct tcp_socket *socket, bool again);
void tcp_tail_acked(struct cpu_context *context, struct tcp_socket *socket,
                    const struct tcp_ack_news *news);
// A recovery begins: no probe is out any more.
void tcp_tail_forget(struct cpu_context *context, struct tcp_socket *socket);

// values.c
void tcp_values_init(struct tcp_socket *socket);
// Tells the trace windows and flight as they are now.
void tcp_values_tell(const struct cpu_context *context, const struct tcp_socket *socket);

// timeout.c: by enum tcp_timer_kind.
extern const struct inet_timer_kind tcp_timers[TCP_TIMERS];

// timer.c
void tcp_timers_init(struct tcp_socket *socket);
void tcp_timer_arm(const struct cpu_context *context, struct tcp_socket *socket,
                   enum tcp_timer_kind kind, int64_t ticks);
void tcp_timer_cancel(struct tcp_socket *socket, enum tcp_timer_kind kind);
// Where its timer is; *place is NULL if it is not armed. Those from TCP_TIMER_TAIL on need `extra`.
struct inet_timer **tcp_timer_place(struct tcp_socket *socket, enum tcp_timer_kind kind);
// Arms the timer of probes of a closed window.
void tcp_timer_probe(const struct cpu_context *context, struct tcp_socket *socket);
// From now on timeouts have their slop.
void tcp_timer_slop(struct tcp_socket *socket);

// recovery.c
const struct tcp_recovery_ops *tcp_recovery_find(int choice); // not TCP_RACK
void tcp_recovery_init(struct tcp_socket *socket, int64_t now);
// Returns true if the congestion window has room for a segment with `length` bytes of data.
bool tcp_recovery_room(const struct tcp_socket *socket, int64_t length);
// An amount of `segments`, `bytes` together, in the unit of the congestion window.
static inline int64_t tcp_amount(const struct tcp_socket *socket, int64_t segments, int64_t bytes)
{
    return socket->config->cwnd_unit == TCP_UNIT_BYTES ? bytes : segments;
}
// The amount sent and not acknowledged, in the unit of the congestion window.
int64_t tcp_flight(const struct tcp_socket *socket);
// An acknowledgment was processed.
void tcp_recovery_ack(struct cpu_context *context, struct tcp_socket *socket,
                      const struct tcp_ack_news *news);
// Steps of every kind of recovery: a step of its machine, its begin and its end.
void tcp_recovery_enter(struct cpu_context *context, struct tcp_socket *socket,
                        enum tcp_recovery_state state);
void tcp_recovery_start(struct cpu_context *context, struct tcp_socket *socket);
void tcp_recovery_end(struct cpu_context *context, struct tcp_socket *socket);
int64_t tcp_recovery_threshold(const struct tcp_socket *socket); // ssthresh
// The congestion window was full enough that it may grow.
bool tcp_recovery_may_grow(const struct tcp_socket *socket, int64_t flight_before);
void tcp_recovery_timeout(struct cpu_context *context, struct tcp_socket *socket);
void tcp_recovery_idle(struct tcp_socket *socket, int64_t now);
// The host's own queue has no room for a segment.
void tcp_recovery_local(struct tcp_socket *socket);
// Bytes of the state that the congestion control needs besides struct inet_cc.
int64_t tcp_congestion_state(const struct tcp_config *config);
// Segments have been sent.
void tcp_recovery_sent(struct tcp_socket *socket, int64_t now);
extern const struct machine_kind tcp_recovery_machine; // by enum tcp_recovery_state

// scoreboard.c Marks what the segment's SACK blocks cover. Returns true if anything is new.
bool tcp_scoreboard_mark(const struct cpu_context *context, struct tcp_socket *socket,
                         const struct tcp_segment *segment);
void tcp_scoreboard_clear(struct tcp_socket *socket);
void tcp_scoreboard_find_lost(struct tcp_socket *socket);
// Both in the unit of the congestion window.
int64_t tcp_scoreboard_pipe(const struct tcp_socket *socket);
int64_t tcp_scoreboard_sacked(const struct tcp_socket *socket);
// Returns the segment to retransmit next (RFC 3517, 4, NextSeg): by rule 1, or with `last_resort`
// also by rule 3, a segment that is not presumed lost but lies below a block that has arrived.
// Returns NULL if there is none. (RFC 6675's rule 4 with its RescueRxt is later than Linux 2.4 and
// is not modelled.)
struct tcp_buffer *tcp_scoreboard_next(const struct tcp_socket *socket, bool last_resort);

#endif
