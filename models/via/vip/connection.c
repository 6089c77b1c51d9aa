// SPDX-License-Identifier: GPL-3.0-or-later
// The connection manager: peer-to-peer connections. Both sides ask with the same discriminator; a
// side is connected once it has asked and the other's request has come. A request is repeated until
// then (mvia.connect_retry); that is assumed.
//
// Not modelled: an acknowledgment of the last answer. If the network loses that answer, the other
// side connects with its next request, and discards data that arrive earlier.
#include "models/via/vip/provider.h"

// The VI of a program that ends is disconnected once more after its peer's.
static const struct machine_state vi_states[] = {
    [VIP_IDLE] = {"idle", .next = MACHINE_TO(VIP_CONNECT_PENDING)},
    [VIP_CONNECT_PENDING] = {"connect_pending",
                             {"the peer's request", WAIT_ACK},
                             HELD_BY_PEER,
                             .next = MACHINE_TO(VIP_CONNECTED, VIP_DISCONNECTED)},
    [VIP_CONNECTED] = {"connected", .next = MACHINE_TO(VIP_ERROR, VIP_DISCONNECTED)},
    [VIP_ERROR] = {"error", .next = MACHINE_TO(VIP_DISCONNECTED)},
    [VIP_DISCONNECTED] = {"disconnected", .next = MACHINE_TO(VIP_DISCONNECTED)},
};

const struct machine_kind vip_vi_machine = {
    .name = "vi",
    .title = "Virtual interface",
    .source = "VIA specification 1.0: states of a VI",
    .states = vi_states,
    .count = G_N_ELEMENTS(vi_states),
};

void vip_enter(struct vip_vi *vi, enum vip_vi_state state, sim_time when, const char *event)
{
    const struct vip_nic *nic = vi->nic;
    machine_enter(&vip_vi_machine, &vi->machine, state,
                  (struct machine_owner){.where = nic->name, .subject = vi->number}, event,
                  nic->sim->trace, cpu_lane(nic->task->cpu), when);
}

const char *vip_vi_state_name(const struct vip_vi *vi)
{
    return machine_state_name(&vip_vi_machine, &vi->machine);
}

static void send_request(struct vip_vi *vi, bool answer)
{
    struct via_frame frame = {
        .type = VIA_CONNECT,
        .answer = answer,
        .source_vi = vi->number,
        .discriminator = vi->discriminator,
    };
    vip_device_control(vi->nic->agent, vi->remote_station, &frame);
}

// Returns the part of a sentence on packets that the network has dropped in both directions.
// The caller frees it.
static char *drops_text(const struct vip_vi *vi)
{
    const struct vip_agent *agent = vi->nic->agent;
    char *text = network_describe_drops(agent->cluster->network, vip_agent_station(agent),
                                        vi->remote_station);
    return text ? text : g_strdup("no packet was dropped on the way, so nobody asks there");
}

// VipConnectPeerWait returns VIP_TIMEOUT, at which the programs end.
static void give_up(struct vip_vi *vi)
{
    const struct vip_agent *agent = vi->nic->agent;
    struct cluster *cluster = agent->cluster;
    const char *peer =
        cluster->hosts[network_station_host(cluster->network, vi->remote_station)]->name;
    char *drops = drops_text(vi);
    int64_t requests = vi->requests - 1;
    sim_fail(agent->sim, SIM_FAILED, "connection_timeout",
             json_pack("{s:s, s:s, s:I, s:s, s:s}", "host", vi->nic->host->name, "peer", peer,
                       "requests", requests, "dropped", drops, "setting", "mvia.connect_timeout"),
             "%s's VI %u gave up its connection to %s: %" G_GINT64_FORMAT
             " request%s in %g s had no answer (mvia.connect_timeout allows more); %s",
             vi->nic->name, vi->number, peer, requests, requests == 1 ? "" : "s",
             time_to_s(vi->nic->config->connect_timeout), drops);
    g_free(drops);
}

static void retry_event(struct engine *engine, struct event *event)
{
    struct vip_vi *vi = container_of(event, struct vip_vi, retry);
    const struct mvia_config *config = vi->nic->config;
    sim_time now = engine_now(engine), again = now + config->connect_retry;
    if (vi->requests++ == 0)
        vi->asked_at = now;
    sim_time end = vi->asked_at + config->connect_timeout;
    bool pending = vi->machine.state == VIP_CONNECT_PENDING, bounded = config->connect_timeout > 0;
    if (pending && bounded && now >= end) {
        give_up(vi);
        return;
    }
    send_request(vi, vi->peer_asked);
    if (pending)
        engine_schedule(engine, &vi->retry, bounded ? MIN(again, end) : again);
}

