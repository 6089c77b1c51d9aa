// SPDX-License-Identifier: GPL-3.0-or-later
// The collectives of OTF2 archives. A record has two sums: the bytes that the rank sends and
// receives. Score-P counts the bytes to each member, the rank itself too unless the call was in
// place, and so do others; the recorder of examples/mpi does so as if no call was in place, and
// EZTrace has the arguments of the call.
#include "sim/recording/otf2_collectives.h"

#define COLLECTIVE_MOST_BYTES (UINT64_C(1) << 50)

// ---- Sums ----

bool otf2_needs_sums(OTF2_CollectiveOp operation)
{
    return operation == OTF2_COLLECTIVE_OP_GATHERV || operation == OTF2_COLLECTIVE_OP_SCATTERV ||
           operation == OTF2_COLLECTIVE_OP_ALLGATHERV ||
           operation == OTF2_COLLECTIVE_OP_REDUCE_SCATTER || operation == OTF2_COLLECTIVE_OP_SCAN;
}

bool otf2_keep_sums(struct otf2_archive *archive, const struct otf2_collective *collective)
{
    struct otf2_communicator *communicator =
        otf2_communicator(archive, collective->communicator, collective->rank, collective->event);
    if (!communicator || communicator->self)
        return communicator != NULL;
    if (!communicator->sums) {
        communicator->sums = g_array_new(FALSE, FALSE, sizeof(struct otf2_sum));
        communicator->sum_starts = g_array_new(FALSE, TRUE, sizeof(struct otf2_place));
        g_array_set_size(communicator->sum_starts, (guint)otf2_members(communicator));
    }
    guint member = (guint)otf2_member(communicator, collective->rank);
    struct otf2_place *place = &g_array_index(communicator->sum_starts, struct otf2_place, member);
    if (place->count == 0)
        place->start = communicator->sums->len;
    place->count++;
    g_array_append_val(communicator->sums, collective->sum);
    return true;
}

static bool complain(const struct otf2_view *view, const char *hint, const char *what)
{
    otf2_complain_at(view->archive, view->collective->rank, view->collective->event, hint,
                     "%s cannot be replayed: %s", otf2_collective_names[view->own.operation], what);
    return false;
}

// Returns a member's record of the collective; NULL: it called another one, and an error was added.
static const struct otf2_sum *otf2_sum_of(const struct otf2_view *view, int member)
{
    if (member == view->me)
        return &view->own;
    const struct otf2_communicator *one = view->communicator;
    const struct otf2_place *place =
        &g_array_index(one->sum_starts, struct otf2_place, (guint)member);
    const struct otf2_sum *sum =
        view->place < place->count
            ? &g_array_index(one->sums, struct otf2_sum, place->start + view->place)
            : NULL;
    if (sum && sum->operation == view->own.operation && sum->root == view->own.root &&
        sum->sent <= COLLECTIVE_MOST_BYTES && sum->received <= COLLECTIVE_MOST_BYTES)
        return sum;
    otf2_complain_at(view->archive, view->collective->rank, view->collective->event, NULL,
                     "rank %d of communicator %s does not call this %s, or not in the same order",
                     member, one->name, otf2_collective_names[view->own.operation]);
    return NULL;
}

static bool set_blocks(const struct otf2_view *view, const int64_t *blocks)
{
    struct recorded_call *call = view->call;
    call->blocks = blocks;
    call->block_count = view->members;
    call->size = 0;
    for (int i = 0; i < view->members; i++)
        call->size += blocks[i];
    return true;
}

static bool set_size(const struct otf2_view *view, uint64_t size)
{
    view->call->size = (int64_t)size;
    return true;
}

// ---- All alike ----

#define IN_PLACE "with MPI_IN_PLACE its sums would be those of larger blocks, and they fit both"
#define OTHER_RANKS "record it on 4, 8 or 16 ranks: there the sums of most sizes tell"

