// SPDX-License-Identifier: GPL-3.0-or-later
// The VIA RPI's transfers on the wire: descriptors, immediate data and envelopes, read where they
// were sent from and where they arrived (thesis 000, 4.3.2, 4.4, 4.7.4, 4.8.3).
#include "tests/support/rpi_bench.h"
#include "tests/support/suite.h"

#define FIRST "{compute: 100 ms}, " // lets the other ranks go first

static const struct vip_descriptor *sent(const struct rpi_bench *bench, int rank, int peer, int nth)
{
    return &rpi_bench_peer(bench, rank, peer)->cp_send_desc[nth];
}

static const struct vip_descriptor *received(const struct rpi_bench *bench, int rank, int peer,
                                             int nth)
{
    return &rpi_bench_peer(bench, rank, peer)->cp_recv_desc[nth];
}

// How many send descriptors have been used: none is used twice here.
static int sent_count(const struct rpi_bench *bench, int rank, int peer)
{
    int count = 0;
    if (!rpi_bench_peer(bench, rank, peer)->cp_send_desc)
        return 0;
    while (count < rpi_bench_process(bench, 0)->config->sdescs &&
           sent(bench, rank, peer, count)->status != VIP_STATUS_FREE)
        count++;
    return count;
}

// Receive descriptors are used in turn and posted again after the others.
static int received_count(const struct rpi_bench *bench, int rank, int peer)
{
    const struct rpi_process_peer *of = rpi_bench_peer(bench, rank, peer);
    int unmade = of->cp_vi_hand->unmade;
    return unmade > 0 ? (int)rpi_bench_process(bench, 0)->config->rdescs - unmade
                      : (int)(of->cp_vi_hand->receive.posted.head - of->cp_recv_desc);
}

static struct rpi_bench *bench_of(const char *first, const char *second, const char *set)
{
    struct test_program program = {.ranks = 2, .sets = {set}, .ops = {first, second}};
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    return bench;
}

// via.rpi.immediate_layout: the four fields share the 32 bits of the word, and none touches
// another.
static void test_immediate_layout(void)
{
    static const int nodes[] = {0, 1, 2, 5, 0x2aaa, 0x5555, RPI_LARGEST_NODE};
    for (size_t i = 0; i < G_N_ELEMENTS(nodes); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(nodes); k++)
            for (int flags = 0; flags < 4; flags++) {
                struct rpi_immediate in = {nodes[i], nodes[k], flags & 1, flags >> 1};
                struct rpi_immediate out = rpi_immediate_unpack(rpi_immediate_pack(in));
                CU_ASSERT(in.src_node == out.src_node && in.dest_node == out.dest_node &&
                          in.env == out.env && in.restart == out.restart);
            }
    uint32_t all = rpi_immediate_pack((struct rpi_immediate){RPI_LARGEST_NODE, 0, false, false}) ^
                   rpi_immediate_pack((struct rpi_immediate){0, RPI_LARGEST_NODE, false, false}) ^
                   rpi_immediate_pack((struct rpi_immediate){0, 0, true, false}) ^
                   rpi_immediate_pack((struct rpi_immediate){0, 0, false, true});
    SUITE_SAME_INTEGER(all, 0xffffffff);
}

static void expect_immediate(const struct vip_descriptor *descriptor, int from, int to, bool env)
{
    struct rpi_immediate immediate = rpi_immediate_unpack(descriptor->immediate);
    CU_ASSERT(descriptor->immediate_flag);
    SUITE_SAME_INTEGER(immediate.src_node, from);
    SUITE_SAME_INTEGER(immediate.dest_node, to);
    SUITE_SAME_INTEGER(immediate.env, env);
    SUITE_SAME_INTEGER(immediate.restart, false);
}

