// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/lam_tcp.h"

#define L struct lam_tcp_config

static const struct param lam_tcp_params[] = {
    PARAM_AS(L, "short", short_limit, PARAM_SIZE, .fallback = "65536 B", .most = "1 GiB",
             .doc = "longest short message", .source = "LAM/MPI 7, rpi_tcp_short"),
    PARAM(L, socket_buffer, PARAM_SIZE, .fallback = "0 B", .most = "1 GiB",
          .doc = "SO_SNDBUF and SO_RCVBUF; 0: the longest short message and an envelope",
          .source = "LAM/MPI 7, rpi_tcp_sockbuf"),
    PARAM(L, no_delay, PARAM_BOOL, .fallback = "true", .doc = "TCP_NODELAY",
          .source = "LAM/MPI 7, TCP RPI"),
    PARAM(L, envelope, PARAM_SIZE, .fallback = "24 B", .least = "24 B", .most = "1 KiB",
          .doc = "an envelope",
          .source = "LAM/MPI 7: length, tag, flags, rank, context, sequence number, 4 B each"),
    PARAM(L, advance, PARAM_COST, .fallback = "400 cycles",
          .doc = "one turn of the progress engine", .source = "prior: instructions, as in lam_via"),
    PARAM(L, fast_calls, PARAM_BOOL, .fallback = "true",
          .doc = "MPI_Send and MPI_Recv make no request if none is active",
          .source = "LAM/MPI 7: MPI_Send, MPI_Recv; lsra_fastsend, lsra_fastrecv of the TCP RPI"),
    PARAM(L, fast, PARAM_COST, .fallback = "500 cycles", .doc = "such a call, of the RPI",
          .source = "prior: instructions"),
    PARAM(L, start, PARAM_COST, .fallback = "900 cycles", .doc = "building and starting a request",
          .source = "prior: instructions, as in lam_via"),
    PARAM(L, send, PARAM_COST, .fallback = "500 cycles", .doc = "filling in an envelope",
          .source = "prior: instructions, as in lam_via"),
    PARAM(L, receive, PARAM_COST, .fallback = "800 cycles",
          .doc = "an envelope that has been read: finding out what it is",
          .source = "prior: instructions, as in lam_via"),
    PARAM(L, daemon_exchange, PARAM_DURATION, .fallback = "1 ms",
          .doc = "telling one rank a port over the LAM daemons at startup",
          .source = "assumed; before the program starts"),
    {0},
};

const struct param_table lam_tcp_table = PARAM_TABLE(
    struct lam_tcp_config, lam_tcp_params, .name = "lam_tcp", .doc = "the TCP RPI of LAM/MPI");

// fastsend and fastrecv: standard sends and receives from a certain rank, of blocking calls, while
// nothing else is under way.
static bool shortcut(const struct mpi_request *request)
{
    return lam_process_of(request->process)->config->fast_calls && request->blocking &&
           request->kind != REQUEST_PROBE && !request->synchronous && request->peer != RANK_ANY &&
           request->peer != request->process->rank && !request->process->active;
}

static json_t *lam_describe_request(const struct mpi_request *request)
{
    const struct lam_request *r = lam_of(request);
    json_t *json = json_object();
    if (!r->link)
        return json;
    json_object_set_new(json, "protocol", json_string(r->is_long ? "long" : "short"));
    if (r->link->socket)
        json_object_set_new(json, "socket", tcp_socket_describe(r->link->socket));
    return json;
}

static const struct mpi_progress_rule lam_tcp_progress = {
    .library = "LAM/MPI 7, TCP RPI",
    .turn = "a pass of the RPI over the sockets that requests are interested in",
    .source = "LAM/MPI 7: lamreqs.c 6.28 _mpi_req_advance, lamsend.c 6.28, irecv.c, wait.c, "
              "waitany.c, waitall.c, lam_test, iprobe.c; ssi_rpi_tcp.c 1.37 "
              "lam_ssi_rpi_tcp_advance",
    .send = {MPI_TURNS},
    .receive = {MPI_TURNS},
    .test = {MPI_TURNS, MPI_LOOKS},
    .probe = {MPI_TURNS},
    .waits = MPI_WAITS_LEAVE,
};

const struct mpi_device_ops lam_tcp_ops = {
    .name = "LAM TCP RPI",
    .arrival = &lam_tcp_arrival,
    .longest = MPI_LONGEST_COUNT,
    .request_size = sizeof(struct lam_request),
    .machine = &lam_request_machine,
    .startup = mesh_startup,
    .finalize = mesh_finalize,
    .shortcut = shortcut,
    .start = lam_start,
    .progress = &lam_tcp_progress,
    .advance = lam_advance,
    .describe_request = lam_describe_request,
};
