// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/net/card_rates.h"

#include "sim/config/quantity.h"

#include <glib.h>

static int64_t fastest_rate(const struct card_rates *rates)
{
    int64_t most = 0;
    for (const int64_t *value = rates->values; *value; value++)
        most = *value;
    return most;
}

bool card_rates_have(const struct card_rates *rates, int64_t rate)
{
    if (rates->between)
        return rates->values[0] <= rate && rate <= fastest_rate(rates);
    for (const int64_t *value = rates->values; *value; value++)
        if (*value == rate)
            return true;
    return false;
}

int64_t card_rates_below(const struct card_rates *rates, int64_t rate)
{
    int64_t found = rates->values[0];
    if (card_rates_have(rates, rate))
        return rate;
    for (const int64_t *value = rates->values; *value; value++)
        if (*value <= rate)
            found = *value;
    return found;
}

char *card_rate_text(int64_t rate)
{
    return quantity_format(QUANTITY_BIT_RATE, (struct quantity){.integer = rate});
}

char *card_rates_text(const struct card_rates *rates)
{
    GString *text = g_string_new(NULL);
    for (const int64_t *value = rates->values; *value; value++) {
        char *one = card_rate_text(*value);
        const char *lead = rates->between ? " .. " : value[1] ? ", " : " or ";
        g_string_append_printf(text, "%s%s", text->len > 0 ? lead : "", one);
        g_free(one);
    }
    return g_string_free(text, FALSE);
}
