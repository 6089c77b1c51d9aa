// SPDX-License-Identifier: GPL-3.0-or-later
// An endpoint: GRIM's library for one process on its host (thesis 003, 4.4 and 4.5). It has one
// logical channel for both directions. Programs use it as the device of a process: active messages
// and polls, remote memory writes and reads, and sends and receives, which travel as active
// messages of its own (endpoint_mpi.c).
//
// Sending. Requests inject their messages in the order of the calls. A call waits if its message
// finds no room on the card. A handler's message then goes to the overflow queue in host memory,
// and while that is not empty, calls append theirs to it.
//
// Receiving. Every call polls: it runs the handlers of all active messages that have arrived. A
// message keeps its room until its handler has ended. A handler whose reply finds room neither on
// the card nor in the overflow queue does not end, and blocks all later messages.
//
// Handlers. "nop" does nothing. "reply" sends a message of the same size back to the sender's
// "nop". Other handlers that a program registers ("grim.handlers", or call register.NAME) do
// nothing under another name.
//
// Calls by name (op `call`). register: sends the names of the local handlers to the server and
// waits for the list; register.NAME adds one first. lookup.NAME: finds a name's integer. notified:
// waits until `count` words of notification have arrived that no earlier call has counted. scan:
// has the card look through `count` empty channels and reports the time. A poll likewise waits for
// `count` messages that no poll has counted, whichever call has handled them.
//
// Not modelled: multicast, peripheral devices as endpoints, protection between the processes of a
// host, time slices between the polling thread and a computing program (the woken thread takes
// precedence), locks between the two.
#ifndef NETSIM_MODELS_GRIM_ENDPOINT_ENDPOINT_H
#define NETSIM_MODELS_GRIM_ENDPOINT_ENDPOINT_H

#include "models/grim/endpoint/handlers.h"
#include "models/grim/memory/memory_remote.h"
#include "models/grim/ni/ni.h"
#include "sim/config/param.h"
#include "sim/core/pool.h"
#include "sim/core/sparse.h"
#include "sim/mpi/arrival.h"
#include "sim/mpi/startup.h"

enum grim_publish { GRIM_PUBLISH_SENDER, GRIM_PUBLISH_ALL };

struct grim_config {
    struct cost call, message, poll, handle, function, lookup;
    const char *const *handlers;
    int64_t server;
    int publish; // enum grim_publish
    int64_t part;
    bool overflow;
    int64_t overflow_memory;
    struct cost overflow_entry;
    bool polling_thread;
    sim_time thread_period;
};

extern const struct param_table grim_table;

// ---- State ----

enum grim_startup {
    GRIM_START_MEMORY, // registers its memory
    GRIM_START_SUBMIT, // sends the names of its handlers to the server
    GRIM_START_LIST,   // waits for the list
    GRIM_START_ALL,    // waits until all endpoints have come this far
    GRIM_START_UP,
};

enum grim_request_state {
    GRIM_REQUEST_NEW,
    GRIM_REQUEST_ASK,     // must ask the server for the handler's integer
    GRIM_REQUEST_ASKED,   // has asked
    GRIM_REQUEST_INJECT,  // has messages left to inject
    GRIM_REQUEST_WORD,    // a read: the word of notification
    GRIM_REQUEST_TAKEN,   // a synchronous send: waits for the word that its receive has matched
    GRIM_REQUEST_POSTED,  // a receive: waits for its message
    GRIM_REQUEST_PARTS,   // waits for the rest of it
    GRIM_REQUEST_CONFIRM, // must notify the sender of a synchronous message
    GRIM_REQUEST_COUNT,   // a poll: waits for messages to be handled, or words of notification
    GRIM_REQUEST_LIST,    // a registration: waits for the server's list
    GRIM_REQUEST_SCAN,    // waits for the card to measure a scan
    GRIM_REQUEST_DONE,
};

struct grim_request {  // the device's part of a request
    int64_t done;      // bytes injected
    uint32_t confirms; // a receive: the sender's request
};

static inline struct grim_request *grim_of(const struct mpi_request *request)
{
    return (struct grim_request *)(void *)(uintptr_t)request->device;
}

// An MPI message whose parts are arriving, from one source.
struct grim_partial {
    struct mpi_request *request; // its data go to this request's buffer; or
    struct mpi_unexpected *unexpected;
    int64_t left;
    bool busy;
};

