// SPDX-License-Identifier: GPL-3.0-or-later
// Workers: every item is done once, even if workers die; texts of any length arrive whole; errors
// end it.
#include "sim/campaign/workers.h"
#include "tests/support/suite.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 64

struct books {
    int done[MOST];    // times that an item has ended
    int crashed[MOST]; // and with a crash
    size_t length[MOST];
    int stop_at; // finished fails after so many; 0: never
    int ended;
    char *crash; // the last
};

// Item 10 dies by a signal, 11 ends its process, 12 takes too long; others write as many bytes as
// the cube of their number.
static char *perform(void *owner, int item)
{
    (void)owner;
    if (item == 10)
        raise(SIGKILL);
    if (item == 11)
        _exit(3);
    if (item == 12)
        sleep(1000);
    char *text = g_malloc((gsize)item * item * item + 1);
    memset(text, 'x', (size_t)item * (size_t)item * (size_t)item);
    text[item * item * item] = '\0';
    return text;
}

static bool finished(void *owner, int item, const char *text, const char *crash, GError **error)
{
    struct books *books = owner;
    CU_ASSERT_TRUE((text == NULL) != (crash == NULL));
    books->done[item]++;
    books->crashed[item] += crash != NULL;
    books->length[item] = text ? strlen(text) : 0;
    books->ended++;
    if (crash) {
        g_free(books->crash);
        books->crash = g_strdup(crash);
    }
    if (books->stop_at == 0 || books->ended < books->stop_at)
        return true;
    g_set_error(error, WORKERS_ERROR, WORKERS_ERROR_SYSTEM, "no more room");
    return false;
}

static bool idle(void *owner, GError **error)
{
    (void)owner;
    (void)error;
    return true;
}

static struct work work_of(struct books *books, const int *items, int count)
{
    return (struct work){
        .items = items,
        .count = count,
        .time_limit_s = 1,
        .owner = books,
        .perform = perform,
        .finished = finished,
        .idle = idle,
    };
}

static void every_item_is_done_once(void)
{
    int items[40];
    for (int i = 0; i < 40; i++)
        items[i] = 39 - i;
    for (int jobs = 1; jobs <= 100; jobs *= 10) {
        struct books books = {0};
        struct work work = work_of(&books, items, 40);
        GError *error = NULL;
        CU_ASSERT_TRUE(workers_run(&work, jobs, &error));
        CU_ASSERT_PTR_NULL(error);
        for (int i = 0; i < 40; i++) {
            SUITE_SAME_INTEGER(books.done[i], 1);
            SUITE_SAME_INTEGER(books.crashed[i], i >= 10 && i <= 12);
            if (i < 10 || i > 12)
                SUITE_SAME_INTEGER((long long)books.length[i], (long long)i * i * i);
        }
        g_free(books.crash);
    }
}

static void nothing_to_do_is_done(void)
{
    struct books books = {0};
    struct work work = work_of(&books, NULL, 0);
    CU_ASSERT_TRUE(workers_run(&work, 4, NULL));
    SUITE_SAME_INTEGER(books.ended, 0);
}

static void a_master_that_cannot_keep_ends_it(void)
{
    static const int items[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct books books = {.stop_at = 3};
    struct work work = work_of(&books, items, G_N_ELEMENTS(items));
    GError *error = NULL;
    CU_ASSERT_FALSE(workers_run(&work, 2, &error));
    SUITE_SAME_TEXT(error->message, "no more room");
    SUITE_SAME_INTEGER(books.ended, 3);
    g_error_free(error);
}

static double tens(void *owner, int item)
{
    (void)owner;
    int ten = item / 10;
    return ten;
}

static void the_dearest_come_first(void)
{
    int items[] = {11, 35, 2, 12, 31, 10, 3};
    static const int expected[] = {35, 31, 11, 12, 10, 2, 3};
    workers_longest_first(items, G_N_ELEMENTS(items), tens, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(items); i++)
        SUITE_SAME_INTEGER(items[i], expected[i]);
    workers_longest_first(items, 0, tens, NULL);
}

static void one_item_in_a_process_of_its_own(void)
{
    static const struct {
        int item;
        const char *crash;
    } cases[] = {{0, NULL},         {5, NULL}, {10, "signal 9"}, {11, "by itself with 3"},
                 {12, "after 1 s"}, {60, NULL}};
    struct books books = {0};
    struct work work = work_of(&books, NULL, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        char *crash = NULL, *text = workers_do_one(&work, cases[i].item, &crash);
        CU_ASSERT_EQUAL(text == NULL, cases[i].crash != NULL);
        if (text)
            SUITE_SAME_INTEGER((long long)strlen(text),
                               (long long)cases[i].item * cases[i].item * cases[i].item);
        if (cases[i].crash)
            SUITE_CONTAINS(crash ? crash : "(none)", cases[i].crash);
        g_free(crash);
        g_free(text);
    }
    SUITE_SAME_INTEGER(books.ended, 0); // `finished` is not called
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"every item is done once", every_item_is_done_once},
        {"nothing to do is done", nothing_to_do_is_done},
        {"a master that cannot keep ends it", a_master_that_cannot_keep_ends_it},
        {"the dearest come first", the_dearest_come_first},
        {"one item in a process of its own", one_item_in_a_process_of_its_own},
        {0},
    };
    return suite_run("campaign: workers", cases);
}
