// SPDX-License-Identifier: GPL-3.0-or-later
// ARMCI over GM, as of 2001 (thesis 001): put, get, accumulate, atomic read-modify-write, mutexes
// and fences, between processes that also use MPI. A data server on each node, a thread that sleeps
// until the card interrupts, executes the clients' requests at its node.
//
//   client.h           a process: its operations in sequence, the one send token
//   put.c, get.c       the client's half of transfers, a table of variants each
//   synchronise.c      fence, fetch_add, mutexes
//   server.h           the data server
//   mpich.h            MPICH over GM, whose port ARMCI sends through
//   layout.h           how data are cut and packed
//   buffers.h          registered send buffers: by number, or cut from one region
//   request_message.h  what clients and data servers exchange
//
// Not modelled: values in memory (except one word per process for fetch_add, and its mutex); memory
// allocation; the schemes for short messages that thesis 001 mentions without describing; progress
// of non-blocking calls outside of ARMCI (a put with a request is started, and continues in later
// calls). A copy within a node costs one copy, whatever other processes use that memory at the
// time.
#ifndef NETSIM_MODELS_ARMCI_ARMCI_H
#define NETSIM_MODELS_ARMCI_ARMCI_H

#include "sim/model/stack.h"

extern const struct stack armci_stack;
extern const struct scenario_section armci_sections[]; // ends with a NULL path

struct armci_config {
    int put, get;   // variants
    int64_t buffer; // bytes
    int64_t send_buffers;
    int buffer_scheme; // ARMCI_BUFFERS_…
    int64_t region;    // bytes
    int64_t get_buffers;
    int put_returns;       // ARMCI_RETURNS_…
    bool even_out;         // pieces of contiguous puts
    int64_t even_whole;    // buffers
    int64_t even_rest;     // bytes
    int get_chunk;         // ARMCI_CHUNK_…
    int64_t chunk_least;   // bytes
    int64_t chunk_halves;  // bytes
    int64_t chunk_eighths; // bytes
    int64_t chunk_most;    // bytes
    int64_t chunk_round;   // bytes
    int64_t send_tokens;
    int64_t server_ports;
    bool server_stores;
    int64_t large_buffers, small_buffers;
    int64_t small;             // bytes
    int64_t header;            // bytes
    int64_t client_descriptor; // bytes
    int64_t flag;              // bytes
    struct cost call;
    struct cost request;
    struct cost piece;
    struct cost block;
    struct cost look;
    struct cost dispatch;
    struct cost atomic;
    struct cost accumulate_kib; // per KiB
};

enum { ARMCI_RETURNS_AFTER_LAST_ACK, ARMCI_RETURNS_AFTER_LAST_SEND };
enum { ARMCI_CHUNK_BUFFER, ARMCI_CHUNK_2001 };

extern const struct param_table armci_table;

// Bytes of a message buffer in memory: the data, plus room for header and descriptors.
int64_t armci_buffer_bytes(const struct armci_config *config);

// The most data of a put that one buffer holds. For a vector, each segment takes a pointer in the
// descriptor, and `segments` is the length of its shortest segment in bytes; 0: not a vector.
int64_t armci_put_limit(const struct armci_config *config, int64_t segments);

// Bytes of the pieces into which the server cuts a get.
int64_t armci_get_limit(const struct armci_config *config, int64_t bytes);

#endif