struct grim_overflow { // a message of the overflow queue
    struct grim_overflow *next;
    struct grim_message message;
};

// The messages that the current handler has yet to inject: to ranks next .. last.
struct grim_reply {
    struct grim_message message;
    int next, last;
};

enum grim_overflow_state { GRIM_OVERFLOW_EMPTY, GRIM_OVERFLOW_HOLDING };

// Of the message at the head of the endpoint's queue.
enum grim_handler_state {
    GRIM_HANDLER_WAITING,
    GRIM_HANDLER_RUNNING,
    GRIM_HANDLER_NO_ROOM, // for a message that the handler injects
    GRIM_HANDLER_DONE,
};

struct grim_endpoint {
    struct grim_stack *stack;
    struct mpi_process *process;
    const struct grim_config *config;
    struct grim_channel *channel;
    struct grim_handlers *handlers;
    int64_t contiguous, paged; // addresses of the memory registered at the start
    int64_t word;              // of notification; after the contiguous memory

    struct mpi_queue counting;  // polls
    struct mpi_queue answered;  // reads whose word has been written
    struct mpi_queue injecting; // requests with messages to inject, in the order of the calls
    bool calls_wait;            // the card had no room for their messages; the same for handlers:
    bool handlers_wait;
    struct grim_overflow *overflow, *overflow_last;
    int64_t overflow_bytes, overflow_messages;
    struct machine overflowing; // enum grim_overflow_state
    struct pool overflow_pool;

    struct grim_reply reply; // of the current handler
    bool replying;
    struct machine handling; // enum grim_handler_state
    struct sparse partial;   // struct grim_partial, by source

    int64_t handled, notified; // not yet claimed by a poll
    int64_t last_handled;      // all so far

    bool asleep; // in a polling loop, or until the polling thread wakes it
    bool woken;  // by the polling thread
    sim_time idle_since;
    struct event wake;
    struct cpu_task thread; // the polling thread
    struct event thread_tick;
    bool thread_runs;
    bool ended;
    struct grim_scan scan;
    struct mpi_request *scanning;
    int64_t *overflowed, *lookups; // counters
};

struct grim_stack { // of a job
    const struct grim_config *config;
    const struct grim_memory_config *memory_config;
    struct grim_fabric *fabric;
    struct grim_remote *remote;
    struct grim_names *names; // the server's
    int ranks;
    struct mpi_process *const *processes; // by rank, each with its endpoint
};

static inline struct grim_endpoint *grim_endpoint_of(const struct mpi_process *process)
{
    return process->device;
}

extern const struct stage grim_stage;          // the library on a processor
extern const struct stage grim_handlers_stage; // its table of handlers
extern const struct stage grim_poll_stage;     // its poll of the queue
extern const struct mpi_device_ops grim_ops;
extern const struct machine_kind grim_request_machine;  // by enum grim_request_state
extern const struct machine_kind grim_overflow_machine; // by enum grim_overflow_state
extern const struct machine_kind grim_handler_machine;  // by enum grim_handler_state

// ---- endpoint.c ----

void grim_endpoint_init(struct grim_endpoint *endpoint, struct grim_stack *stack,
                        struct mpi_process *process);
void grim_endpoint_clear(struct grim_endpoint *endpoint);

// A word of notification is in the memory of endpoint `number` (grim_notified_fn; the owner is the
// stack).
void grim_endpoint_notified(void *owner, uint16_t number, const void *content);

// Ends the run with a report if the endpoints' handlers wait for something, as nothing moves any
// more.
void grim_report_stalled(void *owner); // the stack

// ---- endpoint_request.c ----

// A request enters a state; traced, with what it waits for.
void grim_enter(struct cpu_context *context, struct mpi_request *request,
                enum grim_request_state state);

// The handler's name in an active message or a call lookup.NAME, interned.
const char *grim_name_of(const struct mpi_request *request);

// Something has happened that a poll would see: wakes a loop that polls at its next turn, the
// thread when it polls next.
void grim_wake(struct grim_endpoint *endpoint);

// ---- endpoint_message.c ----

// Argument 3 of a part of a send, from the lowest bit: two flags, the sender's request, the group.
#define GRIM_COLLECTIVE 1u
#define GRIM_SYNCHRONOUS 2u
#define GRIM_REQUEST_SHIFT 2
#define GRIM_REQUEST_MASK 0x3fffffu
#define GRIM_GROUP_SHIFT 24

