// SPDX-License-Identifier: GPL-3.0-or-later
// Writes OTF2 archives for tests, through the library's writer, from words:
//
//   NAME{ }            a region is entered, and the innermost is left
//   leave NAME         a region of that name is left
//   +TICKS             the clock goes on, which it does not by itself
//   send TO COMM TAG BYTES, recv FROM COMM TAG BYTES
//   isend TO COMM TAG BYTES REQUEST, sent REQUEST
//   irecv REQUEST, received FROM COMM TAG BYTES REQUEST
//   tested REQUEST, cancelled REQUEST
//   collective OPERATION COMM ROOT SENT RECEIVED     by number; root -1: none
//   to BYTES, from BYTES   of the next member, in MPI_Alltoallv
//   off, on            recording
//   flush TICKS        the clock goes on while the buffer is written
//   window, put, io, ahead REQUEST, ahead_done, context      what cannot be replayed
#ifndef NETSIM_TESTS_SUPPORT_OTF2_AUTHOR_H
#define NETSIM_TESTS_SUPPORT_OTF2_AUTHOR_H

#include <stdbool.h>

#define OTF2_AUTHOR_RANKS 8

struct otf2_comm_given {
    const char *name;
    const char *members; // ranks, "0 2"; NULL: all, each alone (MPI_COMM_SELF)
    bool below;          // the first communicator is its parent
    bool global_ranks;   // records name ranks of the job
    bool inter;          // an inter-communicator, with the group itself on both sides
};

struct otf2_given {
    int ranks;
    const char *events[OTF2_AUTHOR_RANKS]; // by rank; NULL: none
    // By number; 0 is MPI_COMM_WORLD, of all ranks, unless it is given.
    struct otf2_comm_given comms[6];
    const char *thread; // events of a second thread of rank 0; NULL: there is none
    bool eztrace;       // as EZTrace writes them
    bool alone;         // no definitions of MPI
    bool no_clock;
    bool no_location;    // of rank 1
    bool twice;          // rank 1 has the location of rank 0
    unsigned long ticks; // of the clock, per second; 0: 10^9
};

// Writes the archive into a directory that must not exist. Returns the path of its anchor, for
// g_free.
char *otf2_write(const char *directory, const struct otf2_given *given);

#endif
