// SPDX-License-Identifier: GPL-3.0-or-later
// A process of an MPI program: its requests, and the device (the library's lower half) that
// executes them.
//
// The process is one task of its host's processor. Its program starts requests and asks for
// progress, when the library's calls do (progress.h). The device handles one event per call, so
// that a slice of processor time covers one event, and reports when it has nothing to do. Progress
// is made only inside MPI calls.
#ifndef NETSIM_MPI_PROCESS_H
#define NETSIM_MPI_PROCESS_H

#include "sim/host/host.h"
#include "sim/mpi/library.h"
#include "sim/mpi/matcher.h"
#include "sim/mpi/observer.h"
#include "sim/mpi/peer_counts.h"
#include "sim/mpi/progress.h"
#include "sim/mpi/request.h"

#include <glib.h>
#include <jansson.h>

enum mpi_progress {
    PROGRESS_EVENT,   // a turn of the library has ended that handled something: ask again
    PROGRESS_PART,    // a turn goes on: the call neither looks nor leaves before it has ended
    PROGRESS_NOTHING, // nothing to do now (only when not blocking); a turn has ended
    PROGRESS_BLOCKED, // nothing to do; the process sleeps until the device wakes its task
};

// The longest message that a call of a library can name.
struct mpi_longest {
    int64_t bytes;      // 0: any length
    const char *number; // what holds it: "MPI's count of bytes"
};

// MPI's calls give the length as an int.
#define MPI_LONGEST_COUNT                                                                          \
    {                                                                                              \
        .bytes = INT32_MAX, .number = "MPI's count of bytes"                                       \
    }

struct mpi_arrival_ops;
struct mpi_bare_ops;
struct mpi_startup_step;

// The library's lower half. All functions are called from the process's own task.
struct mpi_device_ops {
    const char *name;
    const struct mpi_arrival_ops *arrival; // of receives (arrival.h); NULL: the device matches
                                           // itself
    const struct mpi_bare_ops *bare;       // of a bare provider (bare.h); NULL: a library
    struct mpi_longest longest;            // a longer message ends the run, and check refuses it
    size_t request_size;                   // of the device's part of a request
    const struct machine_kind *machine;    // of its requests; state 0 is the start
    // Steps of its initialisation (startup.h). NULL: none.
    const struct mpi_startup_step *startup;
    const struct machine_kind *startup_machine; // by the rows of startup; NULL: not traced
    // Shuts the device down after the program's last operation, one slice per call;
    // PROGRESS_NOTHING: it is down. NULL: nothing to do.
    enum mpi_progress (*finalize)(struct cpu_context *context, struct mpi_process *process);
    // True if the library bypasses its requests for this one, so that building and destroying it
    // costs nothing. NULL: never.
    bool (*shortcut)(const struct mpi_request *request);
    // Builds and starts a new request, as far as possible without waiting.
    void (*start)(struct cpu_context *context, struct mpi_request *request);
    const struct mpi_progress_rule *progress; // NULL: mpi_progress_always
    // Goes on with what the device has begun and left to a slice of its own, such as the rest of a
    // write; also in calls that make no progress. PROGRESS_NOTHING: nothing is left. NULL: it
    // leaves nothing.
    enum mpi_progress (*go_on)(struct cpu_context *context, struct mpi_process *process);
    // Handles at most one event, when go_on has left nothing. blocking: the process may be put to
    // sleep.
    enum mpi_progress (*advance)(struct cpu_context *context, struct mpi_process *process,
                                 bool blocking);
    // Whether an operation that may begin with a collective (operation_kind.opening) does so in the
    // device's present state; called once per such call, before the collective. NULL: always.
    bool (*opens)(const struct mpi_process *process, const struct operation_kind *kind,
                  const void *arguments);
    // Called before a done request is freed. NULL: it holds nothing.
    void (*destroy)(struct cpu_context *context, struct mpi_request *request);
    // Which of the library's routes the message of an operation takes, from 0 to 255, where
    // messages keep their order within a route only (and within the kind's `order`). NULL: it has
    // one.
    int (*way)(const struct mpi_request *request);
    // Registers memory with the card, for programs on a bare provider. NULL: the device has no such
    // calls. Returns false if it failed.
    bool (*register_memory)(struct cpu_context *context, struct mpi_process *process,
                            int64_t address, int64_t size);
    // Deregisters it; also for such programs only.
    bool (*deregister_memory)(struct cpu_context *context, struct mpi_process *process,
                              int64_t address, int64_t size);
    // For reports: members on a request, and on the process (pinned bytes; a list of texts is
    // printed as a line each). Members replace those of the same name, so that a wait may have its
    // numbers, where the state's row can only be general: {"waits_for": "CTS for message 7 from
    // node1"}. Return new references, or NULL.
    json_t *(*describe_request)(const struct mpi_request *request);
    json_t *(*describe_process)(const struct mpi_process *process);
};

