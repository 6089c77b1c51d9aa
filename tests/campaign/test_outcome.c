// SPDX-License-Identifier: GPL-3.0-or-later
// Sweeps read from databases whose results are made up: the table of values, the report as JSON and
// for people, to the letter.
#include "sim/outcome/outcome.h"
#include "sim/outcome/outcome_report.h"
#include "tests/support/made_sweep.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <stdlib.h>
#include <string.h>

static void same_csv(const struct made_sweep *sweep, const char *expected)
{
    struct outcome *outcome = made_outcome(sweep);
    GString *csv = outcome_csv(outcome);
    SUITE_SAME_TEXT(csv->str, expected);
    g_string_free(csv, TRUE);
    outcome_free(outcome);
}

static void same_text(const struct made_sweep *sweep, const char *expected)
{
    struct outcome *outcome = made_outcome(sweep);
    char *text = outcome_report_text(outcome);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
    outcome_free(outcome);
}

static void same_json(const struct made_sweep *sweep, const char *expected)
{
    struct outcome *outcome = made_outcome(sweep);
    json_t *report = outcome_report_json(outcome);
    char *text = json_dumps(report, JSON_REAL_PRECISION(6)), *told = g_strdup(text);
    SUITE_SAME_TEXT(g_strdelimit(told, "\"", '\''), expected);
    g_free(told);
    free(text);
    json_decref(report);
    outcome_free(outcome);
}

// Two axes of 3 and 2 values and two series, which end in every possible state; at 0 B the
// bandwidth is 0.
static char *every_end(int point, int series)
{
    static const char *const first[] = {
        "completed; t_us:0=1 t_us:8=10 b_MB_per_s:0=0 b_MB_per_s:8=2",
        "completed; t_us:0=2 t_us:8=10 b_MB_per_s:0=0 b_MB_per_s:8=4",
        "failed|overrun|it, \"broke\"; t_us:0=3",
        "failed|overrun|it broke again",
        "unbalanced|message 7; t_us:0=0.5 t_us:8=1 b_MB_per_s:8=9",
        "impossible|they do not, go",
    };
    static const char *const second[] = {"completed; p_us@0=1 p_us@1:4=2", "deadlock|deadlock",
                                         "crashed|crashed|signal 9",       "missing",
                                         "completed; p_us@0=3 p_us@1:4=2", NULL};
    return g_strdup((series == 0 ? first : second)[point]);
}

static const struct made_sweep ends = {.axes = {"lam.a=1|2|3", "lam.b=x|y", NULL},
                                       .series = {"VIA, RPI", "B", NULL},
                                       .result = every_end};

