// SPDX-License-Identifier: GPL-3.0-or-later
// OTF2 archives as calls: which call the records in a region are, requests, collectives from sums,
// communicators, time; and archives that are refused.
#include "sim/program/communicator.h"
#include "sim/program/program.h"
#include "sim/recording/recording.h"
#include "tests/support/otf2_author.h"
#include "tests/support/recording_text.h"
#include "tests/support/suite.h"
#include "tests/support/temporary.h"

#include <stdlib.h>
#include <string.h>

// The library loses memory where it cannot open a file.
const char *__lsan_default_suppressions(void); // NOLINT(bugprone-reserved-identifier)
const char *__lsan_default_suppressions(void)  // NOLINT(bugprone-reserved-identifier)
{
    return "leak:libopen-trace-format2";
}

// Reads an archive that is written for that.
static struct tried_recording read_given(const struct otf2_given *given)
{
    char *directory = temporary_directory(), *archive = g_build_filename(directory, "a", NULL);
    char *path = otf2_write(archive, given);
    struct tried_recording tried = recording_try(archive, path);
    g_free(path);
    g_free(archive);
    temporary_remove(directory);
    return tried;
}

static void expect_rank(const struct otf2_given *given, int rank, const char *calls)
{
    tried_recording_has_calls(read_given(given), rank, calls);
}

static void expect_refused_archive(const struct otf2_given *given, const char *part)
{
    tried_recording_is_refused(read_given(given), part);
}

#define NOTHING "main{ }"

// Events of rank 0 of three, the others of which do nothing.
static struct otf2_given of_three(const char *events)
{
    return (struct otf2_given){.ranks = 3, .events = {events, NOTHING, NOTHING}};
}

static void expect_calls(const char *events, const char *calls)
{
    const struct otf2_given given = of_three(events);
    expect_rank(&given, 0, calls);
}

static void expect_refused(const char *events, const char *part)
{
    const struct otf2_given given = of_three(events);
    expect_refused_archive(&given, part);
}

// ---- Messages ----

static void test_messages(void)
{
    static const struct recording_pair pairs[] = {
        {"MPI_Send{ send 1 0 7 100 }", "1:send to 1 tag 7 100 B; "},
        {"MPI_Ssend{ send 1 0 0 0 }", "1:ssend to 1; "},
        {"MPI_Rsend{ send 2 0 1 5 }", "1:rsend to 2 tag 1 5 B; "},
        {"MPI_Recv{ recv 2 0 3 8 }", "1:recv to 2 tag 3 8 B; "},
        {"MPI_Send{ }", ""}, // to MPI_PROC_NULL
        {"MPI_Recv{ }", ""},
        {"MPI_Isend{ } MPI_Irecv{ } MPI_Waitall{ }", ""},
        {"main{ MPI_Send{ send 1 0 7 100 } f{ MPI_Recv{ recv 1 0 7 1 } } }",
         "2:send to 1 tag 7 100 B; 6:recv to 1 tag 7 1 B; "},
        {"MPI_Send{ pmpi{ send 1 0 7 100 MPI_Wait{ } } }", "1:send to 1 tag 7 100 B; "},
        {"MPI_Sendrecv{ send 1 0 7 100 recv 2 0 8 50 }",
         "1:sendrecv to 1 from 2 tag 7 100 B gets 50 B with tag 8; "},
        {"MPI_Sendrecv{ recv 2 0 8 50 send 1 0 8 50 }",
         "1:sendrecv to 1 from 2 tag 8 50 B gets 50 B with tag 8; "},
        {"MPI_Sendrecv_replace{ send 1 0 7 100 recv 2 0 7 100 }",
         "1:sendrecv_replace to 1 from 2 tag 7 100 B gets 100 B with tag 7; "},
        {"MPI_Sendrecv{ send 1 0 7 100 }", "1:send to 1 tag 7 100 B; "}, // from MPI_PROC_NULL
        {"MPI_Sendrecv{ recv 1 0 7 100 }", "1:recv to 1 tag 7 100 B; "},
        {"MPI_Sendrecv{ }", ""},
        {"MPI_Comm_rank{ } MPI_Wtime{ } MPI_Type_commit{ } MPI_Get_count{ } MPI_Iprobe{ }", ""},
        {"MPI_Init{ } MPI_Send{ send 1 0 0 4 } MPI_Finalize{ }", "3:send to 1 4 B; "},
        {"MPI_Init{ } MPI_Isend{ isend 1 0 0 4 5 } MPI_Finalize{",
         "3:isend to 1 4 B r0; 6:waitall all; "},
    };
    EACH_PAIR(expect_calls, pairs);
}

