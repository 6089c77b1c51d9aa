// SPDX-License-Identifier: GPL-3.0-or-later
// The thesis prints no cost of the firmware but that of scanning the channels: the others are
// priors, in cycles of the LANai, so that a faster card does the same in less time.
#include "models/grim/ni/ni.h"

#define C struct grim_ni_config

static const char *const queue_styles[] = {"append", "slotted", "hybrid", NULL};
static const char *const sequencings[] = {"channel", "ni", NULL};
static const char *const bufferings[] = {"sender", "both", NULL};
static const char *const second_dmas[] = {"chained", "waits", NULL};

#define CYCLES(field_, cycles, doc_, source_)                                                      \
    PARAM(C, field_, PARAM_COST, .fallback = cycles " cycles", .doc = doc_, .source = source_)

// The queue is chosen for grim.inject.saturation, grim.inject.unbounded_knee and
// grim.inject.buffer_estimate. The size of the SRAM alone does not determine it: besides two
// receive buffers of 64 KiB and the tables, 1 MiB has 900 kB for messages, and a channel has all of
// that or an eighth, as the thesis has up to eight channels on a LANai 4 (4.3.4).
#define QUEUE_PARAMS                                                                               \
    PARAM(C, queue_style, PARAM_CHOICE, .fallback = "append", .choices = queue_styles,             \
          .doc = "how messages lie in a channel's queue",                                          \
          .source = "thesis 003, 4.2.2: recent versions append"),                                  \
        PARAM(C, queue, PARAM_SIZE, .fallback = "160000 B", .least = "1 KiB", .most = "256 MiB",   \
              .doc = "SRAM for messages, in equal shares for the channels",                        \
              .source = "chosen: thesis 003, 4.2.4: full with 5,000 messages of 32 B",             \
              .chosen_for = "grim.inject.saturation grim.inject.unbounded_knee "                   \
                            "grim.inject.buffer_estimate"),                                        \
        PARAM(C, channels, PARAM_COUNT, .fallback = "0", .most = "4096",                           \
              .doc = "logical channels per card; 0: one for each endpoint of the host",            \
              .source = "thesis 003, 4.3: one for each endpoint"),                                 \
        PARAM(C, in_flight, PARAM_COUNT, .fallback = "64", .least = "1", .most = "128",            \
              .doc = "messages of a channel that may be on the way: scoreboard entries, or slots", \
              .source = "prior: half of what 7 of 8 bits of sequence number allow"),               \
        PARAM(C, slot, PARAM_SIZE, .fallback = "16 KiB", .least = "32 B", .most = "64604 B",       \
              .doc = "bytes of a slot of the slotted queue: header and payload",                   \
              .source = "prior: eight slots in the queue"),                                        \
        PARAM(C, second_dma, PARAM_CHOICE, .fallback = "chained", .choices = second_dmas,          \
              .doc = "hybrid queue: the payload's DMA is chained to the header's, or the "         \
                     "firmware waits between them",                                                \
              .source = "thesis 003, 4.2.2: waiting came to deadlock")

