// SPDX-License-Identifier: GPL-3.0-or-later
// The channel ch3:sctp of MPICH2 1.0.5 (thesis 004, 3.2): one one-to-many SCTP socket per process
// carries the packets of all virtual connections (VC). An association is a VC, and streams are
// chosen by tag and context, so that messages of different tags may overtake one another.
//
//   config.c    parameters (section `ch3_sctp`)
//   connect.c   socket, business cards, associations, connection packets, the end
//   streams.c   which stream a packet takes; states of streams
//   send.c      the sender's path; the global send queue
//   receive.c   from the global buffer to the streams' queues
//   order.c     packets and data to the device; MPI_ANY_TAG: packets held back, early data
//   event.c     the queue of events
//   progress.c  the progress engine: events, read logic, write logic
//   report.c    reports of runs that hang
//   stack.c     stack `ch3_sctp`
//
// Nothing is connected in MPI_Init. The first packet to a peer looks up its business card, and its
// user message makes SCTP associate. The first message on each stream in each direction is a
// connection packet, which names its sender; the packets follow without waiting, and there is no
// answer.
//
// Not modelled: threads (not supported, thesis 004, 3.2.6), MPI_Comm_spawn (it takes the path of
// a first message, 3.2.5), derived data types as more than one element of an I/O vector.
#ifndef NETSIM_MODELS_MPICH2_SCTP_CHANNEL_H
#define NETSIM_MODELS_MPICH2_SCTP_CHANNEL_H

#include "models/mpich2/ch3/ch3.h"
#include "models/sctp_cmt/sctp/socket.h"
#include "sim/core/sparse.h"
#include "sim/model/stack.h"
#include "sim/mpi/startup.h"

#include <glib.h>

#define CH3_SCTP_MOST_CARDS 8     // of a host
#define CH3_SCTP_CONTROL 0        // stream of packets that MPI's matching does not order
#define CH3_SCTP_OPEN_BYTES 70    // longest connection packet
#define CH3_SCTP_ROOM (64 * 1024) // bytes: a read needs so much of the global buffer

enum ch3_sctp_map { CH3_SCTP_TAG_CONTEXT, CH3_SCTP_SINGLE, CH3_SCTP_RANK, CH3_SCTP_SEQUENCE };

// How the order that MPI_ANY_TAG demands is kept (thesis 004, 3.2.6).
enum ch3_sctp_any_tag {
    CH3_SCTP_VIOLATE,        // packets are matched as they arrive
    CH3_SCTP_BY_SEQUENCE,    // those that are out of sequence are held back
    CH3_SCTP_CONTROL_STREAM, // all envelopes take the control stream; data may overtake them
};

enum ch3_sctp_progress { CH3_SCTP_READ_FIRST, CH3_SCTP_WRITE_FIRST };

struct ch3_sctp_config {
    int64_t streams;       // of an association, in each direction
    int stream_map;        // enum ch3_sctp_map
    int any_tag;           // enum ch3_sctp_any_tag
    int progress;          // enum ch3_sctp_progress
    int64_t message;       // bytes: the longest user message
    int64_t buffer;        // bytes: the global receive buffer
    int64_t socket_buffer; // bytes; 0: the system's
    bool no_delay;
    bool association_events;
    struct param_counts cards; // of the bind file; empty: no file
    int64_t daemon_card;
    sim_time daemon; // ps: a round trip to the process manager's daemon
    struct cost send, event, turn;
};

extern const struct param_table ch3_sctp_table;
extern const struct stage ch3_sctp_stage;

// ---- Streams ----

enum ch3_sctp_part { CH3_SCTP_OPEN, CH3_SCTP_WHOLE, CH3_SCTP_ENVELOPE, CH3_SCTP_DATA };

// One thing to be written on a stream: a connection packet, a packet with its data, or one of
// these two alone.
struct ch3_sctp_element {
    struct ch3_sctp_element *next; // in its stream's queue
    struct ch3_send *send;         // NULL: a connection packet
    enum ch3_sctp_part part;
    int64_t bytes, written;
};

