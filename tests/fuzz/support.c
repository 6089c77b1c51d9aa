// SPDX-License-Identifier: GPL-3.0-or-later
#define _GNU_SOURCE // nftw
#include "tests/fuzz/fuzz.h"

#include "sim/program/program.h"

#include <ftw.h>
#include <stdlib.h>
#include <unistd.h>

const char *fuzz_tree(void)
{
    const char *tree = g_getenv("NETSIM_SOURCE_DIR");
    return tree ? tree : ".";
}

FILE *fuzz_sink(void)
{
    static FILE *sink;
    if (!sink)
        sink = fopen("/dev/null", "w");
    return sink;
}

void fuzz_end(struct diag_list *diags, bool accepted)
{
    g_assert(accepted == !diag_any(diags));
    for (guint i = 0; i < diags->items->len; i++) {
        const struct diag *diag = g_ptr_array_index(diags->items, i);
        g_assert(g_utf8_validate(diag->message, -1, NULL));
        g_assert(!diag->path || g_utf8_validate(diag->path, -1, NULL));
        g_assert(!diag->hint || g_utf8_validate(diag->hint, -1, NULL));
    }
    diag_print(diags, fuzz_sink());
    diag_list_free(diags);
}

void fuzz_end_error(GError *error, bool accepted)
{
    g_assert(accepted == !error);
    g_assert(!error || g_utf8_validate(error->message, -1, NULL));
    g_clear_error(&error);
}

void fuzz_end_text(char *error, bool accepted)
{
    g_assert(accepted == !error);
    g_free(error);
}

void fuzz_json(json_t *json)
{
    char *text = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;
    g_assert(text);
    json_t *again = json_loads(text, JSON_DECODE_ANY, NULL);
    g_assert(again && json_equal(again, json));
    json_decref(again);
    json_decref(json);
    free(text);
}

// ---- Recordings ----

// Whether the request with that number is open, by number.
static void check_awaited(const struct recorded_call *call, GArray *open)
{
    for (int i = 0; i < call->awaited_count; i++) {
        int number = call->awaited[i];
        g_assert(number >= 0 && (guint)number < open->len);
        g_assert(g_array_index(open, bool, number));
        if (call->code != OP_TEST)
            g_array_index(open, bool, number) = false;
    }
    if (call->awaits_all)
        memset(open->data, 0, open->len * sizeof(bool));
}

static void check_call(const struct recorded_call *call, int ranks, GArray *open)
{
    g_assert(call->code >= 0 && operation_table[call->code].name);
    g_assert(call->line >= 1 && call->size >= 0 && call->receive_size >= 0);
    g_assert(call->peer >= OPERATION_ANY && call->peer < ranks);
    g_assert(call->root >= 0 && call->root < ranks);
    g_assert(call->tag >= OPERATION_ANY && call->work >= 0 && call->seconds >= 0);
    for (int i = 0; i < call->block_count; i++)
        g_assert(call->blocks[i] >= 0 && call->blocks[i] <= INT64_MAX / ranks);
    check_awaited(call, open);
    if (call->request == OPERATION_ANY)
        return;
    g_assert(call->request >= 0 && (guint)call->request <= open->len);
    if ((guint)call->request == open->len)
        g_array_set_size(open, open->len + 1);
    g_assert(!g_array_index(open, bool, call->request));
    g_array_index(open, bool, call->request) = true;
}

static void check_rank(struct recording *recording, int rank)
{
    struct recording_cursor *cursor = recording_cursor_new(recording, rank);
    struct recorded_call call;
    GArray *open = g_array_new(FALSE, TRUE, sizeof(bool));
    uint64_t calls = 0;
    for (; recording_cursor_next(cursor, &call); calls++)
        check_call(&call, recording_ranks(recording), open);
    g_assert(calls == recording_calls(recording, rank));
    for (guint i = 0; i < open->len; i++)
        g_assert(!g_array_index(open, bool, i));
    g_array_unref(open);
    recording_cursor_free(cursor);
}

void fuzz_end_recording(struct recording *recording, struct diag_list *diags)
{
    for (int rank = 0; recording && rank < recording_ranks(recording); rank++)
        check_rank(recording, rank);
    fuzz_end(diags, recording != NULL);
    recording_unref(recording);
}

// ---- Files ----

static char *directory;

static int remove_one(const char *path, const struct stat *status, int flag, struct FTW *walk)
{
    (void)status, (void)flag, (void)walk;
    return remove(path);
}

static void remove_directory(void)
{
    nftw(directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    g_free(directory);
}

const char *fuzz_path(const char *name)
{
    static char path[1024];
    if (!directory) {
        directory = g_dir_make_tmp("netsim-fuzz-XXXXXX", NULL);
        g_assert(directory && atexit(remove_directory) == 0);
    }
    g_snprintf(path, sizeof path, "%s/%s", directory, name);
    return path;
}

void fuzz_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    g_assert(file && fwrite(data, 1, size, file) == size);
    fclose(file);
}

// ---- Inputs ----

char *fuzz_text(const uint8_t *data, size_t size)
{
    return g_strndup((const char *)data, size);
}

unsigned fuzz_kind(const uint8_t **data, size_t *size, unsigned kinds)
{
    unsigned kind = (unsigned)(**data - '0') % kinds;
    (*data)++;
    (*size)--;
    return kind;
}
