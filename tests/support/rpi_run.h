// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a program over the VIA RPI and keeps its protocol transitions as text, for tests that
// compare them.
//
// A line is written as in the state log, without its time and its rank: no test depends on how long
// something takes.
//
//     send[1] start -> envelope_sent tiny
//     cbuf[0] unexpected_tiny
//     pin registered 24576 B, references 1
#ifndef NETSIM_TESTS_SUPPORT_RPI_RUN_H
#define NETSIM_TESTS_SUPPORT_RPI_RUN_H

#include "sim/config/scenario.h"
#include "sim/workload/result.h"

#include <glib.h>

#define RPI_MOST_RANKS 6

// What a test runs: `ranks` hosts on one switch, one rank each.
struct rpi_program {
    int ranks;
    const char *stack;               // NULL: lam_via
    const char *sets[24];            // "lam_via.tiny=1 KiB", ends with NULL
    const char *ops[RPI_MOST_RANKS]; // of each rank, "{send: {to: 1, size: 1 KiB}}, barrier"
    const char *all;                 // of every rank, after its own; or NULL
};

struct rpi_run {
    struct series_result *result;
    GPtrArray *lines; // struct rpi_line *, in the order in which they were reported
};

// A compiled program; what is wrong with it fails the running case and ends it. Both are freed by
// rpi_case_free.
struct rpi_case {
    struct scenario_schema *schema;
    struct scenario *scenario;
    const struct scenario_case *test_case; // owned by the scenario
};
struct rpi_case rpi_case_new(const struct rpi_program *program);
void rpi_case_free(struct rpi_case *compiled);

// The text of the compiler's complaints about a program, "" if there are none. The caller frees it.
char *rpi_complaints(const struct rpi_program *program);

struct rpi_run *rpi_run(const struct rpi_program *program, uint64_t seed);
void rpi_run_free(struct rpi_run *run);

// A rank's transitions of some machines ("send recv probe cbuf"), each ended by a line feed; the
// caller frees it.
char *rpi_run_text(const struct rpi_run *run, int rank, const char *machines);

#define RPI_REQUESTS "send recv probe cbuf"
#define RPI_REQUESTS_AND_PINS "send recv probe cbuf pin"
#define RPI_STARTUP "rpi vi"

// How many of a rank's transitions contain a text.
int rpi_run_count(const struct rpi_run *run, int rank, const char *part);

// A sink of its own, for tests that build their simulation by hand; it fills `lines`.
struct trace *rpi_trace_new(GPtrArray **lines);
void rpi_trace_free(struct trace *trace);

// Fails the running case unless the program completes with balanced books, and `expected` are the
// transitions of each rank (NULL: not compared).
void rpi_expect(const char *file, int line, const struct rpi_program *program, const char *machines,
                const char *const expected[RPI_MOST_RANKS]);

#define RPI_EXPECT(program, machines, ...)                                                         \
    rpi_expect(__FILE__, __LINE__, program, machines,                                              \
               (const char *const[RPI_MOST_RANKS]){__VA_ARGS__})

// A member of the reason why a run ended, as text ("" if there is none); the caller frees it.
char *rpi_reason(const struct rpi_run *run, const char *member);

// All lines of the ledger's report, each ended by a line feed; the caller frees it.
char *rpi_ledger_text(const struct rpi_run *run);

#endif
