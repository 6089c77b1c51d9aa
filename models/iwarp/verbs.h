// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs of a user-level iWARP (thesis 004, 3.3.5 and table 3.1): RNIC, queue pairs, completion
// queues, registered memory and work requests. They know nothing of MPI.
//
// There is no card: an RNIC is a library in the process and a progress thread, which sends what was
// posted to the send queues of all QPs, in the order of posting (3.3.4). Arrivals are read, and
// reads go on, only inside polls of the process. Each QP has a connected socket of its own, over
// SCTP or, with MPA's framing, over TCP.
//
// Every call is made from the process's own task and charged to its processor. No call blocks: a
// call that would returns IWARP_AGAIN, the process is asleep then and returns CPU_SLEEP from its
// handler, and makes the call again once it is woken.
//
// Payload is not stored. A work request names the part of the ledger's message that it moves, and
// placement is reported to the ledger. Up to IWARP_CONTENT_BYTES at the head of a send are kept and
// handed to the receiver (an envelope).
//
// Not modelled: negotiation (disabled there, 3.3.1), memory windows, access rights of memory,
// shared receive queues, atomic operations, locks (their cost is part of `post` and `poll`).
#ifndef NETSIM_MODELS_IWARP_VERBS_H
#define NETSIM_MODELS_IWARP_VERBS_H

#include "models/inet/socket.h"
#include "models/iwarp/config.h"

#include <glib.h>

#define IWARP_CONTENT_BYTES 40 // with all headers no more than a TCP run keeps
#define IWARP_MOST_SGES 4

struct iwarp_rnic;
struct iwarp_qp;
struct iwarp_cq;
struct sctp_host;
struct sctp_socket;
struct tcp_host;
struct tcp_listener;
struct tcp_socket;

enum iwarp_result {
    IWARP_OK = 0,
    IWARP_AGAIN = -1,         // the process is asleep: call again after the wake-up
    IWARP_FULL = -2,          // the queue has no room for the work request
    IWARP_STATE = -3,         // not in this state of the QP
    IWARP_INVALID = -4,       // an argument: an operation of the other queue, too many elements, an
                              // object that is still in use
    IWARP_BAD_STAG = -5,      // no such memory, or of another protection domain
    IWARP_OUT_OF_BOUNDS = -6, // the memory is shorter
    IWARP_GONE = -7,          // the connection could not be made, or has ended
};

// "would block", "no such memory", ...
const char *iwarp_result_text(enum iwarp_result result);

enum iwarp_operation {
    IWARP_SEND,
    IWARP_WRITE,
    IWARP_READ,
    IWARP_RECEIVE,
    IWARP_TERMINATE,     // posted like a send: ends the connection
    IWARP_READ_RESPONSE, // the stack's own, at the target of a read
};

// ---- RNIC ----

// Whose RNIC it is.
struct iwarp_user {
    struct sim *sim;
    struct host *host;
    const char *name;        // for traces: "rank 0". Must outlive the RNIC
    struct cpu_task *task;   // makes all calls
    struct cpu *thread_core; // that the progress thread runs on; on the host
    // The last byte of a message of a write (IWARP_WRITE) has been placed over the QP, or a read
    // (IWARP_READ) has completed. The protocol reports no write to the program: this is for the
    // ledger and for tests. NULL: not called.
    void (*placed)(struct cpu_context *context, const struct iwarp_qp *qp,
                   enum iwarp_operation operation, struct message_ref message);
};

struct iwarp_rnic *iwarp_rnic_open(struct cpu_context *context, const struct iwarp_config *config,
                                   const struct iwarp_user *user);

// The thread ends when it has sent what was posted. QPs and CQs must have been destroyed.
enum iwarp_result iwarp_rnic_close(struct cpu_context *context, struct iwarp_rnic *rnic);

// Frees it, after the run and before the engine. NULL is ignored.
void iwarp_rnic_free(struct iwarp_rnic *rnic);

// Makes progress of what arrives and of reads, without taking an entry off a CQ: a poll(2) over the
// sockets of all QPs, and then one segment of each that is readable, one QP a call. Returns true if
// there was something to do.
bool iwarp_rnic_advance(struct cpu_context *context, struct iwarp_rnic *rnic);

