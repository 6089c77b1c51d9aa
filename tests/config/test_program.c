// SPDX-License-Identifier: GPL-3.0-or-later
// Programs: operations and their keys, ranks, requests, loops and expressions.
#include "sim/program/program.h"
#include "tests/support/fake_operations.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <string.h>

#define RANKS 4

static struct program *read_text(const char *text, char **complaints)
{
    struct diag_list *diags = diag_list_new();
    struct node *list = node_parse(text, strlen(text), "t.yaml", NULL, diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(list);
    struct program *program = program_read(list, NULL, RANKS, &fake_library, "p", diags);
    *complaints = fake_complaints(diags);
    node_free(list);
    diag_list_free(diags);
    return program;
}

static struct program *read_good(const char *text)
{
    char *complaints;
    struct program *program = read_text(text, &complaints);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    return program;
}

static const struct op *op_at(const GPtrArray *body, guint index)
{
    CU_ASSERT_FATAL(index < body->len);
    return g_ptr_array_index(body, index);
}

static const struct program_part *part_at(const struct program *program, guint index)
{
    CU_ASSERT_FATAL(index < program->parts->len);
    return g_ptr_array_index(program->parts, index);
}

static void test_operations(void)
{
    struct program *program = read_good(
        "- ranks: 0\n"
        "  do:\n"
        "    - isend: {to: 1, size: 64 KiB, tag: 7, request: a}\n"
        "    - irecv: {from: any, tag: any, size: 1 B, request: b}\n"
        "    - wait: a\n"
        "    - waitall: [b, a]\n"
        "    - waitall: all\n"
        "    - loop: {count: 10, as: i, do: [{send: {to: 1, size: \"1 KiB * (i + 1)\"}}]}\n"
        "    - compute: 3 ms\n"
        "    - compute: {time: \"1 ms * rank\"}\n"
        "    - barrier\n"
        "    - barrier: {}\n"
        "    - alltoall: 4 MB\n"
        "    - ssend: {to: (rank + 1) % ranks, size: 0, buffer: 4096}\n"
        "    - probe: {from: 1}\n"
        "    - iprobe: {from: any, tag: 3}\n"
        "    - issend: {to: 1, size: 8 B, request: c}\n"
        "    - recv: {from: 1, size: 8 B}\n"
        "    - wait: {request: a}\n"
        "    - sendrecv: {to: 1, from: any, size: 8 B, buffer: 4096, receive_buffer: 8192}\n"
        "    - bcast: {root: 3, size: 1 KiB}\n"
        "    - reduce: {root: rank % 2, size: 8 B}\n"
        "    - allreduce: 8 B\n"
        "    - allreduce: {size: 8 B, buffer: 4096}\n"
        "    - gather: {root: 0, size: 8 B}\n"
        "    - scatter: {root: 0, size: 8 B}\n"
        "    - allgather: 8 B\n"
        "    - copy: 1 MiB\n"
        "    - register: {size: 1 MiB, buffer: 4096}\n"
        "    - deregister: {size: 1 MiB, buffer: 4096}\n");
    const GPtrArray *body = part_at(program, 0)->body;
    static const enum op_code order[] = {
        OP_ISEND,     OP_IRECV,   OP_WAIT,    OP_WAITALL,   OP_WAITALL, OP_LOOP,     OP_COMPUTE,
        OP_COMPUTE,   OP_BARRIER, OP_BARRIER, OP_ALLTOALL,  OP_SSEND,   OP_PROBE,    OP_IPROBE,
        OP_ISSEND,    OP_RECV,    OP_WAIT,    OP_SENDRECV,  OP_BCAST,   OP_REDUCE,   OP_ALLREDUCE,
        OP_ALLREDUCE, OP_GATHER,  OP_SCATTER, OP_ALLGATHER, OP_COPY,    OP_REGISTER, OP_DEREGISTER};
    SUITE_SAME_INTEGER(body->len, G_N_ELEMENTS(order));
    for (guint i = 0; i < body->len; i++)
        CU_ASSERT_PTR_EQUAL(op_at(body, i)->kind, &operation_table[order[i]]);
    const struct op *isend = op_at(body, 0), *irecv = op_at(body, 1), *loop = op_at(body, 5);
    SUITE_SAME_TEXT(fake_number(isend, "to"), "1");
    SUITE_SAME_TEXT(fake_number(isend, "size"), "65536");
    SUITE_SAME_TEXT(fake_number(isend, "tag"), "7");
    SUITE_SAME_TEXT(fake_number(isend, "buffer"), "any");
    SUITE_SAME_TEXT(isend->name, "a");
    SUITE_SAME_INTEGER(isend->mark.line, 3);
    SUITE_SAME_INTEGER(isend->mark.column, 7);
    SUITE_SAME_INTEGER(isend->plain_mark.column, 19);
    SUITE_SAME_TEXT(fake_number(irecv, "from"), "any");
    SUITE_SAME_TEXT(fake_number(irecv, "tag"), "any");
    SUITE_SAME_TEXT(op_at(body, 2)->name, "a");
    SUITE_SAME_TEXT(op_at(body, 3)->names[0], "b");
    SUITE_SAME_TEXT(op_at(body, 3)->names[1], "a");
    SUITE_SAME_TEXT(op_at(body, 3)->names[2], NULL);
    CU_ASSERT_PTR_NULL(op_at(body, 4)->names);
    SUITE_SAME_TEXT(fake_number(loop, "count"), "10");
    SUITE_SAME_TEXT(loop->name, "i");
    SUITE_SAME_TEXT(fake_number(op_at(loop->body, 0), "size"), "1 KiB * (i + 1)");
    SUITE_SAME_TEXT(fake_number(op_at(body, 6), "time"), "3000000000");
    SUITE_SAME_TEXT(fake_number(op_at(body, 7), "time"), "1 ms * rank");
    SUITE_SAME_INTEGER(
        g_array_index(op_at(body, 7)->computed, struct op_computed, 0).value.mark.column, 23);
    SUITE_SAME_TEXT(fake_number(op_at(body, 10), "size"), "4000000");
    SUITE_SAME_TEXT(fake_number(op_at(body, 11), "to"), "(rank + 1) % ranks");
    SUITE_SAME_TEXT(fake_number(op_at(body, 11), "buffer"), "4096");
    SUITE_SAME_TEXT(fake_number(op_at(body, 12), "tag"), "any");
    const struct op *sendrecv = op_at(body, 17), *bcast = op_at(body, 18);
    SUITE_SAME_TEXT(fake_number(sendrecv, "to"), "1");
    SUITE_SAME_TEXT(fake_number(sendrecv, "from"), "any");
    SUITE_SAME_TEXT(fake_number(sendrecv, "buffer"), "4096");
    SUITE_SAME_TEXT(fake_number(sendrecv, "receive_buffer"), "8192");
    SUITE_SAME_TEXT(fake_number(bcast, "root"), "3");
    SUITE_SAME_TEXT(fake_number(bcast, "size"), "1024");
    SUITE_SAME_TEXT(fake_number(op_at(body, 19), "root"), "rank % 2");
    SUITE_SAME_TEXT(fake_number(op_at(body, 20), "buffer"), "any");
    SUITE_SAME_TEXT(fake_number(op_at(body, 25), "size"), "1048576");
    program_free(program);
}

static void expect_values(const GArray *values, const char *expected)
{
    GString *actual = g_string_new(NULL);
    for (guint i = 0; i < values->len; i++)
        g_string_append_printf(actual, "%s%s", i ? " " : "",
                               g_array_index(values, struct op_value, i).text);
    SUITE_SAME_TEXT(actual->str, expected);
    g_string_free(actual, TRUE);
}

// Operations that only some libraries have.
static void test_library_operations(void)
{
    struct program *program = read_good(
        "- ranks: all\n"
        "  do:\n"
        "    - put: {to: 1, size: 64 KiB, buffer: 4096, peer_buffer: 8192, notify: true,\n"
        "            physical: true, paged: true, channel: 3, request: a}\n"
        "    - get: {from: (rank + 1) % ranks, strided: {counts: [512 B, 16, ranks],\n"
        "            strides: [4 KiB, 1 MiB], peer_strides: [8 KiB, 2 MiB]}}\n"
        "    - accumulate: {to: 0, segments: [{bytes: 8 B, count: 100}, {bytes: 1 KiB, count: "
        "ranks}]}\n"
        "    - fetch_add: 1\n"
        "    - fetch_add: {to: 1, request: b}\n"
        "    - lock: 1\n"
        "    - unlock: {to: rank}\n"
        "    - fence: all\n"
        "    - fence: {to: 2, request: c}\n"
        "    - active_message: {to: 1, size: 0, handler: reply, channel: 0, request: d}\n"
        "    - poll: 1\n"
        "    - call: reset\n"
        "    - call: {name: reset, count: 3, size: 1 KiB}\n"
        "    - waitall: [a, b, c, d]\n");
    static const enum fake_operation order[] = {
        FAKE_PUT,  FAKE_GET,    FAKE_ACCUMULATE, FAKE_FETCH_ADD, FAKE_FETCH_ADD,
        FAKE_LOCK, FAKE_UNLOCK, FAKE_FENCE,      FAKE_FENCE,     FAKE_MESSAGE,
        FAKE_POLL, FAKE_CALL,   FAKE_CALL};
    const GPtrArray *body = part_at(program, 0)->body;
    SUITE_SAME_INTEGER(body->len, G_N_ELEMENTS(order) + 1);
    for (guint i = 0; i < G_N_ELEMENTS(order); i++)
        CU_ASSERT_PTR_EQUAL(op_at(body, i)->kind, &fake_operations[order[i]]);
    const struct op *put = op_at(body, 0), *get = op_at(body, 1), *accumulate = op_at(body, 2);
    const struct fake_transfer *flags = put->arguments;
    CU_ASSERT(flags->notify && flags->physical && flags->paged && !put->layout);
    SUITE_SAME_TEXT(fake_number(put, "peer_buffer"), "8192");
    SUITE_SAME_TEXT(fake_number(put, "channel"), "3");
    SUITE_SAME_TEXT(put->name, "a");
    flags = get->arguments;
    CU_ASSERT_FALSE(flags->notify || flags->physical || flags->paged);
    SUITE_SAME_TEXT(fake_number(get, "from"), "(rank + 1) % ranks");
    expect_values(get->layout->counts, "512 16 ranks");
    expect_values(get->layout->strides, "4096 1048576");
    expect_values(get->layout->peer_strides, "8192 2097152");
    SUITE_SAME_INTEGER(get->layout->sets->len, 0);
    const struct op_segments *set = &g_array_index(accumulate->layout->sets, struct op_segments, 1);
    SUITE_SAME_TEXT(set->bytes.text, "1024");
    SUITE_SAME_TEXT(set->count.text, "ranks");
    SUITE_SAME_TEXT(fake_number(op_at(body, 3), "to"), "1");
    SUITE_SAME_TEXT(fake_number(op_at(body, 7), "to"), "any");
    SUITE_SAME_TEXT(fake_number(op_at(body, 8), "to"), "2");
    SUITE_SAME_TEXT(((const struct fake_call *)op_at(body, 9)->arguments)->function, "reply");
    SUITE_SAME_TEXT(fake_number(op_at(body, 10), "count"), "1");
    SUITE_SAME_TEXT(((const struct fake_call *)op_at(body, 11)->arguments)->function, "reset");
    SUITE_SAME_TEXT(fake_number(op_at(body, 12), "count"), "3");
    program_free(program);
}

static bool has(const struct op_library *library, const char *name)
{
    const struct operation_kind *own = operation_find(operation_table, name);
    return op_library_has(library, own ? own : operation_find(fake_operations, name));
}

static void test_libraries(void)
{
    static const struct operation_kind *const tables[] = {fake_operations, NULL};
    static const char *const some[] = {OPERATIONS_OF_MPI, "put", "fence", NULL};
    const struct op_library usual = {"plain", .all = tables},
                            one_sided = {"armed", some, fake_operations, tables};
    for (int code = 0; code < OP_CODES; code++) {
        CU_ASSERT_TRUE(op_library_has(&usual, &operation_table[code]));
        CU_ASSERT_TRUE(op_library_has(&one_sided, &operation_table[code]));
    }
    for (int code = 0; code < FAKE_OPERATIONS; code++) {
        CU_ASSERT_FALSE(op_library_has(&usual, &fake_operations[code]));
        CU_ASSERT_EQUAL(op_library_has(&one_sided, &fake_operations[code]),
                        code == FAKE_PUT || code == FAKE_FENCE);
    }
    // A library without sends has no collectives either; and another model's put is not its own.
    static const char *const active[] = {"active_message", "poll", NULL};
    const struct op_library messages = {"messages", active, fake_operations, tables},
                            foreign = {"foreign", some, NULL, tables};
    CU_ASSERT_FALSE(has(&messages, "send"));
    CU_ASSERT_FALSE(has(&messages, "barrier"));
    CU_ASSERT_TRUE(has(&messages, "poll"));
    CU_ASSERT_TRUE(has(&messages, "loop"));
    CU_ASSERT_FALSE(has(&foreign, "put"));
    // Programs that a library can't run are refused where the operation stands.
    static const char text[] = "- ranks: 0\n  do:\n    - loop: {count: 2, do: [{get: {from: 1, "
                               "size: 8 B}}]}\n    - fence: all\n";
    const struct {
        const struct op_library *library;
        const char *complaints;
    } expected[] = {
        {&usual, "t.yaml:3:30: error: p[0].do[0].loop.do[0].get: the stack plain has no get (it "
                 "has what every MPI library has: sends, receives, collectives)\n"
                 "t.yaml:4:7: error: p[0].do[1].fence: the stack plain has no fence (it has what "
                 "every MPI library has: sends, receives, collectives)\n"},
        {&messages, "t.yaml:3:30: error: p[0].do[0].loop.do[0].get: the stack messages has no get "
                    "(it has active_message, poll)\n"
                    "t.yaml:4:7: error: p[0].do[1].fence: the stack messages has no fence (it has "
                    "active_message, poll)\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        struct diag_list *diags = diag_list_new();
        struct node *list = node_parse(text, strlen(text), "t.yaml", NULL, diags);
        CU_ASSERT_PTR_NULL(program_read(list, NULL, RANKS, expected[i].library, "p", diags));
        char *complaints = fake_complaints(diags);
        SUITE_SAME_TEXT(complaints, expected[i].complaints);
        g_free(complaints);
        node_free(list);
        diag_list_free(diags);
    }
}

static void expect_ranks(const char *ranks, const char *expected)
{
    char *text = g_strdup_printf("[{ranks: %s, do: []}]", ranks);
    struct program *program = read_good(text);
    const struct program_part *part = part_at(program, 0);
    GString *actual = g_string_new(part->all ? "all" : "");
    for (guint i = 0; i < part->ranks->len; i++)
        g_string_append_printf(actual, "%s%d", actual->len ? " " : "",
                               g_array_index(part->ranks, int, i));
    SUITE_SAME_TEXT(actual->str, expected);
    g_string_free(actual, TRUE);
    program_free(program);
    g_free(text);
}

static void test_ranks(void)
{
    expect_ranks("0", "0");
    expect_ranks("3", "3");
    expect_ranks("1..3", "1 2 3");
    expect_ranks("1 .. 2", "1 2");
    expect_ranks("[3, 0, 3]", "0 3");
    expect_ranks("[2..3, 0..2]", "0 1 2 3");
    expect_ranks("all", "all");
    expect_ranks("[0, all]", "all 0");
}

static int named(const char *text, bool *all)
{
    struct diag_list *diags = diag_list_new();
    struct node *list = node_parse(text, strlen(text), "t.yaml", NULL, diags);
    int count = program_ranks_named(list, all);
    node_free(list);
    diag_list_free(diags);
    return count;
}

static void test_ranks_named(void)
{
    bool all;
    SUITE_SAME_INTEGER(named("[{ranks: 0}, {ranks: [1..3, 2]}]", &all), 4);
    CU_ASSERT_FALSE(all);
    SUITE_SAME_INTEGER(named("[{ranks: all}, {ranks: 1}]", &all), 2);
    CU_ASSERT(all);
    SUITE_SAME_INTEGER(named("[{}, x, {ranks: {}}, {ranks: -3}, {ranks: x..y}]", &all), 1);
    SUITE_SAME_INTEGER(named("{a: 1}", &all), 1);
    CU_ASSERT(named("[{ranks: 99999999999999}]", &all) > 65536);
}

// A list of operations of rank 0.
#define OPS(ops) "[{ranks: 0, do: [" ops "]}]"

static void test_refused(void)
{
    static const struct {
        const char *text, *part;
    } bads[] = {
        {"{}", "t.yaml:1:1: error: p: a list of parts is expected here, not a map"},
        {"[5]", "p[0]: {ranks: …, do: […]} is expected here, not text"},
        {"[{ranks: 0}]", "p[0]: the key do is missing"},
        {"[{do: []}]", "p[0]: the key ranks is missing"},
        {"[{rank: 0, do: []}]", "p[0].rank: unknown key (did you mean ranks?)"},
        {"[{ranks: 4, do: []}]",
         "t.yaml:1:10: error: p[0].ranks: \"4\": there is no such rank (ranks are 0 .. 3)"},
        {"[{ranks: 1..9, do: []}]", "there is no such rank"},
        {"[{ranks: -1, do: []}]", "these are no ranks (write 0, 1..3, a list of such, or all)"},
        {"[{ranks: 3..1, do: []}]", "these are no ranks"},
        {"[{ranks: 1.., do: []}]", "these are no ranks"},
        {"[{ranks: [0, [1]], do: []}]", "p[0].ranks[1]: a rank, a range"},
        {"[{ranks: 0, do: {}}]", "p[0].do: a list of operations is expected here, not a map"},
        {OPS("5"), "p[0].do[0]: unknown operation \"5\""},
        {OPS("snd"), "unknown operation \"snd\" (did you mean send?)"},
        {OPS("{sned: {to: 1}}"),
         "t.yaml:1:19: error: p[0].do[0]: unknown operation \"sned\" (did you mean send?)"},
        {OPS("{}"), "one operation is expected here, not a map with several keys or none"},
        {OPS("{barrier: , compute: 1 s}"),
         "one operation is expected here, not a map with several"},
        {OPS("[barrier]"), "one operation is expected here, not a list"},
        {OPS("measure_start"), "unknown operation \"measure_start\""},
        {OPS("send"), "p[0].do[0].send: a map of arguments is expected here, not nothing"},
        {OPS("{send: 5}"), "a map of arguments is expected here, not text"},
        {OPS("{send: {size: 1 B}}"), "p[0].do[0].send: the key to is missing"},
        {OPS("{send: {to: 1}}"), "one of the keys size, strided and segments is missing"},
        {OPS("{send: {to: 1, sise: 1 B}}"),
         "p[0].do[0].send.sise: unknown key (did you mean size?)"},
        {OPS("{send: {to: 1, size: 1 B, from: 2}}"), "send.from: unknown key"},
        {OPS("{send: {to: 1, size: 1 B, request: a}}"), "send.request: unknown key"},
        {OPS("{send: {to: any, size: 1 B}}"),
         "p[0].do[0].send.to: \"any\": \"any\" is not known here"},
        {OPS("{send: {to: 4, size: 1 B}}"),
         "send.to: \"4\": there is no such rank (ranks are 0 .. 3)"},
        {OPS("{send: {to: 2 + 2, size: 1 B}}"), "send.to: \"2 + 2\": there is no such rank"},
        {OPS("{send: {to: -1, size: 1 B}}"), "\"-1\": the value is negative"},
        {OPS("{send: {to: 1, size: 64}}"), "t.yaml:1:39: error: p[0].do[0].send.size: \"64\": "
                                           "missing unit (write for example 64 B"},
        {OPS("{send: {to: 1, size: 64 us}}"), "us is the unit of a duration"},
        {OPS("{send: {to: 1, size: 64 KB}}"), "unknown unit \"KB\" (write kB or KiB)"},
        {OPS("{send: {to: 1, size: -64 KiB}}"), "the value is negative"},
        {OPS("{send: {to: 1, size: 1 KiB - 2 KiB}}"), "the value is negative"},
        {OPS("{send: {to: 1, size: 1 KiB / 0}}"), "divides by zero"},
        {OPS("{send: {to: 1, size: 1 KiB *}}"), "send.size: \"1 KiB *\": Unexpected end"},
        {OPS("{send: {to: 1, size: 1 KiB * i}}"),
         "\"i\" is not known here; there are rank, ranks,"},
        {OPS("{send: {to: 1, size: [1]}}"),
         "a value or an expression is expected here, not a list"},
        {OPS("{send: {to: 1, size: 0.5 B}}"), "not a whole number of bytes"},
        {OPS("{recv: {from: anyone, size: 1 B}}"), "\"anyone\" is not known here"},
        {OPS("{put: {size: 8 B}}"), "p[0].do[0].put: the key to is missing"},
        {OPS("{put: {to: 1}}"), "t.yaml:1:24: error: p[0].do[0].put: one of the keys size, strided "
                                "and segments is missing"},
        {OPS("{put: {to: 1, size: 8 B, segments: [{bytes: 8 B, count: 1}]}}"),
         "put: size, strided and segments exclude each other"},
        {OPS("{put: {to: 1, strided: [8]}}"),
         "put.strided: {counts: […], strides: […]} is expected here, not a list"},
        {OPS("{put: {to: 1, strided: {counts: [8 B, 2]}}}"), "strided: the key strides is missing"},
        {OPS("{put: {to: 1, strided: {counts: [8 B], strides: [8 B]}}}"),
         "put.strided.counts: 2 to 8 values are expected here, not 1"},
        {OPS("{put: {to: 1, strided: {counts: [8 B, 2], strides: [8 B, 8 B]}}}"),
         "put.strided: 2 counts need 1 strides (one for each count but the first), not 2"},
        {OPS("{put: {to: 1, strided: {counts: [8 B, 2], strides: [8 B], peer_strides: [1 B, 2 "
             "B]}}}"),
         "put.strided: 1 strides, but 2 peer_strides"},
        {OPS("{put: {to: 1, strided: {counts: [8 B, 2 B], strides: [8 B]}}}"),
         "put.strided.counts[1]: \"2 B\": B is the unit of a size"},
        {OPS("{put: {to: 1, strided: {counts: [8, 2], strides: [8 B]}}}"),
         "put.strided.counts[0]: \"8\": missing unit"},
        {OPS("{put: {to: 1, strided: {counts: [8 B, -2], strides: [8 B]}}}"),
         "put.strided.counts[1]: \"-2\": the value is negative"},
        {OPS("{put: {to: 1, strided: {counts: [8 B, 2], strides: [8 B], levels: 1}}}"),
         "put.strided.levels: unknown key"},
        {OPS("{put: {to: 1, segments: []}}"), "put.segments: the list is empty"},
        {OPS("{put: {to: 1, segments: [{bytes: 8 B}]}}"),
         "put.segments[0]: the key count is missing"},
        {OPS("{put: {to: 1, segments: [8]}}"),
         "put.segments[0]: {bytes: …, count: …} is expected here, not text"},
        {OPS("{put: {to: 1, size: 8 B, notify: 1}}"), "true or false is expected here, not \"1\""},
        {OPS("{put: {to: all, size: 8 B}}"), "put.to: \"all\""},
        {OPS("{get: {from: any, size: 8 B}}"), "\"any\" is not known here"},
        {OPS("{get: {to: 1, size: 8 B}}"), "get.to: unknown key"},
        {OPS("{fence: any}"), "\"any\" is not known here"},
        {OPS("{fence: 4}"), "fence: \"4\": there is no such rank (ranks are 0 .. 3)"},
        {OPS("{lock: all}"), "\"all\" is not known here"},
        {OPS("poll"), "poll needs a value"},
        {OPS("{poll: -1}"), "the value is negative"},
        {OPS("{call: }"), "p[0].do[0].call"},
        {OPS("{active_message: {to: 1, size: 0, handler: [1]}}"), "active_message.handler"},
        {OPS("{put: {to: 1, size: 8 B, request: a}}, {wait: b}"),
         "no operation of these ranks starts a request \"b\" (did you mean a?)"},
        {OPS("{compute: 5}"), "p[0].do[0].compute: \"5\": missing unit (write for example 5 us"},
        {OPS("compute"), "compute needs a value"},
        {OPS("{compute: {}}"), "the key time is missing"},
        {OPS("{barrier: now}"), "barrier has no arguments"},
        {OPS("{barrier: {x: 1}}"), "barrier.x: unknown key"},
        {OPS("{wait: a}"), "p[0].do[0].wait: no operation of these ranks starts a request \"a\""},
        {OPS("{isend: {to: 1, size: 1 B, request: abc}}, {wait: abd}"), "(did you mean abc?)"},
        {OPS("{waitall: [x]}"), "p[0].do[0].waitall[0]: no operation of these ranks"},
        {OPS("{bcast: 4 KiB}"), "p[0].do[0].bcast: a map of arguments is expected here, not text"},
        {OPS("{bcast: {size: 1 B}}"), "bcast: the key root is missing"},
        {OPS("{gather: {root: 0}}"), "gather: the key size is missing"},
        {OPS("{scatter: {root: 4, size: 1 B}}"), "ranks are 0 .. 3"},
        {OPS("{reduce: {root: any, size: 1 B}}"), "reduce.root: \"any\""},
        {OPS("{allreduce: {size: 1 B, root: 0}}"), "allreduce.root: unknown key"},
        {OPS("{allgather: 3 us}"), "allgather: \"3 us\""},
        {OPS("{sendrecv: {to: 1, size: 1 B}}"), "sendrecv: the key from is missing"},
        {OPS("{sendrecv: {to: 1, from: 4, size: 1 B}}"), "sendrecv.from: \"4\""},
        {OPS("{sendrecv: {to: any, from: 1, size: 1 B}}"), "sendrecv.to: \"any\""},
        {OPS("{copy: 0 - 1}"), "the value is negative"},
        {OPS("{register: 4 KiB}"), "register: a map of arguments is expected"},
        {OPS("{deregister: {size: 1 B}}"), "deregister: the key buffer is missing"},
        {OPS("{waitall: x}"), "\"all\" or a list of requests is expected here, not text"},
        {OPS("{isend: {to: 1, size: 1 B}}"), "request"},
        {OPS("{isend: {to: 1, size: 1 B, request: ''}}"), "\"\" cannot be a name"},
        {OPS("{loop: {count: 3}}"), "the key do is missing"},
        {OPS("{loop: {do: []}}"), "the key count is missing"},
        {OPS("{loop: {count: -3, do: []}}"), "the value is negative"},
        {OPS("{loop: {count: 3 s, do: []}}"), "s is the unit of a duration"},
        {OPS("{loop: {count: 3, as: rank, do: []}}"),
         "loop.as: \"rank\": the name is already taken"},
        {OPS("{loop: {count: 3, as: 3x, do: []}}"), "\"3x\": cannot be the name of a counter"},
        {OPS("{loop: {count: 3, as: a-b, do: []}}"), "\"a-b\": cannot be the name of a counter"},
        {OPS("{loop: {count: 3, as: max, do: []}}"), "\"max\": cannot be the name of a counter"},
        {OPS("{loop: {count: 3, as: i, do: [{loop: {count: 2, as: i, do: []}}]}}"),
         "already taken"},
        {OPS("{loop: {count: 3, as: i, do: []}}, {compute: 1 us * i}"), "\"i\" is not known here"},
        {OPS("{loop: {count: i, as: i, do: []}}"), "\"i\" is not known here"},
        {"[{ranks: 0, do: [{isend: {to: 1, size: 1 B, request: a}}]}, {ranks: 1, do: [{wait: a}]}]",
         "p[1].do[0].wait: no operation of these ranks"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bads); i++) {
        char *complaints;
        struct program *program = read_text(bads[i].text, &complaints);
        CU_ASSERT_PTR_NULL(program);
        SUITE_CONTAINS(complaints, bads[i].part);
        program_free(program);
        g_free(complaints);
    }
}

static void test_loops(void)
{
    struct program *program = read_good(
        OPS("{loop: {count: ranks, as: i, do: [{loop: {count: i + 1, as: k, do: [{compute: 1 us * "
            "(i + k)}, {isend: {to: k % ranks, size: i B, request: r}}]}}]}}, {wait: r}"));
    const struct op *outer = op_at(part_at(program, 0)->body, 0), *inner = op_at(outer->body, 0);
    SUITE_SAME_TEXT(fake_number(inner, "count"), "i + 1");
    SUITE_SAME_TEXT(fake_number(op_at(inner->body, 0), "time"), "1 us * (i + k)");
    program_free(program);
}

static void test_builders(void)
{
    struct program *program = program_new();
    struct program_part *part = program_add_part(program);
    part->all = true;
    struct op *loop = op_append_loop(part->body, 1000, NULL);
    struct op *send = op_append(loop->body, OP_SEND);
    op_common(send)->size = INT64_MAX;
    SUITE_SAME_TEXT(fake_number(send, "size"), "9223372036854775807");
    SUITE_SAME_TEXT(operation_table[OP_MEASURE_STOP].name, "measure_stop");
    struct op *put = op_append_kind(part->body, &fake_operations[FAKE_PUT]),
              *get = op_append_kind(part->body, &fake_operations[FAKE_GET]);
    op_set_strided(put, 2, (const int64_t[]){512, 3, 4}, (const int64_t[]){1024, 8192}, NULL);
    expect_values(put->layout->counts, "512 3 4");
    expect_values(put->layout->strides, "1024 8192");
    expect_values(put->layout->peer_strides, "1024 8192");
    op_add_segments(get, 8, 100);
    op_add_segments(get, 16, 1);
    SUITE_SAME_INTEGER(get->layout->sets->len, 2);
    program_free(program);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"operations", test_operations},
        {"operations of some libraries", test_library_operations},
        {"libraries and what they lack", test_libraries},
        {"ranks of a part", test_ranks},
        {"the largest rank that is named", test_ranks_named},
        {"bad programs", test_refused},
        {"loops", test_loops},
        {"builders", test_builders},
        {0},
    };
    return suite_run("config: program", cases);
}
