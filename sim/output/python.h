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

// A script of DATA_DIR/plots and what it is given.
struct python_call {
    const char *python, *data_dir, *script;
    const char *const *arguments; // NULL-terminated
    const char *input;            // what it reads from stdin; NULL: nothing
    python_line_fn *line;         // NULL: what the script prints is lost
    void *owner;
};

// Runs a script and waits for it; stderr is ours. False and *error if it can't be started or does
// not end with 0.
bool python_run(const struct python_call *call, GError **error);

#endif
