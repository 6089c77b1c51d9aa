// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/armci/server.h"

static const struct stage data_server_stage = {"data server", STAGE_LIBRARY};

static const struct machine_state server_states[] = {
    [ARMCI_SERVER_STARTS] = {"starts",
                             {"its start", WAIT_OTHER},
                             HOLDER_UNKNOWN,
                             MACHINE_TO(ARMCI_SERVER_IDLE)},
    [ARMCI_SERVER_IDLE] = {"idle",
                           {"a request", WAIT_OTHER},
                           HOLDER_UNKNOWN,
                           MACHINE_TO(ARMCI_SERVER_SENDS, ARMCI_SERVER_ANSWER)},
    [ARMCI_SERVER_SENDS] = {"buffer",
                            {"the acknowledgement of an earlier send from its next buffer",
                             WAIT_ACK},
                            HOLDER_UNKNOWN,
                            MACHINE_TO(ARMCI_SERVER_READY)},
    [ARMCI_SERVER_READY] = {"COPYSD",
                            {"a free buffer of the client", WAIT_BUFFER},
                            HELD_BY_PEER,
                            MACHINE_TO(ARMCI_SERVER_SENDS, ARMCI_SERVER_SENT, ARMCI_SERVER_ANSWER,
                                       ARMCI_SERVER_IDLE)},
    [ARMCI_SERVER_SENT] = {"XMITD",
                           {"the acknowledgement of its last send", WAIT_ACK},
                           HOLDER_UNKNOWN,
                           MACHINE_TO(ARMCI_SERVER_IDLE)},
    [ARMCI_SERVER_ANSWER] = {"answer",
                             {"a send token", WAIT_CREDIT},
                             HOLDER_UNKNOWN,
                             MACHINE_TO(ARMCI_SERVER_IDLE)},
};

const struct machine_kind armci_server_machine = {
    .name = "data server",
    .title = "ARMCI's data server",
    .source = "thesis 001, 2.3.2, 4.2, 4.3",
    .states = server_states,
    .count = G_N_ELEMENTS(server_states),
};

void armci_server_enter(struct cpu_context *context, struct armci_server *server,
                        enum armci_server_state state)
{
    if (state != server->machine.state)
        cpu_machine_enter(context, &armci_server_machine, &server->machine, state,
                          armci_server_owner(server), NULL);
}

void armci_server_spend(struct cpu_context *context, const struct armci_server *server,
                        struct cost cost)
{
    cpu_spend_for(context, cost, &data_server_stage,
                  server->current ? server->current->message->message : MESSAGE_NONE);
}

int armci_server_port(const struct armci_server *server)
{
    return gm_port_number(server->requests);
}

int64_t armci_server_address(const struct armci_server *server, int rank, int64_t address)
{
    (void)server;
    return ((int64_t)(rank + 1) << 40) + address;
}

int64_t armci_server_add(struct armci_server *server, int rank)
{
    struct armci_mutex *mutex = sparse_at(&server->mutexes, rank);
    return mutex->word++;
}
