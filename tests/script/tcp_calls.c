// SPDX-License-Identifier: GPL-3.0-or-later
// System calls of a script on TCP sockets, as a program with non-blocking descriptors makes them
// on Linux.
#include "tests/script/tcp_host.h"

#include <string.h>

enum { NONBLOCK = 04000, READY_IN = 1, READY_OUT = 4, READY_ERR = 8, READY_HUP = 16 };

const struct script_constant tcp_script_constants[] = {
    {"O_RDWR", SCRIPT_RDWR},
    {"O_NONBLOCK", NONBLOCK},
    {"AF_INET", 2},
    {"PF_INET", 2},
    {"SOCK_STREAM", 1},
    {"SOCK_NONBLOCK", NONBLOCK},
    {"IPPROTO_TCP", 6},
    {"SOL_TCP", 6},
    {"IPPROTO_IP", 0},
    {"SOL_SOCKET", 1},
    {"SO_REUSEADDR", 2},
    {"SO_ERROR", 4},
    {"SO_SNDBUF", 7},
    {"SO_RCVBUF", 8},
    {"TCP_NODELAY", 1},
    {"SHUT_RD", 0},
    {"SHUT_WR", 1},
    {"SHUT_RDWR", 2},
    {"F_GETFL", 3},
    {"F_SETFL", 4},
    {"MSG_DONTWAIT", 0x40},
    {"MSG_NOSIGNAL", 0x4000},
    {"POLLIN", READY_IN},
    {"POLLOUT", READY_OUT},
    {"POLLERR", READY_ERR},
    {"POLLHUP", READY_HUP},
    {"ECONNREFUSED", 111},
    {"ECONNRESET", 104},
    {"ETIMEDOUT", 110},
    {"EPIPE", 32},
    {"NULL", 0},
    {NULL, 0},
};

// A call that is being made.
struct call {
    struct script_made made;
    struct tcp_script_host *host;
    struct tcp_fd *fd; // of the first argument
};

// The number in the brackets of an option's value: [1], or 1.
static bool option_value(const struct call *call, guint nth, int64_t *value)
{
    const struct script_value *is = script_call_argument(&call->made, nth);
    if (is && is->kind == SCRIPT_VALUE_LIST && is->items->len == 1)
        is = g_ptr_array_index(is->items, 0);
    *value = 0;
    return is && script_number(is, tcp_script_constants, value);
}

// ---- Descriptors ----

static struct tcp_fd *find_fd(struct tcp_script_host *host, int64_t number)
{
    return script_fd_find(host->fds, sizeof *host->fds, number);
}

static int64_t new_fd(const struct call *call, struct tcp_fd fd)
{
    return script_fd_new(&call->made, call->host->fds, sizeof fd, &fd);
}

// The error that ended a connection, reported once.
static const char *take_error(struct tcp_fd *fd)
{
    switch (fd->socket ? tcp_socket_take_end(fd->socket) : TCP_END_NONE) {
    case TCP_END_NONE:
        return NULL;
    case TCP_END_REFUSED:
        return "ECONNREFUSED";
    case TCP_END_RESET:
        return "ECONNRESET";
    case TCP_END_BROKEN:
        return "EPIPE";
    case TCP_END_TIMED_OUT:
        return "ETIMEDOUT";
    }
    return NULL;
}

// ---- Opening ----

static struct script_result call_socket(struct call *call)
{
    int64_t type = 1, protocol = 6;
    struct tcp_fd fd = {0};
    const struct script_value *family = script_call_argument(&call->made, 0);
    if (family && family->kind == SCRIPT_VALUE_NAME && strcmp(family->text, "AF_INET6") == 0)
        return script_call_unsupported(&call->made, "AF_INET6");
    if (!script_call_number(&call->made, 1, &type) || (type & ~NONBLOCK) != 1)
        return script_call_unsupported(&call->made, "such a type");
    if (!script_call_number(&call->made, 2, &protocol) || (protocol != 6 && protocol != 0))
        return script_call_unsupported(&call->made, "such a protocol");
    fd.file.flags = type & NONBLOCK;
    int64_t made = new_fd(call, fd);
    return made < 0 ? script_call_fails("EMFILE") : script_call_returns(made);
}

static struct script_result call_bind(struct call *call)
{
    if (call->fd->bound)
        return script_call_fails("EINVAL");
    call->fd->bound = true;
    return script_call_returns(0);
}

static struct script_result call_listen(struct call *call)
{
    if (call->fd->socket)
        return script_call_fails("EINVAL");
    if (!call->fd->listener)
        call->fd->listener = tcp_listen(call->made.context, call->host->tcp, TCP_SCRIPT_PORT,
                                        &call->fd->options, &call->made.world->task);
    return script_call_returns(0);
}

