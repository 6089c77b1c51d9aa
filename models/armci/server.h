// SPDX-License-Identifier: GPL-3.0-or-later
// The data server: a thread on each node that executes the clients' requests there (thesis 001,
// 2.3.1, 2.3.2). It sleeps while there are no requests, and the card's interrupt wakes it. It takes
// precedence over the processes of its core, so that their computation delays no request.
//
// Two ports: requests arrive at one, responses leave through the other. The server can therefore
// poll for its own sends' callbacks without taking requests off their port. With one port it must
// take whatever is first in the queue; if it does not store requests, it can't continue past one.
#ifndef NETSIM_MODELS_ARMCI_SERVER_H
#define NETSIM_MODELS_ARMCI_SERVER_H

#include "models/armci/client.h"
#include "sim/core/machine.h"
#include "sim/core/sparse.h"

enum armci_server_state {
    ARMCI_SERVER_STARTS,
    ARMCI_SERVER_IDLE,   // polls for a request
    ARMCI_SERVER_SENDS,  // get: the next piece needs a send buffer
    ARMCI_SERVER_READY,  // get: packed; waits until the client's buffer is free
    ARMCI_SERVER_SENT,   // get: waits for its own last send
    ARMCI_SERVER_ANSWER, // needs a send token for its answer
};

// A flag that a client has written into the server's memory.
struct armci_ready {
    uint32_t number; // of its request
    int64_t free;    // buffers that have become free
    enum armci_flag_kind registration;
};

// One receive buffer more than the port is given, so that the server can provide another one before
// it copies out a received one (thesis 001, 3.2.4).
struct armci_receive_buffers {
    int size; // class
    int64_t count;
    int64_t spare; // address; 0: none
};

struct armci_waiter { // waits for a mutex
    int client;
    uint32_t number;
    struct armci_waiter *next;
};

struct armci_mutex { // a rank's mutex, and its word
    bool held;
    int holder;
    struct armci_waiter *first, *last;
    int64_t word;
};

// A request that was taken off the port, with the buffer that holds it.
struct armci_received {
    struct armci_message *message;
    int64_t buffer; // 0: none (from this node)
    int size;
    bool replenished;
    struct armci_received *next;
};

struct armci_answer { // under way within the node
    struct armci_server *server;
    struct armci_client *client;
    struct armci_flag flag;
    struct event event;
};

struct armci_server {
    struct armci_job *job;
    const struct armci_config *config;
    struct host *host;
    int first_rank;   // the lowest on the node
    const char *name; // "data server node1"
    struct cpu_task task;
    struct gm_port *requests, *responses; // the same port if there is only one
    struct machine machine;               // enum armci_server_state
    struct armci_received *current;       // being executed
    struct armci_received *first, *last;  // stored
    struct armci_received *held_up;       // not stored: ahead of what the server waits for
    struct pool received, waiters, answers;
    struct armci_receive_buffers large, small;
    struct armci_message *local, *local_tail; // requests of this node
    struct sparse mutexes;                    // struct armci_mutex, by rank
    struct sparse ready;                      // struct armci_ready, by rank
    int64_t heap_end;                         // of the server's own memory
    // The get under way.
    struct armci_buffers buffers; // for its data
    struct armci_slot *slot;
    struct armci_slot *untold; // sent; the client is notified when the send is acknowledged
    struct armci_pieces pieces;
    struct armci_piece piece;
    int64_t sent;             // pieces
    struct armci_flag *flags; // by number of the slot
    int64_t answer_address;   // registered memory for messages without data, into which flags are
                              // written too
    struct armci_flag answer; // the answer to send
    int answer_client;
    bool blocked;  // until an interrupt
    bool watching; // asleep, and its memory may be written
    sim_time watching_since;
    struct event tick;
    int64_t *interrupts, *received_count, *sends, *stored;
};

