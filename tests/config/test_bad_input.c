// SPDX-License-Identifier: GPL-3.0-or-later
// Mistakes in scenarios: each is reported with its place, its path, and what was probably meant.
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

// A good scenario of six lines; a mistake follows in line 7, or replaces one of these.
#define VERSION "schema: 1\n"                                    // line 1
#define STACK "stack: lam_fake\n"                                // 2
#define NIC "nic: tulip\n"                                       // 3
#define HOSTS "hosts: [{name: a}, {name: b}]\n"                  // 4
#define LINKS "links: [{from: a, to: b}]\n"                      // 5
#define WORK "workload: {benchmark: pmb.pingpong, sizes: 1 B}\n" // 6
#define GOOD VERSION STACK NIC HOSTS LINKS WORK
#define RUN(workload) VERSION STACK NIC HOSTS LINKS "workload: " workload "\n"

struct mistake {
    const char *text, *complaint;
    const char *also; // another part, or NULL
};

static void expect(const struct mistake *mistakes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct scenario *scenario;
        char *complaints = fake_compile(mistakes[i].text, NULL, &scenario);
        CU_ASSERT_PTR_NULL(scenario);
        SUITE_CONTAINS(complaints, mistakes[i].complaint);
        if (mistakes[i].also)
            SUITE_CONTAINS(complaints, mistakes[i].also);
        scenario_free(scenario);
        g_free(complaints);
    }
}

static void test_good(void)
{
    char *complaints = fake_compile(GOOD, NULL, NULL);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
}

static void test_files(void)
{
    static const struct mistake mistakes[] = {
        {"", "t.yaml:1:1: error: the file is empty", NULL},
        {"---\n", "t.yaml:2:1: error: a map of keys is expected here, not nothing", NULL},
        {"just text\n", "t.yaml:1:1: error: a map of keys is expected here, not text", NULL},
        {"[1, 2]\n", "a map of keys is expected here, not a list", NULL},
        {"a: [\n", "t.yaml:2:1: error: a[0]: not YAML", NULL},
        {"\x7f"
         "ELF",
         "not YAML: control characters are not allowed", NULL},
        {GOOD "seed: 1\nseed: 2\n",
         "t.yaml:8:1: error: seed: duplicate key, first given in line 7 column 1", NULL},
        {GOOD "include: x.yaml\n", "t.yaml:7:10: error: include: no file can be included here",
         NULL},
        {GOOD "testbed: x.yaml\n", "t.yaml:7:10: error: testbed: no testbed can be read here",
         NULL},
        {STACK NIC HOSTS LINKS WORK,
         "t.yaml:1:1: error: schema: the version of the file's layout is missing (write schema: 1)",
         NULL},
        {"schema: 2\n",
         "t.yaml:1:9: error: schema: this program does not know version 2 (write schema: 1)", NULL},
        {"schema: one\n", "schema: \"one\": a whole number is expected", NULL},
        {"schema: [1]\n", "schema: a whole number is expected here, not a list", NULL},
    };
    expect(mistakes, G_N_ELEMENTS(mistakes));
}

static void test_keys(void)
{
    static const struct mistake mistakes[] = {
        {GOOD "hsot: {}\n", "t.yaml:7:1: error: hsot: unknown key (did you mean host?)", NULL},
        {GOOD "workload2: {}\n", "unknown key (did you mean workload?)", NULL},
        {GOOD "tiny: 8 KiB\n", "t.yaml:7:1: error: tiny: unknown key (did you mean fake_rpi.tiny?)",
         NULL},
        {GOOD "zzzzzzzzzzzzzzz: 8 KiB\n", "zzzzzzzzzzzzzzz: unknown key (known: host, ", NULL},
        {GOOD "host: {memry: {}}\n",
         "t.yaml:7:8: error: host.memry: unknown key (did you mean memory?)", NULL},
        {GOOD "host: {memory: {copy_hotter: 1 MB/s}}\n",
         "t.yaml:7:17: error: host.memory.copy_hotter: unknown key (did you mean copy_hot?)", NULL},
        {GOOD "host: {memory: {clock: 1 MHz}}\n",
         "host.memory.clock: unknown key (did you mean host.bus.clock?)", NULL},
        {GOOD "host: [1]\n",
         "t.yaml:7:7: error: host: a map of parameters is expected here, not a list", NULL},
        {GOOD "host: 5\n", "host: a map of parameters is expected here, not text", NULL},
        {GOOD "host: {memory: 5 GB}\n",
         "t.yaml:7:16: error: host.memory: a map of parameters is expected here, not text", NULL},
        {GOOD "fake_rpi: {tinny: 8 KiB}\n",
         "t.yaml:7:12: error: fake_rpi.tinny: unknown key (did you mean tiny?)", NULL},
        {GOOD "name: [a]\n", "name: a name is expected here, not a list", NULL},
        {GOOD "name: ../up\n", "t.yaml:7:7: error: name: \"../up\" cannot be a name", NULL},
        {GOOD "name: a/b\n", "\"a/b\" cannot be a name", NULL},
        {GOOD "description: {}\n", "description: a text is expected here, not a map", NULL},
        {GOOD "seed: 0\n", "t.yaml:7:7: error: seed: 0 is out of range 1 ..", NULL},
        {GOOD "seed: -4\n", "seed: -4 is out of range", NULL},
        {GOOD "seed: 1.5\n", "seed: \"1.5\": not a whole number", NULL},
        {GOOD "seed: x\n", "seed: \"x\": a whole number is expected", NULL},
    };
    expect(mistakes, G_N_ELEMENTS(mistakes));
}

