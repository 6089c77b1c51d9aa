// SPDX-License-Identifier: GPL-3.0-or-later
// The user's choice of what a picture shows of results, and how. The code that makes a picture asks
// for each name that it meets; in the end choice_check knows which of the user's names were never
// met.
#ifndef NETSIM_FIGURES_CHOICE_H
#define NETSIM_FIGURES_CHOICE_H

#include "sim/outcome/outcome.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

// The name by which message sizes are an axis like the parameters of a sweep.
#define CHOICE_SIZE_AXIS "size"

// The user's words: NULL for what is left open; lists end with NULL.
struct choice_words {
    const char *x, *y;  // axes of a sweep, or "size"; y makes fields of colours
    char **metrics;     // "latency_us", "latency" or "p99"; open: one of each unit
    char **series;      // open: all
    char **sizes;       // "64 KiB", "1 KiB..1 MiB", without a unit: bytes; open: all
    const char *title;  // open: the name of what is drawn
    const char *log;    // "x", "y", "xy": scales; open: by the values
    const char *linear; // the same
};

struct choice;

// Returns NULL and sets *error if a word can't be understood. Borrows the words. Free with
// choice_free.
struct choice *choice_new(const struct choice_words *words, GError **error);
void choice_free(struct choice *choice);

// The axes that the user names, or NULL.
const char *choice_x(const struct choice *choice);
const char *choice_y(const struct choice *choice);
// Whether the user names metrics.
bool choice_names_metrics(const struct choice *choice);

// The results of a run (`netsim run --format json`), or a sweep, reduced to the chosen series and
// sizes. The first returns a new reference. The second changes the sweep in place, and also removes
// the curves of metrics that are not chosen.
json_t *choice_of_result(struct choice *choice, json_t *result);
void choice_of_outcome(struct choice *choice, struct outcome *outcome);

// Removes metrics (interned names) that are not chosen from a list. If the user has chosen none,
// these are all but the first metric of each unit; a note in `notes` then names them.
void choice_of_metrics(struct choice *choice, GPtrArray *metrics, json_t *notes);

// Whether one of the series is chosen, or the metric with this label.
bool choice_takes_series(struct choice *choice, const char *name);
bool choice_takes_label(struct choice *choice, const char *label, const char *unit);
// Whether values at a size are chosen; -1: those without a size.
bool choice_takes_size(const struct choice *choice, int64_t size);

// Sets the title and the scales in the document of a picture. Returns false and sets *error if none
// of its panels has such an axis.
bool choice_finish(const struct choice *choice, json_t *document, GError **error);

// Returns false if a series or metric was chosen that did not occur; *error then lists those that
// did.
bool choice_check(const struct choice *choice, GError **error);

#endif
