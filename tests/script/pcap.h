// SPDX-License-Identifier: GPL-3.0-or-later
// The frames of scripts' hosts in a pcapng file.
#ifndef NETSIM_TESTS_SCRIPT_PCAP_H
#define NETSIM_TESTS_SCRIPT_PCAP_H

#include "sim/core/capture.h"

#include <glib.h>

// Begins a file. Returns NULL and sets *error if it can't be written.
struct capture *script_pcap_new(const char *path, GError **error);
// Completes the file and frees the sink. Returns false and sets *error if not all of it could be
// written. Ignores NULL.
bool script_pcap_close(struct capture *capture, GError **error);

#endif