static void test_values(void)
{
    static const struct mistake mistakes[] = {
        {GOOD "fake_rpi: {tiny: 8}\n",
         "t.yaml:7:18: error: fake_rpi.tiny: \"8\": missing unit (write for example 8 B; units "
         "are B,",
         NULL},
        {GOOD "fake_rpi: {tiny: 8 us}\n",
         "us is the unit of a duration (a size is written with B, kB,", NULL},
        {GOOD "fake_rpi: {tiny: -8 KiB}\n",
         "t.yaml:7:18: error: fake_rpi.tiny: -8 KiB is too small (the range is 0 .. 1024 GiB)",
         NULL},
        {GOOD "fake_rpi: {tiny: [8 KiB]}\n", "a size is expected here, not a list", NULL},
        {GOOD "fake_rpi: {tiny: lots}\n", "fake_rpi.tiny: \"lots\": a size is expected", NULL},
        {GOOD "fake_rpi: {tiny: }\n", "fake_rpi.tiny: a size is expected here, not nothing", NULL},
        {GOOD "fake_rpi: {policy: lru2}\n", "unknown choice \"lru2\" (did you mean lru?)", NULL},
        {GOOD "fake_rpi: {cache: yes}\n",
         "true or false is expected here, not \"yes\" (write true)", NULL},
        {GOOD "host: {memory: {cache: 65 MiB}}\n", "65 MiB is too large (the range is 0 .. 64 MiB)",
         NULL},
        {GOOD "host: {memory: {copy_hot: 500 Mb/s}}\n",
         "Mb/s is the unit of a bit rate (a byte rate is written with", NULL},
        {GOOD "fake_rpi: {tiny: 64 KiB}\n",
         "t.yaml:7:18: error: fake_rpi.tiny: tiny is larger than short (32768 B) (make tiny", NULL},
        {GOOD "fake_rpi: {short: 48 KiB}\n",
         "t.yaml:7:19: error: fake_rpi.short: short is larger than half the area (a short message "
         "must fit twice)",
         NULL},
        {GOOD "fake_rpi: {tiny: 8 us}\nlink: {rate: 5}\n",
         "fake_rpi.tiny: ", "t.yaml:8:14: error: link.rate: "},
    };
    expect(mistakes, G_N_ELEMENTS(mistakes));
}

