// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a number with a unit, of every kind. Its printed text reads back to the same.
#include "sim/config/quantity.h"
#include "tests/fuzz/fuzz.h"

static bool same(enum quantity_kind kind, struct quantity a, struct quantity b)
{
    return kind == QUANTITY_REAL ? a.real == b.real : a.integer == b.integer;
}

static void read_one(const char *text, enum quantity_kind kind)
{
    char *error = NULL, *hint = NULL;
    struct quantity value, again;
    bool good = quantity_parse(text, kind, &value, &error, &hint);
    fuzz_end_text(error, good);
    g_free(hint);
    if (!good)
        return;
    char *printed = quantity_format(kind, value);
    g_assert(quantity_parse(printed, kind, &again, &error, &hint));
    g_assert(!error && same(kind, value, again));
    g_free(hint);
    g_free(printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum quantity_kind kinds[] = {
        QUANTITY_COUNT, QUANTITY_REAL,     QUANTITY_DURATION,  QUANTITY_CYCLES,
        QUANTITY_SIZE,  QUANTITY_BIT_RATE, QUANTITY_BYTE_RATE, QUANTITY_FREQUENCY};
    char *text = fuzz_text(data, size);
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++)
        read_one(text, kinds[i]);
    g_free(text);
    return 0;
}