static void test_bad_messages(void)
{
    static const struct recording_pair pairs[] = {
        {"MPI_Send{ send 3 0 7 100 }",
         "traces.otf2: error: rank 0, event 2: 3 is no rank of communicator MPI_COMM_WORLD of 3\n"},
        {"MPI_Send{ send 4294967294 0 7 1 }", "4294967294 is no rank of communicator"},
        {"MPI_Send{ send 1 5 7 100 }", "event 2: communicator 5 is not defined"},
        {"MPI_Send{ send 1 0 4000000000 1 }", "a message with tag 4000000000 of 1 B"},
        {"MPI_Send{ send 1 0 1 9000000000000000000 }", "of 9000000000000000000 B"},
        {"MPI_Send{ send 1 0 7 1 send 2 0 7 1 }", "event 3: a second message in MPI_Send"},
        {"MPI_Recv{ send 1 0 7 1 }", "event 2: a record of a send that blocks in MPI_Recv"},
        {"MPI_Send{ recv 1 0 7 1 }", "a record of a receive that blocks in MPI_Send"},
        {"MPI_Isend{ send 1 0 7 1 }", "a record of a send that blocks in MPI_Isend"},
        {"MPI_Wait{ recv 1 0 7 1 }", "a record of a receive that blocks in MPI_Wait"},
        {"send 1 0 7 1", "event 1: a record of a send that blocks outside of any call "
                         "(functions of MPI must be recorded, too)"},
        {"main{ recv 1 0 7 1 }", "outside of any call"},
        {"MPI_Bsend{ send 1 0 7 1 }", "event 1: MPI_Bsend cannot be replayed: the archive does not "
                                      "say how much memory was attached"},
        {"MPI_Probe{ }", "MPI_Probe cannot be replayed: the archive does not say for which"},
        {"MPI_Mprobe{ }", "MPI_Mprobe cannot be replayed"},
        {"MPI_Send{ send 1 0 7 1", "rank 0, event 2: the events end within MPI_Send"},
        {"MPI_Send{ send 1 0 7 1 leave MPI_Recv", "event 3: region 1 is left within MPI_Send"},
        {"MPI_Init{ } MPI_Barrier{ collective 0 0 -1 0 0 }",
         "event 6: the events do not end with MPI_Finalize (the program may have been aborted)"},
        {"MPI_Init{ } MPI_Finalize{ } MPI_Send{ send 1 0 0 1 }",
         "event 5: MPI_Send after MPI_Finalize"},
        {"MPI_Init{ } MPI_Abort{ }", "MPI_Abort cannot be replayed: the program was aborted"},
    };
    EACH_PAIR(expect_refused, pairs);
}

// ---- Requests ----

static void test_requests(void)
{
    static const struct recording_pair pairs[] = {
        {"MPI_Isend{ isend 1 0 7 100 55 } MPI_Wait{ sent 55 }",
         "1:isend to 1 tag 7 100 B r0; 4:wait w0; "},
        {"MPI_Issend{ isend 1 0 7 100 55 } MPI_Wait{ sent 55 }",
         "1:issend to 1 tag 7 100 B r0; 4:wait w0; "},
        {"MPI_Irsend{ isend 1 0 7 100 55 } MPI_Wait{ sent 55 }",
         "1:irsend to 1 tag 7 100 B r0; 4:wait w0; "},
        // The source of a receive is known at its end; calls between keep their places.
        {"MPI_Irecv{ irecv 55 } MPI_Send{ send 1 0 7 5 } MPI_Wait{ received 2 0 8 60 55 }",
         "1:irecv to 2 tag 8 60 B r0; 4:send to 1 tag 7 5 B; 7:wait w0; "},
        {"MPI_Irecv{ irecv 1 } MPI_Irecv{ irecv 2 } MPI_Wait{ received 2 0 8 60 2 } "
         "MPI_Wait{ received 1 0 9 70 1 }",
         "1:irecv to 1 tag 9 70 B r0; 4:irecv to 2 tag 8 60 B r1; 7:wait w1; 10:wait w0; "},
        {"MPI_Irecv{ irecv 1 } MPI_Isend{ isend 1 0 7 9 2 } MPI_Waitall{ sent 2 received 1 0 9 7 1 "
         "}",
         "1:irecv to 1 tag 9 7 B r0; 4:isend to 1 tag 7 9 B r1; 7:waitall all; "},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Isend{ isend 1 0 0 2 2 } MPI_Isend{ isend 1 0 0 3 3 } "
         "MPI_Waitall{ sent 3 sent 1 } MPI_Isend{ isend 1 0 0 4 1 } MPI_Waitall{ sent 1 sent 2 }",
         "1:isend to 1 1 B r0; 4:isend to 1 2 B r1; 7:isend to 1 3 B r2; 10:waitall w0 w2; "
         "14:isend to 1 4 B r0; 17:waitall all; "},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Isend{ isend 1 0 0 2 2 } MPI_Waitany{ sent 2 } "
         "MPI_Waitsome{ sent 1 }",
         "1:isend to 1 1 B r0; 4:isend to 1 2 B r1; 7:wait w1; 10:waitall all; "},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Isend{ isend 1 0 0 2 2 } MPI_Waitany{ tested 1 sent 2 } "
         "MPI_Testany{ sent 1 }",
         "1:isend to 1 1 B r0; 4:isend to 1 2 B r1; 7:wait w1; 11:wait w0; "},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Test{ tested 1 } MPI_Test{ sent 1 }",
         "1:isend to 1 1 B r0; 4:test w0; 7:wait w0; "},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Isend{ isend 1 0 0 2 2 } MPI_Testall{ tested 1 tested 2 "
         "} "
         "MPI_Testall{ sent 1 sent 2 }",
         "1:isend to 1 1 B r0; 4:isend to 1 2 B r1; 7:testall w0 w1; 11:waitall all; "},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Test{ } MPI_Wait{ sent 1 }", // it did not say of which
         "1:isend to 1 1 B r0; 6:wait w0; "},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Request_free{ }",
         "1:isend to 1 1 B r0; 5:waitall all; "},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Wait{ } MPI_Wait{ sent 1 }", // for MPI_REQUEST_NULL
         "1:isend to 1 1 B r0; 6:wait w0; "},
        {"MPI_Send_init{ } MPI_Recv_init{ } MPI_Startall{ isend 1 0 0 1 1 irecv 2 } "
         "MPI_Waitall{ sent 1 received 2 0 0 5 2 } MPI_Start{ isend 1 0 0 1 1 } MPI_Wait{ sent 1 }",
         "5:isend to 1 1 B r0; 5:irecv to 2 5 B r1; 9:waitall all; 13:isend to 1 1 B r0; "
         "16:wait w0; "},
    };
    EACH_PAIR(expect_calls, pairs);
}

