// SPDX-License-Identifier: GPL-3.0-or-later
// Text from files and command lines as a terminal may have it: what would steer the terminal, or
// turn the direction of writing, is shown by its number, \x1b or \u202e, and so are bytes that are
// no UTF-8. Letters of every language stay.
#ifndef NETSIM_CORE_SHOWN_H
#define NETSIM_CORE_SHOWN_H

#include <glib.h>
#include <stdio.h>

// A line has no line feed and no tabulator in it (a name, a message): those that come are shown as
// \x0a and \x09. In a text they stay.
enum shown_as { SHOWN_LINE, SHOWN_TEXT };

void shown_append(GString *out, const char *text, enum shown_as as);
void shown_print(const char *text, enum shown_as as, FILE *out);

#endif
