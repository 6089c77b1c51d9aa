// SPDX-License-Identifier: GPL-3.0-or-later
// The classes of stages and waits.
#include "sim/explain/stage.h"

#include "tests/support/suite.h"

#include <glib.h>
#include <string.h>

static void test_classes(void)
{
    static const struct stage_class_entry own[] = {
        {"firmware", "NIC"}, {"queue pair", "kernel"}, {0}};
    static const struct model model = {.name = "own", .stages = own};
    static const struct model *const models[] = {&model, NULL};
    static const struct registry registry = {models};
    static const char *const cases[][2] = {
        {"wire", "wire"},           {"propagation", "propagation"},
        {"driver", "kernel"},       {"block", "wake-up"},
        {"poll", "wake-up"},        {"unpin", "pin"},
        {"system call", "trap"},    {"compute", "compute"},
        {"firmware", "NIC"},        {"queue pair", "kernel"},
        {"anything", "library"},    {"waiting for credit", "waiting for credit"},
        {"waiting", "waiting"},     {"waiting for a matching message", "waiting"},
        {"waitingroom", "library"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        SUITE_SAME_TEXT(stage_class(&registry, cases[i][0]), cases[i][1]);
    SUITE_SAME_TEXT(stage_class(NULL, "firmware"), "library");
}

// Every class that anything is put into is one of the list.
static void test_registry(void)
{
    for (const struct model *const *model = model_registry.models; *model; model++)
        for (const struct stage_class_entry *entry = (*model)->stages; entry && entry->stage;
             entry++)
            CU_ASSERT(g_strv_contains(stage_classes, entry->class));
}

static void test_waits(void)
{
    static const char *const cases[][2] = {
        {"credits for its data", "waiting for credit"},
        {"a free send descriptor", "waiting for descriptor"},
        {"completion of its descriptors", NULL},
        {"the receiver's ACK", "waiting for ACK"},
        {"the completion of its ACK", NULL},
        {"an ACK, as the congestion window is full", "waiting for ACK"},
        {"the window that the receiver offers", "waiting for window"},
        {"room in the socket for its data", "waiting for buffer"},
        {"memory to pin its buffer", "waiting for memory"},
        {"a matching message", NULL},
        {"nothing", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        const char *stage = stage_of_wait(cases[i][0]);
        CU_ASSERT_EQUAL(stage != NULL, cases[i][1] != NULL);
        if (stage && cases[i][1]) {
            SUITE_SAME_TEXT(stage, cases[i][1]);
            CU_ASSERT(g_strv_contains(stage_classes, stage));
        }
    }
}

static const struct suite_case cases[] = {
    {"the class of a stage", test_classes},
    {"the classes that models give their stages", test_registry},
    {"waits that hold a message up", test_waits},
    {0},
};

int main(void)
{
    return suite_run("explain: stages", cases);
}
