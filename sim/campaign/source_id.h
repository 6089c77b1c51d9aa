// SPDX-License-Identifier: GPL-3.0-or-later
// What the simulator was built from.
#ifndef NETSIM_CAMPAIGN_SOURCE_ID_H
#define NETSIM_CAMPAIGN_SOURCE_ID_H

// The first 16 hexadecimal digits of a SHA-256 over all sources in sim/ and models/, their names
// and contents in order: the same wherever the same tree was built. The build makes it (cmake/
// source_id.cmake), so that it is right also for a tree with changes that no version number knows.
extern const char campaign_source_id[];

#endif
