// SPDX-License-Identifier: GPL-3.0-or-later
// The port on which a rank listens.
#ifndef NETSIM_MODELS_OPENMPI_PORT_H
#define NETSIM_MODELS_OPENMPI_PORT_H

#include <stdint.h>

#define OPENMPI_PORT_BASE 40000 // an ephemeral port; captures show no known protocol on it

static inline uint16_t openmpi_port(int rank)
{
    return (uint16_t)(OPENMPI_PORT_BASE + rank);
}

#endif
