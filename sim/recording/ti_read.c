// SPDX-License-Identifier: GPL-3.0-or-later
// The files of a time-independent trace: a list of files, of which each has the lines of one rank,
// or one file with the lines of all.
#include "sim/recording/readers.h"
#include "sim/recording/text_lines.h"
#include "sim/recording/ti.h"

#include "sim/core/intern.h"

#include <string.h>

// A file that is read line by line.
struct ti_file {
    struct text_lines lines;
    GArray *words; // struct ti_word, of the last line
};

// ---- Lines ----

void ti_split(char *text, GArray *words)
{
    g_array_set_size(words, 0);
    for (char *at = text;;) {
        at += strspn(at, " \t\r\n");
        if (!*at)
            return;
        struct ti_word word = {at, (int)(at - text) + 1};
        g_array_append_val(words, word);
        at += strcspn(at, " \t\r\n");
        if (*at)
            *at++ = '\0';
    }
}

static bool file_open(struct ti_file *file, const char *path, struct source_mark where,
                      struct diag_list *diags)
{
    if (!text_lines_open(&file->lines, path, where, diags))
        return false;
    file->words = g_array_new(FALSE, FALSE, sizeof(struct ti_word));
    return true;
}

static void file_close(struct ti_file *file)
{
    text_lines_close(&file->lines);
    g_array_unref(file->words);
}

// Reads the next line that is neither empty nor a comment; its words are in `words`. Returns false
// if there is none, or with *bad and an error added.
static bool file_next(struct ti_file *file, struct diag_list *diags, bool *bad)
{
    while (text_lines_next(&file->lines, diags, bad)) {
        ti_split(file->lines.text->str, file->words);
        if (file->words->len > 0 && g_array_index(file->words, struct ti_word, 0).text[0] != '#')
            return true;
    }
    return false;
}

// Whether the words are those of a call: a rank, and a word.
static bool is_call(const GArray *words)
{
    const char *rank = g_array_index(words, struct ti_word, 0).text;
    return words->len >= 2 && strspn(rank, "0123456789") == strlen(rank);
}

static struct ti_line line_of(struct ti_reader *reader, const struct ti_file *file)
{
    return (struct ti_line){
        .reader = reader,
        .mark = {file->lines.name, file->lines.line, 1},
        .words = &g_array_index(file->words, struct ti_word, 0),
        .count = (int)file->words->len,
    };
}

// ---- Ranks ----

static void reader_begin(struct ti_reader *reader, const char *path, int ranks)
{
    reader->ranks = ranks;
    reader->builder = recording_builder_new(path, "TI", ranks, RECORDED_FLOPS);
    reader->rank = g_new0(struct ti_rank, ranks);
    reader->blocks = g_array_new(FALSE, TRUE, sizeof(int64_t));
    reader->receive_blocks = g_array_new(FALSE, FALSE, sizeof(int64_t));
    reader->awaited = g_array_new(FALSE, FALSE, sizeof(int));
    reader->refused = g_ptr_array_new();
    for (int rank = 0; rank < ranks; rank++)
        ti_rank_init(&reader->rank[rank]);
}

static struct recording *reader_end(struct ti_reader *reader, struct source_mark where, bool good)
{
    for (int rank = 0; rank < reader->ranks; rank++)
        ti_rank_clear(&reader->rank[rank]);
    g_free(reader->rank);
    g_ptr_array_unref(reader->refused);
    g_array_unref(reader->awaited);
    g_array_unref(reader->blocks);
    g_array_unref(reader->receive_blocks);
    char *error;
    struct recording *recording = recording_builder_end(reader->builder, good, &error);
    if (error)
        diag_add(reader->diags, where, NULL, NULL, "%s", error);
    g_free(error);
    return recording;
}

