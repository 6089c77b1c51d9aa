// SPDX-License-Identifier: GPL-3.0-or-later
// System calls of a script on SCTP sockets (RFC 6458), as a program with non-blocking descriptors
// makes them on FreeBSD.
#include "tests/script/sctp_host.h"

#include <string.h>

enum {
    NONBLOCK = 4,
    READY_IN = 1,
    READY_OUT = 4,
    READY_HUP = 16,
};

const struct script_constant sctp_script_constants[] = {
    {"O_RDWR", SCRIPT_RDWR},
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
    {"SCTP_EOF", SCTP_SEND_EOF},
    {"SCTP_ABORT", SCTP_SEND_ABORT},
    {"SCTP_UNORDERED", SCTP_SEND_UNORDERED},
    {"SCTP_SACK_IMMEDIATELY", SCTP_SEND_IMMEDIATE},
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
    {"SCTP_ACTIVE", 1},
    {"SCTP_INACTIVE", 2},
    {"SCTP_UNCONFIRMED", 0x200},
    {"NULL", 0},
    {NULL, 0},
};

// ---- Arguments and results ----

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
        return script_call_returns(result);
    if (sending && result == SCTP_GONE)
        return script_call_fails("EPIPE");
    return script_call_fails(-result < (int64_t)G_N_ELEMENTS(errors) ? errors[-result] : "EINVAL");
}

void sctp_call_expect(const struct sctp_call *call, const struct script_value *value,
                      const char *name, int64_t is)
{
    const struct script_value *field = script_field(value, name);
    int64_t expected;
    if (!field || field->kind == SCRIPT_VALUE_DOTS)
        return;
    if (!script_number(field, sctp_script_constants, &expected))
        script_unsupported(call->made.report, call->made.event->line, "such a %s", name);
    else if (expected != is)
        script_fail(call->made.report, call->made.event->line,
                    "expected %s to be %" G_GINT64_FORMAT ", got %" G_GINT64_FORMAT, name, expected,
                    is);
}

// ---- Descriptors ----

static struct sctp_fd *find_fd(struct sctp_script_host *host, int64_t number)
{
    return script_fd_find(host->fds, sizeof *host->fds, number);
}

static int64_t new_fd(const struct sctp_call *call, struct sctp_fd fd)
{
    return script_fd_new(&call->made, call->host->fds, sizeof fd, &fd);
}

// ---- Opening ----

static struct script_result call_socket(struct sctp_call *call)
{
    int64_t type, protocol;
    struct sctp_fd fd = {0};
    if (script_call_is_name(&call->made, 0, "AF_INET6"))
        return script_call_unsupported(&call->made, "AF_INET6");
    if (!script_call_number(&call->made, 1, &type) || (type != 1 && type != 5))
        return script_call_unsupported(&call->made, "such a type");
    if (!script_call_number(&call->made, 2, &protocol) || protocol != SCTP_PROTOCOL)
        return script_call_unsupported(&call->made, "such a protocol");
    int64_t made = new_fd(call, fd);
    if (made < 0)
        return script_call_fails("EMFILE");
    call->host->fds[made].socket =
        sctp_socket_new(call->made.context, call->host->sctp,
                        type == 1 ? SCTP_ONE_TO_ONE : SCTP_ONE_TO_MANY, &call->made.world->task);
    sctp_script_tune(call->host, sctp_socket_settings(call->host->fds[made].socket));
    return script_call_returns(made);
}

// The port of a sockaddr, or the usual one.
static uint16_t port_of(const struct sctp_call *call, guint nth)
{
    const struct script_value *address = script_call_argument(&call->made, nth);
    const struct script_value *port = address ? script_field(address, "sin_port") : NULL;
    int64_t number;
    if (port && script_number(port, sctp_script_constants, &number))
        return (uint16_t)number;
    return SCTP_SCRIPT_PORT;
}

static struct script_result call_bind(struct sctp_call *call)
{
    uint16_t port = port_of(call, 1);
    int result = sctp_bind(call->made.context, call->fd->socket, port, 0);
    if (result == 0)
        call->host->own_port = call->fd->socket->port;
    return sctp_call_result(result, false);
}

static struct script_result call_listen(struct sctp_call *call)
{
    int result = sctp_listen(call->made.context, call->fd->socket);
    if (result == 0)
        call->host->own_port = call->fd->socket->port;
    return sctp_call_result(result, false);
}

static struct script_result call_accept(struct sctp_call *call)
{
    struct sctp_socket *made =
        sctp_accept(call->made.context, call->fd->socket, &call->made.world->task);
    if (!made)
        return script_call_fails(call->fd->socket->listening ? "EAGAIN" : "EINVAL");
    int64_t number = new_fd(call, (struct sctp_fd){.socket = made});
    return number < 0 ? script_call_fails("EMFILE") : script_call_returns(number);
}

