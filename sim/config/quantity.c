// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/config/quantity.h"

#include "sim/config/units.h"
#include "sim/core/diag.h"
#include "sim/core/intern.h"
#include "sim/core/time.h"

#include <math.h>
#include <string.h>

struct unit {
    const char *name;
    int64_t multiple; // of the base unit
};

#define UNIT(name, multiple) {#name, multiple},
#define UNIT_A_SECOND(name, multiple) {#name "/s", multiple},

static const struct unit duration_units[] = {UNITS_OF_DURATION(UNIT){"min", 60000000000000}, {0}};
static const struct unit cycle_units[] = {{"cycles", 1}, {0}};
static const struct unit size_units[] = {UNITS_OF_SIZE(UNIT){0}};
static const struct unit byte_rate_units[] = {UNITS_OF_SIZE(UNIT_A_SECOND){0}};
static const struct unit bit_rate_units[] = {
    {"b/s", 1}, {"kb/s", 1000}, {"Mb/s", 1000000}, {"Gb/s", 1000000000}, {0}};
static const struct unit frequency_units[] = {
    {"Hz", 1}, {"kHz", 1000}, {"MHz", 1000000}, {"GHz", 1000000000}, {0}};
static const struct unit flop_rate_units[] = {
    {"flop/s", 1},           {"kflop/s", 1000},          {"Mflop/s", 1000000},
    {"Gflop/s", 1000000000}, {"Tflop/s", 1000000000000}, {0}};
static const struct unit no_units[] = {{0}};

static const struct quantity_class {
    const char *noun;  // "a size"
    const char *base;  // "bytes"
    const char *usual; // unit shown in hints
    const char *plain; // and for a number without unit, which is probably in this one
    const struct unit *units;
    int64_t most; // of one value in a scenario; 0: no bound
} classes[] = {
    [QUANTITY_COUNT] = {"a whole number", NULL, NULL, NULL, no_units, 0},
    [QUANTITY_REAL] = {"a number", NULL, NULL, NULL, no_units, 0},
    [QUANTITY_DURATION] = {"a duration", "picoseconds", "us", "us", duration_units,
                           INT64_C(600) * 60 * TIME_S},
    [QUANTITY_CYCLES] = {"a number of cycles", "cycles", "cycles", "cycles", cycle_units,
                         36000000000000},
    [QUANTITY_SIZE] = {"a size", "bytes", "KiB", "B", size_units, INT64_C(1) << 40},
    [QUANTITY_BIT_RATE] = {"a bit rate", "bits per second", "Mb/s", "Mb/s", bit_rate_units,
                           1000000000000000},
    [QUANTITY_BYTE_RATE] = {"a byte rate", "bytes per second", "MB/s", "MB/s", byte_rate_units,
                            1000000000000000},
    [QUANTITY_FREQUENCY] = {"a frequency", "hertz", "MHz", "MHz", frequency_units, 1000000000000},
    [QUANTITY_FLOP_RATE] = {"a rate of operations", "operations per second", "Gflop/s", "Gflop/s",
                            flop_rate_units, 1000000000000000000},
};

// Spellings used elsewhere, and those used here.
static const struct {
    const char *written, *meant;
} spellings[] = {
    {"bps", "b/s"},      {"kbps", "kb/s"},
    {"Mbps", "Mb/s"},    {"Gbps", "Gb/s"},
    {"bit/s", "b/s"},    {"kbit/s", "kb/s"},
    {"Mbit/s", "Mb/s"},  {"Gbit/s", "Gb/s"},
    {"KB", "kB or KiB"}, {"KB/s", "kB/s or KiB/s"},
    {"K", "KiB"},        {"M", "MiB"},
    {"G", "GiB"},        {"byte", "B"},
    {"k", "KiB"},        {"bytes", "B"},
    {"sec", "s"},        {"seconds", "s"},
    {"\302\265s", "us"}, {"\316\274s", "us"},
    {"usec", "us"},      {"msec", "ms"},
    {"cycle", "cycles"}, {"minutes", "min"},
};

