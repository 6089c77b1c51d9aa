// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/recorder.h"

#include "sim/core/tee.h"
#include "sim/measure/result.h"
#include "sim/output/file.h"
#include "sim/output/gzip.h"

#define RECORDER_ROW(end, kind, option, words, argument, summary, more) {&(kind), "--" option},
static const struct {
    const struct recorder_kind *kind;
    const char *option;
} recorder_rows[RECORD_KINDS] = {RECORDERS(RECORDER_ROW)};

struct recorder *recorder_new(const struct recorder_kind *kind, const char *path)
{
    struct recorder *recorder = g_malloc0(kind->size);
    recorder->trace.ops = kind->trace;
    recorder->capture.ops = kind->frame;
    recorder->kind = kind;
    recorder->path = g_strdup(path);
    if (kind->init)
        kind->init(recorder);
    return recorder;
}

bool recorder_open(struct recorder *recorder, GError **error)
{
    if (recorder->kind->directory)
        return recorder->kind->directory->open(recorder, error);
    recorder->file = file_begin(recorder->path, error);
    if (!recorder->file)
        return false;
    recorder->out = file_stream(recorder->file);
    recorder->is_compressed = gzip_wanted(recorder->path);
    if (recorder->is_compressed)
        recorder->out = gzip_stream(recorder->out);
    if (recorder->kind->header)
        fputs(recorder->kind->header, recorder->out);
    return true;
}

struct recorder *recorder_part(const struct recorder_kind *kind, FILE *part)
{
    struct recorder *recorder = recorder_new(kind, NULL);
    recorder->out = part;
    return recorder;
}

FILE *recorder_new_part(const struct recorder *recorder, GError **error)
{
    return file_part(recorder->file, error);
}

static void recorder_copy(struct recorder *recorder, FILE *part)
{
    char bytes[65536];
    size_t length;
    while ((length = fread(bytes, 1, sizeof bytes, part)) > 0)
        fwrite(bytes, 1, length, recorder->out);
}

bool recorder_join(struct recorder *recorder, FILE *part, GError **error)
{
    rewind(part);
    (recorder->kind->join ? recorder->kind->join : recorder_copy)(recorder, part);
    return file_part_is_whole(part, error);
}

static void recorder_end(struct recorder *recorder, bool complete)
{
    if (recorder->kind->end_series)
        recorder->kind->end_series(recorder, complete);
}

void recorder_begin(struct recorder *recorder, int series, const char *name)
{
    recorder_end(recorder, false);
    recorder->kind->begin_series(recorder, series, name);
}

// Errors of a compressing stream are those of its file.
static void recorder_end_compression(struct recorder *recorder)
{
    if (recorder->is_compressed)
        fclose(g_steal_pointer(&recorder->out));
    recorder->is_compressed = false;
}

// Ends the file, if it is one.
static bool recorder_complete(struct recorder *recorder, GError **error)
{
    if (recorder->kind->directory)
        return recorder->kind->directory->is_whole(recorder, error);
    if (!recorder->file)
        return file_part_is_whole(recorder->out, error);
    if (recorder->kind->footer)
        fputs(recorder->kind->footer, recorder->out);
    recorder_end_compression(recorder);
    return file_end(g_steal_pointer(&recorder->file), error);
}

bool recorder_close(struct recorder *recorder, GError **error)
{
    if (!recorder)
        return true;
    recorder_end(recorder, false);
    bool whole = recorder_complete(recorder, error);
    recorder_drop(recorder);
    return whole;
}

void recorder_drop(struct recorder *recorder)
{
    if (!recorder)
        return;
    recorder_end_compression(recorder);
    file_drop(recorder->file);
    recorder->kind->clear(recorder);
    g_free(recorder->path);
    g_free(recorder);
}

// ---- All recorders of a run ----

const char *recorders_option(int kind)
{
    return recorder_rows[kind].option;
}

bool recorders_plan(struct recorders *all, const struct recorders_request *request, GError **error)
{
    *all = (struct recorders){.tees = NULL};
    for (int i = 0; i < RECORD_KINDS; i++) {
        const struct recorder_kind *kind = recorder_rows[i].kind;
        all->of[i] = request->paths[i] ? recorder_new(kind, request->paths[i]) : NULL;
        if (all->of[i] && i == RECORD_TIMELINE) {
            all->of[i]->from = request->trace_from;
            all->of[i]->to = request->trace_to;
        }
        if (all->of[i] && kind->directory && !kind->directory->plan(all->of[i], request, error))
            return false;
    }
    return true;
}

void recorders_append_uses(const struct recorders *all, GArray *uses)
{
    for (int i = 0; i < RECORD_KINDS; i++) {
        if (!all->of[i])
            continue;
        struct file_use use = {recorder_rows[i].option, all->of[i]->path, true};
        g_array_append_val(uses, use);
        if (all->of[i]->kind->directory)
            all->of[i]->kind->directory->append_uses(all->of[i], uses);
    }
}

