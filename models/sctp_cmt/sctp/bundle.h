// SPDX-License-Identifier: GPL-3.0-or-later
// Internal to models/sctp_cmt/sctp: packets to a path, filled with control chunks, a SACK and DATA.
#ifndef NETSIM_MODELS_SCTP_BUNDLE_H
#define NETSIM_MODELS_SCTP_BUNDLE_H

#include "models/sctp_cmt/sctp/association.h"

// Builds packets to one path, one after the other; a packet is allocated with its first chunk.
struct sctp_bundle {
    struct cpu_context *context;
    struct sctp_association *association;
    struct sctp_path *path;
    struct packet *packet; // NULL: no chunk yet
    int chunks;
    bool has_data;
};

// True if the packet, or a new one, has room for a chunk of `bytes`.
bool sctp_bundle_fits(const struct sctp_bundle *bundle, int64_t bytes);
// Puts a due SACK and the path's control chunks into packets. The last packet stays open for DATA.
void sctp_bundle_control(struct sctp_bundle *bundle);
// Adds the DATA chunk, which thereby enters the path's flight.
void sctp_bundle_data(struct sctp_bundle *bundle, struct sctp_outgoing *chunk);
// Sends the packet, if there is one. With DATA in it the path's T3-rtx runs.
void sctp_bundle_send(struct sctp_bundle *bundle);

#endif
