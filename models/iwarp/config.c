// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/iwarp/segment.h"
#include "sim/model/stack.h"

#define T struct iwarp_config

static const char *const stream_maps[] = {
    [IWARP_STREAM_STAG] = "stag", [IWARP_STREAM_SINGLE] = "single", NULL};

static const struct param iwarp_params[] = {
    PARAM(T, segment, PARAM_SIZE, .fallback = "16 KiB", .least = "64 B", .most = "64 KiB",
          .doc = "data in one DDP segment, which is one SCTP message, or one FPDU of MPA",
          .source = "thesis 004, 4.2: 16 KB fragments"),
    PARAM(T, queue_depth, PARAM_COUNT, .fallback = "256", .least = "1", .most = "65536",
          .doc = "work requests in one queue of a QP that are not complete",
          .source = "assumed: the thesis gives no depth"),
    PARAM(T, stream_map, PARAM_CHOICE, .fallback = "stag", .choices = stream_maps,
          .doc = "stag: a tagged message's stream is its steering tag modulo the streams, an "
                 "untagged one's its message number, so that a send may overtake a write before "
                 "it; single: all messages take stream 0, so that none overtakes another",
          .source = "thesis 004, 3.3.3"),
    PARAM(T, post, PARAM_COST, .fallback = "0.7 us",
          .doc = "a work request is posted: checks, queue and lock",
          .source = "prior: two uncontended locks and a queue on a Pentium 4"),
    PARAM(T, poll, PARAM_COST, .fallback = "0.3 us",
          .doc = "a poll of a CQ, without its poll(2) over the sockets and without reading them",
          .source = "prior: a lock and a queue on a Pentium 4"),
    PARAM_AS(T, "segment_call", segment_cost, PARAM_COST, .fallback = "1 us",
             .doc = "RDMAP and DDP of a segment: its header is made, or looked at and its place "
                    "found",
             .source = "prior: user-level code of OSC-iWARP, about 3,000 cycles"),
    PARAM(T, signal_thread, PARAM_COST, .fallback = "2 us",
          .doc = "the poster's part of waking the progress thread (pthread_cond_signal)",
          .source = "prior: a system call and a wake-up, FreeBSD 6 on a Pentium 4",
          .prior = "within 1.6"),
    PARAM(T, thread_hop, PARAM_COST, .fallback = "4 us",
          .doc = "the thread's way from its sleep to the work request",
          .source = "prior: a switch of threads through the kernel, FreeBSD 6 on a Pentium 4",
          .prior = "within 1.6", .with = "iwarp.signal_thread"),
    PARAM(T, object, PARAM_COST, .fallback = "2 us",
          .doc = "an RNIC, QP, CQ or protection domain is made or destroyed",
          .source = "prior: allocation and list"),
    PARAM(T, register_call, PARAM_COST, .fallback = "1.5 us",
          .doc = "memory is registered or deregistered, without its pages",
          .source = "prior: a system call and a table"),
    PARAM(T, pin, PARAM_BOOL, .fallback = "true",
          .doc = "registered memory is locked, at host.memory.pin_page for each page",
          .source = "assumed: thesis 004, 3.3.5, leaves the mechanism of registration open",
          .prior = "or false: 0.3"),
    PARAM(T, crc, PARAM_COST, .fallback = "1800 cycles",
          .doc = "over TCP: MPA's CRC32c of each KiB sent or received",
          .source = "prior: eight tables, 1.8 cycles per byte"),
    {0},
};

const struct param_table iwarp_table = PARAM_TABLE(
    T, iwarp_params, .name = "iwarp",
    .doc = "user-level iWARP: verbs, RDMAP and DDP over SCTP, or over TCP with MPA's framing");

void iwarp_check_segment(const struct scenario_case *test_case, const char *buffer_name,
                         int64_t buffer, struct diag_list *diags)
{
    const struct iwarp_config *config = scenario_section_values(test_case, "iwarp");
    int64_t bytes = config->segment + IWARP_UNTAGGED_HEADER;
    if (bytes > buffer)
        scenario_conflict(test_case, diags,
                          (const char *const[]){"iwarp.segment", buffer_name, NULL},
                          "a smaller iwarp.segment, or a larger buffer",
                          "a segment of %" G_GINT64_FORMAT
                          " B with its header does not fit into the socket's send buffer of "
                          "%" G_GINT64_FORMAT " B (EMSGSIZE)",
                          bytes, buffer);
}

const struct stage iwarp_stage = {"iWARP", STAGE_LIBRARY};
