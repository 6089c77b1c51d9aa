// SPDX-License-Identifier: GPL-3.0-or-later
// Any bytes as a packet script (tests/script), which is played if it can be read. The first
// character chooses the protocol of the host.
#include "tests/fuzz/fuzz.h"
#include "tests/script/sctp_host.h"
#include "tests/script/tcp_host.h"

static const struct script_protocol *const protocols[] = {&tcp_script_protocol,
                                                          &sctp_script_protocol};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct script_settings settings = {0};
    struct script_report report = {0};
    if (size == 0)
        return 0;
    unsigned kind = fuzz_kind(&data, &size, G_N_ELEMENTS(protocols));
    script_play(protocols[kind], &settings, (const char *)data, size, &report);
    g_assert((report.verdict == SCRIPT_PASS) == (report.text == NULL));
    g_assert(report.verdict == SCRIPT_PASS || report.line > 0);
    script_report_clear(&report);
    return 0;
}
