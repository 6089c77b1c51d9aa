// SPDX-License-Identifier: GPL-3.0-or-later
// How the VIA RPI makes progress: completions, callbacks, advance functions, and the records that
// they work on (thesis 000, 4.5.3, 4.7.1, 4.7.3, 4.8).
//
// Programs are stopped at times when all that could happen has happened, because every rank
// computes or waits.
#include "tests/support/rpi_bench.h"
#include "tests/support/suite.h"

static struct mpi_request *active(const struct rpi_bench *bench, int rank, uint32_t number)
{
    for (struct mpi_request *at = bench->processes[rank]->active; at; at = at->active_next)
        if (at->number == number)
            return at;
    CU_FAIL_FATAL("there is no such request");
    return NULL;
}

static int descriptors_posted(const struct rpi_bench *bench, int rank, int peer)
{
    const struct vip_vi *vi = rpi_bench_peer(bench, rank, peer)->cp_vi_hand;
    return vi->unmade + vi->receive.posted.count;
}

// via.rpi.progress_only_in_calls, via.rpi.vipcq_two_step: a message has come while its receiver
// computes. The completion queue names the VI and which of its queues; the descriptor is still
// there, and its immediate data name the sender. Area, descriptors and matching have not been
// touched. via.rpi.event_pipeline, via.rpi.recv_desc_recycled: once handled, the read pointer has
// moved and the descriptor is posted again.
static void test_pipeline(void)
{
    struct test_program program = {
        .ranks = 3,
        .ops = {"{compute: 10 ms}, {send: {to: 2, size: 100 B}}",
                "{send: {to: 2, size: 1 KiB}}, {send: {to: 2, size: 1 KiB}}",
                "{compute: 100 ms}, {loop: {count: 3, do: [{recv: {from: any, size: 1 KiB}}]}}, "
                "{compute: 100 ms}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    const struct vip_cq *cq;
    rpi_bench_run(bench, 50);
    cq = rpi_bench_process(bench, 2)->cq;
    SUITE_SAME_INTEGER(cq->tail - cq->head, 3);
    static const int sources[] = {1, 1, 0};
    for (guint i = 0; i < 3; i++) {
        const struct vip_cq_entry *entry = &cq->entries[(cq->head + i) & (cq->capacity - 1)];
        CU_ASSERT(entry->receive);
        CU_ASSERT_PTR_EQUAL(entry->vi, rpi_bench_peer(bench, 2, sources[i])->cp_vi_hand);
        const struct vip_descriptor *done = entry->vi->receive.done.head;
        CU_ASSERT_PTR_NOT_NULL_FATAL(done);
        SUITE_SAME_INTEGER(done->status, VIP_STATUS_DONE);
        SUITE_SAME_INTEGER(rpi_immediate_unpack(done->immediate).src_node, sources[i]);
    }
    SUITE_SAME_INTEGER(descriptors_posted(bench, 2, 1), 50 - 2);
    SUITE_SAME_INTEGER(descriptors_posted(bench, 2, 0), 50 - 1);
    SUITE_SAME_INTEGER(rpi_bench_peer(bench, 2, 1)->cp_read_pointer, 0);
    SUITE_SAME_INTEGER(bench->processes[2]->matcher.unexpected_count, 0);
    SUITE_SAME_INTEGER(bench->processes[2]->last_number, 0);
    rpi_bench_run(bench, 150);
    SUITE_SAME_INTEGER(cq->tail - cq->head, 0);
    SUITE_SAME_INTEGER(descriptors_posted(bench, 2, 1), 50);
    SUITE_SAME_INTEGER(rpi_bench_peer(bench, 2, 1)->cp_read_pointer,
                       2 * (rpi_bench_process(bench, 0)->config->envelope + 1024));
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// via.rpi.advance_blocking: the receive has its message with the first event, but the call handles
// the four others too before it returns.
static void test_blocking_drains(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops =
            {"{loop: {count: 5, as: i, do: [{send: {to: 1, size: 1 KiB, tag: i}}]}}",
             "{compute: 50 ms}, {recv: {from: 0, tag: 0, size: 1 KiB}}, {compute: 50 ms}, {loop: "
             "{count: 4, as: i, do: [{recv: {from: 0, tag: i + 1, size: 1 KiB}}]}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_run(bench, 75);
    SUITE_SAME_INTEGER(bench->processes[1]->matcher.unexpected_count, 4);
    SUITE_SAME_INTEGER(descriptors_posted(bench, 1, 0), 50);
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// via.rpi.advance_blocking: with nothing to handle, the call waits: the process sleeps until a
// completion wakes it.
static void test_blocking_waits(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{compute: 100 ms}, {send: {to: 1, size: 8 B}}", "{recv: {from: 0, size: 8 B}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_run(bench, 50);
    CU_ASSERT(rpi_bench_process(bench, 1)->cq->waiting);
    uint64_t slices = cpu_usage(bench->processes[1]->task.cpu).slices[CPU_USER];
    rpi_bench_run(bench, 90);
    SUITE_SAME_INTEGER((long long)cpu_usage(bench->processes[1]->task.cpu).slices[CPU_USER],
                       (long long)slices);
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// via.rpi.advance_nonblocking: a call that starts a request handles all that has come, however much
// (here five messages, none of which it asks for) ...
static void test_nonblocking_drains(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops =
            {"{loop: {count: 5, as: i, do: [{send: {to: 1, size: 1 KiB, tag: i}}]}}, {recv: {from: "
             "1, "
             "size: 8 B}}",
             "{compute: 50 ms}, {isend: {to: 0, size: 8 B, request: s}}, {compute: 50 ms}, {loop: "
             "{count: 5, as: i, do: [{recv: {from: 0, tag: i, size: 1 KiB}}]}}, {wait: s}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_run(bench, 75);
    SUITE_SAME_INTEGER(bench->processes[1]->matcher.unexpected_count, 5);
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// ... and returns if nothing has: the program goes on while its receives are open.
static void test_nonblocking_returns(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{compute: 100 ms}, {loop: {count: 2, do: [{send: {to: 1, size: 8 B}}]}}",
                "{irecv: {from: 0, size: 8 B, request: a}}, {irecv: {from: 0, size: 8 B, request: "
                "b}}, "
                "{compute: 10 ms}, {waitall: all}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_run(bench, 5);
    SUITE_SAME_INTEGER(bench->processes[1]->matcher.posted_count, 2);
    SUITE_SAME_INTEGER(bench->processes[1]->open_waits, 0);
    CU_ASSERT_FALSE(rpi_bench_process(bench, 1)->cq->waiting);
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// How often LAM's layer enters lsra_advance again in a program of rank 1: each time costs 10 ms of
// "MPI", besides which that stage takes microseconds.
static int reentries(const char *first, const char *second)
{
    struct test_program program = {
        .ranks = 2, .sets = {"lam_via.reenter=10 ms"}, .ops = {first, second}};
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    sim_time spent = rpi_bench_process_time(bench, 1, "MPI");
    CU_ASSERT(spent % (10 * TIME_MS) < TIME_MS);
    rpi_bench_free(bench);
    return (int)(spent / (10 * TIME_MS));
}

#define AFTER(tag) "{compute: 50 ms}, {send: {to: 1, size: 8 B, tag: " tag "}}"
#define POSTED(name, tag) "{irecv: {from: 0, size: 8 B, tag: " tag ", request: " name "}}, "

// via.rpi.done_counter: what leaves lsra_advance is a request that has ended, in a callback or in
// an advance function, whichever it is; if the call waits for another one, it is entered again.
static void test_done_counter(void)
{
    static const char three[] = AFTER("1") ", " AFTER("2") ", " AFTER("3");
    static const char posted[] = POSTED("a", "1") POSTED("b", "2") POSTED("c", "3");
    static const struct {
        const char *waits;
        int reentries;
    } orders[] = {
        {"{wait: a}, {wait: b}, {wait: c}", 0}, // each ends with what it waits for
        {"{wait: b}, {wait: a}, {wait: c}", 1}, // a ends first
        {"{wait: c}, {waitall: all}", 2},
        {"{waitall: all}", 2}, // two end before the last
        // They have arrived already: events are handled as long as there are any.
        {"{compute: 300 ms}, {waitall: all}", 0},
        {"{compute: 300 ms}, {wait: c}, {waitall: all}", 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(orders); i++) {
        char *second = g_strconcat(posted, orders[i].waits, NULL);
        SUITE_SAME_INTEGER(reentries(three, second), orders[i].reentries);
        g_free(second);
    }
    // Unexpected messages end no request.
    SUITE_SAME_INTEGER(reentries(three, "{recv: {from: 0, size: 8 B, tag: 3}}, {recv: {from: 0, "
                                        "size: 8 B, tag: 2}}, {recv: {from: 0, size: 8 B, tag: "
                                        "1}}"),
                       0);
    // A callback: the long send leaves 350 ms after it was started.
    SUITE_SAME_INTEGER(
        reentries(
            "{irecv: {from: 1, size: 4 MiB, request: r}}, {compute: 1 s}, {wait: r}, " AFTER("1"),
            "{isend: {to: 0, size: 4 MiB, request: s}}, {recv: {from: 0, size: 8 B, tag: "
            "1}}, {wait: s}"),
        1);
}

// The counter itself: it stands at what has ended since the call was entered, and is empty once it
// waits again.
static void test_done_counter_value(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {AFTER("1") ", {send: {to: 1, size: 8 B, tag: 2}}, " AFTER("3"),
                POSTED("a", "1") POSTED("b", "2") POSTED("c", "3") "{compute: 70 ms}, {wait: c}"
                                                                   ", {waitall: all}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    const struct rpi_process *rpi = rpi_bench_process(bench, 1);
    int most = 0;
    for (double at = 70; at < 75; at += 0.0005) {
        rpi_bench_run(bench, at);
        most = MAX(most, rpi->done);
    }
    SUITE_SAME_INTEGER(most, 2);
    SUITE_SAME_INTEGER(rpi->done, 0);
    CU_ASSERT(rpi->inside && rpi->waiting);
    rpi_bench_finish(bench);
    CU_ASSERT_FALSE(rpi->inside);
    rpi_bench_free(bench);
}

// via.rpi.callback_fifo: of the descriptors that are out, each belongs to a request, in the order
// of posting, and completions follow that order. The queue never holds more or less than the
// descriptors that are not free.
static void test_callbacks_in_order(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{isend: {to: 1, size: 16 KiB, request: a}}, {isend: {to: 1, size: 24 KiB, "
                "request: b}}, "
                "{isend: {to: 1, size: 8 KiB, request: c}}, {waitall: all}",
                "{loop: {count: 3, do: [{recv: {from: 0, size: 24 KiB}}]}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    GString *heads = g_string_new(NULL);
    const struct mpi_request *last = NULL;
    for (double at = 1.2; at < 8; at += 0.02) {
        rpi_bench_run(bench, at);
        const struct rpi_process_peer *peer = rpi_bench_peer(bench, 0, 1);
        guint pending = peer->pending_tail - peer->pending_head;
        SUITE_SAME_INTEGER(pending, 10 - peer->cp_free_send_desc_cnt);
        const struct mpi_request *head =
            pending > 0 ? peer->cp_pending_sends[peer->pending_head % 10] : NULL;
        if (head && head != last)
            g_string_append_printf(heads, "%u ", head->number);
        last = head;
    }
    SUITE_SAME_TEXT(heads->str, "1 2 3 ");
    const struct program_run seen = {.lines = bench->lines};
    rpi_bench_finish(bench);
    char *text = program_run_text(&seen, 0, "send");
    SUITE_CONTAINS(text, "send[1] envelope_sent -> done\n"
                         "send[2] envelope_sent -> body_sent\n"
                         "send[2] body_sent -> done\n"
                         "send[3] envelope_sent -> done\n");
    g_free(text);
    g_string_free(heads, TRUE);
    rpi_bench_free(bench);
}

// via.rpi.advance_fn_pointers: what is to be done next with a request is set as a function each
// time it stops.
static void test_functions(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{issend: {to: 1, size: 8 B, tag: 1, request: a}}, {issend: {to: 1, size: 100 KiB, "
                "tag: "
                "2, request: b}}, {compute: 10 ms}, {waitall: all}",
                "{compute: 50 ms}, {recv: {from: 0, tag: 1, size: 8 B}}, {irecv: {from: 0, tag: 2, "
                "size: "
                "100 KiB, request: r}}, {compute: 50 ms}, {wait: r}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_run(bench, 30);
    struct mpi_request *first = active(bench, 0, 1), *second = active(bench, 0, 2);
    const struct rpi_request *tiny = rpi_of(first), *syn = rpi_of(second);
    CU_ASSERT(tiny->cq_recv_advance_fn == rpi_synchronous_acknowledged);
    CU_ASSERT(syn->cq_recv_advance_fn == rpi_long_acknowledged);
    SUITE_SAME_INTEGER(first->machine.state, RPI_WAIT_ACK);
    SUITE_SAME_INTEGER(second->machine.state, RPI_WAIT_ACK);
    rpi_send_advance_fn *of_syn = syn->cq_send_advance_fn;
    rpi_callback_fn *of_envelope = syn->cq_callback_fn;
    CU_ASSERT(of_syn != tiny->cq_send_advance_fn);
    rpi_bench_run(bench, 53);
    CU_ASSERT(syn->cq_send_advance_fn != of_syn);
    CU_ASSERT(syn->cq_callback_fn != of_envelope);
    SUITE_SAME_INTEGER(second->machine.state, RPI_BODY_SENT);
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// via.rpi.request_record: a long send in the middle of its body (two of four pieces have left, the
// third is under way).
static void test_request_record(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"mvia.largest_transfer=50000 B", "lam_via.pieces=one_by_one"},
        .ops = {"{send: {to: 1, size: 200000 B}}", "{recv: {from: 0, size: 200000 B}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    struct mpi_request *request = NULL;
    for (double at = 1.2; at < 30; at += 0.1) {
        rpi_bench_run(bench, at);
        request = bench->processes[0]->active;
        if (request && rpi_of(request)->cq_packsize == 50000)
            break;
    }
    CU_ASSERT_PTR_NOT_NULL_FATAL(request);
    const struct rpi_request *record = rpi_of(request);
    SUITE_SAME_INTEGER(request->kind, REQUEST_SEND);
    SUITE_SAME_INTEGER(record->class, RPI_LONG);
    SUITE_SAME_INTEGER(request->machine.state, RPI_BODY_SENT);
    SUITE_SAME_INTEGER(record->cq_peer->node, 1);
    SUITE_SAME_INTEGER(record->cq_packbuf, 150000);
    SUITE_SAME_INTEGER(record->cq_packsize, 50000);
    CU_ASSERT(record->isadv);
    CU_ASSERT_PTR_NOT_NULL(record->cq_envbuf);
    CU_ASSERT(vip_mem_valid(rpi_bench_process(bench, 0)->nic, record->cq_envbuf->handle,
                            record->cq_envbuf->address,
                            rpi_bench_process(bench, 0)->config->envelope));
    CU_ASSERT_PTR_NOT_NULL_FATAL(record->cq_packbufhand);
    SUITE_SAME_INTEGER(record->cq_packbufhand->address, request->address);
    SUITE_SAME_INTEGER(record->cq_packbufhand->refcount, 1);
    CU_ASSERT(record->cq_send_advance_fn && record->cq_callback_fn);
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// via.rpi.proc_record: what a process knows of a peer, with transfers under way in both directions.
// (Receives that wait for an envelope are listed for the process. The peer's network address is
// needed for connecting only.)
static void test_proc_record(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.sdescs=7", "lam_via.rdescs=9"},
        .ops = {"{issend: {to: 1, size: 16 KiB, tag: 1, request: a}}, {isend: {to: 1, size: 8 KiB, "
                "tag: 2, "
                "request: b}}, {isend: {to: 1, size: 100 KiB, tag: 3, request: c}}, {compute: 100 "
                "ms}, "
                "{waitall: all}",
                "{irecv: {from: 0, tag: 3, size: 100 KiB, request: c}}, {compute: 50 ms}, {iprobe: "
                "{from: 0, "
                "tag: 9}}, {compute: 50 ms}, {recv: {from: 0, tag: 1, size: 16 KiB}}, {recv: "
                "{from: 0, tag: 2, "
                "size: 8 KiB}}, {wait: c}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_run(bench, 75);
    int64_t envelope = rpi_bench_process(bench, 0)->config->envelope;
    const struct rpi_process_peer *sender = rpi_bench_peer(bench, 0, 1);
    const struct rpi_process_peer *receiver = rpi_bench_peer(bench, 1, 0);
    // The sender computes: the completions of its three descriptors have not been handled.
    SUITE_SAME_INTEGER(sender->cp_first_free_send_desc, 3);
    SUITE_SAME_INTEGER(sender->cp_free_send_desc_cnt, 7 - 3);
    CU_ASSERT_PTR_EQUAL(sender->cp_pending_sends[0], active(bench, 0, 1));
    CU_ASSERT_PTR_EQUAL(sender->cp_pending_sends[2], active(bench, 0, 3));
    SUITE_SAME_INTEGER(sender->cp_remote_write_pointer, 3 * envelope + (24 << 10));
    // Its ACK is the only message from the receiver, which has read all.
    SUITE_SAME_INTEGER(descriptors_posted(bench, 0, 1), 9 - 1);
    SUITE_SAME_INTEGER(receiver->cp_read_pointer, sender->cp_remote_write_pointer);
    SUITE_SAME_INTEGER(receiver->cp_remote_write_pointer, envelope);
    SUITE_SAME_INTEGER(descriptors_posted(bench, 1, 0), 9);
    CU_ASSERT_PTR_EQUAL(receiver->cp_current_recv_req.head, active(bench, 1, 1));
    CU_ASSERT_PTR_NULL(receiver->cp_bmsg);
    CU_ASSERT_PTR_EQUAL(receiver->cp_vi_hand->owner, receiver);
    // Both descriptor arrays, and both areas with their handles.
    for (int rank = 0; rank < 2; rank++) {
        const struct rpi_process_peer *peer = rpi_bench_peer(bench, rank, 1 - rank);
        const struct rpi_process_peer *other = rpi_bench_peer(bench, 1 - rank, rank);
        const struct vip_nic *nic = rpi_bench_process(bench, rank)->nic;
        CU_ASSERT(peer->cp_send_desc && peer->cp_recv_desc);
        CU_ASSERT_PTR_EQUAL(peer->cp_recv_desc[0].vi, peer->cp_vi_hand);
        CU_ASSERT(vip_mem_valid(nic, peer->cp_rdma_area_hand, peer->cp_rdma_area, 64 << 10));
        SUITE_SAME_INTEGER(peer->cp_remote_rdma_area, other->cp_rdma_area);
        SUITE_SAME_INTEGER(peer->cp_remote_rdma_area_hand.index, other->cp_rdma_area_hand.index);
    }
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// via.rpi.cbuf_record: unexpected messages, one of each class, a short one without its body yet,
// and one to self. (No payload is stored.)
static void test_cbuf_record(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.short=256 KiB", "lam_via.area=1 MiB", "mvia.largest_transfer=256 KiB"},
        .ops = {"{send: {to: 1, size: 1 KiB, tag: 1}}, {isend: {to: 1, size: 300 KiB, tag: 2, "
                "request: a}}, "
                "{compute: 50 ms}, {send: {to: 1, size: 200 KiB, tag: 3}}, {wait: a}",
                "{isend: {to: 1, size: 10 B, tag: 4, request: s}}, {compute: 55 ms}, {iprobe: "
                "{from: 0, tag: "
                "9}}, {compute: 1 ms}, {recv: {from: 0, tag: 1, size: 1 KiB}}, {recv: {from: 0, "
                "tag: 3, size: "
                "200 KiB}}, {recv: {from: 0, tag: 2, size: 300 KiB}}, {recv: {from: 1, size: 10 "
                "B}}, {wait: "
                "s}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_run(bench, 56.5);
    const struct mpi_unexpected *self = bench->processes[1]->matcher.unexpected_head;
    CU_ASSERT_PTR_NOT_NULL_FATAL(self);
    CU_ASSERT_PTR_EQUAL(self->self_send, active(bench, 1, 1));
    const struct mpi_unexpected *tiny = self->next;
    CU_ASSERT(tiny && tiny->whole && !tiny->self_send);
    SUITE_SAME_INTEGER(tiny->buffered, 1024);
    SUITE_SAME_INTEGER(tiny->envelope.tag, 1);
    const struct mpi_unexpected *syn = tiny->next;
    CU_ASSERT(syn && syn->whole);
    SUITE_SAME_INTEGER(syn->buffered, 0);
    CU_ASSERT_PTR_EQUAL((void *)(uintptr_t)syn->extra[0], active(bench, 0, 2));
    const struct mpi_unexpected *head = syn->next;
    CU_ASSERT(head && !head->whole && !head->next);
    SUITE_SAME_INTEGER(head->buffered, 200 << 10);
    SUITE_SAME_INTEGER(head->envelope.source, 0);
    SUITE_SAME_INTEGER(head->envelope.length, 200 << 10);
    CU_ASSERT_PTR_EQUAL(rpi_bench_peer(bench, 1, 0)->cp_bmsg, head);
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"from completion queue to read pointer", test_pipeline},
        {"a blocking call handles all that has come", test_blocking_drains},
        {"a blocking call waits", test_blocking_waits},
        {"a call that does not block handles all that has come", test_nonblocking_drains},
        {"a call that does not block returns", test_nonblocking_returns},
        {"counter of requests", test_done_counter},
        {"the counter", test_done_counter_value},
        {"callbacks in order", test_callbacks_in_order},
        {"advance functions", test_functions},
        {"record of a request", test_request_record},
        {"record of a peer", test_proc_record},
        {"record of an unexpected message", test_cbuf_record},
        {0},
    };
    return suite_run("rpi: progress", cases);
}
