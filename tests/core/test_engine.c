// SPDX-License-Identifier: GPL-3.0-or-later
// The event engine: order, cancelling and moving, and long random runs against a model that is a
// sorted list, with times near and far, coarse, equal and in bursts.
#include "sim/core/engine.h"
#include "sim/core/random.h"
#include "tests/support/suite.h"

#include <glib.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// An event that writes its name down, and then does what the test wants.
struct marker {
    struct event event;
    char name;
    GString *log;
    void (*then)(struct engine *engine, struct marker *marker);
    struct marker *other;
};

static void marker_run(struct engine *engine, struct event *event)
{
    struct marker *marker = container_of(event, struct marker, event);
    g_string_append_c(marker->log, marker->name);
    if (marker->then)
        marker->then(engine, marker);
}

static void markers_init(struct marker *markers, int count, GString *log)
{
    for (int i = 0; i < count; i++) {
        markers[i] = (struct marker){.name = (char)('a' + i), .log = log};
        event_init(&markers[i].event, marker_run);
    }
}

// Checks the order in which the markers ran, and starts a new log.
static void expect(GString *log, const char *order)
{
    SUITE_SAME_TEXT(log->str, order);
    g_string_truncate(log, 0);
}

static void test_order(void)
{
    struct engine *engine = engine_new();
    GString *log = g_string_new(NULL);
    struct marker m[6];
    markers_init(m, 6, log);
    static const sim_time when[] = {30, 10, 20, 10, 0, 30};
    for (int i = 0; i < 6; i++)
        engine_schedule(engine, &m[i].event, when[i]);
    SUITE_SAME_INTEGER(engine_pending(engine), 6);
    engine_run(engine, TIME_NEVER);
    expect(log, "ebdcaf");
    SUITE_SAME_INTEGER(engine_now(engine), 30);
    SUITE_SAME_INTEGER(engine_events(engine), 6);
    SUITE_SAME_INTEGER(engine_pending(engine), 0);
    for (int i = 0; i < 6; i++)
        CU_ASSERT_FALSE(event_pending(&m[i].event));
    g_string_free(log, TRUE);
    engine_free(engine);
}

static void schedule_other_now(struct engine *engine, struct marker *marker)
{
    engine_schedule(engine, &marker->other->event, engine_now(engine));
}

// Events scheduled for the current time run after those that were there before.
static void test_current_time(void)
{
    struct engine *engine = engine_new();
    GString *log = g_string_new(NULL);
    struct marker m[5];
    markers_init(m, 5, log);
    m[0].then = schedule_other_now;
    m[0].other = &m[3];
    m[1].then = schedule_other_now;
    m[1].other = &m[4];
    engine_schedule(engine, &m[0].event, 10);
    engine_schedule(engine, &m[1].event, 10);
    engine_schedule(engine, &m[2].event, 10);
    engine_run(engine, TIME_NEVER);
    expect(log, "abcde");
    g_string_free(log, TRUE);
    engine_free(engine);
}

static void cancel_other(struct engine *engine, struct marker *marker)
{
    engine_cancel(engine, &marker->other->event);
}

static void delay_other(struct engine *engine, struct marker *marker)
{
    engine_reschedule(engine, &marker->other->event, engine_now(engine) + 5);
}

static void bring_other_here(struct engine *engine, struct marker *marker)
{
    engine_reschedule(engine, &marker->other->event, engine_now(engine));
}

// From inside a handler: an event of the same time and one of a later time, in ring and heap.
static void test_cancel_inside(void)
{
    struct engine *engine = engine_new();
    GString *log = g_string_new(NULL);
    struct marker m[4];
    for (int later = 0; later < 2; later++) {
        markers_init(m, 4, log);
        m[0].then = cancel_other;
        m[0].other = &m[2];
        for (int i = 0; i < 4; i++)
            engine_schedule(engine, &m[i].event, engine_now(engine) + (i && later ? 10 : 0));
        engine_run(engine, TIME_NEVER);
        expect(log, "abd");
        SUITE_SAME_INTEGER(engine_pending(engine), 0);
    }
    engine_cancel(engine, &m[0].event); // idle: left alone
    CU_ASSERT_FALSE(event_pending(&m[0].event));
    g_string_free(log, TRUE);
    engine_free(engine);
}

