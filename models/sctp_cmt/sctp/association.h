// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/sctp_cmt/sctp: an association, its host and its socket.
//
// Not modelled: IPv6, ECN, AUTH, ASCONF, RE-CONFIG, PKTDROP, NR-SACK, I-DATA, discovery of the path
// MTU, host-name addresses (answered as RFC 9260 has it), multicast, interleave levels, partial
// reliability of the sender, SO_LINGER, SEND_FAILED for streams that the peer did not grant,
// coupled congestion control. docs/models.md has the reasons.
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

// Work for the end of the packet, timer or call of the user (due.c).
enum sctp_due_mark {
    SCTP_DUE_ABORT = 1,          // the association has failed (sctp_fail)
    SCTP_DUE_RETRANSMISSION = 2, // T3-rtx has expired: one packet, whatever cwnd
    SCTP_DUE_OUTPUT = 4,         // control chunks are queued, or data may leave
    SCTP_DUE_T1 = 8,             // T1 starts once the queued chunks have left
    SCTP_DUE_T2 = 16,            // so does T2
    SCTP_DUE_SHUTDOWN = 32,      // data may all be acknowledged: the shutdown goes on
    SCTP_DUE_SEND = 64,          // a send of the user may call output
};

enum sctp_timer {
    SCTP_T1_INIT,
    SCTP_T1_COOKIE,
    SCTP_T2_SHUTDOWN,
    SCTP_T5_SHUTDOWN_GUARD,
    SCTP_T3,            // of a path
    SCTP_T3_IDLE_PROBE, // of a path: keeps no run alive
    SCTP_SACK_DELAY,
    SCTP_REOPENED,
    SCTP_PATH_HEARTBEAT,         // of a path
    SCTP_PATH_HEARTBEAT_AWAITED, // data wait for the answer
    SCTP_HEARTBEATS,
    SCTP_HEARTBEATS_AWAITED, // data wait for the answer
};
#define SCTP_TIMERS (SCTP_HEARTBEATS_AWAITED + 1)

#define SCTP_FIRST_PORT 49152 // of those given to unbound sockets; FreeBSD: portrange.first

struct sctp_association {
    struct sctp_host *host;
    struct sctp_socket *socket;
    uint32_t id;            // on its host, from 1
    struct machine machine; // enum sctp_state
    struct sctp_settings settings;
    uint16_t port, peer_port;
    uint32_t tag, peer_tag; // what the peer must write; what this end writes
    uint32_t initial_tsn, peer_initial_tsn;
    int64_t peer_initial_rwnd;
    struct sctp_path *paths; // path_room are there, path_count are in use
    int path_count, path_room;
    struct sctp_path *primary;
    int errors; // of the association: sctp_path_error, sctp_association_alive
    struct sctp_out out;
    struct sctp_in in;
    struct inet_flow leaving; // packets made, in order, but not yet at a card
    // T1-init and T1-cookie share a timer, since they never run at once.
    struct inet_timer *t1, *t2, *t5, *heartbeat;
    struct inet_timer *reopened; // the peer's probe is to find the window open: rwnd.c
    int t1_tries, t2_tries, stale_cookies;
    struct sctp_path *setup_path;   // INIT or COOKIE-ECHO was last sent to it
    struct sctp_path *closing_path; // SHUTDOWN or SHUTDOWN-ACK was
    int64_t setup_sent;             // ticks: when INIT or COOKIE-ECHO was first sent
    sim_time opened;                // when set-up began
    struct sctp_bytes *cookie;      // that the peer's INIT-ACK brought
    uint32_t preservative;          // ms that a new cookie should live longer; 0: as it is
    bool echo_waits;     // COOKIE-ECHO is queued: the packet that takes it may hold DATA, too
    bool shutdown_asked; // by the user
    bool ended;          // CLOSED for good: nothing but its memory is left, or will soon be
    bool announced;      // its values are, to the trace
    uint8_t due;         // enum sctp_due_mark: sctp_run_due
    int64_t full_for;  // bytes: the least that a send has found no room for since one did; 0: none
    int error;         // enum sctp_result of what ended it; 0: nothing
    struct event reap; // frees its queues once the handler that ended it is done
    struct sctp_chunk *abort;                 // with SCTP_DUE_ABORT: the chunk
    trace_values values[1 + SCTP_MOST_PATHS]; // its own, then each path's; 0: not traced
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
    GPtrArray *associations; // a one-to-one socket has at most one, also after it has ended
    struct sctp_socket *accept_head, *accept_tail; // listening: sockets that wait for accept
    struct sctp_socket *next;                      // in that list
    struct sctp_incoming *ready_head, *ready_tail; // for the reader
    struct sctp_message *reading;                  // of the last receive: keeps its content
    // A send on it found no room: the socket is writable once one that is full has room.
    struct sctp_association *full; // the last of full_count (sctp_association.full_for)
    int full_count;
    int error;
};

