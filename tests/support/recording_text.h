// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings as text, and what is said of those that cannot be read.
#ifndef NETSIM_TESTS_SUPPORT_RECORDING_TEXT_H
#define NETSIM_TESTS_SUPPORT_RECORDING_TEXT_H

#include "sim/recording/recording.h"

// The calls of a rank, "LINE:OPERATION ...; " each. g_free.
char *recording_text(struct recording *recording, int rank);

// Reads the recording at `path`, below `directory`, which is left out of what is said of it.
// Returns that, for g_free; NULL: the recording was read.
char *recording_complaints(const char *directory, const char *path, struct recording **recording);

#endif