static void test_stack(void)
{
    static const struct mistake mistakes[] = {
        {VERSION NIC HOSTS LINKS WORK,
         "t.yaml:1:1: error: stack: neither stack nor series is given (write stack: NAME,", NULL},
        {VERSION "stack: lam_fkae\n" NIC HOSTS LINKS WORK,
         "t.yaml:2:8: error: stack: unknown stack \"lam_fkae\" (did you mean lam_fake?)", NULL},
        {VERSION "stack: mvapich\n" NIC HOSTS LINKS WORK,
         "unknown stack \"mvapich\" (known: lam_fake, fake_gm, fake_put)", NULL},
        {VERSION "stack: [lam_fake]\n" NIC HOSTS LINKS WORK,
         "stack: the name of a stack is expected here, not a list", NULL},
        {VERSION "stack:\n" NIC HOSTS LINKS WORK,
         "stack: the name of a stack is expected here, not nothing", NULL},
        {VERSION STACK HOSTS LINKS WORK,
         "t.yaml:1:1: error: nic: must be given (the stack lam_fake drives eepro100, tulip)", NULL},
        {VERSION STACK "nic: tulpi\n" HOSTS LINKS WORK,
         "t.yaml:3:6: error: nic: unknown NIC model \"tulpi\" (did you mean tulip?)", NULL},
        {VERSION STACK "nic: lanai\n" HOSTS LINKS WORK,
         "t.yaml:3:6: error: nic: the stack cannot drive the NIC model lanai (the stack lam_fake "
         "drives eepro100, tulip)",
         NULL},
        {VERSION "stack: fake_gm\n" HOSTS LINKS WORK,
         "t.yaml:1:1: error: fake_gm.tokens: must be given (send tokens)", NULL},
        {VERSION "stack: fake_gm\nfake_gm: {tokens: 1}\n" HOSTS LINKS
                 "workload: {benchmark: pmb.bcast}\n",
         "t.yaml:6:23: error: workload: the stack fake_gm cannot run pmb.bcast (it can run "
         "pmb.pingpong)",
         NULL},
        {VERSION "stack: fake_gm\nfake_gm: {tokens: 1}\n" HOSTS LINKS "workload: {program: []}\n",
         "the stack fake_gm cannot run a free program (it can run pmb.pingpong)", NULL},
    };
    expect(mistakes, G_N_ELEMENTS(mistakes));
}

static void test_series(void)
{
#define SERIES(items) VERSION NIC HOSTS LINKS WORK "series: [" items "]\n" // line 6
    static const struct mistake mistakes[] = {
        {GOOD "series: []\n", "t.yaml:2:1: error: stack: stack and series exclude each other",
         NULL},
        {SERIES(""), "t.yaml:6:9: error: series: there must be 1 .. 256 series", NULL},
        {VERSION NIC HOSTS LINKS WORK "series: lam_fake\n",
         "series: a list of {name: TEXT, stack: NAME} is expected here, not text", NULL},
        {SERIES("lam_fake"), "series[0]: {name: TEXT, stack: NAME} is expected here, not text",
         NULL},
        {SERIES("{name: x}"),
         "t.yaml:6:10: error: series[0]: the key stack is missing (write stack: NAME)", NULL},
        {SERIES("{name: x, stak: lam_fake}"), "series[0].stak: unknown key (did you mean stack?)",
         NULL},
        {SERIES("{name: x, stack: lam}"), "t.yaml:6:27: error: stack: unknown stack \"lam\"", NULL},
        {SERIES("{name: x, stack: lam_fake}, {name: x, stack: lam_fake}"),
         "t.yaml:6:45: error: series[1].name: the name \"x\" is taken by the series of line 6",
         NULL},
        {SERIES("{stack: lam_fake}, {stack: lam_fake}"), "the name \"lam_fake\" is taken", NULL},
        {SERIES("{name: [], stack: lam_fake}"),
         "series[0].name: a name is expected here, not a list", NULL},
        {SERIES("{stack: lam_fake, set: [1]}"), "series[0].set: a map is expected here, not a list",
         NULL},
        {SERIES("{stack: lam_fake, set: {fake_rpi.tinny: 1 B}}"),
         "t.yaml:6:34: error: fake_rpi.tinny: there is no such key (did you mean fake_rpi.tiny?)",
         NULL},
        {SERIES("{stack: lam_fake, set: {fake_rpi: {tinny: 1 B}}}"),
         "t.yaml:6:45: error: fake_rpi.tinny: unknown key (did you mean tiny?)", NULL},
        {SERIES("{stack: lam_fake, set: {fake_rpi.tiny: 1}}"),
         "t.yaml:6:49: error: fake_rpi.tiny: \"1\": missing unit", NULL},
        {SERIES("{stack: lam_fake, set: {tiny: 1 B}}"),
         "tiny: there is no such key (did you mean fake_rpi.tiny?)", NULL},
        {SERIES("{stack: lam_fake, set: {seed: 3}}"),
         "t.yaml:6:34: error: seed: cannot be set for one of the series", NULL},
        {SERIES("{stack: lam_fake, set: {series: []}}"),
         "series: cannot be set for one of the series", NULL},
        {SERIES("{stack: lam_fake, set: {\"links[7].rate\": 1 b/s}}"),
         "links[7].rate: the list has only 1 items", NULL},
        {SERIES("{stack: lam_fake, set: {\"links[0].rat\": 1 b/s}}"),
         "links[0].rat: unknown key (did you mean rate?)", NULL},
        {SERIES("{stack: lam_fake, set: {nic.x: 1}}"), "nic.x: there is no such key", NULL},
    };
    expect(mistakes, G_N_ELEMENTS(mistakes));
}

