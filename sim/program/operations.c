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
#define END                                                                                        \
    {                                                                                              \
        .param = {.name = NULL }                                                                   \
    }

// ---- Keys ----

#define C struct collective_arguments

static const struct operation_key send_keys[] = {OPERATION_KEY_TO,   OPERATION_KEYS_DATA,
                                                 TAG("0", NULL),     OPERATION_KEY_BUFFER,
                                                 OPERATION_KEY_COMM, END};

static const struct operation_key isend_keys[] = {OPERATION_KEY_TO,
                                                  OPERATION_KEYS_DATA,
                                                  TAG("0", NULL),
                                                  OPERATION_KEY_BUFFER,
                                                  REQUEST,
                                                  OPERATION_KEY_COMM,
                                                  END};

static const struct operation_key recv_keys[] = {FROM_ANY,           OPERATION_KEYS_DATA,
                                                 TAG("any", "any"),  OPERATION_KEY_BUFFER,
                                                 OPERATION_KEY_COMM, END};

static const struct operation_key irecv_keys[] = {FROM_ANY,
                                                  OPERATION_KEYS_DATA,
                                                  TAG("any", "any"),
                                                  OPERATION_KEY_BUFFER,
                                                  REQUEST,
                                                  OPERATION_KEY_COMM,
                                                  END};

static const struct operation_key probe_keys[] = {FROM_ANY, TAG("any", "any"), OPERATION_KEY_COMM,
                                                  END};

#define SENDRECV_FROM                                                                              \
    {                                                                                              \
        .param = {.name = "from",                                                                  \
                  .kind = PARAM_COUNT,                                                             \
                  .offset = offsetof(struct sendrecv_arguments, source),                           \
                  .doc = "the source"},                                                            \
        .form = OPERATION_RANK, .word = "any"                                                      \
    }

#define SENDRECV_OTHER(field_, kind_, most_, doc_)                                                 \
    {                                                                                              \
        .param = PARAM(struct sendrecv_arguments, field_, kind_, .fallback = "", .most = (most_),  \
                       .doc = (doc_))                                                              \
    }

static const struct operation_key sendrecv_keys[] = {
    OPERATION_KEY_TO,
    SENDRECV_FROM,
    OPERATION_KEY_SIZE,
    TAG("0", NULL),
    OPERATION_KEY_BUFFER,
    RECEIVE_BUFFER(struct sendrecv_arguments),
    SENDRECV_OTHER(receive_size, PARAM_SIZE, NULL, "how much is received; without it, as is sent"),
    SENDRECV_OTHER(receive_tag, PARAM_COUNT, LARGEST_TAG,
                   "of what is received; without it, as of what is sent"),
    OPERATION_KEY_COMM,
    END};

static const struct operation_key replace_keys[] = {OPERATION_KEY_TO,
                                                    SENDRECV_FROM,
                                                    OPERATION_KEY_SIZE,
                                                    TAG("0", NULL),
                                                    OPERATION_KEY_BUFFER,
                                                    OPERATION_KEY_COMM,
                                                    END};

static const struct operation_key wait_keys[] = {
    {.param = {.name = "request", .doc = "name of what is waited for"}, .form = OPERATION_AWAITED},
    END};

#define AWAITED_ALL                                                                                \
    {                                                                                              \
        .param = {.name = "requests", .doc = "a list of names, or all that are open"},             \
        .form = OPERATION_AWAITED_ALL                                                              \
    }
#define EVERY                                                                                      \
    {                                                                                              \
        .param =                                                                                   \
            PARAM(struct test_arguments, every, PARAM_DURATION, .fallback = "", .least = "1 ps",   \
                  .doc = "the processor works for so long, and tests again, until it "             \
                         "succeeds; once without it")                                              \
    }

static const struct operation_key test_keys[] = {
    {.param = {.name = "request", .doc = "name of what is tested"}, .form = OPERATION_AWAITED},
    EVERY,
    END};

static const struct operation_key testall_keys[] = {AWAITED_ALL, EVERY, END};

static const struct operation_key request_keys[] = {
    {.param = {.name = "request", .doc = "name of the request"}, .form = OPERATION_AWAITED}, END};

static const struct operation_key startall_keys[] = {
    {.param = {.name = "requests", .doc = "a list of names, or all that are not started"},
     .form = OPERATION_AWAITED_ALL},
    END};

static const struct operation_key attach_keys[] = {OPERATION_KEY_SIZE, END};