// Whether the rank's trace is whole.
static bool rank_ended(const struct ti_reader *reader, int rank, const char *file)
{
    const struct ti_rank *state = &reader->rank[rank];
    struct source_mark mark = {intern_text(file), 0, 0};
    if (!state->started)
        diag_add(reader->diags, mark, NULL, NULL, "there are no calls of rank %d", rank);
    else if (!state->ended)
        diag_add(reader->diags, mark, NULL, "the file may have been cut off",
                 "the calls of rank %d do not end with finalize", rank);
    return state->started && state->ended;
}

static bool read_line(struct ti_reader *reader, const struct ti_file *file, int only)
{
    struct ti_line line = line_of(reader, file);
    if (!is_call(file->words)) {
        ti_complain(&line, 0, "RANK ACTION ARGUMENTS", "this is no call");
        return false;
    }
    int64_t rank;
    if (!ti_number(&line, 0, "rank", 0, reader->ranks - 1, &rank))
        return false;
    if (only != OPERATION_ANY && rank != only) {
        ti_complain(&line, 0, NULL, "a call of rank %d in the file of rank %d", (int)rank, only);
        return false;
    }
    line.rank = (int)rank;
    return ti_action(&line);
}

// Looks through the calls of a file, before they are read: those of one rank, or of all
// (OPERATION_ANY). Errors are reported when they are read.
static void scan_calls(struct ti_reader *reader, struct ti_file *file, int only)
{
    struct diag_list *ignored = diag_list_new();
    bool bad;
    while (file_next(file, ignored, &bad)) {
        const struct ti_word *words = &g_array_index(file->words, struct ti_word, 0);
        guint64 rank;
        if (is_call(file->words) &&
            g_ascii_string_to_unsigned(words[0].text, 10, 0, (guint64)reader->ranks - 1, &rank,
                                       NULL) &&
            (only == OPERATION_ANY || (int)rank == only))
            ti_requests_scan(&reader->rank[rank], (int)rank, words, (int)file->words->len,
                             file->lines.line);
    }
    diag_list_free(ignored);
    int first = only == OPERATION_ANY ? 0 : only,
        last = only == OPERATION_ANY ? reader->ranks - 1 : only;
    for (int rank = first; rank <= last; rank++)
        ti_requests_begin(&reader->rank[rank]);
    text_lines_rewind(&file->lines);
}

// Reads the calls of a file: those of one rank, or of all (OPERATION_ANY).
static bool read_calls(struct ti_reader *reader, struct ti_file *file, int only)
{
    bool good = true, bad = false;
    while (!diag_full(reader->diags) && file_next(file, reader->diags, &bad))
        good = read_line(reader, file, only) && good;
    return good && !bad && !diag_full(reader->diags);
}

// ---- One file for all ranks ----

// How many ranks the calls of a file are of; 0: one of them is wrong, and an error was added.
static int count_ranks(struct ti_file *file, struct diag_list *diags)
{
    struct ti_reader counting = {.diags = diags, .ranks = 0};
    bool bad;
    int64_t most = -1;
    while (file_next(file, diags, &bad)) {
        struct ti_line line = line_of(&counting, file);
        int64_t rank;
        if (!is_call(file->words)) {
            ti_complain(&line, 0, "RANK ACTION ARGUMENTS", "this is no call");
            return 0;
        }
        if (!ti_number(&line, 0, "rank", 0, PROGRAM_MOST_RANKS - 1, &rank))
            return 0;
        most = MAX(most, rank);
    }
    return bad ? 0 : (int)most + 1;
}

static struct recording *read_single(const char *path, struct source_mark where,
                                     struct diag_list *diags)
{
    struct ti_file file;
    struct ti_reader reader = {.diags = diags};
    if (!file_open(&file, path, where, diags))
        return NULL;
    int ranks = count_ranks(&file, diags);
    if (ranks == 0) {
        file_close(&file);
        return NULL;
    }
    text_lines_rewind(&file.lines);
    reader_begin(&reader, path, ranks);
    scan_calls(&reader, &file, OPERATION_ANY);
    bool good = read_calls(&reader, &file, OPERATION_ANY);
    for (int rank = 0; good && rank < ranks; rank++)
        good = rank_ended(&reader, rank, path);
    file_close(&file);
    return reader_end(&reader, where, good);
}

