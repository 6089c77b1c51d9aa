// SPDX-License-Identifier: GPL-3.0-or-later
// netsim describe machine: the state machines of the protocols, from their tables.
#ifndef NETSIM_CLI_DESCRIBE_MACHINE_H
#define NETSIM_CLI_DESCRIBE_MACHINE_H

#include "sim/cli/cli.h"

enum describe_format {
    DESCRIBE_TEXT,
    DESCRIBE_MARKDOWN,
    DESCRIBE_JSON,
    DESCRIBE_DOT,
    DESCRIBE_SVG,
};

// Prints the machine of the registry that the words name ("sctp path"), or all of them for no word.
// Reports a name that no machine has, and SVG without Graphviz or of more than one machine.
enum cli_exit describe_machines(char *const *words, enum describe_format format);

#endif
