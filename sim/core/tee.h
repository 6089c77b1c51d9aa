// SPDX-License-Identifier: GPL-3.0-or-later
// A trace sink that passes everything on to two others, so that a timeline and a state log can be
// active at once.
#ifndef NETSIM_CORE_TEE_H
#define NETSIM_CORE_TEE_H

#include "sim/core/trace.h"

#include <glib.h>

struct tee;

// Does not own the two sinks. Free with tee_free, which ignores NULL.
struct tee *tee_new(struct trace *first, struct trace *second);
void tee_free(struct tee *tee);

struct trace *tee_trace(struct tee *tee);

// One sink for all of several, of which NULLs are left out: the only one itself, or tees, which are
// appended to `tees` (struct tee *, the last made first to be freed). Returns NULL if there is
// none.
struct trace *tee_all(struct trace *const *sinks, int count, GPtrArray *tees);

#endif