static void test_workload(void)
{
    static const struct mistake mistakes[] = {
        {VERSION STACK NIC HOSTS LINKS,
         "t.yaml:1:1: error: workload: there must be a workload (write workload: {benchmark: "
         "NAME})",
         NULL},
        {RUN("5"), "t.yaml:6:11: error: workload: a map is expected here, not text", NULL},
        {RUN("{}"), "workload: the key benchmark, program or replay is missing", NULL},
        {RUN("{bench: x}"), "workload.bench: unknown key", NULL},
        {RUN("{benchmark: pmb.pingpog}"),
         "t.yaml:6:23: error: workload.benchmark: unknown benchmark \"pmb.pingpog\" (did you mean "
         "pmb.pingpong?)",
         NULL},
        {RUN("{benchmark: linpack}"),
         "unknown benchmark \"linpack\" (known: pmb.pingpong, pmb.bcast, fake.scan)", NULL},
        {RUN("{benchmark: pmb.pingpong, program: []}"),
         "t.yaml:6:37: error: workload: benchmark and program exclude each other", NULL},
        {RUN("{benchmark: pmb.pingpong, ranks: 3}"),
         "t.yaml:6:44: error: workload.ranks: pmb.pingpong runs on at most 2 ranks, not 3", NULL},
        {RUN("{benchmark: pmb.pingpong, ranks: 1}"), "pmb.pingpong needs at least 2 ranks, not 1",
         NULL},
        {RUN("{benchmark: pmb.bcast, ranks: 3}"),
         "t.yaml:6:41: error: workload.ranks: the stack lam_fake runs one process a host, and 3 "
         "ranks do not fit 2 hosts",
         NULL},
        {RUN("{benchmark: pmb.bcast, ranks: 0}"), "0 is out of range 1 .. 1048576", NULL},
        {RUN("{benchmark: pmb.bcast, ranks: two}"),
         "workload.ranks: \"two\": a whole number is expected", NULL},
        {RUN("{benchmark: pmb.bcast, ranks: 2 B}"),
         "workload.ranks: \"2 B\": B is the unit of a size", NULL},
        {VERSION STACK NIC "hosts: [{name: a}]\nworkload: {benchmark: pmb.pingpong}\n",
         "t.yaml:5:11: error: workload.ranks: the stack lam_fake runs one process a host, and 2 "
         "ranks do not fit 1 host (take more hosts",
         NULL},
        {RUN("{benchmark: pmb.pingpong, sizes: 4}"),
         "t.yaml:6:44: error: workload.sizes: \"4\": missing unit", NULL},
        {RUN("{benchmark: pmb.pingpong, sizes: 1 .. 4 MiB}"), "workload.sizes: \"1\": missing unit",
         NULL},
        {RUN("{benchmark: pmb.pingpong, sizes: -4 B}"), "\"-4 B\": a size is not negative", NULL},
        {RUN("{benchmark: pmb.pingpong, sizes: 4 B .. 1 B}"),
         "the range is empty (write the smaller size first)", NULL},
        {RUN("{benchmark: pmb.pingpong, sizes: 0 .. }"), "workload.sizes: \"\": a size is expected",
         NULL},
        {RUN("{benchmark: pmb.pingpong, sizes: ''}"), "workload.sizes: \"\": a size is expected",
         NULL},
        {RUN("{benchmark: pmb.pingpong, sizes: [1 B, '']}"),
         "workload.sizes[1]: \"\": a size is expected", NULL},
        {RUN("{benchmark: pmb.pingpong, sizes: []}"), "workload.sizes: the list is empty", NULL},
        {RUN("{benchmark: pmb.pingpong, sizes: [1 B, 4 us]}"),
         "t.yaml:6:50: error: workload.sizes[1]: \"4 us\": us is the unit of a duration", NULL},
        {RUN("{benchmark: pmb.pingpong, sizes: {a: 1}}"),
         "workload.sizes: a size, or a range such as 0 B .. 4 MiB is expected here, not a map",
         NULL},
        {RUN("{benchmark: pmb.pingpong, repetitions: 0}"),
         "workload.repetitions: 0 is out of range", NULL},
        {RUN("{benchmark: pmb.pingpong, repetitions: often}"),
         "workload.repetitions: \"often\": a whole number is expected", NULL},
        {RUN("{program: [], sizes: 1 B}"),
         "t.yaml:6:25: error: workload: sizes belongs to a benchmark", NULL},
        {RUN("{program: {}}"), "workload.program: a list of parts is expected here, not a map",
         NULL},
        {RUN("{program: [{ranks: 2, do: [barrier]}]}"),
         "the stack lam_fake runs one process a host, and 3 ranks do not fit 2 hosts", NULL},
        {RUN("{ranks: 2, program: [{ranks: 2, do: [barrier]}]}"),
         "workload.program[0].ranks: \"2\": there is no such rank (ranks are 0 .. 1)", NULL},
        {RUN("{program: [{ranks: 0, do: [{snd: {to: 1}}]}]}"),
         "t.yaml:6:39: error: workload.program[0].do[0]: unknown operation \"snd\" (did you mean "
         "send?)",
         NULL},
        {RUN("{program: [{ranks: 99999999999, do: [barrier]}]}"), "there is no such rank", NULL},
    };
    expect(mistakes, G_N_ELEMENTS(mistakes));
}