static void test_every_end(void)
{
    same_csv(&ends, "point,lam.a,lam.b,seed,series,status,reason,rank,size,metric,unit,value\n"
                    "0,1,x,1,\"VIA, RPI\",completed,,all,0,t_us,us,1\n"
                    "0,1,x,1,\"VIA, RPI\",completed,,all,8,t_us,us,10\n"
                    "0,1,x,1,\"VIA, RPI\",completed,,all,0,b_MB_per_s,MB/s,0\n"
                    "0,1,x,1,\"VIA, RPI\",completed,,all,8,b_MB_per_s,MB/s,2\n"
                    "0,1,x,1,B,completed,,0,,p_us,us,1\n"
                    "0,1,x,1,B,completed,,1,4,p_us,us,2\n"
                    "1,1,y,1,\"VIA, RPI\",completed,,all,0,t_us,us,2\n"
                    "1,1,y,1,\"VIA, RPI\",completed,,all,8,t_us,us,10\n"
                    "1,1,y,1,\"VIA, RPI\",completed,,all,0,b_MB_per_s,MB/s,0\n"
                    "1,1,y,1,\"VIA, RPI\",completed,,all,8,b_MB_per_s,MB/s,4\n"
                    "1,1,y,1,B,deadlock,deadlock,,,,,\n"
                    "2,2,x,1,\"VIA, RPI\",failed,overrun,all,0,t_us,us,3\n"
                    "2,2,x,1,B,crashed,crashed,,,,,\n"
                    "3,2,y,1,\"VIA, RPI\",failed,overrun,,,,,\n"
                    "3,2,y,1,B,missing,,,,,,\n"
                    "4,3,x,1,\"VIA, RPI\",lost,,all,0,t_us,us,0.5\n"
                    "4,3,x,1,\"VIA, RPI\",lost,,all,8,t_us,us,1\n"
                    "4,3,x,1,\"VIA, RPI\",lost,,all,8,b_MB_per_s,MB/s,9\n"
                    "4,3,x,1,B,completed,,0,,p_us,us,3\n"
                    "4,3,x,1,B,completed,,1,4,p_us,us,2\n"
                    "5,3,y,,,impossible,\"they do not, go\",,,,,\n");
    same_text(
        &ends,
        "made: 6 points\n"
        "  lam.a  1, 2, 3\n"
        "  lam.b  x, y\n"
        "\n"
        "Ends: 4 completed, 1 lost, 1 deadlock, 2 failed, 1 crashed, 1 missing, 1 impossible\n"
        "  B: deadlock, 1 time, first at a=1  b=y\n"
        "    \n"
        "  VIA, RPI: overrun, 2 times, first at a=2  b=x\n"
        "    it, \"broke\"\n"
        "  B: crashed, 1 time, first at a=2  b=x\n"
        "    signal 9\n"
        "  VIA, RPI: lost, 1 time, first at a=3  b=x\n"
        "    message 7\n"
        "\n"
        "  series    axis   value  completed  others\n"
        "  VIA, RPI  lam.a  1         2 of 2\n"
        "  VIA, RPI  lam.a  2         0 of 2  2 overrun\n"
        "  VIA, RPI  lam.a  3         0 of 1  1 lost\n"
        "  B         lam.a  1         1 of 2  1 deadlock\n"
        "  B         lam.a  2         0 of 2  1 crashed, 1 missing\n"
        "  B         lam.a  3         1 of 1\n"
        "  VIA, RPI  lam.b  x         1 of 3  1 overrun, 1 lost\n"
        "  VIA, RPI  lam.b  y         1 of 2  1 overrun\n"
        "  B         lam.b  x         2 of 3  1 crashed\n"
        "  B         lam.b  y         0 of 2  1 deadlock, 1 missing\n"
        "\n"
        "VIA, RPI: where it fails, lam.a downwards, lam.b to the right\n"
        "         x      y\n"
        "  1     ok     ok\n"
        "  2  fails  fails\n"
        "  3  fails      -\n"
        "\n"
        "B: where it fails, lam.a downwards, lam.b to the right\n"
        "         x      y\n"
        "  1     ok  fails\n"
        "  2  fails      -\n"
        "  3     ok      -\n"
        "\n"
        "VIA, RPI: t_us (less is better)\n"
        "                  best  at         worst  at\n"
        "  all together  3.1623  a=1  b=x  4.4721  a=1  b=y\n"
        "  0 B                1  a=1  b=x       3  a=2  b=x\n"
        "  and 1 more row, in which every point has the same\n"
        "\n"
        "VIA, RPI: b_MB_per_s (more is better)\n"
        "                best  at        worst  at\n"
        "  all together     4  a=1  b=y      2  a=1  b=x\n"
        "  8 B              4  a=1  b=y      2  a=1  b=x\n"
        "  and 1 more row, in which every point has the same\n"
        "\n"
        "B: p_us (less is better)\n"
        "                  best  at         worst  at\n"
        "  all together  1.4142  a=1  b=x  2.4495  a=3  b=x\n"
        "  rank 0             1  a=1  b=x       3  a=3  b=x\n"
        "  and 1 more row, in which every point has the same\n"
        "\n"
        "Effect of each axis: mean change from its first value with results, the others held\n"
        "                 VIA, RPI    VIA, RPI          B\n"
        "  axis   value       t_us  b_MB_per_s       p_us\n"
        "  lam.a  1            0 %         0 %        0 %\n"
        "  lam.a  2      +200.00 %           -          -\n"
        "  lam.a  3              -           -  +100.00 %\n"
        "  lam.b  x            0 %         0 %        0 %\n"
        "  lam.b  y       +50.00 %   +100.00 %          -\n"
        "\n"
        "warning: 1 of 6 points are not possible; the first because they do not, go\n"
        "warning: 1 runs lost data: their values count for nothing here, neither as best or worst "
        "nor in an effect\n"
        "warning: 1 runs have not been made; the sweep goes on where it stopped when it is started "
        "again\n");
    same_json(
        &ends,
        "{'scenario': 'made', 'source': 'by hand', 'points': 6, 'axes': [{'name': 'lam.a', "
        "'values': ['1', '2', '3'], 'changed_nothing': false, 'equal_values': []}, {'name': "
        "'lam.b', "
        "'values': ['x', 'y'], 'changed_nothing': false, 'equal_values': []}], 'ends': "
        "{'completed': 4, 'lost': 1, 'deadlock': 1, "
        "'failed': 2, 'crashed': 1, 'missing': 1, 'impossible': 1}, 'failures': [{'series': 'B', "
        "'kind': 'deadlock', 'status': 'deadlock', 'text': '', 'first_point': {'point': 1, "
        "'values': {'lam.a': '1', 'lam.b': 'y'}}, 'count': 1}, {'series': 'VIA, RPI', 'kind': "
        "'overrun', 'status': 'failed', 'text': 'it, \\'broke\\'', 'first_point': {'point': 2, "
        "'values': {'lam.a': '2', 'lam.b': 'x'}}, 'count': 2}, {'series': 'B', 'kind': 'crashed', "
        "'status': 'crashed', 'text': 'signal 9', 'first_point': {'point': 2, 'values': {'lam.a': "
        "'2', 'lam.b': 'x'}}, 'count': 1}, {'series': 'VIA, RPI', 'kind': 'lost', 'status': "
        "'lost', 'text': 'message 7', 'first_point': {'point': 4, 'values': {'lam.a': '3', "
        "'lam.b': 'x'}}, 'count': 1}], 'ends_by_value': [{'axis': 'lam.a', 'value': '1', 'series': "
        "'VIA, RPI', 'completed': 2, 'other': 0, 'kinds': {}}, {'axis': 'lam.a', 'value': '2', "
        "'series': 'VIA, RPI', 'completed': 0, 'other': 2, 'kinds': {'overrun': 2}}, {'axis': "
        "'lam.a', 'value': '3', 'series': 'VIA, RPI', 'completed': 0, 'other': 1, 'kinds': "
        "{'lost': 1}}, {'axis': 'lam.a', 'value': '1', 'series': 'B', 'completed': 1, 'other': 1, "
        "'kinds': {'deadlock': 1}}, {'axis': 'lam.a', 'value': '2', 'series': 'B', 'completed': 0, "
        "'other': 2, 'kinds': {'crashed': 1, 'missing': 1}}, {'axis': 'lam.a', 'value': '3', "
        "'series': 'B', 'completed': 1, 'other': 0, 'kinds': {}}, {'axis': 'lam.b', 'value': 'x', "
        "'series': 'VIA, RPI', 'completed': 1, 'other': 2, 'kinds': {'overrun': 1, 'lost': 1}}, "
        "{'axis': 'lam.b', 'value': 'y', 'series': 'VIA, RPI', 'completed': 1, 'other': 1, "
        "'kinds': {'overrun': 1}}, {'axis': 'lam.b', 'value': 'x', 'series': 'B', 'completed': 2, "
        "'other': 1, 'kinds': {'crashed': 1}}, {'axis': 'lam.b', 'value': 'y', 'series': 'B', "
        "'completed': 0, 'other': 2, 'kinds': {'deadlock': 1, 'missing': 1}}], 'ends_by_pair': "
        "[{'series': 'VIA, RPI', 'axes': ['lam.a', 'lam.b'], 'completed': [[1, 1], [0, 0], [0, "
        "0]], 'failed': [[0, 0], [1, 1], [1, 0]]}, {'series': 'B', 'axes': ['lam.a', 'lam.b'], "
        "'completed': [[1, 0], [0, 0], [1, 0]], 'failed': [[0, 1], [1, 0], [0, 0]]}], 'metrics': "
        "[{'series': 'VIA, RPI', 'metric': 't_us', 'unit': 'us', 'lower_is_better': true, 'rows': "
        "[{'size_bytes': null, 'rank': null, 'best': 3.16228, 'best_point': {'point': 0, 'values': "
        "{'lam.a': '1', 'lam.b': 'x'}}, 'ties': 0, 'worst': 4.47214, 'worst_point': {'point': 1, "
        "'values': {'lam.a': '1', 'lam.b': 'y'}}}, {'size_bytes': 0, 'rank': null, 'best': 1.0, "
        "'best_point': {'point': 0, 'values': {'lam.a': '1', 'lam.b': 'x'}}, 'ties': 0, 'worst': "
        "3.0, 'worst_point': {'point': 2, 'values': {'lam.a': '2', 'lam.b': 'x'}}}, {'size_bytes': "
        "8, 'rank': null, 'best': 10.0, 'best_point': {'point': 0, 'values': {'lam.a': '1', "
        "'lam.b': 'x'}}, 'ties': 1, 'worst': 10.0, 'worst_point': {'point': 0, 'values': {'lam.a': "
        "'1', 'lam.b': 'x'}}}], 'effects': [{'axis': 'lam.a', 'value': '1', 'change': 0.0, "
        "'is_reference': true}, {'axis': 'lam.a', 'value': '2', 'change': 2.0, 'is_reference': "
        "false}, {'axis': 'lam.a', 'value': '3', 'change': null, 'is_reference': false}, {'axis': "
        "'lam.b', 'value': 'x', 'change': 0.0, 'is_reference': true}, {'axis': 'lam.b', 'value': "
        "'y', 'change': 0.5, 'is_reference': false}]}, {'series': 'VIA, RPI', 'metric': "
        "'b_MB_per_s', 'unit': 'MB/s', 'lower_is_better': false, 'rows': [{'size_bytes': null, "
        "'rank': null, 'best': 4.0, 'best_point': {'point': 1, 'values': {'lam.a': '1', 'lam.b': "
        "'y'}}, 'ties': 0, 'worst': 2.0, 'worst_point': {'point': 0, 'values': {'lam.a': '1', "
        "'lam.b': 'x'}}}, {'size_bytes': 0, 'rank': null, 'best': 0.0, 'best_point': {'point': 0, "
        "'values': {'lam.a': '1', 'lam.b': 'x'}}, 'ties': 1, 'worst': 0.0, 'worst_point': "
        "{'point': 0, 'values': {'lam.a': '1', 'lam.b': 'x'}}}, {'size_bytes': 8, 'rank': null, "
        "'best': 4.0, 'best_point': {'point': 1, 'values': {'lam.a': '1', 'lam.b': 'y'}}, 'ties': "
        "0, 'worst': 2.0, 'worst_point': {'point': 0, 'values': {'lam.a': '1', 'lam.b': 'x'}}}], "
        "'effects': [{'axis': 'lam.a', 'value': '1', 'change': 0.0, 'is_reference': true}, "
        "{'axis': 'lam.a', 'value': '2', 'change': null, 'is_reference': false}, {'axis': 'lam.a', "
        "'value': '3', 'change': null, 'is_reference': false}, {'axis': 'lam.b', 'value': 'x', "
        "'change': 0.0, 'is_reference': true}, {'axis': 'lam.b', 'value': 'y', 'change': 1.0, "
        "'is_reference': false}]}, {'series': 'B', 'metric': 'p_us', 'unit': 'us', "
        "'lower_is_better': true, 'rows': [{'size_bytes': null, 'rank': null, 'best': 1.41421, "
        "'best_point': {'point': 0, 'values': {'lam.a': '1', 'lam.b': 'x'}}, 'ties': 0, 'worst': "
        "2.44949, 'worst_point': {'point': 4, 'values': {'lam.a': '3', 'lam.b': 'x'}}}, "
        "{'size_bytes': -1, 'rank': 0, 'best': 1.0, 'best_point': {'point': 0, 'values': {'lam.a': "
        "'1', 'lam.b': 'x'}}, 'ties': 0, 'worst': 3.0, 'worst_point': {'point': 4, 'values': "
        "{'lam.a': '3', 'lam.b': 'x'}}}, {'size_bytes': 4, 'rank': 1, 'best': 2.0, 'best_point': "
        "{'point': 0, 'values': {'lam.a': '1', 'lam.b': 'x'}}, 'ties': 1, 'worst': 2.0, "
        "'worst_point': {'point': 0, 'values': {'lam.a': '1', 'lam.b': 'x'}}}], 'effects': "
        "[{'axis': 'lam.a', 'value': '1', 'change': 0.0, 'is_reference': true}, {'axis': 'lam.a', "
        "'value': '2', 'change': null, 'is_reference': false}, {'axis': 'lam.a', 'value': '3', "
        "'change': 1.0, 'is_reference': false}, {'axis': 'lam.b', 'value': 'x', 'change': 0.0, "
        "'is_reference': true}, {'axis': 'lam.b', 'value': 'y', 'change': null, 'is_reference': "
        "false}]}], 'warnings': ['1 of 6 points are not possible; the first because they do not, "
        "go', '1 runs lost data: their values count for nothing here, neither as best or worst nor "
        "in an effect', '1 runs have not been made; the sweep goes on where it stopped when it is "
        "started again']}");
}