// The data server of a node on which ranks run, `nth` of them: its task takes the core after
// theirs. armci_server_open opens its ports. Free with armci_server_free.
struct armci_server *armci_server_new(struct armci_job *job, struct host *host, int first_rank,
                                      int nth);
void armci_server_open(struct armci_server *server, struct gm_port *requests,
                       struct gm_port *responses);
void armci_server_free(struct armci_server *server);

// The port to which clients of other nodes send requests.
int armci_server_port(const struct armci_server *server);

// A rank's address as the server names it, which has the memory of all ranks of its node.
int64_t armci_server_address(const struct armci_server *server, int rank, int64_t address);

// Hands over a request of a process of this node, from its handler, and wakes the server.
void armci_server_hand(struct cpu_context *context, struct armci_server *server,
                       struct armci_message *message);

// A word of the node's memory, for processes of the node: adds one, returns the old value.
int64_t armci_server_add(struct armci_server *server, int rank);

json_t *armci_server_describe(const struct armci_server *server);

extern const struct machine_kind armci_server_machine; // by enum armci_server_state

// ---- Between the server's files ----

void armci_server_enter(struct cpu_context *context, struct armci_server *server,
                        enum armci_server_state state);

static inline struct machine_owner armci_server_owner(const struct armci_server *server)
{
    const struct armci_received *current = server->current;
    return (struct machine_owner){.where = server->name,
                                  .subject = current ? current->message->number : 0,
                                  .machine = armci_server_machine.name};
}

// The next action while the server's own sends are not acknowledged: handles an event of the port
// through which they leave, or sleeps until there is one.
enum cpu_next armci_server_look(struct cpu_context *context, struct armci_server *server);

// Like armci_server_look, but for writes of a client into memory.
enum cpu_next armci_server_watch(struct cpu_context *context, struct armci_server *server);

// Like armci_server_look, but for requests: takes one off its port and stores it, or sleeps until
// an interrupt.
enum cpu_next armci_server_wait(struct cpu_context *context, struct armci_server *server);

void armci_server_spend(struct cpu_context *context, const struct armci_server *server,
                        struct cost cost);

// Registered memory of the server.
int64_t armci_server_memory(struct armci_server *server, int64_t bytes);

// Gives the request port its receive buffers.
void armci_server_provide(struct cpu_context *context, struct armci_server *server);

// Takes one event off the request port; a request is stored if the server may store requests now.
// Returns false if there was none.
bool armci_server_take(struct cpu_context *context, struct armci_server *server);

// Like armci_server_take, but for requests of this node.
bool armci_server_take_local(struct armci_server *server);

// Starts the first of the stored requests; most are completed by that.
void armci_server_serve(struct cpu_context *context, struct armci_server *server);

// The request is completed: its buffer is free.
void armci_server_done(struct cpu_context *context, struct armci_server *server);

// Answers the current request and completes it; waits for a send token if there is none.
void armci_server_reply(struct cpu_context *context, struct armci_server *server, int client,
                        uint32_t number, int64_t value);

// Sends a flag to a client if there is a token; else returns false.
bool armci_server_answer(struct cpu_context *context, struct armci_server *server, int client,
                         const struct armci_flag *flag);

// A callback that only checks whether the send succeeded; its context is the server.
void armci_server_sent(struct cpu_context *context, struct gm_port *port, void *callback_context,
                       enum gm_status status);

// Starts a get, and executes its next slice.
void armci_serve_get(struct cpu_context *context, struct armci_server *server);
enum cpu_next armci_get_slice(struct cpu_context *context, struct armci_server *server);

// Mutexes (server_lock.c): lock returns whether the client now holds it; unlock returns the next
// holder (-1: none), whose request is *number. An unlock by a client that does not hold it ends the
// run.
bool armci_server_lock(struct armci_server *server, const struct armci_message *message);
int armci_server_unlock(struct armci_server *server, const struct armci_message *message,
                        uint32_t *number);

#endif
