// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/stacks.h"

#include "models/mpi_tcp/lam_tcp.h"
#include "models/mpi_tcp/netpipe.h"
#include "models/mpi_tcp/p4.h"

const struct scenario_section mpi_tcp_sections[] = {
    {"lam_tcp", &lam_tcp_table},
    {"mpich_p4", &p4_table},
    {"netpipe", &netpipe_table},
    {NULL, NULL},
};

// Cards of Ethernet: the TCP/IP stack drives rings and interrupts as they have them.

// ---- What all need: a TCP/IP stack on each rank's host ----

struct job {
    int ranks;
    struct tcp_host **hosts; // by rank
    int *stations;
    struct mesh **meshes;
    void *processes; // the library's, by rank
};

static struct job *job_new(struct cluster *cluster, const struct scenario_case *test_case,
                           struct mpi_process *const *processes, int ranks, size_t process_size)
{
    struct job *job = g_new0(struct job, 1);
    job->ranks = ranks;
    job->hosts = g_new0(struct tcp_host *, ranks);
    job->stations = g_new0(int, ranks);
    job->meshes = g_new0(struct mesh *, ranks);
    job->processes = g_malloc0_n((gsize)ranks, process_size);
    for (int rank = 0; rank < ranks; rank++) {
        job->hosts[rank] =
            tcp_host_new(cluster, processes[rank]->host, scenario_section_values(test_case, "tcp"));
        job->stations[rank] = tcp_host_station(job->hosts[rank]);
    }
    return job;
}

static void job_free(struct job *job)
{
    for (int rank = 0; rank < job->ranks; rank++)
        tcp_host_free(job->hosts[rank]);
    g_free(job->hosts);
    g_free(job->stations);
    g_free(job->meshes);
    g_free(job->processes);
    g_free(job);
}

static void join_mesh(struct job *job, struct mesh *mesh, struct mpi_process *process,
                      const struct mesh_config *config)
{
    job->meshes[process->rank] = mesh;
    mesh_init(mesh, process, job->hosts[process->rank], job->stations, job->meshes, config);
}

#define HOST_BYTES 2000     // of the TCP/IP stack's own structs and tables, about
#define SEGMENTS_BYTES 200 // of what was sent first and not yet acknowledged, about

// A socket from each process to each other one.
static struct stack_footprint mesh_footprint(const struct scenario_case *test_case)
{
    (void)test_case;
    return (struct stack_footprint){.process = HOST_BYTES,
                                    .pair = mesh_link_footprint() + SEGMENTS_BYTES};
}

// ---- LAM over the TCP RPI ----

static struct stack_footprint lam_tcp_footprint(const struct scenario_case *test_case)
{
    struct stack_footprint footprint = mesh_footprint(test_case);
    footprint.pair += (int64_t)sizeof(struct lam_reader);
    return footprint;
}

static void *lam_tcp_build(struct cluster *cluster, const struct scenario_case *test_case,
                           struct mpi_process *const *processes, int ranks)
{
    const struct lam_tcp_config *config = scenario_section_values(test_case, "lam_tcp");
    struct job *job = job_new(cluster, test_case, processes, ranks, sizeof(struct lam_process));
    int64_t buffer =
        config->socket_buffer ? config->socket_buffer : config->short_limit + config->envelope;
    const struct mesh_config mesh = {
        .options = {buffer, buffer, config->no_delay},
        .header = config->envelope,
        .exchange = config->daemon_exchange,
    };
    for (int rank = 0; rank < ranks; rank++) {
        struct lam_process *lam = (struct lam_process *)job->processes + rank;
        lam->process = processes[rank];
        lam->config = config;
        lam->readers = g_new0(struct lam_reader, ranks);
        join_mesh(job, &lam->mesh, processes[rank], &mesh);
        processes[rank]->ops = &lam_tcp_ops;
        processes[rank]->device = lam;
    }
    return job;
}

static void lam_tcp_free(void *state)
{
    struct job *job = state;
    for (int rank = 0; rank < job->ranks; rank++) {
        struct lam_process *lam = (struct lam_process *)job->processes + rank;
        mesh_clear(&lam->mesh);
        g_free(lam->readers);
    }
    job_free(job);
}

