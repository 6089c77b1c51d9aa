// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/myrinet_gm/gm/gm_internal.h"

void gm_trace(const struct gm_card *card, sim_time now, const char *machine, int64_t subject,
              const char *from, const char *to, const char *detail)
{
    if (!card->sim->trace || from == to)
        return;
    trace_transition(card->sim->trace, cpu_lane(lanai_cpu(card->lanai)), now,
                     &(struct trace_transition){
                         .where = card->host->name,
                         .machine = machine,
                         .subject = subject,
                         .from = from,
                         .to = to,
                         .detail = detail,
                     });
}
