// SPDX-License-Identifier: GPL-3.0-or-later
// The captures of a run: the files, the errors before a run, and the time and comments of each
// frame.
#include "sim/model/model.h"
#include "sim/output/captures.h"
#include "sim/output/file.h"
#include "sim/output/recorder.h"
#include "tests/output/sample.h"
#include "tests/support/compiled.h"
#include "tests/support/suite.h"

#include <string.h>

static const struct capture_link ethernet = {1, "Ethernet"};

static const char text[] = "schema: 1\nname: t\nhosts: [{name: n, count: 3}]\n"
                           "switches: [{name: s}]\nlinks: [{from: n, to: s}]\nnic: eepro100\n"
                           "workload: {benchmark: native.pingpong, sizes: [1 B]}\nseries:\n"
                           "  - {name: a b, stack: tcp}\n  - {name: a/b, stack: tcp}\n"
                           "  - {name: A_B, stack: tcp}\n  - {name: ../x, stack: mvia}\n";

struct planned {
    char *directory;
    struct compiled compiled;
    struct captures_options options;
    struct recorder *captures;
};

static struct planned planned(void)
{
    return (struct planned){.directory = sample_directory(), .compiled = compiled_new(text, NULL)};
}

// Captures into a directory; NULL if it is refused.
static struct recorder *plan(const struct planned *it, const char *directory,
                             const struct registry *registry, GError **error)
{
    const struct recorders_request request = {
        .captures = &it->options, .registry = registry, .scenario = it->compiled.scenario};
    struct recorder *captures = recorder_new(&captures_kind, directory);
    if (!captures_kind.directory->plan(captures, &request, error))
        g_clear_pointer(&captures, recorder_drop);
    return captures;
}

static struct capture *begin(struct planned *it)
{
    GError *error = NULL;
    it->captures = plan(it, it->directory, &model_registry, &error);
    CU_ASSERT_PTR_NOT_NULL_FATAL(it->captures);
    CU_ASSERT_TRUE(recorder_open(it->captures, &error));
    recorder_begin(it->captures, 0, "a b");
    return &it->captures->capture;
}

// Ends the series and all captures.
static void end(const struct planned *it, bool complete)
{
    captures_kind.end_series(it->captures, complete);
    CU_ASSERT_TRUE(recorder_close(it->captures, NULL));
}

static void clear(struct planned *it)
{
    static const char *const folders[] = {"a_b", "a_b-2", "A_B-3", "_._x", NULL};
    for (int i = 0; folders[i]; i++) {
        char *path = g_build_filename(it->directory, folders[i], NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR))
            sample_remove(path);
        else
            g_free(path);
    }
    sample_remove(it->directory);
    compiled_free(&it->compiled);
}

// The texts of all options in a file that hold `part`, as "…|…|".
static char *comments(const struct planned *it, const char *name)
{
    char *path = g_build_filename(it->directory, "a_b", name, NULL), *bytes = NULL;
    gsize length = 0;
    GString *out = g_string_new(NULL);
    CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &bytes, &length, NULL));
    for (gsize at = 0; at + 12 <= length;) {
        uint32_t type, total, captured;
        memcpy(&type, bytes + at, 4);
        memcpy(&total, bytes + at + 4, 4);
        if (type == 6) {
            memcpy(&captured, bytes + at + 20, 4);
            g_string_append_printf(out, "%u:", captured);
            gsize option = at + 28 + (captured + 3) / 4 * 4;
            while (option + 4 < at + total - 4) {
                uint16_t code, size;
                memcpy(&code, bytes + option, 2);
                memcpy(&size, bytes + option + 2, 2);
                if (code == 1)
                    g_string_append_printf(out, " %.*s;", (int)size, bytes + option + 4);
                option += 4 + (gsize)(size + 3) / 4 * 4;
            }
            g_string_append_c(out, '\n');
        }
        at += total;
    }
    g_free(bytes);
    g_free(path);
    return g_string_free(out, FALSE);
}

static void expect(const struct planned *it, const char *name, const char *expected)
{
    char *found = comments(it, name);
    SUITE_SAME_TEXT(found, expected);
    g_free(found);
}