// ---- Reading ----

// A decimal number: sign * mantissa * 10^exponent, exactly.
struct decimal {
    bool negative, huge; // huge: more digits than any quantity has
    unsigned __int128 mantissa;
    int exponent;
};

#define MOST_EXPONENT 100

static const char *skip_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static int take_digits(const char **at, struct decimal *number)
{
    int taken = 0;
    for (; g_ascii_isdigit(**at); (*at)++, taken++) {
        number->huge |= number->mantissa >> 120 != 0;
        number->mantissa = number->mantissa * 10 + (unsigned)(**at - '0');
    }
    return taken;
}

static const char *take_exponent(const char *at, struct decimal *number)
{
    const char *digit = at + 1;
    bool down = *digit == '-';
    digit += *digit == '-' || *digit == '+';
    if (!g_ascii_isdigit(*digit))
        return at;
    int exponent = 0;
    for (; g_ascii_isdigit(*digit); digit++)
        exponent = MIN(exponent * 10 + (*digit - '0'), MOST_EXPONENT);
    number->exponent += down ? -exponent : exponent;
    return digit;
}

// Reads [+-]digits[.digits][e[+-]digits] and returns where it ends; NULL if there is no number.
static const char *decimal_read(const char *text, struct decimal *number)
{
    *number = (struct decimal){.negative = *text == '-'};
    const char *at = text + (*text == '-' || *text == '+');
    int digits = take_digits(&at, number);
    if (*at == '.') {
        at++;
        int fraction = take_digits(&at, number);
        digits += fraction;
        number->exponent = -fraction;
    }
    if (digits == 0)
        return NULL;
    if (*at == 'e' || *at == 'E')
        at = take_exponent(at, number);
    for (; number->mantissa && number->mantissa % 10 == 0; number->exponent++)
        number->mantissa /= 10;
    if (number->mantissa == 0)
        number->exponent = 0;
    return at;
}

enum decimal_fit { FIT_EXACT, FIT_FRACTION, FIT_OVERFLOW };

// number * multiple as an integer.
static enum decimal_fit decimal_scale(struct decimal number, int64_t multiple, int64_t *value)
{
    // Zeros of the unit make up for decimal places first.
    for (; number.exponent < 0 && multiple % 10 == 0; number.exponent++)
        multiple /= 10;
    unsigned __int128 product = number.mantissa;
    if (number.huge || __builtin_mul_overflow(product, (unsigned __int128)multiple, &product))
        return number.exponent < 0 ? FIT_FRACTION : FIT_OVERFLOW;
    for (; number.exponent < 0; number.exponent++) {
        if (product % 10 != 0)
            return FIT_FRACTION;
        product /= 10;
    }
    for (; product != 0 && number.exponent > 0; number.exponent--)
        if (__builtin_mul_overflow(product, (unsigned __int128)10, &product))
            return FIT_OVERFLOW;
    if (product > INT64_MAX)
        return FIT_OVERFLOW;
    *value = number.negative ? -(int64_t)product : (int64_t)product;
    return FIT_EXACT;
}

static const struct unit *unit_find(const struct unit *units, const char *name)
{
    for (; units->name; units++)
        if (strcmp(units->name, name) == 0)
            return units;
    return NULL;
}

// A failure's message and hint.
struct quantity_complaint {
    char **error, **hint;
};

static bool complain(struct quantity_complaint to, char *error, char *hint)
{
    *to.error = error;
    *to.hint = hint;
    return false;
}

// The unit of the kind that `name` was probably meant to be, as a hint (g_free) or NULL.
static char *unit_meant(const struct quantity_class *class, const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(spellings); i++) {
        if (strcmp(spellings[i].written, name) != 0)
            continue;
        char **meant = g_strsplit(spellings[i].meant, " ", 2);
        bool fits = unit_find(class->units, meant[0]) != NULL;
        g_strfreev(meant);
        return fits ? g_strdup_printf("write %s", spellings[i].meant) : NULL;
    }
    const char *names[G_N_ELEMENTS(size_units) + 1] = {0};
    for (int i = 0; class->units[i].name; i++)
        names[i] = class->units[i].name;
    const char *near = diag_nearest(name, names);
    return near ? g_strdup_printf("did you mean %s?", near) : NULL;
}

