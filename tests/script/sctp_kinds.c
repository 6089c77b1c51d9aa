// SPDX-License-Identifier: GPL-3.0-or-later
// How chunks, parameters and causes lie in bytes: RFC 9260, 3.3; RFC 3758, 3.2; RFC 4820, 3.
#include "tests/script/sctp_text.h"

#include <string.h>

#define FLAGS(bits)                                                                                \
    {                                                                                              \
        .name = "flgs", .form = SCTP_FIELD_FLAGS, .letters = (bits)                                \
    }
#define LENGTH                                                                                     \
    {                                                                                              \
        .name = "len", .form = SCTP_FIELD_LENGTH                                                   \
    }
#define TYPE(word)                                                                                 \
    {                                                                                              \
        .name = (word), .form = SCTP_FIELD_TYPE                                                    \
    }
#define NUMBER(word, bytes)                                                                        \
    {                                                                                              \
        .name = (word), .form = SCTP_FIELD_NUMBER, .width = (bytes)                                \
    }
#define NUMBER_OF(word, whose)                                                                     \
    {                                                                                              \
        .name = (word), .form = SCTP_FIELD_NUMBER, .width = 4, .space = (whose)                    \
    }
#define RESERVED(bytes)                                                                            \
    {                                                                                              \
        .form = SCTP_FIELD_RESERVED, .width = (bytes)                                              \
    }
#define COUNT(bytes)                                                                               \
    {                                                                                              \
        .form = SCTP_FIELD_COUNT, .width = (bytes)                                                 \
    }
#define LIST(word, bytes, numbers, whose)                                                          \
    {                                                                                              \
        .name = (word), .form = SCTP_FIELD_LIST, .width = (bytes), .group = (numbers),             \
        .space = (whose)                                                                           \
    }
#define BYTES(word) LIST(word, 1, 1, SCTP_PLAIN)
#define ADDRESS(bytes)                                                                             \
    {                                                                                              \
        .name = "addr", .form = SCTP_FIELD_ADDRESS, .width = 1, .group = (bytes)                   \
    }
#define ITEMS                                                                                      \
    {                                                                                              \
        .name = "params", .form = SCTP_FIELD_ITEMS                                                 \
    }
#define ITEM(word)                                                                                 \
    {                                                                                              \
        .name = (word), .form = SCTP_FIELD_ITEM                                                    \
    }
#define INIT_FIELDS                                                                                \
    {                                                                                              \
        FLAGS(""), NUMBER_OF("tag", SCTP_TAG_OF_SENDER), NUMBER("a_rwnd", 4), NUMBER("os", 2),     \
            NUMBER("is", 2), NUMBER_OF("tsn", SCTP_TSN_OF_SENDER)                                  \
    }
#define CHUNK(word, of, ...)                                                                       \
    {                                                                                              \
        .name = (word), .family = SCTP_A_CHUNK, .type = (of), __VA_ARGS__                          \
    }
#define PARAMETER(word, of, ...)                                                                   \
    {                                                                                              \
        .name = (word), .family = SCTP_A_PARAMETER, .type = (of), .fields = { __VA_ARGS__ }        \
    }
#define CAUSE(word, of, ...)                                                                       \
    {                                                                                              \
        .name = (word), .family = SCTP_A_CAUSE, .type = (of), .fields = { __VA_ARGS__ }            \
    }

