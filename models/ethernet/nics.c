// SPDX-License-Identifier: GPL-3.0-or-later
// All cards are bus masters with rings in host memory: two Fast Ethernet ones for 32-bit/33-MHz
// PCI, and two of gigabit with FreeBSD's driver em, of which the 82547GI sits at a port of the
// north bridge (CSA) and the 82541GI at PCI. They differ in the FIFOs, in when a frame starts on
// the wire, in how they moderate interrupts, and in what a register access and the driver cost; the
// rows below are the whole difference. The fifth is no card in particular: for clusters of today it
// has rings and interrupt moderation as parameters, sits at PCI Express and fetches several frames
// at once.
#include "models/ethernet/nics.h"

#include "sim/config/prior.h"

#define N struct nic_config

static const char *const completions[] = {
    [NIC_COMPLETE_SENT] = "sent", [NIC_COMPLETE_LOADED] = "loaded", NULL};

#define COMPLETION_PARAM(when, ...)                                                                \
    PARAM(N, completion, PARAM_CHOICE, .fallback = when, .choices = completions,                   \
          .doc = "a frame counts as sent when its last bit is on the wire, or when its last byte " \
                 "is in the FIFO",                                                                 \
          .source = __VA_ARGS__)

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

#define BUFFER_PARAMS(fifo, of_host, frame, fifo_source, buffer_source, frame_source)              \
    PARAM(N, rx_fifo, PARAM_SIZE, .fallback = fifo,                                                \
          .doc = "receive FIFO, for what the bus has not yet taken; 0: never too small",           \
          .source = fifo_source),                                                                  \
        PARAM(N, buffer, PARAM_SIZE, .fallback = of_host,                                          \
              .doc = "buffer of the host to which a descriptor points, of which a frame may need " \
                     "several; 0: one always does",                                                \
              .source = buffer_source),                                                            \
        PARAM(N, largest_frame, PARAM_SIZE, .fallback = frame, .least = "60 B",                    \
              .doc = "longest frame, without its check sequence; MTUs are checked against it",     \
              .source = frame_source)

#define BUS_PARAMS(descriptor_bytes, status, delay, bus_source)                                    \
    PARAM(N, descriptor, PARAM_SIZE, .fallback = descriptor_bytes,                                 \
          .doc = "descriptor read or written back for each frame", .source = bus_source),          \
        PARAM(N, rx_status, PARAM_DURATION, .fallback = status,                                    \
              .doc = "from the last data written to the status visible", .source = bus_source),    \
        PARAM(N, interrupt_delay, PARAM_DURATION, .fallback = delay,                               \
              .doc = "from the interrupt asked for to the processor's interrupt line",             \
              .source = bus_source)

#define COALESCE_PARAMS(frames, delay, collect_source, distance, sent_delay, distance_source,      \
                        sent_source)                                                               \
    PARAM(N, coalesce_frames, PARAM_COUNT, .fallback = frames, .least = "1", .most = "4096",       \
          .doc = "frames and completions that are collected for one interrupt",                    \
          .source = collect_source),                                                               \
        PARAM(N, coalesce_delay, PARAM_DURATION, .fallback = delay, .most = "1 s",                 \
              .doc = "longest that the first of them waits for more", .source = collect_source),   \
        PARAM(N, interrupt_distance, PARAM_DURATION, .fallback = distance, .most = "1 s",          \
              .doc = "least time between two interrupts", .source = distance_source),              \
        PARAM(N, tx_interrupt_delay, PARAM_DURATION, .fallback = sent_delay, .most = "1 s",        \
              .doc = "from a sent frame, the first after the last such interrupt, until it asks "  \
                     "for one",                                                                    \
              .source = sent_source)

#define PAUSE_PARAMS(mode, quanta, mode_source, mark_source)                                       \
    PARAM(N, pause, PARAM_CHOICE, .fallback = mode, .choices = pause_modes,                        \
          .doc = "PAUSE frames (IEEE 802.3x) that the card obeys, and sends when its receive "     \
                 "FIFO fills; a link carries those that its other end obeys",                      \
          .source = mode_source),                                                                  \
        PARAM(N, pause_high, PARAM_SIZE, .fallback = "0 B",                                        \
              .doc = "bytes in the receive FIFO at which the sender is paused; 0: rx_fifo less "   \
                     "the longest frame of the MTU, up to whole KiB",                              \
              .source = mark_source),                                                              \
        PARAM(N, pause_low, PARAM_SIZE, .fallback = "0 B",                                         \
              .doc = "bytes in it below which the pause ends; 0: pause_high less 1,500 B",         \
              .source = mark_source),                                                              \
        PARAM(N, pause_time, PARAM_COUNT, .fallback = quanta, .least = "1", .most = "65535",       \
              .doc = "quanta of 512 bit times of a PAUSE frame, which is renewed at half of it",   \
              .source = mark_source)

