// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/outcome/paired.h"

#include <glib.h>
#include <math.h>

struct paired paired_of(const double *changes, size_t n)
{
    struct paired paired = {.change = band_of(changes, n)};
    size_t alike = 0;
    for (size_t i = 0; i < n; i++)
        alike += changes[i] * paired.change.median > 0.0; // NAN counts as no
    paired.signed_alike = share_of(alike, paired.change.n);
    return paired;
}

bool paired_is_robust(const struct paired *paired)
{
    return share_judge(&paired->signed_alike) >= SHARE_IN_MOST;
}

static json_t *change_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *paired_json(const struct paired *paired)
{
    return json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:b}", "n", (int)paired->change.n, "change",
        change_json(paired->change.median), "change_low", change_json(paired->change.low),
        "change_high", change_json(paired->change.high), "sign_share",
        change_json(paired->signed_alike.value), "told_apart", paired_is_robust(paired));
}

static double percent_at(const json_t *paired, const char *key)
{
    return 100.0 * json_number_value(json_object_get(paired, key));
}

char *paired_change_text(const json_t *paired)
{
    if (!json_is_number(json_object_get(paired, "change")))
        return g_strdup("-");
    double change = percent_at(paired, "change"), low = percent_at(paired, "change_low");
    double high = percent_at(paired, "change_high"), most = fmax(fabs(low), fabs(high));
    if (most <= 0.0)
        return g_strdup("0 %");
    int digits = most >= 100.0 ? 0 : most >= 10.0 ? 1 : 2;
    return g_strdup_printf("%+.*f %% (%+.*f .. %+.*f)", digits, change, digits, low, digits, high);
}

char *paired_share_text(const json_t *paired)
{
    const json_t *share = json_object_get(paired, "sign_share");
    if (!json_is_number(share))
        return g_strdup("-");
    double value = json_number_value(share);
    return value >= 1.0 ? g_strdup("all") : value <= 0.0 ? g_strdup("-") : share_percent(value);
}
