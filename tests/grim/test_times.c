// SPDX-License-Identifier: GPL-3.0-or-later
// Times of active messages and remote memory, against each other and in closed form (thesis 003,
// 4.4 and 4.5). Their results are in tests/cases/grim.
#include "tests/support/grim_run.h"
#include "tests/support/suite.h"

#include <string.h>

#define NOTIFIED "{call: {name: notified, count: 1}}"

// A transfer of rank 0 to (from) rank 1, which waits for its word if `wait`.
static struct test_program transfer(const char *operation, bool wait)
{
    return (struct test_program){.ranks = 2, .ops = {operation, wait ? NOTIFIED : NULL}};
}

static double time_of(const struct test_program *program, int rank)
{
    struct program_run *run = grim_run_good(program);
    double time = grim_time(run, rank);
    program_run_free(run);
    return time;
}

// ---- Polling ----

// A message is answered only when the receiver polls: after its computing.
static double answered_after(const char *thread)
{
    const struct test_program program = {
        .ranks = 2,
        .sets = {thread},
        .ops = {"{active_message: {to: 1, size: 4 B, handler: reply}}, {poll: 1}",
                "{compute: 5 ms}, {poll: 1}"},
    };
    return time_of(&program, 0);
}

static double round_trips(const char *thread)
{
    const struct test_program program = {
        .ranks = 2,
        .sets = {thread},
        .ops = {"{loop: {count: 20, do: [{active_message: {to: 1, size: 4 B}}, {poll: 1}]}}",
                "{loop: {count: 20, do: [{poll: 1}, {active_message: {to: 0, size: 4 B}}]}}"},
    };
    return time_of(&program, 0);
}

// grim.am.polling: without a poll there is no answer. grim.am.thread_latency: a polling thread
// answers meanwhile, but makes an exchange of programs that poll slower.
static void polling_thread(void)
{
    CU_ASSERT(answered_after("grim.polling_thread=false") > 5000);
    CU_ASSERT(answered_after("grim.polling_thread=true") < 1000);
    CU_ASSERT(round_trips("grim.polling_thread=true") >
              2 * round_trips("grim.polling_thread=false"));
}

// ---- Remote memory ----

// grim.rm.notify_read: without the word the call returns at once, and the data arrive later.
static void read_silent(void)
{
    struct test_program silent = transfer("{get: {from: 1, size: 60000 B}}", false),
                        notified = transfer("{get: {from: 1, size: 60000 B, notify: true}}", false);
    CU_ASSERT(10 * time_of(&silent, 0) < time_of(&notified, 0));
}

// grim.rm.page_fragmentation: memory that was pinned by page takes a DMA for each page; in closed
// form each of them but the first costs its set-up once more. grim.rm.contiguous_faster: one DMA
// suffices else.
static void page_fragmentation(void)
{
    struct test_program contiguous =
        transfer("{put: {to: 1, size: 32 KiB, notify: true}}, {put: {to: 1, size: 32 KiB, "
                 "notify: true}}",
                 true);
    struct test_program paged =
        transfer("{put: {to: 1, size: 32 KiB, notify: true, paged: true}}, {put: {to: 1, "
                 "size: 32 KiB, notify: true, paged: true}}",
                 true);
    contiguous.ops[1] = paged.ops[1] = NOTIFIED ", " NOTIFIED;
    // No costs of looking and setting up, no bursts, no interrupt, so that nothing else differs.
    static const char *const sets[] = {
        "grim_memory.look=0 ns",        "grim_memory.piece=0 ns",
        "grim_memory.ask=0 ns",         "grim_memory.enter=0 ns",
        "host.bus.read_setup=0",        "host.bus.write_setup=0",
        "lanai9.write_setup=1 us",      "lanai9.bus_hold=4 KiB",
        "grim_memory.translate=0 ns",   "grim_memory.translate_range=0 ns",
        "grim_memory.dynamic_entries=8"};
    memcpy(contiguous.sets, sets, sizeof sets);
    memcpy(paged.sets, sets, sizeof sets);
    struct program_run *runs[2] = {grim_run_good(&contiguous), grim_run_good(&paged)};
    SUITE_SAME_INTEGER(program_counter(runs[1], "GRIM: translation misses"), 1);
    double more = grim_time(runs[1], 1) - grim_time(runs[0], 1);
    // The first write waits for the kernel as well; the second follows it.
    CU_ASSERT(more > 7 * 1.0);
    CU_ASSERT(grim_time(runs[0], 1) < grim_time(runs[1], 1));
    program_run_free(runs[0]);
    program_run_free(runs[1]);
}

