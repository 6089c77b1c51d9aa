// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/sctp_cmt/sctp: sending. User messages wait in their streams' queues; chunks
// with a TSN are in a ring from the first one not acknowledged to the last one made.
#ifndef NETSIM_MODELS_SCTP_OUT_H
#define NETSIM_MODELS_SCTP_OUT_H

#include "models/inet/socket.h"
#include "models/sctp_cmt/sctp/path.h"
#include "models/sctp_cmt/sctp/socket.h"

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
    int64_t resend;            // chunks in state SCTP_RESEND
    int64_t flight;            // bytes, sum of the paths
    int64_t outstanding;       // chunks sent, not acknowledged, not marked
    int64_t peer_rwnd;         // by the sender's count (RFC 9260, 6.2.1)
    struct inet_buffer buffer; // SO_SNDBUF: user bytes not acknowledged
    bool recovering;           // fast recovery of the association, until `recover` is acknowledged
    uint32_t recover;
    bool had_gaps;               // the last SACK had
    bool probing;                // a window probe is out
    uint32_t probe;              // its TSN
    const struct wait *held_for; // for the trace: what holds new data back; NULL: nothing
    sim_time held_since;
    struct sctp_path *served; // round robin: the path that was served last
};

void sctp_out_init(struct sctp_association *association, uint32_t first_tsn, int streams);
void sctp_out_clear(struct sctp_association *association);

// stream.c: queues a user message (the caller has checked room). Takes over the reference.
void sctp_stream_put(struct sctp_association *association, const struct sctp_send_info *info,
                     struct sctp_message *message);
// Makes chunks for the path from the streams' queues, at most `room` bytes of chunks. Returns how
// many bytes.
int64_t sctp_stream_cut(struct sctp_association *association, struct sctp_path *path, int64_t room);
bool sctp_out_pending(const struct sctp_association *association); // messages not yet in chunks
bool sctp_out_empty(const struct sctp_association *association);   // all acknowledged

static inline struct sctp_outgoing *sctp_out_at(const struct sctp_out *out, uint32_t tsn)
{
    return &out->ring[tsn & (out->room - 1)];
}

// output.c: sends all that windows and paths allow: control chunks, retransmissions, new data.
void sctp_output(struct cpu_context *context, struct sctp_association *association);
// Queues a control chunk for the next packet to the path; sctp_output sends it.
void sctp_control_queue(struct sctp_path *path, struct sctp_chunk *chunk);

// sack.c
void sctp_sack_arrived(struct cpu_context *context, struct sctp_association *association,
                       struct sctp_path *from, const struct sctp_chunk *chunk);
// A SHUTDOWN acknowledges up to its cum_tsn.
void sctp_cum_tsn_arrived(struct cpu_context *context, struct sctp_association *association,
                          uint32_t cum_tsn);

// recovery.c: strikes, fast retransmit, T3.
void sctp_t3_start(struct cpu_context *context, struct sctp_path *path); // or restart
void sctp_t3_stop(struct sctp_path *path);
// Moves the path's chunks (`unsent`: also those never sent) to another path, after it went down.
void sctp_out_move(struct sctp_association *association, struct sctp_path *from,
                   struct sctp_path *to, bool unsent);

// cc.c: congestion control of a path, as rows of models/inet/cc.h in bytes.
void sctp_cc_init(struct sctp_path *path, int64_t now);

#endif
