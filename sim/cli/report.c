// SPDX-License-Identifier: GPL-3.0-or-later
// netsim report: runs and sweeps as one page of HTML.
#include "sim/cli/report.h"

#include "sim/output/json.h"
#include "sim/output/python.h"

#include <glib/gstdio.h>

#define LARGE_PAGE INT64_C(25000000) // bytes: the limit of attachments at GitHub and Gmail

// DIR/report.html of the first word, or report.html in the directory of a database.
static char *page_default_file(const char *word)
{
    if (g_file_test(word, G_FILE_TEST_IS_DIR))
        return g_build_filename(word, "report.html", NULL);
    char *directory = g_path_get_dirname(word);
    char *path = g_build_filename(directory, "report.html", NULL);
    g_free(directory);
    return path;
}

static bool page_write(json_t *document, const char *python, const char *out, bool is_static,
                       GError **error)
{
    char *text = document_text(json_incref(document));
    char *where = g_strconcat("--out=", out, NULL); // `out` may begin with -
    const char *const interactive[] = {where, "-", NULL};
    const char *const plain[] = {"--static", where, "-", NULL};
    struct python_call call = {.python = python,
                               .data_dir = cli_data_dir(),
                               .script = "report.py",
                               .arguments = is_static ? plain : interactive,
                               .input = text};
    bool good = python_run(&call, error);
    g_free(where);
    g_free(text);
    return good;
}

static void note_large_page(const char *file)
{
    GStatBuf page;
    if (g_stat(file, &page) == 0 && page.st_size >= LARGE_PAGE)
        cli_error("report fewer results at once",
                  "note: %s has %d MB, more than most mails and issues take", file,
                  (int)(page.st_size / 1000000));
}

// The page must replace none of what it is made of.
static bool page_is_apart(char *const *words, int count, const char *out)
{
    GArray *uses = g_array_new(FALSE, FALSE, sizeof(struct file_use));
    struct file_use page = {"--out", out, true};
    g_array_append_val(uses, page);
    for (int i = 0; i < count; i++) {
        struct file_use use = {"the results", words[i], false};
        if (!g_file_test(words[i], G_FILE_TEST_IS_DIR))
            g_array_append_val(uses, use);
    }
    bool apart =
        cli_files_differ(NULL, (const struct file_use *)(void *)uses->data, (int)uses->len);
    g_array_unref(uses);
    return apart;
}

static enum cli_exit page_of(char **words, const void *data)
{
    const struct page_arguments *arguments = data;
    int count = (int)g_strv_length(words);
    GError *error = NULL;
    enum cli_exit code = CLI_BAD_INPUT;
    char *out = arguments->out ? g_strdup(arguments->out) : page_default_file(words[0]);
    char *python = python_find(&error);
    json_t *document = python && page_is_apart(words, count, out)
                           ? page_document(words, count, arguments, &error)
                           : NULL;
    if (document && page_write(document, python, out, arguments->is_static, &error)) {
        code = CLI_DONE;
        if (!arguments->quiet)
            cli_print("%s\n", out);
        note_large_page(out);
    }
    code = cli_exit_with(error, code);
    json_decref(document);
    g_free(python);
    g_free(out);
    return code;
}

const struct cli_option cli_report_options[] = {
    {.name = "out",
     .value = CLI_TEXT,
     .offset = offsetof(struct page_arguments, out),
     .argument = "FILE",
     .words = CLI_WORDS_FILE,
     .summary = "the page's file instead of report.html where the first results are"},
    {.name = "static",
     .value = CLI_FLAG,
     .offset = offsetof(struct page_arguments, is_static),
     .summary = "pictures as SVG, which can't be zoomed, and no script",
     .more = "So is the page where Debian's node-d3 is not installed."},
    {.name = "no-explain",
     .value = CLI_FLAG,
     .offset = offsetof(struct page_arguments, no_explain),
     .summary = "do not run a scenario again to explain where its time goes"},
    CLI_QUIET_OPTION(struct page_arguments, quiet),
    CLI_OPTIONS_END,
};

enum cli_exit cli_report(const struct cli_command *command, int argc, char **argv)
{
    struct page_arguments arguments = {0};
    return cli_with_options(command, argc, argv, &arguments, page_of);
}
