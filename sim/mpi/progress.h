// SPDX-License-Identifier: GPL-3.0-or-later
// When a library makes progress: one rule per library (mpi_device_ops.progress), which the
// interpreter reads call by call.
//
// A turn is the library's work between two checks of the call's requests: a pass over its sockets,
// one event, one packet. The device knows where it ends (enum mpi_progress).
#ifndef NETSIM_MPI_PROGRESS_H
#define NETSIM_MPI_PROGRESS_H

#include <stdbool.h>

// A step of a call that does not wait.
enum mpi_act {
    MPI_LEAVES, // ends the list
    MPI_LOOKS,  // leaves if its request is done
    MPI_TURN,   // one turn, without waiting
    MPI_TURNS,  // turns, until one finds nothing
};

#define MPI_MOST_ACTS 5

enum mpi_waits {
    // Checks first; then turns, and leaves after the one that has completed its requests.
    MPI_WAITS_LEAVE,
    // Checks first; then turns, also after that one, until one finds nothing.
    MPI_WAITS_EXHAUST,
    // Like MPI_WAITS_EXHAUST, but without the first check, except in rounds of collectives.
    MPI_WAITS_ALWAYS,
};

struct mpi_progress_rule {
    const char *library; // "LAM/MPI 7, TCP RPI"
    const char *turn;    // what a turn is: "a pass of the RPI"
    const char *source;
    enum mpi_act send[MPI_MOST_ACTS];    // a call that starts sends (MPI_Isend, MPI_Start)
    enum mpi_act receive[MPI_MOST_ACTS]; // one that starts receives, or other requests
    enum mpi_act test[MPI_MOST_ACTS];    // ends with MPI_LOOKS
    enum mpi_act probe[MPI_MOST_ACTS];   // MPI_Iprobe, after a search of the arrived messages
    enum mpi_waits waits;
    // MPI_Waitall waits for its sends, one by one in their order, and then so for its receives
    // (mpi_process.own).
    bool in_order;
};

// Of a device without a rule, such as a bare provider: each call makes progress until nothing is
// left to be done.
extern const struct mpi_progress_rule mpi_progress_always;

// "a turn, looks", for readers. The caller frees it.
char *mpi_acts_text(const enum mpi_act *acts);

// The rule for waits, in words.
const char *mpi_waits_text(const struct mpi_progress_rule *rule);

#endif
