// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/recording/text_lines.h"

#include "sim/core/intern.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *text_lines_stream(const char *path, int64_t *size, char **why)
{
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe without a writer: at once
    struct stat status = {0};
    FILE *stream = NULL;
    if (file >= 0 && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        stream = fdopen(file, "r");
    *size = status.st_size;
    *why = NULL;
    if (stream)
        return stream;
    if (file >= 0 && status.st_mode != 0 && !S_ISREG(status.st_mode))
        *why = g_strdup(S_ISDIR(status.st_mode) ? "it is a directory" : "it is no regular file");
    else
        *why = g_strdup(g_strerror(errno));
    if (file >= 0)
        close(file);
    return NULL;
}

bool text_lines_open(struct text_lines *lines, const char *path, struct source_mark where,
                     struct diag_list *diags)
{
    char *why;
    *lines = (struct text_lines){.name = intern_text(path)};
    lines->stream = text_lines_stream(path, &lines->size, &why);
    if (!lines->stream) {
        diag_add(diags, where, NULL, NULL, "the trace %s cannot be read: %s", path, why);
        g_free(why);
        return false;
    }
    lines->left = lines->size;
    lines->text = g_string_new(NULL);
    return true;
}

void text_lines_rewind(struct text_lines *lines)
{
    rewind(lines->stream);
    lines->left = lines->size;
    lines->line = 0;
}

void text_lines_close(struct text_lines *lines)
{
    fclose(lines->stream);
    g_string_free(lines->text, TRUE);
}

// The outcome of reading a line.
enum line_taken {
    TAKEN_WHOLE,
    LINE_TAKEN_NONE,
    TAKEN_CUT,
    TAKEN_BINARY,
    TAKEN_LONG,
    TAKEN_TOO_MANY
};

static enum line_taken take(struct text_lines *lines)
{
    g_string_truncate(lines->text, 0);
    while (lines->left > 0) {
        int character = getc_unlocked(lines->stream);
        if (character == EOF) // it has become shorter, or cannot be read
            break;
        lines->left--;
        if (lines->text->len == 0 && lines->line == INT_MAX)
            return TAKEN_TOO_MANY;
        if (character == '\n')
            return TAKEN_WHOLE;
        if (character == '\0')
            return TAKEN_BINARY;
        if (lines->text->len == TEXT_LINES_LONGEST)
            return TAKEN_LONG;
        g_string_append_c(lines->text, (char)character);
    }
    return lines->text->len > 0 ? TAKEN_CUT : LINE_TAKEN_NONE;
}

bool text_lines_next(struct text_lines *lines, struct diag_list *diags, bool *bad)
{
    enum line_taken taken = take(lines);
    if (ferror(lines->stream)) {
        diag_add(diags, (struct source_mark){lines->name, 0, 0}, NULL, NULL,
                 "the trace cannot be read: %s", g_strerror(errno));
        *bad = true;
        return false;
    }
    *bad = taken != TAKEN_WHOLE && taken != LINE_TAKEN_NONE;
    if (taken != LINE_TAKEN_NONE && taken != TAKEN_TOO_MANY)
        lines->line++;
    struct source_mark mark = {lines->name, lines->line, 1};
    switch (taken) {
    case TAKEN_WHOLE:
        return true;
    case LINE_TAKEN_NONE:
        break;
    case TAKEN_CUT:
        diag_add(diags, mark, NULL, "the file may have been cut off", "the last line has no end");
        break;
    case TAKEN_BINARY:
        diag_add(diags, mark, NULL, NULL, "the line holds a null byte: this is no text");
        break;
    case TAKEN_LONG:
        diag_add(diags, mark, NULL, NULL, "the line is longer than %d MiB",
                 TEXT_LINES_LONGEST >> 20);
        break;
    case TAKEN_TOO_MANY:
        diag_add(diags, mark, NULL, NULL, "more than %d lines cannot be read", INT_MAX);
        break;
    }
    return false;
}
