// SPDX-License-Identifier: GPL-3.0-or-later
// YAML as trees: places, merging, paths, includes, and input that is hostile or broken.
#include "sim/config/node.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static struct node *parse(const char *text, char **complaints)
{
    struct diag_list *diags = diag_list_new();
    struct node *node = node_parse(text, strlen(text), "t.yaml", NULL, diags);
    *complaints = fake_complaints(diags);
    diag_list_free(diags);
    return node;
}

static struct node *parse_good(const char *text)
{
    char *complaints;
    struct node *node = parse(text, &complaints);
    SUITE_SAME_TEXT(complaints, "");
    g_free(complaints);
    return node;
}

// The tree as text is what was expected; frees the tree.
static void expect_tree(struct node *node, const char *text)
{
    char *actual = node ? node_text(node) : NULL;
    SUITE_SAME_TEXT(actual, text);
    g_free(actual);
    node_free(node);
}

static void expect_complaint(const char *text, const char *part)
{
    char *complaints;
    struct node *node = parse(text, &complaints);
    CU_ASSERT_PTR_NULL(node);
    SUITE_CONTAINS(complaints, part);
    node_free(node);
    g_free(complaints);
}

// ---- Reading ----

static void test_trees(void)
{
    expect_tree(parse_good("a: 1\nb: [x, 'y', null, ~, \"\"]\nc: {d: 64 KiB}\n"),
                "{a: 1, b: [x, \"y\", null, null, \"\"], c: {d: 64 KiB}}");
    expect_tree(parse_good("- 1\n-\n  - 2\n-\n"), "[1, [2], null]");
    expect_tree(parse_good("just text"), "just text");
    expect_tree(parse_good("a: !!str 5\nb: |\n  two\n  lines\n"),
                "{a: \"5\", b: \"two\\nlines\\n\"}");
    expect_tree(parse_good("\xef\xbb\xbf"
                           "a: 1\n"),
                "{a: 1}");
    expect_tree(parse_good("%YAML 1.1\n---\na: 1\n...\n"), "{a: 1}");
}

static void expect_mark(struct source_mark mark, int line, int column)
{
    SUITE_SAME_TEXT(mark.file, "t.yaml");
    SUITE_SAME_INTEGER(mark.line, line);
    SUITE_SAME_INTEGER(mark.column, column);
}

static void test_marks(void)
{
    struct node *node =
        parse_good("# comment\nhost:\n  memory: {copy: 500 MB/s,\n    pin:  2 us}\n");
    const struct node *memory = node_get(node_get(node, "host"), "memory");
    expect_mark(node->mark, 2, 1);
    expect_mark(memory->key_mark, 3, 3);
    expect_mark(memory->mark, 3, 11);
    expect_mark(node_get(memory, "copy")->mark, 3, 18);
    expect_mark(node_get(memory, "pin")->key_mark, 4, 5);
    expect_mark(node_get(memory, "pin")->mark, 4, 11);
    node_free(node);
}

static void test_aliases(void)
{
    expect_tree(parse_good("a: &x {p: 1, q: &y [2, 3]}\nb: *x\nc: [*y, *y]\n"),
                "{a: {p: 1, q: [2, 3]}, b: {p: 1, q: [2, 3]}, c: [[2, 3], [2, 3]]}");
    expect_tree(parse_good("x: {&k key: 1}\nb: *k\n*k : 2\n"), "{x: {key: 1}, b: key, key: 2}");
    struct node *node = parse_good("a: &x {p: 1}\nbb: *x\n");
    expect_mark(node_get(node, "bb")->key_mark, 2, 1);
    expect_mark(node_get(node_get(node, "bb"), "p")->mark, 1, 11);
    node_free(node);
    expect_complaint("a: *x\n", "t.yaml:1:4: error: a: there is no anchor &x");
    expect_complaint("a: &x {b: *x}\n", "t.yaml:1:11: error: a.b: there is no anchor &x");
}