// Gives all recorders one sink of events and one of frames.
static void recorders_connect(struct recorders *all)
{
    struct trace *sinks[RECORD_KINDS] = {NULL};
    for (int i = 0; i < RECORD_KINDS; i++) {
        if (all->of[i] && all->of[i]->trace.ops)
            sinks[i] = &all->of[i]->trace;
        if (all->of[i] && all->of[i]->capture.ops)
            all->capture = &all->of[i]->capture;
    }
    all->tees = g_ptr_array_new_with_free_func((GDestroyNotify)tee_free);
    all->trace = tee_all(sinks, RECORD_KINDS, all->tees);
}

bool recorders_open(struct recorders *all, GError **error)
{
    // Directories are made first: a file in the place of one of them can't be opened after that.
    for (int directories = 1; directories >= 0; directories--)
        for (int i = 0; i < RECORD_KINDS; i++)
            if (all->of[i] && (all->of[i]->kind->directory != NULL) == directories &&
                !recorder_open(all->of[i], error))
                return false;
    recorders_connect(all);
    return true;
}

bool recorders_new_parts(const struct recorders *all, FILE *parts[RECORD_KINDS], GError **error)
{
    for (int i = 0; i < RECORD_KINDS; i++)
        if (all->of[i] && all->of[i]->file && !(parts[i] = recorder_new_part(all->of[i], error)))
            return false;
    return true;
}

void recorders_part(const struct recorders *all, FILE *const parts[RECORD_KINDS],
                    struct recorders *part)
{
    *part = (struct recorders){.tees = NULL};
    for (int i = 0; i < RECORD_KINDS; i++) {
        if (!all->of[i])
            continue;
        part->of[i] = recorder_part(all->of[i]->kind, parts[i]);
        part->of[i]->from = all->of[i]->from;
        part->of[i]->to = all->of[i]->to;
        if (all->of[i]->kind->directory)
            all->of[i]->kind->directory->share(part->of[i], all->of[i]);
    }
    recorders_connect(part);
}

bool recorders_join(const struct recorders *all, FILE *const parts[RECORD_KINDS], GError **error)
{
    for (int i = 0; i < RECORD_KINDS; i++)
        if (parts[i] && !recorder_join(all->of[i], parts[i], error))
            return false;
    return true;
}

void recorders_close_parts(FILE *parts[RECORD_KINDS])
{
    for (int i = 0; i < RECORD_KINDS; i++)
        g_clear_pointer(&parts[i], fclose);
}

void recorders_begin(const struct recorders *all, int series, const char *name)
{
    for (int i = 0; i < RECORD_KINDS; i++)
        if (all->of[i])
            recorder_begin(all->of[i], series, name);
}

void recorders_end(const struct recorders *all, bool complete)
{
    for (int i = 0; i < RECORD_KINDS; i++)
        if (all->of[i])
            recorder_end(all->of[i], complete);
}

json_t *recorders_files(const struct recorders *all, const struct result *result)
{
    json_t *list = json_array();
    for (int i = 0; i < RECORD_KINDS; i++) {
        if (!all->of[i])
            continue;
        const struct recorder_directory_ops *directory = all->of[i]->kind->directory;
        for (guint k = 0; directory && k < result->series->len; k++) {
            const struct series_result *series = g_ptr_array_index(result->series, k);
            directory->append_files(all->of[i], series->number, list);
        }
        char *valid = g_utf8_make_valid(all->of[i]->path, -1);
        if (!directory)
            json_array_append_new(
                list, json_pack("{s:s, s:s}", "as", recorder_rows[i].option, "file", valid));
        g_free(valid);
    }
    return list;
}

static void recorders_disconnect(struct recorders *all)
{
    g_clear_pointer(&all->tees, g_ptr_array_unref);
    all->trace = NULL;
    all->capture = NULL;
}

char **recorders_close(struct recorders *all)
{
    GPtrArray *mistakes = g_ptr_array_new_with_free_func(g_free);
    recorders_disconnect(all);
    for (int i = 0; i < RECORD_KINDS; i++) {
        GError *error = NULL;
        if (recorder_close(g_steal_pointer(&all->of[i]), &error))
            continue;
        g_ptr_array_add(mistakes, g_strdup(error->message));
        g_error_free(error);
    }
    bool whole = mistakes->len == 0;
    g_ptr_array_add(mistakes, NULL);
    return (char **)g_ptr_array_free(mistakes, whole); // whole: NULL
}

void recorders_drop(struct recorders *all)
{
    recorders_disconnect(all);
    for (int i = 0; i < RECORD_KINDS; i++)
        recorder_drop(g_steal_pointer(&all->of[i]));
}
