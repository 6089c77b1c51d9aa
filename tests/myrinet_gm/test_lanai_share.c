// SPDX-License-Identifier: GPL-3.0-or-later
// Cards whose engines and processor share an SRAM of 400 MB/s: two accesses of 4 B in a clock of 50
// MHz. The link moves 250 MB/s per direction, the bus 86, and the processor asks for 200.
//
// The firmware writes arriving packets to the host, beginning with the packet's head if it has one.
#include "sim/core/random.h"
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"
#include "tests/support/world_lanai.h"

#define RATE INT64_C(400000000)
#define BUFFERS 2

enum { WRITTEN, RECEIVED, JOB, HANDLERS };

struct side {
    struct trial *trial;
    struct lanai *card;
    struct lanai_buffer buffers[BUFFERS];
    struct lanai_transfer writes[BUFFERS];
    struct lanai_item jobs[2];
    sim_time job_from, job_took; // of the last one
};

struct parcel {
    struct lanai_transfer transfer;
    sim_time left;
};

struct trial {
    struct world *world;
    struct side sides[2];
    GPtrArray *parcels;
    GString *story; // "node: bytes@seen" and "node: bytes@written"
    bool writes;
};

static void tell(const struct side *side, const char *what, const struct packet *packet)
{
    const struct trial *trial = side->trial;
    g_string_append_printf(trial->story, "%d %s %u@%" G_GINT64_FORMAT "\n",
                           (int)(side - trial->sides), what, packet->wire_bytes,
                           sim_now(trial->world->sim));
}

static void give_back(struct side *side, struct lanai_buffer *buffer, sim_time when)
{
    lanai_world_deliver(side->trial->world, buffer->packet);
    buffer->packet = NULL;
    lanai_post_buffer(side->card, buffer, when);
}

static void received_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct side *side = owner;
    struct lanai_buffer *buffer = item->begins ? container_of(item, struct lanai_buffer, begun)
                                               : container_of(item, struct lanai_buffer, item);
    struct lanai_transfer *write = &side->writes[buffer - side->buffers];
    tell(side, item->begins ? "begins" : "has", buffer->packet);
    if (!side->trial->writes) {
        give_back(side, buffer, context->now);
    } else if (!write->busy) {
        *write = (struct lanai_transfer){.item = {.handler = WRITTEN},
                                         .move = LANAI_TO_HOST,
                                         .bytes = buffer->packet->wire_bytes,
                                         .behind = item->begins ? buffer : NULL};
        lanai_start(side->card, write, context->now);
    }
}

static void written_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct side *side = owner;
    struct lanai_transfer *write = container_of(item, struct lanai_transfer, item);
    struct lanai_buffer *buffer = &side->buffers[write - side->writes];
    tell(side, "wrote", buffer->packet);
    give_back(side, buffer, context->now);
}

static void job_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    (void)item;
    struct side *side = owner;
    sim_time from = context->now;
    cpu_spend(context, (struct cost){.cycles = 750}, stage_called("job", STAGE_LIBRARY)); // 15 us
    side->job_from = from;
    side->job_took = context->now - from;
}

static const struct lanai_handler handlers[HANDLERS] = {
    [WRITTEN] = {{"written", STAGE_NIC}, written_run, false},
    [RECEIVED] = {{"received", STAGE_NIC}, received_run, false},
    [JOB] = {{"job", STAGE_NIC}, job_run, false},
};

static const struct lanai_firmware whole = {handlers, HANDLERS, RECEIVED, 0, NULL},
                                   heads = {handlers, HANDLERS, RECEIVED, 64, NULL};

static struct lanai_config shared(void)
{
    struct lanai_config config = lanai_world_config();
    config.sram = 1 << 20;
    config.sram_accesses = 2;
    config.sram_word = 4;
    config.sram_host = 1;
    config.sram_receive = 2;
    config.sram_send = 3;
    config.receive_latency = 130 * TIME_NS;
    return config;
}