struct mpi_process {
    struct sim *sim;
    struct host *host;
    int rank, ranks;
    const char *name; // "rank 0"
    struct cpu_task task;
    struct mpi_process *const *peers; // all processes of its job, itself included, by rank
    const struct mpi_device_ops *ops;
    void *device;
    struct {
        struct machine machine; // its state is a row of ops->startup
        int peer;               // that the row handles
    } startup;
    const struct mpi_library_config *library; // NULL: no MPI library (native programs)
    struct mpi_matcher matcher;

    struct pool request_pool;
    uint32_t last_number;
    struct mpi_request *active;     // all requests that are not done, youngest first
    bool tests;                     // in a call that tests requests (MPI_Test)
    int open_waits;                 // unfinished requests that the program waits for
    const struct mpi_request *own;  // the one that the library waits for now, if it does so one by
                                    // one (mpi_progress_rule.in_order); else NULL
    struct peer_counts sequence;    // of messages, by destination
    GArray *packs;                  // struct mpi_pack: buffers for packed data; NULL: none yet
    int64_t heap_end;               // end of the allocated part of the process's address space
    const struct wait *blocked_for; // what a traced process sleeps for; else NULL
    sim_time blocked_since;

    sim_time reported; // time reported by an operation that measures it itself, for benchmarks

    void *program;                 // the workload's
    struct mpi_observer *observer; // NULL: none. Not owned
};

// Returns a process of rank `rank` on `host`. The workload sets task.run; the stack sets ops,
// device and library. The caller frees it with mpi_process_free.
struct mpi_process *mpi_process_new(struct sim *sim, struct host *host, int nth_on_host, int rank,
                                    int ranks, cpu_task_fn *run);
void mpi_process_free(struct mpi_process *process);

// Allocates a page-aligned block of the process's address space and returns its address.
static inline int64_t mpi_process_allocate(struct mpi_process *process, int64_t bytes)
{
    int64_t page = process->host->config.memory.page;
    int64_t address = (process->heap_end + page - 1) / page * page;
    process->heap_end = address + bytes;
    return address;
}

// ---- For programs. Each is an MPI call and charged as one, but mpi_wait and progress. ----

struct mpi_transfer {
    int peer, tag; // the peer's rank in the job
    enum mpi_context context;
    const struct mpi_group *group; // of the context; NULL: all of the job
    int64_t address, size;
    bool synchronous;
    // A ready send: the run fails if it arrives at a process that has posted no receive for it.
    bool ready;
    // Of a persistent request: mpi_build has charged it, and mpi_call the call that starts it.
    bool prebuilt;
    // The data lie in so many pieces: a send is packed into a buffer of the library's, and a
    // receive is unpacked from one when it is freed. 0: they are contiguous, at `address`.
    int64_t pieces;
    bool blocking;                          // the call returns when it is done (MPI_Send, MPI_Recv)
    const struct operation_kind *operation; // of REQUEST_OPERATION, and its arguments, which must
    const void *arguments;                  // live as long as the request
};

// REQUEST_OPERATION charges nothing by itself: the device charges its costs. Its context is that of
// its kind, whatever the transfer's is.
struct mpi_request *mpi_start(struct cpu_context *context, struct mpi_process *process,
                              enum mpi_request_kind kind, const struct mpi_transfer *transfer);

// Charges the entry of a call that starts no request (MPI_Wait).
void mpi_call(struct cpu_context *context, struct mpi_process *process);

