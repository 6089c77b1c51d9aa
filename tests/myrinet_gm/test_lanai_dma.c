// SPDX-License-Identifier: GPL-3.0-or-later
// The LANai's engines under a small firmware that forwards: a token that the host writes has a
// packet fetched from host memory, sent, and written into the other host's memory.
//
// A packet of n bytes takes, from the host's write to the last byte in the other host's memory,
//     write_word * words + B(token) + read_setup + B(n) + send_latency + W(n) + receive_latency
//     + write_setup + B(n)
// with B the time of the bus in pieces of bus_hold and W that of the wire, plus what the firmware's
// handlers cost on the two LANais.
#include "sim/core/random.h"
#include "sim/explain/path.h"
#include "tests/support/spans.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"
#include "tests/support/world_lanai.h"

#include <string.h>

enum { FINISH_RDMA, RECEIVED, FINISH_SDMA, FINISH_SEND, TOKEN, HANDLERS };

#define BUFFERS 2
#define TOKEN_BYTES 16

struct bench;

struct sender {
    struct bench *bench;
    struct lanai *card;
    struct cpu_task host_task; // writes the tokens
    struct lanai_buffer buffers[BUFFERS];
    struct lanai_transfer writes[BUFFERS]; // into host memory
    GPtrArray *messages;                   // to be sent, in order
    guint written;
};

// A message of one packet.
struct message {
    struct lanai_write token;
    struct lanai_transfer transfer;
    struct packet *packet;
    struct bench *bench;
    int64_t bytes;
    sim_time fetched, left;
};

struct bench {
    struct world *world;
    struct sender senders[2];
    GString *arrivals, *sent;
    sim_time arrived; // the last one
    int discarded;
};

// ---- The firmware ----

static void token_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct sender *sender = owner;
    struct message *message = container_of(item, struct message, token.item);
    struct lanai_transfer *transfer = &message->transfer;
    transfer->move = LANAI_FROM_HOST;
    transfer->bytes = message->bytes;
    transfer->item.handler = FINISH_SDMA;
    transfer->item.message = message->packet->message;
    lanai_start(sender->card, transfer, context->now);
}

static void finish_sdma_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct sender *sender = owner;
    struct message *message = container_of(item, struct message, transfer.item);
    message->fetched = context->now;
    message->transfer.move = LANAI_SEND;
    message->transfer.packet = message->packet;
    message->transfer.item.handler = FINISH_SEND;
    lanai_start(sender->card, &message->transfer, context->now);
}

static void finish_send_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    (void)owner;
    container_of(item, struct message, transfer.item)->left = context->now;
}

static void received_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct sender *sender = owner;
    struct lanai_buffer *buffer = container_of(item, struct lanai_buffer, item);
    if (buffer->packet->corrupt) {
        sender->bench->discarded++;
        lanai_discard(sender->card, buffer, "CRC-8 error");
        lanai_post_buffer(sender->card, buffer, context->now);
        return;
    }
    struct lanai_transfer *write = &sender->writes[buffer - sender->buffers];
    write->move = LANAI_TO_HOST;
    write->bytes = buffer->packet->wire_bytes;
    write->item.handler = FINISH_RDMA;
    write->item.message = buffer->packet->message;
    lanai_start(sender->card, write, context->now);
}

// In host memory.
static void write_done(void *owner, struct lanai_transfer *transfer)
{
    struct sender *sender = owner;
    struct bench *bench = sender->bench;
    struct lanai_buffer *buffer = &sender->buffers[transfer - sender->writes];
    bench->arrived = sim_now(bench->world->sim);
    g_string_append_printf(bench->arrivals, "%u@%" G_GINT64_FORMAT " ", buffer->packet->wire_bytes,
                           bench->arrived);
    lanai_world_deliver(bench->world, buffer->packet);
    buffer->packet = NULL;
}