// A packet whose data have not all arrived, or which is held back.
struct ch3_sctp_incoming {
    struct ch3_sctp_incoming *next; // in its stream's queue
    struct ch3_sctp_incoming *held; // the next one that is held back, by sequence
    bool accepted;                  // the device has it: `receive` is set
    struct ch3_pkt pkt;
    int64_t bytes, got; // of its data
    int64_t kept;       // of those, in allocated memory, as the device did not know it yet
    struct ch3_receive receive;
};

// Data that arrived ahead of their envelope.
struct ch3_sctp_early {
    struct ch3_sctp_early *next;
    struct message_ref message;
    int64_t bytes;
};

enum ch3_sctp_out_state { CH3_SCTP_UNCONNECTED, CH3_SCTP_CONNECTING, CH3_SCTP_CONNECTED };
enum ch3_sctp_in_state { CH3_SCTP_UNKNOWN, CH3_SCTP_KNOWN };

struct ch3_sctp_stream {
    struct ch3_sctp_vc *vc;
    uint16_t number;
    struct machine out; // enum ch3_sctp_out_state: whether its connection packet is sent
    struct machine in;  // enum ch3_sctp_in_state: whether the peer's has arrived
    bool queued;        // in the global send queue
    struct ch3_sctp_stream *queue_next, *queue_previous;
    struct ch3_sctp_element *head, *tail;                 // send requests
    struct ch3_sctp_incoming *receiving, *receiving_tail; // the first one gets the next data
    struct ch3_sctp_early *early, *early_tail;
};

enum ch3_sctp_vc_state {
    CH3_SCTP_VC_NONE,
    CH3_SCTP_VC_CONNECTING,
    CH3_SCTP_VC_CONNECTED, // one of its streams is
    CH3_SCTP_VC_CLOSED,
};

struct ch3_sctp_vc {
    int peer;
    struct machine machine; // enum ch3_sctp_vc_state
    int station;            // address by the business card
    uint32_t association;   // 0: none yet
    uint32_t sequence;      // of the next message for the device
    struct ch3_sctp_incoming *held;
    struct ch3_sctp_stream streams[]; // config.streams: static, used or not (thesis 004, 3.2.2)
};

// ---- Events ----

enum ch3_sctp_event_kind { CH3_SCTP_READ, CH3_SCTP_WRITTEN };

// A read or write that has succeeded, in the application-level event queue.
struct ch3_sctp_event {
    struct ch3_sctp_event *next;
    enum ch3_sctp_event_kind kind;
    // CH3_SCTP_WRITTEN
    struct ch3_sctp_stream *stream; // of a connection packet; else NULL
    struct ch3_send *send;
    // CH3_SCTP_READ
    struct sctp_received received; // `content` is not valid any more
    uint8_t content[SCTP_CONTENT_BYTES];
};

// ---- A process ----

enum ch3_sctp_phase { CH3_SCTP_TURN, CH3_SCTP_READING, CH3_SCTP_WRITING };

struct ch3_sctp_count {
    int64_t *lookups, *open_packets, *reads, *empty_reads, *queued, *violations, *held, *early;
};

struct ch3_sctp_process;

// A stage that another channel adds to the progress engine, before the reads of each turn
// (ch3:hybrid; thesis 004, 3.4.3).
struct ch3_sctp_stage {
    // While it is, no call blocks in its read: the loop spins.
    bool (*active)(const struct ch3_sctp_process *sctp);
    // Its part of a turn. Returns true if it has done something.
    bool (*turn)(struct cpu_context *context, struct ch3_sctp_process *sctp);
    // Appends the sockets that its part waits for (struct inet_selected). Returns false if a turn
    // would find something now without them.
    bool (*await)(struct ch3_sctp_process *sctp, GArray *selected);
};

