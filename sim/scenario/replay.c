// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/replay.h"

#include "sim/config/reader.h"

#include <string.h>

#define R struct replay_config

static const struct param replay_params[] = {
    PARAM(R, speed, PARAM_FLOP_RATE, .fallback = "0 flop/s",
          .doc = "of a rank's processor; must be given if the recording counts operations"),
    PARAM(R, time_scale, PARAM_REAL, .fallback = "1", .most = "1e6",
          .doc = "times between calls are multiplied by it, if the recording has times"),
    {0},
};

const struct param_table replay_table =
    PARAM_TABLE(R, replay_params, .name = REPLAY_KEY,
                .doc = "what passes between the calls of a recorded program");

// ---- The shelf ----

static void shelf_drop(void *recording)
{
    recording_unref(recording);
}

void recording_shelf_init(struct recording_shelf *shelf, const char *directory)
{
    shelf->directory = directory;
    shelf->recordings = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, shelf_drop);
}

void recording_shelf_clear(struct recording_shelf *shelf)
{
    g_hash_table_destroy(shelf->recordings);
}

// g_free.
static char *path_of(const struct recording_shelf *shelf, const char *name)
{
    bool here = g_path_is_absolute(name) || strcmp(shelf->directory, ".") == 0;
    char *there = here ? g_strdup(name) : g_build_filename(shelf->directory, name, NULL);
    if (g_file_test(there, G_FILE_TEST_EXISTS) || !g_file_test(name, G_FILE_TEST_EXISTS))
        return there;
    g_free(there);
    return g_strdup(name);
}

struct recording *recording_shelf_take(struct recording_shelf *shelf, const struct node *name,
                                       struct diag_list *diags)
{
    const char *text = reader_text(name, "workload." REPLAY_KEY, "the name of a file", diags);
    if (!text)
        return NULL;
    if (!shelf->directory) {
        diag_add(diags, name->mark, "workload." REPLAY_KEY, NULL, "no recording can be read here");
        return NULL;
    }
    char *path = path_of(shelf, text);
    struct recording *recording = g_hash_table_lookup(shelf->recordings, path);
    if (!recording) { // a wrong one is read for each case, so that each has its errors
        recording = recording_read(path, name->mark, diags);
        if (recording)
            g_hash_table_insert(shelf->recordings, g_strdup(path), recording);
    }
    g_free(path);
    return recording ? recording_ref(recording) : NULL;
}

// ---- Time ----

void replay_check(const struct recording *recording, const struct node *workload,
                  const struct replay_config *config, struct diag_list *diags)
{
    const struct node *speed = node_get(workload, "speed"), *scale;
    bool counts = recording_work(recording) == RECORDED_FLOPS;
    if (counts && recording_computes(recording) && config->speed == 0)
        diag_add(diags, node_get(workload, REPLAY_KEY)->mark, "workload.speed",
                 "say how fast a rank computes: speed: 1 Gflop/s",
                 "must be given: the recording counts operations");
    if (!counts && speed)
        diag_add(diags, speed->key_mark, "workload.speed", "time_scale changes them",
                 "the recording has times, not operations");
    scale = node_get(workload, "time_scale");
    if (counts && scale)
        diag_add(diags, scale->key_mark, "workload.time_scale", "speed says how long they take",
                 "the recording counts operations, and has no times");
}
