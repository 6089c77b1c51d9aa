// SPDX-License-Identifier: GPL-3.0-or-later
// When a library makes progress: one rule per library (mpi_device_ops.progress), which the
// interpreter reads call by call.
//
// A turn is what the library does before it looks again at what the call is about: a pass over its
// sockets, one event, one packet. The device knows where it ends (enum mpi_progress).
#ifndef NETSIM_MPI_PROGRESS_H
#define NETSIM_MPI_PROGRESS_H

#include <stdbool.h>

// What a call that does not wait does next.
enum mpi_act {
    MPI_LEAVES, // ends the list
    MPI_LOOKS,  // leaves if what it asks for is done
    MPI_TURN,   // one turn, without waiting
    MPI_TURNS,  // turns, until one finds nothing
};

#define MPI_MOST_ACTS 5

enum mpi_waits {
    // Looks first; then turns, and leaves after the one that has brought what it waits for.
    MPI_WAITS_LEAVE,
    // Looks first; then turns, also after that one, until one finds nothing.
    MPI_WAITS_EXHAUST,
    // The same, but for rounds of collectives, without the first look.
    MPI_WAITS_ALWAYS,
};

struct mpi_progress_rule {
    const char *library; // "LAM/MPI 7, TCP RPI"
    const char *turn;    // what a turn is: "a pass of the RPI"
    const char *source;
    enum mpi_act send[MPI_MOST_ACTS];    // a call that starts sends (MPI_Isend, MPI_Start)
    enum mpi_act receive[MPI_MOST_ACTS]; // one that starts receives, or other requests
    enum mpi_act test[MPI_MOST_ACTS];    // ends with a look
    enum mpi_act probe[MPI_MOST_ACTS];   // MPI_Iprobe, after it has looked at what is here
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

// What the rule says of waits, in words.
const char *mpi_waits_text(const struct mpi_progress_rule *rule);

#endif
