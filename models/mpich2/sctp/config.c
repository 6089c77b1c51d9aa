// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/sctp/channel.h"

static const char *const stream_maps[] = {"tag_context", "single", "rank", "sequence", NULL};
static const char *const any_tags[] = {"violate", "sequence", "control_stream", NULL};
static const char *const orders[] = {"read_first", "write_first", NULL};

#define C struct ch3_sctp_config

static const struct param ch3_sctp_params[] = {
    PARAM(C, streams, PARAM_COUNT, .fallback = "12", .least = "1", .most = "256",
          .doc = "streams of an association in each direction: 0 for control, the next all but one "
                 "for messages; with 1 there is but one for all, with 2 but one for messages",
          .source = "MPICH2 1.0.5: 12, of which messages use 1 to 10"),
    PARAM(C, stream_map, PARAM_CHOICE, .fallback = "tag_context", .choices = stream_maps,
          .doc = "which stream a message takes: |tag + context| modulo their number; the first of "
                 "all; by the sender's rank; in turn, by its number",
          .source = "thesis 004, 3.2.2: tag_context; a hook permits another one"),
    PARAM(C, any_tag, PARAM_CHOICE, .fallback = "violate", .choices = any_tags,
          .doc = "MPI_ANY_TAG: messages are matched as streams deliver them, in violation of MPI's "
                 "order; by a sequence number in the envelope, for which the receiver holds back; "
                 "or all envelopes take the control stream, and data may come before them",
          .source = "thesis 004, 3.2.6: the implementation violates it; two remedies are named"),
    PARAM(C, progress, PARAM_CHOICE, .fallback = "read_first", .choices = orders,
          .doc =
              "order in the progress engine; write_first reads nothing before what is queued has "
              "been written, as a what-if",
          .source = "thesis 004, 3.2.3: read logic is placed before write logic, against deadlock"),
    PARAM(C, message, PARAM_SIZE, .fallback = "65536 B", .least = "128 B", .most = "64 MiB",
          .doc = "longest user message: envelope and data together up to it are one; longer ones "
                 "are sent element by element, in pieces of it",
          .source = "thesis 004, 3.2.6: 64 KB"),
    PARAM(C, buffer, PARAM_SIZE, .fallback = "256 KiB", .least = "64 KiB", .most = "1 GiB",
          .doc = "the global buffer that every read goes to; none is tried with less than 64 KiB "
                 "of it free",
          .source = "MPICH2 1.0.5"),
    PARAM(C, socket_buffer, PARAM_SIZE, .fallback = "233016 B", .most = "1 GiB",
          .doc = "SO_SNDBUF and SO_RCVBUF; 0: the system's",
          .source = "thesis 004, 4.1: 233 KB; read as the constant of MPICH2 1.0.5"),
    PARAM(C, no_delay, PARAM_BOOL, .fallback = "true", .doc = "SCTP_NODELAY",
          .source = "MPICH2 1.0.5"),
    PARAM(C, association_events, PARAM_BOOL, .fallback = "true",
          .doc =
              "the process is told of associations that are lost; false: only of the metadata of "
              "data, so that it learns of a loss from its next send, or never",
          .source = "assumed, so that such a run ends with its reason; thesis 004, 3.2.2: metadata "
                    "only"),
    PARAM(C, cards, PARAM_COUNTS, .fallback = "[]", .most = "7",
          .doc = "the file of interfaces that sctp_bindx binds: cards, counted from 0 among those "
                 "that the stack uses; empty: there is no file, and daemon_card is bound",
          .source = "thesis 004, 3.2.4"),
    PARAM(C, daemon_card, PARAM_COUNT, .fallback = "0", .most = "7",
          .doc = "the card with the address of the process manager's daemon",
          .source = "assumed: the first one"),
    PARAM(C, daemon, PARAM_DURATION, .fallback = "1 ms", .most = "10 s",
          .doc = "a round trip to the process manager's daemon: publishing the business card in "
                 "MPI_Init, looking up a peer's at the first send to it",
          .source = "assumed: a daemon in Python over local sockets"),
    PARAM(C, send, PARAM_COST, .fallback = "400 cycles",
          .doc = "a send: finding VC and stream, building the I/O vector",
          .source = "prior: instructions"),
    PARAM(C, event, PARAM_COST, .fallback = "400 cycles",
          .doc = "an event: queueing it, finding VC and stream of a read, changing their state",
          .source = "prior: instructions"),
    PARAM(C, turn, PARAM_COST, .fallback = "150 cycles",
          .doc = "a turn of the progress engine's loop, without its calls",
          .source = "prior: instructions"),
    {0},
};

const struct param_table ch3_sctp_table =
    PARAM_TABLE(C, ch3_sctp_params, .name = "ch3_sctp", .doc = "MPICH2 1.0.5's channel ch3:sctp");

const struct stage ch3_sctp_stage = {"ch3:sctp", STAGE_LIBRARY};
