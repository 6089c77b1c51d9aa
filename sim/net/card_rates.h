// SPDX-License-Identifier: GPL-3.0-or-later
// The link rates at which a card runs, as its data sheet has them.
#ifndef NETSIM_NET_CARD_RATES_H
#define NETSIM_NET_CARD_RATES_H

#include <stdbool.h>
#include <stdint.h>

struct card_rates {
    const int64_t *values; // b/s, ascending, 0-terminated
    bool between;          // and every rate from the first to the last
    const char *source;
};

bool card_rates_have(const struct card_rates *rates, int64_t rate);

// Returns the fastest rate of a card that is not above `rate`, or else its slowest one.
int64_t card_rates_below(const struct card_rates *rates, int64_t rate);

// "10 Mb/s or 100 Mb/s", "10 Mb/s .. 400 Gb/s"; the caller frees it.
char *card_rates_text(const struct card_rates *rates);

// "1 Gb/s"; the caller frees it.
char *card_rate_text(int64_t rate);

#endif
