// SPDX-License-Identifier: GPL-3.0-or-later
// How far a value may be off another: "2 %" of it, or "0.5 us" in its unit. A bare number is
// refused, since 2 may mean 2 % or a factor of 2.
#ifndef NETSIM_CONFIG_TOLERANCE_H
#define NETSIM_CONFIG_TOLERANCE_H

#include <stdbool.h>

struct tolerance {
    double amount; // not negative: a share (0.02 is 2 %) or a difference in the value's unit
    bool relative;
};

enum tolerance_fault {
    TOLERANCE_GOOD,
    TOLERANCE_BARE,       // a number without a percent sign or unit
    TOLERANCE_OTHER_UNIT, // not the value's
    TOLERANCE_NO_NUMBER,  // or a negative or infinite one
};

// Reads a tolerance of values in `unit` ("us", "MB/s"; times and rates are converted), where "" is
// the unit of plain numbers, which a bare number is in, and NULL allows percentages alone. 0 needs
// no unit.
enum tolerance_fault tolerance_parse(const char *text, const char *unit,
                                     struct tolerance *tolerance);

// The remedy for a fault: "write 2 %, or 2 us". The caller frees it.
char *tolerance_remedy(const char *text, const char *unit);

#endif