struct sctp_host {
    struct sim *sim;
    struct cluster *cluster;
    struct host *host;
    struct inet_host *inet;
    const struct sctp_config *config;
    const struct inet_timer_kind *timers; // by enum sctp_timer
    GPtrArray *sockets, *associations;
    GHashTable *by_peer; // int64_t of (peer station, ports) -> association
    struct random_stream *random;
    int64_t *random_choices; // counter of what it decides in time or order; NULL: nothing yet
    uint64_t secret;         // of the cookies' MAC
    uint16_t next_port;
    uint32_t next_id;
    struct sctp_pools pools;
    struct pool pending, incoming;
    struct {
        int64_t *packets_sent, *packets_received, *chunks_sent, *chunks_received;
        int64_t *sacks_sent, *retransmissions, *fast_retransmits, *timeouts, *duplicates;
        int64_t *bad_checksums, *out_of_the_blue, *bad_tags, *heartbeats, *window_probes;
        int64_t *rwnd_blocked, *rwnd_blocked_us, *strikes_suppressed, *dropped_for_window,
            *failovers;
        int64_t *queued_for_burst, *queued_for_cwnd;
        int64_t *timeout[SCTP_TIMERS]; // of time-outs, those of a timer; NULL: none yet
    } count;
};

// The host's random numbers, for one that decides on when or where something is sent.
static inline struct random_stream *sctp_chance(struct sctp_host *host)
{
    if (!host->random_choices)
        host->random_choices = sim_counter(host->sim, SIM_RANDOM_CHOICES);
    ++*host->random_choices;
    return host->random;
}

static inline void sctp_due(struct sctp_association *association, unsigned marks)
{
    association->due |= (uint8_t)marks;
}

static inline void sctp_timer_arm(const struct cpu_context *context,
                                  const struct sctp_association *association,
                                  struct inet_timer **place, enum sctp_timer timer, void *owner,
                                  int64_t ticks)
{
    const struct sctp_host *host = association->host;
    inet_timer_arm(context, host->inet, place, &host->timers[timer], owner, ticks);
}

// due.c: does what is due, in the order of enum sctp_due_mark, until nothing is. Called at the end
// of each packet, timer and call of the user.
void sctp_run_due(struct cpu_context *context, struct sctp_association *association);

// timeout.c: by enum sctp_timer.
extern const struct inet_timer_kind sctp_timers[SCTP_TIMERS];

// counters.c
void sctp_host_counters(struct sctp_host *host, struct sim *sim);
// A timer has expired that nothing should have had to wait for: T1, T2, T3 or a heartbeat's.
void sctp_count_timeout(struct sctp_host *host, enum sctp_timer timer);

// transmit.c
extern const struct stage sctp_stage;
// Charges the checksum of a packet that leaves or has arrived.
void sctp_checksum_charge(struct cpu_context *context, const struct sctp_host *host,
                          const struct packet *packet);
// Returns a packet without chunks to the path's address, with the association's ports and tag.
struct packet *sctp_path_packet(const struct sctp_path *path);
// Charges the packet (packet_out), each of its chunks (chunk_out) and its checksum, and sends it
// through the path's interface.
void sctp_packet_send(struct cpu_context *context, struct sctp_association *association,
                      struct sctp_path *path, struct packet *packet);
// Answers a packet to where it came from, with its ports and one chunk; no association is needed.
void sctp_reply(struct cpu_context *context, struct sctp_host *host,
                struct inet_interface *interface, const struct packet *to, uint32_t tag,
                struct sctp_chunk *chunk);

// demux.c
int64_t sctp_peer_key(int peer_station, uint16_t port, uint16_t peer_port); // of by_peer
struct sctp_association *sctp_host_find(const struct sctp_host *host, int peer_station,
                                        uint16_t port, uint16_t peer_port);
// The socket that takes associations to the port over the interface, or NULL.
struct sctp_socket *sctp_host_listener(const struct sctp_host *host,
                                       const struct inet_interface *interface, uint16_t port);
