// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of a script that send and receive user messages.
#include "tests/script/sctp_host.h"

#include <string.h>

// Sizes of the notifications that a program reads (sys/netinet/sctp_uio.h).
#define ASSOCIATION_CHANGE 20
#define ADDRESS_CHANGE 152
#define OTHER_EVENT 12

// A payload protocol identifier: without htonl its bytes are in reverse order on the wire.
static uint32_t protocol_of(const struct script_value *value)
{
    int64_t number;
    if (!value || !script_number(value, sctp_script_constants, &number))
        return 0;
    bool turned = value->kind == SCRIPT_VALUE_NAME && value->items;
    return turned ? (uint32_t)number : GUINT32_SWAP_LE_BE((uint32_t)number);
}

// ---- Sending ----

static struct script_result send_message(struct sctp_call *call, int64_t bytes, int64_t flags,
                                         uint16_t stream, uint32_t protocol)
{
    struct sctp_socket *socket = call->fd->socket;
    const struct sctp_send_info info = {
        .station = call->made.world->peer,
        .port = SCTP_SCRIPT_PORT,
        .stream = stream,
        .protocol = protocol,
        .unordered = flags & SCTP_SEND_UNORDERED,
        .immediate = flags & SCTP_SEND_IMMEDIATE,
        .bytes = bytes,
    };
    if (flags & SCTP_SEND_ABORT) {
        int result = sctp_abort(call->made.context, socket, 0);
        return result == 0 ? script_call_returns(bytes) : sctp_call_result(result, true);
    }
    if (bytes == 0 && (flags & SCTP_SEND_EOF))
        return sctp_call_result(sctp_shutdown(call->made.context, socket, 0), true);
    int error = sctp_socket_error(socket);
    if (error != 0)
        return sctp_call_result(error, true);
    int64_t sent = sctp_send(call->made.context, socket, &info);
    if (sent >= 0 && (flags & SCTP_SEND_EOF))
        sctp_shutdown(call->made.context, socket, 0);
    return sctp_call_result(sent, true);
}

static bool length_of(const struct sctp_call *call, guint nth, int64_t *bytes)
{
    return script_call_number(&call->made, nth, bytes) && *bytes >= 0 && *bytes <= INT32_MAX;
}

// write(fd, buffer, length), send(fd, buffer, length, flags)
struct script_result sctp_call_write(struct sctp_call *call)
{
    int64_t bytes;
    if (!length_of(call, 2, &bytes))
        return script_call_unsupported(&call->made, "such a length");
    return send_message(call, bytes, 0, 0, 0);
}

// sctp_sendmsg(fd, buffer, length, to, length of to, protocol, flags, stream, lifetime, context)
struct script_result sctp_call_sendmsg(struct sctp_call *call)
{
    int64_t bytes, flags, stream, lifetime;
    if (!length_of(call, 2, &bytes) || !script_call_number(&call->made, 6, &flags) ||
        !script_call_number(&call->made, 7, &stream))
        return script_call_unsupported(&call->made, "such arguments");
    if (script_call_number(&call->made, 8, &lifetime) && lifetime != 0)
        return script_call_unsupported(&call->made, "a lifetime");
    return send_message(call, bytes, flags, (uint16_t)stream,
                        protocol_of(script_call_argument(&call->made, 5)));
}

int64_t sctp_call_field(const struct script_value *value, const char *name)
{
    const struct script_value *field = value ? script_field(value, name) : NULL;
    int64_t number = 0;
    return field && script_number(field, sctp_script_constants, &number) ? number : 0;
}

// sctp_send(fd, buffer, length, {sinfo_…}, flags)
struct script_result sctp_call_send_info(struct sctp_call *call)
{
    const struct script_value *info = script_call_argument(&call->made, 3);
    int64_t bytes;
    if (!length_of(call, 2, &bytes) || !info)
        return script_call_unsupported(&call->made, "such arguments");
    return send_message(call, bytes, sctp_call_field(info, "sinfo_flags"),
                        (uint16_t)sctp_call_field(info, "sinfo_stream"),
                        protocol_of(script_field(info, "sinfo_ppid")));
}

// The bytes that the parts of an iovec have: [{..., N}, {iov_base=..., iov_len=N}].
static int64_t iovec_bytes(const struct script_value *parts)
{
    int64_t bytes = 0;
    for (guint i = 0; parts && parts->items && i < parts->items->len; i++) {
        const struct script_value *part = g_ptr_array_index(parts->items, i);
        int64_t length = sctp_call_field(part, "iov_len");
        if (length == 0 && part->items && part->items->len == 2)
            script_number(g_ptr_array_index(part->items, 1), sctp_script_constants, &length);
        bytes += CLAMP(length, 0, INT32_MAX);
    }
    return MIN(bytes, INT32_MAX);
}

