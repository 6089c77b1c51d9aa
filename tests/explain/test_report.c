// SPDX-License-Identifier: GPL-3.0-or-later
// What is said of explanations that are made up: as text, JSON and CSV, to the letter.
#include "sim/explain/csv.h"
#include "sim/explain/report.h"

#include "tests/support/suite.h"

#include <stdlib.h>

#define US TIME_US

static GArray *parts(void)
{
    return g_array_new(FALSE, FALSE, sizeof(struct explain_part));
}

static struct explanation *explanation(int64_t size)
{
    struct explanation *found = g_new0(struct explanation, 1);
    found->size = size;
    found->path = parts();
    found->held = parts();
    found->sleeps = parts();
    found->loads = g_array_new(FALSE, FALSE, sizeof(struct resource_load));
    return found;
}

static void load(struct explanation *found, struct resource_load load)
{
    g_array_append_val(found->loads, load);
}

// Two messages of 4 B and one of 1 MiB, a size that failed, and one that measured nothing.
static struct explained_series *series_of(const char *counts)
{
    struct explained_series *series = g_new0(struct explained_series, 1);
    series->name = "A";
    series->stack = "gm";
    series->sizes = g_ptr_array_new_with_free_func((GDestroyNotify)explanation_free);
    struct explanation *small = explanation(4), *large = explanation(1 << 20);
    struct explanation *failed = explanation(8), *nothing = explanation(-1);
    small->counts = large->counts = failed->counts = counts;
    small->done = large->done = true;
    small->rank = 1;
    small->messages = 2;
    small->repetitions = 1;
    small->run_repetitions = 1000;
    small->total = 20 * US + 1000;
    explain_add(small->path, "wire", "wire", 12 * US);
    explain_add(small->path, "waiting for credit", "waiting for credit", 5 * US);
    explain_add(small->path, "MPI", "library", 3 * US + 1000);
    explain_add(small->held, "bus", "waiting for credit", 4 * US);
    explain_add(small->held, "copy", "waiting for credit", 1 * US);
    explain_add(small->held, "bus", "waiting for window", 1 * US);
    explain_add(small->sleeps, "a message", "", 6 * US);
    load(small, (struct resource_load){.group = "node0",
                                       .name = "cpu 1",
                                       .processor = true,
                                       .works = true,
                                       .queues = true,
                                       .busy = 0.5,
                                       .busy_time = 10 * US,
                                       .way = 0.25,
                                       .by_class = {0.001, 0.0009, 0.498},
                                       .mean_queue = 0.125,
                                       .longest_queue = 3,
                                       .largest = "copy"});
    load(small, (struct resource_load){.group = "network",
                                       .name = "wire a->b",
                                       .works = true,
                                       .busy = 0.3,
                                       .busy_time = 6 * US,
                                       .way = 0.3});
    load(small, (struct resource_load){.group = "node0",
                                       .name = "pool",
                                       .queues = true,
                                       .mean_queue = 2.0,
                                       .longest_queue = 2});
    large->messages = 1;
    large->repetitions = large->run_repetitions = 1;
    large->total = 1234567 * US;
    explain_add(large->path, "bus", "bus", 1234567 * US);
    large->bound = g_strdup("bound by the bus");
    for (int i = 0; i < 13; i++)
        load(large, (struct resource_load){.group = "node0",
                                           .name = "bus",
                                           .works = true,
                                           .busy = 0.1,
                                           .busy_time = 12345 * US});
    failed->why = g_strdup("deadlock");
    failed->report = g_strdup("rank 0 waits");
    failed->reason = json_pack("{s:s}", "kind", "deadlock");
    nothing->why = g_strdup("nothing was measured");
    g_ptr_array_add(series->sizes, small);
    g_ptr_array_add(series->sizes, large);
    g_ptr_array_add(series->sizes, failed);
    g_ptr_array_add(series->sizes, nothing);
    return series;
}

static void same_size(const struct explained_series *series, guint index, const char *expected)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    report_print_size(series, g_ptr_array_index(series->sizes, index), file);
    fclose(file);
    SUITE_SAME_TEXT(text, expected);
    free(text);
}

