// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/iwarp: an RNIC and what belongs to it.
#ifndef NETSIM_MODELS_IWARP_INTERNAL_H
#define NETSIM_MODELS_IWARP_INTERNAL_H

#include "models/inet/watch.h"
#include "models/iwarp/segment.h"
#include "models/iwarp/verbs.h"

#include "sim/core/pool.h"

// A work request from its posting to its completion.
enum iwarp_work_state {
    IWARP_WORK_NEW,
    IWARP_WORK_QUEUED,  // for the thread; a read: its request is to be sent
    IWARP_WORK_SENDING, // the thread has begun it
    IWARP_WORK_POSTED,  // a receive waits for its message, a read for its response
    IWARP_WORK_PLACED,  // all of it has come, and it waits for those posted before it
    IWARP_WORK_DONE,
};

struct iwarp_work {
    struct iwarp_work *next;
    struct iwarp_qp *qp;
    struct iwarp_work_request request;
    uint32_t number;        // of the RNIC's work requests, from 1
    struct machine machine; // enum iwarp_work_state
    enum iwarp_status status;
    int64_t length;         // bytes of its list
    int64_t done;           // bytes sent, or placed
    uint32_t msn;           // of an untagged message
    bool built;             // its next segment is
    bool begun;             // its first segment has gone
    bool internal;          // the stack's own: its completion is not reported
    enum iwarp_fault fault; // of a terminate
    sim_time posted;
    // The message that a receive has taken.
    struct message_ref message;
    int64_t offset;
    bool stands_in;
    uint32_t content_length;
    unsigned char content[IWARP_CONTENT_BYTES];
};

// First in, first out.
struct iwarp_works {
    struct iwarp_work *head, *tail;
    int count;
};

// Receives that were posted one after the other: each has the next number and id, and the memory
// after that of the one before.
struct iwarp_run {
    struct iwarp_run *next;
    struct iwarp_work_request first;
    uint32_t number, msn; // of the first
    uint32_t count;
};

// Receives that have not completed.
struct iwarp_receives {
    struct iwarp_run *head, *tail;
    struct iwarp_work *taken;   // by messages, ascending by message number
    uint32_t posted, completed; // message numbers of the newest and of the last that has completed
};

// Completions that differ in their ids only, which count up.
struct iwarp_entry {
    struct iwarp_entry *next;
    sim_time when; // they were put into the CQ
    struct iwarp_completion completion;
    uint32_t more; // besides the first
};

struct iwarp_cq {
    struct iwarp_rnic *rnic;
    struct iwarp_entry *head, *tail;
    int users;    // queues of QPs
    bool awaited; // the process wants to be woken by an entry
    bool destroyed;
};

// The segment that is being read.
struct iwarp_incoming {
    bool begun; // its first bytes are there
    bool whole; // so are its headers
    int64_t placed;
    struct iwarp_work *work; // the receive or the read that it is for; NULL: none
    struct iwarp_part part;
    struct iwarp_header header;
};

struct iwarp_qp {
    struct iwarp_rnic *rnic;
    struct iwarp_qp_attributes attributes;
    int number;             // from 1
    struct machine machine; // enum iwarp_qp_state
    const char *error;
    bool ended; // the peer sends nothing more
    bool destroyed;
    const struct iwarp_transport *transport;
    void *socket;
    struct iwarp_link link; // the transport's state of the connection
    struct inet_process *process, *thread;
    int streams;
    uint32_t next_msn[IWARP_QUEUES]; // of messages sent, by queue number
    struct iwarp_receives receives;
    struct iwarp_works reads;        // in the order of posting
    struct iwarp_work *responses;    // to read requests that arrived out of order
    uint32_t answered;               // message number of the last read request that had it
    const struct iwarp_work *writer; // over a stream: of its segment a part is written
    int queued;                      // sends of it that the thread has not done
    struct iwarp_incoming in;
};

struct iwarp_region {
    uint32_t stag, domain; // stag 0: free
    int64_t address, length;
    uint8_t key; // of the next tag
};

struct iwarp_rnic {
    const struct iwarp_config *config;
    struct iwarp_user user;
    GPtrArray *qps, *cqs;
    GArray *regions; // struct iwarp_region, by index of the tag
    GArray *domains; // uint32_t; 0: free
    struct pool works, entries, runs;
    struct inet_process *process;            // the user's; NULL: no QP has had a socket yet
    const struct iwarp_transport *transport; // of all QPs
    struct cpu_task thread;
    bool thread_idle;            // it sleeps because there is nothing to do
    bool thread_blocked;         // in the call for the head of `queue`
    struct iwarp_works queue;    // of the thread
    struct iwarp_works requests; // reads whose request is to be sent, by polls
    struct inet_watch watch;     // sockets of the QPs that read, by number of the QP less 1
    guint turn;                  // index of the QP that is read from next
    int readable;                // QPs that the last poll(2) has found so, not yet read from
    GArray *unread;              // uint64_t: which ones, a bit per QP
    uint32_t last_number;
    bool closed;
    GArray *selected; // struct inet_selected of iwarp_cq_block
    struct {
        int64_t sent, received, terminates;
        int64_t *segments_sent, *segments_received, *terminated, *thread_blocks, *empty_polls;
    } count;
};

