// SPDX-License-Identifier: GPL-3.0-or-later
// netsim export: how fast hosts compute where netsim's programs have times and others count flops.
#include "sim/cli/export.h"

#include "sim/config/quantity.h"
#include "sim/scenario/replay.h"

#define DEFAULT_SPEED 1000000000 // flop/s

static bool export_read_speed(const char *text, int64_t *speed)
{
    struct quantity quantity = {0};
    char *error = NULL, *hint = NULL;
    bool good = quantity_parse(text, QUANTITY_FLOP_RATE, &quantity, &error, &hint);
    if (!good)
        cli_error(hint, "--host-speed %s: %s", text, error);
    else if (quantity.integer < 1)
        cli_error(NULL, "--host-speed %s: a host does at least 1 flop/s", text);
    *speed = quantity.integer;
    g_free(error);
    g_free(hint);
    return good && *speed >= 1;
}

bool export_speed(const struct export_job *job, const struct workload *workload, int64_t *speed)
{
    const struct replay_config *replay = workload->recording ? workload->parameters->values : NULL;
    if (job->arguments->host_speed)
        return export_read_speed(job->arguments->host_speed, speed);
    *speed = replay && replay->speed > 0 ? replay->speed : DEFAULT_SPEED;
    return true;
}

char *export_speed_text(int64_t speed)
{
    return quantity_format(QUANTITY_FLOP_RATE, (struct quantity){.integer = speed});
}
