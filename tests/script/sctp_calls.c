// SPDX-License-Identifier: GPL-3.0-or-later
// System calls of a script on SCTP sockets (RFC 6458), as a program with non-blocking descriptors
// makes them on FreeBSD.
#include "tests/script/sctp_host.h"

#include <string.h>

enum {
    RDWR = 2,
    NONBLOCK = 4,
    READY_IN = 1,
    READY_OUT = 4,
    READY_HUP = 16,
    SEND_EOF = 0x100,
    SEND_ABORT = 0x200,
    SEND_UNORDERED = 0x400,
    SEND_IMMEDIATE = 0x4000,
};

// Sizes of what a program reads when it is told of something (sys/netinet/sctp_uio.h).
#define ASSOCIATION_CHANGE 20
#define ADDRESS_CHANGE 152
#define OTHER_EVENT 12

const struct script_constant sctp_script_constants[] = {
    {"O_RDWR", RDWR},
    {"O_NONBLOCK", NONBLOCK},
    {"AF_INET", 2},
    {"PF_INET", 2},
    {"SOCK_STREAM", 1},
    {"SOCK_SEQPACKET", 5},
    {"IPPROTO_SCTP", 132},
    {"SOL_SOCKET", 0xffff},
    {"SHUT_RD", 0},
    {"SHUT_WR", 1},
    {"SHUT_RDWR", 2},
    {"POLLIN", READY_IN},
    {"POLLOUT", READY_OUT},
    {"POLLHUP", READY_HUP},
    {"ECONNREFUSED", 61},
    {"ECONNRESET", 54},
    {"ETIMEDOUT", 60},
    {"ENOTCONN", 57},
    {"EPIPE", 32},
    {"SCTP_EOF", SEND_EOF},
    {"SCTP_ABORT", SEND_ABORT},
    {"SCTP_UNORDERED", SEND_UNORDERED},
    {"SCTP_SACK_IMMEDIATELY", SEND_IMMEDIATE},
    {"SCTP_FUTURE_ASSOC", 0},
    {"SCTP_CURRENT_ASSOC", 1},
    {"SCTP_ALL_ASSOC", 2},
    {"SPP_HB_ENABLE", 1},
    {"SPP_HB_DISABLE", 2},
    {"SPP_HB_DEMAND", 4},
    {"SPP_PMTUD_ENABLE", 8},
    {"SPP_PMTUD_DISABLE", 16},
    {"SPP_HB_TIME_IS_ZERO", 128},
    {"SPP_IPV6_FLOWLABEL", 256},
    {"SPP_DSCP", 512},
    {"MSG_DONTWAIT", 0x80},
    {"MSG_NOSIGNAL", 0x20000},
    {"MSG_EOR", 8},
    {"MSG_NOTIFICATION", 0x2000},
    {"NULL", 0},
    {NULL, 0},
};

// ---- Arguments and results ----

struct script_result sctp_call_fails(const char *error)
{
    return (struct script_result){-1, error};
}

struct script_result sctp_call_returns(int64_t value)
{
    return (struct script_result){value, NULL};
}

struct script_result sctp_call_result(int64_t result, bool sending)
{
    static const char *const errors[] = {
        [-SCTP_AGAIN] = "EAGAIN",           [-SCTP_IN_PROGRESS] = "EINPROGRESS",
        [-SCTP_TOO_LONG] = "EMSGSIZE",      [-SCTP_GONE] = "ENOTCONN",
        [-SCTP_RESET] = "ECONNRESET",       [-SCTP_REFUSED] = "ECONNREFUSED",
        [-SCTP_TIMED_OUT] = "ETIMEDOUT",    [-SCTP_INVALID] = "EINVAL",
        [-SCTP_CONNECTED] = "EISCONN",      [-SCTP_NO_ROUTE] = "EHOSTUNREACH",
        [-SCTP_UNSUPPORTED] = "EOPNOTSUPP", [-SCTP_IN_USE] = "EADDRINUSE",
    };
    if (result >= 0)
        return sctp_call_returns(result);
    if (sending && result == SCTP_GONE)
        return sctp_call_fails("EPIPE");
    return sctp_call_fails(-result < (int64_t)G_N_ELEMENTS(errors) ? errors[-result] : "EINVAL");
}

