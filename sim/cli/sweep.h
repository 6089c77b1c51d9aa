// SPDX-License-Identifier: GPL-3.0-or-later
// The pieces of `netsim sweep`: sweep.c runs, sweep_data.c reads and joins databases,
// sweep_outcome.c prints what is in one.
#ifndef NETSIM_CLI_SWEEP_H
#define NETSIM_CLI_SWEEP_H

#include "sim/campaign/store.h"
#include "sim/cli/cli.h"
#include "sim/outcome/outcome.h"

#define SWEEP_DATABASE "sweep.sqlite" // in the directory of a sweep

// Prints the newest sweep of a database: all values as CSV, or the report in a format: "table",
// "json", or "csv" with the means over seeds.
enum cli_exit sweep_print(struct store *store, bool csv, const char *format);

// The directory that the database of a scenario's sweep is in: `out` if given. The caller frees it.
char *sweep_directory(const struct scenario *scenario, const char *out);

// `netsim sweep --report DIR|DB|SCENARIO`; `out` is the directory given for a scenario, or NULL.
enum cli_exit sweep_report(const char *argument, const char *out, bool csv, const char *format);

// `netsim sweep merge OUT DB...`; argv[0] is "merge".
enum cli_exit sweep_merge(const struct cli_command *command, int argc, char **argv);

// The exit code of a command with this report: CLI_CHECK_FAILED after crashes or lost bytes.
enum cli_exit sweep_exit(const json_t *report);

// The outcome as CSV to standard output: means over seeds, or every run.
void sweep_print_csv(const struct outcome *outcome, bool means);

#endif
