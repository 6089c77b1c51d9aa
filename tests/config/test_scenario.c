// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios that are right: what lies over what, series, --set, testbeds, sizes and ranks, and the
// resolved case as JSON.
#include "sim/scenario/scenario.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MACHINE "nic: tulip\nhosts: [{name: n, count: 4}]\nlinks: [{from: n, to: n}]\n"
#define HEAD "schema: 1\n" MACHINE

static struct scenario *compile(const char *text, const char *const *sets)
{
    struct scenario *scenario;
    char *complaints = fake_compile(text, sets, &scenario);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    CU_ASSERT_PTR_NOT_NULL_FATAL(scenario);
    return scenario;
}

static const struct scenario_case *case_of(const struct scenario *scenario, guint index)
{
    CU_ASSERT_FATAL(index < scenario->cases->len);
    return g_ptr_array_index(scenario->cases, index);
}

static const struct fake_rpi *rpi_of(const struct scenario *scenario, guint index)
{
    return scenario_section_values(case_of(scenario, index), "fake_rpi");
}

static const struct param_values *section_of(const struct scenario_case *test_case,
                                             const char *path)
{
    for (guint i = 0; i < test_case->sections->len; i++) {
        const struct param_values *values = g_ptr_array_index(test_case->sections, i);
        if (strcmp(values->path, path) == 0)
            return values;
    }
    return NULL;
}

// ---- One file ----

static void test_smallest(void)
{
    struct scenario *scenario =
        compile("schema: 1\nstack: fake_gm\nfake_gm: {tokens: 61}\nworkload: {benchmark: "
                "pmb.pingpong}\nhosts: [{name: a}, {name: b}]\nlinks: [{from: a, to: b}]\n",
                NULL);
    const struct scenario_case *only = case_of(scenario, 0);
    SUITE_SAME_TEXT(scenario->name, "t");
    SUITE_SAME_TEXT(scenario->description, NULL);
    SUITE_SAME_TEXT(scenario->file, "t.yaml");
    SUITE_SAME_INTEGER((long long)scenario->seed, 1);
    SUITE_SAME_INTEGER(scenario->cases->len, 1);
    SUITE_SAME_TEXT(only->name, "fake_gm");
    SUITE_SAME_TEXT(only->stack->name, "fake_gm");
    SUITE_SAME_TEXT(only->nic, "lanai");
    SUITE_SAME_INTEGER(only->workload.ranks, 2);
    SUITE_SAME_INTEGER(only->workload.repetitions, 0);
    SUITE_SAME_INTEGER(only->workload.sizes->len, 24);
    CU_ASSERT_PTR_NULL(only->workload.program);
    SUITE_SAME_INTEGER(only->sections->len, 4);
    SUITE_SAME_INTEGER(((const struct fake_gm *)scenario_section_values(only, "fake_gm"))->tokens,
                       61);
    scenario_free(scenario);
}

static void test_head(void)
{
    struct scenario *scenario = compile(
        HEAD "name: a.name-1\ndescription: 'free text'\nseed: 42\nstack: lam_fake\nworkload: "
             "{benchmark: pmb.bcast, ranks: 4, repetitions: 10, sizes: 1 KiB}\n",
        NULL);
    SUITE_SAME_TEXT(scenario->name, "a.name-1");
    SUITE_SAME_TEXT(scenario->description, "free text");
    SUITE_SAME_INTEGER((long long)scenario->seed, 42);
    SUITE_SAME_INTEGER(case_of(scenario, 0)->workload.ranks, 4);
    SUITE_SAME_INTEGER(case_of(scenario, 0)->workload.repetitions, 10);
    scenario_free(scenario);
    struct scenario_options options = {.seed = 7};
    struct diag_list *diags = diag_list_new();
    const char *text = HEAD "seed: 42\nstack: lam_fake\nworkload: {benchmark: pmb.bcast}\n";
    scenario = scenario_parse(text, strlen(text), "t.yaml", NULL, &fake_schema, &options, diags);
    SUITE_SAME_INTEGER((long long)scenario->seed, 7);
    scenario_free(scenario);
    diag_list_free(diags);
}

