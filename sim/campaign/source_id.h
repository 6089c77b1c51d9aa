// SPDX-License-Identifier: GPL-3.0-or-later
// The identity of the simulator's source.
#ifndef NETSIM_CAMPAIGN_SOURCE_ID_H
#define NETSIM_CAMPAIGN_SOURCE_ID_H

// The first 16 hexadecimal digits of a SHA-256 over the names and contents of all sources in sim/
// and models/, in order: equal wherever the same tree was built. The build computes it (cmake/
// source_id.cmake), so that it also covers uncommitted changes, which no version number reflects.
extern const char campaign_source_id[];

#endif