static void tell(struct capture *sink, int interface, enum capture_direction direction,
                 sim_time when, const void *packet, const char *message)
{
    static const uint8_t bytes[64];
    const struct capture_frame frame = {interface, direction, when, bytes, 60, packet, message};
    if (capture_wants(sink, interface, when))
        capture_frame(sink, &frame);
}

static bool use_is(const GArray *uses, guint at, const char *end)
{
    return g_str_has_suffix(g_array_index(uses, struct file_use, at).path, end);
}

// A folder for each series under a safe and unique name, a file for each host.
static void test_names(void)
{
    struct planned it = planned();
    begin(&it);
    GArray *uses = g_array_new(FALSE, FALSE, sizeof(struct file_use));
    captures_kind.directory->append_uses(it.captures, uses);
    SUITE_SAME_INTEGER(uses->len, 4 + 4 * 3);
    CU_ASSERT_TRUE(use_is(uses, 0, "/a_b"));
    CU_ASSERT_TRUE(use_is(uses, 1, "/a_b-2"));
    CU_ASSERT_TRUE(use_is(uses, 2, "/A_B-3")); // also where a capital is no other letter
    CU_ASSERT_TRUE(use_is(uses, 3, "/_._x"));
    CU_ASSERT_TRUE(use_is(uses, 4, "/a_b/n0.pcapng"));
    CU_ASSERT_TRUE(use_is(uses, 15, "/_._x/n2.pcapng"));
    g_array_unref(uses);
    recorder_drop(it.captures);
    clear(&it);
}

static void refused(const struct planned *it, const char *directory,
                    const struct registry *registry, const char *part)
{
    GError *error = NULL;
    CU_ASSERT_PTR_NULL(plan(it, directory, registry, &error));
    SUITE_CONTAINS(error->message, part);
    g_clear_error(&error);
}

static void test_refused(void)
{
    struct planned it = planned();
    const char *nodes[] = {"n1", "m", NULL};
    it.options.nodes = nodes;
    refused(&it, it.directory, &model_registry,
            "--pcap-at: no host is called m; there are n0, n1, n2");
    it.options.nodes = NULL;
    // A stack whose frames no capture can write.
    struct stack without = *registry_stack(&model_registry, "mvia");
    const struct stack *stacks[] = {registry_stack(&model_registry, "tcp"), &without, NULL};
    const struct model model = {.name = "test", .stacks = stacks};
    const struct model *const models[] = {&model, NULL};
    const struct registry registry = {models};
    without.frames = NULL;
    refused(&it, it.directory, &registry,
            "--pcap: the series ../x has nothing to capture: its stack, mvia, has");
    refused(&it, "/dev/null", &model_registry, "--pcap /dev/null: this is no directory");
    clear(&it);
}

// Every stack has frames, and those of one link type are the same ones.
static void test_stacks(void)
{
    GPtrArray *links = g_ptr_array_new();
    for (const struct model *const *model = model_registry.models; *model; model++)
        for (const struct stack *const *stack = (*model)->stacks; stack && *stack; stack++)
            g_ptr_array_add(links, (gpointer)(*stack)->frames);
    CU_ASSERT(links->len >= 9);
    for (guint i = 0; i < links->len; i++) {
        const struct capture_link *link = g_ptr_array_index(links, i);
        CU_ASSERT_PTR_NOT_NULL_FATAL(link);
        CU_ASSERT_TRUE(link->type == 1 || (link->type >= 147 && link->type <= 162));
        for (guint k = 0; k < i; k++) {
            const struct capture_link *other = g_ptr_array_index(links, k);
            CU_ASSERT_EQUAL(link == other, link->type == other->type);
        }
    }
    g_ptr_array_unref(links);
}

