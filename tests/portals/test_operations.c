// SPDX-License-Identifier: GPL-3.0-or-later
// Free programs of Portals' operations over a made-up network layer: which events they see, in
// which order, and what their mistakes are called.
#include "tests/support/portals_fake.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

// The target is rank 0, the initiator rank 1.
#define TARGET(operations) "{ranks: [0], do: [" operations "]}"
#define INITIATOR(operations) ", {ranks: [1], do: [compute: 1 ms, " operations "]}"

static char *run(const char *program, const char *sections)
{
    char *complaints;
    char *text = portals_fake_run(2, program, sections, &complaints);
    if (complaints)
        fprintf(stderr, "%s", complaints);
    g_free(complaints);
    return text;
}

static void expect_with(const char *sections, const char *program, const char *expected)
{
    char *text = run(program, sections);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

static void expect(const char *program, const char *expected)
{
    expect_with("", program, expected);
}

static void expect_part(const char *program, const char *part)
{
    char *text = run(program, "");
    SUITE_CONTAINS(text, part);
    g_free(text);
}

// ---- Puts ----

// Each text is an event with offset, mlength and rlength of its bytes.
static void test_put(void)
{
    expect(TARGET("attach: {size: 1 KiB}, event: put_end") INITIATOR("put: {to: 0, size: 29 B}"),
           "0: put_start(0+29/29) put_end(0+29/29)\n"
           "1: send_start(0+29/29) send_end(0+29/29)\n");
    expect(TARGET("attach: {size: 1 KiB}, event: put_end") INITIATOR("put: {to: 0, size: 0 B}"),
           "0: put_start put_end\n1: send_start send_end\n");
}

static void test_ack(void)
{
    expect(TARGET("attach: {size: 1 KiB}, event: put_end")
               INITIATOR("put: {to: 0, size: 29 B, ack: true}"),
           "0: put_start(0+29/29) put_end(0+29/29)\n"
           "1: send_start(0+29/29) send_end(0+29/29) ack(0+29/29)\n");
    // It has the number of bytes taken, and their offset.
    expect(TARGET("attach: {size: 20 B, truncate: true}, event: put_end, event: put_end")
               INITIATOR("put: {to: 0, size: 12 B}, put: {to: 0, size: 29 B, ack: true}"),
           "0: put_start(0+12/12) put_end(0+12/12) put_start(12+8/29) put_end(12+8/29)\n"
           "1: send_start(0+12/12) send_end(0+12/12) send_start(0+29/29) send_end(0+29/29) "
           "ack(12+8/8)\ndeclined 1, 21 B\n");
    expect_part(TARGET("attach: {size: 1 KiB, ack_disable: true}, event: put_end")
                    INITIATOR("put: {to: 0, size: 29 B, ack: true}"),
                "the target's acknowledgement (event ACK)");
}

static void test_unlink(void)
{
    expect(TARGET("attach: {size: 1 KiB, threshold: 2, unlink: true}, event: unlink")
               INITIATOR("bind: {name: out, size: 8 B, threshold: 2}, "
                         "put: {to: 0, size: 8 B, md: out}, put: {to: 0, size: 8 B, md: out}, "
                         "event: unlink"),
           "0: put_start(0+8/8) put_end(0+8/8) put_start(8+8/8) put_end(8+8/8) unlink(0+8/8)\n"
           "1: send_start(0+8/8) send_end(0+8/8) send_start(0+8/8) send_end(0+8/8) "
           "unlink(0+8/8)\n");
    // The entry stays for the next descriptor, as in A.2.
    expect(TARGET("attach: {name: in, size: 8 B, threshold: 1, unlink: true, retain: true}, "
                  "event: unlink, attach: {entry: in, size: 4 B, truncate: true}, event: put_end")
               INITIATOR("put: {to: 0, size: 8 B}, compute: 1 ms, put: {to: 0, size: 8 B}"),
           "0: put_start(0+8/8) put_end(0+8/8) unlink(0+8/8) put_start(0+4/8) put_end(0+4/8)\n"
           "1: send_start(0+8/8) send_end(0+8/8) send_start(0+8/8) send_end(0+8/8)\n"
           "declined 1, 4 B\n");
}

// Nothing matches: the initiator sees SEND_END, the target only its counter.
static void test_not_accepted(void)
{
    static const char *const attached[] = {
        "attach: {size: 28 B}",                 // too long, without truncate
        "attach: {size: 1 KiB, portal: 1}",     // another portal
        "attach: {size: 1 KiB, match_bits: 1}", // other bits
        "attach: {size: 1 KiB, from: 0}",       // another source
        "attach: {size: 1 KiB, from_pid: 6}",   // another process
        "attach: {size: 1 KiB, put: false, get: true}",
        "detach: in", // of the entry attached before
    };
    for (size_t i = 0; i < G_N_ELEMENTS(attached); i++) {
        char *program =
            g_strdup_printf("{ranks: [0], do: [attach: {name: in, size: 1 B, portal: 7}, %s]}, "
                            "{ranks: [1], do: [compute: 1 ms, put: {to: 0, size: 29 B}]}",
                            attached[i]);
        expect(program, "0: dropped 1\n1: send_start(0+29/29) send_end(0+29/29)\n"
                        "declined 1, 29 B\n");
        g_free(program);
    }
    expect(TARGET("attach: {size: 1 B}") INITIATOR("put: {to: 0, size: 0 B, portal: 10}"),
           "0: dropped 1\n1: send_start send_end\ndeclined 1, 0 B\n");
}

static void test_matching(void)
{
    // By its bits, by its place in the list, and by its remaining length; offsets of either side.
    expect(TARGET("attach: {name: a, size: 100 B, match_bits: 0xff00000000000000, "
                  "ignore_bits: 0xff}, attach: {name: b, size: 100 B, manage_remote: true}, "
                  "attach: {size: 50 B, position: before, other: b, threshold: 1, unlink: true}, "
                  "event: {kind: put_end, count: 3}")
               INITIATOR("put: {to: 0, size: 9 B, match_bits: 0xff00000000000012}, "
                         "put: {to: 0, size: 8 B}, put: {to: 0, size: 7 B, offset: 64 B}"),
           "0: put_start(0+9/9) put_end(0+9/9) put_start(0+8/8) put_end(0+8/8) unlink(0+8/8) "
           "put_start(64+7/7) put_end(64+7/7)\n"
           "1: send_start(0+9/9) send_end(0+9/9) send_start(0+8/8) send_end(0+8/8) "
           "send_start(64+7/7) send_end(64+7/7)\n");
}

// ---- Gets ----

static void test_get(void)
{
    expect(TARGET("attach: {size: 1 KiB, get: true}, event: get_end")
               INITIATOR("get: {from: 0, size: 29 B}"),
           "0: get_start(0+29/29) get_end(0+29/29)\n"
           "1: send_start(0+29/29) reply_start(0+29/29) reply_end(0+29/29) send_end(0+29/29)\n");
    // Of a get that is too long, the target's events have the requested length.
    expect(TARGET("attach: {size: 20 B, get: true, truncate: true}, event: get_end")
               INITIATOR("get: {from: 0, size: 29 B}"),
           "0: get_start(0+20/29) get_end(0+20/29)\n"
           "1: send_start(0+29/29) reply_start(0+20/20) reply_end(0+20/20) send_end(0+29/29)\n"
           "declined 1, 9 B\n");
    // The reply fails at its last step: the get ends, and only the ledger is left with its bytes.
    expect_part(TARGET("attach: {size: 1 KiB, get: true}, event: get_end")
                    INITIATOR("get: {from: 0, size: 777 B}, event: reply_fail"),
                "\"kind\":\"messages_open\"");
    expect_part(TARGET("attach: {size: 1 KiB}") INITIATOR("get: {from: 0, size: 29 B}"),
                "\"waits_for\":\"the bytes that it reads (event REPLY_END)\"");
    // The network layer does not carry so long a reply: the target's get fails.
    expect_part(TARGET("attach: {size: 1 MiB, get: true}, event: get_fail")
                    INITIATOR("get: {from: 0, size: 200 kB}"),
                "the bytes that it reads (event REPLY_END)");
}

// ---- Failures in the network ----

static void test_failures(void)
{
    expect_part(TARGET("attach: {size: 1 MiB}") INITIATOR("put: {to: 0, size: 200 kB}"),
                "rank 1: PtlPut fails with EACCES: the network layer does not carry it");
    // Either end may have to give up.
    expect_part(TARGET("attach: {size: 1 KiB}, event: put_fail, event: put_end")
                    INITIATOR("put: {to: 0, size: 777 B}"),
                "\"waits_for\":\"events\"");
    char *text = run(TARGET("attach: {size: 1 KiB}, event: put_end")
                         INITIATOR("put: {to: 0, size: 778 B}, event: send_fail"),
                     "");
    SUITE_SAME_TEXT(text, "0: put_start(0+778/778) put_end(0+778/778)\n"
                          "1: send_start(0+778/778) send_fail(0+778/778)\n");
    g_free(text);
    // No ACK of a failed put, at either end: the initiator's is refused as late.
    expect_part(TARGET("attach: {size: 1 KiB}") INITIATOR("put: {to: 0, size: 777 B, ack: true}"),
                "the target's acknowledgement (event ACK)");
    text = run(TARGET("attach: {size: 1 KiB}, event: put_end")
                   INITIATOR("bind: {name: out, size: 778 B, threshold: 1}, put: {to: 0, size: 778 "
                             "B, md: out, ack: true}, event: unlink"),
               "");
    SUITE_SAME_TEXT(text, "0: put_start(0+778/778) put_end(0+778/778)\n"
                          "1: send_start(0+778/778) send_fail(0+778/778) unlink(0+778/778) "
                          "dropped 1\n");
    g_free(text);
    // A reply that can't be sent is lost, not open.
    expect_part(TARGET("attach: {size: 1 MiB, get: true, threshold: 1, unlink: true}, event: "
                       "get_fail, event: unlink")
                    INITIATOR("get: {from: 0, size: 200 kB, request: a}"),
                "the reply could not be sent");
}

// ---- Event queues ----

static void test_overflow(void)
{
    // 100 puts into a queue of 16: the reader gets one report, and finds the last 16 events.
    expect(TARGET("attach: {size: 1 KiB}, compute: 10 ms, event: {kind: put_end, count: 8}, "
                  "event: dropped")
               INITIATOR("loop: {count: 100, do: [put: {to: 0, size: 1 B}]}, compute: 1 us"),
           "0: put_start(92+1/1) put_end(92+1/1) put_start(93+1/1) put_end(93+1/1) "
           "put_start(94+1/1) put_end(94+1/1) put_start(95+1/1) put_end(95+1/1) "
           "put_start(96+1/1) put_end(96+1/1) put_start(97+1/1) put_end(97+1/1) "
           "put_start(98+1/1) put_end(98+1/1) put_start(99+1/1) put_end(99+1/1)\n"
           "1: send_start(0+1/1) send_end(0+1/1) send_start(0+1/1) send_end(0+1/1) "
           "send_start(0+1/1) send_end(0+1/1) send_start(0+1/1) send_end(0+1/1) "
           "send_start(0+1/1) send_end(0+1/1) send_start(0+1/1) send_end(0+1/1) "
           "send_start(0+1/1) send_end(0+1/1) send_start(0+1/1) send_end(0+1/1)\n");
    // It is not told twice, and the ninth is never seen.
    expect_part(TARGET("attach: {size: 1 KiB}, compute: 10 ms, event: dropped, event: dropped")
                    INITIATOR("loop: {count: 100, do: [put: {to: 0, size: 1 B}]}"),
                "\"event\":\"dropped\"");
    expect_part(TARGET("attach: {size: 1 KiB}, compute: 10 ms, event: {kind: put_end, count: 9}")
                    INITIATOR("loop: {count: 100, do: [put: {to: 0, size: 1 B}]}"),
                "\"left\":1");
    // That events were dropped is none of any kind.
    expect_part(TARGET("attach: {size: 1 KiB}, compute: 10 ms, event: {kind: any, count: 17}")
                    INITIATOR("loop: {count: 100, do: [put: {to: 0, size: 1 B}]}"),
                "\"left\":1");
    // A queue with room for all.
    char *text = run(TARGET("equeue: {name: q, slots: 200}, attach: {size: 1 KiB, eq: q}, "
                            "compute: 10 ms, event: {kind: put_end, count: 100}")
                         INITIATOR("loop: {count: 100, do: [put: {to: 0, size: 1 B}]}"),
                     "");
    SUITE_CONTAINS(text, "0: put_start(92+1/1)");
    g_free(text);
    // Without events nothing is overwritten.
    text = run(TARGET("attach: {size: 1 KiB, events: false}")
                   INITIATOR("loop: {count: 100, do: [put: {to: 0, size: 1 B}]}"),
               "");
    SUITE_CONTAINS(text, "0:\n1: send_start");
    g_free(text);
}

// A queue that loses unread events: the put never ends, and the report has the reason.
static void test_lost_end(void)
{
    char *text = run(TARGET("attach: {size: 1 KiB}")
                         INITIATOR("put: {to: 0, size: 1 B, request: a}, put: {to: 0, size: 1 B, "
                                   "request: b}, compute: 1 ms, wait: b, wait: a"),
                     "portals: {slots: 1}\n");
    SUITE_CONTAINS(text, "\"events_overwritten\":3");
    SUITE_CONTAINS(text, "\"waits_for\":\"the end of its transfer (event SEND_END)\"");
    g_free(text);
    // The others have no events, so that the first is not lost.
    text = run(TARGET("attach: {size: 1 KiB}")
                   INITIATOR("put: {to: 0, size: 1 B, request: a}, loop: {count: 10, do: [bind: "
                             "{name: out, size: 1 B, threshold: 1, events: false}, put: {to: 0, "
                             "size: 1 B, md: out}, compute: 1 ms]}, wait: a"),
               "");
    SUITE_CONTAINS(text, "1: send_start(0+1/1) send_end(0+1/1)\n");
    g_free(text);
    // A get without events brings its bytes all the same.
    expect(TARGET("attach: {size: 1 KiB, get: true}, event: get_end") INITIATOR(
               "bind: {name: in, size: 8 B, events: false}, get: {from: 0, size: 8 B, md: "
               "in}, compute: 1 ms"),
           "0: get_start(0+8/8) get_end(0+8/8)\n1:\n");
}

static void test_requests(void)
{
    expect(TARGET("attach: {size: 1 KiB}, event: any, event: any") INITIATOR(
               "put: {to: 0, size: 3 B, request: a}, put: {to: 0, size: 4 B, request: b}, "
               "wait: b, wait: a"),
           "0: put_start(0+3/3) put_end(0+3/3) put_start(3+4/4) put_end(3+4/4)\n"
           "1: send_start(0+3/3) send_start(0+4/4) send_end(0+3/3) send_end(0+4/4)\n");
    // An event seen while another one was awaited counts once.
    expect_part(TARGET("attach: {size: 1 KiB, threshold: 2, unlink: true}, event: unlink, event: "
                       "{kind: put_end, count: 2}, event: put_end")
                    INITIATOR("put: {to: 0, size: 1 B}, put: {to: 0, size: 1 B}"),
                "\"left\":1");
    // Numbers of the operations may be expressions.
    expect(TARGET("loop: {count: 3, as: i, do: [attach: {size: 1 KiB, portal: i, match_bits: i * "
                  "i}]}, event: {kind: put_end, count: 3}")
               INITIATOR("loop: {count: 3, as: i, do: [put: {to: 1 - rank, size: 1 B + i, portal: "
                         "i, match_bits: i * i}]}"),
           "0: put_start(0+1/1) put_end(0+1/1) put_start(0+2/2) put_end(0+2/2) put_start(0+3/3) "
           "put_end(0+3/3)\n"
           "1: send_start(0+1/1) send_end(0+1/1) send_start(0+2/2) send_end(0+2/2) "
           "send_start(0+3/3) send_end(0+3/3)\n");
}

// Each entry that is searched beyond the first costs, whether it fits or not: the time in us at
// which the initiator has seen the end of its put, after so many entries that do not fit.
static double seen_after(int entries, const char *sections)
{
    char *program = g_strdup_printf(
        "{ranks: [0], do: [loop: {count: %d, do: [attach: {size: 1 B, match_bits: 7}]}, "
        "attach: {size: 1 B}]}, {ranks: [1], do: [compute: 1 ms, put: {to: 0, size: 1 B}, "
        "detach: nothing]}",
        entries);
    char *text = run(program, sections);
    const char *time = strstr(text, "\"time_us\":");
    CU_ASSERT_PTR_NOT_NULL_FATAL(time);
    double result = g_ascii_strtod(time + strlen("\"time_us\":"), NULL);
    g_free(text);
    g_free(program);
    return result;
}

static void test_scan(void)
{
    double none = seen_after(0, "portals: {scan: 2 us}\n");
    CU_ASSERT_DOUBLE_EQUAL(seen_after(1, "portals: {scan: 2 us}\n") - none, 2, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(seen_after(9, "portals: {scan: 2 us}\n") - none, 18, 1e-6);
    CU_ASSERT_DOUBLE_EQUAL(seen_after(9, "portals: {scan: 0}\n") - none, 0, 1e-6);
}

// A process that looks while the thread is at work sees an event when it is written, not before.
static void test_when_seen(void)
{
    // The put arrives at 1002.3 us; PUT_START is written at 1003.65, PUT_END at 1004.3. The target
    // looks from 1002.6 on, and sees PUT_END at 1004.45.
    expect_part(TARGET("attach: {size: 1 KiB}, compute: 999 us, event: put_end, detach: nothing")
                    INITIATOR("put: {to: 0, size: 1 B}"),
                "\"time_us\":1004.45");
}

static void test_most_offset(void)
{
    expect(TARGET("attach: {size: 1 KiB, most_offset: 4 B}")
               INITIATOR("put: {to: 0, size: 4 B}, put: {to: 0, size: 4 B}, put: {to: 0, size: 4 "
                         "B}"),
           "0: put_start(0+4/4) put_end(0+4/4) put_start(4+4/4) put_end(4+4/4) dropped 1\n"
           "1: send_start(0+4/4) send_end(0+4/4) send_start(0+4/4) send_end(0+4/4) "
           "send_start(0+4/4) send_end(0+4/4)\ndeclined 1, 4 B\n");
}

// ---- Mistakes ----

static void test_wrong_calls(void)
{
    static const struct {
        const char *operations, *part;
    } samples[] = {
        {"attach: {size: 1 B, portal: 10}", "PtlMEAttach fails with PTL_INV_PTINDEX: the portal "
                                            "table has indexes 0 .. 9, not 10 (portals.table)"},
        {"loop: {count: 11, do: [attach: {size: 1 B}]}",
         "PtlMEAttach fails with PTL_NOSPACE: all 10 match entries are in use (portals.entries)"},
        {"attach: {name: a, size: 1 B}, loop: {count: 10, do: [attach: {entry: a, size: 1 B}]}",
         "PtlMDAttach fails with PTL_NOSPACE: all 10 memory descriptors are in use "
         "(portals.descriptors)"},
        {"attach: {name: a, size: 1 B}, attach: {name: a, size: 1 B}",
         "PtlMEAttach fails with PTL_INUSE: a is an entry already"},
        {"attach: {entry: a, size: 1 B}", "PtlMDAttach fails with PTL_INV_ME: a is no entry now"},
        {"attach: {size: 1 B, position: after, other: a}", "PTL_INV_ME: a is no entry now"},
        {"attach: {size: 1 B, eq: q}", "PTL_INV_EQ: q is no event queue (equeue)"},
        {"put: {to: 1, size: 1 B, md: out}", "PtlPut fails with PTL_INV_MD: out is no descriptor"},
        {"bind: {name: out, size: 1 B}, put: {to: 1, size: 2 B, md: out}",
         "out is shorter than the operation"},
        {"bind: {name: out, size: 1 B, threshold: 1, unlink: false}, put: {to: 1, size: 1 B, md: "
         "out}, put: {to: 1, size: 1 B, md: out}",
         "out has used up its threshold"},
        {"equeue: {name: q, slots: 1}, equeue: {name: q, slots: 1}",
         "PtlEQAlloc fails with PTL_INUSE: q is an event queue already"},
        {"detach: a", "PTL_INV_ME: a is neither an entry nor a descriptor now"},
        {"bind: {name: out, size: 1 B}, put: {to: 1, size: 1 B, md: out, request: a}, detach: out",
         "PtlMDUnlink fails with PTL_MD_INUSE: out has a transfer under way"},
        {"put: {to: 1, size: 1 B, pid: 9}",
         "\"waits_for\":\"the end of 1 B from node 1\""}, // no process has this pid
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *program =
            g_strdup_printf("{ranks: [0], do: [%s]}, {ranks: [1], do: []}", samples[i].operations);
        expect_part(program, samples[i].part);
        g_free(program);
    }
}

static void test_refused(void)
{
    static const struct {
        const char *operation, *part;
    } samples[] = {
        {"attach: {size: 1 B, threshold: 0}", "attach.threshold: \"0\": the value is too small"},
        {"attach: {size: 1 B, put: false}", "takes neither puts nor gets"},
        {"attach: {size: 1 B, position: before}", "`other` is missing"},
        {"attach: {size: 1 B, other: a}", "position before or after"},
        {"attach: {size: 1 B, entry: a, match_bits: 1}", "no portal, bits, source or position"},
        {"attach: {size: 1 B, eq: q, events: false}", "an event queue, and no events"},
        {"attach: {size: 1 B, max_size: 1}", "attach.max_size: unknown key"},
        {"attach: {portal: 1}", "the key size is missing"},
        {"attach: {size: 1 B, from: 2}", "there is no such rank"},
        {"bind: {size: 1 B}", "a bound descriptor needs a name"},
        {"put: {to: 1, size: 1 B, acl: 1}", "put.acl: \"1\": the value is too large (at most 0)"},
        {"put: {to: 1, size: 1 B, md: a, buffer: 4}", "not of a buffer"},
        {"put: {to: 1, size: 1 B, md: a, eq: q}", "the queue of the descriptor md"},
        {"put: {to: 1, size: 1 B, match_bits: 0x10000000000000000}", "is not understood"},
        {"put: {to: 1, size: 1 B, ack: maybe}", "true or false is expected here"},
        {"event: put", "unknown choice \"put\""},
        {"event: {kind: put_end, count: 0}", "the value is too small"},
        {"equeue: {name: q, slots: 0}", "the value is too small"},
        {"send: {to: 1, size: 1 B}", "the stack portals_fake has no send"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *complaints;
        char *program = g_strdup_printf("{ranks: all, do: [%s]}", samples[i].operation);
        char *text = portals_fake_run(2, program, "", &complaints);
        CU_ASSERT_PTR_NULL(text);
        SUITE_CONTAINS(complaints ? complaints : "", samples[i].part);
        g_free(complaints);
        g_free(text);
        g_free(program);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"put", test_put},
        {"acknowledged put", test_ack},
        {"unlink", test_unlink},
        {"what is not accepted", test_not_accepted},
        {"matching", test_matching},
        {"get", test_get},
        {"failures on the way", test_failures},
        {"overflow of an event queue", test_overflow},
        {"ends that nobody sees", test_lost_end},
        {"requests and expressions", test_requests},
        {"entries that are looked at", test_scan},
        {"when an event is seen", test_when_seen},
        {"the largest offset", test_most_offset},
        {"calls that fail", test_wrong_calls},
        {"what is refused", test_refused},
        {0},
    };
    return suite_run("Portals: operations", cases);
}
