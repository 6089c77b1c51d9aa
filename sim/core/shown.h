// SPDX-License-Identifier: GPL-3.0-or-later
// Makes text from files and command lines safe for a terminal. Control characters and marks that
// change the direction of writing are shown by number (\x1b, \u202e), and so are bytes that are not
// UTF-8. Letters of every language stay.
#ifndef NETSIM_CORE_SHOWN_H
#define NETSIM_CORE_SHOWN_H

#include <glib.h>
#include <stdio.h>

// In a line (a name, a message), line feeds and tabs are shown as \x0a and \x09. In a text they
// stay.
enum shown_as { SHOWN_LINE, SHOWN_TEXT };

void shown_append(GString *out, const char *text, enum shown_as as);
void shown_print(const char *text, enum shown_as as, FILE *out);

#endif
