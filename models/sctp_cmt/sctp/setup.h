// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/sctp_cmt/sctp: an arriving packet, and the part of an association's rules that
// also hold without one (RFC 9260, 5 and 8.4).
#ifndef NETSIM_MODELS_SCTP_SETUP_H
#define NETSIM_MODELS_SCTP_SETUP_H

#include "models/sctp_cmt/sctp/association.h"

// The association of these ports under any of the stations, or NULL.
struct sctp_association *sctp_host_find_any(const struct sctp_host *host, const int *stations,
                                            int count, uint16_t port, uint16_t peer_port);

// A packet that is being worked through.
struct sctp_arrival {
    struct sctp_host *host;
    struct inet_interface *interface;
    const struct packet *packet;
    const struct sctp_packet *sctp;
    struct sctp_association *association; // NULL: none
    struct sctp_path *from;               // of the association; NULL: none
    bool stop;                            // the rest of the packet is ignored
};

// ---- cookie.c ----

// Contents of the state cookie, so that the host need not (RFC 9260, 5.1.3).
struct sctp_cookie {
    sim_time made, life; // ps
    uint32_t tag, peer_tag;
    uint32_t tie_tag, peer_tie_tag; // of the association that there was; 0: none
    uint32_t tsn, peer_tsn, peer_rwnd;
    uint16_t peer_streams_out, peer_streams_in;
    uint16_t port, peer_port;
    int stations[SCTP_MOST_PATHS]; // the peer's addresses in their order
    int station_count;
};

// Returns the cookie with its MAC, of config's cookie_bytes bytes if that is enough, with one
// reference.
struct sctp_bytes *sctp_cookie_make(struct sctp_host *host, const struct sctp_cookie *cookie);

// Returns false if the host did not make these bytes.
bool sctp_cookie_read(const struct sctp_host *host, const struct sctp_bytes *bytes,
                      struct sctp_cookie *cookie);

// ---- peer.c ----

// The parameters of an INIT or INIT-ACK.
struct sctp_peer_facts {
    int stations[SCTP_MOST_PATHS];
    int station_count;
    uint32_t strangers[SCTP_MOST_PATHS]; // addresses that no host has
    int stranger_count;
    const uint8_t *cookie; // NULL: none
    uint32_t cookie_length;
    uint32_t preservative; // ms
    // TLVs of type 8, "unrecognized parameter", each with a parameter that was not understood and
    // asks for a report; NULL: none. The caller frees it.
    struct sctp_bytes *unrecognized;
    struct sctp_tlv host_name; // length 0: none
    bool malformed;
};

// `source`: the station that the packet came from, which is an address of the peer in any case.
struct sctp_peer_facts sctp_peer_facts(struct sctp_host *host, const struct sctp_init *init,
                                       int source);

// ---- setup.c ----

void sctp_init_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                       const struct sctp_chunk *chunk);
void sctp_init_ack_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                           const struct sctp_chunk *chunk);
// `event`: what shows that the peer is up.
void sctp_cookie_ack_arrived(struct cpu_context *context, struct sctp_association *association,
                             const char *event);
void sctp_stale_cookie_arrived(struct cpu_context *context, struct sctp_association *association,
                               uint32_t staleness);
// Takes the peer's tag, TSN, window and streams.
void sctp_take_peer(struct sctp_association *association, uint32_t tag, uint32_t tsn, uint32_t rwnd,
                    uint16_t streams_out, uint16_t streams_in);
// ESTABLISHED: timers, heartbeats, notifications.
void sctp_establish(struct cpu_context *context, struct sctp_association *association,
                    enum sctp_notification notification, const char *event);
// A number that is not 0.
uint32_t sctp_new_tag(struct sctp_host *host);

// ---- collision.c ----

// COOKIE-ECHO, with or without an association: arrival->association becomes the one that the rest
// of the packet is for, and arrival->stop is set if there is none.
void sctp_cookie_echo_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                              const struct sctp_chunk *chunk);

// ---- shutdown.c ----

void sctp_shutdown_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                           const struct sctp_chunk *chunk);
void sctp_shutdown_ack_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                               const struct sctp_chunk *chunk);
void sctp_shutdown_complete_arrived(struct cpu_context *context, struct sctp_arrival *arrival,
                                    const struct sctp_chunk *chunk);
// Queues SHUTDOWN-ACK, and another chunk after it in the packet (NULL: none).
void sctp_shutdown_ack_queue(struct sctp_association *association, struct sctp_chunk *with);

#endif
