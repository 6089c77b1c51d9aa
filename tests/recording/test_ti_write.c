// SPDX-License-Identifier: GPL-3.0-or-later
// Calls that are written as a time-independent trace are the same when they are read again: those
// of the shipped recordings, and random ones with fixed seeds. Calls that the format would lose are
// refused.
#include "sim/recording/recording.h"
#include "sim/recording/ti_write.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <stdlib.h>
#include <string.h>

#define RANKS 5

// ---- Calls as text, without their lines ----

static void append_list(GString *text, const int64_t *values, int count)
{
    for (int i = 0; values && i < count; i++)
        g_string_append_printf(text, "%c%" G_GINT64_FORMAT, i == 0 ? '[' : ' ', values[i]);
}

static void append_call(GString *text, const struct recorded_call *call)
{
    g_string_append_printf(text,
                           "%s %d %d %d %" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %" G_GINT64_FORMAT
                           " %" G_GINT64_FORMAT " %d %.17g %.17g r%d %d",
                           operation_table[call->code].name, call->communicator, call->peer,
                           call->source, call->tag, call->size, call->receive_tag,
                           call->receive_size, call->root, call->work, call->seconds, call->request,
                           call->awaits_all);
    for (int i = 0; i < call->awaited_count; i++)
        g_string_append_printf(text, " w%d", call->awaited[i]);
    append_list(text, call->blocks, call->block_count);
    append_list(text, call->receive_blocks, call->block_count);
    g_string_append_c(text, '\n');
}

static GString *text_of(struct recording *recording)
{
    GString *text = g_string_new(NULL);
    struct recorded_call call;
    for (int rank = 0; rank < recording_ranks(recording); rank++) {
        struct recording_cursor *cursor = recording_cursor_new(recording, rank);
        while (recording_cursor_next(cursor, &call))
            append_call(text, &call);
        recording_cursor_free(cursor);
    }
    return text;
}

static struct recording *read_trace(const char *path)
{
    struct diag_list *diags = diag_list_new();
    struct recording *recording = recording_read(path, (struct source_mark){"t", 1, 1}, diags);
    if (!recording)
        diag_print(diags, stderr);
    CU_ASSERT_PTR_NOT_NULL(recording);
    diag_list_free(diags);
    return recording;
}

// ---- Shipped recordings ----

static void write_recording(struct recording *recording, FILE *out)
{
    struct recorded_call call;
    const char *why = NULL;
    int line;
    for (int rank = 0; rank < recording_ranks(recording); rank++) {
        struct recording_cursor *cursor = recording_cursor_new(recording, rank);
        struct ti_writer *writer = ti_writer_new(out, rank, recording_ranks(recording));
        while (recording_cursor_next(cursor, &call))
            CU_ASSERT(ti_writer_put(writer, &call, &why));
        CU_ASSERT(ti_writer_end(writer, &why, &line));
        ti_writer_free(writer);
        recording_cursor_free(cursor);
    }
}

static void expect_returned(struct recording *recording)
{
    char *directory = temporary_directory(), *path = temporary_file(directory, "t.txt", "");
    FILE *out = fopen(path, "we");
    write_recording(recording, out);
    fclose(out);
    struct recording *again = read_trace(path);
    if (again) {
        GString *before = text_of(recording), *after = text_of(again);
        CU_ASSERT(before->len > 0);
        SUITE_SAME_TEXT(after->str, before->str);
        CU_ASSERT(recording_identity(again) == recording_identity(recording));
        g_string_free(before, TRUE);
        g_string_free(after, TRUE);
    }
    recording_unref(again);
    g_free(path);
    temporary_remove(directory);
}

