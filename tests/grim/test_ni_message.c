// SPDX-License-Identifier: GPL-3.0-or-later
// GRIM's message format, bit by bit (thesis 003, 4.1.1 and Fig. 4.2).
#include "models/grim/ni/message.h"
#include "sim/core/random.h"
#include "sim/model/model.h"
#include "sim/run/schema.h"
#include "tests/support/suite.h"
#include "tests/support/world_grim.h"

#include <string.h>

static char *hex(const uint8_t *bytes, int count)
{
    GString *text = g_string_new(NULL);
    for (int i = 0; i < count; i++)
        g_string_append_printf(text, "%s%02x", i > 0 && i % 4 == 0 ? " " : "", bytes[i]);
    return g_string_free(text, FALSE);
}

static void check_hex(const struct grim_header *header, const char *expected)
{
    uint8_t bytes[GRIM_HEADER_BYTES];
    char *text = hex(bytes, grim_encode(header, bytes));
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

static struct grim_header full(void)
{
    return (struct grim_header){
        .id = GRIM_ID,
        .token = 0xa1,
        .sequence = 0xb2,
        .type = GRIM_READ_REPLY,
        .correction = 3,
        .tree = 0xc3,
        .source = 0xd4e5,
        .words = 0x1234,
        .destination = 0x5678,
        .channel = 0x9abc,
        .handler = 0xdef0,
        .argument = {0x01020304, 0x05060708, 0x090a0b0c, 0xfffefdfc},
    };
}

// grim.cfg.grim_id, grim.cfg.header_words, grim.cfg.header_word1, grim.cfg.header_word2,
// grim.cfg.header_word3, grim.cfg.header_word4, grim.cfg.user_args: eight big-endian words; type 4
// and correction 3 are the six and two bits 000100 11.
static void test_words(void)
{
    struct grim_header header = full();
    check_hex(&header, "0636a1b2 13c3d4e5 12345678 9abcdef0 01020304 05060708 090a0b0c fffefdfc");
    SUITE_SAME_INTEGER(GRIM_HEADER_BYTES, 32);
    SUITE_SAME_INTEGER(GRIM_ARGUMENTS, 4);
    SUITE_SAME_INTEGER(GRIM_ID, 0x0636);
}

// grim.msg.header_first (its use: test_ni_begin.c): a change of the user's part changes the last 16
// bytes and no others, so that all that delivery needs is in the first 16.
static void test_delivery_first(void)
{
    struct grim_header header = full(), other = full();
    uint8_t bytes[GRIM_HEADER_BYTES], others[GRIM_HEADER_BYTES];
    for (int i = 0; i < GRIM_ARGUMENTS; i++)
        other.argument[i] = ~header.argument[i];
    grim_encode(&header, bytes);
    grim_encode(&other, others);
    CU_ASSERT_EQUAL(memcmp(bytes, others, 16), 0);
    for (int i = 16; i < GRIM_HEADER_BYTES; i++)
        CU_ASSERT_NOT_EQUAL(bytes[i], others[i]);
}

// grim.cfg.control_size.
static void test_control(void)
{
    struct grim_header header = {
        .id = GRIM_ID, .token = 7, .sequence = 9, .type = GRIM_ACK, .source = 0x0102};
    check_hex(&header, "06360709 18000102");
    header.type = GRIM_NACK;
    check_hex(&header, "06360709 1c000102");
    SUITE_SAME_INTEGER(GRIM_CONTROL_BYTES, 8);
}

// grim.cfg.payload_correction, grim.cfg.null_message_size, grim.cfg.max_payload.
static void test_payload(void)
{
    for (uint32_t bytes = 0; bytes <= GRIM_MOST_PAYLOAD; bytes += bytes < 300 ? 1 : 97) {
        struct grim_message message = {.bytes = bytes};
        struct grim_header header = grim_header_of(&message, 0);
        int64_t padded = (bytes + 3) / 4 * 4;
        SUITE_SAME_INTEGER(header.words * 4, padded);
        SUITE_SAME_INTEGER(header.correction, padded - bytes);
        SUITE_SAME_INTEGER(grim_payload(&header), bytes);
        SUITE_SAME_INTEGER(grim_message_bytes(&message), 32 + padded);
    }
    struct grim_message longest = {.bytes = 64572};
    SUITE_SAME_INTEGER(grim_header_of(&longest, 0).words, 16143);
    SUITE_SAME_INTEGER(GRIM_MOST_PAYLOAD, 64572);
}

static void test_round_trip(void)
{
    struct random_stream *random = random_new(3, "headers");
    for (int i = 0; i < 2000; i++) {
        struct grim_header header = {.id = GRIM_ID}, read;
        uint8_t bytes[GRIM_HEADER_BYTES];
        header.token = (uint8_t)random_below(random, 256);
        header.sequence = (uint8_t)random_below(random, 256);
        header.type = (enum grim_type)random_below(random, GRIM_TYPES);
        header.source = (uint16_t)random_below(random, 65536);
        if (!grim_type_is_control(header.type)) {
            header.tree = (uint8_t)random_below(random, 256);
            header.words = (uint16_t)random_below(random, GRIM_MOST_PAYLOAD / 4 + 1);
            header.correction = header.words > 0 ? (uint8_t)random_below(random, 4) : 0;
            header.destination = (uint16_t)random_below(random, 65536);
            header.channel = (uint16_t)random_below(random, 65536);
            header.handler = (uint16_t)random_below(random, 65536);
            for (int k = 0; k < GRIM_ARGUMENTS; k++)
                header.argument[k] =
                    (uint32_t)(random_below(random, 65536) << 16 | random_below(random, 65536));
        }
        int count = grim_encode(&header, bytes);
        CU_ASSERT_TRUE(grim_decode(bytes, count, &read));
        uint8_t again[GRIM_HEADER_BYTES];
        SUITE_SAME_INTEGER(grim_encode(&read, again), count);
        CU_ASSERT_EQUAL(memcmp(bytes, again, (size_t)count), 0);
        SUITE_SAME_INTEGER(read.type, header.type);
        SUITE_SAME_INTEGER(read.destination, header.destination);
        CU_ASSERT_FALSE(grim_decode(bytes, count - 1, &read));
    }
    random_free(random);
}

// Bytes that are no message of GRIM's.
static void test_bad(void)
{
    uint8_t bytes[GRIM_HEADER_BYTES];
    struct grim_header header = full(), read;
    header.id = 0x0637;
    grim_encode(&header, bytes);
    CU_ASSERT_FALSE(grim_decode(bytes, GRIM_HEADER_BYTES, &read));
    header = full();
    grim_encode(&header, bytes);
    bytes[4] = GRIM_TYPES << 2;
    CU_ASSERT_FALSE(grim_decode(bytes, GRIM_HEADER_BYTES, &read));
    header = full();
    header.words = GRIM_MOST_PAYLOAD / 4 + 1;
    grim_encode(&header, bytes);
    CU_ASSERT_FALSE(grim_decode(bytes, GRIM_HEADER_BYTES, &read));
    header = full();
    header.words = 0;
    grim_encode(&header, bytes);
    CU_ASSERT_FALSE(grim_decode(bytes, GRIM_HEADER_BYTES, &read));
}

static void test_names(void)
{
    static const char *const names[GRIM_TYPES] = {
        "active message", "RM-V write", "RM-P write", "RM-RV read",
        "RM-RV reply",    "multicast",  "ACK",        "NACK"};
    for (int type = 0; type < GRIM_TYPES; type++)
        SUITE_SAME_TEXT(grim_type_name((enum grim_type)type), names[type]);
}

// grim.cfg.grim_id: a card ignores packets that have another identifier.
static void test_foreign(void)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    struct world *world = grim_world_new(&options);
    struct network *network = world->cluster->network;
    struct packet *packet = packet_new(network);
    packet->route =
        network_route(network, network_station(network, 0, 0), network_station(network, 1, 0));
    packet->wire_bytes = 64;
    struct grim_header header = full();
    header.id = 0x0001;
    grim_encode(&header, packet->header);
    network_send(network, packet, NULL);
    grim_world_run(world);
    SUITE_SAME_INTEGER(world_counter(world, "GRIM: packets without its identifier"), 1);
    SUITE_SAME_INTEGER(world_counter(world, "GRIM: messages accepted"), 0);
    world_free(world);
}

