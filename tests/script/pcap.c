// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/script/pcap.h"

#include "sim/core/engine.h"
#include "sim/output/pcapng.h"

struct script_pcap {
    struct capture capture;
    struct pcapng *file;
};

static struct script_pcap *pcap_of(struct capture *capture)
{
    return container_of(capture, struct script_pcap, capture);
}

static int pcap_interface(struct capture *capture, const char *node,
                          const struct capture_link *link, int64_t rate)
{
    return pcapng_interface(pcap_of(capture)->file, node, link, rate, 0);
}

static bool pcap_wants(const struct capture *capture, int interface, sim_time when)
{
    (void)capture, (void)interface, (void)when;
    return true;
}

static void pcap_frame(struct capture *capture, const struct capture_frame *frame)
{
    pcapng_write(pcap_of(capture)->file, pcapng_block(frame->interface, frame, frame->length));
}

static void pcap_ended(struct capture *capture, const void *packet, sim_time when,
                       const char *reason)
{
    (void)capture, (void)packet, (void)when, (void)reason;
}

static const struct capture_ops pcap_ops = {
    .interface = pcap_interface,
    .wants = pcap_wants,
    .frame = pcap_frame,
    .ended = pcap_ended,
};

struct capture *script_pcap_new(const char *path, GError **error)
{
    struct pcapng *file = pcapng_open(path, "packet scripts", error);
    if (!file)
        return NULL;
    struct script_pcap *pcap = g_new0(struct script_pcap, 1);
    pcap->capture.ops = &pcap_ops;
    pcap->file = file;
    return &pcap->capture;
}

bool script_pcap_close(struct capture *capture, GError **error)
{
    if (!capture)
        return true;
    struct script_pcap *pcap = pcap_of(capture);
    bool whole = pcapng_close(pcap->file, error);
    g_free(pcap);
    return whole;
}
