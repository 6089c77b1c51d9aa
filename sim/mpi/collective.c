// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/collective.h"

#include "sim/mpi/algorithm.h"

// ---- Building ----

// Whether the library sees at once, in every process, that there is nothing to move.
static bool is_nothing(const struct mpi_collective_call *call, enum mpi_collective collective)
{
    switch (collective) {
    case COLLECTIVE_BCAST:
    case COLLECTIVE_REDUCE:
    case COLLECTIVE_ALLREDUCE:
        return call->size == 0 && !call->library->empty_collectives_send;
    case COLLECTIVE_GATHER:
    case COLLECTIVE_SCATTER:
    case COLLECTIVE_ALLGATHER:
    case COLLECTIVE_ALLTOALL:
    case COLLECTIVE_SCAN:
    case COLLECTIVE_EXSCAN:
        return call->size == 0 && !call->library->empty_blocks_send;
    case COLLECTIVE_REDUCE_SCATTER:
    case COLLECTIVE_ALLGATHERV:
        return mpi_total(call, call->blocks) == 0 && !call->library->empty_blocks_send;
    case COLLECTIVE_BARRIER:
    case COLLECTIVE_GATHERV: // each block by itself
    case COLLECTIVE_SCATTERV:
    case COLLECTIVE_ALLTOALLV:
    case COLLECTIVES:
        break;
    }
    return false;
}

void mpi_collective_build_sized(struct mpi_schedule *schedule, const struct mpi_process *process,
                                const struct mpi_group *group, enum mpi_collective collective,
                                int root, const struct mpi_collective_sizes *sizes)
{
    static const struct mpi_library_config first_rules = {.empty_collectives_send = true,
                                                          .empty_blocks_send = true};
    const struct mpi_library_config *library = process->library ? process->library : &first_rules;
    struct mpi_collective_call call = {
        .library = library,
        .rank = mpi_group_place(group, process->rank),
        .ranks = mpi_group_size(group, process->ranks),
        .root = root,
        .size = sizes->size,
        .segment = library->segment,
        .buffer = BUFFER_SEND,
        .from = {BUFFER_SEND, 0},
        .to = {BUFFER_RECEIVE, 0},
        .blocks = sizes->blocks,
        .receive_blocks = sizes->receive_blocks,
    };
    g_assert(call.rank >= 0);
    mpi_schedule_reset(schedule, group);
    if (!is_nothing(&call, collective))
        mpi_rule_of(library, collective)(schedule, &call);
}

void mpi_collective_build(struct mpi_schedule *schedule, const struct mpi_process *process,
                          const struct mpi_group *group, enum mpi_collective collective, int root,
                          int64_t size)
{
    struct mpi_collective_sizes sizes = {.size = size};
    mpi_collective_build_sized(schedule, process, group, collective, root, &sizes);
}

// ---- Buffers ----

enum buffer_content {
    CONTENT_MESSAGE,        // `size` bytes
    CONTENT_OWN,            // the own block
    CONTENT_ALL,            // all blocks
    CONTENT_RECEIVE_BLOCKS, // all of receive_blocks
    CONTENT_ROOT_ALL,       // all blocks at the root, else none
};

static const struct {
    bool blocks; // that may differ
    enum buffer_content send, receive;
} contents[COLLECTIVES] = {
    [COLLECTIVE_GATHER] = {false, CONTENT_MESSAGE, CONTENT_ALL},
    [COLLECTIVE_SCATTER] = {false, CONTENT_ALL, CONTENT_MESSAGE},
    [COLLECTIVE_ALLGATHER] = {false, CONTENT_MESSAGE, CONTENT_ALL},
    [COLLECTIVE_ALLTOALL] = {false, CONTENT_ALL, CONTENT_ALL},
    [COLLECTIVE_REDUCE_SCATTER] = {true, CONTENT_ALL, CONTENT_OWN},
    [COLLECTIVE_GATHERV] = {true, CONTENT_OWN, CONTENT_ROOT_ALL},
    [COLLECTIVE_SCATTERV] = {true, CONTENT_ROOT_ALL, CONTENT_OWN},
    [COLLECTIVE_ALLGATHERV] = {true, CONTENT_OWN, CONTENT_ALL},
    [COLLECTIVE_ALLTOALLV] = {true, CONTENT_ALL, CONTENT_RECEIVE_BLOCKS},
};

bool mpi_collective_has_blocks(enum mpi_collective collective)
{
    return contents[collective].blocks;
}

static int64_t sum_of(const int64_t *blocks, int ranks, int64_t size)
{
    int64_t sum = 0;
    for (int i = 0; blocks && i < ranks; i++)
        sum += blocks[i];
    return blocks ? sum : size * ranks;
}

static int64_t content_bytes(enum buffer_content content, int rank, int ranks, int root,
                             const struct mpi_collective_sizes *sizes)
{
    switch (content) {
    case CONTENT_MESSAGE:
        return sizes->size;
    case CONTENT_OWN:
        return sizes->blocks ? sizes->blocks[rank] : sizes->size;
    case CONTENT_ALL:
        return sum_of(sizes->blocks, ranks, sizes->size);
    case CONTENT_RECEIVE_BLOCKS:
        return sum_of(sizes->receive_blocks, ranks, sizes->size);
    case CONTENT_ROOT_ALL:
        return rank == root ? sum_of(sizes->blocks, ranks, sizes->size) : 0;
    }
    return 0;
}

int64_t mpi_collective_send_bytes_sized(enum mpi_collective collective, int rank, int ranks,
                                        int root, const struct mpi_collective_sizes *sizes)
{
    return content_bytes(contents[collective].send, rank, ranks, root, sizes);
}

int64_t mpi_collective_receive_bytes_sized(enum mpi_collective collective, int rank, int ranks,
                                           int root, const struct mpi_collective_sizes *sizes)
{
    return content_bytes(contents[collective].receive, rank, ranks, root, sizes);
}

int64_t mpi_collective_send_bytes(enum mpi_collective collective, int ranks, int64_t size)
{
    struct mpi_collective_sizes sizes = {.size = size};
    return mpi_collective_send_bytes_sized(collective, 0, ranks, 0, &sizes);
}

int64_t mpi_collective_receive_bytes(enum mpi_collective collective, int ranks, int64_t size)
{
    struct mpi_collective_sizes sizes = {.size = size};
    return mpi_collective_receive_bytes_sized(collective, 0, ranks, 0, &sizes);
}