static char *of_seeds(int point, int series)
{
    (void)series;
    return g_strdup_printf("completed; t_us:1=%d t_us:2=5", 10 + point);
}

// Zipped axes are one; seeds are replications, compared seed by seed; sizes count messages; an axis
// of one value, and one that changes nothing.
static void test_zip(void)
{
    static const struct made_sweep zip = {.axes = {"link.rate=1 Mb/s|2 Mb/s", "s.rate=3|4", NULL},
                                          .zip = true,
                                          .seeds = 2,
                                          .series = {"A", NULL},
                                          .counts = "messages",
                                          .result = of_seeds};
    static const struct made_sweep one = {
        .axes = {"m.one=1", "n.one=1|2", NULL}, .series = {"A", NULL}, .result = of_seeds};
    same_csv(&zip, "point,link.rate,s.rate,seed,series,status,reason,rank,size,metric,unit,value\n"
                   "0,1 Mb/s,3,1,A,completed,,all,1,t_us,us,10\n"
                   "0,1 Mb/s,3,1,A,completed,,all,2,t_us,us,5\n"
                   "1,1 Mb/s,3,2,A,completed,,all,1,t_us,us,11\n"
                   "1,1 Mb/s,3,2,A,completed,,all,2,t_us,us,5\n"
                   "2,2 Mb/s,4,1,A,completed,,all,1,t_us,us,12\n"
                   "2,2 Mb/s,4,1,A,completed,,all,2,t_us,us,5\n"
                   "3,2 Mb/s,4,2,A,completed,,all,1,t_us,us,13\n"
                   "3,2 Mb/s,4,2,A,completed,,all,2,t_us,us,5\n");
    same_text(
        &zip,
        "made: 2 points\n"
        "  link.rate, s.rate  1 Mb/s, 3, 2 Mb/s, 4\n"
        "Each point with the seeds 1, 2: values are means ± their 95 % confidence interval\n"
        "\n"
        "Ends: 4 completed\n"
        "\n"
        "A: t_us (less is better)\n"
        "                                           n        mean       sd  min  max\n"
        "  1 messages  link.rate, s.rate=1 Mb/s, 3  2  10.5 ± 6.4  0.70711   10   11\n"
        "  1 messages  link.rate, s.rate=2 Mb/s, 4  2  12.5 ± 6.4  0.70711   12   13\n"
        "  2 messages  link.rate, s.rate=1 Mb/s, 3  2       5 ± 0        0    5    5\n"
        "  2 messages  link.rate, s.rate=2 Mb/s, 4  2       5 ± 0        0    5    5\n"
        "\n"
        "                        best  at                                  worst  at\n"
        "  all together  7.2436 ± 2.2  link.rate, s.rate=1 Mb/s, 3  7.9041 ± 2.0  link.rate, "
        "s.rate=2 Mb/s, 4\n"
        "  1 messages      10.5 ± 6.4  link.rate, s.rate=1 Mb/s, 3    12.5 ± 6.4  link.rate, "
        "s.rate=2 Mb/s, 4\n"
        "  and 1 more row, in which every point has the same\n"
        "\n"
        "Effect of each axis: mean change from its first value with results, the others held\n"
        "                                            A\n"
        "  axis               value               t_us\n"
        "  link.rate, s.rate  1 Mb/s, 3            0 %\n"
        "  link.rate, s.rate  2 Mb/s, 4  +9.52 ± 5.8 %\n"
        "\n"
        "(in brackets, or \"not told apart\": a difference that cannot be told from chance at n=2 "
        "seeds)\n");
    same_text(
        &one,
        "made: 2 points\n"
        "  m.one  1\n"
        "  n.one  1, 2\n"
        "\n"
        "Ends: 2 completed\n"
        "\n"
        "A: t_us (less is better)\n"
        "                  best  at        worst  at\n"
        "  all together  7.0711  n.one=1  7.4162  n.one=2\n"
        "  1 B               10  n.one=1      11  n.one=2\n"
        "  and 1 more row, in which every point has the same\n"
        "\n"
        "Effect of each axis: mean change from its first value with results, the others held\n"
        "                      A\n"
        "  axis   value     t_us\n"
        "  n.one  1          0 %\n"
        "  n.one  2      +5.00 %\n");
}

