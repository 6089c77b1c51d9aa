// SPDX-License-Identifier: GPL-3.0-or-later
// Common parts of the system calls of scripts of any protocol: arguments, results, descriptors.
#ifndef NETSIM_TESTS_SCRIPT_CALLS_H
#define NETSIM_TESTS_SCRIPT_CALLS_H

#include "tests/script/play.h"

#define SCRIPT_FDS 64
#define SCRIPT_RDWR 2 // O_RDWR of Linux and FreeBSD

// A call that is being made. A protocol's begins with it.
struct script_made {
    struct script_world *world;
    struct cpu_context *context;
    const struct script_event *event;
    struct script_report *report;
};

// A descriptor. A protocol's begins with it.
struct script_fd {
    bool open;
    int64_t flags; // of fcntl
};

struct script_result script_call_fails(const char *error);
struct script_result script_call_returns(int64_t value);
// Reports that scripts cannot have this call, or not with `what`; "": the call at all.
struct script_result script_call_unsupported(const struct script_made *call, const char *what);

// The n-th argument, or NULL.
const struct script_value *script_call_argument(const struct script_made *call, guint nth);
// Returns true if the n-th argument is a number, or a name of the protocol's constants.
bool script_call_number(const struct script_made *call, guint nth, int64_t *value);
bool script_call_is_name(const struct script_made *call, guint nth, const char *name);

// The open descriptor of that number, of SCRIPT_FDS in a table of items of `size` bytes; or NULL.
void *script_fd_find(void *fds, size_t size, int64_t number);
// Puts *fd into the table, open: at the number that the script expects, or the least that is free.
// Returns the number, or -1 if none is free.
int64_t script_fd_new(const struct script_made *call, void *fds, size_t size, const void *fd);

#endif
