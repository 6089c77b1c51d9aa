// SPDX-License-Identifier: GPL-3.0-or-later
// Remote memory: writes, reads, notification, registered memory and its translation; and the order
// of remote memory and active messages (thesis 003, 4.5).
#include "tests/support/grim_run.h"
#include "tests/support/suite.h"

#include <string.h>

#define REMOTE "remote translation"
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

// ---- Writes ----

// grim.rm.rmv: the receiving card translates the virtual address; what the library has programmed
// for contiguous memory needs no kernel. grim.rm.notify_write: the word behind the data ends the
// receiver's wait (the host sees it in its memory before the firmware hears of the end).
static void write_virtual(void)
{
    struct test_program program = transfer("{put: {to: 1, size: 10000 B, notify: true}}", true);
    program.sets[0] = "grim.poll=0 ns";
    struct program_run *run = grim_run_good(&program);
    GRIM_SAME(run, 0, "put", "put[1] new -> inject\nput[1] inject -> done\n");
    GRIM_SAME(run, 1, REMOTE " call",
              "call[1] new -> count\nremote[0] taken -> storing RM-V write\n"
              "call[1] count -> done\nremote[0] storing -> done RM-V write\n");
    SUITE_SAME_INTEGER(program_counter(run, "GRIM: translations"), 2); // of data and word
    SUITE_SAME_INTEGER(program_counter(run, "GRIM: translation misses"), 0);
    program_run_free(run);
}

// grim.rm.rmp: a physical address is not translated, also where the cache has no entry at all; and
// it may be that of a peripheral device.
static void write_physical(void)
{
    struct test_program program =
        transfer("{put: {to: 1, size: 10000 B, notify: true, physical: true}}, "
                 "{put: {to: 1, size: 64 B, physical: true, peer_buffer: 1073741824}}",
                 true);
    program.sets[0] = "grim_memory.static_entries=0";
    struct program_run *run = grim_run_good(&program);
    GRIM_SAME(run, 1, REMOTE,
              "remote[0] taken -> storing RM-P write\nremote[0] taken -> storing RM-P write\n"
              "remote[0] storing -> done RM-P write\nremote[0] storing -> done RM-P write\n");
    SUITE_SAME_INTEGER(program_counter(run, "GRIM: translations"), 0);
    SUITE_SAME_INTEGER(program_counter(run, "GRIM: writes to peripherals"), 1);
    program_run_free(run);
}

// grim.rm.notify_write: without a word nobody is told.
static void write_silent(void)
{
    const struct test_program program = transfer("{put: {to: 1, size: 10000 B}}", true);
    struct program_run *run = grim_run(&program);
    char *ranks = program_reason(run, "ranks");
    SUITE_CONTAINS(ranks, "words of notification");
    CU_ASSERT(run->result->ledger_balanced); // the data are there all the same
    g_free(ranks);
    program_run_free(run);
}

// A longer transfer goes in several messages; only the last one carries the word.
static void write_long(void)
{
    const struct test_program program =
        transfer("{put: {to: 1, size: 200000 B, notify: true}}", true);
    struct program_run *run = grim_run_good(&program);
    SUITE_SAME_INTEGER(program_run_count(run, 1, "storing -> done RM-V"), 4);
    program_run_free(run);
}

// ---- Reads ----

// grim.rm.rmrv: the target's card fetches and replies, without its host; the requester's stores,
// and only then is the request acknowledged. grim.rm.notify_read: the requester's own word ends the
// call.
static void read_virtual(void)
{
    const struct test_program program =
        transfer("{get: {from: 1, size: 6000 B, notify: true}}", false);
    struct program_run *run = grim_run_good(&program);
    GRIM_SAME(run, 1, REMOTE " handler",
              "handler[0] waiting -> running publish names\n"
              "handler[0] running -> done publish names\n"
              "remote[0] taken -> fetching RM-RV read\nremote[0] fetching -> replied RM-RV read\n");
    GRIM_SAME(run, 0, "get",
              "get[1] new -> inject\nget[1] inject -> wait_word\nget[1] wait_word -> done\n");
    char *text = program_run_text(run, 0, "remote message");
    const char *taken = strstr(text, "remote[1] taken -> storing RM-RV reply\n"),
               *acknowledged = strstr(text, "message[2] sent -> acknowledged\n");
    CU_ASSERT_PTR_NOT_NULL_FATAL(taken);
    CU_ASSERT_PTR_NOT_NULL_FATAL(acknowledged);
    CU_ASSERT(taken < acknowledged);
    g_free(text);
    program_run_free(run);
}

// grim.rm.notify_read: without the word the call returns at once, and the data come when they do.
static void read_silent(void)
{
    struct test_program silent = transfer("{get: {from: 1, size: 60000 B}}", false),
                        notified = transfer("{get: {from: 1, size: 60000 B, notify: true}}", false);
    CU_ASSERT(10 * time_of(&silent, 0) < time_of(&notified, 0));
}

