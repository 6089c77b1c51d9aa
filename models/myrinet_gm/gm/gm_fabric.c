// SPDX-License-Identifier: GPL-3.0-or-later
// GM on a cluster: a card with the MCP on every host, routes to all others, the firmware's table.
//
// Modelled: ports with send and receive tokens, messages in packets over one reliable connection
// for each pair of cards (go-back-N, session and sequence numbers, ACK, NACK, resend timer, giving
// up), receive buffers by size class, fast receives, directed sends, registered memory, callbacks
// by polling, blocking by interrupt, the firmware's machines with their buffers in SRAM.
//
// Not modelled: the mapper (routes exist from the start) and opening of connections; the cache
// of the page table in SRAM (all translations hit); several sent tokens in one report; datagrams,
// alarms, tags, gm_get and Ethernet over GM; sends to the own card; a second card of a host; that
// high priority goes ahead of low (each is a stream of its own, and they take turns);
// gm_resume_sending (after a send that has timed out, later ones are tried anew).
#include "models/myrinet_gm/gm/gm_internal.h"

#include "sim/core/intern.h"
#include "sim/core/poison.h"

static void poll_run(struct cpu_context *context, void *owner, struct lanai_item *item);

// GM's order of priority (gm_types.h, enum gm_event_index).
static const struct lanai_handler handlers[GM_HANDLERS] = {
    [GM_TIMER] = {{"timer", STAGE_NIC}, gm_timer_run, false},
    [GM_FINISH_RDMA] = {{"finish RDMA", STAGE_NIC}, gm_finish_rdma_run, false},
    [GM_FINISH_RECV] = {{"finish receive", STAGE_NIC}, gm_finish_recv_run, false},
    [GM_FINISH_SDMA] = {{"finish SDMA", STAGE_NIC}, gm_finish_sdma_run, false},
    [GM_FINISH_SEND] = {{"finish send", STAGE_NIC}, gm_finish_send_run, false},
    [GM_START_SEND] = {{"start send", STAGE_NIC}, gm_start_send_run, false},
    [GM_START_SDMA] = {{"start SDMA", STAGE_NIC}, gm_start_sdma_run, false},
    [GM_START_RDMA] = {{"start RDMA", STAGE_NIC}, gm_start_rdma_run, true},
    [GM_POLL] = {{"poll tokens", STAGE_NIC}, poll_run, false},
};

// RECV acknowledges and RDMA writes whole packets: a packet's CRC comes last, and GM answers each
// packet (thesis 001, 3.1). GM overlaps the packets of a message, of at most 4 KiB each.
static const struct lanai_firmware firmware = {handlers, GM_HANDLERS, GM_FINISH_RECV, 0,
                                               &gm_frames};

// Finds a token that the host has written into the queue in SRAM (thesis 001, 2.1: no doorbell).
static void poll_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct gm_descriptor *descriptor = container_of(item, struct gm_descriptor, write.item);
    (void)context, (void)owner;
    switch (descriptor->kind) {
    case GM_SEND_DESCRIPTOR:
        gm_connection_queue(container_of(descriptor, struct gm_send_token, descriptor));
        break;
    case GM_RECEIVE_DESCRIPTOR:
        gm_receive_token_post(container_of(descriptor, struct gm_receive_token, descriptor));
        break;
    }
}

// ---- Cards ----

static void handler_costs(const struct gm_config *config, struct cost costs[GM_HANDLERS])
{
    costs[GM_TIMER] = config->timer;
    costs[GM_FINISH_RDMA] = config->finish_rdma;
    costs[GM_FINISH_RECV] = config->finish_recv;
    costs[GM_FINISH_SDMA] = config->finish_sdma;
    costs[GM_FINISH_SEND] = config->finish_send;
    costs[GM_START_SEND] = config->start_send;
    costs[GM_START_SDMA] = config->start_sdma;
    costs[GM_START_RDMA] = config->start_rdma;
    costs[GM_POLL] = config->poll;
}

