// SPDX-License-Identifier: GPL-3.0-or-later
// The options --pcap-*.
#include "sim/cli/cli.h"

#include "sim/config/quantity.h"

// Reads the value of an option, NULL: 0. False after an error, which has been printed.
static bool read_quantity(const char *option, const char *text, enum quantity_kind kind,
                          int64_t *value)
{
    struct quantity quantity = {0};
    char *error = NULL, *hint = NULL;
    bool good = !text || quantity_parse(text, kind, &quantity, &error, &hint);
    if (!good)
        cli_error(hint, "%s %s: %s", option, text, error);
    else if (quantity.integer < 0)
        cli_error(NULL, "%s %s: this is below 0", option, text);
    *value = quantity.integer;
    g_free(error);
    g_free(hint);
    return good && quantity.integer >= 0;
}

// Only with --pcap.
static bool has_directory(const struct cli_pcap *pcap, const char *directory)
{
    const struct {
        const char *option, *value;
    } others[] = {
        {"--pcap-at", pcap->at},
        {"--pcap-from", pcap->from},
        {"--pcap-to", pcap->to},
        {"--pcap-snap", pcap->snap},
    };
    for (size_t i = 0; !directory && i < G_N_ELEMENTS(others); i++)
        if (others[i].value) {
            cli_error("--pcap DIR says where captures go", "%s needs --pcap", others[i].option);
            return false;
        }
    if (directory && !*directory)
        cli_error(NULL, "--pcap: a directory is expected");
    return !directory || *directory;
}

// Above 0, if it is given.
static bool is_above_0(const char *option, const char *text, int64_t value)
{
    if (text && value == 0)
        cli_error(NULL, "%s %s: nothing would be left", option, text);
    return !text || value > 0;
}

bool cli_time_read(const char *option, const char *text, sim_time *time)
{
    return read_quantity(option, text, QUANTITY_DURATION, time) && is_above_0(option, text, *time);
}

bool cli_stretch_read(const char *from_option, const char *from_text, const char *to_option,
                      const char *to_text, sim_time *from, sim_time *to)
{
    if (!read_quantity(from_option, from_text, QUANTITY_DURATION, from) ||
        !read_quantity(to_option, to_text, QUANTITY_DURATION, to) ||
        !is_above_0(to_option, to_text, *to))
        return false;
    if (to_text && *from >= *to)
        cli_error(NULL, "%s %s is not before %s %s", from_option, from_text ? from_text : "0 s",
                  to_option, to_text);
    return !to_text || *from < *to;
}

bool cli_pcap_read(struct cli_pcap *pcap, const char *directory)
{
    struct captures_options *options = &pcap->options;
    int64_t from, to, snap;
    if (!has_directory(pcap, directory) ||
        !cli_stretch_read("--pcap-from", pcap->from, "--pcap-to", pcap->to, &from, &to) ||
        !read_quantity("--pcap-snap", pcap->snap, QUANTITY_SIZE, &snap) ||
        !is_above_0("--pcap-snap", pcap->snap, snap))
        return false;
    pcap->nodes = pcap->at ? g_strsplit(pcap->at, ",", -1) : NULL;
    for (int i = 0; pcap->nodes && pcap->nodes[i]; i++)
        g_strstrip(pcap->nodes[i]);
    if (pcap->nodes && !pcap->nodes[0]) {
        cli_error(NULL, "--pcap-at: names of nodes are expected");
        return false;
    }
    *options = (struct captures_options){
        .nodes = (const char *const *)pcap->nodes,
        .from = from,
        .to = to,
        .snap = snap,
    };
    return true;
}

void cli_pcap_clear(struct cli_pcap *pcap)
{
    g_strfreev(pcap->nodes);
}
