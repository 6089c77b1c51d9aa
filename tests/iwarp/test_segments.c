// SPDX-License-Identifier: GPL-3.0-or-later
// Segments on the wire, byte by byte: node 1 reads and writes the socket itself, as a peer of node
// 0's QP (thesis 004, 2.3 and 3.3.1 to 3.3.3; RFC 5040, 4; RFC 5041, 4). Claims
// sctp.iwarp.stream_map, sctp.iwarp.self_describing, sctp.iwarp.in_order_assumption,
// sctp.iwarp.no_mpa, sctp.iwarp.no_negotiation.
#include "tests/support/suite.h"
#include "tests/support/world_iwarp.h"

#include <string.h>

#define SEGMENT 16384
#define MOST 32 // segments that a test checks

struct arrived {
    int64_t bytes;
    uint16_t stream;
    unsigned char head[IWARP_MOST_HEADER];
    uint32_t head_bytes;
    int64_t offset; // of the data after the head, in their message
};

struct raw {
    struct iwarp_world *world;
    struct arrived arrived[MOST];
    int count;
};

// Reads all that has arrived at node 1.
static void read_all(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    struct raw *raw = argument;
    struct sctp_received received;
    int64_t bytes;
    struct sctp_socket *socket = node->qps[0]->socket;
    while (raw->count < MOST && (bytes = sctp_receive(context, socket, 1 << 20, &received)) > 0) {
        struct arrived *arrived = &raw->arrived[raw->count++];
        *arrived = (struct arrived){.bytes = bytes,
                                    .stream = received.stream,
                                    .head_bytes = received.content_length,
                                    .offset = received.offset};
        CU_ASSERT(received.end);
        CU_ASSERT_FATAL(received.content_length <= IWARP_MOST_HEADER);
        memcpy(arrived->head, received.content, received.content_length);
    }
}

static struct raw *run(struct iwarp_world *world)
{
    struct raw *raw = world_keep(world->world, g_new0(struct raw, 1));
    raw->world = world;
    iwarp_run(world, TIME_S);
    iwarp_call(world, 1, read_all, raw);
    iwarp_run(world, TIME_S);
    return raw;
}

static void post(struct iwarp_world *world, enum iwarp_operation operation, int64_t offset,
                 int64_t bytes)
{
    struct iwarp_work_request request = iwarp_request(world, 0, 1, operation, offset, bytes);
    iwarp_post(world, 0, 0, &request);
}

static char *hex(const unsigned char *bytes, uint32_t count)
{
    GString *text = g_string_new(NULL);
    for (uint32_t i = 0; i < count; i++)
        g_string_append_printf(text, "%02x", bytes[i]);
    return g_string_free(text, FALSE);
}

static void check_head(const struct arrived *arrived, const char *expected)
{
    char *text = hex(arrived->head, arrived->head_bytes);
    SUITE_SAME_TEXT(text, expected);
    g_free(text);
}

// ---- What is sent ----

// The first thing on the connection is the first segment: 14 bytes of header, and the data; nothing
// of a negotiation, no length, no marker, no checksum. The tag is 0x100, the address 0x11000.
static void test_write(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    post(world, IWARP_WRITE, 4096, 2 * SEGMENT + 100);
    const struct raw *raw = run(world);
    SUITE_SAME_INTEGER(raw->count, 3);
    static const char *const heads[] = {"81400000010000000000000"
                                        "11000",
                                        "81400000010000000000000"
                                        "15000",
                                        "c1400000010000000000000"
                                        "19000"};
    for (int i = 0; i < 3; i++) {
        SUITE_SAME_INTEGER(raw->arrived[i].bytes, 14 + (i < 2 ? SEGMENT : 100));
        SUITE_SAME_INTEGER(raw->arrived[i].stream, 0x100 % 10);
        SUITE_SAME_INTEGER(raw->arrived[i].offset, i * SEGMENT);
        check_head(&raw->arrived[i], heads[i]);
    }
    iwarp_world_free(world);
}

