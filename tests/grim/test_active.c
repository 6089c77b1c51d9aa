// SPDX-License-Identifier: GPL-3.0-or-later
// Active messages: handlers and their registration, polling, replies and the overflow queue (thesis
// 003, 4.4).
#include "tests/support/grim_run.h"
#include "tests/support/suite.h"

#include <string.h>

// ---- Registration ----

// grim.am.registration: at the start each endpoint sends its names to the one server and is sent
// the whole list; the server handles each submission.
static void registration(void)
{
    const struct test_program program = {.ranks = 3, .sets = {"grim.server=1"}, .all = "barrier"};
    struct program_run *run = grim_run_good(&program);
    GRIM_SAME(run, 0, "endpoint",
              "endpoint[0] memory -> submit\nendpoint[0] submit -> list\n"
              "endpoint[0] list -> all\nendpoint[0] all -> up\n");
    GRIM_SAME(run, 1, "endpoint",
              "endpoint[0] memory -> submit\nendpoint[0] submit -> all\nendpoint[0] all -> up\n");
    SUITE_SAME_INTEGER(program_run_count(run, 1, "-> running submit names"), 2);
    SUITE_SAME_INTEGER(program_run_count(run, 0, "-> running publish names"), 1);
    SUITE_SAME_INTEGER(program_run_count(run, 2, "-> running publish names"), 1);
    program_run_free(run);
}

// The list may also go to all endpoints, whoever submits.
static void publish_all(void)
{
    const struct test_program program = {
        .ranks = 3, .sets = {"grim.publish=all"}, .all = "barrier"};
    struct program_run *run = grim_run_good(&program);
    SUITE_SAME_INTEGER(program_run_count(run, 1, "-> running publish names"), 2);
    SUITE_SAME_INTEGER(program_run_count(run, 2, "-> running publish names"), 2);
    program_run_free(run);
}

// grim.am.lookup_miss: a name that another endpoint has registered since is not in the table; the
// server is asked once, and the table has it from then on. grim.am.registration: the name's owner
// has got an integer for it.
static void lookup_miss(void)
{
    const struct test_program program = {
        .ranks = 3,
        .ops = {"barrier, poll: 0",
                "barrier, {active_message: {to: 2, size: 8 B, handler: work}}, "
                "{active_message: {to: 2, size: 8 B, handler: work}}",
                "{call: {name: register.work}}, barrier, {poll: 2}"},
        .all = "barrier",
    };
    struct program_run *run = grim_run_good(&program);
    GRIM_SAME(run, 1, "active_message",
              "active_message[3] new -> ask_name\nactive_message[3] ask_name -> asked\n"
              "active_message[3] asked -> inject\nactive_message[3] inject -> done\n"
              "active_message[4] new -> inject\nactive_message[4] inject -> done\n");
    GRIM_SAME(run, 2, "call",
              "call[1] new -> inject\ncall[1] inject -> wait_list\ncall[1] wait_list -> done\n");
    SUITE_SAME_INTEGER(program_counter(run, "GRIM: handlers asked for"), 1);
    SUITE_SAME_INTEGER(program_run_count(run, 2, "-> running work"), 2);
    program_run_free(run);
}

// A look-up by itself, which misses and then does not; at the server it never leaves the node.
static void lookup_call(void)
{
    const struct test_program program = {
        .ranks = 2,
        .ops = {"{call: {name: register.work}}, {call: {name: lookup.work}}, barrier",
                "barrier, {call: {name: lookup.work}}, {call: {name: lookup.work}}"},
        .all = "barrier",
    };
    struct program_run *run = grim_run_good(&program);
    SUITE_SAME_INTEGER(program_counter(run, "GRIM: handlers asked for"), 1);
    SUITE_SAME_INTEGER(program_run_count(run, 1, "asked -> done"), 1);
    SUITE_SAME_INTEGER(program_run_count(run, 1, "new -> done"), 1);
    program_run_free(run);
}

static void missing_handlers(void)
{
    const struct test_program nonsense = {
        .ranks = 2,
        .ops = {"{active_message: {to: 1, size: 8 B, handler: nonsense}}"},
        .all = "barrier",
    };
    struct program_run *run = grim_run(&nonsense);
    char *setting = program_reason(run, "setting"), *handler = program_reason(run, "handler");
    SUITE_SAME_TEXT(setting, "grim.handlers");
    SUITE_SAME_TEXT(handler, "nonsense");
    g_free(setting);
    g_free(handler);
    program_run_free(run);
    GRIM_FAILS((&(const struct test_program){
                   .ranks = 2,
                   .ops = {"{active_message: {to: 1, size: 8 B, handler: nonsense}}"},
                   .all = "barrier",
               }),
               "unknown_handler", "no endpoint has registered a handler nonsense");
    GRIM_FAILS((&(const struct test_program){
                   .ranks = 2,
                   .ops = {NULL, "{active_message: {to: 0, size: 8 B, handler: nonsense}}"},
                   .all = "barrier",
               }),
               "unknown_handler", "call register.nonsense");
    GRIM_FAILS((&(const struct test_program){
                   .ranks = 2,
                   .ops = {"{call: {name: register.work}}, "
                           "{active_message: {to: 1, size: 8 B, handler: work}}"},
                   .all = "barrier",
               }),
               "no_handler", "rank 1 has no function work");
}

