// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/lane_called.h"

#include <glib.h>
#include <string.h>

trace_lane lane_called(struct trace *trace, const char *group, const char *name)
{
    struct trace_lane_info info = {.group = group, .name = name};
    char *from = NULL, *to = NULL;
    if (g_str_has_prefix(name, "port "))
        info.kind = TRACE_QUEUE;
    if (g_str_has_prefix(name, "wire ")) {
        const char *arrow = strstr(name, "->");
        info.kind = TRACE_LINK;
        info.link = name + strlen("wire ");
        info.ends[0] = from = g_strndup(info.link, (gsize)(arrow - info.link));
        info.ends[1] = to = g_strndup(arrow + 2, strcspn(arrow + 2, "#"));
    }
    trace_lane lane = trace_lane_add(trace, &info);
    g_free(from);
    g_free(to);
    return lane;
}
