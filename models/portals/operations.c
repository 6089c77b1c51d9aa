// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/portals/operations.h"

#include "models/portals/library.h"

#include <glib.h>

#define T struct portals_transfer_arguments
#define D struct portals_descriptor_arguments

#define NAME(type, field, what)                                                                    \
    {                                                                                              \
        .param = PARAM(type, field, PARAM_STRING, .fallback = "", .doc = (what)),                  \
        .form = OPERATION_NAME                                                                     \
    }
#define FLAG(field, fallback_, what)                                                               \
    {                                                                                              \
        .param = PARAM(D, field, PARAM_BOOL, .fallback = (fallback_), .doc = (what))               \
    }
#define END                                                                                        \
    {                                                                                              \
        .param = {.name = NULL }                                                                   \
    }

#define MOST_PID "2147483647"

#define TARGET_KEYS                                                                                \
    {.param = PARAM(T, portal, PARAM_COUNT, .fallback = "0", .most = "65535",                      \
                    .doc = "index of the target's portal table"),                                  \
     .report = "portal"},                                                                          \
        {.param = PARAM(T, match_bits, PARAM_BITS, .fallback = "0",                                \
                        .doc = "what the target's entries are compared with"),                     \
         .report = "match_bits"},                                                                  \
        {.param = PARAM(T, offset, PARAM_SIZE, .fallback = "0 B",                                  \
                        .doc = "in the target's descriptor, if that lets the initiator manage "    \
                               "it")},                                                             \
        {.param = PARAM(T, pid, PARAM_COUNT, .fallback = "", .most = MOST_PID,                     \
                        .doc = "process id at the target; that of the peer without it")},          \
    {                                                                                              \
        .param = PARAM(T, acl, PARAM_COUNT, .fallback = "0", .most = "0",                          \
                       .doc = "entry of the access control list: only the first one is there")     \
    }
#define QUEUE_KEYS                                                                                 \
    NAME(T, md,                                                                                    \
         "descriptor whose memory it is (bind); without it, one that the program has "             \
         "bound before"),                                                                          \
        NAME(T, eq, "event queue of such a descriptor; the first without it")

static const struct operation_key put_keys[] = {
    OPERATION_KEY_TO,
    OPERATION_KEY_SIZE,
    OPERATION_KEY_BUFFER,
    TARGET_KEYS,
    {.param = PARAM(T, header_data, PARAM_BITS, .fallback = "0",
                    .doc = "64 bits for the target's event")},
    {.param = PARAM(T, ack, PARAM_BOOL, .fallback = "false",
                    .doc = "the target acknowledges, and the put ends with that")},
    QUEUE_KEYS,
    OPERATION_KEY_REQUEST,
    END};

static const struct operation_key get_keys[] = {OPERATION_KEY_FROM,
                                                OPERATION_KEY_SIZE,
                                                OPERATION_KEY_BUFFER,
                                                TARGET_KEYS,
                                                QUEUE_KEYS,
                                                OPERATION_KEY_REQUEST,
                                                END};

static const char *const positions[] = {"end", "before", "after", NULL};

#define DESCRIPTOR_KEYS                                                                            \
    OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER,                                                      \
        {.param = PARAM(D, threshold, PARAM_COUNT, .fallback = "infinite", .least = "1",           \
                        .doc = "operations that the descriptor takes"),                            \
         .word = "infinite"},                                                                      \
        FLAG(events, "true", "false: it has no event queue, and nobody hears of its operations"),  \
        NAME(D, eq, "its event queue; the first without it")