static void test_bad_requests(void)
{
    static const struct recording_pair pairs[] = {
        {"MPI_Wait{ sent 5 }", "event 2: request 5 is ended and not open (its start must come"},
        {"MPI_Test{ tested 5 }", "request 5 is tested and not open"},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Wait{ sent 1 } MPI_Wait{ sent 1 }",
         "event 8: request 1 is ended and not open"},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Isend{ isend 1 0 0 1 1 }",
         "event 5: request 1 is started while it is open"},
        {"MPI_Isend{ isend 1 0 0 1 1 isend 1 0 0 1 2 }", "event 3: a second request in MPI_Isend"},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Wait{ received 1 0 0 1 1 }",
         "the end of a receive is that of a send"},
        {"MPI_Irecv{ irecv 1 } MPI_Wait{ sent 1 }", "the end of a send is that of a receive"},
        {"MPI_Irecv{ irecv 1 } MPI_Wait{ received 7 0 0 1 1 }", "7 is no rank of communicator"},
        {"MPI_Irecv{ irecv 1 } MPI_Send{ send 1 0 0 1 }",
         "event 6: the receive of event 1 never ends: the archive does not say what it would"},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Cancel{ cancelled 1 }",
         "event 5: request 1 was cancelled: that cannot be replayed"},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Wait{ tested 1 }",
         "does not say which requests MPI_Wait"},
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Recv{ sent 1 }", "of the end of a send in MPI_Recv"},
        {"MPI_Isend{ irecv 1 }", "a record of a receive that does not block in MPI_Isend"},
        {"MPI_Irecv{ isend 1 0 0 1 1 }", "a record of a send that does not block in MPI_Irecv"},
        {"MPI_Ibsend{ isend 1 0 0 1 1 }", "MPI_Ibsend cannot be replayed"},
        {"MPI_Ssend_init{ } MPI_Start{ isend 1 0 0 1 1 }",
         "event 4: the archive does not say in which mode the request sends"},
        {"MPI_Bsend_init{ }", "MPI_Bsend_init cannot be replayed"},
        {"MPI_Ibarrier{ ahead 1 }", "MPI_Ibarrier cannot be replayed: collectives that do not"},
        {"main{ ahead 1 }", "a collective that does not block cannot be replayed"},
        {"MPI_Wait{ ahead_done }", "a collective that does not block cannot be replayed"},
        {"MPI_Allreduce_init{ }", "persistent collectives cannot be replayed"},
    };
    EACH_PAIR(expect_refused, pairs);
}

// ---- Others' events ----

static void test_refused_kinds(void)
{
    static const struct recording_pair pairs[] = {
        {"MPI_Win_create{ }", "MPI_Win_create cannot be replayed: one-sided calls"},
        {"main{ window }", "event 2: one-sided communication cannot be replayed"},
        {"main{ put }", "one-sided communication cannot be replayed"},
        {"MPI_File_open{ }", "MPI_File_open cannot be replayed: files cannot"},
        {"main{ io }", "file access cannot be replayed"},
        {"context", "a program whose regions are recorded as calling contexts"},
        {"MPI_Neighbor_alltoall{ }", "collectives among neighbours"},
        {"MPI_Comm_spawn{ }", "other programs' processes"},
        {"MPI_Psend_init{ }", "messages in parts"},
    };
    EACH_PAIR(expect_refused, pairs);
}

// ---- Time ----

static void test_time(void)
{
    static const struct recording_pair pairs[] = {
        // From the end of a call to the beginning of the next, in ps.
        {"MPI_Send{ +50 send 1 0 0 1 +50 } +3 MPI_Send{ send 1 0 0 1 }",
         "1:send to 1 1 B; 4:compute 3000 ps; 4:send to 1 1 B; "},
        {"main{ +7 MPI_Send{ send 1 0 0 1 } +100 }", "2:compute 7000 ps; 2:send to 1 1 B; "},
        {"main{ +1000 MPI_Init{ +5 } +2 MPI_Send{ send 1 0 0 1 } +4 MPI_Finalize{ +9 } +8 }",
         "4:compute 2000 ps; 4:send to 1 1 B; 7:compute 4000 ps; "},
        // Calls that send nothing are no work, and do not part it.
        {"main{ +7 MPI_Wtime{ +100 } +3 MPI_Send{ send 1 0 0 1 } }",
         "4:compute 10000 ps; 4:send to 1 1 B; "},
        {"main{ +7 MPI_Send{ } +3 MPI_Send{ send 1 0 0 1 } }",
         "4:compute 10000 ps; 4:send to 1 1 B; "},
        {"main{ +7 off +1000 on +3 MPI_Send{ send 1 0 0 1 } }",
         "4:compute 10000 ps; 4:send to 1 1 B; "},
        {"main{ +7 flush 1000 +3 MPI_Send{ flush 9 send 1 0 0 1 } }",
         "3:compute 10000 ps; 3:send to 1 1 B; "},
        {"main{ +7 MPI_Isend{ isend 1 0 0 1 1 } +1 MPI_Test{ tested 1 } +1 MPI_Wait{ sent 1 } +1 "
         "MPI_Barrier{ collective 0 0 -1 0 0 } }",
         "2:compute 7000 ps; 2:isend to 1 1 B r0; 5:compute 1000 ps; 5:test w0; "
         "8:compute 1000 ps; 8:wait w0; 11:compute 1000 ps; 11:barrier; "},
        {"MPI_Irecv{ irecv 1 } +5 MPI_Send{ send 1 0 0 1 } MPI_Wait{ received 1 0 0 2 1 }",
         "1:irecv to 1 2 B r0; 4:compute 5000 ps; 4:send to 1 1 B; 7:wait w0; "},
    };
    EACH_PAIR(expect_calls, pairs);
    struct otf2_given given = of_three("main{ +3 MPI_Send{ send 1 0 0 1 } }");
    given.ticks = 3000000;
    expect_rank(&given, 0, "2:compute 1e+06 ps; 2:send to 1 1 B; ");
}

