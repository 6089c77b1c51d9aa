// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/benchmark/stream.h"

#define MOST_BINS 100000

// ---- Parameters ----

#define S struct stream_config

#define STREAM_TIMES                                                                               \
    PARAM(S, start, PARAM_DURATION, .fallback = "0 s", .most = "600000 s",                         \
          .doc = "simulated time before which the first write doesn't begin; the processor is "    \
                 "busy until then",                                                                \
          .source = "iperf: at once"),                                                             \
        PARAM(S, duration, PARAM_DURATION, .fallback = "10 s", .least = "1 ms",                    \
              .most = "600000 s", .doc = "how long is written; whole bins",                        \
              .source = "iperf 2: -t"),                                                            \
        PARAM(S, bin, PARAM_DURATION, .fallback = "1 s", .least = "1 ms", .most = "600000 s",      \
              .doc = "time over which received bytes are counted together; whole milliseconds",    \
              .source = "iperf: -i 1")

static const struct param stream_params[] = {
    PARAM(S, write_size, PARAM_SIZE, .fallback = "8 KiB", .least = "1 B", .most = "64 MiB",
          .doc = "bytes of a write, and of a read", .source = "iperf 2: -l with TCP"),
    STREAM_TIMES,
    {0},
};

static const struct param stream_own_params[] = {
    PARAM(S, write_size, PARAM_SIZE, .fallback = "0 B", .most = "64 MiB",
          .doc = "bytes of a write; 0 B: the most that a packet holds, without fragments",
          .source = "iperf 1.7.0 of sctp-refimpl (September 2007), PerfSocket_TCP.cpp: Send_TCP "
                    "takes SCTP_MAXSEG for the length, whatever -l"),
    STREAM_TIMES,
    {0},
};

static void check_bins(const void *values, const struct param_values *report)
{
    const S *config = values;
    if (config->bin % TIME_MS != 0)
        param_complain(report, "bin", NULL, "it is no whole number of milliseconds");
    else if (config->duration % config->bin != 0)
        param_complain(report, "duration", "whole bins make the mean of the bins the mean of all",
                       "it is no whole number of bins");
    else if (config->duration / config->bin > MOST_BINS)
        param_complain(report, "bin", NULL, "there are more than %d bins", MOST_BINS);
}

const struct param_table stream_table =
    PARAM_TABLE(S, stream_params, .name = "stream", .doc = "a benchmark that writes for a time",
                .check = check_bins);

const struct param_table stream_own_write_table =
    PARAM_TABLE(S, stream_own_params, .name = "stream", .doc = "a benchmark that writes for a time",
                .check = check_bins);

int64_t stream_write_size(const struct scenario_case *test_case)
{
    const struct workload *workload = &test_case->workload;
    const S *config = workload->parameters->values;
    return config->write_size > 0 ? config->write_size : workload->benchmark->write_size(test_case);
}

const char *stream_counts(const struct stream_config *config)
{
    return config->bin % TIME_S == 0 ? COUNTS_SECONDS : COUNTS_MS;
}

// ---- The program: the reader first, as a server ----

static void append_part(struct program *program, int rank, enum op_code code, int64_t size)
{
    struct program_part *part = program_add_part(program);
    g_array_append_val(part->ranks, rank);
    struct operation_arguments *arguments = op_append(part->body, code)->arguments;
    arguments->peer = 1 - rank;
    arguments->size = size;
}

void stream_build(struct program *program, const struct workload *workload)
{
    const S *config = workload->parameters->values;
    append_part(program, 0, OP_STREAM_WRITE, config->write_size);
    append_part(program, 1, OP_STREAM_READ, config->write_size);
}

// ---- While it runs ----

struct stream *stream_new(const struct stream_config *config, int64_t write_size)
{
    struct stream *stream = g_new0(struct stream, 1);
    stream->config = config;
    stream->write_size = write_size;
    stream->bins = config->duration / config->bin;
    stream->bytes = g_new0(int64_t, stream->bins);
    return stream;
}

void stream_free(struct stream *stream)
{
    if (!stream)
        return;
    g_free(stream->bytes);
    g_free(stream);
}

void stream_write(struct stream *stream, sim_time now)
{
    if (!stream->begun) {
        stream->begun = true;
        stream->origin = stream->heard = now;
    }
    stream->written++;
    if (now - stream->origin >= stream->config->duration)
        stream->last = stream->written;
}

bool stream_is_written(const struct stream *stream)
{
    return stream->last > 0;
}

void stream_receive(struct stream *stream, sim_time now)
{
    sim_time end = stream->origin + stream->config->duration;
    int64_t bin = (now - stream->origin) / stream->config->bin;
    int64_t before = (stream->heard - stream->origin) / stream->config->bin;
    if (stream->heard < end)
        stream->longest_gap = MAX(stream->longest_gap, MIN(now, end) - stream->heard);
    if (stream->bin_over && MIN(bin, stream->bins) > before)
        stream->bin_over(stream->owner, MIN(bin, stream->bins) - 1);
    if (bin < stream->bins)
        stream->bytes[bin] += stream->write_size;
    stream->heard = now;
    stream->received++;
    stream->ended = stream->received == stream->last;
}

// ---- The result ----

static double mb_per_s(int64_t bytes, sim_time time)
{
    return (double)bytes * 8.0 / 1e6 / time_to_s(time);
}

void stream_report(const struct stream *stream, struct series_result *result)
{
    const S *config = stream->config;
    sim_time unit = config->bin % TIME_S == 0 ? TIME_S : TIME_MS;
    int64_t sum = 0;
    if (!stream->ended)
        return;
    for (int64_t bin = 0; bin < stream->bins; bin++) {
        sum += stream->bytes[bin];
        series_result_add(result, -1, bin * (config->bin / unit), "rate_Mb_per_s",
                          mb_per_s(stream->bytes[bin], config->bin));
    }
    series_result_add(result, -1, -1, "mean_rate_Mb_per_s", mb_per_s(sum, config->duration));
    series_result_add(result, -1, -1, "longest_gap_ms", time_to_us(stream->longest_gap) / 1e3);
}
