// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/armci/buffers.h"

#include <glib.h>

static struct armci_slot *slot_new(struct armci_buffers *buffers, int64_t address, int64_t bytes)
{
    struct armci_slot *slot = pool_take(&buffers->pool);
    *slot = (struct armci_slot){
        .buffers = buffers, .number = ++buffers->cut, .address = address, .bytes = bytes};
    buffers->count++;
    return slot;
}

static struct armci_slot *mark(struct armci_slot *slot, int64_t bytes)
{
    struct armci_buffers *buffers = slot->buffers;
    slot->sending = true;
    slot->used = bytes;
    buffers->sending++;
    buffers->unused += slot->bytes - bytes;
    *buffers->most_unused = MAX(*buffers->most_unused, buffers->unused);
    ++*buffers->taken;
    return slot;
}

// ---- Buffers of one size, in turn ----

static struct armci_slot *take_fixed(struct armci_buffers *buffers, int64_t bytes)
{
    struct armci_slot *slot = buffers->turn;
    g_assert(bytes <= slot->bytes);
    if (slot->sending)
        return NULL;
    buffers->turn = slot->next ? slot->next : buffers->slots;
    return mark(slot, bytes);
}

// ---- One region, cut on demand (thesis 001, 5.1) ----

static void start_over(struct armci_buffers *buffers)
{
    while (buffers->slots) {
        struct armci_slot *slot = buffers->slots;
        buffers->slots = slot->next;
        pool_give(&buffers->pool, slot);
    }
    buffers->count = buffers->cut = 0;
    buffers->slots = slot_new(buffers, buffers->address, buffers->bytes);
    buffers->draining = false;
}

static struct armci_slot *first_fit(struct armci_buffers *buffers, int64_t bytes)
{
    for (struct armci_slot *slot = buffers->slots; slot; slot = slot->next) {
        if (slot->sending || slot->bytes < bytes)
            continue;
        if (slot->bytes > bytes) {
            struct armci_slot *rest = slot_new(buffers, slot->address + bytes, slot->bytes - bytes);
            rest->next = slot->next;
            slot->next = rest;
            slot->bytes = bytes;
        }
        return mark(slot, bytes);
    }
    return NULL;
}

// Free slots that together would have been enough are lost to external fragmentation: slots are
// never joined (5.2).
static void count_external(const struct armci_buffers *buffers, int64_t bytes)
{
    int64_t available = 0;
    for (const struct armci_slot *slot = buffers->slots; slot; slot = slot->next)
        available += slot->sending ? 0 : slot->bytes;
    if (available < bytes)
        return;
    ++*buffers->external;
    *buffers->external_bytes += available;
}

static struct armci_slot *take_dynamic(struct armci_buffers *buffers, int64_t bytes)
{
    g_assert(bytes <= buffers->bytes);
    if (!buffers->draining) {
        struct armci_slot *slot = first_fit(buffers, bytes);
        if (slot)
            return slot;
        count_external(buffers, bytes);
        buffers->draining = true;
        ++*buffers->drains;
    }
    if (buffers->sending > 0)
        return NULL;
    start_over(buffers);
    return first_fit(buffers, bytes);
}

const struct armci_buffer_scheme armci_buffer_schemes[] = {
    [ARMCI_BUFFERS_FIXED] = {"fixed", take_fixed},
    [ARMCI_BUFFERS_DYNAMIC] = {"dynamic", take_dynamic},
};

const char *const armci_buffer_scheme_names[] = {"fixed", "dynamic", NULL};

// ---- Entry points ----

static void make_fixed(struct armci_buffers *buffers, int count)
{
    int64_t bytes = buffers->bytes / count;
    struct armci_slot **end = &buffers->slots;
    for (int i = 0; i < count; i++) {
        *end = slot_new(buffers, buffers->address + i * bytes, bytes);
        end = &(*end)->next;
    }
    buffers->turn = buffers->slots;
}

void armci_buffers_init(struct armci_buffers *buffers, const struct armci_buffer_scheme *scheme,
                        struct sim *sim, int64_t address, int64_t bytes, int count)
{
    *buffers = (struct armci_buffers){
        .scheme = scheme,
        .address = address,
        .bytes = bytes,
        .taken = sim_counter(sim, "ARMCI: buffers taken"),
        .drains = sim_counter(sim, "ARMCI: waits for all slots"),
        .external = sim_counter(sim, "ARMCI: requests that fragmentation held up"),
        .external_bytes = sim_counter(sim, "ARMCI: bytes free in slots too small for a request"),
        .most_unused = sim_counter(sim, "ARMCI: most bytes unused inside of buffers"),
    };
    pool_init(&buffers->pool, sizeof(struct armci_slot));
    if (scheme == &armci_buffer_schemes[ARMCI_BUFFERS_FIXED])
        make_fixed(buffers, count);
    else
        start_over(buffers);
}

void armci_buffers_clear(struct armci_buffers *buffers)
{
    pool_clear(&buffers->pool);
}

struct armci_slot *armci_buffers_take(struct armci_buffers *buffers, int64_t bytes)
{
    return buffers->scheme->take(buffers, bytes);
}

void armci_buffers_acknowledge(struct armci_slot *slot)
{
    g_assert(slot->sending);
    slot->sending = false;
    slot->buffers->sending--;
    slot->buffers->unused -= slot->bytes - slot->used;
}
