// SPDX-License-Identifier: GPL-3.0-or-later
// netsim export: a scenario for other programs. Each target is a row of a table in export.c.
//
// To add a target: its function here, in a file of its own, and its row; for an option that not all
// have, a member of struct export_arguments, a row in cli_export_options, and the option's name in
// the target's row.
#ifndef NETSIM_CLI_EXPORT_H
#define NETSIM_CLI_EXPORT_H

#include "sim/cli/cli.h"

struct export_arguments {
    char **sets, **series;
    char *out;
    gboolean allow_unused;
    char *host_speed; // ti, simgrid
    char *tolerance;  // simgrid
};

// An export: of each wanted series of a scenario, into a directory that exists.
struct export_job {
    const struct export_arguments *arguments;
    const struct scenario *scenario;
    const char *directory;
    GPtrArray *cases;          // const struct scenario_case *: the wanted series
    GPtrArray *names;          // char *, by case: of files, unlike each other
    struct progress *progress; // NULL: none is shown
};

struct export_target {
    const char *name;
    const char *summary;        // one line, as those of commands
    const char *const *options; // those that not all have, NULL-terminated; NULL: none
    bool runs;                  // a run's needs of the machine and of the network are checked first
    // Writes the files, and prints what it wrote. Returns an exit code, after printed errors.
    enum cli_exit (*write)(const struct export_job *job);
};

// Reads the option host-speed; without it, the speed of the workload's replay, else 1 Gflop/s.
// Returns false after a printed error.
bool export_speed(const struct export_job *job, const struct workload *workload, int64_t *speed);
char *export_speed_text(int64_t speed); // g_free

// export_ti.c
enum cli_exit export_ti(const struct export_job *job);

// export_simgrid.c
enum cli_exit export_simgrid(const struct export_job *job);

#endif
