// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of the NAL's packets, and the threshold that follows from them.
#include "models/intercept/p3/p3_config.h"
#include "tests/support/suite.h"

#include <glib.h>

static struct p3_config hybrid(int abi, const char *threshold)
{
    return (struct p3_config){
        .version = P3_HYBRID, .abi = abi, .threshold = threshold, .grant = 16};
}

// icpt.cfg.pkthdr, icpt.cfg.pkthdr_data, icpt.cfg.pkt_cts, icpt.cfg.pkt_next_cts,
// icpt.cfg.packet_payload: the sizes of the structs on each processor, and the remainder of 504 B.
static void test_sizes(void)
{
    static const struct {
        int abi;
        int64_t portals, common, data_header, cts, next_cts, first, data, threshold;
    } rows[] = {
        {P3_I386, 72, 16, 20, 24, 20, 416, 484, 8160},
        {P3_IA64, 80, 24, 28, 40, 32, 400, 476, 8016},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct p3_config config = hybrid(rows[i].abi, "computed");
        struct p3_sizes sizes = p3_sizes(&config, rows[i].portals);
        SUITE_SAME_INTEGER(sizes.common, rows[i].common);
        SUITE_SAME_INTEGER(sizes.data_header, rows[i].data_header);
        SUITE_SAME_INTEGER(sizes.cts, rows[i].cts);
        SUITE_SAME_INTEGER(sizes.next_cts, rows[i].next_cts);
        SUITE_SAME_INTEGER(sizes.msgend, rows[i].common);
        SUITE_SAME_INTEGER(sizes.first, rows[i].first);
        SUITE_SAME_INTEGER(sizes.data, rows[i].data);
        SUITE_SAME_INTEGER(sizes.threshold, rows[i].threshold);
    }
}

// icpt.cfg.protocol_threshold: the first data and as many packets as a CTS grants.
static void test_threshold(void)
{
    struct p3_config config = hybrid(P3_I386, "computed");
    config.grant = 4;
    SUITE_SAME_INTEGER(p3_sizes(&config, 72).threshold, 416 + 4 * 484);
    config.threshold = "all";
    SUITE_SAME_INTEGER(p3_sizes(&config, 72).threshold, P3_NO_THRESHOLD);
    config.threshold = "0";
    SUITE_SAME_INTEGER(p3_sizes(&config, 72).threshold, 0);
    config.threshold = "4 KiB";
    SUITE_SAME_INTEGER(p3_sizes(&config, 72).threshold, 4096);
    config.version = P3_VDMA;
    SUITE_SAME_INTEGER(p3_sizes(&config, 72).threshold, -1);
}

// Complaints about a text as threshold.
static guint complaints(const char *text)
{
    struct diag_list *diags = diag_list_new();
    struct node *map = node_new_map((struct source_mark){"test", 1, 1});
    CU_ASSERT_TRUE(node_set(&map, "threshold", text, "test", diags));
    param_values_free(param_read(&p3_table, map, "p3", diags));
    guint found = diags->found;
    node_free(map);
    diag_list_free(diags);
    return found;
}

static void test_texts(void)
{
    SUITE_SAME_INTEGER(complaints("all"), 0);
    SUITE_SAME_INTEGER(complaints("8 KiB"), 0);
    SUITE_SAME_INTEGER(complaints("0"), 0);
    SUITE_SAME_INTEGER(complaints("most"), 1);
    SUITE_SAME_INTEGER(complaints("8 us"), 1);
}

static const struct suite_case cases[] = {
    {"headers of both processors", test_sizes},
    {"threshold", test_threshold},
    {"what a threshold may be", test_texts},
    {0},
};

int main(void)
{
    return suite_run("p3: config", cases);
}