// Its objects, and counts of its work.
struct iwarp_rnic_attributes {
    int qps, cqs, regions;
    int64_t registered; // bytes
    int queued;         // work requests for the thread
    int64_t segments_sent, segments_received, terminates;
};
void iwarp_rnic_query(const struct iwarp_rnic *rnic, struct iwarp_rnic_attributes *attributes);

// ---- Memory ----

// Protection domains: a QP reaches only memory of its own one.
uint32_t iwarp_pd_allocate(struct cpu_context *context, struct iwarp_rnic *rnic);
enum iwarp_result iwarp_pd_deallocate(struct cpu_context *context, struct iwarp_rnic *rnic,
                                      uint32_t domain);

// Registers [address, address + length) (length > 0), charged by the page. Returns its steering
// tag, or 0 if the domain is unknown.
uint32_t iwarp_memory_register(struct cpu_context *context, struct iwarp_rnic *rnic,
                               uint32_t domain, int64_t address, int64_t length);
enum iwarp_result iwarp_memory_deregister(struct cpu_context *context, struct iwarp_rnic *rnic,
                                          uint32_t stag);

// The steering tag of registered memory that holds the range, the oldest if several do, or 0.
// Charges nothing: for programs that have got the tag by an exchange that is not modelled.
uint32_t iwarp_memory_find(const struct iwarp_rnic *rnic, int64_t address, int64_t length);

// ---- Completion queues ----

// A CQ may serve several QPs, and send and receive queue of the same one.
struct iwarp_cq *iwarp_cq_create(struct cpu_context *context, struct iwarp_rnic *rnic);
enum iwarp_result iwarp_cq_destroy(struct cpu_context *context, struct iwarp_cq *cq);

enum iwarp_status {
    IWARP_SUCCESS,
    IWARP_FLUSHED,   // the QP has come to its end before
    IWARP_TOO_SMALL, // a receive: the message was longer than its buffer
};

struct iwarp_completion {
    struct iwarp_qp *qp;
    enum iwarp_operation operation;
    enum iwarp_status status;
    uint64_t id; // of the work request
    void *owner; // of the work request
    int64_t bytes;
    // Of a receive: the message of the send, and its content.
    struct message_ref message;
    int64_t offset;
    bool stands_in;
    uint32_t content_length;
    unsigned char content[IWARP_CONTENT_BYTES];
};

enum iwarp_poll {
    IWARP_POLL_ENTRY,    // an entry has been taken off the CQ
    IWARP_POLL_PROGRESS, // no entry yet, but something was done: poll again
    IWARP_POLL_NOTHING,
};

// Takes one entry off the CQ (thesis 004, 3.3.6). It has sent a read request that waits, and polled
// the sockets of the RNIC's QPs, before; if the CQ is empty it reads a segment from each QP that is
// readable, one a call, and takes the entry that this makes.
enum iwarp_poll iwarp_cq_poll(struct cpu_context *context, struct iwarp_cq *cq,
                              struct iwarp_completion *completion);

// Sleeps until a poll would find something. Returns IWARP_OK if it would now, else IWARP_AGAIN.
enum iwarp_result iwarp_cq_block(struct cpu_context *context, struct iwarp_cq *cq);

// For a process that waits for other sockets, too: appends the sockets that iwarp_cq_block would
// wait for (struct inet_selected), and has the thread wake the process if it puts an entry into the
// CQ during the process's next sleep. Returns false, without appending anything, if a poll would
// find something now without reading a socket.
bool iwarp_cq_await(struct iwarp_cq *cq, GArray *selected);

// ---- Queue pairs ----

struct iwarp_qp_attributes {
    struct iwarp_cq *send_cq, *receive_cq; // may be the same
    uint32_t domain;
    void *owner; // for iwarp_qp_owner
};

enum iwarp_qp_state {
    IWARP_QP_IDLE,
    IWARP_QP_CONNECTING,
    IWARP_QP_RTS, // ready to send
    IWARP_QP_CLOSING,
    IWARP_QP_TERMINATE, // a terminate message is to be sent
    IWARP_QP_ERROR,
};