static void test_sections_of_other_stacks(void)
{
    // fake_gm.tokens must be given, but not for a stack that has nothing to do with it.
    struct scenario *scenario =
        compile(HEAD "stack: lam_fake\nworkload: {benchmark: pmb.pingpong}\n", NULL);
    scenario_free(scenario);
    // A section given all the same is checked.
    char *complaints = fake_compile(HEAD "stack: lam_fake\nfake_gm: {tokens: 0}\nworkload: "
                                         "{benchmark: pmb.pingpong}\n",
                                    NULL, NULL);
    SUITE_CONTAINS(complaints, "t.yaml:6:19: error: fake_gm.tokens: 0 is too small");
    g_free(complaints);
}

// ---- Sizes ----

static void expect_sizes(const char *sizes, const char *expected)
{
    char *text = g_strdup_printf(
        HEAD "stack: lam_fake\nworkload: {benchmark: pmb.pingpong, sizes: %s}\n", sizes);
    struct scenario *scenario = compile(text, NULL);
    const GArray *read = case_of(scenario, 0)->workload.sizes;
    GString *actual = g_string_new(NULL);
    for (guint i = 0; i < read->len; i++)
        g_string_append_printf(actual, "%s%" G_GINT64_FORMAT, i ? " " : "",
                               g_array_index(read, int64_t, i));
    SUITE_SAME_TEXT(actual->str, expected);
    g_string_free(actual, TRUE);
    scenario_free(scenario);
    g_free(text);
}

static void test_sizes(void)
{
    expect_sizes("0", "0");
    expect_sizes("64 KiB", "65536");
    expect_sizes("0 B .. 16 B", "0 1 2 4 8 16");
    expect_sizes("0..16 B", "0 1 2 4 8 16");
    expect_sizes("1 B .. 8 B", "1 2 4 8");
    expect_sizes("4 B .. 20 B", "4 8 16 20");
    expect_sizes("3 B .. 24 B", "3 6 12 24");
    expect_sizes("3 B .. 25 B", "3 6 12 24 25");
    expect_sizes("0 B .. 0 B", "0");
    expect_sizes("0 B .. 1 B", "0 1");
    expect_sizes("5 B .. 5 B", "5");
    expect_sizes("1 KiB .. 4 KiB", "1024 2048 4096");
    expect_sizes("[1 B, 1.5 KiB, 4 B]", "1 1536 4");
    expect_sizes("[0 B .. 4 B, 3 B, 2 B .. 8 B]", "0 1 2 4 3 8");
    expect_sizes("512 GiB .. 1024 GiB", "549755813888 1099511627776");
    expect_sizes("1 KiB .. 4 KiB step 1 KiB", "1024 2048 3072 4096");
    expect_sizes("0 B..10 B  step 4 B", "0 4 8 10");
    expect_sizes("[8 B .. 8 B step 1 B, 1 B .. 2 B step 9 B]", "8 1 2");
    expect_sizes("1023 GiB .. 1024 GiB step 1024 GiB", "1098437885952 1099511627776");
}

// ---- Benchmarks that count something else than bytes, and have keys of their own ----

#define SCAN "schema: 1\nhosts: [{name: a}]\nlinks: []\nstack: fake_put\nworkload: "

static void test_counts(void)
{
    struct scenario *scenario = compile(
        SCAN "{benchmark: fake.scan, sizes: [1 .. 8, 20], window: 16, unit: 1 KiB}\n", NULL);
    const struct workload *workload = &case_of(scenario, 0)->workload;
    const struct fake_scan *own = workload->parameters->values;
    SUITE_SAME_TEXT(workload->benchmark->counts, "channels");
    SUITE_SAME_INTEGER(workload->sizes->len, 5);
    SUITE_SAME_INTEGER(g_array_index(workload->sizes, int64_t, 3), 8);
    SUITE_SAME_INTEGER(g_array_index(workload->sizes, int64_t, 4), 20);
    SUITE_SAME_INTEGER(own->window, 16);
    SUITE_SAME_INTEGER(own->unit, 1024);
    json_t *json = scenario_case_json(case_of(scenario, 0));
    char *text = json_dumps(json_object_get(json, "workload"), JSON_COMPACT | JSON_SORT_KEYS);
    SUITE_CONTAINS(text, "\"counts\":\"channels\"");
    SUITE_CONTAINS(text, "\"sizes\":[1,2,4,8,20]");
    SUITE_CONTAINS(text, "\"window\":{\"origin\":\"t.yaml:5:63\",");
    free(text);
    json_decref(json);
    scenario_free(scenario);
    // The usual ones; --set reaches the benchmark's own keys.
    const char *const sets[] = {"workload.window=9", "workload.sizes=3", NULL};
    scenario = compile(SCAN "{benchmark: fake.scan}\n", NULL);
    SUITE_SAME_INTEGER(case_of(scenario, 0)->workload.sizes->len, 6);
    scenario_free(scenario);
    scenario = compile(SCAN "{benchmark: fake.scan}\n", sets);
    workload = &case_of(scenario, 0)->workload;
    SUITE_SAME_INTEGER(((const struct fake_scan *)workload->parameters->values)->window, 9);
    SUITE_SAME_INTEGER(workload->sizes->len, 1);
    SUITE_SAME_INTEGER(g_array_index(workload->sizes, int64_t, 0), 3);
    scenario_free(scenario);
}

