// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/grim/ni/ni_internal.h"

#include "sim/core/intern.h"

// ---- Firmware ----

static const struct lanai_handler handlers[GRIM_HANDLERS] = {
    [GRIM_FINISH_SEND] = {{"finish send", STAGE_NIC}, ni_finish_send_run, false},
    [GRIM_RECEIVED] = {{"receive packet", STAGE_NIC}, ni_received_run, false},
    [GRIM_SEND] = {{"send message", STAGE_NIC}, ni_send_run, true},
    [GRIM_INCOMING] = {{"incoming queue", STAGE_NIC}, ni_incoming_run, true},
    [GRIM_FINISH_DMA] = {{"finish DMA", STAGE_NIC}, ni_finish_dma_run, false},
    [GRIM_FINISH_FETCH] = {{"finish fetch", STAGE_NIC}, ni_finish_fetch_run, false},
    [GRIM_POSTED] = {{"host request", STAGE_NIC}, ni_posted_run, false},
    [GRIM_TIMEOUT] = {{"retransmission timer", STAGE_NIC}, ni_timeout_run, false},
    [GRIM_PAUSE] = {{"pause behind NACK", STAGE_NIC}, ni_pause_run, false},
    [GRIM_START_FETCH] = {{"start fetch", STAGE_NIC}, ni_start_fetch_run, false},
};

// It begins with a message's header (thesis 003, 4.1.1).
static const struct lanai_firmware firmware = {handlers, GRIM_HANDLERS, GRIM_RECEIVED,
                                               GRIM_HEADER_BYTES, &grim_frames};

// ---- Create and free ----

static void make_ni(struct grim_fabric *fabric, int host, const struct grim_card *card)
{
    static const struct cost costs[GRIM_HANDLERS]; // charged piece by piece
    struct grim_ni *ni = &fabric->nis[host];
    struct cluster *cluster = fabric->cluster;
    ni->fabric = fabric;
    ni->host = cluster->hosts[host];
    // grim_fabric_new fills a card for each host.
    ni->scan_costs = *card->scan; // NOLINT(clang-analyzer-core.*)
    int station = cluster_station(cluster, host);
    ni->bus = cluster_bus(cluster, station);
    ni->card = lanai_new(ni->host, ni->bus, cluster->network, station, card->section, card->lanai,
                         &firmware, costs, ni);
    char *name = g_strconcat(ni->host->name, "'s card", NULL);
    ni->name = intern_text(name);
    g_free(name);
    ni->channels = g_ptr_array_new();
    ni->flows = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    ni->receivers = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    ni->answers = g_new0(struct grim_answer, fabric->config.control_entries);
    ni->buffers = g_new0(struct grim_receive, fabric->config.receive_buffers);
}

struct grim_fabric *grim_fabric_make(struct cluster *cluster, const struct grim_card *cards,
                                     const struct grim_ni_config *config)
{
    struct grim_fabric *fabric = g_new0(struct grim_fabric, 1);
    struct sim *sim = cluster->sim;
    fabric->cluster = cluster;
    fabric->sim = sim;
    fabric->config = *config;
    fabric->handlers = handlers;
    fabric->style = ni_queue_style((enum grim_queue_kind)config->queue_style);
    fabric->channels = g_ptr_array_new_with_free_func(g_free);
    fabric->endpoints = g_ptr_array_new();
    fabric->served[GRIM_ACTIVE_MESSAGE].interface = &ni_endpoint_interface;
    pool_init(&fabric->entries, sizeof(struct grim_entry));
    pool_init(&fabric->arrivals, sizeof(struct grim_arrival));
    pool_init(&fabric->held, sizeof(struct grim_held));
    fabric->accepted = sim_counter(sim, "GRIM: messages accepted");
    fabric->refusals = sim_counter(sim, "GRIM: messages refused");
    fabric->dropped = sim_loss_counter(sim, "GRIM: messages dropped out of sequence", LOSS_DROPPED);
    fabric->duplicates = sim_counter(sim, "GRIM: duplicates");
    fabric->resent = sim_loss_counter(sim, "GRIM: messages sent again", LOSS_REPEATED);
    fabric->timed_out = sim_loss_counter(sim, "GRIM: timeouts", LOSS_TIMEOUT);
    fabric->queued_answers = sim_counter(sim, "GRIM: control messages queued");
    fabric->sent_bytes = sim_counter(sim, "GRIM: bytes of messages sent");
    fabric->control = sim_counter(sim, "GRIM: control messages sent");
    fabric->control_bytes = sim_counter(sim, "GRIM: bytes of control messages");
    fabric->most_empty = sim_counter(sim, "GRIM: most empty channels before a message");
    fabric->most_queued = sim_counter(sim, "GRIM: most bytes in a card's message queue");
    fabric->corrupt = sim_loss_counter(sim, "GRIM: packets with CRC errors", LOSS_DROPPED);
    fabric->foreign = sim_loss_counter(sim, "GRIM: packets without its identifier", LOSS_DROPPED);
    fabric->nis = g_new0(struct grim_ni, cluster->host_count);
    for (int host = 0; host < cluster->host_count; host++)
        make_ni(fabric, host, &cards[host]);
    return fabric;
}

