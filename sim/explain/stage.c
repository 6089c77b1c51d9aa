// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/stage.h"

#include <glib.h>
#include <string.h>

enum wait_class wait_of_text(const char *what)
{
    if (strstr(what, "credit"))
        return WAIT_CREDIT;
    if (strstr(what, "free") && strstr(what, "descriptor"))
        return WAIT_DESCRIPTOR;
    if (g_str_has_prefix(what, "the receiver's") || g_str_has_prefix(what, "an ACK"))
        return WAIT_ACK;
    if (strstr(what, "window"))
        return WAIT_WINDOW;
    if (g_str_has_prefix(what, "room in "))
        return WAIT_BUFFER;
    return g_str_has_prefix(what, "memory to pin") ? WAIT_MEMORY : WAIT_OTHER;
}
