// SPDX-License-Identifier: GPL-3.0-or-later
// System calls of a script on TCP sockets, as a program with non-blocking descriptors makes them
// on Linux.
#include "tests/script/tcp_host.h"

#include <string.h>

enum { RDWR = 2, NONBLOCK = 04000, READY_IN = 1, READY_OUT = 4, READY_ERR = 8, READY_HUP = 16 };

const struct script_constant tcp_script_constants[] = {
    {"O_RDWR", RDWR},
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
    struct script_world *world;
    struct tcp_script_host *host;
    struct cpu_context *context;
    const struct script_event *event;
    struct script_report *report;
    struct tcp_fd *fd; // of the first argument
};

static struct script_result fails(const char *error)
{
    return (struct script_result){-1, error};
}

static struct script_result returns(int64_t value)
{
    return (struct script_result){value, NULL};
}

static struct script_result unsupported(const struct call *call, const char *what)
{
    script_unsupported(call->report, call->event->line, "%s%s%s", call->event->call.name,
                       what[0] ? " with " : "", what);
    return returns(0);
}

// The n-th argument, or NULL.
static const struct script_value *argument(const struct call *call, guint nth)
{
    const GPtrArray *arguments = call->event->call.arguments;
    return nth < arguments->len ? g_ptr_array_index(arguments, nth) : NULL;
}

static bool number(const struct call *call, guint nth, int64_t *value)
{
    const struct script_value *is = argument(call, nth);
    *value = 0;
    return is && script_number(is, tcp_script_constants, value);
}

static bool is_name(const struct call *call, guint nth, const char *name)
{
    const struct script_value *is = argument(call, nth);
    return is && is->kind == SCRIPT_VALUE_NAME && strcmp(is->text, name) == 0;
}

// The number in the brackets of an option's value: [1], or 1.
static bool option_value(const struct call *call, guint nth, int64_t *value)
{
    const struct script_value *is = argument(call, nth);
    if (is && is->kind == SCRIPT_VALUE_LIST && is->items->len == 1)
        is = g_ptr_array_index(is->items, 0);
    *value = 0;
    return is && script_number(is, tcp_script_constants, value);
}

// ---- Descriptors ----

static struct tcp_fd *find_fd(struct tcp_script_host *host, int64_t number)
{
    if (number < 0 || number >= TCP_SCRIPT_FDS || !host->fds[number].open)
        return NULL;
    return &host->fds[number];
}

// A new descriptor: the number that the script expects, or the least that is free.
static int64_t new_fd(const struct call *call, struct tcp_fd fd)
{
    struct tcp_script_host *host = call->host;
    int64_t wanted;
    bool named = script_number(call->event->call.result, tcp_script_constants, &wanted);
    if (!named || wanted < 3 || wanted >= TCP_SCRIPT_FDS || host->fds[wanted].open)
        for (wanted = 3; wanted < TCP_SCRIPT_FDS && host->fds[wanted].open;)
            wanted++;
    if (wanted == TCP_SCRIPT_FDS)
        return -1;
    host->fds[wanted] = fd;
    host->fds[wanted].open = true;
    host->fds[wanted].flags |= RDWR;
    return wanted;
}

// What the end of a connection says, once.
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
    const struct script_value *family = argument(call, 0);
    if (family && family->kind == SCRIPT_VALUE_NAME && strcmp(family->text, "AF_INET6") == 0)
        return unsupported(call, "AF_INET6");
    if (!number(call, 1, &type) || (type & ~NONBLOCK) != 1)
        return unsupported(call, "such a type");
    if (!number(call, 2, &protocol) || (protocol != 6 && protocol != 0))
        return unsupported(call, "such a protocol");
    fd.flags = type & NONBLOCK;
    int64_t made = new_fd(call, fd);
    return made < 0 ? fails("EMFILE") : returns(made);
}

static struct script_result call_bind(struct call *call)
{
    if (call->fd->bound)
        return fails("EINVAL");
    call->fd->bound = true;
    return returns(0);
}