// Untagged: 18 bytes with queue 0, message numbers from 1 on and the offset in the message. The
// stream follows from the message number, and is the same for all its segments.
static void test_sends(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    for (int i = 0; i < 12; i++)
        post(world, IWARP_SEND, 0, i == 1 ? SEGMENT + 5 : 100);
    const struct raw *raw = run(world);
    int messages = 0;
    SUITE_SAME_INTEGER(raw->count, 13);
    for (int i = 0; i < raw->count; i++) {
        struct iwarp_header header;
        const struct arrived *arrived = &raw->arrived[i];
        CU_ASSERT(iwarp_header_decode(&header, arrived->head, 18));
        SUITE_SAME_INTEGER(arrived->head_bytes, 18);
        SUITE_SAME_INTEGER(header.opcode, IWARP_OPCODE_SEND);
        SUITE_SAME_INTEGER(header.queue, 0);
        SUITE_SAME_INTEGER(arrived->stream, header.msn % 10);
        SUITE_SAME_INTEGER(arrived->bytes, 18 + (header.msn != 2 ? 100
                                                 : header.last   ? 5
                                                                 : SEGMENT));
        messages += header.last;
        if (header.msn == 1)
            check_head(arrived, "414300000000000000000000000100000000");
        if (header.msn == 2 && header.last)
            check_head(arrived, "414300000000000000000000000200004000");
    }
    SUITE_SAME_INTEGER(messages, 12);
    iwarp_world_free(world);
}

// A read is asked for by 18 + 28 bytes to queue 1, whose message numbers are its own.
static void test_read_request(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    post(world, IWARP_SEND, 0, 100);
    post(world, IWARP_READ, 4096, 50000);
    iwarp_poll(world, 0, 2, 0);
    const struct raw *raw = run(world);
    SUITE_SAME_INTEGER(raw->count, 2);
    const struct arrived *request =
        raw->arrived[0].head_bytes == 46 ? &raw->arrived[0] : &raw->arrived[1];
    SUITE_SAME_INTEGER(request->bytes, 46);
    SUITE_SAME_INTEGER(request->stream, 1);
    check_head(request, "414100000000000000010000000100000000"
                        "0000010000000000000110000000c350000001000000000000011000");
    iwarp_world_free(world);
}

static void test_single_stream(void)
{
    struct iwarp_config config = iwarp_world_defaults();
    config.stream_map = IWARP_STREAM_SINGLE;
    struct iwarp_world *world = iwarp_world_new(2, NULL, &config, NULL);
    post(world, IWARP_WRITE, 0, 40000);
    post(world, IWARP_SEND, 0, 100);
    const struct raw *raw = run(world);
    SUITE_SAME_INTEGER(raw->count, 4);
    for (int i = 0; i < raw->count; i++)
        SUITE_SAME_INTEGER(raw->arrived[i].stream, 0);
    CU_ASSERT(!(raw->arrived[3].head[0] & 0x80));
    iwarp_world_free(world);
}

// A segment's size is a parameter: so many headers of 14 bytes.
static void test_sizes(void)
{
    for (int64_t segment = 64; segment <= 65536; segment *= 4) {
        struct iwarp_config config = iwarp_world_defaults();
        config.segment = segment;
        struct iwarp_world *world = iwarp_world_new(2, NULL, &config, NULL);
        int64_t bytes = 7 * segment + 1, sum = 0;
        post(world, IWARP_WRITE, 0, bytes);
        iwarp_run(world, TIME_S);
        for (int i = 0; i < 10; i++) {
            const struct raw *raw = run(world);
            for (int j = 0; j < raw->count; j++)
                sum += raw->arrived[j].bytes;
        }
        SUITE_SAME_INTEGER(sum, bytes + 8 * 14);
        SUITE_SAME_INTEGER(world->nodes[0].rnic->count.sent, 8);
        iwarp_world_free(world);
    }
}

// ---- Received segments ----

