// SPDX-License-Identifier: GPL-3.0-or-later
// The parameters of the Portals library.
#include "models/portals/library.h"

#define C struct portals_config

#define PROGRAMS "thesis 002, A.1 and A.2: what its programs ask for"

static const struct param params[] = {
    PARAM(C, header, PARAM_SIZE, .fallback = "72 B", .least = "1 B", .most = "256 B",
          .doc = "Portals header of a message",
          .source = "prior: the reference library of May 2003 on 32 bits; thesis 002 gives no "
                    "size"),
    PARAM(C, pid, PARAM_COUNT, .fallback = "5", .most = "2147483647",
          .doc = "process id of every process; a node has one process",
          .source = "thesis 002, A.1: of the server; 5.2.5: one process per node"),
    PARAM(C, entries, PARAM_COUNT, .fallback = "10", .least = "1", .most = "65536",
          .doc = "match entries that a program asks for (at most 2048 are granted)",
          .source = PROGRAMS),
    PARAM(C, descriptors, PARAM_COUNT, .fallback = "10", .least = "1", .most = "65536",
          .doc = "memory descriptors that it asks for (at most 2048)", .source = PROGRAMS),
    PARAM(C, queues, PARAM_COUNT, .fallback = "10", .least = "1", .most = "65536",
          .doc = "event queues that it asks for (at most 512)", .source = PROGRAMS),
    PARAM(C, access, PARAM_COUNT, .fallback = "0", .most = "65536",
          .doc = "entries of the access control list besides the first that it asks for (none is "
                 "granted)",
          .source = PROGRAMS),
    PARAM(C, table, PARAM_COUNT, .fallback = "10", .least = "1", .most = "65536",
          .doc = "entries of the portal table that it asks for (at most 256)", .source = PROGRAMS),
    PARAM(C, slots, PARAM_COUNT, .fallback = "10", .least = "1", .most = "1048576",
          .doc = "events of the first event queue, rounded up to a power of two",
          .source = "thesis 002, A.1; rounding: the reference library of May 2003"),
    PARAM(C, api, PARAM_COST, .fallback = "0.3 us",
          .doc = "a call in the user process: packing the arguments, forwarding",
          .source = "assumed: 0.2 to 0.5 us on 2.2 GHz", .prior = "200 ns .. 500 ns"),
    PARAM(C, dispatch, PARAM_COST, .fallback = "0.3 us",
          .doc =
              "a call's dispatch in the kernel and the copy of its arguments, besides the system "
              "call; only where the library is in the kernel",
          .source = "assumed: 0.2 to 0.5 us on 2.2 GHz (p3mod, thesis 002, 5.2.4)",
          .prior = "200 ns .. 500 ns", .with = "portals.api"),
    PARAM(C, attach, PARAM_COST, .fallback = "0.5 us",
          .doc = "a call that attaches, binds, unlinks or allocates, in the library",
          .source = "assumed: no program measures it"),
    PARAM(C, put, PARAM_COST, .fallback = "0.85 us",
          .doc = "a put or get in the library: look-ups, header",
          .source = "assumed: 0.6 to 1.5 us on 2.2 GHz with its event", .prior = "600 ns .. 1.5 us",
          .with = "portals.parse"),
    PARAM(C, parse, PARAM_COST, .fallback = "1.2 us",
          .doc = "an arriving header in the library, with one match entry",
          .source = "assumed: 0.8 to 2 us on 2.2 GHz", .prior = "800 ns .. 2 us"),
    PARAM(C, scan, PARAM_COST, .fallback = "0.15 us",
          .doc = "each further match entry that is looked at", .source = "assumed: one cache miss"),
    PARAM(C, event, PARAM_COST, .fallback = "0.15 us",
          .doc = "writing an event into the process's queue",
          .source = "assumed: 0.1 to 0.3 us on 2.2 GHz", .prior = "100 ns .. 300 ns",
          .with = "portals.parse"),
    PARAM(C, finalize, PARAM_COST, .fallback = "0.5 us",
          .doc = "the end of a transfer in the library, besides its event",
          .source = "assumed: 0.3 to 1 us on 2.2 GHz", .prior = "300 ns .. 1 us",
          .with = "portals.parse"),
    PARAM(C, see, PARAM_COST, .fallback = "0.15 us",
          .doc = "the process sees an event: the loop of PtlEQWait in user space, and the copy",
          .source = "assumed: up to 0.4 us; the loop: the reference library of May 2003",
          .prior = "80 ns .. 400 ns"),
    PARAM(C, cold, PARAM_COST, .fallback = "0",
          .doc = "cache misses of each entry into the library (a put or get, an arriving header, "
                 "the end of a transfer)",
          .source = "fitted to the polling latency of thesis 002, 6.1, where it is not 0"),
    PARAM(C, first, PARAM_COST, .fallback = "0",
          .doc = "what the first put or get of a process costs beyond the others: code and tables "
                 "that are in no cache",
          .source = "fitted to the maxima of thesis 002, 6.1, where it is not 0"),
    {0},
};

const struct param_table portals_table = PARAM_TABLE(
    C, params, .name = "portals", .doc = "the Portals 3.2 library: limits, and costs of its steps");
