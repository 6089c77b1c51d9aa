// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpi_tcp/p4.h"

#define P struct p4_config

static const struct param p4_params[] = {
    PARAM_AS(
        P, "short", short_limit, PARAM_SIZE, .fallback = "16384 B", .most = "1 GiB",
        .doc = "from this length on, a message is not inside its packet but follows it",
        .source =
            "MPICH 1.2.5: 16384 B in a build for unlike hosts, as ch_p4 is by default, else 1024 B "
            "(mpid/ch2/packets.h, MPID_PKT_MAX_DATA_SIZE); MPID_SendContig (adi2send.c) takes the "
            "short protocol if len < long_len"),
    PARAM(P, eager, PARAM_SIZE, .fallback = "128000 B", .most = "1 GiB",
          .doc = "from this length on, messages go by rendezvous",
          .source = "MPICH 1.2.5: MPID_CH_InitMsgPass (mpid/ch2/chinit.c); MPID_SendContig "
                    "(adi2send.c) takes the eager protocol if len < vlong_len"),
    PARAM(P, socket_buffer, PARAM_SIZE, .fallback = "16 KiB", .most = "1 GiB",
          .doc = "SO_SNDBUF and SO_RCVBUF (P4_SOCKBUFSIZE); 0: the system's",
          .source = "MPICH manual for ch_p4: bufsize, the default is 16"),
    PARAM(P, no_delay, PARAM_BOOL, .fallback = "true", .doc = "TCP_NODELAY",
          .source = "MPICH 1.2.5, ch_p4"),
    PARAM(P, writev, PARAM_BOOL, .fallback = "true",
          .doc = "header and data of a p4 message in one call (-p4sctrl writev)",
          .source = "MPICH manual for ch_p4"),
    PARAM(P, header, PARAM_SIZE, .fallback = "32 B", .least = "32 B", .most = "1 KiB",
          .doc = "header of a p4 message", .source = "MPICH 1.2: eight words of 32 bits"),
    PARAM(P, packet, PARAM_SIZE, .fallback = "40 B", .most = "1 KiB",
          .doc = "packet of MPICH, without data",
          .source = "MPICH 1.2: nine words and a handle, in a build for unlike hosts"),
    PARAM(P, send, PARAM_COST, .fallback = "900 cycles",
          .doc = "a send: choosing the protocol, filling in a packet",
          .source = "prior: instructions"),
    PARAM(P, receive, PARAM_COST, .fallback = "600 cycles", .doc = "posting a receive",
          .source = "prior: instructions"),
    PARAM(P, check, PARAM_COST, .fallback = "400 cycles", .doc = "one turn of MPID_DeviceCheck",
          .source = "prior: instructions"),
    PARAM(P, message, PARAM_COST, .fallback = "700 cycles",
          .doc = "sending or receiving a p4 message: allocation, queue, bookkeeping",
          .source = "prior: instructions"),
    PARAM(P, exchange, PARAM_DURATION, .fallback = "1 ms",
          .doc = "telling one rank a port over p4's listeners at startup",
          .source = "assumed; before the program starts"),
    {0},
};

static void p4_check(const void *values, const struct param_values *report)
{
    const struct p4_config *config = values;
    if (config->short_limit > config->eager)
        param_complain(report, "short", "short messages are eager too",
                       "short messages end at %" G_GINT64_FORMAT
                       " B, beyond the end of eager ones at %" G_GINT64_FORMAT " B",
                       config->short_limit, config->eager);
}

const struct param_table p4_table = PARAM_TABLE(struct p4_config, p4_params, .name = "mpich_p4",
                                                .doc = "MPICH 1.2.5 over ch_p4", .check = p4_check);

static json_t *p4_describe_request(const struct mpi_request *request)
{
    const struct p4_request *r = p4_of(request);
    json_t *json = json_object();
    if (r->link && r->link->socket)
        json_object_set_new(json, "socket", tcp_socket_describe(r->link->socket));
    return json;
}

static const struct mpi_progress_rule p4_progress = {
    .library = "MPICH 1.2.5, ch_p4",
    .turn = "MPID_DeviceCheck: one packet",
    .source =
        "MPICH 1.2.5 (4836f61d): mpid/ch2/chchkdev.c 43-204, adi2send.c 148-196, adi2recv.c "
        "108-219, adi2hrecv.c 133, adi2probe.c 13-69, channel.h 292-299; src/pt2pt: waitall.c "
        "112-222, testall.c 70-124, waitany.c 105-193",
    .test = {MPI_TURN, MPI_LOOKS, MPI_TURN, MPI_LOOKS},
    .probe = {MPI_LOOKS, MPI_TURN, MPI_LOOKS},
    .waits = MPI_WAITS_LEAVE,
    .in_order = true,
};

const struct mpi_device_ops p4_ops = {
    .name = "MPICH ch_p4",
    .arrival = &p4_arrival,
    .longest = {INT32_MAX - P4_HEADER_BYTES, "MPI's count of bytes"},
    .request_size = sizeof(struct p4_request),
    .machine = &p4_request_machine,
    .startup = mesh_startup,
    .finalize = mesh_finalize,
    .start = p4_start,
    .progress = &p4_progress,
    .go_on = p4_go_on,
    .advance = p4_advance,
    .describe_request = p4_describe_request,
};
