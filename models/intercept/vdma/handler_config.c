// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/intercept/vdma/handler.h"
#include <glib.h>

#define C struct vdma_handler_config

static const char *const unaligned[] = {
    [VDMA_UNALIGNED_AUTO] = "auto",
    [VDMA_UNALIGNED_REFUSE] = "refuse",
    [VDMA_UNALIGNED_SPLIT] = "split",
    NULL,
};

#define KERNEL_CODE "assumed: some hundred instructions of the kernel"

static const struct param handler_params[] = {
    PARAM(C, credits, PARAM_COUNT, .fallback = "32", .least = "1", .most = "65536",
          .doc = "messages that a handler may send to another before it is given more credit",
          .source = "assumed: thesis 002, 2.2.2 says \"big enough to hide the latency\"",
          .prior = "16 .. 64"),
    PARAM(C, credit_update, PARAM_COUNT, .fallback = "16", .least = "1", .most = "65536",
          .doc = "messages taken after which the receiver gives so much new credit",
          .source = "assumed: half of the credits", .prior = "8 .. 32",
          .with = "vdma_handler.credits"),
    PARAM(C, ahead, PARAM_COUNT, .fallback = "0", .most = "3",
          .doc = "slices of a read that are prepared while one is under way",
          .source = "thesis 002, 2.2.2: the interrupt starts the next slice; the engine can have "
                    "three more set up (2.1.3)"),
    PARAM(C, copy_buffers, PARAM_COUNT, .fallback = "1", .least = "1", .most = "4",
          .doc =
              "temporary buffers of 1 MiB for data whose displacement differs from the receiver's",
          .source = "assumed: thesis 002, 5.2.2 says \"some\"", .prior = "or 2, 4"),
    PARAM(C, unaligned, PARAM_CHOICE, .fallback = "auto", .choices = unaligned,
          .doc =
              "transfers that are not aligned to 32 B, no multiple of 8 B or below 24 B: refused "
              "or split; auto: raw VDMA refuses them, Portals splits them",
          .source = "thesis 002, 2.2.2 and 5.2.2"),
    PARAM(C, self_connect, PARAM_BOOL, .fallback = "true",
          .doc = "raw VDMA: INIT_VDMA connects the card to itself, too; fails with two cards "
                 "back to back, as packets leave by the cable whatever their address",
          .source = "thesis 002, 5.2.2; Portals uses INIT_VDMA_NOSELFCONNECT"),
    PARAM(C, header, PARAM_SIZE, .fallback = "32 B", .most = "256 B",
          .doc = "of each message between handlers", .source = "assumed", .prior = "16 B .. 64 B"),
    PARAM(C, get_bytes, PARAM_SIZE, .fallback = "32 B", .most = "128 B",
          .doc = "of a GET, besides header and Portals' five fields of 8 B (5.2.2)",
          .source = "assumed: channel, address, length, key", .prior = "16 B .. 64 B",
          .with = "vdma_handler.header"),
    PARAM(C, put_bytes, PARAM_SIZE, .fallback = "32 B", .most = "128 B",
          .doc = "of a PUT, besides the header", .source = "assumed: both addresses, length, key",
          .prior = "16 B .. 64 B", .with = "vdma_handler.header"),
    PARAM(C, request, PARAM_COST, .fallback = "1 us",
          .doc = "the thread takes a request of a process from its queue", .source = KERNEL_CODE),
    PARAM(C, message, PARAM_COST, .fallback = "1 us",
          .doc = "the thread builds a message to another handler", .source = KERNEL_CODE),
    PARAM(C, handle, PARAM_COST, .fallback = "1 us",
          .doc = "the thread handles a message of another handler", .source = KERNEL_CODE),
    PARAM(C, slice, PARAM_COST, .fallback = "2 us",
          .doc = "the thread reserves a channel for a slice, besides the page table's entries",
          .source = KERNEL_CODE),
    PARAM(C, complete, PARAM_COST, .fallback = "1 us",
          .doc = "the thread handles the end of a slice", .source = KERNEL_CODE),
    {0},
};

static void check(const void *values, const struct param_values *report)
{
    const struct vdma_handler_config *config = values;
    if (config->credit_update > config->credits)
        param_complain(report, "credit_update", "at most credits",
                       "credit is given after %" G_GINT64_FORMAT
                       " messages, but the sender stops for ever after %" G_GINT64_FORMAT
                       " (credits)",
                       config->credit_update, config->credits);
}

const struct param_table vdma_handler_table = PARAM_TABLE(
    C, handler_params, .name = "vdma_handler",
    .doc = "VDMA handler of the Intercept driver, one kernel thread per card", .check = check);

const struct scenario_section vdma_sections[] = {
    {"vdma_handler", &vdma_handler_table},
    {0},
};