// A reply that finds no room on the target's card: the read is refused until there is some.
static void read_without_room(void)
{
    const struct test_program program = {
        .ranks = 2,
        .sets = {"grim_ni.queue=8 KiB", "grim.part=4 KiB"},
        .ops = {"{loop: {count: 8, do: [{get: {from: 1, size: 7 KiB}}]}}, "
                "{get: {from: 1, size: 4 B, notify: true}}",
                "{loop: {count: 20, do: [{put: {to: 0, size: 4 KiB}}]}}"},
        .all = "barrier",
    };
    struct program_run *run = grim_run_good(&program);
    CU_ASSERT(program_counter(run, "GRIM: messages refused") > 0);
    program_run_free(run);
}

// ---- Registered memory ----

// grim.rm.registered_only: what is not registered is named as such, and so is what no longer is;
// after registering it the same write is good.
static void registered_only(void)
{
#define PUT_AT "{put: {to: 1, size: 4 KiB, peer_buffer: 805306368, notify: true}}"
#define MEMORY "size: 8 KiB, buffer: 805306368"
    const struct test_program program = transfer(PUT_AT, true);
    GRIM_FAILS(&program, "not_registered", "names address 805306368");
    // Who asked is told, and who was asked.
    const struct test_program back = {
        .ranks = 3, .ops = {[2] = "{put: {to: 1, size: 64 B, peer_buffer: 805306368}}"}};
    const struct test_program read = {
        .ranks = 3, .ops = {[2] = "{get: {from: 1, size: 64 B, peer_buffer: 805306368}}"}};
    GRIM_FAILS(&back, "not_registered", "rank 1: an RM-V write of rank 2 names address 805306368");
    GRIM_FAILS(&read, "not_registered", "rank 1: an RM-RV read of rank 2 names address 805306368");
    const struct test_program beyond = transfer("{put: {to: 1, size: 2 MiB, notify: true}}", true);
    GRIM_FAILS(&beyond, "not_registered", "grim_memory.arena");
    const struct test_program registered = {
        .ranks = 2,
        .ops = {"barrier, " PUT_AT, "{register: {" MEMORY "}}, barrier, " NOTIFIED},
    };
    program_run_free(grim_run_good(&registered));
    const struct test_program gone = {
        .ranks = 2,
        .ops = {"barrier, " PUT_AT,
                "{register: {" MEMORY "}}, {deregister: {" MEMORY "}}, barrier, " NOTIFIED},
    };
    GRIM_FAILS(&gone, "not_registered", "rank 1");
    const struct test_program physical = {
        .ranks = 2,
        .ops = {"{put: {to: 1, size: 4 B, peer_buffer: 268435456, physical: true}}"},
        .all = "barrier",
    };
    GRIM_FAILS(&physical, "not_registered", "RM-P write");
    GRIM_FAILS((&(const struct test_program){
                   .ranks = 2, .ops = {"{register: {size: 64 MiB, buffer: 805306368}}"}}),
               "out_of_registered_memory", "grim_memory.regions");
    GRIM_FAILS(
        (&(const struct test_program){.ranks = 2,
                                      .sets = {"grim_memory.registration=paged"},
                                      .ops = {"{register: {size: 64 MiB, buffer: 805306368}}"}}),
        "out_of_registered_memory", "host.memory.pin_limit");
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
    // The first write waits for the kernel as well; the second comes behind it.
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

// grim.rm.translation_miss: a request by DMA into the kernel's memory, an interrupt, the answer
// written to the card; then the write goes on. The next one finds the translation.
static void translation_miss(void)
{
    const struct test_program program = {
        .ranks = 2,
        .ops = {"{put: {to: 1, size: 8 KiB, paged: true}}, "
                "{put: {to: 1, size: 8 KiB, paged: true, notify: true}}",
                NOTIFIED},
    };
    struct program_run *run = grim_run_good(&program);
    GRIM_SAME(run, 1, REMOTE,
              "translation[0] translated -> request_dma RM-V write\n"
              "remote[0] taken -> translating RM-V write\n"
              "translation[0] request_dma -> interrupt RM-V write\n"
              "translation[0] interrupt -> answer RM-V write\n"
              "translation[0] answer -> translated RM-V write\n"
              "remote[0] translating -> storing RM-V write\n"
              "remote[0] taken -> storing RM-V write\nremote[0] storing -> done RM-V write\n"
              "remote[0] storing -> done RM-V write\n");
    SUITE_SAME_INTEGER(program_counter(run, "GRIM: translation interrupts"), 1);
    program_run_free(run);
}

// grim.rm.translation_cache: without static entries contiguous memory misses as well, once; a
// dynamic region of one entry misses each time when two blocks take turns.
static void translation_cache(void)
{
    static const char *const turns =
        "{loop: {count: 5, do: [{put: {to: 1, size: 4 B, paged: true}}, {put: {to: 1, size: 4 "
        "B}}]}}, {put: {to: 1, size: 4 B, paged: true, notify: true}}";
    static const struct {
        const char *statics, *dynamics;
        int64_t misses;
    } rows[] = {
        {"grim_memory.static_entries=16", "grim_memory.dynamic_entries=32", 1},
        {"grim_memory.static_entries=16", "grim_memory.dynamic_entries=1", 1},
        {"grim_memory.static_entries=0", "grim_memory.dynamic_entries=32", 2},
        // Ten in turn; the last needs the page once more and then the word, which is behind it.
        {"grim_memory.static_entries=0", "grim_memory.dynamic_entries=1", 12},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct test_program program = transfer(turns, true);
        program.sets[0] = rows[i].statics;
        program.sets[1] = rows[i].dynamics;
        struct program_run *run = grim_run_good(&program);
        SUITE_SAME_INTEGER(program_counter(run, "GRIM: translation misses"), rows[i].misses);
        program_run_free(run);
    }
}

// A message whose translation needs more ranges than an entry holds asks several times, also when
// the cache is too small for all of them at once.
static void many_windows(void)
{
    struct test_program program =
        transfer("{put: {to: 1, size: 40 KiB, paged: true, notify: true}}", true);
    program.sets[0] = "grim_memory.entry_ranges=2";
    program.sets[1] = "grim_memory.dynamic_entries=1";
    struct program_run *run = grim_run_good(&program);
    SUITE_SAME_INTEGER(program_counter(run, "GRIM: translation misses"), 5);
    program_run_free(run);
}

// ---- Costs ----

// grim.rm.rmp_faster_than_rmv; grim.rm.contiguous_faster. Half a round trip, by size. An address is
// translated while the data come in, so that only a word shows what that costs; and that each page
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

// ---- Order ----

#define MESSAGE "{active_message: {to: 1, size: 4 B}}"
#define WRITE "{put: {to: 1, size: 4 KiB, notify: true}}"

static struct program_run *late_poll(const char *ops, const char *set)
{
    const struct test_program program = {
        .ranks = 2, .sets = {set}, .ops = {ops, "{compute: 1 ms}, {poll: 2}, " NOTIFIED}};
    return grim_run_good(&program);
}

// grim.order.rm_passes_am: the write is done before the handlers of the messages that were injected
// before it have run. grim.order.strict_alternative: with strict order the card keeps it back until
// the endpoint's queue is empty, at the price of sending it again.
static void write_passes_message(void)
{
    struct program_run *relaxed = late_poll(MESSAGE ", " MESSAGE ", " WRITE, NULL),
                       *strict =
                           late_poll(MESSAGE ", " MESSAGE ", " WRITE, "grim_memory.order=strict");
    GRIM_SAME(relaxed, 1, "remote handler poll",
              "handler[0] waiting -> running publish names\n"
              "handler[0] running -> done publish names\n"
              "remote[0] taken -> storing RM-V write\nremote[0] storing -> done RM-V write\n"
              "poll[1] new -> count\nhandler[1] waiting -> running nop\n"
              "handler[1] running -> done nop\nhandler[2] waiting -> running nop\n"
              "handler[2] running -> done nop\npoll[1] count -> done\n");
    char *text = program_run_text(strict, 1, "remote handler");
    SUITE_CONTAINS(text, "handler[2] running -> done nop\nremote[0] taken");
    g_free(text);
    CU_ASSERT(program_counter(strict, "GRIM: messages refused") > 0);
    SUITE_SAME_INTEGER(program_counter(relaxed, "GRIM: messages refused"), 0);
    program_run_free(relaxed);
    program_run_free(strict);
}

// grim.order.rm_passes_am, the other three: a message does not pass a write before it, even if that
// waits for the kernel; messages keep their order, and so do writes.
static void message_after_write(void)
{
    const struct test_program program = {
        .ranks = 2,
        .ops = {"{put: {to: 1, size: 40 KiB, paged: true}}, " MESSAGE
                ", {put: {to: 1, size: 20 KiB, paged: true}}, {put: {to: 1, size: 4 B}}, " MESSAGE,
                "{poll: 2}"},
    };
    struct program_run *run = grim_run_good(&program);
    char *text = program_run_text(run, 1, "remote handler");
    const char *stored = strstr(text, "remote[0] storing -> done"),
               *handled = strstr(text, "handler[1] waiting -> running nop");
    CU_ASSERT_PTR_NOT_NULL_FATAL(stored);
    CU_ASSERT_PTR_NOT_NULL_FATAL(handled);
    CU_ASSERT(stored < handled);
    g_free(text);
    SUITE_SAME_INTEGER((long long)run->result->ledger.misordered, 0);
    program_run_free(run);
}

// grim.multi.type_dispatch: both interfaces' messages come through one channel in one sequence, and
// each goes where its type says.
static void type_dispatch(void)
{
    const struct test_program program = {
        .ranks = 2,
        .ops = {MESSAGE ", " WRITE ", {put: {to: 1, size: 4 B, physical: true}}, "
                        "{get: {from: 1, size: 4 B, notify: true}}, " MESSAGE,
                "{poll: 2}, " NOTIFIED},
    };
    struct program_run *run = grim_run_good(&program);
    GRIM_SAME(run, 1, "receiver",
              "receiver[0] expecting -> expecting 0 from endpoint 0 accepted\n"
              "receiver[1] expecting -> expecting 1 from endpoint 0 accepted\n"
              "receiver[2] expecting -> expecting 2 from endpoint 0 accepted\n"
              "receiver[3] expecting -> expecting 3 from endpoint 0 accepted\n"
              "receiver[4] expecting -> expecting 4 from endpoint 0 accepted\n"
              "receiver[5] expecting -> expecting 5 from endpoint 0 accepted\n");
    SUITE_SAME_INTEGER(program_run_count(run, 1, "-> running nop"), 2);
    SUITE_SAME_INTEGER(program_run_count(run, 1, "-> done RM-V write"), 1);
    SUITE_SAME_INTEGER(program_run_count(run, 1, "-> done RM-P write"), 1);
    SUITE_SAME_INTEGER(program_run_count(run, 1, "-> replied RM-RV read"), 1);
    SUITE_SAME_INTEGER(program_run_count(run, 0, "-> done RM-RV reply"), 1);
    program_run_free(run);
}

// What a program asks for and a card can't do: each ends the run, and is said.
static void what_cannot_be(void)
{
    static const struct {
        const char *operation, *kind, *part;
    } samples[] = {
        {"{call: {name: scan, count: 0}}", "unknown_call",
         "rank 0: call \"scan\": a scan has a count of 1 to 65536 channels"},
        {"{call: {name: scan, count: 65537}}", "unknown_call",
         "a scan has a count of 1 to 65536 channels"},
        {"{put: {to: 1, size: 64 B, peer_buffer: 4294967296}}", "bad_address",
         "addresses have 32 bits"},
        {"{put: {to: 1, size: 64 B, physical: true, peer_buffer: 4294967296}}", "bad_address",
         "addresses have 32 bits"},
        {"{get: {from: 1, size: 64 B, peer_buffer: 4294967296}}", "bad_address",
         "addresses have 32 bits"},
        {"{send: {to: 1, size: 4294967296 B}}", "too_long",
         "rank 0: send of 4294967296 B to rank 1: a length has 32 bits"},
        {"{register: {size: 64 KiB, buffer: 8192}}, {register: {size: 4 KiB, buffer: 16384}}",
         "out_of_registered_memory",
         "rank 0 can't register 4096 B at 16384: a part of it is registered already"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct test_program program = {.ranks = 2, .ops = {samples[i].operation}};
        GRIM_FAILS(&program, samples[i].kind, samples[i].part);
    }
    // The largest scan there is.
    struct test_program most = {.ranks = 2, .ops = {"{call: {name: scan, count: 65536}}"}};
    program_run_free(grim_run_good(&most));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.rm.rmv, grim.rm.notify_write", write_virtual},
        {"grim.rm.rmp", write_physical},
        {"grim.rm.notify_write: without the word", write_silent},
        {"a long write", write_long},
        {"grim.rm.rmrv, grim.rm.notify_read", read_virtual},
        {"grim.rm.notify_read: without the word", read_silent},
        {"a read whose reply finds no room", read_without_room},
        {"grim.rm.registered_only", registered_only},
        {"grim.rm.page_fragmentation", page_fragmentation},
        {"grim.rm.page_fragmentation: in closed form", page_fragmentation_exact},
        {"grim.rm.translation_miss", translation_miss},
        {"grim.rm.translation_cache", translation_cache},
        {"more ranges than an entry holds", many_windows},
        {"grim.rm.rmp_faster_than_rmv, grim.rm.contiguous_faster", fastest},
        {"grim.rm.two_ops_notify_costlier", two_operations},
        {"grim.order.rm_passes_am, grim.order.strict_alternative", write_passes_message},
        {"grim.order.rm_passes_am: everything else keeps its order", message_after_write},
        {"grim.multi.type_dispatch", type_dispatch},
        {"what cannot be", what_cannot_be},
        {0},
    };
    return suite_run("grim: remote memory", cases);
}
