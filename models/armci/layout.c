// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/armci/layout.h"

#include "models/armci/armci.h"

#include <glib.h>

static const struct stage pack_stage = {"pack", STAGE_LIBRARY};
static const struct stage accumulate_stage = {"accumulate", STAGE_COPY};

#define LAYOUT_WORD 4 // bytes of a pointer and of a C int on the machines of thesis 001

static int levels_of(const struct data_layout *layout)
{
    return layout->kind == DATA_STRIDED ? layout->levels : 0;
}

bool armci_layout_contiguous(const struct data_layout *layout)
{
    return data_layout_blocks(layout) <= 1;
}

// A slice of level l is counts[0] * … * counts[l] bytes. `unit` is the largest slice that fits a
// piece (1 if not even a row does), `span` the slice one level above, in which units are grouped.
static void divide_strided(struct armci_pieces *pieces)
{
    const struct data_layout *layout = pieces->layout;
    int levels = levels_of(layout);
    int64_t slice = levels ? layout->counts[0] : pieces->bytes;
    pieces->unit = 1;
    pieces->span = slice;
    for (int level = 0; slice <= pieces->limit; level++) {
        pieces->unit = slice;
        pieces->span = slice;
        if (level == levels)
            return;
        slice *= layout->counts[level + 1];
        pieces->span = slice;
    }
}

void armci_pieces_init(struct armci_pieces *pieces, const struct data_layout *layout, int64_t bytes,
                       int64_t limit)
{
    g_assert(limit > 0 && bytes >= 0);
    *pieces = (struct armci_pieces){.layout = layout, .bytes = bytes, .limit = limit};
    if (layout->kind != DATA_VECTOR && bytes > 0)
        divide_strided(pieces);
}

static void next_strided(struct armci_pieces *pieces, struct armci_piece *piece)
{
    const struct data_layout *layout = pieces->layout;
    int64_t group = pieces->limit / pieces->unit * pieces->unit,
            left = pieces->span - pieces->offset % pieces->span;
    piece->bytes = MIN(group, left);
    piece->blocks = levels_of(layout) && pieces->unit >= layout->counts[0]
                        ? piece->bytes / layout->counts[0]
                        : 1;
}

// Takes segments of the set that is reached; false if no more fits.
static bool take_segments(struct armci_pieces *pieces, struct armci_piece *piece)
{
    const struct data_segments *set = &pieces->layout->segments[pieces->set];
    int64_t room = pieces->limit - piece->bytes, rest = set->bytes - pieces->within;
    if (pieces->within > 0 || set->bytes > pieces->limit) { // in a segment that is cut
        int64_t taken = MIN(room, rest);
        if (pieces->within == 0 && piece->bytes > 0)
            return false; // it begins with a piece of its own
        piece->bytes += taken;
        piece->blocks++;
        pieces->within += taken;
        pieces->segment += pieces->within == set->bytes;
        pieces->within %= set->bytes;
    } else {
        int64_t taken = MIN(room / set->bytes, set->count - pieces->segment);
        if (taken == 0)
            return false;
        piece->bytes += taken * set->bytes;
        piece->blocks += taken;
        pieces->segment += taken;
    }
    if (pieces->segment == set->count) {
        pieces->set++;
        pieces->segment = 0;
    }
    return true;
}

static void next_vector(struct armci_pieces *pieces, struct armci_piece *piece)
{
    while (pieces->set < pieces->layout->sets && piece->bytes < pieces->limit)
        if (!take_segments(pieces, piece))
            return;
}

bool armci_pieces_next(struct armci_pieces *pieces, struct armci_piece *piece)
{
    if (pieces->ended)
        return false;
    *piece = (struct armci_piece){.offset = pieces->offset};
    if (pieces->bytes > 0 && pieces->layout->kind == DATA_VECTOR)
        next_vector(pieces, piece);
    else if (pieces->bytes > 0)
        next_strided(pieces, piece);
    pieces->offset += piece->bytes;
    pieces->ended = pieces->offset >= pieces->bytes;
    return true;
}

int64_t armci_pieces_count(const struct data_layout *layout, int64_t bytes, int64_t limit)
{
    struct armci_pieces pieces;
    struct armci_piece piece;
    int64_t count = 0;
    armci_pieces_init(&pieces, layout, bytes, limit);
    while (armci_pieces_next(&pieces, &piece))
        count++;
    return count;
}

int64_t armci_layout_descriptor(const struct data_layout *layout)
{
    int64_t words = 2; // address and bytes
    switch (layout->kind) {
    case DATA_CONTIGUOUS:
        break;
    case DATA_STRIDED:
        words += 2 * (int64_t)layout->levels + 1;
        break;
    case DATA_VECTOR:
        for (int set = 0; set < layout->sets; set++)
            words += 2 + layout->segments[set].count;
        break;
    }
    return words * LAYOUT_WORD;
}

int64_t armci_even_limit(int64_t bytes, int64_t limit, int64_t whole, int64_t rest)
{
    int64_t pieces = bytes / limit, left = bytes % limit;
    if (pieces == 0 || pieces >= whole || left == 0 || left >= rest)
        return limit;
    return (bytes + pieces) / (pieces + 1);
}

int64_t armci_user_reuse(int64_t bytes, int64_t buffers, int64_t limit)
{
    return bytes + MIN(bytes, buffers * limit);
}

int64_t armci_buffer_reuse(int64_t bytes, int64_t buffers, int64_t limit)
{
    int64_t pieces = MAX(1, (bytes + limit - 1) / limit);
    int64_t through = buffers / pieces * bytes + MIN(bytes, buffers % pieces * limit);
    return MIN(bytes, through) + through;
}

static void spend_blocks(struct cpu_context *context, const struct armci_piece *piece,
                         struct cost block, struct message_ref message)
{
    cpu_spend_message(context, time_times(piece->blocks, cpu_cost(context->cpu, block)),
                      &pack_stage, message);
}

void armci_copy(struct cpu_context *context, const struct host *host,
                const struct armci_piece *piece, struct copy_reuse reuse, struct cost block,
                struct message_ref message)
{
    if (piece->bytes == 0)
        return;
    spend_blocks(context, piece, block, message);
    mem_copy_within(context, &host->config.memory, piece->bytes, reuse, message);
}

void armci_add(struct cpu_context *context, const struct host *host,
               const struct armci_piece *piece, struct copy_reuse reuse,
               const struct armci_config *config, struct message_ref message)
{
    if (piece->bytes == 0)
        return;
    spend_blocks(context, piece, config->block, message);
    sim_time sums = cpu_cost_of_bytes(context->cpu, config->accumulate_kib, piece->bytes);
    mem_update(context, &host->config.memory, piece->bytes, reuse, sums, &accumulate_stage,
               message);
}
