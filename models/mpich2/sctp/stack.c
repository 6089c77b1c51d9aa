// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nics.h"
#include "models/inet/cards.h"
#include "models/mpich2/ch3/rma.h"
#include "models/mpich2/ch3/rma_benchmarks.h"
#include "models/mpich2/sctp/channel.h"
#include "sim/model/job.h"
#include "sim/program/operations.h"

const struct ch3_channel ch3_sctp_channel = {
    .name = "ch3:sctp",
    .send = ch3_sctp_send,
    .disconnect = ch3_sctp_disconnect,
    .describe = ch3_sctp_describe,
    .describe_process = ch3_sctp_describe_process,
};

static const struct mpi_device_ops ops = {
    .name = "ch3:sctp",
    CH3_DEVICE,
    .startup = ch3_sctp_startup,
    .startup_machine = &ch3_sctp_startup_machine,
    .finalize = ch3_sctp_finalize,
    .go_on = ch3_sctp_go_on,
    .advance = ch3_sctp_advance,
};

// ---- A process ----

static void make_counters(struct ch3_sctp_process *sctp, struct sim *sim)
{
    sctp->count = (struct ch3_sctp_count){
        .lookups = sim_counter(sim, "ch3:sctp business cards looked up"),
        .open_packets = sim_counter(sim, "ch3:sctp connection packets sent"),
        .reads = sim_counter(sim, "ch3:sctp reads"),
        .empty_reads = sim_counter(sim, "ch3:sctp reads that found nothing"),
        .queued = sim_counter(sim, "ch3:sctp entries into the send queue"),
        .violations = sim_counter(sim, "ch3:sctp messages that came after later ones"),
        .held = sim_counter(sim, "ch3:sctp messages held back for their number"),
        .early = sim_counter(sim, "ch3:sctp data before their envelope"),
    };
}

static size_t vc_bytes(const struct ch3_sctp_config *config)
{
    return sizeof(struct ch3_sctp_vc) + (size_t)config->streams * sizeof(struct ch3_sctp_stream);
}

void ch3_sctp_process_init(struct job *job, struct mpi_process *process,
                           const struct ch3_channel *channel)
{
    struct ch3_sctp_process *sctp = process->device;
    sctp->process = process;
    sctp->config = scenario_section_values(job->test_case, "ch3_sctp");
    sctp->cluster = job->cluster;
    sctp->host =
        sctp_host_new(job->cluster, process->host, scenario_section_values(job->test_case, "sctp"));
    ch3_init(&sctp->ch3, process, ch3_config_of(job->test_case), channel);
    sparse_init(&sctp->vcs, process->ranks, vc_bytes(sctp->config));
    sctp->by_id = g_hash_table_new(NULL, NULL);
    pool_init(&sctp->elements, sizeof(struct ch3_sctp_element));
    pool_init(&sctp->incoming, sizeof(struct ch3_sctp_incoming));
    pool_init(&sctp->early, sizeof(struct ch3_sctp_early));
    pool_init(&sctp->events, sizeof(struct ch3_sctp_event));
    sctp->spins_since = TIME_END;
    make_counters(sctp, job->sim);
}

void ch3_sctp_process_clear(struct ch3_sctp_process *sctp)
{
    if (!sctp->process)
        return;
    ch3_clear(&sctp->ch3);
    sctp_host_free(sctp->host);
    sparse_clear(&sctp->vcs);
    g_hash_table_unref(sctp->by_id);
    pool_clear(&sctp->elements);
    pool_clear(&sctp->incoming);
    pool_clear(&sctp->early);
    pool_clear(&sctp->events);
    if (sctp->selected)
        g_array_unref(sctp->selected);
}

static void process_init(struct job *job, struct mpi_process *process)
{
    ch3_sctp_process_init(job, process, &ch3_sctp_channel);
}

static void process_clear(struct job *job, struct mpi_process *process)
{
    (void)job;
    ch3_sctp_process_clear(process->device);
}

// ---- Checks ----

