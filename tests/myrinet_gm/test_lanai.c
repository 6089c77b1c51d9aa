// SPDX-License-Identifier: GPL-3.0-or-later
// The LANai's firmware loop, timers and SRAM. Each test of the loop writes a story and compares it
// as text: "low 0, high 400" means that the job low was called at 0 ns, and high at 400 ns. A cycle
// is 20 ns.
#include "tests/support/stage_called.h"
#include "tests/support/suite.h"
#include "tests/support/world_lanai.h"

#include <string.h>

enum { FIRST, SECOND, SHARES_A, SHARES_B, SHARES_C, LAST, HANDLERS };

struct story {
    struct world *world;
    struct lanai *card;
    GString *text;
    GPtrArray *jobs;
};

// Arrives for a handler, which then works `cycles` for it.
struct job {
    struct lanai_item item;
    struct event event;
    struct story *story;
    const char *name;
    int64_t cycles;
    int calls; // LANAI_NOBODY, or a handler that it calls with lanai_ready
};

static void tell(struct story *story, const char *name, sim_time when)
{
    g_string_append_printf(story->text, "%s%s %" G_GINT64_FORMAT, story->text->len ? ", " : "",
                           name, when / TIME_NS);
}

static void job_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    struct story *story = owner;
    if (!item) {
        tell(story, "called", context->now);
        return;
    }
    struct job *job = container_of(item, struct job, item);
    CU_ASSERT_FALSE(item->waiting);
    tell(story, job->name, context->now);
    cpu_spend(context, (struct cost){.cycles = job->cycles}, stage_called("work", STAGE_LIBRARY));
    if (job->calls != LANAI_NOBODY)
        lanai_ready(story->card, job->calls);
}

static const struct lanai_handler handlers[HANDLERS] = {
    [FIRST] = {{"first", STAGE_NIC}, job_run, false},
    [SECOND] = {{"second", STAGE_NIC}, job_run, false},
    [SHARES_A] = {{"a", STAGE_NIC}, job_run, false},
    [SHARES_B] = {{"b", STAGE_NIC}, job_run, true},
    [SHARES_C] = {{"c", STAGE_NIC}, job_run, true},
    [LAST] = {{"last", STAGE_NIC}, job_run, false},
};

static const struct lanai_firmware firmware = {handlers, HANDLERS, LAST, 0, NULL};

static struct story *story_of(const struct lanai_config *config, const struct cost *costs)
{
    static const struct cost nothing[HANDLERS];
    struct story *story = g_new0(struct story, 1);
    story->text = g_string_new(NULL);
    story->jobs = g_ptr_array_new_with_free_func(g_free);
    story->world = lanai_world_new(&(struct lanai_world_options){
        .config = config,
        .firmware = &firmware,
        .costs = costs ? costs : nothing,
        .owners = {story, story},
    });
    story->card = lanai_card(story->world, 0);
    return story;
}

static struct story *story_new(void)
{
    struct lanai_config config = lanai_world_config();
    return story_of(&config, NULL);
}

static void story_end(struct story *story)
{
    world_free(story->world);
    g_ptr_array_unref(story->jobs);
    g_string_free(story->text, TRUE);
    g_free(story);
}

static void story_is(struct story *story, const char *expected)
{
    world_run(story->world);
    SUITE_SAME_TEXT(story->text->str, expected);
    story_end(story);
}

static void job_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct job *job = container_of(event, struct job, event);
    lanai_arrive(job->story->card, &job->item);
}

static struct job *job_at(struct story *story, sim_time ns, int handler, const char *name,
                          int64_t cycles)
{
    struct job *job = g_new0(struct job, 1);
    job->story = story;
    job->name = name;
    job->cycles = cycles;
    job->calls = LANAI_NOBODY;
    job->item.handler = handler;
    event_init(&job->event, job_event);
    engine_schedule(story->world->sim->engine, &job->event, ns * TIME_NS);
    g_ptr_array_add(story->jobs, job);
    return job;
}

// ---- The loop ----

// Of the items that are ready at once the first row of the table is served first, whichever arrived
// first.
static void test_priority(void)
{
    struct story *story = story_new();
    job_at(story, 100, LAST, "last", 5);
    job_at(story, 100, SECOND, "second", 5);
    job_at(story, 100, FIRST, "first", 5);
    story_is(story, "first 100, second 200, last 300");
}

