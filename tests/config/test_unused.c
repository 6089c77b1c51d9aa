// SPDX-License-Identifier: GPL-3.0-or-later
// A setting that no case reads is refused, unless it is replaced or stands in a file that serves
// many scenarios.
#include "sim/scenario/unused.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <string.h>

#define WORKLOAD "workload: {benchmark: pmb.pingpong, sizes: 4 B}\n"
#define HOSTS "schema: 1\nhosts: [{name: node, count: 2}]\nnic: eepro100\n" WORKLOAD
#define CABLE HOSTS "links: [{from: node0, to: node1}]\n"
#define OWN_RATE HOSTS "links: [{from: node0, to: node1, rate: 10 Mb/s}]\n"
#define LAM "stack: lam_fake\n"

struct trial {
    const char *text, *set; // a file, and a setting or NULL
    const char *complaint;  // part of it, or NULL: there is none
};

static void expect(const struct trial *trial)
{
    const char *const sets[] = {trial->set, NULL};
    char *complaints = fake_compile(trial->text, sets, NULL);
    if (trial->complaint)
        SUITE_CONTAINS(complaints, trial->complaint);
    else
        SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
}

static void expect_all(const struct trial *trials, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(&trials[i]);
}

static void test_links_and_switches(void)
{
    static const struct trial trials[] = {
        {CABLE LAM, "link.rate=1 Gb/s", NULL},
        {OWN_RATE LAM, "link.delay=1 us", NULL},
        {OWN_RATE LAM, "links[0].rate=1 Gb/s", NULL},
        {OWN_RATE LAM, "link.rate=1 Gb/s",
         "--set link.rate=1 Gb/s: error: link.rate: nothing reads this: every link has its own, "
         "the "
         "first 10 Mb/s (t.yaml:5:40) (--allow-unused runs it all the same)\n"},
        {OWN_RATE "link: {delay: 1 us, rate: 1 Gb/s}\n" LAM, NULL,
         "t.yaml:6:27: error: link.rate: nothing reads this: every link has its own"},
        {OWN_RATE "link: {rate: {value: 1 Gb/s, source: none}}\n" LAM, NULL,
         "t.yaml:6:22: error: link.rate: nothing reads this"},
        {CABLE "link: {rate: {value: 1 Gb/s, source: none}}\n" LAM, NULL, NULL},
        {CABLE LAM, "switch.latency=1 us",
         "switch.latency: nothing reads this: there is no switch"},
        {HOSTS "switches: [{name: s, latency: 2 us}]\nlinks: [{from: node, to: s}]\n" LAM,
         "switch.latency=1 us", "every switch has its own, the first 2 us (t.yaml:5:31)"},
        {HOSTS "switches: [{name: s, latency: 2 us}, {name: t}]\n"
               "links: [{from: node0, to: s}, {from: s, to: t}, {from: t, to: node1}]\n" LAM,
         "switch.latency=1 us", NULL},
    };
    expect_all(trials, G_N_ELEMENTS(trials));
}

static void test_sections(void)
{
    static const struct trial trials[] = {
        {CABLE LAM, "fake_rpi.tiny=1 KiB", NULL},
        {CABLE LAM, "host.bus.width=8 B", NULL},
        {CABLE LAM, "fake_gm.tokens=3",
         "--set fake_gm.tokens=3: error: fake_gm.tokens: nothing reads this: no series runs "
         "fake_gm, which read it"},
        {CABLE "fake_gm: {tokens: 3}\n" LAM, NULL,
         "t.yaml:6:19: error: fake_gm.tokens: nothing reads this"},
        {CABLE "series: [{stack: lam_fake, set: {fake_gm.tokens: 3}}]\n", NULL,
         "t.yaml:6:50: error: fake_gm.tokens: nothing reads this"},
        // One of several series is enough, wherever the value is set.
        {CABLE "series: [{stack: lam_fake}, {stack: fake_gm, set: {nic: lanai}}]\n",
         "fake_gm.tokens=3", NULL},
        {CABLE "fake_gm: {tokens: 3}\nseries: [{stack: lam_fake}, {stack: fake_gm, set: {nic: "
               "lanai}}]\n",
         NULL, NULL},
        // A replaced value was meant to be.
        {CABLE "fake_rpi: {tiny: 1 KiB}\n" LAM, "fake_rpi.tiny=2 KiB", NULL},
        {CABLE "fake_gm: {tokens: 3}\n" LAM, "fake_gm.tokens=4",
         "--set fake_gm.tokens=4: error: fake_gm.tokens: nothing reads this"},
    };
    expect_all(trials, G_N_ELEMENTS(trials));
}

