// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/explain/stage.h"

#include <glib.h>
#include <string.h>

#define FOR_CREDIT STAGE_WAITING " for credit"
#define FOR_DESCRIPTOR STAGE_WAITING " for descriptor"
#define FOR_ACK STAGE_WAITING " for ACK"
#define FOR_WINDOW STAGE_WAITING " for window"
#define FOR_BUFFER STAGE_WAITING " for buffer"
#define FOR_MEMORY STAGE_WAITING " for memory"

const char *const stage_classes[] = {STAGE_LIBRARY, "kernel",    "copy",       "pin",
                                     "trap",        "interrupt", "wake-up",    "bus",
                                     "NIC",         STAGE_WIRE,  STAGE_BEHIND, "propagation",
                                     "switch",      "compute",   FOR_CREDIT,   FOR_DESCRIPTOR,
                                     FOR_ACK,       FOR_WINDOW,  FOR_BUFFER,   FOR_MEMORY,
                                     STAGE_WAITING, NULL};

// Stages that hosts, cards and networks have whatever runs on them, where the class has another
// name.
static const struct stage_class_entry common[] = {
    {"driver", "kernel"},
    {"unpin", "pin"},
    {"system call", "trap"},
    {"ioctl", "trap"},
    {"block", "wake-up"},
    {"poll", "wake-up"},
    {0},
};

static const char *look_up(const struct stage_class_entry *entry, const char *stage)
{
    for (; entry && entry->stage; entry++)
        if (strcmp(entry->stage, stage) == 0)
            return entry->class;
    return NULL;
}

const char *stage_class(const struct registry *registry, const char *stage)
{
    for (int i = 0; stage_classes[i]; i++)
        if (strcmp(stage_classes[i], stage) == 0)
            return stage_classes[i];
    const char *class = look_up(common, stage);
    if (!class && registry)
        class = registry_stage_class(registry, stage);
    if (class)
        return class;
    return g_str_has_prefix(stage, STAGE_WAITING " ") ? STAGE_WAITING : STAGE_LIBRARY;
}

const char *stage_known_wait(const char *stage)
{
    for (int i = 0; stage_classes[i]; i++)
        if (g_str_has_prefix(stage_classes[i], STAGE_WAITING " ") &&
            strcmp(stage_classes[i], stage) == 0)
            return stage_classes[i];
    return NULL;
}

const char *stage_of_wait(const char *what)
{
    if (strstr(what, "credit"))
        return FOR_CREDIT;
    if (strstr(what, "free") && strstr(what, "descriptor"))
        return FOR_DESCRIPTOR;
    if (g_str_has_prefix(what, "the receiver's") || g_str_has_prefix(what, "an ACK"))
        return FOR_ACK;
    if (strstr(what, "window"))
        return FOR_WINDOW;
    if (g_str_has_prefix(what, "room in "))
        return FOR_BUFFER;
    return g_str_has_prefix(what, "memory to pin") ? FOR_MEMORY : NULL;
}
