// SPDX-License-Identifier: GPL-3.0-or-later
// There is no flow control: what a flood does to a rank that computes, and what would have avoided
// it (thesis 000, 4.3.3, 4.6.1, 5.2).
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

// `count` messages of `size` to a rank that computes meanwhile, and then receives them.
static struct program_run *flood(int count, const char *size, const char *first_set,
                                 const char *second_set)
{
    char *send =
        g_strdup_printf("{loop: {count: %d, do: [{send: {to: 1, size: %s}}]}}", count, size);
    char *receive = g_strdup_printf(
        "{compute: 1 s}, {loop: {count: %d, do: [{recv: {from: 0, size: %s}}]}}", count, size);
    struct test_program program = {
        .ranks = 2, .sets = {first_set, second_set}, .ops = {send, receive}};
    if (!first_set)
        program.sets[0] = second_set, program.sets[1] = NULL;
    struct program_run *run = program_run(&program, 1);
    g_free(send);
    g_free(receive);
    return run;
}

static void expect_completed(struct program_run *run)
{
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
    CU_ASSERT(run->result->ledger_balanced);
    program_run_free(run);
}

static void expect_member(const struct program_run *run, const char *member, const char *expected)
{
    char *value = program_reason(run, member);
    SUITE_SAME_TEXT(value, expected);
    g_free(value);
}

// Fails the case unless the run failed with that kind, and its reason names the receiver, the VI
// and the setting.
static void expect_failed(struct program_run *run, const char *kind, const char *setting,
                          const char *value, const char *in_ledger)
{
    char *books = program_ledger_text(run);
    SUITE_SAME_TEXT(sim_status_name(run->result->status), "failed");
    expect_member(run, "kind", kind);
    expect_member(run, "rank", "1");
    expect_member(run, "peer", "0");
    expect_member(run, "vi", "1");
    expect_member(run, "setting", setting);
    expect_member(run, "value", value);
    SUITE_CONTAINS(books, in_ledger);
    CU_ASSERT_FALSE(run->result->ledger_balanced);
    CU_ASSERT(run->result->ledger.lost > 0);
    g_free(books);
    program_run_free(run);
}

// via.rpi.no_flow_control, via.rpi.flood_crash: fifty messages have a descriptor each, the next has
// none.
static void test_flood(void)
{
    expect_completed(flood(50, "4 B", NULL, NULL));
    expect_failed(flood(51, "4 B", NULL, NULL), "connection_broken", "lam_via.rdescs", "50",
                  "message 51, rank 0 to 1, 4 B: bytes 0..3 lost: receive queue empty\n");
    expect_completed(flood(51, "4 B", "lam_via.rdescs=51", NULL));
}

// via.rpi.fewer_descs_more_crashes: a burst of n breaks the connection exactly if there are fewer
// than n receive descriptors.
static void test_fewer_descriptors(void)
{
    static const int descriptors[] = {1, 2, 5, 10, 20};
    for (size_t i = 0; i < G_N_ELEMENTS(descriptors); i++)
        for (int count = 1; count <= 20; count += 3) {
            char *set = g_strdup_printf("lam_via.rdescs=%d", descriptors[i]);
            struct program_run *run = flood(count, "4 B", set, "lam_via.sdescs=2");
            if (count <= descriptors[i])
                SUITE_SAME_TEXT(sim_status_name(run->result->status), "completed");
            else
                expect_member(run, "kind", "connection_broken");
            program_run_free(run);
            g_free(set);
        }
}

// A send without a descriptor waits, so that a burst that has receive descriptors gets through
// whatever there is of the others, and one that has not breaks the connection all the same.
static void test_send_descriptors(void)
{
    static const char *const sets[] = {"lam_via.sdescs=2", "lam_via.sdescs=3", "lam_via.sdescs=40"};
    for (size_t i = 0; i < G_N_ELEMENTS(sets); i++) {
        expect_completed(flood(20, "4 B", "lam_via.rdescs=20", sets[i]));
        struct program_run *run = flood(20, "4 B", "lam_via.rdescs=19", sets[i]);
        expect_member(run, "kind", "connection_broken");
        program_run_free(run);
    }
}

// via.rpi.short_two_messages: a short message takes two descriptors, so half as many are too many.
static void test_shorts(void)
{
    expect_completed(flood(2, "20 KiB", "lam_via.rdescs=4", "lam_via.area=1 MiB"));
    expect_failed(flood(3, "20 KiB", "lam_via.rdescs=4", "lam_via.area=1 MiB"), "connection_broken",
                  "lam_via.rdescs", "4", "message 3, rank 0 to 1");
    expect_failed(flood(3, "20 KiB", "lam_via.rdescs=5", "lam_via.area=1 MiB"), "connection_broken",
                  "lam_via.rdescs", "5", "message 3, rank 0 to 1");
}

// via.rpi.recv_desc_recycled: a receiver in its calls reposts what it has handled, and no number of
// messages is too many for a few descriptors.
static void test_recycled(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.rdescs=3"},
        .ops = {"{loop: {count: 300, do: [{send: {to: 1, size: 4 KiB}}]}}",
                "{loop: {count: 300, do: [{recv: {from: 0, size: 4 KiB}}]}}"},
    };
    expect_completed(program_run(&program, 1));
}

