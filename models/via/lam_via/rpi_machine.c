// SPDX-License-Identifier: GPL-3.0-or-later
// The states of a request in the VIA RPI (thesis 000, figures 4.3 to 4.5), and its end.
#include "models/via/lam_via/rpi.h"

const struct stage rpi_stage = {"RPI", STAGE_LIBRARY};

static const struct machine_state rpi_request_states[] = {
    [RPI_START] = {"start",
                   {"its start", WAIT_OTHER},
                   HELD_HERE,
                   .next = MACHINE_TO(RPI_WAIT_PIN, RPI_WAIT_DESCRIPTOR, RPI_ENVELOPE_SENT,
                                      RPI_SYN_SENT, RPI_WAIT_ACK, RPI_POSTED, RPI_WAIT_BODY,
                                      RPI_ACK_SENT, RPI_DONE)},
    [RPI_WAIT_PIN] = {"wait_pin",
                      {"memory to pin its buffer", WAIT_MEMORY},
                      HELD_HERE,
                      .next = MACHINE_TO(RPI_WAIT_DESCRIPTOR, RPI_ENVELOPE_SENT, RPI_SYN_SENT,
                                         RPI_ACK_SENT)},
    [RPI_WAIT_DESCRIPTOR] = {"wait_descriptor",
                             {"a free send descriptor", WAIT_DESCRIPTOR},
                             HELD_HERE,
                             .next = MACHINE_TO(RPI_ENVELOPE_SENT, RPI_BODY_SENT, RPI_SYN_SENT,
                                                RPI_ACK_SENT)},
    [RPI_ENVELOPE_SENT] = {"envelope_sent",
                           {"the completion of its envelope", WAIT_OTHER},
                           HELD_HERE,
                           .next = MACHINE_TO(RPI_BODY_SENT, RPI_WAIT_ACK, RPI_DONE)},
    [RPI_BODY_SENT] = {"body_sent",
                       {"the completion of its body", WAIT_OTHER},
                       HELD_HERE,
                       .next =
                           MACHINE_TO(RPI_BODY_SENT, RPI_WAIT_DESCRIPTOR, RPI_WAIT_ACK, RPI_DONE)},
    [RPI_SYN_SENT] = {"syn_sent",
                      {"the completion of its SYN", WAIT_OTHER},
                      HELD_HERE,
                      .next = MACHINE_TO(RPI_WAIT_ACK)},
    [RPI_WAIT_ACK] = {"wait_ack",
                      {"the receiver's ACK", WAIT_ACK},
                      HELD_BY_PEER,
                      .next =
                          MACHINE_TO(RPI_WAIT_DESCRIPTOR, RPI_BODY_SENT, RPI_WAIT_TURN, RPI_DONE)},
    [RPI_WAIT_TURN] = {"wait_turn",
                       {"the bodies of earlier messages to leave", WAIT_OTHER},
                       HELD_HERE,
                       .next = MACHINE_TO(RPI_WAIT_DESCRIPTOR, RPI_BODY_SENT)},
    [RPI_POSTED] = {"posted",
                    {"a matching message", WAIT_OTHER},
                    HELD_BY_PEER,
                    .next = MACHINE_TO(RPI_WAIT_PIN, RPI_WAIT_DESCRIPTOR, RPI_WAIT_BODY,
                                       RPI_ACK_SENT, RPI_DONE)},
    [RPI_WAIT_BODY] = {"wait_body",
                       {"the body", WAIT_OTHER},
                       HELD_BY_PEER,
                       .next = MACHINE_TO(RPI_WAIT_DESCRIPTOR, RPI_ACK_SENT, RPI_DONE)},
    [RPI_ACK_SENT] = {"ack_sent",
                      {"the completion of its ACK", WAIT_OTHER},
                      HELD_HERE,
                      .next = MACHINE_TO(RPI_WAIT_BODY, RPI_DONE)},
    [RPI_DONE] = {"done", {"nothing", WAIT_OTHER}, HELD_HERE, 0},
};

const struct machine_kind rpi_request_machine = {
    .name = "request",
    .logged = "send, recv, probe",
    .title = "Request of LAM's VIA RPI",
    .source = "thesis 000, 4.5.3 and figures 4.3 (tiny), 4.4 (short), 4.5 (long)",
    .states = rpi_request_states,
    .count = G_N_ELEMENTS(rpi_request_states),
};

void rpi_finish(struct cpu_context *context, struct mpi_request *request)
{
    struct rpi_request *r = rpi_of(request);
    struct rpi_process *rpi = rpi_process_of(request->process);
    if (r->cq_packbufhand) {
        pin_cache_release(context, rpi->pins, r->cq_packbufhand);
        r->cq_packbufhand = NULL;
        rpi->retry = true;
    }
    r->isadv = false;
    rpi->done++;
    mpi_finish(context, request);
}
