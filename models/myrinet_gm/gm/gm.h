// SPDX-License-Identifier: GPL-3.0-or-later
// GM: Myricom's message layer. A process opens a port of the card and talks to the card without the
// kernel: it writes send and receive tokens into the card's memory, and polls a queue of events in
// its own. The firmware (the MCP) keeps one reliable connection for each other card, over which the
// messages of all ports go, cut into packets.
//
// A token belongs to the client until a call uses it. It returns with an event that the client
// takes out of the queue and hands to gm_unknown, which calls the send's callback. A client that
// does not poll gets no token back.
//
// Payload is not stored: (message, offset, length) identify a message's bytes. The pointer
// `content` represents the meaning of its first bytes to the library above, which keeps it valid
// until the receiver has read it.
#ifndef NETSIM_MODELS_MYRINET_GM_GM_GM_H
#define NETSIM_MODELS_MYRINET_GM_GM_GM_H

#include "models/myrinet_gm/lanai/lanai.h"
#include "sim/cluster/cluster.h"

#include <jansson.h>

// The link type of captures at the cards.
extern const struct capture_link gm_capture_link;

struct gm_fabric; // the cards of a cluster, their MCPs and connections
struct gm_port;

enum gm_status { GM_SUCCESS, GM_SEND_TIMED_OUT, GM_SEND_REJECTED, GM_SEND_PORT_CLOSED };

// Puts the MCP on each host's card that the case's stack uses. The caller frees it with
// gm_fabric_free, before the cluster.
struct gm_fabric *gm_fabric_new(struct cluster *cluster, const struct scenario_case *test_case);
void gm_fabric_free(struct gm_fabric *fabric);

struct lanai *gm_fabric_card(const struct gm_fabric *fabric, int host);

// ---- Ports ----

struct gm_config;

// Bytes of the simulator's memory per card with its ports closed, per open port, and per connection
// over which something was sent.
int64_t gm_card_footprint(const struct gm_config *config);
int64_t gm_port_footprint(const struct gm_config *config);
int64_t gm_connection_footprint(const struct gm_config *config);

// Ports per card; they count from 0.
int64_t gm_ports(const struct gm_config *config);

// Opens port `number` (0 .. gm.ports - 1) of the host's card, for the task that will wait for its
// events. `name` is interned ("rank 0"). Returns NULL if the port is open already or does not
// exist.
struct gm_port *gm_open(struct gm_fabric *fabric, int host, int number, const char *name,
                        struct cpu_task *task);
// Messages to a closed port fail at their senders (GM_SEND_PORT_CLOSED). It stays closed: a port is
// opened once in a run.
void gm_close(struct gm_port *port);

int gm_port_host(const struct gm_port *port);
int gm_port_number(const struct gm_port *port);

// Tokens that the client has now.
int64_t gm_send_tokens(const struct gm_port *port);
int64_t gm_receive_tokens(const struct gm_port *port);

// ---- Memory: only registered memory may be sent from or received into ----

// Registers memory of the process, and charges the system call and the pinning of each page.
// Returns false if the system does not allow it (gm.registration) or too much is registered.
bool gm_register_memory(struct cpu_context *context, struct gm_port *port, int64_t address,
                        int64_t bytes);
bool gm_deregister_memory(struct cpu_context *context, struct gm_port *port, int64_t address,
                          int64_t bytes);
// Tells GM of memory that it has allocated at startup, which is registered from the start; free of
// charge.
void gm_dma_memory(struct gm_port *port, int64_t address, int64_t bytes);

// ---- Sending ----

typedef void gm_callback_fn(struct cpu_context *context, struct gm_port *port,
                            void *callback_context, enum gm_status status);

struct gm_message {
    int64_t address; // registered memory of the sender
    int64_t length;  // bytes; the first `header` of them are the library's, not the message's
    int64_t header;
    int size; // class of the receive token that it needs: 2^size bytes
    int priority;
    int target_host, target_port;
    struct message_ref message; // whose bytes [offset, offset + length - header) these are
    int64_t offset;
    const void *content; // of the header; NULL: none
    gm_callback_fn *callback;
    void *callback_context;
};

// Sends a message into a receive buffer of the target port, and takes a send token. The callback is
// called when the target's card has acknowledged all of it. Returns false if the client has no send
// token. Memory that is not registered ends the run ("not_registered").
bool gm_send_with_callback(struct cpu_context *context, struct gm_port *port,
                           const struct gm_message *message);

// Writes to `remote_address` in registered memory of the target port's process, which takes no
// receive token there and makes no event. `size` is ignored.
bool gm_directed_send_with_callback(struct cpu_context *context, struct gm_port *port,
                                    const struct gm_message *message, int64_t remote_address);

// A directed send whose last byte has reached the memory of the port's process. The callback runs
// in that event, takes no processor's time, and wakes the process that polls that memory.
struct gm_write {
    int64_t address, length, header;
    int source_host, source_port;
    struct message_ref message;
    int64_t offset;
    const void *content;
};
typedef void gm_written_fn(void *owner, const struct gm_write *write);
void gm_on_write(struct gm_port *port, gm_written_fn *written, void *owner);

// ---- Receiving ----

// Gives GM a receive buffer of a size class (2^size bytes of registered memory), and takes a
// receive token. Returns false if the client has none.
bool gm_provide_receive_buffer(struct cpu_context *context, struct gm_port *port, int64_t address,
                               int size, int priority);

// The same free of charge, and known to the card at once: for buffers that a process gives GM
// before its run begins, and before the port's first send.
bool gm_provide_at_start(struct gm_port *port, int64_t address, int size, int priority);

// Returns the size class for so many bytes: the least n with 2^n >= bytes.
int gm_min_size_for_length(int64_t bytes);

enum gm_event_kind {
    GM_NO_EVENT,
    GM_RECV_EVENT,      // a message is in the buffer
    GM_FAST_RECV_EVENT, // a short one, in the queue's slot; returns the buffer's token too
    GM_SENT_EVENT,      // internal: for gm_unknown
    GM_ALARM_EVENT,     // internal: for gm_unknown
};

struct gm_event {
    enum gm_event_kind kind;
    int64_t buffer; // address of the receive buffer, whose token is the client's again
    int size;       // its class
    int64_t length, header;
    int source_host, source_port;
    struct message_ref message;
    int64_t offset;
    const void *content;
    void *internal; // GM's
};

// Takes the next event out of the queue (stage "GM"). Returns GM_NO_EVENT if there is none.
enum gm_event_kind gm_receive(struct cpu_context *context, struct gm_port *port,
                              struct gm_event *event);

// Handles an event that is not for the client: calls callbacks, returns tokens.
void gm_unknown(struct cpu_context *context, struct gm_port *port, struct gm_event *event);

// The task goes to sleep after this call, and is woken for the next event, at once if one is queued
// already. A task that polls is woken at the end of the turn of `turn` (> 0) in which the event
// comes; one that blocks is woken by an interrupt of the card, which the kernel is charged for.
void gm_poll(struct cpu_context *context, struct gm_port *port, sim_time turn);
void gm_block(struct cpu_context *context, struct gm_port *port);

// Returns the number of events of any kind in the queue.
int gm_waiting(const struct gm_port *port);

// For reports: what the port and its connections wait for. Returns a new reference.
json_t *gm_describe(const struct gm_port *port);

#endif
