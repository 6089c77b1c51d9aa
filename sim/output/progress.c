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
// The remaining time is not estimated before this much is done and this much time has passed.
#define TELLING_FRACTION 0.02
#define TELLING_S 1.0

// Off a terminal.
#define FIRST_LINE_S 10.0
#define NEXT_LINE_S 60.0

struct progress {
    FILE *out;
    int steps;
    bool terminal;
    gint64 started, drawn; // monotonic microseconds; drawn 0: nothing yet
    gint64 due, interval;  // of the next line, and from then on
    double fraction;       // of the last update; negative: not known
    char *detail;
};

// Seconds of $NETSIM_PROGRESS; negative if that is no number.
static double interval_asked(void)
{
    const char *text = g_getenv("NETSIM_PROGRESS");
    char *end = NULL;
    double seconds = text && *text ? g_ascii_strtod(text, &end) : -1.0;
    return end && *end == '\0' && seconds < 1e9 ? seconds : -1.0;
}

struct progress *progress_new(FILE *out, int steps)
{
    bool terminal = isatty(fileno(out));
    double asked = interval_asked();
    if (!terminal && g_strcmp0(g_getenv("NETSIM_PROGRESS"), "off") == 0)
        return NULL;
    struct progress *progress = g_new0(struct progress, 1);
    progress->out = out;
    progress->steps = MAX(steps, 1);
    progress->terminal = terminal;
    progress->started = g_get_monotonic_time();
    progress->due =
        progress->started + (gint64)((asked >= 0.0 ? asked : FIRST_LINE_S) * G_USEC_PER_SEC);
    progress->interval = (gint64)((asked >= 0.0 ? asked : NEXT_LINE_S) * G_USEC_PER_SEC);
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
    // The detail is cut so that the time fits.
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

static void draw_bar(struct progress *progress, gint64 now, double seconds)
{
    if (progress->drawn && now - progress->drawn < REDRAW_INTERVAL)
        return;
    progress->drawn = now;
    int width = terminal_width(progress->out) - 1;
    char *line = progress->fraction < 0.0
                     ? g_strdup_printf("%s  %.1f s", progress->detail, seconds)
                     : progress_line(progress->fraction, progress->detail, seconds, width);
    fputs("\r", progress->out);
    shown_print(line, SHOWN_LINE, progress->out);
    fputs("\033[K", progress->out);
    fflush(progress->out);
    g_free(line);
}

// "netsim: 34 %, VIA RPI: 64 KiB, after 72 s, 140 s left".
static void print_line(struct progress *progress, gint64 now, double seconds)
{
    double fraction = MIN(progress->fraction, 1.0);
    if (now < progress->due)
        return;
    progress->due = now + progress->interval;
    GString *line = g_string_new("netsim: ");
    if (fraction >= 0.0)
        g_string_append_printf(line, "%d %%, ", (int)(fraction * 100.0));
    if (*progress->detail)
        g_string_append_printf(line, "%s, ", progress->detail);
    g_string_append_printf(line, "after %.0f s", seconds);
    if (fraction >= TELLING_FRACTION && fraction < 1.0)
        g_string_append_printf(line, ", %.0f s left", ceil(seconds / fraction - seconds));
    shown_print(line->str, SHOWN_LINE, progress->out);
    fputs("\n", progress->out);
    fflush(progress->out);
    g_string_free(line, TRUE);
}

void progress_beat(struct progress *progress)
{
    if (!progress || !progress->detail)
        return;
    gint64 now = g_get_monotonic_time();
    double seconds = (double)(now - progress->started) / G_USEC_PER_SEC;
    if (progress->terminal)
        draw_bar(progress, now, seconds);
    else
        print_line(progress, now, seconds);
}

static void progress_note(struct progress *progress, double fraction, const char *detail)
{
    if (!progress)
        return;
    progress->fraction = fraction;
    if (!progress->detail || g_strcmp0(detail, progress->detail) != 0) {
        g_free(progress->detail);
        progress->detail = g_strdup(detail ? detail : "");
    }
    progress_beat(progress);
}

void progress_update(void *owner, int step, double done, const char *detail)
{
    struct progress *progress = owner;
    progress_note(progress, progress ? (step + done) / progress->steps : 0.0, detail);
}

void progress_detail(struct progress *progress, const char *detail)
{
    progress_note(progress, -1.0, detail);
}

void progress_free(struct progress *progress)
{
    if (!progress)
        return;
    if (progress->drawn) {
        fputs("\r\033[K", progress->out);
        fflush(progress->out);
    }
    g_free(progress->detail);
    g_free(progress);
}
