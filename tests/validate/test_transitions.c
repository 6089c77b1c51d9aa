// SPDX-License-Identifier: GPL-3.0-or-later
// Sequences of states, on a state log made by hand: steps in an order, lines that may stand
// between, and how lines are written.
#include "sim/core/intern.h"
#include "sim/validate/judge.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <string.h>

// Written out of order, as handlers do.
static const char *const state_log[] = {
    "3.000000 rank 0 send[1] sent -> done",
    "1.000000 rank 0 send[1] start -> sent short, 5 B",
    "2.000000 rank 1 recv[1] start -> wait",
    "2.000000 rank 1 recv[1] wait -> done: all",
    "4.000000 rank 0 send[2] start -> sent again",
    "5.000000 rank 1 recv[2] start -> done",
    NULL,
};

static struct check *check_of(const char *keys, char **complaints)
{
    char *text = g_strdup_printf("{transitions: {scenario: s, series: A, %s}}", keys);
    struct diag_list *diags = diag_list_new();
    struct node *node = node_parse(text, strlen(text), "check", NULL, diags);
    struct check *check = node ? check_read(node, "check", diags) : NULL;
    *complaints = fake_complaints(diags);
    node_free(node);
    diag_list_free(diags);
    g_free(text);
    return check;
}

static struct judgement judge_keys(const char *keys, bool logged)
{
    struct runs *runs = runs_new_empty();
    struct curve curve = {
        .scenario = intern_text("s"), .sets = intern_text(""), .series = intern_text("A")};
    if (logged)
        runs_add_state_log(runs, &curve, state_log);
    char *complaints;
    struct check *check = check_of(keys, &complaints);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    struct judge_context context = {runs, "."};
    judge_needs(check, runs); // must ask for no run of its own
    struct judgement judgement = judge(&context, check);
    check_free(check);
    runs_free(runs);
    return judgement;
}

static void expect(const char *keys, bool holds, const char *says)
{
    struct judgement judgement = judge_keys(keys, true);
    if ((judgement.judged == JUDGED_HOLDS) != holds)
        CU_FAIL(keys);
    SUITE_CONTAINS(judgement.simulated, says);
    judgement_clear(&judgement);
}

static void test_order(void)
{
    expect("steps: ['rank 0 send[1] start -> sent', 'rank 0 send[1] sent -> done']", true,
           "all 2 steps, the last: rank 0 send[1] sent -> done at 3.000000 us");
    expect("steps: ['rank 0 send[1] sent -> done', 'rank 0 send[1] start -> sent']", false,
           "1 of 2 steps, the last: rank 0 send[1] sent -> done at 3.000000 us; then not rank 0 "
           "send[1] start -> sent");
    // Ordered by time, not by line; by line at the same time.
    expect("steps: [\"rank 0 send[1] start -> sent\", \"rank 1 recv[1] start -> wait\", "
           "\"rank 1 recv[1] wait -> done\", \"rank 0 send[1] sent -> done\"]",
           true, "all 4 steps");
    expect("steps: ['rank 1 recv[1] wait -> done', 'rank 1 recv[1] start -> wait']", false,
           "1 of 2");
    // A step is one line, not two.
    expect("steps: ['rank 0 send[1] start -> sent', 'rank 0 send[1] start -> sent']", false,
           "1 of 2");
    expect("steps: 'rank 0 send[3] start -> sent'", false,
           "0 of 1 steps; then not rank 0 send[3] start -> sent");
}

static void test_between(void)
{
    static const char steps[] =
        "steps: [\"rank 0 send[*] start -> sent\", \"rank 1 recv[2] start -> done\"]";
    static const struct {
        const char *of;
        bool holds;
        const char *says;
    } samples[] = {
        {"'rank 1 recv[1] *'", true, "all 2 steps"}, // from the second beginning on
        {"['rank 1 recv[1] *', 'rank 0 send[1] sent *']", true, "all 2 steps"},
        {"nobody", true, "all 2 steps"},
        // The steps themselves are allowed.
        {"\"rank * * start -> *\"", true, "all 2 steps"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *keys = g_strdup_printf("%s, of: %s", steps, samples[i].of);
        expect(keys, samples[i].holds, samples[i].says);
        g_free(keys);
    }
#define SEND "steps: ['rank 0 send[1] start -> sent', 'rank 0 send[1] sent -> done'], of: "
    expect(SEND "'rank 0 send'", true, "all 2 steps");
    expect(SEND "'rank 0 send[1]'", true, "all 2 steps");
    expect(SEND "'rank 1 recv[1]'", false, // its end left out: all of the machine
           "then not rank 0 send[1] sent -> done, but rank 1 recv[1] start -> wait at 2.000000");
    expect(SEND "'rank 1 recv[1] * -> done'", false, "but rank 1 recv[1] wait -> done: all at 2");
    expect(SEND "'rank 1 recv[2]'", true, "all 2 steps");
}

// The end of a line may be left out from a word's end on.
static void test_lines(void)
{
    static const struct {
        const char *step;
        bool holds;
    } samples[] = {
        {"rank 0 send[1] start -> sent short, 5 B", true},
        {"rank 0 send[1] start -> sent short", true},
        {"rank 0 send[1] start -> sent", true},
        {"rank 0 send[1] start -> sen", false},
        {"rank 1 recv[1] wait -> done", true},
        {"rank 1 recv[1] * -> done", true},
        {"rank 1 recv[*] wait -> don", false},
        {"rank * recv[1] wait -> done*l", true},
        {"send[1] start -> sent", false},
        {"* send[1] start -> sent", true},
        {"rank 0 send[2] start -> sent again", true},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *keys = g_strdup_printf("steps: \"%s\"", samples[i].step);
        expect(keys, samples[i].holds, samples[i].holds ? "all 1 steps" : "0 of 1");
        g_free(keys);
    }
}

static void test_words(void)
{
    struct judgement judgement = judge_keys("steps: [a -> b, b -> c], of: [a, b]", true);
    SUITE_SAME_TEXT(judgement.expected, "a -> b; b -> c, with no other of a, b");
    judgement_clear(&judgement);
    judgement = judge_keys("steps: a -> b", false);
    CU_ASSERT_EQUAL(judgement.judged, JUDGED_NOT_CHECKABLE);
    SUITE_SAME_TEXT(judgement.why, "no scenarios are at hand");
    judgement_clear(&judgement);
}

static void test_bad(void)
{
    static const struct {
        const char *keys, *part;
    } samples[] = {
        {"of: a", "steps: must be given (lines of the state log, in this order)"},
        {"steps: []", "a line is missing"},
        {"steps: [{a: b}]", "a line is expected here, not a map"},
        {"steps: [a], of: [[a]]", "a line is expected here, not a list"},
        {"steps: [a], sizes: 1 B", "unknown key"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        char *complaints;
        CU_ASSERT_PTR_NULL(check_of(samples[i].keys, &complaints));
        SUITE_CONTAINS(complaints, samples[i].part);
        g_free(complaints);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"steps in order", test_order},        {"what may stand between", test_between},
        {"how a line is written", test_lines}, {"in words", test_words},
        {"checks that are wrong", test_bad},   {0},
    };
    return suite_run("validate: transitions", cases);
}
