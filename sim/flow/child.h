// SPDX-License-Identifier: GPL-3.0-or-later
// The child process in which SimGrid runs: a fork of the caller, that loads the plugin, does the
// caller's work with it, and sends back one text.
#ifndef NETSIM_FLOW_CHILD_H
#define NETSIM_FLOW_CHILD_H

#include "sim/flow/plugin.h"

// In the child: does the work with the plugin's function. Returns the text that the parent gets,
// which the child frees.
typedef char *child_work_fn(void *owner, flow_plugin_run_fn *plugin);

// Does the work in a child process and waits for it. Returns its text, or NULL with *error: that
// there is no plugin and how to install it, or how the process ended and its output. The caller
// frees both (g_free).
//
// interrupt (may be NULL): polled with the owner, in the parent, while the child works. Once true,
// the child gets SIGINT, and a few seconds to end by itself, which counts as any other end; the
// work must poll for itself.
char *child_run(child_work_fn *work, void *owner, bool (*interrupt)(void *owner), char **error);

// Returns the plugin's path: $NETSIM_FLOW_PLUGIN, or in the program's directory, or where it is
// installed. Returns NULL if it is at none of them. The caller frees it (g_free).
char *child_plugin_path(void);

#endif
