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
#include "models/intercept/nic/nic_internal.h"

#include <string.h>

#define HEADER_BYTES 16
#define CRC_BYTES 4

const struct capture_link intercept_capture_link = {149, "Intercept"};

static void put16(uint8_t *bytes, unsigned value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

static void put_header(const struct nic_header *header, uint8_t *bytes)
{
    bool vdma = header->kind == NIC_VDMA_DATA;
    bytes[0] = vdma ? 1 : 2;
    bytes[1] = header->marked;
    put16(bytes + 2, (unsigned)header->to);
    put16(bytes + 4, (unsigned)header->from);
    bytes[6] = vdma ? header->channel : header->vnic;
    put16(bytes + 8, header->bytes);
    put16(bytes + 12, header->address >> 16);
    put16(bytes + 14, header->address);
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
    uint8_t header[HEADER_BYTES] = {0};
    uint32_t length = packet->wire_bytes - CRC_BYTES;
    put_header((const struct nic_header *)(const void *)packet->header, header);
    g_byte_array_set_size(nic->frame, length);
    memset(nic->frame->data, 0, length);
    memcpy(nic->frame->data, header, MIN(length, HEADER_BYTES));
    packet_capture(nic->network, packet, plane->interface, direction, nic->frame->data, length);
}

void nic_capture_clear(struct intercept_nic *nic)
{
    g_byte_array_free(nic->frame, TRUE);
}
