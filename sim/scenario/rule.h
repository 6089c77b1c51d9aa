// SPDX-License-Identifier: GPL-3.0-or-later
// Rules: settings of a case that contradict each other physically or in a protocol, although each
// is in its own range. A rule is a row of a table; sim/ and every model have one, and all rows are
// evaluated for every case. Relations within one parameter table that nothing else decides may
// also stand in the table's own check (struct param_table).
#ifndef NETSIM_SCENARIO_RULE_H
#define NETSIM_SCENARIO_RULE_H

#include "sim/scenario/case.h"

// The key that sets rules of physics aside, for a question that no machine answers.
#define RULE_WHAT_IF_KEY "what_if"

// A contradiction. `rule_says` makes one; the texts are freed by its reader.
struct rule_finding {
    char *text;              // the contradiction
    char *remedy;            // NULL: the rule's
    struct source_mark mark; // of the setting to be changed; no file: that of the rule's settings
    char *path;              // of that setting; NULL likewise
    char *also;              // a setting compared besides the rule's, of the case's card; or NULL
};

struct scenario_rule;

// Returns true if the case contradicts the rule, after rule_says.
typedef bool rule_broken_fn(const struct scenario_case *test_case,
                            const struct scenario_schema *schema, const struct scenario_rule *rule,
                            struct rule_finding *finding);

// The bound that the second setting of a rule sets for the first one.
enum rule_relation {
    RULE_AT_MOST,  // 0 of the second: no bound
    RULE_AT_LEAST, // 0 of the first: not set
};

#define RULE_SETTINGS 4

struct scenario_rule {
    const char *name;     // "card_rate", as `what_if` has it
    const char *compares; // one line: "a link's rate with the rates of the cards at its ends"
    // Paths of the parameters compared, those to be changed first. The rule holds for cases that
    // read all their sections. Its finding stands where the first of them that was set was set.
    const char *settings[RULE_SETTINGS + 1];
    const char *remedy;
    bool physics;           // no protocol stops without it: `what_if` may set it aside
    rule_broken_fn *broken; // NULL: the relation of the first two settings (counts, or sizes)
    enum rule_relation relation;
    int64_t less; // taken from the second before it is compared
    const char *because;
};

// The value of a setting ("tcp.mtu") that is a count or a size.
int64_t rule_setting(const struct scenario_case *test_case, const char *setting);

// Whether a setting was set, on the command line or in a file.
bool rule_is_set(const struct scenario_case *test_case, const char *setting);

// Describes a contradiction; returns true.
bool rule_says(struct rule_finding *finding, const char *format, ...) G_GNUC_PRINTF(2, 3);

// Places a finding at a parameter of values: where it was set, or else another of its table.
void rule_at(struct rule_finding *finding, const struct param_values *values, const char *name);

// Complains about all rules of the schema that the case contradicts. `what_if`: but for those of
// physics.
void rules_check(const struct scenario_case *test_case, const struct scenario_schema *schema,
                 bool what_if, struct diag_list *diags);

// Returns the names of the rules that `what_if` may set aside, NULL-terminated; the caller frees
// the list with g_free.
const char *const *rules_of_physics(const struct scenario_schema *schema);

// Reads the key what_if. Returns false after a complaint.
bool rules_read_what_if(const struct node *tree, const struct scenario_schema *schema,
                        struct diag_list *diags);

#endif