// via.rpi.progress_only_in_calls: the same number of messages and descriptors, but the receiver
// probes for messages while it computes.
static void test_looks_in_between(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops =
            {"{loop: {count: 8, do: [{loop: {count: 40, do: [{send: {to: 1, size: 4 B}}]}}, "
             "{compute: "
             "100 ms}]}}",
             "{compute: 50 ms}, {loop: {count: 8, do: [{iprobe: {from: 0, tag: 9}}, {compute: 100 "
             "ms}]}}, {loop: {count: 320, do: [{recv: {from: 0, size: 4 B}}]}}"},
    };
    expect_completed(program_run(&program, 1));
}

// An area of 64 KiB holds three messages of 16 KiB with their envelopes; the fourth begins at its
// top again, over the first.
static void test_overrun(void)
{
    expect_completed(flood(3, "16 KiB", NULL, NULL));
    expect_failed(flood(4, "16 KiB", NULL, NULL), "area_overrun", "lam_via.area", "65536",
                  "message 1, rank 0 to 1, 16384 B: bytes 0..16383 lost: overwritten in the RDMA "
                  "area\n");
    expect_completed(flood(4, "16 KiB", "lam_via.area=128 KiB", NULL));
}

// A short message is destroyed by what lies over its body, or over its envelope.
static void test_overrun_short(void)
{
    expect_completed(flood(2, "24 KiB", NULL, NULL));
    expect_failed(flood(3, "24 KiB", NULL, NULL), "area_overrun", "lam_via.area", "65536",
                  "message 1, rank 0 to 1, 24576 B: bytes 0..24575 lost: overwritten");
}

// A short message may fill the area: its body begins at the top again, over its own envelope, which
// a receiver that is there has read by then, and one that computes has not.
static void test_short_fills_area(void)
{
    static const char *const sets[] = {"lam_via.tiny=1 KiB", "lam_via.short=8 KiB",
                                       "lam_via.area=8 KiB", "mvia.largest_transfer=8 KiB"};
    struct test_program program = {
        .ranks = 2,
        .sets = {sets[0], sets[1], sets[2], sets[3]},
        .ops = {"{loop: {count: 5, do: [{send: {to: 1, size: 8 KiB}}, {recv: {from: 1, size: 4 "
                "B}}]}}",
                "{loop: {count: 5, do: [{recv: {from: 0, size: 8 KiB}}, {send: {to: 0, size: 4 "
                "B}}]}}"},
    };
    expect_completed(program_run(&program, 1));
    program.ops[0] = "{compute: 1 ms}, {send: {to: 1, size: 8 KiB}}";
    program.ops[1] = "{compute: 1 s}, {recv: {from: 0, size: 8 KiB}}";
    struct program_run *run = program_run(&program, 1);
    expect_member(run, "kind", "area_overrun");
    program_run_free(run);
}

// Long messages lie in the user's buffer: only their SYNs need area.
static void test_longs_need_no_area(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{isend: {to: 1, size: 1 MiB, request: a}}, {isend: {to: 1, size: 1 MiB, request: "
                "b}}, "
                "{isend: {to: 1, size: 1 MiB, request: c}}, {waitall: all}",
                "{compute: 1 s}, {loop: {count: 3, do: [{recv: {from: 0, size: 1 MiB}}]}}"},
    };
    expect_completed(program_run(&program, 1));
}

// via.rpi.area_upper_bound: with room for the longest short message for each receive descriptor,
// descriptors run out first: a flood of any size breaks the connection and never overruns the area.
static void test_area_upper_bound(void)
{
    static const char *const sizes[] = {"0 B",    "100 B",  "4096 B", "4097 B",
                                        "8000 B", "8192 B", "8193 B"};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        struct test_program program = {
            .ranks = 2,
            .sets = {"lam_via.tiny=4096 B", "lam_via.short=8192 B", "lam_via.rdescs=6",
                     "lam_via.area=49152 B"},
            .ops = {NULL,
                    "{compute: 1 s}, {loop: {count: 9, do: [{recv: {from: 0, size: 9 KiB}}]}}"},
        };
        GString *sends = g_string_new(NULL);
        for (int k = 0; k < 9; k++)
            g_string_append_printf(sends, "{isend: {to: 1, size: %s, request: r%d}}, ", sizes[i],
                                   k);
        g_string_append(sends, "{waitall: all}");
        program.ops[0] = sends->str;
        struct program_run *run = program_run(&program, 1);
        expect_member(run, "kind", "connection_broken");
        program_run_free(run);
        g_string_free(sends, TRUE);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"flood of tiny messages", test_flood},
        {"fewer descriptors", test_fewer_descriptors},
        {"fewer send descriptors", test_send_descriptors},
        {"short messages take two", test_shorts},
        {"descriptors are used again", test_recycled},
        {"looking in between", test_looks_in_between},
        {"overrun by tiny messages", test_overrun},
        {"overrun by short messages", test_overrun_short},
        {"a short message fills the area", test_short_fills_area},
        {"long messages need no area", test_longs_need_no_area},
        {"largest area of use", test_area_upper_bound},
        {0},
    };
    return suite_run("rpi: no flow control", cases);
}