static void test_each_size(void)
{
    struct explained_series *series = series_of(NULL);
    same_size(
        series, 0,
        "A, 4 B: 10.001 us, the mean of 2 messages in 1 repetition, as rank 1 measures it\n"
        "(run takes the mean of 1000 repetitions, which can differ; with --set "
        "workload.repetitions=1 it is this one)\n"
        "\n"
        "  stage                                us    share  cumulated   class\n"
        "  wire                              6.000   60.0 %     60.0 %   wire\n"
        "  waiting for credit                2.500   25.0 %     85.0 %   waiting for credit\n"
        "    of it bus                       2.000\n"
        "    of it copy                      0.500\n"
        "  MPI                               1.500   15.0 %    100.0 %   library\n"
        "  sum                              10.001\n"
        "\n"
        "  rank 1 sleeps meanwhile, for each message, and waits for\n"
        "  a message                         3.000 us\n"
        "\n"
        "  resource                        busy us     busy on the way mean queue  longest\n"
        "  node0 cpu 1                       5.000   50.0 %     25.0 %       0.12        3  "
        "(interrupt 0.1 %, user 49.8 %)\n"
        "  link a->b                         3.000   30.0 %     30.0 %          -        -\n"
        "  node0 pool                            -        -          -       2.00        2\n"
        "\n"
        "  no resource is busy all the time; the largest part of the way is \"wire\", 60.0 %\n");
    same_size(series, 1,
              "A, 1048576 B: 1234567.000 us, of 1 repetition, as rank 0 measures it\n"
              "\n"
              "  stage                                us    share  cumulated   class\n"
              "  bus                         1234567.000  100.0 %    100.0 %   bus\n"
              "  sum                         1234567.000\n"
              "\n"
              "  resource                        busy us     busy on the way mean queue  longest\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  node0 bus                     12345.000   10.0 %      0.0 %          -        -\n"
              "  and 1 that are less busy (--format json has them)\n"
              "\n"
              "  bound by the bus\n");
    same_size(series, 2,
              "A, 8 B: no message came to its end that could be explained\n"
              "\n"
              "rank 0 waits\n");
    same_size(series, 3,
              "A, program: no message came to its end that could be explained\n"
              "\n"
              "nothing was measured\n");
    explained_series_free(series);
}

static void same_sizes(const char *counts, const char *expected)
{
    struct explained_series *series = series_of(counts);
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    report_print_sizes(series, file);
    fclose(file);
    SUITE_SAME_TEXT(text, expected);
    free(text);
    explained_series_free(series);
}

static void test_all_sizes(void)
{
    same_sizes(NULL, "A: us of one message, by class of the stages of its way\n"
                     "\n"
                     "      size  library        bus     wire waiting for credit        total\n"
                     "       4 B     1.50       0.00     6.00               2.50        10.00\n"
                     " 1048576 B     0.00 1234567.00     0.00               0.00   1234567.00\n"
                     "       8 B  deadlock\n"
                     "   program  nothing was measured\n"
                     "1048576 B: bound by the bus\n");
    same_sizes("hosts", "A: us of one message, by class of the stages of its way\n"
                        "\n"
                        "     hosts  library        bus     wire waiting for credit        total\n"
                        "         4     1.50       0.00     6.00               2.50        10.00\n"
                        "   1048576     0.00 1234567.00     0.00               0.00   1234567.00\n"
                        "         8  deadlock\n"
                        "   program  nothing was measured\n"
                        "1048576 hosts: bound by the bus\n");
}

static GPtrArray *all_of(struct explained_series *series)
{
    GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)explained_series_free);
    g_ptr_array_add(all, series);
    return all;
}

