// SPDX-License-Identifier: GPL-3.0-or-later
// The generations differ in the rows below and in nothing else. The bus is the host's: 64 bit/66
// MHz is host.bus.width 8 B and host.bus.clock 66 MHz.
#include "models/myrinet_gm/lanai/lanai.h"

#include "sim/config/prior.h"
#include "sim/net/card_rates.h"

#define L struct lanai_config

#define PROCESSOR_PARAMS(hertz, clock_source, clock_prior, bytes, sram_source)                     \
    PARAM(L, clock, PARAM_FREQUENCY, .fallback = hertz, .least = "1 MHz",                          \
          .doc = "clock of the LANai processor; the firmware's costs count on it",                 \
          .source = clock_source, .prior = clock_prior),                                           \
        PARAM(L, sram, PARAM_SIZE, .fallback = bytes, .least = "1 KiB", .most = "1 GiB",           \
              .doc = "memory of the card: firmware, tables and packet buffers",                    \
              .source = sram_source)

#define ORDER_SOURCE                                                                               \
    "assumed: the bus waits last, then the link, which brings what it brings; no source at hand "  \
    "has the LANai's order"

#define SRAM_PARAMS(card, accesses, accesses_source, word, word_source)                            \
    PARAM(L, sram_accesses, PARAM_COUNT, .fallback = accesses, .most = "16",                       \
          .doc =                                                                                   \
              "accesses to the SRAM in a clock, for engines and processor; 0: they do not meet",   \
          .source = accesses_source),                                                              \
        PARAM(L, sram_word, PARAM_SIZE, .fallback = word, .least = "4 B", .most = "64 B",          \
              .doc = "bytes of an access to the SRAM", .source = word_source),                     \
        PARAM(L, sram_host, PARAM_COUNT, .fallback = "1", .least = "1", .most = "3",               \
              .doc = "rank of the host engine at the SRAM: the least is served first, equal ones " \
                     "in proportion; the processor gets what is left",                             \
              .source = ORDER_SOURCE, .prior = "or 3"),                                            \
        PARAM(L, sram_receive, PARAM_COUNT, .fallback = "2", .least = "1", .most = "3",            \
              .doc = "rank of the receive engine at the SRAM", .source = ORDER_SOURCE),            \
        PARAM(L, sram_send, PARAM_COUNT, .fallback = "3", .least = "1", .most = "3",               \
              .doc = "rank of the send engine at the SRAM", .source = ORDER_SOURCE,                \
              .prior = "or 1", .with = card ".sram_host")

#define LOOP_PARAMS                                                                                \
    PARAM(L, dispatch, PARAM_COST, .fallback = "10 cycles",                                        \
          .doc = "choosing the next handler of the firmware loop",                                 \
          .source = "prior: status read, mask, table lookup and jump"),                            \
        PARAM(L, idle_turn, PARAM_COST, .fallback = "10 cycles",                                   \
              .doc = "a turn of the firmware loop that finds nothing to do",                       \
              .source = "prior: as dispatch"),                                                     \
        PARAM(L, timer_tick, PARAM_DURATION, .fallback = "500 ns",                                 \
              .doc = "tick of the real-time clock; 0: timers are exact",                           \
              .source = "the LANai's real-time clock counts half microseconds")

#define SETUP_SOURCE                                                                               \
    "derived from Myricom's manual, PCI 64/66: 256 B at 147 MB/s and 512 B at 227 MB/s read, "     \
    "315 MB/s written leave this beside the time at 528 MB/s"

#define CPLANT "Cplant's MCP (9a688dc0): "
#define TWO_CHANNELS                                                                               \
    CPLANT "ebus.7.h starts l2e_dma and e2l_dma each by a bit of PULSE; \"LANai 7 does it in "     \
           "hardware\", ebus.h"