static struct script_result call_connect(struct sctp_call *call)
{
    struct sctp_socket *socket = call->fd->socket;
    const struct sctp_association *old = sctp_socket_association(socket, 0);
    int error = sctp_socket_error(socket);
    if (error != 0)
        return sctp_call_result(error, false);
    if (old && !old->ended)
        return script_call_fails(sctp_established(socket) ? "EISCONN" : "EALREADY");
    return sctp_call_result(sctp_connect(call->made.context, socket, &call->made.world->peer, 1,
                                         port_of(call, 1), NULL),
                            false);
}

// ---- Closing ----

static struct script_result call_shutdown(struct sctp_call *call)
{
    int64_t how;
    if (!script_call_number(&call->made, 1, &how) || how < 0 || how > 2)
        return script_call_unsupported(&call->made, "such a direction");
    if (call->fd->socket->style == SCTP_ONE_TO_MANY)
        return script_call_fails("EOPNOTSUPP");
    if (how == 0)
        return script_call_returns(0);
    return sctp_call_result(sctp_shutdown(call->made.context, call->fd->socket, 0), false);
}

static struct script_result call_close(struct sctp_call *call)
{
    if (call->fd->abortive)
        sctp_abort(call->made.context, call->fd->socket, 0);
    sctp_close(call->made.context, call->fd->socket);
    *call->fd = (struct sctp_fd){0};
    return script_call_returns(0);
}

// sctp_peeloff(fd, association)
static struct script_result call_peeloff(struct sctp_call *call)
{
    struct sctp_association *first = sctp_socket_association(call->fd->socket, 0);
    struct sctp_socket *made = sctp_peel_off(call->made.context, call->fd->socket,
                                             first ? first->id : 0, &call->made.world->task);
    if (!made)
        return script_call_fails("EINVAL");
    int64_t number = new_fd(call, (struct sctp_fd){.socket = made});
    return number < 0 ? script_call_fails("EMFILE") : script_call_returns(number);
}

// ---- Others ----

static struct script_result call_fcntl(struct sctp_call *call)
{
    int64_t flags;
    if (script_call_is_name(&call->made, 1, "F_GETFL"))
        return script_call_returns(call->fd->file.flags);
    if (!script_call_is_name(&call->made, 1, "F_SETFL"))
        return script_call_unsupported(&call->made, "such a command");
    if (!script_call_number(&call->made, 2, &flags))
        return script_call_unsupported(&call->made, "such flags");
    call->fd->file.flags = flags;
    return script_call_returns(0);
}

// poll([{fd=N, events=…, revents=…}], 1, 0)
static struct script_result call_poll(struct sctp_call *call)
{
    const struct script_value *list = script_call_argument(&call->made, 0);
    int64_t found = 0;
    if (!list || list->kind != SCRIPT_VALUE_LIST)
        return script_call_unsupported(&call->made, "such descriptors");
    for (guint i = 0; i < list->items->len; i++) {
        const struct script_value *item = g_ptr_array_index(list->items, i);
        struct sctp_fd *of = find_fd(call->host, sctp_call_field(item, "fd"));
        if (!of)
            return script_call_unsupported(&call->made, "a closed descriptor");
        int ready = sctp_socket_ops.ready(sctp_socket_inet(of->socket));
        int64_t is =
            (ready & INET_READABLE ? READY_IN : 0) | (ready & INET_WRITABLE ? READY_OUT : 0);
        is &= sctp_call_field(item, "events");
        found += is != 0;
        sctp_call_expect(call, item, "revents", is);
    }
    return script_call_returns(found);
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
    {"read", false, sctp_call_read},
    {"recv", false, sctp_call_read},
    {"recvfrom", false, sctp_call_read},
    {"sctp_recvmsg", false, sctp_call_recvmsg},
    {"readv", false, sctp_call_read_vector},
    {"recvmsg", false, sctp_call_read_vector},
    {"writev", false, sctp_call_send_vector},
    {"sendmsg", false, sctp_call_send_vector},
    {"write", false, sctp_call_write},
    {"send", false, sctp_call_write},
    {"sendto", false, sctp_call_write},
    {"sctp_sendmsg", false, sctp_call_sendmsg},
    {"sctp_send", false, sctp_call_send_info},
    {"sctp_sendv", false, sctp_call_sendv},
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
    struct sctp_call call = {{world, context, event, report}, world->host, NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        int64_t fd;
        if (strcmp(calls[i].name, event->call.name) != 0)
            continue;
        if (calls[i].without_fd)
            return calls[i].run(&call);
        if (!script_call_number(&call.made, 0, &fd))
            return script_call_unsupported(&call.made, "such a descriptor");
        call.fd = find_fd(call.host, fd);
        return call.fd ? calls[i].run(&call) : script_call_fails("EBADF");
    }
    return script_call_unsupported(&call.made, "");
}
