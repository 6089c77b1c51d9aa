// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the parts of the NAL: a process's state, its peers, and the records of messages that
// are under way.
#ifndef NETSIM_MODELS_INTERCEPT_P3_INTERNAL_H
#define NETSIM_MODELS_INTERCEPT_P3_INTERNAL_H

#include "models/intercept/p3/p3.h"
#include "models/intercept/p3/p3_config.h"
#include "models/intercept/p3/packets.h"
#include "sim/core/pool.h"
#include "sim/core/sparse.h"

struct p3_long; // long.c's part of a process

// Passed through portals_parse to `receive`: the first member of the protocols' own structs.
struct p3_arriving {
    bool is_long, by_handler_cb; // neither: short
};

// ---- Records of messages ----

// A short message at its sender.
enum p3_send_state {
    P3_SEND_NEW,
    P3_SEND_POSTPONED, // numbered; its RTS is not sent
    P3_SEND_RTS_SENT,
    P3_SEND_SENDING,  // data packets are granted
    P3_SEND_WAIT_CTS, // the grant is used up
    P3_SEND_WAIT_END, // all is sent
    P3_SEND_DONE,
    P3_SEND_FAILED,
};

struct p3_send {
    struct p3_send *next; // of the peer's sent or waiting ones
    struct p3_send *granted_next;
    struct portals_transfer *transfer;
    struct machine machine; // enum p3_send_state
    sim_time since;         // of the state
    int peer;               // IUCA
    uint64_t number;
    int64_t length; // B of the message
    int64_t want;   // B that the receiver wants
    uint32_t data;  // number of the next data packet
    uint32_t credit;
};

// A short message at its receiver.
enum p3_receive_state { P3_RECEIVE_PARSED, P3_RECEIVE_RECEIVING, P3_RECEIVE_ENDED };

struct p3_receive {
    struct p3_receive *next;           // of the peer's
    struct portals_transfer *transfer; // NULL: nothing is wanted
    struct machine machine;            // enum p3_receive_state
    enum portals_status status;        // for the library, at the end
    int peer;
    uint64_t number;
    struct message_ref message;
    int64_t mlen, rcvlen; // B wanted, and B received
    int64_t length;       // handler_cb.c: B that come, wanted or not
    bool empty;           // handler_cb.c: a message of no bytes
};

// An RTS that has arrived ahead of its turn.
struct p3_reordered {
    struct p3_reordered *next;
    struct intercept_sm sm;
};

// A packet that a full TX-CB refused: the RTS of `send`, or an answer about `receive`.
struct p3_postponed {
    struct p3_postponed *next;
    struct p3_send *send;
    struct p3_receive *receive;
    enum p3_kind kind;
};

// ---- Peers ----

enum p3_boot_state { P3_BOOT_FRESH, P3_BOOT_WAIT, P3_BOOT_OPEN };

struct p3_peer {
    struct machine boot;              // enum p3_boot_state; WAIT: send_msg_allowed is false
    uint64_t send_number;             // send_msgNum: of the next message to the peer
    uint64_t last_number;             // lastMsgNum: of the last message from it that was parsed
    struct p3_send *sent, *sent_last; // RTS sent, by number
    struct p3_send *waiting, *waiting_last; // postponed for the boot message
    struct p3_receive *receiving, *receiving_last;
    struct p3_reordered *reordered; // by number
    int reordered_count;
};

// ---- Processes ----

// The kernel thread's next work in this turn of its loop.
enum p3_phase { P3_RECEIVES, P3_SENDS_POSTPONED, P3_SENDS_DATA };

struct p3_counters {
    int64_t *sent[P3_KINDS];
    int64_t *postponed;    // for the boot message, or for room
    int64_t *reordered;    // RTS kept until their turn
    int64_t *low_number;   // RTS that came again, or with a number below the last
    int64_t *unknown_pid;  // headers for a process that does not exist
    int64_t *unexpected;   // data packets without a record
    int64_t *unanswerable; // CTS, NEXT_CTS, MSGEND or MSGERROR without a record in such a state
    int64_t *unknown_kind; // packets
    int64_t *copy_failed;
};

