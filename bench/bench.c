// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/bench.h"

#include "sim/output/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COLUMN_WIDTH 15

static char *count_text(const json_t *value)
{
    return json_is_number(value) ? text_grouped((uint64_t)json_number_value(value)) : g_strdup("-");
}

static char *rate_text(const json_t *value)
{
    return json_is_number(value) ? text_scaled(json_number_value(value)) : g_strdup("-");
}

static char *two_digits_text(const json_t *value)
{
    return json_is_number(value) ? g_strdup_printf("%.2f", json_number_value(value))
                                 : g_strdup("-");
}

static char *mib_text(const json_t *value)
{
    return json_is_number(value) ? g_strdup_printf("%.0f", json_number_value(value) / (1 << 20))
                                 : g_strdup("-");
}

// ---- The parts ----

#define COLUMNS(...)                                                                               \
    (const struct bench_column[])                                                                  \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            NULL, NULL, NULL                                                                       \
        }                                                                                          \
    }

const struct bench_part bench_parts[] = {
    {"hold", "Hold model: the event engine against a bare 4-ary heap", bench_hold,
     COLUMNS({"pending", "pending", count_text}, {"events/s", "events_per_s", rate_text},
             {"bare heap/s", "bare_heap_events_per_s", rate_text},
             {"ratio", "ratio", two_digits_text}, {"delays", "distribution", NULL}),
     false},
    {"star", "Star: 1,460-byte frames through one 100 Mb/s switch at line rate", bench_star,
     COLUMNS({"hosts", "hosts", count_text}, {"frames/s", "frames_per_s", rate_text},
             {"hops/s", "hops_per_s", rate_text}, {"ns-3 frames/s", "ns3_frames_per_s", rate_text},
             {"ratio", "ratio", two_digits_text}, {"hosts send", "step", NULL}),
     false},
    {"clos", "Clos: 4 KiB packets through 16-port cut-through switches at half load", bench_clos,
     COLUMNS({"hosts", "hosts", count_text}, {"packet-hops/s", "packet_hops_per_s", rate_text}),
     false},
    {"allpairs",
     "Random peers: puts of 64 KiB over four planes, Portals over Intercept; the cost is relative "
     "to the first line",
     bench_allpairs,
     COLUMNS({"hosts", "hosts", count_text}, {"packets/s", "packets_per_s", rate_text},
             {"packet-hops/s", "packet_hops_per_s", rate_text},
             {"cost of a hop", "cost", two_digits_text},
             {"bytes/host", "bytes_per_host", count_text}),
     true},
    {"streams", "Streams: one connection at gigabit rate, packets of data and acknowledgments",
     bench_streams,
     COLUMNS({"packets/s", "packets_per_s", rate_text},
             {"ns-3 TCP/s", "ns3_tcp_packets_per_s", rate_text},
             {"ratio", "ratio", two_digits_text}, {"transport", "transport", NULL}),
     false},
    {"messages", "Messages: ping-pongs of 4 B packet by packet, and those of SMPI without packets",
     bench_messages,
     COLUMNS({"messages/s", "messages_per_s", rate_text},
             {"SMPI/s", "smpi_messages_per_s", rate_text}, {"ratio", "ratio", two_digits_text},
             {"stack", "stack", NULL}),
     false},
    {"collectives",
     "Collectives: alltoall of 4 KiB packet by packet, with the start of the job; the cost of a "
     "message is relative to that of 16 ranks",
     bench_collectives,
     COLUMNS({"ranks", "ranks", count_text}, {"messages/s", "messages_per_s", rate_text},
             {"cost", "cost", two_digits_text}, {"stack", "stack", NULL}),
     false},
    {"nas", "NAS LU on 16 hosts, gigabit Ethernet", bench_nas,
     COLUMNS({"messages/s", "messages_per_s", rate_text}, {"class A, s", "class_a_s", rate_text},
             {"stack", "stack", NULL}),
     false},
    {"flows",
     "Flows: one allreduce of 64 KiB, MPICH over TCP; beside it SMPI, and SimGrid used bare",
     bench_flows,
     COLUMNS({"ranks", "ranks", count_text}, {"wall s", "wall_s", two_digits_text},
             {"CPU s", "cpu_s", two_digits_text}, {"msgs/CPU s", "messages_per_cpu_s", rate_text},
             {"MiB", "bytes", mib_text}, {"SMPI CPU s", "smpi_cpu_s", two_digits_text},
             {"bare CPU s", "simgrid_cpu_s", two_digits_text},
             {"bare msgs/s", "simgrid_messages_per_cpu_s", rate_text},
             {"bare MiB", "simgrid_bytes", mib_text}, {"ratio", "ratio", two_digits_text},
             {"network", "network", NULL}),
     true},
    {"memory", "Memory of a cluster", bench_memory,
     COLUMNS({"hosts", "hosts", count_text}, {"bytes/host", "bytes_per_host", count_text}), true},
    {0},
};

