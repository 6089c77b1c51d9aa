// SPDX-License-Identifier: GPL-3.0-or-later
// Matching by source, tag and context: wildcards, order, probes, and the length of a search.
#include "sim/core/random.h"
#include "sim/mpi/matcher.h"
#include "tests/support/suite.h"

#include <glib.h>

static struct mpi_request request(enum mpi_request_kind kind, int peer, int tag)
{
    return (struct mpi_request){
        .kind = kind, .peer = peer, .tag = tag, .context = CONTEXT_POINT_TO_POINT};
}

static struct mpi_envelope envelope(int source, int tag)
{
    return (struct mpi_envelope){.source = source, .tag = tag, .context = CONTEXT_POINT_TO_POINT};
}

// ---- Wildcards ----

static void test_wildcards(void)
{
    struct mpi_envelope message = envelope(3, 7);
    static const struct {
        int peer, tag;
        bool matches;
    } wanted[] = {
        {3, 7, true},        {3, 8, false},       {4, 7, false},        {3, TAG_ANY, true},
        {4, TAG_ANY, false}, {RANK_ANY, 7, true}, {RANK_ANY, 8, false}, {RANK_ANY, TAG_ANY, true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        struct mpi_request receive = request(REQUEST_RECV, wanted[i].peer, wanted[i].tag);
        CU_ASSERT_EQUAL(mpi_envelope_matches(&message, &receive), wanted[i].matches);
        // No wildcard reaches into another context.
        receive.context = CONTEXT_COLLECTIVE;
        CU_ASSERT_FALSE(mpi_envelope_matches(&message, &receive));
        message.context = CONTEXT_COLLECTIVE;
        CU_ASSERT_EQUAL(mpi_envelope_matches(&message, &receive), wanted[i].matches);
        message.context = CONTEXT_POINT_TO_POINT;
    }
    // Tag 0 and rank 0 are values like any other.
    struct mpi_request zero = request(REQUEST_RECV, 0, 0);
    CU_ASSERT_FALSE(mpi_envelope_matches(&message, &zero));
}

// ---- Posted receives ----

static void test_posted_order(void)
{
    struct mpi_matcher matcher;
    struct mpi_request receives[] = {
        request(REQUEST_RECV, 1, 5),       request(REQUEST_RECV, RANK_ANY, 5),
        request(REQUEST_RECV, 1, TAG_ANY), request(REQUEST_RECV, 2, 5),
        request(REQUEST_RECV, 1, 5),
    };
    mpi_matcher_init(&matcher);
    for (size_t i = 0; i < G_N_ELEMENTS(receives); i++)
        mpi_matcher_post(&matcher, &receives[i]);
    CU_ASSERT_EQUAL(matcher.posted_count, 5);
    // The first that matches, not the best one.
    static const struct {
        int source, tag, found, scanned;
    } arrivals[] = {
        {2, 5, 1, 2}, // the wildcard stands before the exact one
        {1, 9, 2, 2}, {2, 5, 3, 2}, {1, 5, 0, 1}, {9, 9, -1, 1}, {1, 5, 4, 1}, {1, 5, -1, 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(arrivals); i++) {
        struct mpi_envelope message = envelope(arrivals[i].source, arrivals[i].tag);
        int scanned = -1;
        struct mpi_request *found = mpi_matcher_find_posted(&matcher, &message, &scanned);
        CU_ASSERT_PTR_EQUAL(found, arrivals[i].found < 0 ? NULL : &receives[arrivals[i].found]);
        SUITE_SAME_INTEGER(scanned, arrivals[i].scanned);
    }
    CU_ASSERT_EQUAL(matcher.posted_count, 0);
    CU_ASSERT_PTR_NULL(matcher.posted.head);
    // It can be filled again after its last entry is gone.
    mpi_matcher_post(&matcher, &receives[3]);
    CU_ASSERT_PTR_EQUAL(matcher.posted.head, &receives[3]);
    mpi_matcher_clear(&matcher);
}

// A probe is found like a receive; once it is removed, the next search finds the request after it.
static void test_probe(void)
{
    struct mpi_matcher matcher;
    struct mpi_request probe = request(REQUEST_PROBE, RANK_ANY, TAG_ANY),
                       receive = request(REQUEST_RECV, 1, 1);
    struct mpi_envelope message = envelope(1, 1);
    int scanned;
    mpi_matcher_init(&matcher);
    mpi_matcher_post(&matcher, &probe);
    mpi_matcher_post(&matcher, &receive);
    CU_ASSERT_PTR_EQUAL(mpi_matcher_find_posted(&matcher, &message, &scanned), &probe);
    CU_ASSERT_PTR_EQUAL(mpi_matcher_find_posted(&matcher, &message, &scanned), &receive);
    CU_ASSERT_PTR_NULL(mpi_matcher_find_posted(&matcher, &message, &scanned));
    // An unexpected message stays for the receive after a probe has seen it.
    struct mpi_unexpected *unexpected = mpi_matcher_buffer(&matcher, &message);
    CU_ASSERT_PTR_EQUAL(mpi_matcher_find_unexpected(&matcher, &probe, &scanned), unexpected);
    CU_ASSERT_PTR_EQUAL(mpi_matcher_find_unexpected(&matcher, &receive, &scanned), unexpected);
    mpi_matcher_clear(&matcher);
}

// ---- Unexpected messages ----

static void test_unexpected_order(void)
{
    struct mpi_matcher matcher;
    static const int arrivals[][2] = {{1, 5}, {2, 5}, {1, 5}, {1, 6}, {2, 6}};
    struct mpi_unexpected *messages[5];
    int scanned;
    mpi_matcher_init(&matcher);
    for (int i = 0; i < 5; i++) {
        struct mpi_envelope message = envelope(arrivals[i][0], arrivals[i][1]);
        message.sequence = (uint32_t)i;
        messages[i] = mpi_matcher_buffer(&matcher, &message);
        CU_ASSERT_EQUAL(messages[i]->envelope.sequence, (uint32_t)i);
        CU_ASSERT(!messages[i]->whole && messages[i]->buffered == 0 && !messages[i]->self_send);
    }
    CU_ASSERT_EQUAL(matcher.unexpected_count, 5);
    struct mpi_request any_of_2 = request(REQUEST_RECV, 2, TAG_ANY),
                       six = request(REQUEST_RECV, RANK_ANY, 6);
    struct mpi_request first = request(REQUEST_RECV, 1, 5),
                       none = request(REQUEST_RECV, 3, TAG_ANY);
    CU_ASSERT_PTR_EQUAL(mpi_matcher_find_unexpected(&matcher, &any_of_2, &scanned), messages[1]);
    SUITE_SAME_INTEGER(scanned, 2);
    CU_ASSERT_PTR_EQUAL(mpi_matcher_find_unexpected(&matcher, &six, &scanned), messages[3]);
    SUITE_SAME_INTEGER(scanned, 4);
    CU_ASSERT_PTR_NULL(mpi_matcher_find_unexpected(&matcher, &none, &scanned));
    SUITE_SAME_INTEGER(scanned, 5);
    // Messages of one source and tag are taken in the order of their arrival.
    CU_ASSERT_PTR_EQUAL(mpi_matcher_find_unexpected(&matcher, &first, &scanned), messages[0]);
    mpi_matcher_remove_unexpected(&matcher, messages[0]);
    CU_ASSERT_PTR_EQUAL(mpi_matcher_find_unexpected(&matcher, &first, &scanned), messages[2]);
    // From the end, from the middle, and the last one.
    mpi_matcher_remove_unexpected(&matcher, messages[4]);
    CU_ASSERT_PTR_EQUAL(matcher.unexpected_tail, messages[3]);
    mpi_matcher_remove_unexpected(&matcher, messages[2]);
    mpi_matcher_remove_unexpected(&matcher, messages[1]);
    CU_ASSERT_PTR_EQUAL(matcher.unexpected_head, messages[3]);
    mpi_matcher_remove_unexpected(&matcher, messages[3]);
    CU_ASSERT_PTR_NULL(matcher.unexpected_head);
    CU_ASSERT_EQUAL(matcher.unexpected_count, 0);
    struct mpi_envelope again = envelope(8, 8);
    struct mpi_unexpected *last = mpi_matcher_buffer(&matcher, &again);
    CU_ASSERT(matcher.unexpected_head == last && matcher.unexpected_tail == last);
    mpi_matcher_clear(&matcher);
}

// ---- Queues ----

static void test_queue(void)
{
    struct mpi_queue queue = {0};
    struct mpi_request requests[4] = {0};
    CU_ASSERT_PTR_NULL(mpi_queue_pop(&queue));
    CU_ASSERT_FALSE(mpi_queue_remove(&queue, &requests[0]));
    mpi_queue_prepend(&queue, &requests[1]);
    mpi_queue_append(&queue, &requests[2]);
    mpi_queue_prepend(&queue, &requests[0]);
    mpi_queue_append(&queue, &requests[3]);
    CU_ASSERT(mpi_queue_remove(&queue, &requests[3]));
    CU_ASSERT_PTR_EQUAL(queue.tail, &requests[2]);
    CU_ASSERT(mpi_queue_remove(&queue, &requests[1]));
    CU_ASSERT_FALSE(mpi_queue_remove(&queue, &requests[1]));
    CU_ASSERT_PTR_EQUAL(mpi_queue_pop(&queue), &requests[0]);
    CU_ASSERT(mpi_queue_remove(&queue, &requests[2]));
    CU_ASSERT_PTR_NULL(queue.head);
    mpi_queue_append(&queue, &requests[3]);
    CU_ASSERT(queue.head == &requests[3] && queue.tail == &requests[3]);
}

// ---- Against the rule itself ----

#define COUNT 3000

// Random posts and arrivals. At any time no posted receive matches a buffered message, as each new
// one is looked up at once; and what is found is the oldest that matches.
static void test_random(void)
{
    struct mpi_matcher matcher;
    struct random_stream *random = random_new(6, "matching");
    struct mpi_request *requests = g_new0(struct mpi_request, COUNT);
    GPtrArray *posted = g_ptr_array_new();
    int wrong = 0, scanned, matched = 0;
    mpi_matcher_init(&matcher);
    for (int i = 0; i < COUNT; i++) {
        int peer = (int)random_below(random, 4) - 1, tag = (int)random_below(random, 4) - 1;
        if (random_chance(random, 0.5)) {
            requests[i] = request(REQUEST_RECV, peer, tag);
            struct mpi_unexpected *expected = matcher.unexpected_head;
            while (expected && !mpi_envelope_matches(&expected->envelope, &requests[i]))
                expected = expected->next;
            struct mpi_unexpected *found =
                mpi_matcher_find_unexpected(&matcher, &requests[i], &scanned);
            wrong += found != expected;
            if (found) {
                mpi_matcher_remove_unexpected(&matcher, found);
                matched++;
            } else {
                mpi_matcher_post(&matcher, &requests[i]);
                g_ptr_array_add(posted, &requests[i]);
            }
            continue;
        }
        struct mpi_envelope message = envelope(MAX(peer, 0), MAX(tag, 0));
        guint first = 0;
        while (first < posted->len &&
               !mpi_envelope_matches(&message, g_ptr_array_index(posted, first)))
            first++;
        struct mpi_request *expected =
            first < posted->len ? g_ptr_array_index(posted, first) : NULL;
        wrong += mpi_matcher_find_posted(&matcher, &message, &scanned) != expected;
        if (expected) {
            g_ptr_array_remove_index(posted, first);
            matched++;
        } else {
            mpi_matcher_buffer(&matcher, &message);
        }
        wrong += matcher.posted_count != (int)posted->len;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(matched > COUNT / 4);
    g_ptr_array_unref(posted);
    g_free(requests);
    random_free(random);
    mpi_matcher_clear(&matcher);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"wildcards", test_wildcards},
        {"posted receives in order", test_posted_order},
        {"probes", test_probe},
        {"unexpected messages in order", test_unexpected_order},
        {"queues of requests", test_queue},
        {"random posts and arrivals", test_random},
        {NULL, NULL},
    };
    return suite_run("mpi: matcher", cases);
}
