// SPDX-License-Identifier: GPL-3.0-or-later
// The picture of a fit: measured points with their errors over the fitted curve and the band of the
// draws, and below it how far off each point is.
#ifndef NETSIM_CLI_FIT_PICTURE_H
#define NETSIM_CLI_FIT_PICTURE_H

#include "sim/calibrate/fit.h"

// Its document (sim/figures/document.h), a new reference. `posterior` is posterior_json(), NULL:
// no band; `fitted` the document of a run with the fitted values.
json_t *fit_picture(const char *name, const char *title, const struct scenario *scenario,
                    const struct target_list *targets, const json_t *fitted,
                    const json_t *posterior);

#endif
