// SPDX-License-Identifier: GPL-3.0-or-later
// The Python that draws pictures: finding one that has what the drawing needs, and running a script
// of plots/ with it.
#ifndef NETSIM_OUTPUT_PYTHON_H
#define NETSIM_OUTPUT_PYTHON_H

#include <glib.h>
#include <stdbool.h>

// The interpreter that has matplotlib: what NETSIM_PYTHON names, else the first of python3 in PATH
// and /usr/bin/python3 (Debian's packages serve only Debian's own). NULL and *error, which names
// the package, if none has it. The caller frees it.
char *python_find(GError **error);

// Told each line that the script prints, without its line feed.
typedef void python_line_fn(void *owner, const char *line);

// Runs DATA_DIR/plots/SCRIPT with the arguments (NULL-terminated) and waits for it; stderr is ours.
// False and *error if it can't be started or does not end with 0. line may be NULL: what the script
// prints is then lost.
bool python_run(const char *python, const char *data_dir, const char *script,
                const char *const *arguments, python_line_fn *line, void *owner, GError **error);

#endif
