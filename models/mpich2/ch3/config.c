// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/ch3/ch3.h"

#define C struct ch3_config

#define COST_ROWS                                                                                  \
    PARAM(C, send, PARAM_COST, .fallback = "900 cycles",                                           \
          .doc = "a packet: choosing the protocol, filling it in, giving it to the channel",       \
          .source = "prior: instructions, as in mpich_p4"),                                        \
        PARAM(C, receive, PARAM_COST, .fallback = "600 cycles",                                    \
              .doc = "a packet that has arrived: finding out what it is",                          \
              .source = "prior: instructions, as in mpich_p4"),                                    \
        PARAM(C, allocate, PARAM_COST, .fallback = "400 cycles",                                   \
              .doc =                                                                               \
                  "memory for the data of an unexpected message, to take it and to give it back",  \
              .source = "prior: instructions of malloc and free")

static const struct param ch3_params[] = {
    PARAM(C, eager, PARAM_SIZE, .fallback = "65536 B", .most = "1 GiB",
          .doc = "longest eager message, its packet of 20 B included; a longer one takes the "
                 "rendezvous",
          .source = "thesis 004, 4.1: 64 KB in all systems compared; ch3:sock's own default is "
                    "256 KB"),
    PARAM(C, packet, PARAM_SIZE, .fallback = "32 B", .least = "32 B", .most = "64 B",
          .doc = "a packet without data", .source = "MPICH2 1.0.5: MPIDI_CH3_Pkt_t on IA-32"),
    COST_ROWS,
    PARAM(C, one_sided, PARAM_COST, .fallback = "400 cycles",
          .doc = "queueing a one-sided operation; issuing it at the fence costs the same",
          .source = "prior: instructions, of which malloc takes most"),
    {0},
};

const struct param_table ch3_table =
    PARAM_TABLE(C, ch3_params, .name = "ch3", .doc = "MPICH2 1.0.5's device CH3");

static const struct param mpich4_ch3_params[] = {
    PARAM(C, eager, PARAM_SIZE, .fallback = "131072 B", .most = "1 GiB",
          .doc = "longest eager message, its packet of 20 B included (MPICH counts 32 there); a "
                 "longer one takes the rendezvous",
          .source = "MPICH 4.3.2, src/mpid/ch3/src/mpid_vc.c (MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE)"),
    PARAM(C, packet, PARAM_SIZE, .fallback = "64 B", .least = "32 B", .most = "64 B",
          .doc = "a packet without data",
          .source = "assumed: MPIDI_CH3_Pkt_t of MPICH 4.3.2 with pointers of 64 bits, of which "
                    "those of one-sided operations are the longest"),
    COST_ROWS,
    {0},
};

const struct param_table mpich4_ch3_table =
    PARAM_TABLE(C, mpich4_ch3_params, .name = "mpich4_ch3", .doc = "MPICH 4's device CH3");

const struct stage ch3_stage = {"CH3", STAGE_LIBRARY};

const struct ch3_config *ch3_config_of(const struct scenario_case *test_case)
{
    return scenario_section_values(test_case, test_case->stack->sections[2]);
}

static struct eager_limit ch3_eager_limit(const struct scenario_case *test_case)
{
    const struct ch3_config *config = ch3_config_of(test_case);
    return (struct eager_limit){
        .value = config->eager,
        .longest = config->eager - CH3_EAGER_PACKET,
        .most = INT64_MAX,
    };
}

const struct stack_eager ch3_eager = {
    .setting = "ch3.eager",
    .limit = ch3_eager_limit,
};

const struct stack_eager mpich4_ch3_eager = {
    .setting = "mpich4_ch3.eager",
    .limit = ch3_eager_limit,
};

// A synchronous send may be acknowledged before the last of it is written. A receive that finds its
// message among the unexpected ones is not posted.
static const struct machine_state ch3_states[] = {
    [CH3_START] = {"start",
                   {"its start", WAIT_OTHER},
                   HELD_HERE,
                   .next = MACHINE_TO(CH3_SEND_EAGER, CH3_SEND_RTS, CH3_POSTED, CH3_READ_DATA,
                                      CH3_SEND_CTS, CH3_WAIT_SELF, CH3_FENCE, CH3_DONE)},
    [CH3_SEND_EAGER] = {"send_eager",
                        {"room in the socket for packet and data", WAIT_BUFFER},
                        HELD_BY_PEER,
                        .next = MACHINE_TO(CH3_WAIT_SYNC_ACK, CH3_DONE)},
    [CH3_WAIT_SYNC_ACK] = {"wait_sync_ack",
                           {"the receiver's EAGER_SYNC_ACK", WAIT_ACK},
                           HELD_BY_PEER,
                           .next = MACHINE_TO(CH3_DONE)},
    [CH3_SEND_RTS] = {"send_rts",
                      {"room in the socket for its RNDV_REQ_TO_SEND", WAIT_BUFFER},
                      HELD_BY_PEER,
                      .next = MACHINE_TO(CH3_WAIT_CTS)},
    [CH3_WAIT_CTS] = {"wait_cts",
                      {"the receiver's RNDV_CLR_TO_SEND", WAIT_ACK},
                      HELD_BY_PEER,
                      .next = MACHINE_TO(CH3_SEND_DATA)},
    [CH3_SEND_DATA] = {"send_data",
                       {"room in the socket for RNDV_SEND and data", WAIT_BUFFER},
                       HELD_BY_PEER,
                       .next = MACHINE_TO(CH3_DONE)},
    [CH3_POSTED] = {"posted",
                    {"a matching message", WAIT_OTHER},
                    HELD_BY_PEER,
                    .next = MACHINE_TO(CH3_READ_DATA, CH3_SEND_CTS, CH3_DONE)},
    [CH3_READ_DATA] = {"read_data",
                       {"the rest of the data", WAIT_OTHER},
                       HELD_BY_PEER,
                       .next = MACHINE_TO(CH3_DONE)},
    [CH3_SEND_CTS] = {"send_cts",
                      {"room in the socket for its RNDV_CLR_TO_SEND", WAIT_BUFFER},
                      HELD_BY_PEER,
                      .next = MACHINE_TO(CH3_WAIT_DATA)},
    [CH3_WAIT_DATA] = {"wait_data",
                       {"RNDV_SEND and the data", WAIT_OTHER},
                       HELD_BY_PEER,
                       .next = MACHINE_TO(CH3_READ_DATA)},
    [CH3_WAIT_SELF] = {"wait_self",
                       {"a matching receive of its own", WAIT_OTHER},
                       HELD_HERE,
                       .next = MACHINE_TO(CH3_DONE)},
    [CH3_FENCE] = {"fence",
                   {"operations of its epoch", WAIT_OTHER},
                   HELD_BY_PEER,
                   .next = MACHINE_TO(CH3_DONE)},
    [CH3_DONE] = {"done", {"nothing", WAIT_OTHER}, HELD_HERE, 0},
};

const struct machine_kind ch3_request_machine = {
    .name = "ch3 request",
    .logged = "send, recv, probe, put, get, accumulate, win_create, win_fence, win_free",
    .title = "Request of MPICH2's device CH3",
    .source = "MPICH2 1.0.5, src/mpid/ch3",
    .states = ch3_states,
    .count = G_N_ELEMENTS(ch3_states),
};