#define COLLECT_NONE "cards of 2000: an interrupt for each"

// Not in the cards of 2000 and 2001.
#define FAST_ETHERNET_BUFFERS                                                                      \
    BUFFER_PARAMS("0 B", "0 B", "1514 B",                                                          \
                  "assumed: PCI always takes what a wire of 100 Mb/s brings",                      \
                  "drivers of Linux 2.4: a buffer of 1.5 KiB and more for each frame",             \
                  "IEEE 802.3: 1,518 B with the check sequence")
#define FAST_ETHERNET_INTERRUPTS                                                                   \
    COALESCE_PARAMS("1", "0 s", COLLECT_NONE, "0 s", "0 s",                                        \
                    "off: cards of 2000 have no such register",                                    \
                    "off: cards of 2000 have no such register")

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

#define PAUSE_AS_EM "as of em"

static const struct param eepro100_params[] = {
    COMPLETION_PARAM("loaded", "8255x software developer manual, 6.4.2: the C bit is set when the "
                               "last transmit buffer's DMA has completed"),
    RING_PARAMS("64", "64", "driver of Linux 2.4: ring sizes"),
    FIFO_PARAMS("3 us", "512 B", "2 KiB", "128 B",
                "82558 data sheet: FIFOs, threshold in the command block; prior: the command unit "
                "reads the last "
                "command block again, then the next one and its buffer list"),
    BUS_PARAMS("16 B", "500 ns", "500 ns", "82558 data sheet, prior"),
    FAST_ETHERNET_BUFFERS,
    FAST_ETHERNET_INTERRUPTS,
    PAUSE_PARAMS("none", "4096",
                 "Linux 2.4.0, eepro100.c: i82558_config_cmd has flow control off (byte 19, 0x84), "
                 "and set_rx_mode keeps it off",
                 PAUSE_AS_EM),
    DRIVER_PARAMS("2.4 us", "2.4 us",
                  "prior: the driver waits until the command unit has taken a command; port reads "
                  "of 0.6..0.8 us",
                  "500 cycles", "400 cycles", "700 cycles", "prior: instructions of the driver"),
    {0},
};

static void check_marks(const struct nic_config *config, const struct param_values *report)
{
    if (config->pause_high > 0 && config->pause_low > config->pause_high)
        param_complain(report, "pause_low", "at most pause_high",
                       "a pause that begins at %" G_GINT64_FORMAT " B would end at once",
                       config->pause_high);
    if (config->rx_fifo > 0 && config->pause_high > config->rx_fifo)
        param_complain(report, "pause_high", "at most rx_fifo",
                       "a FIFO of %" G_GINT64_FORMAT " B never holds %" G_GINT64_FORMAT " B",
                       config->rx_fifo, config->pause_high);
}

// A frame that no ring holds would wait for ever.
static void check_nic(const void *values, const struct param_values *report)
{
    const struct nic_config *config = values;
    int64_t each = config->buffer > 0 ? (config->largest_frame - 1) / config->buffer + 1 : 1;
    const struct {
        const char *name;
        int64_t frames;
    } rings[] = {{"tx_ring", config->tx_ring}, {"rx_ring", config->rx_ring}};
    check_marks(config, report);
    for (size_t i = 0; i < G_N_ELEMENTS(rings); i++)
        if (rings[i].frames < each)
            param_complain(report, rings[i].name, "make it longer, or largest_frame less",
                           "a frame of %" G_GINT64_FORMAT " B takes %" G_GINT64_FORMAT
                           " descriptors, one for each buffer",
                           config->largest_frame, each);
}

