// SPDX-License-Identifier: GPL-3.0-or-later
// An endpoint: what GRIM's library does for one process on its host (thesis 003, 4.4 and 4.5). It
// has one logical channel for both directions. Programs reach it as the device of a process: active
// messages and polls, remote memory writes and reads, and sends and receives, which travel as
// active messages of its own (endpoint_mpi.c).
//
// Sending. Requests inject their messages in the order of the calls. A call whose message finds no
// room on the card waits. What handlers inject goes to the overflow queue in host memory then, and
// while something is in that, calls put theirs behind it.
//
// Receiving. Every call polls: it runs the handlers of all active messages that have come. The
// message keeps its room until its handler has ended; a handler whose reply finds room neither on
// the card nor in the overflow queue does not end, and nothing behind it is handled.
//
// Handlers. "nop" does nothing. "reply" sends a message of the same size back to the sender's
// "nop". What else a program registers ("grim.handlers", or call register.NAME) does nothing
// under another name.
//
// Calls by name (op `call`). register: sends the names of the local handlers to the server and
// waits for the list; register.NAME adds one before. lookup.NAME: makes a name's integer known.
// notified: waits until `count` words of notification have come that no such call has counted.
// scan: has the card look through `count` empty channels and reports the time. A poll likewise
// waits for `count` messages that no poll has counted, whichever call has handled them.
//
// Not modelled: multicast, peripheral devices as endpoints, security between the processes of a
// host, time slices between the polling thread and a program that computes (woken, the thread goes
// first), locks between the two.
#ifndef NETSIM_MODELS_GRIM_ENDPOINT_ENDPOINT_H
#define NETSIM_MODELS_GRIM_ENDPOINT_ENDPOINT_H

#include "models/grim/endpoint/handlers.h"
#include "models/grim/memory/memory_remote.h"
#include "models/grim/ni/ni.h"
#include "sim/config/param.h"
#include "sim/core/pool.h"
#include "sim/mpi/arrival.h"
#include "sim/mpi/startup.h"

enum grim_publish { GRIM_PUBLISH_SENDER, GRIM_PUBLISH_ALL };

struct grim_config {
    struct cost call, message, poll, handle, function, lookup;
    const char *const *handlers;
    int64_t server;
    int publish;  // enum grim_publish
    int64_t part; // bytes of a longer transfer in one message
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
    GRIM_START_ALL,    // waits until all endpoints are that far
    GRIM_START_UP,
};

enum grim_request_state {
    GRIM_REQUEST_NEW,
    GRIM_REQUEST_ASK,     // the server is to be asked for the handler's integer
    GRIM_REQUEST_ASKED,   // and has been
    GRIM_REQUEST_INJECT,  // messages are still to be injected
    GRIM_REQUEST_WORD,    // a read: the word of notification
    GRIM_REQUEST_TAKEN,   // a synchronous send: the word that it has met its receive
    GRIM_REQUEST_POSTED,  // a receive: its message
    GRIM_REQUEST_PARTS,   // the rest of it
    GRIM_REQUEST_CONFIRM, // the sender of a synchronous message is to be told
    GRIM_REQUEST_COUNT,   // a poll: messages that are to be handled, or words of notification
    GRIM_REQUEST_LIST,    // a registration: the server's list
    GRIM_REQUEST_SCAN,    // the card measures a scan
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

// A message of MPI whose parts are coming in, from one source.
struct grim_partial {
    struct mpi_request *request; // goes to its buffer; or
    struct mpi_unexpected *unexpected;
    int64_t left;
    bool busy;
};

struct grim_overflow { // a message of the overflow queue
    struct grim_overflow *next;
    struct grim_message message;
};

// What the handler under way has still to inject: to ranks next .. last.
struct grim_reply {
    struct grim_message message;
    int next, last;
};

struct grim_endpoint {
    struct grim_stack *stack;
    struct mpi_process *process;
    const struct grim_config *config;
    struct grim_channel *channel;
    struct grim_handlers *handlers;
    int64_t contiguous, paged; // addresses of the memory registered at the start
    int64_t word;              // of notification; behind the contiguous one

    struct mpi_queue counting;  // polls
    struct mpi_queue answered;  // reads whose word has been written
    struct mpi_queue injecting; // requests with messages to inject, in the order of the calls
    bool calls_wait;            // the card had no room for them; so it was for handlers:
    bool handlers_wait;
    struct grim_overflow *overflow, *overflow_last;
    int64_t overflow_bytes, overflow_messages;
    struct pool overflow_pool;

    struct grim_reply reply; // of the handler under way
    bool replying;
    struct sparse partial; // struct grim_partial, by source

    int64_t handled, notified; // not yet claimed by a poll
    int64_t last_handled;      // all so far

