// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/intercept/p3/p3_config.h"

#include "models/intercept/nic/nic.h"
#include "sim/config/quantity.h"

#include <string.h>

#define C struct p3_config

static const char *const versions[] = {"handler_cb", "vdma", "hybrid", NULL};
static const char *const abis[] = {"i386", "ia64", NULL};

// sizeof of the structs of thesis 002, 5.2.3, with the alignment of each processor: an enum, a
// 64-bit number and a size_t; and those with an unsigned and a size_t more.
static const struct p3_sizes header_sizes[P3_ABIS] = {
    [P3_I386] =
        {.common = 16, .data_header = 20, .cts = 24, .next_cts = 20, .msgend = 16, .msgerror = 20},
    [P3_IA64] =
        {.common = 24, .data_header = 28, .cts = 40, .next_cts = 32, .msgend = 24, .msgerror = 32},
};

// Returns false if the text is neither a size nor a word. *bytes -1: computed.
static bool threshold_of(const char *text, int64_t *bytes)
{
    struct quantity quantity;
    char *error = NULL, *hint = NULL;
    *bytes = -1;
    if (strcmp(text, "computed") == 0)
        return true;
    *bytes = P3_NO_THRESHOLD;
    if (strcmp(text, "all") == 0)
        return true;
    bool good =
        quantity_parse(text, QUANTITY_SIZE, &quantity, &error, &hint) && quantity.integer >= 0;
    if (good)
        *bytes = quantity.integer;
    g_free(error);
    g_free(hint);
    return good;
}

static void check(const void *values, const struct param_values *report)
{
    const struct p3_config *config = values;
    int64_t bytes;
    if (!threshold_of(config->threshold, &bytes))
        param_complain(report, "threshold", "computed, all, or a size such as 4 KiB",
                       "\"%s\" is no threshold", config->threshold);
}

#define PROTOCOL_PARAMS                                                                            \
    PARAM(C, version, PARAM_CHOICE, .fallback = "hybrid", .choices = versions,                     \
          .doc = "design: all in messages of the VDMA handler's CB; all by VDMA; short messages "  \
                 "by a protocol of their own and long ones by VDMA",                               \
          .source = "thesis 002, 4.1, 4.2, 5.1: the hybrid was delivered"),                        \
        PARAM(C, abi, PARAM_CHOICE, .fallback = "i386", .choices = abis,                           \
              .doc = "processor whose alignment gives the headers their sizes; ia64 goes with a "  \
                     "portals.header of 80 B",                                                     \
              .source = "thesis 002, 6.1; sizes inferred from the structs of 5.2.3"),              \
        PARAM(C, threshold, PARAM_STRING, .fallback = "computed",                                  \
              .doc = "longest short message: a size; `computed`: first data of an RTS and a "      \
                     "grant of data packets; `all`: no message is long",                           \
              .source = "thesis 002, 5.3.2 (p3_send)"),                                            \
        PARAM(C, grant, PARAM_COUNT, .fallback = "16", .least = "1", .most = "4096",               \
              .doc = "data packets that a CTS or NEXT_CTS allows", .source = "thesis 002, 5.2.3"), \
        PARAM(C, long_replies, PARAM_BOOL, .fallback = "false",                                    \
              .doc = "a get's reply above the threshold goes through the VDMA handler; if not, "   \
                     "it is refused",                                                              \
              .source = "inferred: thesis 002, 5.3.2 (send_long_msg refuses other tasks than the " \
                        "registered one)")

#define THREAD_PARAMS                                                                              \
    PARAM(C, poll, PARAM_BOOL, .fallback = "false",                                                \
          .doc = "the kernel thread polls (RTSCTS_POLL); if not, interrupts wake it",              \
          .source = "thesis 002, 5.3.2"),                                                          \
        PARAM(C, poll_delay, PARAM_DURATION, .fallback = "1 us",                                   \
              .doc = "pause of the polling thread's loop", .source = "thesis 002, 5.3.2"),         \
        PARAM(C, poll_look, PARAM_COST, .fallback = "0.4 us",                                      \
              .doc = "a turn of that loop, besides the pause, in which nothing is found",          \
              .source = "assumed: one cache miss and three empty lists"),                          \
        PARAM(C, send, PARAM_COST, .fallback = "0.5 us",                                           \
              .doc = "NAL's part of a send: allocation, lists", .source = "assumed: 0.3..0.8 us",  \
              .prior = "300 ns .. 800 ns"),                                                        \
        PARAM(C, record, PARAM_COST, .fallback = "0.3 us",                                         \
              .doc = "kernel thread: a packet's record found or made, header read or written",     \
              .source = "assumed: two cache misses")

static const struct param params[] = {PROTOCOL_PARAMS, THREAD_PARAMS, {0}};

const struct param_table p3_table =
    PARAM_TABLE(C, params, .name = "p3", .check = check,
                .doc = "the NAL of Portals 3 over Intercept: short messages, kernel thread");

static int64_t threshold(const struct p3_config *config, const struct p3_sizes *sizes)
{
    int64_t bytes;
    if (config->version == P3_VDMA)
        return -1;
    threshold_of(config->threshold, &bytes);
    return bytes >= 0 ? bytes : sizes->first + config->grant * sizes->data;
}

struct p3_sizes p3_sizes(const struct p3_config *config, int64_t portals_header)
{
    struct p3_sizes sizes = header_sizes[config->abi];
    sizes.rts_header = sizes.common + portals_header;
    sizes.first = INTERCEPT_SM_BYTES - sizes.rts_header;
    sizes.data = INTERCEPT_SM_BYTES - sizes.data_header;
    sizes.threshold = threshold(config, &sizes);
    return sizes;
}
