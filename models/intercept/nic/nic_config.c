// SPDX-License-Identifier: GPL-3.0-or-later
// The card was never described but in the thesis: its packet definition and its data sheet are
// cited there and not public. Values that follow from the measurements are marked "inferred", those
// of which nothing is known "assumed".
#include "models/intercept/nic/nic_config.h"

#include "models/intercept/nic/nic.h"
#include "sim/config/prior.h"

#define C struct intercept_nic_config

static const char *const stripings[] = {"round_robin", "least_loaded", NULL};

// Header and payload of VDMA packets are one choice of two sizes.
#define PACKET_CLAIMS "icpt.bw.s2.one_plane"

#define PLANE_PARAMS                                                                               \
    PARAM(C, plane_mask, PARAM_COUNT, .fallback = "15", .most = "15",                              \
          .doc = "planes that the card may use: 1 is plane 0, 2 plane 1, 4 plane 2, 8 plane 3; "   \
                 "those without a cable are not used",                                             \
          .source = "thesis 002, 2.1.3: four planes, enabled by the user; its driver sets 11, as " \
                    "plane 2 was defective"),                                                      \
        PARAM(C, striping, PARAM_CHOICE, .fallback = "round_robin", .choices = stripings,          \
              .doc = "how packets are spread over their planes: in turns, so that one that takes " \
                     "nothing holds up all, or to that with the fewest packets in its queue",      \
              .source = "assumed: thesis 002, 2.1.3, says equally",                                \
              .prior = "or least_loaded: 0.3"),                                                    \
        PARAM(C, plane_queue, PARAM_COUNT, .fallback = "4", .least = "1", .most = "1024",          \
              .doc = "packets of a plane that the card has fetched and not yet sent",              \
              .source = "assumed: enough to fetch one while others are on their way to the link",  \
              .prior = "2 .. 8"),                                                                  \
        PARAM(C, receive_queue, PARAM_COUNT, .fallback = "4", .least = "1", .most = "1024",        \
              .doc = "packets of a plane that have come and are not yet in host memory, before a " \
                     "cut-through switch holds the next one",                                      \
              .source = "assumed: as plane_queue", .prior = "2 .. 8",                              \
              .with = "intercept.plane_queue")

#define PACKET_PARAMS                                                                              \
    PARAM(C, header, PARAM_SIZE, .fallback = "20 B", .least = "12 B", .most = "64 B",              \
          .doc = "of a packet on the wire besides its payload, CRC-32 included",                   \
          .source =                                                                                \
              "chosen with vdma_payload: 512 B of 532 at 250 MB/s are 240 MB/s (thesis 002, "      \
              "6.2); the packet definition is not public",                                         \
          .chosen_for = PACKET_CLAIMS),                                                            \
        PARAM(C, vdma_payload, PARAM_SIZE, .fallback = "512 B", .least = "8 B", .most = "4 KiB",   \
              .doc = "of a VDMA packet at most; a multiple of 8",                                  \
              .source = "chosen with header; near the 504 B of a short message (thesis 002, "      \
                        "2.1.2)",                                                                  \
              .chosen_for = PACKET_CLAIMS),                                                        \
        PARAM(C, vdma_read, PARAM_SIZE, .fallback = "1 KiB", .least = "8 B", .most = "64 KiB",     \
              .doc = "what the VDMA engine reads of a slice in one bus transaction, for one or "   \
                     "more packets",                                                               \
              .source = "chosen: thesis 002, 6.2: 400 MB/s over two planes of a PCI-X bus at 133 " \
                        "MHz; with one packet a read it would be 332",                             \
              .chosen_for = "icpt.bw.s2.multi_plane icpt.bw.s2.loopback"),                         \
        PARAM(C, send_latency, PARAM_DURATION, .fallback = "0.5 us",                               \
              .doc = "from a packet's last byte off the bus to its first bit on the link",         \
              .source = "prior: some 50 clocks of an FPGA at 66..133 MHz; 0.3..1 us",              \
              .prior = "300 ns .. 1 us"),                                                          \
        PARAM(C, receive_latency, PARAM_DURATION, .fallback = "0.5 us",                            \
              .doc = "from a packet's last bit to its first byte on the bus",                      \
              .source = "prior: as send_latency", .prior = "300 ns .. 1 us",                       \
              .with = "intercept.send_latency"),                                                   \
        PARAM(C, old_firmware, PARAM_BOOL, .fallback = "false",                                    \
              .doc = "VDMA transfers from or to buffers that do not begin at a page never end",    \
              .source = "thesis 002, 7.4: mended by the firmware that was measured")

