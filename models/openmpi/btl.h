// SPDX-License-Identifier: GPL-3.0-or-later
// The BTL tcp: an endpoint per rail of a peer, with its connection, fragments to be written and the
// fragment that is being read.
//
// A connection is made by the first fragment. The caller sends its process's name once connected,
// the other side accepts by answering with its own name, and queued fragments are written.
// If both call at once, the call of the lower rank stays: the lower one closes what it accepts, and
// the higher one gives its own call up for the one it accepts (mca_btl_tcp_endpoint_accept).
#ifndef NETSIM_MODELS_OPENMPI_BTL_H
#define NETSIM_MODELS_OPENMPI_BTL_H

#include "models/openmpi/header.h"
#include "models/tcp/socket.h"
#include "sim/mpi/process.h"

struct bml_peer;
struct openmpi_process;

#define BTL_NAME_BYTES 12 // a process's name: cell, job, number

// One thing to be written, header and data.
struct btl_fragment {
    struct btl_fragment *next;
    struct tcp_run runs[2]; // still to be written
    int count;
    enum pml_kind kind;
    int64_t bytes;               // of data
    struct mpi_request *request; // that waits for it; NULL: none
    struct pml_header header;
};

enum btl_state { BTL_CLOSED, BTL_CONNECTING, BTL_CONNECT_ACK, BTL_CONNECTED };

// The fragment that is being read.
struct btl_reader {
    bool in_body;             // its header is here
    bool partial;             // a part of its header is
    struct pml_header header; // as far as it is here
    int64_t missing;          // bytes of its data
    int64_t cached;           // of its data: those that came with its header
};

struct btl_endpoint {
    struct bml_peer *peer;
    int card;    // of this host, as bandwidth and latency are numbered
    int station; // of the peer
    int64_t bandwidth, latency;
    struct machine machine;              // enum btl_state
    struct tcp_socket *socket;           // NULL: closed
    struct btl_fragment *sending;        // under way, or waiting for room
    struct btl_fragment *queue, *queued; // those after it; and the last
    bool owed;                           // the next slice writes
    struct btl_reader reader;
};

// The layer above.
struct btl_user {
    // All of a fragment has been written.
    void (*sent)(struct cpu_context *context, struct btl_endpoint *endpoint,
                 const struct btl_fragment *fragment);
    // A fragment has arrived, with its data in a buffer of the BTL (PML_PUT: in their place).
    void (*arrived)(struct cpu_context *context, struct btl_endpoint *endpoint,
                    const struct pml_header *header);
};

// A connection that was accepted and has not sent its name.
struct btl_caller {
    struct tcp_socket *socket;
};

extern const struct machine_kind btl_machine; // by enum btl_state

// Sends a fragment: header, and `bytes` of the message of the header from `offset`. An urgent one
// is written at once if nothing else is being written, others with the next turn.
// btl_user.sent reports that all of it has been written, maybe before the return.
void btl_send(struct cpu_context *context, struct btl_endpoint *endpoint,
              const struct pml_header *header, int64_t offset, int64_t bytes,
              struct mpi_request *request, bool urgent);

// One write call for the fragment under way. Returns true if there is more to be written at once.
bool btl_write(struct cpu_context *context, struct btl_endpoint *endpoint);

// One read call, and the fragments that it completes. Returns true if another must follow at once.
bool btl_read(struct cpu_context *context, struct btl_endpoint *endpoint);

// The connection's state as the poll wants it, enum inet_readiness.
int btl_wanted(const struct btl_endpoint *endpoint);

// ---- btl_connect.c ----

// Starts to connect.
void btl_connect(struct cpu_context *context, struct btl_endpoint *endpoint);
// The call is established, or has failed.
void btl_connected(struct cpu_context *context, struct btl_endpoint *endpoint);
// The other side answers, or has closed.
void btl_answered(struct cpu_context *context, struct btl_endpoint *endpoint);
// The listener has a connection; a caller has sent its name.
void btl_accept(struct cpu_context *context, struct openmpi_process *ompi);
void btl_called(struct cpu_context *context, struct openmpi_process *ompi,
                struct btl_caller *caller);
// The connection ends here.
void btl_close(struct cpu_context *context, struct btl_endpoint *endpoint, const char *why);
// Nothing more can be read or written: the peer has ended, or the run fails.
void btl_lost(struct cpu_context *context, struct btl_endpoint *endpoint);

#endif