static void test_bad_counts(void)
{
    static const struct {
        const char *workload, *part;
    } bads[] = {
        {"{benchmark: fake.scan, sizes: 4 KiB}",
         "workload.sizes: \"4 KiB\": KiB is the unit of a "},
        {"{benchmark: fake.scan, sizes: [-1]}", "\"-1\": a count is not negative"},
        {"{benchmark: fake.scan, sizes: 1 .. 8 step 0}", "does not move with a step of 0"},
        {"{benchmark: fake.scan, sizes: 1 .. 20000 step 1}", "at most 10000 steps"},
        {"{benchmark: fake.scan, sizes: 1 .. 8 step}", "\"\": "},
        {"{benchmark: fake.scan, sizes: 1 .. 8 step x}", "\"x\": "},
        {"{benchmark: fake.scan, sizes: 1 step 2}", "\"1 step 2\": "},
        {"{benchmark: fake.scan, sizes: 8 .. 1}", "the range is empty"},
        {"{benchmark: fake.scan, sizes: [[1]]}", "a number, or a range such as 1 .. 64"},
        {"{benchmark: fake.scan, window: 65}", "workload.window: 65 is too large"},
        {"{benchmark: fake.scan, unit: 8}", "workload.unit: \"8\": missing unit"},
        {"{benchmark: fake.scan, way: up}", "workload.way: "},
        {"{benchmark: fake.scan, windows: 4}",
         "workload.windows: unknown key (did you mean window?)"},
        {"{benchmark: pmb.pingpong, window: 4}",
         "t.yaml:5:37: error: workload.window: belongs to fake.scan, and not to pmb.pingpong"},
        {"{program: [], window: 4}", "workload.window: belongs to fake.scan, and not to a free"},
        {"{program: [{ranks: 0, do: [{put: {to: 0, size: 8 B}}, {get: {from: 0, size: 8 B}}]}]}",
         "t.yaml:5:66: error: workload.program[0].do[1].get: the stack fake_put has no get (it has "
         "put, fence, poll)"},
        {"{program: [{ranks: 0, do: [{send: {to: 0, size: 8 B}}]}]}",
         "the stack fake_put has no send"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bads); i++) {
        char *text = g_strdup_printf(SCAN "%s\n", bads[i].workload);
        char *complaints = fake_compile(text, NULL, NULL);
        SUITE_CONTAINS(complaints, bads[i].part);
        g_free(complaints);
        g_free(text);
    }
    char *complaints = fake_compile(SCAN "{benchmark: fake.scan}\n",
                                    (const char *const[]){"workload.widnow=4", NULL}, NULL);
    SUITE_CONTAINS(complaints, "there is no such key (did you mean workload.window?)");
    g_free(complaints);
}

static void test_usual_sizes(void)
{
    struct scenario *scenario =
        compile(HEAD "stack: lam_fake\nworkload: {benchmark: pmb.pingpong}\n", NULL);
    const GArray *sizes = case_of(scenario, 0)->workload.sizes;
    SUITE_SAME_INTEGER(sizes->len, 24); // 0 and 2^0 .. 2^22
    SUITE_SAME_INTEGER(g_array_index(sizes, int64_t, 23), 4194304);
    scenario_free(scenario);
}

// ---- Ranks ----