static const struct param_table eepro100_table = PARAM_TABLE(
    struct nic_config, eepro100_params, .name = "eepro100", .prior_kind = PRIOR_DEVICE,
    .doc = "Intel EtherExpress Pro/100 with the M-VIA eepro100 driver", .check = check_nic);

static const struct param tulip_params[] = {
    COMPLETION_PARAM("sent", "21140 hardware reference: TDES0 is written after transmission"),
    RING_PARAMS("32", "64", "driver of Linux 2.4: ring sizes"),
    FIFO_PARAMS("400 ns", "128 B", "2 KiB", "64 B",
                "21140 hardware reference: threshold 128 B at 100 Mb/s"),
    BUS_PARAMS("16 B", "300 ns", "500 ns", "21140 hardware reference, prior"),
    FAST_ETHERNET_BUFFERS,
    FAST_ETHERNET_INTERRUPTS,
    PAUSE_PARAMS("none", "4096",
                 "Linux 2.4.0, tulip_core.c: only the 21142 and later advertise PAUSE, and no code "
                 "obeys it",
                 PAUSE_AS_EM),
    DRIVER_PARAMS("200 ns", "1.4 us", "prior: one posted write; one read and one write",
                  "400 cycles", "350 cycles", "600 cycles", "prior: instructions of the driver"),
    {0},
};

static const struct param_table tulip_table =
    PARAM_TABLE(struct nic_config, tulip_params, .name = "tulip", .prior_kind = PRIOR_DEVICE,
                .doc = "DEC 21140 kind of card (Level One FNC-0108TX) with the M-VIA tulip driver",
                .check = check_nic);

// ---- Gigabit: Intel 8254x with FreeBSD 6.2's driver em ----

#define EM_PRIOR(time)                                                                             \
    "prior: " time " of a Pentium 4 of 3.2 GHz, some 2.8 G cycles of the reference"

#define EM_FIFO_SOURCE                                                                             \
    "prior: a whole frame is loaded before it starts, and has come before it is written, since "   \
    "bad "                                                                                         \
    "ones never reach memory (Intel's 8254x manual, RCTL.SBP); the threshold is as long as any"

// `tx` and `rx` are the parts into which the driver cuts the packet buffer.
#define EM_PARAMS(tx, rx, pba_source)                                                              \
    COMPLETION_PARAM("loaded", "Intel's 8254x manual: with RS the descriptor is written "          \
                               "back when the frame is in the FIFO"),                              \
        RING_PARAMS("256", "256",                                                                  \
                    "driver em of FreeBSD 6.2: EM_MAX_TXD, EM_MAX_RXD of 82543 and "               \
                    "default of all"),                                                             \
        PARAM(N, tx_start, PARAM_DURATION, .fallback = "500 ns",                                   \
              .doc = "from doorbell to the first bus request",                                     \
              .source = "prior: as of other cards with a tail register"),                          \
        PARAM(N, tx_threshold, PARAM_SIZE, .fallback = "16 KiB", .least = "1 B",                   \
              .doc =                                                                               \
                  "bytes in the FIFO before a frame starts on the wire; doubled at an underrun",   \
              .source = EM_FIFO_SOURCE),                                                           \
        PARAM(N, tx_fifo, PARAM_SIZE, .fallback = tx, .least = "64 B", .doc = "transmit FIFO",     \
              .source = pba_source),                                                               \
        PARAM(N, rx_residue, PARAM_SIZE, .fallback = "16 KiB", .least = "1 B",                     \
              .doc = "bytes of a frame that are still to be written when its last bit arrives",    \
              .source = EM_FIFO_SOURCE),                                                           \
        PARAM(N, rx_latency, PARAM_DURATION, .fallback = "0 s", .most = "1 s",                     \
              .doc = "from a frame's last bit until the card writes its end, in which others "     \
                     "follow",                                                                     \
              .source = "off: the manual has none"),                                               \
        BUFFER_PARAMS(rx, "2 KiB", "16124 B", pba_source,                                          \
                      "FreeBSD 6.2: clusters of MCLBYTES, chained to frames",                      \
                      "driver em of FreeBSD 6.2: MAX_JUMBO_FRAME_SIZE 0x3f00 with the check "      \
                      "sequence"),                                                                 \
        BUS_PARAMS("16 B", "300 ns", "500 ns",                                                     \
                   "Intel's 8254x manual: descriptors of 16 B; prior"),                            \
        COALESCE_PARAMS("1", "0 s", COLLECT_NONE, "124928 ns", "65536 ns",                         \
                        "FreeBSD's em of 2006 (if_em.c 1.114): em_initialize_receive_unit sets "   \
                        "ITR for 82540 and later to 1e9 / (8,000 x 256) = 488 steps of 256 ns; "   \
                        "RDTR is 0, so that RADV has no effect and each frame asks at once",       \
                        "FreeBSD's em of 2006 (if_em.h 1.44): EM_TIDV and EM_TADV of 64 steps "    \
                        "of 1.024 us; TXDW is set when the timer ends, and only an interrupt "     \
                        "of a sent frame stops it (Intel 82583V data sheet, 9.2.6.12)"),           \
        PAUSE_PARAMS("full", "4096",                                                               \
                     "FreeBSD's em of 2006 (if_em.c 1.114): em_hardware_init sets fc to full",     \
                     "FreeBSD's em of 2006 (if_em.c 1.114), em_hardware_init: high water "         \
                     "rx_buffer - roundup(max_frame, 1024), low water 1,500 B below, "             \
                     "fc_pause_time 0x1000; that it is renewed at half is assumed"),               \
        DRIVER_PARAMS("200 ns", "1.6 us",                                                          \
                      "prior: one posted write; a read of ICR, two writes of masks",               \
                      "1700 cycles", "550 cycles", "2800 cycles",                                  \
                      EM_PRIOR("0.6 us for a frame sent, 0.2 us for its completion, 1 us for one " \
                               "received"))