static void test_shipped(void)
{
    char *folder = g_build_filename(getenv("NETSIM_SOURCE_DIR"), "traces", NULL);
    GDir *list = g_dir_open(folder, 0, NULL);
    int count = 0;
    for (const char *name; list && (name = g_dir_read_name(list));) {
        char *path = g_build_filename(folder, name, "trace.txt", NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS)) {
            struct recording *recording = read_trace(path);
            if (recording)
                expect_returned(recording);
            recording_unref(recording);
            count++;
        }
        g_free(path);
    }
    CU_ASSERT(count >= 5);
    if (list)
        g_dir_close(list);
    g_free(folder);
}

// ---- Random calls ----

// Lines of a rank as recordings of smpirun have them. Requests are waited for in any order, but
// those that are alike in that of their starts.
struct author {
    GRand *random;
    GString *lines;
    int rank;
    GPtrArray *open; // char *: "SOURCE DESTINATION TAG" of requests
};

static int below(struct author *author, int most)
{
    return g_rand_int_range(author->random, 0, most);
}

static void put_line(struct author *author, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void put_line(struct author *author, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    g_string_append_printf(author->lines, "%d ", author->rank);
    g_string_append_vprintf(author->lines, format, arguments);
    g_string_append_c(author->lines, '\n');
    va_end(arguments);
}

static void random_start(struct author *author)
{
    int peer = below(author, RANKS), tag = below(author, 3);
    bool sends = below(author, 2) == 0;
    put_line(author, "%s %d %d %d %d", sends ? "isend" : "irecv", peer, tag, below(author, 1000),
             below(author, 3));
    g_ptr_array_add(author->open, g_strdup_printf("%d %d %d", sends ? author->rank : peer,
                                                  sends ? peer : author->rank, tag));
}

static void random_wait(struct author *author)
{
    if (author->open->len == 0 || below(author, 3) == 0) {
        put_line(author, "waitall %u", author->open->len);
        g_ptr_array_set_size(author->open, 0);
        return;
    }
    guint at = (guint)below(author, (int)author->open->len), first = 0;
    const char *chosen = g_ptr_array_index(author->open, at);
    while (strcmp(g_ptr_array_index(author->open, first), chosen) != 0)
        first++;
    if (below(author, 3) == 0)
        put_line(author, "test %s", chosen); // awaited in the end
    put_line(author, "wait %s", chosen);
    g_ptr_array_remove_index(author->open, first);
}

static const char *random_list(struct author *author, GString *list, int *sum)
{
    *sum = 0;
    g_string_truncate(list, 0);
    for (int i = 0; i < RANKS; i++) {
        int block = below(author, 50);
        *sum += block;
        g_string_append_printf(list, "%s%d", i > 0 ? " " : "", block);
    }
    return list->str;
}

static int number_in(const char *list, int at)
{
    char **words = g_strsplit(list, " ", -1);
    int number = (int)g_ascii_strtoll(words[at], NULL, 10);
    g_strfreev(words);
    return number;
}

static void random_blocks(struct author *author)
{
    GString *one = g_string_new(NULL), *other = g_string_new(NULL);
    int sum, received;
    const char *blocks = random_list(author, one, &sum);
    int own = number_in(blocks, author->rank), root = author->rank;
    switch (below(author, 5)) {
    case 0:
        put_line(author, "gatherv %d %s %d 1 1", own, blocks, root);
        break;
    case 1:
        put_line(author, "scatterv %s %d %d 0 0", blocks, own, root);
        break;
    case 2:
        put_line(author, "allgatherv %d %s 6 6", own, blocks);
        break;
    case 3:
        put_line(author, "reducescatter %s 0 1", blocks);
        break;
    default:
        random_list(author, other, &received);
        put_line(author, "alltoallv %d %s %d %s 1 0", sum, blocks, received, other->str);
        break;
    }
    g_string_free(one, TRUE);
    g_string_free(other, TRUE);
}

static void random_collective(struct author *author)
{
    static const char *const reductions[] = {"allreduce", "scan", "exscan"};
    int size = below(author, 3) == 0 ? 0 : below(author, 100000), root = below(author, RANKS);
    switch (below(author, 7)) {
    case 0:
        put_line(author, "barrier");
        return;
    case 1:
        put_line(author, "bcast %d %d 1", size, root);
        return;
    case 2:
        put_line(author, "reduce %d %d %d 0", size, below(author, 2) * 1000, root);
        return;
    case 3:
        put_line(author, "%s %d 0 6", reductions[below(author, 3)], size);
        return;
    case 4:
        put_line(author, "%s %d %d 1 1", below(author, 2) ? "alltoall" : "allgather", size, size);
        return;
    case 5:
        put_line(author, "%s %d %d %d 1 1", below(author, 2) ? "gather" : "scatter", size, size,
                 root);
        return;
    default:
        random_blocks(author);
        return;
    }
}

static void random_line(struct author *author)
{
    switch (below(author, 7)) {
    case 0:
        put_line(author, "%s %d %d %d 1", below(author, 2) ? "send" : "recv", below(author, RANKS),
                 below(author, 100), below(author, 100000));
        return;
    case 1:
        put_line(author, "recv %d -444 100 6", below(author, RANKS));
        return;
    case 2:
        put_line(author, "sendRecv %d %d %d %d 1 6", below(author, 100), below(author, RANKS),
                 below(author, 100), below(author, RANKS));
        return;
    case 3:
        if (below(author, 5) == 0)
            put_line(author, "sleep %.17g", g_rand_double(author->random) + 0.1);
        else
            put_line(author, "compute %.*g", below(author, 17) + 1,
                     g_rand_double_range(author->random, 1, 1e12));
        return;
    case 4:
        random_collective(author);
        return;
    case 5:
        random_start(author);
        return;
    default:
        random_wait(author);
        return;
    }
}

static void test_random(void)
{
    for (guint32 seed = 1; seed <= 60; seed++) {
        struct author author = {g_rand_new_with_seed(seed), g_string_new(NULL), 0,
                                g_ptr_array_new_with_free_func(g_free)};
        for (author.rank = 0; author.rank < RANKS; author.rank++) {
            put_line(&author, "init");
            for (int i = below(&author, 60); i >= 0; i--)
                random_line(&author);
            put_line(&author, "waitall %u", author.open->len);
            g_ptr_array_set_size(author.open, 0);
            put_line(&author, "finalize");
        }
        char *directory = temporary_directory(),
             *path = temporary_file(directory, "t.txt", author.lines->str);
        struct recording *recording = read_trace(path);
        if (recording)
            expect_returned(recording);
        recording_unref(recording);
        temporary_remove(directory);
        g_free(path);
        g_ptr_array_unref(author.open);
        g_string_free(author.lines, TRUE);
        g_rand_free(author.random);
    }
}

// ---- What is refused, and how waits are written ----

// The lines that rank 1 of three has put so far, or why the last call was refused.
struct page {
    char *text;
    size_t length;
    FILE *out;
    struct ti_writer *writer;
    const char *why;
};

static void page_begin(struct page *page)
{
    *page = (struct page){0};
    page->out = open_memstream(&page->text, &page->length);
    page->writer = ti_writer_new(page->out, 1, 3);
}

static bool page_put(struct page *page, const struct recorded_call *call)
{
    return ti_writer_put(page->writer, call, &page->why);
}

static void page_end(struct page *page)
{
    ti_writer_free(page->writer);
    fclose(page->out);
    free(page->text);
}

static bool page_start(struct page *page, enum op_code code, int peer, int64_t tag, int request)
{
    struct recorded_call call = recorded_call(code, 10 + request);
    call.peer = peer;
    call.tag = tag;
    call.size = 8;
    call.request = request;
    return page_put(page, &call);
}

static bool page_wait(struct page *page, enum op_code code, const int *requests, int count)
{
    struct recorded_call call = recorded_call(code, 20);
    call.awaited = requests;
    call.awaited_count = count;
    return page_put(page, &call);
}

static void test_waits(void)
{
    struct page page;
    page_begin(&page);
    CU_ASSERT(page_start(&page, OP_ISEND, 0, 4, 0) && page_start(&page, OP_IRECV, 2, 4, 1) &&
              page_start(&page, OP_IRECV, 2, OPERATION_ANY, 2));
    CU_ASSERT(page_wait(&page, OP_WAITALL, (int[]){2, 0}, 2));
    CU_ASSERT(page_wait(&page, OP_TEST, (int[]){1}, 1));
    CU_ASSERT(page_wait(&page, OP_WAIT, (int[]){0}, 1)); // over already
    CU_ASSERT(page_wait(&page, OP_WAITALL, (int[]){1}, 1));
    int line;
    CU_ASSERT(ti_writer_end(page.writer, &page.why, &line));
    fflush(page.out);
    SUITE_SAME_TEXT(page.text, "1 init\n1 isend 0 4 8 6\n1 irecv 2 4 8 6\n1 irecv 2 -444 8 6\n"
                               "1 wait 1 0 4\n1 wait 2 1 -444\n1 test 2 1 4\n1 waitall 1\n"
                               "1 finalize\n");
    page_end(&page);
}

static void test_requests_refused(void)
{
    struct page page;
    int line = 0;
    page_begin(&page);
    CU_ASSERT(page_start(&page, OP_ISEND, 0, 4, 0) && page_start(&page, OP_ISEND, 0, 4, 1));
    CU_ASSERT(!page_wait(&page, OP_WAIT, (int[]){1}, 1));
    SUITE_CONTAINS(page.why, "one that was started earlier has the same");
    CU_ASSERT(page_wait(&page, OP_WAIT, (int[]){0}, 1));
    CU_ASSERT(page_wait(&page, OP_TEST, (int[]){1}, 1));
    CU_ASSERT(!page_start(&page, OP_ISEND, 0, 4, 2));
    SUITE_CONTAINS(page.why, "does not say whether a test found the request done");
    CU_ASSERT(!ti_writer_end(page.writer, &page.why, &line));
    SUITE_CONTAINS(page.why, "nothing waits for the request");
    SUITE_SAME_INTEGER(line, 11);
    page_end(&page);
}

static void test_calls_refused(void)
{
    static const struct {
        struct recorded_call call;
        const char *part;
    } wrong[] = {
        {{.code = OP_RECV, .communicator = -1, .peer = -1}, "looks like one from MPI_PROC_NULL"},
        {{.code = OP_SSEND, .communicator = -1}, "no synchronous send"},
        {{.code = OP_ISSEND, .communicator = -1}, "no synchronous send"},
        {{.code = OP_PROBE, .communicator = -1}, "have no such call"},
        {{.code = OP_TESTANY, .communicator = -1}, "which requests were done"},
        {{.code = OP_WAITSOME, .communicator = -1}, "which requests were done"},
        {{.code = OP_SENDRECV, .communicator = -1, .tag = 1}, "has no tags"},
        {{.code = OP_SENDRECV, .communicator = -1, .receive_tag = 1}, "has no tags"},
        {{.code = OP_SENDRECV, .communicator = -1, .source = -1}, "receives from one rank"},
        {{.code = OP_BARRIER, .communicator = 0}, "no communicators"},
        {{.code = OP_BCAST, .communicator = -1, .size = INT64_C(1) << 31}, "at most 2147483647"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        struct page page;
        page_begin(&page);
        CU_ASSERT(!page_put(&page, &wrong[i].call));
        SUITE_CONTAINS(page.why ? page.why : "it was written", wrong[i].part);
        page_end(&page);
    }
}

int main(void)
{
    static const struct suite_case cases[] = {
        {"shipped recordings return", test_shipped},
        {"random calls return", test_random},
        {"waits for some are waits for each", test_waits},
        {"requests that the format confuses", test_requests_refused},
        {"calls that the format lacks", test_calls_refused},
        {NULL, NULL},
    };
    return suite_run("recording: written as TI", cases);
}
