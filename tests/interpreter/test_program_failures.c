// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that fail on a real stack, or are refused: the sentence of each error.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <stdlib.h>

static void expect_failure(const struct test_program *program, const char *expected)
{
    struct program_run *run = program_run(program, 1);
    char *text = program_reason(run, "text");
    CU_ASSERT_NOT_EQUAL(run->result->status, SIM_COMPLETED);
    SUITE_CONTAINS(text, expected);
    g_free(text);
    program_run_free(run);
}

// A name stands for one request at a time, of whatever kind.
static void test_request_still_open(void)
{
    static const char *const kinds[] = {"isend: {to: 1", "issend: {to: 1", "irecv: {from: 1"};
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        char *ops = g_strdup_printf(
            "{loop: {count: 2, do: [{%s, size: 1 B, request: a}}]}}, {wait: a}", kinds[i]);
        struct test_program program = {.ranks = 2, .ops = {ops, "{compute: 1 ms}"}};
        expect_failure(&program, "rank 0: request a is still open");
        g_free(ops);
    }
}

// Values of a tag while the program runs: a valid tag, and never `any`.
static void test_tags(void)
{
    static const struct {
        const char *tag, *said;
    } samples[] = {
        {"rank - 1", "send, rank 0: tag -1 is negative"},
        {"rank - 2", "send, rank 0: tag -2 is negative"},
        {"2147483648 + rank", "send, rank 0: tag 2147483648 is above 2147483647, the largest"},
        {"4294967296 + rank", "send, rank 0: tag 4294967296 is above 2147483647, the largest"},
        {"1 / rank", "send, rank 0: \"1 / rank\" divides by zero or is too large"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *send = g_strdup_printf("{send: {to: 1, size: 1 B, tag: %s}}", samples[i].tag);
        struct test_program program = {.ranks = 2,
                                       .ops = {send, "{recv: {from: 0, tag: any, size: 1 B}}"}};
        expect_failure(&program, samples[i].said);
        g_free(send);
    }
    struct test_program receives = {
        .ranks = 2,
        .ops = {"{recv: {from: 1, tag: rank - 1, size: 1 B}}", "{send: {to: 0, size: 1 B}}"}};
    struct test_program both = {
        .ranks = 2, .all = "{sendrecv: {to: 1 - rank, from: 1 - rank, tag: rank - 1, size: 1 B}}"};
    struct test_program largest = {.ranks = 2,
                                   .ops = {"{send: {to: 1, size: 1 B, tag: 2147483647 - rank}}",
                                           "{recv: {from: 0, tag: 2147483646 + rank, size: 1 B}}"}};
    expect_failure(&receives, "recv, rank 0: tag -1 is negative");
    expect_failure(&both, "sendrecv, rank 0: tag -1 is negative");
    program_run_free(program_run_good(&largest));
}

static void test_registration(void)
{
    struct test_program program = {
        .ranks = 1,
        .ops = {"{register: {size: 1 B * rank, buffer: 0}}"},
    };
    expect_failure(&program, "register, rank 0: 0 B cannot be registered");
    program.ops[0] = "{register: {size: 1 B, buffer: 0}}";
    expect_failure(&program, "does not let programs register memory");
}

// Each library's report of ranks that wait for ever: one sends to itself without a receive, the
// other waits for a message that is never sent.
static void test_deadlocks(void)
{
    static const struct {
        const char *stack, *ranks;
    } samples[] = {
        {"lam_via",
         "[{'rank': 0, 'host': 'node0', 'requests': [{'kind': 'send', 'request': 1, 'peer': 0, "
         "'tag': 3, 'size': 4, 'waits_for': 'the receiver's ACK', 'held_by': 'rank 0', "
         "'pinned_bytes': 0, 'protocol': 'self'}], 'pinned_bytes': 69632, 'pin_limit_bytes': "
         "20971520}, {'rank': 1, 'host': 'node1', 'requests': [{'kind': 'recv', 'request': 1, "
         "'peer': 0, 'tag': 'any', 'size': 8, 'waits_for': 'a matching message', 'held_by': 'rank "
         "0', 'pinned_bytes': 0}], 'pinned_bytes': 69632, 'pin_limit_bytes': 20971520}]"},
        {"mvich", "[{'rank': 0, 'host': 'node0', 'requests': [{'kind': 'send', 'request': 1, "
                  "'peer': 0, 'tag': 3, 'size': 4, 'waits_for': 'a matching receive', 'held_by': "
                  "'rank 0', 'protocol': 'self'}], 'pinned_bytes': 983040, 'pin_limit_bytes': "
                  "20971520, 'vbufs': 512, 'vbufs_free': 428}, {'rank': 1, 'host': 'node1', "
                  "'requests': [{'kind': 'recv', 'request': 1, 'peer': 0, 'tag': 'any', 'size': 8, "
                  "'waits_for': 'a matching message', 'held_by': 'rank 0'}], 'pinned_bytes': "
                  "983040, 'pin_limit_bytes': 20971520, 'vbufs': 512, 'vbufs_free': 428}]"},
        {"lam_tcp",
         "[{'rank': 0, 'host': 'node0', 'requests': [{'kind': 'send', 'request': 1, 'peer': 0, "
         "'tag': 3, 'size': 4, 'waits_for': 'a matching receive of its own', 'held_by': 'rank "
         "0'}]}, {'rank': 1, 'host': 'node1', 'requests': [{'kind': 'recv', 'request': 1, 'peer': "
         "0, 'tag': 'any', 'size': 8, 'waits_for': 'a matching message', 'held_by': 'rank 0'}]}]"},
        {"mpich_p4",
         "[{'rank': 0, 'host': 'node0', 'requests': [{'kind': 'send', 'request': 1, 'peer': 0, "
         "'tag': 3, 'size': 4, 'waits_for': 'a matching receive of its own', 'held_by': 'rank "
         "0'}]}, {'rank': 1, 'host': 'node1', 'requests': [{'kind': 'recv', 'request': 1, 'peer': "
         "0, 'tag': 'any', 'size': 8, 'waits_for': 'a matching message', 'held_by': 'rank 0'}]}]"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct test_program program = {
            .ranks = 2,
            .stack = samples[i].stack,
            .ops = {"{ssend: {to: 0, size: 4 B, tag: 3}}", "{recv: {from: 0, size: 8 B}}"}};
        struct program_run *run = program_run(&program, 1);
        json_t *ranks = json_object_get(run->result->reason, "ranks"), *rank;
        size_t index;
        json_array_foreach(ranks, index, rank)
        {
            json_object_del(rank, "at"); // a line of the machine's text
        }
        char *text = json_dumps(ranks, 0);
        char *told = g_strdelimit(g_strdup(text ? text : ""), "\"", '\'');
        SUITE_SAME_TEXT(told, samples[i].ranks);
        g_free(told);
        free(text);
        program_run_free(run);
    }
}

// The first length that exceeds MPI's count of bytes, or p4's with its header; with the one before
// the rank only waits for a message that never arrives. The compiler refuses what it can evaluate.
static void test_too_long(void)
{
    static const struct {
        const char *stack;
        int64_t longest;
    } samples[] = {{"lam_tcp", INT32_MAX},
                   {"mpich_p4", INT32_MAX - 32},
                   {"lam_via", INT32_MAX},
                   {"mvich", INT32_MAX},
                   {"ch3_sock", INT32_MAX}};
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++)
        for (int more = 0; more <= 1; more++) {
            char *receive = g_strdup_printf("{recv: {from: 0, size: rank * %" G_GINT64_FORMAT "}}",
                                            samples[i].longest + more);
            struct test_program program = {
                .ranks = 2, .stack = samples[i].stack, .ops = {"{compute: 1 ms}", receive}};
            char *said = g_strdup_printf("rank 1: a message of %" G_GINT64_FORMAT
                                         " B is longer than MPI's count of bytes can say",
                                         samples[i].longest + more);
            expect_failure(&program, more ? said : "1 of 2 ranks wait");
            g_free(receive);
            receive = g_strdup_printf("{recv: {from: 0, size: %" G_GINT64_FORMAT " B}}",
                                      samples[i].longest + more);
            program.ops[1] = receive;
            char *complaints = program_complaints(&program);
            SUITE_SAME_INTEGER(strstr(complaints, said + strlen("rank 1: ")) != NULL, more);
            g_free(complaints);
            g_free(said);
            g_free(receive);
        }
}

// The receive of a sendrecv has a length of its own.
static void test_too_long_to_receive(void)
{
    struct test_program program = {
        .ranks = 2,
        .stack = "lam_tcp",
        .ops = {"{compute: 1 ms}", "{sendrecv: {to: 0, from: 0, size: 1 B, receive_size: 2 GiB}}"}};
    char *complaints = program_complaints(&program);
    SUITE_CONTAINS(complaints, "a message of 2147483648 B is longer than MPI's count of bytes");
    g_free(complaints);
}

// The RDMA area and its descriptors can be pinned, and nothing else.
static void test_no_room_for_envelopes(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"host.memory.pin_limit=68 KiB", "lam_via.area=64 KiB"},
        .ops = {"{send: {to: 1, size: 3 KiB}}", "{recv: {from: 0, size: 3 KiB}}"},
    };
    expect_failure(&program, "rank 0 can't pin another envelope buffer: 69632 of 69632 B are "
                             "pinned; a smaller lam_via.area or lam_via.tiny leaves more");
    struct program_run *run = program_run(&program, 1);
    char *pinned = program_reason(run, "pinned_bytes"), *setting = program_reason(run, "setting");
    SUITE_SAME_TEXT(pinned, "69632");
    SUITE_SAME_TEXT(setting, "lam_via.area");
    g_free(pinned);
    g_free(setting);
    program_run_free(run);
}

static void test_pin_limit(void)
{
    struct test_program program = {
        .ranks = 1,
        .sets = {"host.memory.ram=64 MiB", "host.memory.pin_limit=67108865 B"},
        .all = "barrier",
    };
    char *complaints = program_complaints(&program);
    SUITE_CONTAINS(complaints, "pin_limit: a process may pin 67108865 B of 67108864 B of RAM "
                               "(pinned memory is main memory)");
    g_free(complaints);
    program.sets[1] = "host.memory.pin_limit=64 MiB";
    complaints = program_complaints(&program);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a request that is still open", test_request_still_open},
        {"tags", test_tags},
        {"registration by a program", test_registration},
        {"deadlocks", test_deadlocks},
        {"messages that are too long", test_too_long},
        {"a sendrecv that receives too much", test_too_long_to_receive},
        {"no room for envelopes", test_no_room_for_envelopes},
        {"more pinned than there is", test_pin_limit},
        {0},
    };
    return suite_run("workload: failures of programs", cases);
}
