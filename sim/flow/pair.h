// SPDX-License-Identifier: GPL-3.0-or-later
// Two hosts of a case with all that lies between them, as a topology of its own: to measure a pair,
// the whole machine need not be built.
#ifndef NETSIM_FLOW_PAIR_H
#define NETSIM_FLOW_PAIR_H

#include "sim/net/network.h"

// Fills `pair` with hosts `a` and `b` (numbers 0 and 1; one host if they are the same), all links
// of these hosts that lead to one another or to switches, and all parts of the routes between them.
// `network` is that of `whole`. Names and parameters are shared: `whole` must outlive the pair. The
// caller frees it with pair_clear.
void pair_of(struct topology *pair, const struct topology *whole, struct network *network, int a,
             int b);
void pair_clear(struct topology *pair);

#endif
