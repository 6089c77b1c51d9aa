// SPDX-License-Identifier: GPL-3.0-or-later
// Interfaces of the firmware: messages go by their type to the interface that handles them (thesis
// 003, 4.5.6), here to a memory that can be written and read, with a host that is asked in between.
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"
#include "tests/support/world_grim.h"

#define READ_BYTES 1000

struct memory {
    struct world *world;
    GString *story;
    uint32_t refuses;          // this message
    int refusals;              // so often
    struct grim_arrival *held; // waits for the host
    struct cpu_task host;      // answers it
    struct grim_post post;
    struct grim_entry *reply; // that is being filled
    sim_time written;         // when the last byte of a write was there
};

static void tell(struct memory *memory, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void tell(struct memory *memory, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_string_append_vprintf(memory->story, format, arguments);
    va_end(arguments);
}

// ---- Writes: refused `refusals` times, in two pieces of DMA ----

static bool write_accepts(struct cpu_context *context, void *owner, struct grim_channel *channel,
                          const struct grim_message *message)
{
    struct memory *memory = owner;
    (void)context, (void)channel;
    bool refuse = memory->refusals > 0 && message->argument[0] == memory->refuses;
    tell(memory, "%s %u, ", refuse ? "refuse" : "accept", message->argument[0]);
    memory->refusals -= refuse;
    return !refuse;
}

static void write_landed(struct grim_arrival *arrival)
{
    struct memory *memory = grim_arrival_owner(arrival);
    memory->written = sim_now(memory->world->sim);
}

static void write_second(struct cpu_context *context, struct grim_arrival *arrival)
{
    struct memory *memory = grim_arrival_owner(arrival);
    SUITE_SAME_INTEGER(grim_arrival_notes(arrival)->machine.state, 7);
    CU_ASSERT_TRUE(memory->written > 0 && memory->written <= context->now);
    tell(memory, "written %u, ", grim_arrival_message(arrival)->argument[0]);
    grim_arrival_end(context, arrival);
}

static void write_first(struct cpu_context *context, struct grim_arrival *arrival)
{
    CU_ASSERT_EQUAL(grim_arrival_notes(arrival)->machine.state++, 6);
    grim_arrival_move(context, arrival, LANAI_TO_HOST, 100, write_second, write_landed);
}

static void write_deliver(struct cpu_context *context, void *owner, struct grim_arrival *arrival)
{
    CU_ASSERT_PTR_EQUAL(owner, grim_arrival_owner(arrival));
    grim_arrival_notes(arrival)->machine.state = 6;
    grim_arrival_move(context, arrival, LANAI_TO_HOST, 300, write_first, NULL);
}

static const struct grim_interface writes = {
    .name = "write", .accepts = write_accepts, .deliver = write_deliver};

// ---- Reads: the host is asked, the data fetched, and a reply acknowledges ----

static void read_fetched(struct cpu_context *context, struct grim_arrival *arrival)
{
    struct memory *memory = grim_arrival_owner(arrival);
    tell(memory, "fetched, ");
    grim_entry_commit(context, memory->reply);
    grim_arrival_end(context, arrival);
}

static void read_translated(struct cpu_context *context, struct grim_arrival *arrival)
{
    struct memory *memory = grim_arrival_owner(arrival);
    const struct grim_message *request = grim_arrival_message(arrival);
    struct grim_message reply = {
        .type = GRIM_READ_REPLY,
        .destination = request->source,
        .bytes = READ_BYTES,
        .argument = {request->token, request->sequence},
    };
    tell(memory, "translated, ");
    memory->reply = grim_entry_reserve(context, grim_arrival_channel(arrival), &reply);
    CU_ASSERT_PTR_NOT_NULL_FATAL(memory->reply);
    grim_arrival_move(context, arrival, LANAI_FROM_HOST, READ_BYTES, read_fetched, NULL);
}

static void answer_run(struct cpu_context *context, struct grim_ni *ni, struct grim_post *post)
{
    struct memory *memory = container_of(post, struct memory, post);
    CU_ASSERT_PTR_EQUAL(ni, grim_fabric_ni(grim_fabric(memory->world), 1));
    grim_arrival_resume(context, memory->held);
}

static enum cpu_next host_run(struct cpu_context *context, struct cpu_task *task)
{
    struct memory *memory = container_of(task, struct memory, host);
    cpu_spend_time(context, 20 * TIME_US, stage_called("interrupt", STAGE_INTERRUPT));
    memory->post.write.bytes = 16;
    memory->post.run = answer_run;
    grim_ni_post(context, grim_fabric_ni(grim_fabric(memory->world), 1), &memory->post);
    return CPU_SLEEP;
}

static void read_deliver(struct cpu_context *context, void *owner, struct grim_arrival *arrival)
{
    struct memory *memory = owner;
    memory->held = arrival;
    grim_arrival_hold(arrival, read_translated);
    cpu_post_wake(context, &memory->host);
    tell(memory, "read asked, ");
}

static const struct grim_interface reads = {
    .name = "read", .deliver = read_deliver, .answered = true};

static void reply_stored(struct cpu_context *context, struct grim_arrival *arrival)
{
    struct memory *memory = grim_arrival_owner(arrival);
    const struct grim_message *message = grim_arrival_message(arrival);
    struct grim_channel *channel = grim_arrival_channel(arrival);
    CU_ASSERT_TRUE(grim_channel_queued(channel) > 0); // the read, and the messages after it
    grim_acknowledge(context, channel, (uint8_t)message->argument[0],
                     (uint8_t)message->argument[1]);
    SUITE_SAME_INTEGER(grim_channel_queued(channel), 0);
    grim_acknowledge(context, channel, (uint8_t)message->argument[0],
                     (uint8_t)message->argument[1]); // nothing more
    tell(memory, "stored %u, ", message->bytes);
    grim_arrival_end(context, arrival);
}

static void reply_deliver(struct cpu_context *context, void *owner, struct grim_arrival *arrival)
{
    (void)owner;
    grim_arrival_move(context, arrival, LANAI_TO_HOST, READ_BYTES, reply_stored, NULL);
}

static const struct grim_interface replies = {.name = "reply", .deliver = reply_deliver};

// ---- The bench ----

static void memory_new(struct memory *memory, const char *machines, int buffering)
{
    struct grim_world_options options = grim_world_defaults(2, 1);
    options.machines = machines;
    options.ni.nack_pause = 10 * TIME_US;
    options.ni.buffering = buffering;
    *memory = (struct memory){.world = grim_world_new(&options), .story = g_string_new(NULL)};
    struct grim_fabric *fabric = grim_fabric(memory->world);
    grim_fabric_interface(fabric, GRIM_WRITE_VIRTUAL, &writes, memory);
    grim_fabric_interface(fabric, GRIM_READ_VIRTUAL, &reads, memory);
    grim_fabric_interface(fabric, GRIM_READ_REPLY, &replies, memory);
    cpu_task_init(&memory->host, memory->world->cluster->hosts[1]->cores[0], CPU_INTERRUPT,
                  host_run);
}

static void memory_free(struct memory *memory)
{
    g_string_free(memory->story, TRUE);
    world_free(memory->world);
}

static void send_typed(struct memory *memory, enum grim_type type)
{
    struct grim_message message = {.type = type, .destination = 1};
    g_array_append_val(grim_end(memory->world, 0)->script, message);
}

// grim.multi.type_dispatch: each type to its interface, all over one path in one sequence.
static void test_dispatch(void)
{
    struct memory memory;
    memory_new(&memory, "receiver", GRIM_BUFFER_SENDER);
    send_typed(&memory, GRIM_WRITE_VIRTUAL);
    send_typed(&memory, GRIM_ACTIVE_MESSAGE);
    send_typed(&memory, GRIM_WRITE_VIRTUAL);
    grim_world_run(memory.world);
    SUITE_SAME_TEXT(memory.story->str, "accept 0, accept 2, written 0, written 2, ");
    SUITE_SAME_TEXT(grim_end(memory.world, 1)->order->str, "0:1 ");
    SUITE_SAME_TEXT(grim_world_log(memory.world), "end1 receiver[0] expecting -> expecting\n"
                                                  "end1 receiver[1] expecting -> expecting\n"
                                                  "end1 receiver[2] expecting -> expecting\n");
    SUITE_SAME_INTEGER(grim_channel_queued(grim_end(memory.world, 0)->channel), 0);
    memory_free(&memory);
}

// A message that an interface does not accept is refused like an active message without room.
static void test_refusal(void)
{
    struct memory memory;
    memory_new(&memory, "receiver", GRIM_BUFFER_SENDER);
    memory.refusals = 2;
    send_typed(&memory, GRIM_WRITE_VIRTUAL);
    grim_world_run(memory.world);
    SUITE_SAME_TEXT(memory.story->str, "refuse 0, refuse 0, accept 0, written 0, ");
    SUITE_SAME_TEXT(grim_world_log(memory.world), "end1 receiver[0] expecting -> dropping\n"
                                                  "end1 receiver[0] dropping -> dropping\n"
                                                  "end1 receiver[0] dropping -> expecting\n");
    memory_free(&memory);
}

// A read is not acknowledged when it is taken but by its reply; later messages are taken while it
// waits for the host.
static void test_read(void)
{
    struct memory memory;
    memory_new(&memory, "message", GRIM_BUFFER_SENDER);
    send_typed(&memory, GRIM_READ_VIRTUAL);
    grim_world_run(memory.world);
    SUITE_SAME_TEXT(memory.story->str, "read asked, translated, fetched, stored 1000, ");
    SUITE_SAME_TEXT(grim_world_log(memory.world), "end0 message[1] unused -> not sent\n"
                                                  "end0 message[1] not sent -> sent\n"
                                                  "end1 message[1] unused -> not sent\n"
                                                  "end1 message[1] not sent -> sent\n"
                                                  "end1 message[1] sent -> acknowledged\n"
                                                  "end1 message[1] acknowledged -> unused\n"
                                                  "end0 message[1] sent -> acknowledged\n"
                                                  "end0 message[1] acknowledged -> unused\n");
    SUITE_SAME_INTEGER(world_counter(memory.world, "GRIM: messages accepted"), 2);
    memory_free(&memory);
    memory_new(&memory, "receiver", GRIM_BUFFER_SENDER);
    send_typed(&memory, GRIM_READ_VIRTUAL);
    send_typed(&memory, GRIM_ACTIVE_MESSAGE);
    grim_world_run(memory.world);
    SUITE_SAME_INTEGER(grim_end(memory.world, 1)->taken, 1);
    SUITE_SAME_TEXT(grim_world_log(memory.world), "end1 receiver[0] expecting -> expecting\n"
                                                  "end1 receiver[1] expecting -> expecting\n"
                                                  "end0 receiver[0] expecting -> expecting\n");
    memory_free(&memory);
}

// With buffers at both cards a message that follows another in the incoming queue is handled after
// it.
static void test_incoming(void)
{
    struct memory memory;
    memory_new(&memory, "receiver,incoming", GRIM_BUFFER_BOTH);
    memory.refuses = 1;
    memory.refusals = 1;
    send_typed(&memory, GRIM_WRITE_VIRTUAL);
    send_typed(&memory, GRIM_WRITE_VIRTUAL);
    send_typed(&memory, GRIM_ACTIVE_MESSAGE);
    grim_world_run(memory.world);
    SUITE_SAME_INTEGER(world_counter(memory.world, "GRIM: messages refused"), 0);
    SUITE_SAME_TEXT(memory.story->str, "accept 0, refuse 1, written 0, accept 1, written 1, ");
    SUITE_SAME_TEXT(grim_end(memory.world, 1)->order->str, "0:2 ");
    memory_free(&memory);
}

// A type without an interface.
static void test_none(void)
{
    struct memory memory;
    memory_new(&memory, NULL, GRIM_BUFFER_SENDER);
    send_typed(&memory, GRIM_MULTICAST);
    grim_world_run(memory.world);
    SUITE_SAME_INTEGER(memory.world->sim->status, SIM_FAILED);
    SUITE_SAME_TEXT(json_string_value(json_object_get(memory.world->sim->reason, "text")),
                    "node1's card: a message of type multicast has come for endpoint 1, and there "
                    "is no interface for it");
    memory_free(&memory);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"grim.multi.type_dispatch: by type, in one sequence", test_dispatch},
        {"what an interface refuses comes again", test_refusal},
        {"grim.rm.rmrv: a reply acknowledges the read", test_read},
        {"buffers at both: an interface that refuses", test_incoming},
        {"a type without an interface", test_none},
        {0},
    };
    return suite_run("grim: interfaces", cases);
}