// grim.rm.page_fragmentation, exactly: with the translation there already, eight pages take seven
// set-ups of 1 us more.
static void page_fragmentation_exact(void)
{
#define WARM(paged)                                                                                \
    "{put: {to: 1, size: 4 B, notify: true, paged: " paged "}}, barrier, "                         \
    "{put: {to: 1, size: 32 KiB, notify: true, paged: " paged "}}"
    double time[2];
    for (int paged = 0; paged < 2; paged++) {
        const struct test_program program = {
            .ranks = 2,
            .sets = {"grim_memory.look=0 ns", "grim_memory.piece=0 ns", "lanai9.write_setup=1 us",
                     "host.bus.read_setup=0", "host.bus.write_setup=0", "lanai9.bus_hold=4 KiB",
                     "grim.poll=0 ns", "lanai9.idle_turn=0 ns"},
            .ops = {paged ? WARM("true") : WARM("false"),
                    NOTIFIED ", {compute: 1 ms}, barrier, " NOTIFIED},
        };
        struct program_run *run = grim_run_good(&program);
        SUITE_SAME_INTEGER(program_counter(run, "GRIM: translation misses"), paged);
        time[paged] = grim_time(run, 1);
        program_run_free(run);
    }
    // The barrier begins when rank 1 has computed, whose wait for the first word differs as well.
    double first[2];
    for (int paged = 0; paged < 2; paged++) {
        const struct test_program program = {
            .ranks = 2,
            .sets = {"grim_memory.look=0 ns", "grim_memory.piece=0 ns", "lanai9.write_setup=1 us",
                     "host.bus.read_setup=0", "host.bus.write_setup=0", "lanai9.bus_hold=4 KiB",
                     "grim.poll=0 ns", "lanai9.idle_turn=0 ns"},
            .ops = {paged ? "{put: {to: 1, size: 4 B, notify: true, paged: true}}"
                          : "{put: {to: 1, size: 4 B, notify: true}}",
                    NOTIFIED},
        };
        first[paged] = time_of(&program, 1);
    }
    double more = (time[1] - time[0]) - (first[1] - first[0]);
    CU_ASSERT_DOUBLE_EQUAL(more, 7.0, 1e-6);
}

// grim.rm.rmp_faster_than_rmv; grim.rm.contiguous_faster. Half a round trip, by size. An address is
// translated while the data arrive, so that only a word shows the cost of that; and that each page
// has a DMA of its own shows where there are several.
static double remote_time(const char *options, const char *size, int rounds)
{
    char *ping =
        g_strdup_printf("{loop: {count: %d, do: [{put: {to: 1, size: %s, %s}}, " NOTIFIED "]}}",
                        rounds, size, options);
    char *pong =
        g_strdup_printf("{loop: {count: %d, do: [" NOTIFIED ", {put: {to: 0, size: %s, %s}}"
                        "]}}",
                        rounds, size, options);
    const struct test_program program = {.ranks = 2, .ops = {ping, pong}};
    double time = time_of(&program, 0);
    g_free(ping);
    g_free(pong);
    return time;
}

static void fastest(void)
{
    static const char *const sizes[] = {"4 B", "4 KiB", "32 KiB", "64572 B"};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        double physical = remote_time("notify: true, physical: true", sizes[i], 50),
               contiguous = remote_time("notify: true", sizes[i], 50),
               paged = remote_time("notify: true, paged: true", sizes[i], 50);
        CU_ASSERT(i > 0 || physical < contiguous);
        CU_ASSERT(physical < 1.001 * contiguous);
        CU_ASSERT(i == 1 || contiguous < paged);
        CU_ASSERT(contiguous < 1.001 * paged);
    }
}

// grim.rm.two_ops_notify_costlier: a second write for the word alone costs the library and the card
// more than a word inside the first, for a stream and for an exchange of words.
static void two_operations(void)
{
    double inside = remote_time("notify: true", "4 B", 50);
    const struct test_program second = {
        .ranks = 2,
        .ops = {"{loop: {count: 50, do: [{put: {to: 1, size: 4 B}}, {put: {to: 1, size: 0 B, "
                "notify: true}}, " NOTIFIED "]}}",
                "{loop: {count: 50, do: [" NOTIFIED ", {put: {to: 0, size: 4 B}}, {put: {to: 0, "
                "size: 0 B, notify: true}}]}}"},
    };
    CU_ASSERT(inside < time_of(&second, 0));
    const struct test_program one = {
        .ranks = 2,
        .ops = {"{loop: {count: 200, do: [{put: {to: 1, size: 128 B, notify: true}}]}}",
                "{call: {name: notified, count: 200}}"},
    };
    const struct test_program two = {
        .ranks = 2,
        .ops = {"{loop: {count: 200, do: [{put: {to: 1, size: 128 B}}, {put: {to: 1, size: 0 B, "
                "notify: true}}]}}",
                "{call: {name: notified, count: 200}}"},
    };
    CU_ASSERT(time_of(&one, 1) < time_of(&two, 1));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.am.thread_latency", polling_thread},
        {"grim.rm.notify_read: without the word", read_silent},
        {"grim.rm.page_fragmentation", page_fragmentation},
        {"grim.rm.page_fragmentation: in closed form", page_fragmentation_exact},
        {"grim.rm.rmp_faster_than_rmv, grim.rm.contiguous_faster", fastest},
        {"grim.rm.two_ops_notify_costlier", two_operations},
        {0},
    };
    return suite_run("grim: times", cases);
}
