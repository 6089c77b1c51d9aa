// SPDX-License-Identifier: GPL-3.0-or-later
// tcp_script: plays packet scripts against the TCP of models/tcp.
#include "tests/script/tcp_host.h"

int main(int argc, char **argv)
{
    return script_main(&tcp_script_protocol, argc, argv);
}