static bool take_sram(struct gm_card *card)
{
    const struct gm_config *config = card->config;
    int64_t each = gm_packet_bytes(config);
    return lanai_sram_take(card->lanai, "MCP", config->program_sram, "gm.program_sram") &&
           lanai_sram_take(card->lanai, "connections",
                           config->connection_sram * card->fabric->hosts, "gm.connection_sram") &&
           lanai_sram_take(card->lanai, "send buffers", config->send_buffers * each,
                           "gm.send_buffers") &&
           lanai_sram_take(card->lanai, "receive buffers", config->receive_buffers * each,
                           "gm.receive_buffers");
}

static void make_buffers(struct gm_card *card)
{
    const struct gm_config *config = card->config;
    card->send_buffers = g_new0(struct gm_send_buffer, config->send_buffers);
    for (int64_t i = config->send_buffers - 1; i >= 0; i--) {
        card->send_buffers[i].next = card->free_buffers;
        card->free_buffers = &card->send_buffers[i];
        poison(&card->send_buffers[i], sizeof card->send_buffers[i]);
    }
    card->receive_buffers = g_new0(struct gm_receive_buffer, config->receive_buffers);
    for (int64_t i = 0; i < config->receive_buffers; i++) {
        card->receive_buffers[i].buffer.bytes = gm_packet_bytes(config);
        lanai_post_buffer(card->lanai, &card->receive_buffers[i].buffer, sim_now(card->sim));
    }
}

static void make_counters(struct gm_card *card)
{
    card->counters = (struct gm_counters){
        .resent = sim_loss_counter(card->sim, "GM packets resent", LOSS_REPEATED),
        .refused = sim_counter(card->sim, "GM messages refused for lack of a receive buffer"),
        .gaps = sim_counter(card->sim, "GM packets out of order"),
        .duplicates = sim_counter(card->sim, "GM duplicates"),
        .timed_out = sim_loss_counter(card->sim, "GM sends timed out", LOSS_TIMEOUT),
        .interrupts = sim_counter(card->sim, "GM interrupts"),
    };
}

static void card_init(struct gm_card *card, struct gm_fabric *fabric, int host,
                      const struct scenario_case *test_case)
{
    struct cluster *cluster = fabric->cluster;
    int station = cluster_station(cluster, host);
    const char *section = intern_text(cluster->cards[station].nic);
    struct cost costs[GM_HANDLERS];
    handler_costs(fabric->config, costs);
    card->fabric = fabric;
    card->sim = cluster->sim;
    card->host = cluster->hosts[host];
    card->network = cluster->network;
    card->config = fabric->config;
    card->lanai =
        lanai_new(card->host, cluster_bus(cluster, station), card->network, station, section,
                  scenario_section_values(test_case, section), &firmware, costs, card);
    sparse_init(&card->connections, fabric->hosts, sizeof(struct gm_connection *));
    make_counters(card);
    cpu_task_init(&card->interrupt, host_interrupt_core(card->host), CPU_INTERRUPT,
                  gm_interrupt_run);
    gm_ports_init(card);
    make_buffers(card);
    if (!take_sram(card) && !event_pending(&fabric->stop))
        engine_schedule(card->sim->engine, &fabric->stop, sim_now(card->sim));
}

static void stop_event(struct engine *engine, struct event *event)
{
    (void)event;
    engine_stop(engine);
}

struct gm_fabric *gm_fabric_new(struct cluster *cluster, const struct scenario_case *test_case)
{
    struct gm_fabric *fabric = g_new0(struct gm_fabric, 1);
    fabric->cluster = cluster;
    event_init(&fabric->stop, stop_event);
    fabric->config = scenario_section_values(test_case, "gm");
    fabric->hosts = cluster->host_count;
    fabric->cards = g_new0(struct gm_card, fabric->hosts);
    for (int host = 0; host < fabric->hosts; host++)
        card_init(&fabric->cards[host], fabric, host, test_case);
    return fabric;
}

void gm_fabric_free(struct gm_fabric *fabric)
{
    if (!fabric)
        return;
    for (int host = 0; host < fabric->hosts; host++) {
        struct gm_card *card = &fabric->cards[host];
        gm_connections_clear(card);
        gm_ports_clear(card);
        lanai_free(card->lanai);
        g_free(card->send_buffers);
        g_free(card->receive_buffers);
    }
    g_free(fabric->cards);
    g_free(fabric);
}

struct lanai *gm_fabric_card(const struct gm_fabric *fabric, int host)
{
    return fabric->cards[host].lanai;
}