json_t *bench_run(const struct bench_options *options, const char *const *names)
{
    json_t *results = json_object();
    for (int memory = 1; memory >= 0; memory--)
        for (const struct bench_part *part = bench_parts; part->name; part++)
            if (part->memory == (bool)memory &&
                (!names || !*names || g_strv_contains(names, part->name)))
                json_object_set_new(results, part->name, part->measure(options));
    return results;
}

// ---- As tables ----

static char *cell_text(const struct bench_column *column, const json_t *row)
{
    const json_t *value = json_object_get(row, column->key);
    return column->text ? column->text(value) : g_strdup(json_string_value(value));
}

// Texts follow the numbers, unaligned, and need no header there.
static void append_aligned(GString *out, const struct bench_part *part, const json_t *rows)
{
    g_string_append_printf(out, "%s%s\n", out->len > 0 ? "\n" : "", part->title);
    for (const struct bench_column *column = part->columns; column->header; column++)
        if (column->text)
            text_append_right(out, column->header, COLUMN_WIDTH);
    g_string_append_c(out, '\n');
    json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        for (const struct bench_column *column = part->columns; column->header; column++) {
            char *text = cell_text(column, row);
            if (column->text)
                text_append_right(out, text, COLUMN_WIDTH);
            else
                g_string_append_printf(out, "  %s", text ? text : "-");
            g_free(text);
        }
        g_string_append_c(out, '\n');
    }
}

static void append_markdown(GString *out, const struct bench_part *part, const json_t *rows)
{
    g_string_append_printf(out, "**%s**\n\n|", part->title);
    for (const struct bench_column *column = part->columns; column->header; column++)
        g_string_append_printf(out, " %s |", column->header);
    g_string_append(out, "\n|");
    for (const struct bench_column *column = part->columns; column->header; column++)
        g_string_append(out, column->text ? "--:|" : "---|");
    g_string_append_c(out, '\n');
    json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        g_string_append_c(out, '|');
        for (const struct bench_column *column = part->columns; column->header; column++) {
            char *text = cell_text(column, row);
            text_append_cell(out, text);
            g_free(text);
        }
        g_string_append_c(out, '\n');
    }
    g_string_append_c(out, '\n');
}

// The value of the first line of a file of /proc that begins with the key; NULL: there is none. The
// caller frees it.
static char *proc_value(const char *file, const char *key)
{
    char *text = NULL, *value = NULL;
    if (!g_file_get_contents(file, &text, NULL, NULL))
        return NULL;
    char **lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line && !value; line++) {
        char *colon = g_str_has_prefix(*line, key) ? strchr(*line, ':') : NULL;
        value = colon ? g_strdup(g_strstrip(colon + 1)) : NULL;
    }
    g_strfreev(lines);
    g_free(text);
    return value;
}

static void append_machine(GString *out)
{
    char *model = proc_value("/proc/cpuinfo", "model name");
    double load[1] = {0.0};
    bool known = getloadavg(load, 1) == 1;
    g_string_append_printf(out, "Measured on %ld processors (%s)", sysconf(_SC_NPROCESSORS_ONLN),
                           model ? model : "of unknown model");
    if (known)
        g_string_append_printf(out, " at a load of %.1f", load[0]);
    g_string_append_printf(out, ", compiled by %s %s; seconds are those of processors.\n",
#ifdef __clang__
                           "clang", __clang_version__
#else
                           "gcc", __VERSION__
#endif
    );
    g_free(model);
}

void bench_print(const json_t *results, bool markdown, FILE *out)
{
    GString *text = g_string_new(NULL);
    for (const struct bench_part *part = bench_parts; part->name; part++) {
        const json_t *rows = json_object_get(results, part->name);
        if (rows)
            (markdown ? append_markdown : append_aligned)(text, part, rows);
    }
    if (markdown)
        append_machine(text);
    fputs(text->str, out);
    g_string_free(text, TRUE);
}