// Reports why `unit` is not one of the kind's.
static bool complain_unit(struct quantity_complaint to, enum quantity_kind kind, const char *unit)
{
    const struct quantity_class *class = &classes[kind];
    bool unitless = class->units == no_units;
    char *expected =
        unitless ? g_strdup_printf("%s without a unit is expected", class->noun)
                 : g_strdup_printf("%s is written with %s", class->noun, quantity_units(kind));
    for (size_t i = 0; i < G_N_ELEMENTS(classes); i++)
        if (unit_find(classes[i].units, unit))
            return complain(to, g_strdup_printf("%s is the unit of %s", unit, classes[i].noun),
                            expected);
    char *meant = unitless ? NULL : unit_meant(class, unit);
    char *error = unitless ? g_strdup_printf("\"%s\" behind the number is not understood", unit)
                           : g_strdup_printf("unknown unit \"%s\"", unit);
    if (!meant)
        return complain(to, error, expected);
    g_free(expected);
    return complain(to, error, meant);
}

static bool parse_real(const char *text, const char *end, struct quantity *value,
                       struct quantity_complaint to)
{
    char *number = g_strndup(text, (gsize)(end - text));
    value->real = g_ascii_strtod(number, NULL);
    g_free(number);
    if (!isfinite(value->real))
        return complain(to, g_strdup("the number is too large"), NULL);
    return true;
}

static bool parse_integer(const struct decimal *number, int64_t multiple,
                          const struct quantity_class *class, struct quantity *value,
                          struct quantity_complaint to)
{
    switch (decimal_scale(*number, multiple, &value->integer)) {
    case FIT_EXACT:
        return true;
    case FIT_FRACTION:
        return complain(to,
                        class->base ? g_strdup_printf("not a whole number of %s", class->base)
                                    : g_strdup("not a whole number"),
                        NULL);
    case FIT_OVERFLOW:
        return complain(to, g_strdup("the number is too large"), NULL);
    }
    g_assert_not_reached();
}

// Reads number and unit of a text without blanks at its ends.
static bool parse_stripped(const char *text, enum quantity_kind kind, struct quantity *value,
                           struct quantity_complaint to)
{
    const struct quantity_class *class = &classes[kind];
    struct decimal number;
    const char *end = decimal_read(text, &number);
    if (!end) {
        char *example = class->usual ? g_strdup_printf("for example 64 %s", class->usual) : NULL;
        return complain(to, g_strdup_printf("%s is expected", class->noun), example);
    }
    const char *unit = skip_blanks(end);
    const struct unit *found = unit_find(class->units, unit);
    if (*unit && !found)
        return complain_unit(to, kind, unit);
    if (kind == QUANTITY_REAL)
        return parse_real(text, end, value, to);
    if (!*unit && number.mantissa != 0 && class->units != no_units)
        return complain(to, g_strdup("missing unit"),
                        g_strdup_printf("write for example %s %s; units are %s", text, class->plain,
                                        quantity_units(kind)));
    return parse_integer(&number, found ? found->multiple : 1, class, value, to);
}

bool quantity_parse(const char *text, enum quantity_kind kind, struct quantity *value, char **error,
                    char **hint)
{
    *value = (struct quantity){0};
    *error = *hint = NULL;
    char *stripped = g_strstrip(g_strdup(text));
    bool good = parse_stripped(stripped, kind, value, (struct quantity_complaint){error, hint});
    g_free(stripped);
    return good;
}

// ---- Writing ----

#define MOST_DECIMALS 15

// A number of 64 bits with sign, point and decimals, and a unit.
#define MOST_TEXT (20 + 2 + MOST_DECIMALS + 16)