static struct script_result call_accept(struct call *call)
{
    struct tcp_listener *listener = call->fd->listener;
    if (!listener)
        return script_call_fails("EINVAL");
    if (!listener->head)
        return script_call_fails("EAGAIN");
    struct tcp_fd fd = {.bound = true};
    fd.socket = tcp_accept(call->made.context, listener);
    int64_t made = new_fd(call, fd);
    return made < 0 ? script_call_fails("EMFILE") : script_call_returns(made);
}

static struct script_result call_connect(struct call *call)
{
    struct tcp_fd *fd = call->fd;
    if (fd->listener)
        return script_call_fails("EISCONN");
    if (!fd->socket) {
        fd->socket = tcp_connect(call->made.context, call->host->tcp, call->made.world->peer,
                                 TCP_SCRIPT_PORT, &fd->options, &call->made.world->task);
        return script_call_fails("EINPROGRESS");
    }
    const char *error = take_error(fd);
    if (error)
        return script_call_fails(error);
    if (fd->socket->machine.state == TCP_SYN_SENT || fd->socket->machine.state == TCP_SYN_RECEIVED)
        return script_call_fails("EALREADY");
    return script_call_fails("EISCONN");
}

// ---- Data ----

static struct script_result call_write(struct call *call)
{
    struct tcp_socket *socket = call->fd->socket;
    int64_t bytes;
    if (!script_call_number(&call->made, 2, &bytes) || bytes < 0)
        return script_call_unsupported(&call->made, "such a length");
    if (!socket)
        return script_call_fails(call->fd->listener ? "EPIPE" : "ENOTCONN");
    const char *error = take_error(call->fd);
    if (error)
        return script_call_fails(error);
    if (socket->machine.state == TCP_SYN_SENT || socket->machine.state == TCP_SYN_RECEIVED)
        return script_call_fails("EAGAIN");
    if (!tcp_established(socket))
        return script_call_fails("EPIPE");
    int64_t room = tcp_writable(socket, bytes);
    if (bytes > room)
        socket->snd.wants_space = true; // as a write that takes only a part does
    struct tcp_run run = {.length = MIN(bytes, room)};
    if (run.length == 0)
        return bytes == 0 ? script_call_returns(0) : script_call_fails("EAGAIN");
    return script_call_returns(tcp_write(call->made.context, socket, INET_WRITE, &run, 1));
}

static struct script_result call_read(struct call *call)
{
    struct tcp_socket *socket = call->fd->socket;
    struct tcp_piece pieces[8];
    int count;
    int64_t bytes, total = 0;
    if (!script_call_number(&call->made, 2, &bytes) || bytes < 0)
        return script_call_unsupported(&call->made, "such a length");
    if (!socket)
        return script_call_fails("ENOTCONN");
    if (bytes == 0)
        return script_call_returns(0);
    if (tcp_readable(socket) == 0) {
        const char *error = take_error(call->fd);
        if (error)
            return script_call_fails(error);
    }
    while (total < bytes) {
        int64_t part =
            tcp_read(call->made.context, socket, INET_READ, bytes - total, pieces, 8, &count);
        if (part < 0 && total == 0)
            return script_call_returns(0);
        if (part <= 0)
            break;
        total += part;
    }
    return total > 0 ? script_call_returns(total) : script_call_fails("EAGAIN");
}

// ---- Closing ----

static struct script_result call_shutdown(struct call *call)
{
    int64_t how;
    if (!script_call_number(&call->made, 1, &how) || how < 0 || how > 2)
        return script_call_unsupported(&call->made, "such a direction");
    if (!call->fd->socket || (!tcp_established(call->fd->socket) && call->fd->socket->gone))
        return script_call_fails("ENOTCONN");
    if (how == 0)
        return script_call_unsupported(&call->made, "SHUT_RD");
    if (how == 2)
        return script_call_unsupported(&call->made, "SHUT_RDWR");
    tcp_shutdown(call->made.context, call->fd->socket);
    return script_call_returns(0);
}

static struct script_result call_close(struct call *call)
{
    struct tcp_fd *fd = call->fd;
    if (fd->listener)
        tcp_listener_close(call->made.context, fd->listener);
    if (fd->socket)
        tcp_close(call->made.context, fd->socket);
    *fd = (struct tcp_fd){0};
    return script_call_returns(0);
}

// ---- Options ----

static struct script_result call_fcntl(struct call *call)
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

static void set_no_delay(struct call *call, bool on)
{
    struct tcp_socket *socket = call->fd->socket;
    call->fd->options.no_delay = on;
    if (!socket)
        return;
    socket->snd.no_delay = on;
    tcp_push(call->made.context, socket); // Linux lets go of what Nagle held
}

