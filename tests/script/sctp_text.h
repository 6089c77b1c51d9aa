// SPDX-License-Identifier: GPL-3.0-or-later
// An SCTP packet as a script has it:
//
//   packet = "sctp" [ "(" ( "tag" "=" N | "bad_crc32c" ) ")" ] ":" ( chunk { ";" chunk } | bytes )
//   chunk  = NAME "[" [ item { "," item } ] "]"
//   item   = field "=" value | PARAMETER "[" … "]" | CAUSE "[" … "]" | "..."
//   value  = N | letters | "..." | "text" | address | "[" list "]" | one item | "[" items "]"
//   bytes  = "[" byte { "," byte } "]"
//
// A table (sctp_kinds.c) has the fields of a chunk, a parameter or a cause and their places in the
// bytes (RFC 9260, 3.3; RFC 3758, 3.2); reading, making bytes, comparing and printing go by it.
//
// Numbers are the script's own. The peer's tags and TSNs are on the wire as the script has them;
// the host's are mapped, by what its INIT or INIT-ACK was expected to have.
#ifndef NETSIM_TESTS_SCRIPT_SCTP_TEXT_H
#define NETSIM_TESTS_SCRIPT_SCTP_TEXT_H

#include "tests/script/parse.h"

#define SCTP_TEXT_FIELDS 8
#define SCTP_TEXT_LONGEST 65000 // bytes of a packet

// ---- What there is ----

enum sctp_family { SCTP_A_CHUNK, SCTP_A_PARAMETER, SCTP_A_CAUSE };

enum sctp_form {
    SCTP_FIELD_NONE,
    SCTP_FIELD_FLAGS,
    SCTP_FIELD_TYPE, // of a kind that stands for any type
    SCTP_FIELD_LENGTH,
    SCTP_FIELD_NUMBER,
    SCTP_FIELD_RESERVED, // zeros without a name
    SCTP_FIELD_COUNT,    // without a name: of the elements of the list that follows it, or the next
    SCTP_FIELD_LIST,     // of numbers; without a count to the end
    SCTP_FIELD_ADDRESS,  // as a list of bytes
    SCTP_FIELD_ITEMS,    // parameters
    SCTP_FIELD_ITEM,     // one parameter or chunk
};

// Whose number it is.
enum sctp_space {
    SCTP_PLAIN,
    SCTP_TAG_OF_SENDER,
    SCTP_TSN_OF_SENDER,
    SCTP_TSN_OF_RECEIVER,
};

struct sctp_field {
    const char *name;
    enum sctp_form form;
    int width; // bytes of a number, or of a list's number
    int group; // numbers per element of a list: 1, or 2 for start:end; bytes of an address
    enum sctp_space space;
    const char *letters; // of flags, the highest bit first; '-' for those without
};

struct sctp_kind {
    const char *name;
    enum sctp_family family;
    int type; // -1: any
    struct sctp_field fields[SCTP_TEXT_FIELDS];
    enum sctp_family tail; // what may follow its fields: parameters or causes; SCTP_A_CHUNK: none
    bool unsupported;
};

// NULL if there is none of that name, or of that type.
const struct sctp_kind *sctp_kind_named(const char *name, enum sctp_family family);
const struct sctp_kind *sctp_kind_of(int type, enum sctp_family family);
// The kind that stands for any type.
const struct sctp_kind *sctp_kind_any(enum sctp_family family);

// ---- A packet of a script ----

struct sctp_value {
    bool given, any;
    int64_t number;
    GArray *list;     // uint32_t
    GPtrArray *items; // struct sctp_item *
};

struct sctp_item {
    const struct sctp_kind *kind;
    int line;
    bool any;      // NAME[...]
    bool any_tail; // ... where parameters or causes may be
    struct sctp_value values[SCTP_TEXT_FIELDS];
    GPtrArray *tail; // struct sctp_item *
};

struct sctp_text {
    char *source;      // as it stands in the script, blanks collapsed
    GPtrArray *chunks; // struct sctp_item *
    GArray *raw;       // uint32_t: bytes after the common header; NULL: chunks
    bool bad_checksum;
    bool tag_given;
    uint32_t tag;
};

// script_packet_fn.
void *sctp_text_parse(struct script_parser *parser, enum script_event_kind direction);
void sctp_text_free(void *owner);

// ---- Numbers of both sides ----

struct sctp_numbering {
    bool known;                    // the host has announced its own
    uint32_t live_tag;             // of the host, that the script's packets have
    uint32_t tsn;                  // live TSN of the host less the script's
    bool tsn_open;                 // the script has not set it yet: its first DATA will
    uint32_t peer_tags[2];         // that the script has announced, the newest first
    uint32_t last_tag;             // of the last packet from the script
    bool offered;                  // the host has answered an INIT
    uint32_t offer_tag, offer_tsn; // what its INIT-ACK had, and the difference
    uint32_t script_tags[8], live_tags[8];
    int tag_count;         // pairs of tags of the host
    GByteArray *cookie;    // of the last INIT-ACK from the host; NULL: none
    GByteArray *heartbeat; // value of the last heartbeat's information
};

void sctp_numbering_clear(struct sctp_numbering *numbers);

// ---- Bytes ----

// The packet's bytes from the common header on, checksum included, as the peer sends them. Returns
// NULL with a report if a value is missing. The caller frees it with g_byte_array_unref.
GByteArray *sctp_text_bytes(const struct sctp_text *text, struct sctp_numbering *numbers,
                            uint16_t source_port, uint16_t destination_port,
                            struct script_report *report);

// Whether the bytes of a packet from the host fit; learns its numbers. If not, `why` gets the name
// of the first field that differs.
bool sctp_text_match(const struct sctp_text *text, struct sctp_numbering *numbers,
                     const uint8_t *bytes, uint32_t length, GString *why);

// A packet's bytes in the script's grammar and numbers; `from_host`: whose they are. The caller
// frees it with g_free.
char *sctp_bytes_text(const struct sctp_numbering *numbers, const uint8_t *bytes, uint32_t length,
                      bool from_host);

#endif