// An item of higher priority never interrupts: it waits for the end of the running handler, and
// then goes ahead of items that have waited longer.
static void test_no_preemption(void)
{
    struct story *story = story_new();
    job_at(story, 0, LAST, "long", 50);
    job_at(story, 10, LAST, "early", 5);
    job_at(story, 500, SECOND, "second", 5);
    job_at(story, 990, FIRST, "first", 5);
    story_is(story, "long 0, first 1000, second 1100, early 1200");
}

// One item per dispatch: after each the table is searched again.
static void test_one_a_dispatch(void)
{
    struct story *story = story_new();
    job_at(story, 0, SECOND, "one", 10);
    job_at(story, 0, SECOND, "two", 10);
    job_at(story, 0, SECOND, "three", 10);
    job_at(story, 250, FIRST, "first", 10);
    story_is(story, "one 0, two 200, first 400, three 600");
}

// Rows that share a place take turns as long as several are ready.
static void test_shared_place(void)
{
    struct story *story = story_new();
    job_at(story, 0, SHARES_A, "a", 5);
    job_at(story, 0, SHARES_A, "a", 5);
    job_at(story, 0, SHARES_A, "a", 5);
    job_at(story, 0, SHARES_B, "b", 5);
    job_at(story, 0, SHARES_B, "b", 5);
    job_at(story, 250, SHARES_C, "c", 5);
    job_at(story, 0, LAST, "last", 5);
    story_is(story, "a 0, b 100, a 200, b 300, c 400, a 500, last 600");
}

// The dispatch and the handler's own cost go ahead of the call, in cycles.
static void test_costs(void)
{
    struct lanai_config config = lanai_world_config();
    struct cost costs[HANDLERS] = {[FIRST] = {.cycles = 3}, [LAST] = {.cycles = 10}};
    config.dispatch = (struct cost){.cycles = 2};
    struct story *story = story_of(&config, costs);
    job_at(story, 0, LAST, "last", 5);
    job_at(story, 0, FIRST, "first", 0);
    story_is(story, "first 100, last 340");
}

// An idle loop polls once per turn, counted from the end of its last work.
static void test_idle_turns(void)
{
    struct lanai_config config = lanai_world_config();
    config.idle_turn = (struct cost){.cycles = 10};
    struct story *story = story_of(&config, NULL);
    job_at(story, 410, LAST, "one", 7);    // turns at 0, 200, 400, 600
    job_at(story, 450, FIRST, "first", 0); // seen at the same turn, and goes first
    job_at(story, 650, FIRST, "second", 0);
    job_at(story, 1100, FIRST, "third", 0); // turns at 740, 940, 1140
    job_at(story, 1340, FIRST, "sharp", 0); // at a turn: seen at once
    story_is(story, "first 600, one 600, second 740, third 1140, sharp 1340");
}

// Calls without an item: several are one, and they follow the items.
static void test_calls(void)
{
    struct story *story = story_new();
    struct job *one = job_at(story, 0, FIRST, "one", 10), *two = job_at(story, 0, FIRST, "two", 10);
    one->calls = two->calls = SECOND;
    struct job *three = job_at(story, 0, LAST, "three", 10);
    three->calls = LAST; // once more, itself
    job_at(story, 500, LAST, "four", 10);
    story_is(story, "one 0, two 200, called 400, three 400, four 600, called 800");
}

// The LANai's work takes twice as long at half the clock.
static sim_time busy_at(int64_t clock, sim_time *last)
{
    struct lanai_config config = lanai_world_config();
    struct cost costs[HANDLERS] = {[FIRST] = {.cycles = 31}, [LAST] = {.cycles = 17}};
    config.clock = clock;
    config.dispatch = (struct cost){.cycles = 7};
    struct story *story = story_of(&config, costs);
    job_at(story, 0, FIRST, "one", 11);
    job_at(story, 10, LAST, "two", 13);
    world_run(story->world);
    struct cpu_usage usage = cpu_usage(lanai_cpu(story->card));
    *last = sim_now(story->world->sim);
    SUITE_SAME_INTEGER(usage.slices[CPU_KERNEL], 2);
    story_end(story);
    return usage.busy[CPU_KERNEL];
}

