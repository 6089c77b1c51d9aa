// SPDX-License-Identifier: GPL-3.0-or-later
// Runs that claims ask for: their results, and the reason where there is none; and checks of
// parameters, which are looked up in the scenario alone.
#include "sim/validate/judge.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <math.h>
#include <string.h>

static struct runs *runs_here(void)
{
    const struct campaign_options options = {.data_dir = ".", .jobs = 1};
    GError *error = NULL;
    struct runs *runs = runs_new(&model_registry, &options, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(runs);
    return runs;
}

static struct judgement judged(const char *text, bool at_hand)
{
    struct diag_list *diags = diag_list_new();
    struct node *node = node_parse(text, strlen(text), "check", NULL, diags);
    struct check *check = check_read(node, "check", diags);
    char *complaints = fake_complaints(diags);
    SUITE_SAME_TEXT(complaints, "");
    CU_ASSERT_PTR_NOT_NULL_FATAL(check);
    struct runs *runs = at_hand ? runs_here() : runs_new_empty();
    struct judge_context context = {runs, "."};
    judge_needs(check, runs);
    CU_ASSERT_TRUE(runs_run(runs, NULL));
    struct judgement judgement = judge(&context, check);
    g_free(complaints);
    check_free(check);
    node_free(node);
    diag_list_free(diags);
    runs_free(runs);
    return judgement;
}

static void expect(const char *check, bool at_hand, const char *expected)
{
    static const char *const names[] = {"holds", "level", "misses", "not checkable"};
    struct judgement judgement = judged(check, at_hand);
    char *said = g_strdup_printf("%s: %s; %s", names[judgement.judged],
                                 judgement.simulated ? judgement.simulated : "-",
                                 judgement.why ? judgement.why : "-");
    SUITE_SAME_TEXT(said, expected);
    g_free(said);
    judgement_clear(&judgement);
}

#define SETS                                                                                       \
    "set: [lam_via.tiny=1 KiB, switch.latency=3 us, workload.repetitions=7, "                      \
    "workload.sizes=4 B]"
#define PARAMETER(path, equals)                                                                    \
    "{parameter: {scenario: pingpong_cluster1, series: VIA RPI, " SETS ", path: " path             \
    ", equals: " equals "}}"

static void test_parameters(void)
{
    static const char *const samples[][2] = {
        {PARAMETER("lam_via.tiny", "1024 B"), "holds: lam_via.tiny = 1 KiB; -"},
        {PARAMETER("lam_via.tiny", "1023 B"), "misses: lam_via.tiny = 1 KiB; -"},
        {PARAMETER("link.rate", "100000 kb/s"), "holds: link.rate = 100 Mb/s; -"},
        {PARAMETER("switch.latency", "3000 ns"), "holds: switch.latency = 3 us; -"},
        {PARAMETER("hosts", "6"), "holds: hosts = 6; -"},
        {PARAMETER("hosts", "7"), "misses: hosts = 6; -"},
        {PARAMETER("workload.ranks", "2"), "holds: workload.ranks = 2; -"},
        {PARAMETER("workload.repetitions", "7"), "holds: workload.repetitions = 7; -"},
        {PARAMETER("nic", "eepro100"), "holds: nic = eepro100; -"},
        {PARAMETER("link.gone", "1"),
         "not checkable: -; VIA RPI of pingpong_cluster1 has no parameter link.gone"},
        {PARAMETER("gone", "1"), "not checkable: -; VIA RPI of pingpong_cluster1 has no parameter "
                                 "gone"},
        {"{parameter: {scenario: pingpong_cluster1, series: gone, path: nic, equals: x}}",
         "not checkable: -; series missing: pingpong_cluster1 has no \"gone\""},
        {"{parameter: {scenario: pingpong_cluster1, series: MVICH, set: lam_via.tin=3, path: nic, "
         "equals: x}}",
         "not checkable: -; pingpong_cluster1: lam_via.tin: there is no such key"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++)
        expect(samples[i][0], true, samples[i][1]);
    expect(samples[0][0], false, "not checkable: -; no scenarios are at hand");
}

#define ENDS(scenario, series, set)                                                                \
    "{ends_with: {scenario: " scenario ", series: " series ", " set "status: completed}}"

static void test_what_is_not_there(void)
{
    expect(ENDS("pingpong_cluster1", "native", SETS ", "), true, "holds: ended as completed; -");
    expect(ENDS("gone", "A", ""), true, "not checkable: -; there is no scenario gone");
    expect(ENDS("pingpong_cluster1", "gone", SETS ", "), true,
           "not checkable: -; series missing: pingpong_cluster1 has no \"gone\"");
    expect(ENDS("pingpong_cluster1", "native", "set: lam_via.tiny=1, "), true,
           "not checkable: -; pingpong_cluster1: lam_via.tiny: \"1\": missing unit");
    expect(ENDS("pingpong_cluster1", "native", ""), false,
           "not checkable: -; pingpong_cluster1 was not run");
    expect("{contains_event: {scenario: gone, series: A, counter: drops}}", true,
           "not checkable: -; there is no scenario gone");
    expect("{value: {scenario: pingpong_cluster1, series: native, " SETS
           ", metric: gone_us, size: 4 B, expected: 1 us, tolerance: 1 us}}",
           true, "not checkable: -; native of pingpong_cluster1 has no gone_us");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"parameters", test_parameters},
        {"what is not there", test_what_is_not_there},
        {0},
    };
    return suite_run("validate: runs", cases);
}
