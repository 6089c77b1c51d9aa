// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and ranks of operations: plain, or calculated.
#include "sim/config/param_kind.h"
#include "sim/config/reader.h"
#include "sim/program/op_read.h"

#include <string.h>

bool op_complain(struct op_reader *reader, const struct node *node, const char *path,
                 const char *hint, const char *error)
{
    diag_add(reader->diags, node->mark, path, hint, "\"%.60s\": %s", node->text, error);
    return false;
}

// Returns true if a text is a number with at most a unit after it, and not a calculation.
static bool is_number(const char *text)
{
    text += *text == '-' || *text == '+';
    size_t digits = strspn(text, "0123456789.");
    const char *unit = text + digits + strspn(text + digits, " ");
    return digits > 0 && unit[strcspn(unit, "+-*%^()<>=!&|?:, ")] == '\0';
}

static bool check_bounds(struct op_reader *reader, const struct operation_key *key, int64_t value,
                         const struct node *node, const char *path)
{
    int64_t least, most;
    operation_key_bounds(key, reader->ranks, &least, &most);
    if (value >= least && value <= most)
        return true;
    const char *low, *high;
    param_bounds(&key->param, &low, &high);
    bool rank = key->form == OPERATION_RANK && value >= 0, small = value < least;
    bool negative = value < 0 && !key->param.least;
    char *hint = negative ? NULL
                 : rank   ? g_strdup_printf("ranks are 0 .. %d", reader->ranks - 1)
                        : g_strdup_printf(small ? "at least %s" : "at most %s", small ? low : high);
    op_complain(reader, node, path, hint,
                negative ? "the value is negative"
                : rank   ? "there is no such rank"
                : small  ? "the value is too small"
                         : "the value is too large");
    g_free(hint);
    return false;
}

// A plain number: its unit is checked.
static enum op_reading read_plain(struct op_reader *reader, const struct operation_key *key,
                                  const struct node *node, const char *path, int64_t *value)
{
    struct quantity quantity;
    char *error, *hint;
    enum op_reading result = OP_READING_BAD;
    if (!quantity_parse(node->text, param_types[key->param.kind].quantity, &quantity, &error,
                        &hint))
        op_complain(reader, node, path, hint, error);
    else if (check_bounds(reader, key, quantity.integer, node, path))
        result = OP_READING_KNOWN;
    *value = result == OP_READING_KNOWN ? quantity.integer : 0;
    g_free(error);
    g_free(hint);
    return result;
}

struct expression *op_compile(struct op_reader *reader, const char *text, int count, char **error)
{
    // rank, ranks, peer, the first two of communicators, and at most a counter a level
    double values[NODE_MAX_DEPTH + 3 + 2 * COMMUNICATORS_MOST];
    struct expression_variables variables = {count, (const char *const *)reader->variables->pdata,
                                             values};
    for (int i = 0; i < count; i++)
        values[i] = 1;
    return expression_new(text, &variables, error);
}

// Adds the variable of expressions that have a value for each peer.
static bool add_peer(struct op_reader *reader, const struct node *node, const char *path)
{
    if (g_ptr_array_find_with_equal_func(reader->variables, OPERATION_PEER, g_str_equal, NULL))
        return op_complain(reader, node, path, "give the loop's counter another name",
                           "the counter " OPERATION_PEER " hides the rank that the size is of");
    g_ptr_array_add(reader->variables, (gpointer)OPERATION_PEER);
    return true;
}

// A calculation: it must compile, and if it has no variables its value is known now.
static enum op_reading read_calculation(struct op_reader *reader, const struct operation_key *key,
                                        const struct node *node, const char *path, int64_t *value)
{
    char *error;
    struct expression *expression = op_compile(reader, node->text, 0, &error);
    enum op_reading result = OP_READING_COMPUTED;
    bool good = true;
    if (expression) {
        result = OP_READING_KNOWN;
        *value = expression_value(expression, &error);
        good = error ? op_complain(reader, node, path, NULL, error)
                     : check_bounds(reader, key, *value, node, path);
    } else {
        g_free(error);
        error = NULL;
        guint count = reader->variables->len;
        good = !key->per_peer || add_peer(reader, node, path);
        if (good)
            expression = op_compile(reader, node->text, (int)reader->variables->len, &error);
        good = good && (expression || op_complain(reader, node, path, NULL, error));
        g_ptr_array_set_size(reader->variables, (int)count);
    }
    g_free(error);
    expression_free(expression);
    return good ? result : OP_READING_BAD;
}

enum op_reading op_read_number(struct op_reader *reader, const struct operation_key *key,
                               const struct node *node, const char *path, int64_t *value)
{
    const char *text = reader_text(node, path, "a value or an expression", reader->diags);
    *value = OPERATION_ANY;
    if (!text)
        return OP_READING_BAD;
    if (key->word && strcmp(text, key->word) == 0)
        return OP_READING_KNOWN;
    return is_number(text) ? read_plain(reader, key, node, path, value)
                           : read_calculation(reader, key, node, path, value);
}
