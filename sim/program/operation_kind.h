// SPDX-License-Identifier: GPL-3.0-or-later
// Kinds of operations. One row describes a kind completely: it drives the YAML reader, the JSON
// Schema, `netsim describe`, the started request, and reports. operations.c has the kinds of sim/
// itself; a model has its own table (struct model).
//
// The arguments of an operation are a struct of its owner, which its keys fill by offset, as in
// parameter tables. Whole numbers and ranks may be expressions in a program, evaluated for each
// call, and the device sees the results.
#ifndef NETSIM_PROGRAM_OPERATION_KIND_H
#define NETSIM_PROGRAM_OPERATION_KIND_H

#include "sim/config/param.h"
#include "sim/program/data_layout.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// The variable of keys with a value for each peer: its rank.
#define OPERATION_PEER "peer"

// The value of an omitted number or rank, or of the key's word.
#define OPERATION_ANY (-1)

// The arguments that sim/ itself uses. Every operation's struct begins with them.
struct operation_arguments {
    int peer;                         // OPERATION_ANY: any, all or none
    int64_t size;                     // bytes sent, received or moved
    int64_t buffer;                   // address; OPERATION_ANY: the operation's own memory
    const struct data_layout *layout; // NULL: `size` contiguous bytes; else size is layout->bytes
};

// How a key is read.
enum operation_form {
    OPERATION_VALUE,        // by the parameter's kind; whole numbers may be expressions
    OPERATION_RANK,         // int: a rank, which may be an expression
    OPERATION_NAME,         // const char *, interned: a name
    OPERATION_REQUEST,      // name of the request that it starts
    OPERATION_AWAITED,      // name of a request that it waits for
    OPERATION_AWAITED_ALL,  // "all", or several of them
    OPERATION_COUNTER,      // name of a loop's counter
    OPERATION_BODY,         // a list of operations
    OPERATION_COMMUNICATOR, // name of its communicator
    OPERATION_STRIDED,      // {counts, strides, peer_strides}: fills operation_arguments.layout
    OPERATION_SEGMENTS,     // [{bytes, count}, …]: fills it, too
};

struct operation_key {
    // Name, kind, offset in the arguments, default, range and meaning. fallback NULL: required; "":
    // optional, and an omitted number is OPERATION_ANY. Kinds whose field must be freed (counts,
    // windows) are not allowed.
    struct param param;
    enum operation_form form;
    const char *word;   // word for OPERATION_ANY: "any"; NULL: none
    const char *report; // member of a request's report for the text; NULL: not reported
    bool clamped;       // an expression's value is clamped to the range
    bool per_peer;      // an expression may use peer, and has a value for each rank of the
                        // communicator (struct collective_arguments)
};

// The class of a call, for the interpreter and for flattening.
enum call_class {
    CALL_OPERATION, // a request of a model's own kind
    // Calls of every MPI library.
    CALL_TRANSFER,     // a request: a send, receive or probe
    CALL_SENDRECV,     // a receive and a send
    CALL_COLLECTIVE,   // a schedule of requests
    CALL_COMMUNICATOR, // makes or frees a communicator
    // Calls outside of any library.
    CALL_PERSISTENT, // builds a request that is started by another call, again and again
    CALL_REQUEST,    // starts or frees such requests
    CALL_BUFFER,     // gives memory for buffered sends to the library, or takes it back
    CALL_WAIT,       // waits for started requests, or tests them
    CALL_LOCAL,      // local time of the process
    CALL_MEMORY,     // registers memory with the provider, or deregisters it
    CALL_MEASURE,    // a clock, of a benchmark or of the program
    CALL_STREAM,     // a sequence of requests until a time has passed; only a run knows how many
    CALL_LOOP,       // no action
};

// The direction in which the ledger opens the message of an operation's request.
enum operation_moves {
    OPERATION_MOVES_NOTHING, // no message
    OPERATION_TO_PEER,       // from the caller to the peer
    OPERATION_FROM_PEER,     // from the peer to the caller
};

struct operation_kind;

// A collective that a call begins with, as MPI_Win_create with an allgather, before its own request
// is started. The ranks of its communicator run it as they run one of the program's.
struct operation_opening {
    const struct operation_kind *collective; // row of operation_table; NULL: there is none
    int64_t size;                            // bytes, as the collective's own key
    // The bytes for these arguments, or OPERATION_ANY: these begin with none (a fence that nothing
    // preceded). NULL: always `size`. The device decides whether its state needs it
    // (mpi_device_ops.opens).
    int64_t (*size_of)(const struct operation_arguments *arguments);
};

struct operation_kind {
    const char *name; // in YAML, traces and reports
    const char *doc;  // one line
    // Read in this order; ends with a NULL name. NULL: none.
    const struct operation_key *keys;
    size_t size; // of its arguments; 0: only struct operation_arguments
    int code;    // its owner's number for it
    enum call_class class;
    bool plain;    // may be written as a plain value, that of the first key, or, without keys, as a
                   // word
    bool internal; // not in YAML: for benchmarks only
    enum operation_moves moves;
    bool memory; // works on memory of the caller's, even if it moves no message
    struct operation_opening opening;
    int order; // 0 .. 5: messages with equal `order`, source and destination keep their order
    // Completes the arguments after reading: fills fields without keys, and checks beyond the
    // ranges of the keys. Returns false and sets *error (g_free) if they are wrong. NULL: nothing
    // to do.
    bool (*complete)(struct operation_arguments *arguments, char **error);
};

