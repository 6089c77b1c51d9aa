// SPDX-License-Identifier: GPL-3.0-or-later
// Reads a case file: a program, the stack that it runs over, and the protocol transitions that are
// expected of it. README.md in this folder describes how one is written.
#ifndef NETSIM_TESTS_CASES_CASE_FILE_H
#define NETSIM_TESTS_CASES_CASE_FILE_H

#include "sim/core/time.h"
#include "tests/support/program_run.h"

// A transition that must follow at its place, or the number of those that contain a text.
struct case_expectation {
    int line;
    bool counted;
    int count; // if counted: exactly, or at least
    bool at_least;
    sim_time from, to; // 0 and TIME_NEVER: at any time
    const char *place; // in a block "in order"; else NULL
    const char *text;
};

// The lines below "rank N", "rank all", "at PLACE" or "in order".
enum case_kind { CASE_RANK, CASE_ALL, CASE_PLACE, CASE_ORDER };

struct case_block {
    enum case_kind kind;
    int line, end;     // of its first line, and of its last one that is not empty, from 1
    int rank;          // of CASE_RANK
    const char *place; // of RANK and PLACE, as the state log names it
    bool listed;       // has lines with '>', if only "> nothing"
    GArray *expected;  // struct case_expectation
    GString *ops;      // as in a scenario's program: "{send: {to: 1}}, barrier"
};

// A line such as "reason kind = truncated".
struct case_fact {
    int line; // 0: not written, but understood
    const char *what, *name;
    bool whole; // '=': equal; else '~': contained
    const char *text;
};

struct case_file {
    const char *path;
    struct test_program program;
    char **show;       // the machines whose transitions '>' lists
    GPtrArray *blocks; // struct case_block *
    GArray *facts;     // struct case_fact
    char **lines;      // of the file, as they are
    int variant, variants;
    GString *with; // " with SIZE = 1 KiB" if there are several variants
    GStringChunk *strings;
    char *machine;
    char *error; // what is wrong with the file, "FILE:LINE: WHAT", or NULL
};

// Reads one variant of a file, from 0 on (a file without "each" has one). Never NULL; check
// `error` first. The caller frees it. `path` must outlive it.
struct case_file *case_file_read(const char *path, int variant);
void case_file_free(struct case_file *file);

#endif
