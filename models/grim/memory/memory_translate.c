// SPDX-License-Identifier: GPL-3.0-or-later
// Translation at the card and in the kernel (thesis 003, 4.5.2).
#include "models/grim/memory/memory_internal.h"
#include "sim/core/fifo.h"

static const struct stage translate_pages_stage = {"translate pages", STAGE_KERNEL};
static const struct stage translation_stage = {"translation", STAGE_NIC};

// Bytes that an entry of the cache takes, as the host writes it: endpoint, address, size and count,
// then address and size of each range.
#define ENTRY_BYTES 16
#define RANGE_BYTES 8

static const struct machine_state translation_states[] = {
    [GRIM_TRANSLATED] = {"translated", .next = MACHINE_TO(GRIM_ASKING)},
    [GRIM_ASKING] = {"request_dma", .next = MACHINE_TO(GRIM_ASKED)},
    [GRIM_ASKED] = {"interrupt", .next = MACHINE_TO(GRIM_ANSWERING)},
    [GRIM_ANSWERING] = {"answer", .next = MACHINE_TO(GRIM_TRANSLATED)},
};

const struct machine_kind grim_translation_machine = {
    .name = "translation",
    .title = "Translation of an address for a GRIM card",
    .source = "thesis 003, 4.5.2",
    .states = translation_states,
    .count = G_N_ELEMENTS(translation_states),
};

// Outside of handlers, `context` is NULL.
static void translation_enter(const struct cpu_context *context, struct grim_way *way,
                              enum grim_translating state)
{
    struct sim *sim = way->unit->remote->sim;
    const struct grim_channel *channel =
        grim_channel_find(way->unit->remote->fabric, way->destination);
    struct machine_owner owner = {.where = grim_channel_name(channel), .subject = way->source};
    machine_enter(&grim_translation_machine, &way->machine, state, owner, way->operation,
                  sim->trace, context ? cpu_lane(context->cpu) : 0,
                  context ? context->now : sim_now(sim));
}

static int64_t entry_bytes(const struct grim_translation *translation)
{
    int64_t ranges = (translation->bytes + translation->piece - 1) / translation->piece;
    return ENTRY_BYTES + RANGE_BYTES * ranges;
}

// ---- Looking it up ----

static bool translation_covers(const struct grim_translation *translation, int64_t address)
{
    return address >= translation->address && address < translation->address + translation->bytes;
}

const struct grim_translation *grim_translate(struct cpu_context *context, struct grim_way *way,
                                              int64_t address)
{
    const struct grim_memory_config *config = way->unit->remote->config;
    int64_t looked;
    const struct grim_translation *found =
        grim_cache_find(way->unit->cache, way->destination, address, &looked);
    cpu_spend_time(context, time_times(looked, cpu_cost(context->cpu, config->look)),
                   &translation_stage);
    for (guint i = 0; !found && i < way->granted->len; i++) {
        const struct grim_translation *at =
            &g_array_index(way->granted, struct grim_translation, i);
        if (translation_covers(at, address))
            found = at;
    }
    return found;
}

// ---- Asking the kernel ----

// The request is in the kernel's memory: the interrupt.
static void request_written(void *owner, struct lanai_transfer *transfer)
{
    (void)owner;
    struct grim_way *way = container_of(transfer, struct grim_way, request);
    struct grim_unit *unit = way->unit;
    translation_enter(NULL, way, GRIM_ASKED);
    FIFO_APPEND(unit->asked, unit->asked_last, way, next);
    host_interrupt(unit->host, &unit->service);
}

static void ask(struct cpu_context *context, struct grim_way *way, int64_t address,
                const char *operation)
{
    struct grim_unit *unit = way->unit;
    const struct grim_memory_config *config = unit->remote->config;
    (*unit->remote->misses)++;
    cpu_spend(context, config->ask, &translation_stage);
    way->address = address;
    way->operation = operation;
    translation_enter(context, way, GRIM_ASKING);
    way->request.item.handler = LANAI_NOBODY;
    way->request.move = LANAI_TO_HOST;
    way->request.bytes = config->request;
    way->request.done = request_written;
    lanai_start(grim_ni_card(unit->ni), &way->request, context->now);
}

bool grim_translates(struct cpu_context *context, struct grim_way *way, int64_t address,
                     int64_t bytes, const char *operation)
{
    for (int64_t done = 0; done < bytes;) {
        const struct grim_translation *found = grim_translate(context, way, address + done);
        if (!found) {
            ask(context, way, address + done, operation);
            return false;
        }
        (*way->unit->remote->hits)++;
        done += found->address + found->bytes - (address + done);
    }
    return true;
}

// ---- The driver ----

