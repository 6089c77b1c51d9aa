// SPDX-License-Identifier: GPL-3.0-or-later
// Files whose text is partly handwritten and partly generated from the commands and their options:
// the man page and the files of completion. A generated part is between two lines of the file,
//
//   ... Begin: NAME           in a comment of the file's kind
//   ... End
//
// and NAME is one of
//
//   man synopsis              how each command is called
//   man options COMMAND       its options, as items of a list
//   bash commands             the words of each command and option, for the functions of the file
//   zsh commands
//   fish commands
#ifndef NETSIM_CLI_REFERENCE_H
#define NETSIM_CLI_REFERENCE_H

#include "sim/cli/cli.h"

// Prints a file with these parts generated anew. An unknown name, and a beginning without an end,
// are printed errors. `commands` is the program's table.
enum cli_exit reference_fill(const char *path, const struct cli_command *commands);

// The generated part of a shell's file. Ends with a line feed.
void completion_bash(GString *out, const struct cli_command *commands);
void completion_zsh(GString *out, const struct cli_command *commands);
void completion_fish(GString *out, const struct cli_command *commands);

#endif
