// SPDX-License-Identifier: GPL-3.0-or-later
// The receiving side of an SCTP association by itself: packets go in as text, and the packets that
// it sends and the data that it gives to its reader are recorded as text. Its surroundings
// (packets, sockets, other paths' states) are faked here; tests/support/world_sctp.h has the whole.
//
// TSNs are counted from 1, the first one that the peer sends; SSNs are those on the wire.
#ifndef NETSIM_TESTS_SUPPORT_SCTP_RECEIVER_H
#define NETSIM_TESTS_SUPPORT_SCTP_RECEIVER_H

#include "models/inet/timer.h"
#include "models/sctp_cmt/sctp/association.h"

struct sctp_receiver;

// Is given what the reader takes (sctp_receiver_read).
typedef void sctp_reader_fn(struct sctp_receiver *receiver, const struct sctp_incoming *incoming,
                            void *data);

struct sctp_receiver {
    struct sim *sim;
    struct host *host;
    struct inet_host inet;
    struct sctp_host stack;
    struct sctp_association *association;
    struct param_values *values;
    sim_time now;
    uint32_t first_tsn;
    GString *sent, *delivered;
    sctp_reader_fn *reader; // NULL: `delivered` lists what comes
    void *reader_data;
    GQueue unread;      // struct sctp_incoming *
    bool shows_windows; // in `sent`
    int aborts;         // of the association
    enum sctp_cause cause;
    int shutdowns; // answers to DATA in SHUTDOWN-SENT
};

// An established association with two paths of MTU 1500 and 4 streams. `section` is that of a
// scenario, "{profile: s2007}"; the first TSN is near the wrap.
struct sctp_receiver *sctp_receiver_new(const char *section);
void sctp_receiver_free(struct sctp_receiver *receiver);

// A packet with DATA chunks from a path (0, 1): words "TSN[sSTREAM.SSN][:BYTES][LETTERS]". Without
// a stream it is stream 0 with SSN TSN - 1; 100 B if none are given. Letters: B, M, E fragments (a
// whole message without them), U unordered, I immediately.
void sctp_receiver_packet(struct sctp_receiver *receiver, int path, const char *chunks);

// Like sctp_receiver_packet, but for a chunk that the caller has made, with a TSN counted from 1.
void sctp_receiver_data(struct sctp_receiver *receiver, int path, uint8_t flags,
                        const struct sctp_data *data);
void sctp_receiver_done(struct sctp_receiver *receiver); // the packet ends

// FORWARD-TSN; `streams`: count pairs of stream and SSN.
void sctp_receiver_forward(struct sctp_receiver *receiver, uint32_t tsn, const uint16_t *streams,
                           int count);

// Time goes by.
void sctp_receiver_wait(struct sctp_receiver *receiver, sim_time time);

// The reader takes the oldest part that is unread.
void sctp_receiver_read(struct sctp_receiver *receiver);

// Another packet leaves: what rides in front of it.
void sctp_receiver_sends(struct sctp_receiver *receiver);

// Packets sent since the last call: "0:SACK 3 [5-6 8] dup 2 2 flags 0x40; ..." (path, cum_tsn, gap
// blocks as TSNs, duplicates, flags if any). Valid until the next call.
const char *sctp_receiver_sent(struct sctp_receiver *receiver);

// Data delivered since the last call: "STREAM.SSN:BYTES" or "STREAM.u:BYTES", with "+" after a part
// that more follows, and before one that follows.
const char *sctp_receiver_delivered(struct sctp_receiver *receiver);

// An event, and the packets that it causes. `what`: a packet on path 0; "+200": 200 ms go by; ">":
// another packet leaves.
struct sctp_step {
    const char *what, *sent;
};

// Plays steps, which end with a NULL, with a new receiver and compares.
void sctp_receiver_play(const char *section, const struct sctp_step *steps);

struct cpu_context sctp_receiver_context(const struct sctp_receiver *receiver);

#endif
