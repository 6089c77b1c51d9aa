// SPDX-License-Identifier: GPL-3.0-or-later
// The states of a request in MVICH, and its end.
#include "models/via/mvich/mvich.h"

const struct stage mvich_stage = {"MVICH", STAGE_LIBRARY};

const char *mvich_protocol_name(enum mvich_protocol protocol)
{
    static const char *const names[] = {
        [MVICH_EAGER] = "eager", [MVICH_R3] = "r3", [MVICH_RPUT] = "rput", [MVICH_SELF] = "self"};
    return names[protocol];
}

static const struct machine_state mvich_request_states[] = {
    [MVICH_START] = {"start",
                     {"its start", WAIT_OTHER},
                     HELD_HERE,
                     .next = MACHINE_TO(MVICH_EAGER_SENT, MVICH_WAIT_REPLY, MVICH_POSTED,
                                        MVICH_RECEIVE_EAGER, MVICH_RECEIVE_R3, MVICH_RECEIVE_RPUT,
                                        MVICH_WAIT_SELF, MVICH_DONE)},
    [MVICH_EAGER_SENT] = {"eager_sent",
                          {"the completion of its last vbuf", WAIT_OTHER},
                          HELD_HERE,
                          .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_WAIT_REPLY] = {"wait_reply",
                          {"the receiver's RENDEZVOUS_REPLY", WAIT_ACK},
                          HELD_BY_PEER,
                          .next = MACHINE_TO(MVICH_PUSH)},
    [MVICH_PUSH] = {"push",
                    {"credits for its data", WAIT_CREDIT},
                    HELD_BY_PEER,
                    .next = MACHINE_TO(MVICH_DATA_SENT)},
    [MVICH_DATA_SENT] = {"data_sent",
                         {"the completion of its last packet", WAIT_OTHER},
                         HELD_HERE,
                         .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_POSTED] = {"posted",
                      {"a matching message", WAIT_OTHER},
                      HELD_BY_PEER,
                      .next = MACHINE_TO(MVICH_RECEIVE_EAGER, MVICH_RECEIVE_R3, MVICH_RECEIVE_RPUT,
                                         MVICH_DONE)},
    [MVICH_RECEIVE_EAGER] = {"receive_eager",
                             {"the rest of an eager message", WAIT_OTHER},
                             HELD_BY_PEER,
                             .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_RECEIVE_R3] = {"receive_r3",
                          {"R3 data", WAIT_OTHER},
                          HELD_BY_PEER,
                          .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_RECEIVE_RPUT] = {"receive_rput",
                            {"the sender's FINISH", WAIT_OTHER},
                            HELD_BY_PEER,
                            .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_WAIT_SELF] = {"wait_self",
                         {"a matching receive", WAIT_OTHER},
                         HELD_HERE,
                         .next = MACHINE_TO(MVICH_DONE)},
    [MVICH_DONE] = {"done", {"nothing", WAIT_OTHER}, HELD_HERE, 0},
};

const struct machine_kind mvich_request_machine = {
    .name = "request",
    .logged = "send, recv, probe",
    .title = "Request of MVICH",
    .source = "MVICH's protocols EAGER, R3 and RPUT",
    .states = mvich_request_states,
    .count = G_N_ELEMENTS(mvich_request_states),
};

void mvich_finish(struct cpu_context *context, struct mpi_request *request)
{
    struct mvich_request *r = mvich_of(request);
    if (r->dreg)
        mvich_dreg_release(context, mvich_process_of(request->process)->dreg, r->dreg);
    r->dreg = NULL;
    mpi_finish(context, request);
}
