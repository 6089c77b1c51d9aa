// SPDX-License-Identifier: GPL-3.0-or-later
// Ports of a card: 1 and 2 are the data server's, those after them the processes'.
#include "models/armci/server.h"
#include "sim/model/job.h"

#define REQUEST_PORT 1
#define RESPONSE_PORT 2
#define FIRST_PROCESS_PORT 3

const struct scenario_section armci_sections[] = {{"armci", &armci_table}, {NULL, NULL}};

// A port for each process of a host, after those of the data server.
static void check_ports(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct gm_config *gm = scenario_section_values(test_case, "gm");
    int64_t ports = MAX(0, gm_ports(gm) - FIRST_PROCESS_PORT);
    const char *host;
    int most = job_most_on_host(test_case, &host);
    if (most <= ports)
        return;
    diag_add(diags, test_case->workload.mark, "workload",
             "more hosts, another placement or a higher gm.ports avoid it",
             "%d processes of %s need a port each beside the data server's, and the card has "
             "%" G_GINT64_FORMAT " ports from %d on (gm.ports)",
             most, host, ports, FIRST_PROCESS_PORT);
}

static int ranks_on(struct mpi_process *const *processes, int ranks, const struct host *host)
{
    int count = 0;
    for (int rank = 0; rank < ranks; rank++)
        count += processes[rank]->host == host;
    return count;
}

static bool add_server(struct armci_job *job, const struct mpi_process *process)
{
    struct host *host = process->host;
    if (job->servers[host->index])
        return true;
    struct armci_server *server =
        armci_server_new(job, host, process->rank, ranks_on(job->processes, job->ranks, host));
    job->servers[host->index] = server;
    struct gm_port *requests =
        gm_open(job->fabric, host->index, REQUEST_PORT, server->name, &server->task);
    struct gm_port *responses =
        job->config->server_ports == 1
            ? requests
            : gm_open(job->fabric, host->index, RESPONSE_PORT, server->name, &server->task);
    if (requests && responses)
        armci_server_open(server, requests, responses);
    return requests && responses;
}

// Once the SRAM has no room for a port, the run has failed: no other process starts.
static void process_init(struct job *run, struct mpi_process *process)
{
    struct armci_job *job = run->state;
    if (run->sim->status != SIM_COMPLETED || !add_server(job, process))
        return;
    int port = FIRST_PROCESS_PORT + ranks_on(job->processes, process->rank, process->host);
    struct gm_port *opened =
        gm_open(job->fabric, process->host->index, port, process->name, &process->task);
    if (opened)
        armci_client_init(process->device, job, process, opened,
                          scenario_section_values(run->test_case, "mpich_gm"));
}

static void process_clear(struct job *run, struct mpi_process *process)
{
    struct armci_client *client = process->device;
    (void)run;
    if (client->process)
        armci_client_clear(client);
}

static void init(struct job *run)
{
    struct armci_job *job = run->state;
    *job = (struct armci_job){
        .sim = run->sim,
        .fabric = gm_fabric_new(run->cluster, run->test_case),
        .config = scenario_section_values(run->test_case, "armci"),
        .ranks = run->ranks,
        .hosts = run->cluster->host_count,
        .processes = run->processes,
        .servers = g_new0(struct armci_server *, run->cluster->host_count),
    };
    pool_init(&job->messages, sizeof(struct armci_message));
    pool_init(&job->headers, sizeof(struct mpich_header));
    pool_init(&job->flags, sizeof(struct armci_flag));
}

static void clear(struct job *run)
{
    struct armci_job *job = run->state;
    for (int host = 0; host < job->hosts; host++)
        armci_server_free(job->servers[host]);
    gm_fabric_free(job->fabric);
    pool_clear(&job->messages);
    pool_clear(&job->headers);
    pool_clear(&job->flags);
    g_free(job->servers);
}

// A process has a card, a port of its own, and the two of its host's data server for itself at
// worst.
static struct stack_footprint armci_footprint(const struct scenario_case *test_case)
{
    const struct gm_config *gm = scenario_section_values(test_case, "gm");
    return (struct stack_footprint){
        .process = (int64_t)(sizeof(struct armci_client) + sizeof(struct armci_server)) +
                   gm_card_footprint(gm) + 3 * gm_port_footprint(gm),
        .peer = (int64_t)sizeof(struct armci_ready) + gm_connection_footprint(gm),
        .message_events = 75,
        .packet_events = 60,
    };
}

const struct stack armci_stack = {
    .schema =
        {
            .name = "armci",
            .doc = "ARMCI over GM, together with MPICH",
            .benchmarks = (const char *const[]){"armci.put", "armci.get", "armci.accumulate",
                                                NAS_BENCHMARKS, "native.copy", "program", NULL},
            .sections = (const char *const[]){"gm", "armci", "mpich_gm", "mpich_1_2_2", NULL},
            .operations = (const char *const[]){OPERATIONS_OF_MPI, "put", "get", "accumulate",
                                                "fetch_add", "lock", "unlock", "fence", NULL},
            .check = check_ports,
            .footprint = armci_footprint,
        },
    .card = LANAI_CARD,
    .device = &armci_ops,
    .state_size = sizeof(struct armci_job),
    .process_size = sizeof(struct armci_client),
    .init = init,
    .process_init = process_init,
    .process_clear = process_clear,
    .clear = clear,
    .frames = &gm_capture_link,
    .library_section = "mpich_1_2_2",
};
