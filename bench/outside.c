// SPDX-License-Identifier: GPL-3.0-or-later
// Builds and runs what is compared in other simulators, with the C++ compiler and the libraries of
// the system.
#include "bench/outside.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

struct bench_outside {
    char *program;
    char *before; // what runs it, quoted for the shell; "" if it runs by itself
};

static const struct kind {
    const char *simulator;
    const char *source;   // in bench/, without ".cc"
    const char *packages; // of pkg-config, whose first one has the version
    const char *debian;   // package
    const char *compiler;
    // The command in front of the program, which runs it with the platform of bench/; NULL: none.
    const char *runner, *platform;
} kinds[] = {
    [BENCH_NS3_STAR] = {"ns-3", "ns3_star", "ns3-csma ns3-point-to-point ns3-bridge", "libns3-dev",
                        "c++", NULL, NULL},
    [BENCH_NS3_TCP] = {"ns-3", "ns3_tcp", "ns3-applications ns3-internet ns3-point-to-point",
                       "libns3-dev", "c++", NULL, NULL},
    [BENCH_SIMGRID_ALLREDUCE] = {"SimGrid", "simgrid_allreduce", "simgrid", "libsimgrid-dev", "c++",
                                 NULL, NULL},
    [BENCH_SMPI_PINGPONG] = {"SMPI", "smpi_pingpong", "simgrid", "libsimgrid-dev", "smpicxx",
                             "smpirun --cfg=smpi/simulate-computation:no "
                             "--log=root.thresh:error -np 2 -platform",
                             "smpi_pair.xml"},
};

// Runs a command line in the shell's syntax and returns its output; returns NULL and sets *problem
// (g_free) if it can't be run or fails.
static char *output_of(const char *command, char **problem)
{
    char *out = NULL, *complaints = NULL;
    GError *error = NULL;
    int status;
    *problem = NULL;
    if (!g_spawn_command_line_sync(command, &out, &complaints, &status, &error)) {
        *problem = g_strdup(error->message);
    } else if (!g_spawn_check_wait_status(status, &error)) {
        *problem = *g_strstrip(complaints) ? g_strdup(complaints) : g_strdup(error->message);
        g_clear_pointer(&out, g_free);
    }
    g_clear_error(&error);
    g_free(complaints);
    return out;
}

// Where the program for this source and this version of the simulator is kept: a change of either
// makes a new name.
static char *program_path(const char *source, const char *name, const char *version)
{
    char *text = NULL;
    gsize length = 0;
    if (!g_file_get_contents(source, &text, &length, NULL))
        return NULL;
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)text, (gssize)length);
    g_checksum_update(sum, (const guchar *)version, -1);
    char *file = g_strdup_printf("%s-%.16s", name, g_checksum_get_string(sum));
    char *path = g_build_filename(g_get_user_cache_dir(), "netsim", file, NULL);
    g_free(file);
    g_checksum_free(sum);
    g_free(text);
    return path;
}

// Compiles to a temporary name and renames, so that a broken build is never run. Returns NULL, or
// why it failed.
static char *compile(const struct kind *kind, const char *source, const char *program,
                     const char *flags)
{
    char *directory = g_path_get_dirname(program);
    char *fresh = g_strdup_printf("%s.%d", program, (int)getpid());
    char *quoted_source = g_shell_quote(source), *quoted_fresh = g_shell_quote(fresh);
    char *command = g_strdup_printf("%s -std=c++17 -O2 %s -o %s %s", kind->compiler, quoted_source,
                                    quoted_fresh, flags);
    char *problem = NULL;
    if (g_mkdir_with_parents(directory, 0777) != 0) {
        problem = g_strdup_printf("%s cannot be made", directory);
    } else {
        g_free(output_of(command, &problem));
        if (!problem && g_rename(fresh, program) != 0)
            problem = g_strdup_printf("%s cannot be written", program);
    }
    g_free(command);
    g_free(quoted_fresh);
    g_free(quoted_source);
    g_free(fresh);
    g_free(directory);
    return problem;
}

// The version of the packages; NULL: one of them is not installed. The caller frees it (g_free).
static char *version_of(const struct kind *kind)
{
    char *problem;
    char *command = g_strdup_printf("pkg-config --modversion %s", kind->packages);
    char *version = output_of(command, &problem);
    g_free(problem);
    g_free(command);
    return version;
}