// via.rpi.tiny_protocol, via.rpi.envelope_format: one transfer with the env flag, out of a pinned
// envelope buffer into the receiver's area; the envelope in front of the data describes the
// message.
static void test_tiny(void)
{
    struct rpi_bench *bench =
        bench_of(FIRST "{send: {to: 1, size: 10 B}}, {send: {to: 1, size: 1000 "
                       "B, tag: 5}}",
                 "{recv: {from: 0, size: 10 B}}, {recv: {from: 0, size: 1000 B}}", NULL);
    SUITE_SAME_INTEGER(sent_count(bench, 0, 1), 2);
    SUITE_SAME_INTEGER(received_count(bench, 1, 0), 2);
    const struct rpi_process_peer *reader = rpi_bench_peer(bench, 1, 0);
    const struct vip_descriptor *tiny = sent(bench, 0, 1, 1);
    int64_t envelope = rpi_bench_process(bench, 0)->config->envelope;
    SUITE_SAME_INTEGER(tiny->operation, VIP_RDMA_WRITE);
    SUITE_SAME_INTEGER(tiny->length, envelope + 1000);
    SUITE_SAME_INTEGER(tiny->lead, envelope);
    SUITE_SAME_INTEGER(tiny->remote_address, reader->cp_rdma_area + envelope + 10);
    SUITE_SAME_INTEGER(tiny->remote_handle.index, reader->cp_rdma_area_hand.index);
    expect_immediate(tiny, 0, 1, true);
    expect_immediate(received(bench, 1, 0, 1), 0, 1, true);
    SUITE_SAME_INTEGER(received(bench, 1, 0, 1)->length, envelope + 1000);
    struct rpi_envelope came = rpi_bench_envelope(received(bench, 1, 0, 1));
    SUITE_SAME_INTEGER(came.ce_len, 1000);
    SUITE_SAME_INTEGER(came.ce_tag, 5);
    SUITE_SAME_INTEGER(came.ce_flags, RPI_C2CTINY);
    SUITE_SAME_INTEGER(came.ce_rank, 0);
    SUITE_SAME_INTEGER(came.ce_cid, CONTEXT_POINT_TO_POINT);
    SUITE_SAME_INTEGER(came.ce_seq, 1);
    CU_ASSERT_PTR_NOT_NULL(came.ve_src_request);
    rpi_bench_free(bench);
}

// via.rpi.short_protocol, via.rpi.short_two_messages, via.rpi.identify_env_flag: the envelope, and
// right after it the body out of the user's registered buffer, which differ in their env flag.
// Between the two nothing else is posted.
static void test_short(void)
{
    struct rpi_bench *bench =
        bench_of(FIRST "{isend: {to: 1, size: 24 KiB, request: a}}, {send: {to: "
                       "1, size: 10 B}}, {wait: a}",
                 "{recv: {from: 0, size: 24 KiB}}, {recv: {from: 0, size: 10 B}}", NULL);
    int64_t envelope = rpi_bench_process(bench, 0)->config->envelope;
    const struct rpi_process_peer *reader = rpi_bench_peer(bench, 1, 0);
    const struct vip_descriptor *head = sent(bench, 0, 1, 0), *body = sent(bench, 0, 1, 1);
    SUITE_SAME_INTEGER(sent_count(bench, 0, 1), 3);
    SUITE_SAME_INTEGER(received_count(bench, 1, 0), 3);
    SUITE_SAME_INTEGER(head->length, envelope);
    SUITE_SAME_INTEGER(rpi_bench_envelope(head).ce_flags, RPI_C2CSHORT);
    SUITE_SAME_INTEGER(rpi_bench_envelope(head).ce_len, 24 << 10);
    SUITE_SAME_INTEGER(head->remote_address, reader->cp_rdma_area);
    SUITE_SAME_INTEGER(body->length, 24 << 10);
    SUITE_SAME_INTEGER(body->lead, 0);
    SUITE_SAME_INTEGER(body->remote_address, reader->cp_rdma_area + envelope);
    const struct vip_region *buffer = vip_region(rpi_bench_process(bench, 0)->nic, body->handle);
    CU_ASSERT_PTR_NOT_NULL_FATAL(buffer);
    SUITE_SAME_INTEGER(buffer->address, body->address);
    SUITE_SAME_INTEGER(buffer->length, 24 << 10);
    expect_immediate(received(bench, 1, 0, 0), 0, 1, true);
    expect_immediate(received(bench, 1, 0, 1), 0, 1, false);
    expect_immediate(received(bench, 1, 0, 2), 0, 1, true);
    rpi_bench_free(bench);
}

