// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion of numbers with units from and to text. b is bit, B is byte; k, M, G are powers of
// 1000, Ki, Mi, Gi of 1024.
#ifndef NETSIM_CONFIG_QUANTITY_H
#define NETSIM_CONFIG_QUANTITY_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum quantity_kind {
    QUANTITY_COUNT,     // no unit; int64
    QUANTITY_REAL,      // no unit; double
    QUANTITY_DURATION,  // ps ns us ms s min: int64 picoseconds
    QUANTITY_CYCLES,    // cycles: int64 cycles of the owner's clock
    QUANTITY_SIZE,      // B kB MB GB KiB MiB GiB: int64 bytes
    QUANTITY_BIT_RATE,  // b/s kb/s Mb/s Gb/s: int64 bits per second
    QUANTITY_BYTE_RATE, // B/s kB/s MB/s GB/s KiB/s MiB/s GiB/s: int64 bytes per second
    QUANTITY_FREQUENCY, // Hz kHz MHz GHz: int64 hertz
    QUANTITY_FLOP_RATE, // flop/s kflop/s Mflop/s Gflop/s Tflop/s: int64 operations per second
};

struct quantity {
    int64_t integer; // all kinds but REAL
    double real;     // REAL
};

// Reads "2.5 us", "64KiB", "100 Mb/s". Blanks between number and unit are optional. Decimal
// fractions are exact as far as the base unit allows (2.5 us is 2500000 ps; 0.5 B is an error). 0
// needs no unit. On failure returns false and sets *error (g_free) to the fault and *hint (g_free,
// may be NULL) to a suggestion, for example "missing unit" / "write 64 KiB", "Mb/s is a bit rate" /
// "a byte rate is written MB/s".
bool quantity_parse(const char *text, enum quantity_kind kind, struct quantity *value, char **error,
                    char **hint);

// Returns the shortest text that quantity_parse reads back to the same value, in the most readable
// unit ("64 KiB", "2.5 us"). The caller frees it.
char *quantity_format(enum quantity_kind kind, struct quantity value);

// The units of a kind, for documentation: "ps, ns, us, ms, s, min".
const char *quantity_units(enum quantity_kind kind);

// The largest cost, duration, size, … in a scenario, as text and in the base unit; NULL and
// INT64_MAX: no bound. The bound keeps sums and products of a scenario's values in range.
const char *quantity_most(enum quantity_kind kind);
int64_t quantity_most_value(enum quantity_kind kind);

// The kind's name in messages: "a size".
const char *quantity_noun(enum quantity_kind kind);

// A regular expression (JSON Schema's dialect) of the texts with a unit that quantity_parse takes.
// The caller frees it.
char *quantity_pattern(enum quantity_kind kind);

#endif
