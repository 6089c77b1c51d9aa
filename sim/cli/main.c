// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/cli/cli.h"

int main(int argc, char **argv)
{
    return cli_main(argc, argv);
}
