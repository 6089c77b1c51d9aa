// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of the VIA RPI: areas and their pointers, envelope buffers, requests, copies (thesis
// 000, 4.4, 4.5, 4.6).
#include "sim/core/poison.h"
#include "tests/support/rpi_bench.h"
#include "tests/support/suite.h"

#define FIRST "{compute: 100 ms}, "           // lets the other ranks go first
#define LOOK "{iprobe: {from: 0, tag: 99}}, " // handles what has come, and finds nothing
#define PAGE 4096

// ---- Areas ----

// via.rpi.rdma_area_per_peer: for each peer an area of its own, apart from all others, that this
// peer alone writes to.
static void test_area_per_peer(void)
{
    struct test_program program = {
        .ranks = 4, .sets = {"lam_via.area=100000 B"}, .all = "{compute: 1 ms}"};
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    for (int rank = 0; rank < 4; rank++)
        for (int peer = 0; peer < 4; peer++) {
            const struct rpi_process_peer *own = rpi_bench_peer(bench, rank, peer);
            const struct rpi_process_peer *remote = rpi_bench_peer(bench, peer, rank);
            if (peer == rank)
                continue;
            SUITE_SAME_INTEGER(own->cp_rdma_area, remote->cp_remote_rdma_area);
            SUITE_SAME_INTEGER(own->cp_rdma_area_hand.index,
                               remote->cp_remote_rdma_area_hand.index);
            CU_ASSERT(vip_mem_valid(rpi_bench_process(bench, rank)->nic, own->cp_rdma_area_hand,
                                    own->cp_rdma_area, 100000));
            for (int other = 0; other < peer; other++) {
                const struct rpi_process_peer *second = rpi_bench_peer(bench, rank, other);
                if (other != rank)
                    CU_ASSERT(llabs(own->cp_rdma_area - second->cp_rdma_area) >= 100000);
            }
        }
    rpi_bench_free(bench);
}