// Charges a call that builds or destroys a persistent request (MPI_Send_init).
void mpi_build(struct cpu_context *context, struct mpi_process *process);

// Reports to the observer that the process enters or leaves a collective.
void mpi_observe_collective(struct mpi_process *process, const char *name, bool enters);

// Marks a request as one that the program waits for.
void mpi_wait(struct mpi_process *process, struct mpi_request *request);

// The program no longer waits for the request (MPI_Waitany has returned another).
void mpi_unwait(struct mpi_process *process, struct mpi_request *request);

static inline const struct mpi_progress_rule *mpi_rule(const struct mpi_process *process)
{
    return process->ops->progress ? process->ops->progress : &mpi_progress_always;
}

// Calls the device's `go_on` once. PROGRESS_NOTHING: nothing is left.
enum mpi_progress mpi_go_on(struct cpu_context *context, struct mpi_process *process);

// Calls the device's `advance` once; `go_on` must have left nothing.
enum mpi_progress mpi_advance(struct cpu_context *context, struct mpi_process *process,
                              bool blocking);

// The next step of both; PROGRESS_PART: of go_on.
enum mpi_progress mpi_progress(struct cpu_context *context, struct mpi_process *process,
                               bool blocking);

// Frees a done request.
void mpi_request_free(struct cpu_context *context, struct mpi_request *request);

// Withdraws a request that found nothing (MPI_Iprobe), done or not.
void mpi_request_withdraw(struct cpu_context *context, struct mpi_request *request);

// ---- For devices. ----

// Returns true, and fails the run with "truncated", if the message is longer than the receive's
// buffer (never for a probe).
bool mpi_request_truncates(struct mpi_request *request, const struct mpi_envelope *envelope);

// A receive or probe has found its message.
void mpi_request_match(struct mpi_request *request, const struct mpi_envelope *envelope,
                       struct message_ref message);

// Completes the request. For a receive, closes its message in the ledger. mpi_message_arrived
// closes the messages of one-sided transfers and active messages where and when their last byte
// arrives.
void mpi_request_done(struct cpu_context *context, struct mpi_request *request);

// The last byte of a put, a get, an accumulate or an active message has reached its final place, at
// `process` (a get: at the caller). Matches and completes the message in the ledger. Its bytes must
// have been delivered (ledger_deliver).
void mpi_message_arrived(const struct cpu_context *context, struct mpi_process *process,
                         struct message_ref message);

// The envelope of a send request's message.
struct mpi_envelope mpi_send_envelope(const struct mpi_request *request);

// Charges matching against `scanned` queue entries.
void mpi_charge_match(struct cpu_context *context, const struct mpi_process *process, int scanned);

// Charges combining two operands of a reduction, of `bytes` bytes each.
void mpi_charge_reduce(struct cpu_context *context, const struct mpi_process *process,
                       int64_t bytes);

extern const struct stage mpi_stage; // the library, above its device

// The row of the request's state in its device's table. NULL: the device has none.
const struct machine_state *mpi_request_state(const struct mpi_request *request);

// Moves the request to another state: traces the transition and sets what the request waits for.
void mpi_enter(struct cpu_context *context, struct mpi_request *request, unsigned state,
               const char *detail);

// Like mpi_enter, but leaves no trace.
void mpi_enter_untraced(struct mpi_request *request, unsigned state);

// Traces a protocol transition of a request that is not a change of its state.
void mpi_trace(const struct cpu_context *context, struct mpi_request *request, const char *from,
               const char *to, const char *detail);

// Ends the run as sim_fail does, for something that this process has met. The sentence begins with
// "rank N", which `format` continues (" loses its connection"), and the reason has a member "rank"
// before those of `detail` (a new reference, may be NULL).
void mpi_fail(const struct mpi_process *process, const char *kind, json_t *detail,
              const char *format, ...) G_GNUC_PRINTF(4, 5);

// True if a message was sent that matches this receive or probe, of a certain source and tag, and
// no receive has matched it.
bool mpi_message_under_way(const struct mpi_request *receive);

// A report on a process that did not end: {"rank", "requests": [{"kind", "peer", "tag", "size",
// "waits_for", …}], …}, new reference.
json_t *mpi_process_describe(const struct mpi_process *process);

#endif