struct script_result sctp_call_unsupported(const struct sctp_call *call, const char *what)
{
    script_unsupported(call->report, call->event->line, "%s%s%s", call->event->call.name,
                       what[0] ? " with " : "", what);
    return sctp_call_returns(0);
}

const struct script_value *sctp_call_argument(const struct sctp_call *call, guint nth)
{
    const GPtrArray *arguments = call->event->call.arguments;
    return nth < arguments->len ? g_ptr_array_index(arguments, nth) : NULL;
}

bool sctp_call_number(const struct sctp_call *call, guint nth, int64_t *value)
{
    const struct script_value *is = sctp_call_argument(call, nth);
    *value = 0;
    return is && script_number(is, sctp_script_constants, value);
}

bool sctp_call_is_name(const struct sctp_call *call, guint nth, const char *name)
{
    const struct script_value *is = sctp_call_argument(call, nth);
    return is && is->kind == SCRIPT_VALUE_NAME && strcmp(is->text, name) == 0;
}

void sctp_call_expect(const struct sctp_call *call, const struct script_value *value,
                      const char *name, int64_t is)
{
    const struct script_value *field = script_field(value, name);
    int64_t expected;
    if (!field || field->kind == SCRIPT_VALUE_DOTS)
        return;
    if (!script_number(field, sctp_script_constants, &expected))
        script_unsupported(call->report, call->event->line, "such a %s", name);
    else if (expected != is)
        script_fail(call->report, call->event->line,
                    "expected %s to be %" G_GINT64_FORMAT ", got %" G_GINT64_FORMAT, name, expected,
                    is);
}

// A payload protocol identifier: without htonl its bytes stand the other way round on the wire.
static uint32_t protocol_of(const struct script_value *value)
{
    int64_t number;
    if (!value || !script_number(value, sctp_script_constants, &number))
        return 0;
    bool turned = value->kind == SCRIPT_VALUE_NAME && value->items;
    return turned ? (uint32_t)number : GUINT32_SWAP_LE_BE((uint32_t)number);
}

// ---- Descriptors ----

static struct sctp_fd *find_fd(struct sctp_script_host *host, int64_t number)
{
    if (number < 0 || number >= SCTP_SCRIPT_FDS || !host->fds[number].open)
        return NULL;
    return &host->fds[number];
}

static int64_t new_fd(const struct sctp_call *call, struct sctp_fd fd)
{
    struct sctp_script_host *host = call->host;
    int64_t wanted;
    bool named = script_number(call->event->call.result, sctp_script_constants, &wanted);
    if (!named || wanted < 3 || wanted >= SCTP_SCRIPT_FDS || host->fds[wanted].open)
        for (wanted = 3; wanted < SCTP_SCRIPT_FDS && host->fds[wanted].open;)
            wanted++;
    if (wanted == SCTP_SCRIPT_FDS)
        return -1;
    host->fds[wanted] = fd;
    host->fds[wanted].open = true;
    host->fds[wanted].flags |= RDWR;
    return wanted;
}

// ---- Opening ----

static struct script_result call_socket(struct sctp_call *call)
{
    int64_t type, protocol;
    struct sctp_fd fd = {0};
    if (sctp_call_is_name(call, 0, "AF_INET6"))
        return sctp_call_unsupported(call, "AF_INET6");
    if (!sctp_call_number(call, 1, &type) || (type != 1 && type != 5))
        return sctp_call_unsupported(call, "such a type");
    if (!sctp_call_number(call, 2, &protocol) || protocol != SCTP_PROTOCOL)
        return sctp_call_unsupported(call, "such a protocol");
    int64_t made = new_fd(call, fd);
    if (made < 0)
        return sctp_call_fails("EMFILE");
    call->host->fds[made].socket =
        sctp_socket_new(call->context, call->host->sctp,
                        type == 1 ? SCTP_ONE_TO_ONE : SCTP_ONE_TO_MANY, &call->world->task);
    return sctp_call_returns(made);
}

// The port of a sockaddr, or the usual one.
static uint16_t port_of(const struct sctp_call *call, guint nth)
{
    const struct script_value *address = sctp_call_argument(call, nth);
    const struct script_value *port = address ? script_field(address, "sin_port") : NULL;
    int64_t number;
    if (port && script_number(port, sctp_script_constants, &number))
        return (uint16_t)number;
    return SCTP_SCRIPT_PORT;
}