// via.rpi.area_packing: one after the other, no slots; reader and writer end at the same place.
static void test_packing(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {FIRST
                "{send: {to: 1, size: 100 B}}, {send: {to: 1, size: 0 B}}, {send: {to: 1, size: "
                "20 KiB}}, {send: {to: 1, size: 200 KiB}}",
                "{loop: {count: 4, do: [{recv: {from: 0, size: 200 KiB}}]}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    int64_t envelope = rpi_bench_process(bench, 0)->config->envelope;
    const struct rpi_process_peer *writer = rpi_bench_peer(bench, 0, 1);
    const struct rpi_process_peer *reader = rpi_bench_peer(bench, 1, 0);
    // The long one has put its SYN there only.
    SUITE_SAME_INTEGER(writer->cp_remote_write_pointer, 4 * envelope + 100 + (20 << 10));
    SUITE_SAME_INTEGER(reader->cp_read_pointer, writer->cp_remote_write_pointer);
    // In the other direction, the ACK.
    SUITE_SAME_INTEGER(reader->cp_remote_write_pointer, envelope);
    SUITE_SAME_INTEGER(writer->cp_read_pointer, envelope);
    rpi_bench_free(bench);
}

// via.rpi.area_packing: a message that does not fit in the rest of the area goes to its top, which
// the immediate data announce. Three messages of 16 KiB fit into 64 KiB, the fourth does not.
static void test_restart(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{loop: {count: 7, do: [{ssend: {to: 1, size: 16 KiB}}]}}",
                "{loop: {count: 7, do: [{recv: {from: 0, size: 16 KiB}}]}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    const struct rpi_process_peer *writer = rpi_bench_peer(bench, 0, 1);
    const struct rpi_process_peer *reader = rpi_bench_peer(bench, 1, 0);
    int64_t step = rpi_bench_process(bench, 0)->config->envelope + (16 << 10);
    for (int i = 0; i < 7; i++) {
        SUITE_SAME_INTEGER(writer->cp_send_desc[i].remote_address,
                           reader->cp_rdma_area + i % 3 * step);
        SUITE_SAME_INTEGER(rpi_immediate_unpack(reader->cp_recv_desc[i].immediate).restart,
                           i == 3 || i == 6);
    }
    SUITE_SAME_INTEGER(writer->cp_remote_write_pointer, step);
    SUITE_SAME_INTEGER(reader->cp_read_pointer, step);
    rpi_bench_free(bench);
}

// via.rpi.area_packing, against a model: whatever the sizes, a write starts where the last one
// ended if it fits there, else at the top; the reader, which knows length and restart only,
// follows.
static void test_pointers(void)
{
    struct rpi_config config = {.area = 10000};
    struct rpi_process process = {.config = &config};
    struct rpi_process_peer writer = {.owner = &process, .cp_remote_rdma_area = 500000};
    struct rpi_process_peer reader = {
        .owner = &process, .extents = g_array_new(FALSE, FALSE, sizeof(struct rpi_extent))};
    GRand *random = g_rand_new_with_seed(1);
    int64_t end = 0;
    int restarts = 0;
    for (int i = 0; i < 10000; i++) {
        int64_t bytes = i % 100 == 7 ? config.area : g_rand_int_range(random, 1, 5001);
        bool fits = end + bytes <= config.area, restart;
        int64_t at = rpi_area_write(&writer, bytes, &restart);
        SUITE_SAME_INTEGER(restart, !fits);
        SUITE_SAME_INTEGER(at, 500000 + (fits ? end : 0));
        end = (fits ? end : 0) + bytes;
        g_array_set_size(reader.extents, 1);
        rpi_area_read(&reader, bytes, restart);
        SUITE_SAME_INTEGER(reader.cp_read_pointer, writer.cp_remote_write_pointer);
        restarts += restart;
    }
    CU_ASSERT(restarts > 1000);
    g_array_unref(reader.extents);
    g_rand_free(random);
}

// ---- Envelope buffers ----

static int free_buffers(const struct rpi_bench *bench, int rank)
{
    int count = 0;
    struct rpi_buffer *at = rpi_bench_process(bench, rank)->free_buffers;
    while (at) {
        unpoison(at, sizeof *at);
        struct rpi_buffer *next = at->next;
        poison(at, sizeof *at);
        at = next;
        count++;
    }
    return count;
}

static int64_t pinned(const struct rpi_bench *bench, int rank)
{
    return vip_pinned_bytes(rpi_bench_process(bench, rank)->nic);
}

// via.rpi.envelope_pool: slots of a tiny message and its envelope, as many as fill a page, and
// another page when they run out. They are used again.
static void test_envelope_pool(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.tiny=100 B"},
        .ops =
            {"{compute: 5 ms}, {isend: {to: 1, size: 8 B, request: first}}, {compute: 5 ms}, "
             "{isend: "
             "{to: 1, size: 8 B, request: a}}, {isend: {to: 1, size: 8 B, request: b}}, {isend: "
             "{to: 1, size: 8 B, request: c}}, {compute: 5 ms}, {waitall: all}, {loop: {count: 40, "
             "do: [{send: {to: 1, size: 8 B}}]}}",
             "{loop: {count: 44, do: [{recv: {from: 0, size: 8 B}}]}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    int slots = (int)(PAGE / (rpi_bench_process(bench, 0)->config->envelope + 100));
    rpi_bench_run(bench, 5);
    int64_t before = pinned(bench, 0);
    SUITE_SAME_INTEGER(free_buffers(bench, 0), 0);
    rpi_bench_run(bench, 9);
    SUITE_SAME_INTEGER(free_buffers(bench, 0), slots - 1);
    SUITE_SAME_INTEGER(pinned(bench, 0), before + PAGE);
    rpi_bench_run(bench, 14);
    SUITE_SAME_INTEGER(free_buffers(bench, 0), slots - 4);
    rpi_bench_finish(bench);
    SUITE_SAME_INTEGER(free_buffers(bench, 0), slots);
    SUITE_SAME_INTEGER(pinned(bench, 0), before + PAGE);
    rpi_bench_free(bench);
}

// More at a time than a page holds: a second page, and no more.
static void test_envelope_pool_grows(void)
{
    GString *ops = g_string_new(NULL);
    for (int i = 0; i < 40; i++)
        g_string_append_printf(ops, "{isend: {to: 1, size: 8 B, request: r%d}}, ", i);
    g_string_append(ops, "{waitall: all}");
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.tiny=100 B", "lam_via.sdescs=100"},
        .ops = {ops->str, "{loop: {count: 40, do: [{recv: {from: 0, size: 8 B}}]}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    int slots = (int)(PAGE / (rpi_bench_process(bench, 0)->config->envelope + 100));
    rpi_bench_finish(bench);
    CU_ASSERT(slots < 40 && 40 < 2 * slots);
    SUITE_SAME_INTEGER(rpi_bench_process(bench, 0)->buffer_pages->len, 2);
    SUITE_SAME_INTEGER(free_buffers(bench, 0), 2 * slots);
    SUITE_SAME_INTEGER(rpi_bench_process(bench, 1)->buffer_pages->len, 0);
    rpi_bench_free(bench);
    g_string_free(ops, TRUE);
}

static struct rpi_request *active_request(const struct rpi_bench *bench, int rank, uint32_t number)
{
    for (struct mpi_request *at = bench->processes[rank]->active; at; at = at->active_next)
        if (at->number == number)
            return rpi_of(at);
    CU_FAIL("there is no such request");
    return NULL;
}

// via.rpi.envelope_out_of_order_return: the first of two requests keeps its buffer while the
// second's is freed and serves a third.
static void test_envelopes_out_of_order(void)
{
    struct test_program program = {
        .ranks = 2,
        .sets = {"lam_via.tiny=100 B"},
        .ops = {"{isend: {to: 1, size: 100 KiB, tag: 1, request: a}}, {compute: 1 ms}, {issend: "
                "{to: 1, "
                "size: 8 B, tag: 2, request: b}}, {compute: 10 ms}, {wait: b}, {issend: {to: 1, "
                "size: 8 "
                "B, tag: 3, request: c}}, {compute: 30 ms}, {waitall: all}",
                "{recv: {from: 0, size: 8 B, tag: 2}}, {compute: 50 ms}, {recv: {from: 0, size: 8 "
                "B, tag: "
                "3}}, {recv: {from: 0, size: 100 KiB, tag: 1}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_run(bench, 6);
    const struct rpi_buffer *first = active_request(bench, 0, 1)->cq_envbuf;
    const struct rpi_buffer *second = active_request(bench, 0, 2)->cq_envbuf;
    CU_ASSERT_PTR_NOT_EQUAL(first, second);
    rpi_bench_run(bench, 20);
    CU_ASSERT_PTR_EQUAL(active_request(bench, 0, 1)->cq_envbuf, first);
    CU_ASSERT_PTR_EQUAL(active_request(bench, 0, 3)->cq_envbuf, second);
    rpi_bench_finish(bench);
    rpi_bench_free(bench);
}

// ---- Requests ----

// via.rpi.request_pool: a thousand sends one after the other use the memory of one request and one
// envelope buffer.
static void test_request_pool(void)
{
    struct test_program program = {
        .ranks = 2,
        .ops = {"{loop: {count: 1000, do: [{ssend: {to: 1, size: 8 B}}]}}",
                "{loop: {count: 1000, do: [{recv: {from: 0, size: 8 B}}]}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    for (int rank = 0; rank < 2; rank++) {
        SUITE_SAME_INTEGER((long long)bench->processes[rank]->request_pool.peak, 1);
        SUITE_SAME_INTEGER(rpi_bench_process(bench, rank)->buffer_pages->len, 1);
        SUITE_SAME_INTEGER(bench->processes[rank]->last_number, 1000);
    }
    rpi_bench_free(bench);
}

// Whether a line of a request leaves the first state or enters the last one, and the request's
// number: "send[3] start -> envelope_sent tiny".
static int request_step(const char *line, bool *starts, bool *ends)
{
    const char *number = strchr(line, '['), *arrow = strstr(line, " -> ");
    CU_ASSERT_FATAL(number && arrow);
    *starts = g_str_has_prefix(strchr(line, ' ') + 1, "start -> ");
    *ends = g_str_has_prefix(arrow + 4, "done");
    return (int)g_ascii_strtoll(number + 1, NULL, 10);
}

// Each request is started once, first of all, and done once, last of all; between lie as many turns
// of the engine as it takes. Returns the most of them.
static int check_lives(const struct program_run *run, int rank, int requests)
{
    char *text = program_run_text(run, rank, "send recv");
    char **lines = g_strsplit(g_strchomp(text), "\n", -1);
    GArray *steps = g_array_new(FALSE, TRUE, sizeof(int)),
           *done = g_array_new(FALSE, TRUE, sizeof(int));
    int most = 0;
    g_array_set_size(steps, (guint)requests + 1);
    g_array_set_size(done, (guint)requests + 1);
    for (char **line = lines; *line; line++) {
        bool starts, ends;
        int number = request_step(*line, &starts, &ends);
        CU_ASSERT_FATAL(number >= 1 && number <= requests);
        int *step = &g_array_index(steps, int, number), *over = &g_array_index(done, int, number);
        CU_ASSERT(starts == (*step == 0));
        CU_ASSERT(*over == 0);
        *over += ends;
        ++*step;
        most = MAX(most, *step);
    }
    for (int i = 1; i <= requests; i++)
        CU_ASSERT(g_array_index(done, int, i) == 1);
    g_array_unref(steps);
    g_array_unref(done);
    g_strfreev(lines);
    g_free(text);
    return most;
}

// via.rpi.request_life: in a program of all kinds of requests, each is started, advanced and done;
// after it, every request has been destroyed and has released its buffer, its descriptors, its
// place in each queue, and its pin.
static void test_request_life(void)
{
    static const char ops[] =
        "{loop: {count: 5, do: [{irecv: {from: any, tag: any, size: 90 KiB, request: r}}, {irecv: "
        "{from: "
        "any, tag: any, size: 90 KiB, request: s}}, {irecv: {from: any, tag: any, size: 90 KiB, "
        "request: "
        "t}}, {issend: {to: (rank + 1) % ranks, size: 90 KiB, request: a}}, {issend: {to: (rank + "
        "2) % "
        "ranks, size: 1 KiB, request: b}}, {isend: {to: rank, size: 1 KiB, request: d}}, {waitall: "
        "all}, barrier, {alltoall: {size: 20 KiB}}]}}";
    struct test_program program = {
        .ranks = 3, .sets = {"lam_via.sdescs=2", "lam_via.area=256 KiB"}, .all = ops};
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    for (int rank = 0; rank < bench->ranks; rank++) {
        int slots = (int)rpi_bench_process(bench, rank)->buffer_pages->len;
        rpi_bench_expect_quiet(bench, rank);
        SUITE_SAME_INTEGER(free_buffers(bench, rank), slots);
        CU_ASSERT(slots > 0);
        const struct program_run seen = {.lines = bench->lines};
        int acquired = program_run_count(&seen, rank, "pin registered") +
                       program_run_count(&seen, rank, "pin hit");
        CU_ASSERT(acquired > 10);
        int requests = (int)bench->processes[rank]->last_number;
        CU_ASSERT(requests > 5 * 6);
        CU_ASSERT(check_lives(&seen, rank, requests) >= 4);
        SUITE_SAME_INTEGER(program_run_count(&seen, rank, "pin released"), acquired);
    }
    rpi_bench_free(bench);
}

// ---- Copies ----

// Time that both ranks' processes spend on copies for one message; the receiver receives it early
// or late.
static void copies(const char *size, bool unexpected, sim_time times[2])
{
    char *send = g_strdup_printf("%s{send: {to: 1, size: %s}}", unexpected ? "" : FIRST, size);
    char *receive =
        g_strconcat(unexpected ? FIRST LOOK : "", "{recv: {from: 0, size: 200 KiB}}", NULL);
    struct test_program program = {.ranks = 2, .ops = {send, receive}};
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    for (int rank = 0; rank < 2; rank++)
        times[rank] = rpi_bench_process_time(bench, rank, "copy");
    rpi_bench_free(bench);
    g_free(send);
    g_free(receive);
}

// via.rpi.tiny_copies: a tiny message is copied once on each side, a short one on the receiving
// side, a long one not at all. (The interrupt handler's copy from frame to memory, which M-VIA
// makes of everything, is spent on another core and not counted here.)
// via.rpi.unexpected_extra_copy: an unexpected one costs the receiver one copy more, at once; the
// second copy reads what the first one wrote, and so costs what the sender's copy of a tiny message
// does, which reads what the program wrote.
static void test_copies(void)
{
    sim_time expected[2], unexpected[2];
    copies("10 KiB", false, expected);
    copies("10 KiB", true, unexpected);
    CU_ASSERT(expected[0] > 0);
    CU_ASSERT(expected[1] > 0);
    SUITE_SAME_INTEGER(unexpected[0], expected[0]);
    SUITE_SAME_INTEGER(unexpected[1], expected[1] + expected[0]);
    copies("30 KiB", false, expected);
    copies("30 KiB", true, unexpected);
    SUITE_SAME_INTEGER(expected[0], 0);
    CU_ASSERT(expected[1] > 0);
    SUITE_SAME_INTEGER(unexpected[0], 0);
    CU_ASSERT(unexpected[1] > expected[1]);
    CU_ASSERT(unexpected[1] < 2 * expected[1]);
    copies("100 KiB", false, expected);
    copies("100 KiB", true, unexpected);
    for (int rank = 0; rank < 2; rank++) {
        SUITE_SAME_INTEGER(expected[rank], 0);
        SUITE_SAME_INTEGER(unexpected[rank], 0);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"an area for each peer", test_area_per_peer},
        {"packing", test_packing},
        {"restart", test_restart},
        {"pointers", test_pointers},
        {"envelope buffers", test_envelope_pool},
        {"more envelope buffers than a page holds", test_envelope_pool_grows},
        {"envelope buffers out of order", test_envelopes_out_of_order},
        {"request memory", test_request_pool},
        {"end of requests", test_request_life},
        {"copies", test_copies},
        {0},
    };
    return suite_run("rpi: memory", cases);
}