static void expect_ranks(const char *workload, int ranks)
{
    char *text = g_strdup_printf(HEAD "stack: lam_fake\nworkload: {%s}\n", workload);
    struct scenario *scenario = compile(text, NULL);
    SUITE_SAME_INTEGER(case_of(scenario, 0)->workload.ranks, ranks);
    scenario_free(scenario);
    g_free(text);
}

static void test_ranks(void)
{
    expect_ranks("benchmark: pmb.pingpong", 2);
    expect_ranks("benchmark: pmb.bcast, ranks: 3", 3);
    expect_ranks("program: [{ranks: 0, do: [barrier]}, {ranks: 2, do: [barrier]}]", 3);
    expect_ranks("program: [{ranks: all, do: [barrier]}]", 4);
    expect_ranks("program: [{ranks: all, do: [barrier]}], ranks: 2", 2);
}

// ---- Precedence ----

#define SERIES_TEXT                                                                                \
    HEAD                                                                                           \
        "fake_rpi: {tiny: 8 KiB, label: file}\n"                                                   \
        "workload: {benchmark: pmb.pingpong}\n"                                                    \
        "series:\n"                                                                                \
        "  - {name: plain, stack: lam_fake}\n"                                                     \
        "  - {name: dotted, stack: lam_fake, set: {fake_rpi.tiny: 4 KiB}}\n"                       \
        "  - {stack: lam_fake, set: {fake_rpi: {tiny: 2 KiB, policy: fifo}, workload.sizes: 5 B, " \
        "\"links[0].rate\": 10 Mb/s}}\n"

static void test_series(void)
{
    struct scenario *scenario = compile(SERIES_TEXT, NULL);
    static const int64_t tiny[] = {8192, 4096, 2048};
    SUITE_SAME_INTEGER(scenario->cases->len, 3);
    for (guint i = 0; i < 3; i++) {
        SUITE_SAME_INTEGER(rpi_of(scenario, i)->tiny, tiny[i]);
        SUITE_SAME_TEXT(rpi_of(scenario, i)->label, "file");
        SUITE_SAME_INTEGER(rpi_of(scenario, i)->short_, 32768);
    }
    SUITE_SAME_TEXT(case_of(scenario, 2)->name, "lam_fake");
    SUITE_SAME_INTEGER(rpi_of(scenario, 2)->policy, FAKE_FIFO);
    SUITE_SAME_INTEGER(rpi_of(scenario, 1)->policy, FAKE_LRU);
    SUITE_SAME_INTEGER(case_of(scenario, 2)->workload.sizes->len, 1);
    const struct topology_link *link = g_ptr_array_index(case_of(scenario, 2)->topology.links, 0);
    SUITE_SAME_INTEGER(((const struct fake_link *)link->values->values)->rate, 10000000);
    const struct source_mark origin = section_of(case_of(scenario, 1), "fake_rpi")->origins[0];
    SUITE_SAME_TEXT(origin.file, "t.yaml");
    SUITE_SAME_INTEGER(origin.line, 9);
    SUITE_SAME_INTEGER(origin.column, 58);
    scenario_free(scenario);
}

static void test_set_beats_all(void)
{
    const char *const sets[] = {
        "fake_rpi.tiny=1 KiB", "host.memory.pin = 3 us", "seed=9",
        "name=other",          "series[1].name=renamed", "links[0].delay=1 ns",
        "fake_rpi.label=a=b",  "fake_rpi.label=c=d",     NULL};
    struct scenario *scenario = compile(SERIES_TEXT, sets);
    for (guint i = 0; i < 3; i++)
        SUITE_SAME_INTEGER(rpi_of(scenario, i)->tiny, 1024);
    SUITE_SAME_TEXT(scenario->name, "other");
    SUITE_SAME_INTEGER((long long)scenario->seed, 9);
    SUITE_SAME_TEXT(case_of(scenario, 1)->name, "renamed");
    SUITE_SAME_TEXT(rpi_of(scenario, 0)->label, "c=d");
    const struct fake_memory *memory = scenario_section_values(case_of(scenario, 0), "host.memory");
    SUITE_SAME_INTEGER(memory->pin.time, 3000000);
    const struct source_mark origin = section_of(case_of(scenario, 0), "host.memory")->origins[3];
    SUITE_SAME_TEXT(origin.file, "--set host.memory.pin = 3 us");
    SUITE_SAME_INTEGER(origin.line, 0);
    scenario_free(scenario);
}

