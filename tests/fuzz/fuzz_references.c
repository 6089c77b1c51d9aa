// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a file of references: by the first character claims, the list of the 40, the claims
// that tests hold, figures, or targets of a calibration.
#include "sim/calibrate/target.h"
#include "sim/figures/spec.h"
#include "sim/validate/fits.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { CLAIMS, RANKS, TESTS, FIGURES, TARGETS, KINDS };
#define MOST_RESIDUALS 100000

static void read_claims(unsigned kind, const uint8_t *data, size_t size)
{
    struct diag_list *diags = diag_list_new();
    struct claim_list *list = claims_new();
    struct node *node = node_parse((const char *)data, size, "fuzz", NULL, diags);
    bool good = node && (kind == CLAIMS  ? claims_read(list, node, diags)
                         : kind == RANKS ? claims_read_ranks(list, node, diags)
                                         : claims_read_tests(list, node, diags));
    fuzz_end(diags, good);
    diags = diag_list_new();
    fuzz_end(diags, claims_are_analysed(list, "docs/fidelity.md", "# a\n<a id=\"x\">\n", diags));
    claims_find(list, "a");
    claims_free(list);
    node_free(node);
}

static void read_figures(const uint8_t *data, size_t size)
{
    struct diag_list *diags = diag_list_new();
    char *text = fuzz_text(data, size);
    GPtrArray *specs = figure_specs_parse(text, "fuzz", diags);
    fuzz_end(diags, specs != NULL);
    for (guint i = 0; specs && i < specs->len; i++) {
        const struct figure_spec *spec = g_ptr_array_index(specs, i);
        g_assert(spec->id && spec->file && spec->title && spec->source);
        for (guint k = 0; k < spec->panels->len; k++) {
            const struct figure_panel *panel = g_ptr_array_index(spec->panels, k);
            fuzz_json(json_incref(panel->frame));
        }
    }
    if (specs)
        g_ptr_array_unref(specs);
    g_free(text);
}

// Judges a target as a calibration does, against a run that has one value.
static void judge(const struct target *target, const json_t *document)
{
    int count = target_residuals(target);
    char *text = target_text(target), *why = NULL;
    g_assert(count > 0);
    if (count <= MOST_RESIDUALS) {
        double *residuals = g_new0(double, count);
        bool good = target_judge(target, document, residuals, &why);
        fuzz_end_text(why, good);
        g_free(residuals);
    }
    target_simulated(target, document);
    g_free(text);
}

// Reads the same file as validation does, for the claims that it fits.
static void read_fits(const uint8_t *data, size_t size)
{
    static const char claims[] =
        "others:\n  via.pingpong.latency_min.mvich: {kind: shape, statement: x, source: y, check: "
        "[{value: {scenario: s, metric: latency_us, series: MVICH, size: 1 B, expected: 1 us, "
        "tolerance: 1 us}}, {gain: {scenario: s, metric: latency_us, over: current, under: "
        "pipelined, "
        "statistic: mean, above: 0 %}}]}\n";
    struct diag_list *diags = diag_list_new();
    struct claim_list *list = claims_new();
    struct node *node = node_parse(claims, strlen(claims), "claims", NULL, diags);
    g_assert(claims_read(list, node, diags));
    node_free(node);
    struct fits *fits = fits_new();
    node = node_parse((const char *)data, size, "fuzz", NULL, diags);
    fuzz_end(diags, node && fits_read(fits, node, list, diags));
    node_free(node);
    fits_free(fits);
    claims_free(list);
}

static void read_targets(const uint8_t *data, size_t size)
{
    static const char run[] =
        "{\"series\": [{\"name\": \"A\", \"status\": \"completed\", \"points\":"
        " [{\"size_bytes\": 1, \"latency_us\": 3.0}], \"values\": []}]}";
    read_fits(data, size);
    const char *path = fuzz_path("targets.yaml");
    fuzz_write(path, data, size);
    struct diag_list *diags = diag_list_new();
    struct target_list *list = target_list_load(path, NULL, diags);
    fuzz_end(diags, list != NULL);
    if (!list)
        return;
    json_t *document = json_loads(run, 0, NULL);
    GPtrArray *series = target_list_series(list);
    for (guint i = 0; i < series->len && g_ptr_array_index(series, i); i++) {
        target_list_counts(list, g_ptr_array_index(series, i));
        g_array_unref(target_list_sizes(list, g_ptr_array_index(series, i)));
    }
    for (guint i = 0; i < list->targets->len; i++)
        judge(g_ptr_array_index(list->targets, i), document);
    g_assert(target_list_residuals(list) >= (int)list->targets->len);
    g_ptr_array_unref(series);
    json_decref(document);
    target_list_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    unsigned kind = fuzz_kind(&data, &size, KINDS);
    if (kind == FIGURES)
        read_figures(data, size);
    else if (kind == TARGETS)
        read_targets(data, size);
    else
        read_claims(kind, data, size);
    return 0;
}