static const struct operation_key attach_keys[] = {
    NAME(D, name, "of entry and descriptor"),
    NAME(D, entry, "entry that the descriptor is added to; without it, it gets one of its own"),
    {.param = PARAM(D, portal, PARAM_COUNT, .fallback = "0", .most = "65535",
                    .doc = "index of the portal table")},
    {.param = PARAM(D, match_bits, PARAM_BITS, .fallback = "0", .doc = "that a message must have")},
    {.param = PARAM(D, ignore_bits, PARAM_BITS, .fallback = "0",
                    .doc = "those of them that do not matter")},
    {OPERATION_FIELD("from", peer, PARAM_COUNT, .fallback = "any", .doc = "whose messages match"),
     .form = OPERATION_RANK, .word = "any"},
    {.param = PARAM(D, from_pid, PARAM_COUNT, .fallback = "any", .most = MOST_PID,
                    .doc = "process id that they must come from"),
     .word = "any"},
    {.param = PARAM(D, position, PARAM_CHOICE, .fallback = "end", .choices = positions,
                    .doc = "of the entry in its portal's list")},
    NAME(D, other, "entry that it is put before or after"),
    DESCRIPTOR_KEYS,
    {.param = PARAM(D, most_offset, PARAM_SIZE, .fallback = "",
                    .doc = "local offset beyond which it takes no more; none without it")},
    FLAG(put, "true", "it takes puts"),
    FLAG(get, "false", "it takes gets"),
    FLAG(manage_remote, "false",
         "the initiator gives the offset; else one operation follows the "
         "other"),
    FLAG(truncate, "false", "takes the first part of what is too long; else it is refused"),
    FLAG(ack_disable, "false", "no acknowledgement, even if one is asked for"),
    FLAG(unlink, "false", "it is unlinked when its threshold is used up"),
    FLAG(retain, "false", "the entry stays when its last descriptor unlinks itself"),
    END};

static const struct operation_key bind_keys[] = {
    NAME(D, name, "of the descriptor"), DESCRIPTOR_KEYS,
    FLAG(unlink, "true", "it is unlinked when its threshold is used up"), END};

static const struct operation_key detach_keys[] = {
    {.param = PARAM(struct portals_detach_arguments, name, PARAM_STRING,
                    .doc = "name of an entry, which goes with its descriptors, or of a "
                           "descriptor"),
     .form = OPERATION_NAME,
     .report = "name"},
    END};

static const char *const event_choices[] = {
    "get_start",   "get_end",   "get_fail",   "put_start", "put_end",    "put_fail",
    "reply_start", "reply_end", "reply_fail", "ack",       "send_start", "send_end",
    "send_fail",   "unlink",    "dropped",    "any",       NULL};

G_STATIC_ASSERT(G_N_ELEMENTS(event_choices) == PORTALS_EVENT_KINDS + 3);

static const struct operation_key event_keys[] = {
    {.param = PARAM(struct portals_event_arguments, kind, PARAM_CHOICE, .choices = event_choices,
                    .doc = "its kind; dropped: that events were lost"),
     .report = "event"},
    {.param = PARAM(struct portals_event_arguments, count, PARAM_COUNT, .fallback = "1",
                    .least = "1", .doc = "how many of them"),
     .report = "count"},
    OPERATION_KEY_REQUEST,
    END};

static const struct operation_key equeue_keys[] = {
    {.param = PARAM(struct portals_equeue_arguments, name, PARAM_STRING, .doc = "of the queue"),
     .form = OPERATION_NAME},
    {.param = PARAM(struct portals_equeue_arguments, slots, PARAM_COUNT, .least = "1",
                    .most = "1048576", .doc = "events, rounded up to a power of two")},
    END};

// ---- Checks ----

static bool refuse_operation(char **error, const char *text)
{
    *error = g_strdup(text);
    return false;
}

