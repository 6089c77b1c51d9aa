// SPDX-License-Identifier: GPL-3.0-or-later
// The single list of units of sizes and durations, for the readers of quantities and of
// expressions. X(name, multiple of the base unit).
#ifndef NETSIM_CONFIG_UNITS_H
#define NETSIM_CONFIG_UNITS_H

#define UNITS_OF_SIZE(X)                                                                           \
    X(B, 1)                                                                                        \
    X(kB, 1000)                                                                                    \
    X(MB, 1000000)                                                                                 \
    X(GB, 1000000000)                                                                              \
    X(KiB, 1024)                                                                                   \
    X(MiB, 1048576)                                                                                \
    X(GiB, 1073741824)

#define UNITS_OF_DURATION(X)                                                                       \
    X(ps, 1)                                                                                       \
    X(ns, 1000)                                                                                    \
    X(us, 1000000)                                                                                 \
    X(ms, 1000000000)                                                                              \
    X(s, 1000000000000)

#endif
