// SPDX-License-Identifier: GPL-3.0-or-later
// Diagnostics about input: where it is, what is wrong, what was probably meant.
//
// A reader collects all it finds into one list instead of stopping at the first, up to DIAG_LIMIT.
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
    guint found;      // all, also those that were not kept: what a reader asks that wants to know
                      // whether something was found since
    bool overflow;    // more were found than DIAG_LIMIT
};

struct diag_list *diag_list_new(void);
void diag_list_free(struct diag_list *list);

// Adds one; path and hint may be NULL. All strings are copied; the message becomes UTF-8.
void diag_add(struct diag_list *list, struct source_mark mark, const char *path, const char *hint,
              const char *format, ...) G_GNUC_PRINTF(5, 6);

bool diag_any(const struct diag_list *list);

// Whether what is still found is only counted: nobody will read a hint that takes long to make.
bool diag_full(const struct diag_list *list);

// file:line:column: path: message (hint), a line each.
void diag_print(const struct diag_list *list, FILE *out);

// The candidate nearest to `word` by edit distance if it is near enough to be meant, else NULL.
// candidates is NULL-terminated.
const char *diag_nearest(const char *word, const char *const *candidates);

#endif