// ---- A list of files ----

// The file that a list names: from the current directory, as SimGrid takes it, or from that of the
// list. g_free.
static char *listed_file(const char *list, const char *name)
{
    if (g_path_is_absolute(name) || g_file_test(name, G_FILE_TEST_EXISTS))
        return g_strdup(name);
    char *directory = g_path_get_dirname(list);
    char *path = g_build_filename(directory, name, NULL);
    g_free(directory);
    return path;
}

static bool read_rank(struct ti_reader *reader, int rank, const char *path,
                      struct source_mark where)
{
    struct ti_file file;
    if (!file_open(&file, path, where, reader->diags))
        return false;
    recording_builder_file(reader->builder, rank, path);
    scan_calls(reader, &file, rank);
    bool good = read_calls(reader, &file, rank) && rank_ended(reader, rank, path);
    file_close(&file);
    return good;
}

// Whether a file that a list names is there. The list may be some other file, given by mistake: its
// lines are not printed, and the caller stops at the first.
static bool is_there(const char *path, struct source_mark mark, struct diag_list *diags)
{
    char *why;
    int64_t size;
    FILE *stream = text_lines_stream(path, &size, &why);
    if (stream) {
        fclose(stream);
        return true;
    }
    diag_add(diags, mark, NULL, "a list of files, or the calls of all ranks",
             "the file that this line names cannot be read: %s", why);
    g_free(why);
    return false;
}

// The names of a list, with their places; NULL: it is wrong, and an error was added.
static GPtrArray *read_names(const char *path, struct source_mark where, GArray *lines,
                             struct diag_list *diags)
{
    struct ti_file file;
    if (!file_open(&file, path, where, diags))
        return NULL;
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    bool bad;
    while (file_next(&file, diags, &bad)) {
        if (names->len == PROGRAM_MOST_RANKS) {
            diag_add(diags, (struct source_mark){file.lines.name, file.lines.line, 1}, NULL, NULL,
                     "at most %d ranks can be replayed", PROGRAM_MOST_RANKS);
            bad = true;
            break;
        }
        g_ptr_array_add(names, g_strdup(g_array_index(file.words, struct ti_word, 0).text));
        g_array_append_val(lines, file.lines.line);
    }
    file_close(&file);
    if (!bad && names->len == 0)
        diag_add(diags, where, NULL, NULL, "the list %s names no file", path);
    if (!bad && names->len > 0)
        return names;
    g_ptr_array_unref(names);
    return NULL;
}

static struct recording *ti_read_list(const char *path, struct source_mark where,
                                      struct diag_list *diags)
{
    GArray *lines = g_array_new(FALSE, FALSE, sizeof(int));
    GPtrArray *names = read_names(path, where, lines, diags);
    struct recording *recording = NULL;
    if (names) {
        struct ti_reader reader = {.diags = diags};
        bool good = true;
        reader_begin(&reader, path, (int)names->len);
        for (guint i = 0; good && i < names->len && !diag_full(diags); i++) {
            struct source_mark mark = {intern_text(path), g_array_index(lines, int, i), 1};
            char *file = listed_file(path, g_ptr_array_index(names, i));
            good = is_there(file, mark, diags) && read_rank(&reader, (int)i, file, mark);
            g_free(file);
        }
        recording = reader_end(&reader, where, good && !diag_full(diags));
        g_ptr_array_unref(names);
    }
    g_array_unref(lines);
    return recording;
}

// ---- Which of them ----

struct recording *ti_read(const char *path, struct source_mark where, struct diag_list *diags)
{
    struct ti_file file;
    bool bad;
    if (!file_open(&file, path, where, diags))
        return NULL;
    bool any = file_next(&file, diags, &bad), single = any && is_call(file.words);
    file_close(&file);
    if (!any) {
        if (!bad)
            diag_add(diags, where, NULL, NULL, "the recording %s has no calls", path);
        return NULL;
    }
    return single ? read_single(path, where, diags) : ti_read_list(path, where, diags);
}
