// SPDX-License-Identifier: GPL-3.0-or-later
// The steps that a rank's operations become, written as a text: "busy 1us, send 1 to 1 tag 0 space
// 0 1058 B buffered, wait 1". The curve is made up: a send takes 1 us, a receive 2 us, a message 58
// B more on the wire, and up to 1000 B are eager.
#include "sim/flow/steps.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"

#include <string.h>

#define SEND_S 1e-6
#define RECEIVE_S 2e-6
#define HEADERS 58
#define EAGER 1000
#define MOST (1 << 22)

static struct flow_curve *made_up(int64_t most)
{
    struct flow_curve *curve = g_new0(struct flow_curve, 1);
    curve->points = g_array_new(FALSE, FALSE, sizeof(struct flow_curve_point));
    for (int64_t size = 0; size <= MOST; size += MOST) {
        struct flow_curve_point point = {
            .size = size, .send = SEND_S, .receive = RECEIVE_S, .wire = (double)(size + HEADERS)};
        g_array_append_val(curve->points, point);
    }
    curve->eager = EAGER;
    curve->most = most;
    curve->beyond = most < MOST ? g_strdup("the made-up library has no longer messages") : NULL;
    curve->links = 2;
    curve->to = 1;
    curve->rate = 12.5e6;
    return curve;
}

static void append_numbers(GString *out, const struct flow_step *step)
{
    for (int i = 0; i < step->awaited_count; i++)
        g_string_append_printf(out, " %u", step->awaited[i]);
}

static void append_any(GString *out, const char *what, int value)
{
    if (value == FLOW_ANY)
        g_string_append_printf(out, " %s any", what);
    else
        g_string_append_printf(out, " %s %d", what, value);
}

static void append_step(GString *out, const struct flow_step *step)
{
    static const char *const names[] = {
        [FLOW_SEND] = "send", [FLOW_RECV] = "recv",     [FLOW_PROBE] = "probe",
        [FLOW_WAIT] = "wait", [FLOW_IPROBE] = "iprobe", [FLOW_WAITANY] = "waitany",
        [FLOW_TEST] = "test", [FLOW_BUSY] = "busy",     [FLOW_MARK] = "mark",
        [FLOW_END] = "end"};
    g_string_append_printf(out, "%s%s", out->len > 0 ? ", " : "", names[step->kind]);
    switch (step->kind) {
    case FLOW_SEND:
    case FLOW_RECV:
    case FLOW_PROBE:
        g_string_append_printf(out, " %u", step->request);
        append_any(out, step->kind == FLOW_SEND ? "to" : "from", step->peer);
        append_any(out, "tag", step->tag);
        g_string_append_printf(out, " space %d", step->space);
        if (step->kind == FLOW_SEND)
            g_string_append_printf(out, " %g B%s", step->bytes, step->buffered ? " buffered" : "");
        return;
    case FLOW_WAIT:
    case FLOW_WAITANY:
        append_numbers(out, step);
        return;
    case FLOW_BUSY:
        g_string_append_printf(out, " %gus", step->seconds * 1e6);
        return;
    default:
        return;
    }
}

struct world {
    struct compiled compiled;
    struct flow_curve *curve;
    struct flow_cluster *machine;
    struct steps *steps;
};

static struct world world_new(const char *program, const char *more, int64_t most)
{
    char *text = g_strdup_printf(
        "schema: 1\nname: t\nhosts: [{name: node, count: 3}]\nswitches: [{name: switch}]\n"
        "links: [{from: node, to: switch}]\nnic: eepro100\nstack: lam_tcp\nfidelity: flow\n"
        "workload: {ranks: 3, %sprogram: [{ranks: 0, do: [%s]}]}\n",
        more, program);
    struct world world = {.compiled = compiled_new(text, NULL), .curve = made_up(most)};
    world.machine = flow_cluster_new(world.compiled.test_case);
    world.steps =
        steps_new(&model_registry, world.compiled.test_case, world.machine, world.curve, NULL);
    g_free(text);
    return world;
}

