// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/openmpi/stack.h"

#include "models/ethernet/nics.h"
#include "models/inet/cards.h"
#include "models/openmpi/openmpi.h"
#include "sim/model/job.h"

const struct scenario_section openmpi_sections[] = {
    {"openmpi_tcp", &openmpi_tcp_table},
    {"openmpi5_tcp", &openmpi5_tcp_table},
    {NULL, NULL},
};

// The section of the PML and the BTL follows TCP's and the library's in a stack's list.
static const char *openmpi_section(const struct scenario_case *test_case)
{
    return test_case->stack->sections[2];
}

static const struct openmpi_config *openmpi_config_of(const struct scenario_case *test_case)
{
    return scenario_section_values(test_case, openmpi_section(test_case));
}

// ---- Create and free ----

static void stack_init(struct job *job)
{
    struct openmpi_job *shared = job->state;
    shared->job = job;
    openmpi_job_events(shared);
}

static void stack_clear(struct job *job)
{
    struct openmpi_job *shared = job->state;
    g_free(shared->pieces);
}

static bool takes_part(const struct openmpi_config *config, int card)
{
    for (int i = 0; i < config->cards.count; i++)
        if (config->cards.values[i] == card)
            return true;
    return config->cards.count == 0;
}

static void find_cards(struct openmpi_process *ompi)
{
    int stations[OPENMPI_MOST_RAILS];
    int count =
        inet_stations(ompi->cluster, ompi->process->host->index, stations, OPENMPI_MOST_RAILS);
    for (int card = 0; card < MIN(count, OPENMPI_MOST_RAILS); card++) {
        if (!takes_part(ompi->config, card))
            continue;
        ompi->stations[ompi->card_count] = stations[card];
        ompi->cards[ompi->card_count++] = card;
    }
}

static void stack_process_init(struct job *job, struct mpi_process *process)
{
    struct openmpi_process *ompi = process->device;
    ompi->process = process;
    ompi->section = openmpi_section(job->test_case);
    ompi->config = openmpi_config_of(job->test_case);
    ompi->job = job->state;
    ompi->btl_user = &openmpi_btl_user;
    ompi->cluster = job->cluster;
    ompi->host =
        tcp_host_new(job->cluster, process->host, scenario_section_values(job->test_case, "tcp"));
    ompi->peers = g_new0(struct bml_peer *, process->ranks);
    ompi->open = g_ptr_array_new();
    ompi->owed = g_ptr_array_new();
    ompi->callers = g_ptr_array_new_with_free_func(g_free);
    ompi->selected = g_array_new(FALSE, FALSE, sizeof(struct inet_selected));
    ompi->watched = g_array_new(FALSE, FALSE, sizeof(struct openmpi_watched));
    pool_init(&ompi->fragments, sizeof(struct btl_fragment));
    pool_init(&ompi->early, sizeof(struct pml_early));
    ompi->connections = sim_counter(process->sim, "openmpi ends of connections");
    ompi->rejected = sim_counter(process->sim, "openmpi calls rejected");
    ompi->out_of_order = sim_counter(process->sim, "openmpi messages ahead of their turn");
    ompi->put_bytes = sim_counter(process->sim, "openmpi bytes of PUTs");
    find_cards(ompi);
}

static void stack_process_clear(struct job *job, struct mpi_process *process)
{
    struct openmpi_process *ompi = process->device;
    (void)job;
    if (!ompi->peers)
        return;
    for (int rank = 0; rank < process->ranks; rank++) {
        if (ompi->peers[rank])
            pml_flows_free(ompi->peers[rank]);
        g_free(ompi->peers[rank]);
    }
    g_free(ompi->peers);
    g_ptr_array_free(ompi->open, TRUE);
    g_ptr_array_free(ompi->owed, TRUE);
    g_ptr_array_free(ompi->callers, TRUE);
    g_array_free(ompi->selected, TRUE);
    g_array_free(ompi->watched, TRUE);
    pool_clear(&ompi->fragments);
    pool_clear(&ompi->early);
    tcp_host_free(ompi->host);
}

// ---- Checks ----

