// SPDX-License-Identifier: GPL-3.0-or-later
// SCTP sockets as a process sees them (RFC 6458, as of 2007): one-to-one and one-to-many. They are
// independent of MPI.
//
// Every call is made from the process's own task and charged to its processor (system call, copy,
// protocol). No call blocks: a call that would block returns SCTP_AGAIN. The process then asks to
// be woken (inet_wait, inet_select) and returns CPU_SLEEP from its handler.
//
// A peer's address is a station of the network. Payload is not stored: a message has an owner, part
// of a message of the ledger, or content of the protocol above, or both (content first).
#ifndef NETSIM_MODELS_SCTP_SOCKET_H
#define NETSIM_MODELS_SCTP_SOCKET_H

#include "models/inet/socket.h"
#include "models/sctp_cmt/sctp/sctp.h"
#include "models/sctp_cmt/wire/chunk.h"

struct sctp_host; // the SCTP of one host
struct sctp_socket;

// Results of calls besides numbers >= 0; in brackets the system's error.
enum sctp_result {
    SCTP_AGAIN = -1,        // would block (EAGAIN)
    SCTP_IN_PROGRESS = -2,  // set-up goes on (EINPROGRESS)
    SCTP_TOO_LONG = -3,     // message longer than the send buffer (EMSGSIZE)
    SCTP_GONE = -4,         // no association, or it has ended (ENOTCONN, EPIPE)
    SCTP_RESET = -5,        // aborted (ECONNRESET)
    SCTP_REFUSED = -6,      // the peer refused (ECONNREFUSED)
    SCTP_TIMED_OUT = -7,    // (ETIMEDOUT)
    SCTP_INVALID = -8,      // bad argument: stream, association (EINVAL)
    SCTP_CONNECTED = -9,    // is connected already (EISCONN)
    SCTP_NO_ROUTE = -10,    // (EHOSTUNREACH)
    SCTP_UNSUPPORTED = -11, // not for a socket of this style (EOPNOTSUPP)
    SCTP_IN_USE = -12,      // the port is taken (EADDRINUSE)
};

enum sctp_style { SCTP_ONE_TO_ONE, SCTP_ONE_TO_MANY };

// SCTP_EVENTS: what is delivered with notification set.
enum sctp_event {
    SCTP_EVENT_ASSOCIATION = 1,
    SCTP_EVENT_ADDRESS = 2,
    SCTP_EVENT_SEND_FAILURE = 4,
    SCTP_EVENT_PEER_ERROR = 8,
    SCTP_EVENT_SHUTDOWN = 16,
    SCTP_EVENT_DATA_IO = 32, // not a notification: sctp_received has its details
};

enum sctp_notification {
    SCTP_NOTHING,
    SCTP_COMM_UP,
    SCTP_COMM_LOST,
    SCTP_RESTART,
    SCTP_SHUTDOWN_COMP,
    SCTP_CANT_STR_ASSOC,
    SCTP_ADDR_AVAILABLE,
    SCTP_ADDR_UNREACHABLE,
    SCTP_ADDR_CONFIRMED,
    SCTP_ADDR_MADE_PRIM,
    SCTP_SEND_FAILED,
    SCTP_REMOTE_ERROR,
    SCTP_SHUTDOWN_EVENT,
};

// The caller frees it with sctp_host_free, after the run. Several processes share it.
struct sctp_host *sctp_host_new(struct cluster *cluster, struct host *on,
                                const struct sctp_config *config);
void sctp_host_free(struct sctp_host *host);

// ---- Calls ----

// A socket with the stack's settings. `task` is its user.
struct sctp_socket *sctp_socket_new(struct cpu_context *context, struct sctp_host *host,
                                    enum sctp_style style, struct cpu_task *task);

// The socket's settings, for setsockopt before it associates. Later changes apply to new
// associations, but those of an association (sctp_association_settings) apply at once.
struct sctp_settings *sctp_socket_settings(struct sctp_socket *socket);
struct sctp_settings *sctp_association_settings(struct sctp_socket *socket, uint32_t association);
void sctp_subscribe(struct sctp_socket *socket, unsigned events); // enum sctp_event

// bind and sctp_bindx: a port (0: any free one) on the host's cards of the mask (bit n: the n-th
// interface; 0: all). Without it a socket has a free port on all. Returns 0 or an error.
int sctp_bind(struct cpu_context *context, struct sctp_socket *socket, uint16_t port,
              uint64_t cards);

int sctp_listen(struct cpu_context *context, struct sctp_socket *socket);

// connect, sctp_connectx: INIT to the first of the peer's addresses, the others as alternates.
// Returns SCTP_IN_PROGRESS (the socket is writable once it is up), or an error. *association, if
// not NULL, becomes its id.
int sctp_connect(struct cpu_context *context, struct sctp_socket *socket, const int *stations,
                 int count, uint16_t port, uint32_t *association);

