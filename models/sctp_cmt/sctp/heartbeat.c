// SPDX-License-Identifier: GPL-3.0-or-later
// Heartbeats: their chunks, and when the next one is due (RFC 9260, 5.4, 8.3). A heartbeat timer
// alone keeps no run going.
#include "models/sctp_cmt/sctp/association.h"

#define INFO_BYTES 44 // of the BSD stack: time, two nonces, family, length, an address of 24 bytes
#define INFO_NONCE 8
#define INFO_FAMILY 16
#define INFO_ADDRESS 20
#define FAMILY_IPV4 2
#define IPV4_BYTES 16 // struct sockaddr_in
#define JITTER_MS 256 // of the BSD stack

static int64_t ticks_of(const struct sctp_association *association, sim_time time)
{
    return time / association->host->config->inet.tick;
}

static int64_t now_in_ticks(const struct cpu_context *context,
                            const struct sctp_association *association)
{
    return inet_ticks(association->host->inet, context->now);
}

// ---- Chunks ----

static uint32_t address_of(const struct sctp_path *path)
{
    const struct cluster *cluster = path->association->host->cluster;
    int host = network_station_host(cluster->network, path->remote);
    return inet_address(cluster->host_count, host, inet_subnet(cluster, path->remote));
}

static void put32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void write_info(const struct cpu_context *context, struct sctp_path *path, uint8_t *info)
{
    const struct sctp_association *association = path->association;
    sim_time time = now_in_ticks(context, association) * association->host->config->inet.tick;
    put32(info, (uint32_t)(time / TIME_S));
    put32(info + 4, (uint32_t)(time % TIME_S / TIME_US));
    put32(info + INFO_NONCE, (uint32_t)(path->nonce >> 32));
    put32(info + INFO_NONCE + 4, (uint32_t)path->nonce);
    info[INFO_FAMILY] = FAMILY_IPV4;
    info[INFO_FAMILY + 1] = IPV4_BYTES;
    info[INFO_ADDRESS] = IPV4_BYTES;
    info[INFO_ADDRESS + 1] = FAMILY_IPV4;
    put32(info + INFO_ADDRESS + 4, address_of(path));
}

void sctp_heartbeat_send(struct cpu_context *context, struct sctp_path *path)
{
    struct sctp_host *host = path->association->host;
    struct sctp_chunk *chunk = sctp_chunk_new(&host->pools, SCTP_HEARTBEAT, 0);
    while (path->nonce == 0)
        path->nonce = random_bits(host->random);
    chunk->bytes = sctp_bytes_new(&host->pools, 4 + INFO_BYTES);
    write_info(context, path, sctp_tlv_append(chunk->bytes, SCTP_HEARTBEAT_INFO, NULL, INFO_BYTES));
    chunk->length = (uint16_t)(SCTP_CHUNK_HEADER + chunk->bytes->length);
    path->heartbeat_out = true;
    path->last_sent = path->heartbeat_from = context->now;
    (*host->count.heartbeats)++;
    sctp_control_queue(path, chunk);
}

void sctp_heartbeat_arrived(struct cpu_context *context, struct sctp_association *association,
                            struct sctp_path *from, const struct sctp_chunk *chunk)
{
    (void)context;
    struct sctp_chunk *answer =
        sctp_chunk_new(&association->host->pools, SCTP_HEARTBEAT_ACK, chunk->flags);
    answer->bytes = chunk->bytes;
    if (answer->bytes)
        sctp_bytes_ref(answer->bytes);
    answer->length = chunk->length;
    sctp_control_queue(from, answer);
}

// ---- Systems ----

struct heartbeat_rule {
    void (*start)(struct cpu_context *context, struct sctp_association *association);
    // The path's state has changed; it is not PF.
    void (*rearm)(struct cpu_context *context, struct sctp_path *path);
    // A heartbeat was answered, and the state has not changed.
    void (*answered)(struct cpu_context *context, struct sctp_path *path);
};

