// SPDX-License-Identifier: GPL-3.0-or-later
// Both cards are bus masters on 32-bit/33-MHz PCI with rings in host memory. They differ in the
// FIFO, in when a frame starts on the wire, and in what a register access and the driver cost; the
// rows below are the whole difference.
#include "models/ethernet/nics.h"

#define N struct nic_config

static const char *const completions[] = {
    [NIC_COMPLETE_SENT] = "sent", [NIC_COMPLETE_LOADED] = "loaded", NULL};

#define COMPLETION_PARAM(when, completion_source)                                                  \
    PARAM(N, completion, PARAM_CHOICE, .fallback = when, .choices = completions,                   \
          .doc = "a frame counts as sent when its last bit is on the wire, or when its last byte " \
                 "is in the FIFO",                                                                 \
          .source = completion_source)

#define RING_PARAMS(tx, rx, ring_source)                                                           \
    PARAM(N, tx_ring, PARAM_COUNT, .fallback = tx, .least = "2", .most = "4096",                   \
          .doc = "frames that the driver may have queued for sending", .source = ring_source),     \
        PARAM(N, rx_ring, PARAM_COUNT, .fallback = rx, .least = "2", .most = "4096",               \
              .doc = "receive buffers", .source = ring_source)

#define FIFO_PARAMS(start, threshold, fifo, residue, fifo_source)                                  \
    PARAM(N, tx_start, PARAM_DURATION, .fallback = start,                                          \
          .doc = "from doorbell to the first bus request", .source = fifo_source),                 \
        PARAM(N, tx_threshold, PARAM_SIZE, .fallback = threshold, .least = "1 B",                  \
              .doc =                                                                               \
                  "bytes in the FIFO before a frame starts on the wire; doubled at an underrun",   \
              .source = fifo_source),                                                              \
        PARAM(N, tx_fifo, PARAM_SIZE, .fallback = fifo, .least = "64 B", .doc = "transmit FIFO",   \
              .source = fifo_source),                                                              \
        PARAM(N, rx_residue, PARAM_SIZE, .fallback = residue, .least = "1 B",                      \
              .doc = "bytes of a frame that are still to be written when its last bit arrives",    \
              .source = fifo_source),                                                              \
        PARAM(N, rx_latency, PARAM_DURATION, .fallback = "0 s", .most = "1 s",                     \
              .doc = "from a frame's last bit until the card writes its end, in which others "     \
                     "follow",                                                                     \
              .source = "off: no data sheet has one")

#define BUS_PARAMS(descriptor_bytes, status, delay, bus_source)                                    \
    PARAM(N, descriptor, PARAM_SIZE, .fallback = descriptor_bytes,                                 \
          .doc = "descriptor read or written back for each frame", .source = bus_source),          \
        PARAM(N, rx_status, PARAM_DURATION, .fallback = status,                                    \
              .doc = "from the last data written to the status visible", .source = bus_source),    \
        PARAM(N, interrupt_delay, PARAM_DURATION, .fallback = delay,                               \
              .doc = "from the interrupt asked for to the processor's interrupt line",             \
              .source = bus_source)

#define COALESCE_PARAMS                                                                            \
    PARAM(N, coalesce_frames, PARAM_COUNT, .fallback = "1", .least = "1", .most = "4096",          \
          .doc = "frames and completions that are collected for one interrupt",                    \
          .source = "cards of 2000: an interrupt for each"),                                       \
        PARAM(N, coalesce_delay, PARAM_DURATION, .fallback = "0 s", .most = "1 s",                 \
              .doc = "longest that the first of them waits for more",                              \
              .source = "cards of 2000: an interrupt for each")