// grim.cfg.platform: the firmware runs on LANai 4 and LANai 9 cards.
static void test_platform(void)
{
    struct scenario_schema *schema = registry_schema(&model_registry);
    const struct stack_schema *grim = schema->stacks;
    while (strcmp(grim->name, "grim") != 0)
        grim++;
    char *cards = g_strjoinv(" ", (char **)grim->nics);
    SUITE_SAME_TEXT(cards, "lanai4 lanai9");
    g_free(cards);
    registry_schema_free(schema);
    SUITE_SAME_TEXT(grim_lanai4_table.name, "grim_lanai4");
    SUITE_SAME_TEXT(grim_lanai9_table.name, "grim_lanai9");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.cfg.header_word1 to 4: every field at its bits", test_words},
        {"grim.msg.header_first: delivery words come first", test_delivery_first},
        {"grim.cfg.control_size: 8 bytes", test_control},
        {"grim.cfg.payload_correction: padded and trimmed", test_payload},
        {"what is written can be read", test_round_trip},
        {"what is not GRIM's is refused", test_bad},
        {"names of types", test_names},
        {"grim.cfg.grim_id: other packets are dropped", test_foreign},
        {"grim.cfg.platform: LANai 4 and 9", test_platform},
        {0},
    };
    return suite_run("grim: message format", cases);
}
