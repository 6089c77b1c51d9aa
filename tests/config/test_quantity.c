// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers with units: which are read, to the last unit, which are refused and the proposals for
// them, and the conversion back to text.
#include "sim/config/quantity.h"
#include "tests/support/suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct good {
    const char *text;
    enum quantity_kind kind;
    int64_t value;
};

static const struct good goods[] = {
    {"0", QUANTITY_COUNT, 0},
    {"7", QUANTITY_COUNT, 7},
    {"+7", QUANTITY_COUNT, 7},
    {"-7", QUANTITY_COUNT, -7},
    {"1e3", QUANTITY_COUNT, 1000},
    {"1.5e1", QUANTITY_COUNT, 15},
    {"120e-1", QUANTITY_COUNT, 12},
    {"007", QUANTITY_COUNT, 7},
    {"3.000", QUANTITY_COUNT, 3},
    {"9223372036854775807", QUANTITY_COUNT, INT64_MAX},
    {"-9223372036854775807", QUANTITY_COUNT, -INT64_MAX},
    {"0e99", QUANTITY_COUNT, 0},
    {"2.5 us", QUANTITY_DURATION, 2500000},
    {"2.5us", QUANTITY_DURATION, 2500000},
    {"  2.5 \t us  ", QUANTITY_DURATION, 2500000},
    {".5 ns", QUANTITY_DURATION, 500},
    {"1. ns", QUANTITY_DURATION, 1000},
    {"0.001 ns", QUANTITY_DURATION, 1},
    {"1 ps", QUANTITY_DURATION, 1},
    {"1 ms", QUANTITY_DURATION, 1000000000},
    {"1 s", QUANTITY_DURATION, 1000000000000},
    {"0.1 s", QUANTITY_DURATION, 100000000000},
    {"0.3 us", QUANTITY_DURATION, 300000},
    {"1.000000000001 s", QUANTITY_DURATION, 1000000000001},
    {"3 min", QUANTITY_DURATION, 180000000000000},
    {"0", QUANTITY_DURATION, 0},
    {"0.0", QUANTITY_DURATION, 0},
    {"9223372.036854775807 s", QUANTITY_DURATION, INT64_MAX},
    {"700 cycles", QUANTITY_CYCLES, 700},
    {"0", QUANTITY_CYCLES, 0},
    {"64 KiB", QUANTITY_SIZE, 65536},
    {"64KiB", QUANTITY_SIZE, 65536},
    {"64 kB", QUANTITY_SIZE, 64000},
    {"1.5 KiB", QUANTITY_SIZE, 1536},
    {"0.5 KiB", QUANTITY_SIZE, 512},
    {"0.0009765625 KiB", QUANTITY_SIZE, 1},
    {"4 MiB", QUANTITY_SIZE, 4194304},
    {"1 MB", QUANTITY_SIZE, 1000000},
    {"2 GiB", QUANTITY_SIZE, INT64_C(2147483648)},
    {"2 GB", QUANTITY_SIZE, 2000000000},
    {"1500 B", QUANTITY_SIZE, 1500},
    {"-1 B", QUANTITY_SIZE, -1},
    {"8589934591.5 GiB", QUANTITY_SIZE, INT64_C(9223372036317904896)},
    {"100 Mb/s", QUANTITY_BIT_RATE, 100000000},
    {"1.28 Gb/s", QUANTITY_BIT_RATE, 1280000000},
    {"9.6 kb/s", QUANTITY_BIT_RATE, 9600},
    {"132 MB/s", QUANTITY_BYTE_RATE, 132000000},
    {"1 MiB/s", QUANTITY_BYTE_RATE, 1048576},
    {"33.333333 MHz", QUANTITY_FREQUENCY, 33333333},
    {"1.2 GHz", QUANTITY_FREQUENCY, 1200000000},
    {"7.5 kHz", QUANTITY_FREQUENCY, 7500},
};

