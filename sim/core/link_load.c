// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/link_load.h"

#include "sim/core/intern.h"

#include <string.h>

// A count of which several loads together have the sum, or the largest.
#define SUM(name_, unit_, doc_)                                                                    \
    {                                                                                              \
        .name = (name_), .unit = (unit_), .doc = (doc_)                                            \
    }
#define MOST(name_, unit_, doc_)                                                                   \
    {                                                                                              \
        .name = (name_), .unit = (unit_), .doc = (doc_), .most = true                              \
    }

#define PAUSE(name_, unit_, doc_)                                                                  \
    {                                                                                              \
        .name = (name_), .unit = (unit_), .doc = (doc_), .pause = true                             \
    }

const struct link_count_kind link_count_kinds[LINK_COUNTS] = {
    [LINK_PACKETS] = SUM("packets", "", "packets that began, repeats of the link included"),
    [LINK_BYTES] = SUM("bytes", "B",
                       "of these: frames with padding and route bytes, without "
                       "preamble and gap"),
    [LINK_BUSY] = SUM("busy", "ps",
                      "time in which a packet had the link, with preamble and gap, and "
                      "while it was held back on it"),
    [LINK_ARRIVED] = SUM("arrived", "", "packets that came to the far end"),
    [LINK_QUEUE] = SUM("longest_queue", "", "most packets that waited for the link at one time"),
    [LINK_QUEUE_BYTES] = MOST("longest_queue_bytes", "B", "most bytes that waited for it"),
    [LINK_QUEUE_WHEN] = SUM("longest_queue_at", "ps", "when so many packets first waited"),
    [LINK_HELD_TIME] = SUM("held", "ps",
                           "part of the busy time in which a packet could not go on: "
                           "STOP, or no room ahead"),
    [LINK_HELD] = SUM("held_packets", "", "packets that were held back so"),
    [LINK_STOPS] = SUM("stops", "", "STOP symbols that the far end has sent"),
    [LINK_NO_CREDIT] = SUM("no_credit", "ps",
                           "time in which a packet waited, and the station at the "
                           "far end had no room for it"),
    [LINK_CORRUPT] = SUM("corrupt", "", "of those that arrived: with a bit error, or cut off"),
    [LINK_REPEATED] = SUM("repeated", "", "packets that the link itself sent again"),
    [LINK_DUPLICATED] = SUM("duplicated", "", "packets that a fault doubled"),
    [LINK_DISCARDED] = SUM("discarded", "",
                           "packets of a link that repeats them which were lost on it, "
                           "or which its far end did not take"),
    [LINK_LOST] = SUM("lost", "", "packets lost by a fault"),
    [LINK_DOWN] = SUM("link_down", "", "packets lost because the cable was out"),
    [LINK_FULL] = SUM("queue_full", "", "packets that found no room in the queue, and never began"),
    [LINK_CHECK] = SUM("check_failed", "",
                       "of those that arrived: discarded by the switch for a "
                       "wrong check sequence"),
    [LINK_UNWANTED] = SUM("no_receiver", "", "of those that arrived: no station took them"),
    [LINK_PAUSES] =
        PAUSE("pause_frames", "", "of the packets: PAUSE frames for the other direction"),
    [LINK_PAUSES_ARRIVED] = PAUSE("pause_frames_arrived", "", "of these, those that came intact"),
    [LINK_PAUSED] = PAUSE("paused", "ps",
                          "time in which no packet could begin because of PAUSE "
                          "frames from the far end"),
};

struct link_load *link_load_new(const char *name, const char *from, const char *to)
{
    struct link_load *load = g_new0(struct link_load, 1);
    load->name = g_strdup(name);
    load->from = intern_text(from);
    load->to = intern_text(to);
    return load;
}

void link_load_free(struct link_load *load)
{
    if (!load)
        return;
    if (load->drops)
        g_array_unref(load->drops);
    g_free(load->name);
    g_free(load);
}

void link_load_add(struct link_load *into, const struct link_load *from)
{
    for (int i = 0; i < LINK_COUNTS; i++) {
        if (link_count_kinds[i].most)
            into->counts[i] = MAX(into->counts[i], from->counts[i]);
        else if (i != LINK_QUEUE && i != LINK_QUEUE_WHEN)
            into->counts[i] += from->counts[i];
    }
    int64_t *most = &into->counts[LINK_QUEUE], *when = &into->counts[LINK_QUEUE_WHEN];
    int64_t other = from->counts[LINK_QUEUE], other_when = from->counts[LINK_QUEUE_WHEN];
    if (other > *most || (other > 0 && other == *most && other_when < *when)) {
        *most = other;
        *when = other_when;
    }
    for (guint i = 0; from->drops && i < from->drops->len; i++) {
        const struct link_drop *drop = &g_array_index(from->drops, struct link_drop, i);
        link_load_add_drop(&into->drops, drop->reason, drop->packets);
    }
}

struct link_load *link_load_copy(const struct link_load *load)
{
    struct link_load *copy = link_load_new(load->name, load->from, load->to);
    copy->from_port = load->from_port;
    copy->to_port = load->to_port;
    copy->rate = load->rate;
    copy->pauses = load->pauses;
    link_load_add(copy, load);
    return copy;
}

struct link_size *link_size_new(int64_t size)
{
    struct link_size *of = g_new0(struct link_size, 1);
    of->size = size;
    of->links = g_ptr_array_new_with_free_func((GDestroyNotify)link_load_free);
    return of;
}

void link_size_free(struct link_size *of)
{
    if (!of)
        return;
    g_ptr_array_unref(of->links);
    g_free(of);
}

void link_load_add_drop(GArray **drops, const char *reason, int64_t packets)
{
    if (!*drops)
        *drops = g_array_new(FALSE, FALSE, sizeof(struct link_drop));
    for (guint i = 0; i < (*drops)->len; i++) {
        struct link_drop *drop = &g_array_index(*drops, struct link_drop, i);
        if (strcmp(drop->reason, reason) == 0) {
            drop->packets += packets;
            return;
        }
    }
    struct link_drop drop = {reason, packets};
    g_array_append_val(*drops, drop);
}