struct p3_process {
    struct portals_ni *ni;       // the library's part
    struct mpi_process *process; // whose name traces show
    struct sim *sim;
    struct host *host;
    const struct p3_config *config;
    struct p3_sizes sizes;
    struct vnic *vnic;            // of its short messages
    struct vdma_handler *handler; // of its host's card
    int64_t handler_room;         // B of a client's message of it, besides its header
    struct p3_long *long_side;    // long.c's
    int iuca;                     // its host's index, and its nid
    int hosts;
    struct host *const *host_list; // of the cluster, by IUCA; for names in reports
    struct sparse peers;           // struct p3_peer, by IUCA

    struct cpu_task thread;
    enum p3_phase phase;
    bool asleep;         // interrupt build: it must be switched to
    bool in_turn;        // polling build: its loop has reached the check of the RX-CB
    sim_time loop_since; // polling build: end of the last turn in which it did something
    bool full;           // TX-CB 2 has refused a packet and has not had room since
    int reordered_from;  // peer whose reorder queue may have the next message; -1: none
    struct p3_postponed *postponed, *postponed_last;
    struct p3_send *granted, *granted_last; // SENDING, oldest first

    struct pool sends, receives, reorders, postpones;
    struct p3_counters counters;
    // For tests: so many of the next copies to the process fail, and so many sends find no memory
    // for their record.
    int copy_failures, memory_failures;
};

// Sets up a process, whose fields up to host_list the caller has filled in, but for sizes and vnic,
// and opens its VNIC. Undone by p3_process_clear.
void p3_process_init(struct p3_process *process, struct intercept_nic *nic);
void p3_process_clear(struct p3_process *process);

static inline struct p3_peer *p3_peer(struct p3_process *process, int iuca)
{
    return sparse_at(&process->peers, iuca);
}

// The same without making it: NULL if nothing was ever sent to it or came from it.
static inline const struct p3_peer *p3_peer_peek(const struct p3_process *process, int iuca)
{
    return sparse_peek(&process->peers, iuca);
}

static inline const char *p3_host_name(const struct p3_process *process, int iuca)
{
    return process->host_list[iuca]->name;
}

// Ends the run: a reply (`message`) came for a send that is not under way any more.
void p3_fail_unknown(const struct p3_process *process, const char *message);

extern const struct stage p3_stage; // the NAL's own work

// Charges `cost` of the NAL's own.
static inline void p3_spend(struct cpu_context *context, struct cost cost,
                            struct message_ref message)
{
    cpu_spend_for(context, cost, &p3_stage, message);
}

extern const struct machine_kind p3_short_send_machine;    // by enum p3_send_state
extern const struct machine_kind p3_short_receive_machine; // by enum p3_receive_state
extern const struct machine_kind p3_boot_machine;          // by enum p3_boot_state

static inline struct machine_owner p3_owner(const struct p3_process *process, const char *machine,
                                            uint64_t subject)
{
    return (struct machine_owner){
        .where = process->process->name, .subject = (int64_t)subject, .machine = machine};
}

// ---- Packets out (packets.c) ----

enum { P3_TX_CALLER, P3_TX_THREAD }; // TX-CB 1 and 2

#define P3_VNIC 0 // number of the VNIC for Portals' short messages

// Makes a packet to a peer, with `header` B.
struct intercept_sm p3_packet_to(const struct p3_process *process, int peer, enum p3_kind kind,
                                 uint64_t number, int64_t header);

// Adds data of a message.
void p3_packet_data(struct intercept_sm *sm, struct message_ref message, int64_t offset,
                    int64_t length);

// Puts it into a TX-CB. Returns false if that is full.
bool p3_packet_send(struct cpu_context *context, struct p3_process *process, int tx,
                    const struct intercept_sm *sm);

// ---- Short messages at the sender (short_send.c, boot.c) ----

enum portals_status p3_short_send(struct cpu_context *context, struct p3_process *process,
                                  struct portals_transfer *transfer);

