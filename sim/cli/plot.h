// SPDX-License-Identifier: GPL-3.0-or-later
// The arguments of `netsim plot`, and the document of its picture.
#ifndef NETSIM_CLI_PLOT_H
#define NETSIM_CLI_PLOT_H

#include "sim/cli/cli.h"
#include "sim/figures/choice.h"

struct plot_arguments {
    char *figure, *format, *out, **sets;
    char *x, *y, *title, *log, *linear, **metrics, **series, **sizes, **points;
    struct cli_limits limits;
    int jobs;
    gboolean quiet, allow_unused, over_time;
};

// The document of one picture of all that the words name (scenarios, results, sweeps, measured
// points), with the points of --points. Returns NULL after an error, which is in *error or has been
// printed.
json_t *plot_document(char *const *words, int named, const struct plot_arguments *arguments,
                      GError **error);

#endif
