// SPDX-License-Identifier: GPL-3.0-or-later
// Programs on bare SCTP sockets: a one-to-one association between each pair of ranks, made at
// startup over all cards that take part. A message's tag is its stream (modulo the streams that
// were negotiated), so messages of different tags may overtake one another, and a receive takes the
// next message of its peer and tag. A message that is longer than `message` is sent as several user
// messages of one stream; one byte represents an empty message.
//
// Not modelled: how a process learns the ports of the others (it takes `exchange`).
#ifndef NETSIM_MODELS_SCTP_NATIVE_H
#define NETSIM_MODELS_SCTP_NATIVE_H

#include "models/sctp_cmt/sctp/socket.h"
#include "sim/model/stack.h"
#include "sim/mpi/bare.h"
#include "sim/mpi/startup.h"

#define NATIVE_MOST_CARDS 8 // of a host

// SCTP_NODELAY: as the program has it, or by the user's word.
enum native_no_delay { NATIVE_NO_DELAY_BY_PROGRAM, NATIVE_NO_DELAY_ON, NATIVE_NO_DELAY_OFF };

struct native_sctp_config {
    int64_t message;           // bytes: the longest user message
    struct param_counts cards; // interfaces that take part; empty: all
    int no_delay;              // enum native_no_delay
    int64_t read;              // bytes: the longest read of iperf's server
    sim_time exchange;         // ps
    struct cost call;
};

// The association with one peer.
struct native_link {
    struct sctp_socket *socket; // NULL: none (oneself, or not yet)
    int streams;                // that the process may send on
    bool port_known;            // the peer, of a lower rank, listens
};

struct native_process {
    struct mpi_process *process;
    const struct native_sctp_config *config;
    bool no_delay;        // SCTP_NODELAY is set
    int64_t longest_read; // bytes
    const struct cluster *cluster;
    struct sctp_host *host;    // its own
    struct native_link *links; // by rank
    struct sctp_socket *listener;
    struct event exchange; // the higher ranks know the port
    int closing;           // rank of the association to be closed next
    GArray *selected;      // struct inet_selected
    GArray *senders;       // int: ranks that receives wait for
    struct mpi_bare bare;
};

static inline struct native_process *native_of(const struct mpi_process *process)
{
    return process->device;
}

// The write of iperf.sctp: the most user data that a packet holds.
int64_t native_write_size(const struct scenario_case *test_case);

extern const struct mpi_startup_step native_startup[];
enum mpi_progress native_finalize(struct cpu_context *context, struct mpi_process *process);

extern const struct mpi_device_ops native_sctp_ops;
extern const struct stack native_sctp_stack;
extern const struct scenario_section native_sctp_sections[];

#endif