static const struct sctp_kind kinds[] = {
    CHUNK("DATA", 0,
          .fields = {FLAGS("IUBE"), LENGTH, NUMBER_OF("tsn", SCTP_TSN_OF_SENDER), NUMBER("sid", 2),
                     NUMBER("ssn", 2), NUMBER("ppid", 4), BYTES("val")}),
    CHUNK("INIT", 1, .fields = INIT_FIELDS, .tail = SCTP_A_PARAMETER),
    CHUNK("INIT_ACK", 2, .fields = INIT_FIELDS, .tail = SCTP_A_PARAMETER),
    CHUNK("SACK", 3,
          .fields = {FLAGS(""), NUMBER_OF("cum_tsn", SCTP_TSN_OF_RECEIVER), NUMBER("a_rwnd", 4),
                     COUNT(2), COUNT(2), LIST("gaps", 2, 2, SCTP_PLAIN),
                     LIST("dups", 4, 1, SCTP_TSN_OF_RECEIVER)}),
    CHUNK("HEARTBEAT", 4, .fields = {FLAGS("")}, .tail = SCTP_A_PARAMETER),
    CHUNK("HEARTBEAT_ACK", 5, .fields = {FLAGS("")}, .tail = SCTP_A_PARAMETER),
    CHUNK("ABORT", 6, .fields = {FLAGS("T")}, .tail = SCTP_A_CAUSE),
    CHUNK("SHUTDOWN", 7, .fields = {FLAGS(""), NUMBER_OF("cum_tsn", SCTP_TSN_OF_RECEIVER)}),
    CHUNK("SHUTDOWN_ACK", 8, .fields = {FLAGS("")}),
    CHUNK("ERROR", 9, .fields = {FLAGS("")}, .tail = SCTP_A_CAUSE),
    CHUNK("COOKIE_ECHO", 10, .fields = {FLAGS(""), LENGTH, BYTES("val")}),
    CHUNK("COOKIE_ACK", 11, .fields = {FLAGS("")}),
    CHUNK("ECNE", 12, .fields = {FLAGS(""), NUMBER_OF("tsn", SCTP_TSN_OF_RECEIVER)}),
    CHUNK("CWR", 13, .fields = {FLAGS(""), NUMBER_OF("tsn", SCTP_TSN_OF_SENDER)}),
    CHUNK("SHUTDOWN_COMPLETE", 14, .fields = {FLAGS("T")}),
    CHUNK("PAD", 0x84, .fields = {FLAGS(""), LENGTH, BYTES("val")}),
    CHUNK("FORWARD_TSN", 0xC0,
          .fields = {FLAGS(""), NUMBER_OF("cum_tsn", SCTP_TSN_OF_SENDER),
                     LIST("ids", 2, 2, SCTP_PLAIN)}),
    CHUNK("CHUNK", -1, .fields = {TYPE("type"), FLAGS(""), LENGTH, BYTES("val")}),
    CHUNK("I_DATA", 0x40, .unsupported = true),
    CHUNK("I_FORWARD_TSN", 0xC2, .unsupported = true),
    CHUNK("NR_SACK", 0x10, .unsupported = true),
    CHUNK("RECONFIG", 0x82, .unsupported = true),
    CHUNK("AUTH", 0x0F, .unsupported = true),
    CHUNK("ASCONF", 0xC1, .unsupported = true),
    CHUNK("ASCONF_ACK", 0x80, .unsupported = true),

    PARAMETER("HEARTBEAT_INFORMATION", 1, LENGTH, BYTES("val")),
    PARAMETER("IPV4_ADDRESS", 5, ADDRESS(4)),
    PARAMETER("IPV6_ADDRESS", 6, ADDRESS(16)),
    PARAMETER("STATE_COOKIE", 7, LENGTH, BYTES("val")),
    PARAMETER("UNRECOGNIZED_PARAMETER", 8, ITEMS),
    PARAMETER("UNRECOGNIZED_PARAMETERS", 8, ITEMS),
    PARAMETER("COOKIE_PRESERVATIVE", 9, NUMBER("incr", 4)),
    PARAMETER("HOSTNAME_ADDRESS", 11, BYTES("addr")),
    PARAMETER("SUPPORTED_ADDRESS_TYPES", 12, LIST("types", 2, 1, SCTP_PLAIN)),
    PARAMETER("ECN_CAPABLE", 0x8000, LENGTH),
    PARAMETER("PAD", 0x8005, LENGTH, BYTES("val")),
    PARAMETER("SUPPORTED_EXTENSIONS", 0x8008, BYTES("types")),
    PARAMETER("FORWARD_TSN_SUPPORTED", 0xC000, LENGTH),
    PARAMETER("ADAPTATION_INDICATION", 0xC006, NUMBER("adaptation_code_point", 4)),
    PARAMETER("PARAMETER", -1, TYPE("type"), LENGTH, BYTES("val")),

    CAUSE("INVALID_STREAM_IDENTIFIER", 1, NUMBER("sid", 2), RESERVED(2)),
    CAUSE("MISSING_MANDATORY_PARAMETER", 2, COUNT(4), LIST("types", 2, 1, SCTP_PLAIN)),
    CAUSE("STALE_COOKIE_ERROR", 3, NUMBER("staleness", 4)),
    CAUSE("OUT_OF_RESOURCE", 4, LENGTH),
    CAUSE("UNRESOLVABLE_ADDRESS", 5, ITEM("param")),
    CAUSE("UNRECOGNIZED_CHUNK_TYPE", 6, ITEM("chk")),
    CAUSE("INVALID_MANDATORY_PARAMETER", 7, LENGTH),
    CAUSE("UNRECOGNIZED_PARAMETERS", 8, ITEMS),
    CAUSE("NO_USER_DATA", 9, NUMBER_OF("tsn", SCTP_TSN_OF_RECEIVER)),
    CAUSE("COOKIE_RECEIVED_WHILE_SHUTDOWN", 10, LENGTH),
    CAUSE("RESTART_WITH_NEW_ADDRESSES", 11, ITEMS),
    CAUSE("USER_INITIATED_ABORT", 12, BYTES("info")),
    CAUSE("PROTOCOL_VIOLATION", 13, BYTES("info")),
    CAUSE("CAUSE", -1, TYPE("code"), LENGTH, BYTES("info")),
};

const struct sctp_kind *sctp_kind_named(const char *name, enum sctp_family family)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (kinds[i].family == family && strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

const struct sctp_kind *sctp_kind_of(int type, enum sctp_family family)
{
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        if (kinds[i].family == family && kinds[i].type == type && !kinds[i].unsupported)
            return &kinds[i];
    return NULL;
}

const struct sctp_kind *sctp_kind_any(enum sctp_family family)
{
    static const char *const names[] = {"CHUNK", "PARAMETER", "CAUSE"};
    return sctp_kind_named(names[family], family);
}
