// SPDX-License-Identifier: GPL-3.0-or-later
// All recorders of a run: each row of the table keeps the events of a series, whether this process
// records it or another one does in parts, and reports when it can't.
#include "sim/model/model.h"
#include "sim/output/captures.h"
#include "sim/output/file.h"
#include "sim/output/recorder.h"
#include "tests/output/sample.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"

static const char text[] = "schema: 1\nname: t\nhosts: [{name: n, count: 2}]\n"
                           "links: [{from: n0, to: n1}]\nnic: eepro100\n"
                           "workload: {benchmark: native.pingpong, sizes: [1 B]}\nseries:\n"
                           "  - {name: one, stack: tcp}\n  - {name: two, stack: tcp}\n";
static const char *const series[] = {"one", "two"};
static const struct capture_link ethernet = {1, "Ethernet"};

// A run that records everything in a directory.
struct recorded {
    struct compiled compiled;
    struct captures_options captures;
    char *directory, *paths[RECORD_KINDS];
    struct recorders all;
};

static bool recorded_plan(struct recorded *it, GError **error)
{
    const struct recorders_request request = {.paths = it->paths,
                                              .captures = &it->captures,
                                              .registry = &model_registry,
                                              .scenario = it->compiled.scenario};
    return recorders_plan(&it->all, &request, error);
}

static struct recorded recorded(void)
{
    struct recorded it = {.compiled = compiled_new(text, NULL), .directory = sample_directory()};
    for (int i = 0; i < RECORD_KINDS; i++)
        it.paths[i] = g_build_filename(it.directory, recorders_option(i) + 2, NULL);
    return it;
}

static void recorded_clear(struct recorded *it)
{
    for (int i = 0; i < 2; i++)
        sample_remove(g_build_filename(it->paths[RECORD_CAPTURES], series[i], NULL));
    for (int i = 0; i < RECORD_KINDS; i++) {
        g_rmdir(it->paths[i]);
        g_free(it->paths[i]);
    }
    sample_remove(it->directory);
    compiled_free(&it->compiled);
}

// The events of a series.
static void happen(const struct recorders *all)
{
    static const char quantity[] = "cwnd";
    int packet;
    trace_lane lane = trace_lane_new(all->trace, "n0", "cpu");
    trace_transition(all->trace, lane, TIME_US,
                     &(struct trace_transition){"n0", "door", -1, "shut", "open", NULL, NULL});
    const struct trace_quantity quantities[] = {{quantity, "B"}};
    trace_values values =
        trace_values_new(all->trace, &(struct trace_values_info){"n0", "path", quantities,
                                                                 G_N_ELEMENTS(quantities)});
    trace_value(all->trace, values, 0, TIME_US, 7);
    const struct capture_frame frame = {capture_interface(all->capture, "n0", &ethernet, 1),
                                        CAPTURE_OUT,
                                        TIME_US,
                                        "0123456789",
                                        10,
                                        &packet,
                                        NULL};
    capture_frame(all->capture, &frame);
    capture_ended(all->capture, &packet, TIME_US, NULL);
}

// All recorded bytes, one file after the other.
static GString *recorded_bytes(const struct recorded *it)
{
    GString *bytes = g_string_new(NULL);
    for (int i = 0; i < RECORD_KINDS + 1; i++) {
        char *path = i < RECORD_CAPTURES
                         ? g_strdup(it->paths[i])
                         : g_build_filename(it->paths[RECORD_CAPTURES], series[i - RECORD_CAPTURES],
                                            "n0.pcapng", NULL);
        char *content = NULL;
        gsize length = 0;
        CU_ASSERT_TRUE(g_file_get_contents(path, &content, &length, NULL));
        CU_ASSERT_TRUE(length > 0);
        g_string_append_len(bytes, content, (gssize)length);
        g_free(content);
        g_free(path);
    }
    return bytes;
}