const struct stack lam_tcp_stack = {
    .schema =
        {
            .name = "lam_tcp",
            .doc = "LAM/MPI 7.1 over TCP with the TCP RPI",
            .benchmarks = (const char *const[]){MPI_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"tcp", "lam", "lam_tcp", NULL},
            .one_process_per_host = true,
            .footprint = lam_tcp_footprint,
        },
    .card = ETHERNET_CARD,
    .build = lam_tcp_build,
    .free = lam_tcp_free,
    .frames = &nic_capture_link,
    .library_section = "lam",
};

// ---- MPICH over ch_p4 ----

static void *mpich_p4_build(struct cluster *cluster, const struct scenario_case *test_case,
                            struct mpi_process *const *processes, int ranks)
{
    const struct p4_config *config = scenario_section_values(test_case, "mpich_p4");
    struct job *job = job_new(cluster, test_case, processes, ranks, sizeof(struct p4_process));
    const struct mesh_config mesh = {
        .options = {config->socket_buffer, config->socket_buffer, config->no_delay},
        .header = config->header,
        .exchange = config->exchange,
    };
    for (int rank = 0; rank < ranks; rank++) {
        struct p4_process *p4 = (struct p4_process *)job->processes + rank;
        p4->process = processes[rank];
        p4->config = config;
        pool_init(&p4->messages, sizeof(struct p4_message));
        join_mesh(job, &p4->mesh, processes[rank], &mesh);
        processes[rank]->ops = &p4_ops;
        processes[rank]->device = p4;
    }
    return job;
}

static void mpich_p4_free(void *state)
{
    struct job *job = state;
    for (int rank = 0; rank < job->ranks; rank++) {
        struct p4_process *p4 = (struct p4_process *)job->processes + rank;
        mesh_clear(&p4->mesh);
        pool_clear(&p4->messages);
    }
    job_free(job);
}

const struct stack mpich_p4_stack = {
    .schema =
        {
            .name = "mpich_p4",
            .doc = "MPICH 1.2.5 over TCP with ch_p4",
            .benchmarks = (const char *const[]){MPI_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"tcp", "mpich", "mpich_p4", NULL},
            .one_process_per_host = true,
            .footprint = mesh_footprint,
        },
    .card = ETHERNET_CARD,
    .build = mpich_p4_build,
    .free = mpich_p4_free,
    .frames = &nic_capture_link,
    .library_section = "mpich",
};

// ---- Bare TCP ----

static void *tcp_build(struct cluster *cluster, const struct scenario_case *test_case,
                       struct mpi_process *const *processes, int ranks)
{
    const struct netpipe_config *config = scenario_section_values(test_case, "netpipe");
    struct job *job = job_new(cluster, test_case, processes, ranks, sizeof(struct netpipe_process));
    const struct mesh_config mesh = {
        .options = {config->send_buffer, config->receive_buffer, config->no_delay},
        .exchange = TIME_MS,
    };
    for (int rank = 0; rank < ranks; rank++) {
        struct netpipe_process *netpipe = (struct netpipe_process *)job->processes + rank;
        netpipe->config = config;
        join_mesh(job, &netpipe->mesh, processes[rank], &mesh);
        processes[rank]->ops = &netpipe_ops;
        processes[rank]->device = netpipe;
    }
    return job;
}

static void tcp_free(void *state)
{
    struct job *job = state;
    for (int rank = 0; rank < job->ranks; rank++)
        mesh_clear(&((struct netpipe_process *)job->processes)[rank].mesh);
    job_free(job);
}

const struct stack tcp_stack = {
    .schema =
        {
            .name = "tcp",
            .doc = "bare TCP, sockets without a library on top, as NetPIPE measures it",
            .benchmarks = (const char *const[]){"native.pingpong", NULL},
            .sections = (const char *const[]){"tcp", "netpipe", NULL},
            .one_process_per_host = true,
            .footprint = mesh_footprint,
        },
    .card = ETHERNET_CARD,
    .build = tcp_build,
    .free = tcp_free,
    .frames = &nic_capture_link,
};
