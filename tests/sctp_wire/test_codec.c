// SPDX-License-Identifier: GPL-3.0-or-later
// SCTP packets, encoded and decoded (RFC 9260, 3 and appendix A; RFC 3758, 3.2), against layouts
// and checksums that were worked out elsewhere.
#include "models/sctp_cmt/wire/codec.h"
#include "tests/support/suite.h"

#include <string.h>

#define ROOM 4096

struct fixture {
    struct sctp_pools pools;
    struct packet packet;
    uint8_t bytes[ROOM];
};

static void fixture_init(struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    sctp_pools_init(&fixture->pools);
    sctp_packet_init(&fixture->packet, &fixture->pools);
}

static void fixture_clear(struct fixture *fixture)
{
    fixture->packet.load->release(&fixture->packet);
    CU_ASSERT_EQUAL(fixture->pools.chunks.in_use, 0);
    CU_ASSERT_EQUAL(fixture->pools.messages.in_use, 0);
    for (int i = 0; i < SCTP_BYTE_CLASSES; i++)
        CU_ASSERT_EQUAL(fixture->pools.bytes[i].in_use, 0);
    sctp_pools_clear(&fixture->pools);
}

static struct sctp_chunk *add(struct fixture *fixture, uint8_t type, uint8_t flags)
{
    return sctp_chunk_new(&fixture->pools, type, flags);
}

// Encodes, decodes the bytes, and encodes the result: the same bytes.
static uint32_t there_and_back(struct fixture *fixture)
{
    uint8_t again[ROOM] = {0};
    struct packet decoded = {0};
    uint32_t length = sctp_encode(sctp_packet_of(&fixture->packet), fixture->bytes, ROOM);
    sctp_packet_init(&decoded, &fixture->pools);
    sctp_decode(fixture->bytes, length, &decoded);
    CU_ASSERT_EQUAL(sctp_packet_of(&decoded)->bad_checksum,
                    sctp_packet_of(&fixture->packet)->bad_checksum);
    CU_ASSERT_EQUAL(sctp_packet_of(&decoded)->bytes, length);
    CU_ASSERT_EQUAL(sctp_encode(sctp_packet_of(&decoded), again, ROOM), length);
    CU_ASSERT_EQUAL(memcmp(again, fixture->bytes, length), 0);
    decoded.load->release(&decoded);
    return length;
}

// Values of RFC 3720, B.4, and of the check of catalogues of CRCs.
static void test_checksum(void)
{
    uint8_t bytes[32] = {0};
    CU_ASSERT_EQUAL(sctp_crc32c(0, (const uint8_t *)"123456789", 9), 0xE3069283u);
    CU_ASSERT_EQUAL(sctp_crc32c(0, bytes, 32), 0x8A9136AAu);
    memset(bytes, 0xff, 32);
    CU_ASSERT_EQUAL(sctp_crc32c(0, bytes, 32), 0x62A8AB43u);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    CU_ASSERT_EQUAL(sctp_crc32c(0, bytes, 32), 0x46DD794Eu);
}

// Appended zeros by algebra are appended zeros one by one.
static void test_zeros(void)
{
    static const uint8_t zeros[9000];
    uint32_t start = sctp_crc32c(0, (const uint8_t *)"header", 6);
    for (uint32_t length = 0; length < 9000; length += length < 70 ? 1 : 997)
        CU_ASSERT_EQUAL(sctp_crc32c_zeros(start, length), sctp_crc32c(start, zeros, length));
}

static void test_data(void)
{
    static const uint8_t expected[] = {0x1f, 0x90, 0x9c, 0x40, 0xde, 0xad, 0xbe, 0xef, 0, 0, 0, 0,
                                       0,    0x07, 0,    21,   0xff, 0xff, 0xff, 0xfe, 0, 3, 0, 9,
                                       0,    0,    0,    0x2a, 'e',  'n',  'v',  0,    0, 0, 0, 0};
    struct fixture fixture;
    fixture_init(&fixture);
    struct sctp_packet *packet = sctp_packet_of(&fixture.packet);
    packet->source_port = 8080, packet->destination_port = 40000, packet->tag = 0xdeadbeef;
    struct sctp_chunk *chunk =
        add(&fixture, SCTP_DATA, SCTP_DATA_BEGIN | SCTP_DATA_END | SCTP_DATA_UNORDERED);
    struct sctp_message *message = sctp_message_new(&fixture.pools);
    message->length = 5, message->content_length = 3;
    memcpy(message->content, "env", 3);
    chunk->data = (struct sctp_data){
        .tsn = 0xfffffffe, .stream = 3, .ssn = 9, .protocol = 42, .bytes = 5, .message = message};
    chunk->length = SCTP_DATA_HEADER + 5;
    sctp_packet_add(&fixture.packet, chunk);
    CU_ASSERT_EQUAL(packet->bytes, 36); // padded
    CU_ASSERT_EQUAL(there_and_back(&fixture), 36);
    CU_ASSERT_EQUAL(memcmp(fixture.bytes, expected, 8), 0);
    CU_ASSERT_EQUAL(memcmp(fixture.bytes + 12, expected + 12, 24), 0);
    fixture_clear(&fixture);
}

