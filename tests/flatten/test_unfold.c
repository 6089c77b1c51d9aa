// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a call: those that run on a device, with charges and slices, and those that are
// read. Programs as a whole are compared with runs in test_flatten.c.
#include "sim/flatten/unfold.h"
#include "tests/support/suite.h"

#define NAME 7 // of a request

static const struct mpi_device_ops no_device;

static const char *name_of(enum flat_kind kind)
{
    static const char *const names[] = {
        [FLAT_SEND] = "send",          [FLAT_RECV] = "recv",         [FLAT_PROBE] = "probe",
        [FLAT_IPROBE] = "iprobe",      [FLAT_WAIT] = "wait",         [FLAT_WAITANY] = "waitany",
        [FLAT_COMPUTE] = "compute",    [FLAT_COPY] = "copy",         [FLAT_REDUCE] = "reduce",
        [FLAT_MEASURE] = "measure",    [FLAT_OTHER] = "other",       [FLAT_CHARGE_CALL] = "call",
        [FLAT_CHARGE_BUILD] = "build", [FLAT_PROGRESS] = "progress", [FLAT_TEST] = "test",
        [FLAT_ROOM] = "room",          [FLAT_ATTACH] = "attach",     [FLAT_DETACH] = "detach",
        [FLAT_FREE] = "free",          [FLAT_ENTER] = "enter",       [FLAT_LEAVE] = "leave",
        [FLAT_SLICE] = "slice",        [FLAT_MEMORY] = "memory",     [FLAT_STREAM] = "stream",
    };
    return names[kind];
}

// The steps of a call with numbers of the requests that they start or wait for: "send 1, wait 1".
static char *steps_of(struct unfold *unfold, const struct op_call *call)
{
    static int device_request;
    GString *text = g_string_new(NULL);
    struct flat_op op;
    enum source_next next;
    unfold_begin(unfold, call);
    while ((next = unfold_next(unfold, &op)) == SOURCE_CALL) {
        g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", name_of(op.kind));
        if (op.request)
            g_string_append_printf(text, " %u", op.request);
        for (int i = 0; i < op.awaited_count; i++)
            g_string_append_printf(text, " %u", op.awaited[i]);
        if (op.request && !op.buffered && op.kind != FLAT_IPROBE)
            unfold_started(unfold, &device_request);
    }
    if (next == SOURCE_WRONG)
        g_string_append_printf(text, "%s%s", text->len > 0 ? ", " : "", op.call->wrong);
    return g_string_free(text, FALSE);
}

struct expected_steps {
    enum op_code code;
    int request;     // NAME, CALL_NO_REQUEST
    bool awaits;     // the call waits for NAME, or starts it
    const char *run; // NULL: as read
    const char *read;
};

// One call after the other, of one rank.
static void check_calls(const struct expected_steps *calls, size_t count, bool run)
{
    struct host host = {.config.memory.page = 4096};
    struct mpi_process process = {.host = &host, .ranks = 2, .ops = &no_device, .heap_end = 4096};
    struct unfold_program program = {.ranks = 2, .schedules = unfold_schedules()};
    struct unfold *unfold = unfold_new(&program, 0, run ? &process : NULL);
    static const int awaited[] = {NAME};
    for (size_t i = 0; i < count; i++) {
        const struct operation_kind *kind = &operation_table[calls[i].code];
        struct operation_arguments *arguments = operation_arguments_new(kind);
        arguments->peer = 1;
        arguments->size = 8;
        const struct op_call call = {.kind = kind,
                                     .arguments = arguments,
                                     .request = calls[i].request,
                                     .awaited = awaited,
                                     .awaited_count = calls[i].awaits};
        char *text = steps_of(unfold, &call);
        SUITE_SAME_TEXT(text, run && calls[i].run ? calls[i].run : calls[i].read);
        g_free(text);
        g_free(arguments);
    }
    unfold_free(unfold);
    g_ptr_array_free(program.schedules, TRUE);
}

