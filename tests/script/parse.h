// SPDX-License-Identifier: GPL-3.0-or-later
// A packet script as a list of events, in the grammar of the packetdrill family (Cardwell et al.,
// USENIX ATC 2013):
//
//   script   = { option } { event }
//   option   = "--" name "=" value                                  (a line of its own)
//   event    = time ( "<" [ addresses ] packet | ">" [ addresses ] packet | call )
//   time     = "+" number [ "~" "+" number ] | number [ "~" number ] | "*"            (seconds)
//   addresses = [ "ipv4" ] IPv4 ">" IPv4 [ ":" ]
//   call     = NAME "(" [ value { "," value } ] ")" "=" value [ ERRNO ] [ "(" text ")" ]
//   value    = "..." | number | "string" | NAME [ "(" values ")" ] | "[" values "]" | "{" fields
//   "}"
//              joined by "|"; a field is a value or name [ "(" value ")" ] "=" value
//
// The protocol defines a packet (struct script_protocol in play.h).
#ifndef NETSIM_TESTS_SCRIPT_PARSE_H
#define NETSIM_TESTS_SCRIPT_PARSE_H

#include "sim/core/time.h"
#include "tests/script/text.h"

#define SCRIPT_DEPTH 32 // of values in values

// ---- Reading tokens ----

struct script_parser {
    GArray *tokens;
    guint at;
    int depth;
    struct script_report *report;
    void *owner; // the protocol's
};

const struct script_token *script_peek(const struct script_parser *parser, guint ahead);
const struct script_token *script_next(struct script_parser *parser);
// True once something was wrong: parsing functions then return.
bool script_wrong(const struct script_parser *parser);
bool script_is_mark(const struct script_token *token, char mark);
bool script_is_word(const struct script_token *token, const char *word);
// Takes the token if it is the one.
bool script_take_mark(struct script_parser *parser, char mark);
bool script_take_word(struct script_parser *parser, const char *word);
bool script_take_dots(struct script_parser *parser);
// Takes the token, or complains that it is not the one.
void script_expect_mark(struct script_parser *parser, char mark);
int64_t script_expect_integer(struct script_parser *parser, const char *what, int64_t least,
                              int64_t most);
// Complains of the next token.
void script_expected(struct script_parser *parser, const char *what);

// ---- Values ----

enum script_value_kind {
    SCRIPT_VALUE_DOTS,
    SCRIPT_VALUE_INTEGER,
    SCRIPT_VALUE_NAME, // also of a call: htons(8080)
    SCRIPT_VALUE_STRING,
    SCRIPT_VALUE_LIST,
    SCRIPT_VALUE_STRUCT,
    SCRIPT_VALUE_OR,
    SCRIPT_VALUE_ADDRESS,
};

struct script_value {
    enum script_value_kind kind;
    int line;
    int64_t integer;
    char *text;       // the name, string or address
    char *field;      // in a struct: its name; NULL: none
    GPtrArray *items; // struct script_value *: of a list, a struct, an OR, a call's arguments
};

struct script_value *script_parse_value(struct script_parser *parser);
void script_value_free(struct script_value *value);
// The field of a struct, or NULL.
const struct script_value *script_field(const struct script_value *value, const char *name);

// A name that stands for a number.
struct script_constant {
    const char *name;
    int64_t value;
};

// Returns false if the value has a name that `constants` (which end with a NULL name) do not.
bool script_number(const struct script_value *value, const struct script_constant *constants,
                   int64_t *number);

// ---- Events ----

enum script_event_kind { SCRIPT_INBOUND, SCRIPT_OUTBOUND, SCRIPT_CALL };

// When an event happens, seconds. A relative time counts from the previous event.
struct script_time {
    bool any, relative, range;
    sim_time from, to;
};

struct script_call {
    char *name;
    GPtrArray *arguments; // struct script_value *
    struct script_value *result;
    char *error; // NULL: none
};

struct script_event {
    enum script_event_kind kind;
    int line;
    struct script_time time;
    char *source, *destination; // addresses of a packet; NULL: not said
    void *packet;               // the protocol's
    struct script_call call;    // name NULL: none
    char *shell;                // what a real host would run, in `backticks`; NULL: none
};

struct script {
    GPtrArray *options;   // char *: NAME=VALUE
    GArray *option_lines; // int
    GPtrArray *events;    // struct script_event *
    void (*packet_free)(void *packet);
};

// Reads a protocol's packet after the direction and the addresses. Returns NULL, with a report, if
// it is no packet.
typedef void *script_packet_fn(struct script_parser *parser, enum script_event_kind direction);

// Never returns NULL. The caller frees it with script_free.
struct script *script_parse(const char *text, size_t length, const char *const *defined,
                            script_packet_fn *packet, void (*packet_free)(void *), void *owner,
                            struct script_report *report);
void script_free(struct script *script);

#endif
