// SPDX-License-Identifier: GPL-3.0-or-later
// The VIA RPI as a device: parameters, lsra_advance, and its part of reports.
#include "models/via/lam_via/rpi.h"
#include "models/via/vip/process.h"

#define R struct rpi_config

static const char *const pin_structures[] = {
    [PIN_AVL] = "avl", [PIN_HASH] = "hash", [PIN_HYBRID] = "hybrid", NULL};

static const char *const pieces[] = {[RPI_PIECES_AS_DESCRIPTORS_GO] = "as_descriptors_go",
                                     [RPI_PIECES_ONE_BY_ONE] = "one_by_one",
                                     NULL};

static const struct param rpi_params[] = {
    PARAM(R, device, PARAM_STRING, .fallback = "/dev/via_eth0", .doc = "name of the VIA device",
          .source = "thesis 000, 5.2"),
    PARAM(R, tiny, PARAM_SIZE, .fallback = "16384 B", .most = "1 GiB",
          .doc = "longest tiny message", .source = "thesis 000, 5.2"),
    PARAM_AS(R, "short", short_limit, PARAM_SIZE, .fallback = "32768 B", .most = "1 GiB",
             .doc = "longest short message", .source = "thesis 000, 5.2"),
    PARAM(R, area, PARAM_SIZE, .fallback = "65536 B", .most = "1 GiB",
          .doc = "RDMA-able area for the messages of one peer", .source = "thesis 000, 5.2"),
    PARAM(R, rdescs, PARAM_COUNT, .fallback = "50", .least = "1", .most = "65536",
          .doc = "receive descriptors for each peer", .source = "thesis 000, 5.2"),
    PARAM(R, sdescs, PARAM_COUNT, .fallback = "10", .least = "2", .most = "65536",
          .doc = "send descriptors for each peer (a short message needs two)",
          .source = "thesis 000, 5.2"),
    PARAM(R, pieces, PARAM_CHOICE, .fallback = "one_by_one", .choices = pieces,
          .doc = "how many pieces of a long message's body are posted at a time",
          .source = "thesis 000, 4.7.3 and 4.8.2: the next when an earlier one has left; 4.5.3 and "
                    "5.2 can be read otherwise (docs/constants.md has what follows from either)",
          .chosen_for = "via.alltoall.deadlock_budget via.bcast.c2.degradation_threshold "
                        "via.pingpong.c2.large_reason"),
    PARAM(R, envelope, PARAM_SIZE, .fallback = "36 B", .least = "1 B", .most = "1 KiB",
          .doc = "an envelope", .source = "thesis 000, figure 4.13: nine words of IA-32"),
    PARAM(R, advance, PARAM_COST, .fallback = "400 cycles", .doc = "one turn of lsra_advance",
          .source = "prior: instructions"),
    PARAM(R, reenter, PARAM_COST, .fallback = "300 cycles",
          .doc =
              "LAM's layer: lsra_advance has returned because some request is done, but not what "
              "the call waits for, and is entered again",
          .source = "prior: instructions"),
    PARAM(R, start, PARAM_COST, .fallback = "900 cycles", .doc = "lsra_build and lsra_start",
          .source = "prior: instructions"),
    PARAM(R, send, PARAM_COST, .fallback = "500 cycles",
          .doc = "a send advance function, for each descriptor", .source = "prior: instructions"),
    PARAM(R, callback, PARAM_COST, .fallback = "300 cycles", .doc = "a send callback",
          .source = "prior: instructions"),
    PARAM(R, receive, PARAM_COST, .fallback = "800 cycles", .doc = "handling one receive event",
          .source = "prior: instructions"),
    PARAM_AS(
        R, "pin_structure", pins.structure, PARAM_CHOICE, .fallback = "avl",
        .choices = pin_structures,
        .doc =
            "the pin cache: a tree of areas, a table of start addresses, or the table in front of "
            "the tree",
        .source = "thesis 000, 4.6.3"),
    PARAM_AS(R, "pin_lookup", pins.lookup, PARAM_COST, .fallback = "300 cycles",
             .doc = "a search in the pin cache, without what it looks at",
             .source = "prior: instructions"),
    PARAM_AS(R, "pin_compare", pins.compare, PARAM_COST, .fallback = "60 cycles",
             .doc = "comparing two areas, at a node of the tree",
             .source = "prior: a call and two branches that nobody can predict"),
    PARAM_AS(R, "pin_hash", pins.hash, PARAM_COST, .fallback = "60 cycles",
             .doc = "hashing an address", .source = "prior: instructions"),
    PARAM_AS(R, "pin_probe", pins.probe, PARAM_COST, .fallback = "40 cycles",
             .doc = "looking at an entry of the table", .source = "prior: instructions"),
    PARAM_AS(R, "pin_buckets", pins.buckets, PARAM_COUNT, .fallback = "1021", .least = "1",
             .most = "1000000", .doc = "buckets of the table", .source = "assumed",
             .prior = "within 4"),
    PARAM(R, daemon_exchange, PARAM_DURATION, .fallback = "1 ms",
          .doc = "exchange of addresses over the LAM daemons at startup",
          .source = "assumed; before the program starts"),
    {0},
};