static void test_topology(void)
{
    static const struct mistake mistakes[] = {
        {VERSION STACK NIC WORK, "hosts: there must be at least one host", NULL},
        {VERSION STACK NIC "hosts: [{name: a}, {name: a}]\n" WORK,
         "t.yaml:4:27: error: hosts[1].name: the name a is taken twice, first in t.yaml:4:16",
         NULL},
        {VERSION STACK NIC HOSTS WORK, "t.yaml:4:20: error: links: no way joins a and b", NULL},
        {VERSION STACK NIC HOSTS "links: [{from: a, to: c}]\n" WORK,
         "t.yaml:5:23: error: links[0].to: there is no host or switch \"c\"", NULL},
        {VERSION STACK NIC HOSTS "links: [{from: a, to: b, rate: 100 MB/s}]\n" WORK,
         "t.yaml:5:32: error: links[0].rate: \"100 MB/s\": MB/s is the unit of a byte rate", NULL},
    };
    expect(mistakes, G_N_ELEMENTS(mistakes));
}

static void expect_set(const char *set, const char *part)
{
    const char *const sets[] = {set, NULL};
    struct scenario *scenario;
    char *complaints = fake_compile(GOOD, sets, &scenario);
    CU_ASSERT_PTR_NULL(scenario);
    SUITE_CONTAINS(complaints, part);
    scenario_free(scenario);
    g_free(complaints);
}

static void test_sets(void)
{
    expect_set("host.memory.foo=1",
               "--set host.memory.foo=1: error: host.memory.foo: there is no such key");
    expect_set("host.memory.copy_hit=1 MB/s",
               "host.memory.copy_hit: there is no such key (did you mean host.memory.copy_hot?)");
    expect_set("copy_hot=1 MB/s",
               "copy_hot: there is no such key (did you mean host.memory.copy_hot?)");
    expect_set("links[0].rat=1",
               "--set links[0].rat=1: error: links[0].rat: unknown key (did you mean rate?)");
    expect_set("links[3].rate=1 b/s",
               "--set links[3].rate=1 b/s: error: links[3].rate: the list has only 1 items");
    expect_set("links.a.rate=1 b/s", "links.a.rate: there is no such key");
    expect_set("linx[0].rate=1 b/s", "linx[0].rate: there is no such list (did you mean link?)");
    expect_set("fake_rpi.tiny=1",
               "--set fake_rpi.tiny=1: error: fake_rpi.tiny: \"1\": missing unit");
    expect_set("fake_rpi.tiny=64 KiB",
               "--set fake_rpi.tiny=64 KiB: error: fake_rpi.tiny: tiny is larger than short");
    expect_set("fake_rpi.area=8 KiB",
               "--set fake_rpi.area=8 KiB: error: fake_rpi.short: short is larger than half");
    expect_set("fake_rpi.tiny=[", "--set fake_rpi.tiny=[: error: fake_rpi.tiny: not YAML");
    expect_set(
        "fake_rpi={tinny: 1 B}",
        "--set fake_rpi={tinny: 1 B}: error: fake_rpi.tinny: unknown key (did you mean tiny?)");
    expect_set("nonsense", "--set nonsense: error: not a setting (write --set PATH=VALUE)");
    expect_set("=5", "not a setting");
    expect_set("\xff\xfe=5", "not a setting");
    expect_set(
        "stack=lam_fkae",
        "--set stack=lam_fkae: error: stack: unknown stack \"lam_fkae\" (did you mean lam_fake?)");
    expect_set("series=[]", "stack and series exclude each other");
    expect_set("workload.benchmark=pmb.x",
               "--set workload.benchmark=pmb.x: error: workload.benchmark: unknown benchmark");
    expect_set("workload.size=1 B",
               "workload.size: there is no such key (did you mean workload.sizes?)");
    expect_set("schema=2", "this program does not know version 2");
    expect_set("seed=x", "--set seed=x: error: seed: \"x\": a whole number");
    // A key without a value is removed.
    expect_set("fake_rpi.tiny=",
               "--set fake_rpi.tiny=: error: fake_rpi.tiny: is not set: there is nothing to unset "
               "(without a value --set removes a key that a file gives)");
    expect_set("fake_rpi.tinny=", "fake_rpi.tinny: there is no such key");
    expect_set("fake_rpi.tiny=null", "fake_rpi.tiny: a size is expected here, not nothing");
    expect_set("links[0]=", "links[0]: is not set");
    expect_set("links[7].rate= ", "--set links[7].rate= : error: links[7].rate: is not set");
    expect_set("stack=", "t.yaml:1:1: error: stack: neither stack nor series is given");
    expect_set("schema=", "t.yaml:1:1: error: schema: the version of the file's layout is missing");
    expect_set("nic=", "t.yaml:1:1: error: nic: must be given");
    expect_set("workload=", "workload: ");
}