static void finish_rdma_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct sender *sender = owner;
    struct lanai_transfer *write = container_of(item, struct lanai_transfer, item);
    lanai_post_buffer(sender->card, &sender->buffers[write - sender->writes], context->now);
}

static const struct lanai_handler handlers[HANDLERS] = {
    [FINISH_RDMA] = {{"finish RDMA", STAGE_NIC}, finish_rdma_run, false},
    [RECEIVED] = {{"finish receive", STAGE_NIC}, received_run, false},
    [FINISH_SDMA] = {{"finish SDMA", STAGE_NIC}, finish_sdma_run, false},
    [FINISH_SEND] = {{"finish send", STAGE_NIC}, finish_send_run, false},
    [TOKEN] = {{"poll", STAGE_NIC}, token_run, false},
};

static const struct lanai_firmware firmware = {handlers, HANDLERS, RECEIVED, 0, NULL};

// ---- The bench ----

// One token a slice.
static enum cpu_next host_run(struct cpu_context *context, struct cpu_task *task)
{
    struct sender *sender = container_of(task, struct sender, host_task);
    if (sender->written == sender->messages->len)
        return CPU_SLEEP;
    struct message *message = g_ptr_array_index(sender->messages, sender->written++);
    lanai_write(context, sender->card, &message->token);
    return CPU_AGAIN;
}

static const struct cost nothing[HANDLERS];

static struct bench *bench_empty(void)
{
    struct bench *bench = g_new0(struct bench, 1);
    bench->arrivals = g_string_new(NULL);
    bench->sent = g_string_new(NULL);
    return bench;
}

static struct bench *bench_furnish(struct bench *bench, int64_t buffer_bytes)
{
    for (int i = 0; i < 2; i++) {
        struct sender *sender = &bench->senders[i];
        sender->bench = bench;
        sender->card = lanai_card(bench->world, i);
        sender->messages = g_ptr_array_new_with_free_func(g_free);
        cpu_task_init(&sender->host_task, bench->world->cluster->hosts[i]->cores[0], CPU_USER,
                      host_run);
        for (int k = 0; k < BUFFERS; k++) {
            sender->buffers[k].bytes = buffer_bytes;
            sender->writes[k].done = write_done;
            if (buffer_bytes > 0)
                lanai_post_buffer(sender->card, &sender->buffers[k], 0);
        }
    }
    return bench;
}

// The world of these options, with this firmware.
static struct bench *bench_of(const struct lanai_world_options *options, int64_t buffer_bytes)
{
    struct bench *bench = bench_empty();
    struct lanai_world_options whole = *options;
    whole.firmware = &firmware;
    whole.costs = options->costs ? options->costs : nothing;
    for (int i = 0; i < 2; i++)
        whole.owners[i] = &bench->senders[i];
    bench->world = lanai_world_new(&whole);
    return bench_furnish(bench, buffer_bytes);
}

static struct bench *bench_new(const struct lanai_config *config, const struct cost *costs,
                               int64_t buffer_bytes, struct trace *trace, int64_t corrupt_nth)
{
    return bench_of(
        &(struct lanai_world_options){
            .config = config, .costs = costs, .trace = trace, .corrupt_nth = corrupt_nth},
        buffer_bytes);
}

static void bench_free(struct bench *bench)
{
    for (int i = 0; i < 2; i++)
        g_ptr_array_unref(bench->senders[i].messages);
    world_free(bench->world);
    g_string_free(bench->arrivals, TRUE);
    g_string_free(bench->sent, TRUE);
    g_free(bench);
}

static struct message *bench_message(struct bench *bench, int from, int64_t bytes)
{
    struct message *message = g_new0(struct message, 1);
    message->bench = bench;
    message->bytes = bytes;
    message->packet = lanai_world_packet(bench->world, from, bytes);
    message->token.bytes = TOKEN_BYTES;
    message->token.item.handler = TOKEN;
    message->token.item.message = message->packet->message;
    g_ptr_array_add(bench->senders[from].messages, message);
    return message;
}

