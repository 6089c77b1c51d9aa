// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/openmpi/openmpi.h"

#define C struct openmpi_config

#define TCP_1_2 "Open MPI 1.2, btl_tcp_component.c"
#define PML_1_2 "Open MPI 1.2, pml_ob1_hdr.h, with pointers of 64 bits"
#define DERIVED "derived: structs of Open MPI of 2006 with pointers of 64 bits"
#define EQUAL "Open MPI 1.2: all cards alike; the number is that of 1.3"
#define PRIOR "prior: instructions, as in lam_tcp"

#define CARD(nth)                                                                                  \
    PARAM_AS(C, "bandwidth_" #nth, bandwidth[nth], PARAM_COUNT, .fallback = "100", .least = "1",   \
             .most = "1000000",                                                                    \
             .doc =                                                                                \
                 "bandwidth of card " #nth ", in a unit of one's own: its part of a message is "   \
                 "its part of the sum (btl_tcp_bandwidth_IF)",                                     \
             .source = EQUAL),                                                                     \
        PARAM_AS(C, "latency_" #nth, latency[nth], PARAM_COUNT, .fallback = "100",                 \
                 .most = "1000000",                                                                \
                 .doc = "latency of card " #nth ": messages begin on the cards of the least one "  \
                        "(btl_tcp_latency_IF)",                                                    \
                 .source = EQUAL)

static const char *const rendezvous_names[] = {"put", "pipeline", NULL};

// Rows of the tables of all releases.
#define PROTOCOL_ROWS                                                                              \
    PARAM(C, cards, PARAM_COUNTS, .fallback = "[]", .most = "3",                                   \
          .doc =                                                                                   \
              "cards that take part, counted from 0 among those that the stack uses; empty: all "  \
              "(btl_tcp_if_include)",                                                              \
          .source = "Open MPI 1.2: all interfaces but the loopback"),                              \
        CARD(0), CARD(1), CARD(2), CARD(3),                                                        \
        PARAM(C, rendezvous, PARAM_CHOICE, .fallback = "put", .choices = rendezvous_names,         \
              .doc =                                                                               \
                  "how a longer message goes on after its RTS: `put`: the receiver asks for PUTs " \
                  "of "                                                                            \
                  "all of it, a part for each card; `pipeline`: the RTS brings the first data, "   \
                  "fragments follow the ACK, and PUTs bring what lies beyond `min_rdma`",          \
              .source =                                                                            \
                  "Open MPI 1.2: a BTL without a memory pool counts as registered (developers' "   \
                  "list, 20 February 2008)"),                                                      \
        PARAM(C, eager, PARAM_SIZE, .fallback = "64 KiB", .least = "256 B", .most = "1 GiB",       \
              .doc = "longest eager fragment, with `largest_header` (btl_tcp_eager_limit)",        \
              .source = TCP_1_2),                                                                  \
        PARAM(C, min_send, PARAM_SIZE, .fallback = "64 KiB", .most = "1 GiB",                      \
              .doc = "a rest of less bytes goes as one fragment (btl_tcp_min_send_size)",          \
              .source = TCP_1_2),                                                                  \
        PARAM(C, max_send, PARAM_SIZE, .fallback = "128 KiB", .least = "256 B", .most = "1 GiB",   \
              .doc = "longest fragment with its header (btl_tcp_max_send_size)",                   \
              .source = TCP_1_2),                                                                  \
        PARAM(C, min_rdma, PARAM_SIZE, .fallback = "128 KiB", .most = "1 GiB",                     \
              .doc = "of a pipelined message: where PUTs begin (btl_tcp_min_rdma_size)",           \
              .source = TCP_1_2),                                                                  \
        PARAM(C, max_rdma, PARAM_SIZE, .fallback = "0 B", .most = "1 GiB",                         \
              .doc =                                                                               \
                  "of a pipelined message: the longest PUT; 0: no bound (btl_tcp_max_rdma_size)",  \
              .source = TCP_1_2 ": INT_MAX"),                                                      \
        PARAM(C, send_depth, PARAM_COUNT, .fallback = "3", .least = "1", .most = "1000",           \
              .doc = "fragments of a message without PUTs that may be under way "                  \
                     "(pml_ob1_send_pipeline_depth)",                                              \
              .source = "Open MPI 1.2, pml_ob1.c"),                                                \
        PARAM(C, receive_depth, PARAM_COUNT, .fallback = "4", .least = "1", .most = "1000",        \
              .doc = "PUTs of a message that may be under way (pml_ob1_recv_pipeline_depth)",      \
              .source = "Open MPI 1.2, pml_ob1.c")

