// SPDX-License-Identifier: GPL-3.0-or-later
// A recorded program as a source of calls. A rank costs its place in the recording, about a
// kilobyte, whatever the length.
#ifndef NETSIM_SOURCE_RECORDING_SOURCE_H
#define NETSIM_SOURCE_RECORDING_SOURCE_H

#include "sim/mpi/group.h"
#include "sim/scenario/replay.h"
#include "sim/source/source.h"

// The calls of the recording's ranks; recording and config must outlive the source. `config` sets
// the time between the calls. The caller frees it (op_source_free).
struct op_source *recording_source_new(struct recording *recording,
                                       const struct replay_config *config);

// The groups of the recording's communicators, by their number: struct mpi_group_set *. The caller
// frees the list with g_ptr_array_unref.
GPtrArray *recording_groups_new(const struct recording *recording);

#endif
