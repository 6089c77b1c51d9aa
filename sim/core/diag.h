// SPDX-License-Identifier: GPL-3.0-or-later
// Diagnostics about input: where it is, what is wrong, what was probably meant.
//
// A reader does not stop at the first fault: it collects up to DIAG_LIMIT of them into one list.
#ifndef NETSIM_CORE_DIAG_H
#define NETSIM_CORE_DIAG_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

#define DIAG_LIMIT 20

// A place in a file. line and column count from 1; line 0: the place is the whole file (or the
// command line).
struct source_mark {
    const char *file; // interned (intern.h): never freed, compare by content
    int line, column;
};

struct diag {
    struct source_mark mark;
    char *path;    // the key's path, "host.memory.copy_cold", or NULL
    char *message; // "unknown key"
    char *hint;    // "did you mean copy_cold?" or NULL
};

struct diag_list {
    GPtrArray *items; // of struct diag *, the first DIAG_LIMIT
    guint found;   // all, including those that were not kept; a reader compares it to see whether
                   // anything was found in between
    bool overflow; // more were found than DIAG_LIMIT
};

struct diag_list *diag_list_new(void);
void diag_list_free(struct diag_list *list);

// Adds one; path and hint may be NULL. All strings are copied; the message becomes UTF-8.
void diag_add(struct diag_list *list, struct source_mark mark, const char *path, const char *hint,
              const char *format, ...) G_GNUC_PRINTF(5, 6);

bool diag_any(const struct diag_list *list);

// True if further diagnostics are only counted: the caller can save the work of making a hint.
bool diag_full(const struct diag_list *list);

// Prints one line per diagnostic: "file:line:column: path: message (hint)".
void diag_print(const struct diag_list *list, FILE *out);

// Returns the candidate nearest to `word` by edit distance, or NULL if none is near enough to be
// meant. candidates is NULL-terminated.
const char *diag_nearest(const char *word, const char *const *candidates);

#endif