// Both hosts write their tokens, from 0 on.
static void bench_run(struct bench *bench)
{
    for (int i = 0; i < 2; i++)
        if (bench->senders[i].messages->len > 0)
            cpu_wake(&bench->senders[i].host_task);
    world_run(bench->world);
}

static struct lanai_config costly(void)
{
    struct lanai_config config = lanai_world_config();
    config.read_setup = 1270 * TIME_NS;
    config.write_setup = 660 * TIME_NS;
    config.send_latency = 110 * TIME_NS;
    config.receive_latency = 130 * TIME_NS;
    config.write_word = (struct cost){.time = 120 * TIME_NS};
    return config;
}

// The closed form of the head comment.
static sim_time closed_form(const struct bench *bench, const struct lanai_config *config,
                            int64_t bytes)
{
    const struct world *world = bench->world;
    return TOKEN_BYTES / 4 * config->write_word.time +
           lanai_world_bus_time(world, TOKEN_BYTES, TOKEN_BYTES) + config->read_setup +
           2 * lanai_world_bus_time(world, bytes, config->bus_hold) + config->send_latency +
           lanai_world_wire_time(bytes) + config->receive_latency + config->write_setup;
}

// ---- One packet ----

static void test_closed_form(void)
{
    static const int64_t sizes[] = {1, 60, 128, 129, 1024, 1025, 4096};
    static const int64_t holds[] = {128, 1024, 65536};
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        for (size_t k = 0; k < G_N_ELEMENTS(holds); k++) {
            struct lanai_config config = costly();
            config.bus_hold = holds[k];
            struct bench *bench = bench_new(&config, NULL, 4096, NULL, 0);
            bench_message(bench, 0, sizes[i]);
            bench_run(bench);
            SUITE_SAME_INTEGER(bench->arrived, closed_form(bench, &config, sizes[i]));
            CU_ASSERT_TRUE(ledger_balanced(bench->world->sim->ledger));
            bench_free(bench);
        }
}

struct shares {
    sim_time total, lanai[2], bus[2], host;
};

static struct shares shares_at(int64_t clock)
{
    static const struct cost costs[HANDLERS] = {
        [FINISH_RDMA] = {.cycles = 41}, [RECEIVED] = {.cycles = 97}, [FINISH_SDMA] = {.cycles = 59},
        [FINISH_SEND] = {.cycles = 31}, [TOKEN] = {.cycles = 83},
    };
    struct lanai_config config = costly();
    config.clock = clock;
    config.dispatch = (struct cost){.cycles = 9};
    struct bench *bench = bench_new(&config, costs, 4096, NULL, 0);
    bench_message(bench, 0, 2000);
    bench_run(bench);
    struct shares shares = {.total = bench->arrived};
    // On the path: token, end of the fetch, and the packet at the other side.
    SUITE_SAME_INTEGER(shares.total, closed_form(bench, &config, 2000) +
                                         time_at_rate(3 * 9 + 83 + 59 + 97, clock));
    for (int i = 0; i < 2; i++) {
        shares.lanai[i] = cpu_usage(lanai_cpu(bench->senders[i].card)).busy[CPU_KERNEL];
        shares.bus[i] = bus_busy(bench->world->cluster->hosts[i]->bus);
    }
    shares.host = cpu_usage(bench->world->cluster->hosts[0]->cores[0]).busy[CPU_USER];
    bench_free(bench);
    return shares;
}

// A slower clock adds exactly to what ran on the LANais, and to nothing else.
static void test_clock(void)
{
    struct shares whole = shares_at(50000000), half = shares_at(25000000);
    SUITE_SAME_INTEGER(half.total - whole.total, (3 * 9 + 83 + 59 + 97) * 20 * TIME_NS);
    for (int i = 0; i < 2; i++) {
        CU_ASSERT_TRUE(whole.lanai[i] > 0);
        SUITE_SAME_INTEGER(half.lanai[i], 2 * whole.lanai[i]);
        SUITE_SAME_INTEGER(half.bus[i], whole.bus[i]);
    }
    SUITE_SAME_INTEGER(half.host, whole.host);
}