// A sum of as many blocks as there are members, or of one less: that was in place.
static bool put_symmetric(const struct otf2_view *view)
{
    uint64_t sum = view->own.received, members = (uint64_t)view->members, others = members - 1;
    if (view->archive->eztrace || sum == 0)
        return set_size(view, sum);
    if (sum != view->own.sent)
        return complain(view, NULL, "it sends another sum than it receives");
    bool whole = sum % members == 0,
         in_place = others > 0 && sum % others == 0 && !view->archive->two_buffers;
    if (whole && in_place)
        return complain(view, OTHER_RANKS, IN_PLACE);
    if (!whole && !in_place)
        return complain(view, NULL, "its sums are not those of equal blocks");
    return set_size(view, sum / (whole ? members : others));
}

// The first member's sums show the mode: it receives its own block alone, or nothing if in place.
static bool put_scan(const struct otf2_view *view)
{
    const struct otf2_sum *first = view->members > 1 ? otf2_sum_of(view, 0) : &view->own;
    if (!first)
        return false;
    uint64_t members = (uint64_t)view->members;
    if (view->archive->eztrace)
        return set_size(view, view->own.sent);
    if (first->received > 0)
        return set_size(view, first->received);
    return set_size(view, members > 1 ? first->sent / (members - 1) : 0);
}

// A rank sends to those after it and receives from those before it.
static bool put_exscan(const struct otf2_view *view)
{
    uint64_t before = (uint64_t)view->me, after = (uint64_t)(view->members - 1) - before;
    if (view->archive->eztrace)
        return set_size(view, view->own.sent);
    uint64_t sum = after > 0 ? view->own.sent : view->own.received,
             parts = after > 0 ? after : before;
    return set_size(view, parts > 0 ? sum / parts : 0);
}

// ---- With a root ----

static bool put_bcast(const struct otf2_view *view)
{
    if (view->own.received == 0 && view->own.sent > 0)
        return complain(view, NULL, "the root does not say how much it receives itself");
    return set_size(view, view->own.received);
}

// `each` is what a rank has besides the root, and `root` what the root has of all.
static bool put_rooted(const struct otf2_view *view, uint64_t each, uint64_t root)
{
    uint64_t others = view->archive->eztrace ? 1 : (uint64_t)view->members - 1;
    bool in_place = view->is_root && each == 0 && root > 0 && others > 0;
    return set_size(view, in_place ? root / others : each);
}

static bool put_reduce(const struct otf2_view *view)
{
    return put_rooted(view, view->own.sent, view->own.received);
}

static bool put_scatter(const struct otf2_view *view)
{
    return put_rooted(view, view->own.received, view->own.sent);
}

// The root's blocks are those in the others' records. Its own is empty if it was in place.
static bool put_rooted_blocks(const struct otf2_view *view)
{
    bool gathers = view->own.operation == OTF2_COLLECTIVE_OP_GATHERV;
    int64_t *blocks = view->blocks;
    uint64_t total = 0;
    for (int member = 0; member < view->members; member++) {
        if (!view->is_root && member != view->me)
            continue;
        const struct otf2_sum *sum = otf2_sum_of(view, member);
        if (!sum)
            return false;
        uint64_t block = gathers ? sum->sent : sum->received;
        blocks[member] = (int64_t)block;
        total += block;
    }
    uint64_t stated = gathers ? view->own.received : view->own.sent;
    if (view->is_root && stated != total)
        return complain(view, NULL, "the root's sum is not that of the others' blocks");
    return set_blocks(view, blocks);
}

// ---- All to all, of different blocks ----

// Takes each member's block from its sums, for a call in place or not. Returns false if the sums
// are of no such call. `parts`: how often a member's sum has its block.
static bool blocks_from(const struct otf2_view *view, bool in_place, bool reduces, bool *error)
{
    uint64_t parts = (uint64_t)view->members - (in_place ? 1 : 0), all = 0, total = 0;
    if (view->archive->eztrace)
        parts = 1;
    for (int member = 0; member < view->members; member++) {
        const struct otf2_sum *sum = otf2_sum_of(view, member);
        *error = *error || !sum;
        if (!sum || parts == 0)
            return false;
        uint64_t many = reduces ? sum->received : sum->sent;
        uint64_t whole = (reduces ? sum->sent : sum->received) + (in_place ? many / parts : 0);
        if (many % parts != 0 || (member > 0 && whole != all))
            return false;
        all = whole;
        total += many / parts;
        view->blocks[member] = (int64_t)(many / parts);
    }
    return total == all;
}

