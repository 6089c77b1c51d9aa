// SPDX-License-Identifier: GPL-3.0-or-later
// The whole stack: how many messages per second of wall time the first series of the PingPong
// scenario simulates.
#include "bench/bench.h"

#include "sim/run/run.h"

#define SCENARIO "pingpong_cluster1.yaml"

// Messages per second of one run; 0 if it did not complete.
static double messages_per_s(const struct bench_options *options, const struct scenario *scenario)
{
    struct series_result *series =
        run_case(options->registry, g_ptr_array_index(scenario->cases, 0), 0, scenario->seed, NULL);
    double rate = series->status == SIM_COMPLETED && series->wall_s > 0.0
                      ? (double)series->ledger.messages / series->wall_s
                      : 0.0;
    series_result_free(series);
    return rate;
}

json_t *bench_pingpong(const struct bench_options *options)
{
    char *file = g_build_filename(options->data_dir, "scenarios", SCENARIO, NULL);
    struct scenario_options scenario_options = {.data_dir = options->data_dir};
    struct diag_list *diags = diag_list_new();
    struct scenario *scenario = scenario_load(file, options->schema, &scenario_options, diags);
    double best = 0.0;
    bench_say(options, "PingPong");
    if (!scenario)
        bench_say(options, "without the PingPong: %s is missing or wrong", file);
    for (int round = 0; scenario && round < (options->quick ? 1 : 5); round++)
        best = MAX(best, messages_per_s(options, scenario));
    if (scenario)
        scenario_free(scenario);
    diag_list_free(diags);
    g_free(file);
    json_t *result = json_object();
    json_object_set_new(result, "messages_per_s", best > 0.0 ? json_real(best) : json_null());
    return result;
}