#define CHECK_CALLS(calls_)                                                                        \
    do {                                                                                           \
        check_calls(calls_, G_N_ELEMENTS(calls_), true);                                           \
        check_calls(calls_, G_N_ELEMENTS(calls_), false);                                          \
    } while (0)

static void test_blocking(void)
{
    static const struct expected_steps calls[] = {
        {OP_SEND, CALL_NO_REQUEST, false, NULL, "send 1, wait 1"},
        {OP_RECV, CALL_NO_REQUEST, false, NULL, "recv 2, wait 2"},
        {OP_IPROBE, CALL_NO_REQUEST, false, "iprobe 3, progress", "iprobe 3"},
        {OP_SENDRECV, CALL_NO_REQUEST, false, NULL, "recv 4, send 5, wait 4 5"},
        // A library copies what it packs when it starts the send.
        {OP_SENDRECV_REPLACE, CALL_NO_REQUEST, false, "recv 6, send 7, wait 6 7",
         "recv 6, copy, send 7, wait 6 7"},
    };
    CHECK_CALLS(calls);
}

static void test_named(void)
{
    static const struct expected_steps calls[] = {
        {OP_ISEND, NAME, false, "send 1, progress", "send 1"},
        {OP_WAIT, CALL_NO_REQUEST, true, "call, wait 1", "wait 1"},
        {OP_WAIT, CALL_NO_REQUEST, true, "call, wait", ""}, // MPI_REQUEST_NULL
        {OP_IRECV, NAME, false, "recv 2, progress", "recv 2"},
        {OP_TEST, CALL_NO_REQUEST, true, "test 2", ""}, // which finds it open
        {OP_WAITANY, CALL_NO_REQUEST, true, "call, waitany 2", "wait 2"},
    };
    CHECK_CALLS(calls);
}

static void test_persistent(void)
{
    static const struct expected_steps calls[] = {
        {OP_SEND_INIT, NAME, false, "build", ""},
        {OP_START, CALL_NO_REQUEST, true, "call, send 1, progress", "send 1"},
        {OP_WAIT, CALL_NO_REQUEST, true, "call, wait 1", "wait 1"},
        {OP_START, CALL_NO_REQUEST, true, "call, send 2, progress", "send 2"},
        {OP_REQUEST_FREE, CALL_NO_REQUEST, true, "build, free", ""},
        {OP_START, CALL_NO_REQUEST, true,
         "call, the request is not a persistent one (send_init, recv_init)", ""},
    };
    CHECK_CALLS(calls);
}

static void test_buffered(void)
{
    static const struct expected_steps calls[] = {
        {OP_BUFFER_ATTACH, CALL_NO_REQUEST, false, "call, attach", ""},
        {OP_BSEND, CALL_NO_REQUEST, false, "room, copy, send 1, progress", "copy, send 1"},
        {OP_IBSEND, NAME, false, "room, copy, send 2, progress", "copy, send 2"},
        {OP_WAIT, CALL_NO_REQUEST, true, "call, wait 2", ""}, // done from the start
        {OP_BUFFER_DETACH, CALL_NO_REQUEST, false, "call, detach", "wait 1 2"},
        {OP_BUFFER_DETACH, CALL_NO_REQUEST, false, "call, no buffer is attached", ""},
    };
    CHECK_CALLS(calls);
}

static void test_collective(void)
{
    static const struct expected_steps calls[] = {
        {OP_ALLTOALL, CALL_NO_REQUEST, false, "enter, slice, copy, recv 1, send 2, wait 1 2, leave",
         "copy, recv 1, send 2, wait 1 2"},
        {OP_COMM_FREE, CALL_NO_REQUEST, false, "call", ""},
    };
    CHECK_CALLS(calls);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"blocking", test_blocking},     {"named", test_named},
        {"persistent", test_persistent}, {"buffered", test_buffered},
        {"collective", test_collective}, {0},
    };
    return suite_run("flatten: the steps of calls", cases);
}