static char *nothing(int point, int series)
{
    (void)point;
    return g_strdup(series == 0 ? "completed; t_us:1=3 t_us:2=4" : "unbalanced|it; t_us:1=3");
}

// No axis changes anything, and one of the series has no result that counts.
static void test_nothing(void)
{
    static const struct made_sweep sweep = {
        .axes = {"m.a=1|2", "n.b=1|2", NULL}, .series = {"A", "B", NULL}, .result = nothing};
    same_text(
        &sweep,
        "made: 4 points\n"
        "  m.a  1, 2\n"
        "  n.b  1, 2\n"
        "\n"
        "Ends: 4 completed, 4 lost\n"
        "  B: lost, 4 times, first at a=1  b=1\n"
        "    it\n"
        "\n"
        "  series  axis  value  completed  others\n"
        "  A       m.a   1         2 of 2\n"
        "  A       m.a   2         2 of 2\n"
        "  B       m.a   1         0 of 2  2 lost\n"
        "  B       m.a   2         0 of 2  2 lost\n"
        "  A       n.b   1         2 of 2\n"
        "  A       n.b   2         2 of 2\n"
        "  B       n.b   1         0 of 2  2 lost\n"
        "  B       n.b   2         0 of 2  2 lost\n"
        "\n"
        "A: t_us (less is better): the same everywhere\n"
        "\n"
        "B: t_us (less is better): no run has a result\n"
        "\n"
        "warning: m.a changed nothing: every result is the same at all of its values\n"
        "warning: n.b changed nothing: every result is the same at all of its values\n"
        "warning: 4 runs lost data: their values count for nothing here, neither as best or worst "
        "nor in an effect\n");
}