static struct script_result call_bind(struct sctp_call *call)
{
    uint16_t port = port_of(call, 1);
    int result = sctp_bind(call->context, call->fd->socket, port, 0);
    if (result == 0)
        call->host->own_port = call->fd->socket->port;
    return sctp_call_result(result, false);
}

static struct script_result call_listen(struct sctp_call *call)
{
    int result = sctp_listen(call->context, call->fd->socket);
    if (result == 0)
        call->host->own_port = call->fd->socket->port;
    return sctp_call_result(result, false);
}

static struct script_result call_accept(struct sctp_call *call)
{
    struct sctp_socket *made = sctp_accept(call->context, call->fd->socket, &call->world->task);
    if (!made)
        return sctp_call_fails(call->fd->socket->listening ? "EAGAIN" : "EINVAL");
    int64_t number = new_fd(call, (struct sctp_fd){.socket = made});
    return number < 0 ? sctp_call_fails("EMFILE") : sctp_call_returns(number);
}

static struct script_result call_connect(struct sctp_call *call)
{
    struct sctp_socket *socket = call->fd->socket;
    const struct sctp_association *old = sctp_socket_association(socket, 0);
    int error = sctp_socket_error(socket);
    if (error != 0)
        return sctp_call_result(error, false);
    if (old && !old->ended)
        return sctp_call_fails(sctp_established(socket) ? "EISCONN" : "EALREADY");
    return sctp_call_result(
        sctp_connect(call->context, socket, &call->world->peer, 1, port_of(call, 1), NULL), false);
}

// ---- Data ----

static struct script_result send_message(struct sctp_call *call, int64_t bytes, int64_t flags,
                                         uint16_t stream, uint32_t protocol)
{
    struct sctp_socket *socket = call->fd->socket;
    const struct sctp_send_info info = {
        .station = call->world->peer,
        .port = SCTP_SCRIPT_PORT,
        .stream = stream,
        .protocol = protocol,
        .unordered = flags & SEND_UNORDERED,
        .immediate = flags & SEND_IMMEDIATE,
        .bytes = bytes,
    };
    if (flags & SEND_ABORT) {
        int result = sctp_abort(call->context, socket, 0);
        return result == 0 ? sctp_call_returns(bytes) : sctp_call_result(result, true);
    }
    if (bytes == 0 && (flags & SEND_EOF))
        return sctp_call_result(sctp_shutdown(call->context, socket, 0), true);
    int error = sctp_socket_error(socket);
    if (error != 0)
        return sctp_call_result(error, true);
    int64_t sent = sctp_send(call->context, socket, &info);
    if (sent >= 0 && (flags & SEND_EOF))
        sctp_shutdown(call->context, socket, 0);
    return sctp_call_result(sent, true);
}

static bool length_of(const struct sctp_call *call, guint nth, int64_t *bytes)
{
    return sctp_call_number(call, nth, bytes) && *bytes >= 0 && *bytes <= INT32_MAX;
}

// write(fd, buffer, length), send(fd, buffer, length, flags)
static struct script_result call_write(struct sctp_call *call)
{
    int64_t bytes;
    if (!length_of(call, 2, &bytes))
        return sctp_call_unsupported(call, "such a length");
    return send_message(call, bytes, 0, 0, 0);
}

// sctp_sendmsg(fd, buffer, length, to, length of to, protocol, flags, stream, lifetime, context)
static struct script_result call_sendmsg(struct sctp_call *call)
{
    int64_t bytes, flags, stream, lifetime;
    if (!length_of(call, 2, &bytes) || !sctp_call_number(call, 6, &flags) ||
        !sctp_call_number(call, 7, &stream))
        return sctp_call_unsupported(call, "such arguments");
    if (sctp_call_number(call, 8, &lifetime) && lifetime != 0)
        return sctp_call_unsupported(call, "a lifetime");
    return send_message(call, bytes, flags, (uint16_t)stream,
                        protocol_of(sctp_call_argument(call, 5)));
}

static int64_t number_field(const struct script_value *value, const char *name)
{
    const struct script_value *field = value ? script_field(value, name) : NULL;
    int64_t number = 0;
    return field && script_number(field, sctp_script_constants, &number) ? number : 0;
}