// ---- Polling ----

static const char *const five = "{loop: {count: 5, do: [{active_message: {to: 1, size: 4 B}}]}}";

// grim.am.polling: nothing is handled while the receiver computes, everything in its next GRIM
// call, whatever that is. grim.am.endpoint_queue: meanwhile the messages wait in its queue, in
// order, and none is refused.
static void polling(void)
{
    static const char *const calls[] = {"{poll: 0}", "{put: {to: 0, size: 4 B}}",
                                        "{active_message: {to: 0, size: 4 B}}",
                                        "{call: {name: lookup.nop}}"};
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        char *receiver = g_strdup_printf("{compute: 2 ms}, %s", calls[i]);
        const struct test_program program = {
            .ranks = 2, .ops = {five, receiver}, .all = "barrier, barrier"};
        struct program_run *run = grim_run_good(&program);
        SUITE_SAME_INTEGER(program_run_count(run, 1, "waiting -> running nop"), 5);
        SUITE_SAME_INTEGER(program_counter(run, "GRIM: messages refused"), 0);
        // The handlers come with that call: before the first message of the barrier behind it.
        char *text = program_run_text(run, 1, "handler send");
        const char *last = g_strrstr(text, "running nop"), *barrier = strstr(text, "send[");
        CU_ASSERT_PTR_NOT_NULL_FATAL(barrier);
        CU_ASSERT(last < barrier);
        g_free(text);
        g_free(receiver);
        program_run_free(run);
    }
}

// The reply to a message comes only when the receiver polls: after its computing.
static double answered_after(const char *thread)
{
    const struct test_program program = {
        .ranks = 2,
        .sets = {thread},
        .ops = {"{active_message: {to: 1, size: 4 B, handler: reply}}, {poll: 1}",
                "{compute: 5 ms}, {poll: 1}"},
    };
    struct program_run *run = grim_run_good(&program);
    double time = grim_time(run, 0);
    program_run_free(run);
    return time;
}

static double round_trips(const char *thread)
{
    const struct test_program program = {
        .ranks = 2,
        .sets = {thread},
        .ops = {"{loop: {count: 20, do: [{active_message: {to: 1, size: 4 B}}, {poll: 1}]}}",
                "{loop: {count: 20, do: [{poll: 1}, {active_message: {to: 0, size: 4 B}}]}}"},
    };
    struct program_run *run = grim_run_good(&program);
    double time = grim_time(run, 0);
    program_run_free(run);
    return time;
}

// grim.am.polling: without a poll there is no answer. grim.am.thread_latency: a polling thread
// gives one meanwhile, but makes an exchange of programs that poll slower.
static void polling_thread(void)
{
    CU_ASSERT(answered_after("grim.polling_thread=false") > 5000);
    CU_ASSERT(answered_after("grim.polling_thread=true") < 1000);
    CU_ASSERT(round_trips("grim.polling_thread=true") >
              2 * round_trips("grim.polling_thread=false"));
}

// Sends, receives and everything else go on under a polling thread.
static void thread_carries_all(void)
{
    const struct test_program program = {
        .ranks = 3,
        .sets = {"grim.polling_thread=true", "grim.thread_period=20 us"},
        .ops = {"{ssend: {to: 1, size: 100 KiB}}, {put: {to: 2, size: 70000 B, notify: true}}",
                "{recv: {from: 0, size: 100 KiB}}, {get: {from: 2, size: 9 KiB, notify: true}}",
                "{call: {name: notified, count: 1}}"},
        .all = "barrier",
    };
    program_run_free(grim_run_good(&program));
}

// A message carries what it has to in one piece.
static void limits(void)
{
    GRIM_FAILS((&(const struct test_program){
                   .ranks = 2,
                   .ops = {"{active_message: {to: 1, size: 64573 B}}"},
                   .all = "barrier",
               }),
               "too_long", "an active message holds 64572 B");
    GRIM_FAILS((&(const struct test_program){
                   .ranks = 2, .ops = {"{active_message: {to: 0, size: 4 B}}"}, .all = "barrier"}),
               "unsupported", "messages to oneself");
    GRIM_FAILS((&(const struct test_program){.ranks = 2, .ops = {"{poll: 1}"}}), "deadlock",
               "1 of 2 ranks");
}