static struct trial *trial_new(const struct lanai_config *config,
                               const struct lanai_firmware *firmware, bool writes)
{
    static const struct cost nothing[HANDLERS];
    struct trial *trial = g_new0(struct trial, 1);
    trial->writes = writes;
    trial->story = g_string_new(NULL);
    trial->parcels = g_ptr_array_new_with_free_func(g_free);
    trial->world = lanai_world_new(
        &(struct lanai_world_options){.config = config,
                                      .firmware = firmware,
                                      .costs = nothing,
                                      .owners = {&trial->sides[0], &trial->sides[1]}});
    for (int i = 0; i < 2; i++) {
        struct side *side = &trial->sides[i];
        side->trial = trial;
        side->card = lanai_card(trial->world, i);
        side->jobs[0].handler = side->jobs[1].handler = JOB;
        for (int k = 0; k < BUFFERS; k++) {
            side->buffers[k].bytes = 100000;
            lanai_post_buffer(side->card, &side->buffers[k], 0);
        }
    }
    return trial;
}

static void trial_free(struct trial *trial)
{
    CU_ASSERT_TRUE(ledger_balanced(trial->world->sim->ledger));
    world_free(trial->world);
    g_ptr_array_unref(trial->parcels);
    g_string_free(trial->story, TRUE);
    g_free(trial);
}

static void parcel_left(void *owner, struct lanai_transfer *transfer)
{
    const struct side *side = owner;
    container_of(transfer, struct parcel, transfer)->left = sim_now(side->trial->world->sim);
}

static struct parcel *send_at(struct trial *trial, sim_time when, int from, int64_t bytes)
{
    struct parcel *parcel = g_new0(struct parcel, 1);
    parcel->transfer =
        (struct lanai_transfer){.item = {.handler = LANAI_NOBODY},
                                .move = LANAI_SEND,
                                .packet = lanai_world_packet(trial->world, from, bytes),
                                .done = parcel_left};
    g_ptr_array_add(trial->parcels, parcel);
    lanai_start(trial->sides[from].card, &parcel->transfer, when);
    return parcel;
}

static void check_contains(const struct trial *trial, int node, const char *what, int64_t bytes,
                           sim_time when)
{
    char *line = g_strdup_printf("%d %s %" G_GINT64_FORMAT "@%" G_GINT64_FORMAT "\n", node, what,
                                 bytes, when);
    SUITE_CONTAINS(trial->story->str, line);
    g_free(line);
}

// ---- One direction ----

static char *one_way(const struct lanai_config *config, const struct lanai_firmware *firmware)
{
    static const int64_t sizes[] = {1, 2, 63, 64, 65, 100, 1000, 4096, 4097, 20000, 3, 70, 5000};
    struct trial *trial = trial_new(config, firmware, true);
    struct lanai_transfer fetches[4];
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++)
        send_at(trial, (sim_time)i * TIME_US, 0, sizes[i]);
    for (size_t i = 0; i < G_N_ELEMENTS(fetches); i++) {
        fetches[i] = (struct lanai_transfer){
            .item = {.handler = LANAI_NOBODY}, .move = LANAI_FROM_HOST, .bytes = 3000};
        lanai_start(trial->sides[0].card, &fetches[i], (sim_time)i * TIME_US);
    }
    world_run(trial->world);
    char *story = g_strdup(trial->story->str);
    trial_free(trial);
    return story;
}

// One direction of the link and the bus ask for less than there is: everything happens at the same
// picosecond as on a card whose engines do not share, also with a firmware that begins with heads.
static void test_one_way(void)
{
    static const struct lanai_firmware *const firmwares[] = {&whole, &heads};
    for (size_t i = 0; i < G_N_ELEMENTS(firmwares); i++) {
        struct lanai_config config = shared(), apart = shared();
        apart.sram_accesses = 0;
        char *met = one_way(&config, firmwares[i]), *alone = one_way(&apart, firmwares[i]);
        SUITE_SAME_TEXT(met, alone);
        SUITE_CONTAINS(alone, "1 wrote 20000@");
        if (i == 1)
            SUITE_CONTAINS(alone, "1 begins 20000@");
        g_free(met);
        g_free(alone);
    }
}

// ---- Both directions ----

