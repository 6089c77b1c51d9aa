// SPDX-License-Identifier: GPL-3.0-or-later
// SimGrid's time-independent traces (version 3.32): a line per call, "RANK ACTION ARGUMENTS".
//
// The tracer loses some data, and a line that needs them is refused: sizes of derived types (-1),
// which requests MPI_Waitany took, whether -333 as a source is MPI_ANY_SOURCE or MPI_PROC_NULL, the
// size of MPI_Reduce_scatter_block. It does not record at all that a collective was one of a
// smaller communicator: if all ranks call it, it is replayed as one of all of them, and otherwise
// it ends as a deadlock.
#ifndef NETSIM_RECORDING_TI_H
#define NETSIM_RECORDING_TI_H

#include "sim/recording/recording.h"

#define TI_NULL_OR_ANY (-333) // a rank
#define TI_ANY_TAG (-444)

// A trace names a request by these.
struct ti_ends {
    int64_t tag;
    int source, destination;
};

// A started request that no wait has ended.
struct ti_request {
    struct ti_ends ends;
    int number;  // OPERATION_ANY: with a null peer, done from the beginning
    int tested;  // line of its last test; 0: none
    GList place; // among all that are open
    GList alike; // among those of these ends
};

struct ti_rank {
    bool started, ended;
    bool doubles;        // a count without a type is of doubles, not of bytes
    GQueue open;         // struct ti_request, in the order of their starts
    GHashTable *by_ends; // struct ti_ends -> GQueue of those; NULL: none was started yet
    unsigned untested;   // of the open ones
    GArray *spare;       // int: numbers that are free again
    GArray *endings;     // int: lines of the tests that ended a request, ascending
    guint next_ending;   // place in `endings`
    int numbers;         // that were given out
};

struct ti_reader {
    struct recording_builder *builder;
    struct diag_list *diags;
    int ranks;
    struct ti_rank *rank;
    GArray *blocks, *receive_blocks; // int64_t, of the line
    GArray *awaited;                 // int, of the line
    GPtrArray *refused;              // const char *: names of actions that were complained about
};

struct ti_word {
    char *text;
    int column;
};

// One line, in words: the rank, the action, its arguments.
struct ti_line {
    struct ti_reader *reader;
    int rank;
    struct source_mark mark;
    const struct ti_word *words;
    int count;
};

// Splits a text, which it changes, into words. `words` is an array of struct ti_word.
void ti_split(char *text, GArray *words);

// Adds an error at the line's word of that number.
void ti_complain(const struct ti_line *line, int word, const char *hint, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

// Puts the line's calls into the recording. Returns false after adding an error if it is wrong.
bool ti_action(const struct ti_line *line);

static inline struct ti_rank *ti_state(const struct ti_line *line)
{
    return &line->reader->rank[line->rank];
}

// A call of the line.
static inline struct recorded_call ti_call(const struct ti_line *line, enum op_code code)
{
    return recorded_call(code, line->mark.line);
}

// Always true.
static inline bool ti_put(const struct ti_line *line, const struct recorded_call *call)
{
    recording_builder_put(line->reader->builder, line->rank, call);
    return true;
}

// ---- Actions ----

struct ti_action {
    const char *name;
    int least, most; // arguments, besides lists; most TI_ANY_NUMBER: as many as it likes
    int lists;       // of a number per rank
    bool (*put)(const struct ti_line *line, const struct ti_action *action);
    enum op_code code;
    const char *why; // it is refused; of others, why the number of arguments may be wrong
};

#define TI_ANY_NUMBER (-1)

// ti_requests.c
bool ti_put_wait(const struct ti_line *line, const struct ti_action *action); // or test
bool ti_put_waitall(const struct ti_line *line, const struct ti_action *action);

// ti_collectives.c
bool ti_put_barrier(const struct ti_line *line, const struct ti_action *action);
bool ti_put_bcast(const struct ti_line *line, const struct ti_action *action);
bool ti_put_reduce(const struct ti_line *line, const struct ti_action *action);
bool ti_put_allreduce(const struct ti_line *line, const struct ti_action *action); // or a scan
bool ti_put_exchange(const struct ti_line *line, const struct ti_action *action);
bool ti_put_gather_scatter(const struct ti_line *line, const struct ti_action *action);
bool ti_put_rooted_blocks(const struct ti_line *line, const struct ti_action *action);
bool ti_put_allgatherv(const struct ti_line *line, const struct ti_action *action);
bool ti_put_reduce_scatter(const struct ti_line *line, const struct ti_action *action);
bool ti_put_alltoallv(const struct ti_line *line, const struct ti_action *action);

// ---- Requests ----

void ti_rank_init(struct ti_rank *rank);
void ti_rank_clear(struct ti_rank *rank);

// Lines are read twice, for the trace does not have a test's result: it ended its request if no
// later call waits for the request. First each line is scanned, and then ti_requests_begin is
// called. Takes 4 bytes for each such test.
void ti_requests_scan(struct ti_rank *rank, int number, const struct ti_word *words, int count,
                      int line);
void ti_requests_begin(struct ti_rank *rank);

// Opens a request, and returns its number; OPERATION_ANY: it is one with a null peer.
int ti_request_start(const struct ti_line *line, int source, int destination, int64_t tag,
                     bool null);

// Puts a wait for all that are open, if there are any.
void ti_requests_finish(const struct ti_line *line);

// ---- Arguments ----

// Words of a line: the first of the arguments.
#define TI_ARGUMENT 2

// The word as a whole number within bounds; false: an error was added. `what` names it.
bool ti_number(const struct ti_line *line, int word, const char *what, int64_t least, int64_t most,
               int64_t *value);

// These, too, return false after an error.
bool ti_amount(const struct ti_line *line, int word, const char *what, double most, double *value);
bool ti_rank_at(const struct ti_line *line, int word, int *rank);   // that the call talks to
bool ti_root_at(const struct ti_line *line, int word, int *root);   // 0 if the line is shorter
bool ti_tag_at(const struct ti_line *line, int word, int64_t *tag); // OPERATION_ANY: any
bool ti_is_null_or_any(const struct ti_line *line, int word);

// Bytes of an element: of the type that the line has at that word, or of the default.
bool ti_type_at(const struct ti_line *line, int word, int64_t *bytes);

// A count at a word, of elements whose type is at another.
bool ti_bytes_at(const struct ti_line *line, int word, int type, int64_t *bytes);

// A block per rank, from that word on, in elements of `element` bytes.
bool ti_blocks_at(const struct ti_line *line, int word, int64_t element, GArray *blocks);

#endif