extern const struct stage iwarp_stage;

// memory.c
bool iwarp_domain_known(const struct iwarp_rnic *rnic, uint32_t domain);
// The region of a tag, if the domain has it; else NULL.
const struct iwarp_region *iwarp_region_of(const struct iwarp_rnic *rnic, uint32_t stag,
                                           uint32_t domain);
bool iwarp_region_holds(const struct iwarp_region *region, int64_t address, int64_t length);

// work.c
extern const struct machine_kind iwarp_work_machine; // by enum iwarp_work_state
// Writes a work request that has just been posted, without its number and state.
void iwarp_work_fill(struct iwarp_work *work, struct iwarp_qp *qp,
                     const struct iwarp_work_request *request);
// iwarp_work_fill, and gives it its number and traces it.
void iwarp_work_init(const struct cpu_context *context, struct iwarp_work *work,
                     struct iwarp_qp *qp, const struct iwarp_work_request *request);
struct iwarp_work *iwarp_work_new(const struct cpu_context *context, struct iwarp_qp *qp,
                                  const struct iwarp_work_request *request);
void iwarp_work_free(struct iwarp_work *work);
void iwarp_work_enter(const struct cpu_context *context, struct iwarp_work *work,
                      enum iwarp_work_state state);
// Completes it, unless it is silent and all went well, and frees it. It must be in no queue.
void iwarp_work_complete(struct cpu_context *context, struct iwarp_work *work,
                         enum iwarp_status status);
// iwarp_work_complete without freeing it.
void iwarp_work_report(struct cpu_context *context, struct iwarp_work *work,
                       enum iwarp_status status);
void iwarp_works_append(struct iwarp_works *works, struct iwarp_work *work);
struct iwarp_work *iwarp_works_pop(struct iwarp_works *works);
const char *iwarp_operation_name(enum iwarp_operation operation);
// Queues a work request for the thread and wakes it if it sleeps.
void iwarp_thread_post(struct cpu_context *context, struct iwarp_work *work);
// The QP has ended: the thread does not wait for its socket any more.
void iwarp_thread_release(struct cpu_context *context, const struct iwarp_qp *qp);

// receives.c
int iwarp_receives_count(const struct iwarp_receives *receives);
void iwarp_receives_post(const struct cpu_context *context, struct iwarp_qp *qp,
                         const struct iwarp_work_request *request);
// The posted receive for a message of that number, which takes it; NULL: there is none.
struct iwarp_work *iwarp_receives_take(struct iwarp_qp *qp, uint32_t msn);
// Completes those whose messages are placed, up to the first whose message is not.
void iwarp_receives_complete(struct cpu_context *context, struct iwarp_qp *qp);
// Completes all as flushed.
void iwarp_receives_flush(struct cpu_context *context, struct iwarp_qp *qp);
// Frees all without a completion.
void iwarp_receives_forget(struct iwarp_qp *qp);

// cq.c
void iwarp_cq_put(struct cpu_context *context, struct iwarp_cq *cq,
                  const struct iwarp_completion *completion);

// thread.c
void iwarp_thread_init(struct iwarp_rnic *rnic);

// qp.c
extern const struct machine_kind iwarp_qp_machine; // by enum iwarp_qp_state
// Polls read from its socket.
bool iwarp_qp_reads(const struct iwarp_qp *qp);
// The QP has come to its end, with a reason: its reads and receives are flushed.
void iwarp_qp_fail(struct cpu_context *context, struct iwarp_qp *qp, const char *error);
// The peer sends nothing more.
void iwarp_qp_ended(struct cpu_context *context, struct iwarp_qp *qp);
// Sends a terminate message, after what was posted, and ends the QP.
void iwarp_qp_terminate(struct cpu_context *context, struct iwarp_qp *qp, enum iwarp_fault fault);

// send.c
// Sends the next segment of a work request. IWARP_OK: sent, and `done` has moved on. IWARP_AGAIN:
// the socket has no room.
enum iwarp_result iwarp_send_next(struct cpu_context *context, struct iwarp_work *work);
bool iwarp_send_finished(const struct iwarp_work *work);

// receive.c
// Reads from the QP's socket what belongs to one segment. Returns true if there was anything.
bool iwarp_receive(struct cpu_context *context, struct iwarp_qp *qp);

#endif