static void test_broken(void)
{
    static const struct {
        const char *text, *part;
    } bads[] = {
        {"", "t.yaml:1:1: error: the file is empty"},
        {"# only a comment\n", "the file is empty"},
        {"a: 1\nb: [1, 2\nc: 3\n",
         "t.yaml:3:2: error: b[2]: not YAML: did not find expected ',' or ']'"},
        {"a: {b: 1", "not YAML"},
        {"a:\n\t- b\n",
         "t.yaml:2:1: error: a: not YAML: found character that cannot start any token"},
        {"a: @x\n", "needs quotes"},
        {"a: 'open\n", "not YAML"},
        {"a: b: c\n", "t.yaml:1:5: error: not YAML: mapping values are not allowed"},
        {"a: 1\n---\nb: 2\n", "t.yaml:2:1: error: a second document starts here"},
        {"a: 1\nb: 2\na: 3\n",
         "t.yaml:3:1: error: a: duplicate key, first given in line 1 column 1"},
        {"x: {a: 1, b: 2, a: 3}\n",
         "t.yaml:1:17: error: x.a: duplicate key, first given in line 1 column 5"},
        {"[1, 2]: 3\n", "t.yaml:1:1: error: a key must be a plain text"},
        {"~: 3\n", "a key must be a plain text"},
        {"a: &x {b: 1}\nc:\n  <<: *x\n",
         "t.yaml:3:3: error: c: the merge key << is not supported (use include"},
        {"a: !!binary aGVsbG8=\n",
         "t.yaml:1:4: error: a: tags such as tag:yaml.org,2002:binary are not"},
        {"a: !mine {b: 1}\n", "tags such as !mine are not supported"},
        {"a: !!set {b}\n", "tags such as"},
        {"a: \"x\\0y\"\n", "t.yaml:1:4: error: a: a text may not contain the character NUL"},
        {"a: 1\nb: \xff\xfe\n", "t.yaml:2:4: error: not YAML: invalid leading UTF-8 octet"},
        {"a: \x01\n", "t.yaml:1:4: error: not YAML: control characters are not allowed"},
        {"include: other.yaml\na: 1\n",
         "t.yaml:1:10: error: include: no file can be included here"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bads); i++)
        expect_complaint(bads[i].text, bads[i].part);
}

static void test_nul_byte(void)
{
    static const char text[] = "a: 1\nb: \0x\n";
    struct diag_list *diags = diag_list_new();
    CU_ASSERT_PTR_NULL(node_parse(text, sizeof text - 1, "t.yaml", NULL, diags));
    char *complaints = fake_complaints(diags);
    SUITE_CONTAINS(complaints, "t.yaml:2:4: error: not YAML: control characters are not allowed");
    g_free(complaints);
    diag_list_free(diags);
}

// ---- Hostile input ----

// Refused, and within a second even under a sanitizer.
static void expect_fast(GString *text, const char *part)
{
    clock_t start = clock();
    expect_complaint(text->str, part);
    CU_ASSERT_TRUE(clock() - start < 5 * CLOCKS_PER_SEC);
    g_string_free(text, TRUE);
}

