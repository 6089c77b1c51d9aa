// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/grim/memory/memory_internal.h"

static const struct stage remote_memory_stage = {"remote memory", STAGE_NIC};

#define WORD_BYTES 4

// ---- Ways ----

struct grim_unit *grim_unit_of(const struct grim_remote *remote, const struct grim_channel *channel)
{
    return &remote->units[grim_ni_host(grim_channel_ni(channel))->index];
}

struct grim_way *grim_way_of(struct grim_unit *unit, uint16_t source, uint16_t destination)
{
    gpointer key = GUINT_TO_POINTER((guint)source << 16 | destination);
    struct grim_way *way = g_hash_table_lookup(unit->ways, key);
    if (!way) {
        way = g_new0(struct grim_way, 1);
        way->unit = unit;
        way->source = source;
        way->destination = destination;
        way->granted = g_array_new(FALSE, FALSE, sizeof(struct grim_translation));
        g_hash_table_insert(unit->ways, key, way);
    }
    return way;
}

static void way_free(void *data)
{
    struct grim_way *way = data;
    g_array_free(way->granted, TRUE);
    g_free(way);
}

static struct grim_way *way_of_message(struct grim_unit *unit, const struct grim_message *message)
{
    return grim_way_of(unit, message->source, message->destination);
}

// ---- Accepting ----

// No message overtakes one of its path that waits for a translation.
static bool way_is_free(const struct grim_remote *remote, const struct grim_channel *channel,
                        const struct grim_message *message)
{
    struct grim_unit *unit = grim_unit_of(remote, channel);
    return unit->held == 0 || !way_of_message(unit, message)->held;
}

// Strict order: not before the endpoint has handled earlier messages (thesis 003, 4.5.6).
static bool in_order(const struct grim_remote *remote, const struct grim_channel *channel)
{
    return remote->config->order == GRIM_RELAXED || grim_endpoint_unhandled(channel) == 0;
}

static bool accepts_write(struct cpu_context *context, void *owner, struct grim_channel *channel,
                          const struct grim_message *message)
{
    (void)context;
    return way_is_free(owner, channel, message) && in_order(owner, channel);
}

static bool accepts_reply(struct cpu_context *context, void *owner, struct grim_channel *channel,
                          const struct grim_message *message)
{
    (void)context;
    return way_is_free(owner, channel, message);
}

// A read needs room for its reply as well: else it is refused like what finds no room at the end.
static bool accepts_read(struct cpu_context *context, void *owner, struct grim_channel *channel,
                         const struct grim_message *message)
{
    struct grim_way *way = way_of_message(grim_unit_of(owner, channel), message);
    struct grim_message reply;
    if (way->held || !in_order(owner, channel))
        return false;
    grim_pack_reply(&reply, message);
    way->reply = grim_entry_reserve(context, channel, &reply);
    return way->reply != NULL;
}

static bool accepts_active(struct cpu_context *context, void *owner, struct grim_channel *channel,
                           const struct grim_message *message)
{
    return way_is_free(owner, channel, message) &&
           ni_endpoint_interface.accepts(context, NULL, channel, message);
}

static void deliver_active(struct cpu_context *context, void *owner, struct grim_arrival *arrival)
{
    (void)owner;
    ni_endpoint_interface.deliver(context, NULL, arrival);
}

// ---- Moving data ----

// One physical range under way that is not the last move of its message.
struct piece {
    struct grim_unit *unit;
    struct grim_arrival *arrival; // for the last data before a word: notified at the end; else NULL
    struct lanai_transfer transfer;
};

// The data of a write are in memory.
static void landed(struct grim_arrival *arrival)
{
    const struct grim_message *message = grim_arrival_message(arrival);
    const struct grim_remote *remote = grim_arrival_owner(arrival);
    struct ledger *ledger = remote->sim->ledger;
    if (message->message.generation == 0)
        return;
    ledger_deliver(ledger, message->message, message->offset, message->length);
    if (!grim_write_of(message).last)
        return;
    ledger_match(ledger, message->message);
    ledger_complete(ledger, message->message);
}

static struct grim_unit *unit_of_arrival(struct grim_arrival *arrival)
{
    return grim_unit_of(grim_arrival_owner(arrival), grim_arrival_channel(arrival));
}

static void piece_done(void *owner, struct lanai_transfer *transfer)
{
    (void)owner;
    struct piece *piece = container_of(transfer, struct piece, transfer);
    if (piece->arrival && !grim_arrival_lost(piece->arrival))
        landed(piece->arrival);
    pool_give(&piece->unit->pieces, piece);
}

