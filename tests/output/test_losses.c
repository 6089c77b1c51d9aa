// SPDX-License-Identifier: GPL-3.0-or-later
// Faults and losses of a run, in a line for each series.
#include "sim/output/losses.h"
#include "tests/support/suite.h"

#include <string.h>

struct trial {
    bool faults;
    struct result_loss losses[6]; // up to one without a name
    const char *line;
};

#define ON(place) "packets dropped: " place
#define AGAIN "tcp segments retransmitted"
#define TIMEOUTS "GM sends timed out"

static const struct trial trials[] = {
    {false, {{0}}, ""},
    {true, {{0}}, "s: the links' faults hit nothing that was measured\n"},
    {false,
     {{ON("queue full at a->b"), LOSS_DROPPED, 1, 0}},
     "s: 1 dropped (1 queue full at a->b)\n"},
    {false, {{AGAIN, LOSS_REPEATED, 7, 0}}, "s: 7 sent again\n"},
    {false, {{TIMEOUTS, LOSS_TIMEOUT, 1, 0}}, "s: 1 time-out\n"},
    {false,
     {{AGAIN, LOSS_REPEATED, 3, 1}, {TIMEOUTS, LOSS_TIMEOUT, 2, 0}},
     "s: 3 sent again, 2 time-outs; before the measurement: 1 sent again\n"},
    // Timers by name, the most frequent ones first; those of two protocols alike are one.
    {false, {{"tcp time-outs: SYN", LOSS_TIMEOUT, 1, 0}}, "s: 1 time-out (1 SYN)\n"},
    {false,
     {{"tcp time-outs: SYN", LOSS_TIMEOUT, 1, 1},
      {"tcp time-outs: data", LOSS_TIMEOUT, 5, 2},
      {"tcp time-outs: window probe", LOSS_TIMEOUT, 1, 0},
      {"sctp time-outs: T3-rtx", LOSS_TIMEOUT, 2, 0},
      {"sctp time-outs: window probe", LOSS_TIMEOUT, 3, 0}},
     "s: 12 time-outs (5 data, 4 window probe, 2 T3-rtx, 1 SYN); before the measurement: 3 "
     "time-outs (2 data, 1 SYN)\n"},
    {false,
     {{"tcp time-outs: data", LOSS_TIMEOUT, 1, 0},
      {"time-outs of link a->b", LOSS_TIMEOUT, 3, 1},
      {"time-outs of link b->a", LOSS_TIMEOUT, 1, 0}},
     "s: 5 time-outs (1 data, 4 others); before the measurement: 1 time-out\n"},
    // Packets that a link repeated show that its faults had an effect.
    {true, {{"packets repeated on link a->b", LOSS_REPEATED, 3, 0}}, "s: 3 sent again\n"},
    {true,
     {{"packets repeated on link a->b", LOSS_REPEATED, 3, 3}},
     "s: 3 sent again; before the measurement: 3 sent again; the links' faults hit nothing that "
     "was measured\n"},
    {true, {{"time-outs of link a->b", LOSS_TIMEOUT, 1, 0}}, "s: 1 time-out\n"},
    // The worst places first; equal ones by name.
    {true,
     {{"nic receive ring full", LOSS_DROPPED, 5, 5},
      {ON("lost on link a->b"), LOSS_DROPPED, 2, 0},
      {ON("lost on link b->a"), LOSS_DROPPED, 9, 1},
      {ON("lost on link c->d"), LOSS_DROPPED, 2, 0},
      {ON("lost on link d->e"), LOSS_DROPPED, 1, 0}},
     "s: 19 dropped (9 lost on link b->a, 5 nic receive ring full, 2 lost on link a->b, and 3 at 2 "
     "more places); before the measurement: 6 dropped\n"},
    {true,
     {{ON("lost on link a->b"), LOSS_DROPPED, 2, 2}, {AGAIN, LOSS_REPEATED, 2, 1}},
     "s: 2 dropped (2 lost on link a->b), 2 sent again; before the measurement: 2 dropped, 1 sent "
     "again; the links' faults hit nothing that was measured\n"},
};

// Faults on which a run stuck have hit it, though nothing was dropped.
static void test_stuck(void)
{
    struct series_result *series = series_result_new("s", "stack");
    GString *text = g_string_new(NULL);
    series->faults = true;
    series->status = SIM_DEADLOCK;
    losses_append(text, series);
    SUITE_SAME_TEXT(text->str, "");
    g_string_free(text, TRUE);
    series_result_free(series);
}

static void test_lines(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(trials); i++) {
        struct series_result *series = series_result_new("s", "stack");
        series->faults = trials[i].faults;
        for (const struct result_loss *loss = trials[i].losses; loss->name; loss++)
            g_array_append_val(series->losses, *loss);
        GString *text = g_string_new(NULL);
        losses_append(text, series);
        SUITE_SAME_TEXT(text->str, trials[i].line);
        g_string_free(text, TRUE);
        series_result_free(series);
    }
}

// A name from a file may steer no terminal.
static void test_name(void)
{
    struct series_result *series = series_result_new("\x1b[2J", "stack");
    series->faults = true;
    GString *text = g_string_new(NULL);
    losses_append(text, series);
    SUITE_CONTAINS(text->str, "\\x1b[2J: the links'");
    g_string_free(text, TRUE);
    series_result_free(series);
}

int main(void)
{
    static const struct suite_case cases[] = {{"lines", test_lines},
                                              {"faults on which a run stuck", test_stuck},
                                              {"a name that steers", test_name},
                                              {0}};
    return suite_run("output: losses", cases);
}