static struct script_result call_listen(struct call *call)
{
    if (call->fd->socket)
        return fails("EINVAL");
    if (!call->fd->listener)
        call->fd->listener = tcp_listen(call->context, call->host->tcp, TCP_SCRIPT_PORT,
                                        &call->fd->options, &call->world->task);
    return returns(0);
}

static struct script_result call_accept(struct call *call)
{
    struct tcp_listener *listener = call->fd->listener;
    if (!listener)
        return fails("EINVAL");
    if (!listener->head)
        return fails("EAGAIN");
    struct tcp_fd fd = {.bound = true};
    fd.socket = tcp_accept(call->context, listener);
    int64_t made = new_fd(call, fd);
    return made < 0 ? fails("EMFILE") : returns(made);
}

static struct script_result call_connect(struct call *call)
{
    struct tcp_fd *fd = call->fd;
    if (fd->listener)
        return fails("EISCONN");
    if (!fd->socket) {
        fd->socket = tcp_connect(call->context, call->host->tcp, call->world->peer, TCP_SCRIPT_PORT,
                                 &fd->options, &call->world->task);
        return fails("EINPROGRESS");
    }
    const char *error = take_error(fd);
    if (error)
        return fails(error);
    if (fd->socket->state == TCP_SYN_SENT || fd->socket->state == TCP_SYN_RECEIVED)
        return fails("EALREADY");
    return fails("EISCONN");
}

// ---- Data ----

static struct script_result call_write(struct call *call)
{
    struct tcp_socket *socket = call->fd->socket;
    int64_t bytes;
    if (!number(call, 2, &bytes) || bytes < 0)
        return unsupported(call, "such a length");
    if (!socket)
        return fails(call->fd->listener ? "EPIPE" : "ENOTCONN");
    const char *error = take_error(call->fd);
    if (error)
        return fails(error);
    if (socket->state == TCP_SYN_SENT || socket->state == TCP_SYN_RECEIVED)
        return fails("EAGAIN");
    if (!tcp_established(socket))
        return fails("EPIPE");
    int64_t room = tcp_writable(socket);
    if (bytes > room)
        socket->snd.wants_space = true; // as a write that takes only a part does
    struct tcp_run run = {.length = MIN(bytes, room)};
    if (run.length == 0)
        return bytes == 0 ? returns(0) : fails("EAGAIN");
    return returns(tcp_write(call->context, socket, &run, 1));
}

static struct script_result call_read(struct call *call)
{
    struct tcp_socket *socket = call->fd->socket;
    struct tcp_piece pieces[8];
    int count;
    int64_t bytes, total = 0;
    if (!number(call, 2, &bytes) || bytes < 0)
        return unsupported(call, "such a length");
    if (!socket)
        return fails("ENOTCONN");
    if (bytes == 0)
        return returns(0);
    if (tcp_readable(socket) == 0) {
        const char *error = take_error(call->fd);
        if (error)
            return fails(error);
    }
    while (total < bytes) {
        int64_t part = tcp_read(call->context, socket, bytes - total, pieces, 8, &count);
        if (part < 0 && total == 0)
            return returns(0);
        if (part <= 0)
            break;
        total += part;
    }
    return total > 0 ? returns(total) : fails("EAGAIN");
}

// ---- Closing ----

static struct script_result call_shutdown(struct call *call)
{
    int64_t how;
    if (!number(call, 1, &how) || how < 0 || how > 2)
        return unsupported(call, "such a direction");
    if (!call->fd->socket || (!tcp_established(call->fd->socket) && call->fd->socket->gone))
        return fails("ENOTCONN");
    if (how == 0)
        return unsupported(call, "SHUT_RD");
    if (how == 2)
        return unsupported(call, "SHUT_RDWR");
    tcp_shutdown(call->context, call->fd->socket);
    return returns(0);
}

static struct script_result call_close(struct call *call)
{
    struct tcp_fd *fd = call->fd;
    if (fd->listener)
        tcp_listener_close(call->context, fd->listener);
    if (fd->socket)
        tcp_close(call->context, fd->socket);
    *fd = (struct tcp_fd){0};
    return returns(0);
}

