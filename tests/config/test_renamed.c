// SPDX-License-Identifier: GPL-3.0-or-later
// Keys that had other names: the new names are reported at every place where a key may stand, and
// every row names keys that exist, for one version.
#include "tests/support/compiled.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include "sim/config/reader.h"
#include "sim/model/model.h"
#include "sim/run/schema.h"
#include "sim/scenario/sweep.h"

#include <stdio.h>
#include <string.h>

#define HEAD "schema: 1\nname: t\nworkload: {benchmark: pmb.pingpong, sizes: [1 B]}\n"   // 3 lines
#define TWO "hosts: [{name: n, count: 2}]\nlinks: [{from: n0, to: n1}]\nnic: eepro100\n" // 3

static const struct param_table *table_of(const struct scenario_schema *schema, const char *path)
{
    for (const struct scenario_section *one = schema->sections; one->path; one++)
        if (strcmp(one->path, path) == 0)
            return one->table;
    return NULL;
}

static bool names_a_key(const struct scenario_schema *schema, const struct param_table *table,
                        const char *name)
{
    const char *dot = strrchr(name, '.');
    char *section = g_strndup(name, dot ? (gsize)(dot - name) : 0);
    const struct param_table *of = dot ? table_of(schema, section) : table;
    g_free(section);
    return of && param_index(of, dot ? dot + 1 : name) >= 0;
}

// "0.2.0" as a number that can be compared.
static int version_number(const char *text)
{
    char *rest;
    int64_t major = g_ascii_strtoll(text, &rest, 10);
    CU_ASSERT_FATAL(rest > text && *rest == '.');
    return 1000 * (int)major + (int)g_ascii_strtoll(rest + 1, NULL, 10);
}

// The version in the project's CMakeLists.txt.
static int this_version(void)
{
    char *file = g_build_filename(g_getenv("NETSIM_SOURCE_DIR"), "CMakeLists.txt", NULL);
    char *text = NULL;
    CU_ASSERT_FATAL(g_file_get_contents(file, &text, NULL, NULL));
    const char *project = strstr(text, "project(netsim VERSION ");
    CU_ASSERT_FATAL(project != NULL);
    int version = version_number(project + strlen("project(netsim VERSION "));
    g_free(text);
    g_free(file);
    return version;
}

static void test_rows(void)
{
    struct scenario_schema *schema = registry_schema(&model_registry);
    int rows = 0;
    for (const struct scenario_section *one = schema->sections; one->path; one++)
        for (const struct reader_renamed *row = one->table->renamed; row && row->old;
             row++, rows++) {
            CU_ASSERT(param_index(one->table, row->old) < 0);
            CU_ASSERT(row->now[0] != NULL);
            for (int i = 0; row->now[i]; i++)
                CU_ASSERT(names_a_key(schema, one->table, row->now[i]));
            // A row whose version has come is to be removed.
            CU_ASSERT(version_number(row->until) > this_version());
        }
    SUITE_SAME_INTEGER(rows, 8);
    registry_schema_free(schema);
}

static void test_places(void)
{
    static const struct {
        const char *text, *set, *complaint;
    } cases[] = {
        {HEAD TWO "stack: lam_tcp\nhost: {bus: {burst_setup: 240 ns}}\n", NULL,
         "test.yaml:8:14: error: host.bus.burst_setup: this key is called read_setup and "
         "write_setup "
         "now (in clocks of the bus instead of a time)"},
        {HEAD TWO "stack: lam_tcp\nhost: {bus: {burst: 64 B}}\n", NULL,
         "test.yaml:8:14: error: host.bus.burst: this key is called read_burst and write_burst "
         "now\n"},
        {HEAD TWO "stack: lam_tcp\ntcp: {checksum_rate: 1 GB/s}\n", NULL,
         "test.yaml:8:7: error: tcp.checksum_rate: this key is called host.memory.read_uncached "
         "now"},
        {HEAD TWO "stack: lam_tcp\nbuses: [{name: pci, burst: 64 B}]\n", NULL,
         "test.yaml:8:21: error: buses[0].burst: this key is called read_burst and write_burst "
         "now"},
        {HEAD "hosts: [{name: n, count: 2, host: {bus: {burst: 64 B}}}]\n"
              "links: [{from: n0, to: n1}]\nnic: eepro100\nstack: lam_tcp\n",
         NULL,
         "test.yaml:4:42: error: hosts[0].host.bus.burst: this key is called read_burst and "
         "write_burst now"},
        {HEAD TWO "series: [{stack: lam_tcp, set: {lam.reduce_rate: 1}}]\n", NULL,
         "test.yaml:7:33: error: lam.reduce_rate: this key is called reduce_kib now"},
        {HEAD TWO "stack: lam_tcp\n", "tcp.checksum_copy_rate=1 GB/s",
         "--set tcp.checksum_copy_rate=1 GB/s: error: tcp.checksum_copy_rate: this key is called "
         "checksum_copy now (a cost for each KiB, in cycles or as a time, instead of a rate)"},
        {HEAD TWO "stack: lam_tcp\nsweep: {axes: {armci.accumulate_rate: [1]}}\n", NULL,
         "test.yaml:8:16: error: armci.accumulate_rate: this key is called accumulate_kib now"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *const sets[] = {cases[i].set, NULL};
        struct diag_list *diags = diag_list_new();
        struct compiled compiled = compiled_try(cases[i].text, sets, diags);
        char *said = fake_complaints(diags);
        SUITE_CONTAINS(said, cases[i].complaint);
        SUITE_SAME_INTEGER(diags->found, 1);
        g_free(said);
        compiled_free(&compiled);
        diag_list_free(diags);
    }
}

static void test_axis(void)
{
    struct scenario_schema *schema = registry_schema(&model_registry);
    struct diag_list *diags = diag_list_new();
    struct sweep *sweep = sweep_new();
    sweep_add(sweep, "host.bus.burst=64 B,128 B", schema, diags);
    char *said = fake_complaints(diags);
    SUITE_CONTAINS(said, "--set host.bus.burst=64 B,128 B:1:1: error: host.bus.burst: this key is "
                         "called read_burst and write_burst now");
    g_free(said);
    sweep_free(sweep);
    diag_list_free(diags);
    registry_schema_free(schema);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"rows name keys that exist, for one version", test_rows},
        {"every place of a key", test_places},
        {"an axis of a sweep", test_axis},
        {0}};
    return suite_run("config: keys that had other names", cases);
}