// The firmware has found the answer.
static void answered(struct cpu_context *context, struct grim_ni *ni, struct grim_post *post)
{
    struct grim_way *way = container_of(post, struct grim_way, post);
    struct grim_unit *unit = way->unit;
    struct grim_translation evicted;
    cpu_spend(context, unit->remote->config->enter, &translation_stage);
    grim_cache_add_dynamic(unit->cache, &way->answer, &evicted);
    if (evicted.endpoint >= 0)
        (*unit->remote->evictions)++;
    g_array_append_val(way->granted, way->answer);
    translation_enter(context, way, GRIM_TRANSLATED);
    grim_way_resume(context, way);
    grim_ni_retry(ni);
}

static void page_not_registered(const struct grim_way *way)
{
    sim_fail(way->unit->remote->sim, SIM_FAILED, "not_registered",
             json_pack("{s:i, s:i, s:I, s:s}", "rank", (int)way->destination, "peer",
                       (int)way->source, "address", (json_int_t)way->address, "setting",
                       "grim_memory.arena"),
             "rank %d: an %s of rank %d names address %" G_GINT64_FORMAT
             ", which is not registered memory; register it first, or have more from the start "
             "(grim_memory.arena)",
             (int)way->destination, way->operation, (int)way->source, way->address);
}

// One request: find the block, walk the page tables, write the answer to the card.
static void serve(struct cpu_context *context, struct grim_way *way)
{
    struct grim_unit *unit = way->unit;
    const struct grim_memory_config *config = unit->remote->config;
    cpu_spend(context, config->translate, &translate_pages_stage);
    const struct grim_block *block = grim_memory_find(unit->memory, way->destination, way->address);
    if (!block) {
        page_not_registered(way);
        return;
    }
    way->answer = grim_block_translation(block, way->address, config->entry_ranges);
    int64_t bytes = entry_bytes(&way->answer);
    cpu_spend_time(context,
                   (bytes - ENTRY_BYTES) / RANGE_BYTES *
                       cpu_cost(context->cpu, config->translate_range),
                   &translate_pages_stage);
    way->post.write.bytes = bytes;
    way->post.run = answered;
    translation_enter(context, way, GRIM_ANSWERING);
    grim_ni_post(context, unit->ni, &way->post);
}

static enum cpu_next service_run(struct cpu_context *context, struct cpu_task *task)
{
    struct grim_unit *unit = container_of(task, struct grim_unit, service);
    struct grim_way *way = unit->asked;
    if (!way)
        return CPU_SLEEP;
    unit->asked = way->next;
    (*unit->remote->interrupts)++;
    host_interrupt_enter(context, unit->host);
    serve(context, way);
    host_interrupt_leave(context, unit->host);
    return unit->asked ? CPU_AGAIN : CPU_SLEEP;
}

// ---- Static entries ----

// Words of the library that change the cache.
struct programming {
    struct grim_unit *unit;
    struct grim_translation translation;
    bool removes;
    struct grim_post post;
};

static void programmed(struct cpu_context *context, struct grim_ni *ni, struct grim_post *post)
{
    (void)ni;
    struct programming *programming = container_of(post, struct programming, post);
    struct grim_unit *unit = programming->unit;
    const struct grim_translation *translation = &programming->translation;
    cpu_spend(context, unit->remote->config->enter, &translation_stage);
    if (programming->removes)
        unit->static_used -= grim_cache_remove(unit->cache, translation->endpoint,
                                               translation->address, translation->bytes);
    else if (!grim_cache_add_static(unit->cache, translation))
        g_assert_not_reached(); // the library counts them
    pool_give(&unit->posts, programming);
}

static void program(struct cpu_context *context, struct grim_unit *unit,
                    const struct grim_translation *translation, bool removes)
{
    struct programming *programming = pool_take(&unit->posts);
    *programming = (struct programming){unit, *translation, removes, {.run = programmed}};
    programming->post.write.bytes = removes ? ENTRY_BYTES : entry_bytes(translation);
    grim_ni_post(context, unit->ni, &programming->post);
}

void grim_remote_program(struct cpu_context *context, struct grim_remote *remote,
                         const struct grim_channel *channel, const struct grim_block *block)
{
    struct grim_unit *unit = grim_unit_of(remote, channel);
    if (block->kind != GRIM_CONTIGUOUS)
        return; // "large blocks of contiguous memory"
    for (int64_t done = 0; done < block->bytes;) {
        if (unit->static_used >= remote->config->static_entries)
            return; // the kernel will be asked
        struct grim_translation translation =
            grim_block_translation(block, block->address + done, remote->config->entry_ranges);
        program(context, unit, &translation, false);
        unit->static_used++;
        done += translation.bytes;
    }
}

void grim_remote_forget(struct cpu_context *context, struct grim_remote *remote,
                        const struct grim_channel *channel, const struct grim_block *block)
{
    struct grim_unit *unit = grim_unit_of(remote, channel);
    struct grim_translation all = {block->endpoint, block->address, block->bytes, block->piece};
    program(context, unit, &all, true);
}

void grim_translate_init(struct grim_unit *unit)
{
    cpu_task_init(&unit->service, host_interrupt_core(unit->host), CPU_INTERRUPT, service_run);
    pool_init(&unit->posts, sizeof(struct programming));
}
