// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nics.h"
#include "models/mpich2/ch3/rma_benchmarks.h"
#include "models/mpich2/hybrid/hybrid.h"
#include "sim/model/job.h"
#include "sim/program/operations.h"

static json_t *describe_process(const struct ch3_process *ch3)
{
    const struct ch3_hybrid_process *hybrid = ch3_hybrid_of(ch3->process);
    json_t *json = ch3_sctp_describe_process(ch3);
    if (hybrid->rnic)
        json_object_set_new(json, "iwarp", iwarp_rnic_describe(hybrid->rnic));
    return json;
}

const struct ch3_channel ch3_hybrid_channel = {
    .name = "ch3:hybrid",
    .send = ch3_sctp_send,
    .disconnect = ch3_sctp_disconnect,
    .describe = ch3_sctp_describe,
    .describe_process = describe_process,
    .rma = &ch3_hybrid_rma,
};

static const struct mpi_device_ops ops = {
    .name = "ch3:hybrid",
    CH3_DEVICE,
    .startup = ch3_hybrid_startup,
    .startup_machine = &ch3_hybrid_startup_machine,
    .finalize = ch3_hybrid_finalize,
    .go_on = ch3_sctp_go_on,
    .advance = ch3_sctp_advance,
};

static void process_init(struct job *job, struct mpi_process *process)
{
    struct ch3_hybrid_process *hybrid = process->device;
    ch3_sctp_process_init(job, process, &ch3_hybrid_channel);
    hybrid->sctp.stage = &ch3_hybrid_stage;
    hybrid->config = scenario_section_values(job->test_case, "ch3_hybrid");
    hybrid->verbs = scenario_section_values(job->test_case, "iwarp");
    hybrid->vcs = g_new0(struct ch3_hybrid_vc, process->ranks);
    for (int rank = 0; rank < process->ranks; rank++) {
        hybrid->vcs[rank].hybrid = hybrid;
        hybrid->vcs[rank].peer = rank;
        hybrid->vcs[rank].landed = g_array_new(FALSE, FALSE, sizeof(struct message_ref));
        hybrid->vcs[rank].held = g_array_new(FALSE, FALSE, sizeof(struct ch3_pkt));
        hybrid->vcs[rank].epochs = g_array_new(FALSE, FALSE, sizeof(struct ch3_hybrid_epoch));
    }
    hybrid->asked = g_ptr_array_new();
    pool_init(&hybrid->ops, sizeof(struct ch3_hybrid_op));
    hybrid->count.early = sim_counter(job->sim, "ch3:hybrid envelopes before their data");
    hybrid->count.envelopes = sim_counter(job->sim, "ch3:hybrid envelopes over iWARP");
    hybrid->count.descriptors = sim_counter(job->sim, "ch3:hybrid descriptors of queue pairs");
}

static void process_clear(struct job *job, struct mpi_process *process)
{
    struct ch3_hybrid_process *hybrid = process->device;
    (void)job;
    if (!hybrid->config)
        return;
    iwarp_rnic_free(hybrid->rnic);
    ch3_sctp_process_clear(&hybrid->sctp);
    for (int rank = 0; rank < process->ranks; rank++) {
        g_array_unref(hybrid->vcs[rank].landed);
        g_array_unref(hybrid->vcs[rank].held);
        g_array_unref(hybrid->vcs[rank].epochs);
    }
    g_free(hybrid->vcs);
    g_ptr_array_unref(hybrid->asked);
    pool_clear(&hybrid->ops);
}

static void check(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct ch3_sctp_config *config = scenario_section_values(test_case, "ch3_sctp");
    const struct sctp_config *sctp = scenario_section_values(test_case, "sctp");
    ch3_sctp_check(test_case, diags);
    if (config->socket_buffer)
        iwarp_check_segment(test_case, "ch3_sctp.socket_buffer", config->socket_buffer, diags);
    else
        iwarp_check_segment(test_case, "sctp.send_buffer", sctp->settings.send_buffer, diags);
}

#define PAIR_BYTES 5300 // of a QP with its unused receives, its socket and its association, about
#define ARRAY_BYTES 48  // of an empty GArray, of which a process has three for each other one

static struct stack_footprint footprint(const struct scenario_case *test_case)
{
    const struct ch3_hybrid_config *config = scenario_section_values(test_case, "ch3_hybrid");
    struct stack_footprint footprint = ch3_sctp_footprint(test_case);
    if (config->connections == CH3_HYBRID_STATIC)
        footprint.pair += PAIR_BYTES;
    else
        footprint.peer += PAIR_BYTES;
    footprint.process +=
        test_case->workload.ranks * ((int64_t)sizeof(struct ch3_hybrid_vc) + 3 * ARRAY_BYTES);
    footprint.connection_events = config->connections == CH3_HYBRID_STATIC ? 750 : 300;
    return footprint;
}

const struct stack ch3_hybrid_stack = {
    .schema =
        {
            .name = "ch3_hybrid",
            .doc = "MPICH2 1.0.5 over SCTP, one-sided operations over iWARP (ch3:hybrid)",
            .benchmarks =
                (const char *const[]){LIBRARY_BENCHMARKS, CH3_RMA_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"sctp", "mpich2", "ch3", "ch3_sctp", "iwarp",
                                              "ch3_hybrid", NULL},
            .operations = (const char *const[]){OPERATIONS_OF_MPI, CH3_RMA_OPERATIONS, NULL},
            .one_process_per_host = true,
            .cards = STACK_CARDS_ALL,
            .check = check,
            .footprint = footprint,
        },
    .card = ETHERNET_CARD,
    .frames = &nic_capture_link,
    .device = &ops,
    .process_init = process_init,
    .process_clear = process_clear,
    .process_size = sizeof(struct ch3_hybrid_process),
    .blocked = ch3_sctp_blocked,
    .eager = &ch3_eager,
    .library_section = "mpich2",
};
