// SPDX-License-Identifier: GPL-3.0-or-later
// A segment's bytes against RFC 791, 793 and 1071: a receiver that sums up what it is given,
// checksum included, finds all ones.
#include "models/tcp/capture.h"
#include "tests/support/suite.h"

#include <string.h>

#define ALL_ONES 0xffff

// Adds each carry at the low end at once: slow, and not as the sender does it.
static uint32_t ones_sum(uint32_t sum, const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i += 2) {
        sum += (uint32_t)bytes[i] << 8 | bytes[i + 1];
        if (sum > ALL_ONES)
            sum -= ALL_ONES;
    }
    return sum;
}

static uint32_t word_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// The IP packet of a segment, as an interface writes it.
static void write_packet(const struct tcp_segment *segment, int from, int to, uint8_t *bytes,
                         uint32_t room)
{
    const struct inet_addresses addresses = {inet_address(256, from, 0), inet_address(256, to, 0)};
    inet_write_header(bytes, &addresses, TCP_PROTOCOL, segment->ip.identification,
                      (uint32_t)tcp_segment_ip_bytes(segment));
    tcp_segment_bytes(segment, &addresses, bytes + IP_HEADER, room - IP_HEADER);
}

// Whether both checksums hold.
static bool is_right(const struct tcp_segment *segment)
{
    uint8_t bytes[128] = {0};
    write_packet(segment, 0, 1, bytes, sizeof bytes);
    uint32_t length = (uint32_t)tcp_segment_ip_bytes(segment) - IP_HEADER;
    uint8_t pseudo[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 6, (uint8_t)(length >> 8), (uint8_t)length};
    memcpy(pseudo, bytes + 12, 8);
    return ones_sum(0, bytes, IP_HEADER) == ALL_ONES &&
           ones_sum(ones_sum(0, pseudo, sizeof pseudo), bytes + IP_HEADER,
                    length - segment->payload) == ALL_ONES;
}

// Every sum that a header of IP can have, and sums of TCP's with every carry.
static void test_checksums(void)
{
    int wrong = 0;
    for (uint32_t i = 0; i <= 0xffff; i++) {
        struct tcp_segment segment = {
            .sequence = i,
            .initial = 0xffff8000,
            .payload = i % 1460,
            .ip.identification = (uint16_t)i,
            .source_port = 40000,
            .destination_port = (uint16_t)(65535 - i),
            .window = (uint16_t)(7 * i),
            .flags = TCP_ACK,
            .acknowledgment = 3 * (int64_t)i,
            .peer_initial = 0xfffffff0,
            .options = TCP_OPTION_TIMESTAMP,
            .timestamp = 65537 * i,
            .echo = i,
        };
        wrong += !is_right(&segment);
    }
    SUITE_SAME_INTEGER(wrong, 0);
}

static void test_fields(void)
{
    uint8_t bytes[64] = {0};
    struct tcp_segment segment = {.sequence = 0x20,
                                  .initial = 0xfffffff0,
                                  .acknowledgment = 5,
                                  .peer_initial = 6,
                                  .payload = 1000,
                                  .source_port = 0x1234,
                                  .destination_port = 0x5678,
                                  .window = 0x9abc,
                                  .ip.identification = 0xdef0,
                                  .flags = TCP_ACK,
                                  .options = TCP_OPTION_MSS,
                                  .mss = 1460};
    write_packet(&segment, 3, 255, bytes, sizeof bytes);
    SUITE_SAME_INTEGER(word_at(bytes), 0x45000000 + 1044);
    SUITE_SAME_INTEGER(word_at(bytes + 4), 0xdef04000);
    SUITE_SAME_INTEGER(word_at(bytes + 8) >> 16, 0x4006);
    SUITE_SAME_INTEGER(word_at(bytes + 12), 0x0a000004);
    SUITE_SAME_INTEGER(word_at(bytes + 16), 0x0a000100);
    SUITE_SAME_INTEGER(word_at(bytes + 20), 0x12345678);
    SUITE_SAME_INTEGER(word_at(bytes + 24), 0x10); // beyond 2^32
    SUITE_SAME_INTEGER(word_at(bytes + 28), 11);
    SUITE_SAME_INTEGER(word_at(bytes + 32), 0x60109abc);
    SUITE_SAME_INTEGER(word_at(bytes + 36) & 0xffff, 0);
    SUITE_SAME_INTEGER(word_at(bytes + 40), 0x020405b4);
    // Without an ACK the number means nothing and is 0; where there is no room nothing is written.
    segment.flags = TCP_SYN;
    write_packet(&segment, 3, 255, bytes, sizeof bytes);
    SUITE_SAME_INTEGER(word_at(bytes + 28), 0);
    const struct inet_addresses addresses = {1, 2};
    uint8_t none[23] = {0}, untouched[23] = {0};
    tcp_segment_bytes(&segment, &addresses, none, sizeof none);
    CU_ASSERT(memcmp(none, untouched, sizeof none) == 0);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"checksums", test_checksums}, {"fields", test_fields}, {0}};
    return suite_run("tcp: bytes of a segment", cases);
}
