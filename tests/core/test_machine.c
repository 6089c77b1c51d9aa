// SPDX-License-Identifier: GPL-3.0-or-later
// State machines: what a step does, what a table refuses, and the tables of the models.
#include "sim/core/machine.h"

#include "sim/model/model.h"
#include "tests/support/suite.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum door { DOOR_CLOSED, DOOR_OPEN, DOOR_LOCKED };

static const struct machine_state door_states[] = {
    [DOOR_CLOSED] = {"closed", .next = MACHINE_TO(DOOR_OPEN, DOOR_LOCKED)},
    [DOOR_OPEN] = {"open", .next = MACHINE_TO(DOOR_CLOSED)},
    [DOOR_LOCKED] = {"locked", .next = MACHINE_TO(DOOR_CLOSED)},
};

static const struct machine_kind door_machine = {
    .name = "door",
    .title = "Door",
    .source = "a joiner",
    .states = door_states,
    .count = G_N_ELEMENTS(door_states),
};

static const struct machine_owner house = {.where = "house", .subject = 7};

struct seen {
    struct trace trace;
    int steps;
    struct trace_transition last;
    sim_time when;
    trace_lane lane;
};

static void note_transition(struct trace *trace, trace_lane lane, sim_time when,
                            const struct trace_transition *transition)
{
    struct seen *seen = (struct seen *)trace;
    seen->steps++;
    seen->last = *transition;
    seen->when = when;
    seen->lane = lane;
}

static void test_step(void)
{
    static const struct trace_ops ops = {.transition = note_transition};
    struct seen seen = {.trace = {&ops}};
    struct machine machine = {0};
    SUITE_SAME_TEXT(machine_state_name(&door_machine, &machine), "closed");
    machine_enter(&door_machine, &machine, DOOR_OPEN, house, "push", &seen.trace, 3, 250);
    SUITE_SAME_INTEGER(machine.state, DOOR_OPEN);
    SUITE_SAME_INTEGER(seen.steps, 1);
    SUITE_SAME_TEXT(seen.last.where, "house");
    SUITE_SAME_TEXT(seen.last.machine, "door");
    SUITE_SAME_INTEGER(seen.last.subject, 7);
    SUITE_SAME_TEXT(seen.last.from, "closed");
    SUITE_SAME_TEXT(seen.last.to, "open");
    SUITE_SAME_TEXT(seen.last.detail, "push");
    SUITE_SAME_INTEGER(seen.when, 250);
    SUITE_SAME_INTEGER(seen.lane, 3);
    machine_enter(&door_machine, &machine, DOOR_CLOSED, house, NULL, NULL, 0, 300); // untraced
    SUITE_SAME_INTEGER(machine.state, DOOR_CLOSED);
}

// The owner is new: traces have no state before its first step.
static void test_first_step(void)
{
    static const struct trace_ops ops = {.transition = note_transition};
    static const struct machine_state states[] = {
        {.next = MACHINE_TO(1, 2)},
        {.name = "called", .next = MACHINE_TO(2)},
        {.name = "open"},
    };
    static const struct machine_kind kind = {"call", .title = "Call", .source = "a telephone",
                                             .states = states, .count = 3};
    struct seen seen = {.trace = {&ops}};
    struct machine machine = {0};
    CU_ASSERT_PTR_NULL(machine_state_name(&kind, &machine));
    machine_enter(&kind, &machine, 1, house, NULL, &seen.trace, 0, 100);
    CU_ASSERT_PTR_NULL(seen.last.from);
    SUITE_SAME_TEXT(seen.last.to, "called");
    machine_enter(&kind, &machine, 2, house, NULL, &seen.trace, 0, 200);
    SUITE_SAME_TEXT(seen.last.from, "called");
}

// Takes the step in a process of its own. Returns whether that was aborted.
static bool aborts(unsigned from, unsigned to)
{
    pid_t child = fork();
    if (child == 0) {
        struct machine machine = {(uint8_t)from};
        fclose(stderr);
        machine_enter(&door_machine, &machine, to, house, "push", NULL, 0, 0);
        _exit(0);
    }
    int status = 0;
    CU_ASSERT(waitpid(child, &status, 0) == child);
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_steps_that_the_table_lacks(void)
{
    CU_ASSERT_FALSE(aborts(DOOR_CLOSED, DOOR_LOCKED));
    CU_ASSERT(aborts(DOOR_OPEN, DOOR_LOCKED));
    CU_ASSERT(aborts(DOOR_OPEN, DOOR_OPEN));
    CU_ASSERT(aborts(DOOR_CLOSED, 3)); // no such state
}

static uint64_t reachable(const struct machine_kind *kind)
{
    uint64_t found = MACHINE_TO(0), before = 0;
    while (found != before) {
        before = found;
        for (unsigned from = 0; from < kind->count; from++)
            if (found >> from & 1)
                found |= kind->states[from].next;
    }
    return found;
}

static bool differ(const struct machine_state *left, const struct machine_state *right)
{
    return g_strcmp0(left->name, right->name) != 0 ||
           g_strcmp0(left->wait.text, right->wait.text) != 0;
}

static void check_kind(const struct machine_kind *kind)
{
    CU_ASSERT(kind->count > 1 && kind->count <= MACHINE_STATES);
    CU_ASSERT(*kind->name && *kind->title && *kind->source);
    for (unsigned i = 0; i < kind->count; i++) {
        const struct machine_state *state = &kind->states[i];
        CU_ASSERT_FATAL(state->name || i == 0);
        CU_ASSERT(kind->count == MACHINE_STATES || state->next >> kind->count == 0);
        CU_ASSERT(kind->states[0].name || !machine_may(kind, i, 0));
        for (unsigned k = 0; k < i; k++)
            CU_ASSERT(differ(state, &kind->states[k]));
    }
}

// States differ in their names, or in what they wait for; machines have titles of their own, and
// every state can be reached from the first, which alone may have no name: then none leads to it.
static void test_tables_of_the_models(void)
{
    GPtrArray *machines = registry_machines(&model_registry);
    GHashTable *titles = g_hash_table_new(g_str_hash, g_str_equal);
    CU_ASSERT(machines->len > 0);
    for (guint i = 0; i < machines->len; i++) {
        const struct machine_kind *kind = g_ptr_array_index(machines, i);
        check_kind(kind);
        CU_ASSERT(g_hash_table_add(titles, (gpointer)kind->title));
        SUITE_SAME_INTEGER(reachable(kind), MACHINE_TO(kind->count) - 1);
    }
    g_hash_table_unref(titles);
    g_ptr_array_unref(machines);
}

static const struct suite_case cases[] = {
    {"step", test_step},
    {"first step of a new owner", test_first_step},
    {"steps that the table lacks", test_steps_that_the_table_lacks},
    {"tables of the models", test_tables_of_the_models},
    {0},
};

int main(void)
{
    return suite_run("core: state machines", cases);
}
