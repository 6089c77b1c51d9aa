// SPDX-License-Identifier: GPL-3.0-or-later
// The operations of sim/ and of the shipped models: their tables are sound, and programs that need
// operations that a stack lacks are refused before anything runs.
#include "sim/config/param_kind.h"
#include "sim/model/model.h"
#include "sim/run/schema.h"
#include "sim/scenario/schema.h"
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

#include <string.h>

#define MOST_ORDER 5

static void check_key(const struct operation_kind *kind, const struct operation_key *key)
{
    const struct param *param = &key->param;
    CU_ASSERT_PTR_NOT_NULL(param->doc);
    CU_ASSERT(param->offset < operation_arguments_size(kind));
    CU_ASSERT_PTR_NULL(param_types[param->kind].clear);
    CU_ASSERT_PTR_EQUAL(operation_key(kind, param->name), key);
    // A word stands for a number that no program can give.
    if (key->word)
        CU_ASSERT(operation_key_computes(key) && (!param->least || param->least[0] != '-'));
}

static void check_table(const struct operation_kind *table)
{
    for (int code = 0; table[code].name; code++) {
        const struct operation_kind *kind = &table[code];
        SUITE_SAME_INTEGER(kind->code, code);
        CU_ASSERT_PTR_NOT_NULL(kind->doc);
        CU_ASSERT_PTR_EQUAL(operation_find(table, kind->name), kind);
        CU_ASSERT(kind->order >= 0 && kind->order <= MOST_ORDER);
        for (const struct operation_key *key = kind->keys; key && key->param.name; key++)
            check_key(kind, key);
        g_free(operation_arguments_new(kind)); // reads all defaults
    }
}

static void test_tables(void)
{
    struct scenario_schema *schema = registry_schema(&model_registry);
    int tables = 0;
    check_table(operation_table);
    for (const struct operation_kind *const *table = schema->operations; *table; table++, tables++)
        check_table(*table);
    CU_ASSERT(tables >= 2);
    // Each operation that a stack lists exists.
    for (const struct stack_schema *stack = schema->stacks; stack->name; stack++)
        for (const char *const *name = stack->operations; name && *name; name++)
            CU_ASSERT(operation_find(operation_table, *name) || operation_find(stack->own, *name));
    registry_schema_free(schema);
}

static void test_refused(void)
{
    static const struct {
        const char *stack, *operation, *part;
    } samples[] = {
        {"armci", "{put: {to: 1, size: 1 B, notify: true}}", "put.notify: unknown key"},
        {"armci", "{get: {from: 1, size: 1 B, physical: true}}", "get.physical: unknown key"},
        {"armci", "{poll: 1}", "the stack armci has no poll (it has send, "},
        {"grim", "{get: {from: 1, size: 1 B, physical: true}}", "get.physical: unknown key"},
        {"grim", "{put: {to: 1, segments: [{bytes: 1 B, count: 1}]}}", "put.segments: unknown key"},
        {"grim", "{put: {to: 1, size: 1 B, channel: 1}}",
         "put.channel: \"1\": the value is too large (at most 0)"},
        {"grim", "{fence: all}", "the stack grim has no fence"},
        {"grim", "{call: dance}",
         "GRIM has no call \"dance\": there are register, register.NAME, lookup.NAME, scan and "
         "notified"},
        {"grim", "{call: lookup}", "GRIM has no call \"lookup\""},
        {"grim", "{call: scan.all}", "GRIM has no call \"scan.all\""},
        {"grim", "{call: {count: 1}}", "call: the key name is missing"},
        {"lam_via", "{put: {to: 1, size: 1 B}}", "the stack lam_via has no put"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(samples); i++) {
        struct test_program program = {
            .ranks = 2, .stack = samples[i].stack, .ops = {samples[i].operation}};
        char *complaints = program_complaints(&program);
        SUITE_CONTAINS(complaints, samples[i].part);
        g_free(complaints);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"tables", test_tables}, {"what is refused", test_refused}, {0}};
    return suite_run("workload: operations of shipped models", cases);
}
