// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a command writes: each is whole or not there, and every failure says which file and
// why.
//
// What is written has no name until it is whole (O_TMPFILE), so that not even a kill leaves a part
// of it; on file systems that can't do that it lies beside its place as .netsim-PID-N. Then it
// takes the place of what stood there. A link stays, and its target is replaced. What is no regular
// file, a device or a pipe, is written to as it is, and so is what /proc names (/dev/stdout).
#ifndef NETSIM_OUTPUT_FILE_H
#define NETSIM_OUTPUT_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

// A file being written.
struct file;

// Begins a file; what stands at `path` stays until file_end. NULL and *error if it can't be
// written.
struct file *file_begin(const char *path, GError **error);

// Where to write; the file closes it.
FILE *file_stream(const struct file *file);

// A file for a part of it, which another process may write and this one then reads: without a name,
// and gone when it is closed. NULL and *error if there is none to be had.
FILE *file_part(const struct file *file, GError **error);

// Whether all that was written to a part, and read from it, was. False and *error if not.
bool file_part_is_whole(FILE *part, GError **error);

// Puts the file in its place. False and *error if not all of it could be written: then what was
// there still is. Frees the file.
bool file_end(struct file *file, GError **error);

// Frees a file of which nothing shall be there. NULL is ignored.
void file_drop(struct file *file);

// A whole text at once: file_begin to file_end.
bool file_put(const char *path, const char *text, size_t length, GError **error);

// Files of one directory that belong together: all are written before the first takes its place, so
// that what can go wrong leaves all as they were. They take their places in the order of the list.
struct file_text {
    const char *name, *text;
    size_t length;
};
bool file_put_all(const char *directory, const struct file_text *texts, int count, GError **error);

// A file that a command reads or writes, and as what: "--trace", "the scenario".
struct file_use {
    const char *as, *path;
    bool written;
};

// Whether no file of the list that is written is another one of it, be it by another name or by a
// link. Character devices (/dev/null) may be as many as they like. False and *error names both.
bool file_uses_differ(const struct file_use *uses, int count, GError **error);

// Whether a directory is there and can be written to, or could be made: what can be known before a
// long run. False and *error if not. Makes nothing.
bool file_check_directory(const char *path, GError **error);

// Makes a directory and what is missing above it; false and *error if that fails.
bool file_make_directory(const char *path, GError **error);
// The same, and finds out whether files can be made in it: root may write where that can't be, as
// in /proc.
bool file_ready_directory(const char *path, GError **error);

// results/NAME, with what could lead out of results/ replaced. The caller frees it.
char *file_results_directory(const char *scenario);

#endif