// The largest address in a program: sums of address and size must not overflow.
#define OPERATION_MOST_ADDRESS "1099511627776"

// Rows for the keys of operation_arguments.
#define OPERATION_FIELD(name_, field_, kind_, ...)                                                 \
    .param = {.name = (name_),                                                                     \
              .kind = (kind_),                                                                     \
              .offset = offsetof(struct operation_arguments, field_),                              \
              __VA_ARGS__}
#define OPERATION_KEY_TO                                                                           \
    {                                                                                              \
        OPERATION_FIELD("to", peer, PARAM_COUNT, .doc = "the peer"), .form = OPERATION_RANK        \
    }
#define OPERATION_KEY_FROM                                                                         \
    {                                                                                              \
        OPERATION_FIELD("from", peer, PARAM_COUNT, .doc = "the peer"), .form = OPERATION_RANK      \
    }
#define OPERATION_KEY_SIZE                                                                         \
    {                                                                                              \
        OPERATION_FIELD("size", size, PARAM_SIZE, .doc = "how much")                               \
    }
#define OPERATION_KEY_BUFFER                                                                       \
    {                                                                                              \
        OPERATION_FIELD("buffer", buffer, PARAM_COUNT, .fallback = "",                             \
                        .most = OPERATION_MOST_ADDRESS,                                            \
                        .doc = "address; each operation has memory of its own without it")         \
    }
#define OPERATION_KEY_REQUEST                                                                      \
    {                                                                                              \
        .param = {.name = "request",                                                               \
                  .fallback = "",                                                                  \
                  .doc = "name to wait for: the program goes on at once"},                         \
        .form = OPERATION_REQUEST                                                                  \
    }
#define OPERATION_KEY_COMM                                                                         \
    {                                                                                              \
        .param = {.name = "comm",                                                                  \
                  .fallback = "",                                                                  \
                  .doc = "a communicator, whose ranks peers and roots are then"},                  \
        .form = OPERATION_COMMUNICATOR                                                             \
    }
// Three descriptions of the data, of which a program gives one.
#define OPERATION_KEYS_DATA                                                                        \
    {OPERATION_FIELD("size", size, PARAM_SIZE, .fallback = "", .doc = "how much, together")},      \
        {.param = {.name = "strided",                                                              \
                   .fallback = "",                                                                 \
                   .doc = "{counts, strides, peer_strides}: data that lie in regular distances"},  \
         .form = OPERATION_STRIDED},                                                               \
    {                                                                                              \
        .param = {.name = "segments",                                                              \
                  .fallback = "",                                                                  \
                  .doc = "[{bytes, count}, …]: sets of pieces that lie anywhere"},                 \
        .form = OPERATION_SEGMENTS                                                                 \
    }

// The row of an operation that moves data, by its code in the model's table; .order and further
// members follow.
#define OPERATION_TRANSFER(code_, name_, type_, keys_, moves_, doc_, ...)                          \
    [code_] = {.name = (name_),                                                                    \
               .doc = (doc_),                                                                      \
               .keys = (keys_),                                                                    \
               .code = (code_),                                                                    \
               .size = sizeof(type_),                                                              \
               .moves = (moves_),                                                                  \
               __VA_ARGS__}

// Returns a table's row of that name, or NULL if there is none. The table ends with a NULL name.
const struct operation_kind *operation_find(const struct operation_kind *table, const char *name);

// Returns the kind's key of that name, or NULL if there is none.
const struct operation_key *operation_key(const struct operation_kind *kind, const char *name);

// The key whose value a plain operation is written as: the first, but for a communicator that may
// be left out. NULL if it has none.
const struct operation_key *operation_plain_key(const struct operation_kind *kind);

// Whether the kind has a key of that form.
bool operation_has_form(const struct operation_kind *kind, enum operation_form form);

// Whether it is a call of every MPI library, which a stack without one may lack. Waits and tests
// are not: other requests are waited for, too.
bool operation_of_mpi(const struct operation_kind *kind);

// Whether the key is one of several that describe the data, of which a program gives exactly one.
bool operation_key_is_data(const struct operation_kind *kind, const struct operation_key *key);

// Arguments of a kind with all defaults; g_free. Peer and buffer are OPERATION_ANY, and what must
// be given is 0.
void *operation_arguments_new(const struct operation_kind *kind);

// Bytes of the collective that a call with these arguments begins with; OPERATION_ANY: it begins
// with none.
int64_t operation_opening_size(const struct operation_kind *kind,
                               const struct operation_arguments *arguments);

// Bytes of a kind's arguments.
size_t operation_arguments_size(const struct operation_kind *kind);

// Whether a value of the key may be an expression: whole numbers and ranks.
bool operation_key_computes(const struct operation_key *key);

// Least and most that a whole number or a rank may be.
void operation_key_bounds(const struct operation_key *key, int ranks, int64_t *least,
                          int64_t *most);

// Stores a whole number or a rank in its field of the arguments, and reads it.
void operation_store(const struct operation_key *key, void *arguments, int64_t value);
int64_t operation_number(const struct operation_key *key, const void *arguments);

// A key's value in the arguments as text with unit; NULL: a text that was not given. g_free.
char *operation_text(const struct operation_key *key, const void *arguments);

// The problem of an expression whose value is out of bounds; g_free.
char *operation_out_of_range(const struct operation_key *key, int64_t value);

// The JSON Schema of a list of operations, of sim/ and of the models' tables (NULL-terminated;
// NULL: none). Loops refer to it as #/$defs/operations. New reference.
json_t *operation_list_schema(const struct operation_kind *const *tables);

#endif
