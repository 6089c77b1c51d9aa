// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of explanations that are made up: as text, JSON and CSV, to the letter.
#include "sim/explain/csv.h"
#include "sim/explain/report.h"
#include "sim/explain/trial.h"

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
    found->choices = g_ptr_array_new_with_free_func(g_free);
    found->trials = g_ptr_array_new_with_free_func((GDestroyNotify)explain_trial_free);
    return found;
}

static void load(struct explanation *found, struct resource_load load)
{
    g_array_append_val(found->loads, load);
}

// total: of two messages, as `small` has; -1: it was not tried.
static void trial(struct explanation *found, const char *what, const char *set, double percent,
                  sim_time total)
{
    struct explain_trial *one = g_new0(struct explain_trial, 1);
    one->what = what;
    one->sets = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(one->sets, g_strdup(set));
    one->percent = percent;
    one->total = total;
    one->messages = 2;
    one->why = total < 0 ? g_strdup("no such rate") : NULL;
    g_ptr_array_add(found->trials, one);
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
    small->shortened = true;
    small->run_total = 36 * US;
    small->run_messages = 2;
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
                                       .link = "a->b",
                                       .works = true,
                                       .busy = 0.3,
                                       .busy_time = 6 * US,
                                       .way = 0.3});
    load(small, (struct resource_load){.group = "node0",
                                       .name = "pool",
                                       .queues = true,
                                       .mean_queue = 2.0,
                                       .longest_queue = 2});
    small->steps = 3;
    g_ptr_array_add(small->choices, g_strdup("lam.bcast=linear (or binomial)"));
    trial(small, NULL, "lam.bcast=binomial", 0.0, 15 * US + 750);
    trial(small, "the links", "link.rate=2 b/s", 1.0, 20 * US - 198010 + 1000);
    trial(small, "the bus", "host.bus.rate=2 B/s", 22.07, 20 * US + 1000);
    trial(small, "the card", "tulip.dma=2 ns", 1.0, 20 * US + 1001);
    trial(small, "the memory", "host.memory.copy=2 B/s", 1.0, 30 * US);
    trial(small, "the kernel", "host.kernel.trap=2 ns", 1.0, -1);
    small->bound = g_strdup("bound by the links");
    large->messages = 1;
    large->repetitions = large->run_repetitions = 1;
    large->total = 1234567 * US;
    explain_add(large->path, "bus", "bus", 1234567 * US);
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
    same_size(series, 0,

              "A, 4 B: 10.001 us, the mean of 2 messages in 1 repetition, as rank 1 measures it\n"
              "(this size by itself, with 1 of 1000 repetitions: the record of the whole run is "
              "too long; run measures 18.000 us, the mean of all 1000)\n"
              "\n"
              "  stage                              us    share  cumulated  class\n"
              "  wire                            6.000   60.0 %     60.0 %  wire\n"
              "  waiting for credit              2.500   25.0 %     85.0 %  waiting for credit\n"
              "    of it bus                     2.000\n"
              "    of it copy                    0.500\n"
              "  MPI                             1.500   15.0 %    100.0 %  library\n"
              "  sum                            10.001\n"
              "\n"
              "  rank 1 sleeps meanwhile, for each message, and waits for\n"
              "  a message                       3.000 us\n"
              "\n"
              "  resource                    busy us     busy on the way mean queue longest\n"
              "  node0 cpu 1                   5.000   50.0 %     25.0 %       0.12       3\n"
              "    interrupt 0.1 %, user 49.8 %\n"
              "  link a->b                     3.000   30.0 %     30.0 %          -       -\n"
              "  node0 pool                        -        -          -       2.00       2\n"
              "\n"
              "  1.5 messages one after the other on the way, by\n"
              "  lam.bcast=linear (or binomial)\n"
              "\n"
              "  with lam.bcast=binomial: 25.00 % less time\n"
              "  1 % faster, the links: 0.99 % less time (link.rate)\n"
              "  22.1 % faster, the bus: no change (host.bus.rate)\n"
              "  1 % faster, the card: under 0.01 % more time (tulip.dma)\n"
              "  1 % faster, the memory: 49.99 % more time, by chance: the order of things changes "
              "(host.memory.copy)\n"
              "  1 % faster, the kernel: not tried: no such rate (host.kernel.trap)\n"
              "\n"
              "  bound by the links\n");
    same_size(series, 1,

              "A, 1048576 B: 1234567.000 us, of 1 repetition, as rank 0 measures it\n"
              "\n"
              "  stage                              us    share  cumulated  class\n"
              "  bus                        1234567.000  100.0 %    100.0 %  bus\n"
              "  sum                        1234567.000\n"
              "\n"
              "  resource                    busy us     busy on the way mean queue longest\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  node0 bus                 12345.000   10.0 %      0.0 %          -       -\n"
              "  and 1 that are less busy (--format json has them)\n"
              "\n"
              "  the largest part of the way is \"bus\", 100.0 %\n");
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
                     "(4 B: this size by itself, with 1 of 1000 repetitions: the record of the "
                     "whole run is too long; run measures 18.000 us, the mean of all 1000)\n"
                     "\n"
                     "      size   library         bus      wire  waiting for credit        total\n"
                     "       4 B      1.50        0.00      6.00                2.50        10.00\n"
                     " 1048576 B      0.00  1234567.00      0.00                0.00   1234567.00\n"
                     "       8 B  deadlock\n"
                     "   program  nothing was measured\n");
    same_sizes("hosts",
               "A: us of one message, by class of the stages of its way\n"
               "(4 hosts: this size by itself, with 1 of 1000 repetitions: the record of the whole "
               "run is too long; run measures 18.000 us, the mean of all 1000)\n"
               "\n"
               "     hosts   library         bus      wire  waiting for credit        total\n"
               "         4      1.50        0.00      6.00                2.50        10.00\n"
               "   1048576      0.00  1234567.00      0.00                0.00   1234567.00\n"
               "         8  deadlock\n"
               "   program  nothing was measured\n");
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
        "'repetitions': 1, 'run_repetitions': 1000, 'run_us': 18.0, 'by_itself': true, 'total_ps': "
        "20001000, 'stages_ps': {'wire': 12000000, 'waiting for credit': 5000000, 'MPI': 3001000}, "
        "'held_ps': {'waiting for credit': {'bus': 4000000, 'copy': 1000000}, 'waiting for "
        "window': {'bus': 1000000}}}, {'messages': 1, 'repetitions': 1, 'run_repetitions': 1, "
        "'run_us': null, 'by_itself': false, 'total_ps': 1234567000000, 'stages_ps': "
        "{'bus': 1234567000000}, 'held_ps': {}}, null, null], 'trials': [[{'what': null, 'sets': "
        "['lam.bcast=binomial'], 'faster_percent': 0.0, 'less_time_percent': 25.0, 'not_tried': "
        "null}, {'what': 'the links', 'sets': ['link.rate=2 b/s'], 'faster_percent': 1.0, "
        "'less_time_percent': 0.990000499975, 'not_tried': null}, {'what': 'the bus', 'sets': "
        "['host.bus.rate=2 B/s'], 'faster_percent': 22.07, 'less_time_percent': 0.0, 'not_tried': "
        "null}, {'what': 'the card', 'sets': ['tulip.dma=2 ns'], 'faster_percent': 1.0, "
        "'less_time_percent': -4.9997500125e-6, 'not_tried': null}, {'what': 'the memory', 'sets': "
        "['host.memory.copy=2 B/s'], 'faster_percent': 1.0, 'less_time_percent': -49.992500375, "
        "'not_tried': null}, {'what': 'the kernel', 'sets': ['host.kernel.trap=2 ns'], "
        "'faster_percent': 1.0, 'less_time_percent': null, 'not_tried': 'no such rate'}], [], "
        "null, "
        "null], 'steps': [1.5, 0.0, null, null], 'choices': [['lam.bcast=linear (or binomial)'], "
        "[], "
        "null, null], 'bound': ['bound by the links', null, null, null], 'held': [{'waiting for "
        "credit': {'bus': 2.0, 'copy': 0.5}, 'waiting for "
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
    SUITE_SAME_TEXT(csv->str,
                    "scenario,series,size,kind,name,class,unit,value\n"
                    "\"s,1\",A,4,stage,wire,wire,us,6\n"
                    "\"s,1\",A,4,stage,waiting for credit,waiting for credit,us,2.5\n"
                    "\"s,1\",A,4,stage,MPI,library,us,1.5004999999999999\n"
                    "\"s,1\",A,4,held,bus,waiting for credit,us,2\n"
                    "\"s,1\",A,4,held,copy,waiting for credit,us,0.5\n"
                    "\"s,1\",A,4,held,bus,waiting for window,us,0.5\n"
                    "\"s,1\",A,4,total,,,us,10.000500000000001\n"
                    "\"s,1\",A,4,repetitions,explain,,1,1\n"
                    "\"s,1\",A,4,repetitions,run,,1,1000\n"
                    "\"s,1\",A,4,run total,,,us,18\n"
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
                    "\"s,1\",A,4,steps,,,1,1.5\n"
                    "\"s,1\",A,4,trial,,lam.bcast=binomial,%,25\n"
                    "\"s,1\",A,4,trial,the links,link.rate,%,0.99000049997500128\n"
                    "\"s,1\",A,4,trial,the bus,host.bus.rate,%,0\n"
                    "\"s,1\",A,4,trial,the card,tulip.dma,%,-4.9997500124993745e-06\n"
                    "\"s,1\",A,4,trial,the memory,host.memory.copy,%,-49.992500374981255\n"
                    "\"s,1\",A,1048576,stage,bus,bus,us,1234567\n"
                    "\"s,1\",A,1048576,total,,,us,1234567\n"
                    "\"s,1\",A,1048576,repetitions,explain,,1,1\n"
                    "\"s,1\",A,1048576,repetitions,run,,1,1\n"
                    "\"s,1\",A,1048576,busy,node0 bus,,us,12345\n"
                    "\"s,1\",A,1048576,utilisation,node0 bus,,1,0.10000000000000001\n"
                    "\"s,1\",A,1048576,on_the_way,node0 bus,,1,0\n"
                    "\"s,1\",A,1048576,steps,,,1,0\n"
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