// NULL if the attributes are wrong.
struct iwarp_qp *iwarp_qp_create(struct cpu_context *context, struct iwarp_rnic *rnic,
                                 const struct iwarp_qp_attributes *attributes);
// Only an idle or failed one, or one that was disconnected; its receives and reads that have not
// completed are forgotten, and entries of it in CQs stay. Returns IWARP_AGAIN, without a sleep,
// while the thread has work requests of it.
enum iwarp_result iwarp_qp_destroy(struct cpu_context *context, struct iwarp_qp *qp);

void *iwarp_qp_owner(const struct iwarp_qp *qp);
enum iwarp_qp_state iwarp_qp_state(const struct iwarp_qp *qp);
// The stream of messages to or from memory with that steering tag, or, of untagged ones, with that
// message number.
int iwarp_qp_stream(const struct iwarp_qp *qp, uint32_t number);
// Whether the peer has closed, so that nothing more will arrive.
bool iwarp_qp_ended_by_peer(const struct iwarp_qp *qp);
// Why it has failed ("no posted receive", ...), or NULL. Static.
const char *iwarp_qp_error(const struct iwarp_qp *qp);

// Where to connect to: a peer's address, through the stack that is set.
struct iwarp_address {
    struct sctp_host *sctp; // the own one
    struct tcp_host *tcp;
    const int *stations; // of the peer; over TCP the first
    int count;
    uint16_t port;
};

// A listening socket: the one that is set.
struct iwarp_listener {
    struct sctp_socket *sctp;
    struct tcp_listener *tcp;
};

// Connects, or accepts the next connection of a listener. IWARP_OK: the QP is connected.
enum iwarp_result iwarp_qp_active_connect(struct cpu_context *context, struct iwarp_qp *qp,
                                          const struct iwarp_address *address);
enum iwarp_result iwarp_qp_passive_connect(struct cpu_context *context, struct iwarp_qp *qp,
                                           const struct iwarp_listener *listener);

// Registers a connected descriptor, of either transport, with the QP, which owns it from then on
// (iwarp_qp_register_fd, 3.3.6).
enum iwarp_result iwarp_qp_register_sctp(struct cpu_context *context, struct iwarp_qp *qp,
                                         struct sctp_socket *socket);
enum iwarp_result iwarp_qp_register_tcp(struct cpu_context *context, struct iwarp_qp *qp,
                                        struct tcp_socket *socket);

// Closes the connection gracefully; data that the peer has sent can still be read. Receives and
// reads that have not completed are flushed once the peer has closed, too. Returns IWARP_AGAIN,
// without a sleep, while the thread has work requests of the QP.
enum iwarp_result iwarp_qp_disconnect(struct cpu_context *context, struct iwarp_qp *qp);

// Part of registered memory.
struct iwarp_sge {
    uint32_t stag;
    int64_t address, length; // length >= 0
};

struct iwarp_work_request {
    uint64_t id;
    void *owner; // returned with the completion
    enum iwarp_operation operation;
    bool silent; // no completion is wanted
    // Scatter-gather list: what is sent, or where what arrives is placed. A read has one element.
    struct iwarp_sge sgl[IWARP_MOST_SGES];
    int sge_count;
    // Write and read: the peer's memory.
    uint32_t remote_stag;
    int64_t remote_address;
    // The data: the first `content_length` bytes (a send) are content, the others those of the
    // message from `offset` on.
    struct message_ref message; // generation 0: none
    int64_t offset;
    bool stands_in;      // the message has no bytes: the request represents it
    const void *content; // copied
    uint32_t content_length;
};

// Posts a send, a write or a terminate. A send or write is complete when the transport has all of
// it.
enum iwarp_result iwarp_qp_post_sq(struct cpu_context *context, struct iwarp_qp *qp,
                                   const struct iwarp_work_request *request);

// Posts a receive, or a read, which the polls of this process carry on.
enum iwarp_result iwarp_qp_post_rq(struct cpu_context *context, struct iwarp_qp *qp,
                                   const struct iwarp_work_request *request);

// For reports of processes that did not end: state, queues, what the thread waits for. Returns a
// new reference.
json_t *iwarp_rnic_describe(const struct iwarp_rnic *rnic);

#endif
