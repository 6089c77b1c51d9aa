// SPDX-License-Identifier: GPL-3.0-or-later
// Shell lines of scripts that tune the system: scripts written for FreeBSD set its defaults of SCTP
// with sysctl (sctp(4)), before they make their sockets.
#include "tests/script/sctp_host.h"

#include <stdlib.h>
#include <string.h>

#define PREFIX "net.inet.sctp."
#define MOST_MS 1000000
#define MOST_COUNT 100000000

// By the system's name: times in ms, or counts.
#define TIME_OF(name, member)                                                                      \
    {                                                                                              \
        (name), offsetof(struct sctp_settings, member), TIME_MS, MOST_MS                           \
    }
#define COUNT_OF(name, member, most)                                                               \
    {                                                                                              \
        (name), offsetof(struct sctp_settings, member), 1, (most)                                  \
    }

static const struct knob {
    const char *name;
    size_t at;
    int64_t unit;
    int64_t most;
} knobs[] = {
    TIME_OF("rto_initial", rto_initial),
    TIME_OF("rto_min", rto_least),
    TIME_OF("rto_max", rto_most),
    TIME_OF("valid_cookie_life", cookie_life),
    TIME_OF("heartbeat_interval", heartbeat_interval),
    TIME_OF("delayed_sack_time", sack_delay),
    COUNT_OF("sack_freq", sack_frequency, MOST_COUNT),
    COUNT_OF("assoc_rtx_max", association_retries, MOST_COUNT),
    COUNT_OF("path_rtx_max", path_retries, MOST_COUNT),
    COUNT_OF("init_rtx_max", init_retries, MOST_COUNT),
    COUNT_OF("outgoing_streams", streams_out, UINT16_MAX),
    COUNT_OF("incoming_streams", streams_in, UINT16_MAX),
    COUNT_OF("sendspace", send_buffer, MOST_COUNT),
    COUNT_OF("recvspace", receive_buffer, MOST_COUNT),
};

// NAME=VALUE; 0 is left out, as most of them can't be.
static void note(GHashTable *tuned, const char *setting)
{
    char **parts = g_strsplit(setting + strlen(PREFIX), "=", 2);
    char *end = NULL;
    long value = parts[0] && parts[1] ? strtol(parts[1], &end, 10) : -1;
    if (end && end != parts[1] && value > 0 && value <= MOST_COUNT)
        g_hash_table_insert(tuned, g_strdup(parts[0]), GINT_TO_POINTER((int)value));
    g_strfreev(parts);
}

void sctp_script_shell(struct script_world *world, const char *command)
{
    const struct sctp_script_host *host = world->host;
    char **words = g_strsplit_set(command, " \t\r\n;&|`'\"", -1);
    for (char **word = words; *word; word++)
        if (g_str_has_prefix(*word, PREFIX))
            note(host->tuned, *word);
    g_strfreev(words);
}

void sctp_script_tune(const struct sctp_script_host *host, struct sctp_settings *settings)
{
    for (size_t i = 0; i < G_N_ELEMENTS(knobs); i++) {
        gpointer value;
        if (g_hash_table_lookup_extended(host->tuned, knobs[i].name, NULL, &value))
            *(int64_t *)((char *)settings + knobs[i].at) =
                MIN(GPOINTER_TO_INT(value), knobs[i].most) * knobs[i].unit;
    }
}
