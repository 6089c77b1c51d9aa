// SPDX-License-Identifier: GPL-3.0-or-later
// Runs lists of steps with the plugin for SimGrid, in a child process, on a machine of closed form:
// a star of hosts with a latency that is the same for all flows, and where asked a trunk between
// its halves. Include it in one file of a test program.
#ifndef NETSIM_TESTS_FLOW_PLUGIN_RUN_H
#define NETSIM_TESTS_FLOW_PLUGIN_RUN_H

#include "sim/flow/child.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define RATE 1.25e8   // bytes/s of each link
#define LATENCY 10e-6 // s, between hosts
#define LOCAL 2e-6    // s, on one host
#define MOST_STEPS 64
#define MOST_MARKS 16

// ---- Steps, as a test writes them ----

#define SEND(request_, to, bytes_) SEND_IN(0, request_, to, 0, bytes_, true)
#define SSEND(request_, to, bytes_) SEND_IN(0, request_, to, 0, bytes_, false)
#define SEND_TAG(request_, to, tag_, bytes_) SEND_IN(0, request_, to, tag_, bytes_, true)
#define SEND_IN(space_, request_, to, tag_, bytes_, buffered_)                                     \
    {                                                                                              \
        .kind = FLOW_SEND, .request = (request_), .peer = (to), .tag = (tag_), .space = (space_),  \
        .bytes = (bytes_), .buffered = (buffered_)                                                 \
    }
#define RECV(request_, from) RECV_IN(0, request_, from, 0)
#define RECV_TAG(request_, from, tag_) RECV_IN(0, request_, from, tag_)
#define RECV_IN(space_, request_, from, tag_)                                                      \
    {                                                                                              \
        .kind = FLOW_RECV, .request = (request_), .peer = (from), .tag = (tag_), .space = (space_) \
    }
#define AWAIT(kind_, ...)                                                                          \
    {                                                                                              \
        .kind = (kind_), .awaited = (const uint32_t[]){__VA_ARGS__},                               \
        .awaited_count = sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)                      \
    }
#define WAIT(...) AWAIT(FLOW_WAIT, __VA_ARGS__)
#define WAITANY(...) AWAIT(FLOW_WAITANY, __VA_ARGS__)
#define TEST(...) AWAIT(FLOW_TEST, __VA_ARGS__)
#define PROBE(from, tag_)                                                                          \
    {                                                                                              \
        .kind = FLOW_PROBE, .peer = (from), .tag = (tag_)                                          \
    }
#define IPROBE(from, tag_)                                                                         \
    {                                                                                              \
        .kind = FLOW_IPROBE, .peer = (from), .tag = (tag_)                                         \
    }
#define BUSY(seconds_)                                                                             \
    {                                                                                              \
        .kind = FLOW_BUSY, .seconds = (seconds_)                                                   \
    }
#define MARK(number)                                                                               \
    {                                                                                              \
        .kind = FLOW_MARK, .mark = (number)                                                        \
    }
#define END                                                                                        \
    {                                                                                              \
        .kind = FLOW_END                                                                           \
    }

// ---- The run ----

struct plugin_run {
    // Set by the test. Each rank's steps end with FLOW_END; `next` (may be NULL) yields them
    // instead.
    int ranks, spaces;
    const struct flow_step *steps[MOST_STEPS];
    void (*next)(void *run, int rank, struct flow_step *step);
    bool (*stop)(void *run, double seconds);
    int ranks_per_host; // 0: 1
    bool one_by_one;    // links of hosts carry one flow at a time
    bool trunk;         // the halves of the hosts are joined by one link per direction

    // Its results, in the parent.
    struct flow_verdict verdict;
    double *end;                         // by rank; -1: it has not ended
    double mark[MOST_STEPS][MOST_MARKS]; // by rank and mark; -1: not reached
    int took[MOST_STEPS];                // of the first 64 ranks: the last answer
    char *error;                         // of the child

    // Own.
    int *at;
    GString *text;
};

static int run_hosts(const struct plugin_run *run)
{
    int each = MAX(run->ranks_per_host, 1);
    return (run->ranks + each - 1) / each;
}

// Host i sends on link i and receives on link hosts + i; the trunks follow them.
static int run_route(void *owner, int from, int to, int *links, int most)
{
    const struct plugin_run *run = owner;
    int hosts = run_hosts(run), count = 0, half = hosts / 2;
    if (from == to)
        return 0;
    links[count++] = from;
    if (run->trunk && from / half != to / half && count < most)
        links[count++] = 2 * hosts + (from < half ? 0 : 1);
    links[count++] = hosts + to;
    return count;
}

static double run_latency(void *owner, double bytes, int from, int to)
{
    (void)owner;
    (void)bytes;
    return from == to ? LOCAL : LATENCY;
}

static void run_next(void *owner, int rank, struct flow_step *step)
{
    struct plugin_run *run = owner;
    if (run->next)
        run->next(run, rank, step);
    else
        *step = run->steps[rank][run->at[rank]++];
}

static void run_took(void *owner, int rank, int which)
{
    struct plugin_run *run = owner;
    g_string_append_printf(run->text, "took %d %d\n", rank, which);
}

