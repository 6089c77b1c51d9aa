// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/tolerance.h"

#include "sim/config/quantity.h"

#include <math.h>
#include <string.h>

// Converts "0.5 ms" to a number in `unit`; false if it is a quantity of another kind.
static bool tolerance_convert(const char *text, const char *unit, double *amount)
{
    static const enum quantity_kind kinds[] = {QUANTITY_DURATION, QUANTITY_SIZE, QUANTITY_BIT_RATE,
                                               QUANTITY_BYTE_RATE, QUANTITY_FREQUENCY};
    bool good = false;
    char *one = g_strdup_printf("1 %s", unit);
    for (size_t i = 0; i < G_N_ELEMENTS(kinds) && !good; i++) {
        struct quantity value, in;
        char *error, *hint;
        for (int k = 0; k < 2; k++) {
            good =
                quantity_parse(k == 0 ? one : text, kinds[i], k == 0 ? &in : &value, &error, &hint);
            g_free(error);
            g_free(hint);
            if (!good)
                break;
        }
        if (good)
            *amount = (double)value.integer / (double)in.integer;
    }
    g_free(one);
    return good;
}

enum tolerance_fault tolerance_parse(const char *text, const char *unit,
                                     struct tolerance *tolerance)
{
    char *rest;
    double number = g_ascii_strtod(text, &rest);
    bool any = rest != text;
    rest += strspn(rest, " ");
    *tolerance = (struct tolerance){number, false};
    if (!any || !isfinite(number) || number < 0.0)
        return TOLERANCE_NO_NUMBER;
    if (strcmp(rest, "%") == 0) {
        *tolerance = (struct tolerance){number / 100.0, true};
        return TOLERANCE_GOOD;
    }
    if (!*rest)
        return number == 0.0 || (unit && !*unit) ? TOLERANCE_GOOD : TOLERANCE_BARE;
    if (unit && *unit &&
        (strcmp(rest, unit) == 0 || tolerance_convert(text, unit, &tolerance->amount)))
        return TOLERANCE_GOOD;
    return TOLERANCE_OTHER_UNIT;
}

char *tolerance_remedy(const char *text, const char *unit)
{
    char *rest;
    double number = g_ascii_strtod(text, &rest);
    if (rest == text || !isfinite(number) || number <= 0.0)
        number = 2.0;
    if (unit && *unit)
        return g_strdup_printf("write %g %%, or %g %s", number, number, unit);
    if (unit)
        return g_strdup_printf("write %g %%, or the number alone", number);
    return number < 1.0 ? g_strdup_printf("write %g %% or %g %%", number, 100.0 * number)
                        : g_strdup_printf("write %g %%", number);
}
