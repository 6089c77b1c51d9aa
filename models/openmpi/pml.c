// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/openmpi/openmpi.h"

static const struct machine_state openmpi_states[] = {
    [OPENMPI_START] = {"start",
                       {"its start", WAIT_OTHER},
                       HELD_HERE,
                       .next = MACHINE_TO(OPENMPI_SEND_EAGER, OPENMPI_SEND_RTS, OPENMPI_POSTED,
                                          OPENMPI_WAIT_FRAGMENTS, OPENMPI_WAIT_PUT,
                                          OPENMPI_WAIT_SELF, OPENMPI_DONE)},
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
                          .next =
                              MACHINE_TO(OPENMPI_SEND_FRAGMENTS, OPENMPI_SEND_PUT, OPENMPI_DONE)},
    [OPENMPI_SEND_FRAGMENTS] = {"send_fragments",
                                {"room in the socket for its fragments", WAIT_BUFFER},
                                HELD_BY_PEER,
                                .next = MACHINE_TO(OPENMPI_WAIT_REQUESTS, OPENMPI_SEND_PUT,
                                                   OPENMPI_DONE)},
    [OPENMPI_WAIT_REQUESTS] = {"wait_requests",
                               {"the receiver's requests to PUT the rest", WAIT_ACK},
                               HELD_BY_PEER,
                               .next = MACHINE_TO(OPENMPI_SEND_PUT)},
    [OPENMPI_SEND_PUT] = {"send_put",
                          {"room in the socket for the data of its PUTs", WAIT_BUFFER},
                          HELD_BY_PEER,
                          .next = MACHINE_TO(OPENMPI_WAIT_REQUESTS, OPENMPI_SEND_FRAGMENTS,
                                             OPENMPI_DONE)},
    [OPENMPI_POSTED] = {"posted",
                        {"a matching message", WAIT_OTHER},
                        HELD_BY_PEER,
                        .next = MACHINE_TO(OPENMPI_WAIT_FRAGMENTS, OPENMPI_WAIT_PUT, OPENMPI_DONE)},
    [OPENMPI_WAIT_FRAGMENTS] = {"wait_fragments",
                                {"the rest of its fragments", WAIT_OTHER},
                                HELD_BY_PEER,
                                .next = MACHINE_TO(OPENMPI_WAIT_PUT, OPENMPI_DONE)},
    [OPENMPI_WAIT_PUT] = {"wait_put",
                          {"the data of its PUTs", WAIT_OTHER},
                          HELD_BY_PEER,
                          .next = MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_WAIT_SELF] = {"wait_self",
                           {"a matching receive of its own", WAIT_OTHER},
                           HELD_HERE,
                           .next = MACHINE_TO(OPENMPI_DONE)},
    [OPENMPI_DONE] = {"done", {"nothing", WAIT_OTHER}, HELD_HERE, 0},
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
