// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a recording: 0, a trace of all ranks; 1, the traces of two ranks, the second after
// the first form feed; 2, the list of files. An accepted recording is taken call by call, and a
// call that waits must wait for what is open.
#include "sim/program/program.h"
#include "sim/recording/recording.h"
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#define LISTED "a\nb\n"
#define GOOD "0 init\n0 finalize\n"

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

// Puts the input into files, and returns the one to be read. g_free.
static char *put(unsigned kind, const uint8_t *data, size_t size)
{
    const uint8_t *cut = size > 0 ? memchr(data, '\f', size) : NULL;
    size_t first = cut ? (size_t)(cut - data) : size;
    char *path = g_strdup(fuzz_path("t"));
    if (kind == 1) {
        fuzz_write(fuzz_path("a"), data, first);
        fuzz_write(fuzz_path("b"), cut ? cut + 1 : data, cut ? size - first - 1 : 0);
        fuzz_write(path, LISTED, strlen(LISTED));
    } else {
        fuzz_write(fuzz_path("a"), GOOD, strlen(GOOD));
        fuzz_write(path, data, size);
    }
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    unsigned kind = fuzz_kind(&data, &size, 3);
    char *path = put(kind, data, size);
    struct diag_list *diags = diag_list_new();
    struct recording *recording =
        recording_read(path, (struct source_mark){"fuzz.yaml", 1, 1}, diags);
    for (int rank = 0; recording && rank < recording_ranks(recording); rank++)
        check_rank(recording, rank);
    fuzz_end(diags, recording != NULL);
    recording_unref(recording);
    g_free(path);
    return 0;
}
