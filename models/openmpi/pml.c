// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/openmpi/openmpi.h"

const struct stage openmpi_stage = {"Open MPI", STAGE_LIBRARY};

static const struct machine_state openmpi_states[] = {
    [OPENMPI_START] = {"start",
                       {"its start", WAIT_OTHER},
                       HELD_HERE,
                       .next = MACHINE_TO(OPENMPI_SEND_EAGER) | MACHINE_TO(OPENMPI_SEND_RTS) |
                               MACHINE_TO(OPENMPI_POSTED) | MACHINE_TO(OPENMPI_WAIT_FRAGMENTS) |
                               MACHINE_TO(OPENMPI_WAIT_PUT) | MACHINE_TO(OPENMPI_WAIT_SELF) |
                               MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_SEND_EAGER] = {"send_eager",
                            {"room in the socket for its eager fragment", WAIT_BUFFER},
                            HELD_BY_PEER,
                            .next = MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_SEND_RTS] = {"send_rts",
                          {"room in the socket for its RTS", WAIT_BUFFER},
                          HELD_BY_PEER,
                          .next = MACHINE_TO(OPENMPI_WAIT_ACK)},
    [OPENMPI_WAIT_ACK] = {"wait_ack",
                          {"the receiver's answer to its RTS", WAIT_ACK},
                          HELD_BY_PEER,
                          .next = MACHINE_TO(OPENMPI_SEND_FRAGMENTS) |
                                  MACHINE_TO(OPENMPI_SEND_PUT) | MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_SEND_FRAGMENTS] = {"send_fragments",
                                {"room in the socket for its fragments", WAIT_BUFFER},
                                HELD_BY_PEER,
                                .next = MACHINE_TO(OPENMPI_WAIT_REQUESTS) |
                                        MACHINE_TO(OPENMPI_SEND_PUT) | MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_WAIT_REQUESTS] = {"wait_requests",
                               {"the receiver's requests to PUT the rest", WAIT_ACK},
                               HELD_BY_PEER,
                               .next = MACHINE_TO(OPENMPI_SEND_PUT)},
    [OPENMPI_SEND_PUT] = {"send_put",
                          {"room in the socket for the data of its PUTs", WAIT_BUFFER},
                          HELD_BY_PEER,
                          .next = MACHINE_TO(OPENMPI_WAIT_REQUESTS) |
                                  MACHINE_TO(OPENMPI_SEND_FRAGMENTS) | MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_POSTED] = {"posted",
                        {"a matching message", WAIT_OTHER},
                        HELD_BY_PEER,
                        .next = MACHINE_TO(OPENMPI_WAIT_FRAGMENTS) | MACHINE_TO(OPENMPI_WAIT_PUT) |
                                MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_WAIT_FRAGMENTS] = {"wait_fragments",
                                {"the rest of its fragments", WAIT_OTHER},
                                HELD_BY_PEER,
                                .next = MACHINE_TO(OPENMPI_WAIT_PUT) | MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_WAIT_PUT] = {"wait_put",
                          {"the data of its PUTs", WAIT_OTHER},
                          HELD_BY_PEER,
                          .next = MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_WAIT_SELF] = {"wait_self",
                           {"a matching receive of its own", WAIT_OTHER},
                           HELD_HERE,
                           .next = MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_DONE] = {"done", {"nothing", WAIT_OTHER}, HELD_HERE},
};

const struct machine_kind openmpi_request_machine = {
    .name = "openmpi request",
    .logged = "send, recv, probe",
    .title = "Request of Open MPI's PML ob1",
    .source = "Open MPI, ompi/mca/pml/ob1: pml_ob1_sendreq.c, pml_ob1_recvreq.c",
    .states = openmpi_states,
    .count = G_N_ELEMENTS(openmpi_states),
};

// ---- Messages between two processes ----

struct pml_flow *pml_flow_of(struct bml_peer *peer, int context)
{
    int group = mpi_context_group(context);
    struct pml_flow **at = &peer->flows;
    while (*at && (*at)->group != group)
        at = &(*at)->next;
    if (!*at) {
        *at = g_new0(struct pml_flow, 1);
        (*at)->group = group;
    }
    return *at;
}

void pml_flows_free(struct bml_peer *peer)
{
    while (peer->flows) {
        struct pml_flow *flow = peer->flows;
        peer->flows = flow->next;
        g_free(flow);
    }
}

struct mpi_request *pml_find(const struct mpi_process *process, enum mpi_request_kind kind,
                             struct message_ref message)
{
    for (struct mpi_request *at = process->active; at; at = at->active_next)
        if (at->kind == kind && message_same(at->message, message))
            return at;
    return NULL;
}

// ---- Traces and reports ----

void pml_trace(const struct cpu_context *context, struct mpi_request *request, const char *what,
               int64_t bytes, int64_t offset, const struct btl_endpoint *endpoint)
{
    char detail[96];
    if (!request->process->sim->trace)
        return;
    g_snprintf(detail, sizeof detail,
               "%" G_GINT64_FORMAT " B from %" G_GINT64_FORMAT " on, card %d", bytes, offset,
               endpoint->card);
    mpi_trace(context, request, mpi_request_state(request)->name, what, detail);
}

void pml_enter(struct cpu_context *context, struct mpi_request *request, unsigned state)
{
    if (request->machine.state != state)
        mpi_enter(context, request, state, NULL);
}

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

json_t *pml_describe_request(const struct mpi_request *request)
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

json_t *pml_describe_process(const struct mpi_process *process)
{
    const struct openmpi_process *ompi = openmpi_of(process);
    json_t *waits = json_array();
    for (int rank = 0; rank < process->ranks; rank++)
        if (ompi->peers[rank])
            report_early(waits, ompi->peers[rank]);
    if (ompi->leaving && !ompi->job->over)
        json_array_append_new(waits, json_sprintf("MPI_Finalize: waits for %d other processes",
                                                  process->ranks - ompi->job->leaving));
    return json_pack("{s:o}", "waits", waits);
}

// ---- Start ----

const struct mpi_arrival_ops openmpi_arrival = {
    .send = pml_send,
    .posted = OPENMPI_POSTED,
    .waits_self = OPENMPI_WAIT_SELF,
    .done = OPENMPI_DONE,
    .claim = pml_claim,
    .buffers_self = mpi_buffers_plain,
    .machine = "unexpected",
    .self = "self",
};

void pml_start(struct cpu_context *context, struct mpi_request *request)
{
    struct openmpi_process *ompi = openmpi_of(request->process);
    cpu_spend_for(context, ompi->config->start, &openmpi_stage, request->message);
    ompi->wrote = false;
    // Starting makes no turn; MPI_Probe and MPI_Iprobe do.
    ompi->turned = request->kind != REQUEST_PROBE;
    mpi_matched_start(context, request);
}

const struct mpi_device_ops openmpi_ops = {
    .name = "Open MPI",
    .arrival = &openmpi_arrival,
    .request_size = sizeof(struct openmpi_request),
    .machine = &openmpi_request_machine,
    .startup = openmpi_startup,
    .finalize = openmpi_finalize,
    .start = pml_start,
    .advance = openmpi_advance,
    .describe_request = pml_describe_request,
    .describe_process = pml_describe_process,
};
