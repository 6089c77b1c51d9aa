// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/axis_value.h"

#include "sim/config/quantity.h"

#include <string.h>

// The units of axes; of one kind of quantity the first is that of the parameters of a sweep.
static const struct axis_unit {
    enum quantity_kind kind;
    const char *unit;
    double scale;
} axis_units[] = {
    {QUANTITY_COUNT, "", 1.0},
    {QUANTITY_REAL, "", 1.0},
    {QUANTITY_SIZE, "B", 1.0},
    {QUANTITY_DURATION, "us", 1e-6},
    {QUANTITY_BIT_RATE, "Mb/s", 1e-6},
    {QUANTITY_BYTE_RATE, "MB/s", 1e-6},
    {QUANTITY_FREQUENCY, "MHz", 1e-6},
    {QUANTITY_CYCLES, "cycles", 1.0},
    {QUANTITY_FLOP_RATE, "Gflop/s", 1e-9},
    {QUANTITY_DURATION, "s", 1e-12},
};

static bool axis_parse(const char *text, const struct axis_unit *unit, double *place)
{
    struct quantity quantity;
    char *error = NULL, *hint = NULL;
    bool good = quantity_parse(text, unit->kind, &quantity, &error, &hint);
    if (good)
        *place =
            (unit->kind == QUANTITY_REAL ? quantity.real : (double)quantity.integer) * unit->scale;
    g_free(error);
    g_free(hint);
    return good;
}

const char *axis_values_place(const GPtrArray *texts, double *places)
{
    for (size_t i = 0; i < G_N_ELEMENTS(axis_units); i++) {
        guint parsed = 0;
        while (parsed < texts->len &&
               axis_parse(g_ptr_array_index(texts, parsed), &axis_units[i], &places[parsed]))
            parsed++;
        if (parsed == texts->len)
            return axis_units[i].unit;
    }
    return NULL;
}

bool axis_value_place(const char *text, const char *unit, double *place)
{
    for (size_t i = 0; i < G_N_ELEMENTS(axis_units); i++)
        if (strcmp(axis_units[i].unit, unit) == 0 && axis_parse(text, &axis_units[i], place))
            return true;
    return false;
}
