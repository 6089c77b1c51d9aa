// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/program/operations.h"

#define LARGEST_TAG "2147483647"

#define TAG(fallback_, word_)                                                                      \
    {                                                                                              \
        .param = PARAM(struct transfer_arguments, tag, PARAM_COUNT, .fallback = (fallback_),       \
                       .most = LARGEST_TAG, .doc = "what receives choose messages by"),            \
        .word = (word_)                                                                            \
    }
#define FROM_ANY                                                                                   \
    {                                                                                              \
        OPERATION_FIELD("from", peer, PARAM_COUNT, .doc = "the source"), .form = OPERATION_RANK,   \
                                                                         .word = "any"             \
    }
#define RECEIVE_BUFFER(struct_)                                                                    \
    {                                                                                              \
        .param = PARAM(struct_, receive_buffer, PARAM_COUNT, .fallback = "",                       \
                       .most = OPERATION_MOST_ADDRESS,                                             \
                       .doc = "address; without it, after the data to be sent")                    \
    }
// Must be given, unlike those of operations that may block.
#define REQUEST                                                                                    \
    {                                                                                              \
        .param = {.name = "request", .doc = "name to wait for"}, .form = OPERATION_REQUEST         \
    }
#define COMM                                                                                       \
    {                                                                                              \
        .param = {.name = "comm",                                                                  \
                  .fallback = "",                                                                  \
                  .doc = "a communicator, whose ranks peers and roots are then"},                  \
        .form = OPERATION_COMMUNICATOR                                                             \
    }
#define END                                                                                        \
    {                                                                                              \
        .param = {.name = NULL }                                                                   \
    }

// ---- Keys ----

#define C struct collective_arguments

static const struct operation_key send_keys[] = {
    OPERATION_KEY_TO, OPERATION_KEY_SIZE, TAG("0", NULL), OPERATION_KEY_BUFFER, COMM, END};

static const struct operation_key isend_keys[] = {
    OPERATION_KEY_TO, OPERATION_KEY_SIZE, TAG("0", NULL), OPERATION_KEY_BUFFER, REQUEST, COMM, END};

static const struct operation_key recv_keys[] = {
    FROM_ANY, OPERATION_KEY_SIZE, TAG("any", "any"), OPERATION_KEY_BUFFER, COMM, END};

static const struct operation_key irecv_keys[] = {
    FROM_ANY, OPERATION_KEY_SIZE, TAG("any", "any"), OPERATION_KEY_BUFFER, REQUEST, COMM, END};

static const struct operation_key probe_keys[] = {FROM_ANY, TAG("any", "any"), COMM, END};

static const struct operation_key sendrecv_keys[] = {
    OPERATION_KEY_TO,
    {.param = {.name = "from",
               .kind = PARAM_COUNT,
               .offset = offsetof(struct sendrecv_arguments, source),
               .doc = "the source"},
     .form = OPERATION_RANK,
     .word = "any"},
    OPERATION_KEY_SIZE,
    TAG("0", NULL),
    OPERATION_KEY_BUFFER,
    RECEIVE_BUFFER(struct sendrecv_arguments),
    COMM,
    END};

static const struct operation_key wait_keys[] = {
    {.param = {.name = "request", .doc = "name of what is waited for"}, .form = OPERATION_AWAITED},
    END};

static const struct operation_key waitall_keys[] = {
    {.param = {.name = "requests", .doc = "a list of names, or all that are open"},
     .form = OPERATION_AWAITED_ALL},
    END};

static const struct operation_key compute_keys[] = {
    {.param = PARAM(struct compute_arguments, time, PARAM_DURATION, .doc = "how long")}, END};

#define ROOT                                                                                       \
    {                                                                                              \
        .param = PARAM(C, root, PARAM_COUNT, .doc = "the rank that has or gets all"),              \
        .form = OPERATION_RANK                                                                     \
    }

static const struct operation_key barrier_keys[] = {COMM, END};

static const struct operation_key bcast_keys[] = {ROOT, OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER,
                                                  COMM, END};

static const struct operation_key rooted_keys[] = {
    ROOT, OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER, RECEIVE_BUFFER(C), COMM, END};

static const struct operation_key all_keys[] = {OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER,
                                                RECEIVE_BUFFER(C), COMM, END};

static const struct operation_key copy_keys[] = {OPERATION_KEY_SIZE, END};

static const struct operation_key memory_keys[] = {
    OPERATION_KEY_SIZE,
    {OPERATION_FIELD("buffer", buffer, PARAM_COUNT, .most = OPERATION_MOST_ADDRESS,
                     .doc = "address")},
    END};

static const struct operation_key loop_keys[] = {
    {.param = PARAM(struct loop_arguments, count, PARAM_COUNT, .doc = "turns"), .clamped = true},
    {.param = {.name = "as", .fallback = "", .doc = "name of the counter, which starts at 0"},
     .form = OPERATION_COUNTER},
    {.param = {.name = "do", .doc = "the operations of a turn"}, .form = OPERATION_BODY},
    END};

static const struct operation_key clock_keys[] = {
    {.param = PARAM(struct clock_arguments, name, PARAM_STRING,
                    .doc = "its name: letters, digits and _"),
     .form = OPERATION_NAME},
    END};

// The name becomes part of a metric's.
static bool check_clock(struct operation_arguments *arguments, char **error)
{
    const char *name = ((const struct clock_arguments *)(const void *)arguments)->name;
    bool right = name && g_ascii_isalpha(name[0]);
    for (const char *at = name; right && *at; at++)
        right = g_ascii_isalnum(*at) || *at == '_';
    if (!right)
        *error = g_strdup("a clock's name begins with a letter and has letters, digits and _");
    return right;
}

// ---- Kinds ----