void sctp_heartbeat_arm(struct cpu_context *context, struct sctp_path *path, int64_t ticks)
{
    const struct sctp_association *association = path->association;
    bool awaited =
        association->host->config->confirm_all && path->machine.state == SCTP_PATH_UNCONFIRMED;
    inet_timer_cancel(&path->heartbeat); // it may be of the other kind
    sctp_timer_arm(context, association, &path->heartbeat,
                   awaited ? SCTP_PATH_HEARTBEAT_AWAITED : SCTP_PATH_HEARTBEAT, path, ticks);
}

// ---- RFC 9260 and ns-2: a timer for each path ----

static int64_t rfc_period(const struct sctp_path *path)
{
    const struct sctp_association *association = path->association;
    double share = 0.5 + random_uniform(sctp_chance(association->host));
    return ticks_of(association, association->settings.heartbeat_interval) +
           (int64_t)(share * (double)path->rto.rto);
}

void sctp_heartbeat_period(struct cpu_context *context, struct sctp_path *path)
{
    inet_timer_cancel(&path->heartbeat);
    path->heartbeat_from = context->now;
    if (path->heartbeats || sctp_path_probed(path))
        sctp_heartbeat_arm(context, path, rfc_period(path));
}

// The next one is due a period after the last one.
static void rfc_answered(struct cpu_context *context, struct sctp_path *path)
{
    inet_timer_cancel(&path->heartbeat);
    if (path->heartbeats)
        sctp_heartbeat_arm(context, path,
                           path->heartbeat_due - now_in_ticks(context, path->association));
}

bool sctp_heartbeat_ns2_down(const struct sctp_path *path)
{
    return path->association->host->config->heartbeat_rule == SCTP_HEARTBEAT_NS2 &&
           path->machine.state == SCTP_PATH_INACTIVE && path->heartbeats;
}

static void ns2_rearm(struct cpu_context *context, struct sctp_path *path)
{
    if (sctp_heartbeat_ns2_down(path))
        sctp_heartbeat_again(context, path);
    else
        sctp_heartbeat_period(context, path);
}

void sctp_heartbeat_timed(struct cpu_context *context, struct sctp_path *path)
{
    sctp_heartbeat_send(context, path);
    path->heartbeat_due = now_in_ticks(context, path->association) + rfc_period(path);
    sctp_heartbeat_arm(context, path, path->rto.rto);
}

// The first of them at once, HB.Max.Burst per RTO.
static void rfc_start(struct cpu_context *context, struct sctp_association *association)
{
    int64_t burst = association->host->config->heartbeat_burst, count = 0;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        if (!sctp_path_probed(path)) {
            sctp_heartbeat_period(context, path);
            continue;
        }
        int64_t turn = burst > 0 ? count++ / burst : 0;
        if (turn == 0)
            sctp_heartbeat_send(context, path);
        sctp_heartbeat_arm(context, path, MAX(1, turn) * path->rto.rto);
    }
}

// ---- The BSD stack of 2007: one timer for the association ----

static int64_t s2007_period(struct sctp_association *association)
{
    const struct sctp_settings *settings = &association->settings;
    sim_time jitter = (sim_time)random_below(sctp_chance(association->host), JITTER_MS) * TIME_MS;
    return ticks_of(association,
                    settings->rto_initial + jitter +
                        (sctp_any_path_probed(association) ? 0 : settings->heartbeat_interval));
}

void sctp_heartbeats_arm(struct cpu_context *context, struct sctp_association *association)
{
    bool awaited = association->host->config->confirm_all && sctp_any_path_probed(association);
    inet_timer_cancel(&association->heartbeat); // it may be of the other kind
    sctp_timer_arm(context, association, &association->heartbeat,
                   awaited ? SCTP_HEARTBEATS_AWAITED : SCTP_HEARTBEATS, association,
                   s2007_period(association));
}

