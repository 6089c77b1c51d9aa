// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/myrinet_gm/gm/gm_stacks.h"

#include "models/myrinet_gm/gm/gm_config.h"
#include "models/myrinet_gm/gm/gm_native.h"

#include <glib.h>

const struct scenario_section gm_sections[] = {
    {"gm", &gm_table}, {"gm_native", &gm_native_table}, {NULL, NULL}};

struct gm_state {
    struct gm_fabric *fabric;
    struct gm_native_stack *native;
};

static void *gm_build(struct cluster *cluster, const struct scenario_case *test_case,
                      struct mpi_process *const *processes, int ranks)
{
    struct gm_state *state = g_new0(struct gm_state, 1);
    state->fabric = gm_fabric_new(cluster, test_case);
    state->native = gm_native_new(scenario_section_values(test_case, "gm_native"), state->fabric,
                                  processes, ranks);
    return state;
}

static void gm_free(void *data)
{
    struct gm_state *state = data;
    gm_native_free(state->native);
    gm_fabric_free(state->fabric);
    g_free(state);
}

// The first receive buffers of all size classes are tokens too.
static void gm_check(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct gm_config *gm = scenario_section_values(test_case, "gm");
    const struct gm_native_config *native = scenario_section_values(test_case, "gm_native");
    int64_t wanted = gm_native_classes(native) * native->receive_buffers;
    if (wanted > gm->receive_tokens)
        scenario_complain(test_case, diags, "gm_native", "receive_buffers",
                          "a smaller gm_native.buffer has fewer size classes",
                          "%" G_GINT64_FORMAT " receive buffers of each of %d size classes are "
                          "more than a port's receive tokens (gm.receive_tokens, "
                          "%" G_GINT64_FORMAT ")",
                          native->receive_buffers, gm_native_classes(native), gm->receive_tokens);
    if (gm->ports <= GM_NATIVE_PORT)
        scenario_complain(test_case, diags, "gm", "ports", NULL, "programs on bare GM use port %d",
                          GM_NATIVE_PORT);
}

static struct stack_footprint gm_footprint(const struct scenario_case *test_case)
{
    const struct gm_config *gm = scenario_section_values(test_case, "gm");
    return (struct stack_footprint){.process = gm_port_footprint(gm),
                                    .peer = gm_connection_footprint(gm)};
}

const struct stack gm_stack = {
    .schema =
        {
            .name = "gm",
            .doc = "bare GM, send/receive without a library on top",
            .benchmarks = (const char *const[]){"native.pingpong", "native.copy", "native.register",
                                                "gm.allsize.latency", "gm.allsize.one_way",
                                                "gm.allsize.both_ways", "program", NULL},
            .sections = (const char *const[]){"gm", "gm_native", NULL},
            .operations = (const char *const[]){"send", "isend", "recv", "irecv", "sendrecv", NULL},
            .one_process_per_host = true,
            .check = gm_check,
            .footprint = gm_footprint,
        },
    .card = LANAI_CARD,
    .build = gm_build,
    .free = gm_free,
    .frames = &gm_capture_link,
};