// `offset`: of the range in the message's data. `completes`: it is the last piece of the arrival.
static void start_piece(const struct cpu_context *context, struct grim_arrival *arrival,
                        enum lanai_move move, int64_t offset, int64_t bytes, bool completes)
{
    struct grim_unit *unit = unit_of_arrival(arrival);
    struct piece *piece = pool_take(&unit->pieces);
    *piece = (struct piece){
        .unit = unit,
        .arrival = completes ? arrival : NULL,
        .transfer = {.item = {.handler = LANAI_NOBODY,
                              .message = grim_arrival_message(arrival)->message},
                     .move = move,
                     .bytes = bytes,
                     .done = piece_done},
    };
    if (move == LANAI_TO_HOST)
        grim_arrival_behind(arrival, &piece->transfer, offset);
    lanai_start(grim_ni_card(unit->ni), &piece->transfer, context->now);
}

static void remote_not_registered(const struct grim_unit *unit, const struct grim_message *message,
                                  int64_t address)
{
    sim_fail(unit->remote->sim, SIM_FAILED, "not_registered",
             json_pack("{s:i, s:i, s:I}", "rank", (int)message->destination, "peer",
                       (int)message->source, "address", (json_int_t)address),
             "rank %d: an %s of rank %d goes to address %" G_GINT64_FORMAT
             ", which is not, or no longer, registered memory; register it before and deregister "
             "it after",
             (int)message->destination, grim_type_name(message->type), (int)message->source,
             address);
}

// Starts the DMAs of [address, address + bytes) but the last one, whose length is returned; -1
// after an error.
static int64_t start_pieces(struct cpu_context *context, struct grim_arrival *arrival,
                            enum lanai_move move, int64_t address, int64_t bytes)
{
    const struct grim_message *message = grim_arrival_message(arrival);
    const struct grim_unit *unit = unit_of_arrival(arrival);
    int64_t offset = 0;
    while (bytes > 0) {
        const struct grim_block *block =
            grim_memory_find(unit->memory, message->destination, address);
        int64_t run;
        if (!block) {
            remote_not_registered(unit, message, address);
            return -1;
        }
        grim_block_physical(block, address, &run);
        cpu_spend(context, unit->remote->config->piece, &remote_memory_stage);
        if (run >= bytes)
            break;
        start_piece(context, arrival, move, offset, run, false);
        offset += run;
        address += run;
        bytes -= run;
    }
    return bytes;
}

// A physical address is taken as it is: one DMA.
static int64_t start_physical(struct cpu_context *context, struct grim_arrival *arrival,
                              int64_t address, int64_t bytes)
{
    const struct grim_message *message = grim_arrival_message(arrival);
    struct grim_unit *unit = unit_of_arrival(arrival);
    if (address >= unit->host->config.memory.ram) {
        (*unit->remote->peripheral)++;
    } else if (!grim_memory_has(unit->memory, address, bytes)) {
        remote_not_registered(unit, message, address);
        return -1;
    }
    cpu_spend(context, unit->remote->config->piece, &remote_memory_stage);
    return bytes;
}

static const struct machine_state remote_states[] = {
    [GRIM_REMOTE_TAKEN] = {"taken", .next = MACHINE_TO(GRIM_REMOTE_TRANSLATING,
                                                       GRIM_REMOTE_FETCHING, GRIM_REMOTE_STORING)},
    [GRIM_REMOTE_TRANSLATING] = {"translating",
                                 .next = MACHINE_TO(GRIM_REMOTE_FETCHING, GRIM_REMOTE_STORING)},
    [GRIM_REMOTE_FETCHING] = {"fetching", .next = MACHINE_TO(GRIM_REMOTE_REPLIED)},
    [GRIM_REMOTE_REPLIED] = {.name = "replied"},
    [GRIM_REMOTE_STORING] = {"storing", .next = MACHINE_TO(GRIM_REMOTE_DONE)},
    [GRIM_REMOTE_DONE] = {.name = "done"},
};

const struct machine_kind grim_remote_machine = {
    .name = "remote",
    .title = "Message of GRIM's remote memory at its card",
    .source = "thesis 003, 4.5.3, 4.5.4",
    .states = remote_states,
    .count = G_N_ELEMENTS(remote_states),
};

