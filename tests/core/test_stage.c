// SPDX-License-Identifier: GPL-3.0-or-later
// The classes of stages and of waits.
#include "sim/core/stage.h"

#include "tests/support/suite.h"

#include <stdio.h>
#include <string.h>

// They are what tables and documents print, so all have a name, and no two the same.
static void test_names(void)
{
    for (int i = 0; i < STAGE_CLASSES; i++) {
        const char *name = stage_class_name((enum stage_class)i);
        CU_ASSERT_PTR_NOT_NULL_FATAL(name);
        for (int k = 0; k < i; k++)
            CU_ASSERT(strcmp(name, stage_class_name((enum stage_class)k)) != 0);
    }
    SUITE_SAME_TEXT(stage_class_name(STAGE_LIBRARY), "library");
    SUITE_SAME_TEXT(stage_class_name(STAGE_SWITCH), "switch");
    SUITE_SAME_TEXT(stage_class_name(STAGE_FOR_MEMORY), "waiting for memory");
    SUITE_SAME_TEXT(stage_class_name(STAGE_WAITING), "waiting");
}

static void test_waits(void)
{
    static const struct {
        enum wait_class wait;
        enum stage_class class;
    } cases[WAIT_CLASSES] = {
        {WAIT_OTHER, STAGE_WAITING},
        {WAIT_CREDIT, STAGE_FOR_CREDIT},
        {WAIT_DESCRIPTOR, STAGE_FOR_DESCRIPTOR},
        {WAIT_ACK, STAGE_FOR_ACK},
        {WAIT_WINDOW, STAGE_FOR_WINDOW},
        {WAIT_BUFFER, STAGE_FOR_BUFFER},
        {WAIT_MEMORY, STAGE_FOR_MEMORY},
    };
    for (int i = 0; i < WAIT_CLASSES; i++) {
        const struct stage *stage = &wait_stages[cases[i].wait];
        SUITE_SAME_INTEGER(stage->class, cases[i].class);
        SUITE_SAME_TEXT(stage->name, stage_class_name(cases[i].class));
        CU_ASSERT_EQUAL(stage_is_wait(stage), cases[i].wait != WAIT_OTHER);
    }
}

// A stage of a model's own is none of the simulator's waits, whatever it is called.
static void test_own(void)
{
    static const struct stage own = {"waiting for credit", STAGE_FOR_CREDIT};
    CU_ASSERT_FALSE(stage_is_wait(&own));
}

static const struct suite_case cases[] = {
    {"names of classes", test_names},
    {"waits as stages", test_waits},
    {"stages of others are no waits", test_own},
    {0},
};

int main(void)
{
    return suite_run("core: stages and waits", cases);
}
