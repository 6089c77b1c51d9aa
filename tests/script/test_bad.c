// SPDX-License-Identifier: GPL-3.0-or-later
// Scripts that are wrong: each is reported at its line, and nothing crashes, whatever the bytes.
#include "tests/script/tcp_host.h"
#include "tests/support/suite.h"

#include <string.h>

struct bad {
    const char *text;
    enum script_verdict verdict;
    int line;
    const char *says; // a part of the report
};

static void play(const char *text, size_t length, struct script_report *report)
{
    const struct script_settings settings = {0};
    *report = (struct script_report){0};
    script_play(&tcp_script_protocol, &settings, text, length, report);
}

static void check(const struct bad *bad)
{
    struct script_report report;
    play(bad->text, strlen(bad->text), &report);
    bool same = report.verdict == bad->verdict && report.line == bad->line &&
                (bad->says ? report.text && strstr(report.text, bad->says) != NULL : !report.text);
    if (!same)
        fprintf(stderr, "%s\n  -> %d at line %d: %s\n", bad->text, (int)report.verdict, report.line,
                report.text ? report.text : "nothing");
    CU_ASSERT(same);
    script_report_clear(&report);
}

#define OPEN                                                                                       \
    "0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n"                                                \
    "+0 bind(3, ..., ...) = 0\n"                                                                   \
    "+0 listen(3, 1) = 0\n"                                                                        \
    "+0.1 < S 0:0(0) win 32000 <mss 1000>\n"                                                       \
    "+0 > S. 0:0(0) ack 1 <mss 1460>\n"                                                            \
    "+0 < . 1:1(0) ack 1 win 32000\n"                                                              \
    "+0 accept(3, ..., ...) = 4\n"

