// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/fake_operations.h"

#include <string.h>

#define T struct fake_transfer
#define C struct fake_call

#define FLAG(field_)                                                                               \
    {                                                                                              \
        .param = PARAM(T, field_, PARAM_BOOL, .fallback = "false", .doc = "a flag")                \
    }
#define CHANNEL(struct_)                                                                           \
    {                                                                                              \
        .param = PARAM(struct_, channel, PARAM_COUNT, .fallback = "", .doc = "of the peer")        \
    }
#define END                                                                                        \
    {                                                                                              \
        .param = {.name = NULL }                                                                   \
    }
#define TRANSFER_KEYS                                                                              \
    OPERATION_KEYS_DATA, OPERATION_KEY_BUFFER,                                                     \
        {.param = PARAM(T, peer_buffer, PARAM_COUNT, .fallback = "0", .doc = "address")},          \
        CHANNEL(T), FLAG(notify), FLAG(physical), FLAG(paged), OPERATION_KEY_REQUEST, END

static const struct operation_key to_keys[] = {OPERATION_KEY_TO, TRANSFER_KEYS};
static const struct operation_key from_keys[] = {OPERATION_KEY_FROM, TRANSFER_KEYS};
static const struct operation_key peer_keys[] = {OPERATION_KEY_TO, OPERATION_KEY_REQUEST, END};
static const struct operation_key fence_keys[] = {
    {OPERATION_FIELD("to", peer, PARAM_COUNT, .doc = "the peer, or all"), .form = OPERATION_RANK,
     .word = "all"},
    OPERATION_KEY_REQUEST,
    END};
static const struct operation_key message_keys[] = {OPERATION_KEY_TO,
                                                    OPERATION_KEY_SIZE,
                                                    OPERATION_KEY_BUFFER,
                                                    CHANNEL(C),
                                                    {.param = {.name = "handler",
                                                               .kind = PARAM_STRING,
                                                               .offset = offsetof(C, function),
                                                               .fallback = "",
                                                               .doc = "a function"},
                                                     .form = OPERATION_NAME,
                                                     .report = "function"},
                                                    OPERATION_KEY_REQUEST,
                                                    END};
static const struct operation_key poll_keys[] = {
    {.param = PARAM(C, count, PARAM_COUNT, .doc = "how many")}, END};
static const struct operation_key call_keys[] = {
    {.param = {.name = "name",
               .kind = PARAM_STRING,
               .offset = offsetof(C, function),
               .doc = "a function"},
     .form = OPERATION_NAME,
     .report = "function"},
    {.param = PARAM(C, count, PARAM_COUNT, .fallback = "0", .doc = "how many")},
    {OPERATION_FIELD("size", size, PARAM_SIZE, .fallback = "0 B", .doc = "how much")},
    OPERATION_KEY_REQUEST,
    END};

#define KIND(code_, name_, keys_, struct_, ...)                                                    \
    [code_] = {.name = (name_),                                                                    \
               .doc = (name_),                                                                     \
               .keys = (keys_),                                                                    \
               .size = sizeof(struct_),                                                            \
               .code = (code_),                                                                    \
               __VA_ARGS__}

const struct operation_kind fake_operations[FAKE_OPERATIONS + 1] = {
    KIND(FAKE_PUT, "put", to_keys, T, .moves = OPERATION_TO_PEER),
    KIND(FAKE_GET, "get", from_keys, T, .moves = OPERATION_FROM_PEER, .order = 1),
    KIND(FAKE_ACCUMULATE, "accumulate", to_keys, T, .moves = OPERATION_TO_PEER),
    KIND(FAKE_FETCH_ADD, "fetch_add", peer_keys, T, .plain = true),
    KIND(FAKE_LOCK, "lock", peer_keys, T, .plain = true),
    KIND(FAKE_UNLOCK, "unlock", peer_keys, T, .plain = true),
    KIND(FAKE_FENCE, "fence", fence_keys, T, .plain = true),
    KIND(FAKE_MESSAGE, "active_message", message_keys, C, .moves = OPERATION_TO_PEER, .order = 2),
    KIND(FAKE_POLL, "poll", poll_keys, C, .plain = true),
    KIND(FAKE_CALL, "call", call_keys, C, .plain = true),
};

static const char *const all[] = {OPERATIONS_OF_MPI, "put",  "get",    "accumulate",
                                  "fetch_add",       "lock", "unlock", "fence",
                                  "active_message",  "poll", "call",   NULL};

const struct op_library fake_library = {.name = "fake", .operations = all, .own = fake_operations};

const char *fake_number(const struct op *op, const char *name)
{
    static char text[32];
    const struct operation_key *key = operation_key(op->kind, name);
    g_assert(key);
    for (guint i = 0; op->computed && i < op->computed->len; i++) {
        const struct op_computed *one = &g_array_index(op->computed, struct op_computed, i);
        if (one->key == key)
            return one->value.text;
    }
    int64_t value = operation_number(key, op->arguments);
    g_snprintf(text, sizeof text, "%" G_GINT64_FORMAT, value);
    return value == OPERATION_ANY ? "any" : text;
}