struct grim_fabric *grim_fabric_new(struct cluster *cluster, const struct scenario_case *test_case)
{
    struct grim_card *cards = g_new(struct grim_card, cluster->host_count);
    for (int host = 0; host < cluster->host_count; host++) {
        const char *section = intern_text(cluster->cards[cluster_station(cluster, host)].nic);
        char *scan = g_strconcat("grim_", section, NULL);
        cards[host] = (struct grim_card){section, scenario_section_values(test_case, section),
                                         scenario_section_values(test_case, scan)};
        g_free(scan);
    }
    struct grim_fabric *fabric =
        grim_fabric_make(cluster, cards, scenario_section_values(test_case, "grim_ni"));
    g_free(cards);
    return fabric;
}

void grim_fabric_free(struct grim_fabric *fabric)
{
    if (!fabric)
        return;
    for (int host = 0; host < fabric->cluster->host_count; host++) {
        struct grim_ni *ni = &fabric->nis[host];
        lanai_free(ni->card);
        g_ptr_array_unref(ni->channels);
        g_hash_table_unref(ni->flows);
        g_hash_table_unref(ni->receivers);
        g_free(ni->answers);
        g_free(ni->buffers);
    }
    for (guint i = 0; i < fabric->channels->len; i++) {
        struct grim_channel *channel = g_ptr_array_index(fabric->channels, i);
        g_free(channel->unanswered);
    }
    g_free(fabric->nis);
    g_ptr_array_unref(fabric->channels);
    g_ptr_array_unref(fabric->endpoints);
    pool_clear(&fabric->entries);
    pool_clear(&fabric->arrivals);
    pool_clear(&fabric->held);
    g_free(fabric);
}

// ---- Channels ----

struct grim_channel *grim_channel_open(struct grim_ni *ni, uint16_t endpoint, const char *name,
                                       grim_notify_fn *notify, void *owner)
{
    struct grim_fabric *fabric = ni->fabric;
    g_assert(!fabric->started && !grim_channel_find(fabric, endpoint));
    struct grim_channel *channel = g_new0(struct grim_channel, 1);
    channel->ni = ni;
    channel->number = (int)ni->channels->len;
    channel->index = (int)fabric->channels->len;
    channel->endpoint = endpoint;
    channel->name = name;
    channel->notify = notify;
    channel->owner = owner;
    ni_channel_init(channel);
    g_ptr_array_add(ni->channels, channel);
    g_ptr_array_add(fabric->channels, channel);
    if (fabric->endpoints->len <= endpoint)
        g_ptr_array_set_size(fabric->endpoints, endpoint + 1);
    fabric->endpoints->pdata[endpoint] = channel;
    return channel;
}