// ---- Collectives ----

// Equal events, and equal calls, on all of three ranks.
static void expect_same(const char *events, const char *calls)
{
    const struct otf2_given given = {.ranks = 3, .events = {events, events, events}};
    expect_rank(&given, 0, calls);
    expect_rank(&given, 2, calls);
}

static void refuse_same(const char *events, const char *part)
{
    const struct otf2_given given = {.ranks = 3, .events = {events, events, events}};
    expect_refused_archive(&given, part);
}

static void test_symmetric(void)
{
    static const struct recording_pair pairs[] = {
        {"MPI_Barrier{ collective 0 0 -1 0 0 }", "1:barrier; "},
        {"MPI_Allgather{ collective 6 0 -1 303 303 }", "1:allgather 101 B; "},
        {"MPI_Alltoall{ collective 8 0 -1 15 15 }", "1:alltoall 5 B; "},
        {"MPI_Allreduce{ collective 11 0 -1 27 27 }", "1:allreduce 9 B; "},
        {"MPI_Allreduce{ collective 11 0 -1 16 16 }", "1:allreduce 8 B; "}, // in place
        {"MPI_Allreduce{ collective 11 0 -1 0 0 }", "1:allreduce; "},
        {"MPI_Reduce_scatter_block{ collective 16 0 -1 9 9 }", "1:reduce_scatter 3 B; "},
        {"MPI_Alltoallv{ collective 9 0 -1 0 0 }", "1:alltoallv [0,0,0] [0,0,0]; "},
        {"MPI_Alltoallv{ to 1 from 2 to 3 from 4 to 5 from 6 collective 9 0 -1 9 12 }",
         "1:alltoallv 9 B [1,3,5] [2,4,6]; "},
    };
    EACH_PAIR(expect_same, pairs);
    static const struct recording_pair refused[] = {
        {"MPI_Allreduce{ collective 11 0 -1 24 24 }",
         "rank 0, event 3: MPI_Allreduce cannot be replayed: with MPI_IN_PLACE its sums would be "
         "those of larger blocks, and they fit both (record it on 4, 8 or 16 ranks: there the sums "
         "of most sizes tell)"},
        {"MPI_Allreduce{ collective 11 0 -1 25 25 }", "its sums are not those of equal blocks"},
        {"MPI_Allgather{ collective 6 0 -1 9 27 }", "it sends another sum than it receives"},
        {"MPI_Alltoallv{ collective 9 0 -1 9 9 }",
         "MPI_Alltoallv cannot be replayed: the archive has sums alone, and not how much goes to "
         "whom (let the program call MPI_Alltoall, or send to each)"},
        {"MPI_Alltoallv{ to 1 from 2 to 3 from 4 to 5 from 6 collective 9 0 -1 9 13 }",
         "what goes to each member is not what goes to all"},
        {"MPI_Alltoallv{ to 1 from 2 to 3 from 4 collective 9 0 -1 4 6 }",
         "what goes to each member is not what goes to all"},
        {"MPI_Alltoallv{ to 1 to 2 to 3 collective 9 0 -1 6 6 }",
         "what goes to each member is not what goes to all"},
        {"MPI_Allreduce{ }", "event 2: the archive does not say what MPI_Allreduce sends"},
        {"MPI_Allreduce{ collective 1 0 0 9 9 }",
         "a record of another collective in MPI_Allreduce"},
        {"MPI_Barrier{ collective 0 0 -1 0 0 collective 0 0 -1 0 0 }",
         "event 5: a second collective in MPI_Barrier"},
        {"MPI_Barrier{ collective 17 0 -1 0 0 }", "collective operation 17 is not one of those"},
        {"MPI_Send{ collective 0 0 -1 0 0 }", "a record of a collective in MPI_Send"},
        {"MPI_Barrier{ collective 0 9 -1 0 0 }", "communicator 9 is not defined"},
        {"MPI_Bcast{ collective 1 0 3 9 9 }", "root 3 is no rank of communicator MPI_COMM_WORLD"},
        {"MPI_Bcast{ collective 1 0 -1 9 9 }", "root 4294967295 is no rank"},
        {"MPI_Allreduce{ collective 11 0 -1 9000000000000000000 9000000000000000000 }",
         "the collective is larger than 2^50 bytes"},
    };
    EACH_PAIR(refuse_same, refused);
    expect_same("MPI_Comm_split{ collective 17 0 -1 0 0 } MPI_Comm_free{ collective 18 0 -1 0 0 }",
                "");
}

// Events of three ranks, and the calls that they make.
struct of_ranks {
    const char *events[3], *calls[3];
};

static void expect_all(const struct of_ranks *all)
{
    struct otf2_given given = {.ranks = 3};
    for (int rank = 0; rank < 3; rank++)
        given.events[rank] = all->events[rank];
    for (int rank = 0; rank < 3; rank++)
        expect_rank(&given, rank, all->calls[rank]);
}

