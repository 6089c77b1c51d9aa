// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nics.h"
#include "models/inet/cards.h"
#include "models/sctp_cmt/native/native.h"
#include "sim/model/job.h"

#define N struct native_sctp_config

static const char *const no_delays[] = {"by_program", "true", "false", NULL};

static const struct param native_params[] = {
    PARAM(N, message, PARAM_SIZE, .fallback = "64 KiB", .least = "1 B", .most = "64 MiB",
          .doc = "the longest user message, if the send buffer holds it; a longer message of the "
                 "program is sent as several",
          .source = "assumed: below the send buffer, which bounds a user message"),
    PARAM(N, cards, PARAM_COUNTS, .fallback = "[]", .most = "7",
          .doc = "cards that take part, counted from 0 among those that the stack uses; empty: all",
          .source = "sctp_bindx: without it all addresses of the host"),
    PARAM(N, no_delay, PARAM_CHOICE, .fallback = "by_program", .choices = no_delays,
          .doc = "SCTP_NODELAY; by_program: it is set, but not in iperf.sctp",
          .source = "NetPIPE of sctp-refimpl, sctp.c; iperf 1.7.0 there, Settings.cpp and "
                    "PerfSocket.cpp: only with -N; thesis 004, 3.2: ch3:sctp sets it"),
    PARAM(N, read, PARAM_SIZE, .fallback = "8 KiB", .least = "1 B", .most = "64 MiB",
          .doc = "the longest read of iperf.sctp's server; other programs read up to message",
          .source = "iperf 1.7.0 of sctp-refimpl, Settings.cpp: kDefault_BufferLen, which the "
                    "server keeps"),
    PARAM(N, exchange, PARAM_DURATION, .fallback = "1 ms", .most = "10 s",
          .doc = "until the other processes know a port", .source = "assumed: by hand or a daemon"),
    PARAM(N, call, PARAM_COST, .fallback = "100 cycles",
          .doc = "a turn of the loop around send or receive", .source = "prior: instructions"),
    {0},
};

static const struct param_table native_table =
    PARAM_TABLE(struct native_sctp_config, native_params, .name = "native_sctp",
                .doc = "programs on SCTP sockets");

const struct scenario_section native_sctp_sections[] = {
    {"native_sctp", &native_table},
    {NULL, NULL},
};

// iperf, of which write_size and read are; the other programs are NetPIPE's kind.
static bool is_iperf(const struct scenario_case *test_case)
{
    const struct benchmark_schema *benchmark = test_case->workload.benchmark;
    return benchmark && benchmark->write_size == native_write_size;
}

int64_t native_write_size(const struct scenario_case *test_case)
{
    const struct sctp_config *sctp = scenario_section_values(test_case, "sctp");
    return sctp_most_chunk_data(sctp, sctp->inet.mtu);
}

static void native_init(struct job *job, struct mpi_process *process)
{
    struct native_process *native = process->device;
    native->process = process;
    native->config = scenario_section_values(job->test_case, "native_sctp");
    native->no_delay = native->config->no_delay == NATIVE_NO_DELAY_BY_PROGRAM
                           ? !is_iperf(job->test_case)
                           : native->config->no_delay == NATIVE_NO_DELAY_ON;
    native->longest_read =
        is_iperf(job->test_case) ? native->config->read : native->config->message;
    native->cluster = job->cluster;
    native->host =
        sctp_host_new(job->cluster, process->host, scenario_section_values(job->test_case, "sctp"));
    native->links = g_new0(struct native_link, process->ranks);
    native->selected = g_array_new(FALSE, FALSE, sizeof(struct inet_selected));
    native->senders = g_array_new(FALSE, FALSE, sizeof(int));
    mpi_bare_init(process, 0);
}

static void native_clear(struct job *job, struct mpi_process *process)
{
    struct native_process *native = process->device;
    (void)job;
    mpi_bare_clear(process);
    sctp_host_free(native->host);
    g_free(native->links);
    if (native->selected)
        g_array_unref(native->selected);
    if (native->senders)
        g_array_unref(native->senders);
}

static void check_case(const struct scenario_case *test_case, struct diag_list *diags)
{
    const struct sctp_config *sctp = scenario_section_values(test_case, "sctp");
    ethernet_check_mtu(test_case, "sctp", sctp->inet.mtu, diags);
    const struct native_sctp_config *config = scenario_section_values(test_case, "native_sctp");
    // An address on a card that is not there cannot be bound.
    inet_check_cards(test_case, "native_sctp", "cards", &config->cards, diags);
}

#define HOST_BYTES 3000 // of the stack's own structs and tables, about

static struct stack_footprint native_footprint(const struct scenario_case *test_case)
{
    (void)test_case;
    return (struct stack_footprint){.process = HOST_BYTES,
                                    .pair = (int64_t)sizeof(struct native_link) +
                                            sctp_association_footprint()};
}

const struct stack native_sctp_stack = {
    .schema =
        {
            .name = "sctp",
            .doc = "bare SCTP, one-to-one sockets without a library on top; a tag is a stream",
            .benchmarks = (const char *const[]){"native.pingpong", "native.stream", "iperf.sctp",
                                                "program", NULL},
            .sections = (const char *const[]){"sctp", "native_sctp", NULL},
            .one_process_per_host = true,
            .cards = STACK_CARDS_ALL,
            .check = check_case,
            .footprint = native_footprint,
        },
    .card = ETHERNET_CARD,
    .frames = &nic_capture_link,
    .device = &native_sctp_ops,
    .process_init = native_init,
    .process_clear = native_clear,
    .process_size = sizeof(struct native_process),
};
