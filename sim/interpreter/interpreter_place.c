// SPDX-License-Identifier: GPL-3.0-or-later
// Where a program stands, for reports, and what it waits for.
#include "sim/interpreter/interpreter_internal.h"

char *interpreter_place(const struct interpreter *run)
{
    if (run->phase == PHASE_INIT)
        return g_strdup("MPI_Init");
    if (!run->called)
        return g_strdup("end of the program");
    const struct source_mark *mark = run->call.mark;
    if (mark->line == 0)
        return g_strdup(run->call.kind->name);
    return g_strdup_printf("%s:%d:%d: %s", mark->file, mark->line, mark->column,
                           run->call.kind->name);
}

void interpreter_fail(struct interpreter *run, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *what = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    char *place = interpreter_place(run);
    sim_fail(run->process->sim, SIM_FAILED, "program_error",
             json_pack("{s:i, s:s}", "rank", run->process->rank, "place", place), "%s, rank %d: %s",
             place, run->process->rank, what);
    g_free(place);
    g_free(what);
}

void interpreter_wait_for(struct interpreter *run, struct mpi_request *request)
{
    mpi_wait(run->process, request);
    g_ptr_array_add(run->waiting, request);
}
