// SPDX-License-Identifier: GPL-3.0-or-later
// The calls of a rank of an OTF2 archive, while its events are read.
//
// The message of a nonblocking receive is in the record of its end. So the receive waits in a queue
// until then, and the calls after it wait with it: the queue is as long as the oldest open receive
// is old.
#ifndef NETSIM_RECORDING_OTF2_CALLS_H
#define NETSIM_RECORDING_OTF2_CALLS_H

#include "sim/recording/otf2.h"

struct otf2_queued;

// A message as a record has it.
struct otf2_message {
    bool there;
    uint64_t event;
    int communicator, peer; // numbers of the recording
    int64_t tag, size;
};

struct otf2_request {
    uint64_t name; // the archive's
    int number;    // the recording's
    uint64_t event;
    uint64_t start;             // how many were started before
    struct otf2_queued *queued; // the receive; NULL: it sends
};

// The call that is entered, and the content of its records.
struct otf2_current {
    const struct otf2_function *function;
    OTF2_RegionRef reference;
    uint64_t event;
    struct otf2_message sent, received;
    int started;
    bool collected;              // a collective was recorded
    GArray *ended;               // struct otf2_request, that it ended
    GArray *tested;              // int: numbers of requests that it found open
    GArray *to_each, *from_each; // int64_t: bytes by member
};

struct otf2_calls {
    struct otf2_archive *archive;
    int rank;
    uint64_t event; // the last one
    bool bad;       // an error was added
    // Regions
    int depth;    // of regions, from the outermost that is a call; 0: none
    bool entered; // some region
    bool begun;   // work counts
    bool initialized, finalized;
    bool other_modes; // a request was made of which the mode of its sends is not known
    struct otf2_current current;
    // Time
    OTF2_TimeStamp since; // that work began
    bool paused;          // recording is off
    uint64_t ticks;       // of work that is not put yet
    // Requests
    GHashTable *open; // uint64_t: struct otf2_request *
    GArray *spare;    // int: numbers that are free again
    int numbers;      // that were given out
    uint64_t starts;
    GArray *awaited;    // int, of the call
    GArray *blocks;     // int64_t, of the call
    GHashTable *places; // OTF2_CommRef: collectives that need sums, so far
    // The queue
    GQueue *queue; // struct otf2_queued *
};

bool otf2_fail(struct otf2_calls *calls, const char *hint, const char *format, ...)
    G_GNUC_PRINTF(3, 4); // false

// ---- Events ----

// Callbacks begin and end with these: the event is noted; after an error no more are read.
struct otf2_calls *otf2_at_event(void *owner, uint64_t event);
OTF2_CallbackCode otf2_over(struct otf2_calls *calls, bool good);

// The number of an event as that of a line.
int otf2_line(uint64_t event);

// Whether the call that is entered has such records: `kinds` is a set of OTF2_ONE. If not, an error
// was added.
#define OTF2_ONE(kind) (1u << OTF2_KIND_##kind)
bool otf2_expects(struct otf2_calls *calls, const char *record, unsigned kinds);

// Work goes on until now, and it is put before the next call.
void otf2_end_work(struct otf2_calls *calls, OTF2_TimeStamp now);
void otf2_put_work(struct otf2_calls *calls, uint64_t event);

// The current call, with a message.
struct recorded_call otf2_call(const struct otf2_calls *calls, enum op_code code,
                               const struct otf2_message *message);

// Callbacks for messages, requests and recording itself.
void otf2_register_messages(OTF2_EvtReaderCallbacks *callbacks);

// Callbacks for events that cannot be replayed.
void otf2_register_refusals(OTF2_EvtReaderCallbacks *callbacks);

// ---- Requests ----

void otf2_requests_init(struct otf2_calls *calls);
void otf2_requests_clear(struct otf2_calls *calls);

// Puts a call, which may wait in the queue.
void otf2_put(struct otf2_calls *calls, const struct recorded_call *call);

// These return false after an error.
bool otf2_start_send(struct otf2_calls *calls, uint64_t name, struct recorded_call *call);
bool otf2_start_receive(struct otf2_calls *calls, uint64_t name, struct recorded_call *call);

// The request ended in the current call; `message` is what was received.
bool otf2_end_send(struct otf2_calls *calls, uint64_t name);
bool otf2_end_receive(struct otf2_calls *calls, uint64_t name, const struct otf2_message *message);
bool otf2_test(struct otf2_calls *calls, uint64_t name);

// Puts the wait or test that the current call is, whose first event is `event`.
bool otf2_put_wait(struct otf2_calls *calls);

// Waits for requests that no call ended, and puts the rest of the queue.
bool otf2_finish(struct otf2_calls *calls);

#endif
