// SPDX-License-Identifier: GPL-3.0-or-later
// A scripted peer in a world of SCTP hosts (world_sctp.h): node 1 has no stack but sends the chunks
// that a test writes down, and keeps what node 0 sends it, as text.
//
// A packet to send is its chunks, separated by ";", each a name and fields: "INIT os=0",
// "COOKIE-ECHO; DATA tsn=0 bytes=100". A field that is not given has a sensible value: the tags and
// TSNs that the two ends have exchanged, the last cookie that came. TSNs are relative to the first
// one of their sender. Fields:
//
//   any chunk    vtag=N|own|peer|other: tag of the packet; "own" is node 0's (the usual one),
//   "peer"
//                that of this peer, "other" a wrong one. flags=N. short=1: fewer bytes than its
//                type has. bad_crc=1: the packet's checksum is wrong.
//   INIT, INIT-ACK  tag=N os=N is=N rwnd=N tsn=N; cookie=0 (none); preservative=MS; address=CARD
//                (of node 1; several times); param=TYPE (4 bytes); host (a name); torn (too long)
//   DATA         tsn=N bytes=N sid=N ssn=N
//   SACK, SHUTDOWN  cum=N
//   COOKIE-ECHO  bad (its MAC is wrong); cookie=N: that of the N-th INIT-ACK that came, from 1
//   ABORT, ERROR cause=N, with the number value=N if it is given
//   CHUNK        type=N bytes=N
//
// Received packets are a line each: "INIT/0", "INIT-ACK/peer", "COOKIE-ACK SACK(0)", "ABORT(7)",
// "SHUTDOWN-COMPLETE T/own"; the tag is shown if it is not this peer's.
#ifndef NETSIM_TESTS_SUPPORT_SCTP_PEER_H
#define NETSIM_TESTS_SUPPORT_SCTP_PEER_H

#include "tests/support/transition_log.h"
#include "tests/support/world_sctp.h"

#define SCTP_PEER_TAG 77u
#define SCTP_PEER_TSN 5000u
#define SCTP_PEER_PORT 6000 // when it is the peer that associates

struct sctp_peer {
    struct world *world;
    struct transition_log *log; // of the machine "sctp"
    struct sctp_host *host;     // node 1's: its pools and interfaces
    GString *came;
    GArray *times;             // sim_time of each line
    GPtrArray *cookies;        // struct sctp_bytes *
    uint32_t tag;              // of this peer: what packets to it must have
    uint32_t own_tag, own_tsn; // node 0's, once known
    uint16_t port, own_port;
    int card; // that it sends from
};

// Node 0 with `networks` cards and the scripted peer.
struct sctp_peer *sctp_peer_new(int networks, const char *const *sets);
void sctp_peer_free(struct sctp_peer *peer);

// The peer sends a packet at `when`.
void sctp_peer_at(struct sctp_peer *peer, sim_time when, const char *packet);
// Like sctp_peer_at, but from another of its cards.
void sctp_peer_from(struct sctp_peer *peer, sim_time when, int card, const char *packet);

// Node 0 calls at `when`.
void sctp_peer_call(struct sctp_peer *peer, sim_time when,
                    void (*run)(struct cpu_context *context, struct sctp_node *node,
                                void *argument),
                    void *argument);

// Runs for so long; all that has come since the last time, and node 0's transitions since then.
// Both are the peer's until the next call.
const char *sctp_peer_run(struct sctp_peer *peer, sim_time until);
const char *sctp_peer_steps(struct sctp_peer *peer);

// Node 0's calls: a one-to-many socket that listens, with all notifications; a one-to-one socket
// that connects to node 1's first card, or to all; shutdown; abort; a message of that many bytes
// (GSIZE_TO_POINTER); close.
void sctp_peer_listen(struct cpu_context *context, struct sctp_node *node, void *argument);
void sctp_peer_connect(struct cpu_context *context, struct sctp_node *node, void *argument);
void sctp_peer_connect_all(struct cpu_context *context, struct sctp_node *node, void *argument);
void sctp_peer_shutdown(struct cpu_context *context, struct sctp_node *node, void *argument);
void sctp_peer_abort(struct cpu_context *context, struct sctp_node *node, void *argument);
void sctp_peer_send(struct cpu_context *context, struct sctp_node *node, void *argument);

// Node 0 listens, and the peer's association with it is up at 10 ms.
void sctp_peer_associate(struct sctp_peer *peer);
// Node 0 connects to the peer; up at 10 ms.
void sctp_peer_accept(struct sctp_peer *peer);

// The first notification or message that node 0's socket has, as the number of the notification;
// -1: nothing. Takes a millisecond.
int sctp_peer_notified(struct sctp_peer *peer);

#endif