#define DRIVER_PARAMS(bell, read, port_source, fill, done, take, driver_source)                    \
    PARAM(N, doorbell, PARAM_COST, .fallback = bell, .doc = "host's command to the card",          \
          .source = port_source),                                                                  \
        PARAM(N, status_read, PARAM_COST, .fallback = read,                                        \
              .doc = "host's read of the interrupt cause and its acknowledgement",                 \
              .source = port_source),                                                              \
        PARAM(N, tx_frame, PARAM_COST, .fallback = fill,                                           \
              .doc = "driver: filling one transmit descriptor", .source = driver_source),          \
        PARAM(N, tx_done, PARAM_COST, .fallback = done,                                            \
              .doc = "driver: cleaning up after a sent frame", .source = driver_source),           \
        PARAM(N, rx_frame, PARAM_COST, .fallback = take,                                           \
              .doc = "driver: taking a frame off the ring and giving the buffer back",             \
              .source = driver_source)

static const struct param eepro100_params[] = {
    COMPLETION_PARAM("loaded", "8255x software developer manual, 6.4.2: the C bit is set when the "
                               "last transmit buffer's DMA has completed"),
    RING_PARAMS("64", "64", "driver of Linux 2.4: ring sizes"),
    FIFO_PARAMS("3 us", "512 B", "2 KiB", "128 B",
                "82558 data sheet: FIFOs, threshold in the command block; prior: the command unit "
                "reads the last "
                "command block again, then the next one and its buffer list"),
    BUS_PARAMS("16 B", "500 ns", "500 ns", "82558 data sheet, prior"),
    COALESCE_PARAMS,
    DRIVER_PARAMS("2.4 us", "2.4 us",
                  "prior: the driver waits until the command unit has taken a command; port reads "
                  "of 0.6..0.8 us",
                  "500 cycles", "400 cycles", "700 cycles", "prior: instructions of the driver"),
    {0},
};

static const struct param_table eepro100_table =
    PARAM_TABLE(struct nic_config, eepro100_params, .name = "eepro100",
                .doc = "Intel EtherExpress Pro/100 with the M-VIA eepro100 driver");

static const struct param tulip_params[] = {
    COMPLETION_PARAM("sent", "21140 hardware reference: TDES0 is written after transmission"),
    RING_PARAMS("32", "64", "driver of Linux 2.4: ring sizes"),
    FIFO_PARAMS("400 ns", "128 B", "2 KiB", "64 B",
                "21140 hardware reference: threshold 128 B at 100 Mb/s"),
    BUS_PARAMS("16 B", "300 ns", "500 ns", "21140 hardware reference, prior"),
    COALESCE_PARAMS,
    DRIVER_PARAMS("200 ns", "1.4 us", "prior: one posted write; one read and one write",
                  "400 cycles", "350 cycles", "600 cycles", "prior: instructions of the driver"),
    {0},
};

static const struct param_table tulip_table =
    PARAM_TABLE(struct nic_config, tulip_params, .name = "tulip",
                .doc = "DEC 21140 kind of card (Level One FNC-0108TX) with the M-VIA tulip driver");

const struct scenario_section ethernet_sections[] = {
    {"eepro100", &eepro100_table},
    {"tulip", &tulip_table},
    {NULL, NULL},
};

static void free_nic(void *card)
{
    nic_free(card);
}

void ethernet_add_nics(struct cluster *cluster, const struct scenario_case *test_case)
{
    for (int station = 0; station < network_stations(cluster->network); station++) {
        struct host *host = cluster->hosts[network_station_host(cluster->network, station)];
        const struct cluster_card *card = &cluster->cards[station];
        struct network *network = cluster->network;
        if (card->listed && card->idle) // it may be of another kind
            continue;
        const struct nic_config *config = scenario_section_values(test_case, card->nic);
        struct nic *nic = nic_new(host, card->bus, network, station, card->name, config);
        cluster_put_card(cluster, station, nic, free_nic);
    }
}

struct nic *ethernet_nic(const struct cluster *cluster, int host, int nth)
{
    return cluster_card(cluster, host, nth);
}

struct nic *ethernet_nic_at(const struct cluster *cluster, int station)
{
    return cluster->cards[station].card;
}