// A message of the library for its own purposes.
struct grim_message grim_system_message(const struct grim_endpoint *endpoint, int to,
                                        enum grim_function function, int64_t bytes,
                                        const void *content);
// The names of the endpoint's functions, for the server.
struct grim_message grim_submission(const struct grim_endpoint *endpoint);
// Sets handler and arguments of a send's part.
void grim_mark_part(const struct mpi_request *send, struct grim_message *message);
struct mpi_envelope grim_envelope_of(const struct grim_message *message); // of such a part
// To the sender of a synchronous message.
struct grim_message grim_taken_message(const struct mpi_request *receive);

// ---- endpoint_send.c ----

// Injects a message of a call. Returns false if it has to wait.
bool grim_call_inject(struct cpu_context *context, struct grim_endpoint *endpoint,
                      const struct grim_message *message);
// Like grim_call_inject, but for a handler: the message may go to the overflow queue.
bool grim_handler_inject(struct cpu_context *context, struct grim_endpoint *endpoint,
                         const struct grim_message *message);
// Injects the oldest message of the overflow queue. Returns false if the queue is empty or has to
// wait.
bool grim_overflow_drain(struct cpu_context *context, struct grim_endpoint *endpoint);

// A request has messages to inject: queues them after those of others and injects as far as there
// is room.
void grim_inject(struct cpu_context *context, struct mpi_request *request,
                 enum grim_request_state state);
// Injects the next message of the oldest such request. Returns false if there is none or it has to
// wait.
bool grim_inject_next(struct cpu_context *context, struct grim_endpoint *endpoint);

// ---- endpoint_transfer.c ----

// Builds the next message of a request. Returns how many bytes of the transfer it covers, or -1 if
// the run has failed.
int64_t grim_build_part(struct mpi_request *request, struct grim_message *message);

// ---- endpoint_poll.c ----

void grim_poll_init(struct grim_endpoint *endpoint);
// Runs the handler of the oldest active message. Returns false if there is none, or if the previous
// handler waits for room.
bool grim_handle_next(struct cpu_context *context, struct grim_endpoint *endpoint);
// Completes a poll that has what it waits for, or a read. Returns false if there is none.
bool grim_serve_polls(struct cpu_context *context, struct grim_endpoint *endpoint);
// Handles one event. Returns false if there is none.
bool grim_progress(struct cpu_context *context, struct grim_endpoint *endpoint);
// Puts the process to sleep until something happens that a poll would see.
enum mpi_progress grim_sleep(const struct cpu_context *context, struct grim_endpoint *endpoint);
void grim_notify(void *owner, enum grim_notice notice); // grim_notify_fn of the channel

// ---- endpoint_mpi.c ----

extern const struct mpi_arrival_ops grim_arrival;
// A part of an MPI message has arrived.
void grim_receive_part(struct cpu_context *context, struct grim_endpoint *endpoint,
                       const struct grim_message *message);
// The word that a synchronous send waits for has arrived.
void grim_send_taken(struct cpu_context *context, struct grim_endpoint *endpoint,
                     const struct grim_message *message);

// ---- endpoint_start.c ----

extern const struct mpi_startup_step grim_startup[]; // by enum grim_startup
extern const struct machine_kind grim_startup_machine;
enum mpi_progress grim_end_step(struct cpu_context *context, struct mpi_process *process);

// ---- endpoint_register.c ----

enum mpi_progress grim_start_memory(struct cpu_context *context, struct mpi_process *process,
                                    int peer); // a step of the start
bool grim_register(struct cpu_context *context, struct mpi_process *process, int64_t address,
                   int64_t size);
bool grim_deregister(struct cpu_context *context, struct mpi_process *process, int64_t address,
                     int64_t size);
bool grim_is_server(const struct grim_endpoint *endpoint);
void grim_server_submit(struct cpu_context *context, struct grim_endpoint *endpoint);
// The server's list has arrived; its answer to an endpoint that asked for one name.
void grim_listed(struct cpu_context *context, struct grim_endpoint *endpoint);
void grim_name_answered(struct cpu_context *context, struct grim_endpoint *endpoint,
                        const char *name, int64_t id);
// All endpoints have the list, or are the server; this one has it now, at its start.
bool grim_all_listed(const struct grim_stack *stack);
void grim_listed_at_start(struct cpu_context *context, struct grim_endpoint *endpoint);
void grim_unknown_name(const struct mpi_request *request, const char *name);

#endif
