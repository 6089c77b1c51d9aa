// SPDX-License-Identifier: GPL-3.0-or-later
// Intercept's packets as captures show them. The packet definition was never published: the header
// has the fields that thesis 002 names (2.1.2) and those that it implies, in the 16 B that the
// model counts for it.
//
//   0   kind (VDMA data 1, short message 2)
//   1   flags: 1 marked
//   2   destination IUCA
//   4   source IUCA
//   6   destination VNIC, or channel
//   7   reserved
//   8   length of the payload in bytes
//   10  reserved
//   12  address in the channel
//   16  payload: of a short message as its virtual NIC's owner encodes it
#include "models/intercept/nic/nic_internal.h"

#include <string.h>

#define CRC_BYTES 4

const struct capture_link intercept_capture_link = {149, "Intercept"};

void intercept_frame_put(struct intercept_frame *frame, uint64_t value, uint32_t length)
{
    uint32_t put = MIN(length, frame->room);
    for (uint32_t i = 0; i < put; i++)
        frame->bytes[i] = (uint8_t)(value >> 8 * (length - 1 - i));
    frame->bytes += put;
    frame->room -= put;
}

static void put_header(struct intercept_frame *frame, const struct nic_header *header)
{
    bool vdma = header->kind == NIC_VDMA_DATA;
    intercept_frame_put(frame, vdma ? 1 : 2, 1);
    intercept_frame_put(frame, header->marked, 1);
    intercept_frame_put(frame, (uint64_t)header->to, 2);
    intercept_frame_put(frame, (uint64_t)header->from, 2);
    intercept_frame_put(frame, vdma ? header->channel : header->vnic, 1);
    intercept_frame_put(frame, 0, 1);
    intercept_frame_put(frame, header->bytes, 2);
    intercept_frame_put(frame, 0, 2);
    intercept_frame_put(frame, header->address, 4);
}

// The message of a packet, as far as owners of virtual NICs know it. False: they do not.
static bool carried_message(const struct intercept_nic *nic, const struct nic_header *header,
                            struct intercept_sm *message)
{
    if (header->kind != NIC_SHORT_MESSAGE || !nic->vnics[header->vnic].open)
        return false;
    *message = (struct intercept_sm){
        .from = header->from, .to = header->to, .vnic = header->vnic, .bytes = header->bytes};
    memcpy(message->body, header->body, sizeof message->body);
    return true;
}

static void put_payload(struct intercept_frame *frame, const struct intercept_nic *nic,
                        const struct nic_header *header)
{
    struct intercept_sm message;
    if (carried_message(nic, header, &message) && nic->vnics[header->vnic].ops->frame)
        nic->vnics[header->vnic].ops->frame(&message, frame);
}

void nic_words(void *owner, const struct packet *packet, struct trace_words *words)
{
    const struct intercept_nic *nic = ((const struct nic_plane *)owner)->nic;
    const struct nic_header *header = (const struct nic_header *)(const void *)packet->header;
    struct intercept_sm message;
    bool vdma = header->kind == NIC_VDMA_DATA;
    g_strlcpy(words->text, vdma ? "VDMA data" : "short message", sizeof words->text);
    if (vdma)
        words->sequence = header->address;
    else if (carried_message(nic, header, &message) && nic->vnics[header->vnic].ops->words)
        nic->vnics[header->vnic].ops->words(&message, words);
}

void nic_capture_init(struct intercept_nic *nic)
{
    nic->frame = g_byte_array_new();
    for (int i = 0; i < nic->plane_count; i++) {
        struct nic_plane *plane = &nic->planes[i];
        plane->interface =
            capture_interface(nic->sim->capture, nic->host->name, &intercept_capture_link,
                              network_station_rate(nic->network, plane->station));
    }
}

void nic_capture(struct nic_plane *plane, const struct packet *packet,
                 enum capture_direction direction)
{
    struct intercept_nic *nic = plane->nic;
    if (!capture_wants(nic->sim->capture, plane->interface, sim_now(nic->sim)))
        return;
    uint32_t length = packet->wire_bytes - CRC_BYTES;
    g_byte_array_set_size(nic->frame, length);
    memset(nic->frame->data, 0, length);
    struct intercept_frame frame = {nic->frame->data, length};
    const struct nic_header *header = (const struct nic_header *)(const void *)packet->header;
    put_header(&frame, header);
    put_payload(&frame, nic, header);
    packet_capture(nic->network, packet, plane->interface, direction, nic->frame->data, length);
}

void nic_capture_clear(struct intercept_nic *nic)
{
    g_byte_array_free(nic->frame, TRUE);
}
