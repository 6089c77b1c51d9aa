// SPDX-License-Identifier: GPL-3.0-or-later
// Stages (what time is spent on) and waits (what is waited for), each with a name for people and a
// class for programs. The code that spends time declares a stage once, as a constant next to it;
// the code that waits declares a wait. The timeline prints the names. `netsim explain` sums by
// class, so that libraries with stages of their own can be compared. Nothing derives a class from a
// name.
#ifndef NETSIM_CORE_STAGE_H
#define NETSIM_CORE_STAGE_H

#include <stdbool.h>

// In the order in which tables list them.
enum stage_class {
    STAGE_LIBRARY,     // a library's own work
    STAGE_KERNEL,      // protocol code in the kernel, and drivers
    STAGE_COPY,        // memory to memory by a processor
    STAGE_PIN,         // pinning and unpinning, and looking up pinned memory
    STAGE_TRAP,        // into the kernel and out of it
    STAGE_INTERRUPT,   // from the card's interrupt line to the handler
    STAGE_WAKE_UP,     // a process is put to sleep, woken or switched to, or polls too early
    STAGE_BUS,         // an I/O bus, or a processor that writes to a card over it
    STAGE_NIC,         // a card: its processor, its engines, its pipeline
    STAGE_WIRE,        // bits go out on a link
    STAGE_BEHIND,      // other packets occupy the link
    STAGE_PROPAGATION, // bits propagate along a link
    STAGE_SWITCH,      // a switch of the network forwards
    STAGE_COMPUTE,     // the program itself
    // A message is held up while nothing works: the classes of waits (enum wait_class).
    STAGE_FOR_CREDIT,
    STAGE_FOR_DESCRIPTOR,
    STAGE_FOR_ACK,
    STAGE_FOR_WINDOW,
    STAGE_FOR_BUFFER,
    STAGE_FOR_MEMORY,
    STAGE_WAITING, // for anything else
};
#define STAGE_CLASSES (STAGE_WAITING + 1)

// The timeline, reports and tables show the name. Stages with the same name are one stage and have
// one class.
struct stage {
    const char *name;
    enum stage_class class;
};

// Classes of waits of a request or process. Each but WAIT_OTHER holds up a message that could
// otherwise go on at once. Waiting for a message to arrive, or for the other side to ask, does not.
enum wait_class {
    WAIT_OTHER,
    WAIT_CREDIT,     // the receiver's promise of room, or a token of the sender
    WAIT_DESCRIPTOR, // a free descriptor or slot of a card's ring or queue
    WAIT_ACK,        // an acknowledgement, or a handshake's answer
    WAIT_WINDOW,     // a transport's window
    WAIT_BUFFER,     // room in a buffer
    WAIT_MEMORY,     // memory that can be pinned
};
#define WAIT_CLASSES (WAIT_MEMORY + 1)

// `text` completes "waits for ...".
struct wait {
    const char *text;
    enum wait_class class;
};

// The process that could end a wait, for reports.
enum wait_holder { HOLDER_UNKNOWN, HELD_HERE, HELD_BY_PEER };

// "library" ... "waiting for credit" ... "waiting". Static.
const char *stage_class_name(enum stage_class class);

// The stage for a wait of which only the class is known; "waiting" for WAIT_OTHER.
extern const struct stage wait_stages[WAIT_CLASSES];

// True if it is one of those that hold a message up.
static inline bool stage_is_wait(const struct stage *stage)
{
    return stage > &wait_stages[WAIT_OTHER] && stage <= &wait_stages[WAIT_MEMORY];
}

#endif