static void vi_connect(struct vip_vi *vi, uint32_t remote_number, sim_time when)
{
    vi->remote_number = remote_number;
    vi->peer_asked = true;
    if (vi->machine.state == VIP_CONNECT_PENDING)
        vip_enter(vi, VIP_CONNECTED, when, NULL);
}

void vip_connect_peer_request(struct cpu_context *context, struct vip_vi *vi, int remote_station,
                              uint64_t discriminator)
{
    struct vip_agent *agent = vi->nic->agent;
    cpu_spend(context, vi->nic->host->config.kernel.system_call, &stage_trap);
    cpu_spend_for(context, vi->nic->config->send_setup, &vip_agent_stage, MESSAGE_NONE);
    cpu_spend_for(context, vi->nic->config->send_frame, &vip_agent_stage, MESSAGE_NONE);
    vi->remote_station = remote_station;
    vi->discriminator = discriminator;
    vi->requests = 0;
    vi->route = network_route(agent->cluster->network, vip_agent_station(agent), remote_station);
    vip_enter(vi, VIP_CONNECT_PENDING, context->now, NULL);
    g_hash_table_add(agent->asked, &vi->discriminator);
    uint32_t *early = g_hash_table_lookup(agent->unmatched, &discriminator);
    if (early)
        vi_connect(vi, *early, context->now);
    g_hash_table_remove(agent->unmatched, &discriminator);
    // The first request goes out at the handler's now; a pending one is repeated from there.
    cpu_post(context, &vi->retry);
}

bool vip_connect_peer_wait(struct cpu_context *context, struct vip_vi *vi)
{
    cpu_spend(context, vi->nic->host->config.kernel.system_call, &stage_trap);
    if (vi->machine.state == VIP_CONNECTED)
        return true;
    cpu_spend(context, vi->nic->host->config.kernel.block_process, &stage_block);
    vi->connect_waiter = vi->nic->task;
    return false;
}

void vip_disconnect(struct cpu_context *context, struct vip_vi *vi)
{
    struct via_frame frame = {
        .type = VIA_DISCONNECT,
        .source_vi = vi->number,
        .destination_vi = vi->remote_number,
    };
    cpu_spend(context, vi->nic->host->config.kernel.system_call, &stage_trap);
    if (vi->machine.state == VIP_CONNECTED)
        vip_device_control(vi->nic->agent, vi->remote_station, &frame);
    engine_cancel(vi->nic->sim->engine, &vi->retry);
    vip_enter(vi, VIP_DISCONNECTED, context->now, NULL);
}

static void connect_frame(struct cpu_context *context, struct vip_agent *agent,
                          const struct via_frame *frame)
{
    uint64_t *asked = g_hash_table_lookup(agent->asked, &frame->discriminator);
    if (!asked) {
        uint64_t *key = g_memdup2(&frame->discriminator, sizeof frame->discriminator);
        g_hash_table_insert(agent->unmatched, key,
                            g_memdup2(&frame->source_vi, sizeof frame->source_vi));
        return;
    }
    struct vip_vi *vi = container_of(asked, struct vip_vi, discriminator);
    bool pending = vi->machine.state == VIP_CONNECT_PENDING;
    vi_connect(vi, frame->source_vi, context->now);
    if (pending)
        engine_cancel(agent->sim->engine, &vi->retry);
    if (!frame->answer)
        send_request(vi, true);
    if (vi->connect_waiter)
        cpu_post_wake(context, vi->connect_waiter);
    vi->connect_waiter = NULL;
}

void vip_connection_frame(struct cpu_context *context, struct vip_agent *agent,
                          const struct packet *packet, const struct via_frame *frame)
{
    (void)packet;
    if (frame->type == VIA_CONNECT) {
        connect_frame(context, agent, frame);
        return;
    }
    if (frame->destination_vi == 0 || frame->destination_vi > agent->vis->len)
        return;
    struct vip_vi *vi = g_ptr_array_index(agent->vis, frame->destination_vi - 1);
    if (vi->machine.state == VIP_CONNECTED)
        vip_enter(vi, VIP_DISCONNECTED, context->now, NULL);
}

void vip_connection_init(struct vip_vi *vi)
{
    event_init(&vi->retry, retry_event);
}
