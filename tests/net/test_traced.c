// SPDX-License-Identifier: GPL-3.0-or-later
// A channel's entries in a trace: when a packet is on the wire, when it waits for it, and how long
// the wire is taken without a packet.
//
// Links of 80 ns per byte and 50 ns, gaps of 12 B; a switch of 5 us; frames of 1000 B are 80.64 us
// on the wire (8 B of preamble) and 0.96 us apart.
#include "tests/support/probe.h"
#include "tests/support/spans.h"
#include "tests/support/suite.h"
#include "tests/support/topology.h"

#include <inttypes.h>

static char *spans_text(const struct span_log *log, const char *lane)
{
    GString *text = g_string_new(NULL);
    for (guint i = 0; i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        if (strcmp(span->lane, lane) == 0)
            g_string_append_printf(text, "%s %" PRId64 "..%" PRId64 "\n", span->name, span->from,
                                   span->to);
    }
    return g_string_free(text, FALSE);
}

static void expect(const struct span_log *log, const char *lane, const char *spans,
                   const char *notes)
{
    char *told = spans_text(log, lane), *noted = span_notes_text(log, lane);
    SUITE_SAME_TEXT(told, spans);
    SUITE_SAME_TEXT(noted, notes);
    g_free(told);
    g_free(noted);
}

// Three packets from node0 to node1 over a switch: the second waits in the station, the third
// starts later and waits less; at the switch's port only the second waits.
static void test_waits(void)
{
    struct link_config link = topology_link_defaults();
    struct switch_config node = topology_switch_defaults();
    struct topology *topology = topology_row(1, &link, &node);
    struct span_log *log = span_log_new();
    struct probe *probe = probe_new(topology, 1, &log->trace);
    probe_send(probe, 0, 0, 1, 1000);
    probe_send(probe, 0, 0, 1, 500);
    probe_send(probe, 60 * TIME_US, 0, 1, 1000);
    probe_run(probe);
    expect(log, "wire node0->switch0",
           "packet 0..80640000\n"
           "packet 81600000..122240000\n"
           "packet 123200000..203840000\n",
           "packet of node0 0\n"
           "gap 80640000..81600000\n"
           "delay propagation 80640000..80690000\n"
           "delay switch 80690000..85690000\n"
           "join 0\n"
           "leave 81600000\n"
           "packet of node0 0..81600000\n"
           "gap 122240000..123200000\n"
           "delay propagation 122240000..122290000\n"
           "delay switch 122290000..127290000\n"
           "join 60000000\n"
           "leave 123200000\n"
           "packet of node0 60000000..123200000\n"
           "gap 203840000..204800000\n"
           "delay propagation 203840000..203890000\n"
           "delay switch 203890000..208890000\n");
    expect(log, "wire switch0->node1",
           "packet 85690000..166330000\n"
           "packet 167290000..207930000\n"
           "packet 208890000..289530000\n",
           "packet of node0 85690000\n"
           "gap 166330000..167290000\n"
           "delay propagation 166330000..166380000\n"
           "join 127290000\n"
           "leave 167290000\n"
           "packet of node0 127290000..167290000\n"
           "gap 207930000..208890000\n"
           "delay propagation 207930000..207980000\n"
           "packet of node0 208890000\n"
           "gap 289530000..290490000\n"
           "delay propagation 289530000..289580000\n");
    expect(log, "port 1 to node1", "waits 127290000..167290000\n", "");
    expect(log, "wire node1->switch0", "", "");
    probe_free(probe);
    span_log_free(log);
    topology_free(topology);
}

// A lost packet is on the wire as long as any other, and the trace marks it as lost.
static void test_lost(void)
{
    int64_t drops[] = {2};
    struct link_config link = topology_link_defaults();
    struct switch_config node = topology_switch_defaults();
    link.drop_nth = (struct param_counts){drops, 1};
    struct topology *topology = topology_row(0, &link, &node);
    struct span_log *log = span_log_new();
    struct probe *probe = probe_new(topology, 1, &log->trace);
    probe_send(probe, 0, 0, 1, 1000);
    probe_send(probe, 0, 0, 1, 1000);
    probe_run(probe);
    expect(log, "wire node0->node1", "packet 0..80640000\npacket (lost) 81600000..162240000\n",
           "packet of node0 0\n"
           "gap 80640000..81600000\n"
           "delay propagation 80640000..80690000\n"
           "join 0\n"
           "leave 81600000\n"
           "packet of node0 0..81600000\n"
           "gap 162240000..163200000\n"
           "delay propagation 162240000..162290000\n");
    SUITE_SAME_INTEGER(probe->arrivals->len, 1);
    probe_free(probe);
    span_log_free(log);
    topology_free(topology);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"packets and their waits", test_waits},
        {"a lost packet", test_lost},
        {0},
    };
    return suite_run("net: what is traced", cases);
}