// ---- Options ----

static struct script_result call_fcntl(struct call *call)
{
    int64_t flags;
    if (is_name(call, 1, "F_GETFL"))
        return returns(call->fd->flags);
    if (!is_name(call, 1, "F_SETFL"))
        return unsupported(call, "such a command");
    if (!number(call, 2, &flags))
        return unsupported(call, "such flags");
    call->fd->flags = flags;
    return returns(0);
}

static void set_no_delay(struct call *call, bool on)
{
    struct tcp_socket *socket = call->fd->socket;
    call->fd->options.no_delay = on;
    if (!socket)
        return;
    socket->snd.no_delay = on;
    tcp_push(call->context, socket); // Linux lets go of what Nagle held
}

static struct script_result call_setsockopt(struct call *call)
{
    struct tcp_fd *fd = call->fd;
    int64_t value;
    if (!option_value(call, 3, &value))
        return unsupported(call, "such a value");
    bool before = !fd->socket && !fd->listener;
    if (is_name(call, 2, "SO_REUSEADDR"))
        return returns(0);
    if (is_name(call, 2, "TCP_NODELAY"))
        set_no_delay(call, value != 0);
    else if (is_name(call, 2, "SO_SNDBUF") && before)
        fd->options.send_buffer = value;
    else if (is_name(call, 2, "SO_RCVBUF") && before)
        fd->options.receive_buffer = value;
    else
        return unsupported(call, before ? "such an option" : "such an option of a connection");
    return returns(0);
}

static struct script_result call_getsockopt(struct call *call)
{
    int64_t expected, is = 0;
    if (!is_name(call, 2, "SO_ERROR"))
        return unsupported(call, "such an option");
    const char *error = take_error(call->fd);
    for (const struct script_constant *at = tcp_script_constants; error && at->name; at++)
        if (strcmp(at->name, error) == 0)
            is = at->value;
    if (option_value(call, 3, &expected) && expected != is)
        script_fail(call->report, call->event->line,
                    "expected SO_ERROR to be %" G_GINT64_FORMAT ", got %" G_GINT64_FORMAT "%s%s",
                    expected, is, error ? " " : "", error ? error : "");
    return returns(0);
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
    const struct script_value *list = argument(call, 0);
    int64_t found = 0;
    if (!list || list->kind != SCRIPT_VALUE_LIST)
        return unsupported(call, "such descriptors");
    for (guint i = 0; i < list->items->len; i++) {
        const struct script_value *item = g_ptr_array_index(list->items, i);
        const struct script_value *fd = script_field(item, "fd");
        const struct script_value *events = script_field(item, "events");
        const struct script_value *revents = script_field(item, "revents");
        int64_t number_of_fd, wanted, expected = 0;
        if (!fd || !events || !script_number(fd, tcp_script_constants, &number_of_fd) ||
            !script_number(events, tcp_script_constants, &wanted) ||
            (revents && !script_number(revents, tcp_script_constants, &expected)))
            return unsupported(call, "such a descriptor");
        struct tcp_fd *of = find_fd(call->host, number_of_fd);
        if (!of)
            return unsupported(call, "a closed descriptor");
        int64_t ready = poll_ready(of) & (wanted | READY_ERR | READY_HUP);
        found += ready != 0;
        if (revents && ready != expected)
            script_fail(call->report, call->event->line,
                        "expected revents %" G_GINT64_FORMAT ", got %" G_GINT64_FORMAT, expected,
                        ready);
    }
    return returns(found);
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
    struct call call = {world, world->host, context, event, report, NULL};
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        int64_t fd;
        if (strcmp(calls[i].name, event->call.name) != 0)
            continue;
        if (calls[i].without_fd)
            return calls[i].run(&call);
        if (!number(&call, 0, &fd))
            return unsupported(&call, "such a descriptor");
        call.fd = find_fd(call.host, fd);
        return call.fd ? calls[i].run(&call) : fails("EBADF");
    }
    return unsupported(&call, "");
}