static GString *record(bool in_parts)
{
    struct recorded it = recorded();
    GError *error = NULL;
    FILE *parts[2][RECORD_KINDS] = {{NULL}};
    CU_ASSERT_TRUE_FATAL(recorded_plan(&it, &error));
    CU_ASSERT_TRUE_FATAL(recorders_open(&it.all, &error));
    for (int i = 0; i < 2; i++) {
        struct recorders part;
        CU_ASSERT_TRUE(!in_parts || recorders_new_parts(&it.all, parts[i], &error));
        if (in_parts)
            recorders_part(&it.all, parts[i], &part);
        const struct recorders *used = in_parts ? &part : &it.all;
        recorders_begin(used, i, series[i]);
        happen(used);
        recorders_end(used, true);
        CU_ASSERT_PTR_NULL(in_parts ? recorders_close(&part) : NULL);
    }
    for (int i = 0; in_parts && i < 2; i++) {
        CU_ASSERT_TRUE(recorders_join(&it.all, parts[i], &error));
        recorders_close_parts(parts[i]);
    }
    CU_ASSERT_PTR_NULL(recorders_close(&it.all));
    GString *bytes = recorded_bytes(&it);
    recorded_clear(&it);
    return bytes;
}

// A run with other processes leaves the same files.
static void test_parts(void)
{
    GString *whole = record(false), *joined = record(true);
    CU_ASSERT_TRUE(g_string_equal(whole, joined));
    g_string_free(whole, TRUE);
    g_string_free(joined, TRUE);
}

static void test_uses(void)
{
    struct recorded it = recorded();
    GArray *uses = g_array_new(FALSE, FALSE, sizeof(struct file_use));
    CU_ASSERT_TRUE(recorded_plan(&it, NULL));
    recorders_append_uses(&it.all, uses);
    for (int i = 0; i < RECORD_KINDS; i++) {
        SUITE_SAME_TEXT(g_array_index(uses, struct file_use, i).as, recorders_option(i));
        SUITE_SAME_TEXT(g_array_index(uses, struct file_use, i).path, it.paths[i]);
    }
    g_array_unref(uses);
    recorders_drop(&it.all);
    recorded_clear(&it);
}

// Each kind refuses a place that can't be written, and leaves nothing of the others.
static void test_unwritable(void)
{
    for (int i = 0; i < RECORD_KINDS; i++) {
        struct recorded it = recorded();
        GError *error = NULL;
        g_free(it.paths[i]);
        it.paths[i] = g_strdup("/dev/null/x");
        CU_ASSERT_TRUE(recorded_plan(&it, &error));
        CU_ASSERT_FALSE(recorders_open(&it.all, &error));
        SUITE_CONTAINS(error->message, "/dev/null/x");
        g_clear_error(&error);
        recorders_drop(&it.all);
        for (int k = 0; k < RECORD_CAPTURES; k++)
            CU_ASSERT_FALSE(g_file_test(it.paths[k], G_FILE_TEST_EXISTS));
        recorded_clear(&it);
    }
}

// A file that can't be written is found when it is closed, and each is reported.
static void test_full_disk(void)
{
    struct recorded it = recorded();
    for (int i = 0; i < RECORD_CAPTURES; i++) {
        g_free(it.paths[i]);
        it.paths[i] = g_strdup("/dev/full");
    }
    CU_ASSERT_TRUE(recorded_plan(&it, NULL));
    CU_ASSERT_TRUE(recorders_open(&it.all, NULL));
    recorders_begin(&it.all, 0, series[0]);
    happen(&it.all);
    recorders_end(&it.all, false);
    char **mistakes = recorders_close(&it.all);
    CU_ASSERT_PTR_NOT_NULL_FATAL(mistakes);
    SUITE_SAME_INTEGER(g_strv_length(mistakes), RECORD_CAPTURES);
    for (char **mistake = mistakes; *mistake; mistake++)
        SUITE_CONTAINS(*mistake, "/dev/full");
    g_strfreev(mistakes);
    recorded_clear(&it);
}

// Nothing asked for: no trace and no capture.
static void test_none(void)
{
    struct recorded it = recorded();
    for (int i = 0; i < RECORD_KINDS; i++)
        g_clear_pointer(&it.paths[i], g_free);
    CU_ASSERT_TRUE(recorded_plan(&it, NULL));
    CU_ASSERT_TRUE(recorders_open(&it.all, NULL));
    CU_ASSERT_PTR_NULL(it.all.trace);
    CU_ASSERT_PTR_NULL(it.all.capture);
    recorders_begin(&it.all, 0, series[0]);
    recorders_end(&it.all, true);
    CU_ASSERT_PTR_NULL(recorders_close(&it.all));
    sample_remove(it.directory);
    compiled_free(&it.compiled);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"parts", test_parts},
        {"what is written", test_uses},
        {"places that can't be written", test_unwritable},
        {"a full disk", test_full_disk},
        {"nothing", test_none},
        {0},
    };
    return suite_run("output: recorders", cases);
}