static void test_reschedule(void)
{
    struct engine *engine = engine_new();
    GString *log = g_string_new(NULL);
    struct marker m[4];
    markers_init(m, 4, log);
    for (int i = 0; i < 4; i++)
        engine_schedule(engine, &m[i].event, 10 + i);
    engine_reschedule(engine, &m[3].event, 5);  // forward
    engine_reschedule(engine, &m[0].event, 12); // after the one that is there
    engine_run(engine, TIME_NEVER);
    expect(log, "dbca");

    markers_init(m, 4, log);
    m[0].then = delay_other;
    m[0].other = &m[1];
    m[2].then = bring_other_here;
    m[2].other = &m[3];
    sim_time now = engine_now(engine);
    engine_schedule(engine, &m[0].event, now);
    engine_schedule(engine, &m[1].event, now);
    engine_schedule(engine, &m[2].event, now + 5);
    engine_schedule(engine, &m[3].event, now + 9);
    engine_run(engine, TIME_NEVER);
    // b moved to now + 5, after c; d came to the current time, after b.
    expect(log, "acbd");
    engine_reschedule(engine, &m[3].event, engine_now(engine)); // an idle one
    CU_ASSERT(event_pending(&m[3].event));
    engine_run(engine, TIME_NEVER);
    expect(log, "d");
    g_string_free(log, TRUE);
    engine_free(engine);
}

static void stop_here(struct engine *engine, struct marker *marker)
{
    (void)marker;
    engine_stop(engine);
}

static void test_until_and_stop(void)
{
    struct engine *engine = engine_new();
    GString *log = g_string_new(NULL);
    struct marker m[5];
    markers_init(m, 5, log);
    for (int i = 0; i < 5; i++)
        engine_schedule(engine, &m[i].event, 10 * (i + 1));
    m[3].then = stop_here;
    engine_run(engine, 20);
    expect(log, "ab");
    engine_run(engine, TIME_NEVER);
    expect(log, "cd");
    SUITE_SAME_INTEGER(engine_pending(engine), 1);
    engine_run(engine, TIME_NEVER);
    expect(log, "e");
    g_string_free(log, TRUE);
    engine_free(engine);
}

// Some events at a time, and the reason for the end of each run.
static void test_some(void)
{
    struct engine *engine = engine_new();
    GString *log = g_string_new(NULL);
    struct marker m[4];
    markers_init(m, 4, log);
    for (int i = 0; i < 4; i++)
        engine_schedule(engine, &m[i].event, 10 * (i / 2));
    engine_run_some(engine, 9, 5);
    expect(log, "ab");
    engine_run_some(engine, TIME_NEVER, 1);
    expect(log, "c");
    CU_ASSERT_FALSE(engine_stopped(engine));
    m[3].then = stop_here;
    engine_schedule(engine, &m[0].event, 11);
    engine_run_some(engine, TIME_NEVER, 5);
    expect(log, "d");
    CU_ASSERT(engine_stopped(engine));
    engine_run(engine, TIME_NEVER);
    expect(log, "a");
    CU_ASSERT_FALSE(engine_stopped(engine));
    engine_free(engine);
    g_string_free(log, TRUE);
}

// A run ends when only background events are pending; they run as long as others are.
static void test_background(void)
{
    struct engine *engine = engine_new();
    GString *log = g_string_new(NULL);
    struct marker m[4];
    markers_init(m, 4, log);
    for (int i = 0; i < 2; i++)
        event_init_background(&m[i].event, marker_run);
    engine_schedule(engine, &m[0].event, 10);
    engine_schedule(engine, &m[1].event, 30);
    engine_run(engine, TIME_NEVER);
    expect(log, "");
    SUITE_SAME_INTEGER(engine_now(engine), 0);
    SUITE_SAME_INTEGER(engine_pending(engine), 0);
    engine_schedule(engine, &m[2].event, 20);
    engine_schedule(engine, &m[3].event, 30);
    SUITE_SAME_INTEGER(engine_pending(engine), 2);
    engine_run(engine, 25);
    expect(log, "ac");
    engine_cancel(engine, &m[1].event);
    engine_schedule(engine, &m[0].event, 31);
    engine_run(engine, TIME_NEVER);
    expect(log, "d");
    SUITE_SAME_INTEGER(engine_now(engine), 30);
    SUITE_SAME_INTEGER(engine_pending(engine), 0);
    CU_ASSERT(event_pending(&m[0].event));
    engine_cancel(engine, &m[0].event);
    SUITE_SAME_INTEGER(engine_pending(engine), 0);
    // Again of the foreground.
    event_init(&m[0].event, marker_run);
    engine_schedule(engine, &m[0].event, 40);
    engine_run(engine, TIME_NEVER);
    expect(log, "a");
    g_string_free(log, TRUE);
    engine_free(engine);
}

// ---- Against a model ----

#define MODEL_EVENTS 300
#define MODEL_STEPS 20000

// How far ahead an operation schedules.
typedef sim_time model_delay_fn(struct random_stream *random);

static sim_time delay_near(struct random_stream *random)
{
    return (sim_time)random_below(random, random_chance(random, 0.5) ? 4 : 1000);
}