// sctp_send(fd, buffer, length, {sinfo_…}, flags)
static struct script_result call_send_info(struct sctp_call *call)
{
    const struct script_value *info = sctp_call_argument(call, 3);
    int64_t bytes;
    if (!length_of(call, 2, &bytes) || !info)
        return sctp_call_unsupported(call, "such arguments");
    return send_message(call, bytes, number_field(info, "sinfo_flags"),
                        (uint16_t)number_field(info, "sinfo_stream"),
                        protocol_of(script_field(info, "sinfo_ppid")));
}

// The bytes that the parts of an iovec have: [{..., N}, {iov_base=..., iov_len=N}].
static int64_t iovec_bytes(const struct script_value *parts)
{
    int64_t bytes = 0;
    for (guint i = 0; parts && parts->items && i < parts->items->len; i++) {
        const struct script_value *part = g_ptr_array_index(parts->items, i);
        int64_t length = number_field(part, "iov_len");
        if (length == 0 && part->items && part->items->len == 2)
            script_number(g_ptr_array_index(part->items, 1), sctp_script_constants, &length);
        bytes += CLAMP(length, 0, INT32_MAX);
    }
    return MIN(bytes, INT32_MAX);
}

// sctp_sendv(fd, iovec, parts, addresses, how many, {snd_…}, length, type, flags)
static struct script_result call_sendv(struct sctp_call *call)
{
    const struct script_value *info = sctp_call_argument(call, 5);
    int64_t bytes = iovec_bytes(sctp_call_argument(call, 1));
    if (bytes == 0 || !info)
        return sctp_call_unsupported(call, "such arguments");
    return send_message(call, bytes, number_field(info, "snd_flags"),
                        (uint16_t)number_field(info, "snd_sid"),
                        protocol_of(script_field(info, "snd_ppid")));
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

static struct script_result receive(struct sctp_call *call, struct sctp_received *received)
{
    struct sctp_socket *socket = call->fd->socket;
    int64_t room;
    *received = (struct sctp_received){0};
    if (!length_of(call, 2, &room) || room == 0)
        return sctp_call_unsupported(call, "such a length");
    int64_t bytes = sctp_receive(call->context, socket, room, received);
    if (bytes > 0 && received->notification != SCTP_NOTHING)
        return sctp_call_returns(event_bytes(received->notification));
    if (bytes < 0 && bytes != SCTP_AGAIN)
        sctp_socket_error(socket);
    return sctp_call_result(bytes, false);
}

static struct script_result call_read(struct sctp_call *call)
{
    struct sctp_received received;
    return receive(call, &received);
}

// sctp_recvmsg(fd, buffer, length, from, length of from, {sinfo_…}, flags)
static struct script_result call_recvmsg(struct sctp_call *call)
{
    const struct script_value *info = sctp_call_argument(call, 5);
    struct sctp_received received;
    struct script_result result = receive(call, &received);
    if (result.value <= 0 || !info || info->kind != SCRIPT_VALUE_STRUCT)
        return result;
    sctp_call_expect(call, info, "sinfo_stream", received.stream);
    sctp_call_expect(call, info, "sinfo_ssn", received.ssn);
    sctp_call_expect(call, info, "sinfo_tsn", received.tsn);
    sctp_call_expect(call, info, "sinfo_flags", received.unordered ? SEND_UNORDERED : 0);
    const struct script_value *protocol = script_field(info, "sinfo_ppid");
    if (protocol && protocol->kind != SCRIPT_VALUE_DOTS &&
        protocol_of(protocol) != received.protocol)
        script_fail(call->report, call->event->line, "expected sinfo_ppid to be %u, got %u",
                    protocol_of(protocol), received.protocol);
    return result;
}

// ---- Closing ----

static struct script_result call_shutdown(struct sctp_call *call)
{
    int64_t how;
    if (!sctp_call_number(call, 1, &how) || how < 0 || how > 2)
        return sctp_call_unsupported(call, "such a direction");
    if (call->fd->socket->style == SCTP_ONE_TO_MANY)
        return sctp_call_fails("EOPNOTSUPP");
    if (how == 0)
        return sctp_call_returns(0);
    return sctp_call_result(sctp_shutdown(call->context, call->fd->socket, 0), false);
}

static struct script_result call_close(struct sctp_call *call)
{
    if (call->fd->abortive)
        sctp_abort(call->context, call->fd->socket, 0);
    sctp_close(call->context, call->fd->socket);
    *call->fd = (struct sctp_fd){0};
    return sctp_call_returns(0);
}

// sctp_peeloff(fd, association)
static struct script_result call_peeloff(struct sctp_call *call)
{
    struct sctp_association *first = sctp_socket_association(call->fd->socket, 0);
    struct sctp_socket *made =
        sctp_peel_off(call->context, call->fd->socket, first ? first->id : 0, &call->world->task);
    if (!made)
        return sctp_call_fails("EINVAL");
    int64_t number = new_fd(call, (struct sctp_fd){.socket = made});
    return number < 0 ? sctp_call_fails("EMFILE") : sctp_call_returns(number);
}

// ---- Others ----

static struct script_result call_fcntl(struct sctp_call *call)
{
    int64_t flags;
    if (sctp_call_is_name(call, 1, "F_GETFL"))
        return sctp_call_returns(call->fd->flags);
    if (!sctp_call_is_name(call, 1, "F_SETFL"))
        return sctp_call_unsupported(call, "such a command");
    if (!sctp_call_number(call, 2, &flags))
        return sctp_call_unsupported(call, "such flags");
    call->fd->flags = flags;
    return sctp_call_returns(0);
}

// poll([{fd=N, events=…, revents=…}], 1, 0)
static struct script_result call_poll(struct sctp_call *call)
{
    const struct script_value *list = sctp_call_argument(call, 0);
    int64_t found = 0;
    if (!list || list->kind != SCRIPT_VALUE_LIST)
        return sctp_call_unsupported(call, "such descriptors");
    for (guint i = 0; i < list->items->len; i++) {
        const struct script_value *item = g_ptr_array_index(list->items, i);
        struct sctp_fd *of = find_fd(call->host, number_field(item, "fd"));
        if (!of)
            return sctp_call_unsupported(call, "a closed descriptor");
        int ready = sctp_socket_ops.ready(sctp_socket_inet(of->socket));
        int64_t is =
            (ready & INET_READABLE ? READY_IN : 0) | (ready & INET_WRITABLE ? READY_OUT : 0);
        is &= number_field(item, "events");
        found += is != 0;
        sctp_call_expect(call, item, "revents", is);
    }
    return sctp_call_returns(found);
}

static const struct {
    const char *name;
    bool without_fd; // its first argument is none
    struct script_result (*run)(struct sctp_call *call);
} calls[] = {
    {"socket", true, call_socket},
    {"bind", false, call_bind},
    {"listen", false, call_listen},
    {"accept", false, call_accept},
    {"connect", false, call_connect},
    {"sctp_connectx", false, call_connect},
    {"read", false, call_read},
    {"recv", false, call_read},
    {"recvfrom", false, call_read},
    {"sctp_recvmsg", false, call_recvmsg},
    {"write", false, call_write},
    {"send", false, call_write},
    {"sendto", false, call_write},
    {"sctp_sendmsg", false, call_sendmsg},
    {"sctp_send", false, call_send_info},
    {"sctp_sendv", false, call_sendv},
    {"shutdown", false, call_shutdown},
    {"close", false, call_close},
    {"sctp_peeloff", false, call_peeloff},
    {"fcntl", false, call_fcntl},
    {"setsockopt", false, sctp_call_setsockopt},
    {"getsockopt", false, sctp_call_getsockopt},
    {"poll", true, call_poll},
};

struct script_result sctp_script_call(struct script_world *world, struct cpu_context *context,
                                      const struct script_event *event,
                                      struct script_report *report)
{
    struct sctp_call call = {world, world->host, context, event, report, NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        int64_t fd;
        if (strcmp(calls[i].name, event->call.name) != 0)
            continue;
        if (calls[i].without_fd)
            return calls[i].run(&call);
        if (!sctp_call_number(&call, 0, &fd))
            return sctp_call_unsupported(&call, "such a descriptor");
        call.fd = find_fd(call.host, fd);
        return call.fd ? calls[i].run(&call) : sctp_call_fails("EBADF");
    }
    return sctp_call_unsupported(&call, "");
}