static void test_anchor_bomb(void)
{
    GString *text = g_string_new("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 40; i++)
        g_string_append_printf(text, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n",
                               i, i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    expect_fast(text, "t.yaml:6:15: error: a5[1]: more than 100000 values");
}

static void test_depth(void)
{
    static const char *const openers[] = {"[", "{a: ", "- ", "? "};
    for (size_t i = 0; i < G_N_ELEMENTS(openers); i++) {
        GString *text = g_string_new(NULL);
        for (int depth = 0; depth < 10000; depth++)
            g_string_append(text, openers[i]);
        expect_fast(text, "nested more than 64 levels deep");
    }
}

// Aliases do not get round the limit of depth.
static void test_depth_by_aliases(void)
{
    GString *text = g_string_new("a0: &a0 [x]\n");
    for (int i = 1; i < 80; i++)
        g_string_append_printf(text, "a%d: &a%d [*a%d]\n", i, i, i - 1);
    expect_fast(text, "nested more than 64 levels deep");
}

// `lists` lists, one in another, around a value.
static char *nested(int lists, const char *value)
{
    char *opening = g_strnfill((gsize)lists, '['), *closing = g_strnfill((gsize)lists, ']');
    char *text = g_strconcat(opening, value, closing, NULL);
    g_free(closing);
    g_free(opening);
    return text;
}

// 64 levels are read, the value among them, and no more. An alias counts from where it stands.
static void test_depth_limit(void)
{
    char *most = nested(63, "x"), *more = nested(64, "x");
    expect_tree(parse_good(most), most);
    expect_complaint(more, "nested more than 64 levels deep");
    for (int lists = 60; lists <= 61; lists++) { // in a list, around two lists and a value
        char *inner = nested(lists, "*a"), *text = g_strdup_printf("- &a [[x]]\n- %s\n", inner);
        if (lists == 60)
            node_free(parse_good(text));
        else
            expect_complaint(text, "nested more than 64 levels deep");
        g_free(text);
        g_free(inner);
    }
    g_free(more);
    g_free(most);
}

static void test_garbage(void)
{
    GRand *random = g_rand_new_with_seed(7);
    GString *text = g_string_new(NULL);
    for (int i = 0; i < 10 * 1024 * 1024; i++)
        g_string_append_c(text, (char)g_rand_int_range(random, 1, 256));
    g_rand_free(random);
    struct diag_list *diags = diag_list_new();
    char *directory = temporary_directory();
    char *file = temporary_file(directory, "garbage.yaml", text->str);
    clock_t start = clock();
    CU_ASSERT_PTR_NULL(node_load(file, diags));
    CU_ASSERT_TRUE(clock() - start < CLOCKS_PER_SEC);
    char *complaints = fake_complaints(diags);
    SUITE_CONTAINS(complaints, "garbage.yaml: error: the file is larger than 1048576 bytes");
    g_free(complaints);
    g_free(file);
    temporary_remove(directory);
    diag_list_free(diags);
    g_string_set_size(text, NODE_MAX_FILE_BYTES - 1);
    expect_fast(text, "not YAML");
}

static void test_long_lines(void)
{
    char *line = g_strnfill(500000, 'x');
    char *text = g_strdup_printf("a: %s\n", line), *key = g_strdup_printf("%s: 1\n", line);
    struct node *node = parse_good(text);
    SUITE_SAME_INTEGER((long long)strlen(node_get(node, "a")->text), 500000);
    node_free(node);
    expect_complaint(key, "not YAML");
    g_free(line);
    g_free(text);
    g_free(key);
}

// ---- Merging ----

static void expect_merge(const char *base, const char *over, const char *merged)
{
    struct node *a = base ? parse_good(base) : NULL, *b = over ? parse_good(over) : NULL;
    expect_tree(node_merge(a, b), merged);
    node_free(a);
    node_free(b);
}

static void test_merge(void)
{
    expect_merge("{a: 1, b: {c: 2, d: 3}}", "{b: {d: 4, e: 5}, f: 6}",
                 "{a: 1, b: {c: 2, d: 4, e: 5}, f: 6}");
    expect_merge("{a: {b: 1}}", "{a: 2}", "{a: 2}");
    expect_merge("{a: 2}", "{a: {b: 1}}", "{a: {b: 1}}");
    expect_merge("{a: [1, 2, 3]}", "{a: [4]}", "{a: [4]}");
    expect_merge("{a: 1}", "{a: null}", "{a: null}");
    expect_merge("{a: {value: 1, source: x, chosen_for: y}}", "{a: {value: 2, source: z}}",
                 "{a: {value: 2, source: z}}");
    expect_merge("{a: {value: 1, other: x}}", "{a: {value: 2}}", "{a: {value: 2, other: x}}");
    expect_merge(NULL, "{a: 1}", "{a: 1}");
    expect_merge("{a: 1}", NULL, "{a: 1}");
    CU_ASSERT_PTR_NULL(node_merge(NULL, NULL));
}

// Values keep the place they came from.
static void test_merge_marks(void)
{
    struct node *base = parse_good("x: 1\na:\n  b: 1\n  c: 2\n");
    struct node *over = parse_good("a: {c: 3}\n");
    struct node *merged = node_merge(base, over);
    expect_mark(node_get(node_get(merged, "a"), "b")->mark, 3, 6);
    expect_mark(node_get(node_get(merged, "a"), "c")->mark, 1, 8);
    expect_mark(node_get(node_get(merged, "a"), "c")->key_mark, 1, 5);
    node_free(base);
    node_free(over);
    node_free(merged);
}

// ---- Paths ----

static void test_set(void)
{
    static const struct {
        const char *tree, *path, *value, *result;
    } goods[] = {
        {"{a: 1}", "a", "2", "{a: 2}"},
        {"{a: 1}", "b", "64 KiB", "{a: 1, b: 64 KiB}"},
        {"{a: 1}", "b.c.d", "2", "{a: 1, b: {c: {d: 2}}}"},
        {"{a: {b: 1, c: 2}}", "a.b", "{x: 3}", "{a: {b: {x: 3}, c: 2}}"},
        {"{a: {b: 1, c: 2}}", "a", "{b: 3}", "{a: {b: 3, c: 2}}"},
        {"{a: {b: 1}}", "a", "[1, 2]", "{a: [1, 2]}"},
        {"{a: [{b: 1}, {b: 2}]}", "a[1].b", "3", "{a: [{b: 1}, {b: 3}]}"},
        {"{a: [[1, 2], 3]}", "a[0][1]", "4", "{a: [[1, 4], 3]}"},
        {"{a: [{b: 1}]}", "a[0]", "{c: 2}", "{a: [{b: 1, c: 2}]}"},
        {"{a: null}", "a.b", "1", "{a: {b: 1}}"},
        {"{a: 1}", "a", "null", "{a: null}"},
        {"{a: 1}", "a", "'2'", "{a: \"2\"}"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(goods); i++) {
        struct node *tree = parse_good(goods[i].tree);
        struct diag_list *diags = diag_list_new();
        CU_ASSERT(node_set(&tree, goods[i].path, goods[i].value, "--set it", diags));
        char *complaints = fake_complaints(diags);
        SUITE_SAME_TEXT(complaints, "");
        expect_tree(tree, goods[i].result);
        g_free(complaints);
        diag_list_free(diags);
    }
}

static void test_unset(void)
{
    static const struct {
        const char *tree, *path, *result; // NULL: there is no such key
    } cases[] = {
        {"{a: 1}", "a", "{}"},
        {"{a: 1, b: 2}", "b", "{a: 1}"},
        {"{a: null}", "a", "{}"},
        {"{a: {b: 1, c: 2}}", "a.b", "{a: {c: 2}}"},
        {"{a: {b: {c: 1}}}", "a.b", "{a: {}}"},
        {"{a: [{b: 1}, {b: 2}]}", "a[1].b", "{a: [{b: 1}, {}]}"},
        {"{a: [[1, {b: 2}]]}", "a[0][1].b", "{a: [[1, {}]]}"},
        {"{a: 1}", "b", NULL},
        {"{a: 1}", "a.b", NULL},
        {"{a: 1}", "b.c.d", NULL},
        {"{a: [1]}", "a[0]", NULL},
        {"{a: [{b: 1}]}", "a[1].b", NULL},
        {"{a: [{b: 1}]}", "a[99999999999999999999].b", NULL},
        {"{a: [{b: 1}]}", "a[0]b", NULL},
        {"{a: [{b: 1}]}", "a[0", NULL},
        {"{a: [{b: 1}]}", "a[x].b", NULL},
        {"{a: [{b: 1}]}", "a[].b", NULL},
        {"{a: {b: 1}}", "a[0].b", NULL},
        {"{a: {b: 1}}", "a.", NULL},
        {"{a: {b: 1}}", "", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        struct node *tree = parse_good(cases[i].tree);
        CU_ASSERT_EQUAL(node_unset(tree, cases[i].path), cases[i].result != NULL);
        expect_tree(tree, cases[i].result ? cases[i].result : cases[i].tree);
    }
    CU_ASSERT_FALSE(node_unset(NULL, "a"));
}

static void test_set_marks(void)
{
    struct node *tree = NULL;
    struct diag_list *diags = diag_list_new();
    CU_ASSERT(node_set(&tree, "a.b", "{c: 1}", "--set a.b={c: 1}", diags));
    const struct node *c = node_get(node_get(node_get(tree, "a"), "b"), "c");
    SUITE_SAME_TEXT(c->mark.file, "--set a.b={c: 1}");
    SUITE_SAME_INTEGER(c->mark.line, 0);
    SUITE_SAME_INTEGER(c->key_mark.line, 0);
    node_free(tree);
    diag_list_free(diags);
}

static void test_set_refused(void)
{
    static const struct {
        const char *tree, *path, *value, *part;
    } bads[] = {
        {"{a: 1}", "a.b", "2",
         "--set it: error: a.b: behind \"a.\" a key stands, but there is no map"},
        {"{a: 1}", "a[0]", "2", "behind \"a\" a number in brackets stands, but there is no list"},
        {"{a: [1]}", "a[1]", "2", "the list has only 1 items (numbers start at 0)"},
        {"{a: [1]}", "a[99999999999999999999]", "2", "the list has only 1 items"},
        {"{a: [1]}", "a[x]", "2", "a number in brackets is expected"},
        {"{a: [1]}", "a[-1]", "2", "a number in brackets is expected"},
        {"{a: [1]}", "a[0", "2", "a number in brackets is expected"},
        {"{a: [1]}", "a[0]b", "2", "a dot or bracket is expected"},
        {"{a: [1]}", "a.b", "2", "there is no map"},
        {"{a: {}}", "a..b", "2", "a key is expected"},
        {"{a: {}}", "a.", "2", "a key is expected"},
        {"{a: {}}", "", "2", "a key is expected"},
        {"{a: {}}", "a", "[1", "--set it: error: a: not YAML"},
        {"{a: {}}", "a", "{b: 1, b: 2}", "--set it: error: a: duplicate key"},
        {"{a: {}}", "a", "{include: x}", "no file can be included here"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(bads); i++) {
        struct node *tree = parse_good(bads[i].tree);
        struct diag_list *diags = diag_list_new();
        CU_ASSERT_FALSE(node_set(&tree, bads[i].path, bads[i].value, "--set it", diags));
        char *complaints = fake_complaints(diags);
        SUITE_CONTAINS(complaints, bads[i].part);
        g_free(complaints);
        node_free(tree);
        diag_list_free(diags);
    }
    struct node *tree = NULL;
    struct diag_list *diags = diag_list_new();
    GString *path = g_string_new("a");
    for (int i = 0; i < 100000; i++)
        g_string_append(path, ".a");
    CU_ASSERT_FALSE(node_set(&tree, path->str, "1", "--set it", diags));
    g_string_free(path, TRUE);
    node_free(tree);
    diag_list_free(diags);
}

static void test_json(void)
{
    struct node *node = parse_good("{a: 1, b: 1.5, c: true, d: null, e: '1', f: 64 KiB, g: [0x1, "
                                   "-3, 1e3, 007, 99999999999999999999, .nan, e, \"-\"]}");
    json_t *json = node_json(node);
    char *text = json_dumps(json, 0);
    SUITE_SAME_TEXT(text, "{\"a\": 1, \"b\": 1.5, \"c\": true, \"d\": null, \"e\": \"1\", \"f\": "
                          "\"64 KiB\", \"g\": [\"0x1\", -3, 1000.0, 7.0, 1e20, \".nan\", \"e\", "
                          "\"-\"]}");
    free(text);
    json_decref(json);
    node_free(node);
}

// ---- Included files ----

static struct node *load_in(const char *directory, const char *name, char **complaints)
{
    struct diag_list *diags = diag_list_new();
    char *file = g_build_filename(directory, name, NULL);
    struct node *node = node_load(file, diags);
    *complaints = fake_complaints(diags);
    diag_list_free(diags);
    g_free(file);
    return node;
}

static void write_file(const char *directory, const char *name, const char *text)
{
    g_free(temporary_file(directory, name, text));
}

static void test_include(void)
{
    char *directory = temporary_directory(), *complaints;
    write_file(
        directory, "main.yaml",
        "a: 1\ninclude: parts/one.yaml\nm: {include: [parts/two.yaml, parts/three.yaml], x: 1}\n");
    write_file(directory, "parts/one.yaml", "a: 2\nb: {c: 3}\ninclude: two.yaml\n");
    write_file(directory, "parts/two.yaml", "x: 5\ny: 6\n");
    write_file(directory, "parts/three.yaml", "y: 7\n");
    struct node *node = load_in(directory, "main.yaml", &complaints);
    SUITE_SAME_TEXT(complaints, "");
    const struct node *c = node_get(node_get(node, "b"), "c");
    char *name = g_path_get_basename(c->mark.file);
    SUITE_SAME_TEXT(name, "one.yaml");
    SUITE_SAME_INTEGER(c->mark.line, 2);
    g_free(name);
    expect_tree(node, "{x: 5, y: 6, a: 1, b: {c: 3}, m: {x: 1, y: 7}}");
    g_free(complaints);
    temporary_remove(directory);
}

static void expect_load(const char *directory, const char *name, const char *part)
{
    char *complaints;
    struct node *node = load_in(directory, name, &complaints);
    CU_ASSERT_PTR_NULL(node);
    SUITE_CONTAINS(complaints, part);
    node_free(node);
    g_free(complaints);
}

static void test_include_refused(void)
{
    char *directory = temporary_directory();
    write_file(directory, "self.yaml", "x: 1\ninclude: self.yaml\n");
    write_file(directory, "a.yaml", "include: b.yaml\n");
    write_file(directory, "b.yaml", "k: {include: ./c.yaml}\n");
    write_file(directory, "c.yaml", "include: b.yaml\n");
    write_file(directory, "missing.yaml", "a: 1\nb:\n  include: nowhere.yaml\n");
    write_file(directory, "list.yaml", "include: items.yaml\n");
    write_file(directory, "items.yaml", "[1, 2]\n");
    write_file(directory, "number.yaml", "include: {a: 1}\n");
    write_file(directory, "broken.yaml", "include: bad.yaml\n");
    write_file(directory, "bad.yaml", "a: [\n");
    write_file(directory, "dir.yaml", "include: .\n");
    expect_load(
        directory, "self.yaml",
        "self.yaml:2:10: error: include: the file includes itself: self.yaml includes self.yaml");
    expect_load(directory, "a.yaml",
                "c.yaml:1:10: error: include: the file includes itself: b.yaml includes c.yaml "
                "includes b.yaml");
    expect_load(directory, "missing.yaml", "missing.yaml:3:12: error: include: cannot read ");
    expect_load(directory, "missing.yaml", "nowhere.yaml: No such file or directory");
    expect_load(directory, "list.yaml",
                "list.yaml:1:10: error: include: an included file must hold a map");
    expect_load(directory, "number.yaml", "the name of a file is expected");
    expect_load(directory, "broken.yaml", "bad.yaml:2:1: error: a[0]: not YAML");
    expect_load(directory, "dir.yaml", "Is a directory");
    expect_load(directory, "absent.yaml", "absent.yaml: error: cannot read");
    temporary_remove(directory);
}

// Includes of foreign files: they may never end, or hold secrets.
static void test_include_foreign(void)
{
    char *directory = temporary_directory(), *complaints;
    char *fifo = g_build_filename(directory, "fifo", NULL);
    CU_ASSERT_EQUAL_FATAL(mkfifo(fifo, 0600), 0);
    write_file(directory, "fifo.yaml", "include: fifo\n");
    write_file(directory, "device.yaml", "include: /dev/zero\n");
    write_file(directory, "accounts.yaml", "a: 1\ninclude: accounts\n");
    write_file(directory, "accounts", "root:$y$hidden:1:0:::\ndaemon:*:1:0:::\n");
    expect_load(directory, "fifo.yaml", "fifo.yaml:1:10: error: include: cannot read ");
    expect_load(directory, "fifo.yaml", "fifo: it is no regular file");
    expect_load(directory, "device.yaml", "cannot read /dev/zero: it is no regular file");
    // Below /proc some have a size of 0 and something to read all the same.
    write_file(directory, "proc.yaml", "include: /proc/self/status\n");
    expect_load(directory, "proc.yaml", "/proc/self/status:1:1: error: the file is empty");
    struct node *node = load_in(directory, "accounts.yaml", &complaints);
    CU_ASSERT_PTR_NULL(node);
    SUITE_CONTAINS(complaints, "accounts:1:1: error: this can be no key");
    CU_ASSERT_PTR_NULL(strstr(complaints, "hidden"));
    CU_ASSERT_PTR_NULL(strstr(complaints, "daemon"));
    g_free(complaints);
    g_free(fifo);
    temporary_remove(directory);
}

// Many includes of a file that includes many: counted, not followed for ever.
static void test_include_bomb(void)
{
    char *directory = temporary_directory();
    GString *text = g_string_new("include: [x0.yaml");
    for (int i = 0; i < 50; i++)
        g_string_append(text, ", x0.yaml");
    g_string_append(text, "]\n");
    for (int i = 0; i < 10; i++) {
        char *name = g_strdup_printf("x%d.yaml", i);
        char *next = g_strdup_printf("include: [x%d.yaml, x%d.yaml]\n", i + 1, i + 1);
        write_file(directory, name, i == 9 ? "z: 1\n" : next);
        g_free(name);
        g_free(next);
    }
    write_file(directory, "main.yaml", text->str);
    expect_load(directory, "main.yaml", "more than 100 files are included");
    g_string_free(text, TRUE);
    temporary_remove(directory);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"trees", test_trees},
        {"places", test_marks},
        {"aliases are copied out", test_aliases},
        {"broken YAML", test_broken},
        {"a NUL byte", test_nul_byte},
        {"an anchor bomb", test_anchor_bomb},
        {"deep nesting", test_depth},
        {"deep nesting by aliases", test_depth_by_aliases},
        {"64 levels and no more", test_depth_limit},
        {"10 MB of garbage", test_garbage},
        {"long lines", test_long_lines},
        {"merging", test_merge},
        {"merging keeps places", test_merge_marks},
        {"setting a path", test_set},
        {"a key can be removed at a path", test_unset},
        {"places of what was set", test_set_marks},
        {"paths that do not fit", test_set_refused},
        {"JSON", test_json},
        {"included files", test_include},
        {"includes that go wrong", test_include_refused},
        {"an include bomb", test_include_bomb},
        {"files that no include may name", test_include_foreign},
        {0},
    };
    return suite_run("config: node", cases);
}