static char *put_whole(char *at, uint64_t whole)
{
    char digits[20];
    int count = 0;
    do
        digits[count++] = (char)('0' + whole % 10);
    while (whole /= 10);
    while (count > 0)
        *at++ = digits[--count];
    return at;
}

// magnitude / multiple as an exact decimal; false if it is below 1 or needs too many places. Each
// number of a case is written in all its units, so that nothing is allocated.
static bool format_in(char text[MOST_TEXT], uint64_t magnitude, const struct unit *unit,
                      bool negative)
{
    uint64_t multiple = (uint64_t)unit->multiple, rest = magnitude % multiple;
    char *at = text;
    if (magnitude != 0 && magnitude < multiple)
        return false;
    if (negative)
        *at++ = '-';
    at = put_whole(at, magnitude / multiple);
    if (rest)
        *at++ = '.';
    for (int places = 0; rest; places++) {
        if (places == MOST_DECIMALS)
            return false;
        unsigned __int128 ten = (unsigned __int128)rest * 10;
        *at++ = (char)('0' + (int)(ten / multiple));
        rest = (uint64_t)(ten % multiple);
    }
    *at++ = ' ';
    g_strlcpy(at, unit->name, (gsize)(text + MOST_TEXT - at));
    return true;
}

// Shorter is better, then without decimals, then the later (larger) unit.
static bool better(const char *text, const char *than)
{
    if (strlen(text) != strlen(than))
        return strlen(text) < strlen(than);
    bool decimals = strchr(text, '.') != NULL, than_decimals = strchr(than, '.') != NULL;
    return !decimals || than_decimals;
}

static char *format_integer(const struct unit *units, int64_t value)
{
    if (!units->name)
        return g_strdup_printf("%" G_GINT64_FORMAT, value);
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    char text[MOST_TEXT], best[MOST_TEXT] = "";
    for (; units->name; units++)
        if (format_in(text, magnitude, units, value < 0) &&
            (!*best || (value != 0 ? better(text, best) : strlen(text) < strlen(best))))
            memcpy(best, text, sizeof best);
    return *best ? g_strdup(best) : NULL;
}

static char *format_real(double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    for (int digits = 1; digits <= 17; digits++) {
        char *format = g_strdup_printf("%%.%dg", digits);
        g_ascii_formatd(text, sizeof text, format, value);
        g_free(format);
        if (g_ascii_strtod(text, NULL) == value)
            break;
    }
    return g_strdup(text);
}

char *quantity_format(enum quantity_kind kind, struct quantity value)
{
    return kind == QUANTITY_REAL ? format_real(value.real)
                                 : format_integer(classes[kind].units, value.integer);
}

// ---- For documentation ----

static char *unit_names(enum quantity_kind kind, const char *separator)
{
    GString *names = g_string_new(NULL);
    for (const struct unit *unit = classes[kind].units; unit->name; unit++)
        g_string_append_printf(names, "%s%s", names->len ? separator : "", unit->name);
    return g_string_free(names, FALSE);
}

const char *quantity_units(enum quantity_kind kind)
{
    char *names = unit_names(kind, ", ");
    const char *units = intern_text(names);
    g_free(names);
    return units;
}

int64_t quantity_most_value(enum quantity_kind kind)
{
    return classes[kind].most ? classes[kind].most : INT64_MAX;
}

const char *quantity_most(enum quantity_kind kind)
{
    if (!classes[kind].most)
        return NULL;
    // Asked for with each value that is read.
    static const char *known[G_N_ELEMENTS(classes)];
    if (known[kind])
        return known[kind];
    char *text = quantity_format(kind, (struct quantity){.integer = classes[kind].most});
    known[kind] = intern_text(text);
    g_free(text);
    return known[kind];
}

const char *quantity_noun(enum quantity_kind kind)
{
    return classes[kind].noun;
}

char *quantity_pattern(enum quantity_kind kind)
{
    char *units = unit_names(kind, "|");
    char *pattern =
        g_strdup_printf("^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?[ \\t]*(%s)$", units);
    g_free(units);
    return pattern;
}