// The program, built if necessary; returns NULL and sets *problem (g_free) if there is none.
static char *program_find(const struct kind *kind, const char *source, char **problem)
{
    *problem = NULL;
    char *version = version_of(kind);
    if (!version) {
        *problem = g_strdup_printf("%s is not installed", kind->debian);
        return NULL;
    }
    char *command = g_strdup_printf("pkg-config --cflags --libs %s", kind->packages);
    char *flags = output_of(command, problem);
    char *program = flags ? program_path(source, kind->source, version) : NULL;
    if (flags && !program)
        *problem = g_strdup_printf("%s cannot be read", source);
    if (program && !g_file_test(program, G_FILE_TEST_IS_EXECUTABLE))
        *problem = compile(kind, source, program, g_strstrip(flags));
    if (*problem)
        g_clear_pointer(&program, g_free);
    g_free(command);
    g_free(flags);
    g_free(version);
    return program;
}

static char *runner_of(const struct kind *kind, const char *data_dir)
{
    if (!kind->runner)
        return g_strdup("");
    char *platform = g_build_filename(data_dir, "bench", kind->platform, NULL);
    char *quoted = g_shell_quote(platform);
    char *runner = g_strdup_printf("%s %s", kind->runner, quoted);
    g_free(quoted);
    g_free(platform);
    return runner;
}

struct bench_outside *bench_outside_new(const struct bench_options *options,
                                        enum bench_outside_kind number)
{
    const struct kind *kind = &kinds[number];
    char *file = g_strdup_printf("%s.cc", kind->source);
    char *source = g_build_filename(options->data_dir, "bench", file, NULL);
    char *problem = NULL;
    bench_say(options, "%s: building %s if need be", kind->simulator, source);
    char *program = program_find(kind, source, &problem);
    g_free(source);
    g_free(file);
    if (!program) {
        bench_say(options, "without %s: %s", kind->simulator, problem);
        g_free(problem);
        return NULL;
    }
    struct bench_outside *outside = g_new(struct bench_outside, 1);
    outside->program = program;
    outside->before = runner_of(kind, options->data_dir);
    return outside;
}

void bench_outside_free(struct bench_outside *outside)
{
    if (!outside)
        return;
    g_free(outside->before);
    g_free(outside->program);
    g_free(outside);
}

json_t *bench_outside_run(const struct bench_outside *outside, const char *arguments)
{
    char *problem;
    char *program = g_shell_quote(outside->program);
    char *command = g_strdup_printf("%s %s %s", outside->before, program, arguments);
    char *out = output_of(command, &problem);
    json_t *result = out ? json_loads(out, 0, NULL) : NULL;
    g_free(out);
    g_free(problem);
    g_free(command);
    g_free(program);
    return result;
}

// The packets that the program, run with these arguments, received per second of processor time.
static double received_per_s(const struct bench_outside *outside, const char *arguments)
{
    json_t *result = bench_outside_run(outside, arguments);
    double seconds = json_number_value(json_object_get(result, "cpu_s"));
    double received = json_number_value(json_object_get(result, "received"));
    json_decref(result);
    return seconds > 0.0 ? received / seconds : 0.0;
}

double bench_ns3_frames_per_s(const struct bench_outside *star, int hosts, double seconds,
                              int step_ns, int cable_ns)
{
    char duration[G_ASCII_DTOSTR_BUF_SIZE];
    char *arguments =
        g_strdup_printf("point-to-point %d %s %d %d", hosts,
                        g_ascii_dtostr(duration, sizeof duration, seconds), step_ns, cable_ns);
    double rate = received_per_s(star, arguments);
    g_free(arguments);
    return rate;
}

double bench_ns3_packets_per_s(const struct bench_outside *tcp, double seconds)
{
    char duration[G_ASCII_DTOSTR_BUF_SIZE];
    return received_per_s(tcp, g_ascii_dtostr(duration, sizeof duration, seconds));
}

double bench_smpi_messages_per_s(const struct bench_outside *smpi, int pingpongs)
{
    char *arguments = g_strdup_printf("%d", pingpongs);
    double rate = received_per_s(smpi, arguments);
    g_free(arguments);
    return rate;
}