static const struct operation_key waitall_keys[] = {AWAITED_ALL, END};

static const struct operation_key compute_keys[] = {
    {.param = PARAM(struct compute_arguments, time, PARAM_DURATION, .doc = "how long")}, END};

#define ROOT                                                                                       \
    {                                                                                              \
        .param = PARAM(C, root, PARAM_COUNT, .doc = "the rank that has or gets all"),              \
        .form = OPERATION_RANK                                                                     \
    }

static const struct operation_key barrier_keys[] = {OPERATION_KEY_COMM, END};

static const struct operation_key bcast_keys[] = {ROOT, OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER,
                                                  OPERATION_KEY_COMM, END};

static const struct operation_key rooted_keys[] = {
    ROOT, OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER, RECEIVE_BUFFER(C), OPERATION_KEY_COMM, END};

static const struct operation_key all_keys[] = {OPERATION_KEY_SIZE, OPERATION_KEY_BUFFER,
                                                RECEIVE_BUFFER(C), OPERATION_KEY_COMM, END};

#define SIZES(name_, doc_)                                                                         \
    {                                                                                              \
        OPERATION_FIELD(name_, size, PARAM_SIZE, .doc = (doc_)), .per_peer = true                  \
    }

static const struct operation_key rooted_blocks_keys[] = {
    ROOT,
    SIZES("sizes", "of a rank's block; an expression may use its rank, peer"),
    OPERATION_KEY_BUFFER,
    RECEIVE_BUFFER(C),
    OPERATION_KEY_COMM,
    END};

static const struct operation_key blocks_keys[] = {
    SIZES("sizes", "of a rank's block; an expression may use its rank, peer"), OPERATION_KEY_BUFFER,
    RECEIVE_BUFFER(C), OPERATION_KEY_COMM, END};

static const struct operation_key reduce_scatter_keys[] = {
    SIZES("size", "of a rank's block of the result; an expression may use its rank, peer"),
    OPERATION_KEY_BUFFER, RECEIVE_BUFFER(C), OPERATION_KEY_COMM, END};

static const struct operation_key communicator_keys[] = {
    {.param = {.name = "comm", .doc = "its name in workload.communicators"},
     .form = OPERATION_COMMUNICATOR},
    END};

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
#define PERSISTENT(code_, name_, keys_, doc_)                                                      \
    KIND(code_, name_, CALL_PERSISTENT, transfer_arguments, keys_, doc_)
#define COLLECTIVE(code_, name_, keys_, doc_)                                                      \
    KIND(code_, name_, CALL_COLLECTIVE, collective_arguments, keys_, doc_)
