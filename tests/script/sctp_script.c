// SPDX-License-Identifier: GPL-3.0-or-later
// sctp_script: plays packet scripts against the SCTP of models/sctp_cmt/sctp.
#include "tests/script/sctp_host.h"

int main(int argc, char **argv)
{
    return script_main(&sctp_script_protocol, argc, argv);
}