static void test_good(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(goods); i++) {
        struct quantity value;
        char *error, *hint;
        bool read = quantity_parse(goods[i].text, goods[i].kind, &value, &error, &hint);
        SUITE_SAME_TEXT(error, NULL);
        SUITE_SAME_INTEGER(read ? value.integer : -12345, goods[i].value);
        g_free(error);
        g_free(hint);
    }
}

static void test_reals(void)
{
    static const struct {
        const char *text;
        double value;
    } reals[] = {
        {"0", 0},         {"0.5", 0.5},   {"-2.25", -2.25},
        {"1e-3", 1e-3},   {"1E3", 1e3},   {".25", 0.25},
        {"1e-99", 1e-99}, {"0.1", 0.1},   {"1e300", 1e300},
        {"3", 3},         {" 0.7 ", 0.7}, {"12345678901234567890", 12345678901234567890.0}};
    for (size_t i = 0; i < G_N_ELEMENTS(reals); i++) {
        struct quantity value;
        char *error, *hint;
        CU_ASSERT(quantity_parse(reals[i].text, QUANTITY_REAL, &value, &error, &hint));
        CU_ASSERT_EQUAL(value.real, reals[i].value);
        g_free(error);
        g_free(hint);
    }
}

struct bad {
    const char *text;
    enum quantity_kind kind;
    const char *error, *hint; // a part of each; hint NULL: there is none
};

static const struct bad bads[] = {
    {"", QUANTITY_SIZE, "a size is expected", "64 KiB"},
    {"KiB", QUANTITY_SIZE, "a size is expected", "64 KiB"},
    {"x", QUANTITY_COUNT, "a whole number is expected", NULL},
    {"-", QUANTITY_COUNT, "a whole number is expected", NULL},
    {".", QUANTITY_COUNT, "a whole number is expected", NULL},
    {"1.5", QUANTITY_COUNT, "not a whole number", NULL},
    {"1e-1", QUANTITY_COUNT, "not a whole number", NULL},
    {"9223372036854775808", QUANTITY_COUNT, "too large", NULL},
    {"1e19", QUANTITY_COUNT, "too large", NULL},
    {"1e99999999999", QUANTITY_COUNT, "too large", NULL},
    /* 10^132: a multiple of 2^128, 0 were it not for the digits before */
    {"1000000000000000000000000000000000000000000000000000000000000000000"
     "000000000000000000000000000000000000000000000000000000000000000000",
     QUANTITY_COUNT, "too large", NULL},
    {"1e", QUANTITY_COUNT, "\"e\" behind the number is not understood", "without a unit"},
    {"0x10", QUANTITY_COUNT, "\"x10\"", "without a unit"},
    {"3 apples", QUANTITY_COUNT, "\"apples\"", "without a unit"},
    {"64 KiB", QUANTITY_COUNT, "KiB is the unit of a size", "a whole number without a unit"},
    {"1 %", QUANTITY_REAL, "\"%\"", "without a unit"},
    {"nan", QUANTITY_REAL, "a number is expected", NULL},
    {"inf", QUANTITY_REAL, "a number is expected", NULL},
    {"1e999", QUANTITY_REAL, "too large", NULL},
    {"64", QUANTITY_SIZE, "missing unit", "write for example 64 B; units are B, kB"},
    {"1500", QUANTITY_SIZE, "missing unit", "1500 B"},
    {"64k", QUANTITY_SIZE, "unknown unit \"k\"", "write KiB"},
    {"5", QUANTITY_DURATION, "missing unit", "5 us"},
    {"100", QUANTITY_BIT_RATE, "missing unit", "100 Mb/s"},
    {"0.5 B", QUANTITY_SIZE, "not a whole number of bytes", NULL},
    {"1.0001 KiB", QUANTITY_SIZE, "not a whole number of bytes", NULL},
    {"0.1 ps", QUANTITY_DURATION, "not a whole number of picoseconds", NULL},
    {"0.5 cycles", QUANTITY_CYCLES, "not a whole number of cycles", NULL},
    {"1.00000000000000000000000000000000000000000000001 KiB", QUANTITY_SIZE, "not a whole", NULL},
    {"10000000000 GiB", QUANTITY_SIZE, "too large", NULL},
    {"9223372.036854775808 s", QUANTITY_DURATION, "too large", NULL},
    {"1111111111111111111111111111111111111111111111111111 B", QUANTITY_SIZE, "too large", NULL},
    {"64 kib", QUANTITY_SIZE, "unknown unit \"kib\"", "did you mean KiB?"},
    {"64 KB", QUANTITY_SIZE, "unknown unit \"KB\"", "write kB or KiB"},
    {"64 K", QUANTITY_SIZE, "unknown unit", "write KiB"},
    {"64 bytes", QUANTITY_SIZE, "unknown unit", "write B"},
    {"64 Kb", QUANTITY_SIZE, "unknown unit", "did you mean kB?"},
    {"64 parsec", QUANTITY_SIZE, "unknown unit", "a size is written with B, kB"},
    {"64 KiB KiB", QUANTITY_SIZE, "unknown unit", "a size is written"},
    {"5 \302\265s", QUANTITY_DURATION, "unknown unit", "write us"},
    {"5 \316\274s", QUANTITY_DURATION, "unknown unit", "write us"},
    {"5 sec", QUANTITY_DURATION, "unknown unit", "write s"},
    {"5 US", QUANTITY_DURATION, "unknown unit", "did you mean us?"},
    {"5 KiB", QUANTITY_DURATION, "KiB is the unit of a size", "a duration is written with ps"},
    {"5 cycles", QUANTITY_DURATION, "cycles is the unit of a number of cycles", "a duration"},
    {"100 Mbps", QUANTITY_BIT_RATE, "unknown unit", "write Mb/s"},
    {"100 Mbit/s", QUANTITY_BIT_RATE, "unknown unit", "write Mb/s"},
    {"100 Mbit/s", QUANTITY_BYTE_RATE, "unknown unit", "a byte rate is written with B/s"},
    {"100 MB/s", QUANTITY_BIT_RATE, "MB/s is the unit of a byte rate", "written with b/s, kb/s"},
    {"100 Mb/s", QUANTITY_BYTE_RATE, "Mb/s is the unit of a bit rate", "written with B/s, kB/s"},
    {"33 Mhz", QUANTITY_FREQUENCY, "unknown unit", "did you mean MHz?"},
    {"33 MHz", QUANTITY_DURATION, "MHz is the unit of a frequency", "a duration is written"},
    {"1_000", QUANTITY_COUNT, "\"_000\"", "without a unit"},
    {"1,5 us", QUANTITY_DURATION, "unknown unit \",5 us\"", "a duration is written"},
    {"--5 us", QUANTITY_DURATION, "a duration is expected", "64 us"},
};