struct written {
    struct iwarp_header header;
    unsigned char bytes[IWARP_MOST_HEADER]; // instead of the header, if any
    int bytes_count;
    int64_t data, offset;
    struct message_ref message;
};

static void write_segment(struct cpu_context *context, struct iwarp_node *node, void *argument)
{
    const struct written *written = argument;
    unsigned char head[IWARP_MOST_HEADER];
    int head_bytes = written->bytes_count;
    if (head_bytes > 0)
        memcpy(head, written->bytes, (size_t)head_bytes);
    else
        head_bytes = iwarp_header_encode(&written->header, head);
    const struct sctp_send_info info = {
        .station = -1,
        .bytes = head_bytes + written->data,
        .message = written->message,
        .offset = written->offset,
        .content = head,
        .content_length = (uint32_t)head_bytes,
    };
    CU_ASSERT(sctp_send(context, node->qps[0]->socket, &info) > 0);
}

// Segments that arrive in another order are each placed by their own header; but the one that is
// marked as the last ends the message, though the first is missing.
static void check_any_order(bool last)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    struct message_ref message = ledger_open(world->world->sim->ledger, 1, 0, 3000, 0);
    struct written segments[2];
    for (int i = 0; i < 2; i++)
        segments[i] = (struct written){
            .header = {.tagged = true,
                       .last = i == 0 && last,
                       .opcode = IWARP_OPCODE_WRITE,
                       .stag = world->nodes[0].stag,
                       .address = IWARP_WORLD_ADDRESS + (i == 0 ? 2000 : 0)},
            .data = i == 0 ? 1000 : 2000,
            .offset = i == 0 ? 2000 : 0,
            .message = message,
        };
    iwarp_poll(world, 0, 1, 0); // in vain
    iwarp_call(world, 1, write_segment, &segments[0]);
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(world->nodes[0].placed, last);
    SUITE_SAME_INTEGER(ledger_totals(world->world->sim->ledger).delivered_bytes, 1000);
    iwarp_call(world, 1, write_segment, &segments[1]);
    iwarp_run(world, TIME_S);
    SUITE_SAME_INTEGER(ledger_totals(world->world->sim->ledger).delivered_bytes,
                       last ? 1000 : 3000); // the ledger has closed it
    iwarp_world_free(world);
}

static void test_any_order(void)
{
    check_any_order(false);
    check_any_order(true);
}

// A fault in a segment ends the connection, and the terminate message has its code.
static void check_fault(const struct written *written, uint16_t code)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    struct written segment = *written;
    struct iwarp_header header;
    struct iwarp_work_request receive = iwarp_request(world, 0, -1, IWARP_RECEIVE, 0, 100);
    if (segment.header.stag == 1) // stands for the right one
        segment.header.stag = world->nodes[0].stag;
    iwarp_post(world, 0, 0, &receive);
    iwarp_poll(world, 0, 2, 0);
    iwarp_call(world, 1, write_segment, &segment);
    const struct raw *raw = run(world);
    SUITE_SAME_INTEGER(raw->count, 1);
    SUITE_SAME_INTEGER(raw->arrived[0].bytes, 22);
    CU_ASSERT(iwarp_header_decode(&header, raw->arrived[0].head, 22));
    SUITE_SAME_INTEGER(header.queue, 2);
    SUITE_SAME_INTEGER(header.msn, 1);
    SUITE_SAME_INTEGER(header.code, code);
    SUITE_SAME_INTEGER(iwarp_qp_state(world->nodes[0].qps[0]), IWARP_QP_ERROR);
    SUITE_SAME_INTEGER(iwarp_entry(world, 0, 0)->status, IWARP_FLUSHED);
    iwarp_world_free(world);
}

