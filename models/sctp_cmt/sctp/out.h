// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/sctp_cmt/sctp: sending. User messages wait in their streams' queues; chunks
// with a TSN are in a ring from the first one not acknowledged to the last one made.
#ifndef NETSIM_MODELS_SCTP_OUT_H
#define NETSIM_MODELS_SCTP_OUT_H

#include "models/inet/socket.h"
#include "models/sctp_cmt/sctp/path.h"
#include "models/sctp_cmt/sctp/socket.h"

#include "sim/core/fifo.h"

enum sctp_outgoing_state {
    SCTP_MADE,   // has a TSN and a path, was never sent
    SCTP_SENT,   // outstanding
    SCTP_ACKED,  // by a gap block; cum_tsn has not come to it yet
    SCTP_RESEND, // marked for retransmission
};

// A DATA chunk with its TSN.
struct sctp_outgoing {
    struct sctp_message *message; // a reference
    struct sctp_path *path;       // it was last sent to, or is to go to
    int64_t sent_at;              // ticks
    uint32_t tsn, offset, bytes, protocol;
    uint32_t newer; // the next TSN when it was fast-retransmitted
    uint16_t stream, ssn;
    uint8_t flags; // enum sctp_chunk_flag
    uint8_t state; // enum sctp_outgoing_state
    uint8_t missing, transmissions;
    bool fast_sent, no_fast; // was fast-retransmitted; must not be (again)
    bool fast_retransmit;    // SCTP_RESEND by fast retransmit, not by T3-rtx
};

// A user message of which chunks are still to be made.
struct sctp_pending {
    struct sctp_pending *next;
    struct sctp_message *message; // a reference
    uint32_t cut;                 // bytes of it in chunks so far
    uint32_t protocol;
    bool unordered, immediate;
};

struct sctp_stream_out {
    struct sctp_pending *head, *tail;
    uint16_t ssn; // of the next ordered message
    bool on_wheel;
    struct sctp_stream_out *next_on_wheel;
};

// SCTP_RWND_BLOCKED: the peer's window holds new data back though some cwnd has room.
enum sctp_rwnd_state { SCTP_RWND_OPEN, SCTP_RWND_BLOCKED };

struct sctp_out {
    struct sctp_stream_out *streams;
    int stream_count;
    struct sctp_stream_out *wheel_head, *wheel_tail; // streams that have data, in turn
    struct sctp_stream_out *locked;                  // a message of it is partly in chunks
    struct sctp_outgoing *ring;                      // room: a power of two; index: TSN modulo room
    uint32_t room;
    uint32_t cum_tsn;          // acknowledged up to it
    uint32_t unsent;           // first TSN in state SCTP_MADE, or next
    uint32_t next;             // next TSN to be made
    uint32_t highest_gap;      // highest TSN reported in a gap block
    uint32_t newest_acked;     // last chunk that was newly acknowledged, or a later one by gaps
    uint32_t resend_from;      // no chunk before it is in state SCTP_RESEND
    int64_t resend;            // chunks in state SCTP_RESEND
    int64_t fast_packets;      // that may still ignore cwnd (fast retransmit)
    int64_t flight;            // bytes, sum of the paths
    int64_t flight_data;       // user bytes of the flight
    int64_t outstanding;       // chunks sent, not acknowledged, not marked
    int64_t charged;           // bytes that these count in the peer's window
    int64_t waiting;           // user messages of which chunks are still to be made
    int64_t waiting_bytes;     // what is not in chunks yet
    int64_t peer_rwnd;         // by the sender's count (RFC 9260, 6.2.1)
    struct inet_buffer buffer; // SO_SNDBUF: user bytes not acknowledged
    bool of_send;              // output that a user's send calls is under way
    bool fast_acked; // a chunk that may not be fast-retransmitted (again) was acknowledged
    bool recovering; // fast recovery of the association, until `recover` is acknowledged
    uint32_t recover;
    bool had_gaps;               // the last SACK had
    bool probing;                // a window probe is out
    uint32_t probe;              // its TSN
    int idle_probes;             // answers in a row that kept the window closed
    const struct wait *held_for; // for the trace: what holds new data back; NULL: nothing
    sim_time held_since;
    struct machine rwnd; // enum sctp_rwnd_state
    sim_time blocked_since, blocked_time;
    struct sctp_path *served; // round robin: the path that was served last
};

