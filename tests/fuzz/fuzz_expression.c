// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as an expression of a program. It compiles or gives an error; it has a value or an
// error; and it has the same value twice.
#include "sim/config/expression.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"rank", "ranks", "i"};
    static const double some[] = {0, 1, -1, 1e9};
    double values[] = {1, 4, 2};
    const struct expression_variables variables = {3, names, values};
    char *text = fuzz_text(data, size), *error = NULL;
    struct expression *expression = expression_new(text, &variables, &error);
    fuzz_end_text(error, expression != NULL);
    for (size_t i = 0; expression && i < G_N_ELEMENTS(some); i++) {
        char *first_error = NULL, *second_error = NULL;
        values[0] = some[i];
        values[1] = (double)i;
        values[2] = some[G_N_ELEMENTS(some) - 1 - i];
        int64_t first = expression_value(expression, &first_error);
        int64_t second = expression_value(expression, &second_error);
        g_assert(g_strcmp0(first_error, second_error) == 0);
        g_assert(first_error || first == second);
        g_free(first_error);
        g_free(second_error);
    }
    if (expression)
        expression_free(expression);
    g_free(text);
    return 0;
}
