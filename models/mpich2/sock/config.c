// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/sock/sock.h"

#define S struct sock_config

#define SHARED_ROWS                                                                                \
    PARAM(S, no_delay, PARAM_BOOL, .fallback = "true", .doc = "TCP_NODELAY",                       \
          .source = "MPICH2 1.0.5, MPIDU_Sock_post_connect"),                                      \
        PARAM(                                                                                     \
            S, business_card, PARAM_DURATION, .fallback = "1 ms",                                  \
            .doc =                                                                                 \
                "a call of the process manager's daemon, which holds the business cards: one to "  \
                "publish the own one in MPI_Init, and one per peer at the first send",             \
            .source = "assumed; before the measured loops"),                                       \
        PARAM(S, group_id, PARAM_SIZE, .fallback = "24 B", .least = "1 B", .most = "64 B",         \
              .doc = "the process group's id after OPEN_REQ",                                      \
              .source = "MPICH2 1.0.5: a text such as kvs_hostname_4268_1_0"),                     \
        PARAM(S, turn, PARAM_COST, .fallback = "800 cycles",                                       \
              .doc = "a turn of the progress engine, without poll",                                \
              .source = "prior: instructions of MPIDU_Sock_wait"),                                 \
        PARAM(S, event, PARAM_COST, .fallback = "300 cycles",                                      \
              .doc = "each descriptor that poll has found ready",                                  \
              .source = "prior: instructions of MPIDU_Socki_handle_read and _write")

static const struct param sock_params[] = {
    PARAM(S, socket_buffer, PARAM_SIZE, .fallback = "233016 B", .most = "1 GiB",
          .doc = "SO_SNDBUF and SO_RCVBUF (MPICH_SOCKET_BUFFER_SIZE); 0: the system's",
          .source = "thesis 004, 4.1: 233 KB in all tests, the default of ch3:sctp; read as the "
                    "constant of MPICH2 1.0.5"),
    SHARED_ROWS,
    {0},
};

const struct param_table sock_table =
    PARAM_TABLE(S, sock_params, .name = "ch3_sock", .doc = "MPICH2 1.0.5's channel ch3:sock");

static const struct param mpich4_sock_params[] = {
    PARAM(S, socket_buffer, PARAM_SIZE, .fallback = "0 B", .most = "1 GiB",
          .doc = "SO_SNDBUF and SO_RCVBUF (MPICH_SOCKET_BUFFER_SIZE); 0: the system's",
          .source = "MPICH 4.3.2, src/mpid/ch3/channels/sock/src/sock.c"),
    SHARED_ROWS,
    {0},
};

const struct param_table mpich4_sock_table =
    PARAM_TABLE(S, mpich4_sock_params, .name = "mpich4_sock", .doc = "MPICH 4's channel ch3:sock");

const struct stage sock_stage = {"ch3:sock", STAGE_LIBRARY};
