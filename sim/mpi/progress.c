// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/mpi/progress.h"

#include <glib.h>

const struct mpi_progress_rule mpi_progress_always = {
    .send = {MPI_TURNS},
    .receive = {MPI_TURNS},
    .test = {MPI_TURNS, MPI_LOOKS},
    .probe = {MPI_TURNS},
    .waits = MPI_WAITS_ALWAYS,
};

char *mpi_acts_text(const enum mpi_act *acts)
{
    static const char *const names[] = {[MPI_LOOKS] = "looks",
                                        [MPI_TURN] = "a turn",
                                        [MPI_TURNS] = "turns until one finds nothing"};
    GString *text = g_string_new(acts[0] == MPI_LEAVES ? "none" : "");
    for (int i = 0; acts[i] != MPI_LEAVES; i++)
        g_string_append_printf(text, "%s%s", i > 0 ? ", " : "", names[acts[i]]);
    return g_string_free(text, FALSE);
}

const char *mpi_waits_text(const struct mpi_progress_rule *rule)
{
    static const char *const texts[] = {
        [MPI_WAITS_LEAVE] = "looks, then turns until its requests are done",
        [MPI_WAITS_EXHAUST] = "looks, then turns until its requests are done and one finds nothing",
        [MPI_WAITS_ALWAYS] = "turns until its requests are done and one finds nothing",
    };
    return texts[rule->waits];
}