static void test_once(void)
{
    char *complaints =
        fake_compile(CABLE "fake_gm: {tokens: 3}\nseries: [{stack: lam_fake}, {name: again, stack: "
                           "lam_fake}]\n",
                     NULL, NULL);
    SUITE_SAME_TEXT(complaints,
                    "t.yaml:6:19: error: fake_gm.tokens: nothing reads this: no series runs "
                    "fake_gm, which read it (--allow-unused runs it all the same)\n");
    g_free(complaints);
}

// ---- Of several files ----

static char *written(const char *directory, const char *name, const char *text)
{
    char *path = g_build_filename(directory, name, NULL);
    CU_ASSERT_TRUE(g_file_set_contents(path, text, -1, NULL));
    return path;
}

static void test_testbeds(void)
{
    char *directory = temporary_directory();
    g_free(written(directory, "bed.yaml",
                   "schema: 1\nhosts: [{name: node, count: 2}]\nnic: eepro100\nfake_gm: {tokens: "
                   "3}\nlinks: [{from: node0, to: node1, rate: 1 Gb/s}]\nlink: {rate: 2 Gb/s}\n"));
    g_free(written(directory, "more.yaml", "fake_gm: {tokens: 5}\n"));
    char *file = written(directory, "s.yaml",
                         "schema: 1\ntestbed: bed.yaml\ninclude: more.yaml\n" WORKLOAD LAM);
    char *complaints = fake_load(file, NULL, NULL);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    g_free(file);
    temporary_remove(directory);
}

// The series that are left out might read what the file has, but not what is set for this run.
static void test_some_series(void)
{
    static const char text[] = CABLE "fake_gm: {tokens: 3}\nseries: [{stack: lam_fake}, {stack: "
                                     "fake_gm, set: {nic: lanai}}]\n";
    static const char *const one[] = {"lam_fake", NULL}, *const set[] = {"fake_gm.tokens=4", NULL};
    char *directory = temporary_directory(), *file = written(directory, "s.yaml", text);
    struct scenario_options options = {.series = one};
    char *complaints = fake_load(file, &options, NULL);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    options.sets = set;
    complaints = fake_load(file, &options, NULL);
    SUITE_CONTAINS(complaints, "--set fake_gm.tokens=4: error: fake_gm.tokens: nothing reads this");
    g_free(complaints);
    options.allow_unused = true;
    complaints = fake_load(file, &options, NULL);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    g_free(file);
    temporary_remove(directory);
}

// ---- Cards ----

static void test_cards(void)
{
    SUITE_SAME_TEXT(scenario_section_card(&fake_schema, "tulip"), "tulip");
    SUITE_SAME_TEXT(scenario_section_card(&fake_schema, "grim_lanai"), "lanai");
    CU_ASSERT_PTR_NULL(scenario_section_card(&fake_schema, "fake_rpi"));
    CU_ASSERT_PTR_NULL(scenario_section_card(&fake_schema, "mylanai"));
}

int main(void)
{
    static const struct suite_case cases[] = {{"links and switches", test_links_and_switches},
                                              {"sections", test_sections},
                                              {"each is told once", test_once},
                                              {"testbeds and included files", test_testbeds},
                                              {"some of the series", test_some_series},
                                              {"sections of cards", test_cards},
                                              {0}};
    return suite_run("config: what nothing reads", cases);
}
