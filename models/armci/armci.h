// SPDX-License-Identifier: GPL-3.0-or-later
// ARMCI over GM, as of 2001 (thesis 001): put, get, accumulate, atomic read-modify-write, mutexes
// and fences, between processes that talk MPI beside. A data server on each node, a thread that
// sleeps until the card interrupts, does at its node what the clients ask for.
//
//   client.h           a process: its operations one after the other, the one send token
//   put.c, get.c       the client's half of transfers, a table of variants each
//   synchronise.c      fence, fetch_add, mutexes
//   server.h           the data server
//   mpich.h            MPICH over GM, whose port ARMCI sends through
//   layout.h           how data are cut and packed
//   buffers.h          registered send buffers: by number, or cut from one region
//   request_message.h  what is sent
//
// Not modelled: values in memory (but for one word of fetch_add a process, and its mutex); memory
// allocation; the schemes for short messages that thesis 001 mentions and does not describe; calls
// that do not block inside of ARMCI (a put with a request is started, and goes on in later calls).
// A copy within a node costs one copy, whoever else uses that memory then.
#ifndef NETSIM_MODELS_ARMCI_ARMCI_H
#define NETSIM_MODELS_ARMCI_ARMCI_H

#include "sim/workload/stack.h"

extern const struct stack armci_stack;
extern const struct scenario_section armci_sections[]; // ends with a NULL path

struct armci_config {
    int put, get;                         // variants
    int64_t buffer;                       // bytes of data in a send or receive buffer
    int64_t send_buffers;                 // of the pipelined put
    int buffer_scheme;                    // ARMCI_BUFFERS_…
    int64_t region;                       // bytes of the dynamic scheme
    int64_t get_buffers;                  // of the pipelined get, at the client and at the server
    int put_returns;                      // ARMCI_RETURNS_…
    bool even_out;                        // pieces of contiguous puts
    int64_t even_whole;                   // … if there are fewer than this many whole buffers
    int64_t even_rest;                    // … and less than this behind them, bytes
    int get_chunk;                        // ARMCI_CHUNK_…
    int64_t chunk_least;                  // rule armci_2001: up to this a get is one chunk, bytes
    int64_t chunk_halves;                 // … below this two chunks
    int64_t chunk_eighths;                // … below this eight
    int64_t chunk_most;                   // … else chunks of this
    int64_t chunk_round;                  // … each a multiple of this
    int64_t send_tokens;                  // of the port shared with MPICH that are ARMCI's
    int64_t server_ports;                 // 2, or 1
    bool server_stores;                   // takes requests off its port while it is busy with one
    int64_t large_buffers, small_buffers; // receive buffers of the server
    int64_t small;                        // bytes of a small one
    int64_t header;                       // bytes of a request's header
    int64_t client_descriptor;            // bytes
    int64_t flag;                         // bytes of a flag behind data or by itself
    struct cost call;                     // entering and leaving an ARMCI call
    struct cost request;                  // filling in a request
    struct cost piece;                    // breaking off one more piece
    struct cost block;                    // each contiguous block that is packed or unpacked
    struct cost look;                     // one look at a flag in memory
    struct cost dispatch;                 // server: decoding a request
    struct cost atomic;                   // read-modify-write under a lock
    struct cost accumulate_kib;           // adding, for each KiB, on top of the copy
};

enum { ARMCI_RETURNS_AFTER_LAST_ACK, ARMCI_RETURNS_AFTER_LAST_SEND };
enum { ARMCI_CHUNK_BUFFER, ARMCI_CHUNK_2001 };

extern const struct param_table armci_table;

// Bytes of a message buffer in memory: the data, and room for header and descriptors.
int64_t armci_buffer_bytes(const struct armci_config *config);

// Data of a put that go into one buffer; `segments`: data are a vector's, each segment of which
// takes a pointer in the descriptor, and the shortest of which has so many bytes; 0: they are not.
int64_t armci_put_limit(const struct armci_config *config, int64_t segments);

// Bytes of the pieces that a get is cut into at the server.
int64_t armci_get_limit(const struct armci_config *config, int64_t bytes);

#endif
