// SPDX-License-Identifier: GPL-3.0-or-later
// The NAS Parallel Benchmarks 3.3-MPI as communication programs: the messages, neighbours, sizes,
// counts and collectives of the codes, made from the class and the number of ranks as the codes
// make them. Computation is time alone: operations as the code counts them, at a rate.
//
// A program is: the broadcasts of parameters, the start-up iteration of the code, its barrier, the
// clock around what the code times, and the reduction of the time. Left out are other set-up, and
// the verification of the results.
#ifndef NETSIM_MODELS_NAS_NAS_H
#define NETSIM_MODELS_NAS_NAS_H

#include "sim/benchmark/benchmark.h"

enum nas_class { NAS_S, NAS_W, NAS_A, NAS_B, NAS_C, NAS_CLASSES };

// Bytes of the codes' data.
#define NAS_INTEGER 4
#define NAS_DOUBLE 8
#define NAS_COMPLEX 16

// A benchmark's own keys of the workload.
struct nas_config {
    int class;   // enum nas_class
    double rate; // 10^6 operations per second of one rank
};

// A rank's program while it is built.
struct nas {
    struct program *program;
    GPtrArray *body; // where operations are appended
    int rank, ranks;
    enum nas_class class;
    int64_t iterations;
    double rate; // operations per second of this rank
};

struct nas_code {
    const int64_t *iterations; // by class
    // Operations of all ranks together within the clock, as the code counts them for its Mop/s.
    double (*operations)(enum nas_class class, int64_t iterations);
    void (*build)(struct nas *nas); // appends a rank's operations
    // Returns what a number of ranks must be, if the code does not run on this one; NULL: it does.
    // The caller frees it.
    char *(*refusal)(enum nas_class class, int ranks);
};

extern const struct nas_code nas_bt, nas_cg, nas_ep, nas_ft, nas_is, nas_lu, nas_mg, nas_sp;

// ---- Pieces of programs (program.c) ----

// Time for this rank's operations.
void nas_compute(struct nas *nas, double operations);

// Blocking, and started with a request of that name.
void nas_send(struct nas *nas, int to, int64_t size, int64_t tag);
void nas_receive(struct nas *nas, int from, int64_t size, int64_t tag);
void nas_start_send(struct nas *nas, int to, int64_t size, int64_t tag, const char *request);
void nas_start_receive(struct nas *nas, int from, int64_t size, int64_t tag, const char *request);
void nas_wait(struct nas *nas, const char *request);
void nas_wait_all(struct nas *nas); // for all that are open

// irecv, send and wait with one peer.
void nas_swap(struct nas *nas, int peer, int64_t send_size, int64_t receive_size, int64_t tag);

void nas_barrier(struct nas *nas);
// A collective of `size` bytes, with root 0 if it has one.
void nas_collective(struct nas *nas, enum op_code code, int64_t size);

// One broadcast for each of `count` parameters of the code, of that size.
void nas_broadcasts(struct nas *nas, int count, int64_t size);

// Appends a loop and makes its body the one that is appended to. Returns the body around it, to
// which nas_end_loop goes back.
GPtrArray *nas_loop(struct nas *nas, int64_t count);
// Another is the loop of the code's iterations.
GPtrArray *nas_iterations(struct nas *nas, int64_t count);
void nas_end_loop(struct nas *nas, GPtrArray *around);

// The clock starts after a barrier, and stops; its time is that of the run.
void nas_start_clock(struct nas *nas);
void nas_stop_clock(struct nas *nas);

// ---- Refusals ----

bool nas_is_power_of_two(int ranks);
char *nas_refuse_unless_power_of_two(int ranks);

#endif