#define KIND(code_, name_, class_, struct_, keys_, doc_)                                           \
    [code_] = {.name = (name_),                                                                    \
               .doc = (doc_),                                                                      \
               .keys = (keys_),                                                                    \
               .size = sizeof(struct struct_),                                                     \
               .code = (code_),                                                                    \
               .class = (class_)}
#define PLAIN(code_, name_, class_, struct_, keys_, doc_)                                          \
    [code_] = {.name = (name_),                                                                    \
               .doc = (doc_),                                                                      \
               .keys = (keys_),                                                                    \
               .size = sizeof(struct struct_),                                                     \
               .code = (code_),                                                                    \
               .class = (class_),                                                                  \
               .plain = true}
#define CLOCK(code_, name_, doc_)                                                                  \
    [code_] = {.name = (name_),                                                                    \
               .doc = (doc_),                                                                      \
               .keys = clock_keys,                                                                 \
               .size = sizeof(struct clock_arguments),                                             \
               .code = (code_),                                                                    \
               .class = CALL_MEASURE,                                                              \
               .plain = true,                                                                      \
               .complete = check_clock}
#define INTERNAL(code_, name_, class_, struct_, doc_)                                              \
    [code_] = {.name = (name_),                                                                    \
               .doc = (doc_),                                                                      \
               .size = sizeof(struct struct_),                                                     \
               .code = (code_),                                                                    \
               .class = (class_),                                                                  \
               .internal = true}
#define TRANSFER(code_, name_, keys_, doc_)                                                        \
    KIND(code_, name_, CALL_TRANSFER, transfer_arguments, keys_, doc_)
#define COLLECTIVE(code_, name_, keys_, doc_)                                                      \
    KIND(code_, name_, CALL_COLLECTIVE, collective_arguments, keys_, doc_)
#define PLAIN_COLLECTIVE(code_, name_, keys_, doc_)                                                \
    PLAIN(code_, name_, CALL_COLLECTIVE, collective_arguments, keys_, doc_)

const struct operation_kind operation_table[OP_CODES + 1] = {
    TRANSFER(OP_SEND, "send", send_keys, "MPI_Send"),
    TRANSFER(OP_SSEND, "ssend", send_keys, "MPI_Ssend"),
    TRANSFER(OP_ISEND, "isend", isend_keys, "MPI_Isend"),
    TRANSFER(OP_ISSEND, "issend", isend_keys, "MPI_Issend"),
    TRANSFER(OP_RECV, "recv", recv_keys, "MPI_Recv"),
    TRANSFER(OP_IRECV, "irecv", irecv_keys, "MPI_Irecv"),
    TRANSFER(OP_PROBE, "probe", probe_keys, "MPI_Probe: waits for a message and leaves it there"),
    TRANSFER(OP_IPROBE, "iprobe", probe_keys, "MPI_Iprobe: looks once"),
    PLAIN(OP_WAIT, "wait", CALL_WAIT, operation_arguments, wait_keys, "MPI_Wait"),
    PLAIN(OP_WAITALL, "waitall", CALL_WAIT, operation_arguments, waitall_keys, "MPI_Waitall"),
    PLAIN(OP_COMPUTE, "compute", CALL_LOCAL, compute_arguments, compute_keys,
          "the processor works for the program"),
    KIND(OP_SENDRECV, "sendrecv", CALL_SENDRECV, sendrecv_arguments, sendrecv_keys,
         "MPI_Sendrecv, with one size and tag for both"),
    PLAIN_COLLECTIVE(OP_BARRIER, "barrier", barrier_keys, "MPI_Barrier"),
    COLLECTIVE(OP_BCAST, "bcast", bcast_keys, "MPI_Bcast"),
    COLLECTIVE(OP_REDUCE, "reduce", rooted_keys, "MPI_Reduce"),
    PLAIN_COLLECTIVE(OP_ALLREDUCE, "allreduce", all_keys, "MPI_Allreduce"),
    COLLECTIVE(OP_GATHER, "gather", rooted_keys, "MPI_Gather of blocks of a size"),
    COLLECTIVE(OP_SCATTER, "scatter", rooted_keys, "MPI_Scatter of blocks of a size"),
    PLAIN_COLLECTIVE(OP_ALLGATHER, "allgather", all_keys, "MPI_Allgather of blocks of a size"),
    PLAIN_COLLECTIVE(OP_ALLTOALL, "alltoall", all_keys, "MPI_Alltoall, of a size to each peer"),
    PLAIN(OP_COPY, "copy", CALL_LOCAL, operation_arguments, copy_keys, "a copy in memory"),
    KIND(OP_REGISTER, "register", CALL_MEMORY, operation_arguments, memory_keys,
         "registers memory with a bare provider"),
    KIND(OP_DEREGISTER, "deregister", CALL_MEMORY, operation_arguments, memory_keys,
         "takes a registration back"),
    KIND(OP_LOOP, "loop", CALL_LOOP, loop_arguments, loop_keys, "repeats operations"),
    CLOCK(OP_CLOCK, "clock", "sets a clock of the program to zero"),
    CLOCK(
        OP_LAP, "lap",
        "notes the time since the clock was set, or since its lap before: mean, least and greatest "
        "are reported"),
    INTERNAL(OP_MEASURE_START, "measure_start", CALL_MEASURE, operation_arguments,
             "a benchmark's clock starts"),
    INTERNAL(OP_MEASURE_STOP, "measure_stop", CALL_MEASURE, measure_arguments,
             "a benchmark's clock ends"),
    INTERNAL(OP_STREAM_WRITE, "stream_write", CALL_STREAM, operation_arguments,
             "writes until a time is over"),
    INTERNAL(OP_STREAM_READ, "stream_read", CALL_STREAM, operation_arguments,
             "reads all that is written"),
};
