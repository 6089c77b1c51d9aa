// SPDX-License-Identifier: GPL-3.0-or-later
// Maps as tables: what is read into a struct, what is refused with which words, and the schema.
#include "sim/config/param_map.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <string.h>

struct part {
    const char *name;
    int64_t size;
};

struct whole {
    int64_t count;
    const char *text;
    struct part part;
    GPtrArray *parts; // struct part *
    int64_t twice;
    char *made;
};

static bool read_twice(const struct param_reading *reading)
{
    if (reading->node->kind != NODE_SCALAR)
        return param_refuse(reading, NULL, "write it twice", "this is read %s", "twice");
    *(int64_t *)reading->field = 2 * ((const struct whole *)reading->map->values)->count;
    return true;
}

static bool finish_part(const struct param_map *map)
{
    const struct whole *whole = map->above->values;
    struct part *part = map->values;
    part->size += whole->count + *(const int *)map->context;
    return true;
}

static bool finish_whole(const struct param_map *map)
{
    ((struct whole *)map->values)->made = g_strdup("made");
    return true;
}

static void init_whole(void *values)
{
    ((struct whole *)values)->twice = -1;
}

static void clear_whole(void *values)
{
    g_free(((struct whole *)values)->made);
}

static const struct param part_rows[] = {
    PARAM(struct part, name, PARAM_NODE, .node = &param_node_name, .doc = "the part's name"),
    PARAM(struct part, size, PARAM_SIZE, .fallback = "1 KiB", .doc = "its size"),
    {0}};
static const struct param_table part_table =
    PARAM_TABLE(struct part, part_rows, .noun = "a part", .finish = finish_part, .doc = "a part");

static const struct param_node twice = {
    .read = read_twice, .form = "anything", .schema = PARAM_SCHEMA_TEXT};

static const struct param whole_rows[] = {
    PARAM(struct whole, count, PARAM_COUNT, .least = "1", .most = "9", .doc = "how many"),
    PARAM(struct whole, text, PARAM_STRING, .optional = true, .noun = "a word", .doc = "said"),
    PARAM(struct whole, part, PARAM_MAP, .table = &part_table, .optional = true, .doc = "one"),
    PARAM(struct whole, parts, PARAM_LIST, .table = &part_table, .noun = "a list of parts",
          .least = "1", .optional = true, .doc = "write parts: [{name: a}]"),
    PARAM(struct whole, twice, PARAM_NODE, .node = &twice, .optional = true, .doc = "twice"),
    {0}};
#define WHOLE(...)                                                                                 \
    PARAM_TABLE(struct whole, whole_rows, .noun = "a whole", .init = init_whole,                   \
                .finish = finish_whole, .clear = clear_whole, .doc = "a whole", __VA_ARGS__)
static const struct param_table whole_table = WHOLE(.name = "w");
static const struct param_table ordered_table = WHOLE(.name = "o", .in_order = true);

// Reads a text; the complaints, which the caller frees.
static char *read_whole(const struct param_table *table, const char *text, struct whole *whole,
                        bool *good)
{
    static const int context = 5;
    struct diag_list *diags = diag_list_new();
    struct node *node = node_parse(text, strlen(text), "f", NULL, diags);
    *whole = (struct whole){0};
    init_whole(whole);
    const struct param_map map = {table, node, "w", whole, NULL, &context, diags};
    *good = param_map_read(&map);
    char *complaints = fake_complaints(diags);
    node_free(node);
    diag_list_free(diags);
    return complaints;
}

static void test_read(void)
{
    struct whole whole;
    bool good;
    char *complaints = read_whole(&whole_table,
                                  "{count: 3, text: hi, part: {name: p}, "
                                  "parts: [{name: a, size: 2 B}, {name: b}], twice: x}",
                                  &whole, &good);
    SUITE_SAME_TEXT(complaints, "");
    CU_ASSERT_TRUE(good);
    SUITE_SAME_INTEGER(whole.count, 3);
    SUITE_SAME_TEXT(whole.text, "hi");
    SUITE_SAME_TEXT(whole.part.name, "p");
    SUITE_SAME_INTEGER(whole.part.size, 1024 + 3 + 5);
    SUITE_SAME_INTEGER(whole.parts->len, 2);
    SUITE_SAME_INTEGER(((const struct part *)g_ptr_array_index(whole.parts, 0))->size, 2 + 3 + 5);
    SUITE_SAME_TEXT(((const struct part *)g_ptr_array_index(whole.parts, 1))->name, "b");
    SUITE_SAME_INTEGER(whole.twice, 6);
    SUITE_SAME_TEXT(whole.made, "made");
    param_map_clear(&whole_table, &whole);
    g_free(complaints);
    complaints = read_whole(&whole_table, "{count: 1}", &whole, &good);
    CU_ASSERT_TRUE(good);
    CU_ASSERT_PTR_NULL(whole.text);
    CU_ASSERT_PTR_NULL(whole.parts);
    SUITE_SAME_INTEGER(whole.twice, -1);
    param_map_clear(&whole_table, &whole);
    g_free(complaints);
}

static void refused(const struct param_table *table, const char *text, const char *expected)
{
    struct whole whole;
    bool good;
    char *complaints = read_whole(table, text, &whole, &good);
    SUITE_SAME_TEXT(complaints, expected);
    CU_ASSERT_FALSE(good);
    param_map_clear(table, &whole);
    g_free(complaints);
}

static void test_refused(void)
{
    refused(&whole_table, "5", "f:1:1: error: w: a whole is expected here, not text\n");
    refused(&whole_table, "{}", "f:1:1: error: w.count: must be given (how many)\n");
    refused(&whole_table, "{count: 1, cont: 2}",
            "f:1:12: error: w.cont: unknown key (did you mean count?)\n");
    refused(&whole_table, "{count: 1, text: [a]}",
            "f:1:18: error: w.text: a word is expected here, not a list\n");
    refused(&whole_table, "{count: 1, parts: {}}",
            "f:1:19: error: w.parts: a list of parts is expected here, not a map\n");
    refused(&whole_table, "{count: 1, parts: []}",
            "f:1:19: error: w.parts: the list is empty (write parts: [{name: a}])\n");
    refused(&whole_table, "{count: 1, parts: [{size: 1}, x], twice: []}",
            "f:1:20: error: w.parts[0].name: must be given (the part's name)\n"
            "f:1:27: error: w.parts[0].size: \"1\": missing unit (write for example 1 B; units are "
            "B, kB, MB, GB, KiB, MiB, GiB)\n"
            "f:1:31: error: w.parts[1]: a part is expected here, not text\n"
            "f:1:42: error: w.twice: this is read twice (write it twice)\n");
    refused(&ordered_table, "{count: 10, parts: [], twice: []}",
            "f:1:9: error: w.count: 10 is too large (the range is 1 .. 9)\n");
}

static void test_schema(void)
{
    json_t *schema = param_map_schema(&whole_table);
    char *text = json_dumps(schema, JSON_COMPACT);
    SUITE_CONTAINS(text, "\"required\":[\"count\"]");
    SUITE_CONTAINS(text, "\"count\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":9,"
                         "\"description\":\"how many\"}");
    SUITE_CONTAINS(text, "\"parts\":{\"type\":\"array\",\"items\":{\"type\":\"object\"");
    SUITE_CONTAINS(text, "\"twice\":{\"type\":\"string\",\"description\":\"twice\"}");
    free(text);
    json_decref(schema);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"what is read", test_read},
        {"what is refused", test_refused},
        {"the schema", test_schema},
        {0},
    };
    return suite_run("config: maps as tables", cases);
}
