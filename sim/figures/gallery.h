// SPDX-License-Identifier: GPL-3.0-or-later
// A directory of pictures: the documents of many figures, drawn by one process, with a page that
// shows each next to its claims.
//
//   DIR/data/ID.json        the document of each (document.h): every number that is drawn
//   DIR/data/gallery.json   what was drawn last, with claims and verdicts
//   DIR/FILE.FORMAT         the pictures
//   DIR/index.html          the page
#ifndef NETSIM_FIGURES_GALLERY_H
#define NETSIM_FIGURES_GALLERY_H

#include "sim/figures/spec.h"
#include "sim/output/python.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

// The figures (struct figure_spec *, borrowed) that the words name: an id, a glob of ids, an id
// without its system ("fig.6_1") or a figure's number ("6.1"); without words all figures. Returns
// NULL and sets *unknown (borrowed) if a word names none.
GPtrArray *gallery_select(const GPtrArray *specs, char **words, const char **unknown);

// All claims of the figures, each once; NULL-terminated, strings borrowed.
GPtrArray *gallery_claims(const GPtrArray *figures);

// Writes documents (json_t *, one per figure) and the list. `scorecard` is that of sim/validate, or
// NULL; `no_verdicts` then has the reason.
bool gallery_write(const char *directory, const GPtrArray *figures, const GPtrArray *documents,
                   json_t *scorecard, const char *no_verdicts, GError **error);

// Draws what gallery_write has written. Calls `drawn` with "FILE.FORMAT SECONDS" for each picture.
bool gallery_draw(const char *directory, const char *python, const char *data_dir,
                  const char *format, python_line_fn *drawn, void *owner, GError **error);

#endif