// Fails at the last of three values of c, and everywhere at a=2, b=y.
static char *in_part(int point, int series)
{
    (void)series;
    return point % 3 == 2 || point / 3 == 3 ? g_strdup("failed|overrun|why")
                                            : g_strdup("completed; t_us:1=3");
}

// Of the points that two values have in common some fail. Series that all fail or none have no such
// table, and axes of one value are not in it.
static void test_pairs(void)
{
    static const struct made_sweep sweep = {
        .axes = {"m.one=1", "m.a=1|2", "m.b=x|y", "m.c=1|2|3", NULL},
        .series = {"A", NULL},
        .result = in_part};
    struct outcome *outcome = made_outcome(&sweep);
    char *text = outcome_report_text(outcome);
    SUITE_CONTAINS(text, "\nA: where it fails, m.a downwards, m.b to the right\n"
                         "          x       y\n"
                         "  1  2 of 3  2 of 3\n"
                         "  2  2 of 3   fails\n\n");
    g_free(text);
    outcome_free(outcome);
    static const struct made_sweep good = {
        .axes = {"m.a=1|2", "m.b=x|y", NULL}, .series = {"A", NULL}, .result = of_seeds};
    outcome = made_outcome(&good);
    text = outcome_report_text(outcome);
    CU_ASSERT_PTR_NULL(strstr(text, "where it fails"));
    CU_ASSERT_PTR_NULL(strstr(text, "completed  others"));
    g_free(text);
    outcome_free(outcome);
}

