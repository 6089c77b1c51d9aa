// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench/bench.h"

#include "sim/output/text.h"

#define COLUMN_WIDTH 14

json_t *bench_run(const struct bench_options *options)
{
    json_t *results = json_object();
    // Memory first: what the others leave in the allocator's hands would hide some of it.
    // (Flows are processes of their own, which begin with the memory of this one.)
    json_t *flows = bench_flows(options);
    json_t *memory = bench_memory(options), *allpairs = bench_allpairs(options);
    json_object_set_new(results, "hold", bench_hold(options));
    json_object_set_new(results, "star", bench_star(options));
    json_object_set_new(results, "clos", bench_clos(options));
    json_object_set_new(results, "allpairs", allpairs);
    json_object_set_new(results, "streams", bench_streams(options));
    json_object_set_new(results, "pingpong", bench_pingpong(options));
    json_object_set_new(results, "nas", bench_nas(options));
    json_object_set_new(results, "memory", memory);
    json_object_set_new(results, "flows", flows);
    return results;
}

// ---- As a table ----

static void append_cell(GString *out, char *text)
{
    text_append_right(out, text, COLUMN_WIDTH);
    g_free(text);
}

static char *count_text(const json_t *value)
{
    return json_is_number(value) ? text_grouped((uint64_t)json_number_value(value)) : g_strdup("-");
}

static char *rate_text(const json_t *value)
{
    return json_is_number(value) ? text_scaled(json_number_value(value)) : g_strdup("-");
}

static char *ratio_text(double value, double of)
{
    return of > 0.0 ? g_strdup_printf("%.2f", value / of) : g_strdup("-");
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

static void append_headers(GString *out, const char *title, const char *const *headers)
{
    g_string_append_printf(out, "%s\n", title);
    for (; *headers; headers++)
        text_append_right(out, *headers, COLUMN_WIDTH);
    g_string_append_c(out, '\n');
}

static void append_hold(GString *out, json_t *rows)
{
    static const char *const headers[] = {"pending", "events/s", "bare heap/s", "ratio", NULL};
    append_headers(out, "Hold model: the event engine against a bare 4-ary heap", headers);
    json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        const json_t *engine = json_object_get(row, "events_per_s");
        const json_t *heap = json_object_get(row, "bare_heap_events_per_s");
        append_cell(out, count_text(json_object_get(row, "pending")));
        append_cell(out, rate_text(engine));
        append_cell(out, rate_text(heap));
        append_cell(out, ratio_text(json_number_value(engine), json_number_value(heap)));
        g_string_append_c(out, '\n');
    }
}

static void append_star(GString *out, json_t *rows)
{
    static const char *const headers[] = {"hosts",         "frames/s", "hops/s",
                                          "ns-3 frames/s", "ratio",    NULL};
    append_headers(out, "\nStar: 1,460-byte frames through one 100 Mb/s switch at line rate",
                   headers);
    json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        const json_t *ns3 = json_object_get(row, "ns3_frames_per_s");
        const json_t *frames = json_object_get(row, "frames_per_s");
        append_cell(out, count_text(json_object_get(row, "hosts")));
        append_cell(out, rate_text(frames));
        append_cell(out, rate_text(json_object_get(row, "hops_per_s")));
        append_cell(out, rate_text(ns3));
        append_cell(out, ratio_text(json_number_value(frames), json_number_value(ns3)));
        g_string_append_c(out, '\n');
    }
}

static void append_clos(GString *out, json_t *rows)
{
    static const char *const headers[] = {"hosts", "packet-hops/s", NULL};
    append_headers(out, "\nClos: 4 KiB packets through 16-port cut-through switches at half load",
                   headers);
    json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        append_cell(out, count_text(json_object_get(row, "hosts")));
        append_cell(out, rate_text(json_object_get(row, "packet_hops_per_s")));
        g_string_append_c(out, '\n');
    }
}

