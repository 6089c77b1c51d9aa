// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of a process that did not end: its send queue, unread data, and the wait of the socket.
#include "models/mpich2/sctp/channel.h"
#include "sim/model/job.h"

static const char *const vc_words[] = {"not connected", "connecting", "connected", "closed"};

json_t *ch3_sctp_describe(const struct ch3_process *ch3, const struct mpi_request *request,
                          int peer)
{
    const struct ch3_sctp_process *sctp = ch3_sctp_of_ch3(ch3);
    const struct ch3_sctp_vc *vc = sparse_peek(&sctp->vcs, peer);
    if (!vc)
        return NULL;
    json_t *json = json_pack("{s:s}", "vc", vc_words[vc->machine.state]);
    if (vc->association)
        json_object_set_new(json, "association", json_integer(vc->association));
    const struct wait *behind = sctp->socket ? sctp_socket_wait(sctp->socket) : NULL;
    const struct wait *own = machine_wait(&ch3_request_machine, &request->machine);
    if (request->kind == REQUEST_SEND && own && own->class == WAIT_BUFFER && behind)
        json_object_set_new(json, "waits_for",
                            json_sprintf("%s, which has %s ahead", own->text, behind->text));
    return json;
}

json_t *ch3_sctp_describe_process(const struct ch3_process *ch3)
{
    const struct ch3_sctp_process *sctp = ch3_sctp_of_ch3(ch3);
    int64_t stream_bytes = (int64_t)sizeof(struct ch3_sctp_stream);
    json_t *json =
        json_pack("{s:i, s:I}", "send_queue", sctp->queue_length, "queues_bytes",
                  (json_int_t)ch3->process->ranks * sctp->config->streams * stream_bytes);
    if (sctp->socket)
        json_object_set_new(json, "socket", sctp_socket_describe(sctp->socket));
    return json;
}

char *ch3_sctp_blocked(const struct job *job)
{
    int waiting = 0;
    const struct ch3_sctp_config *config = scenario_section_values(job->test_case, "ch3_sctp");
    for (int rank = 0; rank < job->ranks; rank++)
        waiting += ch3_sctp_of(job->processes[rank])->queue_head != NULL;
    if (waiting < 2 || config->progress != CH3_SCTP_WRITE_FIRST)
        return NULL;
    return g_strdup_printf("%d ranks do not read before they have written, and their sockets are "
                           "full: ch3_sctp.progress=read_first avoids it",
                           waiting);
}