#define PROTOCOL_PARAMS                                                                            \
    PARAM(C, sequencing, PARAM_CHOICE, .fallback = "channel", .choices = sequencings,              \
          .doc = "messages are numbered by source channel, card and destination channel, or by "   \
                 "card",                                                                           \
          .source = "thesis 003, 4.3.2: the current version is any-to-any"),                       \
        PARAM(C, buffering, PARAM_CHOICE, .fallback = "sender", .choices = bufferings,             \
              .doc = "cards that queue messages: the sender's, or both with half of the queue "    \
                     "memory for each direction",                                                  \
              .source = "thesis 003, 4.3.3: the current version buffers at the sender"),           \
        PARAM(C, receive_buffers, PARAM_COUNT, .fallback = "2", .least = "1", .most = "256",       \
              .doc = "buffers that packets from the link go into",                                 \
              .source = "prior: one is filled while the other is written to the host"),            \
        PARAM(C, receive_buffer, PARAM_SIZE, .fallback = "64 KiB", .least = "32 B",                \
              .most = "1 MiB", .doc = "bytes of a receive buffer",                                 \
              .source = "thesis 003, Fig. 4.2: the longest message, 64,604 B, fits"),              \
        PARAM(C, control_queue, PARAM_BOOL, .fallback = "true",                                    \
              .doc = "an ACK or NACK is queued while the link is busy; if not, the card accepts "  \
                     "nothing before it has left",                                                 \
              .source = "thesis 003, 4.2.3"),                                                      \
        PARAM(C, control_entries, PARAM_COUNT, .fallback = "256", .least = "1", .most = "65536",   \
              .doc = "room of the control message queue",                                          \
              .source = "prior: 2 KiB; the thesis gives no bound", .prior = "within 2"),           \
        PARAM(C, reordering, PARAM_BOOL, .fallback = "false",                                      \
              .doc = "what comes ahead of its turn is refused by a NACK, and not dropped: an "     \
                     "extension for networks that reorder",                                        \
              .source = "thesis 003, 4.2.1: source-routed messages keep their order"),             \
        PARAM(C, timeouts, PARAM_BOOL, .fallback = "false",                                        \
              .doc = "messages are sent again when no answer comes: an extension for networks "    \
                     "that lose",                                                                  \
              .source = "thesis 003, 4.2.1: Myrinet needs none"),                                  \
        PARAM(C, timeout, PARAM_DURATION, .fallback = "10 ms", .least = "1 us",                    \
              .doc = "wait for an answer before a message is sent again",                          \
              .source = "prior: far above the time of a long message", .prior = "within 3"),       \
        PARAM(C, nack_pause, PARAM_DURATION, .fallback = "0 us",                                   \
              .doc = "before a refused message is sent again; what is next in its channel waits "  \
                     "as well",                                                                    \
              .source = "prior: thesis 003 names no pause"),                                       \
        PARAM(C, stalled, PARAM_DURATION, .fallback = "1 s", .least = "1 us",                      \
              .doc = "so long a message is refused or unanswered, while nothing else moves, "      \
                     "before the run ends",                                                        \
              .source = "prior: far above every pause of a program", .prior = "within 3"),         \
        PARAM(C, outstanding, PARAM_COUNT, .fallback = "0",                                        \
              .doc = "messages to one endpoint that may be unanswered; 0: no bound",               \
              .source = "thesis 003, 4.2.4: GRIM polices nothing, its benchmark does")

#define HOST_PARAMS                                                                                \
    PARAM(C, dma_threshold, PARAM_SIZE, .fallback = "128 B",                                       \
          .doc = "payload from which the card fetches it from pinned memory; less is written by "  \
                 "the processor",                                                                  \
          .source = "prior: a DMA's start takes 2 to 3 us, as long as the words of 60 to 100 B",   \
          .prior = "64 B .. 256 B"),                                                               \
        PARAM(C, endpoint_messages, PARAM_COUNT, .fallback = "1024", .least = "1",                 \
              .doc = "active messages that an endpoint queue in host memory holds",                \
              .source = "prior: thesis 003, 4.3.3: endpoints commonly have enough"),               \
        PARAM(C, endpoint_bytes, PARAM_SIZE, .fallback = "1 MiB", .least = "32 B",                 \
              .doc = "bytes that an endpoint queue in host memory holds",                          \
              .source = "prior: a quarter of a contiguous region of 4 MB")

