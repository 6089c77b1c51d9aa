// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/sctp_cmt/sctp: an association, its host and its socket.
//
// Not modelled: IPv6, ECN, AUTH, ASCONF, RE-CONFIG, PKTDROP, NR-SACK, I-DATA, discovery of the path
// MTU, host-name addresses (answered as RFC 9260 has it), interleave levels, partial reliability of
// the sender, SO_LINGER.
#ifndef NETSIM_MODELS_SCTP_ASSOCIATION_H
#define NETSIM_MODELS_SCTP_ASSOCIATION_H

#include "models/sctp_cmt/sctp/in.h"
#include "models/sctp_cmt/sctp/out.h"
#include "models/sctp_cmt/sctp/path.h"
#include "models/sctp_cmt/sctp/socket.h"

#include "sim/core/random.h"

#include <glib.h>

// RFC 9260, 4.
enum sctp_state {
    SCTP_CLOSED,
    SCTP_COOKIE_WAIT,
    SCTP_COOKIE_ECHOED,
    SCTP_ESTABLISHED,
    SCTP_SHUTDOWN_PENDING,
    SCTP_SHUTDOWN_SENT,
    SCTP_SHUTDOWN_RECEIVED,
    SCTP_SHUTDOWN_ACK_SENT,
};

#define SCTP_MOST_PATHS 8

struct sctp_association {
    struct sctp_host *host;
    struct sctp_socket *socket;
    uint32_t id; // on its host, from 1
    enum sctp_state state;
    struct sctp_settings settings;
    uint16_t port, peer_port;
    uint32_t tag, peer_tag; // what the peer must write; what this end writes
    uint32_t tie_tag, peer_tie_tag;
    uint32_t initial_tsn, peer_initial_tsn;
    int64_t peer_initial_rwnd;
    struct sctp_path *paths; // SCTP_MOST_PATHS are there, path_count are in use
    int path_count;
    struct sctp_path *primary;
    int errors; // of the association: sctp_path_error, sctp_association_alive
    struct sctp_out out;
    struct sctp_in in;
    struct inet_flow leaving; // packets made, in order, but not yet at a card
    // T1-init and T1-cookie share a timer (1.12 of the state tables: never both).
    struct inet_timer *t1, *t2, *t5, *heartbeat;
    int t1_tries, t2_tries, stale_cookies;
    struct sctp_bytes *cookie;     // that the peer's INIT-ACK brought
    bool shutdown_asked;           // by the user
    bool accepted;                 // the user has it (one-to-one)
    int error;                     // enum sctp_result of what ended it; 0: nothing
    struct sctp_association *next; // in the listener's queue
};

struct sctp_socket {
    struct inet_socket inet;
    struct sctp_host *host;
    enum sctp_style style;
    uint16_t port; // 0: not bound
    uint64_t cards;
    bool listening, closed;
    unsigned events;
    struct sctp_settings settings;
    GPtrArray *associations; // a one-to-one socket has at most one
    struct sctp_association *accept_head, *accept_tail;
    struct sctp_incoming *ready_head, *ready_tail; // for the reader
    struct sctp_incoming *reading;                 // what the last receive returned of
    int error;
};

struct sctp_host {
    struct sim *sim;
    struct cluster *cluster;
    struct host *host;
    struct inet_host *inet;
    const struct sctp_config *config;
    GPtrArray *sockets, *associations;
    GHashTable *by_peer; // (peer station, ports) -> association
    struct random_stream *random;
    uint64_t secret; // of the cookies' MAC
    uint16_t next_port;
    uint32_t next_id;
    struct sctp_pools pools;
    struct pool pending, incoming;
    struct {
        int64_t *packets_sent, *packets_received, *chunks_sent, *chunks_received;
        int64_t *sacks_sent, *retransmissions, *fast_retransmits, *timeouts, *duplicates;
        int64_t *bad_checksums, *out_of_the_blue, *bad_tags, *heartbeats, *window_probes;
        int64_t *rwnd_blocked, *strikes_suppressed, *dropped_for_window, *failovers;
    } count;
};

// host.c
extern const struct stage sctp_stage, sctp_checksum_stage;
// Charges the packet's making and its checksum, and sends it through the path's interface.
void sctp_packet_send(struct cpu_context *context, struct sctp_association *association,
                      struct sctp_path *path, struct packet *packet);
struct sctp_association *sctp_host_find(const struct sctp_host *host, int peer_station,
                                        uint16_t port, uint16_t peer_port);

// association.c: life, states, errors, notifications.
struct sctp_association *sctp_association_new(struct sctp_socket *socket, uint16_t port,
                                              uint16_t peer_port);
void sctp_association_free(struct sctp_association *association);
void sctp_set_state(struct cpu_context *context, struct sctp_association *association,
                    enum sctp_state state, const char *event);
const char *sctp_state_name(enum sctp_state state);
// Adds a path to a peer's address; an address that is a path already, or has no route, is ignored.
struct sctp_path *sctp_add_path(struct sctp_association *association, int station, bool confirmed);
struct sctp_path *sctp_path_to(const struct sctp_association *association, int station);
// Sends ABORT with a cause (0: none; `info`: its value, may be NULL) and ends the association.
void sctp_association_abort(struct cpu_context *context, struct sctp_association *association,
                            enum sctp_cause cause, const void *info, uint32_t info_bytes,
                            enum sctp_result error);
// Ends it without a word to the peer: timers, queues, notification; undelivered data are lost.
void sctp_association_end(struct cpu_context *context, struct sctp_association *association,
                          enum sctp_notification notification, enum sctp_result error);
void sctp_notify(struct cpu_context *context, struct sctp_association *association,
                 enum sctp_notification notification, int station);
// The peer has shown life: its error count is 0.
void sctp_association_alive(struct sctp_association *association);

// shutdown.c: called after every SACK and send: goes on once all data are acknowledged.
void sctp_shutdown_check(struct cpu_context *context, struct sctp_association *association);
void sctp_shutdown_data_arrived(struct cpu_context *context, struct sctp_association *association);

// socket.c
extern const struct inet_socket_ops sctp_socket_ops;
// The sender's buffer has room again, or the association has changed: wakes who waits.
void sctp_socket_changed(struct cpu_context *context, struct sctp_association *association);

#endif
