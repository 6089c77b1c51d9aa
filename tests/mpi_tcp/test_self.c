// SPDX-License-Identifier: GPL-3.0-or-later
// Messages to oneself, which do not touch the wire: the same over both libraries.
#include "tests/support/program_run.h"
#include "tests/support/suite.h"

static void expect_self(const char *stack)
{
    struct test_program program = {
        .stack = stack,
        .ranks = 2,
        .ops = {"{irecv: {from: 0, size: 1 KiB, tag: 1, request: r}}, "
                "{send: {to: 0, size: 1 KiB, tag: 1}}, {wait: r}, "
                "{send: {to: 0, size: 1 KiB, tag: 2}}, {recv: {from: 0, size: 1 KiB, tag: 2}}, "
                "{issend: {to: 0, size: 1 KiB, tag: 3, request: s}}, "
                "{recv: {from: any, size: 1 KiB, tag: 3}}, {wait: s}"},
    };
    PROGRAM_EXPECT(&program, RPI_REQUESTS,
                   "recv[1] start -> posted\n"
                   "recv[1] posted -> done\n"
                   "send[2] start -> done\n"
                   "cbuf[1] unexpected_self\n"
                   "send[3] start -> done\n"
                   "recv[4] start -> done\n"
                   "cbuf[2] unexpected_self\n"
                   "send[5] start -> wait_self\n"
                   "recv[6] start -> done\n"
                   "send[5] wait_self -> done\n",
                   "");
}

static void test_lam(void)
{
    expect_self("lam_tcp");
}

static void test_p4(void)
{
    expect_self("mpich_p4");
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"LAM over TCP", test_lam}, {"MPICH over ch_p4", test_p4}, {0}};
    return suite_run("mpi_tcp: messages to oneself", cases);
}