static bool otf2_put_blocks(const struct otf2_view *view)
{
    bool reduces = view->own.operation == OTF2_COLLECTIVE_OP_REDUCE_SCATTER, error = false;
    if (view->archive->eztrace && reduces)
        return complain(view, NULL, "EZTrace does not say how much a rank receives");
    bool in_place =
        view->members > 1 && !view->archive->eztrace && blocks_from(view, true, reduces, &error);
    bool whole = !error && blocks_from(view, false, reduces, &error);
    if (error)
        return false;
    bool any = view->own.sent > 0 || view->own.received > 0;
    if (whole && in_place && any)
        return complain(view, OTHER_RANKS, IN_PLACE);
    if (!whole && in_place)
        whole = blocks_from(view, true, reduces, &error);
    return whole ? set_blocks(view, view->blocks)
                 : complain(view, NULL, "its members' sums do not fit together");
}

static bool add_up(const GArray *blocks, uint64_t sum, int members)
{
    for (guint i = 0; i < blocks->len; i++)
        sum -= (uint64_t)g_array_index(blocks, int64_t, i);
    return sum == 0 && blocks->len == (guint)members;
}

// Sums alone suffice only if they are zero: then every block of the member is empty.
static bool put_alltoallv(const struct otf2_view *view)
{
    const GArray *to_each = view->collective->to_each, *from_each = view->collective->from_each;
    bool none = view->own.sent == 0 && view->own.received == 0;
    if (!none && to_each->len == 0)
        return complain(view, "let the program call MPI_Alltoall, or send to each",
                        "the archive has sums alone, and not how much goes to whom");
    if (!none && (!add_up(to_each, view->own.sent, view->members) ||
                  !add_up(from_each, view->own.received, view->members)))
        return complain(view, NULL, "what goes to each member is not what goes to all");
    view->call->receive_blocks = none ? view->blocks : &g_array_index(from_each, int64_t, 0);
    return set_blocks(view, none ? view->blocks : &g_array_index(to_each, int64_t, 0));
}

static bool put_barrier(const struct otf2_view *view)
{
    (void)view;
    return true;
}

// ---- Which of them ----

const char *const otf2_collective_names[] = {
    [OTF2_COLLECTIVE_OP_BARRIER] = "MPI_Barrier",
    [OTF2_COLLECTIVE_OP_BCAST] = "MPI_Bcast",
    [OTF2_COLLECTIVE_OP_GATHER] = "MPI_Gather",
    [OTF2_COLLECTIVE_OP_GATHERV] = "MPI_Gatherv",
    [OTF2_COLLECTIVE_OP_SCATTER] = "MPI_Scatter",
    [OTF2_COLLECTIVE_OP_SCATTERV] = "MPI_Scatterv",
    [OTF2_COLLECTIVE_OP_ALLGATHER] = "MPI_Allgather",
    [OTF2_COLLECTIVE_OP_ALLGATHERV] = "MPI_Allgatherv",
    [OTF2_COLLECTIVE_OP_ALLTOALL] = "MPI_Alltoall",
    [OTF2_COLLECTIVE_OP_ALLTOALLV] = "MPI_Alltoallv",
    [OTF2_COLLECTIVE_OP_ALLTOALLW] = "MPI_Alltoallw",
    [OTF2_COLLECTIVE_OP_ALLREDUCE] = "MPI_Allreduce",
    [OTF2_COLLECTIVE_OP_REDUCE] = "MPI_Reduce",
    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER] = "MPI_Reduce_scatter",
    [OTF2_COLLECTIVE_OP_SCAN] = "MPI_Scan",
    [OTF2_COLLECTIVE_OP_EXSCAN] = "MPI_Exscan",
    [OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK] = "MPI_Reduce_scatter_block",
};

