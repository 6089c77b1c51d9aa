// SPDX-License-Identifier: GPL-3.0-or-later
// Plays a packet script against one simulated host with its real stack; the script is the peer on
// the wire. Nothing of it knows a protocol: struct script_protocol does.
//
// Inbound packets are put on the wire, and calls are made, at their time. An outbound packet must
// be the next one that the host sends, within its time and the tolerance: --tolerance_usecs=N, or 4
// ms, but at least a hundredth of the time since the event before it. A packet that the host sent
// before the script's last event and that no event expected is a failure, too.
#ifndef NETSIM_TESTS_SCRIPT_PLAY_H
#define NETSIM_TESTS_SCRIPT_PLAY_H

#include "sim/cluster/cluster.h"
#include "sim/model/model.h"
#include "sim/scenario/scenario.h"
#include "tests/script/parse.h"

// The host under test, host 0 of a scenario with one cable, and the peer's station at the other
// end.
struct script_world {
    struct sim *sim;
    struct cluster *cluster;
    const struct scenario_case *test_case;
    int station, peer;    // of the host and of the script
    struct cpu_task task; // of the process that makes the calls
    const struct script_protocol *protocol;
    void *host; // the protocol's
};

// The result of a call.
struct script_result {
    int64_t value;
    const char *error; // "EAGAIN"; NULL: none
};

struct script_protocol {
    const char *program;                     // for usage
    const char *const *defined;              // names that #ifdef takes for defined
    const char *const *profiles;             // of --profile, the first one without it; NULL: none
    const struct registry *registry;         // of the models that the scenario knows
    const char *scenario;                    // with a %s for the profile if there are profiles
    const char *mtu;                         // key that --mtu sets
    const char *const *more_options;         // of scripts: that host_new reads; NULL: none
    const struct script_constant *constants; // of calls

    script_packet_fn *parse;
    void (*packet_free)(void *packet);

    void *(*host_new)(struct script_world *world, const struct script *script);
    void (*host_free)(void *host);
    // Returns a packet from the peer to the host, or NULL with a report.
    struct packet *(*inject)(struct script_world *world, const struct script_event *event,
                             struct script_report *report);
    // A packet of the host's has arrived at the peer: what is kept of it, freed with g_free.
    void *(*sniff)(struct script_world *world, const struct packet *packet);
    // Reports what differs. Learns from what fits.
    void (*match)(struct script_world *world, const struct script_event *event, const void *sniffed,
                  struct script_report *report);
    char *(*text)(struct script_world *world, const struct script_event *event); // of an expected
    char *(*sniffed_text)(struct script_world *world, const void *sniffed);
    // Makes a call. The player compares the result.
    struct script_result (*call)(struct script_world *world, struct cpu_context *context,
                                 const struct script_event *event, struct script_report *report);
    // Takes of a shell line what it knows; NULL: nothing.
    void (*shell)(struct script_world *world, const char *command);
};

struct script_settings {
    const char *profile;
    const char *const *sets; // KEY=VALUE for the scenario, NULL-terminated; NULL: none
    bool verbose;            // every packet and call is printed on stderr
    struct capture *capture; // that records the frames; NULL: none
};

// Plays a script. The caller frees the report with script_report_clear.
void script_play(const struct script_protocol *protocol, const struct script_settings *settings,
                 const char *text, size_t length, struct script_report *report);

// The program: PROGRAM [--profile NAME] [--set KEY=VALUE] [--verbose] [--pcap FILE] FILE...
int script_main(const struct script_protocol *protocol, int argc, char **argv);

#endif
