// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nics.h"
#include "models/iwarp/internal.h"
#include "models/iwarp/native.h"
#include "models/sctp_cmt/sctp/socket.h"
#include "models/tcp/socket.h"
#include "sim/model/job.h"

#define N struct native_iwarp_config

static const char *const transports[] = {
    [NATIVE_IWARP_SCTP] = "sctp", [NATIVE_IWARP_TCP] = "tcp", NULL};

static const struct param native_params[] = {
    PARAM(N, transport, PARAM_CHOICE, .fallback = "sctp", .choices = transports,
          .doc = "below DDP: SCTP, or TCP with the sizes of MPA",
          .source = "thesis 004, 2.3: either"),
    PARAM(N, exchange, PARAM_DURATION, .fallback = "1 ms", .most = "10 s",
          .doc = "until the other processes know the ports",
          .source = "assumed: by hand or a daemon"),
    {0},
};

static const struct param_table native_table =
    PARAM_TABLE(N, native_params, .name = "native_iwarp", .doc = "programs on the verbs of iWARP");

const struct scenario_section native_iwarp_sections[] = {
    {"iwarp", &iwarp_table},
    {"native_iwarp", &native_table},
    {NULL, NULL},
};

static void process_init(struct job *job, struct mpi_process *process)
{
    struct native_iwarp_process *native = process->device;
    native->process = process;
    native->config = scenario_section_values(job->test_case, "native_iwarp");
    native->verbs = scenario_section_values(job->test_case, "iwarp");
    native->cluster = job->cluster;
    switch (native->config->transport) {
    case NATIVE_IWARP_SCTP:
        native->sctp = sctp_host_new(job->cluster, process->host,
                                     scenario_section_values(job->test_case, "sctp"));
        break;
    case NATIVE_IWARP_TCP:
        native->tcp = tcp_host_new(job->cluster, process->host,
                                   scenario_section_values(job->test_case, "tcp"));
        break;
    }
    native->links = g_new0(struct native_iwarp_link, process->ranks);
}

static void process_clear(struct job *job, struct mpi_process *process)
{
    struct native_iwarp_process *native = process->device;
    (void)job;
    iwarp_rnic_free(native->rnic);
    if (native->sctp)
        sctp_host_free(native->sctp);
    if (native->tcp)
        tcp_host_free(native->tcp);
    g_free(native->links);
}

static void check_case(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct native_iwarp_config *config = scenario_section_values(test_case, "native_iwarp");
    const struct sctp_config *sctp = scenario_section_values(test_case, "sctp");
    const struct tcp_config *tcp = scenario_section_values(test_case, "tcp");
    switch (config->transport) {
    case NATIVE_IWARP_SCTP:
        ethernet_check_mtu(test_case, "sctp", sctp->inet.mtu, diags);
        iwarp_check_segment(test_case, "sctp.send_buffer", sctp->settings.send_buffer, diags);
        break;
    case NATIVE_IWARP_TCP:
        ethernet_check_mtu(test_case, "tcp", tcp->inet.mtu, diags);
        break;
    }
}

#define PROCESS_BYTES 4000 // of the stack's own structs and tables, about

static struct stack_footprint footprint(const struct scenario_case *test_case)
{
    const struct native_iwarp_config *config = scenario_section_values(test_case, "native_iwarp");
    int64_t connection = config->transport == NATIVE_IWARP_SCTP ? sctp_association_footprint()
                                                                : tcp_socket_footprint();
    return (struct stack_footprint){
        .process = PROCESS_BYTES,
        .pair = (int64_t)(sizeof(struct native_iwarp_link) + sizeof(struct iwarp_qp)) + connection,
    };
}

static const struct section_choice choices[] = {
    {"sctp", "native_iwarp", "transport", "sctp"},
    {"tcp", "native_iwarp", "transport", "tcp"},
    {0},
};

static const char *const operations[] = {
    "send", "isend", "recv", "irecv", "rdma_write", "rdma_read", "register", "deregister", NULL};

const struct stack native_iwarp_stack = {
    .schema =
        {
            .name = "iwarp",
            .doc = "user-level iWARP over SCTP, or over TCP: verbs without a library on top",
            .benchmarks = (const char *const[]){"native.pingpong", "program", NULL},
            .sections = (const char *const[]){"iwarp", "native_iwarp", "sctp", "tcp", NULL},
            .choices = choices,
            .operations = operations,
            .one_process_per_host = true,
            .cards = STACK_CARDS_ALL,
            .check = check_case,
            .footprint = footprint,
        },
    .card = ETHERNET_CARD,
    .frames = &nic_capture_link,
    .device = &native_iwarp_ops,
    .process_init = process_init,
    .process_clear = process_clear,
    .process_size = sizeof(struct native_iwarp_process),
};