// The wait of a process that sleeps, whatever holds its message up meanwhile.
extern const struct wait p3_end_wait;

// Sends the RTS of a numbered message. Returns false if the TX-CB is full.
bool p3_send_rts(struct cpu_context *context, struct p3_process *process, struct p3_send *send,
                 int tx);

// A CTS, NEXT_CTS, MSGEND or MSGERROR has come.
void p3_answer_arrived(struct cpu_context *context, struct p3_process *process,
                       const struct intercept_sm *sm);

// Sends one data packet of the oldest granted message. Returns false if there is none, or no room.
bool p3_send_data(struct cpu_context *context, struct p3_process *process);

// Gives the message its number and returns whether its RTS may be sent now: it may not while the
// boot message is unconfirmed; the message is then postponed.
bool p3_boot_admits(struct cpu_context *context, struct p3_process *process, struct p3_send *send);

// The peer has answered the boot message: what waits for that may be sent by the thread.
void p3_boot_confirmed(struct cpu_context *context, struct p3_process *process, int iuca);

// Returns the record of a sent message to `peer`, or NULL.
struct p3_send *p3_send_find(const struct p3_peer *peer, uint64_t number);
void p3_send_unlink(struct p3_peer *peer, const struct p3_send *send);

// ---- Postponed packets (postponed.c) ----

void p3_postpone(struct p3_process *process, struct p3_send *send, struct p3_receive *receive,
                 enum p3_kind kind);

// Sends the oldest. Returns false if there is none, or no room.
bool p3_send_postponed(struct cpu_context *context, struct p3_process *process);

// ---- Short messages at the receiver (order.c, short_receive.c) ----

// An RTS has come: parses it, keeps it for later, or rejects it.
void p3_rts_arrived(struct cpu_context *context, struct p3_process *process,
                    const struct intercept_sm *sm);

// Whether the header is for this process. If not, that is an error: the message is dropped, and
// its sender is not notified.
bool p3_addressed(const struct cpu_context *context, const struct p3_process *process, int from,
                  uint64_t number, const struct portals_header *header);

// Parses the next message of the reorder queue of process->reordered_from. Returns false if its
// turn has not come.
bool p3_parse_reordered(struct cpu_context *context, struct p3_process *process);

// Contract of portals_nal.receive.
void p3_short_receive(struct cpu_context *context, struct p3_process *process, void *arriving,
                      struct portals_transfer *transfer);

// A DATA, STOP_DATA or LAST_DATA has come.
void p3_data_arrived(struct cpu_context *context, struct p3_process *process,
                     const struct intercept_sm *sm);

// Sends a CTS, NEXT_CTS or MSGEND by the thread's TX-CB; a MSGEND ends the record. Returns false if
// there is no room.
bool p3_answer_send(struct cpu_context *context, struct p3_process *process,
                    struct p3_receive *receive, enum p3_kind kind);

// Returns the place of the record of a message from `peer`, or of NULL.
struct p3_receive **p3_receive_find(struct p3_peer *peer, uint64_t number);
void p3_receive_unlink(struct p3_peer *peer, struct p3_receive **place);

// An RTS, for portals_parse and `receive`.
struct p3_short_arriving {
    struct p3_arriving arriving;
    const struct intercept_sm *sm;
};

// ---- Kernel thread (thread.c) ----

void p3_thread_init(struct p3_process *process);

// From a handler: the thread has something to do. In the polling build its loop finds it; in the
// interrupt build it stays asleep if it sleeps.
void p3_thread_notice(struct cpu_context *context, struct p3_process *process);

extern const struct vnic_ops p3_interrupt_ops, p3_poll_ops;

// ---- Reports (report.c) ----

// Describes the wait of a message of the sender's. The caller frees it.
char *p3_send_waits(const struct p3_process *process, const struct p3_send *send);

// Describes the waits of the process's short messages, a text per wait and each with its number
// ("CTS for message 7 from node1"). Free with g_ptr_array_unref.
GPtrArray *p3_waits(const struct p3_process *process);

#endif