static struct script_result call_setsockopt(struct call *call)
{
    struct tcp_fd *fd = call->fd;
    int64_t value;
    if (!option_value(call, 3, &value))
        return script_call_unsupported(&call->made, "such a value");
    bool before = !fd->socket && !fd->listener;
    if (script_call_is_name(&call->made, 2, "SO_REUSEADDR"))
        return script_call_returns(0);
    if (script_call_is_name(&call->made, 2, "TCP_NODELAY"))
        set_no_delay(call, value != 0);
    else if (script_call_is_name(&call->made, 2, "SO_SNDBUF") && before)
        fd->options.send_buffer = value;
    else if (script_call_is_name(&call->made, 2, "SO_RCVBUF") && before)
        fd->options.receive_buffer = value;
    else
        return script_call_unsupported(&call->made, before ? "such an option"
                                                           : "such an option of a connection");
    return script_call_returns(0);
}

static struct script_result call_getsockopt(struct call *call)
{
    int64_t expected, is = 0;
    if (!script_call_is_name(&call->made, 2, "SO_ERROR"))
        return script_call_unsupported(&call->made, "such an option");
    const char *error = take_error(call->fd);
    for (const struct script_constant *at = tcp_script_constants; error && at->name; at++)
        if (strcmp(at->name, error) == 0)
            is = at->value;
    if (option_value(call, 3, &expected) && expected != is)
        script_fail(call->made.report, call->made.event->line,
                    "expected SO_ERROR to be %" G_GINT64_FORMAT ", got %" G_GINT64_FORMAT "%s%s",
                    expected, is, error ? " " : "", error ? error : "");
    return script_call_returns(0);
}

static int64_t poll_ready(const struct tcp_fd *fd)
{
    if (fd->listener)
        return fd->listener->head ? READY_IN : 0;
    if (!fd->socket)
        return READY_OUT | READY_HUP;
    int ready = tcp_ready(fd->socket);
    return (ready & INET_READABLE ? READY_IN : 0) | (ready & INET_WRITABLE ? READY_OUT : 0) |
           (fd->socket->gone ? READY_ERR | READY_HUP : 0);
}

// poll([{fd=N, events=…, revents=…}], 1, 0)
static struct script_result call_poll(struct call *call)
{
    const struct script_value *list = script_call_argument(&call->made, 0);
    int64_t found = 0;
    if (!list || list->kind != SCRIPT_VALUE_LIST)
        return script_call_unsupported(&call->made, "such descriptors");
    for (guint i = 0; i < list->items->len; i++) {
        const struct script_value *item = g_ptr_array_index(list->items, i);
        const struct script_value *fd = script_field(item, "fd");
        const struct script_value *events = script_field(item, "events");
        const struct script_value *revents = script_field(item, "revents");
        int64_t number_of_fd, wanted, expected = 0;
        if (!fd || !events || !script_number(fd, tcp_script_constants, &number_of_fd) ||
            !script_number(events, tcp_script_constants, &wanted) ||
            (revents && !script_number(revents, tcp_script_constants, &expected)))
            return script_call_unsupported(&call->made, "such a descriptor");
        struct tcp_fd *of = find_fd(call->host, number_of_fd);
        if (!of)
            return script_call_unsupported(&call->made, "a closed descriptor");
        int64_t ready = poll_ready(of) & (wanted | READY_ERR | READY_HUP);
        found += ready != 0;
        if (revents && ready != expected)
            script_fail(call->made.report, call->made.event->line,
                        "expected revents %" G_GINT64_FORMAT ", got %" G_GINT64_FORMAT, expected,
                        ready);
    }
    return script_call_returns(found);
}

// ---- All of them ----

static const struct {
    const char *name;
    bool without_fd; // its first argument is none
    struct script_result (*run)(struct call *call);
} calls[] = {
    {"socket", true, call_socket},
    {"bind", false, call_bind},
    {"listen", false, call_listen},
    {"accept", false, call_accept},
    {"connect", false, call_connect},
    {"read", false, call_read},
    {"recv", false, call_read},
    {"recvfrom", false, call_read},
    {"write", false, call_write},
    {"send", false, call_write},
    {"sendto", false, call_write},
    {"shutdown", false, call_shutdown},
    {"close", false, call_close},
    {"fcntl", false, call_fcntl},
    {"setsockopt", false, call_setsockopt},
    {"getsockopt", false, call_getsockopt},
    {"poll", true, call_poll},
};

struct script_result tcp_script_call(struct script_world *world, struct cpu_context *context,
                                     const struct script_event *event, struct script_report *report)
{
    struct call call = {{world, context, event, report}, world->host, NULL};
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