static void test_clock(void)
{
    sim_time last;
    sim_time cycles = 7 + 31 + 11 + 7 + 17 + 13;
    SUITE_SAME_INTEGER(busy_at(50000000, &last), cycles * 20 * TIME_NS);
    SUITE_SAME_INTEGER(last, cycles * 20 * TIME_NS);
    SUITE_SAME_INTEGER(busy_at(25000000, &last), cycles * 40 * TIME_NS);
    SUITE_SAME_INTEGER(last, cycles * 40 * TIME_NS);
}

// ---- Timers ----

static void timer_run(struct cpu_context *context, void *owner, struct lanai_item *item)
{
    CU_ASSERT_PTR_NOT_NULL(item);
    tell(owner, item->handler == FIRST ? "timer" : "other timer", context->now);
    // The first one holds the loop, so that the other waits.
    cpu_spend(context, (struct cost){.cycles = 50}, stage_called("work", STAGE_LIBRARY));
}

static const struct lanai_handler timer_handlers[] = {{{"first", STAGE_NIC}, timer_run, false},
                                                      {{"second", STAGE_NIC}, timer_run, false}};
static const struct lanai_firmware timer_firmware = {timer_handlers, 2, SECOND, 0, NULL};

struct stopper {
    struct event event;
    struct lanai *card;
    struct lanai_timer *timer;
    sim_time again; // 0: not
};

static void stopper_event(struct engine *engine, struct event *event)
{
    (void)engine;
    struct stopper *stopper = container_of(event, struct stopper, event);
    CU_ASSERT_TRUE(stopper->timer->item.waiting);
    if (stopper->again)
        lanai_timer_set(stopper->card, stopper->timer, stopper->again);
    else
        lanai_timer_stop(stopper->card, stopper->timer);
    CU_ASSERT_FALSE(stopper->timer->item.waiting);
}

// `again` in ns: what becomes of a ring that waits while the loop is busy.
static void check_timers_from(double phase, sim_time tick, sim_time again, const char *expected)
{

    struct lanai_config config = lanai_world_config();
    struct cost nothing[2] = {{0}};
    struct story story = {.text = g_string_new(NULL)};
    config.timer_tick = tick;
    struct world *world =
        lanai_world_new(&(struct lanai_world_options){.config = &config,
                                                      .firmware = &timer_firmware,
                                                      .costs = nothing,
                                                      .phase = phase,
                                                      .owners = {&story, &story}});
    struct lanai_timer timer = {.item = {.handler = FIRST}}, other = {.item = {.handler = SECOND}};
    lanai_timer_stop(lanai_card(world, 0), &timer); // never set
    lanai_timer_set(lanai_card(world, 0), &timer, 5000 * TIME_NS);
    lanai_timer_set(lanai_card(world, 0), &timer, 1300 * TIME_NS); // instead
    lanai_timer_set(lanai_card(world, 0), &other, 1400 * TIME_NS);
    struct stopper stopper = {
        .card = lanai_card(world, 0), .timer = &other, .again = again * TIME_NS};
    event_init(&stopper.event, stopper_event);
    if (again >= 0)
        engine_schedule(world->sim->engine, &stopper.event, 1800 * TIME_NS);
    world_run(world);
    SUITE_SAME_TEXT(story.text->str, expected);
    g_string_free(story.text, TRUE);
    world_free(world);
}

static void check_timers(sim_time tick, sim_time again, const char *expected)
{
    check_timers_from(0.0, tick, again, expected);
}

static void test_timers(void)
{
    check_timers(0, -1, "timer 1300, other timer 2300");
    check_timers(500 * TIME_NS, -1, "timer 1500, other timer 2500");
    check_timers(0, 0, "timer 1300");
    check_timers(500 * TIME_NS, 3100, "timer 1500, other timer 3500");
    check_timers_from(0.25, 500 * TIME_NS, -1, "timer 1375, other timer 2375");
    check_timers_from(1.0, 500 * TIME_NS, -1, "timer 1500, other timer 2500");
    check_timers_from(0.25, 0, -1, "timer 1300, other timer 2300");
}

// ---- SRAM ----