static void remote_enter(const struct cpu_context *context, struct grim_arrival *arrival,
                         enum grim_remote_state state)
{
    const struct grim_message *message = grim_arrival_message(arrival);
    struct machine_owner owner = {.where = grim_channel_name(grim_arrival_channel(arrival)),
                                  .subject = message->source};
    cpu_machine_enter(context, &grim_remote_machine, &grim_arrival_notes(arrival)->machine, state,
                      owner, grim_type_name(message->type));
}

// ---- Writes and replies to reads ----

static void word_landed(struct grim_arrival *arrival)
{
    const struct grim_message *message = grim_arrival_message(arrival);
    const struct grim_remote *remote = grim_arrival_owner(arrival);
    if (message->bytes == 0)
        landed(arrival); // in the order of the DMAs, too
    remote->notified(remote->owner, message->destination, message->content);
}

// The read that this answers leaves its queue (thesis 003, 4.5.4).
static void stored(struct cpu_context *context, struct grim_arrival *arrival)
{
    const struct grim_message *message = grim_arrival_message(arrival);
    if (message->type == GRIM_READ_REPLY && !grim_arrival_lost(arrival)) {
        uint32_t stamp = grim_write_of(message).value;
        grim_acknowledge(context, grim_arrival_channel(arrival), (uint8_t)(stamp >> 8),
                         (uint8_t)stamp);
    }
    remote_enter(context, arrival, GRIM_REMOTE_DONE);
    grim_arrival_end(context, arrival);
}

// Stores the rest of the data, and the word after them.
static void store_rest(struct cpu_context *context, struct grim_arrival *arrival, int64_t rest)
{
    const struct grim_message *message = grim_arrival_message(arrival);
    struct grim_unit *unit = unit_of_arrival(arrival);
    if (grim_write_of(message).word == 0) {
        grim_arrival_move(context, arrival, LANAI_TO_HOST, rest, stored, landed);
        return;
    }
    if (rest > 0)
        start_piece(context, arrival, LANAI_TO_HOST, message->bytes - rest, rest, true);
    cpu_spend(context, unit->remote->config->word, &remote_memory_stage);
    grim_arrival_move(context, arrival, LANAI_TO_HOST, WORD_BYTES, stored, word_landed);
}

// ---- From taking to moving ----

static bool translates(struct cpu_context *context, struct grim_way *way,
                       const struct grim_message *message)
{
    const char *operation = grim_type_name(message->type);
    if (message->type == GRIM_READ_VIRTUAL) {
        struct grim_read_arguments read = grim_read_of(message);
        return grim_translates(context, way, read.address, read.length, operation);
    }
    struct grim_write_arguments write = grim_write_of(message);
    return grim_translates(context, way, write.address, message->bytes, operation) &&
           (write.word == 0 || grim_translates(context, way, write.word, WORD_BYTES, operation));
}

static void store(struct cpu_context *context, struct grim_arrival *arrival)
{
    const struct grim_message *message = grim_arrival_message(arrival);
    int64_t address = grim_write_of(message).address;
    int64_t rest = message->type == GRIM_WRITE_PHYSICAL
                       ? start_physical(context, arrival, address, message->bytes)
                       : start_pieces(context, arrival, LANAI_TO_HOST, address, message->bytes);
    if (rest >= 0)
        store_rest(context, arrival, rest);
}

static void fetched(struct cpu_context *context, struct grim_arrival *arrival)
{
    remote_enter(context, arrival, GRIM_REMOTE_REPLIED);
    grim_entry_commit(context, grim_arrival_notes(arrival)->pointer);
    grim_arrival_end(context, arrival);
}

static void fetch(struct cpu_context *context, struct grim_arrival *arrival)
{
    struct grim_read_arguments read = grim_read_of(grim_arrival_message(arrival));
    int64_t rest = start_pieces(context, arrival, LANAI_FROM_HOST, read.address, read.length);
    if (rest >= 0)
        grim_arrival_move(context, arrival, LANAI_FROM_HOST, rest, fetched, NULL);
}

static void move(struct cpu_context *context, struct grim_arrival *arrival)
{
    bool reads = grim_arrival_message(arrival)->type == GRIM_READ_VIRTUAL;
    remote_enter(context, arrival, reads ? GRIM_REMOTE_FETCHING : GRIM_REMOTE_STORING);
    if (reads)
        fetch(context, arrival);
    else
        store(context, arrival);
}