static const struct param em82547gi_params[] = {
    EM_PARAMS("18 KiB", "22 KiB",
              "driver em of FreeBSD 6.2: of 40 KiB, 22 to receive with frames above 8 KiB (30 "
              "below)"),
    {0},
};

static const struct param_table em82547gi_table = PARAM_TABLE(
    struct nic_config, em82547gi_params, .name = "em82547gi", .prior_kind = PRIOR_DEVICE,
    .doc = "Intel 82547GI, gigabit at the north bridge's CSA port, with FreeBSD's em",
    .check = check_nic);

static const struct param em82541gi_params[] = {
    EM_PARAMS("24 KiB", "40 KiB",
              "driver em of FreeBSD 6.2: of 64 KiB, 40 to receive with frames above 8 KiB (48 "
              "below)"),
    {0},
};

static const struct param_table em82541gi_table = PARAM_TABLE(
    struct nic_config, em82541gi_params, .name = "em82541gi", .prior_kind = PRIOR_DEVICE,
    .doc = "Intel 82541GI, gigabit at 32-bit PCI, with FreeBSD's em", .check = check_nic);

// ---- A plain card of any rate, on PCI Express ----

#define MLX5E "driver mlx5e of Linux: "
#define WHOLE_FRAME                                                                                \
    "prior: whole frames are written, since bad ones never reach memory (as of the 8254x)"

