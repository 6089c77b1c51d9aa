// SPDX-License-Identifier: GPL-3.0-or-later
// 200 synthetic experiments with a shipped scenario: one of its draws is the truth, its results
// with an error are the data, and the other draws are weighed by them. How often do the bands of 90
// % hold what is true: each constant, and a latency that was not measured? By chance alone 200
// bands give 85 .. 95 % in 98 of 100 cases. All experiments share the 400 draws, run once.
#include "sim/calibrate/posterior.h"

#include "sim/core/random.h"
#include "sim/run/schema.h"
#include "sim/statistics/band.h"
#include "sim/statistics/weights.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Of the candidates those are tried of which the command would weigh draws, and not move them.
enum { BANK = 400, CANDIDATES = 280, DRAWS = BANK + CANDIDATES, TRIALS = 200, DATA = 3 };

#define ERROR 0.03 // of a value: the stated one and the model's
#define LEARNT "switch.latency"

// So tolerant that a bank of draws is run and none is moved. The last one is not measured.
static const char targets_text[] =
    "schema: 1\n"
    "targets:\n"
    "- {series: VIA RPI, size: 1 B, value: 74 us, tolerance: 1000 us}\n"
    "- {series: VIA RPI, size: 4 KiB, value: 540 us, tolerance: 1000 us}\n"
    "- {series: LAM TCP, size: 1 B, value: 84 us, tolerance: 1000 us}\n"
    "- {series: VIA RPI, size: 1 KiB, value: 190 us, tolerance: 1000 us}\n";

struct bank {
    char *directory, *file;
    struct scenario_schema *schema;
    struct scenario *scenario;
    struct target_list *targets;
    struct uncertain_list *constants;
    struct campaign *campaign;
    struct posterior *posterior;
};

// The fitted constants have the values that the overlay has without draws: the testbed's ensemble
// has fewer rows than there are draws here, and they were fitted to the very targets.
static const char *const bank_sets[] = {"workload.repetitions=2", "eepro100.rx_latency=22110 ns",
                                        "mpich_1_2_2.request=8204 cycles", "mvich.vbuf=1370 B",
                                        NULL};

static struct bank bank_new(void)
{
    struct bank bank = {.directory = temporary_directory()};
    struct diag_list *diags = diag_list_new();
    GError *error = NULL;
    char *targets = temporary_file(bank.directory, "t.yaml", targets_text);
    const char *source = getenv("NETSIM_SOURCE_DIR");
    const struct scenario_options options = {.sets = bank_sets, .data_dir = source};
    const struct campaign_options campaign = {.data_dir = source};
    bank.file = g_build_filename(source, "scenarios", "pingpong_cluster1.yaml", NULL);
    bank.schema = registry_schema(&model_registry);
    bank.scenario = scenario_load(bank.file, bank.schema, &options, diags);
    bank.targets = target_list_load(targets, NULL, diags);
    CU_ASSERT_FATAL(bank.scenario && bank.targets);
    bank.constants = uncertain_list_new(bank.scenario, bank.schema, DRAWS, diags);
    bank.campaign = campaign_open(&model_registry, &campaign, &error);
    CU_ASSERT_FATAL(bank.constants && bank.campaign);
    GPtrArray *none = g_ptr_array_new();
    struct evaluation evaluation = {.campaign = bank.campaign,
                                    .file = bank.file,
                                    .sets = bank_sets,
                                    .seed = 1,
                                    .targets = bank.targets,
                                    .parameters = none};
    evaluation_init(&evaluation);
    bank.posterior = posterior_new(&evaluation, bank.constants,
                                   &(struct posterior_options){.draws = DRAWS, .seed = 1}, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bank.posterior);
    evaluation_clear(&evaluation);
    g_ptr_array_unref(none);
    g_free(targets);
    diag_list_free(diags);
    return bank;
}

static void bank_free(struct bank *bank)
{
    posterior_free(bank->posterior);
    campaign_close(bank->campaign);
    uncertain_list_free(bank->constants);
    target_list_free(bank->targets);
    scenario_free(bank->scenario);
    registry_schema_free(bank->schema);
    g_free(bank->file);
    temporary_remove(bank->directory);
}