// The step of a message that has waited for a translation; it may lack another.
static void translated(struct cpu_context *context, struct grim_arrival *arrival)
{
    struct grim_unit *unit = unit_of_arrival(arrival);
    struct grim_way *way = way_of_message(unit, grim_arrival_message(arrival));
    if (!translates(context, way, grim_arrival_message(arrival))) {
        grim_arrival_hold(arrival, translated);
        return;
    }
    g_array_set_size(way->granted, 0);
    way->held = NULL;
    unit->held--;
    move(context, arrival);
}

void grim_way_resume(struct cpu_context *context, struct grim_way *way)
{
    grim_arrival_resume(context, way->held);
}

static void deliver(struct cpu_context *context, void *owner, struct grim_arrival *arrival)
{
    const struct grim_message *message = grim_arrival_message(arrival);
    struct grim_unit *unit = unit_of_arrival(arrival);
    struct grim_way *way = way_of_message(unit, message);
    (void)owner;
    cpu_spend(context, unit->remote->config->start, &remote_memory_stage);
    grim_arrival_notes(arrival)->pointer = way->reply;
    way->reply = NULL;
    if (message->type == GRIM_WRITE_PHYSICAL || translates(context, way, message)) {
        move(context, arrival);
        return;
    }
    remote_enter(context, arrival, GRIM_REMOTE_TRANSLATING);
    way->held = arrival;
    unit->held++;
    grim_arrival_hold(arrival, translated);
}

// ---- Create and free ----

static const struct grim_interface interfaces[] = {
    [GRIM_ACTIVE_MESSAGE] = {"active message", accepts_active, deliver_active, false},
    [GRIM_WRITE_VIRTUAL] = {"RM-V", accepts_write, deliver, false},
    [GRIM_WRITE_PHYSICAL] = {"RM-P", accepts_write, deliver, false},
    [GRIM_READ_VIRTUAL] = {"RM-RV", accepts_read, deliver, true},
    [GRIM_READ_REPLY] = {"RM-RV reply", accepts_reply, deliver, false},
};

static void unit_init(struct grim_unit *unit, struct grim_remote *remote, struct host *host)
{
    const struct grim_memory_config *config = remote->config;
    unit->remote = remote;
    unit->ni = grim_fabric_ni(remote->fabric, host->index);
    unit->host = host;
    unit->memory = grim_memory_new(&host->config.memory, config);
    unit->cache = grim_cache_new(config->static_entries, config->dynamic_entries);
    unit->ways = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, way_free);
    pool_init(&unit->pieces, sizeof(struct piece));
    grim_translate_init(unit);
}

struct grim_remote *grim_remote_new(struct cluster *cluster, struct grim_fabric *fabric,
                                    const struct grim_memory_config *config,
                                    grim_notified_fn *notified, void *owner)
{
    struct grim_remote *remote = g_new0(struct grim_remote, 1);
    remote->config = config;
    remote->fabric = fabric;
    remote->sim = cluster->sim;
    remote->hosts = cluster->host_count;
    remote->notified = notified;
    remote->owner = owner;
    remote->misses = sim_counter(remote->sim, "GRIM: translation misses");
    remote->hits = sim_counter(remote->sim, "GRIM: translations");
    remote->interrupts = sim_counter(remote->sim, "GRIM: translation interrupts");
    remote->evictions = sim_counter(remote->sim, "GRIM: translations displaced");
    remote->peripheral = sim_counter(remote->sim, "GRIM: writes to peripherals");
    remote->units = g_new0(struct grim_unit, remote->hosts);
    for (int i = 0; i < remote->hosts; i++)
        unit_init(&remote->units[i], remote, cluster->hosts[i]);
    for (int type = GRIM_ACTIVE_MESSAGE; type <= GRIM_READ_REPLY; type++)
        grim_fabric_interface(fabric, (enum grim_type)type, &interfaces[type], remote);
    return remote;
}

void grim_remote_free(struct grim_remote *remote)
{
    if (!remote)
        return;
    for (int i = 0; i < remote->hosts; i++) {
        struct grim_unit *unit = &remote->units[i];
        pool_clear(&unit->pieces);
        pool_clear(&unit->posts);
        g_hash_table_destroy(unit->ways);
        grim_cache_free(unit->cache);
        grim_memory_free(unit->memory);
    }
    g_free(remote->units);
    g_free(remote);
}

struct grim_memory *grim_remote_memory(const struct grim_remote *remote, int host)
{
    return remote->units[host].memory;
}
