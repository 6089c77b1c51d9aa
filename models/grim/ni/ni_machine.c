// SPDX-License-Identifier: GPL-3.0-or-later
// The state machines of GRIM's firmware.
#include "models/grim/ni/ni_internal.h"

// An ACK may find a message that waits to be sent again: with timers, and on networks that reorder.
static const struct machine_state message_states[] = {
    [GRIM_UNUSED] = {"unused", .next = MACHINE_TO(GRIM_NOT_SENT)},
    [GRIM_NOT_SENT] = {"not sent", .next = MACHINE_TO(GRIM_SENT, GRIM_ACKNOWLEDGED)},
    [GRIM_SENT] = {"sent", .next = MACHINE_TO(GRIM_ACKNOWLEDGED, GRIM_NOT_SENT)},
    [GRIM_ACKNOWLEDGED] = {"acknowledged", .next = MACHINE_TO(GRIM_UNUSED)},
};

const struct machine_kind grim_message_machine = {
    .name = "message",
    .title = "Message in a queue of a GRIM card",
    .source = "thesis 003, 4.2.1, 4.2.2",
    .states = message_states,
    .count = G_N_ELEMENTS(message_states),
};

// Each message that arrives is a step.
static const struct machine_state receiver_states[] = {
    [GRIM_EXPECTING] = {"expecting", .next = MACHINE_TO(GRIM_EXPECTING, GRIM_DROPPING)},
    [GRIM_DROPPING] = {"dropping", .next = MACHINE_TO(GRIM_DROPPING, GRIM_EXPECTING)},
};

const struct machine_kind grim_receiver_machine = {
    .name = "receiver",
    .title = "Receiver of GRIM's reliable messages",
    .source = "thesis 003, 4.2.1",
    .states = receiver_states,
    .count = G_N_ELEMENTS(receiver_states),
};

static const struct machine_state incoming_states[] = {
    [GRIM_INCOMING_QUEUED] = {"queued", .next = MACHINE_TO(GRIM_INCOMING_DELIVERED)},
    [GRIM_INCOMING_DELIVERED] = {.name = "delivered"},
};

const struct machine_kind grim_incoming_machine = {
    .name = "incoming",
    .title = "Message in an incoming queue of a GRIM card",
    .source = "thesis 003, 4.3.3: buffers at both cards",
    .states = incoming_states,
    .count = G_N_ELEMENTS(incoming_states),
};

static const struct machine_state firmware_states[] = {
    [GRIM_FIRMWARE_RUNNING] = {"running", .next = MACHINE_TO(GRIM_FIRMWARE_WAITING)},
    [GRIM_FIRMWARE_WAITING] = {"waiting", .next = MACHINE_TO(GRIM_FIRMWARE_RUNNING)},
};

const struct machine_kind grim_firmware_machine = {
    .name = "firmware",
    .title = "GRIM's firmware between the two DMAs of a message",
    .source = "thesis 003, 4.2.2: hybrid queues",
    .states = firmware_states,
    .count = G_N_ELEMENTS(firmware_states),
};

static const struct machine_state control_states[] = {
    [GRIM_CONTROL_OPEN] = {"open", .next = MACHINE_TO(GRIM_CONTROL_CLOSED)},
    [GRIM_CONTROL_CLOSED] = {"closed", .next = MACHINE_TO(GRIM_CONTROL_OPEN)},
};

const struct machine_kind grim_control_machine = {
    .name = "control",
    .title = "Intake of a GRIM card while an answer waits",
    .source = "thesis 003, 4.2.3 and figure 4.5",
    .states = control_states,
    .count = G_N_ELEMENTS(control_states),
};
