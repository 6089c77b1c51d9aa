// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a command writes: each appears whole or not at all, and every error names the file and
// the cause.
//
// A file being written has no name until it is complete (O_TMPFILE), so that even a killed program
// leaves no partial file; on file systems without O_TMPFILE it is called .netsim-PID-N in the
// target's directory. Then it replaces the old file. A symbolic link stays, and its target is
// replaced. Anything but a regular file, such as a device or a pipe, is written to directly, and so
// is what /proc names (/dev/stdout).
#ifndef NETSIM_OUTPUT_FILE_H
#define NETSIM_OUTPUT_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

// A file being written.
struct file;

// Begins a file; the old file at `path` stays until file_end. Returns NULL and sets *error if it
// can't be written.
struct file *file_begin(const char *path, GError **error);

// The stream to write to; the file closes it.
FILE *file_stream(const struct file *file);

// A temporary file for a part, which another process may write and this process then reads. It has
// no name and disappears when it is closed. Returns NULL and sets *error if none can be created.
FILE *file_part(const struct file *file, GError **error);

// Whether all writes to a part, and reads from it, have succeeded. Sets *error if not.
bool file_part_is_whole(FILE *part, GError **error);

// Moves the file to its place and frees it. Returns false and sets *error if not all of it could be
// written: then the old file is unchanged.
bool file_end(struct file *file, GError **error);

// Frees a file that shall not appear. Ignores NULL.
void file_drop(struct file *file);

// Writes a whole text at once: file_begin to file_end.
bool file_put(const char *path, const char *text, size_t length, GError **error);

// Files of one directory that belong together: all are written before the first replaces an old
// one, so that a failure leaves all old files unchanged. They are moved to their places in the
// order of the list.
struct file_text {
    const char *name, *text;
    size_t length;
};
bool file_put_all(const char *directory, const struct file_text *texts, int count, GError **error);

// A file that a command reads or writes, and its role: "--trace", "the scenario".
struct file_use {
    const char *as, *path;
    bool written;
};

// Whether no written file of the list is also another of its files, under another name or through a
// link. Character devices (/dev/null) may be named repeatedly. If not, returns false, and *error
// names both.
bool file_uses_differ(const struct file_use *uses, int count, GError **error);

// Whether a directory exists and is writable, or could be created, as far as this can be known
// before a long run. Returns false and sets *error if not. Creates nothing.
bool file_check_directory(const char *path, GError **error);

// Creates a directory and its missing parents. Returns false and sets *error if that fails.
bool file_make_directory(const char *path, GError **error);
// Like file_make_directory, but also tests that files can be created in it: root has write
// permission even where that fails, as in /proc.
bool file_ready_directory(const char *path, GError **error);

// results/NAME, with characters that could lead out of results/ replaced. The caller frees it.
char *file_results_directory(const char *scenario);

#endif