// ---- Engines ----

// One at a time, in order; the two engines side by side: the second packet is fetched while the
// first is sent.
static void test_engines_in_order(void)
{
    struct lanai_config config = costly();
    config.write_word.time = 60 * TIME_NS;
    struct span_log *log = span_log_new();
    struct bench *bench = bench_new(&config, NULL, 4096, &log->trace, 0);
    enum { COUNT = 4, BYTES = 1000 };
    struct message *messages[COUNT];
    for (int i = 0; i < COUNT; i++)
        messages[i] = bench_message(bench, 0, BYTES);
    bench_run(bench);
    sim_time fetch = config.read_setup + lanai_world_bus_time(bench->world, BYTES, config.bus_hold);
    sim_time token = 4 * config.write_word.time + lanai_world_bus_time(bench->world, 16, 16);
    // The tokens of the others pass during the first set-up, so that they hold up no fetch.
    for (int i = 0; i < COUNT; i++) {
        SUITE_SAME_INTEGER(messages[i]->fetched, token + (i + 1) * fetch);
        SUITE_SAME_INTEGER(messages[i]->left,
                           token + (i + 1) * fetch + config.send_latency + BYTES * 4 * TIME_NS);
    }
    int set_ups = 0;
    for (guint i = 0; i < log->spans->len; i++) {
        const struct span *span = &g_array_index(log->spans, struct span, i);
        if (strcmp(span->name, "set-up") == 0 && span->to - span->from == config.read_setup)
            SUITE_SAME_INTEGER(span->from, token + set_ups++ * fetch);
    }
    SUITE_SAME_INTEGER(set_ups, COUNT);
    CU_ASSERT_TRUE(ledger_balanced(bench->world->sim->ledger));
    bench_free(bench);
    span_log_free(log);
}

static void send_done(void *owner, struct lanai_transfer *transfer)
{
    struct sender *sender = owner;
    CU_ASSERT_FALSE(transfer->busy);
    g_string_append_printf(sender->bench->sent, "%" G_GINT64_FORMAT " ",
                           sim_now(sender->bench->world->sim) / TIME_NS);
}

// A transfer without a handler may be freed by its `done`: another may stand in its place, for a
// handler.
static void gone_done(void *owner, struct lanai_transfer *transfer)
{
    struct sender *sender = owner;
    *transfer = (struct lanai_transfer){.item = {.handler = FINISH_SEND}};
    g_string_append(sender->bench->sent, "done ");
}

static void test_done_and_gone(void)
{
    struct lanai_config config = costly();
    struct bench *bench = bench_new(&config, NULL, 4096, NULL, 0);
    struct message *gone = g_new0(struct message, 1);
    gone->left = -1;
    gone->transfer = (struct lanai_transfer){
        .item = {.handler = LANAI_NOBODY}, .move = LANAI_TO_HOST, .bytes = 100, .done = gone_done};
    lanai_start(bench->senders[0].card, &gone->transfer, 0);
    bench_run(bench);
    SUITE_SAME_TEXT(bench->sent->str, "done ");
    SUITE_SAME_INTEGER(gone->left, -1);
    bench_free(bench);
    g_free(gone);
}

struct moves {
    struct lanai_transfer read, write;
    sim_time read_end, write_end;
};

static void move_done(void *owner, struct lanai_transfer *transfer)
{
    const struct sender *sender = owner;
    struct moves *moves = transfer->move == LANAI_TO_HOST
                              ? container_of(transfer, struct moves, write)
                              : container_of(transfer, struct moves, read);
    *(transfer->move == LANAI_TO_HOST ? &moves->write_end : &moves->read_end) =
        sim_now(sender->bench->world->sim);
}