// Without a value --set removes the key wherever it was given, and the default holds.
static void test_set_removes(void)
{
    const char *const sets[] = {"fake_rpi.tiny=", "links[0].rate= ", NULL};
    struct scenario *scenario = compile(SERIES_TEXT, sets);
    for (guint i = 0; i < 3; i++) {
        SUITE_SAME_INTEGER(rpi_of(scenario, i)->tiny, 16384);
        SUITE_SAME_TEXT(rpi_of(scenario, i)->label, "file");
        SUITE_SAME_TEXT(section_of(case_of(scenario, i), "fake_rpi")->origins[0].file, "default");
    }
    const struct topology_link *link = g_ptr_array_index(case_of(scenario, 2)->topology.links, 0);
    SUITE_SAME_INTEGER(((const struct fake_link *)link->values->values)->rate, 100000000);
    scenario_free(scenario);
    // Sections, keys of the whole scenario, and the series instead of which a stack is set.
    const char *const whole[] = {"fake_rpi=", "series=", "stack=lam_fake", NULL};
    scenario = compile(SERIES_TEXT, whole);
    SUITE_SAME_INTEGER(scenario->cases->len, 1);
    SUITE_SAME_INTEGER(rpi_of(scenario, 0)->tiny, 16384);
    SUITE_SAME_TEXT(rpi_of(scenario, 0)->label, "none");
    scenario_free(scenario);
}

// ---- Testbeds ----

static void write_file(const char *directory, const char *name, const char *text)
{
    g_free(temporary_file(directory, name, text));
}

static struct scenario *load(const char *directory, const char *name,
                             const struct scenario_options *options)
{
    char *file = g_build_filename(directory, name, NULL);
    struct scenario *scenario;
    char *complaints = fake_load(file, options, &scenario);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    g_free(file);
    CU_ASSERT_PTR_NOT_NULL_FATAL(scenario);
    return scenario;
}

static const char bed[] = "schema: 1\nname: bed\ndescription: a machine\n" MACHINE
                          "fake_rpi: {tiny: 8 KiB, label: bed, policy: fifo}\n"
                          "host: {memory: {cache: 512 KiB}}\n";

static void test_testbed(void)
{
    char *directory = temporary_directory();
    write_file(directory, "testbeds/bed.yaml", bed);
    write_file(directory, "s.yaml",
               "schema: 1\ntestbed: testbeds/bed.yaml\nstack: lam_fake\n"
               "workload: {benchmark: pmb.pingpong}\nfake_rpi: {tiny: 1 KiB}\n");
    struct scenario *scenario = load(directory, "s.yaml", NULL);
    SUITE_SAME_TEXT(scenario->name, "s");
    SUITE_SAME_TEXT(scenario->description, NULL);
    SUITE_SAME_INTEGER(rpi_of(scenario, 0)->tiny, 1024);
    SUITE_SAME_TEXT(rpi_of(scenario, 0)->label, "bed");
    SUITE_SAME_INTEGER(case_of(scenario, 0)->topology.hosts->len, 4);
    const struct param_values *memory = section_of(case_of(scenario, 0), "host.memory");
    CU_ASSERT(g_str_has_suffix(memory->origins[2].file, "testbeds/bed.yaml"));
    SUITE_SAME_INTEGER(memory->origins[2].line, 8);
    scenario_free(scenario);
    // Values of the testbed can be removed, too.
    struct scenario_options options = {
        .sets = (const char *const[]){"fake_rpi.label=", "host.memory.cache=", NULL}};
    scenario = load(directory, "s.yaml", &options);
    SUITE_SAME_TEXT(rpi_of(scenario, 0)->label, "none");
    SUITE_SAME_INTEGER(rpi_of(scenario, 0)->tiny, 1024);
    SUITE_SAME_TEXT(section_of(case_of(scenario, 0), "host.memory")->origins[2].file, "default");
    scenario_free(scenario);
    temporary_remove(directory);
}