// HB.Max.Burst at once.
static void s2007_start(struct cpu_context *context, struct sctp_association *association)
{
    int64_t count = 0, burst = association->host->config->heartbeat_burst;
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        if (sctp_path_probed(path) && (burst == 0 || count++ < burst))
            sctp_heartbeat_send(context, path);
    }
    sctp_heartbeats_arm(context, association);
}

// The path's own timer is for PF.
static void s2007_rearm(struct cpu_context *context, struct sctp_path *path)
{
    (void)context;
    inet_timer_cancel(&path->heartbeat);
}

static void s2007_answered(struct cpu_context *context, struct sctp_path *path)
{
    (void)context;
    (void)path;
}

// ---- The switch ----

static const struct heartbeat_rule heartbeat_rules[] = {
    [SCTP_HEARTBEAT_RFC] = {rfc_start, sctp_heartbeat_period, rfc_answered},
    [SCTP_HEARTBEAT_S2007] = {s2007_start, s2007_rearm, s2007_answered},
    [SCTP_HEARTBEAT_NS2] = {rfc_start, ns2_rearm, rfc_answered},
};

static const struct heartbeat_rule *heartbeat_rule_of(const struct sctp_association *association)
{
    return &heartbeat_rules[association->host->config->heartbeat_rule];
}

void sctp_heartbeats_start(struct cpu_context *context, struct sctp_association *association)
{
    bool all = association->host->config->confirm_all;
    for (int i = 0; i < association->path_count; i++) {
        association->paths[i].probing = true;
        if (all && association->paths[i].machine.state == SCTP_PATH_ACTIVE)
            sctp_path_enter(context, &association->paths[i], SCTP_PATH_UNCONFIRMED,
                            "to be confirmed by a heartbeat");
    }
    heartbeat_rule_of(association)->start(context, association);
}

void sctp_heartbeats_stop(struct sctp_association *association)
{
    inet_timer_cancel(&association->heartbeat);
    for (int i = 0; i < association->path_count; i++) {
        association->paths[i].probing = false;
        inet_timer_cancel(&association->paths[i].heartbeat);
    }
}

void sctp_heartbeat_rearm(struct cpu_context *context, struct sctp_path *path)
{
    path->heartbeat_out = false; // one that is out belongs to the state before
    if (!path->probing)
        return;
    if (path->machine.state == SCTP_PATH_PF)
        inet_timer_cancel(&path->heartbeat);
    else
        heartbeat_rule_of(path->association)->rearm(context, path);
}

void sctp_heartbeat_again(struct cpu_context *context, struct sctp_path *path)
{
    sctp_heartbeat_send(context, path);
    sctp_heartbeat_arm(context, path, path->rto.rto);
}

void sctp_heartbeat_next(struct cpu_context *context, struct sctp_path *path)
{
    heartbeat_rule_of(path->association)->answered(context, path);
}

// ---- Answers ----

static struct sctp_path *answered_path(const struct sctp_association *association,
                                       const uint8_t *info)
{
    uint64_t nonce = (uint64_t)sctp_get32(info + INFO_NONCE) << 32 | sctp_get32(info + 12);
    for (int i = 0; i < association->path_count; i++) {
        struct sctp_path *path = &association->paths[i];
        if (path->nonce == nonce && nonce != 0 &&
            address_of(path) == sctp_get32(info + INFO_ADDRESS + 4))
            return path;
    }
    return NULL;
}

struct sctp_path *sctp_heartbeat_answered(const struct cpu_context *context,
                                          const struct sctp_association *association,
                                          const struct sctp_chunk *chunk, int64_t *took)
{
    struct sctp_tlv tlv;
    uint32_t at = 0;
    if (!chunk->bytes || !sctp_tlv_next(chunk->bytes, &at, &tlv) || !tlv.sound ||
        tlv.type != SCTP_HEARTBEAT_INFO || tlv.value_length < INFO_BYTES)
        return NULL;
    sim_time sent = sctp_get32(tlv.value) * TIME_S + sctp_get32(tlv.value + 4) * TIME_US;
    *took = now_in_ticks(context, association) - ticks_of(association, sent);
    return answered_path(association, tlv.value);
}