static void rpi_check(const void *values, const struct param_values *report)
{
    const struct rpi_config *config = values;
    if (config->tiny > config->short_limit)
        param_complain(report, "tiny", "tiny is the smaller class",
                       "the longest tiny message (%" G_GINT64_FORMAT
                       " B) is longer than the longest short one (%" G_GINT64_FORMAT " B)",
                       config->tiny, config->short_limit);
    if (config->short_limit > config->area)
        param_complain(report, "short", "the body of a short message goes through the area",
                       "the longest short message (%" G_GINT64_FORMAT
                       " B) is longer than the RDMA area (%" G_GINT64_FORMAT " B)",
                       config->short_limit, config->area);
    if (config->tiny + config->envelope > config->area)
        param_complain(report, "area", NULL,
                       "the RDMA area does not hold a tiny message with its envelope");
}

const struct param_table rpi_table =
    PARAM_TABLE(struct rpi_config, rpi_params, .name = "lam_via", .doc = "the VIA RPI of LAM/MPI",
                .check = rpi_check);

// Retries requests that wait for a descriptor, for pinned memory, or for both.
static bool retry_waiting(struct cpu_context *context, struct rpi_process *rpi)
{
    int owed = rpi->owed_acks;
    rpi->retry = false;
    for (int node = 0; rpi->owed_acks > 0 && node < rpi->nodes; node++)
        if (node != rpi->node)
            rpi_send_owed_acks(context, &rpi->procs[node]);
    bool sent = rpi_send_queue_run(context, rpi);
    return sent || rpi->owed_acks < owed;
}

// lsra_advance returns as soon as any request has ended, also one that the call does not wait for.
// LAM's layer enters it again until the call can return.
static enum mpi_progress leave(struct cpu_context *context, struct rpi_process *rpi, bool blocking)
{
    rpi->inside = false;
    if (!blocking)
        return PROGRESS_NOTHING;
    cpu_spend(context, rpi->config->reenter, &mpi_stage);
    return PROGRESS_EVENT;
}

// lsra_advance (4.5.3), one completed event per turn. VipCQWait if the call may block and nothing
// has ended yet, else VipCQDone.
static enum mpi_progress advance(struct cpu_context *context, struct mpi_process *process,
                                 bool blocking)
{
    struct rpi_process *rpi = rpi_process_of(process);
    struct vip_cq_entry entry;
    // Woken, the process is still inside VipCQWait: no new turn.
    if (!rpi->waiting)
        cpu_spend(context, rpi->config->advance, &rpi_stage);
    if (!rpi->inside)
        rpi->done = 0;
    rpi->inside = true;
    rpi->waiting = false;
    if (rpi->retry && retry_waiting(context, rpi))
        return PROGRESS_EVENT;
    bool waits = blocking && rpi->done == 0;
    bool any =
        waits ? vip_cq_wait(context, rpi->cq, &entry) : vip_cq_done(context, rpi->cq, &entry);
    rpi->waiting = !any && waits;
    if (!any)
        return waits ? PROGRESS_BLOCKED : leave(context, rpi, blocking);
    if (entry.receive)
        rpi_receive_event(context, rpi, entry.vi);
    else
        rpi_send_event(context, rpi, entry.vi);
    return PROGRESS_EVENT;
}

static json_t *describe_request(const struct mpi_request *request)
{
    static const char *const classes[] = {"tiny", "short", "long", "self"};
    const struct rpi_request *r = (const struct rpi_request *)(const void *)request->device;
    int64_t pinned = r->cq_packbufhand ? r->cq_packbufhand->end - r->cq_packbufhand->address : 0;
    json_t *json = json_pack("{s:I}", "pinned_bytes", (json_int_t)pinned);
    if (request->kind == REQUEST_SEND || request->machine.state != RPI_POSTED)
        json_object_set_new(json, "protocol", json_string(classes[r->class]));
    return json;
}

static json_t *describe_process(const struct mpi_process *process)
{
    const struct rpi_process *rpi = rpi_process_of(process);
    return json_pack("{s:I, s:I}", "pinned_bytes", (json_int_t)vip_pinned_bytes(rpi->nic),
                     "pin_limit_bytes", (json_int_t)vip_pin_limit(rpi->nic));
}

// LAM's layer as over TCP (models/mpi_tcp/lam_tcp.c); the RPI itself goes on while events are
// there.
static const struct mpi_progress_rule rpi_progress = {
    .library = "LAM/MPI 7, VIA RPI",
    .turn = "lsra_advance on one finished event",
    .source =
        "thesis 000, 4.5.3; of LAM's layer LAM/MPI 7: lamreqs.c 6.28 _mpi_req_advance, wait.c, "
        "waitany.c, lam_test, iprobe.c",
    .send = {MPI_TURNS},
    .receive = {MPI_TURNS},
    .test = {MPI_TURNS, MPI_LOOKS},
    .probe = {MPI_TURNS},
    .waits = MPI_WAITS_EXHAUST,
};

const struct mpi_device_ops rpi_ops = {
    .name = "VIA RPI",
    .arrival = &rpi_arrival,
    .longest = MPI_LONGEST_COUNT,
    .request_size = sizeof(struct rpi_request),
    .machine = &rpi_request_machine,
    .startup = rpi_startup,
    .startup_machine = &rpi_startup_machine,
    .finalize = vip_process_finalize,
    .start = rpi_start,
    .progress = &rpi_progress,
    .advance = advance,
    .destroy = rpi_destroy,
    .describe_request = describe_request,
    .describe_process = describe_process,
};