// The equal shares of the queue memory.
static void share_out(struct grim_channel *channel)
{
    struct grim_ni *ni = channel->ni;
    struct grim_fabric *fabric = ni->fabric;
    const struct grim_ni_config *config = &fabric->config;
    int64_t share = config->queue / ni->scanned;
    if (config->buffering == GRIM_BUFFER_BOTH) {
        share /= 2;
        channel->incoming_room = share;
    }
    channel->room = fabric->style->room(config, share);
    channel->most = fabric->style->most(config, share);
    int64_t tokens = config->in_flight;
    if (channel->most > 0)
        tokens =
            config->queue_style == GRIM_QUEUE_SLOTTED ? channel->most : MIN(channel->most, tokens);
    for (int64_t i = 0; i < tokens; i++)
        channel->free_tokens[i] = (uint8_t)i;
    channel->tokens_all = channel->tokens_free = (int)tokens;
    if (config->outstanding > 0)
        channel->unanswered = g_new0(int32_t, fabric->channels->len);
}

// Memory that the firmware can't do without. A scoreboard entry has four words: where the message
// lies, how long it is, its flow and its state. Sequence numbers have a byte for each direction.
static bool take_sram(struct grim_ni *ni)
{
    const struct grim_fabric *fabric = ni->fabric;
    const struct grim_ni_config *config = &fabric->config;
    int64_t ways = fabric->cluster->host_count;
    if (config->sequencing == GRIM_SEQUENCE_CHANNEL)
        ways *= ni->scanned * ni->scanned;
    return lanai_sram_take(ni->card, "receive buffers",
                           config->receive_buffers * config->receive_buffer,
                           "grim_ni.receive_buffers") &&
           lanai_sram_take(ni->card, "sequence numbers", 2 * ways, "grim_ni.channels") &&
           lanai_sram_take(ni->card, "control message queue",
                           config->control_entries * GRIM_CONTROL_BYTES,
                           "grim_ni.control_entries") &&
           (!fabric->style->scoreboard ||
            lanai_sram_take(ni->card, "scoreboards",
                            ni->scanned * config->in_flight * 4 * GRIM_WORD_BYTES,
                            "grim_ni.in_flight")) &&
           lanai_sram_take(ni->card, "message queues", config->queue, "grim_ni.queue");
}

static bool start_ni(struct grim_ni *ni)
{
    const struct grim_ni_config *config = &ni->fabric->config;
    int64_t endpoints = ni->channels->len;
    if (config->channels > 0 && endpoints > config->channels) {
        sim_fail(ni->fabric->sim, SIM_FAILED, "no_channel", NULL,
                 "%s has %" G_GINT64_FORMAT " logical channels and %" G_GINT64_FORMAT
                 " endpoints; more grim_ni.channels would avoid it",
                 ni->name, config->channels, endpoints);
        return false;
    }
    ni->scanned = MAX(config->channels > 0 ? config->channels : endpoints, 1);
    if (!take_sram(ni))
        return false;
    for (int64_t i = 0; i < endpoints; i++)
        share_out(g_ptr_array_index(ni->channels, i));
    for (int64_t i = 0; i < config->receive_buffers; i++) {
        ni->buffers[i].buffer.bytes = config->receive_buffer;
        lanai_post_buffer(ni->card, &ni->buffers[i].buffer, sim_now(ni->fabric->sim));
    }
    return true;
}

bool grim_fabric_start(struct grim_fabric *fabric)
{
    g_assert(!fabric->started);
    fabric->started = true;
    for (int host = 0; host < fabric->cluster->host_count; host++)
        if (!start_ni(&fabric->nis[host]))
            return false;
    return true;
}

void grim_fabric_interface(struct grim_fabric *fabric, enum grim_type type,
                           const struct grim_interface *interface, void *owner)
{
    fabric->served[type] = (struct grim_served){interface, owner};
}

const struct grim_ni_config *grim_fabric_config(const struct grim_fabric *fabric)
{
    return &fabric->config;
}

struct grim_ni *grim_fabric_ni(const struct grim_fabric *fabric, int host)
{
    return &fabric->nis[host];
}

struct lanai *grim_ni_card(const struct grim_ni *ni)
{
    return ni->card;
}

struct host *grim_ni_host(const struct grim_ni *ni)
{
    return ni->host;
}

struct grim_ni *grim_channel_ni(const struct grim_channel *channel)
{
    return channel->ni;
}

int grim_channel_number(const struct grim_channel *channel)
{
    return channel->number;
}

const char *grim_channel_name(const struct grim_channel *channel)
{
    return channel->name;
}

uint16_t grim_channel_endpoint(const struct grim_channel *channel)
{
    return channel->endpoint;
}
