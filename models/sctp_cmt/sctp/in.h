// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/sctp_cmt/sctp: receiving. Which TSNs have arrived, when to acknowledge, and
// the path of DATA through reassembly and streams to the user.
//
// Not modelled: reneging of single chunks (whole runs of TSNs are dropped), partial delivery of
// several messages at a time, a notification of a partly read message that FORWARD-TSN abandons.
#ifndef NETSIM_MODELS_SCTP_IN_H
#define NETSIM_MODELS_SCTP_IN_H

#include "models/inet/socket.h"
#include "models/sctp_cmt/sctp/path.h"
#include "models/sctp_cmt/sctp/socket.h"

#define SCTP_MOST_DUPLICATES 20

// A user message, or what has come of it.
struct sctp_incoming {
    struct sctp_incoming *next;
    struct sctp_message *message; // a reference; NULL: without a message
    struct sctp_association *association;
    uint32_t first_tsn, last_tsn; // of the part
    int64_t bytes, read;          // of the part; already given to the user
    int64_t charge;               // bytes that it counts in the receive buffer once queued
    uint32_t offset;              // of the part in the message
    uint32_t protocol;
    uint16_t stream, ssn;
    int station; // the peer's address
    bool unordered, begins, ends;
    enum sctp_notification notification; // SCTP_NOTHING: data
};

struct sctp_stream_in {
    uint16_t ssn; // of the next message to deliver
    // Complete messages that wait for their turn. Index: SSN modulo room, a power of two.
    struct sctp_incoming **waiting;
    uint32_t room;
    int count;
};

// Whether a TSN was missing at the end of the last packet with DATA.
enum sctp_receiver_state { SCTP_NO_GAP, SCTP_GAP };

struct sctp_in {
    uint32_t cum_tsn;
    uint32_t highest;  // TSN; cum_tsn if nothing is missing
    uint64_t *map;     // bits of TSNs after cum_tsn; bit of a TSN: TSN modulo its size; NULL: none
    uint32_t map_size; // bits, a power of two
    uint32_t map_base; // TSN: the full check of the BSD stack is due 8 TSNs later
    uint32_t duplicates[SCTP_MOST_DUPLICATES];
    int duplicate_count;
    struct sctp_stream_in *streams;
    int stream_count;
    // Runs of fragments, and messages that wait. Each is found at its last TSN and,
    // while that is after cum_tsn, at its first. Index: TSN modulo room, a power of two.
    struct sctp_incoming **holds;
    uint32_t hold_room;
    struct sctp_incoming *unordered_head, *unordered_tail; // complete, wait for `partial` to end
    bool partial;         // the reader has got the first part of a message, but not its end
    bool partial_ordered; // that message is
    uint16_t partial_stream;
    uint32_t partial_tsn;          // last one of its parts so far
    int64_t held;                  // bytes of user data in `holds`, and what they are charged
    int64_t hold_charge;           // sctp_config's
    int64_t queued;                // bytes of user data in the socket's queue
    int64_t overhead;              // bytes that these are charged besides
    int64_t offered;               // a_rwnd of the last SACK
    int packets;                   // with DATA since the last SACK (delayed SACK)
    int cmt_packets;               // the same for DAC
    bool gap_before;               // something was missing before this packet
    struct machine machine;        // enum sctp_receiver_state
    bool any;                      // DATA has come
    bool sack_now;                 // at the end of this packet
    bool data_in_packet;           // this packet holds DATA
    bool new_in_packet;            // and some of it was taken
    struct sctp_path *last;        // from which the last DATA came
    struct sctp_path *complain_to; // where ERRORs go
    struct sctp_chunk *complaints; // ERRORs for the end of this packet, after its SACK
    int alternates;                // SACKs in a row that went elsewhere
    struct inet_timer *sack_timer;
};