static void test_testbed_elsewhere(void)
{
    char *directory = temporary_directory(), *data = temporary_directory();
    write_file(data, "scenarios/testbeds/bed.yaml", bed);
    write_file(
        data, "scenarios/testbeds/other.yaml",
        "schema: 1\nnic: eepro100\nhosts: [{name: x, count: 3}]\nlinks: [{from: x, to: x}]\n");
    write_file(
        directory, "s.yaml",
        "schema: 1\ntestbed: testbeds/bed.yaml\nworkload: {benchmark: pmb.pingpong}\nseries:\n"
        "  - {name: a, stack: lam_fake}\n"
        "  - {name: b, stack: lam_fake, set: {testbed: testbeds/other.yaml}}\n");
    struct scenario_options options = {.data_dir = data};
    struct scenario *scenario = load(directory, "s.yaml", &options);
    SUITE_SAME_INTEGER(case_of(scenario, 0)->topology.hosts->len, 4);
    SUITE_SAME_INTEGER(case_of(scenario, 1)->topology.hosts->len, 3);
    SUITE_SAME_TEXT(case_of(scenario, 1)->nic, "eepro100");
    scenario_free(scenario);
    // By its name, too.
    static const char *const names[] = {"testbed=testbeds/other.yaml", "testbed=other"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        options.sets = (const char *const[]){names[i], NULL};
        scenario = load(directory, "s.yaml", &options);
        SUITE_SAME_INTEGER(case_of(scenario, 0)->topology.hosts->len, 3);
        scenario_free(scenario);
    }
    temporary_remove(directory);
    temporary_remove(data);
}

// A scenario's machine, which lies on a testbed of its own; its workload and series are not taken.
static void test_testbed_of_a_scenario(void)
{
    char *directory = temporary_directory();
    write_file(directory, "far/bed.yaml", bed);
    write_file(directory, "far/other.yaml",
               "schema: 1\nname: other\ntestbed: bed.yaml\nseed: 4\nseries: [{stack: lam_fake}]\n"
               "workload: {benchmark: pmb.bcast, ranks: 3}\nfake_rpi: {tiny: 2 KiB}\n"
               "sweep: {axes: [{set: fake_rpi.tiny, values: [1 KiB]}]}\n");
    write_file(directory, "s.yaml",
               "schema: 1\ntestbed: far/other.yaml\nstack: lam_fake\n"
               "workload: {benchmark: pmb.pingpong}\n");
    struct scenario *scenario = load(directory, "s.yaml", NULL);
    SUITE_SAME_TEXT(scenario->name, "s");
    SUITE_SAME_INTEGER((int)scenario->seed, 1);
    CU_ASSERT_PTR_NULL(scenario->sweep);
    SUITE_SAME_INTEGER(scenario->cases->len, 1);
    SUITE_SAME_TEXT(case_of(scenario, 0)->workload.benchmark->name, "pmb.pingpong");
    SUITE_SAME_INTEGER(case_of(scenario, 0)->topology.hosts->len, 4);
    SUITE_SAME_INTEGER(rpi_of(scenario, 0)->tiny, 2048);
    SUITE_SAME_TEXT(rpi_of(scenario, 0)->label, "bed");
    scenario_free(scenario);
    temporary_remove(directory);
}

static void expect_load_error(const char *directory, const char *text, const char *part)
{
    char *file = temporary_file(directory, "s.yaml", text);
    struct scenario *scenario;
    char *complaints = fake_load(file, NULL, &scenario);
    CU_ASSERT_PTR_NULL(scenario);
    SUITE_CONTAINS(complaints, part);
    g_free(complaints);
    g_free(file);
}

// A file that calls itself nothing is called by its file's name, which must then be one.
static void test_name_of_the_file(void)
{
    static const char text[] =
        "schema: 1\nstack: lam_fake\n" MACHINE "workload: {benchmark: pmb.pingpong}\n";
    char *directory = temporary_directory();
    char *odd = temporary_file(directory, "a;$(x).yaml", text);
    char *complaints = fake_load(odd, NULL, NULL);
    SUITE_CONTAINS(complaints, "a;$(x).yaml: error: name: the file's name cannot be that of the "
                               "scenario (write name: TEXT");
    g_free(complaints);
    g_free(odd);
    char *named = g_strdup_printf("name: proper\n%s", text);
    write_file(directory, "a;$(x).yaml", named);
    struct scenario *scenario = load(directory, "a;$(x).yaml", NULL);
    SUITE_SAME_TEXT(scenario->name, "proper");
    scenario_free(scenario);
    g_free(named);
    temporary_remove(directory);
}