struct ch3_sctp_process {
    struct ch3_process ch3;
    struct mpi_process *process;
    const struct ch3_sctp_config *config;
    const struct cluster *cluster;
    struct sctp_host *host;
    struct sctp_socket *socket;
    struct sparse vcs;      // struct ch3_sctp_vc with its streams, by rank
    GHashTable *by_id;      // association -> struct ch3_sctp_vc
    struct event published; // its business card is with the daemon
    int published_count;    // rank 0: of how many ranks
    bool all_published;
    struct pool elements, incoming, early, events;
    struct ch3_sctp_stream *queue_head, *queue_tail; // the global send queue
    int queue_length;
    struct ch3_sctp_stream *writing; // a long message is tried at once, a call per slice
    struct ch3_sctp_event *event_head, *event_tail;
    int64_t buffered; // bytes of the global buffer that events hold
    // The progress engine.
    enum ch3_sctp_phase phase;
    bool blocks;                        // its socket is set to block
    bool moved;                         // this turn has read or written something
    int pass_left;                      // streams that the write pass has not served
    struct ch3_sctp_stream *pass;       // the one that it serves
    sim_time turn;                      // ps that this turn has cost so far
    sim_time spin, spins_since;         // ps of a turn while it spins; TIME_END: it does not
    const struct ch3_sctp_stage *stage; // NULL: none
    bool staged, stage_moved;           // it has had its part of this turn, and has done something
    GArray *selected;                   // struct inet_selected, of a spin with a stage
    struct ch3_sctp_count count;
};

static inline struct ch3_sctp_process *ch3_sctp_of(const struct mpi_process *process)
{
    return process->device;
}

static inline struct ch3_sctp_process *ch3_sctp_of_ch3(const struct ch3_process *ch3)
{
    return ch3_sctp_of(ch3->process);
}

extern const struct ch3_channel ch3_sctp_channel;
extern const struct stack ch3_sctp_stack;

// stack.c: for channels that have this one within.
void ch3_sctp_process_init(struct job *job, struct mpi_process *process,
                           const struct ch3_channel *channel);
void ch3_sctp_process_clear(struct ch3_sctp_process *sctp);
void ch3_sctp_check(const struct scenario_case *test_case, struct diag_list *diags);
struct stack_footprint ch3_sctp_footprint(const struct scenario_case *test_case);

// connect.c
extern const struct mpi_startup_step ch3_sctp_startup[];
extern const struct machine_kind ch3_sctp_startup_machine;
// Its steps, in their order; the last one is a gate.
enum mpi_progress ch3_sctp_open_step(struct cpu_context *context, struct mpi_process *process,
                                     int peer);
enum mpi_progress ch3_sctp_publish_step(struct cpu_context *context, struct mpi_process *process,
                                        int peer);
enum mpi_progress ch3_sctp_all_step(struct cpu_context *context, struct mpi_process *process,
                                    int peer);
// The first address of a rank's business card, or -1.
int ch3_sctp_address(const struct ch3_sctp_process *sctp, int peer);
uint64_t ch3_sctp_cards(const struct ch3_sctp_config *config); // bit n: the n-th card takes part
enum mpi_progress ch3_sctp_finalize(struct cpu_context *context, struct mpi_process *process);
// The VC to a rank, made with its first use.
struct ch3_sctp_vc *ch3_sctp_vc_at(struct ch3_sctp_process *sctp, int peer);
// Looks up the peer's business card, if there is no association yet.
void ch3_sctp_vc_look_up(struct cpu_context *context, struct ch3_sctp_process *sctp,
                         struct ch3_sctp_vc *vc);
// The VC has an association: its first user message has made SCTP associate, or the peer's.
void ch3_sctp_vc_associated(struct ch3_sctp_process *sctp, struct ch3_sctp_vc *vc,
                            uint32_t association);
extern const struct machine_kind ch3_sctp_vc_machine; // by enum ch3_sctp_vc_state
void ch3_sctp_vc_enter(struct cpu_context *context, struct ch3_sctp_process *sctp,
                       struct ch3_sctp_vc *vc, enum ch3_sctp_vc_state state);
// Writes a connection packet of this process to `content` (SCTP_CONTENT_BYTES); returns its bytes.
uint32_t ch3_sctp_open_write(const struct ch3_sctp_process *sctp, uint8_t *content);
// A connection packet has come on a stream. Returns false if the run has failed.
bool ch3_sctp_open_arrived(struct cpu_context *context, struct ch3_sctp_process *sctp,
                           const struct ch3_sctp_event *event);