// A transfer of three pieces in each direction, started together.
static struct moves both_moves(struct lanai_config config)
{
    struct bench *bench = bench_new(&config, NULL, 4096, NULL, 0);
    struct lanai_transfer move = {
        .item = {.handler = LANAI_NOBODY}, .bytes = 3000, .done = move_done};
    struct moves moves = {move, move, 0, 0};
    moves.read.move = LANAI_FROM_HOST;
    moves.write.move = LANAI_TO_HOST;
    lanai_start(bench->senders[0].card, &moves.read, 0);
    lanai_start(bench->senders[0].card, &moves.write, 0);
    bench_run(bench);
    bench_free(bench);
    return moves;
}

// With one channel the write begins its set-up when the read has ended. With two, both set up at
// once and their pieces take turns at the bus; whether the card shares its SRAM or not.
static void test_host_channels(void)
{
    for (int64_t accesses = 0; accesses <= 2; accesses += 2) {
        struct lanai_config config = costly();
        config.sram_accesses = accesses; // 2 are enough for the first engine
        config.sram_word = 4;
        config.sram_host = config.sram_receive = config.sram_send = 1;
        struct bench *bench = bench_new(&config, NULL, 4096, NULL, 0);
        sim_time all = lanai_world_bus_time(bench->world, 3000, config.bus_hold),
                 last = lanai_world_bus_time(bench->world, 3000 - 2048, config.bus_hold);
        bench_free(bench);
        struct moves one = both_moves(config);
        SUITE_SAME_INTEGER(one.read_end, config.read_setup + all);
        SUITE_SAME_INTEGER(one.write_end, config.read_setup + config.write_setup + 2 * all);
        config.host_channels = 2;
        struct moves two = both_moves(config);
        SUITE_SAME_INTEGER(two.write_end, config.write_setup + 2 * all - last);
        SUITE_SAME_INTEGER(two.read_end, config.write_setup + 2 * all);
    }
}

// Packets that are started together leave one after the other, each after its own latency.
static void test_send_engine_queues(void)
{
    struct lanai_config config = lanai_world_config();
    config.send_latency = 70 * TIME_NS;
    struct bench *bench = bench_new(&config, NULL, 4096, NULL, 0);
    enum { COUNT = BUFFERS };
    struct lanai_transfer sends[COUNT] = {{.move = LANAI_SEND}};
    for (int i = 0; i < COUNT; i++) {
        sends[i].item.handler = LANAI_NOBODY;
        sends[i].move = LANAI_SEND;
        sends[i].done = send_done;
        sends[i].packet = lanai_world_packet(bench->world, 0, 500);
        lanai_start(bench->senders[0].card, &sends[i], i * TIME_NS);
    }
    world_run(bench->world);
    SUITE_SAME_TEXT(bench->sent->str, "2070 4140 ");
    CU_ASSERT_TRUE(ledger_balanced(bench->world->sim->ledger));
    bench_free(bench);
}

struct other_device {
    struct event event;
    struct bench *bench;
    sim_time asked, done;
};

static void other_device_event(struct engine *engine, struct event *event)
{
    struct other_device *device = container_of(event, struct other_device, event);
    if (device->asked > 0) {
        device->done = engine_now(engine);
        return;
    }
    device->asked = engine_now(engine);
    bus_transfer(device->bench->world->cluster->hosts[0]->bus, BUS_READ, 64, event,
                 stage_called("other", STAGE_BUS), MESSAGE_NONE);
}