    bool asleep; // in a loop that polls, or until the polling thread wakes it
    bool woken;  // by that
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
extern const struct stage grim_poll_stage;     // its look at the queue
extern const struct mpi_device_ops grim_ops;

// ---- endpoint.c ----

void grim_endpoint_init(struct grim_endpoint *endpoint, struct grim_stack *stack,
                        struct mpi_process *process);
void grim_endpoint_clear(struct grim_endpoint *endpoint);

// A word of notification is in the memory of endpoint `number` (grim_notified_fn; owner: the
// stack).
void grim_endpoint_notified(void *owner, uint16_t number, const void *content);

// Ends the run with what the endpoints' handlers wait for, if they do: nothing moves any more.
void grim_report_stalled(void *owner); // the stack

// A request enters a state: traced, and what it waits for is said.
void grim_enter(struct cpu_context *context, struct mpi_request *request,
                enum grim_request_state state);

// One event; false if there is none.
bool grim_progress(struct cpu_context *context, struct grim_endpoint *endpoint);
// The process is going to sleep until something happens that a poll would see.
enum mpi_progress grim_sleep(const struct cpu_context *context, struct grim_endpoint *endpoint);

// The handler's name that an active message or a call lookup.NAME is about, interned.
const char *grim_name_of(const struct mpi_request *request);

// ---- endpoint_send.c ----

// Injects a message of a call; false if it has to wait.
bool grim_call_inject(struct cpu_context *context, struct grim_endpoint *endpoint,
                      const struct grim_message *message);
// The same of a handler: it may go to the overflow queue.
bool grim_handler_inject(struct cpu_context *context, struct grim_endpoint *endpoint,
                         const struct grim_message *message);
// Injects the oldest message of the overflow queue; false if that is empty or has to wait.
bool grim_overflow_drain(struct cpu_context *context, struct grim_endpoint *endpoint);

// A request has messages to inject; they go behind those of others, as far as there is room now.
void grim_inject(struct cpu_context *context, struct mpi_request *request,
                 enum grim_request_state state);
// The next message of the oldest such request; false if there is none or it has to wait.
bool grim_inject_next(struct cpu_context *context, struct grim_endpoint *endpoint);

// A message of the library itself.
struct grim_message grim_system_message(const struct grim_endpoint *endpoint, int to,
                                        enum grim_function function, int64_t bytes,
                                        const void *content);

// ---- endpoint_transfer.c ----

// The next message of a request; returns how many bytes of the transfer it is for, -1 if the run
// has failed.
int64_t grim_build_part(struct mpi_request *request, struct grim_message *message);

// ---- endpoint_poll.c ----

void grim_poll_init(struct grim_endpoint *endpoint);
// Runs the handler of the oldest active message; false if there is none, or the handler before
// waits for room.
bool grim_handle_next(struct cpu_context *context, struct grim_endpoint *endpoint);
// Completes a poll that has what it waits for, or a read; false if there is none.
bool grim_serve_polls(struct cpu_context *context, struct grim_endpoint *endpoint);
void grim_notify(void *owner, enum grim_notice notice); // grim_notify_fn of the channel
void grim_wake(struct grim_endpoint *endpoint);

// ---- endpoint_mpi.c ----

extern const struct mpi_arrival_ops grim_arrival;
// A part of a message of MPI has come.
void grim_receive_part(struct cpu_context *context, struct grim_endpoint *endpoint,
                       const struct grim_message *message);
// A send's parts are all injected.
void grim_send_injected(struct cpu_context *context, struct mpi_request *send);
// The word that a synchronous send waits for.
void grim_send_taken(struct cpu_context *context, struct grim_endpoint *endpoint,
                     const struct grim_message *message);
// Handler and arguments of a send's part; and the word to the sender of a synchronous message.
void grim_mark_part(const struct mpi_request *send, struct grim_message *message);
struct grim_message grim_taken_message(const struct mpi_request *receive);

// ---- endpoint_start.c ----

extern const struct mpi_startup_step grim_startup[]; // by enum grim_startup
enum mpi_progress grim_end_step(struct cpu_context *context, struct mpi_process *process);
bool grim_register(struct cpu_context *context, struct mpi_process *process, int64_t address,
                   int64_t size);
bool grim_deregister(struct cpu_context *context, struct mpi_process *process, int64_t address,
                     int64_t size);
bool grim_is_server(const struct grim_endpoint *endpoint);
// The names of the endpoint's functions, to the server; and the server's own.
struct grim_message grim_submission(const struct grim_endpoint *endpoint);
void grim_server_submit(struct cpu_context *context, struct grim_endpoint *endpoint);
// The server's list has come; its answer to who asked for one name.
void grim_listed(struct cpu_context *context, struct grim_endpoint *endpoint);
void grim_name_answered(struct cpu_context *context, struct grim_endpoint *endpoint,
                        const char *name, int64_t id);
void grim_unknown_name(const struct mpi_request *request, const char *name);

#endif