bool sctp_uses_card(const struct sctp_socket *socket, const struct inet_interface *interface);
// The own card for a peer's address; NULL: none of the socket's has a route.
struct inet_interface *sctp_card_for(const struct sctp_socket *socket, int station);

// association.c: states, paths, the end. An association stays in memory until the host is freed, so
// that packets, timers and messages may refer to it; see sctp_association.ended.
// `addresses`: how many the peer may have; at most SCTP_MOST_PATHS count.
struct sctp_association *sctp_association_new(struct sctp_socket *socket, uint16_t port,
                                              uint16_t peer_port, int addresses);
void sctp_association_free(struct sctp_association *association);
extern const struct machine_kind sctp_association_machine; // by enum sctp_state
void sctp_enter(struct cpu_context *context, struct sctp_association *association,
                enum sctp_state state, const char *event);

static inline const char *sctp_state_name(const struct sctp_association *association)
{
    return machine_state_name(&sctp_association_machine, &association->machine);
}

static inline struct machine_owner sctp_machine_owner(const struct sctp_association *association)
{
    return (struct machine_owner){.where = association->host->host->name,
                                  .subject = association->id};
}

// Adds a path to a peer's address; an address that is a path already, or has no route, is ignored.
struct sctp_path *sctp_add_path(struct sctp_association *association, int station, bool confirmed);
struct sctp_path *sctp_path_to(const struct sctp_association *association, int station);
// Sends ABORT without a cause, with the peer's tag.
void sctp_abort_send(struct cpu_context *context, struct sctp_association *association);
// Marks the association as failed: at the end of the packet, timer or call it is aborted with the
// cause (0: none; `info`: its value, copied, may be NULL). The first failure counts.
void sctp_fail(struct sctp_association *association, enum sctp_cause cause, const void *info,
               uint32_t info_bytes, enum sctp_result error);
// Sends that ABORT if the peer's tag is known, and ends the association.
void sctp_association_abort(struct cpu_context *context, struct sctp_association *association);
// The shutdown is complete.
void sctp_association_done(struct cpu_context *context, struct sctp_association *association,
                           const char *event);
// Ends it without a word to the peer: timers, queues, notification; undelivered data are lost.
void sctp_association_end(struct cpu_context *context, struct sctp_association *association,
                          enum sctp_notification notification, enum sctp_result error);
// SCTP_SEND_FAILED for each message that was not acknowledged as a whole.
void sctp_notify_failures(struct cpu_context *context, struct sctp_association *association);
// Drops what is queued for the peer and what has come incomplete, and notes it with the ledger.
void sctp_association_forget(struct sctp_association *association, const char *reason);
// Whether packets may hold DATA now. In COOKIE-ECHOED only the one with the COOKIE-ECHO may: to be
// asked for each packet.
bool sctp_may_send_data(const struct sctp_association *association);
// The peer has shown life: its error count is 0.
static inline void sctp_association_alive(struct sctp_association *association)
{
    association->errors = 0;
}

// shutdown.c
// The user wants no more to be sent.
void sctp_shutdown_start(struct cpu_context *context, struct sctp_association *association);
// Goes on once all data are acknowledged (SCTP_DUE_SHUTDOWN).
void sctp_shutdown_check(struct cpu_context *context, struct sctp_association *association);
// SHUTDOWN-SENT: DATA have arrived. Queues SHUTDOWN again.
void sctp_shutdown_data_arrived(struct cpu_context *context, struct sctp_association *association);
void sctp_t2_start(struct cpu_context *context, struct sctp_association *association);
void sctp_t2_expired(struct cpu_context *context, struct sctp_association *association);
void sctp_t5_expired(struct cpu_context *context, struct sctp_association *association);

// chunks.c: what a packet with the right checksum brings. Charges chunk_in for each chunk (sack_in
// for a SACK).
void sctp_packet_arrived(struct cpu_context *context, struct sctp_host *host,
                         struct inet_interface *interface, const struct packet *packet);

// setup.c: The client's first step: makes tag and initial TSN, and sends INIT.
void sctp_associate(struct cpu_context *context, struct sctp_association *association);
void sctp_t1_start(struct cpu_context *context, struct sctp_association *association);
void sctp_t1_expired(struct cpu_context *context, struct sctp_association *association);

// values.c: traces windows and buffers.
void sctp_values_tell(const struct cpu_context *context, struct sctp_association *association);

// socket.c
extern const struct inet_socket_ops sctp_socket_ops;
// A socket of the host with settings of its own; of no process yet.
struct sctp_socket *sctp_socket_make(struct sctp_host *host, enum sctp_style style,
                                     const struct sctp_settings *settings);
