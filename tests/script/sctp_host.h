// SPDX-License-Identifier: GPL-3.0-or-later
// The SCTP of a script: the host under test, the peer's side, and the program's descriptors.
#ifndef NETSIM_TESTS_SCRIPT_SCTP_HOST_H
#define NETSIM_TESTS_SCRIPT_SCTP_HOST_H

#include "models/sctp_cmt/sctp/association.h"
#include "tests/script/calls.h"
#include "tests/script/sctp_text.h"

#define SCTP_SCRIPT_PORT 8080 // of a bound socket, and of the peer that is connected to

// Flags of messages (sys/netinet/sctp_uio.h).
enum {
    SCTP_SEND_EOF = 0x100,
    SCTP_SEND_ABORT = 0x200,
    SCTP_SEND_UNORDERED = 0x400,
    SCTP_SEND_IMMEDIATE = 0x4000,
};

struct sctp_fd {
    struct script_fd file;
    bool bound, listening;
    bool abortive; // SO_LINGER with no time: close aborts
    struct sctp_socket *socket;
};

struct sctp_script_host {
    struct sctp_host *sctp;
    struct sctp_numbering numbers;
    struct sctp_pools pools; // of the packets that the script sends
    uint16_t own_port, peer_port;
    struct sctp_fd fds[SCRIPT_FDS];
    GHashTable *tuned; // values of FreeBSD's net.inet.sctp.*, by name, that a shell line has set
};

// A call that is being made.
struct sctp_call {
    struct script_made made;
    struct sctp_script_host *host;
    struct sctp_fd *fd; // of the first argument; NULL: it is none
};

extern const struct script_constant sctp_script_constants[];

// sctp_calls.c
struct script_result sctp_script_call(struct script_world *world, struct cpu_context *context,
                                      const struct script_event *event,
                                      struct script_report *report);
// The result of a function of the stack's sockets, as the system returns it.
struct script_result sctp_call_result(int64_t result, bool sending);
// Complains unless the field of a value is what it is expected to be, or is open.
void sctp_call_expect(const struct sctp_call *call, const struct script_value *value,
                      const char *name, int64_t is);

// The number in a field of a struct; 0 if it has none.
int64_t sctp_call_field(const struct script_value *value, const char *name);

// sctp_sysctl.c: `sysctl net.inet.sctp.NAME=VALUE` holds for the sockets that are made afterwards.
void sctp_script_shell(struct script_world *world, const char *command);
void sctp_script_tune(const struct sctp_script_host *host, struct sctp_settings *settings);

// sctp_data.c
struct script_result sctp_call_write(struct sctp_call *call);
struct script_result sctp_call_sendmsg(struct sctp_call *call);
struct script_result sctp_call_send_info(struct sctp_call *call);
struct script_result sctp_call_sendv(struct sctp_call *call);
struct script_result sctp_call_send_vector(struct sctp_call *call);
struct script_result sctp_call_read(struct sctp_call *call);
struct script_result sctp_call_read_vector(struct sctp_call *call);
struct script_result sctp_call_recvmsg(struct sctp_call *call);

// sctp_options.c
struct script_result sctp_call_setsockopt(struct sctp_call *call);
struct script_result sctp_call_getsockopt(struct sctp_call *call);

// sctp_host.c
extern const struct script_protocol sctp_script_protocol;

#endif