// via.rpi.long_protocol, via.rpi.long_fragmentation, via.rpi.long_completion_imm: the pieces follow
// one another in both user buffers, only the last has immediate data, and it is the receiver's only
// notification of the body.
static void test_long(void)
{
    struct rpi_bench *bench =
        bench_of(FIRST "{send: {to: 1, size: 100000 B}}", "{recv: {from: 0, size: 120000 B}}",
                 "lam_via.short=30000 B");
    const struct vip_descriptor *syn = sent(bench, 0, 1, 0), *ack = sent(bench, 1, 0, 0);
    struct rpi_envelope answer = rpi_bench_envelope(ack);
    SUITE_SAME_INTEGER(rpi_bench_envelope(syn).ce_flags, RPI_C2CLONG);
    SUITE_SAME_INTEGER(answer.ce_flags, RPI_C2CACK);
    SUITE_SAME_INTEGER(sent_count(bench, 0, 1), 5);
    SUITE_SAME_INTEGER(sent_count(bench, 1, 0), 1);
    SUITE_SAME_INTEGER(received_count(bench, 1, 0), 2);
    static const int64_t pieces[] = {32768, 32768, 32768, 1696};
    int64_t offset = 0;
    for (int i = 0; i < 4; i++) {
        const struct vip_descriptor *piece = sent(bench, 0, 1, 1 + i);
        SUITE_SAME_INTEGER(piece->operation, VIP_RDMA_WRITE);
        SUITE_SAME_INTEGER(piece->length, pieces[i]);
        SUITE_SAME_INTEGER(piece->immediate_flag, i == 3);
        SUITE_SAME_INTEGER(piece->address, sent(bench, 0, 1, 1)->address + offset);
        SUITE_SAME_INTEGER(piece->remote_address, answer.ve_target_buf + offset);
        SUITE_SAME_INTEGER(piece->remote_handle.index, answer.ve_target_buf_hand.index);
        offset += pieces[i];
    }
    const struct vip_region *target =
        vip_region(rpi_bench_process(bench, 1)->nic, answer.ve_target_buf_hand);
    CU_ASSERT_PTR_NOT_NULL_FATAL(target);
    SUITE_SAME_INTEGER(target->address, answer.ve_target_buf);
    SUITE_SAME_INTEGER(target->length, 120000);
    expect_immediate(received(bench, 1, 0, 1), 0, 1, false);
    rpi_bench_free(bench);
}

// via.rpi.ack_is_envelope, via.rpi.ack_routing, via.rpi.ssend_ack: an ACK is an envelope with its
// flag set, and returns the request that the sender had put into its own. Of three messages, the
// synchronous ones are answered.
static void test_acks(void)
{
    struct rpi_bench *bench = bench_of(
        FIRST "{ssend: {to: 1, size: 100 B}}, {send: {to: 1, size: 100 B}}, {issend: {to: 1, "
              "size: 20 KiB, request: a}}, {issend: {to: 1, size: 40 KiB, request: b}}, "
              "{waitall: all}",
        "{recv: {from: 0, size: 100 B}}, {recv: {from: 0, size: 100 B}}, {recv: {from: 0, "
        "size: 20 KiB}}, {recv: {from: 0, size: 40 KiB}}",
        NULL);
    // The sender's descriptors: two tiny messages, envelope and body, SYN, two pieces.
    static const int envelopes[] = {0, 2, 4};
    SUITE_SAME_INTEGER(sent_count(bench, 1, 0), 3);
    for (int i = 0; i < 3; i++) {
        const struct vip_descriptor *ack = sent(bench, 1, 0, i);
        struct rpi_envelope asked = rpi_bench_envelope(sent(bench, 0, 1, envelopes[i]));
        struct rpi_envelope answer = rpi_bench_envelope(ack);
        SUITE_SAME_INTEGER(asked.ce_flags & RPI_C2CSSEND, RPI_C2CSSEND);
        SUITE_SAME_INTEGER(ack->length, rpi_bench_process(bench, 0)->config->envelope);
        SUITE_SAME_INTEGER(answer.ce_flags, RPI_C2CACK);
        CU_ASSERT_PTR_EQUAL(answer.ve_src_request, asked.ve_src_request);
        expect_immediate(received(bench, 0, 1, i), 1, 0, true);
    }
    SUITE_SAME_INTEGER(rpi_bench_envelope(sent(bench, 0, 1, 1)).ce_flags, RPI_C2CTINY);
    rpi_bench_free(bench);
}

