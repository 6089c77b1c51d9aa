// SPDX-License-Identifier: GPL-3.0-or-later
// SCTP's packets in scripts: from text to bytes and back, against the formats of RFC 9260, 3.3, and
// against the codec of models/sctp_cmt/wire, which knows nothing of this one.
#include "models/sctp_cmt/wire/codec.h"
#include "tests/script/sctp_text.h"
#include "tests/support/suite.h"

#include <string.h>

static const char *const nothing[] = {NULL};

static struct script *parse(const char *text, bool inbound, struct script_report *report)
{
    char *line = g_strconcat("0 ", inbound ? "< " : "> ", text, NULL);
    *report = (struct script_report){0};
    struct script *script =
        script_parse(line, strlen(line), nothing, sctp_text_parse, sctp_text_free, NULL, report);
    g_free(line);
    return script;
}

static const struct sctp_text *packet_of(const struct script *script)
{
    return ((const struct script_event *)g_ptr_array_index(script->events, 0))->packet;
}

// The bytes of a packet that a script sends; NULL if it can't.
static GByteArray *bytes_of(const char *text, struct sctp_numbering *numbers)
{
    struct script_report report;
    struct script *script = parse(text, true, &report);
    GByteArray *bytes = NULL;
    if (report.verdict == SCRIPT_PASS)
        bytes = sctp_text_bytes(packet_of(script), numbers, 1, 2, &report);
    if (!bytes)
        fprintf(stderr, "%s: %s\n", text, report.text);
    script_report_clear(&report);
    script_free(script);
    return bytes;
}

static void check_hex(const char *text, const char *hex)
{
    struct sctp_numbering numbers = {.live_tag = 0x11223344, .tsn = 100};
    GByteArray *bytes = bytes_of(text, &numbers);
    GString *is = g_string_new(NULL);
    CU_ASSERT_FATAL(bytes != NULL);
    for (guint i = SCTP_COMMON_HEADER; i < bytes->len; i++)
        g_string_append_printf(is, "%s%02x", i % 4 == 0 && is->len > 0 ? " " : "", bytes->data[i]);
    if (strcmp(is->str, hex) != 0)
        fprintf(stderr, "%s\n  expected %s\n  got      %s\n", text, hex, is->str);
    CU_ASSERT(strcmp(is->str, hex) == 0);
    g_string_free(is, TRUE);
    g_byte_array_unref(bytes);
    sctp_numbering_clear(&numbers);
}