static void test_json(void)
{
    GPtrArray *all = all_of(series_of(NULL));
    struct explained_series *series = g_ptr_array_index(all, 0);
    g_array_set_size(((struct explanation *)g_ptr_array_index(series->sizes, 1))->loads, 1);
    json_t *document = report_json("s", all);
    char *text = json_dumps(document, JSON_REAL_PRECISION(12)), *told = g_strdup(text);
    SUITE_SAME_TEXT(
        g_strdelimit(told, "\"", '\''),
        "{'scenario': 's', 'series': [{'name': 'A', 'stack': 'gm', 'sizes': [4, 1048576, 8, -1], "
        "'stages': {'bus': [0.0, 1234567.0, null, null], 'wire': [6.0, 0.0, null, null], 'waiting "
        "for credit': [2.5, 0.0, null, null], 'MPI': [1.5005, 0.0, null, null]}, 'class_of': "
        "{'bus': 'bus', 'wire': 'wire', 'waiting for credit': 'waiting for credit', 'MPI': "
        "'library'}, 'classes': {'library': [1.5005, 0.0, null, null], 'bus': [0.0, 1234567.0, "
        "null, null], 'wire': [6.0, 0.0, null, null], 'waiting for credit': [2.5, 0.0, null, "
        "null]}, 'total': [10.0005, 1234567.0, null, null], 'exact': [{'messages': 2, "
        "'repetitions': 1, 'run_repetitions': 1000, 'total_ps': "
        "20001000, 'stages_ps': {'wire': 12000000, 'waiting for credit': 5000000, 'MPI': 3001000}, "
        "'held_ps': {'waiting for credit': {'bus': 4000000, 'copy': 1000000}, 'waiting for "
        "window': {'bus': 1000000}}}, {'messages': 1, 'repetitions': 1, 'run_repetitions': 1, "
        "'total_ps': 1234567000000, 'stages_ps': "
        "{'bus': 1234567000000}, 'held_ps': {}}, null, null], 'bound': [null, 'bound by the bus', "
        "null, null], 'held': [{'waiting for credit': {'bus': 2.0, 'copy': 0.5}, 'waiting for "
        "window': {'bus': 0.5}}, {}, null, null], 'waits': [{'a message': 3.0}, {}, null, null], "
        "'failures': [{'size': 8, 'text': 'deadlock', 'reason': {'kind': 'deadlock'}}, {'size': "
        "-1, 'text': 'nothing was measured', 'reason': null}]}], 'resources': [{'series': 'A', "
        "'size': 4, 'resource': 'node0 cpu 1', 'utilisation': 0.5, 'busy_us': 5.0, 'on_the_way': "
        "0.25, 'by_class': "
        "{'interrupt': 0.001, 'kernel': 0.0009, 'user': 0.498}, 'mean_queue': 0.125, "
        "'longest_queue': 3}, {'series': 'A', 'size': 4, 'resource': 'link a->b', 'utilisation': "
        "0.3, 'busy_us': 3.0, 'on_the_way': 0.3}, {'series': 'A', 'size': 4, 'resource': 'node0 "
        "pool', "
        "'utilisation': null, 'busy_us': null, 'on_the_way': 0.0, 'mean_queue': 2.0, "
        "'longest_queue': 2}, "
        "{'series': 'A', 'size': 1048576, 'resource': 'node0 bus', 'utilisation': 0.1, 'busy_us': "
        "12345.0, "
        "'on_the_way': 0.0}]}");
    g_free(told);
    free(text);
    json_decref(document);
    g_ptr_array_unref(all);
}

static void test_csv(void)
{
    GPtrArray *all = all_of(series_of(NULL));
    struct explained_series *series = g_ptr_array_index(all, 0);
    g_array_set_size(((struct explanation *)g_ptr_array_index(series->sizes, 1))->loads, 1);
    GString *csv = explain_csv("s,1", all);
    SUITE_SAME_TEXT(csv->str, "scenario,series,size,kind,name,class,unit,value\n"
                              "\"s,1\",A,4,stage,wire,wire,us,6\n"
                              "\"s,1\",A,4,stage,waiting for credit,waiting for credit,us,2.5\n"
                              "\"s,1\",A,4,stage,MPI,library,us,1.5004999999999999\n"
                              "\"s,1\",A,4,held,bus,waiting for credit,us,2\n"
                              "\"s,1\",A,4,held,copy,waiting for credit,us,0.5\n"
                              "\"s,1\",A,4,held,bus,waiting for window,us,0.5\n"
                              "\"s,1\",A,4,total,,,us,10.000500000000001\n"
                              "\"s,1\",A,4,sleep,a message,,us,3\n"
                              "\"s,1\",A,4,busy,node0 cpu 1,,us,5\n"
                              "\"s,1\",A,4,utilisation,node0 cpu 1,,1,0.5\n"
                              "\"s,1\",A,4,on_the_way,node0 cpu 1,,1,0.25\n"
                              "\"s,1\",A,4,mean_queue,node0 cpu 1,,1,0.125\n"
                              "\"s,1\",A,4,longest_queue,node0 cpu 1,,1,3\n"
                              "\"s,1\",A,4,busy,link a->b,,us,3\n"
                              "\"s,1\",A,4,utilisation,link a->b,,1,0.29999999999999999\n"
                              "\"s,1\",A,4,on_the_way,link a->b,,1,0.29999999999999999\n"
                              "\"s,1\",A,4,mean_queue,node0 pool,,1,2\n"
                              "\"s,1\",A,4,longest_queue,node0 pool,,1,2\n"
                              "\"s,1\",A,1048576,stage,bus,bus,us,1234567\n"
                              "\"s,1\",A,1048576,total,,,us,1234567\n"
                              "\"s,1\",A,1048576,busy,node0 bus,,us,12345\n"
                              "\"s,1\",A,1048576,utilisation,node0 bus,,1,0.10000000000000001\n"
                              "\"s,1\",A,1048576,on_the_way,node0 bus,,1,0\n"
                              "\"s,1\",A,8,failure,deadlock,,,\n"
                              "\"s,1\",A,,failure,not_measured,,,\n");
    g_string_free(csv, TRUE);
    g_ptr_array_unref(all);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"each size", test_each_size},
        {"all sizes", test_all_sizes},
        {"JSON", test_json},
        {"CSV", test_csv},
        {0},
    };
    return suite_run("explain: report", cases);
}