static const struct row {
    OTF2_CollectiveOp operation;
    enum op_code code;
    bool rooted;
    bool (*put)(const struct otf2_view *view);
} rows[] = {
    {OTF2_COLLECTIVE_OP_BARRIER, OP_BARRIER, false, put_barrier},
    {OTF2_COLLECTIVE_OP_BCAST, OP_BCAST, true, put_bcast},
    {OTF2_COLLECTIVE_OP_GATHER, OP_GATHER, true, put_reduce},
    {OTF2_COLLECTIVE_OP_GATHERV, OP_GATHERV, true, put_rooted_blocks},
    {OTF2_COLLECTIVE_OP_SCATTER, OP_SCATTER, true, put_scatter},
    {OTF2_COLLECTIVE_OP_SCATTERV, OP_SCATTERV, true, put_rooted_blocks},
    {OTF2_COLLECTIVE_OP_ALLGATHER, OP_ALLGATHER, false, put_symmetric},
    {OTF2_COLLECTIVE_OP_ALLGATHERV, OP_ALLGATHERV, false, otf2_put_blocks},
    {OTF2_COLLECTIVE_OP_ALLTOALL, OP_ALLTOALL, false, put_symmetric},
    {OTF2_COLLECTIVE_OP_ALLTOALLV, OP_ALLTOALLV, false, put_alltoallv},
    {OTF2_COLLECTIVE_OP_ALLTOALLW, OP_ALLTOALLV, false, put_alltoallv},
    {OTF2_COLLECTIVE_OP_ALLREDUCE, OP_ALLREDUCE, false, put_symmetric},
    {OTF2_COLLECTIVE_OP_REDUCE, OP_REDUCE, true, put_reduce},
    {OTF2_COLLECTIVE_OP_REDUCE_SCATTER, OP_REDUCE_SCATTER, false, otf2_put_blocks},
    {OTF2_COLLECTIVE_OP_SCAN, OP_SCAN, false, put_scan},
    {OTF2_COLLECTIVE_OP_EXSCAN, OP_EXSCAN, false, put_exscan},
    {OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK, OP_REDUCE_SCATTER, false, put_symmetric},
};

static const struct row *find_row(OTF2_CollectiveOp operation)
{
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++)
        if (rows[i].operation == operation)
            return &rows[i];
    return NULL;
}

static bool set_root(struct otf2_view *view)
{
    uint32_t root = view->own.root;
    if (view->communicator->global_ranks && root < (uint32_t)otf2_ranks(view->archive)) {
        int member = otf2_member(view->communicator, (int)root);
        root = member < 0 ? UINT32_MAX : (uint32_t)member;
    }
    view->is_root = root == (uint32_t)view->me;
    view->call->root = (int)root;
    if (root < (uint32_t)view->members)
        return true;
    otf2_complain_at(view->archive, view->collective->rank, view->collective->event, NULL,
                     "root %u is no rank of communicator %s", view->own.root,
                     view->communicator->name);
    return false;
}

bool otf2_collective_call(struct otf2_archive *archive, const struct otf2_collective *collective,
                          guint place, GArray *blocks, struct recorded_call *call)
{
    const struct row *row = find_row(collective->sum.operation);
    struct otf2_communicator *communicator =
        otf2_communicator(archive, collective->communicator, collective->rank, collective->event);
    if (!communicator)
        return false;
    if (!row || collective->sum.sent > COLLECTIVE_MOST_BYTES ||
        collective->sum.received > COLLECTIVE_MOST_BYTES) {
        otf2_complain_at(archive, collective->rank, collective->event, NULL,
                         row ? "the collective is larger than 2^50 bytes"
                             : "collective operation %u is not one of those that are replayed",
                         collective->sum.operation);
        return false;
    }
    struct otf2_view view = {
        .archive = archive,
        .collective = collective,
        .communicator = communicator,
        .own = collective->sum,
        .place = place,
        .members = otf2_members(communicator),
        .me = otf2_member(communicator, collective->rank),
        .call = call,
    };
    g_array_set_size(blocks, 0);
    g_array_set_size(blocks, (guint)view.members);
    view.blocks = &g_array_index(blocks, int64_t, 0);
    call->code = row->code;
    call->communicator = otf2_number(archive, communicator);
    return (!row->rooted || set_root(&view)) && row->put(&view);
}
