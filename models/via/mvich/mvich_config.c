// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/via/mvich/mvich.h"

#define M struct mvich_config

// Where a value is named after "MVAPICH", it is the default of the device that MVICH became, for
// send/receive without a shared receive queue (MVAPICH 1.2, viaparam.c, ibverbs_const.h); the names
// are the same there.
#define DESCENDANT "prior: MVAPICH 1.2, viaparam.c"

// How MVICH waits. MVICH 1.0's source was not found (looked in GitHub, the stored pages of
// ftg.lbl.gov and papers on MVICH); the file of its descendant keeps LBNL's copyright of 1999 to
// 2001 and the comment. Its effect on these claims was known before the values were changed.
#define WAITING                                                                                    \
    "MVAPICH 1.2RC1 (grondo/mvapich-cce 07401b8), mpid/ch_gen2/viacheck.c 62-79, under LBNL's "    \
    "copyright of MVICH: the blocking form spins for a short time and then waits on the "          \
    "completion queue; 275, 518: MPID_DeviceCheck; MVICH's own source was not found"
#define WAITING_CLAIMS                                                                             \
    "via.pingpong.c1.bandwidth_best via.goal.performance via.pingpong.c1.two_exceptions "          \
    "via.pingpong.c2.large_reason"

static const char *const waits[] = {[MVICH_POLL] = "poll", [MVICH_SPIN_WAIT] = "spin_wait", NULL};

static const char *const protocols[] = {"r3", "rput", NULL};

