// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/recording_text.h"

#include "sim/program/program.h"
#include "tests/support/suite.h"

#include <stdlib.h>
#include <string.h>

static void write_list(GString *text, const char *name, const int64_t *values, int count)
{
    for (int i = 0; values && i < count; i++)
        g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "," : name, values[i]);
}

static void write_call(GString *text, const struct recorded_call *call, const char *unit)
{
    const struct recorded_call bare = recorded_call(call->code, 0);
    g_string_append_printf(text, "%d:%s", call->line, operation_table[call->code].name);
    if (call->communicator != bare.communicator)
        g_string_append_printf(text, " in c%d", call->communicator);
    if (call->peer != bare.peer)
        g_string_append_printf(text, " to %d", call->peer);
    if (call->source != bare.source)
        g_string_append_printf(text, " from %d", call->source);
    if (call->tag != bare.tag)
        g_string_append_printf(text, " tag %" G_GINT64_FORMAT, call->tag);
    if (call->size != bare.size)
        g_string_append_printf(text, " %" G_GINT64_FORMAT " B", call->size);
    if (call->receive_size != bare.receive_size)
        g_string_append_printf(text, " gets %" G_GINT64_FORMAT " B", call->receive_size);
    if (call->receive_tag != bare.receive_tag)
        g_string_append_printf(text, " with tag %" G_GINT64_FORMAT, call->receive_tag);
    if (call->root != bare.root)
        g_string_append_printf(text, " root %d", call->root);
    if (call->work > 0)
        g_string_append_printf(text, " %g %s", call->work, unit);
    if (call->seconds > 0)
        g_string_append_printf(text, " %g s", call->seconds);
    if (call->request != bare.request)
        g_string_append_printf(text, " r%d", call->request);
    for (int i = 0; i < call->awaited_count; i++)
        g_string_append_printf(text, " w%d", call->awaited[i]);
    g_string_append(text, call->awaits_all ? " all" : "");
    write_list(text, " [", call->blocks, call->block_count);
    write_list(text, "] [", call->receive_blocks, call->block_count);
    g_string_append(text, call->blocks ? "]; " : "; ");
}

char *recording_text(struct recording *recording, int rank)
{
    GString *text = g_string_new(NULL);
    struct recording_cursor *cursor = recording_cursor_new(recording, rank);
    struct recorded_call call;
    while (recording_cursor_next(cursor, &call))
        write_call(text, &call, recording_work(recording) == RECORDED_TIME ? "ps" : "flop");
    recording_cursor_free(cursor);
    return g_string_free(text, FALSE);
}

struct tried_recording recording_try(const char *directory, const char *path)
{
    struct tried_recording tried = {0};
    struct diag_list *diags = diag_list_new();
    struct source_mark where = {"case.yaml", 3, 5};
    char *printed = NULL;
    size_t length;
    tried.recording = recording_read(path, where, diags);
    CU_ASSERT(!tried.recording == diag_any(diags));
    if (diag_any(diags)) {
        FILE *out = open_memstream(&printed, &length);
        diag_print(diags, out);
        fclose(out);
        char *prefix = g_strconcat(directory, "/", NULL), **parts = g_strsplit(printed, prefix, -1);
        free(printed);
        tried.complaints = g_strjoinv("", parts);
        g_strfreev(parts);
        g_free(prefix);
    }
    diag_list_free(diags);
    return tried;
}

void tried_recording_clear(struct tried_recording *tried)
{
    recording_unref(tried->recording);
    g_free(tried->complaints);
    *tried = (struct tried_recording){0};
}

void tried_recording_has_calls(struct tried_recording tried, int rank, const char *calls)
{
    SUITE_SAME_TEXT(tried.complaints ? tried.complaints : "", "");
    if (tried.recording) {
        char *actual = recording_text(tried.recording, rank);
        SUITE_SAME_TEXT(actual, calls);
        g_free(actual);
    }
    tried_recording_clear(&tried);
}

void tried_recording_is_refused(struct tried_recording tried, const char *part)
{
    CU_ASSERT_PTR_NULL(tried.recording);
    SUITE_CONTAINS(tried.complaints ? tried.complaints : "it was read", part);
    tried_recording_clear(&tried);
}