static char *some_metrics(int point, int count)
{
    GString *text = g_string_new("completed;");
    for (int i = 0; i < count; i++)
        g_string_append_printf(text, " m%d_us=%d", i, point + 1);
    return g_string_free(text, FALSE);
}

static char *few_metrics(int point, int series)
{
    return some_metrics(point, 24 + series);
}

static char *many_metrics(int point, int series)
{
    return some_metrics(point, 25 + series);
}

// 24 columns of effects are shown, and no more.
static void test_effects_of_many(void)
{
    for (int many = 0; many <= 1; many++) {
        const struct made_sweep sweep = {.axes = {"m.a=1|2", NULL},
                                         .series = {"A", NULL},
                                         .result = many ? many_metrics : few_metrics};
        struct outcome *outcome = made_outcome(&sweep);
        char *text = outcome_report_text(outcome);
        CU_ASSERT_EQUAL(strstr(text, "Effect of each axis") == NULL, many);
        SUITE_CONTAINS(text, many ? "m24_us" : "m23_us");
        g_free(text);
        outcome_free(outcome);
    }
}

// The seed as a parameter that is swept is no column more.
static void test_seed(void)
{
    static const struct made_sweep sweep = {
        .axes = {"seed=5|6", NULL}, .series = {"A", NULL}, .result = of_seeds};
    same_csv(&sweep, "point,seed,series,status,reason,rank,size,metric,unit,value\n"
                     "0,5,A,completed,,all,1,t_us,us,10\n"
                     "0,5,A,completed,,all,2,t_us,us,5\n"
                     "1,6,A,completed,,all,1,t_us,us,11\n"
                     "1,6,A,completed,,all,2,t_us,us,5\n");
}