// sctp_sendv(fd, iovec, parts, addresses, how many, {snd_…}, length, type, flags)
struct script_result sctp_call_sendv(struct sctp_call *call)
{
    const struct script_value *info = script_call_argument(&call->made, 5);
    int64_t bytes = iovec_bytes(script_call_argument(&call->made, 1));
    if (bytes == 0 || !info)
        return script_call_unsupported(&call->made, "such arguments");
    return send_message(call, bytes, sctp_call_field(info, "snd_flags"),
                        (uint16_t)sctp_call_field(info, "snd_sid"),
                        protocol_of(script_field(info, "snd_ppid")));
}

// sendmsg(fd, {msg_name(...)=..., msg_iov(1)=[{..., N}], msg_control(0)=[], msg_flags=0}, flags)
static const struct script_value *message_of_call(const struct sctp_call *call)
{
    const struct script_value *message = script_call_argument(&call->made, 1);
    const struct script_value *control = message ? script_field(message, "msg_control") : NULL;
    if (control && control->items && control->items->len > 0)
        return NULL;
    return message ? script_field(message, "msg_iov") : NULL;
}

struct script_result sctp_call_send_vector(struct sctp_call *call)
{
    bool message = strcmp(call->made.event->call.name, "sendmsg") == 0;
    const struct script_value *parts =
        message ? message_of_call(call) : script_call_argument(&call->made, 1);
    int64_t bytes = iovec_bytes(parts);
    return bytes > 0 ? send_message(call, bytes, 0, 0, 0)
                     : script_call_unsupported(&call->made, "such arguments");
}

static int64_t event_bytes(enum sctp_notification notification)
{
    switch (notification) {
    case SCTP_COMM_UP:
    case SCTP_COMM_LOST:
    case SCTP_RESTART:
    case SCTP_SHUTDOWN_COMP:
    case SCTP_CANT_STR_ASSOC:
        return ASSOCIATION_CHANGE;
    case SCTP_ADDR_AVAILABLE:
    case SCTP_ADDR_UNREACHABLE:
    case SCTP_ADDR_CONFIRMED:
    case SCTP_ADDR_MADE_PRIM:
        return ADDRESS_CHANGE;
    case SCTP_NOTHING:
    case SCTP_SEND_FAILED:
    case SCTP_REMOTE_ERROR:
    case SCTP_SHUTDOWN_EVENT:
        return OTHER_EVENT;
    }
    return OTHER_EVENT;
}

static struct script_result receive(struct sctp_call *call, int64_t room,
                                    struct sctp_received *received)
{
    struct sctp_socket *socket = call->fd->socket;
    *received = (struct sctp_received){0};
    if (room <= 0)
        return script_call_unsupported(&call->made, "such a length");
    int64_t bytes = sctp_receive(call->made.context, socket, room, received);
    if (bytes > 0 && received->notification != SCTP_NOTHING)
        return script_call_returns(event_bytes(received->notification));
    if (bytes < 0 && bytes != SCTP_AGAIN)
        sctp_socket_error(socket);
    return sctp_call_result(bytes, false);
}

struct script_result sctp_call_read(struct sctp_call *call)
{
    struct sctp_received received;
    int64_t room;
    return receive(call, length_of(call, 2, &room) ? room : 0, &received);
}

struct script_result sctp_call_read_vector(struct sctp_call *call)
{
    struct sctp_received received;
    bool message = strcmp(call->made.event->call.name, "recvmsg") == 0;
    return receive(
        call, iovec_bytes(message ? message_of_call(call) : script_call_argument(&call->made, 1)),
        &received);
}

// sctp_recvmsg(fd, buffer, length, from, length of from, {sinfo_…}, flags)
struct script_result sctp_call_recvmsg(struct sctp_call *call)
{
    const struct script_value *info = script_call_argument(&call->made, 5);
    struct sctp_received received;
    int64_t room;
    struct script_result result = receive(call, length_of(call, 2, &room) ? room : 0, &received);
    if (result.value <= 0 || !info || info->kind != SCRIPT_VALUE_STRUCT)
        return result;
    sctp_call_expect(call, info, "sinfo_stream", received.stream);
    sctp_call_expect(call, info, "sinfo_ssn", received.ssn);
    sctp_call_expect(call, info, "sinfo_tsn", received.tsn);
    sctp_call_expect(call, info, "sinfo_flags", received.unordered ? SCTP_SEND_UNORDERED : 0);
    const struct script_value *protocol = script_field(info, "sinfo_ppid");
    if (protocol && protocol->kind != SCRIPT_VALUE_DOTS &&
        protocol_of(protocol) != received.protocol)
        script_fail(call->made.report, call->made.event->line,
                    "expected sinfo_ppid to be %u, got %u", protocol_of(protocol),
                    received.protocol);
    return result;
}
