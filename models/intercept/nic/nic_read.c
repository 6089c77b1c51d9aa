// SPDX-License-Identifier: GPL-3.0-or-later
// The read engine: fetches packets from host memory, one at a time, for the TX-CBs of all virtual
// NICs and for VDMA, which take turns. A packet has a place in the queue of its plane before it is
// read, so that at most so many are in the card.
#include "models/intercept/nic/nic_internal.h"

#include "sim/core/fifo.h"

static const struct stage command_stage = {"TX-CB command", STAGE_BUS};

static void begin(struct intercept_nic *nic);

// Starts to read what the engine's source has: the command first, if it does not lie with the data.
static void fetch(struct intercept_nic *nic)
{
    struct nic_engine *engine = &nic->engine;
    const struct nic_request *request = &engine->request;
    bool command = request->command > 0 && !engine->commanded;
    int64_t bytes = command ? request->command : request->data;
    if (bytes == 0)
        engine_schedule(nic->sim->engine, &engine->event, sim_now(nic->sim));
    else
        bus_transfer(nic->bus, BUS_READ, bytes, &engine->event,
                     command ? &command_stage : engine->serving->bus_stage, request->message);
}

// The engine has chosen source and plane, and the plane has a place.
static void start(struct intercept_nic *nic)
{
    struct nic_engine *engine = &nic->engine;
    struct nic_source *source = engine->first;
    engine->first = source->next;
    source->listed = false;
    engine->serving = source;
    engine->commanded = false;
    engine->since = sim_now(nic->sim);
    nic_plane_take(engine->plane);
    fetch(nic);
}

// Goes on with the source whose turn it is, if the engine is idle.
static void begin(struct intercept_nic *nic)
{
    struct nic_engine *engine = &nic->engine;
    if (engine->serving || engine->waits || !engine->first)
        return;
    engine->first->first(engine->first, &engine->request);
    engine->plane = nic_plane_choose(nic, engine->request.to, engine->request.mask);
    if (!engine->plane)
        return;
    engine->waits = nic_plane_full(engine->plane);
    if (!engine->waits)
        start(nic);
}

static void append(struct nic_engine *engine, struct nic_source *source)
{
    source->listed = true;
    FIFO_APPEND(engine->first, engine->last, source, next);
}

static void read_ended(struct engine *unused, struct event *event)
{
    (void)unused;
    struct nic_engine *engine = container_of(event, struct nic_engine, event);
    struct intercept_nic *nic = container_of(engine, struct intercept_nic, engine);
    if (engine->request.command > 0 && !engine->commanded && engine->request.data > 0) {
        engine->commanded = true;
        fetch(nic);
        return;
    }
    struct nic_source *source = engine->serving;
    struct packet *packet;
    if (sim_now(nic->sim) > engine->since)
        trace_span(nic->sim->trace, engine->lane, source->stage, engine->since, sim_now(nic->sim),
                   engine->request.message);
    bool more = source->take(source, &packet);
    engine->serving = NULL;
    if (more && !source->listed)
        append(engine, source);
    nic_plane_send(engine->plane, packet, engine->request.to);
    begin(nic);
}

void nic_read(struct intercept_nic *nic, struct nic_source *source)
{
    struct nic_engine *engine = &nic->engine;
    if (!source->listed && engine->serving != source)
        append(engine, source);
    begin(nic);
}

void nic_read_on(struct intercept_nic *nic, const struct nic_plane *plane)
{
    struct nic_engine *engine = &nic->engine;
    if (!engine->waits || (engine->plane != plane && nic->config.striping == INTERCEPT_ROUND_ROBIN))
        return;
    engine->waits = false;
    if (nic->config.striping == INTERCEPT_ROUND_ROBIN)
        start(nic);
    else
        begin(nic);
}

void nic_read_init(struct intercept_nic *nic)
{
    event_init(&nic->engine.event, read_ended);
    nic->engine.lane = trace_lane_new(nic->sim->trace, nic->host->name, "NIC read engine");
}