static void test_syntax(void)
{
    static const struct bad cases[] = {
        {"", SCRIPT_PASS, 0, NULL},
        {"// nothing\n/* at\nall */\n`ls`\n", SCRIPT_PASS, 0, NULL},
        {"\n\nsocket() = 3\n", SCRIPT_FAIL, 3, "expected a time in seconds, got socket"},
        {"0\n", SCRIPT_FAIL, 2, "expected <, > or a call, got the end of the script"},
        {"+ 0.1 socket\n", SCRIPT_FAIL, 2, "expected \"(\""},
        {"0 socket(..., 1, 6)\n", SCRIPT_FAIL, 2, "expected \"=\""},
        {"0 socket(..., 1, 6) =\n", SCRIPT_FAIL, 2, "expected a value"},
        {"0 socket(..., 1, 6 = 3\n", SCRIPT_FAIL, 1, "expected \")\", got ="},
        {"0 socket(..., ], 6) = 3\n", SCRIPT_FAIL, 1, "expected a value, got ]"},
        {"0 socket(..., 1, 6) = -1 EAGAIN (never\n", SCRIPT_FAIL, 2, "after the text of an error"},
        {"0 \"text", SCRIPT_FAIL, 1, "expected \" before the end of the line"},
        {"/* no end", SCRIPT_FAIL, 1, "expected */"},
        {"`no end", SCRIPT_FAIL, 1, "expected `"},
        {"0~-1 > . 1:1(0) ack 1", SCRIPT_FAIL, 1, "expected a time in seconds, got -1"},
        {"+0.1~0.2 > . 1:1(0) ack 1", SCRIPT_FAIL, 1, "both ends of a range"},
        {"0.2~0.1 > . 1:1(0) ack 1", SCRIPT_FAIL, 1, "ends after its start"},
        {"1e9 > . 1:1(0) ack 1", SCRIPT_FAIL, 1, "expected \"(\""},
        {"99999999 > . 1:1(0) ack 1", SCRIPT_FAIL, 1, "expected a time in seconds"},
        {"0 < X 1:1(0) win 1", SCRIPT_FAIL, 1, "expected flags of TCP"},
        {"0 < S 1:1 win 1", SCRIPT_FAIL, 1, "expected \"(\""},
        {"0 < S 1:2(0) win 1", SCRIPT_FAIL, 1, "agree with the length"},
        {"0 < S 1:99999999999(0) win 1", SCRIPT_FAIL, 1, "from 0 to 4294967295"},
        {"0 < S 1:123456789012345678901(0) win 1", SCRIPT_FAIL, 1, "at most 64 bits"},
        {"0 < . 1:1(0) win 1", SCRIPT_FAIL, 1, "expected ack after the flag"},
        {"0 < S 1:1(0)", SCRIPT_FAIL, 1, "expected win for a packet that the script sends"},
        {"0 < S 1:1(0) win 65536", SCRIPT_FAIL, 1, "expected a window from 0 to 65535"},
        {"0 < S 1:1(0) win 1 <mss>", SCRIPT_FAIL, 1, "expected a segment size"},
        {"0 < S 1:1(0) win 1 <mss 1", SCRIPT_FAIL, 1, "expected \">\""},
        {"0 < S 1:1(0) win 1 <...>", SCRIPT_FAIL, 1, "expected a TCP option"},
        {"0 < . 1:1(0) ack 1 win 1 <sack>", SCRIPT_FAIL, 1, "expected a SACK block"},
        {"0 < . 1:1(0) ack 1 win 1 <sack 1:2 3:4 5:6 7:8 9:10>", SCRIPT_FAIL, 1, "at most 4"},
        {"0 < S 1:1(0) win 1 <TS val 1>", SCRIPT_FAIL, 1, "expected ecr"},
        {"0 \x01", SCRIPT_FAIL, 1, "expected printable text, got byte 0x01"},
        {"--tolerance_usecs=soon\n", SCRIPT_FAIL, 1, "expected microseconds"},
        {"--set=tcp.mtu=none\n", SCRIPT_FAIL, 1, "tcp.mtu"},
        {"#ifdef FreeBSD\n0 nonsense\n", SCRIPT_FAIL, 3, "expected #endif"},
        {"#endif\n", SCRIPT_FAIL, 1, "expected an #ifdef before it"},
        {"#else\n", SCRIPT_FAIL, 1, "expected an #ifdef before it"},
        {"#ifdef\n#endif\n", SCRIPT_FAIL, 1, "expected a name"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);
}

static void test_unsupported(void)
{
    static const struct bad cases[] = {
        {"#include <x>\n", SCRIPT_UNSUPPORTED, 1, "#include"},
        {"--ip_version=ipv6\n", SCRIPT_UNSUPPORTED, 1, "--ip_version=ipv6"},
        {"--persistent_tun_dev=1\n", SCRIPT_UNSUPPORTED, 1, "--persistent_tun_dev"},
        {"0 splice(1, 2) = 3\n", SCRIPT_UNSUPPORTED, 1, "splice"},
        {"0...0.2 read(3, ..., 1) = 1\n", SCRIPT_UNSUPPORTED, 1, "a call that blocks"},
        {"0 %{ print 1 }%\n", SCRIPT_UNSUPPORTED, 1, "code of another language"},
        {"0 < SE 1:1(0) win 1\n", SCRIPT_UNSUPPORTED, 1, "TCP flag E"},
        {"0 < 1 > 2 S 1:1(0) win 1\n", SCRIPT_UNSUPPORTED, 1, "ports"},
        {"0 < S 1:1(0) win 1 <FO abcd>\n", SCRIPT_UNSUPPORTED, 1, "TCP option FO"},
        {"0 < S 1:11(10) win 1\n", SCRIPT_UNSUPPORTED, 1, "data in a SYN"},
        {"0 < ipv6 x\n", SCRIPT_UNSUPPORTED, 1, "ipv6"},
        {"0 socket(AF_INET6, 1, 6) = 3\n", SCRIPT_UNSUPPORTED, 1, "AF_INET6"},
        {OPEN "+0 setsockopt(4, SOL_TCP, TCP_CORK, [1], 4) = 0\n", SCRIPT_UNSUPPORTED, 8, "option"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);
}

// Scripts that can be read, and of which the host does something else.
static void test_mismatches(void)
{
    static const struct bad cases[] = {
        {OPEN, SCRIPT_PASS, 0, NULL},
        {OPEN "+0 close(7) = 0\n", SCRIPT_FAIL, 8, "expected close = 0, got -1 EBADF"},
        {OPEN "+0 write(4, ..., 10) = 11\n", SCRIPT_FAIL, 8, "expected write = 11, got 10"},
        {OPEN "+0 write(4, ..., 10) = 10\n+0 > P. 1:21(20) ack 1\n", SCRIPT_FAIL, 9,
         "expected P. 1:21(20) ack 1, got P. 1:11(10) ack 1 win 5840"},
        {OPEN "+0 write(4, ..., 10) = 10\n+0.1 > P. 1:11(10) ack 1\n", SCRIPT_FAIL, 9,
         "at 0.200000 s, got it at 0.1000"},
        {OPEN "+0 write(4, ..., 10) = 10\n+0 > P. 1:11(10) ack 1 <nop,nop,TS val 1 ecr 1>\n",
         SCRIPT_FAIL, 9, "TS val 1 ecr 1"},
        {OPEN "+0 > P. 1:11(10) ack 1\n", SCRIPT_FAIL, 8, "got nothing until 0.104"},
        {OPEN "+0 write(4, ..., 10) = 10\n+0.1 close(4) = 0\n", SCRIPT_FAIL, 9,
         "expected no more packets, got P. 1:11(10)"},
        {OPEN "0.05 close(4) = 0\n", SCRIPT_FAIL, 8, "expected a time from 0.1"},
        {OPEN "* close(4) = 0\n", SCRIPT_FAIL, 8, "expected a time for what the script does"},
        {"#ifdef Linux\n0 close(3) = 0\n#else\n0 nonsense\n#endif\n", SCRIPT_FAIL, 2, "EBADF"},
        {"#ifndef Linux\n0 nonsense\n#else\n0 close(3) = -1 EBADF (Bad file)\n#endif\n",
         SCRIPT_PASS, 0, NULL},
        {"#ifdef FreeBSD\n#ifdef Linux\n0 nonsense\n#endif\n#endif\n", SCRIPT_PASS, 0, NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++)
        check(&cases[i]);
}

// Values in values without end, and every script cut off anywhere, or with a byte changed.
static void test_depth(void)
{
    static const char open[] = "([{|";
    for (size_t i = 0; open[i]; i++) {
        struct script_report report;
        char *many = g_strnfill(5000, open[i]);
        char *text = g_strconcat("0 socket(", many, NULL);
        play(text, strlen(text), &report);
        CU_ASSERT(report.verdict == SCRIPT_FAIL);
        script_report_clear(&report);
        g_free(text);
        g_free(many);
    }
}

static void test_damaged(void)
{
    static const char text[] = OPEN "+0.1 write(4, ..., 3000) = 3000\n"
                                    "* > . 1:1001(1000) ack 1\n"
                                    "+0~+0.1 > . 1001:2001(1000) ack 1 <...>\n";
    struct random_stream *random = random_new(1, "damage");
    char copy[sizeof text];
    for (size_t i = 0; i < sizeof text; i += 3) {
        struct script_report report;
        play(text, i, &report);
        script_report_clear(&report);
        memcpy(copy, text, sizeof text);
        copy[i] = (char)random_below(random, 256);
        play(copy, sizeof text, &report);
        CU_ASSERT(report.verdict == SCRIPT_PASS || report.text != NULL);
        script_report_clear(&report);
    }
    random_free(random);
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"syntax", test_syntax},         {"what is not supported", test_unsupported},
        {"mismatches", test_mismatches}, {"depth", test_depth},
        {"damaged", test_damaged},       {0},
    };
    return suite_run("script: bad scripts", cases);
}
