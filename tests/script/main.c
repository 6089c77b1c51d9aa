// SPDX-License-Identifier: GPL-3.0-or-later
// The program around a protocol: a line per script.
#include "tests/script/pcap.h"
#include "tests/script/play.h"

#include <stdio.h>
#include <string.h>

enum { DONE = 0, NOT_ALL_PASS = 1, USAGE = 2 };

static void usage(const struct script_protocol *protocol, FILE *file)
{
    fprintf(file, "usage: %s ", protocol->program);
    for (const char *const *name = protocol->profiles; name && *name; name++)
        fprintf(file, "%s%s%s", name == protocol->profiles ? "[--profile " : "|", *name,
                name[1] ? "" : "] ");
    fprintf(file, "[--set KEY=VALUE] [--verbose] [--pcap FILE] FILE...\n");
}

// Returns 0, or 1 if the script did not pass, or 2 if there is no such file.
static int play_file(const struct script_protocol *protocol, const struct script_settings *settings,
                     const char *path)
{
    static const char *const words[] = {"pass", "fail", "unsupported"};
    struct script_report report = {0};
    GError *error = NULL;
    char *text;
    gsize length;
    if (!g_file_get_contents(path, &text, &length, &error)) {
        fprintf(stderr, "%s: %s\n", protocol->program, error->message);
        g_error_free(error);
        return USAGE;
    }
    script_play(protocol, settings, text, length, &report);
    enum script_verdict verdict = report.verdict;
    if (verdict == SCRIPT_PASS)
        printf("pass %s\n", path);
    else
        printf("%s %s:%d: %s\n", words[verdict], path, report.line, report.text);
    fflush(stdout);
    script_report_clear(&report);
    g_free(text);
    return verdict == SCRIPT_PASS ? DONE : NOT_ALL_PASS;
}

// Reads the options in front of the files. Returns the index of the first file, or -1.
static int read_arguments(const struct script_protocol *protocol, struct script_settings *settings,
                          GPtrArray *sets, const char **pcap, int argc, char **argv)
{
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        if (strcmp(argv[at], "--verbose") == 0)
            settings->verbose = true;
        else if (strcmp(argv[at], "--pcap") == 0 && at + 1 < argc)
            *pcap = argv[++at];
        else if (strcmp(argv[at], "--set") == 0 && at + 1 < argc)
            g_ptr_array_add(sets, argv[++at]);
        else if (strcmp(argv[at], "--profile") == 0 && at + 1 < argc && protocol->profiles &&
                 g_strv_contains(protocol->profiles, argv[at + 1]))
            settings->profile = argv[++at];
        else
            return -1;
    }
    return at < argc ? at : -1;
}

int script_main(const struct script_protocol *protocol, int argc, char **argv)
{
    struct script_settings settings = {0};
    GPtrArray *sets = g_ptr_array_new();
    int worst = DONE;
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        usage(protocol, stdout);
        g_ptr_array_unref(sets);
        return DONE;
    }
    const char *pcap = NULL;
    int at = read_arguments(protocol, &settings, sets, &pcap, argc, argv);
    if (at < 0) {
        usage(protocol, stderr);
        worst = USAGE;
    }
    g_ptr_array_add(sets, NULL);
    settings.sets = (const char *const *)sets->pdata;
    GError *error = NULL;
    if (at > 0 && pcap)
        settings.capture = script_pcap_new(pcap, &error);
    for (; at > 0 && at < argc && !error; at++) {
        int status = play_file(protocol, &settings, argv[at]);
        worst = MAX(worst, status);
    }
    if (error || !script_pcap_close(settings.capture, &error)) {
        fprintf(stderr, "%s: %s\n", protocol->program, error->message);
        g_error_free(error);
        worst = USAGE;
    }
    g_ptr_array_unref(sets);
    return worst;
}