static void test_sram(void)
{
    struct story *story = story_new();
    struct lanai *card = story->card;
    CU_ASSERT_TRUE(lanai_sram_take(card, "send buffers", 40000, "gm.send_buffers"));
    CU_ASSERT_TRUE(lanai_sram_try(card, "tables", 536));
    CU_ASSERT_TRUE(lanai_sram_try(card, "send buffers", 25000));
    SUITE_SAME_INTEGER(lanai_sram_left(card), 0);
    CU_ASSERT_FALSE(lanai_sram_try(card, "tables", 1));
    lanai_sram_give(card, "send buffers", 64000);
    SUITE_SAME_INTEGER(lanai_sram_left(card), 64000);
    lanai_sram_give(card, "send buffers", 1000);
    CU_ASSERT_TRUE(lanai_sram_try(card, "receive buffers", 65000));
    SUITE_SAME_INTEGER(lanai_sram_left(card), 0);
    // The other card has its own, and a refusal that the firmware asked about is no failure.
    SUITE_SAME_INTEGER(lanai_sram_left(lanai_card(story->world, 1)), 65536);
    SUITE_SAME_INTEGER(story->world->sim->status, SIM_COMPLETED);
    story_end(story);
}

static void check_exhausted(int64_t first, int64_t bytes, const char *text)
{
    struct story *story = story_new();
    struct sim *sim = story->world->sim;
    if (first > 0)
        CU_ASSERT_TRUE(lanai_sram_try(story->card, "tables", first));
    CU_ASSERT_FALSE(lanai_sram_take(story->card, "receive buffers", bytes, "gm.receive_buffers"));
    SUITE_SAME_INTEGER(sim->status, SIM_FAILED);
    SUITE_SAME_TEXT(json_string_value(json_object_get(sim->reason, "kind")), "sram_exhausted");
    SUITE_SAME_TEXT(json_string_value(json_object_get(sim->reason, "text")), text);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(sim->reason, "free_bytes")),
                       65536 - first);
    // A refused request was not granted in part.
    SUITE_SAME_INTEGER(lanai_sram_left(story->card), 65536 - first);
    story_end(story);
}

static void test_sram_exhausted(void)
{
    check_exhausted(60000, 8192,
                    "node0: receive buffers need 8192 B of the LANai's SRAM, of whose 65536 B 5536 "
                    "are free (taken: tables 60000 B); more lanai7.sram or less gm.receive_buffers "
                    "would avoid it");
    check_exhausted(0, 65537,
                    "node0: receive buffers need 65537 B of the LANai's SRAM, of whose 65536 B "
                    "65536 are free (taken: nothing); more lanai7.sram or less gm.receive_buffers "
                    "would avoid it");
}

// ---- Parameters ----

static void check_table(const struct param_table *table, const char *name, int64_t clock)
{
    struct diag_list *diags = diag_list_new();
    struct param_values *values = param_read(table, NULL, table->name, diags);
    CU_ASSERT_FALSE(diag_any(diags));
    const struct lanai_config *config = values->values;
    SUITE_SAME_TEXT(table->name, name);
    SUITE_SAME_INTEGER(config->clock, clock);
    CU_ASSERT_TRUE(config->sram > 0 && config->bus_hold > 0 && config->read_setup > 0);
    for (const struct param *param = table->params; param->name; param++)
        CU_ASSERT_TRUE(param->doc && param->doc[0] && param->source && param->source[0]);
    param_values_free(values);
    diag_list_free(diags);
}

static void test_tables(void)
{
    check_table(&lanai4_table, "lanai4", 33000000);
    check_table(&lanai7_table, "lanai7", 66000000);
    check_table(&lanai9_table, "lanai9", 133000000);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the first row that is ready goes first", test_priority},
        {"a handler is never interrupted", test_no_preemption},
        {"one item a dispatch", test_one_a_dispatch},
        {"rows that share a place take turns", test_shared_place},
        {"dispatch and handler cost cycles", test_costs},
        {"an idle loop looks once a turn", test_idle_turns},
        {"calls without an item", test_calls},
        {"half the clock doubles the LANai's time", test_clock},
        {"timers ring at ticks, and can be taken back", test_timers},
        {"SRAM is taken and given back", test_sram},
        {"SRAM that is short ends the run by name", test_sram_exhausted},
        {"a table for each generation", test_tables},
        {0},
    };
    return suite_run("myrinet_gm: LANai", cases);
}
