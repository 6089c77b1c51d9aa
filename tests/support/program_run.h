// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program over a stack, and keeps the protocol transitions of all layers as text, for tests
// that compare them.
//
// A line is written as in the state log, without its time and its place, which have fields of their
// own:
//
//     send[1] start -> envelope_sent tiny
//     cbuf[0] unexpected_tiny
//     pin registered 24576 B, references 1
#ifndef NETSIM_TESTS_SUPPORT_PROGRAM_RUN_H
#define NETSIM_TESTS_SUPPORT_PROGRAM_RUN_H

#include "sim/measure/result.h"
#include "sim/mpi/observer.h"
#include "tests/support/compiled.h"

#include <glib.h>

#define TEST_MOST_RANKS 8

// The program of a test, on hosts around one switch by default.
struct test_program {
    int ranks, hosts;                 // hosts: 0: one per rank
    const char *machine;              // YAML: links, network cards and hosts; NULL: eepro100
    const char *switches;             // "{name: plane, count: 4}"; NULL: one, "switch"
    const char *stack;                // NULL: lam_via
    const char *sets[32];             // "lam_via.tiny=1 KiB", ends with NULL
    const char *ops[TEST_MOST_RANKS]; // of each rank, "{send: {to: 1, size: 1 KiB}}, barrier"
    const char *all;                  // of every rank, after its own; or NULL
};

struct program_line {
    sim_time when;
    const char *where;   // interned: "rank 0", "data server node1"
    int rank;            // -1: another place
    const char *machine; // interned
    char *text;
};

struct program_run {
    struct series_result *result;
    GPtrArray *lines; // struct program_line *, in the order in which they were reported
};

// The machine of a stack's case files: tests/cases/STACK/machine.yaml in $NETSIM_SOURCE_DIR or
// here. Valid until the program ends.
const char *program_machine(const char *stack);

// A compiled program; what is wrong with it fails the running case and ends it. The caller frees it
// with compiled_free.
struct compiled program_compiled(const struct test_program *program);

// The text of the compiler's complaints about a program, "" if there are none. The caller frees it.
char *program_complaints(const struct test_program *program);

struct program_run *program_run(const struct test_program *program, uint64_t seed);
struct program_run *program_run_observed(const struct test_program *program, uint64_t seed,
                                         struct mpi_observer *observer);
// Like program_run, with seed 1 and without the nth frame that each host sends, from 1.
struct program_run *program_run_lossy(const struct test_program *program, int nth);
void program_run_free(struct program_run *run);

// Like program_run, but returns NULL if the compiler refuses the program. *complaints is its text,
// "" if there are none; the caller frees it.
struct program_run *program_run_try(const struct test_program *program, uint64_t seed,
                                    char **complaints);

// Like program_run, with seed 1, but fails the running case unless it completes with balanced
// books.
struct program_run *program_run_good(const struct test_program *program);

// A rank's transitions of some machines ("send recv probe cbuf"), each ended by a line feed; the
// caller frees it.
char *program_run_text(const struct program_run *run, int rank, const char *machines);

#define RPI_REQUESTS_AND_PINS "send recv probe cbuf pin"
#define RPI_STARTUP "rpi vi"

// How many of a rank's transitions contain a text.
int program_run_count(const struct program_run *run, int rank, const char *part);

// A counter of the run, 0 if there is none of that name.
int64_t program_counter(const struct program_run *run, const char *name);

// A sink of its own, for tests that build their simulation by hand; it fills `lines`.
struct trace *program_trace_new(GPtrArray **lines);
void program_trace_free(struct trace *trace);

// A member of the reason why a run ended, as text ("" if there is none); the caller frees it.
char *program_reason(const struct program_run *run, const char *member);

// All lines of the ledger's report, each ended by a line feed; the caller frees it.
char *program_ledger_text(const struct program_run *run);

#endif