// ---- Replies ----

#define FLOOD(peer)                                                                                \
    "{loop: {count: 60, do: [{active_message: {to: " peer                                          \
    ", size: 1 KiB, handler: reply}}]}}, {poll: 120}"

static struct test_program flood(const char *first, const char *second)
{
    return (struct test_program){
        .ranks = 2,
        .sets = {"grim_ni.queue=8 KiB", "grim_ni.endpoint_messages=1", "grim_ni.stalled=5 ms",
                 first, second},
        .ops = {FLOOD("1"), FLOOD("0")},
    };
}

// grim.am.reply_deadlock: both handlers wait for room on their cards that only the other's handling
// would make; the report names both, and the setting.
static void reply_deadlock(void)
{
    const struct test_program program = flood("grim.overflow=false", NULL);
    struct program_run *run = grim_run(&program);
    char *kind = program_reason(run, "kind"), *text = program_reason(run, "text"),
         *ranks = program_reason(run, "ranks");
    SUITE_SAME_TEXT(kind, "deadlock");
    SUITE_CONTAINS(text, "rank 0 to reply to rank 1, rank 1 to reply to rank 0");
    SUITE_CONTAINS(text, "grim.overflow");
    SUITE_CONTAINS(ranks, "of a message of rank 1 waits to send to rank 1");
    SUITE_CONTAINS(ranks, "of a message of rank 0 waits to send to rank 0");
    for (int rank = 0; rank < 2; rank++) { // each in the handler of a message that can't end
        char *handlers = program_run_text(run, rank, "handler");
        CU_ASSERT(g_str_has_suffix(handlers, "running -> no_room reply\n"));
        g_free(handlers);
    }
    g_free(kind);
    g_free(text);
    g_free(ranks);
    program_run_free(run);
}

// grim.am.overflow_queue: the same ends well with the overflow queue. What a program injects while
// something is in it goes behind that.
static void overflow_queue(void)
{
    const struct test_program program = flood("grim.overflow=true", NULL);
    struct program_run *run = grim_run_good(&program);
    for (int rank = 0; rank < 2; rank++) {
        SUITE_SAME_INTEGER(program_run_count(run, rank, "no_room"), 0);
        CU_ASSERT(program_run_count(run, rank, "empty -> holding") > 0);
        SUITE_SAME_INTEGER(program_run_count(run, rank, "empty -> holding"),
                           program_run_count(run, rank, "holding -> empty"));
        SUITE_SAME_INTEGER(program_run_count(run, rank, "-> running nop"), 60);
    }
    // 60 replies at most are replies: more went through the queue, so calls' messages did too.
    CU_ASSERT(program_counter(run, "GRIM: overflow messages") > 0);
    program_run_free(run);
}

// grim.am.overflow_not_absolute: with little host memory for the queue the deadlock is there again.
static void overflow_not_absolute(void)
{
    const struct test_program program = flood("grim.overflow=true", "grim.overflow_memory=1 KiB");
    GRIM_FAILS(&program, "deadlock", "rank 0 to reply to rank 1, rank 1 to reply to rank 0");
}

// An overflow queue whose messages go to two endpoints keeps the order to each: the books say so.
static void overflow_order(void)
{
    const struct test_program program = {
        .ranks = 3,
        .sets = {"grim_ni.queue=4 KiB", "grim_ni.endpoint_messages=2"},
        .ops = {"{loop: {count: 40, do: [{active_message: {to: 1, size: 512 B, handler: reply}}, "
                "{active_message: {to: 2, size: 100 B, handler: reply}}]}}, {poll: 160}",
                "{loop: {count: 40, do: [{active_message: {to: 0, size: 512 B, handler: reply}}]}}"
                ", {poll: 80}",
                "{loop: {count: 40, do: [{active_message: {to: 0, size: 256 B, handler: reply}}]}}"
                ", {poll: 80}"},
    };
    struct program_run *run = grim_run_good(&program);
    CU_ASSERT(program_counter(run, "GRIM: overflow messages") > 0);
    program_run_free(run);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.am.registration", registration},
        {"the list for all", publish_all},
        {"grim.am.lookup_miss", lookup_miss},
        {"look-ups by themselves", lookup_call},
        {"handlers that are not there", missing_handlers},
        {"grim.am.polling, grim.am.endpoint_queue", polling},
        {"grim.am.thread_latency", polling_thread},
        {"everything under a polling thread", thread_carries_all},
        {"limits", limits},
        {"grim.am.reply_deadlock", reply_deadlock},
        {"grim.am.overflow_queue", overflow_queue},
        {"grim.am.overflow_not_absolute", overflow_not_absolute},
        {"order through the overflow queue", overflow_order},
        {0},
    };
    return suite_run("grim: active messages", cases);
}
