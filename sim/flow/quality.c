// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/flow/quality.h"

#include "sim/config/quantity.h"
#include "sim/core/intern.h"

#include <string.h>

// Flows against packets in per cent of the time on packets, over all stacks and sizes compared.
struct flow_accuracy {
    const char *program;      // a benchmark; NULL: a replayed recording
    const char *what, *where; // was compared, on which testbeds
    int ranks;
    double least, most;
};

// The extremes of the tables in docs/fidelity.md, which tests/flow/test_accuracy.py reads.
static const struct flow_accuracy accuracies[] = {
    {"pmb.pingpong", "pmb.pingpong of 0 B to 4 MiB", "cluster1 and x306", 2, -50.06, 107.8},
    {"pmb.bcast", "pmb.bcast of 4 B to 256 KiB", "cluster1", 6, -75.6, 2.2},
    {"pmb.reduce", "pmb.reduce of 4 B to 256 KiB", "cluster1", 6, -65.6, 16.2},
    {"pmb.allreduce", "pmb.allreduce of 4 B to 256 KiB", "cluster1", 6, -1.9, 0.8},
    {"pmb.allgather", "pmb.allgather of 4 B to 256 KiB", "cluster1", 6, -52.4, 6.1},
    {"pmb.alltoall", "pmb.alltoall of 4 B to 256 KiB", "cluster1", 6, -40.7, 20},
    {"pmb.exchange", "pmb.exchange of 4 B to 256 KiB", "cluster1", 6, -28.6, 9.6},
    {NULL, "the recording cg_8", "cluster1", 8, -1.5, 0.7},
};

static const struct flow_accuracy *accuracy_of(const struct workload *workload)
{
    const char *program = workload->benchmark ? workload->benchmark->name : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(accuracies); i++)
        if (g_strcmp0(accuracies[i].program, program) == 0 && (program || workload->recording))
            return &accuracies[i];
    return NULL;
}

static void append_curve_source(GString *text, const struct scenario_case *test_case,
                                const struct flow_curve *curve)
{
    const GArray *hosts = test_case->topology.hosts;
    const GArray *points = curve->points;
    int64_t most = g_array_index(points, struct flow_curve_point, points->len - 1).size;
    char *size = quantity_format(QUANTITY_SIZE, (struct quantity){.integer = most});
    const char *from = g_array_index(hosts, struct topology_node, curve->from).name;
    const char *to = g_array_index(hosts, struct topology_node, curve->to).name;
    g_string_append_printf(text, "costs of a message measured on packets, two ranks on %s", from);
    if (curve->from != curve->to)
        g_string_append_printf(text, " and %s", to);
    g_string_append_printf(text, " with nothing else under way, %u sizes up to %s", points->len,
                           size);
    g_free(size);
}

const char *flow_basis(const struct scenario_case *test_case, const struct flow_curve *curve)
{
    const struct workload *workload = &test_case->workload;
    const struct flow_accuracy *accuracy = accuracy_of(workload);
    GString *text = g_string_new(NULL);
    append_curve_source(text, test_case, curve);
    if (accuracy)
        g_string_append_printf(
            text,
            "; where flows were compared with packets (%s on %s, %d ranks), they were %+.3g "
            "to %+.3g %% off",
            accuracy->what, accuracy->where, accuracy->ranks, accuracy->least, accuracy->most);
    else
        g_string_append_printf(text, "; flows were never compared with packets for %s",
                               workload->benchmark   ? workload->benchmark->name
                               : workload->recording ? "recordings"
                                                     : "programs like this");
    if (accuracy && workload->ranks > accuracy->ranks)
        g_string_append_printf(text, ", and never with %d ranks", workload->ranks);
    const char *basis = intern_text(text->str);
    g_string_free(text, TRUE);
    return basis;
}