static sim_time delay_coarse(struct random_stream *random)
{
    return TIME_US * (sim_time)random_below(random, 8);
}

// From picoseconds to seconds, all orders of magnitude alike.
static sim_time delay_any(struct random_stream *random)
{
    return (sim_time)random_below(random, 1024) << random_below(random, 34);
}

static sim_time delay_equal(struct random_stream *random)
{
    (void)random;
    return 12345;
}

// Mostly in a burst of nanoseconds, far ahead.
static sim_time delay_burst(struct random_stream *random)
{
    if (random_chance(random, 0.1))
        return (sim_time)random_below(random, 100);
    return TIME_MS + (sim_time)random_below(random, 2000);
}

static model_delay_fn *const model_delays[] = {delay_near, delay_coarse, delay_any, delay_equal,
                                               delay_burst};

// The model: all pending events in a list sorted by (time, order of scheduling).
struct model_entry {
    sim_time when;
    int number;
};

struct model {
    struct engine *engine;
    struct random_stream *random;
    struct model_event *events;
    GArray *pending; // struct model_entry
    model_delay_fn *delay;
    int steps, wrong;
    int background; // the first so many events are of the background
};

struct model_event {
    struct event event;
    struct model *model;
    int number;
};

static void model_remove(struct model *model, int number)
{
    for (guint i = 0; i < model->pending->len; i++)
        if (g_array_index(model->pending, struct model_entry, i).number == number) {
            g_array_remove_index(model->pending, i);
            return;
        }
}

static void model_insert(struct model *model, int number, sim_time when)
{
    guint at = 0;
    while (at < model->pending->len &&
           g_array_index(model->pending, struct model_entry, at).when <= when)
        at++;
    struct model_entry entry = {when, number};
    g_array_insert_val(model->pending, at, entry);
}

static size_t model_pending(const struct model *model)
{
    size_t count = 0;
    for (guint i = 0; i < model->pending->len; i++)
        count += g_array_index(model->pending, struct model_entry, i).number >= model->background;
    return count;
}

// One random operation on a random event, on the engine and on the model.
static void model_step(struct model *model)
{
    struct random_stream *random = model->random;
    int number = (int)random_below(random, MODEL_EVENTS);
    struct event *event = &model->events[number].event;
    sim_time when = engine_now(model->engine);
    if (random_chance(random, 0.8))
        when += model->delay(random);
    model->steps--;
    if (random_chance(random, 0.2)) {
        engine_cancel(model->engine, event);
        model_remove(model, number);
    } else if (event_pending(event)) {
        engine_reschedule(model->engine, event, when);
        model_remove(model, number);
        model_insert(model, number, when);
    } else {
        engine_schedule(model->engine, event, when);
        model_insert(model, number, when);
    }
    model->wrong += engine_pending(model->engine) != model_pending(model);
}

static void model_run(struct engine *engine, struct event *event)
{
    struct model_event *ran = container_of(event, struct model_event, event);
    struct model *model = ran->model;
    struct model_entry first = g_array_index(model->pending, struct model_entry, 0);
    model->wrong += first.number != ran->number || first.when != engine_now(engine);
    g_array_remove_index(model->pending, 0);
    for (int i = (int)random_below(model->random, 4); i > 0 && model->steps > 0; i--)
        model_step(model);
}

// A run to some time, of some events, or to the end.
static void model_go_on(struct model *model)
{
    struct random_stream *random = model->random;
    sim_time until = engine_now(model->engine) + model->delay(random);
    if (random_chance(random, 0.3))
        engine_run(model->engine, until);
    else if (random_chance(random, 0.3))
        engine_run_some(model->engine, until, random_below(random, 20));
    else
        engine_run(model->engine, TIME_NEVER);
}

static uint64_t model_fingerprint(uint64_t seed, int background, model_delay_fn *delay)
{
    struct model model = {
        .engine = engine_new(),
        .random = random_new(seed, "model"),
        .events = g_new(struct model_event, MODEL_EVENTS),
        .pending = g_array_new(FALSE, FALSE, sizeof(struct model_entry)),
        .delay = delay,
        .steps = MODEL_STEPS,
        .background = background,
    };
    for (int i = 0; i < MODEL_EVENTS; i++) {
        model.events[i] = (struct model_event){.model = &model, .number = i};
        event_init(&model.events[i].event, model_run);
        if (i < background)
            event_init_background(&model.events[i].event, model_run);
    }
    // A run can die out, and is then started again with a few events.
    while (model.steps > 0) {
        for (int i = 0; i < 10; i++)
            model_step(&model);
        model_go_on(&model);
    }
    engine_run(model.engine, TIME_NEVER);
    model.wrong += model_pending(&model) > 0;
    SUITE_SAME_INTEGER(model.wrong, 0);
    CU_ASSERT(background || model.pending->len == 0);
    uint64_t fingerprint = engine_fingerprint(model.engine);
    g_array_unref(model.pending);
    g_free(model.events);
    random_free(model.random);
    engine_free(model.engine);
    return fingerprint;
}