static void test_bad(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bads); i++) {
        struct quantity value;
        char *error, *hint;
        bool read = quantity_parse(bads[i].text, bads[i].kind, &value, &error, &hint);
        if (read)
            SUITE_SAME_TEXT(bads[i].text, "an error");
        SUITE_CONTAINS(error, bads[i].error);
        if (bads[i].hint)
            SUITE_CONTAINS(hint, bads[i].hint);
        else
            SUITE_SAME_TEXT(hint, NULL);
        g_free(error);
        g_free(hint);
    }
}

static void test_format(void)
{
    static const struct {
        enum quantity_kind kind;
        int64_t value;
        const char *text;
    } texts[] = {
        {QUANTITY_COUNT, -3, "-3"},
        {QUANTITY_DURATION, 0, "0 s"},
        {QUANTITY_DURATION, 2500000, "2.5 us"},
        {QUANTITY_DURATION, 500, "500 ps"},
        {QUANTITY_DURATION, 100000000000, "100 ms"},
        {QUANTITY_DURATION, 60000000000000, "60 s"},
        {QUANTITY_DURATION, -1500, "-1.5 ns"},
        {QUANTITY_DURATION, INT64_MAX, "9223372036854775807 ps"},
        {QUANTITY_CYCLES, 12, "12 cycles"},
        {QUANTITY_SIZE, 0, "0 B"},
        {QUANTITY_SIZE, 1, "1 B"},
        {QUANTITY_SIZE, 1460, "1460 B"},
        {QUANTITY_SIZE, 1500, "1500 B"},
        {QUANTITY_SIZE, 65536, "64 KiB"},
        {QUANTITY_SIZE, 64000, "64 kB"},
        {QUANTITY_SIZE, 4194304, "4 MiB"},
        {QUANTITY_SIZE, 1048577, "1048577 B"},
        {QUANTITY_BIT_RATE, 100000000, "100 Mb/s"},
        {QUANTITY_BIT_RATE, 1280000000, "1280 Mb/s"},
        {QUANTITY_BYTE_RATE, 132000000, "132 MB/s"},
        {QUANTITY_FREQUENCY, 33333333, "33333333 Hz"},
        {QUANTITY_FREQUENCY, 0, "0 Hz"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        char *text = quantity_format(texts[i].kind, (struct quantity){.integer = texts[i].value});
        SUITE_SAME_TEXT(text, texts[i].text);
        g_free(text);
    }
}

// Values of all magnitudes, round and crooked: what format writes, parse reads back.
static void test_round_trip(void)
{
    GRand *random = g_rand_new_with_seed(20030901);
    for (int i = 0; i < 100000; i++) {
        enum quantity_kind kind = (enum quantity_kind)(i % (QUANTITY_FREQUENCY + 1));
        int64_t value = (int64_t)(((uint64_t)g_rand_int(random) << 32 | g_rand_int(random)) >>
                                  g_rand_int_range(random, 1, 64));
        for (int zeros = g_rand_int_range(random, 0, 12); zeros > 0 && value < INT64_MAX / 10;
             zeros--)
            value *= 10;
        struct quantity before = {.integer = g_rand_boolean(random) ? value : -value}, after;
        if (kind == QUANTITY_REAL)
            before.real = g_rand_double_range(random, -1, 1) * (double)value;
        char *text = quantity_format(kind, before), *error, *hint;
        bool good =
            quantity_parse(text, kind, &after, &error, &hint) &&
            (kind == QUANTITY_REAL ? before.real == after.real : before.integer == after.integer);
        if (!good)
            SUITE_SAME_TEXT(text, error ? error : "another value");
        g_free(text);
        g_free(error);
        g_free(hint);
        if (!good)
            break;
    }
    g_rand_free(random);
}

// A fraction of a unit is exact wherever the base unit allows it: no double comes near it.
static void test_exact(void)
{
    for (int64_t ps = 1; ps < 3000000; ps += 7) {
        struct quantity value;
        char text[64], *error, *hint;
        snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64 " us", ps / 1000000, ps % 1000000);
        bool good = quantity_parse(text, QUANTITY_DURATION, &value, &error, &hint);
        g_free(error);
        g_free(hint);
        if (!good || value.integer != ps) {
            SUITE_SAME_INTEGER(good ? value.integer : -1, ps);
            break;
        }
    }
}

// JSON Schema and documentation know the same units as the reader.
static void test_pattern(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(goods); i++) {
        if (strchr(goods[i].text, '0') == goods[i].text || goods[i].kind == QUANTITY_COUNT)
            continue;
        char *pattern = quantity_pattern(goods[i].kind);
        char *text = g_strstrip(g_strdup(goods[i].text));
        if (!g_regex_match_simple(pattern, text, 0, 0))
            SUITE_SAME_TEXT(text, pattern);
        CU_ASSERT_FALSE(g_regex_match_simple(pattern, "5 parsec", 0, 0));
        g_free(text);
        g_free(pattern);
    }
    SUITE_SAME_TEXT(quantity_units(QUANTITY_DURATION), "ps, ns, us, ms, s, min");
    SUITE_SAME_TEXT(quantity_units(QUANTITY_SIZE), "B, kB, MB, GB, KiB, MiB, GiB");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"good texts give exact values", test_good},
        {"real numbers", test_reals},
        {"bad texts give an error and a hint", test_bad},
        {"values as text", test_format},
        {"text and back", test_round_trip},
        {"fractions are exact", test_exact},
        {"patterns match what is read", test_pattern},
        {0},
    };
    return suite_run("config: quantity", cases);
}