// While 60,000 B arrive at 250 MB/s the send engine has 150: 10,000 B take 66.67 us on the wire
// instead of 40, and the packet is later by the difference. The card at the other end, which sends
// at 250 and gets 150, has just enough.
static void test_send_loses(void)
{
    struct lanai_config config = shared();
    struct trial *trial = trial_new(&config, &whole, false);
    const struct parcel *large = send_at(trial, 0, 0, 60000);
    const struct parcel *small = send_at(trial, 20 * TIME_US, 1, 10000);
    world_run(trial->world);
    sim_time wire = 16667 * 4 * TIME_NS; // 10,000 B of its own, and as long idle as it lacks
    SUITE_SAME_INTEGER(small->left, 20 * TIME_US + wire);
    SUITE_SAME_INTEGER(large->left, 60000 * 4 * TIME_NS);
    check_contains(trial, 0, "has", 10000,
                   20 * TIME_US + lanai_world_wire_time(16667) + config.receive_latency);
    check_contains(trial, 1, "has", 60000, lanai_world_wire_time(60000) + config.receive_latency);
    trial_free(trial);
}

// With the send engine first, arriving data have 150 MB/s, and the link is held for the next packet
// until the SRAM has taken the first: the next one has left its card but for the 80 B that fill the
// switch, and then it takes its bytes at 150 MB/s as well.
static void test_receive_loses(void)
{
    struct lanai_config config = shared();
    config.sram_receive = 3;
    config.sram_send = 2;
    struct trial *trial = trial_new(&config, &whole, false);
    send_at(trial, 0, 1, 60000);
    send_at(trial, 20 * TIME_US, 0, 9001);
    const struct parcel *next = send_at(trial, 21 * TIME_US, 0, 301);
    world_run(trial->world);
    sim_time first = 20 * TIME_US + lanai_world_wire_time(1), through = first + 60 * TIME_US;
    check_contains(trial, 1, "has", 9001, through + config.receive_latency);
    SUITE_SAME_INTEGER(next->left, through + (301 - 80) * 4 * TIME_NS);
    check_contains(trial, 1, "has", 301,
                   through + 54 * TIME_NS + 2 * TIME_US + config.receive_latency);
    trial_free(trial);
}

static sim_time both_ways(const struct lanai_config *config, int count, int64_t bytes)
{
    struct trial *trial = trial_new(config, &whole, false);
    for (int i = 0; i < count; i++)
        for (int from = 0; from < 2; from++)
            send_at(trial, 0, from, bytes);
    world_run(trial->world);
    sim_time end = sim_now(trial->world->sim);
    trial_free(trial);
    return end;
}

// Traffic in both directions for long: the SRAM is the bottleneck, and it is kept busy: the time is
// that of all bytes through it, and no more than two packets longer. Only if the send engine goes
// first the link stands still meanwhile: 3/5 of a packet arrive while the wire carries it, and for
// the rest, which takes 2/5 of that time again, the link is held and nothing is sent.
static void test_both_ways(void)
{
    static const int64_t ranks[][2] = {{2, 3}, {1, 1}, {3, 2}};
    enum { COUNT = 100, BYTES = 4096 };
    sim_time through = time_at_rate(2 * COUNT * BYTES, RATE), packet = BYTES * 4 * TIME_NS;
    const sim_time least[] = {through, through, COUNT * packet * 7 / 5};
    for (size_t i = 0; i < G_N_ELEMENTS(ranks); i++) {
        struct lanai_config config = shared();
        config.sram_receive = ranks[i][0];
        config.sram_send = ranks[i][1];
        sim_time took = both_ways(&config, COUNT, BYTES);
        CU_ASSERT(took >= least[i]);
        CU_ASSERT(took <= least[i] + 2 * time_at_rate(2 * BYTES, RATE));
        // A LANai 7 of that clock has twice that, and the link binds.
        config.sram_word = 8;
        SUITE_SAME_INTEGER(both_ways(&config, COUNT, BYTES),
                           lanai_world_wire_time(COUNT * BYTES) + config.receive_latency);
    }
}

// ---- The processor ----

struct work {
    struct event event;
    struct side *side;
    int jobs;
};

static void work_event(struct engine *engine, struct event *event)
{
    (void)engine;
    const struct work *work = container_of(event, struct work, event);
    for (int i = 0; i < work->jobs; i++)
        lanai_arrive(work->side->card, &work->side->jobs[i]);
}