void sctp_out_init(struct sctp_association *association, uint32_t first_tsn, int streams);
void sctp_out_clear(struct sctp_association *association);

// stream.c: queues a user message (the caller has checked room). Takes over the reference.
void sctp_stream_put(struct sctp_association *association, const struct sctp_send_info *info,
                     struct sctp_message *message);
// After set-up: the peer takes fewer streams than were offered. Messages in the others are lost.
void sctp_out_limit_streams(struct sctp_association *association, int streams);
static inline void sctp_wheel_add(struct sctp_out *out, struct sctp_stream_out *stream)
{
    stream->on_wheel = true;
    FIFO_APPEND(out->wheel_head, out->wheel_tail, stream, next_on_wheel);
}

// ---- fragment.c ----

// Frees the stream's first message, all of which is in chunks, or lost.
void sctp_pending_free(struct sctp_association *association, struct sctp_stream_out *stream);
// Makes chunks for the path from the streams' queues, to fill a packet that holds `room` bytes of
// chunks (enum sctp_fill). Returns how many bytes.
int64_t sctp_stream_cut(struct sctp_association *association, struct sctp_path *path, int64_t room);
// The least MTU of all paths.
int64_t sctp_least_mtu(const struct sctp_association *association);
// Bytes of user data per chunk: what fits into a packet on every path.
int64_t sctp_fragment_point(const struct sctp_association *association);

static inline struct sctp_outgoing *sctp_out_at(const struct sctp_out *out, uint32_t tsn)
{
    return &out->ring[tsn & (out->room - 1)];
}

// Bytes of the chunk in a packet: what flight and cwnd count.
static inline int64_t sctp_outgoing_bytes(const struct sctp_outgoing *chunk)
{
    return sctp_padded(SCTP_DATA_HEADER + chunk->bytes);
}

// ---- window.c: what is in flight, and the peer's window ----

// Bytes that the peer's window must have for the chunk, and what it is charged while outstanding.
int64_t sctp_outgoing_needs(const struct sctp_association *association,
                            const struct sctp_outgoing *chunk);
// The chunk leaves for its path; or is no longer outstanding.
void sctp_flight_enter(struct sctp_association *association, struct sctp_outgoing *chunk);
void sctp_flight_leave(struct sctp_association *association, struct sctp_outgoing *chunk);
// Marks an outstanding chunk for retransmission on `path`.
void sctp_outgoing_mark(struct sctp_association *association, struct sctp_outgoing *chunk,
                        struct sctp_path *path);
// A marked chunk is sent again, or acknowledged after all; or goes to another path.
void sctp_resend_leave(struct sctp_association *association, const struct sctp_outgoing *chunk);
void sctp_resend_move(struct sctp_outgoing *chunk, struct sctp_path *to);
// Moves the marked chunks of a path that is not to be used (`unsent`: also those never sent) to
// another path.
void sctp_out_move(struct sctp_association *association, struct sctp_path *from,
                   struct sctp_path *to, bool unsent);
// Set-up: the peer's INIT or INIT-ACK offers a window, the first threshold of paths too.
void sctp_out_open(struct sctp_association *association, int64_t a_rwnd);
// A SACK offers `a_rwnd` bytes, what is outstanding included (RFC 9260, 6.2.1).
void sctp_peer_window(struct sctp_association *association, int64_t a_rwnd);
extern const struct machine_kind sctp_rwnd_machine; // by enum sctp_rwnd_state
// After output: notes for the trace and the counters what holds data back.
void sctp_out_note(struct cpu_context *context, struct sctp_association *association);
// Whether data wait to be sent, or to be sent again.
bool sctp_out_waits(const struct sctp_association *association);
// Returns the reason why waiting data are held back; NULL if they are not.
const struct wait *sctp_out_wait(const struct sctp_association *association);

// ---- output.c ----

