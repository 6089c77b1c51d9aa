// SPDX-License-Identifier: GPL-3.0-or-later
// Files that a test needs for a moment, in a directory of their own.
#ifndef NETSIM_TESTS_SUPPORT_TEMPORARY_H
#define NETSIM_TESTS_SUPPORT_TEMPORARY_H

// A new empty directory; temporary_remove removes it with all that is in it and frees the name.
char *temporary_directory(void);
void temporary_remove(char *directory);

// Writes a file (and makes its directories) and returns its path; the caller frees it.
char *temporary_file(const char *directory, const char *name, const char *text);

#endif
