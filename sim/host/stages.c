// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/host/stages.h"

const struct stage stage_copy = {"copy", STAGE_COPY};
const struct stage stage_pin = {"pin", STAGE_PIN};
const struct stage stage_unpin = {"unpin", STAGE_PIN};
const struct stage stage_trap = {"trap", STAGE_TRAP};
const struct stage stage_block = {"block", STAGE_WAKE_UP};
const struct stage stage_wake_up = {"wake-up", STAGE_WAKE_UP};
const struct stage stage_poll = {"poll", STAGE_WAKE_UP};
const struct stage stage_interrupt_line = {"interrupt line", STAGE_INTERRUPT};
const struct stage stage_interrupt = {"interrupt", STAGE_INTERRUPT};
const struct stage stage_driver = {"driver", STAGE_KERNEL};
const struct stage stage_nic = {"NIC", STAGE_NIC};
