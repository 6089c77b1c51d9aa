// SPDX-License-Identifier: GPL-3.0-or-later
// The stack: LAM/MPI with the VIA RPI on M-VIA.
#include "models/ethernet/nics.h"
#include "models/via/lam_via/rpi.h"
#include "models/via/vip/process.h"
#include "models/via/vip/provider.h"
#include "models/via/vip/stack.h"
#include "sim/net/switch.h"

#include <string.h>

static void rpi_process_init(struct job *job, struct mpi_process *process)
{
    struct rpi_process *rpi = process->device;
    rpi->process = process;
    rpi->config = scenario_section_values(job->test_case, "lam_via");
    rpi->nic = vip_process_open(job, process);
    rpi->node = process->host->index;
    rpi->nodes = job->cluster->host_count;
    rpi->procs = g_new0(struct rpi_process_peer, rpi->nodes);
    event_init(&rpi->exchange, rpi_exchange_event);
    for (int node = 0; node < rpi->nodes; node++)
        rpi->procs[node] = (struct rpi_process_peer){.owner = rpi, .node = node, .rank = -1};
    for (int peer = 0; peer < job->ranks; peer++)
        rpi_peer_of(rpi, peer)->rank = peer;
}

static void rpi_process_clear(struct job *job, struct mpi_process *process)
{
    struct rpi_process *rpi = process->device;
    (void)job;
    for (int node = 0; node < rpi->nodes; node++) {
        struct rpi_process_peer *peer = &rpi->procs[node];
        g_free(peer->cp_send_desc);
        g_free(peer->cp_recv_desc);
        g_free(peer->cp_pending_sends);
        if (peer->extents)
            g_array_free(peer->extents, TRUE);
    }
    if (rpi->buffer_pages)
        rpi_buffers_free(rpi);
    pin_cache_free(rpi->pins);
    vip_process_close(rpi->nic);
    g_free(rpi->procs);
}

// Node numbers have to fit into the immediate data.
static void check_nodes(const struct scenario_case *test_case, struct diag_list *diags)
{
    guint nodes = test_case->topology.hosts->len;
    if (nodes > RPI_LARGEST_NODE + 1)
        diag_add(diags, test_case->mark, "hosts", NULL,
                 "%u hosts, but the immediate data of the VIA RPI have room for the numbers of %d",
                 nodes, RPI_LARGEST_NODE + 1);
}

#define LEAST_FRAME 64 // bytes

// Adds a warning if the requests do not wait at a port of the switch. Returns whether it did.
static bool warn_of_switch(const struct scenario_case *test_case, const struct topology_switch *box,
                           struct diag_list *diags)
{
    const struct switch_config *config = box->values->values;
    int64_t requests = test_case->workload.ranks - 1, frames = config->queue_bytes / LEAST_FRAME;
    bool bytes = config->queue_bytes > 0 && (config->queue == 0 || frames < config->queue);
    int64_t room = bytes ? frames : config->queue; // 0: no bound
    if (requests <= room || (!bytes && config->queue == 0))
        return false;
    const char *key = bytes ? "queue_bytes" : "queue";
    struct source_mark set = box->values->origins[param_index(box->values->table, key)];
    bool is_default = strcmp(set.file, "default") == 0;
    char *path = is_default ? g_strdup("workload.ranks") : g_strdup_printf("switch.%s", key);
    char *hint = g_strdup_printf("switch.%s=%" G_GINT64_FORMAT "%s holds them", key,
                                 bytes ? requests * LEAST_FRAME : requests, bytes ? " B" : "");
    diag_add(diags, is_default ? test_case->workload.mark : set, path, hint,
             "%d ranks of lam_via connect at once: %" G_GINT64_FORMAT
             " requests meet at each port, and the switch's queue holds %" G_GINT64_FORMAT
             "; the others are repeated after mvia.connect_retry, and messages sent before may be "
             "lost",
             test_case->workload.ranks, requests, room);
    g_free(path);
    g_free(hint);
    return true;
}

// Each process asks all others for a connection at once, and the requests to one meet at its port.
// M-VIA repeats those that are lost, but no message of a rank that is connected to one that is not
// yet.
static void lam_via_warn(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct topology *topology = &test_case->topology;
    for (guint i = 0; i < topology->switches->len; i++)
        if (warn_of_switch(test_case, g_ptr_array_index(topology->switches, i), diags))
            return;
}

// An eager message goes as one descriptor.
static void lam_via_check(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct mvia_config *mvia = scenario_section_values(test_case, "mvia");
    const struct rpi_config *rpi = scenario_section_values(test_case, "lam_via");
    check_nodes(test_case, diags);
    ethernet_check_mtu(test_case, "mvia", mvia->mtu, diags);
    if (rpi->tiny + rpi->envelope > mvia->largest_transfer)
        scenario_conflict(
            test_case, diags, (const char *const[]){"lam_via.tiny", "mvia.largest_transfer", NULL},
            NULL,
            "a tiny message of %" G_GINT64_FORMAT " B with its envelope is longer than "
            "what one descriptor transfers (mvia.largest_transfer, %" G_GINT64_FORMAT " B)",
            rpi->tiny, mvia->largest_transfer);
}

// Each process has a VI and an RDMA area for each other one, and descriptors once they are used.
static struct stack_footprint lam_via_footprint(const struct scenario_case *test_case)
{
    const struct rpi_config *rpi = scenario_section_values(test_case, "lam_via");
    return (struct stack_footprint){
        .process = sizeof(struct rpi_process) + sizeof(struct vip_nic) + sizeof(struct vip_agent),
        .pair = (int64_t)sizeof(struct rpi_process_peer) + 2 * (int64_t)sizeof(struct vip_region) +
                vip_vi_footprint(),
        .peer = (rpi->sdescs + rpi->rdescs) * vip_descriptor_footprint(),
    };
}

static struct eager_limit lam_via_eager_limit(const struct scenario_case *test_case)
{
    const struct rpi_config *config = scenario_section_values(test_case, "lam_via");
    const struct mvia_config *mvia = scenario_section_values(test_case, "mvia");
    return (struct eager_limit){
        .value = config->short_limit,
        .longest = config->short_limit,
        .most = MIN(config->area, mvia->largest_transfer),
    };
}

static const struct stack_eager lam_via_eager = {
    .setting = "lam_via.short",
    .also = "lam_via.area and mvia.largest_transfer",
    .limit = lam_via_eager_limit,
};

// A descriptor's worth of a long message, before the process makes progress again.
static int64_t lam_via_hands_over(const struct scenario_case *test_case)
{
    const struct mvia_config *mvia = scenario_section_values(test_case, "mvia");
    return mvia->largest_transfer;
}

const struct stack lam_via_stack = {
    .schema =
        {
            .name = "lam_via",
            .doc = "LAM/MPI 7.1 over M-VIA with the VIA RPI",
            .benchmarks = (const char *const[]){LIBRARY_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"mvia", "lam", "lam_via", NULL},
            .one_process_per_host = true,
            .check = lam_via_check,
            .warn = lam_via_warn,
            .footprint = lam_via_footprint,
        },
    .card = ETHERNET_PCI_CARD,
    .device = &rpi_ops,
    .process_size = sizeof(struct rpi_process),
    .process_init = rpi_process_init,
    .process_clear = rpi_process_clear,
    .frames = &nic_capture_link,
    .eager = &lam_via_eager,
    .hands_over = lam_via_hands_over,
    .library_section = "lam",
};
