// SPDX-License-Identifier: GPL-3.0-or-later
// Records the MPI calls of a program that is not changed for it, as an OTF2 archive: the regions,
// messages, requests and collectives that Score-P records too.
//
//     mpicc -O2 -shared -fPIC otf2_record/*.c -o libotf2_record.so -lopen-trace-format2
//     OTF2_RECORD=mine mpirun -np 4 -x OTF2_RECORD -x LD_PRELOAD=$PWD/libotf2_record.so ./stencil
//
// The archive is mine/traces.otf2; the folder must not exist. Only calls in the list of regions
// below are recorded: those of MPI's first version, but for buffered, persistent and cancelled
// ones. A program that sends by others must not be recorded. One thread of each process may call
// MPI.
#ifndef OTF2_RECORD_H
#define OTF2_RECORD_H

#include <mpi.h>
#include <otf2/otf2.h>

#include <stdbool.h>
#include <stdint.h>

// ---- Regions ----

#define REGIONS(X)                                                                                 \
    X(Init)                                                                                        \
    X(Finalize)                                                                                    \
    X(Send)                                                                                        \
    X(Ssend)                                                                                       \
    X(Rsend)                                                                                       \
    X(Recv)                                                                                        \
    X(Isend)                                                                                       \
    X(Issend)                                                                                      \
    X(Irecv)                                                                                       \
    X(Wait)                                                                                        \
    X(Waitall)                                                                                     \
    X(Waitany)                                                                                     \
    X(Waitsome)                                                                                    \
    X(Test)                                                                                        \
    X(Testall)                                                                                     \
    X(Sendrecv)                                                                                    \
    X(Probe)                                                                                       \
    X(Iprobe)                                                                                      \
    X(Barrier)                                                                                     \
    X(Bcast)                                                                                       \
    X(Reduce)                                                                                      \
    X(Allreduce)                                                                                   \
    X(Gather)                                                                                      \
    X(Scatter)                                                                                     \
    X(Allgather)                                                                                   \
    X(Alltoall)                                                                                    \
    X(Scan)                                                                                        \
    X(Exscan)                                                                                      \
    X(Gatherv)                                                                                     \
    X(Scatterv)                                                                                    \
    X(Allgatherv)                                                                                  \
    X(Alltoallv)                                                                                   \
    X(Reduce_scatter)                                                                              \
    X(Reduce_scatter_block)                                                                        \
    X(Comm_split)                                                                                  \
    X(Comm_dup)                                                                                    \
    X(Comm_create)

#define AS_ENUM(name) REGION_##name,

enum region { REGIONS(AS_ENUM) REGION_COUNT };

// Of the region of MPI_Alltoallv, one per member.
enum parameter { TO_EACH, FROM_EACH };

// ---- The process ----

struct open_request {
    MPI_Request handle;
    uint64_t number;
    bool receives;
    MPI_Comm comm;
};

// The recorder of this process.
struct recorder {
    OTF2_Archive *archive;
    OTF2_EvtWriter *events; // NULL: not recording
    int rank, ranks;
    uint64_t count;    // of events
    uint64_t requests; // that were started
    struct open_request *open;
    int open_count, open_room;
};

extern struct recorder here;

OTF2_TimeStamp now(void); // ns

// A region begins; it ends, and its result is returned.
void enter(enum region region);
int leave(enum region region, int result);

uint64_t bytes_of(int count, MPI_Datatype type);
OTF2_CommRef number_of(MPI_Comm comm);

// A number for a communicator that `parent` was made into; `comm` may be MPI_COMM_NULL.
void number_communicator(MPI_Comm comm, MPI_Comm parent);

// Writes the definitions of communicators that were made, with their groups, from `group` on; all
// processes call it, and rank 0 writes. Strings have numbers from *strings on.
void define_communicators(OTF2_GlobalDefWriter *writer, OTF2_GroupRef group,
                          OTF2_StringRef *strings);
void init_communicators(void);

#endif