static void world_clear(struct world *world)
{
    steps_free(world->steps);
    flow_cluster_free(world->machine);
    flow_curve_free(world->curve);
    compiled_free(&world->compiled);
}

static char *steps_text(const struct world *world)
{
    GString *out = g_string_new(NULL);
    struct flow_step step = {0};
    do {
        steps_next(world->steps, 0, &step);
        append_step(out, &step);
        if (step.kind == FLOW_WAITANY)
            steps_took(world->steps, 0, 0);
    } while (step.kind != FLOW_END);
    return g_string_free(out, FALSE);
}

static void test_sequences(void)
{
    static const struct {
        const char *program, *more, *steps;
    } cases[] = {
        {"{send: {to: 1, size: 1000 B}}", "",
         "busy 1us, send 1 to 1 tag 0 space 0 1058 B buffered, wait 1, end"},
        {"{send: {to: 1, size: 1001 B, tag: 7}}", "",
         "busy 1us, send 1 to 1 tag 7 space 0 1059 B, wait 1, end"},
        {"{ssend: {to: 1, size: 1 B}}", "",
         "busy 1us, send 1 to 1 tag 0 space 0 59 B, wait 1, end"},
        {"{recv: {from: 2, size: 8 B, tag: 3}}", "",
         "recv 1 from 2 tag 3 space 0, wait 1, busy 2us, end"},
        {"{recv: {from: any, tag: any, size: 8 B}}", "",
         "recv 1 from any tag any space 0, wait 1, busy 2us, end"},
        // Work before a step is one busy time: a receive's, the computation, and the next send's.
        {"{recv: {from: 2, size: 8 B}}, {compute: 10 us}, {send: {to: 1, size: 0 B}}", "",
         "recv 1 from 2 tag any space 0, wait 1, busy 13us, send 2 to 1 tag 0 space 0 58 B "
         "buffered, "
         "wait 2, end"},
        {"{irecv: {from: 1, size: 8 B, request: a}}, {irecv: {from: 2, size: 8 B, request: b}}, "
         "{compute: 1 us}, {waitall: [b, a]}",
         "",
         "recv 1 from 1 tag any space 0, recv 2 from 2 tag any space 0, busy 1us, wait 2 1, busy "
         "4us, "
         "end"},
        {"{sendrecv: {to: 1, from: 2, size: 100 B}}", "",
         "recv 1 from 2 tag 0 space 0, busy 1us, send 2 to 1 tag 0 space 0 158 B buffered, "
         "wait 1 2, busy 2us, end"},
        // A probe is a step that waits; its request is none of the plugin's.
        {"{probe: {from: 1, tag: 5}}, {recv: {from: 1, size: 8 B, tag: 5}}", "",
         "probe 1 from 1 tag 5 space 0, recv 2 from 1 tag 5 space 0, wait 2, busy 2us, end"},
        {"{iprobe: {from: 1}}", "", "end"},
        // The test answers 0: the first is closed, and then the other one.
        {"{irecv: {from: 1, size: 8 B, request: a}}, {irecv: {from: 2, size: 8 B, request: b}}, "
         "{waitany: [b, a]}, {waitany: [b, a]}",
         "",
         "recv 1 from 1 tag any space 0, recv 2 from 2 tag any space 0, waitany 2 1, busy 2us, "
         "wait 1, busy 2us, end"},
        {"{clock: a}, {compute: 3 us}, {lap: a}", "", "mark, busy 3us, mark, end"},
        // Messages of a communicator match among themselves.
        {"{send: {to: 1, size: 1 B, comm: pair}}", "communicators: {pair: [0, 1]}, ",
         "busy 1us, send 1 to 1 tag 0 space 2 59 B buffered, wait 1, end"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct world world = world_new(cases[i].program, cases[i].more, INT64_MAX);
        char *text = steps_text(&world);
        SUITE_SAME_TEXT(text, cases[i].steps);
        CU_ASSERT_PTR_NULL(steps_wrong(world.steps));
        g_free(text);
        world_clear(&world);
    }
}

// A blocking buffered send returns when its card is done with it, here 5 us later; one that the
// receiver takes, or that is waited for later, does not wait for the card.
static void test_sending(void)
{
    static const struct {
        const char *program, *steps;
    } cases[] = {
        {"{send: {to: 1, size: 8 B}}",
         "busy 1us, send 1 to 1 tag 0 space 0 66 B buffered, wait 1, busy 5us, end"},
        {"{send: {to: 1, size: 2000 B}}",
         "busy 1us, send 1 to 1 tag 0 space 0 2058 B, wait 1, end"},
        {"{isend: {to: 1, size: 8 B, request: a}}, {compute: 3 us}, {wait: a}",
         "busy 1us, send 1 to 1 tag 0 space 0 66 B buffered, busy 3us, wait 1, end"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct world world = world_new(cases[i].program, "", INT64_MAX);
        for (guint j = 0; j < world.curve->points->len; j++)
            g_array_index(world.curve->points, struct flow_curve_point, j).sending = 5e-6;
        char *text = steps_text(&world);
        SUITE_SAME_TEXT(text, cases[i].steps);
        g_free(text);
        world_clear(&world);
    }
}

static void test_collectives_have_a_space_of_their_own(void)
{
    struct world world = world_new("{bcast: {root: 0, size: 8 B}}", "", INT64_MAX);
    char *text = steps_text(&world);
    SUITE_CONTAINS(text, "space 1 66 B buffered");
    SUITE_SAME_INTEGER(steps_spaces(&model_registry, world.compiled.test_case), 2);
    g_free(text);
    world_clear(&world);
}

static void test_books(void)
{
    struct world world = world_new("{send: {to: 1, size: 10 B}}, {recv: {from: 1, size: 30 B}}, "
                                   "{irecv: {from: 2, size: 500 B, request: a}}",
                                   "", INT64_MAX);
    char *text = steps_text(&world);
    struct steps_books books = steps_books(world.steps);
    SUITE_SAME_INTEGER(books.sent, 1);
    SUITE_SAME_INTEGER(books.sent_bytes, 10);
    SUITE_SAME_INTEGER(books.received, 1); // a message without a wait is not received
    SUITE_SAME_INTEGER(books.received_bytes, 30);
    g_free(text);
    world_clear(&world);
}

// The request that a rank waits for is known while it does.
static void test_what_is_open(void)
{
    struct world world =
        world_new("{irecv: {from: 1, size: 8 B, tag: 4, request: a}}, {wait: a}", "", INT64_MAX);
    struct flow_step step;
    CU_ASSERT_PTR_NULL(steps_op(world.steps, 0));
    steps_next(world.steps, 0, &step);
    steps_next(world.steps, 0, &step);
    SUITE_SAME_INTEGER(step.kind, FLOW_WAIT);
    json_t *open = steps_open_json(world.steps, 0), *request = json_array_get(open, 0);
    SUITE_SAME_INTEGER(json_array_size(open), 1);
    SUITE_SAME_TEXT(json_string_value(json_object_get(request, "kind")), "recv");
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(request, "peer")), 1);
    SUITE_SAME_INTEGER(json_integer_value(json_object_get(request, "tag")), 4);
    char *place = steps_place(world.steps, 0);
    SUITE_CONTAINS(place, ": wait");
    g_free(place);
    json_decref(open);
    world_clear(&world);
}

// A message that the stack cannot send ends the run with its place.
static void test_a_message_that_is_too_long(void)
{
    struct world world = world_new("{send: {to: 1, size: 16 KiB}}", "", 16383);
    char *text = steps_text(&world);
    SUITE_SAME_TEXT(text, "end");
    SUITE_CONTAINS(steps_wrong(world.steps), "send, rank 0: the made-up library has no longer");
    g_free(text);
    world_clear(&world);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"sequences", test_sequences},
        {"a blocking send and its card", test_sending},
        {"collectives have a space of their own", test_collectives_have_a_space_of_their_own},
        {"books", test_books},
        {"what is open", test_what_is_open},
        {"a message that is too long", test_a_message_that_is_too_long},
        {0},
    };
    return suite_run("flow: the steps of ranks", cases);
}