// Another device's transfer gets the bus after the piece that is in progress, and delays the rest
// by its own time.
static void test_bus_is_shared(void)
{
    struct lanai_config config = lanai_world_config();
    struct bench *bench = bench_new(&config, NULL, 4096, NULL, 0);
    struct lanai_transfer fetch = {.item = {.handler = LANAI_NOBODY}, .bytes = 4096};
    struct other_device device = {.bench = bench};
    sim_time piece = lanai_world_bus_time(bench->world, 1024, 1024);
    sim_time other = lanai_world_bus_time(bench->world, 64, 64);
    event_init(&device.event, other_device_event);
    engine_schedule(bench->world->sim->engine, &device.event, piece + piece / 2);
    lanai_start(bench->senders[0].card, &fetch, 0);
    world_run(bench->world);
    SUITE_SAME_INTEGER(device.done, 2 * piece + other);
    SUITE_SAME_INTEGER(sim_now(bench->world->sim), 4 * piece + other);
    bench_free(bench);
}

// ---- Receiving ----

struct late_buffer {
    struct event event;
    struct bench *bench;
    int index;
};

static void late_buffer_event(struct engine *engine, struct event *event)
{
    struct late_buffer *late = container_of(event, struct late_buffer, event);
    struct sender *receiver = &late->bench->senders[1];
    receiver->buffers[late->index].bytes = 4096;
    lanai_post_buffer(receiver->card, &receiver->buffers[late->index], engine_now(engine));
}

// Packets without a buffer are held in the network, in their order: those for which the switch has
// no room stay on the sender's card. The next one is received when a buffer is posted.
static void test_held_packets(void)
{
    struct lanai_config config = costly();
    struct bench *bench = bench_new(&config, NULL, 0, NULL, 0);
    static const int64_t sizes[] = {100, 200, 300};
    struct message *messages[3];
    for (int i = 0; i < 3; i++)
        messages[i] = bench_message(bench, 0, sizes[i]);
    struct late_buffer late = {.bench = bench, .index = 0};
    event_init(&late.event, late_buffer_event);
    engine_schedule(bench->world->sim->engine, &late.event, TIME_MS);
    bench_run(bench);
    GString *expected = g_string_new(NULL);
    sim_time when = TIME_MS;
    for (int i = 0; i < 3; i++) {
        when += (4 * sizes[i] + 50) * TIME_NS + config.receive_latency + config.write_setup +
                lanai_world_bus_time(bench->world, sizes[i], config.bus_hold);
        g_string_append_printf(expected, "%d@%" G_GINT64_FORMAT " ", (int)sizes[i], when);
    }
    SUITE_SAME_TEXT(bench->arrivals->str, expected->str);
    // 80 B are in the switch, and the rest leaves when the first has its buffer.
    SUITE_SAME_INTEGER(messages[0]->left, TIME_MS + (100 - 80) * 4 * TIME_NS);
    CU_ASSERT_TRUE(ledger_balanced(bench->world->sim->ledger));
    g_string_free(expected, TRUE);
    bench_free(bench);
}

// With a cable from card to card nothing holds the sender: packets wait in front of the card, and
// each goes into a buffer at once when there is one. One that is too long is lost there, and the
// buffer takes the next.
static void test_held_in_front(void)
{
    struct span_log *log = span_log_new();
    struct lanai_config config = costly();
    struct bench *bench = bench_of(
        &(struct lanai_world_options){.config = &config, .trace = &log->trace, .cable = true}, 0);
    static const int64_t sizes[] = {100, 200, 5000, 300, 50};
    struct message *messages[G_N_ELEMENTS(sizes)];
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        messages[i] = bench_message(bench, 0, sizes[i]);
    struct late_buffer late = {.bench = bench, .index = 0};
    event_init(&late.event, late_buffer_event);
    engine_schedule(bench->world->sim->engine, &late.event, TIME_MS);
    bench_run(bench);
    GString *arrivals = g_string_new(NULL), *notes = g_string_new(NULL);
    sim_time when = TIME_MS;
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        sim_time seen = messages[i]->left + 50 * TIME_NS + config.receive_latency;
        CU_ASSERT(messages[i]->left > 0 && messages[i]->left < TIME_MS);
        g_string_append_printf(notes,
                               "held room in SRAM %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT
                               "\ndelay waiting for buffer %" G_GINT64_FORMAT "..%" G_GINT64_FORMAT
                               "\n",
                               seen, when, seen, when);
        if (sizes[i] > 4096)
            continue;
        when += config.write_setup + lanai_world_bus_time(bench->world, sizes[i], config.bus_hold);
        g_string_append_printf(arrivals, "%d@%" G_GINT64_FORMAT " ", (int)sizes[i], when);
    }
    SUITE_SAME_TEXT(bench->arrivals->str, arrivals->str);
    char *told = span_notes_text(log, "NIC receive DMA"), *held = strstr(told, "held");
    SUITE_SAME_TEXT(held, notes->str);
    SUITE_SAME_INTEGER(*sim_counter(bench->world->sim, "LANai packets held for a buffer"), 5);
    SUITE_SAME_INTEGER(lanai_held(lanai_card(bench->world, 1)), 0);
    SUITE_SAME_INTEGER(ledger_totals(bench->world->sim->ledger).delivered, 4);
    g_free(told);
    g_string_free(arrivals, TRUE);
    g_string_free(notes, TRUE);
    bench_free(bench);
    span_log_free(log);
}

