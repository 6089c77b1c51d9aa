// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/hybrid/hybrid.h"

static const char *const connections[] = {"static", "dynamic", NULL};
static const char *const gets[] = {"write", "read", NULL};

#define C struct ch3_hybrid_config

static const struct param params[] = {
    PARAM(C, connections, PARAM_CHOICE, .fallback = "static", .choices = connections,
          .doc = "static: each process connects its queue pairs to those of all higher ranks in "
                 "MPI_Init, one process after the other; dynamic: with the first one-sided "
                 "operation to a peer",
          .source = "thesis 004, 3.4.2"),
    PARAM(C, get, PARAM_CHOICE, .fallback = "write", .choices = gets,
          .doc = "MPI_Get: the target is asked to write, or the origin reads",
          .source = "thesis 004, 3.4.4: either; which one was measured is not said"),
    PARAM(C, hold, PARAM_BOOL, .fallback = "true",
          .doc = "an envelope that has overtaken the data of its write waits for them; false: a "
                 "fence may end before they are there",
          .source = "assumed: thesis 004 does not speak of it"),
    PARAM(C, blocking, PARAM_BOOL, .fallback = "false",
          .doc = "while a process has no window open, a call that waits blocks in its read, as in "
                 "ch3:sctp; false: it always spins",
          .source = "thesis 004, 3.4.5: the poll does not block, which wastes processor time; to "
                    "choose is named as better"),
    PARAM(C, buffer, PARAM_SIZE, .fallback = "32 KiB", .least = "64 B", .most = "16 MiB",
          .doc = "registered memory of a VC for untagged messages",
          .source = "thesis 004, 3.4.1: 32 Kbytes"),
    PARAM(C, receives, PARAM_COUNT, .fallback = "256", .least = "1", .most = "256",
          .doc = "receives posted on it, which share the memory",
          .source = "assumed: each holds any envelope"),
    PARAM(C, connect, PARAM_SIZE, .fallback = "32 B", .least = "24 B", .most = "1 KiB",
          .doc = "a request to connect, with rank and memory, and its answer",
          .source = "assumed: thesis 004, 3.4.2, names what is in it"),
    {0},
};

const struct param_table ch3_hybrid_table =
    PARAM_TABLE(C, params, .name = "ch3_hybrid", .doc = "the channel ch3:hybrid of thesis 004");
