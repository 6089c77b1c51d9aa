// SPDX-License-Identifier: GPL-3.0-or-later
// Handlers of active messages and their names (thesis 003, 4.4.1). An endpoint registers its
// functions locally and sends the list of their names to the server, one node of the cluster. The
// server gives each new name the next integer and sends the entire list back. An endpoint that
// lacks a name's integer asks the server for it.
//
// This file keeps the tables of endpoints and server; the endpoint sends the messages between them
// (endpoint.h).
#ifndef NETSIM_MODELS_GRIM_ENDPOINT_HANDLERS_H
#define NETSIM_MODELS_GRIM_ENDPOINT_HANDLERS_H

#include <stdbool.h>
#include <stdint.h>

// The action of a handler.
enum grim_function {
    GRIM_NOTHING,   // "nop", and all handlers that programs register: only takes its time
    GRIM_REPLY,     // "reply": sends a message of the same size back, to the sender's "nop"
    GRIM_MPI_DATA,  // a part of an MPI message
    GRIM_MPI_TAKEN, // a synchronous message has met its receive
    GRIM_SUBMIT,    // to the server: names to register
    GRIM_PUBLISH,   // from the server: the entire list
    GRIM_ASK,       // to the server: one name
    GRIM_ANSWER,    // from the server: its integer
};

// Handlers that every endpoint knows without registration, as the first messages need them, have
// the integers of enum grim_function. Registered ones get the integers from here on.
#define GRIM_FIRST_ID 16
#define GRIM_NO_ID 0

// "nop" and "reply", interned.
const char *grim_nop_name(void);
const char *grim_reply_name(void);

// The name of a handler that is known without registration, for traces: "MPI data".
const char *grim_function_name(enum grim_function function);

// ---- The server's table ----

struct grim_names;

struct grim_names *grim_names_new(void);
void grim_names_free(struct grim_names *names);

// The integer of a name (interned), assigning the next one to a new name.
int64_t grim_names_submit(struct grim_names *names, const char *name);
int64_t grim_names_find(const struct grim_names *names, const char *name); // GRIM_NO_ID: unknown
int64_t grim_names_count(const struct grim_names *names);
const char *grim_names_at(const struct grim_names *names, int64_t place); // by order of submission

// Bytes of the first `count` names as a message: each with its end, and an integer.
int64_t grim_names_bytes(const struct grim_names *names, int64_t count);

// ---- An endpoint's tables ----

struct grim_handlers;

struct grim_handlers *grim_handlers_new(void);
void grim_handlers_free(struct grim_handlers *handlers);

// Adds a local function by a name (interned). Returns false if the name is taken.
bool grim_handlers_add(struct grim_handlers *handlers, const char *name,
                       enum grim_function function);

// The names of all local functions, in the order in which they were added; and their size as a
// message, bytes.
int64_t grim_handlers_count(const struct grim_handlers *handlers);
const char *grim_handlers_name(const struct grim_handlers *handlers, int64_t place);
int64_t grim_handlers_bytes(const struct grim_handlers *handlers);

// Records that `name` has this integer in the whole cluster.
void grim_handlers_learn(struct grim_handlers *handlers, const char *name, int64_t id);

// The integer to send to, if the endpoint knows it; GRIM_NO_ID: the server must be asked.
int64_t grim_handlers_id(const struct grim_handlers *handlers, const char *name);

// The function to run for a message with this integer. Returns false if the endpoint has none of
// that name.
bool grim_handlers_function(const struct grim_handlers *handlers, int64_t id,
                            enum grim_function *function);

// The endpoint's own function of that name, whether or not its integer is known. Returns false if
// it has none.
bool grim_handlers_local(const struct grim_handlers *handlers, const char *name,
                         enum grim_function *function);

// The name with this integer, or NULL if the endpoint has not learned it.
const char *grim_handlers_name_of(const struct grim_handlers *handlers, int64_t id);

#endif