static void test_model(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(model_delays); i++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            model_fingerprint(seed, 0, model_delays[i]);
            model_fingerprint(seed, (int)seed * MODEL_EVENTS / 6, model_delays[i]);
        }
}

// ---- Many events ----

#define MANY 30000

struct many_event {
    struct event event;
    struct many *many;
};

struct many {
    struct many_event events[MANY];
    GPtrArray *expected; // struct event *
    guint ran;
    int wrong;
};

static void many_run(struct engine *engine, struct event *event)
{
    struct many *many = container_of(event, struct many_event, event)->many;
    many->wrong += many->ran >= many->expected->len ||
                   g_ptr_array_index(many->expected, many->ran) != event ||
                   engine_now(engine) != event->when;
    many->ran++;
}

static int compare_events(const void *a, const void *b)
{
    const struct event *x = *(struct event *const *)a, *y = *(struct event *const *)b;
    if (x->when != y->when)
        return x->when < y->when ? -1 : 1;
    return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

// All are scheduled first, then every third is cancelled and every fifth moved: the queue becomes
// large before it runs, and small while it does. So again from the time that it has come to.
static void many_go(struct many *many, struct engine *engine, struct random_stream *random,
                    model_delay_fn *delay)
{
    many->ran = 0;
    g_ptr_array_set_size(many->expected, 0);
    for (int i = 0; i < MANY; i++)
        engine_schedule(engine, &many->events[i].event, engine_now(engine) + delay(random));
    for (int i = 0; i < MANY; i++) {
        struct event *event = &many->events[i].event;
        if (i % 5 == 0)
            engine_reschedule(engine, event, engine_now(engine) + delay(random));
        if (i % 3 == 0)
            engine_cancel(engine, event);
        else
            g_ptr_array_add(many->expected, event);
    }
    g_ptr_array_sort(many->expected, compare_events);
    engine_run(engine, TIME_NEVER);
    many->wrong += many->ran != many->expected->len;
}

static void test_many(void)
{
    struct many *many = g_new0(struct many, 1);
    struct random_stream *random = random_new(1, "many");
    struct engine *engine = engine_new();
    many->expected = g_ptr_array_new();
    for (int i = 0; i < MANY; i++) {
        many->events[i].many = many;
        event_init(&many->events[i].event, many_run);
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < G_N_ELEMENTS(model_delays); i++)
            many_go(many, engine, random, model_delays[i]);
    SUITE_SAME_INTEGER(many->wrong, 0);
    engine_free(engine);
    random_free(random);
    g_ptr_array_unref(many->expected);
    g_free(many);
}

static void test_fingerprint(void)
{
    uint64_t of_model = model_fingerprint(1, 0, delay_near);
    CU_ASSERT_EQUAL(of_model, model_fingerprint(1, 0, delay_near));
    CU_ASSERT_NOT_EQUAL(of_model, model_fingerprint(2, 0, delay_near));
    struct engine *engine = engine_new();
    uint64_t before = engine_fingerprint(engine);
    engine_fingerprint_add(engine, 0);
    CU_ASSERT_NOT_EQUAL(engine_fingerprint(engine), before);
    engine_free(engine);
}

// ---- What must not happen ----

static void schedule_in_past(struct engine *engine, struct marker *marker)
{
    engine_schedule(engine, &marker->other->event, engine_now(engine) - 1);
}

// In a child process, which must abort.
static void test_past_is_refused(void)
{
    pid_t child = fork();
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        if (!freopen("/dev/null", "w", stderr))
            _exit(1);
        GString *log = g_string_new(NULL);
        struct engine *engine = engine_new();
        struct marker m[2];
        markers_init(m, 2, log);
        m[0].then = schedule_in_past;
        m[0].other = &m[1];
        engine_schedule(engine, &m[0].event, 10);
        engine_run(engine, TIME_NEVER);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CU_ASSERT(WIFSIGNALED(status));
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"order by time, then by scheduling", test_order},
        {"some events at a time", test_some},
        {"events for the current time", test_current_time},
        {"cancelling from a handler", test_cancel_inside},
        {"moving events", test_reschedule},
        {"running until a time, and stopping", test_until_and_stop},
        {"background events", test_background},
        {"random operations against a sorted list", test_model},
        {"many events, scheduled at once", test_many},
        {"equal runs have equal fingerprints", test_fingerprint},
        {"the past is refused", test_past_is_refused},
        {NULL, NULL},
    };
    return suite_run("core: engine", cases);
}