// By hand from the RFC's pictures. The receiver's TSNs move by 100.
static void test_bytes(void)
{
    check_hex("sctp: DATA[flgs=BE, len=17, tsn=1, sid=2, ssn=3, ppid=0x4]",
              "00030011 00000001 00020003 00000004 00000000");
    check_hex("sctp: INIT[flgs=0, tag=1, a_rwnd=1500, os=1, is=2, tsn=7]",
              "01000014 00000001 000005dc 00010002 00000007");
    // The peer of a script, 192.0.2.1, is the second host of the simulation.
    check_hex("sctp: INIT[flgs=0, tag=1, a_rwnd=1500, os=1, is=1, tsn=1, "
              "IPV4_ADDRESS[addr=192.0.2.1], SUPPORTED_ADDRESS_TYPES[types=[IPv4, 6, 11]], "
              "PARAMETER[type=0xc00c, len=5, val=[0xff]], ECN_CAPABLE[]]",
              "01000034 00000001 000005dc 00010001 00000001 00050008 0a000002 000c000a 00050006 "
              "000b0000 c00c0005 ff000000 80000004");
    check_hex("sctp: SACK[flgs=0, cum_tsn=5, a_rwnd=1000, gaps=[2:3, 5:5], dups=[4, 3]]",
              "03000020 00000069 000003e8 00020002 00020003 00050005 00000068 00000067");
    check_hex("sctp: HEARTBEAT[flgs=0, HEARTBEAT_INFORMATION[len=6, val=[1, 0x2]]]",
              "0400000a 00010006 01020000");
    check_hex("sctp: ABORT[flgs=T, USER_INITIATED_ABORT[info=\"bye\"]]",
              "0601000b 000c0007 62796500");
    check_hex("sctp: ERROR[flgs=0, STALE_COOKIE_ERROR[staleness=256], "
              "MISSING_MANDATORY_PARAMETER[types=[7]], INVALID_STREAM_IDENTIFIER[sid=9]]",
              "09000020 00030008 00000100 0002000a 00000001 00070000 00010008 00090000");
    check_hex("sctp: COOKIE_ECHO[flgs=0, len=7, val=[1,2,3]]; COOKIE_ACK[flgs=0]; "
              "SHUTDOWN[flgs=0, cum_tsn=1]",
              "0a000007 01020300 0b000004 07000008 00000065");
    check_hex("sctp: FORWARD_TSN[cum_tsn=9, ids=[{1,2},{3,4}]]",
              "c0000010 00000009 00010002 00030004");
    check_hex("sctp: ABORT[flgs=0, UNRECOGNIZED_CHUNK_TYPE[chk=CHUNK[type=0x7f, flgs=1, len=8, "
              "val=[9]]]]",
              "06000010 0006000c 7f010008 09000000");
    // The peer of a script, 192.0.2.1, is the second host of the simulation.
    check_hex("sctp: INIT[flgs=0, tag=1, a_rwnd=1500, os=1, is=1, tsn=1, "
              "SUPPORTED_EXTENSIONS[types=[FORWARD_TSN, RECONFIG]]]",
              "0100001a 00000001 000005dc 00010001 00000001 80080006 c0820000");
    check_hex("sctp: INIT[flgs=0, tag=1, a_rwnd=1500, os=1, is=1, tsn=1, "
              "IPV6_ADDRESS[addr=2001:db8::1]]",
              "01000028 00000001 000005dc 00010001 00000001 00060014 20010db8 00000000 00000000 "
              "00000001");
    check_hex("sctp: [0x03, 0, 0xff]", "0300ff");
    check_hex("sctp: CHUNK[type=SACK, flgs=0, len=2, val=[]]", "03000002");
}

static const char *const packets[] = {
    "sctp: DATA[flgs=IUBE, len=1468, tsn=4294967295, sid=0, ssn=65535, ppid=1, val=...]",
    "sctp: DATA[flgs=0, len=17, tsn=4, sid=0, ssn=65535, ppid=1, val=[0x00]]",
    "sctp: INIT[flgs=0, tag=1, a_rwnd=1500, os=1, is=2, tsn=7]",
    "sctp: INIT_ACK[flgs=0, tag=1, a_rwnd=1500, os=1, is=2, tsn=7, STATE_COOKIE[len=8, "
    "val=[0x01, 0x02, 0x03, 0x04]], UNRECOGNIZED_PARAMETER[params=[PARAMETER[type=0xc00c, len=5, "
    "val=[0xff]], COOKIE_PRESERVATIVE[incr=7]]]]",
    "sctp: INIT[flgs=0, tag=1, a_rwnd=1500, os=1, is=2, tsn=7, HOSTNAME_ADDRESS[addr=[0x61]], "
    "SUPPORTED_EXTENSIONS[types=[0xc0, 0x82]], ADAPTATION_INDICATION[adaptation_code_point=3], "
    "IPV4_ADDRESS[addr=10.0.0.1]]",
    "sctp: INIT[flgs=0, tag=1, a_rwnd=1500, os=1, is=2, tsn=7, IPV6_ADDRESS[addr=::], "
    "IPV6_ADDRESS[addr=fe80::250:56ff:fe24:9e6], IPV6_ADDRESS[addr=::ffff:192.0.2.1]]",
    "sctp: SACK[flgs=0, cum_tsn=5, a_rwnd=1000, gaps=[2:3, 5:5], dups=[4, 3]]",
    "sctp: SACK[flgs=0, cum_tsn=5, a_rwnd=1000, gaps=[], dups=[]]",
    "sctp: ABORT[flgs=T]",
    "sctp: ABORT[flgs=0, PROTOCOL_VIOLATION[info=[0x61, 0x62]], NO_USER_DATA[tsn=5]]",
    "sctp: ERROR[flgs=0, UNRESOLVABLE_ADDRESS[param=IPV4_ADDRESS[addr=1.2.3.4]], "
    "UNRECOGNIZED_PARAMETERS[params=[PARAMETER[type=0x8123, len=4, val=[]]]], "
    "UNRECOGNIZED_CHUNK_TYPE[chk=CHUNK[type=0x40, flgs=0, len=5, val=[0x01]]]]",
    "sctp: SHUTDOWN_ACK[flgs=0]; COOKIE_ACK[flgs=0]; SHUTDOWN_COMPLETE[flgs=T]",
    "sctp: ECNE[flgs=0, tsn=1]; CWR[flgs=0, tsn=2]",
    "sctp: CHUNK[type=0xfe, flgs=255, len=7, val=[0x01, 0x02, 0x03]]",
    "sctp: FORWARD_TSN[flgs=0, cum_tsn=9, ids=[1:2, 3:4]]",
};

