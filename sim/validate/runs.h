// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that checks look at: each scenario under each set of settings once, through a campaign.
#ifndef NETSIM_VALIDATE_RUNS_H
#define NETSIM_VALIDATE_RUNS_H

#include "sim/campaign/campaign.h"
#include "sim/compare/curve.h"

struct runs;

// One transition, as `netsim run --log-states` shows it.
struct logged {
    sim_time when;
    guint number; // in the order in which they were told
    char *line;   // without the time
};

// Runs for scenarios below data_dir ("pingpong_cluster1" is scenarios/pingpong_cluster1.yaml). NULL
// and *error if the campaign can't be opened. Free with runs_free.
struct runs *runs_new(const struct registry *registry, const struct campaign_options *options,
                      GError **error);

// Runs whose results are there already, as tests have them; runs_add_result fills it.
struct runs *runs_new_empty(void);
void runs_add_result(struct runs *runs, const char *scenario, const char *sets, json_t *result);
void runs_free(struct runs *runs);

// A curve's run, and that of what it stands in relation to, will be needed.
void runs_need(struct runs *runs, const struct curve *curve);

// Runs all that is needed. False and *error if the campaign could not be finished.
bool runs_run(struct runs *runs, GError **error);

// The result document, borrowed; NULL and *why (the caller frees it) if there is none.
json_t *runs_result(const struct runs *runs, const struct curve *curve, char **why);

// The series of a curve, borrowed; NULL and *why if it or its run is not there.
json_t *runs_series(const struct runs *runs, const struct curve *curve, char **why);

// The points (struct curve_point) of a curve, in relation to its other one if it has one; NULL and
// *why if they are not there. Free with g_array_unref. `failed` is set if they are not because the
// series did not end as completed.
GArray *runs_points(const struct runs *runs, const struct curve *curve, bool *failed, char **why);

// The state log of a curve's series (struct logged), by time; NULL and *why as runs_case has it.
// The series is run here and now, as databases keep no such thing; each once. Borrowed.
const GArray *runs_state_log(const struct runs *runs, const struct curve *curve, char **why);

// A state log that is there already, as tests have it: "TIME LINE", in microseconds.
void runs_add_state_log(struct runs *runs, const struct curve *curve, const char *const *lines);

// The resolved case of a curve's series (scenario_case_json), new reference, which the caller must
// not change; NULL and *why if the scenario can't be read or has no such series. Nothing is run.
json_t *runs_case(const struct runs *runs, const struct curve *curve, char **why);

#endif