// Reports hosts with more cards than rails, unless `cards` names those that take part.
static void check_card_count(const struct scenario_case *test_case, struct diag_list *diags)
{
    const GArray *hosts = test_case->topology.hosts;
    for (guint host = 0; host < hosts->len; host++) {
        int cards = inet_cards_of(test_case, (int)host);
        if (cards <= OPENMPI_MOST_RAILS)
            continue;
        scenario_complain(
            test_case, diags, openmpi_section(test_case), "cards", "say which take part",
            "%s has %d cards, of which at most %d can take part",
            g_array_index(hosts, struct topology_node, host).name, cards, OPENMPI_MOST_RAILS);
        return;
    }
}

static void check_case(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct tcp_config *config = scenario_section_values(test_case, "tcp");
    const struct openmpi_config *openmpi = openmpi_config_of(test_case);
    ethernet_check_mtu(test_case, "tcp", config->inet.mtu, diags);
    if (openmpi->cards.count > 0)
        inet_check_cards(test_case, openmpi_section(test_case), "cards", &openmpi->cards, diags);
    else
        check_card_count(test_case, diags);
}

// Of a process: 5 kB of its random numbers, 13 kB of the first blocks of its pools, 4 kB of tables,
// as allocated in a reduction among 1,024.
#define HOST_BYTES 22000
#define SEGMENTS_BYTES 340 // of segments not yet acknowledged, with their timers, about

static struct stack_footprint footprint(const struct scenario_case *test_case)
{
    int64_t socket = tcp_socket_footprint() + SEGMENTS_BYTES;
    // Peers that meet in an exchange each open a connection, and the second one's end stays for a
    // while.
    return (struct stack_footprint){
        .process = HOST_BYTES + test_case->workload.ranks * (int64_t)sizeof(struct bml_peer *),
        .peer = (int64_t)sizeof(struct bml_peer) + 2 * socket,
        .packet_events = tcp_packet_events(test_case),
    };
}

static struct eager_limit openmpi_eager_limit(const struct scenario_case *test_case)
{
    const struct openmpi_config *config = openmpi_config_of(test_case);
    return (struct eager_limit){
        .value = config->eager,
        .longest = config->eager - config->largest_header,
        .most = INT64_MAX,
    };
}

static const struct stack_eager openmpi_eager = {
    .setting = "openmpi_tcp.eager",
    .limit = openmpi_eager_limit,
};

static const struct stack_eager openmpi5_eager = {
    .setting = "openmpi5_tcp.eager",
    .limit = openmpi_eager_limit,
};

// Processes that connect send each other their names first.
static bool openmpi_stream(const struct scenario_case *test_case, struct stack_stream *stream)
{
    const struct openmpi_config *config = openmpi_config_of(test_case);
    bool stops = tcp_stack_stream(test_case, stream);
    stream->header = config->btl_header + config->match_header;
    stream->exchanged = true;
    return stops;
}

#define OPENMPI_STACK(stack_name, text, library, ...)                                              \
    {                                                                                              \
        .schema =                                                                                  \
            {                                                                                      \
                .name = (stack_name),                                                              \
                .doc = (text),                                                                     \
                .benchmarks = (const char *const[]){LIBRARY_BENCHMARKS, "program", NULL},          \
                .sections = (const char *const[]){"tcp", library, stack_name, NULL},               \
                .one_process_per_host = true,                                                      \
                .cards = STACK_CARDS_ALL,                                                          \
                .check = check_case,                                                               \
                .footprint = footprint,                                                            \
            },                                                                                     \
        .card = ETHERNET_CARD, .frames = &nic_capture_link, .device = &openmpi_ops,                \
        .state_size = sizeof(struct openmpi_job), .process_size = sizeof(struct openmpi_process),  \
        .init = stack_init, .process_init = stack_process_init,                                    \
        .process_clear = stack_process_clear, .clear = stack_clear, .cards_in_turn = true,         \
        .stream = openmpi_stream, .library_section = (library), __VA_ARGS__                        \
    }

const struct stack openmpi_tcp_stack = OPENMPI_STACK(
    "openmpi_tcp", "Open MPI 1.2.1 over TCP, on one card or several (PML ob1, BTL tcp)", "openmpi",
    .eager = &openmpi_eager);

const struct stack openmpi5_tcp_stack = OPENMPI_STACK(
    "openmpi5_tcp", "Open MPI 5.0 over TCP, on one card or several (PML ob1, BTL tcp)", "openmpi5",
    .eager = &openmpi5_eager);