static bool complete_attach(struct operation_arguments *arguments, char **error)
{
    const D *attach = (const D *)(const void *)arguments;
    if (!attach->put && !attach->get)
        return refuse_operation(error,
                                "a descriptor that takes neither puts nor gets takes nothing");
    if ((attach->position != PORTALS_AT_END) != (attach->other != NULL))
        return refuse_operation(
            error, attach->other ? "position before or after says where the other entry is meant"
                                 : "before or after which entry? `other` is missing");
    if (attach->entry && (attach->other || attach->portal != 0 || attach->match_bits != 0 ||
                          attach->ignore_bits != 0 || attach->common.peer != OPERATION_ANY ||
                          attach->from_pid != OPERATION_ANY))
        return refuse_operation(
            error, "what is added to an entry has no portal, bits, source or position of "
                   "its own");
    if (attach->eq && !attach->events)
        return refuse_operation(error, "an event queue, and no events");
    return true;
}

static bool complete_bind(struct operation_arguments *arguments, char **error)
{
    const D *bind = (const D *)(const void *)arguments;
    if (!bind->name)
        return refuse_operation(error, "a bound descriptor needs a name, which puts and gets give");
    return !(bind->eq && !bind->events) || refuse_operation(error, "an event queue, and no events");
}

static bool complete_transfer(struct operation_arguments *arguments, char **error)
{
    const T *transfer = (const T *)(const void *)arguments;
    if (transfer->md && transfer->eq)
        return refuse_operation(error, "the events go to the queue of the descriptor md");
    if (transfer->md && transfer->common.buffer != OPERATION_ANY)
        return refuse_operation(error, "the bytes are those of the descriptor md, not of a buffer");
    return true;
}

// ---- Kinds ----

enum { ORDER_PUTS, ORDER_GETS }; // what is kept in order apart from the other

const struct operation_kind portals_operations[PORTALS_OPERATIONS_END + 1] = {
    OPERATION_TRANSFER(PORTALS_OPERATION_PUT, "put", T, put_keys, OPERATION_TO_PEER,
                       "PtlPut: ends when the event SEND_END, or ACK, is seen", .order = ORDER_PUTS,
                       .complete = complete_transfer),
    OPERATION_TRANSFER(PORTALS_OPERATION_GET, "get", T, get_keys, OPERATION_FROM_PEER,
                       "PtlGet: ends when the event REPLY_END is seen", .order = ORDER_GETS,
                       .complete = complete_transfer),
    [PORTALS_OPERATION_ATTACH] = {.name = "attach",
                                  .doc = "PtlMEAttach and PtlMDAttach: memory that puts and gets "
                                         "of others match",
                                  .keys = attach_keys,
                                  .size = sizeof(D),
                                  .code = PORTALS_OPERATION_ATTACH,
                                  .memory = true,
                                  .complete = complete_attach},
    [PORTALS_OPERATION_BIND] = {.name = "bind",
                                .doc = "PtlMDBind: memory that own puts and gets use",
                                .keys = bind_keys,
                                .size = sizeof(D),
                                .code = PORTALS_OPERATION_BIND,
                                .memory = true,
                                .complete = complete_bind},
    [PORTALS_OPERATION_DETACH] = {.name = "detach",
                                  .doc = "PtlMEUnlink or PtlMDUnlink",
                                  .keys = detach_keys,
                                  .size = sizeof(struct portals_detach_arguments),
                                  .code = PORTALS_OPERATION_DETACH,
                                  .plain = true},
    [PORTALS_OPERATION_EVENT] = {.name = "event",
                                 .doc = "PtlEQWait, until so many events have come that no event "
                                        "before has counted",
                                 .keys = event_keys,
                                 .size = sizeof(struct portals_event_arguments),
                                 .code = PORTALS_OPERATION_EVENT,
                                 .plain = true},
    [PORTALS_OPERATION_EQUEUE] = {.name = "equeue",
                                  .doc = "PtlEQAlloc: another event queue",
                                  .keys = equeue_keys,
                                  .size = sizeof(struct portals_equeue_arguments),
                                  .code = PORTALS_OPERATION_EQUEUE},
};

bool portals_is(const struct mpi_request *request, enum portals_operation operation)
{
    return request->operation == &portals_operations[operation];
}