static const struct param mvich_params[] = {
    PARAM(M, rendezvous_threshold, PARAM_SIZE, .fallback = "5000 B", .most = "1 GiB",
          .doc = "from this length on, messages go by rendezvous",
          .source = "prior: MVICH's switch is seen near 5000 B in publications; thesis 000, 6.3.2: "
                    "it wins up to 4096 B, not at 8192 B",
          .chosen_for = "via.pingpong.c1.window_mvich_faster via.pingpong.c1.two_exceptions",
          .prior = "4200 B .. 8000 B"),
    PARAM(M, r3_threshold, PARAM_SIZE, .fallback = "2048 B", .most = "1 GiB",
          .doc = "rendezvous of messages shorter than this goes by R3",
          .source = DESCENDANT ", viadev_r3_threshold", .prior = "1 KiB .. 4 KiB"),
    PARAM(M, rendezvous_protocol, PARAM_CHOICE, .fallback = "rput", .choices = protocols,
          .doc = "rendezvous of all others, if their buffers can be registered",
          .source = DESCENDANT ", viadev_rndv_protocol", .prior = "or r3: 0.2"),
    PARAM(M, vbuf, PARAM_SIZE, .fallback = "1920 B", .least = "128 B", .most = "1 MiB",
          .doc = "one vbuf, with the packet's header",
          .source =
              "prior: about 120 KB of vbufs for each VI in publications on MVICH, taken as 64",
          .prior = "within 1.1"),
    PARAM(M, vbuf_pool, PARAM_COUNT, .fallback = "512", .least = "1", .most = "1000000",
          .doc = "vbufs at the start", .source = DESCENDANT ", viadev_vbuf_pool_size"),
    PARAM(M, vbuf_secondary_pool, PARAM_COUNT, .fallback = "128", .least = "1", .most = "1000000",
          .doc = "vbufs that are added when all are in use",
          .source = DESCENDANT ", viadev_vbuf_secondary_pool_size"),
    PARAM(M, vbuf_most, PARAM_COUNT, .fallback = "0", .most = "1000000",
          .doc = "vbufs in all; 0: no limit", .source = DESCENDANT ", viadev_vbuf_max"),
    PARAM(M, prepost_depth, PARAM_COUNT, .fallback = "64", .least = "1", .most = "10000",
          .doc = "vbufs posted as receives on each VI, a credit each",
          .source = DESCENDANT ", viadev_prepost_depth"),
    PARAM(M, prepost_rendezvous_extra, PARAM_COUNT, .fallback = "32", .most = "10000",
          .doc = "vbufs posted beyond that for R3 data that have been asked for",
          .source = DESCENDANT ": as many as prepost_depth"),
    PARAM(M, prepost_noop_extra, PARAM_COUNT, .fallback = "20", .least = "1", .most = "10000",
          .doc = "vbufs posted beyond that for NOOPs, which take no credit",
          .source = "prior: as many NOOPs as can return all credits; 8 in MVAPICH 1.2"),
    PARAM(M, credit_preserve, PARAM_COUNT, .fallback = "10", .least = "1", .most = "10000",
          .doc = "credits that eager and R3 data leave to control packets",
          .source = DESCENDANT ", viadev_credit_preserve"),
    PARAM(M, credit_notify_threshold, PARAM_COUNT, .fallback = "5", .least = "1", .most = "10000",
          .doc = "credits to be returned to a peer that is short of them before a NOOP is sent",
          .source = DESCENDANT ", viadev_credit_notify_threshold"),
    PARAM(M, dynamic_credit_threshold, PARAM_COUNT, .fallback = "32", .least = "1", .most = "10000",
          .doc = "... to any other peer",
          .source = "prior: half of prepost_depth; MVAPICH 1.2 computes it from that"),
    PARAM(M, header, PARAM_SIZE, .fallback = "16 B", .least = "1 B", .most = "256 B",
          .doc = "a packet's header: type, number, credits, source",
          .source = "prior: fields of MVAPICH 1.2, viapacket.h, in words of IA-32"),
    PARAM(M, envelope, PARAM_SIZE, .fallback = "16 B", .least = "1 B", .most = "256 B",
          .doc = "an envelope: context, tag, length, source",
          .source = "prior: fields of MVAPICH 1.2, viapacket.h, in words of IA-32"),
    PARAM(M, dreg_entries, PARAM_COUNT, .fallback = "1000", .least = "1", .most = "1000000",
          .doc = "areas that stay registered at most",
          .source = DESCENDANT ", viadev_ndreg_entries"),
    PARAM(M, dreg_limit, PARAM_SIZE, .fallback = "0 B",
          .doc = "bytes that stay registered at most; 0: as many as can be pinned",
          .source = DESCENDANT ", viadev_dreg_cache_limit"),
    PARAM(M, dreg_buckets, PARAM_COUNT, .fallback = "128", .least = "1", .most = "1000000",
          .doc = "buckets of the registration cache's hash table", .source = "assumed",
          .prior = "within 4"),
    PARAM(M, wait, PARAM_CHOICE, .fallback = "spin_wait", .choices = waits,
          .doc = "what a blocking call does while nothing comes: poll for ever; or spin so often, "
                 "then sleep, which needs a completion queue or a single VI",
          .source = WAITING, .chosen_for = WAITING_CLAIMS),
    PARAM(M, spin, PARAM_COUNT, .fallback = "5000", .most = "1000000000",
          .doc = "turns of the loop before it sleeps",
          .source = "chosen: MVAPICH 1.2RC1 (grondo/mvapich-cce 07401b8), mpid/ch_gen2/viaparam.c "
                    "323-333 and VIADEV_MAX_SPIN_COUNT; MVICH's own count was not found",
          .chosen_for = WAITING_CLAIMS),
    PARAM(M, completion_queue, PARAM_BOOL, .fallback = "true",
          .doc = "one completion queue for all VIs; false: their own queues, polled in turn",
          .source = WAITING, .chosen_for = WAITING_CLAIMS),
    PARAM(M, check, PARAM_COST, .fallback = "300 cycles", .doc = "entering MPID_DeviceCheck",
          .source = "prior: instructions"),
    PARAM(M, start, PARAM_COST, .fallback = "500 cycles",
          .doc = "start of a send or receive: the choice of the protocol",
          .source = "prior: instructions"),
    PARAM(M, packet, PARAM_COST, .fallback = "400 cycles",
          .doc = "getting a vbuf and filling in a packet's header",
          .source = "prior: instructions"),
    PARAM(M, receive, PARAM_COST, .fallback = "600 cycles",
          .doc = "handling a packet: header, credits, dispatch", .source = "prior: instructions"),
    PARAM(M, sent, PARAM_COST, .fallback = "200 cycles", .doc = "handling a completed send",
          .source = "prior: instructions"),
    PARAM(M, dreg_hash, PARAM_COST, .fallback = "60 cycles",
          .doc = "registration cache: hashing an address", .source = "prior: instructions"),
    PARAM(M, dreg_probe, PARAM_COST, .fallback = "40 cycles",
          .doc = "registration cache: looking at one entry", .source = "prior: instructions"),
    {0},
};

