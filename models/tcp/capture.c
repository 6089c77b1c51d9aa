// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/tcp/capture.h"

static uint8_t *put_options(const struct tcp_segment *segment, uint8_t *at)
{
    enum { NOP = 1, MSS = 2, SCALE = 3, SACK_PERMITTED = 4, SACK = 5, TIMESTAMP = 8 };
    bool permitted = segment->options & TCP_OPTION_SACK_PERMITTED;
    bool timestamp = segment->options & TCP_OPTION_TIMESTAMP;
    if (segment->options & TCP_OPTION_MSS)
        at = inet_put32(at, MSS << 24 | 4 << 16 | segment->mss);
    if (permitted)
        at = inet_put16(at, SACK_PERMITTED << 8 | 2);
    else if (timestamp)
        at = inet_put16(at, NOP << 8 | NOP);
    if (timestamp) {
        at = inet_put16(at, TIMESTAMP << 8 | 10);
        at = inet_put32(inet_put32(at, segment->timestamp), segment->echo);
    } else if (permitted) {
        at = inet_put16(at, NOP << 8 | NOP);
    }
    if (segment->options & TCP_OPTION_SCALE)
        at = inet_put32(at, NOP << 24 | SCALE << 16 | 3 << 8 | segment->scale);
    if (segment->sack_count == 0)
        return at;
    at = inet_put16(at, NOP << 8 | NOP);
    at = inet_put16(at, (uint32_t)(SACK << 8 | (2 + 8 * segment->sack_count)));
    uint32_t base = (uint32_t)((uint64_t)segment->acknowledgment + segment->peer_initial);
    for (int i = 0; i < segment->sack_count; i++)
        at = inet_put32(inet_put32(at, base + segment->sack[i].from), base + segment->sack[i].to);
    return at;
}

void tcp_segment_bytes(const struct tcp_segment *segment, const struct inet_addresses *addresses,
                       uint8_t *bytes, uint32_t room)
{
    uint32_t header = (uint32_t)(TCP_HEADER + tcp_segment_options(segment));
    uint32_t length = header + segment->payload;
    bool ack = segment->flags & TCP_ACK;
    if (room < header)
        return;
    uint8_t *at = inet_put16(inet_put16(bytes, segment->source_port), segment->destination_port);
    at = inet_put32(at, (uint32_t)((uint64_t)segment->sequence + segment->initial));
    at = inet_put32(at, ack ? (uint32_t)((uint64_t)segment->acknowledgment + segment->peer_initial)
                            : 0);
    *at++ = (uint8_t)(header / 4 << 4);
    *at++ = segment->flags;
    at = inet_put16(at, segment->window);
    uint8_t *checksum = at;
    at = inet_put32(at, 0); // checksum, urgent pointer
    put_options(segment, at);
    // The payload is 0 and adds nothing.
    uint32_t sum = inet_pseudo_sum(addresses, TCP_PROTOCOL, length);
    inet_put16(checksum, ~inet_sum(sum, bytes, header) & 0xffff);
}

void tcp_segment_words(const struct tcp_segment *segment, struct trace_words *words)
{
    static const struct {
        int flag;
        const char *name;
    } flags[] = {{TCP_SYN, "SYN"}, {TCP_FIN, "FIN"}, {TCP_RST, "RST"}, {TCP_ACK, "ACK"}};
    g_strlcpy(words->text, "TCP", sizeof words->text);
    const char *before = " ";
    for (size_t i = 0; i < G_N_ELEMENTS(flags); i++) {
        if (!(segment->flags & flags[i].flag) || (flags[i].flag == TCP_ACK && segment->payload > 0))
            continue;
        g_strlcat(words->text, before, sizeof words->text);
        g_strlcat(words->text, flags[i].name, sizeof words->text);
        before = ", ";
    }
    if (segment->payload > 0)
        g_strlcat(words->text, " data", sizeof words->text);
    words->sequence = segment->sequence;
    if (segment->flags & TCP_ACK)
        words->acknowledges = segment->acknowledgment;
    words->answers = segment->payload == 0 && (segment->flags & ~TCP_PSH) == TCP_ACK;
}
