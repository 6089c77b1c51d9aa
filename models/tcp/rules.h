// SPDX-License-Identifier: GPL-3.0-or-later
// The rule of a socket's buffer, for the tables of TCP and of the libraries that set one.
#ifndef NETSIM_MODELS_TCP_RULES_H
#define NETSIM_MODELS_TCP_RULES_H

#include "models/inet/capture.h"
#include "models/tcp/segment.h"

// `buffer`: the parameter's path; 0: not set.
#define TCP_SOCKET_RULE(rule, buffer)                                                              \
    {                                                                                              \
        .name = (rule), .compares = buffer " with a segment of tcp.mtu",                           \
        .settings = {buffer, "tcp.mtu"}, .remedy = "a larger buffer, or a smaller MTU",            \
        .physics = true, .relation = RULE_AT_LEAST, .less = IP_HEADER + TCP_HEADER,                \
        .because = "no full segment fits into it",                                                 \
    }

#endif
