// SPDX-License-Identifier: GPL-3.0-or-later
// Strings that stay: names of files in marks, names and texts among parameters.
#ifndef NETSIM_CORE_INTERN_H
#define NETSIM_CORE_INTERN_H

// The one copy of `text`, never freed; NULL for NULL. It serves as g_intern_string does, but the
// strings stay reachable, while GLib drops its old tables as they grow, which a leak checker
// reports.
const char *intern_text(const char *text);

#endif
