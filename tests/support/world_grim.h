// SPDX-License-Identifier: GPL-3.0-or-later
// GRIM's firmware as the provider of the tests' world (world.h): hosts with its cards on one
// cut-through switch, and endpoints that follow a script, without a library above.
//
// An endpoint injects its script in order, waits when there is no room, and polls: it takes one
// active message per slice. Every message carries in argument[0] its number among those from its
// source to its destination, and the endpoint that takes it checks that it is the next.
#ifndef NETSIM_TESTS_SUPPORT_WORLD_GRIM_H
#define NETSIM_TESTS_SUPPORT_WORLD_GRIM_H

#include "models/grim/ni/ni.h"
#include "tests/support/transition_log.h"
#include "tests/support/world.h"

#define GRIM_WORLD_MOST 16 // hosts, and endpoints

struct grim_end {
    struct world_process process;
    struct grim_channel *channel;
    GArray *script; // struct grim_message
    guint injected;
    // Its handling of arrivals.
    sim_time polls_from;  // it takes nothing before; TIME_NEVER: never
    sim_time poll_cost;   // of each message that it takes
    bool replies;         // each message with one of the same size
    bool polls_last;      // only after its script
    sim_time starts;      // its script
    sim_time inject_cost; // of each message that it injects
    GArray *replying;     // messages that are still to be sent back
    guint replied;
    // Arrivals so far.
    uint32_t next_number[GRIM_WORLD_MOST], sent_number[GRIM_WORLD_MOST];
    int64_t taken, out_of_order;
    GString *order; // "0:0 2:0 0:1 ": source:number of what was taken
    sim_time last_injection, last_taken, first_taken[GRIM_WORLD_MOST];
};

struct grim_world_options {
    int hosts;
    int ends_per_host;         // end e is on host e % hosts
    struct grim_ni_config ni;  // grim_world_ni()
    struct lanai_config lanai; // grim_world_lanai()
    struct grim_scan_config scan;
    uint64_t seed;
    int64_t bus_rate;     // of the hosts, B/s
    struct trace *trace;  // instead of the log; NULL: none
    const char *machines; // of the log ("message,receiver"); NULL: none
    bool detail;          // in it
    // Faults of the links by host: packets of one direction that get a bit error, counted from 1
    // (0: none), host to switch; and the probability of one, and of loss, in both directions.
    int64_t corrupt_nth[GRIM_WORLD_MOST];
    double bit_error_rate, drop_probability;
    struct param_window pulled; // the first host's cable is out; both 0: never
};

// The tables' defaults, with LANai 9 cards; grim_world_lanai4 makes them LANai 4.
struct grim_world_options grim_world_defaults(int hosts, int ends_per_host);
void grim_world_lanai4(struct grim_world_options *options);

struct world *grim_world_new(const struct grim_world_options *options);

struct grim_end *grim_end(const struct world *world, int number);
struct grim_fabric *grim_fabric(const struct world *world);

// Appends `count` active messages of `bytes` to a script, each with a message in the ledger.
void grim_world_send(struct world *world, int from, int to, uint32_t bytes, int count);

// Runs until nothing is left to happen or the run has failed. grim_fabric_start is called before.
void grim_world_run(struct world *world);

// All scripts are through, and all that was sent was taken, once and in order.
bool grim_world_complete(const struct world *world);

// Time that a host's card has spent in a stage of the firmware.
sim_time grim_world_stage(const struct world *world, int host, const char *stage);

// The log, which there must be, and how often a text stands in it.
const char *grim_world_log(const struct world *world);
int grim_world_count(const struct world *world, const char *part);

// A member of the endpoint's report; the caller frees it. "" if there is none.
char *grim_world_report(const struct world *world, int end, const char *member);

#endif
