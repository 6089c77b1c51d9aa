// SPDX-License-Identifier: GPL-3.0-or-later
// Splitting and slicing of transfers by the VDMA handler (thesis 002, 2.2.2 and 5.2.2).
#include "models/intercept/nic/nic.h"
#include "models/intercept/vdma/handler_align.h"
#include "tests/support/suite.h"

#define PAGE INTERCEPT_PAGE
#define MIB VDMA_SLICE

// The engine's part of any transfer meets its rules; the rest is what one message carries, and
// empty if there is no need.
static void check_split(int64_t local, int64_t bytes)
{
    struct vdma_split split = vdma_split(local, bytes);
    bool held = split.first >= 0 && split.first < VDMA_ALIGNMENT && split.last >= 0 &&
                split.middle >= 0 && split.first + split.middle + split.last == bytes;
    if (split.middle > 0) {
        held = held && (local + split.first) % VDMA_ALIGNMENT == 0 &&
               split.middle % VDMA_QWORD == 0 && split.middle >= VDMA_LEAST &&
               split.last < VDMA_QWORD;
    } else { // all of it goes by the message: nothing that the engine could have moved
        held = held && split.last < VDMA_LEAST;
    }
    if (local % VDMA_ALIGNMENT == 0 && bytes % VDMA_QWORD == 0 && bytes >= VDMA_LEAST)
        held = held && split.middle == bytes;
    if (!held)
        SUITE_SAME_INTEGER(local * 1000000 + bytes, -1);
}

static void test_split(void)
{
    for (int64_t local = 0; local < VDMA_ALIGNMENT; local++) {
        for (int64_t bytes = 0; bytes < 200; bytes++)
            check_split(local, bytes);
        for (int64_t bytes = MIB - 70; bytes < MIB + 70; bytes++)
            check_split(4096 + local, bytes);
    }
    struct vdma_split example = vdma_split(4, 104857596);
    SUITE_SAME_INTEGER(example.first, 28);
    SUITE_SAME_INTEGER(example.middle, 104857568);
    SUITE_SAME_INTEGER(example.last, 0);
    CU_ASSERT_TRUE(vdma_aligned(32, 64, 24));
    CU_ASSERT_FALSE(vdma_aligned(32, 64, 16));
    CU_ASSERT_FALSE(vdma_aligned(32, 64, 28));
    CU_ASSERT_FALSE(vdma_aligned(8, 64, 32));
    CU_ASSERT_FALSE(vdma_aligned(32, 8, 32));
}

static int64_t pages(int64_t address, int64_t bytes)
{
    return (address + bytes - 1) / PAGE - address / PAGE + 1;
}

// Cuts a whole middle part; returns the number of slices.
static int64_t cut(int64_t local, int64_t remote, int64_t bytes)
{
    int64_t slices = 0;
    for (int64_t at = 0, next; at < bytes; at += next, slices++) {
        next = vdma_slice_bytes(local + at, remote + at, bytes - at);
        bool displaced = vdma_displaced(remote + at);
        int64_t from = displaced ? 0 : remote + at; // or the temporary buffer
        bool held = next >= VDMA_LEAST && next % VDMA_QWORD == 0 && next <= MIB &&
                    (local + at) % VDMA_ALIGNMENT == 0 &&
                    pages(local + at, next) <= INTERCEPT_TABLE &&
                    pages(from, next) <= INTERCEPT_TABLE && at + next <= bytes &&
                    displaced == vdma_displaced(remote);
        if (!held) {
            SUITE_SAME_INTEGER(next, -1);
            return -1;
        }
    }
    return slices;
}

// All displacements of both ends, and lengths around whole slices: the page tables suffice.
static void test_displacements(void)
{
    static const int64_t lengths[] = {1,       23,      24,       31,       32,          33,
                                      55,      56,      4095,     4097,     MIB - 8,     MIB,
                                      MIB + 1, MIB + 8, MIB + 24, MIB + 56, 3 * MIB + 16};
    for (int64_t a = 0; a < VDMA_ALIGNMENT; a++)
        for (int64_t s = 0; s < VDMA_ALIGNMENT; s++)
            for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
                struct vdma_split split = vdma_split(8 * PAGE + a, lengths[i]);
                if (split.middle == 0)
                    continue;
                int64_t local = 8 * PAGE + a + split.first, remote = 3 * PAGE + s + split.first;
                CU_ASSERT_TRUE(vdma_displaced(remote) == (a != s));
                int64_t slices = cut(local, remote, split.middle),
                        least = (split.middle + MIB - 1) / MIB;
                CU_ASSERT_TRUE(slices == least || slices == least + 1);
            }
}

// Every quad word's place in a page, at both ends.
static void test_pages(void)
{
    for (int64_t a = 0; a < PAGE; a += 32)
        for (int64_t s = 0; s < PAGE; s += 96) {
            int64_t slices = cut(5 * PAGE + a, 9 * PAGE + s, 2 * MIB + 40);
            CU_ASSERT_TRUE(slices == 3 || slices == 4);
        }
}

// Whole MiB from page to page are one slice each; a displaced one of 100 MiB - 4 B adds one.
static void test_counts(void)
{
    SUITE_SAME_INTEGER(cut(0, 0, 24), 1);
    SUITE_SAME_INTEGER(cut(0, 0, MIB - 8), 1);
    SUITE_SAME_INTEGER(cut(0, 0, MIB), 1);
    SUITE_SAME_INTEGER(cut(0, 0, MIB + 8), 2);
    SUITE_SAME_INTEGER(vdma_slice_bytes(0, 0, MIB + 8), MIB - VDMA_ALIGNMENT);
    SUITE_SAME_INTEGER(vdma_slice_bytes(0, 0, MIB + 24), MIB);
    SUITE_SAME_INTEGER(cut(0, 0, 5 * MIB), 5);
    SUITE_SAME_INTEGER(cut(0, 0, 100 * MIB), 100);
    SUITE_SAME_INTEGER(cut(0, 4, 100 * MIB - 8), 100);
    SUITE_SAME_INTEGER(cut(32, 32, 100 * MIB - 32), 100);
    SUITE_SAME_INTEGER(vdma_slice_bytes(32, 32, 100 * MIB), MIB - 32);
    SUITE_SAME_INTEGER(cut(32, 36, 100 * MIB - 8), 101);
    SUITE_SAME_INTEGER(vdma_slice_bytes(0, 64, 100 * MIB), MIB - PAGE);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"the engine's part of a transfer meets its rules", test_split},
        {"slices of all displacements", test_displacements},
        {"slices of all places in a page", test_pages},
        {"numbers of slices", test_counts},
        {0},
    };
    return suite_run("vdma: alignment", cases);
}