// Returns the next association of a listening one-to-one socket as a socket for `task`, or NULL if
// there is none; the listener is readable once there is one.
struct sctp_socket *sctp_accept(struct cpu_context *context, struct sctp_socket *listener,
                                struct cpu_task *task);

struct sctp_send_info {
    uint32_t association; // one-to-many; 0: by the address
    int station;          // one-to-many: address of the peer; -1: by the association
    uint16_t port;        // with the address
    uint16_t stream;
    uint32_t protocol; // payload protocol identifier
    bool unordered;
    bool immediate; // SCTP_SACK_IMMEDIATELY
    // The message.
    int64_t bytes;              // > 0, content included
    struct message_ref message; // owner of the bytes after the content; generation 0: none
    int64_t offset;             // of the first of them in the message
    bool stands_in;
    const void *content; // copied; NULL: none
    uint32_t content_length;
};

// sctp_sendmsg: takes the whole message or nothing. On a one-to-many socket the first message to an
// address associates. Returns the bytes, or an error.
int64_t sctp_send(struct cpu_context *context, struct sctp_socket *socket,
                  const struct sctp_send_info *info);

struct sctp_received {
    int64_t bytes;
    uint32_t association;
    int station; // the peer's address from which it came
    uint16_t stream, ssn;
    uint32_t protocol;
    uint32_t tsn;
    bool unordered;
    bool end; // MSG_EOR: the message is complete with this part
    struct message_ref message;
    int64_t offset; // of the part's first byte in that message
    bool stands_in;
    const void *content; // of the user message; valid until the next receive on this socket
    uint32_t content_length;
    enum sctp_notification notification; // SCTP_NOTHING: data. With SCTP_SEND_FAILED, `message` and
                                         // `content` are those of the message that failed.
};

// sctp_recvmsg: at most one message, or its first `room` bytes, and the rest of it next time.
// Returns the bytes (of a notification: 1), 0 at the end of a one-to-one association, or an error.
int64_t sctp_receive(struct cpu_context *context, struct sctp_socket *socket, int64_t room,
                     struct sctp_received *received);

// sctp_peeloff: an association of a one-to-many socket becomes a one-to-one socket, with its queued
// messages. Returns NULL if there is no such association.
struct sctp_socket *sctp_peel_off(struct cpu_context *context, struct sctp_socket *socket,
                                  uint32_t association, struct cpu_task *task);

// Memory of an end of an association with its socket and paths, of hosts with a card or two, in
// bytes.
int64_t sctp_association_footprint(void);

// sctp_getassocid: the number of the socket's association with a peer, by one of its addresses; 0
// if there is none. Charges nothing.
uint32_t sctp_association_id(const struct sctp_socket *socket, int station, uint16_t port);

// shutdown: graceful; close: the same for all associations of the socket, which must not be used
// any more; abort: at once. `association` 0: the only one.
int sctp_shutdown(struct cpu_context *context, struct sctp_socket *socket, uint32_t association);
int sctp_abort(struct cpu_context *context, struct sctp_socket *socket, uint32_t association);
void sctp_close(struct cpu_context *context, struct sctp_socket *socket);

// SCTP_PRIMARY_ADDR. Returns 0 or an error.
int sctp_set_primary(struct cpu_context *context, struct sctp_socket *socket, uint32_t association,
                     int station);

struct sctp_status {
    const char *state; // "ESTABLISHED"
    int64_t peer_rwnd, a_rwnd;
    int64_t unacked, pending; // chunks sent and not acknowledged; messages not received by the user
    int streams_in, streams_out;
    int64_t fragment_point; // bytes of user data per chunk
    int primary;            // station
    int paths;
};

// SCTP_STATUS. Returns false if there is no such association.
bool sctp_status(struct sctp_socket *socket, uint32_t association, struct sctp_status *status);

// Returns the last failure of the socket's association, and forgets it (SO_ERROR); 0: none.
int sctp_socket_error(struct sctp_socket *socket);

// True once a connecting one-to-one socket's association is up.
bool sctp_established(const struct sctp_socket *socket);

// Bytes that a send would take now; charges nothing.
int64_t sctp_writable(const struct sctp_socket *socket);

struct inet_socket *sctp_socket_inet(struct sctp_socket *socket);

// For reports: state, paths, windows, timers. Returns a new reference.
json_t *sctp_socket_describe(const struct sctp_socket *socket);

// Returns the reason that holds back data that were given to the socket ("rwnd-blocked", "T3 of
// path 2", ...), or NULL if nothing does. The class is for explain.
const struct wait *sctp_socket_wait(const struct sctp_socket *socket);

#endif