static void check_lost(struct bench *bench, const char *counter, const char *reason)
{
    struct sim *sim = bench->world->sim;
    GPtrArray *lines = ledger_report(sim->ledger, 2);
    SUITE_SAME_INTEGER(lines->len, 1);
    if (lines->len > 0)
        SUITE_CONTAINS(g_ptr_array_index(lines, 0), reason);
    g_ptr_array_unref(lines);
    SUITE_SAME_INTEGER(*sim_counter(sim, counter), 1);
    SUITE_SAME_INTEGER(ledger_totals(sim->ledger).delivered, 2);
}

// A packet that does not fit is recorded as lost, and its buffer takes the next packet.
static void test_too_long(void)
{
    struct lanai_config config = lanai_world_config();
    struct bench *bench = bench_new(&config, NULL, 256, NULL, 0);
    bench_message(bench, 0, 256);
    bench_message(bench, 0, 257);
    bench_message(bench, 0, 255);
    bench_run(bench);
    check_lost(bench, "LANai: packet longer than its receive buffer",
               "packet longer than its receive buffer");
    bench_free(bench);
}

// The firmware detects a wrong CRC: the packet is in SRAM by then, and costs a handler's time.
static void test_corrupt(void)
{
    static const struct cost costs[HANDLERS] = {[RECEIVED] = {.cycles = 50}};
    struct lanai_config config = lanai_world_config();
    struct bench *bench = bench_new(&config, costs, 4096, NULL, 2);
    for (int i = 0; i < 3; i++)
        bench_message(bench, 0, 100);
    bench_run(bench);
    SUITE_SAME_INTEGER(bench->discarded, 1);
    SUITE_SAME_INTEGER(cpu_usage(lanai_cpu(bench->senders[1].card)).busy[CPU_KERNEL],
                       3 * 50 * 20 * TIME_NS);
    check_lost(bench, "LANai: CRC-8 error", "CRC-8 error");
    bench_free(bench);
}

// ---- As a whole ----

static uint64_t busy_run(uint64_t seed, char **arrivals)
{
    static const struct cost costs[HANDLERS] = {
        [FINISH_RDMA] = {.cycles = 41}, [RECEIVED] = {.cycles = 97}, [FINISH_SDMA] = {.cycles = 59},
        [FINISH_SEND] = {.cycles = 31}, [TOKEN] = {.cycles = 83},
    };
    struct lanai_config config = costly();
    config.dispatch = config.idle_turn = (struct cost){.cycles = 10};
    struct bench *bench = bench_new(&config, costs, 4096, NULL, 0);
    struct random_stream *stream = random_new(seed, "sizes");
    for (int i = 0; i < 400; i++)
        bench_message(bench, i & 1, 1 + (int64_t)random_below(stream, 4096));
    bench_run(bench);
    CU_ASSERT_TRUE(ledger_balanced(bench->world->sim->ledger));
    SUITE_SAME_INTEGER(ledger_totals(bench->world->sim->ledger).delivered, 400);
    random_free(stream);
    *arrivals = g_string_free(bench->arrivals, FALSE);
    bench->arrivals = g_string_new(NULL);
    uint64_t fingerprint = engine_fingerprint(bench->world->sim->engine);
    bench_free(bench);
    return fingerprint;
}