#define ON(bed)                                                                                    \
    "schema: 1\ntestbed: " bed "\nstack: lam_fake\nworkload: {benchmark: pmb.pingpong}\n"

static void test_testbed_refused(void)
{
    char *directory = temporary_directory();
    write_file(directory, "testbeds/bed.yaml", bed);
    write_file(directory, "testbeds/typo.yaml", "schema: 1\n" MACHINE "fake_rpi: {tinny: 1 KiB}\n");
    write_file(directory, "testbeds/work.yaml", "schema: 1\n" MACHINE "seed: 3\n");
    write_file(directory, "a.yaml", ON("b.yaml"));
    write_file(directory, "b.yaml", ON("a.yaml"));
    write_file(directory, "testbeds/unknown.yaml", "schema: 1\n" MACHINE "swiches: []\n");
    write_file(directory, "testbeds/old.yaml", "schema: 0\n" MACHINE);
    write_file(directory, "testbeds/none.yaml", MACHINE);
    write_file(directory, "testbeds/list.yaml", "[1]\n");
    write_file(directory, "testbeds/broken.yaml", "a: [\n");
    expect_load_error(directory, ON("testbeds/bad.yaml"),
                      "s.yaml:2:10: error: testbed: there is no testbed testbeds/bad.yaml");
    expect_load_error(directory, ON("testbeds/bad.yaml"), "(did you mean testbeds/bed.yaml?)");
    expect_load_error(directory, ON("[x]"),
                      "testbed: the name of a file is expected here, not a list");
    expect_load_error(directory, ON("testbeds/typo.yaml"),
                      "typo.yaml:5:12: error: fake_rpi.tinny: unknown key (did you mean tiny?)");
    expect_load_error(
        directory, ON("testbeds/work.yaml"),
        "work.yaml:5:1: error: seed: not a key of a testbed (it belongs in the scenario)");
    expect_load_error(directory, ON("a.yaml"),
                      "error: testbed: more than 10 testbeds lie on each other (does one lie on "
                      "itself?)");
    expect_load_error(directory, ON("testbeds/unknown.yaml"),
                      "unknown.yaml:5:1: error: swiches: unknown key (did you mean switches?)");
    expect_load_error(
        directory, ON("testbeds/old.yaml"),
        "old.yaml:1:9: error: schema: this program does not know version 0 (write schema: 1)");
    expect_load_error(directory, ON("testbeds/none.yaml"),
                      "none.yaml:1:1: error: schema: the version of the file's layout is missing");
    expect_load_error(directory, ON("testbeds/list.yaml"),
                      "list.yaml:1:1: error: a map of keys is expected here, not a list");
    expect_load_error(directory, ON("testbeds/broken.yaml"),
                      "broken.yaml:2:1: error: a[0]: not YAML");
    char *fifo = g_build_filename(directory, "testbeds/fifo.yaml", NULL);
    CU_ASSERT_EQUAL_FATAL(mkfifo(fifo, 0600), 0);
    g_free(fifo);
    expect_load_error(directory, ON("testbeds/fifo.yaml"), "s.yaml:2:10: error: testbed: cannot ");
    expect_load_error(directory, ON("testbeds/fifo.yaml"), "fifo.yaml: it is no regular file");
    expect_load_error(directory, "include: s.yaml\n",
                      "the file includes itself: s.yaml includes s.yaml");
    temporary_remove(directory);
}

// A mistake that is the same in every series is reported once.
static void test_told_once(void)
{
    char *complaints = fake_compile(
        HEAD
        "fake_rpi: {tinny: 1 KiB}\nworkload: {benchmark: pmb.pingpong}\nseries: [{name: a, stack: "
        "lam_fake}, {name: b, stack: lam_fake}, {name: c, stack: lam_fake}]\n",
        NULL, NULL);
    SUITE_SAME_TEXT(complaints,
                    "t.yaml:5:12: error: fake_rpi.tinny: unknown key (did you mean tiny?)\n");
    g_free(complaints);
}

// ---- JSON ----