static void work_at(struct trial *trial, struct work *work, sim_time when, int jobs)
{
    *work = (struct work){.side = &trial->sides[1], .jobs = jobs};
    event_init(&work->event, work_event);
    engine_schedule(trial->world->sim->engine, &work->event, when);
}

// While a packet arrives the processor has 150 of the 200 MB/s that it asks for: 15 us of work take
// 20. Work during which the packet ends takes longer in proportion to its overlap.
static void test_processor(void)
{
    static const sim_time at[] = {30, 225, 300};
    // 60,000 B begin at 0.258 us and end at 240.254.
    const sim_time rest = 240254 * TIME_NS - 225 * TIME_US;
    const sim_time takes[] = {20 * TIME_US, 15 * TIME_US + rest / 4, 15 * TIME_US};
    for (size_t i = 0; i < G_N_ELEMENTS(at); i++) {
        struct lanai_config config = shared();
        struct trial *trial = trial_new(&config, &whole, false);
        struct work work;
        work_at(trial, &work, at[i] * TIME_US, 1);
        send_at(trial, 0, 0, 60000);
        world_run(trial->world);
        SUITE_SAME_INTEGER(trial->sides[1].job_took, takes[i]);
        trial_free(trial);
    }
}

// Two jobs of 15 us, of which the first has done 5 when a packet begins to arrive: the other 10
// take it 13.33 us, the second job starts later by the difference, and takes 20.
static void test_processor_meanwhile(void)
{
    struct lanai_config config = shared();
    struct trial *trial = trial_new(&config, &whole, false);
    struct work work;
    work_at(trial, &work, 30 * TIME_US, 2);
    send_at(trial, 35 * TIME_US - lanai_world_wire_time(1), 0, 60000);
    world_run(trial->world);
    sim_time rest = (40 * TIME_US + 2) / 3; // 13.33 us
    SUITE_SAME_INTEGER(trial->sides[1].job_from, 35 * TIME_US + rest);
    SUITE_SAME_INTEGER(trial->sides[1].job_took, 20 * TIME_US);
    SUITE_SAME_INTEGER(cpu_usage(lanai_cpu(trial->sides[1].card)).busy[CPU_KERNEL],
                       25 * TIME_US + rest);
    trial_free(trial);
}

// ---- Random traffic ----

static char *random_run(uint64_t seed, const struct lanai_firmware *firmware)
{
    struct lanai_config config = shared();
    struct random_stream *stream = random_new(seed, "share");
    config.sram_host = 1 + (int64_t)random_below(stream, 3);
    config.sram_receive = 1 + (int64_t)random_below(stream, 3);
    config.sram_send = 1 + (int64_t)random_below(stream, 3);
    struct trial *trial = trial_new(&config, firmware, true);
    int64_t bytes = 0;
    sim_time when = 0;
    for (int i = 0; i < 300; i++) {
        int64_t length = 1 + (int64_t)random_below(stream, 6000);
        when += (sim_time)random_below(stream, 20 * TIME_US);
        send_at(trial, when, (int)random_below(stream, 2), length);
        bytes += length;
    }
    world_run(trial->world);
    // Each card's SRAM has taken every packet, sent or received, and received ones once more.
    CU_ASSERT(sim_now(trial->world->sim) >= time_at_rate(bytes, RATE));
    SUITE_SAME_INTEGER(ledger_totals(trial->world->sim->ledger).delivered, 300);
    char *story = g_strdup(trial->story->str);
    trial_free(trial);
    random_free(stream);
    return story;
}

// Whatever the ranks, packets arrive once and in order, and two runs are identical.
static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        const struct lanai_firmware *firmware = seed & 1 ? &heads : &whole;
        char *first = random_run(seed, firmware), *second = random_run(seed, firmware);
        SUITE_SAME_TEXT(first, second);
        g_free(first);
        g_free(second);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"one way nothing is bound", test_one_way},
        {"the send engine loses, and its packet comes later", test_send_loses},
        {"the receive engine loses, and the link is held", test_receive_loses},
        {"both ways the SRAM binds, and is used", test_both_ways},
        {"the processor gets what is left", test_processor},
        {"a packet that comes while the processor works", test_processor_meanwhile},
        {"random traffic", test_random},
        {0},
    };
    return suite_run("myrinet_gm: shared SRAM", cases);
}
