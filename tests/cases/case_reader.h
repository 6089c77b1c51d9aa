// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the lines of a case file, one by one, into its facts and blocks.
#ifndef NETSIM_TESTS_CASES_CASE_READER_H
#define NETSIM_TESTS_CASES_CASE_READER_H

#include "tests/cases/case_file.h"

struct case_reader {
    struct case_file *file;
    struct case_block *block; // NULL: before the first one
    int line;
};

// Notes the first thing that is wrong with the file. Returns false.
bool case_reader_fail(struct case_reader *reader, const char *what, const char *text);

// Reads one line, which it changes. Returns false if it is wrong.
bool case_reader_line(struct case_reader *reader, char *text);

#endif