static void run_marked(void *owner, int rank, int64_t mark, double seconds)
{
    struct plugin_run *run = owner;
    g_string_append_printf(run->text, "mark %d %d %.17g\n", rank, (int)mark, seconds);
}

static void run_ended(void *owner, int rank, double seconds)
{
    struct plugin_run *run = owner;
    g_string_append_printf(run->text, "end %d %.17g\n", rank, seconds);
}

// In the child.
static char *run_work(void *owner, flow_plugin_run_fn *plugin)
{
    struct plugin_run *run = owner;
    int hosts = run_hosts(run);
    struct flow_link *links = g_new(struct flow_link, 2 * hosts + 2);
    int *host = g_new(int, run->ranks);
    for (int i = 0; i < 2 * hosts + 2; i++)
        links[i] = (struct flow_link){RATE, run->one_by_one && i < 2 * hosts};
    for (int i = 0; i < run->ranks; i++)
        host[i] = i / MAX(run->ranks_per_host, 1);
    const struct flow_machine machine = {hosts, 2 * hosts + 2, links, run, run_route, run_latency};
    const struct flow_program program = {
        .ranks = run->ranks,
        .spaces = run->spaces,
        .host = host,
        .owner = run,
        .next = run_next,
        .took = run_took,
        .marked = run_marked,
        .ended = run_ended,
        .stop = run->stop,
    };
    run->at = g_new0(int, run->ranks);
    run->text = g_string_new(NULL);
    plugin(FLOW_PLUGIN_VERSION, &machine, &program, &run->verdict);
    const struct flow_verdict *verdict = &run->verdict;
    g_string_append_printf(run->text, "verdict %d %.17g %" G_GUINT64_FORMAT " %s\n",
                           (int)verdict->outcome, verdict->seconds, verdict->flows, verdict->text);
    g_free(links);
    g_free(host);
    g_free(run->at);
    return g_string_free(run->text, FALSE);
}

static int number_of(const char *word)
{
    return (int)g_ascii_strtoll(word, NULL, 10);
}

static void run_read_verdict(struct plugin_run *run, char **words)
{
    run->verdict.outcome = (enum flow_outcome)number_of(words[1]);
    run->verdict.seconds = g_ascii_strtod(words[2], NULL);
    run->verdict.flows = g_ascii_strtoull(words[3], NULL, 10);
    char *text = g_strjoinv(" ", words + 4);
    g_strlcpy(run->verdict.text, text, sizeof run->verdict.text);
    g_free(text);
}

static void run_read(struct plugin_run *run, const char *line)
{
    char **words = g_strsplit(line, " ", -1);
    guint count = g_strv_length(words);
    int rank = count > 1 ? number_of(words[1]) : 0;
    if (count == 3 && strcmp(words[0], "took") == 0 && rank < MOST_STEPS)
        run->took[rank] = number_of(words[2]);
    else if (count == 4 && strcmp(words[0], "mark") == 0 && rank < MOST_STEPS)
        run->mark[rank][number_of(words[2])] = g_ascii_strtod(words[3], NULL);
    else if (count == 3 && strcmp(words[0], "end") == 0)
        run->end[rank] = g_ascii_strtod(words[2], NULL);
    else if (count >= 4 && strcmp(words[0], "verdict") == 0)
        run_read_verdict(run, words);
    g_strfreev(words);
}

static void run_clear(struct plugin_run *run)
{
    g_free(run->end);
    g_free(run->error);
}

// Runs it; the caller clears its results with run_clear.
static void run_plugin(struct plugin_run *run)
{
    run->end = g_new(double, run->ranks);
    for (int i = 0; i < run->ranks; i++)
        run->end[i] = -1;
    for (int i = 0; i < MOST_STEPS; i++) {
        run->took[i] = -2;
        for (int k = 0; k < MOST_MARKS; k++)
            run->mark[i][k] = -1;
    }
    run->verdict.outcome = FLOW_BROKEN;
    char *text = child_run(run_work, run, NULL, &run->error);
    char **lines = g_strsplit(text ? text : "", "\n", -1);
    for (int i = 0; lines[i]; i++)
        run_read(run, lines[i]);
    g_strfreev(lines);
    g_free(text);
}

// Like run_plugin, but the program must end.
static void run_to_end(struct plugin_run *run)
{
    run_plugin(run);
    SUITE_SAME_TEXT(run->error, NULL);
    SUITE_SAME_TEXT(run->verdict.text, "");
    SUITE_SAME_INTEGER(run->verdict.outcome, FLOW_DONE);
}

// Within a billionth.
static void same_seconds(double actual, double expected)
{
    if (fabs(actual - expected) <= 1e-9 * fabs(expected))
        return;
    char *shown = g_strdup_printf("%.12g s", actual),
         *wanted = g_strdup_printf("%.12g s", expected);
    SUITE_SAME_TEXT(shown, wanted);
    g_free(shown);
    g_free(wanted);
}

// Returns the exit code of main of a test program if there is no plugin; else 0.
static int run_skipped(void)
{
    char *path = child_plugin_path();
    if (!path)
        puts("skipped: no SimGrid; ./netsim setup simgrid");
    int skipped = path ? 0 : 77;
    g_free(path);
    return skipped;
}

#endif