#define COMMUNICATOR(code_, name_, doc_)                                                           \
    PLAIN(code_, name_, CALL_COMMUNICATOR, operation_arguments, communicator_keys, doc_)
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
    TRANSFER(OP_BSEND, "bsend", send_keys, "MPI_Bsend, from the attached buffer"),
    TRANSFER(OP_IBSEND, "ibsend", isend_keys, "MPI_Ibsend, from the attached buffer"),
    TRANSFER(OP_RSEND, "rsend", send_keys, "MPI_Rsend: its receive must be posted"),
    TRANSFER(OP_IRSEND, "irsend", isend_keys, "MPI_Irsend: its receive must be posted"),
    PERSISTENT(OP_SEND_INIT, "send_init", isend_keys, "MPI_Send_init"),
    PERSISTENT(OP_BSEND_INIT, "bsend_init", isend_keys, "MPI_Bsend_init"),
    PERSISTENT(OP_SSEND_INIT, "ssend_init", isend_keys, "MPI_Ssend_init"),
    PERSISTENT(OP_RSEND_INIT, "rsend_init", isend_keys, "MPI_Rsend_init"),
    PERSISTENT(OP_RECV_INIT, "recv_init", irecv_keys, "MPI_Recv_init"),
    PLAIN(OP_START, "start", CALL_REQUEST, operation_arguments, request_keys, "MPI_Start"),
    PLAIN(OP_STARTALL, "startall", CALL_REQUEST, operation_arguments, startall_keys,
          "MPI_Startall"),
    PLAIN(OP_REQUEST_FREE, "request_free", CALL_REQUEST, operation_arguments, request_keys,
          "MPI_Request_free: what is under way goes on"),
    PLAIN(OP_BUFFER_ATTACH, "buffer_attach", CALL_BUFFER, operation_arguments, attach_keys,
          "MPI_Buffer_attach"),
    PLAIN(OP_BUFFER_DETACH, "buffer_detach", CALL_BUFFER, operation_arguments, NULL,
          "MPI_Buffer_detach: waits until all that is in the buffer has been sent"),
    PLAIN(OP_WAIT, "wait", CALL_WAIT, operation_arguments, wait_keys, "MPI_Wait"),
    PLAIN(OP_WAITALL, "waitall", CALL_WAIT, operation_arguments, waitall_keys, "MPI_Waitall"),
    PLAIN(OP_WAITANY, "waitany", CALL_WAIT, operation_arguments, waitall_keys,
          "MPI_Waitany: the first in the list that is done"),
    PLAIN(OP_WAITSOME, "waitsome", CALL_WAIT, operation_arguments, waitall_keys,
          "MPI_Waitsome: those that are done, at least one"),
    PLAIN(OP_TEST, "test", CALL_WAIT, test_arguments, test_keys, "MPI_Test"),
    PLAIN(OP_TESTALL, "testall", CALL_WAIT, test_arguments, testall_keys,
          "MPI_Testall: all, if they are done, or none"),
    PLAIN(OP_TESTANY, "testany", CALL_WAIT, test_arguments, testall_keys,
          "MPI_Testany: the first in the list that is done, if any"),
    PLAIN(OP_TESTSOME, "testsome", CALL_WAIT, test_arguments, testall_keys,
          "MPI_Testsome: those that are done"),
    PLAIN(OP_COMPUTE, "compute", CALL_LOCAL, compute_arguments, compute_keys,
          "the processor works for the program"),
    KIND(OP_SENDRECV, "sendrecv", CALL_SENDRECV, sendrecv_arguments, sendrecv_keys, "MPI_Sendrecv"),
    KIND(OP_SENDRECV_REPLACE, "sendrecv_replace", CALL_SENDRECV, sendrecv_arguments, replace_keys,
         "MPI_Sendrecv_replace: what is sent is copied first"),
    PLAIN_COLLECTIVE(OP_BARRIER, "barrier", barrier_keys, "MPI_Barrier"),
    COLLECTIVE(OP_BCAST, "bcast", bcast_keys, "MPI_Bcast"),
    COLLECTIVE(OP_REDUCE, "reduce", rooted_keys, "MPI_Reduce"),
    PLAIN_COLLECTIVE(OP_ALLREDUCE, "allreduce", all_keys, "MPI_Allreduce"),
    COLLECTIVE(OP_GATHER, "gather", rooted_keys, "MPI_Gather of blocks of a size"),
    COLLECTIVE(OP_SCATTER, "scatter", rooted_keys, "MPI_Scatter of blocks of a size"),
    PLAIN_COLLECTIVE(OP_ALLGATHER, "allgather", all_keys, "MPI_Allgather of blocks of a size"),
    PLAIN_COLLECTIVE(OP_ALLTOALL, "alltoall", all_keys, "MPI_Alltoall, of a size to each peer"),
    PLAIN_COLLECTIVE(OP_REDUCE_SCATTER, "reduce_scatter", reduce_scatter_keys,
                     "MPI_Reduce_scatter"),
    PLAIN_COLLECTIVE(OP_SCAN, "scan", all_keys, "MPI_Scan"),
    PLAIN_COLLECTIVE(OP_EXSCAN, "exscan", all_keys, "MPI_Exscan"),
    COLLECTIVE(OP_GATHERV, "gatherv", rooted_blocks_keys, "MPI_Gatherv"),
    COLLECTIVE(OP_SCATTERV, "scatterv", rooted_blocks_keys, "MPI_Scatterv"),
    PLAIN_COLLECTIVE(OP_ALLGATHERV, "allgatherv", blocks_keys, "MPI_Allgatherv"),
    PLAIN_COLLECTIVE(OP_ALLTOALLV, "alltoallv", blocks_keys,
                     "MPI_Alltoallv: sizes are those of what goes from rank to peer"),
    COMMUNICATOR(OP_COMM_CREATE, "comm_create",
                 "MPI_Comm_create of a list of ranks: all ranks of the job call it"),
    COMMUNICATOR(OP_COMM_SPLIT, "comm_split", "MPI_Comm_split: all ranks of the job call it"),
    COMMUNICATOR(OP_COMM_DUP, "comm_dup", "MPI_Comm_dup: the ranks of the old one call it"),
    COMMUNICATOR(OP_COMM_FREE, "comm_free", "MPI_Comm_free: its ranks call it"),
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
