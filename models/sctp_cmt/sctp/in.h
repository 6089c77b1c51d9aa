// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/sctp_cmt/sctp: receiving. Which TSNs have arrived, when to acknowledge, and
// the way of DATA through reassembly and streams to the user.
#ifndef NETSIM_MODELS_SCTP_IN_H
#define NETSIM_MODELS_SCTP_IN_H

#include "models/inet/socket.h"
#include "models/sctp_cmt/sctp/path.h"
#include "models/sctp_cmt/sctp/socket.h"

#define SCTP_MOST_DUPLICATES 20

// A user message, or what has come of it.
struct sctp_incoming {
    struct sctp_incoming *next;
    struct sctp_message *message; // a reference; NULL: of nobody
    struct sctp_association *association;
    uint32_t first_tsn, last_tsn; // of the part
    int64_t bytes, read;          // of the part; already given to the user
    int64_t charge;               // bytes that it counts in the receive buffer
    uint32_t offset;              // of the part in the message
    uint32_t protocol;
    uint16_t stream, ssn;
    int station; // the peer's address
    bool unordered, begins, ends;
    enum sctp_notification notification; // SCTP_NOTHING: data
};

struct sctp_stream_in {
    uint16_t ssn;                      // of the next message to deliver
    struct sctp_incoming *head, *tail; // complete, ordered by SSN, waiting for their turn
};

struct sctp_in {
    uint32_t cum_tsn;
    uint32_t highest;  // TSN; cum_tsn if nothing is missing
    uint64_t *map;     // bits of TSNs after cum_tsn; bit of a TSN: TSN modulo its size
    uint32_t map_size; // bits, a power of two
    uint32_t duplicates[SCTP_MOST_DUPLICATES];
    int duplicate_count;
    struct sctp_stream_in *streams;
    int stream_count;
    struct sctp_incoming *fragments; // parts of messages, by TSN
    int64_t held;                    // bytes charged: in reassembly and streams' queues
    int64_t queued;                  // bytes charged: in the socket's queue
    int64_t offered;                 // a_rwnd of the last SACK
    int64_t freed;                   // bytes read since then
    int packets;                     // with DATA since the last SACK (delayed SACK)
    int cmt_packets;                 // the same for DAC
    bool gap_before;                 // something was missing before this packet
    bool any;                        // DATA has come
    bool sack_now;                   // at the end of this packet
    bool data_in_packet;             // this packet holds DATA
    struct sctp_path *last;          // from which the last DATA came
    struct inet_timer *sack_timer;
};

void sctp_in_init(struct sctp_association *association, uint32_t peer_first_tsn, int streams);
void sctp_in_clear(struct sctp_association *association);

// receive.c
void sctp_data_arrived(struct cpu_context *context, struct sctp_association *association,
                       struct sctp_path *from, const struct sctp_chunk *chunk);
void sctp_forward_tsn_arrived(struct cpu_context *context, struct sctp_association *association,
                              const struct sctp_chunk *chunk);

// ack.c: All chunks of a packet are done: a SACK is sent now, later, or not.
void sctp_in_packet_done(struct cpu_context *context, struct sctp_association *association);
// A packet is about to leave: returns a SACK for its front if one is due, and stops the timer;
// NULL: none is. `always`: even if none is due.
struct sctp_chunk *sctp_sack_take(struct cpu_context *context, struct sctp_association *association,
                                  bool always);
// The path that a SACK goes to.
struct sctp_path *sctp_sack_path(struct sctp_association *association);
int64_t sctp_rwnd(const struct sctp_association *association); // to be offered now
// The user has taken bytes: offers them if the peer may be waiting for that.
void sctp_in_read(struct cpu_context *context, struct sctp_association *association, int64_t bytes,
                  int64_t charge);

// socket_queue: a complete message or a part, for the socket's reader (socket.c).
void sctp_deliver(struct cpu_context *context, struct sctp_association *association,
                  struct sctp_incoming *incoming);

#endif