static void check_order(const struct scenario_case *test_case, const struct ch3_sctp_config *config,
                        struct diag_list *diags)
{
    if (config->any_tag == CH3_SCTP_CONTROL_STREAM && config->streams < 2)
        scenario_complain(test_case, diags, "ch3_sctp", "any_tag", "set streams to 2 or more",
                          "with one stream there is none for control alone");
    if (config->stream_map == CH3_SCTP_SEQUENCE && config->any_tag == CH3_SCTP_VIOLATE &&
        config->streams > 3)
        scenario_complain(
            test_case, diags, "ch3_sctp", "stream_map", "set any_tag to sequence or control_stream",
            "messages of one tag take different streams and may overtake one another, "
            "which MPI forbids");
}

static void check_buffers(const struct scenario_case *test_case,
                          const struct ch3_sctp_config *config, struct diag_list *diags)
{
    const struct sctp_config *sctp = scenario_section_values(test_case, "sctp");
    int64_t asked = config->socket_buffer;
    int64_t send = asked ? asked : sctp->settings.send_buffer;
    int64_t least = MAX(MAX(sctp->inet.mtu, sctp->sws_receive + 1), sctp->mbuf_charge + 1);
    if (config->message > send)
        scenario_conflict(
            test_case, diags,
            (const char *const[]){"ch3_sctp.message",
                                  asked ? "ch3_sctp.socket_buffer" : "sctp.send_buffer", NULL},
            "a smaller ch3_sctp.message, or a larger buffer",
            "a user message of %" G_GINT64_FORMAT
            " B does not fit into the socket's send buffer of %" G_GINT64_FORMAT " B (EMSGSIZE)",
            config->message, send);
    if (asked && asked < least)
        scenario_complain(
            test_case, diags, "ch3_sctp", "socket_buffer", "make it larger",
            "it is smaller than a packet or the least window of %" G_GINT64_FORMAT " B", least);
}

void ch3_sctp_check(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct ch3_sctp_config *config = scenario_section_values(test_case, "ch3_sctp");
    const struct sctp_config *sctp = scenario_section_values(test_case, "sctp");
    ethernet_check_mtu(test_case, "sctp", sctp->inet.mtu, diags);
    if (config->cards.count > 0)
        inet_check_cards(test_case, "ch3_sctp", "cards", &config->cards, diags);
    else
        inet_check_card(test_case, "ch3_sctp", "daemon_card", config->daemon_card, diags);
    check_order(test_case, config, diags);
    check_buffers(test_case, config, diags);
}

// Of a process: 5 kB of its random numbers, 37 kB of the first blocks of its pools, 3 kB of tables,
// as allocated in a reduction among 1,024.
#define HOST_BYTES 45000

#define CHUNKS_BYTES 1300 // of an association's rings of chunks, once it has sent and received

struct stack_footprint ch3_sctp_footprint(const struct scenario_case *test_case)
{
    const struct ch3_sctp_config *config = scenario_section_values(test_case, "ch3_sctp");
    return (struct stack_footprint){
        .process = HOST_BYTES + (int64_t)sizeof(struct ch3_sctp_process),
        .peer = sctp_association_footprint() + CHUNKS_BYTES + ch3_peer_footprint() +
                (int64_t)vc_bytes(config),
    };
}

const struct stack ch3_sctp_stack = {
    .schema =
        {
            .name = "ch3_sctp",
            .doc = "MPICH2 1.0.5 over SCTP with ch3:sctp",
            .benchmarks =
                (const char *const[]){LIBRARY_BENCHMARKS, CH3_RMA_BENCHMARKS, "program", NULL},
            .sections = (const char *const[]){"sctp", "mpich2", "ch3", "ch3_sctp", NULL},
            .operations = (const char *const[]){OPERATIONS_OF_MPI, CH3_RMA_OPERATIONS, NULL},
            .one_process_per_host = true,
            .cards = STACK_CARDS_ALL,
            .check = ch3_sctp_check,
            .footprint = ch3_sctp_footprint,
        },
    .card = ETHERNET_CARD,
    .frames = &nic_capture_link,
    .device = &ops,
    .process_init = process_init,
    .process_clear = process_clear,
    .process_size = sizeof(struct ch3_sctp_process),
    .blocked = ch3_sctp_blocked,
    .eager = &ch3_eager,
    .library_section = "mpich2",
};