static void mvich_check_config(const void *values, const struct param_values *report)
{
    const struct mvich_config *config = values;
    // 20000 at most, by the table: 16 bits count them.
    int64_t credits = config->prepost_depth + config->prepost_rendezvous_extra;
    // It has the longest header: where it has room, an eager message has some for data.
    if (mvich_vbuf_room(config, MVICH_RENDEZVOUS_START) < 0)
        param_complain(report, "vbuf", NULL,
                       "a vbuf of %" G_GINT64_FORMAT " B has no room behind the header",
                       config->vbuf);
    if (config->prepost_depth < config->credit_preserve + config->credit_notify_threshold)
        param_complain(report, "prepost_depth",
                       "at least credit_preserve and credit_notify_threshold together",
                       "%" G_GINT64_FORMAT " credits: a peer that has used all but those it "
                       "preserves would never get one back",
                       config->prepost_depth);
    if (config->prepost_noop_extra * config->credit_notify_threshold < credits)
        param_complain(report, "prepost_noop_extra",
                       "prepost_depth and prepost_rendezvous_extra, divided by "
                       "credit_notify_threshold",
                       "%" G_GINT64_FORMAT " vbufs don't hold all NOOPs that can come at once",
                       config->prepost_noop_extra);
}

const struct param_table mvich_table =
    PARAM_TABLE(struct mvich_config, mvich_params, .name = "mvich",
                .doc = "MVICH: the VIA device of MPICH", .check = mvich_check_config);

int64_t mvich_packet_header_bytes(const struct mvich_config *config, enum mvich_packet_type type)
{
    const int64_t word = 4; // of IA-32: lengths, addresses, handles
    switch (type) {
    case MVICH_EAGER_START: // bytes in this packet
        return config->header + config->envelope + word;
    case MVICH_EAGER_NEXT:
        return config->header + word;
    case MVICH_RENDEZVOUS_START: // address, handle, length, request, protocol
        return config->header + config->envelope + 5 * word;
    case MVICH_RENDEZVOUS_REPLY: // address, handle, two requests, protocol
        return config->header + 5 * word;
    case MVICH_R3_DATA: // bytes in this packet, request
        return config->header + 2 * word;
    case MVICH_RPUT_FINISH: // request
        return config->header + word;
    case MVICH_NOOP:
        return config->header;
    }
    return config->header;
}

int64_t mvich_vbuf_room(const struct mvich_config *config, enum mvich_packet_type type)
{
    return config->vbuf - mvich_packet_header_bytes(config, type);
}

static int64_t ceiling(int64_t amount, int64_t unit)
{
    return (amount + unit - 1) / unit;
}

int64_t mvich_vbufs_needed(const struct mvich_config *config, int64_t length,
                           enum mvich_protocol protocol)
{
    int64_t first = mvich_vbuf_room(config, MVICH_EAGER_START);
    switch (protocol) {
    case MVICH_EAGER:
        return 1 + (length <= first
                        ? 0
                        : ceiling(length - first, mvich_vbuf_room(config, MVICH_EAGER_NEXT)));
    case MVICH_R3:
        return MAX(1, ceiling(length, mvich_vbuf_room(config, MVICH_R3_DATA)));
    case MVICH_RPUT:
    case MVICH_SELF:
        break;
    }
    return 0;
}
