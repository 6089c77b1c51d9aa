// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/script/calls.h"

#include <string.h>

// ---- Arguments and results ----

struct script_result script_call_fails(const char *error)
{
    return (struct script_result){-1, error};
}

struct script_result script_call_returns(int64_t value)
{
    return (struct script_result){value, NULL};
}

struct script_result script_call_unsupported(const struct script_made *call, const char *what)
{
    script_unsupported(call->report, call->event->line, "%s%s%s", call->event->call.name,
                       what[0] ? " with " : "", what);
    return script_call_returns(0);
}

const struct script_value *script_call_argument(const struct script_made *call, guint nth)
{
    const GPtrArray *arguments = call->event->call.arguments;
    return nth < arguments->len ? g_ptr_array_index(arguments, nth) : NULL;
}

bool script_call_number(const struct script_made *call, guint nth, int64_t *value)
{
    const struct script_value *is = script_call_argument(call, nth);
    *value = 0;
    return is && script_number(is, call->world->protocol->constants, value);
}

bool script_call_is_name(const struct script_made *call, guint nth, const char *name)
{
    const struct script_value *is = script_call_argument(call, nth);
    return is && is->kind == SCRIPT_VALUE_NAME && strcmp(is->text, name) == 0;
}

// ---- Descriptors ----

static struct script_fd *at(void *fds, size_t size, int64_t number)
{
    return (struct script_fd *)(void *)((char *)fds + (size_t)number * size);
}

void *script_fd_find(void *fds, size_t size, int64_t number)
{
    if (number < 0 || number >= SCRIPT_FDS || !at(fds, size, number)->open)
        return NULL;
    return at(fds, size, number);
}

int64_t script_fd_new(const struct script_made *call, void *fds, size_t size, const void *fd)
{
    int64_t wanted;
    bool named = script_number(call->event->call.result, call->world->protocol->constants, &wanted);
    if (!named || wanted < 3 || wanted >= SCRIPT_FDS || at(fds, size, wanted)->open)
        for (wanted = 3; wanted < SCRIPT_FDS && at(fds, size, wanted)->open;)
            wanted++;
    if (wanted == SCRIPT_FDS)
        return -1;
    struct script_fd *made = at(fds, size, wanted);
    memcpy(made, fd, size);
    made->open = true;
    made->flags |= SCRIPT_RDWR;
    return wanted;
}
