// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a run writes: each is whole or not there, and every failure says which file and why.
#ifndef NETSIM_OUTPUT_FILE_H
#define NETSIM_OUTPUT_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

// Opens a file for a stream of output. NULL and *error if that fails.
FILE *file_create(const char *path, GError **error);

// Closes a file of file_create; false and *error if not all of it could be written.
bool file_finish(FILE *file, const char *path, GError **error);

// Whether a directory is there and can be written to, or could be made: what can be known before a
// long run. False and *error if not. Makes nothing.
bool file_check_directory(const char *path, GError **error);

// Makes a directory and what is missing above it; false and *error if that fails.
bool file_make_directory(const char *path, GError **error);

// Puts `length` bytes into directory/name at once: into a temporary file that is then renamed.
bool file_replace(const char *directory, const char *name, const char *text, size_t length,
                  GError **error);

// results/NAME, with what could lead out of results/ replaced. The caller frees it.
char *file_results_directory(const char *scenario);

#endif
