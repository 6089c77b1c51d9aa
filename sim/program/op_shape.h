// SPDX-License-Identifier: GPL-3.0-or-later
// What operations look like in YAML: their names, and the keys that each must and may have.
#ifndef NETSIM_PROGRAM_OP_SHAPE_H
#define NETSIM_PROGRAM_OP_SHAPE_H

#include "sim/config/quantity.h"
#include "sim/program/program.h"

#include <stddef.h>

// How a key is read, and with that which field of struct op it fills.
enum op_key_form {
    OP_KEY_VALUE,       // an op_value
    OP_KEY_REQUEST,     // name of a request that is started
    OP_KEY_AWAITED,     // name of a request that is waited for
    OP_KEY_AWAITED_ALL, // "all", or several of them
    OP_KEY_COUNTER,     // name of a loop's counter
    OP_KEY_BODY,        // a list of operations
    OP_KEY_FLAG,        // true or false
    OP_KEY_FUNCTION,    // name of what is called
    OP_KEY_STRIDED,     // {counts, strides, peer_strides}
    OP_KEY_SEGMENTS,    // [{bytes, count}, …]
};

// In this order the keys of an operation are read: a loop's counter before its body.
enum op_key_index {
    OP_TO,
    OP_FROM,
    OP_FROM_ONE,
    OP_TO_OR_ALL,
    OP_SOURCE,
    OP_ROOT,
    OP_SIZE,
    OP_STRIDED,
    OP_SEGMENTS,
    OP_TAG,
    OP_TAG_OR_ANY,
    OP_BUFFER,
    OP_RECEIVE_BUFFER,
    OP_PEER_BUFFER,
    OP_CHANNEL,
    OP_NOTIFY,
    OP_PHYSICAL,
    OP_PAGED,
    OP_HANDLER,
    OP_NAME,
    OP_REQUEST,
    OP_AWAITED,
    OP_ALL,
    OP_TIME,
    OP_COUNT,
    OP_AS,
    OP_DO,
    OP_KEYS
};

struct op_key {
    const char *name;
    enum op_key_form form;
    size_t field;                // of the op_value or bool that it fills
    enum quantity_kind quantity; // what a plain number must be
    const char *any;             // the word that stands for any value: "any"; NULL: none
};

extern const struct op_key op_keys[OP_KEYS];

#define OP_KEY_BIT(key) (1u << (key))

// Where the operation stands on what a library must have.
enum op_owner {
    OP_OF_PROCESS, // none: it concerns no library
    OP_OF_MPI,     // every MPI library has it
    OP_OF_SOME,    // only libraries that say so
};

// Which keys an operation must and may have, and whether a value without keys ("compute: 3 ms")
// stands for the only key in `must`.
struct op_shape {
    const char *name;
    unsigned must, may; // OP_KEY_BIT
    enum op_owner owner;
    bool plain;    // may be written without keys
    bool data;     // exactly one of size, strided and segments must be given
    bool internal; // not in YAML
};

// By enum op_kind.
extern const struct op_shape op_shapes[];
extern const size_t op_shape_count;

#define OP_DATA_KEYS (OP_KEY_BIT(OP_SIZE) | OP_KEY_BIT(OP_STRIDED) | OP_KEY_BIT(OP_SEGMENTS))

// The only key of a plain operation; NULL for barrier.
const struct op_key *op_plain_key(const struct op_shape *shape);

#endif