uint16_t ch3_sctp_port(int rank);
// The association of a VC is gone (or one that was never known): the run fails.
void ch3_sctp_lost(const struct ch3_sctp_process *sctp, const struct ch3_sctp_vc *vc);
void ch3_sctp_disconnect(struct cpu_context *context, struct ch3_process *ch3, int peer);

// streams.c
// True if the packets of MPI's messages, and their data, take data streams.
bool ch3_sctp_is_data(enum ch3_pkt_type type);
// The stream of a packet from rank `sender`, or of its data.
int ch3_sctp_stream_of(const struct ch3_sctp_process *sctp, int sender, const struct ch3_pkt *pkt);
extern const struct machine_kind ch3_sctp_out_machine, ch3_sctp_in_machine;
void ch3_sctp_out_enter(struct cpu_context *context, const struct ch3_sctp_process *sctp,
                        struct ch3_sctp_stream *stream, enum ch3_sctp_out_state state);
void ch3_sctp_in_enter(struct cpu_context *context, const struct ch3_sctp_process *sctp,
                       struct ch3_sctp_stream *stream, enum ch3_sctp_in_state state);

// event.c
// Appends an event.
struct ch3_sctp_event *ch3_sctp_event_new(struct ch3_sctp_process *sctp,
                                          enum ch3_sctp_event_kind kind);

// send.c
void ch3_sctp_send(struct cpu_context *context, struct ch3_process *ch3, struct ch3_send *send);
// One send call for the first element of a stream's queue.
enum ch3_sctp_written {
    CH3_SCTP_FULL, // EAGAIN
    CH3_SCTP_PART,
    CH3_SCTP_DONE, // and the element is out of the queue
    CH3_SCTP_FAILED,
};
// `at_once`: completion is reported at once, not by an event.
enum ch3_sctp_written ch3_sctp_write(struct cpu_context *context, struct ch3_sctp_process *sctp,
                                     struct ch3_sctp_stream *stream, bool at_once);
void ch3_sctp_queue_append(struct ch3_sctp_process *sctp, struct ch3_sctp_stream *stream);
void ch3_sctp_queue_remove(struct ch3_sctp_process *sctp, struct ch3_sctp_stream *stream);
// The event of a write.
void ch3_sctp_write_done(struct cpu_context *context, struct ch3_sctp_process *sctp,
                         const struct ch3_sctp_event *event);

// receive.c
// One read. Returns false if there is nothing; else an event is in the queue.
bool ch3_sctp_read(struct cpu_context *context, struct ch3_sctp_process *sctp);
// The event of a read.
void ch3_sctp_read_done(struct cpu_context *context, struct ch3_sctp_process *sctp,
                        const struct ch3_sctp_event *event);

// order.c
// `bytes` (> 0) more bytes of the data of the stream's first packet, in the global buffer.
void ch3_sctp_data(struct cpu_context *context, struct ch3_sctp_process *sctp,
                   struct ch3_sctp_stream *stream, int64_t bytes);
// A packet has arrived. Passes it to the device, or holds it back.
void ch3_sctp_offer(struct cpu_context *context, struct ch3_sctp_process *sctp,
                    struct ch3_sctp_vc *vc, struct ch3_sctp_incoming *incoming);
// Data ahead of their envelope: to allocated memory.
void ch3_sctp_early_keep(struct cpu_context *context, struct ch3_sctp_process *sctp,
                         struct ch3_sctp_stream *stream, struct message_ref message, int64_t bytes);
// The envelope of data that may have arrived already: takes those.
void ch3_sctp_early_take(struct cpu_context *context, struct ch3_sctp_process *sctp,
                         struct ch3_sctp_stream *stream, struct ch3_sctp_incoming *incoming);

// progress.c
enum mpi_progress ch3_sctp_go_on(struct cpu_context *context, struct mpi_process *process);
enum mpi_progress ch3_sctp_advance(struct cpu_context *context, struct mpi_process *process,
                                   bool blocking);

// report.c
json_t *ch3_sctp_describe(const struct ch3_process *ch3, const struct mpi_request *request,
                          int peer);
json_t *ch3_sctp_describe_process(const struct ch3_process *ch3);
char *ch3_sctp_blocked(const struct job *job);

#endif
