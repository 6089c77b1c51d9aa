// SPDX-License-Identifier: GPL-3.0-or-later
// Strings that are never freed: file names in marks, names and texts among parameters.
#ifndef NETSIM_CORE_INTERN_H
#define NETSIM_CORE_INTERN_H

// Returns the one copy of `text`, never freed; NULL for NULL. Unlike those of g_intern_string, the
// strings stay reachable: GLib drops its old tables as they grow, which a leak checker reports.
const char *intern_text(const char *text);

#endif