static void test_sack(void)
{
    static const uint8_t expected[] = {3, 0x40, 0, 28, 0, 0, 0, 5, 0,    1, 0, 0, 0, 2,
                                       0, 1,    0, 2,  0, 3, 0, 5, 0x10, 0, 0, 0, 0, 4};
    struct fixture fixture;
    fixture_init(&fixture);
    struct sctp_chunk *chunk = add(&fixture, SCTP_SACK, 0x40);
    chunk->sack = (struct sctp_sack){.cum_tsn = 5,
                                     .a_rwnd = 65536,
                                     .gap_count = 2,
                                     .duplicate_count = 1,
                                     .blocks = sctp_bytes_new(&fixture.pools, 12)};
    const struct sctp_gap gaps[] = {{2, 3}, {5, 4096}};
    const uint32_t duplicate = 4;
    memcpy(chunk->sack.blocks->data, gaps, 8);
    memcpy(chunk->sack.blocks->data + 8, &duplicate, 4);
    chunk->sack.blocks->length = 12;
    chunk->length = SCTP_SACK_HEADER + 12;
    sctp_packet_add(&fixture.packet, chunk);
    CU_ASSERT_EQUAL(there_and_back(&fixture), 40);
    CU_ASSERT_EQUAL(memcmp(fixture.bytes + 12, expected, sizeof expected), 0);
    fixture_clear(&fixture);
}

static void test_init(void)
{
    static const uint8_t expected[] = {1, 0,  0, 36, 0, 0, 0, 7, 0,  0,  0x05, 0xdc,
                                       0, 10, 8, 0,  0, 0, 0, 9, 0,  12, 0,    6,
                                       0, 5,  0, 0,  0, 5, 0, 8, 10, 0,  1,    2};
    struct fixture fixture;
    fixture_init(&fixture);
    struct sctp_chunk *chunk = add(&fixture, SCTP_INIT, 0);
    struct sctp_bytes *parameters = sctp_bytes_new(&fixture.pools, 64);
    sctp_tlv_append(parameters, SCTP_SUPPORTED_ADDRESS_TYPES, (const uint8_t[]){0, 5}, 2);
    sctp_tlv_append(parameters, SCTP_IPV4_ADDRESS, (const uint8_t[]){10, 0, 1, 2}, 4);
    chunk->init = (struct sctp_init){.tag = 7,
                                     .a_rwnd = 1500,
                                     .tsn = 9,
                                     .streams_out = 10,
                                     .streams_in = 2048,
                                     .parameters = parameters};
    chunk->length = (uint16_t)(SCTP_INIT_HEADER + parameters->length);
    sctp_packet_add(&fixture.packet, chunk);
    CU_ASSERT_EQUAL(there_and_back(&fixture), 12 + 36);
    CU_ASSERT_EQUAL(memcmp(fixture.bytes + 12, expected, sizeof expected), 0);

    uint32_t at = 0;
    struct sctp_tlv tlv;
    CU_ASSERT(sctp_tlv_next(parameters, &at, &tlv) && tlv.sound && tlv.type == 12 &&
              tlv.value_length == 2);
    CU_ASSERT(sctp_tlv_next(parameters, &at, &tlv) && tlv.sound && tlv.type == 5 &&
              sctp_get32(tlv.value) == 0x0a000102);
    CU_ASSERT(!sctp_tlv_next(parameters, &at, &tlv));
    fixture_clear(&fixture);
}

// Parameters that are cut off, or have a wrong length, end the list and are marked unsound.
static void test_unsound_parameters(void)
{
    static const struct {
        uint8_t bytes[8];
        uint32_t length;
    } cases[] = {
        {{0, 5, 0, 3, 1, 2, 3, 4}, 8}, {{0, 5, 0, 9, 1, 2, 3, 4}, 8}, {{0, 5, 0}, 3}, {{0, 5}, 2}};
    struct fixture fixture;
    fixture_init(&fixture);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sctp_bytes *bytes = sctp_bytes_new(&fixture.pools, 8);
        struct sctp_tlv tlv;
        uint32_t at = 0;
        memcpy(bytes->data, cases[i].bytes, cases[i].length);
        bytes->length = cases[i].length;
        CU_ASSERT(sctp_tlv_next(bytes, &at, &tlv) && !tlv.sound);
        CU_ASSERT(!sctp_tlv_next(bytes, &at, &tlv));
        sctp_bytes_free(bytes);
    }
    fixture_clear(&fixture);
}