static void test_rooted(void)
{
    static const struct of_ranks all[] = {
        {{"MPI_Bcast{ collective 1 0 1 0 9 }", "MPI_Bcast{ collective 1 0 1 27 9 }",
          "MPI_Bcast{ collective 1 0 1 0 9 }"},
         {"1:bcast 9 B root 1; ", "1:bcast 9 B root 1; ", "1:bcast 9 B root 1; "}},
        {{"MPI_Reduce{ collective 12 0 2 8 0 }", "MPI_Reduce{ collective 12 0 2 8 0 }",
          "MPI_Reduce{ collective 12 0 2 8 24 }"},
         {"1:reduce 8 B root 2; ", "1:reduce 8 B root 2; ", "1:reduce 8 B root 2; "}},
        {{"MPI_Reduce{ collective 12 0 2 8 0 }", "MPI_Reduce{ collective 12 0 2 8 0 }",
          "MPI_Reduce{ collective 12 0 2 0 16 }"}, // in place
         {"1:reduce 8 B root 2; ", "1:reduce 8 B root 2; ", "1:reduce 8 B root 2; "}},
        {{"MPI_Gather{ collective 2 0 0 0 10 }", "MPI_Gather{ collective 2 0 0 5 0 }",
          "MPI_Gather{ collective 2 0 0 5 0 }"}, // in place
         {"1:gather 5 B; ", "1:gather 5 B; ", "1:gather 5 B; "}},
        {{"MPI_Scatter{ collective 4 0 0 15 5 }", "MPI_Scatter{ collective 4 0 0 0 5 }",
          "MPI_Scatter{ collective 4 0 0 0 5 }"},
         {"1:scatter 5 B; ", "1:scatter 5 B; ", "1:scatter 5 B; "}},
        {{"MPI_Gatherv{ collective 3 0 1 1 0 }", "MPI_Gatherv{ collective 3 0 1 2 7 }",
          "MPI_Gatherv{ collective 3 0 1 4 0 }"},
         {"1:gatherv 1 B root 1 [1,0,0]; ", "1:gatherv 7 B root 1 [1,2,4]; ",
          "1:gatherv 4 B root 1 [0,0,4]; "}},
        {{"MPI_Scatterv{ collective 5 0 0 7 1 }", "MPI_Scatterv{ collective 5 0 0 0 2 }",
          "MPI_Scatterv{ collective 5 0 0 0 4 }"},
         {"1:scatterv 7 B [1,2,4]; ", "1:scatterv 2 B [0,2,0]; ", "1:scatterv 4 B [0,0,4]; "}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        expect_all(&all[i]);
}

static void test_blocks(void)
{
    static const struct of_ranks all[] = {
        {{"MPI_Allgatherv{ collective 7 0 -1 3 7 }", "MPI_Allgatherv{ collective 7 0 -1 6 7 }",
          "MPI_Allgatherv{ collective 7 0 -1 12 7 }"},
         {"1:allgatherv 7 B [1,2,4]; ", "1:allgatherv 7 B [1,2,4]; ",
          "1:allgatherv 7 B [1,2,4]; "}},
        {{"MPI_Allgatherv{ collective 7 0 -1 2 6 }", "MPI_Allgatherv{ collective 7 0 -1 4 5 }",
          "MPI_Allgatherv{ collective 7 0 -1 8 3 }"}, // in place
         {"1:allgatherv 7 B [1,2,4]; ", "1:allgatherv 7 B [1,2,4]; ",
          "1:allgatherv 7 B [1,2,4]; "}},
        {{"MPI_Reduce_scatter{ collective 13 0 -1 7 3 }",
          "MPI_Reduce_scatter{ collective 13 0 -1 7 6 }",
          "MPI_Reduce_scatter{ collective 13 0 -1 7 12 }"},
         {"1:reduce_scatter 7 B [1,2,4]; ", "1:reduce_scatter 7 B [1,2,4]; ",
          "1:reduce_scatter 7 B [1,2,4]; "}},
        {{"MPI_Scan{ collective 14 0 -1 15 5 }", "MPI_Scan{ collective 14 0 -1 10 10 }",
          "MPI_Scan{ collective 14 0 -1 5 15 }"},
         {"1:scan 5 B; ", "1:scan 5 B; ", "1:scan 5 B; "}},
        {{"MPI_Scan{ collective 14 0 -1 10 0 }", "MPI_Scan{ collective 14 0 -1 5 5 }",
          "MPI_Scan{ collective 14 0 -1 0 10 }"}, // in place
         {"1:scan 5 B; ", "1:scan 5 B; ", "1:scan 5 B; "}},
        {{"MPI_Exscan{ collective 15 0 -1 10 0 }", "MPI_Exscan{ collective 15 0 -1 5 5 }",
          "MPI_Exscan{ collective 15 0 -1 0 10 }"},
         {"1:exscan 5 B; ", "1:exscan 5 B; ", "1:exscan 5 B; "}},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++)
        expect_all(&all[i]);
    struct otf2_given given = {.ranks = 3,
                               .events = {"MPI_Allgatherv{ collective 7 0 -1 3 7 }",
                                          "MPI_Allgatherv{ collective 7 0 -1 6 7 }", NOTHING}};
    expect_refused_archive(&given,
                           "rank 0, event 3: rank 2 of communicator MPI_COMM_WORLD does not "
                           "call this MPI_Allgatherv, or not in the same order");
    given.events[2] = "MPI_Allgatherv{ collective 7 0 -1 12 8 }";
    expect_refused_archive(&given, "its members' sums do not fit together");
    given.events[2] = "MPI_Scan{ collective 14 0 -1 12 8 }";
    expect_refused_archive(&given, "rank 2 of communicator MPI_COMM_WORLD does not call this");
    refuse_same("MPI_Allgatherv{ collective 7 0 -1 6 6 }", "they fit both"); // of 2 or 3 each
}

// ---- Communicators ----

static void test_communicators(void)
{
    const char *one =
                   "MPI_Allreduce{ collective 11 1 -1 9 9 } MPI_Barrier{ collective 0 3 -1 0 0 } "
                   "MPI_Send{ send 1 1 5 9 } MPI_Barrier{ collective 0 0 -1 0 0 }",
               *other = "MPI_Barrier{ collective 0 2 -1 0 0 } MPI_Barrier{ collective 0 4 -1 0 0 }",
               *twin = "MPI_Recv{ recv 0 5 5 9 }";
    const struct otf2_given given = {
        .ranks = 4,
        .events = {"MPI_Barrier{ collective 0 2 -1 0 0 }", other, one, twin},
        .comms = {{.name = "MPI_COMM_WORLD"},
                  {.name = "odd", .members = "2 3 1", .below = true},
                  {.name = "even", .members = "0 1", .below = true},
                  {.name = "MPI_COMM_SELF"},
                  {.name = "dup", .members = "0 1 2 3", .below = true},
                  {.name = "global", .members = "0 3", .below = true, .global_ranks = true}}};
    expect_rank(&given, 0, "1:barrier in c0; ");
    expect_rank(&given, 1, "1:barrier in c0; 5:barrier in c1; ");
    // `odd` shares rank 1 with `even`, so it has a number of its own.
    expect_rank(&given, 2,
                "1:allreduce in c2 3 B; 5:barrier in c3; 9:send in c2 to 1 tag 5 9 B; "
                "12:barrier; ");
    expect_rank(&given, 3, "1:recv in c4 to 0 tag 5 9 B; ");
}

static void expect_group(const struct recording *recording, guint number, guint place,
                         const char *ranks)
{
    const GPtrArray *all = recording_communicators(recording);
    const struct communicator *one = g_ptr_array_index(all, number);
    GString *text = g_string_new(NULL);
    const GArray *group = g_ptr_array_index(one->groups, place);
    for (guint i = 0; i < group->len; i++)
        g_string_append_printf(text, "%d ", g_array_index(group, int, i));
    SUITE_SAME_TEXT(text->str, ranks);
    g_string_free(text, TRUE);
}

// Groups of one split have one number; each rank alone is in a group of its own.
static void test_groups(void)
{
    const struct otf2_given given = {
        .ranks = 4,
        .events = {"MPI_Barrier{ collective 0 1 -1 0 0 } MPI_Barrier{ collective 0 3 -1 0 0 }",
                   "MPI_Barrier{ collective 0 2 -1 0 0 }", NOTHING, NOTHING},
        .comms = {{.name = "MPI_COMM_WORLD"},
                  {.name = "even", .members = "2 0", .below = true},
                  {.name = "odd", .members = "1 3", .below = true},
                  {.name = "MPI_COMM_SELF"}}};
    struct tried_recording tried = read_given(&given);
    CU_ASSERT_PTR_NULL(tried.complaints);
    CU_ASSERT_PTR_NOT_NULL_FATAL(tried.recording);
    SUITE_SAME_INTEGER(recording_communicators(tried.recording)->len, 2);
    expect_group(tried.recording, 0, 0, "2 0 ");
    expect_group(tried.recording, 0, 1, "1 3 ");
    expect_group(tried.recording, 1, 3, "3 ");
    tried_recording_clear(&tried);
}

static void test_bad_communicators(void)
{
    struct otf2_given given = {
        .ranks = 3,
        .events = {"MPI_Barrier{ collective 0 1 -1 0 0 }", NOTHING, NOTHING},
        .comms = {{.name = "MPI_COMM_WORLD"}, {.name = "others", .members = "1 2", .below = true}}};
    expect_refused_archive(&given, "event 3: the rank is not in communicator 1 (others)");
    given.comms[1].members = "0 0";
    expect_refused_archive(&given, "the group of communicator 1 (others) is not one of ranks");
    given.comms[1].members = "0 3";
    expect_refused_archive(&given, "the group of communicator 1 (others) is not one of ranks");
    given.comms[1].members = "0 1";
    given.comms[1].inter = true;
    expect_refused_archive(&given, "communicators between two groups cannot be replayed");
}

// ---- Archives ----

static void test_archives(void)
{
    struct otf2_given given = of_three("MPI_Barrier{ collective 0 0 -1 0 0 }");
    given.alone = true;
    expect_refused_archive(&given,
                           "traces.otf2: error: the archive is of no MPI program: it has no group "
                           "of MPI locations\n");
    given = of_three(NOTHING);
    given.no_clock = true;
    expect_refused_archive(&given, "the archive does not say how fast its clock ticks");
    given = of_three(NOTHING);
    given.no_location = true;
    expect_refused_archive(&given, "rank 1 has no location of its own");
    given = of_three(NOTHING);
    given.twice = true;
    given.events[1] = NULL;
    expect_refused_archive(&given, "rank 1 has no location of its own");
    given = of_three(NOTHING);
    given.events[2] = NULL;
    expect_refused_archive(&given, "rank 2, event 0: what follows cannot be read");
    given = of_three("");
    expect_refused_archive(&given, "rank 0, event 0: there are no calls");
}

static void test_threads(void)
{
    struct otf2_given given = of_three("MPI_Send{ send 1 0 0 5 }");
    given.thread = "f{ +5 MPI_Comm_rank{ } }";
    expect_rank(&given, 0, "1:send to 1 5 B; ");
    given.thread = "f{ MPI_Send{ send 1 0 0 5 } }";
    expect_refused_archive(
        &given, "traces.otf2: error: location 101, event 2: MPI_Send in a thread that is "
                "no rank (let one thread of each process call MPI)");
}

// EZTrace records a call's arguments, and no ends of requests.
static void test_eztrace(void)
{
    struct otf2_given given = {.ranks = 3, .eztrace = true};
    for (int rank = 0; rank < 3; rank++)
        given.events[rank] =
            "Working{ MPI_Bcast{ collective 1 0 1 32 32 } MPI_Reduce{ collective 12 0 1 32 32 } "
            "MPI_Allreduce{ collective 11 0 -1 32 32 } MPI_Gather{ collective 2 0 1 8 8 } "
            "MPI_Scatter{ collective 4 0 1 8 8 } MPI_Allgather{ collective 6 0 -1 8 8 } "
            "MPI_Alltoall{ collective 8 0 -1 8 8 } MPI_Allgatherv{ collective 7 0 -1 5 15 } "
            "MPI_Barrier{ collective 0 0 -1 0 0 } }";
    expect_rank(&given, 0,
                "2:bcast 32 B root 1; 6:reduce 32 B root 1; 10:allreduce 32 B; "
                "14:gather 8 B root 1; 18:scatter 8 B root 1; 22:allgather 8 B; 26:alltoall 8 B; "
                "30:allgatherv 15 B [5,5,5]; 34:barrier; ");
    static const struct recording_pair pairs[] = {
        {"MPI_Isend{ isend 1 0 0 1 1 } MPI_Wait{ }",
         "event 5: the archive does not say which requests MPI_Wait ended (EZTrace 2.0 records no "
         "ends of requests under Open MPI)"},
        {"MPI_Sendrecv{ }", "event 2: the archive does not say what MPI_Sendrecv sends"},
        {"MPI_Scan{ }", "the archive does not say what MPI_Scan sends"},
        {"MPI_Reduce_scatter{ collective 13 0 -1 40 40 }", "EZTrace does not say how much a rank"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(pairs); i++) {
        struct otf2_given bad = of_three(pairs[i].given);
        bad.eztrace = true;
        expect_refused_archive(&bad, pairs[i].result);
    }
}

// ---- Broken files ----

static const struct otf2_given whole = {
    .ranks = 2,
    .events =
        {"MPI_Init{ } MPI_Irecv{ irecv 8 } MPI_Isend{ isend 1 0 3 100 9 } "
         "MPI_Waitall{ received 1 0 4 200 8 sent 9 } +900 MPI_Bcast{ collective 1 0 0 128 64 } "
         "MPI_Allgatherv{ collective 7 0 -1 2 4 } MPI_Barrier{ collective 0 1 -1 0 0 } "
         "MPI_Finalize{ }",
         "MPI_Init{ } MPI_Irecv{ irecv 8 } MPI_Isend{ isend 0 0 4 200 9 } "
         "MPI_Wait{ received 0 0 3 100 8 } MPI_Wait{ sent 9 } "
         "MPI_Bcast{ collective 1 0 0 0 64 } MPI_Allgatherv{ collective 7 0 -1 6 4 } "
         "MPI_Barrier{ collective 0 1 -1 0 0 } MPI_Finalize{ }"},
    .comms = {{.name = "MPI_COMM_WORLD"}, {.name = "turned", .members = "1 0", .below = true}}};

static const char *const files[] = {"traces.otf2", "traces.def", "traces/100.evt", "traces/110.evt",
                                    "traces/100.def"};

// An archive of which one file is another than it was written.
struct broken {
    char *directory, *archive, *anchor;
    char *file, *bytes;
    gsize length;
};

static void broken_begin(struct broken *broken, const char *file)
{
    broken->directory = temporary_directory();
    broken->archive = g_build_filename(broken->directory, "a", NULL);
    broken->anchor = otf2_write(broken->archive, &whole);
    broken->file = g_build_filename(broken->archive, file, NULL);
    CU_ASSERT_FATAL(g_file_get_contents(broken->file, &broken->bytes, &broken->length, NULL));
}

static void broken_end(struct broken *broken)
{
    g_free(broken->bytes);
    g_free(broken->file);
    g_free(broken->anchor);
    g_free(broken->archive);
    temporary_remove(broken->directory);
}

// Reads it with other bytes; true if it was read. Otherwise there is a complaint.
static bool broken_read(const struct broken *broken, const char *bytes, gsize length)
{
    CU_ASSERT_FATAL(g_file_set_contents(broken->file, bytes, (gssize)length, NULL));
    struct tried_recording tried = recording_try(broken->archive, broken->anchor);
    bool read = tried.recording != NULL;
    tried_recording_clear(&tried);
    return read;
}

// The last two bytes are marks of the end: without them nothing is lost.
static void test_cut_off(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        struct broken broken;
        int read = 0;
        broken_begin(&broken, files[i]);
        CU_ASSERT(broken_read(&broken, broken.bytes, broken.length));
        for (gsize length = 0; length + 2 < broken.length; length += 1 + broken.length / 50)
            read += broken_read(&broken, broken.bytes, length);
        if (strcmp(files[i], "traces/100.def") != 0) // which translates nothing
            SUITE_SAME_INTEGER(read, 0);
        broken_end(&broken);
    }
}

static void test_changed(void)
{
    GRand *random = g_rand_new_with_seed(20261123);
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        struct broken broken;
        broken_begin(&broken, files[i]);
        for (int k = 0; k < 60; k++) {
            char *bytes = g_memdup2(broken.bytes, broken.length);
            for (int left = g_rand_int_range(random, 1, 4); left > 0; left--)
                bytes[g_rand_int_range(random, 0, (gint32)broken.length)] =
                    (char)g_rand_int_range(random, 0, 256);
            broken_read(&broken, bytes, broken.length);
            g_free(bytes);
        }
        broken_end(&broken);
    }
    g_rand_free(random);
}

static void test_random(void)
{
    GRand *random = g_rand_new_with_seed(20261124);
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        struct broken broken;
        char bytes[300];
        broken_begin(&broken, files[i]);
        for (int k = 0; k < 20; k++) {
            for (size_t at = 0; at < sizeof bytes; at++)
                bytes[at] = (char)g_rand_int_range(random, 0, 256);
            if (i == 0)
                memcpy(bytes, (const char[]){3, 'B', 'O', 'T', 'F', '2', 0}, 7);
            bool read = broken_read(&broken, bytes, sizeof bytes);
            CU_ASSERT(!read || strcmp(files[i], "traces/100.def") == 0);
        }
        broken_end(&broken);
    }
    g_rand_free(random);
}

