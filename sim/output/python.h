// SPDX-License-Identifier: GPL-3.0-or-later
// Python for drawing pictures: finds an interpreter with the needed packages and runs a script of
// plots/ with it.
#ifndef NETSIM_OUTPUT_PYTHON_H
#define NETSIM_OUTPUT_PYTHON_H

#include <glib.h>
#include <stdbool.h>

// The interpreter that has matplotlib: the one that NETSIM_PYTHON names, else the first of python3
// in PATH and /usr/bin/python3 (Debian's packages serve only Debian's interpreter). Returns NULL
// and sets *error, which names the package, if none has it. The caller frees the path.
char *python_find(GError **error);

// Called with each line that the script prints, without its line feed.
typedef void python_line_fn(void *owner, const char *line);

// A script of DATA_DIR/plots and its arguments.
struct python_call {
    const char *python, *data_dir, *script;
    const char *const *arguments; // NULL-terminated
    const char *input;            // the script's stdin; NULL: empty
    python_line_fn *line;         // NULL: the script's output is discarded
    void *owner;
};

// Runs a script and waits for it; it inherits stderr. Returns false and sets *error if it can't be
// started or does not exit with 0.
bool python_run(const struct python_call *call, GError **error);

#endif
