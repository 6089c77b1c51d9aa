// SPDX-License-Identifier: GPL-3.0-or-later
// The choice of a file's reader.
#include "sim/recording/readers.h"
#include "sim/recording/text_lines.h"

#include <errno.h>
#include <string.h>

#define HEAD_BYTES 4096

static const struct format {
    const char *name;
    // Whether a file that begins with `head` is of the format. The last one takes any text.
    bool (*is)(const char *head, size_t length);
    struct recording *(*read)(const char *path, struct source_mark where, struct diag_list *diags);
} formats[];

// Reads the beginning of a file. Returns -1 and *why (g_free) if it can't be read.
static ssize_t read_head(const char *path, char *head, char **why)
{
    int64_t size;
    FILE *file = text_lines_stream(path, &size, why);
    if (!file)
        return -1;
    size_t got = fread(head, 1, (size_t)MIN(size, HEAD_BYTES), file);
    if (ferror(file))
        *why = g_strdup(g_strerror(errno));
    fclose(file);
    return *why ? -1 : (ssize_t)got;
}

static bool file_is_text(const char *head, size_t length)
{
    return length > 0 && !memchr(head, '\0', length);
}

// An anchor is a binary file that begins so.
static bool is_anchor(const char *head, size_t length)
{
    static const char magic[] = "\003BOTF2";
    return length >= strlen(magic) && memcmp(head, magic, strlen(magic)) == 0;
}

// dumpi2ascii prints the times of each call.
static bool is_dumpi_text(const char *head, size_t length)
{
    return file_is_text(head, length) &&
           g_strstr_len(head, (gssize)length, " entering at walltime ");
}

#ifndef NETSIM_OTF2 // the library was not there when netsim was built
static struct recording *otf2_read_refused(const char *path, struct source_mark where,
                                           struct diag_list *diags)
{
    diag_add(
        diags, where, NULL,
        "install Debian's libopen-trace-format2-dev, or OTF2 from its sources, and build again",
        "%s is an OTF2 archive, which this netsim was built without the library to read", path);
    return NULL;
}
#define otf2_read otf2_read_refused
#endif

static const struct format formats[] = {
    {"OTF2", is_anchor, otf2_read},
    {"DUMPI", is_dumpi_text, dumpi_read},
    {"SimGrid's TI", file_is_text, ti_read},
    {NULL, NULL, NULL},
};

struct recording *recording_read(const char *path, struct source_mark where,
                                 struct diag_list *diags)
{
    char head[HEAD_BYTES];
    char *why;
    ssize_t length = read_head(path, head, &why);
    if (length < 0) {
        diag_add(diags, where, NULL, NULL, "the recording %s cannot be read: %s", path, why);
        g_free(why);
        return NULL;
    }
    for (const struct format *format = formats; format->name; format++)
        if (format->is(head, (size_t)length))
            return format->read(path, where, diags);
    diag_add(diags, where, NULL,
             "a list of SimGrid's TI traces, such a trace of all ranks, the .otf2 file of an "
             "OTF2 archive, or what dumpi2ascii wrote of rank 0",
             "%s is %s", path, length == 0 ? "empty" : "of no format that is known");
    return NULL;
}