static char *one_fails(int point, int series)
{
    (void)series;
    return point == 3 ? g_strdup("failed|overrun|why")
                      : g_strdup_printf("completed; t_us:1=%d", point < 5 ? 3 : 7);
}

// Axes at the limits of what a line or a table holds: 16 and 40 values, and one more.
static void test_many_values(void)
{
    static const int counts[] = {16, 17, 40, 41};
    static const char *const lines[] = {
        "  m.a  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n",
        "  m.a  0, 1, 2, ..., 16 (17 values)\n", "  m.a  0, 1, 2, ..., 39 (40 values)\n",
        "  m.a  0, 1, 2, ..., 40 (41 values)\n"};
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        GString *axis = g_string_new("m.a=0");
        for (int value = 1; value < counts[i]; value++)
            g_string_append_printf(axis, "|%d", value);
        struct made_sweep sweep = {
            .axes = {axis->str, NULL}, .series = {"A", NULL}, .result = one_fails};
        struct outcome *outcome = made_outcome(&sweep);
        char *text = outcome_report_text(outcome);
        SUITE_CONTAINS(text, lines[i]);
        CU_ASSERT_EQUAL(strstr(text, "too many values for rows") != NULL, counts[i] == 41);
        CU_ASSERT_EQUAL(strstr(text, "  A       m.a   15") != NULL, counts[i] <= 40);
        SUITE_CONTAINS(text, "\nA: t_us (less is better)\n"
                             "       best  at                 worst  at\n"
                             "  1 B     3  a=0  (and 3 more)      7  a=5\n");
        g_free(text);
        outcome_free(outcome);
        g_string_free(axis, TRUE);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"every end", test_every_end},
        {"axes that go together, and seeds", test_zip},
        {"nothing changes", test_nothing},
        {"pairs of axes", test_pairs},
        {"effects on many metrics", test_effects_of_many},
        {"the seed as a parameter", test_seed},
        {"many values", test_many_values},
        {0},
    };
    return suite_run("campaign: outcome", cases);
}