// Text to bytes, bytes to text; and what the bytes mean to the codec gives the same bytes.
static void test_round_trip(void)
{
    struct sctp_pools pools;
    sctp_pools_init(&pools);
    for (size_t i = 0; i < G_N_ELEMENTS(packets); i++) {
        struct sctp_numbering numbers = {0};
        GByteArray *bytes = bytes_of(packets[i], &numbers);
        CU_ASSERT_FATAL(bytes != NULL);
        char *text = sctp_bytes_text(&numbers, bytes->data, bytes->len, false);
        if (strcmp(text, packets[i]) != 0)
            fprintf(stderr, "%s\n  became %s\n", packets[i], text);
        CU_ASSERT(strcmp(text, packets[i]) == 0);
        g_free(text);
        struct packet packet = {0};
        uint8_t again[2000] = {0};
        sctp_packet_init(&packet, &pools);
        sctp_decode(bytes->data, bytes->len, &packet);
        CU_ASSERT(!sctp_packet_of(&packet)->bad_checksum);
        SUITE_SAME_INTEGER(sctp_encode(sctp_packet_of(&packet), again, sizeof again), bytes->len);
        CU_ASSERT(memcmp(again, bytes->data, bytes->len) == 0);
        packet.load->release(&packet);
        g_byte_array_unref(bytes);
        sctp_numbering_clear(&numbers);
    }
    sctp_pools_clear(&pools);
}

static bool matches(const char *expected, const char *sent, char **why)
{
    struct sctp_numbering none = {0}, numbers = {.peer_tags = {0}};
    struct script_report report;
    GByteArray *bytes = bytes_of(sent, &none);
    struct script *script = parse(expected, false, &report);
    GString *text = g_string_new(NULL);
    if (report.verdict != SCRIPT_PASS)
        fprintf(stderr, "%s: %s\n", expected, report.text);
    CU_ASSERT_FATAL(report.verdict == SCRIPT_PASS && bytes);
    bool same = sctp_text_match(packet_of(script), &numbers, bytes->data, bytes->len, text);
    script_free(script);
    g_byte_array_unref(bytes);
    sctp_numbering_clear(&numbers);
    *why = g_string_free(text, FALSE);
    return same;
}

