// SPDX-License-Identifier: GPL-3.0-or-later
// The TCP RPI of LAM/MPI 7: the device of an MPI process over sockets.
//
//   lam_tcp.c           parameters, the device's ops, reports
//   lam_tcp_progress.c  advance: the sockets of interest; read or write if it is one, else select
//   lam_tcp_protocol.c  start, envelopes, bodies, ACKs: what a request does next
//
// Short (up to lam_tcp.short): envelope and body in one writev. Synchronous: the same, then an ACK.
// Long: envelope, ACK, then a second envelope with the body. The receiver reads 24 bytes, then the
// body that they announce. A socket is read only while a request could take something from it. A
// blocking call while no request is active bypasses all that (fastsend, fastrecv): it makes no
// request, and blocks in the socket.
//
// Not modelled: conversion between byte orders, guaranteed envelope resources (GER), which are a
// build option, and sockets' options set after connecting (here they are set before).
#ifndef NETSIM_MODELS_MPI_TCP_LAM_TCP_H
#define NETSIM_MODELS_MPI_TCP_LAM_TCP_H

#include "models/mpi_tcp/mesh.h"
#include "sim/mpi/arrival.h"

struct lam_tcp_config {
    int64_t short_limit;   // bytes ("short")
    int64_t socket_buffer; // bytes
    bool no_delay;
    int64_t envelope; // bytes
    struct cost advance;
    bool fast_calls;
    struct cost fast;
    struct cost start;
    struct cost send;
    struct cost receive;
    sim_time daemon_exchange; // ps
};

extern const struct param_table lam_tcp_table;

// ce_flags
#define LAM_C2CACK 0x1
#define LAM_C2CSSEND 0x2
#define LAM_C2CLONG 0x4
#define LAM_C2C2ND 0x8

// An envelope's content. LAM's holds length, tag, flags, rank, context and sequence number, six
// words of 32 bits. Here the ledger's name of the message takes the room of the rank, which the
// connection implies, and half of those of flags and context.
struct lam_envelope {
    int32_t ce_len, ce_tag;
    uint16_t ce_flags, ce_cid;
    uint32_t ce_seq;
    struct message_ref message;
};
#define LAM_ENVELOPE_BYTES 24
_Static_assert(sizeof(struct lam_envelope) == LAM_ENVELOPE_BYTES, "six words");

// The next step of a request; LAM has an advance function for each.
enum lam_state {
    LAM_START,
    LAM_SEND_SHORT, // envelope and body are being written
    LAM_SEND_SYNCH, // the same, and an ACK will come
    LAM_SEND_LONG,  // the first envelope is being written
    LAM_WAIT_ACK,
    LAM_SEND_BODY, // the second envelope and the body are being written
    LAM_POSTED,    // a receive or probe that has not met its message
    LAM_READ_BODY,
    LAM_SEND_ACK_LONG, // of the first envelope
    LAM_WAIT_SECOND,   // for the second envelope
    LAM_SEND_ACK,      // of a synchronous send
    LAM_WAIT_SELF,     // a synchronous send to oneself
    LAM_DONE,
};

struct lam_request {
    struct mesh_link *link; // NULL: oneself, or any source before the match
    bool is_long;
    bool acknowledge; // a receive that owes its sender an ACK
};

static inline struct lam_request *lam_of(const struct mpi_request *request)
{
    return (struct lam_request *)(void *)(uintptr_t)request->device;
}

struct lam_process {
    struct mesh mesh;
    struct mpi_process *process;
    const struct lam_tcp_config *config;
    // The progress engine.
    struct mesh_link *serving; // its read or write goes on
    bool serving_write;
    bool serving_blocks; // in read or write; else until it would block
    bool moved;          // in this pass: a request has
    bool selecting;      // asleep in select
    int ready;           // links that select has found ready and that have not been served
    int next_ready;      // no rank before this one is such a link
};

static inline struct lam_process *lam_process_of(const struct mpi_process *process)
{
    return process->device;
}

extern const struct mpi_device_ops lam_tcp_ops;

// lam_tcp_progress.c
enum mpi_progress lam_advance(struct cpu_context *context, struct mpi_process *process,
                              bool blocking);

// lam_tcp_protocol.c
void lam_start(struct cpu_context *context, struct mpi_request *request);
extern const struct stage lam_stage;                  // the library on a processor
extern const struct machine_kind lam_request_machine; // by enum lam_state
// An item has been written; frees it.
void lam_written(struct cpu_context *context, struct mesh_item *item);
// A link's header or body is here. Afterwards the reader's in_header is false if a body follows.
void lam_envelope_read(struct cpu_context *context, struct lam_process *lam,
                       struct mesh_link *link);
void lam_body_read(struct cpu_context *context, struct mesh_link *link);

extern const struct mpi_arrival_ops lam_tcp_arrival;

#endif
