// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/myrinet_gm/gm/gm_stacks.h"

#include "models/myrinet_gm/gm/gm_config.h"
#include "models/myrinet_gm/gm/gm_native.h"
#include "sim/model/job.h"

#include <glib.h>

const struct scenario_section gm_sections[] = {
    {"gm", &gm_table}, {"gm_native", &gm_native_table}, {NULL, NULL}};

struct gm_state {
    struct gm_fabric *fabric;
};

static void init(struct job *job)
{
    struct gm_state *state = job->state;
    state->fabric = gm_fabric_new(job->cluster, job->test_case);
}

static void clear(struct job *job)
{
    struct gm_state *state = job->state;
    gm_fabric_free(state->fabric);
}

static void process_init(struct job *job, struct mpi_process *process)
{
    const struct gm_state *state = job->state;
    gm_native_init(process->device, process, scenario_section_values(job->test_case, "gm_native"),
                   state->fabric, job->cluster->host_count);
}

static void process_clear(struct job *job, struct mpi_process *process)
{
    (void)job;
    gm_native_clear(process->device);
}

// The first receive buffers of all size classes are tokens too.
static void gm_check_stack(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct gm_config *gm = scenario_section_values(test_case, "gm");
    const struct gm_native_config *native = scenario_section_values(test_case, "gm_native");
    int64_t wanted = gm_native_classes(native) * native->receive_buffers;
    if (wanted > gm->receive_tokens)
        scenario_conflict(test_case, diags,
                          (const char *const[]){"gm_native.receive_buffers", "gm.receive_tokens",
                                                "gm_native.buffer", NULL},
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
    return (struct stack_footprint){.process = gm_card_footprint(gm) + gm_port_footprint(gm),
                                    .peer = gm_connection_footprint(gm),
                                    .message_events = 70,
                                    .packet_events = 60};
}

const struct stack gm_stack = {
    .schema =
        {
            .name = "gm",
            .doc = "bare GM, send/receive without a library on top",
            .benchmarks =
                (const char *const[]){"native.pingpong", "native.copy", "native.register",
                                      "native.stream", "gm.allsize.latency", "gm.allsize.one_way",
                                      "gm.allsize.both_ways", "program", NULL},
            .sections = (const char *const[]){"gm", "gm_native", NULL},
            .operations = (const char *const[]){"send", "isend", "recv", "irecv", "sendrecv", NULL},
            .one_process_per_host = true,
            .check = gm_check_stack,
            .footprint = gm_footprint,
        },
    .card = LANAI_CARD,
    .device = &gm_native_ops,
    .state_size = sizeof(struct gm_state),
    .process_size = sizeof(struct gm_native_process),
    .init = init,
    .process_init = process_init,
    .process_clear = process_clear,
    .clear = clear,
    .frames = &gm_capture_link,
};
