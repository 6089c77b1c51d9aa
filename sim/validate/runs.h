// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that checks need: each scenario under each set of settings once, through a campaign.
#ifndef NETSIM_VALIDATE_RUNS_H
#define NETSIM_VALIDATE_RUNS_H

#include "sim/campaign/campaign.h"
#include "sim/compare/curve.h"

struct runs;

// One transition, as `netsim run --log-states` prints it.
struct logged {
    sim_time when;
    guint number; // in the order of recording
    char *line;   // without the time
};

// Runs for scenarios below data_dir ("pingpong_cluster1" is scenarios/pingpong_cluster1.yaml).
// Returns NULL and sets *error if the campaign can't be opened. Free with runs_free.
struct runs *runs_new(const struct registry *registry, const struct campaign_options *options,
                      GError **error);

// Runs with given results: of a draw (drawn.h), or a test's; runs_add_result adds them.
struct runs *runs_new_empty(void);
void runs_add_result(struct runs *runs, const char *scenario, const char *sets, json_t *result);

// Adds a run that can't be made, for the reason `why`.
void runs_add_fault(struct runs *runs, const char *scenario, const char *sets, const char *why);
void runs_free(struct runs *runs);

// Registers a curve's run, and that of the second curve of its relation, as needed.
void runs_need(struct runs *runs, const struct curve *curve);

// Runs all that is needed. Returns false and sets *error if the campaign could not be finished.
bool runs_run(struct runs *runs, GError **error);

// The result document, borrowed. Returns NULL and sets *why (the caller frees it) if there is none.
json_t *runs_result(const struct runs *runs, const struct curve *curve, char **why);

// The series of a curve, borrowed. Returns NULL and sets *why if it or its run does not exist.
json_t *runs_series(const struct runs *runs, const struct curve *curve, char **why);

// The points (struct curve_point) of a curve, with its relation applied if it has one. Returns NULL
// and sets *why if there are none; `failed` is set if that is because the series did not complete.
// Free with g_array_unref.
GArray *runs_points(const struct runs *runs, const struct curve *curve, bool *failed, char **why);

// The state log of a curve's series (struct logged), by time. Returns NULL and sets *why as
// runs_case does. The series is run at the first call, as databases keep no state logs. Borrowed.
const GArray *runs_state_log(const struct runs *runs, const struct curve *curve, char **why);

// Adds a given state log, for tests: "TIME LINE", in microseconds.
void runs_add_state_log(struct runs *runs, const struct curve *curve, const char *const *lines);

// The resolved case of a curve's series (scenario_case_json) as a new reference, which the caller
// must not change. Returns NULL and sets *why if the scenario can't be read or has no such series.
// Runs nothing.
json_t *runs_case(const struct runs *runs, const struct curve *curve, char **why);

// The number of uncertain constants that a curve's series draws from (draw_inputs), and an estimate
// of the *events of a draw. Both are 0 if there is no such series, or no scenario is at hand. Runs
// nothing.
guint runs_inputs(const struct runs *runs, const struct curve *curve, double *events);

// The file of a scenario. The caller frees it (g_free).
char *runs_file(const struct runs *runs, const char *scenario);

// The first complaint about a scenario, in one line. The caller frees it (g_free).
char *runs_complaint(const char *scenario, const struct diag_list *diags);

// Like runs_case, but without the parameters of models that the series does not read.
json_t *runs_read_case(const struct runs *runs, const struct curve *curve, char **why);

#endif
