// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a DUMPI trace as text: that of rank 0 is named, the others have the next numbers in
// its place.
#include "sim/recording/dumpi.h"
#include "sim/recording/readers.h"
#include "sim/recording/text_lines.h"

#include "sim/core/intern.h"
#include "sim/program/communicator.h"

#include <string.h>

// ---- Names of files ----

// The last run of digits in the name of a file, which must be that of rank 0. Returns false without
// one.
static bool dumpi_digits(const char *path, size_t *begin, size_t *count)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    size_t end = strlen(name);
    while (end > 0 && !g_ascii_isdigit(name[end - 1]))
        end--;
    *count = 0;
    while (*count < end && name[end - *count - 1] == '0')
        ++*count;
    *begin = (size_t)(name - path) + end - *count;
    return *count > 0 && !(end > *count && g_ascii_isdigit(name[end - *count - 1]));
}

// The file of a rank; g_free.
static char *dumpi_file(const char *path, size_t begin, size_t count, int rank)
{
    return g_strdup_printf("%.*s%0*d%s", (int)begin, path, (int)count, rank, path + begin + count);
}

// ---- Lines ----

// Nanoseconds as the text has them, "1296777956.739674000", in ps. Returns false for another text.
static bool dumpi_time(const char *text, const char *before, int64_t *time)
{
    const char *at = strstr(text, before);
    if (!at)
        return false;
    char *end;
    int64_t seconds = g_ascii_strtoll(at + strlen(before), &end, 10);
    if (*end != '.' || strspn(end + 1, "0123456789") != 9 || seconds < 0 || seconds > 9000000000)
        return false;
    // Of the seconds the last 1e6 suffice, so that the sum is not too large.
    *time =
        (seconds % 1000000) * INT64_C(1000000000000) + g_ascii_strtoll(end + 1, NULL, 10) * 1000;
    return true;
}

// The parts of a line of a call's beginning or end.
#define DUMPI_BEGINS " entering at walltime "
#define DUMPI_ENDS " returning at walltime "

static bool dumpi_head(struct dumpi_call *call, const char *text, const char *kind, int64_t *time)
{
    size_t length = (size_t)(strstr(text, kind) - text);
    const char *thread = strstr(text, " in thread ");
    if (length == 0 || length >= sizeof call->name || !dumpi_time(text, kind, time) || !thread) {
        dumpi_complain(call, NULL, NULL, "\"%.60s\" is no line of a call", text);
        return false;
    }
    if (strcmp(thread, " in thread 0.") != 0) {
        dumpi_complain(call, NULL, NULL, "calls of several threads cannot be replayed");
        return false;
    }
    if (kind[1] == 'e') {
        memcpy(call->name, text, length);
        call->name[length] = '\0';
    } else if (strlen(call->name) != length || strncmp(call->name, text, length) != 0) {
        dumpi_complain(call, NULL, NULL, "it does not return before %.*s does", (int)length, text);
        return false;
    }
    return true;
}

// "int count=1", "int recvcounts[4]=[1, 1, 1, 1]". Lines of another form continue one.
static void dumpi_field(struct dumpi_call *call, const char *text, int line)
{
    const char *equals = strchr(text, '=');
    if (!equals || g_str_has_prefix(text, "Perfcounters:"))
        return;
    size_t length = (size_t)(equals - text), begin = length;
    while (begin > 0 && text[begin - 1] != ' ')
        begin--;
    length -= begin;
    const char *bracket = memchr(text + begin, '[', length);
    if (bracket)
        length = (size_t)(bracket - text) - begin;
    const struct dumpi_field field = {
        g_string_chunk_insert_len(call->texts, text + begin, (gssize)length),
        g_string_chunk_insert(call->texts, equals + 1), line};
    g_array_append_val(call->fields, field);
}

static bool dumpi_line(struct dumpi_call *call, const char *text, int line, bool *inside)
{
    bool begins = strstr(text, DUMPI_BEGINS) != NULL, ends = strstr(text, DUMPI_ENDS) != NULL;
    if (*inside && !begins && !ends) {
        dumpi_field(call, text, line);
        return true;
    }
    if (!begins && !ends) // what dumpi2ascii writes before and after the calls
        return true;
    if (begins == *inside) {
        dumpi_complain(call, NULL, NULL,
                       begins ? "another call begins before it returns" : "it returns twice");
        return false;
    }
    if (ends) {
        *inside = false;
        if (!dumpi_head(call, text, DUMPI_ENDS, &call->end))
            return false;
        bool good = dumpi_put(call);
        call->before = call->end;
        return good;
    }
    *inside = true;
    call->line = line;
    g_array_set_size(call->fields, 0);
    g_string_chunk_clear(call->texts);
    g_strlcpy(call->name, "a call", sizeof call->name);
    return dumpi_head(call, text, DUMPI_BEGINS, &call->begin);
}

