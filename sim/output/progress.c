// SPDX-License-Identifier: GPL-3.0-or-later
#include "sim/output/progress.h"

#include "sim/core/shown.h"
#include "sim/output/text.h"

#include <glib.h>
#include <math.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define BAR_WIDTH 24
#define REDRAW_INTERVAL (G_USEC_PER_SEC / 10)
// Before so much is done and so much time has passed, what is left can't be told.
#define TELLING_FRACTION 0.02
#define TELLING_S 1.0

struct progress {
    FILE *out;
    int steps;
    gint64 started, drawn; // monotonic microseconds; drawn 0: nothing yet
};

struct progress *progress_new(FILE *out, int steps)
{
    if (!isatty(fileno(out)))
        return NULL;
    struct progress *progress = g_new0(struct progress, 1);
    progress->out = out;
    progress->steps = MAX(steps, 1);
    progress->started = g_get_monotonic_time();
    return progress;
}

// Cuts text to a number of columns, at a character.
static void cut(GString *text, int width)
{
    while (text_width(text->str) > width)
        g_string_truncate(text, (gsize)(g_utf8_prev_char(text->str + text->len) - text->str));
}

char *progress_line(double fraction, const char *detail, double seconds, int width)
{
    fraction = CLAMP(fraction, 0.0, 1.0);
    int filled = (int)(fraction * BAR_WIDTH);
    GString *line = g_string_new("["), *time = g_string_new(NULL), *what = g_string_new(detail);
    for (int i = 0; i < BAR_WIDTH; i++)
        g_string_append_c(line, i < filled ? '#' : '-');
    g_string_append_printf(line, "] %3d %%  ", (int)(fraction * 100.0));
    g_string_append_printf(time, "  %.1f s", seconds);
    if (fraction >= TELLING_FRACTION && fraction < 1.0 && seconds >= TELLING_S)
        g_string_append_printf(time, ", %.0f s left", ceil(seconds / fraction - seconds));
    // What is being done gives way to the time.
    bool valid = g_utf8_validate(detail, -1, NULL);
    if (valid)
        cut(what, MAX(width - text_width(line->str) - text_width(time->str), 0));
    g_string_append_printf(line, "%s%s", what->str, time->str);
    if (valid)
        cut(line, width);
    g_string_free(what, TRUE);
    g_string_free(time, TRUE);
    return g_string_free(line, FALSE);
}

static int terminal_width(FILE *out)
{
    struct winsize size;
    if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        return size.ws_col;
    return 80;
}

void progress_update(void *owner, int step, double done, const char *detail)
{
    struct progress *progress = owner;
    if (!progress)
        return;
    gint64 now = g_get_monotonic_time();
    if (progress->drawn && now - progress->drawn < REDRAW_INTERVAL)
        return;
    progress->drawn = now;
    double seconds = (double)(now - progress->started) / G_USEC_PER_SEC;
    char *line = progress_line((step + done) / progress->steps, detail ? detail : "", seconds,
                               terminal_width(progress->out) - 1);
    fputs("\r", progress->out);
    shown_print(line, SHOWN_LINE, progress->out);
    fputs("\033[K", progress->out);
    fflush(progress->out);
    g_free(line);
}

void progress_free(struct progress *progress)
{
    if (!progress)
        return;
    if (progress->drawn) {
        fputs("\r\033[K", progress->out);
        fflush(progress->out);
    }
    g_free(progress);
}
