// SPDX-License-Identifier: GPL-3.0-or-later
// The diagram of a message, for the commands that make one.
#ifndef NETSIM_CLI_DIAGRAM_H
#define NETSIM_CLI_DIAGRAM_H

#include "sim/cli/cli.h"
#include "sim/explain/diagram.h"

// A diagram of a scenario's one wanted series.
struct cli_diagram {
    const struct scenario *scenario;
    char **series;       // of --series; NULL: none were given
    uint64_t number;     // of the message; 0: not given
    const int64_t *size; // NULL: not given
    const struct cli_limits *limits;
    const struct explain_again *again; // to find the constants of each time; NULL: without them
};

// Makes the document, as text that the caller frees. Returns NULL after an error, with the exit
// code in *code.
char *cli_diagram_document(const struct cli_diagram *wanted, enum cli_exit *code);

// Makes and draws it. `path` ends in .svg or .html.
enum cli_exit cli_diagram_file(const struct cli_diagram *wanted, const char *path);

// Whether a file's name is one of a diagram. If not, prints an error.
bool cli_diagram_path(const char *option, const char *path);

#endif