// ---- Ranks ----

static bool dumpi_lines(struct dumpi_call *call, struct text_lines *lines)
{
    struct diag_list *diags = call->reader->diags;
    bool good = true, bad = false, inside = false;
    while (good && !diag_full(diags) && !call->ended && text_lines_next(lines, diags, &bad))
        good = dumpi_line(call, lines->text->str, lines->line, &inside);
    if (good && !bad && !call->ended && !diag_full(diags)) {
        diag_add(diags, (struct source_mark){call->file, lines->line, 1}, NULL,
                 "the file may have been cut off",
                 "the calls of rank %d do not end with "
                 "MPI_Finalize",
                 call->rank);
        good = false;
    }
    return good && !bad && !diag_full(diags);
}

static bool dumpi_rank(struct dumpi_reader *reader, int rank, const char *path,
                       struct source_mark where)
{
    struct text_lines lines;
    if (!text_lines_open(&lines, path, where, reader->diags))
        return false;
    struct dumpi_call call = {
        .reader = reader,
        .rank = rank,
        .file = intern_text(path),
        .fields = g_array_new(FALSE, FALSE, sizeof(struct dumpi_field)),
        .texts = g_string_chunk_new(1024),
        .before = -1,
        .requests = g_hash_table_new(NULL, NULL),
        .communicators = g_hash_table_new(NULL, NULL),
        .spare = g_array_new(FALSE, FALSE, sizeof(int)),
    };
    recording_builder_file(reader->builder, rank, path);
    bool good = dumpi_lines(&call, &lines);
    g_array_unref(call.fields);
    g_string_chunk_free(call.texts);
    g_hash_table_destroy(call.requests);
    g_hash_table_destroy(call.communicators);
    g_array_unref(call.spare);
    text_lines_close(&lines);
    return good;
}

// How many files there are, from rank 0 on.
static int dumpi_count(const char *path, size_t begin, size_t count)
{
    int ranks = 0;
    bool there = true;
    while (there && ranks < PROGRAM_MOST_RANKS) {
        char *file = dumpi_file(path, begin, count, ranks);
        there = g_file_test(file, G_FILE_TEST_EXISTS);
        g_free(file);
        ranks += there;
    }
    return ranks;
}

struct recording *dumpi_read(const char *path, struct source_mark where, struct diag_list *diags)
{
    size_t begin, count;
    if (!dumpi_digits(path, &begin, &count)) {
        diag_add(diags, where, NULL, "NAME-0000.txt, with NAME-0001.txt and others besides",
                 "the name of a DUMPI trace has the number of its rank, and %s is not that of "
                 "rank 0",
                 path);
        return NULL;
    }
    struct dumpi_reader reader = {
        .diags = diags,
        .ranks = dumpi_count(path, begin, count),
        .made = g_ptr_array_new(),
        .refused = g_ptr_array_new_with_free_func(g_free),
        .blocks = g_array_new(FALSE, TRUE, sizeof(int64_t)),
        .receive_blocks = g_array_new(FALSE, FALSE, sizeof(int64_t)),
        .awaited = g_array_new(FALSE, FALSE, sizeof(int64_t)),
    };
    bool good = true;
    reader.builder = recording_builder_new(path, "DUMPI", reader.ranks, RECORDED_TIME);
    for (int rank = 0; good && rank < reader.ranks; rank++) {
        char *file = dumpi_file(path, begin, count, rank);
        good = dumpi_rank(&reader, rank, file, where);
        g_free(file);
    }
    GPtrArray *communicators = communicators_new();
    good = good && dumpi_groups(&reader, where, communicators);
    if (good && communicators->len > 0)
        recording_builder_communicators(reader.builder, communicators);
    else
        g_ptr_array_free(communicators, TRUE);
    g_ptr_array_unref(reader.made);
    g_ptr_array_unref(reader.refused);
    g_array_unref(reader.blocks);
    g_array_unref(reader.receive_blocks);
    g_array_unref(reader.awaited);
    char *error;
    struct recording *recording = recording_builder_end(reader.builder, good, &error);
    if (error)
        diag_add(diags, where, NULL, NULL, "%s", error);
    g_free(error);
    return recording;
}
