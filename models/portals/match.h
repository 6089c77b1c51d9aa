// SPDX-License-Identifier: GPL-3.0-or-later
// Matching: which descriptor of an interface takes an incoming put or get (thesis 002, 3.2).
#ifndef NETSIM_MODELS_PORTALS_MATCH_H
#define NETSIM_MODELS_PORTALS_MATCH_H

#include "models/portals/tables.h"

enum portals_refusal {
    PORTALS_ACCEPTED,
    PORTALS_NO_PORTAL, // the index is beyond the table
    PORTALS_NO_MATCH,  // no entry fits
    PORTALS_INACTIVE,  // the descriptor's threshold is used up, or its largest offset passed
    PORTALS_NOT_OPEN,  // it is not open for such an operation
    PORTALS_TOO_LONG,  // it has no room for all, and does not truncate
};

extern const char *const portals_refusals[]; // a reason in words, for the ledger

struct portals_match {
    enum portals_refusal refusal;
    struct portals_md *md;   // NULL: refused
    int64_t mlength, offset; // bytes taken, and where in the descriptor
    int64_t scanned;         // entries checked
};

// Whether an entry's source and bits fit.
bool portals_me_fits(const struct portals_me *me, const struct portals_header *header);

// Finds the first entry of the header's portal that fits, and asks the first descriptor of it
// whether it accepts: no other is considered (thesis 002, 3.2), also if that one refuses. An entry
// without a descriptor is passed over. Changes nothing but what `portals_match_use` changes.
struct portals_match portals_match(const struct portals_tables *tables,
                                   const struct portals_header *header);

// The descriptor takes what was matched: offset and threshold.
void portals_match_use(struct portals_tables *tables, const struct portals_match *match);

#endif
