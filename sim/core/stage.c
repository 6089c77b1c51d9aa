// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/core/stage.h"

static const char *const names[STAGE_CLASSES] = {
    [STAGE_LIBRARY] = "library",
    [STAGE_KERNEL] = "kernel",
    [STAGE_COPY] = "copy",
    [STAGE_PIN] = "pin",
    [STAGE_TRAP] = "trap",
    [STAGE_INTERRUPT] = "interrupt",
    [STAGE_WAKE_UP] = "wake-up",
    [STAGE_BUS] = "bus",
    [STAGE_NIC] = "NIC",
    [STAGE_WIRE] = "wire",
    [STAGE_BEHIND] = "behind others",
    [STAGE_PROPAGATION] = "propagation",
    [STAGE_SWITCH] = "switch",
    [STAGE_COMPUTE] = "compute",
    [STAGE_FOR_CREDIT] = "waiting for credit",
    [STAGE_FOR_DESCRIPTOR] = "waiting for descriptor",
    [STAGE_FOR_ACK] = "waiting for ACK",
    [STAGE_FOR_WINDOW] = "waiting for window",
    [STAGE_FOR_BUFFER] = "waiting for buffer",
    [STAGE_FOR_MEMORY] = "waiting for memory",
    [STAGE_WAITING] = "waiting",
};

const char *stage_class_name(enum stage_class class)
{
    return names[class];
}

const struct stage wait_stages[WAIT_CLASSES] = {
    [WAIT_OTHER] = {"waiting", STAGE_WAITING},
    [WAIT_CREDIT] = {"waiting for credit", STAGE_FOR_CREDIT},
    [WAIT_DESCRIPTOR] = {"waiting for descriptor", STAGE_FOR_DESCRIPTOR},
    [WAIT_ACK] = {"waiting for ACK", STAGE_FOR_ACK},
    [WAIT_WINDOW] = {"waiting for window", STAGE_FOR_WINDOW},
    [WAIT_BUFFER] = {"waiting for buffer", STAGE_FOR_BUFFER},
    [WAIT_MEMORY] = {"waiting for memory", STAGE_FOR_MEMORY},
};