// in.c. `peer_first_tsn`: the first that the peer will send; `streams`: how many it may use.
void sctp_in_init(struct sctp_association *association, uint32_t peer_first_tsn, int streams);
// Frees what is held and stops the timer. sctp_in_init may follow: the socket's queue stays.
void sctp_in_clear(struct sctp_association *association);
// Calls `visit` for each message or part that is held and has not gone to the socket.
void sctp_in_visit(const struct sctp_association *association,
                   void (*visit)(const struct sctp_incoming *incoming, void *data), void *data);
// Frees all of them.
void sctp_in_discard(struct sctp_association *association);

static inline bool sctp_in_gap(const struct sctp_in *in)
{
    return in->highest != in->cum_tsn;
}

// receive.c. The chunk has at least one byte of user data.
void sctp_data_arrived(struct cpu_context *context, struct sctp_association *association,
                       struct sctp_path *from, const struct sctp_chunk *chunk);
void sctp_forward_tsn_arrived(struct cpu_context *context, struct sctp_association *association,
                              const struct sctp_chunk *chunk);

// ---- map.c: which TSNs after cum_tsn have arrived ----

// Has it arrived? It must be at most map_size after cum_tsn.
bool sctp_map_has(const struct sctp_in *in, uint32_t tsn);
// It has arrived: moves cum_tsn and highest.
void sctp_map_add(struct sctp_in *in, uint32_t tsn);
// TSNs first..last, after cum_tsn, have not arrived after all.
void sctp_map_remove(struct sctp_in *in, uint32_t first, uint32_t last);
// All up to `cum_tsn` count as arrived.
void sctp_map_forward(struct sctp_in *in, uint32_t cum_tsn);
// Writes at most `most` gap blocks and returns how many; `gaps` NULL: counts them. Time is
// O(blocks + words of the map).
int sctp_map_gaps(const struct sctp_in *in, struct sctp_gap *gaps, int most);

// ---- reassembly.c: from chunks to messages. Its time does not depend on how much is held. ----

// Takes the data of a chunk whose TSN is new, before the map has it. Returns false if the peer has
// broken the protocol.
bool sctp_reassemble(struct cpu_context *context, struct sctp_association *association,
                     const struct sctp_path *from, const struct sctp_chunk *chunk);
// cum_tsn has moved, or a message has grown: begins or goes on with its partial delivery.
void sctp_partial_delivery(struct cpu_context *context, struct sctp_association *association);
// Drops what is held of the highest TSNs, all after `tsn`. Returns false if there is none.
bool sctp_renege(struct sctp_association *association, uint32_t tsn);
// The peer has abandoned all up to cum_tsn; `streams`: pairs of stream and the SSN skipped to.
void sctp_reassembly_forward(struct cpu_context *context, struct sctp_association *association,
                             uint32_t cum_tsn, const struct sctp_bytes *streams);

// ---- rwnd.c ----

int64_t sctp_receive_room(const struct sctp_association *association); // bytes; may be negative
int64_t sctp_rwnd(const struct sctp_association *association);         // to be offered now
// The reader has taken `bytes`, which counted `charge` bytes in the socket's queue (the charges of
// the calls for a part add up to its own).
void sctp_rwnd_read(struct cpu_context *context, struct sctp_association *association,
                    int64_t bytes, int64_t charge);

// ---- ack.c ----

extern const struct machine_kind sctp_receiver_machine; // by enum sctp_receiver_state
// All chunks of a packet are done: a SACK is queued now, later, or not.
void sctp_in_packet_done(struct cpu_context *context, struct sctp_association *association);
// A packet is about to leave: returns a SACK for its front if one is due, and stops the timer;
// NULL: none is. `always`: even if none is due.
struct sctp_chunk *sctp_sack_take(struct cpu_context *context, struct sctp_association *association,
                                  bool always);
// The path that a SACK goes to.
struct sctp_path *sctp_sack_path(struct sctp_association *association);
void sctp_sack_delay_expired(struct cpu_context *context, struct sctp_association *association);
// Like sctp_rwnd_read, but also offers them if the peer may be waiting for that.
void sctp_in_read(struct cpu_context *context, struct sctp_association *association, int64_t bytes,
                  int64_t charge);

#endif
