// SPDX-License-Identifier: GPL-3.0-or-later
// netsim describe file: the maps of the files besides scenarios, from the tables that read them.
#ifndef NETSIM_CLI_DESCRIBE_FILE_H
#define NETSIM_CLI_DESCRIBE_FILE_H

#include "sim/cli/cli.h"

// Prints the maps of the kind of file that the words name ("figures"), or of all for no word; with
// `json` their JSON Schemas. Reports an unknown kind.
enum cli_exit describe_files(char *const *words, bool json);

#endif
