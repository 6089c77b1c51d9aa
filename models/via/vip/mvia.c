// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/via/vip/mvia.h"

#define M struct mvia_config

static const char *const doorbells[] = {
    [MVIA_DOORBELL_FAST_TRAP] = "fast_trap", [MVIA_DOORBELL_IOCTL] = "ioctl", NULL};

static const char *const refusals[] = {
    [MVIA_REFUSAL_ROLLS_BACK] = "rolls_back", [MVIA_REFUSAL_BEFORE_PAGES] = "before_pages", NULL};

static const struct param mvia_params[] = {
    PARAM(M, doorbell, PARAM_CHOICE, .fallback = "fast_trap", .choices = doorbells,
          .doc = "how the library enters the kernel agent",
          .source = "thesis 000, 3.5: time-sensitive calls by fast trap"),
    PARAM(M, post, PARAM_COST, .fallback = "300 cycles",
          .doc = "library: filling and queueing a descriptor", .source = "prior: instructions"),
    PARAM(M, send_setup, PARAM_COST, .fallback = "1200 cycles",
          .doc = "agent: checking a send descriptor, translating its addresses",
          .source = "prior: instructions"),
    PARAM(M, send_frame, PARAM_COST, .fallback = "600 cycles", .doc = "agent: building one frame",
          .source = "prior: instructions"),
    PARAM(M, receive_frame, PARAM_COST, .fallback = "1000 cycles",
          .doc = "agent: checking one frame, finding its VI and address",
          .source = "prior: instructions"),
    PARAM(M, completion, PARAM_COST, .fallback = "500 cycles",
          .doc = "agent: writing status, entering it into the completion queue",
          .source = "prior: instructions"),
    PARAM(M, queue_check, PARAM_COST, .fallback = "150 cycles",
          .doc = "library: one look at a completion or work queue",
          .source = "prior: instructions"),
    PARAM(M, dequeue, PARAM_COST, .fallback = "200 cycles",
          .doc = "library: taking a completed descriptor", .source = "prior: instructions"),
    PARAM(M, register_call, PARAM_COST, .fallback = "2 us",
          .doc = "agent: VipRegisterMem or VipDeregisterMem, without their pages",
          .source = "prior: table update"),
    PARAM(M, refusal, PARAM_CHOICE, .fallback = "rolls_back", .choices = refusals,
          .doc = "a registration beyond host.memory.pin_limit: the agent pins page by page and "
                 "releases those that fitted, or refuses before it touches one",
          .source = "assumed: thesis 000, 4.6.3, learns of the limit only by trying; "
                    "docs/constants.md has what follows from either",
          .prior = "or before_pages"),
    PARAM(M, largest_transfer, PARAM_SIZE, .fallback = "32 KiB", .least = "1 B",
          .doc = "bytes of one descriptor", .source = "prior: M-VIA, 32 KiB"),
    PARAM(M, header, PARAM_SIZE, .fallback = "32 B", .most = "256 B",
          .doc = "VIA header of a frame",
          .source = "assumed: addresses, handle, length, immediate data, VI numbers, sequence",
          .prior = "24 B .. 48 B"),
    PARAM(M, mtu, PARAM_SIZE, .fallback = "1500 B", .least = "300 B", .most = "9000 B",
          .doc = "header and payload of a frame", .source = "IEEE 802.3"),
    PARAM(M, poll_period, PARAM_DURATION, .fallback = "300 ns", .least = "1 ns",
          .doc = "a process that polls looks this often",
          .source = "prior: one turn of a Done loop", .prior = "within 2"),
    PARAM(M, connect_retry, PARAM_DURATION, .fallback = "100 ms", .least = "1 us",
          .doc = "a connection request that nobody answers is sent again", .source = "assumed",
          .prior = "within 3"),
    PARAM(M, connect_timeout, PARAM_DURATION, .fallback = "30 s",
          .doc = "so long after the first of them the connection is given up; 0: never",
          .source =
              "VIPL: the argument Timeout of VipConnectPeerRequest, which may be VIP_INFINITE; "
              "its value is assumed"),
    {0},
};

const struct param_table mvia_table =
    PARAM_TABLE(struct mvia_config, mvia_params, .name = "mvia",
                .doc = "M-VIA 1.2: provider library and kernel agent");
