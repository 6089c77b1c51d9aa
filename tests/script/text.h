// SPDX-License-Identifier: GPL-3.0-or-later
// The words of a packet script: tokens with their lines. Preprocessor lines, comments and shell
// lines are removed before the tokens are made.
#ifndef NETSIM_TESTS_SCRIPT_TEXT_H
#define NETSIM_TESTS_SCRIPT_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum script_token_kind {
    SCRIPT_END,
    SCRIPT_INTEGER,
    SCRIPT_FLOAT,
    SCRIPT_WORD,
    SCRIPT_STRING,  // "text", without the quotation marks
    SCRIPT_ADDRESS, // 192.0.2.1
    SCRIPT_DOTS,    // ...
    SCRIPT_SHELL,   // `command`
    SCRIPT_CODE,    // %{ code }%
    SCRIPT_OPTION,  // --name=value, at the start of a line: the text after the dashes
    SCRIPT_MARK,    // any other character
};

struct script_token {
    enum script_token_kind kind;
    int line;
    char mark;       // of SCRIPT_MARK
    int64_t integer; // of SCRIPT_INTEGER
    double real;     // of SCRIPT_FLOAT and SCRIPT_INTEGER
    char *text;      // as it stands in the script, but for strings and options
    size_t from, to; // where it stands in the text
};

// How the reading of a script has ended so far: the first complaint stays.
enum script_verdict { SCRIPT_PASS, SCRIPT_FAIL, SCRIPT_UNSUPPORTED };

struct script_report {
    enum script_verdict verdict;
    int line;
    char *text; // "expected …, got …", or what is not supported; NULL if it passed
};

void script_fail(struct script_report *report, int line, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
void script_unsupported(struct script_report *report, int line, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
void script_report_clear(struct script_report *report);

// The tokens of a text (struct script_token, the last one SCRIPT_END); the caller frees them with
// g_array_unref. `defined` are the names that #ifdef takes for defined, NULL-terminated. Unreadable
// text is in the report.
GArray *script_tokens(const char *text, size_t length, const char *const *defined,
                      struct script_report *report);

#endif