static const struct param plain_params[] = {
    COMPLETION_PARAM("sent", "prior: a frame's buffer is given back once it has left",
                     .prior = "or loaded: 0.3"),
    RING_PARAMS("1024", "1024",
                MLX5E "MLX5E_PARAMS_DEFAULT_LOG_SQ_SIZE, LOG_RQ_SIZE of 10; ixgbe and i40e of "
                      "Linux have 512, at most 4096"),
    PARAM(N, reads, PARAM_COUNT, .fallback = "64", .least = "1", .most = "1024",
          .doc = "frames whose data the card may have asked for and does not yet have",
          .source = "prior: PCI Express 3.0 has tags for 256 requests of a device",
          .prior = "16 .. 256"),
    PARAM(N, tx_start, PARAM_DURATION, .fallback = "250 ns", .most = "1 s",
          .doc = "from doorbell to the first bus request",
          .source = "prior: a posted write of the host, half of a read over PCI Express"),
    PARAM(N, tx_fifo, PARAM_SIZE, .fallback = "256 KiB", .least = "64 B",
          .doc = "transmit FIFO, of frames asked for and not yet sent",
          .source = "assumed: what 400 Gb/s carry in 5 us", .prior = "within 2"),
    PARAM(N, rx_residue, PARAM_SIZE, .fallback = "16 KiB", .least = "1 B",
          .doc = "bytes of a frame that are still to be written when its last bit arrives",
          .source = WHOLE_FRAME),
    PARAM(N, rx_latency, PARAM_DURATION, .fallback = "0 s", .most = "1 s",
          .doc = "from a frame's last bit until the card writes its end, in which others follow",
          .source = "assumed: small against the bus; no data sheet has one"),
    BUFFER_PARAMS("512 KiB", "0 B", "9230 B", "assumed: what 400 Gb/s bring in 10 us",
                  "driver i40e of Linux: a buffer of up to 16 KiB, by the MTU",
                  "an MTU of 9,216 B, of switches for jumbo frames; i40e of Linux takes 9,702 B"),
    BUS_PARAMS("16 B", "0 s", "250 ns",
               "prior: descriptors of 16 B as of Intel's cards; an MSI-X interrupt is a posted "
               "write, half of a read over PCI Express"),
    COALESCE_PARAMS("32", "8 us",
                    MLX5E "MLX5E_PARAMS_DEFAULT_RX_CQ_MODERATION_PKTS 0x20, _USEC_FROM_CQE 0x8; "
                          "its adaptive moderation, on by default, is not modelled",
                    "0 s", "0 s", "off: mlx5e has none; i40e of Linux has 50 us, which adapt",
                    "off: as of received frames"),
    PAUSE_PARAMS("none", "65535", "off: as switches have it by default", PAUSE_AS_EM),
    DRIVER_PARAMS("100 ns", "200 ns",
                  "prior: a posted write; with MSI-X no register is read, arming is a write",
                  "500 cycles", "200 cycles", "700 cycles",
                  "prior: instructions of a driver, as of eepro100 without its registers"),
    {0},
};

static const struct param_table plain_table =
    PARAM_TABLE(struct nic_config, plain_params, .name = "ethernet", .prior_kind = PRIOR_DEVICE,
                .doc = "no card in particular: Ethernet of any rate on PCI Express, with one queue "
                       "per direction and no offload but checksums",
                .check = check_nic);

const struct scenario_section ethernet_sections[] = {
    {"eepro100", &eepro100_table},   {"tulip", &tulip_table},    {"em82547gi", &em82547gi_table},
    {"em82541gi", &em82541gi_table}, {"ethernet", &plain_table}, {NULL, NULL},
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

// ---- MTUs ----

// A card that the stack uses: `listed`, or (NULL) one of the case's `nic`.
static bool check_card(const struct scenario_case *test_case, const struct topology_card *listed,
                       const char *path, int64_t mtu, struct diag_list *diags)
{
    const char *nic = listed ? listed->nic : test_case->nic;
    const struct nic_config *config = scenario_section_values(test_case, nic);
    int64_t own = listed ? listed->mtu : 0, frame = ETHERNET_HEADER + (own > 0 ? own : mtu);
    if (frame <= config->largest_frame)
        return true;
    char *text = g_strdup_printf("%s takes frames of %" G_GINT64_FORMAT
                                 " B, and packets of this MTU need %" G_GINT64_FORMAT,
                                 nic, config->largest_frame, frame);
    char *hint = g_strdup_printf("%" G_GINT64_FORMAT " B fits; %s.largest_frame is what it takes",
                                 config->largest_frame - ETHERNET_HEADER, nic);
    char *given = g_strconcat(path, ".mtu", NULL),
         *largest = g_strconcat(nic, ".largest_frame", NULL);
    if (own > 0)
        diag_add(diags, listed->mark, "hosts", hint, "%s", text);
    else
        scenario_conflict(test_case, diags, (const char *const[]){given, largest, NULL}, hint, "%s",
                          text);
    g_free(largest);
    g_free(given);
    g_free(text);
    g_free(hint);
    return false;
}

void ethernet_check_mtu(const struct scenario_case *test_case, const char *path, int64_t mtu,
                        struct diag_list *diags)
{
    const struct topology *topology = &test_case->topology;
    for (guint i = 0; i < topology->links->len; i++) {
        const struct topology_link *link = g_ptr_array_index(topology->links, i);
        for (int end = 0; end < topology_link_ends(link); end++)
            if (topology_is_host(topology, topology_link_node(link, end)) && !link->idle[end] &&
                !check_card(test_case, topology_link_card(topology, link, end), path, mtu, diags))
                return;
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
