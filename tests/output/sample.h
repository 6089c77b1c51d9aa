// SPDX-License-Identifier: GPL-3.0-or-later
// Results made by hand, and files to write them to.
#ifndef NETSIM_TESTS_OUTPUT_SAMPLE_H
#define NETSIM_TESTS_OUTPUT_SAMPLE_H

#include "sim/measure/result.h"
#include "sim/output/recorder.h"

#include <glib/gstdio.h>
#include <unistd.h>

static inline void sample_point(struct series_result *series, int64_t size, double latency,
                                double bandwidth)
{
    series_result_add(series, -1, size, "latency_us", latency);
    series_result_add(series, -1, size, "bandwidth_MB_per_s", bandwidth);
}

// Two series: one that completed with three sizes, one that ended in a deadlock after the first.
static inline struct result *sample_result(void)
{
    struct result *result = result_new("sample", 7);
    struct series_result *good = series_result_new("VIA RPI", "lam_via");
    sample_point(good, 0, 73.5, 0.0);
    sample_point(good, 1, 74.01, 0.0128860);
    sample_point(good, 4194304, 365432.125, 10.9458);
    good->ledger = (struct ledger_totals){.messages = 1200, .bytes = 4096, .delivered = 1200};
    good->ledger_balanced = true;
    good->events = 1000000;
    good->fingerprint = 0x1234;
    good->simulated = 2 * TIME_S;
    good->wall_s = 0.5;
    good->counters = json_pack("{s:i, s:i}", "interrupts", 3, "copies", 2);
    g_ptr_array_add(result->series, good);

    struct series_result *bad = series_result_new("MVICH", "mvich");
    sample_point(bad, 0, 80.25, 0.0);
    bad->status = SIM_DEADLOCK;
    bad->reason = json_pack("{s:s, s:s, s:f, s:[{s:i, s:I, s:[{s:s, s:i, s:I, s:s}]}]}", "kind",
                            "deadlock", "text", "1 of 2 ranks waits for what will never happen",
                            "time_us", 12.5, "ranks", "rank", 1, "pinned_bytes",
                            (json_int_t)20971520, "requests", "kind", "send", "peer", 0, "bytes",
                            (json_int_t)4194304, "waits_for", "memory that can be pinned");
    bad->ledger = (struct ledger_totals){.messages = 2, .bytes = 10, .delivered = 1, .open = 1};
    bad->ledger_balanced = false;
    bad->ledger_report = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(bad->ledger_report, g_strdup("message 2, rank 1 to 0, 5 B: still open"));
    bad->events = 500;
    bad->fingerprint = 0x99;
    bad->simulated = TIME_MS;
    bad->wall_s = 0.25;
    g_ptr_array_add(result->series, bad);
    return result;
}

// An empty directory of its own for the test, to be removed by sample_remove.
static inline char *sample_directory(void)
{
    GError *error = NULL;
    char *directory = g_dir_make_tmp("netsim-test-XXXXXX", &error);
    if (!directory)
        g_error("%s", error->message);
    return directory;
}

// Removes a directory with the files in it (no folders), and frees its name.
static inline void sample_remove(char *directory)
{
    GDir *entries = g_dir_open(directory, 0, NULL);
    const char *name;
    while (entries && (name = g_dir_read_name(entries))) {
        char *path = g_build_filename(directory, name, NULL);
        g_unlink(path);
        g_free(path);
    }
    if (entries)
        g_dir_close(entries);
    g_rmdir(directory);
    g_free(directory);
}

// A recorder of a file that is open; NULL with *error set if it can't be written.
static inline struct recorder *sample_recorder(const struct recorder_kind *kind, const char *path,
                                               GError **error)
{
    struct recorder *recorder = recorder_new(kind, path);
    if (!recorder_open(recorder, error))
        g_clear_pointer(&recorder, recorder_drop);
    return recorder;
}

// All of a file; the caller frees it.
static inline char *sample_read(const char *path)
{
    char *text = NULL;
    GError *error = NULL;
    if (!g_file_get_contents(path, &text, NULL, &error))
        g_error("%s", error->message);
    return text;
}

#endif
