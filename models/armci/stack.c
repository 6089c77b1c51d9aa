// SPDX-License-Identifier: GPL-3.0-or-later
// Ports of a card: 1 and 2 are the data server's, those behind them the processes'.
#include "models/armci/server.h"

#define REQUEST_PORT 1
#define RESPONSE_PORT 2
#define FIRST_PROCESS_PORT 3

const struct scenario_section armci_sections[] = {{"armci", &armci_table}, {NULL, NULL}};

static void out_of_ports(const struct armci_job *job, const struct host *host, const char *who)
{
    sim_fail(job->cluster->sim, SIM_FAILED, "out_of_ports",
             json_pack("{s:s, s:s}", "host", host->name, "setting", "gm.ports"),
             "%s: no port of the card of %s is left for it (gm.ports)", who, host->name);
}

static int ranks_on(struct mpi_process *const *processes, int ranks, const struct host *host)
{
    int count = 0;
    for (int rank = 0; rank < ranks; rank++)
        count += processes[rank]->host == host;
    return count;
}

static bool add_server(struct armci_job *job, struct mpi_process *const *processes, int rank)
{
    struct host *host = processes[rank]->host;
    if (job->servers[host->index])
        return true;
    struct armci_server *server =
        armci_server_new(job, host, rank, ranks_on(processes, job->ranks, host));
    job->servers[host->index] = server;
    struct gm_port *requests =
        gm_open(job->fabric, host->index, REQUEST_PORT, server->name, &server->task);
    struct gm_port *responses =
        job->config->server_ports == 1
            ? requests
            : gm_open(job->fabric, host->index, RESPONSE_PORT, server->name, &server->task);
    if (!requests || !responses) {
        out_of_ports(job, host, server->name);
        return false;
    }
    armci_server_open(server, requests, responses);
    return true;
}

static bool add_client(struct armci_job *job, struct mpi_process *const *processes, int rank,
                       const struct mpich_gm_config *mpich)
{
    struct mpi_process *process = processes[rank];
    int port = FIRST_PROCESS_PORT + ranks_on(processes, rank, process->host);
    struct gm_port *opened =
        gm_open(job->fabric, process->host->index, port, process->name, &process->task);
    if (!opened) {
        out_of_ports(job, process->host, process->name);
        return false;
    }
    job->mpich[rank] = &job->clients[rank].mpich;
    armci_client_init(&job->clients[rank], job, process, opened, mpich);
    return true;
}

static void *armci_build(struct cluster *cluster, const struct scenario_case *test_case,
                         struct mpi_process *const *processes, int ranks)
{
    struct armci_job *job = g_new0(struct armci_job, 1);
    job->cluster = cluster;
    job->fabric = gm_fabric_new(cluster, test_case);
    job->config = scenario_section_values(test_case, "armci");
    job->ranks = ranks;
    job->hosts = cluster->host_count;
    job->clients = g_new0(struct armci_client, ranks);
    job->servers = g_new0(struct armci_server *, job->hosts);
    job->mpich = g_new0(struct mpich *, ranks);
    pool_init(&job->messages, sizeof(struct armci_message));
    pool_init(&job->headers, sizeof(struct mpich_header));
    pool_init(&job->flags, sizeof(struct armci_flag));
    bool good = true;
    for (int rank = 0; rank < ranks; rank++) {
        processes[rank]->ops = &armci_ops; // also of those that can't come up
        processes[rank]->device = &job->clients[rank];
        good = good && add_server(job, processes, rank) &&
               add_client(job, processes, rank, scenario_section_values(test_case, "mpich_gm"));
    }
    return job;
}

static void armci_free(void *state)
{
    struct armci_job *job = state;
    for (int rank = 0; rank < job->ranks; rank++)
        if (job->clients[rank].process)
            armci_client_clear(&job->clients[rank]);
    for (int host = 0; host < job->hosts; host++)
        armci_server_free(job->servers[host]);
    gm_fabric_free(job->fabric);
    pool_clear(&job->messages);
    pool_clear(&job->headers);
    pool_clear(&job->flags);
    g_free(job->clients);
    g_free(job->servers);
    g_free(job->mpich);
    g_free(job);
}

// A process has a port of its own, and one of its host's data server for itself at worst.
static struct stack_footprint armci_footprint(const struct scenario_case *test_case)
{
    const struct gm_config *gm = scenario_section_values(test_case, "gm");
    return (struct stack_footprint){
        .process = (int64_t)(sizeof(struct armci_client) + sizeof(struct armci_server)) +
                   2 * gm_port_footprint(gm),
        .peer = (int64_t)sizeof(struct armci_ready) + gm_connection_footprint(gm),
    };
}

const struct stack armci_stack = {
    .schema =
        {
            .name = "armci",
            .doc = "ARMCI over GM, with MPICH beside it",
            .benchmarks = (const char *const[]){"armci.put", "armci.get", "armci.accumulate",
                                                "native.copy", "program", NULL},
            .sections = (const char *const[]){"gm", "armci", "mpich_gm", "mpich_1_2_2", NULL},
            .operations = (const char *const[]){OP_LIBRARY_MPI, "put", "get", "accumulate",
                                                "fetch_add", "lock", "unlock", "fence", NULL},
            .footprint = armci_footprint,
        },
    .card = LANAI_CARD,
    .build = armci_build,
    .free = armci_free,
    .frames = &gm_capture_link,
    .library_section = "mpich_1_2_2",
};
