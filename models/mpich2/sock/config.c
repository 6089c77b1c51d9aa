// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/sock/sock.h"

#define S struct sock_config

static const struct param sock_params[] = {
    PARAM(S, socket_buffer, PARAM_SIZE, .fallback = "233016 B", .most = "1 GiB",
          .doc = "SO_SNDBUF and SO_RCVBUF (MPICH_SOCKET_BUFFER_SIZE); 0: the system's",
          .source = "thesis 004, 4.1: 233 KB in all tests, the default of ch3:sctp; read as the "
                    "constant of MPICH2 1.0.5"),
    PARAM(S, no_delay, PARAM_BOOL, .fallback = "true", .doc = "TCP_NODELAY",
          .source = "MPICH2 1.0.5, MPIDU_Sock_post_connect"),
    PARAM(S, business_card, PARAM_DURATION, .fallback = "1 ms",
          .doc = "a call of the process manager's daemon, which holds the business cards: one to "
                 "publish the own one in MPI_Init, and one per peer at the first send",
          .source = "assumed; before the measured loops"),
    PARAM(S, group_id, PARAM_SIZE, .fallback = "24 B", .least = "1 B", .most = "64 B",
          .doc = "the process group's id after OPEN_REQ",
          .source = "MPICH2 1.0.5: a text such as kvs_hostname_4268_1_0"),
    PARAM(S, turn, PARAM_COST, .fallback = "800 cycles",
          .doc = "a turn of the progress engine, without poll",
          .source = "prior: instructions of MPIDU_Sock_wait"),
    PARAM(S, event, PARAM_COST, .fallback = "300 cycles",
          .doc = "each descriptor that poll has found ready",
          .source = "prior: instructions of MPIDU_Socki_handle_read and _write"),
    {0},
};

const struct param_table sock_table =
    PARAM_TABLE(S, sock_params, .name = "ch3_sock", .doc = "MPICH2 1.0.5's channel ch3:sock");

const struct stage sock_stage = {"ch3:sock", STAGE_LIBRARY};

static bool writes(const struct mpi_request *request)
{
    switch ((enum ch3_state)request->machine.state) {
    case CH3_SEND_EAGER:
    case CH3_SEND_RTS:
    case CH3_SEND_DATA:
    case CH3_SEND_CTS:
        return true;
    case CH3_START:
    case CH3_WAIT_SYNC_ACK:
    case CH3_WAIT_CTS:
    case CH3_POSTED:
    case CH3_READ_DATA:
    case CH3_WAIT_DATA:
    case CH3_WAIT_SELF:
    case CH3_FENCE:
    case CH3_DONE:
        break;
    }
    return false;
}

static json_t *describe(const struct ch3_process *ch3, const struct mpi_request *request, int peer)
{
    const struct sock_process *sock = sock_of(ch3->process);
    const struct sock_vc *vc = sparse_peek(&sock->vcs, peer);
    const struct sock_connection *connection = vc ? vc->connection : NULL;
    json_t *json = json_object();
    const char *state =
        connection ? machine_state_name(&sock_connection_machine, &connection->machine) : "none";
    json_object_set_new(json, "connection", json_string(state));
    if (writes(request) && (!connection || connection->machine.state != SOCK_CONNECTED))
        json_object_set_new(json, "waits_for",
                            json_sprintf("the connection to rank %d, which accepts it in an MPI "
                                         "call only",
                                         peer));
    if (connection && connection->link.socket)
        json_object_set_new(json, "socket", tcp_socket_describe(connection->link.socket));
    return json;
}

const struct ch3_channel sock_channel = {
    .name = "ch3:sock",
    .send = sock_send,
    .disconnect = sock_disconnect,
    .describe = describe,
};

const struct mpi_device_ops sock_ops = {
    CH3_DEVICE,
    .name = "MPICH2 ch3:sock",
    .startup = sock_startup,
    .finalize = sock_finalize,
    .advance = sock_advance,
};
