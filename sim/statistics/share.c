// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/statistics/share.h"

#include <glib.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

struct share share_weighted(double value, double n)
{
    if (!(n > 0.0) || isnan(value))
        return (struct share){0.0, NAN, 0.0, 1.0};
    double z = gsl_cdf_ugaussian_Qinv((1.0 - SHARE_CONFIDENCE) / 2.0), part = z * z / n;
    double middle = (value + part / 2.0) / (1.0 + part);
    double half = z / (1.0 + part) * sqrt(value * (1.0 - value) / n + part / n / 4.0);
    return (struct share){n, value, value <= 0.0 ? 0.0 : MAX(middle - half, 0.0),
                          value >= 1.0 ? 1.0 : MIN(middle + half, 1.0)};
}

struct share share_of(size_t hits, size_t n)
{
    return share_weighted(n ? (double)hits / (double)n : NAN, (double)n);
}

enum share_verdict share_judge(const struct share *share)
{
    return isnan(share->value)            ? SHARE_UNDECIDED
           : share->value <= 0.0          ? SHARE_IN_NONE
           : share->value >= 1.0          ? SHARE_IN_ALL
           : share->value <= SHARE_RARE   ? SHARE_IN_FEW
           : share->value >= SHARE_ROBUST ? SHARE_IN_MOST
                                          : SHARE_UNDECIDED;
}

bool share_is_decided(const struct share *share)
{
    bool between = share->low > SHARE_RARE && share->high < SHARE_ROBUST;
    return between || share->high <= SHARE_DECIDED || share->low >= 1.0 - SHARE_DECIDED;
}

const char *share_verdict_name(enum share_verdict verdict)
{
    static const char *const names[] = {
        [SHARE_IN_NONE] = "in no draw",  [SHARE_IN_FEW] = "in few draws",
        [SHARE_UNDECIDED] = "undecided", [SHARE_IN_MOST] = "in nearly all draws",
        [SHARE_IN_ALL] = "in all draws",
    };
    return names[verdict];
}

// Whether a share prints as 0 or 100 with so many decimals, and is not.
static bool percent_hides(double value, int decimals)
{
    double scale = pow(10.0, decimals), shown = round(100.0 * value * scale);
    return (shown <= 0.0 && value > 0.0) || (shown >= 100.0 * scale && value < 1.0);
}

char *share_percent(double value)
{
    int decimals = 0;
    while (decimals < 6 && percent_hides(value, decimals))
        decimals++;
    return g_strdup_printf("%.*f %%", decimals, 100.0 * value);
}

char *share_text(const struct share *share)
{
    if (isnan(share->value))
        return g_strdup("in none of 0 draws");
    char *value = share_percent(share->value), *text;
    char *low = share_percent(share->low), *high = share_percent(share->high);
    switch (share_judge(share)) {
    case SHARE_IN_NONE:
        text = g_strdup_printf("in no draw (at most %s)", high);
        break;
    case SHARE_IN_ALL:
        text = g_strdup_printf("in all draws (at least %s)", low);
        break;
    default:
        *strchr(low, ' ') = '\0';
        text = g_strdup_printf("in %s of the draws (%s .. %s)", value, low, high);
    }
    g_free(high);
    g_free(low);
    g_free(value);
    return text;
}
