// SPDX-License-Identifier: GPL-3.0-or-later
// Open MPI as a device of sim/mpi: start, reports, and the calls of the BTL.
#include "models/openmpi/openmpi.h"

// ---- Reports ----

static json_t *rail_json(const struct btl_endpoint *endpoint)
{
    json_t *json = json_pack("{s:i, s:s}", "card", endpoint->card, "connection",
                             machine_state_name(&btl_machine, &endpoint->machine));
    if (endpoint->socket)
        json_object_set_new(json, "socket", tcp_socket_describe(endpoint->socket));
    return json;
}

// A connection that is not there yet is what a send waits for first.
static const struct btl_endpoint *unconnected(const struct mpi_request *request)
{
    const struct bml_peer *peer = openmpi_request_of(request)->peer;
    bool writes =
        request->machine.state == OPENMPI_SEND_EAGER || request->machine.state == OPENMPI_SEND_RTS;
    for (int i = 0; writes && i < peer->count; i++)
        if (peer->endpoints[i].queue && peer->endpoints[i].machine.state != BTL_CONNECTED)
            return &peer->endpoints[i];
    return NULL;
}

static json_t *describe_request(const struct mpi_request *request)
{
    const struct openmpi_request *r = openmpi_request_of(request);
    json_t *json = json_object();
    if (!r->peer)
        return json;
    json_t *rails = json_array();
    for (int i = 0; i < r->peer->count; i++)
        json_array_append_new(rails, rail_json(&r->peer->endpoints[i]));
    json_object_set_new(json, "rails", rails);
    const struct btl_endpoint *waits = unconnected(request);
    if (waits)
        json_object_set_new(json, "waits_for",
                            json_sprintf("the connection to rank %d over card %d (%s)",
                                         r->peer->rank, waits->card,
                                         machine_state_name(&btl_machine, &waits->machine)));
    return json;
}

static void report_early(json_t *waits, const struct bml_peer *peer)
{
    for (const struct pml_flow *flow = peer->flows; flow; flow = flow->next) {
        int count = 0;
        for (const struct pml_early *early = flow->early; early; early = early->next)
            count++;
        if (count > 0)
            json_array_append_new(waits, json_sprintf("%d of rank %d's messages wait for one that "
                                                      "was sent before them",
                                                      count, peer->rank));
    }
}

static json_t *describe_process(const struct mpi_process *process)
{
    const struct openmpi_process *ompi = openmpi_of(process);
    json_t *waits = json_array();
    for (int rank = 0; rank < process->ranks; rank++)
        if (ompi->peers[rank])
            report_early(waits, ompi->peers[rank]);
    if (ompi->leaving && !ompi->job->finalized)
        json_array_append_new(waits, json_sprintf("MPI_Finalize: waits for %d other processes",
                                                  process->ranks - ompi->job->leaving));
    return json_pack("{s:o}", "waits", waits);
}

// ---- Start ----

static const struct mpi_arrival_ops openmpi_arrival = {
    .send = pml_send,
    .posted = OPENMPI_POSTED,
    .waits_self = OPENMPI_WAIT_SELF,
    .done = OPENMPI_DONE,
    .claim = pml_claim,
    .buffers_self = mpi_buffers_plain,
    .machine = "unexpected",
    .self = "self",
};

static void start_request(struct cpu_context *context, struct mpi_request *request)
{
    struct openmpi_process *ompi = openmpi_of(request->process);
    cpu_spend_for(context, ompi->config->start, &openmpi_stage, request->message);
    ompi->wrote = false;
    mpi_matched_start(context, request);
}

static const struct mpi_progress_rule openmpi_progress = {
    .library = "Open MPI 1.2.1",
    .turn = "opal_progress: polls, and handles what is ready, until a poll finds nothing",
    .source = "Open MPI 1.2.1: pml_ob1_isend.c 54-79, pml_ob1_irecv.c 46-68, req_wait.c 25-267, "
              "req_test.c 26-89, pml_ob1_iprobe.c 24-50, opal_progress.c 236-305, event.c 518-605",
    .test = {MPI_LOOKS, MPI_TURN, MPI_LOOKS},
    .probe = {MPI_LOOKS, MPI_TURN},
    .waits = MPI_WAITS_LEAVE,
};

const struct mpi_device_ops openmpi_ops = {
    .name = "Open MPI",
    .arrival = &openmpi_arrival,
    .request_size = sizeof(struct openmpi_request),
    .machine = &openmpi_request_machine,
    .startup = openmpi_startup,
    .finalize = openmpi_finalize,
    .start = start_request,
    .progress = &openmpi_progress,
    .go_on = openmpi_go_on,
    .advance = openmpi_advance,
    .describe_request = describe_request,
    .describe_process = describe_process,
};

const struct btl_user openmpi_btl_user = {.sent = pml_sent, .arrived = pml_arrived};
