// SPDX-License-Identifier: GPL-3.0-or-later
// The readers of the formats of recordings, of which formats.c chooses a file's.
#ifndef NETSIM_RECORDING_READERS_H
#define NETSIM_RECORDING_READERS_H

#include "sim/recording/recording.h"

// SimGrid's time-independent traces, as smpirun -trace-ti writes them and -replay reads them.
struct recording *ti_read(const char *path, struct source_mark where, struct diag_list *diags);

// OTF2 archives, as Score-P and EZTrace write them: `path` is that of the anchor, NAME.otf2.
struct recording *otf2_read(const char *path, struct source_mark where, struct diag_list *diags);

// DUMPI traces as text, as SST's dumpi2ascii writes them: `path` is that of rank 0's file.
struct recording *dumpi_read(const char *path, struct source_mark where, struct diag_list *diags);

#endif