// All mistakes of a file in one go, up to a limit.
static void test_many(void)
{
    char *complaints = fake_compile(
        VERSION STACK
        "nic: tulpi\nhots: []\nhost: {memory: {cache: 5}}\nhosts: [{nam: a}]\nworkload: "
        "{benchmark: x}\n",
        NULL, NULL);
    static const char *const parts[] = {
        "nic: ", "hots: ", "host.memory.cache: ", "hosts[0].nam: ", "workload.benchmark: "};
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++)
        SUITE_CONTAINS(complaints, parts[i]);
    g_free(complaints);
    GString *text = g_string_new(GOOD);
    for (int i = 0; i < 40000; i++)
        g_string_append_printf(text, "k%d: 1\n", i);
    complaints = fake_compile(text->str, NULL, NULL);
    SUITE_CONTAINS(complaints, "(more errors follow; the first 20 are shown)");
    g_string_free(text, TRUE);
    g_free(complaints);
}

// Many series over a large file would cost more memory than any scenario needs.
static void test_too_much(void)
{
    GString *text = g_string_new(VERSION NIC HOSTS LINKS "workload: {program: [{ranks: 0, do: [");
    for (int i = 0; i < 20000; i++)
        g_string_append(text, "{compute: 1 us},");
    g_string_append(text, "]}]}\nseries:\n");
    for (int i = 0; i < 200; i++)
        g_string_append_printf(text, "  - {name: s%d, stack: lam_fake}\n", i);
    char *complaints = fake_compile(text->str, NULL, NULL);
    SUITE_CONTAINS(complaints, "so many series of so many values are too much");
    g_string_free(text, TRUE);
    g_free(complaints);
}

// Every prefix of a good file, and the file with any one byte changed, is read or refused in peace.
static void test_mangled(void)
{
    static const char text[] = GOOD "series: &s [{name: x, stack: *s}]\nfake_rpi: {tiny: 8 KiB}\n";
    for (size_t length = 0; length < sizeof text; length++) {
        char *part = g_strndup(text, length);
        g_free(fake_compile(part, NULL, NULL));
        g_free(part);
    }
    for (size_t at = 0; at < sizeof text - 1; at++) {
        for (const char *with = "{}[]:,\"'#&*!|>%@`-? \n\tx9\\\xff"; *with; with++) {
            char *mangled = g_strdup(text);
            mangled[at] = *with;
            g_free(fake_compile(mangled, NULL, NULL));
            g_free(mangled);
        }
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the good scenario is good", test_good},
        {"files", test_files},
        {"keys", test_keys},
        {"values", test_values},
        {"stacks and NICs", test_stack},
        {"series", test_series},
        {"workloads", test_workload},
        {"topologies", test_topology},
        {"--set", test_sets},
        {"many mistakes", test_many},
        {"too many series", test_too_much},
        {"mangled files", test_mangled},
        {0},
    };
    return suite_run("config: bad input", cases);
}