static void test_missing(void)
{
    for (size_t i = 1; i < 4; i++) {
        struct broken broken;
        broken_begin(&broken, files[i]);
        CU_ASSERT(remove(broken.file) == 0);
        tried_recording_is_refused(
            recording_try(broken.archive, broken.anchor),
            i == 1   ? "traces.otf2: error: the archive's definitions cannot be read"
            : i == 2 ? "traces.otf2: error: rank 0, event 0: what follows cannot be read"
                     : "traces.otf2: error: rank 1, event 0: what follows cannot be read");
        broken_end(&broken);
    }
}

// ---- The same program in two formats ----

static void test_identity(void)
{
    const struct otf2_given given = {
        .ranks = 2,
        .events = {"MPI_Init{ } MPI_Irecv{ irecv 8 } MPI_Isend{ isend 1 0 3 100 9 } "
                   "MPI_Waitall{ received 1 0 4 200 8 sent 9 } MPI_Send{ send 1 0 5 7 } "
                   "MPI_Bcast{ collective 1 0 0 128 64 } MPI_Reduce{ collective 12 0 1 8 0 } "
                   "MPI_Allgatherv{ collective 7 0 -1 2 4 } MPI_Barrier{ collective 0 0 -1 0 0 } "
                   "MPI_Finalize{ }",
                   "MPI_Init{ } MPI_Irecv{ irecv 8 } MPI_Isend{ isend 0 0 4 200 9 } "
                   "MPI_Wait{ received 0 0 3 100 8 } MPI_Wait{ sent 9 } MPI_Recv{ recv 0 0 5 7 } "
                   "MPI_Bcast{ collective 1 0 0 0 64 } MPI_Reduce{ collective 12 0 1 8 16 } "
                   "MPI_Allgatherv{ collective 7 0 -1 6 4 } MPI_Barrier{ collective 0 0 -1 0 0 } "
                   "MPI_Finalize{ }"}};
    const char *lines =
        "0 init\n0 irecv 1 4 200 6\n0 isend 1 3 100 6\n0 waitall 2\n0 send 1 5 7 6\n"
        "0 bcast 64 0 6\n0 reduce 8 0 1 6\n0 allgatherv 1 1 3 6 6\n0 barrier\n"
        "0 finalize\n"
        "1 init\n1 irecv 0 3 100 6\n1 isend 0 4 200 6\n1 wait 0 1 3\n1 wait 1 0 4\n"
        "1 recv 0 5 7 6\n1 bcast 64 0 6\n1 reduce 8 0 1 6\n1 allgatherv 3 1 3 6 6\n"
        "1 barrier\n1 finalize\n";
    char *directory = temporary_directory(), *path = temporary_file(directory, "t.txt", lines);
    struct tried_recording archive = read_given(&given);
    struct tried_recording list = recording_try(directory, path);
    const struct recording *archived = archive.recording, *lined = list.recording;
    CU_ASSERT_PTR_NULL(archive.complaints);
    CU_ASSERT_PTR_NULL(list.complaints);
    CU_ASSERT_PTR_NOT_NULL_FATAL(lined);
    CU_ASSERT_PTR_NOT_NULL_FATAL(archived);
    CU_ASSERT(recording_identity(lined) == recording_identity(archived));
    SUITE_SAME_TEXT(recording_format(archived), "OTF2");
    CU_ASSERT(recording_work(archived) == RECORDED_TIME);
    CU_ASSERT(!recording_computes(archived));
    CU_ASSERT(g_str_has_suffix(recording_file(archived, 1), "traces.otf2, rank 1, event"));
    tried_recording_clear(&archive);
    tried_recording_clear(&list);
    g_free(path);
    temporary_remove(directory);
}

static const struct suite_case cases[] = {
    {"the region says which call messages are of", test_messages},
    {"messages that fit no call are refused", test_bad_messages},
    {"requests, whose receives are known at their end", test_requests},
    {"requests that are lost are refused", test_bad_requests},
    {"what no message is is refused", test_refused_kinds},
    {"time between calls is work", test_time},
    {"collectives of equal blocks", test_symmetric},
    {"collectives with a root", test_rooted},
    {"collectives whose blocks differ, from what their members say", test_blocks},
    {"communicators and ranks in them", test_communicators},
    {"groups that share no rank have one number", test_groups},
    {"communicators that are wrong", test_bad_communicators},
    {"archives that lack something", test_archives},
    {"threads", test_threads},
    {"archives of EZTrace", test_eztrace},
    {"files that are cut off", test_cut_off},
    {"files with other bytes", test_changed},
    {"files of random bytes", test_random},
    {"files that are missing", test_missing},
    {"the same program in two formats has one identity", test_identity},
    {0},
};

int main(void)
{
    return suite_run("recording: OTF2", cases);
}