void sctp_socket_free(struct sctp_socket *socket);
// A new association for a listening socket: returns the socket that it belongs to, which is a new
// one, for accept, if the listener is one-to-one.
struct sctp_socket *sctp_socket_for_peer(struct sctp_socket *listener);
// Its association is up: accept may return it.
void sctp_socket_offer(struct cpu_context *context, struct sctp_socket *listener,
                       struct sctp_socket *socket);
// A new one-to-one socket with the port, cards and settings of this one.
struct sctp_socket *sctp_socket_branch(const struct sctp_socket *from);
// By its number (0: the only one); NULL if there is none.
struct sctp_association *sctp_socket_association(const struct sctp_socket *socket, uint32_t id);
// A send has found no room for so many bytes; or none waits for room in the association any more.
void sctp_socket_full(struct sctp_association *association, int64_t bytes);
void sctp_socket_not_full(struct sctp_association *association);
// The sender's buffer has room again, or the association has changed: wakes the waiting process.
void sctp_socket_changed(struct cpu_context *context, struct sctp_association *association);
// The association accepts user messages; those before it is up are sent once it is.
bool sctp_takes_messages(const struct sctp_association *association);
// The peer of a one-to-one socket sends nothing more.
bool sctp_socket_at_end(const struct sctp_socket *socket);
// A complete message or a part of it, for the socket's reader.
void sctp_deliver(struct cpu_context *context, struct sctp_association *association,
                  struct sctp_incoming *incoming);
void sctp_incoming_free(struct sctp_host *host, struct sctp_incoming *incoming);
// Frees the reader's queue; `reason` as for ledger_drop, NULL: not noted with the ledger.
void sctp_socket_clear(struct sctp_socket *socket, const char *reason);
void sctp_notify(struct cpu_context *context, struct sctp_association *association,
                 enum sctp_notification notification, int station);
// `message`: the one that could not be sent, or NULL. `event`: the enum sctp_event that it is part
// of.
void sctp_notify_of(struct cpu_context *context, struct sctp_association *association,
                    enum sctp_notification notification, int station, struct sctp_message *message,
                    unsigned event);
// Notes bytes [offset, offset + bytes) of a user message as lost; `reason` as for ledger_drop.
void sctp_message_lost(struct sctp_host *host, const struct sctp_message *message, uint32_t offset,
                       int64_t bytes, const char *reason);

static inline int64_t sctp_send_room(const struct sctp_association *association)
{
    return association->out.buffer.size - association->out.buffer.used;
}

// calls.c: begins an association to a peer's addresses; NULL if there is no route.
struct sctp_association *sctp_socket_open(struct cpu_context *context, struct sctp_socket *socket,
                                          const int *stations, int count, uint16_t port);

// status.c
// The association is up: what was sent before has waited for that.
void sctp_trace_setup(const struct cpu_context *context, struct sctp_association *association);
const struct wait *sctp_association_wait(const struct sctp_association *association);

// ---- Of the configuration ----

// The path of a lost chunk is chosen when it is sent again (ns-2).
static inline bool sctp_chooses_late(const struct sctp_association *association)
{
    const struct sctp_cmt_config *cmt = &association->host->config->cmt;
    return cmt->on && cmt->late_choice;
}

// The recovery rule in force (enum sctp_recovery).
static inline int sctp_recovery_rule(const struct sctp_association *association)
{
    const struct sctp_config *config = association->host->config;
    return config->cmt.on ? config->cmt.recovery : config->recovery;
}

// Bytes of DATA chunks that count in the path's window: the flight; with late choice also those
// that are marked, until they are sent again.
static inline int64_t sctp_path_load(const struct sctp_path *path)
{
    return path->flight + (sctp_chooses_late(path->association) ? path->marked : 0);
}

// DATA are accepted in the association's state.
static inline bool sctp_in_takes_data(const struct sctp_association *association)
{
    return association->machine.state == SCTP_COOKIE_ECHOED ||
           association->machine.state == SCTP_ESTABLISHED ||
           association->machine.state == SCTP_SHUTDOWN_PENDING ||
           association->machine.state == SCTP_SHUTDOWN_SENT;
}

// Messages not yet in chunks; all is acknowledged.
static inline bool sctp_out_pending(const struct sctp_association *association)
{
    return association->out.waiting > 0;
}

static inline bool sctp_out_empty(const struct sctp_association *association)
{
    return association->out.cum_tsn + 1 == association->out.next && association->out.waiting == 0;
}

#endif