#define COST_PARAMS                                                                                \
    CYCLES(send, "60", "sending a message: token, header, route, start of the DMA",                \
           "prior: some 60 instructions"),                                                         \
        CYCLES(record, "15", "a new scoreboard entry", "prior: four words and a pointer"),         \
        CYCLES(second, "20", "start of the hybrid queue's second DMA",                             \
               "prior: address, length, direction"),                                               \
        CYCLES(sequence_channel, "20", "finding a sequence number by channels and card",           \
               "prior: two multiplications of the index; thesis 003, 4.3.2: more time consuming"), \
        CYCLES(sequence_ni, "8", "finding a sequence number by card", "prior: one load"),          \
        CYCLES(control, "30", "building and sending an ACK or NACK",                               \
               "prior: two words, route, start of the DMA"),                                       \
        CYCLES(fetch, "20", "start of the fetch of a payload", "prior: as a second DMA"),          \
        CYCLES(receive, "40", "looking at a packet that has come: identifier, type, endpoint",     \
               "prior: some 40 instructions"),                                                     \
        CYCLES(deliver, "30", "handing a message to its interface",                                \
               "prior: room in the endpoint's queue, address, start of the DMA"),                  \
        CYCLES(incoming, "15", "a look at the channel's incoming queue (buffering at both)",       \
               "prior: front and back"),                                                           \
        CYCLES(finish, "20", "the end of a DMA with the host",                                     \
               "prior: status, buffer back to the receive engine"),                                \
        CYCLES(acknowledged, "25", "an ACK: the message marked by its token",                      \
               "prior: some 25 instructions"),                                                     \
        CYCLES(refused, "30", "a NACK, without the walk", "prior: as an ACK, and the registers"),  \
        CYCLES(freed, "10", "a message freed from the front of its queue",                         \
               "prior: entry and front register"),                                                 \
        CYCLES(walk, "8", "a scoreboard entry looked at when the queue is rolled back",            \
               "prior: load, compare, store"),                                                     \
        CYCLES(post, "20", "a request that the host has written", "prior: as a fetch")

static const struct param ni_params[] = {
    QUEUE_PARAMS, PROTOCOL_PARAMS, HOST_PARAMS, COST_PARAMS, {0},
};

static void check_ni(const void *values, const struct param_values *report)
{
    const struct grim_ni_config *config = values;
    if (config->channels > 0 && config->queue / config->channels < GRIM_HEADER_BYTES)
        param_complain(report, "queue", "more memory or fewer channels",
                       "no message fits into a share of it");
}

const struct param_table grim_ni_table =
    PARAM_TABLE(struct grim_ni_config, ni_params, .name = "grim_ni",
                .doc = "GRIM's firmware on a Myrinet card", .check = check_ni);

#define S struct grim_scan_config
#define SCAN_CLAIMS "grim.scan grim.fig.4_10"
#define SCAN_SOURCE(derived)                                                                       \
    "derived: thesis 003, Fig. 4.10, a line near the printed points: " derived

static const struct param lanai4_params[] = {
    PARAM(S, scan, PARAM_COST, .fallback = "15 cycles",
          .doc = "each time round the logical channels", .source = SCAN_SOURCE("0.45 us at 33 MHz"),
          .chosen_for = SCAN_CLAIMS),
    PARAM(S, scan_channel, PARAM_COST, .fallback = "18 cycles",
          .doc = "a look at one logical channel", .source = SCAN_SOURCE("0.55 us at 33 MHz"),
          .chosen_for = SCAN_CLAIMS),
    {0},
};

static const struct param lanai9_params[] = {
    PARAM(S, scan, PARAM_COST, .fallback = "44 cycles",
          .doc = "each time round the logical channels",
          .source = SCAN_SOURCE("0.33 us at 133 MHz"), .chosen_for = SCAN_CLAIMS),
    PARAM(S, scan_channel, PARAM_COST, .fallback = "24 cycles",
          .doc = "a look at one logical channel", .source = SCAN_SOURCE("0.18 us at 133 MHz"),
          .chosen_for = SCAN_CLAIMS),
    {0},
};

const struct param_table grim_lanai4_table =
    PARAM_TABLE(struct grim_scan_config, lanai4_params, .name = "grim_lanai4",
                .doc = "GRIM's firmware on a LANai 4");

const struct param_table grim_lanai9_table =
    PARAM_TABLE(struct grim_scan_config, lanai9_params, .name = "grim_lanai9",
                .doc = "GRIM's firmware on a LANai 9");

const struct scenario_section grim_ni_sections[] = {
    {"grim_ni", &grim_ni_table},
    {"grim_lanai4", &grim_lanai4_table},
    {"grim_lanai9", &grim_lanai9_table},
    {0},
};
