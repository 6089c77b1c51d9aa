// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/grim/endpoint/operations.h"

#include "sim/core/intern.h"

#include <string.h>

#define T struct grim_transfer

#define CHANNEL(struct_)                                                                           \
    {                                                                                              \
        .param = PARAM(struct_, channel, PARAM_COUNT, .fallback = "", .most = "0",                 \
                       .doc = "of the peer, which has one")                                        \
    }
#define TRANSFER_KEYS                                                                              \
    OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER,                                                      \
        {.param =                                                                                  \
             PARAM(T, peer_buffer, PARAM_COUNT, .fallback = "0", .most = OPERATION_MOST_ADDRESS,   \
                   .doc = "address in the peer's memory; 0: what corresponds to buffer")},         \
        CHANNEL(T),                                                                                \
        {.param = PARAM(T, notify, PARAM_BOOL, .fallback = "false",                                \
                        .doc = "a word is written after the data")},                               \
    {                                                                                              \
        .param = PARAM(T, paged, PARAM_BOOL, .fallback = "false",                                  \
                       .doc = "without a registered buffer: memory that was pinned page by page")  \
    }

static const struct operation_key put_keys[] = {
    OPERATION_KEY_TO,
    TRANSFER_KEYS,
    {.param = PARAM(T, physical, PARAM_BOOL, .fallback = "false",
                    .doc = "the peer's memory is named by its physical address")},
    OPERATION_KEY_REQUEST,
    {.param = {.name = NULL}}};

static const struct operation_key get_keys[] = {
    OPERATION_KEY_FROM, TRANSFER_KEYS, OPERATION_KEY_REQUEST, {.param = {.name = NULL}}};

static const struct operation_key message_keys[] = {
    OPERATION_KEY_TO,
    OPERATION_KEY_SIZE,
    OPERATION_KEY_BUFFER,
    CHANNEL(struct grim_active_message),
    {.param = PARAM(struct grim_active_message, handler, PARAM_STRING, .fallback = "",
                    .doc = "name of the peer's function; nop if none is given"),
     .form = OPERATION_NAME,
     .report = "function"},
    OPERATION_KEY_REQUEST,
    {.param = {.name = NULL}}};

static const struct operation_key poll_keys[] = {
    {.param = PARAM(struct grim_poll, count, PARAM_COUNT,
                    .doc = "messages that are to be handled; 0: those that have come")},
    {.param = {.name = NULL}}};

static const struct operation_key call_keys[] = {
    {.param = PARAM(struct grim_call, name, PARAM_STRING,
                    .doc = "register, register.NAME, lookup.NAME, scan or notified"),
     .form = OPERATION_NAME,
     .report = "function"},
    {.param = PARAM(struct grim_call, count, PARAM_COUNT, .fallback = "0",
                    .doc = "notified: words of notification; scan: channels")},
    {OPERATION_FIELD("size", size, PARAM_SIZE, .fallback = "0 B", .doc = "without a meaning")},
    OPERATION_KEY_REQUEST,
    {.param = {.name = NULL}}};

// ---- Calls by name ----

static const struct {
    const char *name;
    bool may, must; // have an argument
} calls[] = {
    [GRIM_CALL_REGISTER] = {"register", true, false},
    [GRIM_CALL_LOOKUP] = {"lookup", true, true},
    [GRIM_CALL_SCAN] = {"scan", false, false},
    [GRIM_CALL_NOTIFIED] = {"notified", false, false},
};

static bool complete_call(struct operation_arguments *arguments, char **error)
{
    struct grim_call *call = (struct grim_call *)(void *)arguments;
    size_t length = strcspn(call->name, ".");
    bool argument = call->name[length] == '.';
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        if (strlen(calls[i].name) != length || strncmp(calls[i].name, call->name, length) != 0 ||
            !(argument ? calls[i].may : !calls[i].must))
            continue;
        call->called = (enum grim_function_called)i;
        call->argument = argument ? intern_text(call->name + length + 1) : NULL;
        return true;
    }
    *error = g_strdup_printf("GRIM has no call \"%.40s\": there are register, register.NAME, "
                             "lookup.NAME, scan and notified",
                             call->name);
    return false;
}

// ---- Kinds ----

// Groups of operations, each of which keeps its own order.
enum { ORDER_WRITES, ORDER_READS, ORDER_MESSAGES };

const struct operation_kind grim_operations[GRIM_OPERATIONS + 1] = {
    OPERATION_TRANSFER(GRIM_OPERATION_PUT, "put", struct grim_transfer, put_keys, OPERATION_TO_PEER,
                       "writes into the peer's memory; ends when the card has it all",
                       .order = ORDER_WRITES),
    OPERATION_TRANSFER(GRIM_OPERATION_GET, "get", struct grim_transfer, get_keys,
                       OPERATION_FROM_PEER,
                       "reads from the peer's memory; without notify it ends when the "
                       "card has the questions",
                       .order = ORDER_READS),
    OPERATION_TRANSFER(GRIM_OPERATION_MESSAGE, "active_message", struct grim_active_message,
                       message_keys, OPERATION_TO_PEER,
                       "handled by a function of the peer, when it polls", .order = ORDER_MESSAGES),
    [GRIM_OPERATION_POLL] = {.name = "poll",
                             .doc = "until so many active messages have been handled",
                             .keys = poll_keys,
                             .size = sizeof(struct grim_poll),
                             .code = GRIM_OPERATION_POLL,
                             .plain = true},
    [GRIM_OPERATION_CALL] = {.name = "call",
                             .doc = "a function of the library, by name",
                             .keys = call_keys,
                             .size = sizeof(struct grim_call),
                             .code = GRIM_OPERATION_CALL,
                             .plain = true,
                             .complete = complete_call},
};