#define BUFFER_ROWS(buffer, buffer_source)                                                         \
    PARAM(C, send_buffer, PARAM_SIZE, .fallback = buffer, .most = "1 GiB",                         \
          .doc = "SO_SNDBUF; 0: the system's (btl_tcp_sndbuf)", .source = buffer_source),          \
        PARAM(C, receive_buffer, PARAM_SIZE, .fallback = buffer, .most = "1 GiB",                  \
              .doc = "SO_RCVBUF; 0: the system's (btl_tcp_rcvbuf)", .source = buffer_source),      \
        PARAM(C, no_delay, PARAM_BOOL, .fallback = "true", .doc = "TCP_NODELAY",                   \
              .source = TCP_1_2),                                                                  \
        PARAM(C, cache, PARAM_SIZE, .fallback = "30 KiB", .least = "128 B", .most = "1 MiB",       \
              .doc = "bytes that a read asks for beyond the fragment (btl_tcp_endpoint_cache)",    \
              .source = TCP_1_2),                                                                  \
        PARAM(C, btl_header, PARAM_SIZE, .fallback = "16 B", .least = "16 B", .most = "64 B",      \
              .doc = "the BTL's header of each fragment",                                          \
              .source =                                                                            \
                  "Open MPI 1.2, btl_tcp_hdr.h: tag, type, count, size, with a size of 64 bits "   \
                  "aligned")

#define HEADER_ROWS(ack, put, fin, place, largest, header_source)                                  \
    PARAM(C, match_header, PARAM_SIZE, .fallback = "16 B", .least = "16 B", .most = "64 B",        \
          .doc = "header of an eager message", .source = PML_1_2),                                 \
        PARAM(C, rendezvous_header, PARAM_SIZE, .fallback = "32 B", .least = "32 B",               \
              .most = "64 B", .doc = "header of an RTS", .source = PML_1_2),                       \
        PARAM(C, ack_header, PARAM_SIZE, .fallback = ack, .least = "32 B", .most = "64 B",         \
              .doc = "an ACK", .source = PML_1_2),                                                 \
        PARAM(C, fragment_header, PARAM_SIZE, .fallback = "32 B", .least = "32 B", .most = "64 B", \
              .doc = "header of a further fragment", .source = PML_1_2),                           \
        PARAM(C, put_header, PARAM_SIZE, .fallback = put, .least = "32 B", .most = "128 B",        \
              .doc = "a request to PUT, with one segment", .source = header_source),               \
        PARAM(C, fin_header, PARAM_SIZE, .fallback = fin, .least = "16 B", .most = "64 B",         \
              .doc = "a FIN", .source = header_source),                                            \
        PARAM(C, segment, PARAM_SIZE, .fallback = place, .least = "24 B", .most = "64 B",          \
              .doc = "the place of a PUT's data, after the BTL's header",                          \
              .source = header_source ": address, length, key"),                                   \
        PARAM(C, largest_header, PARAM_SIZE, .fallback = largest, .least = "16 B",                 \
              .most = "128 B", .doc = "room that `eager` keeps for a header of the PML",           \
              .source = header_source ": the union of all, of which RGET is the longest")

#define COST_ROWS                                                                                  \
    PARAM(C, progress, PARAM_COST, .fallback = "300 cycles",                                       \
          .doc = "a turn of opal_progress and the event library, without the call",                \
          .source = PRIOR),                                                                        \
        PARAM(C, start, PARAM_COST, .fallback = "900 cycles",                                      \
              .doc = "building and starting a request", .source = PRIOR),                          \
        PARAM(C, send, PARAM_COST, .fallback = "500 cycles",                                       \
              .doc = "a fragment to be sent: descriptor and header", .source = PRIOR),             \
        PARAM(C, receive, PARAM_COST, .fallback = "800 cycles",                                    \
              .doc = "a fragment that has been read: finding out what it is", .source = PRIOR),    \
        PARAM(                                                                                     \
            C, daemon, PARAM_DURATION, .fallback = "100 ms", .most = "100 s",                      \
            .doc =                                                                                 \
                "an exchange of all processes over their daemons: the addresses in MPI_Init, the " \
                "barrier in MPI_Finalize",                                                         \
            .source = "assumed; before and after the program")

static const struct param params[] = {
    PROTOCOL_ROWS,
    BUFFER_ROWS("128 KiB", TCP_1_2),
    HEADER_ROWS("32 B", "64 B", "16 B", "24 B", "72 B", DERIVED),
    COST_ROWS,
    {0},
};

// Open MPI 5.0.9: btl_tcp_component.c and pml_ob1_component.c have the same sizes and depths but
// for the buffers; pml_ob1_hdr.h longer headers. The BTL's own header has 8 B there, and a segment
// 16: fewer than the ones here have room for.
static const struct param openmpi5_tcp_params[] = {
    PROTOCOL_ROWS,
    BUFFER_ROWS("0 B", "Open MPI 5.0.9, btl_tcp_component.c"),
    HEADER_ROWS("40 B", "56 B", "24 B", "24 B", "80 B", "Open MPI 5.0.9, pml_ob1_hdr.h"),
    COST_ROWS,
    {0},
};

const struct param_table openmpi_tcp_table = PARAM_TABLE(
    struct openmpi_config, params, .name = "openmpi_tcp", .doc = "PML ob1 and BTL tcp of Open MPI");

const struct param_table openmpi5_tcp_table =
    PARAM_TABLE(struct openmpi_config, openmpi5_tcp_params, .name = "openmpi5_tcp",
                .doc = "PML ob1 and BTL tcp of Open MPI 5.0");

const struct stage openmpi_stage = {"Open MPI", STAGE_LIBRARY};