#define ENGINE_PARAMS(channels, channels_source, setup_source)                                     \
    PARAM(L, host_channels, PARAM_COUNT, .fallback = channels, .least = "1", .most = "2",          \
          .doc = "channels of the host's DMA: one for both directions, or one for reads and one "  \
                 "for writes, which the bus arbitrates",                                           \
          .source = channels_source),                                                              \
        PARAM(L, read_setup, PARAM_DURATION, .fallback = "1.27 us",                                \
              .doc = "start of a DMA from host memory, until its first data flow",                 \
              .source = setup_source),                                                             \
        PARAM(L, write_setup, PARAM_DURATION, .fallback = "0.66 us",                               \
              .doc = "start of a DMA into host memory, until its first data flow",                 \
              .source = setup_source),                                                             \
        PARAM(L, bus_hold, PARAM_SIZE, .fallback = "1 KiB", .least = "4 B",                        \
              .doc = "bytes that a DMA moves before others get their turn on the bus",             \
              .source = "assumed: latency timer of some 256 bus cycles",                           \
              .prior = "512 B .. 2 KiB"),                                                          \
        PARAM(L, send_latency, PARAM_DURATION, .fallback = "150 ns",                               \
              .doc = "from the start of the send engine to the first byte on the link",            \
              .source = "prior: 0.5 us from card to card over one switch"),                        \
        PARAM(L, receive_latency, PARAM_DURATION, .fallback = "150 ns",                            \
              .doc = "from a packet's last byte off the link to what the firmware can see",        \
              .source = "prior: 0.5 us from card to card over one switch"),                        \
        PARAM(L, write_word, PARAM_COST, .fallback = "120 ns",                                     \
              .doc = "host's posted write of 4 B to the card",                                     \
              .source = "prior: 4 cycles of 33 MHz, no write combining")

static const struct param lanai4_params[] = {
    PROCESSOR_PARAMS("33 MHz", "prior: the clock of a 32-bit/33-MHz PCI bus", "or 40 MHz: 0.2",
                     "1 MiB", "prior: cards of 256 KiB to 1 MiB"),
    SRAM_PARAMS("lanai4", "2", "prior: memory cycles at twice the LANai's clock", "4 B",
                "prior: 32 bits, as the LANai 4's processor and bus"),
    LOOP_PARAMS,
    ENGINE_PARAMS("1",
                  CPLANT "ebus.4.h has one engine with a direction, ebus.h arbitrates in software",
                  "assumed: as measured for the LANai 9"),
    {0},
};

const struct param_table lanai4_table =
    PARAM_TABLE(struct lanai_config, lanai4_params, .name = "lanai4", .prior_kind = PRIOR_DEVICE,
                .doc = "Myrinet card with a LANai 4 (M2L-PCI32)");

#define PCI64_SOURCE                                                                               \
    "derived from Myricom's data sheet of the M2L-PCI64A: more than 1 GByte/s of the local "       \
    "memory, which two accesses of 8 B in a clock of 66 MHz are"

static const struct param lanai7_params[] = {
    PROCESSOR_PARAMS("66 MHz", "thesis 001, chapter 3: LANai 7.2 with 66 MHz processors", NULL,
                     "2 MiB", "prior: cards of 1 to 4 MiB"),
    SRAM_PARAMS("lanai7", "2", PCI64_SOURCE, "8 B", PCI64_SOURCE),
    LOOP_PARAMS,
    ENGINE_PARAMS("2", TWO_CHANNELS, "assumed: as measured for the LANai 9"),
    {0},
};

const struct param_table lanai7_table =
    PARAM_TABLE(struct lanai_config, lanai7_params, .name = "lanai7", .prior_kind = PRIOR_DEVICE,
                .doc = "Myrinet card with a LANai 7 (M2L-PCI64A)");

static const struct param lanai9_params[] = {
    PROCESSOR_PARAMS("133 MHz", "Myricom specification: up to 133 MHz on the PCI64B", NULL, "2 MiB",
                     "prior: cards of 2 to 4 MiB"),
    SRAM_PARAMS(
        "lanai9", "1",
        "derived from Myricom's data sheet of the M2L-PCI64B: more than 1 GByte/s, which an "
        "access of 8 B in a clock of 133 MHz is, as two of a LANai 7 at 66 MHz are; two "
        "would be more than 1 as well, and GM 1.6.4's published rates do not decide: the "
        "simulated rate both ways hardly depends on the card's clock with either",
        "8 B", "prior: as on the LANai 7"),
    LOOP_PARAMS,
    ENGINE_PARAMS("2", TWO_CHANNELS, SETUP_SOURCE),
    {0},
};

const struct param_table lanai9_table =
    PARAM_TABLE(struct lanai_config, lanai9_params, .name = "lanai9", .prior_kind = PRIOR_DEVICE,
                .doc = "Myrinet card with a LANai 9 (PCI64B; PCI64C: clock 200 MHz)");

const struct scenario_section lanai_sections[] = {
    {"lanai4", &lanai4_table},
    {"lanai7", &lanai7_table},
    {"lanai9", &lanai9_table},
    {NULL, NULL},
};

const struct card_rates lanai_rates = {
    .values = (const int64_t[]){1280000000, 0},
    .source = "Boden and others 1995: 1.28 Gb/s in each direction",
};

const struct card_rates lanai9_rates = {
    .values = (const int64_t[]){1280000000, 2000000000, 0},
    .source = "Myricom's data sheet of the PCI64B: Myrinet 2000, and 1.28 Gb/s to older switches",
};