static void append_allpairs(GString *out, json_t *rows)
{
    static const char *const headers[] = {"hosts",         "packets/s",  "packet-hops/s",
                                          "cost of a hop", "bytes/host", NULL};
    append_headers(out,
                   "\nRandom peers: puts of 64 KiB over four planes, Portals over Intercept; the "
                   "cost is relative to the first line",
                   headers);
    double first = json_number_value(json_object_get(json_array_get(rows, 0), "packet_hops_per_s"));
    json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        const json_t *hops = json_object_get(row, "packet_hops_per_s");
        append_cell(out, count_text(json_object_get(row, "hosts")));
        append_cell(out, rate_text(json_object_get(row, "packets_per_s")));
        append_cell(out, rate_text(hops));
        append_cell(out, ratio_text(first, json_number_value(hops)));
        append_cell(out, count_text(json_object_get(row, "bytes_per_host")));
        g_string_append_c(out, '\n');
    }
}

static void append_streams(GString *out, json_t *rows)
{
    static const char *const headers[] = {"packets/s", "ns-3 TCP/s", "ratio", NULL};
    append_headers(out,
                   "\nStreams: one connection at gigabit rate, packets of data and acknowledgments",
                   headers);
    json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        const json_t *packets = json_object_get(row, "packets_per_s");
        const json_t *ns3 = json_object_get(row, "ns3_tcp_packets_per_s");
        append_cell(out, rate_text(packets));
        append_cell(out, rate_text(ns3));
        append_cell(out, ratio_text(json_number_value(packets), json_number_value(ns3)));
        g_string_append_printf(out, "  %s\n", json_string_value(json_object_get(row, "transport")));
    }
}

static void append_nas(GString *out, json_t *rows)
{
    static const char *const headers[] = {"messages/s", "class A, s", NULL};
    append_headers(out, "\nNAS LU on 16 hosts, gigabit Ethernet", headers);
    json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        append_cell(out, rate_text(json_object_get(row, "messages_per_s")));
        append_cell(out, rate_text(json_object_get(row, "class_a_s")));
        g_string_append_printf(out, "  %s\n", json_string_value(json_object_get(row, "stack")));
    }
}

static void append_flows(GString *out, json_t *rows)
{
    static const char *const headers[] = {"ranks", "wall s",     "CPU s",       "msgs/CPU s",
                                          "MiB",   "bare CPU s", "bare msgs/s", "bare MiB",
                                          "ratio", NULL};
    static const struct {
        const char *key;
        char *(*text)(const json_t *value);
    } columns[] = {
        {"ranks", count_text},
        {"wall_s", two_digits_text},
        {"cpu_s", two_digits_text},
        {"messages_per_cpu_s", rate_text},
        {"bytes", mib_text},
        {"simgrid_cpu_s", two_digits_text},
        {"simgrid_messages_per_cpu_s", rate_text},
        {"simgrid_bytes", mib_text},
        {"ratio", two_digits_text},
    };
    append_headers(out,
                   "\nFlows: one allreduce of 64 KiB, MPICH over TCP; beside it SimGrid used bare",
                   headers);
    json_t *row;
    size_t index;
    json_array_foreach(rows, index, row)
    {
        for (size_t i = 0; i < G_N_ELEMENTS(columns); i++)
            append_cell(out, columns[i].text(json_object_get(row, columns[i].key)));
        g_string_append_printf(out, "  %s\n", json_string_value(json_object_get(row, "network")));
    }
}

void bench_print(json_t *results, FILE *out)
{
    GString *text = g_string_new(NULL);
    append_hold(text, json_object_get(results, "hold"));
    append_star(text, json_object_get(results, "star"));
    append_clos(text, json_object_get(results, "clos"));
    append_allpairs(text, json_object_get(results, "allpairs"));
    append_streams(text, json_object_get(results, "streams"));
    append_nas(text, json_object_get(results, "nas"));
    append_flows(text, json_object_get(results, "flows"));
    json_t *pingpong = json_object_get(results, "pingpong");
    char *messages = rate_text(json_object_get(pingpong, "messages_per_s"));
    g_string_append_printf(text, "\nPingPong: %s messages/s\n", messages);
    json_t *memory = json_object_get(results, "memory");
    char *hosts = count_text(json_object_get(memory, "hosts"));
    char *bytes = count_text(json_object_get(memory, "bytes_per_host"));
    g_string_append_printf(text, "Memory: %s bytes a host at %s hosts\n", bytes, hosts);
    fputs(text->str, out);
    g_free(messages);
    g_free(hosts);
    g_free(bytes);
    g_string_free(text, TRUE);
}