// via.rpi.uses_rdma_write_imm: whatever is exchanged, every transfer is an RDMA write into
// registered memory of the peer; all but the pieces of a long body before the last carry immediate
// data; and each of these has taken one receive descriptor.
static void test_all_rdma(void)
{
    static const char ops[] = "{irecv: {from: any, tag: any, size: 90 KiB, request: r}}, {irecv: "
                              "{from: any, tag: any, size: "
                              "90 KiB, request: s}}, {irecv: {from: any, tag: any, size: 90 KiB, "
                              "request: t}}, {issend: {to: "
                              "(rank + 1) % ranks, size: 90 KiB, request: a}}, {issend: {to: (rank "
                              "+ 2) % ranks, size: 1 KiB, "
                              "request: b}}, {isend: {to: (rank + 1) % ranks, size: 20 KiB, "
                              "request: c}}, {waitall: all}, "
                              "barrier";
    struct test_program program = {.ranks = 3, .sets = {"lam_via.sdescs=50"}, .all = ops};
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    for (int rank = 0; rank < bench->ranks; rank++)
        for (int peer = 0; peer < bench->ranks; peer++) {
            int with_immediate = 0;
            if (peer == rank)
                continue;
            for (int i = 0; i < sent_count(bench, rank, peer); i++) {
                const struct vip_descriptor *descriptor = sent(bench, rank, peer, i);
                SUITE_SAME_INTEGER(descriptor->operation, VIP_RDMA_WRITE);
                with_immediate += descriptor->immediate_flag;
                CU_ASSERT(descriptor->immediate_flag || descriptor->final);
                CU_ASSERT(vip_mem_valid(rpi_bench_process(bench, peer)->nic,
                                        descriptor->remote_handle, descriptor->remote_address,
                                        descriptor->length));
            }
            CU_ASSERT(with_immediate >= 2);
            SUITE_SAME_INTEGER(received_count(bench, peer, rank), with_immediate);
        }
    rpi_bench_free(bench);
}

// via.rpi.write_pointer_consistency: writes into an area are a matter of two ranks. Two
// senders at a time to one receiver need no transfer besides the messages themselves, and each
// finds its own place; and as neither hears of the other, both choose the same places: in an area
// that they shared they would overwrite each other without further messages.
static void test_no_management_traffic(void)
{
    struct test_program program = {
        .ranks = 3,
        .ops = {"{loop: {count: 8, do: [{recv: {from: any, size: 1000 B}}]}}",
                "{loop: {count: 4, do: [{send: {to: 0, size: 1000 B}}]}}",
                "{loop: {count: 4, do: [{send: {to: 0, size: 500 B}}]}}"},
    };
    struct rpi_bench *bench = rpi_bench_new(&program);
    rpi_bench_finish(bench);
    int64_t envelope = rpi_bench_process(bench, 0)->config->envelope;
    for (int peer = 1; peer < 3; peer++) {
        int64_t step = envelope + (peer == 1 ? 1000 : 500);
        SUITE_SAME_INTEGER(received_count(bench, 0, peer), 4);
        SUITE_SAME_INTEGER(sent_count(bench, 0, peer), 0);
        SUITE_SAME_INTEGER(rpi_bench_peer(bench, peer, 0)->cp_remote_write_pointer, 4 * step);
        for (int i = 0; i < 4; i++)
            SUITE_SAME_INTEGER(sent(bench, peer, 0, i)->remote_address,
                               rpi_bench_peer(bench, 0, peer)->cp_rdma_area + i * step);
    }
    const struct vip_descriptor *first = sent(bench, 1, 0, 0), *second = sent(bench, 2, 0, 0);
    SUITE_SAME_INTEGER(first->remote_address - rpi_bench_peer(bench, 0, 1)->cp_rdma_area,
                       second->remote_address - rpi_bench_peer(bench, 0, 2)->cp_rdma_area);
    CU_ASSERT(rpi_bench_peer(bench, 0, 1)->cp_rdma_area_hand.index !=
              rpi_bench_peer(bench, 0, 2)->cp_rdma_area_hand.index);
    rpi_bench_free(bench);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"immediate data", test_immediate_layout},
        {"tiny", test_tiny},
        {"short", test_short},
        {"long", test_long},
        {"ACKs", test_acks},
        {"all is RDMA writes", test_all_rdma},
        {"nothing but messages", test_no_management_traffic},
        {0},
    };
    return suite_run("rpi: wire", cases);
}