// The weights of the bank's draws by the results of `truth`. Returns their effective number.
static double weigh(const struct bank *bank, int truth, struct random_stream *noise,
                    double *weights)
{
    const double *simulated = bank->posterior->prior.simulated;
    guint width = bank->targets->targets->len;
    double data[DATA];
    for (int i = 0; i < DATA; i++)
        data[i] = simulated[(guint)truth * width + (guint)i] *
                  (1.0 + ERROR * gsl_cdf_ugaussian_Pinv(fmax(random_uniform(noise), 1e-12)));
    for (int draw = 0; draw < DRAWS; draw++) {
        weights[draw] = draw < BANK ? 0.0 : INFINITY;
        for (int i = 0; i < DATA; i++) {
            double off = weights_implausibility(simulated[(guint)draw * width + (guint)i], data[i],
                                                ERROR * data[i]);
            weights[draw] += off * off;
        }
    }
    weights_of_misfits(weights, DRAWS, weights);
    return weights_effective_size(weights, DRAWS);
}

static bool band_holds(const double *values, const double *weights, double truth)
{
    return weights_quantile(values, weights, DRAWS, BAND_LOW) <= truth &&
           truth <= weights_quantile(values, weights, DRAWS, BAND_HIGH);
}

static int constant_index(const struct bank *bank, const char *path)
{
    for (guint i = 0; i < bank->constants->constants->len; i++)
        if (strcmp(uncertain_at(bank->constants, i)->drawn->path, path) == 0)
            return (int)i;
    return -1;
}

static void test_coverage(void)
{
    struct bank bank = bank_new();
    guint count = bank.constants->constants->len, width = bank.targets->targets->len;
    const struct posterior_machines *prior = &bank.posterior->prior;
    SUITE_SAME_INTEGER(prior->completed, DRAWS);
    SUITE_SAME_INTEGER(bank.posterior->runs, DRAWS);
    int learnt = constant_index(&bank, LEARNT), held_learnt = 0, held_predicted = 0, trials = 0;
    CU_ASSERT_FATAL(count > 20 && learnt >= 0);
    int held = 0;
    double *weights = g_new(double, DRAWS), spread = 0.0;
    double *predicted = posterior_column(prior->simulated, DRAWS, width, DATA);
    double **normals = g_new(double *, count);
    for (guint i = 0; i < count; i++)
        normals[i] = posterior_column(prior->normals, DRAWS, count, i);
    struct random_stream *noise = random_new(1, "noise");
    for (int truth = BANK; truth < DRAWS && trials < TRIALS; truth++) {
        if (weigh(&bank, truth, noise, weights) < POSTERIOR_LEAST_SIZE)
            continue; // the command would not take weights
        trials++;
        held_predicted += band_holds(predicted, weights, predicted[truth]);
        held_learnt += band_holds(normals[learnt], weights, normals[learnt][truth]);
        for (guint i = 0; i < count; i++)
            held += band_holds(normals[i], weights, normals[i][truth]);
        spread += weights_quantile(normals[learnt], weights, DRAWS, BAND_HIGH) -
                  weights_quantile(normals[learnt], weights, DRAWS, BAND_LOW);
    }
    SUITE_SAME_INTEGER(trials, TRIALS);
    CU_ASSERT(held_predicted >= 0.85 * trials && held_predicted <= 0.95 * trials);
    CU_ASSERT(held_learnt >= 0.85 * trials && held_learnt <= 0.95 * trials);
    CU_ASSERT(held >= 0.85 * trials * count && held <= 0.95 * trials * count);
    CU_ASSERT(spread / trials < 0.85 * 2 * gsl_cdf_ugaussian_Pinv(BAND_HIGH)); // something was
                                                                               // learnt
    random_free(noise);
    for (guint i = 0; i < count; i++)
        g_free(normals[i]);
    g_free(normals);
    g_free(predicted);
    g_free(weights);
    bank_free(&bank);
}

int main(void)
{
    static const struct suite_case cases[] = {{"bands of 90 % hold the truth", test_coverage},
                                              {NULL, NULL}};
    return suite_run("calibrate: coverage of posteriors", cases);
}
