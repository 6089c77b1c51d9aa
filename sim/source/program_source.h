// SPDX-License-Identifier: GPL-3.0-or-later
// A program as a source of calls: its tree is compiled once, and for each rank there is only where
// it stands in which loops.
#ifndef NETSIM_SOURCE_PROGRAM_SOURCE_H
#define NETSIM_SOURCE_PROGRAM_SOURCE_H

#include "sim/source/source.h"

// The calls of `ranks` ranks; `program` must outlive the source. Never NULL: if an expression does
// not compile, the first call of each rank is wrong. The caller frees it (op_source_free).
struct op_source *program_source_new(const struct program *program, int ranks);

// Like program_source_new, but the source takes the program over and frees it.
struct op_source *program_source_owning(struct program *program, int ranks);

#endif