// 400 packets of any size in both directions, through two buffers per card: each arrives once and
// in order, and two runs are identical.
static void test_determinism(void)
{
    char *first, *second, *other;
    CU_ASSERT_EQUAL(busy_run(7, &first), busy_run(7, &second));
    SUITE_SAME_TEXT(first, second);
    CU_ASSERT_NOT_EQUAL(busy_run(8, &other), 0);
    CU_ASSERT_STRING_NOT_EQUAL(first, other);
    g_free(first);
    g_free(second);
    g_free(other);
}

// ---- Explained ----

static void tell_part(void *owner, const struct path_part *part)
{
    char *line =
        g_strdup_printf("%s %" G_GINT64_FORMAT, part->stage, (part->to - part->from) / TIME_NS);
    g_ptr_array_insert(owner, 0, line);
}

// The path of one packet from end to end, each part by name, with nothing left as waiting.
static void test_explained(void)
{
    static const struct cost costs[HANDLERS] = {
        [RECEIVED] = {.cycles = 100}, [FINISH_SDMA] = {.cycles = 60}, [TOKEN] = {.cycles = 80}};
    struct lanai_config config = costly();
    struct record *record = record_new();
    config.dispatch = (struct cost){.cycles = 10};
    struct bench *bench = bench_new(&config, costs, 4096, &record->trace, 0);
    bench_message(bench, 0, 1000);
    bench_run(bench);
    record_settle(record);
    guint lane = 0;
    for (guint i = 0; i < record->lanes->len; i++)
        if (strcmp(record_lane(record, i)->group, "node1") == 0 &&
            strcmp(record_lane(record, i)->name, "bus") == 0)
            lane = i + 1;
    GPtrArray *parts = g_ptr_array_new_with_free_func(g_free);
    path_walk(record, lane, 0, bench->arrived, tell_part, parts);
    g_ptr_array_add(parts, NULL);
    char *text = g_strjoinv(", ", (char **)parts->pdata);
    SUITE_SAME_TEXT(text,
                    "PIO 480, bus 360, dispatch 200, poll 1600, NIC 1270, bus 11600, dispatch 200, "
                    "finish SDMA 1200, NIC 110, serialisation 4, propagation 50, switch 150, "
                    "serialisation 4000, "
                    "propagation 50, NIC 130, dispatch 200, finish receive 2000, NIC 660, "
                    "bus 11600");
    g_free(text);
    g_ptr_array_unref(parts);
    record_free(record);
    bench_free(bench);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"a packet takes the sum of its parts", test_closed_form},
        {"half the clock adds to the LANai's share alone", test_clock},
        {"engines take one at a time, in order", test_engines_in_order},
        {"a transfer that nobody hears of", test_done_and_gone},
        {"a channel for each direction", test_host_channels},
        {"the send engine queues what is started", test_send_engine_queues},
        {"the bus is shared piece by piece", test_bus_is_shared},
        {"packets wait for buffers", test_held_packets},
        {"packets in front of a card", test_held_in_front},
        {"a packet longer than its buffer is lost by name", test_too_long},
        {"a corrupt packet is the firmware's to discard", test_corrupt},
        {"every packet once, in order, and two runs alike", test_determinism},
        {"a packet's way is explained", test_explained},
        {0},
    };
    return suite_run("myrinet_gm: LANai DMA", cases);
}