// The comment of a dropped frame is where it was seen last; a frame that has ended well has none.
static void test_ends(void)
{
    struct planned it = planned();
    struct capture *sink = begin(&it);
    int n0 = capture_interface(sink, "n0", &ethernet, 1),
        n1 = capture_interface(sink, "n1", &ethernet, 1);
    int packets[4];
    tell(sink, n0, CAPTURE_OUT, 1000, &packets[0], "first");
    tell(sink, n0, CAPTURE_OUT, 2000, &packets[1], "second");
    tell(sink, n0, CAPTURE_OUT, 3000, &packets[2], NULL);
    capture_ended(sink, &packets[2], 5 * TIME_US, "queue full");
    tell(sink, n1, CAPTURE_IN, 4000, &packets[0], "first");
    tell(sink, n1, CAPTURE_IN, 5000, &packets[1], "second");
    capture_ended(sink, &packets[0], 6000, NULL);
    capture_ended(sink, &packets[1], 7 * TIME_US, "no descriptor");
    tell(sink, n0, CAPTURE_OUT, 8000, &packets[1], "third"); // the same place in memory
    capture_ended(sink, &packets[3], 9000, "never seen");
    end(&it, true);
    expect(&it, "n0.pcapng",
           "60: first;\n60: second;\n"
           "60: dropped on its way: queue full, at 5.000 us;\n60: third;\n");
    expect(&it, "n1.pcapng", "60: first;\n60: second; dropped here: no descriptor, at 7.000 us;\n");
    clear(&it);
}

static void test_window_and_snap(void)
{
    static const char *const nodes[] = {"n0", NULL};
    struct planned it = planned();
    int packets[4];
    it.options.nodes = nodes;
    it.options.from = 1000;
    it.options.to = 3000;
    it.options.snap = 7;
    struct capture *sink = begin(&it);
    int n0 = capture_interface(sink, "n0", &ethernet, 1);
    SUITE_SAME_INTEGER(capture_interface(sink, "n1", &ethernet, 1), -1);
    CU_ASSERT_FALSE(capture_wants(sink, -1, 2000));
    for (int i = 0; i < 4; i++) // 999, 1000, 2999, 3000
        tell(sink, n0, CAPTURE_OUT, (sim_time[]){999, 1000, 2999, 3000}[i], &packets[i],
             (const char *[]){"a", "b", "c", "d"}[i]);
    end(&it, true);
    expect(&it, "n0.pcapng", "7: b;\n7: c;\n");
    clear(&it);
}

// A frame that waits for ever does not hold back all that follow.
static void test_most_held(void)
{
    struct planned it = planned();
    struct capture *sink = begin(&it);
    int n0 = capture_interface(sink, "n0", &ethernet, 1), packets[1026];
    for (int i = 0; i < 1026; i++)
        tell(sink, n0, CAPTURE_OUT, i, &packets[i], i ? NULL : "first");
    capture_ended(sink, &packets[0], 5000, "too late");
    capture_ended(sink, &packets[1], 5000, "too late");
    capture_ended(sink, &packets[2], 5000, "in time");
    end(&it, true);
    char *found = comments(&it, "n0.pcapng");
    CU_ASSERT_TRUE(g_str_has_prefix(found, "60: first;\n60:\n60: dropped on its way: in time"));
    SUITE_SAME_INTEGER((long long)strlen(strstr(found, "us;\n")), 4 + 4 * 1023);
    g_free(found);
    clear(&it);
}

// A series that was cut short leaves nothing.
static void test_cut(void)
{
    struct planned it = planned();
    struct capture *sink = begin(&it);
    int packet, n0 = capture_interface(sink, "n0", &ethernet, 1);
    tell(sink, n0, CAPTURE_OUT, 1, &packet, NULL);
    end(&it, false);
    char *path = g_build_filename(it.directory, "a_b", "n0.pcapng", NULL);
    CU_ASSERT_FALSE(g_file_test(path, G_FILE_TEST_EXISTS));
    g_free(path);
    clear(&it);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"names", test_names},
        {"what is refused", test_refused},
        {"stacks", test_stacks},
        {"how frames end", test_ends},
        {"window, nodes and snap length", test_window_and_snap},
        {"frames that wait", test_most_held},
        {"a series cut short", test_cut},
        {0},
    };
    return suite_run("output: captures", cases);
}
