// SPDX-License-Identifier: GPL-3.0-or-later
// Recordings as text, and the complaints about those that cannot be read.
#ifndef NETSIM_TESTS_SUPPORT_RECORDING_TEXT_H
#define NETSIM_TESTS_SUPPORT_RECORDING_TEXT_H

#include "sim/recording/recording.h"

// The calls of a rank, "LINE:OPERATION ...; " each. g_free.
char *recording_text(struct recording *recording, int rank);

// The result of reading a recording: the recording, or the complaints.
struct tried_recording {
    struct recording *recording;
    char *complaints; // NULL: it was read
};

// Reads the recording at `path`, below `directory`, which is left out of the complaints.
struct tried_recording recording_try(const char *directory, const char *path);

void tried_recording_clear(struct tried_recording *tried);

// Checks that it was read and that these are the rank's calls, and clears it.
void tried_recording_has_calls(struct tried_recording tried, int rank, const char *calls);

// Checks that it was refused and that this is part of the complaints, and clears it.
void tried_recording_is_refused(struct tried_recording tried, const char *part);

// Text that is given, and what is expected of it.
struct recording_pair {
    const char *given, *result;
};

#define EACH_PAIR(function, pairs)                                                                 \
    for (size_t i_ = 0; i_ < G_N_ELEMENTS(pairs); i_++)                                            \
    function((pairs)[i_].given, (pairs)[i_].result)

#endif