static void test_json(void)
{
    struct scenario *scenario = compile(
        "schema: 1\nstack: lam_fake\nnic: tulip\nhosts: [{name: n, count: 2}]\nswitches: [{name: "
        "s, "
        "ports: 4}]\nlinks: [{from: n, to: s, rate: 1 Gb/s}]\nworkload: {benchmark: pmb.pingpong, "
        "sizes: [0, 1 KiB]}\nroutes: [{from: n0, to: n1, via: s}]\n",
        NULL);
    json_t *json = scenario_case_json(case_of(scenario, 0));
    json_t *expected = json_loads(
        "{\"hosts\": [\"n0\", \"n1\"], \"switches\": [{\"name\": \"s\", \"parameters\": 0}],"
        " \"links\": [{\"from\": \"n0\", \"to\": \"s\", \"parameters\": 0},"
        "             {\"from\": \"n1\", \"to\": \"s\", \"parameters\": 0}],"
        " \"routes\": [{\"from\": \"n0\", \"to\": \"n1\", \"via\": [\"s\"],"
        "               \"links\": [\"any\", \"any\"]}]}",
        0, NULL);
    json_t *topology = json_object_get(json, "topology");
    const char *key;
    json_t *value;
    json_object_foreach(expected, key, value)
    {
        CU_ASSERT(json_equal(json_object_get(topology, key), value));
    }
    SUITE_SAME_INTEGER((long long)json_array_size(json_object_get(topology, "link_parameters")), 1);
    json_decref(expected);
    expected =
        json_loads("{\"ranks\": 2, \"benchmark\": \"pmb.pingpong\", \"sizes_bytes\": [0, 1024], "
                   "\"repetitions\": \"auto\"}",
                   0, NULL);
    CU_ASSERT(json_equal(json_object_get(json, "workload"), expected));
    json_decref(expected);
    SUITE_SAME_TEXT(json_string_value(json_object_get(json, "nic")), "tulip");
    SUITE_SAME_INTEGER((long long)json_object_size(json_object_get(json, "parameters")), 4);
    json_decref(json);
    scenario_free(scenario);
}

static void test_json_of_a_program(void)
{
    struct scenario *scenario = compile(
        HEAD "stack: lam_fake\nworkload: {program: [{ranks: 1, do: [{compute: 3 ms}]}]}\n", NULL);
    json_t *json = scenario_case_json(case_of(scenario, 0));
    json_t *expected = json_loads("{\"ranks\": 2, \"program\": [{\"ranks\": 1, \"do\": "
                                  "[{\"compute\": \"3 ms\"}]}]}",
                                  0, NULL);
    CU_ASSERT(json_equal(json_object_get(json, "workload"), expected));
    json_decref(expected);
    json_decref(json);
    scenario_free(scenario);
}

// The merged tree is itself a scenario that compiles to the same case.
static void test_tree_is_a_scenario(void)
{
    struct scenario *scenario = compile(SERIES_TEXT, NULL);
    for (guint i = 0; i < scenario->cases->len; i++) {
        char *text = node_text(case_of(scenario, i)->tree);
        struct scenario *again = compile(text, NULL);
        json_t *a = node_json(case_of(scenario, i)->tree), *b = node_json(case_of(again, 0)->tree);
        CU_ASSERT(json_equal(a, b));
        SUITE_SAME_INTEGER(rpi_of(again, 0)->tiny, rpi_of(scenario, i)->tiny);
        json_decref(a);
        json_decref(b);
        scenario_free(again);
        g_free(text);
    }
    scenario_free(scenario);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the smallest scenario", test_smallest},
        {"name, description, seed", test_head},
        {"names of files", test_name_of_the_file},
        {"sections of other stacks", test_sections_of_other_stacks},
        {"sizes", test_sizes},
        {"sizes that Pallas measures", test_usual_sizes},
        {"counts in place of sizes", test_counts},
        {"bad counts, and keys of other benchmarks", test_bad_counts},
        {"ranks", test_ranks},
        {"series", test_series},
        {"--set beats all", test_set_beats_all},
        {"--set removes a key", test_set_removes},
        {"a testbed lies under the scenario", test_testbed},
        {"testbeds among the data", test_testbed_elsewhere},
        {"a scenario as a testbed", test_testbed_of_a_scenario},
        {"bad testbeds", test_testbed_refused},
        {"one mistake is told once", test_told_once},
        {"a case as JSON", test_json},
        {"a program as JSON", test_json_of_a_program},
        {"the merged tree is a scenario", test_tree_is_a_scenario},
        {0},
    };
    return suite_run("config: scenario", cases);
}