// Types without bytes of their own, those with bytes, and an unknown one.
static void test_others(void)
{
    static const struct {
        uint8_t type;
        uint32_t bytes;
    } kinds[] = {{SCTP_SHUTDOWN, 0},
                 {SCTP_SHUTDOWN_ACK, 0},
                 {SCTP_SHUTDOWN_COMPLETE, 0},
                 {SCTP_COOKIE_ACK, 0},
                 {SCTP_HEARTBEAT, 48},
                 {SCTP_HEARTBEAT_ACK, 48},
                 {SCTP_COOKIE_ECHO, 332},
                 {SCTP_ABORT, 0},
                 {SCTP_ERROR, 8},
                 {SCTP_FORWARD_TSN, 0},
                 {0x7f, 5}};
    struct fixture fixture;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        fixture_init(&fixture);
        struct sctp_chunk *chunk = add(&fixture, kinds[i].type, 1);
        uint32_t fixed = chunk->length;
        if (kinds[i].bytes > 0) {
            chunk->bytes = sctp_bytes_new(&fixture.pools, kinds[i].bytes);
            chunk->bytes->length = kinds[i].bytes;
            memset(chunk->bytes->data, 0xa5, kinds[i].bytes);
            chunk->length = (uint16_t)(fixed + kinds[i].bytes);
        }
        sctp_packet_add(&fixture.packet, chunk);
        CU_ASSERT_EQUAL(there_and_back(&fixture), 12 + sctp_padded(fixed + kinds[i].bytes));
        CU_ASSERT_EQUAL(fixture.bytes[12], kinds[i].type);
        fixture_clear(&fixture);
    }
}

// A faulty chunk is marked, and the chunks before it are read.
static void test_faults(void)
{
    static const struct {
        uint8_t chunk[24];
        uint32_t length;
        enum sctp_chunk_fault fault;
    } cases[] = {
        {{0, 3, 0, 15, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, 16, SCTP_CHUNK_SHORT},
        {{0, 3, 0, 40, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}, 16, SCTP_CHUNK_OVERRUN},
        {{3, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0}, 16, SCTP_CHUNK_SHORT},
        {{1, 0, 0, 19}, 20, SCTP_CHUNK_SHORT},
        {{7, 0, 0, 3}, 4, SCTP_CHUNK_SHORT},
        {{7, 0, 0, 4}, 4, SCTP_CHUNK_SHORT},
        {{7, 0}, 2, SCTP_CHUNK_OVERRUN},
        {{14}, 1, SCTP_CHUNK_OVERRUN},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture fixture;
        fixture_init(&fixture);
        uint8_t bytes[64] = {[12] = SCTP_COOKIE_ACK, [15] = 4};
        memcpy(bytes + 16, cases[i].chunk, cases[i].length);
        sctp_decode(bytes, 16 + cases[i].length, &fixture.packet);
        const struct sctp_packet *packet = sctp_packet_of(&fixture.packet);
        CU_ASSERT_FATAL(packet->first != NULL && packet->first->next != NULL);
        CU_ASSERT_EQUAL(packet->first->fault, SCTP_CHUNK_SOUND);
        CU_ASSERT_EQUAL(packet->first->next->fault, cases[i].fault);
        CU_ASSERT(packet->bad_checksum);
        fixture_clear(&fixture);
    }
}

// A capture may keep less than the packet: the checksum is still that of all of it.
static void test_cut_capture(void)
{
    uint8_t whole[ROOM] = {0}, cut[32] = {0};
    struct fixture fixture;
    fixture_init(&fixture);
    struct sctp_chunk *chunk = add(&fixture, SCTP_DATA, 3);
    chunk->data.bytes = 1000;
    chunk->length = SCTP_DATA_HEADER + 1000;
    sctp_packet_add(&fixture.packet, chunk);
    CU_ASSERT_EQUAL(sctp_encode(sctp_packet_of(&fixture.packet), whole, ROOM), 1028);
    CU_ASSERT_EQUAL(sctp_encode(sctp_packet_of(&fixture.packet), cut, sizeof cut), sizeof cut);
    CU_ASSERT_EQUAL(memcmp(whole, cut, sizeof cut), 0);
    sctp_packet_of(&fixture.packet)->bad_checksum = true;
    CU_ASSERT_EQUAL(there_and_back(&fixture), 1028);
    fixture_clear(&fixture);
}

static const struct suite_case cases[] = {
    {"CRC32c of known texts", test_checksum},
    {"zeros by algebra", test_zeros},
    {"DATA: layout, padding, content", test_data},
    {"SACK: gap blocks and duplicates", test_sack},
    {"INIT and its parameters", test_init},
    {"unsound parameters", test_unsound_parameters},
    {"other chunks", test_others},
    {"malformed chunks are marked", test_faults},
    {"a cut capture has the whole packet's checksum", test_cut_capture},
    {0},
};

int main(void)
{
    return suite_run("sctp_wire: codec", cases);
}
