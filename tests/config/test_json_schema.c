// SPDX-License-Identifier: GPL-3.0-or-later
// The JSON Schema for editors: it names every key and parameter, refuses others, and all its
// references lead somewhere. That real scenarios pass it is tested by test_json_schema.py, with a
// validator.
#include "sim/scenario/json_schema.h"
#include "sim/scenario/keys.h"
#include "tests/support/fake_schema.h"
#include "tests/support/suite.h"

#include <string.h>

static json_t *follow(json_t *json, const char *pointer)
{
    char **keys = g_strsplit(pointer, "/", -1);
    for (int i = 0; keys[i] && json; i++)
        json = json_object_get(json, keys[i]);
    g_strfreev(keys);
    return json;
}

// Follows every $ref below `json`, and returns how many there are.
static int check_references(json_t *schema, json_t *json)
{
    int count = 0;
    const char *key;
    json_t *value;
    size_t index;
    json_object_foreach(json, key, value)
    {
        const char *pointer = json_string_value(value);
        if (strcmp(key, "$ref") == 0 && pointer) {
            CU_ASSERT_FATAL(g_str_has_prefix(pointer, "#/"));
            if (!follow(schema, pointer + 2))
                SUITE_SAME_TEXT(pointer, "a reference that leads somewhere");
            count++;
        }
        count += check_references(schema, value);
    }
    json_array_foreach(json, index, value) count += check_references(schema, value);
    return count;
}

static void test_references(void)
{
    json_t *schema = scenario_json_schema(&fake_schema);
    CU_ASSERT_PTR_NOT_NULL_FATAL(schema);
    CU_ASSERT(check_references(schema, schema) > 30);
    json_decref(schema);
}

static void test_keys(void)
{
    json_t *schema = scenario_json_schema(&fake_schema);
    json_t *properties = json_object_get(schema, "properties");
    SUITE_SAME_TEXT(json_string_value(json_object_get(schema, "$schema")),
                    "https://json-schema.org/draft/2020-12/schema");
    CU_ASSERT(json_is_false(json_object_get(schema, "additionalProperties")));
    for (const struct scenario_key *key = scenario_keys; key->name; key++) {
        json_t *described = json_object_get(properties, key->name);
        CU_ASSERT_PTR_NOT_NULL(described);
        SUITE_SAME_TEXT(json_string_value(json_object_get(described, "description")), key->doc);
    }
    for (const struct scenario_section *section = fake_schema.sections; section->path; section++) {
        for (const struct param *param = section->table->params; param->name; param++) {
            char *path = g_strdup_printf("$defs/%s/properties/%s", section->path, param->name);
            CU_ASSERT_PTR_NOT_NULL(follow(schema, path));
            g_free(path);
        }
    }
    CU_ASSERT_PTR_NOT_NULL(follow(properties, "host/properties/memory/properties/copy_hot"));
    CU_ASSERT(json_is_false(follow(properties, "host/properties/memory/additionalProperties")));
    CU_ASSERT_PTR_NOT_NULL(
        follow(properties, "series/items/properties/set/properties/fake_rpi.tiny"));
    CU_ASSERT_PTR_NOT_NULL(follow(properties, "links/items/properties/rate"));
    CU_ASSERT_PTR_NOT_NULL(follow(properties, "switches/items/properties/ports"));
    json_decref(schema);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"references", test_references},
        {"keys", test_keys},
        {0},
    };
    return suite_run("config: JSON Schema", cases);
}
