// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/mpich2/ch3/rma.h"

#include "sim/program/operations.h"

#define T struct ch3_transfer_arguments
#define W struct ch3_window_arguments

// MPICH2 1.0.5: MPIDI_Win_create gathers base, size, displacement unit and handle, four words each;
// MPIDI_Win_fence and MPIDI_Win_free sum a count per process.
#define CREATE_BYTES 16
#define FENCE_BYTES 4

#define OPERATION_WINDOW(type)                                                                     \
    {                                                                                              \
        .param = PARAM(type, window, PARAM_STRING, .fallback = "",                                 \
                       .doc = "name of the window; there may be one without"),                     \
        .form = OPERATION_NAME, .report = "window"                                                 \
    }
#define END                                                                                        \
    {                                                                                              \
        .param = {.name = NULL }                                                                   \
    }

#define TRANSFER_KEYS                                                                              \
    OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER, OPERATION_WINDOW(T),                                 \
        {.param =                                                                                  \
             PARAM(T, offset, PARAM_SIZE, .fallback = "0 B", .doc = "in the target's window")},    \
        OPERATION_KEY_COMM, END

static const struct operation_key to_keys[] = {OPERATION_KEY_TO, TRANSFER_KEYS};
static const struct operation_key from_keys[] = {OPERATION_KEY_FROM, TRANSFER_KEYS};

static const struct operation_key create_keys[] = {OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER,
                                                   OPERATION_WINDOW(W), OPERATION_KEY_COMM, END};

static const char *const assertions[] = {"none", "no_precede", "no_succeed", NULL};

static const struct operation_key fence_keys[] = {
    OPERATION_WINDOW(W),
    {.param = PARAM(W, assertion, PARAM_CHOICE, .fallback = "none", .choices = assertions,
                    .doc = "what the program promises: that no operations come before it, or none "
                           "after it")},
    OPERATION_KEY_COMM,
    END};

static const struct operation_key free_keys[] = {OPERATION_WINDOW(W), OPERATION_KEY_COMM, END};

static int64_t fence_bytes(const struct operation_arguments *arguments)
{
    const struct ch3_window_arguments *fence = (const struct ch3_window_arguments *)arguments;
    return fence->assertion == CH3_ASSERT_NO_PRECEDE ? OPERATION_ANY : FENCE_BYTES;
}

// Puts and accumulates to a target keep the order of the calls, gets an order of their own.
enum { ORDER_WRITES, ORDER_READS };

const struct operation_kind ch3_rma_operations[CH3_RMA_KINDS + 1] = {
    OPERATION_TRANSFER(CH3_PUT, "put", T, to_keys, OPERATION_TO_PEER,
                       "writes into the target's window, by the next fence", .order = ORDER_WRITES),
    OPERATION_TRANSFER(CH3_GET, "get", T, from_keys, OPERATION_FROM_PEER,
                       "reads from the target's window, by the next fence", .order = ORDER_READS),
    OPERATION_TRANSFER(CH3_ACCUMULATE, "accumulate", T, to_keys, OPERATION_TO_PEER,
                       "adds to the target's window, by the next fence", .order = ORDER_WRITES),
    [CH3_WIN_CREATE] = {.name = "win_create",
                        .doc = "memory that others may use (MPI_Win_create); all ranks call it",
                        .keys = create_keys,
                        .code = CH3_WIN_CREATE,
                        .size = sizeof(W),
                        .memory = true,
                        .opening = {&operation_table[OP_ALLGATHER], CREATE_BYTES, NULL}},
    [CH3_WIN_FENCE] = {.name = "win_fence",
                       .doc = "ends the epoch of a window and begins the next (MPI_Win_fence); all "
                              "ranks call it",
                       .keys = fence_keys,
                       .code = CH3_WIN_FENCE,
                       .size = sizeof(W),
                       .opening = {&operation_table[OP_REDUCE_SCATTER], FENCE_BYTES, fence_bytes}},
    [CH3_WIN_FREE] = {.name = "win_free",
                      .doc = "gives a window up once its operations are over (MPI_Win_free); all "
                             "ranks call it",
                      .keys = free_keys,
                      .code = CH3_WIN_FREE,
                      .size = sizeof(W),
                      .opening = {&operation_table[OP_REDUCE_SCATTER], FENCE_BYTES, NULL}},
};