static void test_faults(void)
{
    const int64_t base = IWARP_WORLD_ADDRESS;
    const struct {
        struct written written;
        uint16_t code;
    } table[] = {
        // No such tag; outside of its memory, by the first byte or by the last.
        {{.header = {.tagged = true, .opcode = IWARP_OPCODE_WRITE, .stag = 77, .address = base},
          .data = 9},
         0x1100},
        {{.header = {.tagged = true, .opcode = IWARP_OPCODE_WRITE, .stag = 1, .address = base - 1},
          .data = 9},
         0x1101},
        {{.header = {.tagged = true,
                     .opcode = IWARP_OPCODE_WRITE,
                     .stag = 1,
                     .address = base + IWARP_WORLD_MEMORY - 8},
          .data = 9},
         0x1101},
        // A response to no read.
        {{.header =
              {.tagged = true, .opcode = IWARP_OPCODE_READ_RESPONSE, .stag = 1, .address = base},
          .data = 9},
         0x1100},
        // The only receive is that of message 1, and has 100 bytes.
        {{.header = {.opcode = IWARP_OPCODE_SEND, .msn = 2}, .data = 9}, 0x1202},
        {{.header = {.opcode = IWARP_OPCODE_SEND, .msn = 1}, .data = 101}, 0x1205},
        {{.header = {.opcode = IWARP_OPCODE_SEND, .msn = 1, .offset = 92}, .data = 9}, 0x1205},
        // Wrong queue, tagged send, unknown versions, unknown opcode, a cut header.
        {{.header = {.opcode = IWARP_OPCODE_SEND, .queue = 1, .msn = 1}, .data = 9}, 0x1206},
        {{.header = {.tagged = true, .opcode = IWARP_OPCODE_SEND, .stag = 1}, .data = 9}, 0x1206},
        {{.bytes = {0x82, 0x40}, .bytes_count = 14, .data = 9}, 0x1206},
        {{.bytes = {0x81, 0x80}, .bytes_count = 14, .data = 9}, 0x1206},
        {{.bytes = {0x41, 0x4f}, .bytes_count = 18}, 0x1206},
        {{.bytes = {0x41, 0x43, [13] = 1}, .bytes_count = 16}, 0x1206},
        {{.bytes = {0x81, 0x40, 0}, .bytes_count = 5}, 0x1206},
        // Reads of memory that does not exist, and beyond the end.
        {{.header = {.opcode = IWARP_OPCODE_READ_REQUEST,
                     .queue = 1,
                     .msn = 1,
                     .read = {.source_stag = 77, .source = base, .length = 9}}},
         0x1100},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++)
        check_fault(&table[i].written, table[i].code);
}

// A message that is whole, but early: its number is taken.
static void test_message_twice(void)
{
    struct iwarp_world *world = iwarp_world_new(2, NULL, NULL, NULL);
    struct iwarp_work_request receive = iwarp_request(world, 0, -1, IWARP_RECEIVE, 0, 100);
    struct written segment = {.header = {.opcode = IWARP_OPCODE_SEND, .msn = 2, .last = true},
                              .data = 9};
    struct iwarp_header header;
    for (int i = 0; i < 2; i++)
        iwarp_post(world, 0, 0, &receive);
    iwarp_poll(world, 0, 2, 0);
    for (int i = 0; i < 2; i++)
        iwarp_call(world, 1, write_segment, &segment);
    const struct raw *raw = run(world);
    SUITE_SAME_INTEGER(raw->count, 1);
    CU_ASSERT(iwarp_header_decode(&header, raw->arrived[0].head, 22));
    SUITE_SAME_INTEGER(header.queue, 2);
    SUITE_SAME_INTEGER(header.code, 0x1202);
    iwarp_world_free(world);
}

static const struct suite_case cases[] = {
    {"a write", test_write},
    {"sends", test_sends},
    {"a read request", test_read_request},
    {"a single stream", test_single_stream},
    {"sizes of segments", test_sizes},
    {"segments in any order", test_any_order},
    {"faults", test_faults},
    {"a message number that is taken", test_message_twice},
    {0},
};

int main(void)
{
    return suite_run("iwarp: segments", cases);
}