static void test_match(void)
{
    static const struct {
        const char *expected, *sent, *why; // "": they fit
    } cases[] = {
        {"sctp: COOKIE_ACK[flgs=...]", "sctp: COOKIE_ACK[flgs=1]", ""},
        {"sctp: COOKIE_ACK[flgs=0]", "sctp: COOKIE_ACK[flgs=1]", "flgs"},
        {"sctp: COOKIE_ACK[flgs=0]", "sctp: SHUTDOWN_ACK[flgs=0]", "COOKIE_ACK"},
        {"sctp: COOKIE_ACK[flgs=0]", "sctp: COOKIE_ACK[flgs=0]; COOKIE_ACK[flgs=0]",
         "a further chunk"},
        {"sctp: COOKIE_ACK[flgs=0]; COOKIE_ACK[flgs=0]", "sctp: COOKIE_ACK[flgs=0]", "COOKIE_ACK"},
        {"sctp: SACK[flgs=0, cum_tsn=1, a_rwnd=..., gaps=..., dups=[...]]",
         "sctp: SACK[flgs=0, cum_tsn=1, a_rwnd=7, gaps=[2:2], dups=[1]]", ""},
        {"sctp: SACK[flgs=0, cum_tsn=1, a_rwnd=..., gaps=[], dups=[1]]",
         "sctp: SACK[flgs=0, cum_tsn=1, a_rwnd=7, gaps=[2:2], dups=[1]]", "gaps"},
        {"sctp: SACK[flgs=0, cum_tsn=1, a_rwnd=..., gaps=[2:2], dups=[2]]",
         "sctp: SACK[flgs=0, cum_tsn=1, a_rwnd=7, gaps=[2:2], dups=[1]]", "dups"},
        {"sctp: DATA[flgs=BE, len=20, tsn=..., sid=0, ssn=0, ppid=0]",
         "sctp: DATA[flgs=BE, len=21, tsn=9, sid=0, ssn=0, ppid=0]", "len"},
        {"sctp: ABORT[flgs=0, ...]", "sctp: ABORT[flgs=0, OUT_OF_RESOURCE[]]", ""},
        {"sctp: ABORT[flgs=0]", "sctp: ABORT[flgs=0, OUT_OF_RESOURCE[]]", "the parameters"},
        {"sctp: ABORT[flgs=0, OUT_OF_RESOURCE[]]", "sctp: ABORT[flgs=0]", "OUT_OF_RESOURCE"},
        {"sctp: HEARTBEAT[flgs=0, HEARTBEAT_INFORMATION[...]]",
         "sctp: HEARTBEAT[flgs=0, HEARTBEAT_INFORMATION[len=8, val=[1,2,3,4]]]", ""},
        {"sctp(tag=9): COOKIE_ACK[flgs=0]", "sctp: COOKIE_ACK[flgs=0]", "the verification tag"},
        {"sctp: ERROR[flgs=0, UNRECOGNIZED_CHUNK_TYPE[chk=...]]",
         "sctp: ERROR[flgs=0, UNRECOGNIZED_CHUNK_TYPE[chk=CHUNK[type=64, len=4, val=[]]]]", ""},
        {"sctp: ERROR[flgs=0, UNRECOGNIZED_CHUNK_TYPE[chk=CHUNK[type=65, flgs=0, len=4, val=[]]]]",
         "sctp: ERROR[flgs=0, UNRECOGNIZED_CHUNK_TYPE[chk=CHUNK[type=64, len=4, val=[]]]]", "type"},
        {"sctp: [0x0b, 0, 0, 4]", "sctp: COOKIE_ACK[flgs=0]", ""},
        {"sctp: [0x0b, 0, 0, 5]", "sctp: COOKIE_ACK[flgs=0]", "a byte"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *why;
        bool same = matches(cases[i].expected, cases[i].sent, &why);
        if (strcmp(why, cases[i].why) != 0)
            fprintf(stderr, "%s\n  expected to differ in \"%s\", got \"%s\"\n", cases[i].expected,
                    cases[i].why, why);
        CU_ASSERT(strcmp(why, cases[i].why) == 0);
        CU_ASSERT(same == (cases[i].why[0] == '\0'));
        g_free(why);
    }
}

// The host's tags and TSNs are the script's moved; the cookie and the heartbeat return as they
// were.
static void test_learning(void)
{
    struct sctp_numbering host = {0}, numbers = {.peer_tags = {7}};
    struct script_report report;
    host.live_tag = 7; // the tag of the peer, in what the host sends
    GByteArray *bytes = bytes_of("sctp: INIT_ACK[flgs=0, tag=5000, a_rwnd=1500, os=1, is=1, "
                                 "tsn=9000, STATE_COOKIE[len=7, val=[1, 2, 3]]]",
                                 &host);
    struct script *script = parse("sctp: INIT_ACK[flgs=0, tag=2, a_rwnd=..., os=..., is=..., "
                                  "tsn=3, STATE_COOKIE[...]]",
                                  false, &report);
    GString *why = g_string_new(NULL);
    CU_ASSERT(sctp_text_match(packet_of(script), &numbers, bytes->data, bytes->len, why));
    g_byte_array_unref(bytes);
    script_free(script);
    bytes = bytes_of("sctp: COOKIE_ECHO[flgs=0, len=..., val=...]; "
                     "SACK[flgs=0, cum_tsn=4, a_rwnd=1, gaps=[], dups=[3]]",
                     &numbers);
    SUITE_SAME_INTEGER(sctp_get32(bytes->data + 4), 5000);
    CU_ASSERT(memcmp(bytes->data + 12, "\x0a\0\0\7\1\2\3\0", 8) == 0);
    SUITE_SAME_INTEGER(sctp_get32(bytes->data + 24), 9001);
    SUITE_SAME_INTEGER(sctp_get32(bytes->data + 36), 9000);
    g_byte_array_unref(bytes);
    bytes = bytes_of("sctp(tag=2): ABORT[flgs=0]", &numbers);
    SUITE_SAME_INTEGER(sctp_get32(bytes->data + 4), 5000);
    g_byte_array_unref(bytes);
    bytes = bytes_of("sctp: ABORT[flgs=T]", &numbers);
    SUITE_SAME_INTEGER(sctp_get32(bytes->data + 4), 7);
    g_byte_array_unref(bytes);
    bytes = bytes_of("sctp(bad_crc32c): COOKIE_ACK[flgs=0]", &numbers);
    uint32_t crc = sctp_get32(bytes->data + 8);
    memset(bytes->data + 8, 0, 4);
    CU_ASSERT(GUINT32_SWAP_LE_BE(crc) != sctp_crc32c(0, bytes->data, bytes->len));
    g_byte_array_unref(bytes);
    g_string_free(why, TRUE);
    sctp_numbering_clear(&numbers);
}

// A script that leaves the host's first TSN open sets it with the first DATA.
static void test_open_tsn(void)
{
    struct sctp_numbering host = {.live_tag = 7}, numbers = {.peer_tags = {7}};
    static const struct {
        const char *sent, *expected;
    } packets_of_host[] = {
        {"sctp(tag=0): INIT[flgs=0, tag=5000, a_rwnd=1500, os=1, is=1, tsn=9000]",
         "sctp: INIT[flgs=0, tag=1, a_rwnd=..., os=..., is=..., tsn=...]"},
        {"sctp: DATA[flgs=BE, len=20, tsn=9000, sid=0, ssn=0, ppid=0]",
         "sctp: DATA[flgs=BE, len=20, tsn=1, sid=0, ssn=0, ppid=0]"},
        {"sctp: DATA[flgs=BE, len=20, tsn=9001, sid=0, ssn=1, ppid=0]",
         "sctp: DATA[flgs=BE, len=20, tsn=2, sid=0, ssn=1, ppid=0]"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(packets_of_host); i++) {
        struct script_report report;
        GByteArray *bytes = bytes_of(packets_of_host[i].sent, &host);
        struct script *script = parse(packets_of_host[i].expected, false, &report);
        GString *why = g_string_new(NULL);
        CU_ASSERT(sctp_text_match(packet_of(script), &numbers, bytes->data, bytes->len, why));
        CU_ASSERT(why->len == 0);
        g_string_free(why, TRUE);
        g_byte_array_unref(bytes);
        script_free(script);
    }
    SUITE_SAME_INTEGER(numbers.tsn, 8999);
    sctp_numbering_clear(&host);
    sctp_numbering_clear(&numbers);
}

static void test_bad(void)
{
    static const struct {
        const char *text;
        enum script_verdict verdict;
        const char *says;
    } cases[] = {
        {"udp: x", SCRIPT_UNSUPPORTED, "udp"},
        {"tcp: x", SCRIPT_FAIL, "expected sctp, got tcp"},
        {"[noecn] sctp: COOKIE_ACK[flgs=0]", SCRIPT_UNSUPPORTED, "fields of IP"},
        {"sctp(1 > 2): COOKIE_ACK[flgs=0]", SCRIPT_UNSUPPORTED, "ports in a packet"},
        {"sctp: COOKIE_ACK[flgs=0] /udp(1 > 2)", SCRIPT_UNSUPPORTED, "SCTP over UDP"},
        {"sctp(tag=1, bad_crc32c, x): COOKIE_ACK[flgs=0]", SCRIPT_FAIL, "got x"},
        {"sctp DATA", SCRIPT_FAIL, "expected \":\""},
        {"sctp(crc): X[]", SCRIPT_FAIL, "expected tag or bad_crc32c"},
        {"sctp: NONSENSE[]", SCRIPT_UNSUPPORTED, "a chunk NONSENSE"},
        {"sctp: I-DATA[flgs=0]", SCRIPT_UNSUPPORTED, "a chunk I"},
        {"sctp: RECONFIG[flgs=0]", SCRIPT_UNSUPPORTED, "a chunk RECONFIG"},
        {"sctp: 5", SCRIPT_FAIL, "expected a chunk, got 5"},
        {"sctp: COOKIE_ACK", SCRIPT_FAIL, "expected \"[\""},
        {"sctp: COOKIE_ACK[flgs=0", SCRIPT_FAIL, "expected \"]\""},
        {"sctp: COOKIE_ACK[tsn=0]", SCRIPT_FAIL, "expected a field, got tsn"},
        {"sctp: COOKIE_ACK[flgs=0, flgs=0]", SCRIPT_FAIL, "expected flgs once"},
        {"sctp: COOKIE_ACK[flgs=256]", SCRIPT_FAIL, "flags from 0 to 255"},
        {"sctp: DATA[flgs=X, len=1]", SCRIPT_FAIL, "expected flags, got X"},
        {"sctp: DATA[flgs=BE, len=17, sid=0, ssn=0, ppid=0]", SCRIPT_FAIL, "expected tsn of DATA"},
        {"sctp: SACK[flgs=0, cum_tsn=1, a_rwnd=1, gaps=[1], dups=[]]", SCRIPT_FAIL,
         "expected \":\""},
        {"sctp: SACK[flgs=0, cum_tsn=1, a_rwnd=1, gaps=[1:70000], dups=[]]", SCRIPT_FAIL,
         "a number from 0 to 65535"},
        {"sctp: INIT[flgs=0, tag=1, a_rwnd=1, os=1, is=1, tsn=1, IPV4_ADDRESS[addr=5]]",
         SCRIPT_FAIL, "expected an IPv4 address"},
        {"sctp: INIT[flgs=0, tag=1, a_rwnd=1, os=1, is=1, tsn=1, IPV6_ADDRESS[addr=1.2.3.4]]",
         SCRIPT_FAIL, "expected an IPv6 address, got 1.2.3.4"},
        {"sctp: INIT[flgs=0, tag=1, a_rwnd=1, os=1, is=1, tsn=1, IPV6_ADDRESS[addr=1:2:3]]",
         SCRIPT_FAIL, "expected an IPv6 address, got 1"},
        {"::1 > ::2: sctp: COOKIE_ACK[flgs=0]", SCRIPT_PASS, ""},
        {"sctp: INIT[flgs=0, tag=1, a_rwnd=1, os=1, is=1, tsn=1, FOO[]]", SCRIPT_UNSUPPORTED,
         "a parameter FOO"},
        {"sctp: [1, 256]", SCRIPT_FAIL, "a number from 0 to 255"},
        {"sctp: [...]", SCRIPT_FAIL, "expected bytes"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct script_report report;
        struct script *script = parse(cases[i].text, false, &report);
        bool same = report.verdict == cases[i].verdict &&
                    (!report.text || strstr(report.text, cases[i].says));
        if (!same)
            fprintf(stderr, "%s: %d %s\n", cases[i].text, report.verdict, report.text);
        CU_ASSERT(same);
        script_report_clear(&report);
        script_free(script);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"bytes", test_bytes},
        {"round trip", test_round_trip},
        {"match", test_match},
        {"learning", test_learning},
        {"a TSN that is open", test_open_tsn},
        {"bad packets", test_bad},
        {0},
    };
    return suite_run("script: SCTP packets", cases);
}