#define CIRCULAR_PARAMS                                                                            \
    PARAM(C, command, PARAM_SIZE, .fallback = "8 B", .most = "64 B",                               \
          .doc = "transfer command of an entry of a TX-CB",                                        \
          .source = "assumed: one quad word; 8..32 B", .prior = "or 16 B, 32 B"),                  \
        PARAM(C, tx_cb, PARAM_SIZE, .fallback = "64 KiB", .least = "1 KiB", .most = "1 MiB",       \
              .doc = "each of the two TX-CBs of a virtual NIC", .source = "thesis 002, 2.1.3"),    \
        PARAM(C, rx_entry, PARAM_SIZE, .fallback = "8 B", .most = "64 B",                          \
              .doc = "what an entry of an RX-CB has besides the data: sender, length",             \
              .source = "assumed: as command", .prior = "or 16 B, 32 B",                           \
              .with = "intercept.command"),                                                        \
        PARAM(C, rx_pointer, PARAM_SIZE, .fallback = "8 B", .least = "1 B", .most = "64 B",        \
              .doc = "the write pointer, which the card writes after each entry",                  \
              .source = "assumed: one quad word"),                                                 \
        PARAM(C, rx_cb, PARAM_SIZE, .fallback = "1 MiB", .least = "1 KiB", .most = "128 MiB",      \
              .doc = "the RX-CB of a virtual NIC",                                                 \
              .source = "thesis 002, 2.1.3: 1..128 MB; the least of that")

#define DRIVER_PARAMS                                                                              \
    PARAM(C, tx_look, PARAM_COST, .fallback = "50 ns", .doc = "looking whether a TX-CB has room",  \
          .source = "assumed: a cache miss at most", .prior = "within 2"),                         \
        PARAM(C, tx_entry, PARAM_COST, .fallback = "100 ns",                                       \
              .doc = "writing the command of an entry of a TX-CB", .source = "assumed",            \
              .prior = "within 2"),                                                                \
        PARAM(C, tx_copy, PARAM_BYTE_RATE, .fallback = "1 GB/s", .least = "1 MB/s",                \
              .doc = "copying an entry's data into a TX-CB",                                       \
              .source = "assumed: warm data of a few hundred bytes on a Pentium 4",                \
              .prior = "within 1.5"),                                                              \
        PARAM(C, doorbell, PARAM_COST, .fallback = "0.25 us",                                      \
              .doc = "posted write to the card that has it look at a TX-CB or a channel",          \
              .source = "prior: 0.1..0.4 us over PCI-X", .prior = "100 ns .. 400 ns"),             \
        PARAM(C, rx_take, PARAM_COST, .fallback = "0.3 us",                                        \
              .doc = "taking a message off an RX-CB",                                              \
              .source = "prior: one or two cache misses, as a device has written it",              \
              .prior = "150 ns .. 400 ns"),                                                        \
        PARAM(C, walk, PARAM_COST, .fallback = "50 ns",                                            \
              .doc = "looking up a page of a process for a channel's page table",                  \
              .source = "prior: 30..100 ns", .prior = "30 ns .. 100 ns"),                          \
        PARAM(C, table_entry, PARAM_COST, .fallback = "50 ns",                                     \
              .doc = "posted write of an entry of a channel's page table, or of its counter",      \
              .source = "prior: 8 B over PCI-X, 30..100 ns", .prior = "30 ns .. 100 ns"),          \
        PARAM(C, status_read, PARAM_COST, .fallback = "1 us",                                      \
              .doc = "reading the card's status in the interrupt handler: once for the card, and " \
                     "once for each virtual NIC or channel that has something",                    \
              .source = "prior: a read over PCI-X at 66 MHz; 0.7 us at 133 MHz",                   \
              .prior = "700 ns .. 1.4 us"),                                                        \
        PARAM(C, demultiplex, PARAM_COST, .fallback = "0.3 us",                                    \
              .doc = "the interrupt handler besides its status reads",                             \
              .source = "prior: line to exit 3..6 us altogether", .prior = "within 2")

static const struct param nic_params[] = {
    PLANE_PARAMS, PACKET_PARAMS, CIRCULAR_PARAMS, DRIVER_PARAMS, {0},
};

static void check_nic(const void *values, const struct param_values *report)
{
    const struct intercept_nic_config *config = values;
    int64_t least = config->command + INTERCEPT_SM_BYTES;
    if (config->plane_mask == 0)
        param_complain(report, "plane_mask", "1 to 15", "the card may use no plane");
    if (config->vdma_payload % 8 != 0)
        param_complain(report, "vdma_payload", NULL, "a packet carries whole quad words of 8 B");
    if (config->vdma_read % config->vdma_payload != 0)
        param_complain(report, "vdma_read", NULL,
                       "a read is for whole packets of %" G_GINT64_FORMAT " B (vdma_payload)",
                       config->vdma_payload);
    if (config->tx_cb < least)
        param_complain(report, "tx_cb", NULL,
                       "the longest short message takes %" G_GINT64_FORMAT " B of it", least);
    if (config->rx_cb < config->rx_entry + INTERCEPT_SM_BYTES)
        param_complain(report, "rx_cb", NULL,
                       "the longest short message takes %" G_GINT64_FORMAT " B of it",
                       config->rx_entry + INTERCEPT_SM_BYTES);
}

const struct param_table intercept_nic_table = PARAM_TABLE(
    C, nic_params, .name = "intercept", .prior_kind = PRIOR_DEVICE,
    .doc = "Intercept card: planes, circular buffers, VDMA engine, its driver", .check = check_nic);

const struct scenario_section intercept_nic_sections[] = {
    {"intercept", &intercept_nic_table},
    {NULL, NULL},
};
