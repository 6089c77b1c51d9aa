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
    struct {
        double least, most;
    } of[2]; // by enum flow_player
};

// The extremes of the tables in docs/flows.md, which tests/flow/test_accuracy.py reads.
static const struct flow_accuracy accuracies[] = {
    {"pmb.pingpong",
     "pmb.pingpong of 0 B to 4 MiB",
     "cluster1 and x306",
     2,
     {{-0.28, 107.35}, {-50.06, 107.8}}},
    {"pmb.bcast", "pmb.bcast of 4 B to 256 KiB", "cluster1", 6, {{-1.7, 17}, {-75.6, 2.2}}},
    {"pmb.reduce", "pmb.reduce of 4 B to 256 KiB", "cluster1", 6, {{-4.3, 12}, {-65.6, 16.2}}},
    {"pmb.allreduce", "pmb.allreduce of 4 B to 256 KiB", "cluster1", 6, {{-1.3, 1}, {-1.9, 0.8}}},
    {"pmb.allgather",
     "pmb.allgather of 4 B to 256 KiB",
     "cluster1",
     6,
     {{-1.2, 10.5}, {-52.4, 6.1}}},
    {"pmb.alltoall", "pmb.alltoall of 4 B to 256 KiB", "cluster1", 6, {{-41.1, 0}, {-40.7, 20}}},
    {"pmb.exchange", "pmb.exchange of 4 B to 256 KiB", "cluster1", 6, {{-23.8, 9.3}, {-28.6, 9.6}}},
    {NULL, "the recording cg_8", "cluster1", 8, {{-1.1, 0}, {-1.5, 0.7}}},
};

static const struct flow_accuracy *accuracy_of(const struct workload *workload)
{
    const char *program = workload->benchmark ? workload->benchmark->name : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(accuracies); i++)
        if (g_strcmp0(accuracies[i].program, program) == 0 && (program || workload->recording))
            return &accuracies[i];
    return NULL;
}

static void append_source(GString *text, const struct scenario_case *test_case, const int hosts[2],
                          int sizes, int64_t largest)
{
    const struct topology *topology = &test_case->topology;
    char *size = quantity_format(QUANTITY_SIZE, (struct quantity){.integer = largest});
    g_string_append_printf(text, "costs of a message measured on packets, two ranks on %s",
                           topology_node_name(topology, hosts[0]));
    if (hosts[0] != hosts[1])
        g_string_append_printf(text, " and %s", topology_node_name(topology, hosts[1]));
    g_string_append_printf(text, " with nothing else under way, %d size%s up to %s", sizes,
                           sizes == 1 ? "" : "s", size);
    g_free(size);
}

static void append_accuracy(GString *text, const struct scenario_case *test_case)
{
    const struct workload *workload = &test_case->workload;
    const struct flow_accuracy *accuracy = accuracy_of(workload);
    if (accuracy)
        g_string_append_printf(
            text,
            "; where flows were compared with packets (%s on %s, %d ranks), they were %+.3g "
            "to %+.3g %% off",
            accuracy->what, accuracy->where, accuracy->ranks, accuracy->of[test_case->flow].least,
            accuracy->of[test_case->flow].most);
    else
        g_string_append_printf(text, "; flows were never compared with packets for %s",
                               workload->benchmark   ? workload->benchmark->name
                               : workload->recording ? "recordings"
                                                     : "programs like this");
    if (accuracy && workload->ranks > accuracy->ranks)
        g_string_append_printf(text, ", and never with %d ranks", workload->ranks);
}

static const char *interned_basis(GString *text)
{
    const char *basis = intern_text(text->str);
    g_string_free(text, TRUE);
    return basis;
}

const char *flow_device_basis(const struct scenario_case *test_case, const struct flow_costs *costs)
{
    GString *text = g_string_new(NULL);
    int hosts[2];
    int64_t largest;
    int sizes = flow_costs_sizes(costs, &largest);
    flow_costs_hosts(costs, &hosts[0], &hosts[1]);
    append_source(text, test_case, hosts, sizes, largest);
    append_accuracy(text, test_case);
    return interned_basis(text);
}

const char *flow_basis(const struct scenario_case *test_case, const struct flow_curve *curve)
{
    GString *text = g_string_new(NULL);
    const GArray *points = curve->points;
    append_source(text, test_case, (const int[]){curve->from, curve->to}, (int)points->len,
                  g_array_index(points, struct flow_curve_point, points->len - 1).size);
    append_accuracy(text, test_case);
    return interned_basis(text);
}
