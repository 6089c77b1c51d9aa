// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/scenario/rule.h"

#include "sim/config/reader.h"

#include <string.h>

// ---- Findings ----

bool rule_says(struct rule_finding *finding, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_free(finding->text);
    finding->text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    return true;
}

void rule_at(struct rule_finding *finding, const struct param_values *values, const char *name)
{
    finding->mark = param_place(values, name);
    g_free(finding->path);
    finding->path = reader_path(values->path, name);
}

static void finding_clear(struct rule_finding *finding)
{
    g_free(finding->text);
    g_free(finding->remedy);
    g_free(finding->path);
    g_free(finding->also);
}

// ---- The settings of a rule ----

// The values of the section of "section.parameter"; *name is the parameter.
static const struct param_values *rule_values(const struct scenario_case *test_case,
                                              const char *setting, const char **name)
{
    const char *dot = strrchr(setting, '.');
    char *path = g_strndup(setting, (gsize)(dot - setting));
    const struct param_values *values = scenario_section(test_case, path);
    g_free(path);
    *name = dot + 1;
    return values;
}

static const struct param *rule_param(const struct scenario_case *test_case, const char *setting,
                                      const struct param_values **values)
{
    const char *name;
    *values = rule_values(test_case, setting, &name);
    int index = param_index((*values)->table, name);
    g_assert(index >= 0);
    return &(*values)->table->params[index];
}

bool rule_is_set(const struct scenario_case *test_case, const char *setting)
{
    const char *name;
    const struct param_values *values = rule_values(test_case, setting, &name);
    return !param_is_default(values, name);
}

static bool rule_applies(const struct scenario_case *test_case,
                         const struct scenario_schema *schema, const struct scenario_rule *rule)
{
    for (const char *const *setting = rule->settings; *setting; setting++) {
        const char *dot = strrchr(*setting, '.');
        char *path = g_strndup(*setting, (gsize)(dot - *setting));
        bool reads = scenario_case_reads(test_case, schema, path);
        g_free(path);
        if (!reads)
            return false;
    }
    return true;
}

int64_t rule_setting(const struct scenario_case *test_case, const char *setting)
{
    const struct param_values *values;
    const struct param *param = rule_param(test_case, setting, &values);
    g_assert(param->kind == PARAM_SIZE || param->kind == PARAM_COUNT);
    return *(const int64_t *)((const char *)values->values + param->offset);
}

// The value of a setting with its unit; the caller frees it.
static char *setting_text(const struct scenario_case *test_case, const char *setting)
{
    const struct param_values *values;
    const struct param *param = rule_param(test_case, setting, &values);
    return param_value_text(values, param);
}

// The relation of rules that have no function of their own.
static bool relation_broken(const struct scenario_case *test_case, const struct scenario_rule *rule,
                            struct rule_finding *finding)
{
    const char *first = rule->settings[0], *second = rule->settings[1];
    int64_t value = rule_setting(test_case, first), bound = rule_setting(test_case, second);
    bool most = rule->relation == RULE_AT_MOST;
    if ((most ? bound : value) == 0 ||
        (most ? value <= bound - rule->less : value >= bound - rule->less))
        return false;
    char *has = setting_text(test_case, first), *other = setting_text(test_case, second);
    rule_says(finding, "%s of %s does not go with %s of %s: %s", first, has, second, other,
              rule->because);
    g_free(has);
    g_free(other);
    return true;
}

// ---- All rules ----

static bool is_set_aside(const struct scenario_case *test_case, const struct scenario_rule *rule)
{
    const struct node *list = node_get(test_case->tree, RULE_WHAT_IF_KEY);
    if (!list || !rule->physics)
        return false;
    if (list->kind == NODE_SCALAR)
        return g_strcmp0(list->text, rule->name) == 0;
    for (guint i = 0; i < list->children->len; i++)
        if (g_strcmp0(((const struct node *)g_ptr_array_index(list->children, i))->text,
                      rule->name) == 0)
            return true;
    return false;
}

// Complains at the setting that was made closest to the user.
static void complain_nearest(const struct scenario_case *test_case,
                             const struct scenario_rule *rule, const struct rule_finding *finding,
                             const char *hint, struct diag_list *diags)
{
    const char *names[RULE_SETTINGS + 2] = {NULL};
    int count = 0;
    for (const char *const *setting = rule->settings; *setting; setting++)
        names[count++] = *setting;
    names[count] = finding->also;
    scenario_conflict(test_case, diags, names, hint, "%s", finding->text);
}

static void check_rule(const struct scenario_case *test_case, const struct scenario_schema *schema,
                       const struct scenario_rule *rule, struct diag_list *diags)
{
    struct rule_finding finding = {0};
    if (!rule_applies(test_case, schema, rule))
        return;
    bool broken = rule->broken ? rule->broken(test_case, schema, rule, &finding)
                               : relation_broken(test_case, rule, &finding);
    if (broken) {
        const char *remedy = finding.remedy ? finding.remedy : rule->remedy;
        char *hint = rule->physics ? g_strdup_printf("%s; as a what-if: " RULE_WHAT_IF_KEY ": [%s]",
                                                     remedy, rule->name)
                                   : g_strdup(remedy);
        if (finding.path)
            diag_add(diags, finding.mark, finding.path, hint, "%s", finding.text);
        else
            complain_nearest(test_case, rule, &finding, hint, diags);
        g_free(hint);
    }
    finding_clear(&finding);
}

void rules_check(const struct scenario_case *test_case, const struct scenario_schema *schema,
                 bool what_if, struct diag_list *diags)
{
    for (const struct scenario_rule *const *list = schema->rules; list && *list; list++)
        for (const struct scenario_rule *rule = *list; rule->name; rule++)
            if (!(what_if && rule->physics) && !is_set_aside(test_case, rule))
                check_rule(test_case, schema, rule, diags);
}

const char *const *rules_of_physics(const struct scenario_schema *schema)
{
    GPtrArray *names = g_ptr_array_new();
    for (const struct scenario_rule *const *list = schema->rules; list && *list; list++)
        for (const struct scenario_rule *rule = *list; rule->name; rule++)
            if (rule->physics)
                g_ptr_array_add(names, (gpointer)rule->name);
    g_ptr_array_add(names, NULL);
    return (const char *const *)g_ptr_array_free(names, FALSE);
}

bool rules_read_what_if(const struct node *tree, const struct scenario_schema *schema,
                        struct diag_list *diags)
{
    const struct node *list = node_get(tree, RULE_WHAT_IF_KEY);
    const char *const *names = rules_of_physics(schema);
    bool good = true;
    if (list && list->kind == NODE_LIST) {
        for (guint i = 0; i < list->children->len; i++) {
            char *path = reader_path_item(RULE_WHAT_IF_KEY, i);
            good &= reader_choice(g_ptr_array_index(list->children, i), path, "rule", names,
                                  diags) >= 0;
            g_free(path);
        }
    } else if (list) {
        good = reader_choice(list, RULE_WHAT_IF_KEY, "rule", names, diags) >= 0;
    }
    g_free((gpointer)names);
    return good;
}
