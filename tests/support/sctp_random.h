// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of random runs of SCTP (world_sctp.h): machines, networks and their faults, and every
// switch of the stack, all by a run's number.
#ifndef NETSIM_TESTS_SUPPORT_SCTP_RANDOM_H
#define NETSIM_TESTS_SUPPORT_SCTP_RANDOM_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define SCTP_RANDOM_HOSTS 8 // at most
#define SCTP_RANDOM_STREAMS 4

struct sctp_random {
    int number, hosts, networks;
    GRand *random;
    const char *nic; // model of the cards
    GPtrArray *sets; // char *, ended by NULL
    int64_t receive_buffer, send_buffer, mtu;
    int64_t bytes; // per association and direction
    bool cmt;
    bool pauses; // of the processes
};

// Everything that a random run is. Errors never end an association, since every cut ends. The
// caller frees what is in it with sctp_random_clear.
struct sctp_random sctp_random_new(int number);
void sctp_random_clear(struct sctp_random *run);

int sctp_random_below(struct sctp_random *run, int bound);

// One more setting, which beats those before it; not once `sets` has ended.
void sctp_random_set(struct sctp_random *run, const char *format, ...) G_GNUC_PRINTF(2, 3);

#endif