// Sends all that windows and paths allow: control chunks, retransmissions, new data.
void sctp_output(struct cpu_context *context, struct sctp_association *association);
// A send of the user has queued a message: output if the send rule and Nagle's allow it, else
// control chunks only.
void sctp_output_of_send(struct cpu_context *context, struct sctp_association *association);
// After T3-rtx: one packet of retransmissions, whatever cwnd, and control chunks.
void sctp_output_timeout(struct cpu_context *context, struct sctp_association *association);

// ---- send_rule.c ----

// Nagle's algorithm holds new data: data are in flight, and less than a packet waits.
bool sctp_nagle_holds(const struct sctp_association *association);
// True if a send only queues its message (sctp.send_rule); counts the reason in the counter that
// *counter is set to, NULL for none.
bool sctp_send_only_queues(const struct sctp_association *association, int64_t **counter);

// ---- sack.c ----

void sctp_sack_arrived(struct cpu_context *context, struct sctp_association *association,
                       struct sctp_path *from, const struct sctp_chunk *chunk);
// A SHUTDOWN acknowledges up to its cum_tsn.
void sctp_cum_tsn_arrived(struct cpu_context *context, struct sctp_association *association,
                          uint32_t cum_tsn);

// ---- recovery.c: strikes and fast retransmit ----

// A SACK in progress. Its effects on a path are in sctp_path.sack.
struct sctp_sack_work {
    uint32_t cum_tsn;
    const struct sctp_gap *gaps;
    int gap_count;
    uint8_t flags;
    bool cum_only;               // of a SHUTDOWN: without gaps and window
    bool moved;                  // cum_tsn
    bool was_recovering;         // the association, before it
    bool any;                    // a chunk was newly acknowledged
    uint32_t highest, lowest;    // newly acknowledged
    int64_t acked_chunks, freed; // for costs; bytes of the send buffer
};

// Counts missing reports, marks at the third, and cuts the windows of the paths that lost a chunk.
void sctp_sack_strikes(struct cpu_context *context, struct sctp_association *association,
                       const struct sctp_sack_work *work);
// Cuts the windows of paths of which a chunk was marked.
void sctp_sack_cuts(struct cpu_context *context, struct sctp_association *association,
                    const struct sctp_sack_work *work);
// Ends the recoveries that cum_tsn has reached.
void sctp_recovery_check(struct sctp_association *association);

// ---- t3.c ----

void sctp_t3_start(struct cpu_context *context, struct sctp_path *path); // or restart
static inline void sctp_t3_stop(struct sctp_path *path)
{
    inet_timer_cancel(&path->t3);
}
// Starts it if it does not run, and stops it if nothing is in flight.
void sctp_t3_check(struct cpu_context *context, struct sctp_path *path);
void sctp_t3_expired(struct cpu_context *context, struct sctp_path *path);
// Returns the event that an expired T3-rtx of the path (`owner`) has waited for.
const struct stage *sctp_t3_waited(const void *owner);

// ---- cc.c: congestion control of a path, as a row of models/inet/cc.h in bytes ----

void sctp_cc_init(struct sctp_path *path, int64_t now);
int64_t sctp_cc_partial(const struct sctp_path *path); // partial_bytes_acked
// All data of the association are acknowledged (RFC 9260, 7.2.2).
void sctp_cc_all_acked(struct sctp_path *path);
// A SACK has brought path->sack.net_ack bytes; flight is what is left. `moved`: cum_tsn, or the
// path's pseudo-cum-ack (CUC). `allowed` false: fast recovery keeps the window.
void sctp_cc_acked(struct sctp_path *path, bool moved, bool allowed);
void sctp_cc_lost(struct sctp_path *path);    // fast retransmit
void sctp_cc_timeout(struct sctp_path *path); // T3-rtx
// Before new data leave: cwnd decays for each RTO that the path was idle.
void sctp_cc_idle(struct sctp_path *path, int64_t now);

// ---- phase.c ----

// Notes for the trace in which phase the path is now. `timeout`: T3-rtx has expired.
void sctp_cc_note(struct cpu_context *context, struct sctp_path *path, bool timeout);
// Notes that congestion control has begun anew (sctp_cc_init).
void sctp_cc_note_restart(struct cpu_context *context, struct sctp_path *path);
extern const struct machine_kind sctp_congestion_machine; // by enum sctp_phase

#endif
