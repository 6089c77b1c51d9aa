// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/ethernet/nic_internal.h"

#include <glib.h>

#include <string.h>

#define ETHERNET_LEAST 60 // without the check sequence

void nic_register(struct nic *nic, uint16_t protocol, const struct nic_protocol *ops, void *owner)
{
    g_assert(nic->protocol_count < NIC_PROTOCOLS);
    nic->protocols[nic->protocol_count++] = (struct nic_registration){protocol, ops, owner};
}

const struct nic_registration *ethernet_protocol_of(const struct nic *nic, uint16_t protocol)
{
    for (int i = 0; i < nic->protocol_count; i++)
        if (nic->protocols[i].protocol == protocol)
            return &nic->protocols[i];
    g_error("no protocol 0x%04x on the NIC of %s", protocol, nic->host->name);
}

bool ethernet_protocols_polled(struct cpu_context *context, struct nic *nic)
{
    bool any = false;
    for (int i = 0; i < nic->protocol_count; i++) {
        const struct nic_registration *to = &nic->protocols[i];
        if (to->ops->polled)
            any |= to->ops->polled(context, to->owner);
    }
    return any;
}

// ---- Their frames, for captures and traces ----

const struct capture_link nic_capture_link = {1, "Ethernet"};

// A locally administered address made of the station's number.
static void capture_address(uint8_t *bytes, int station)
{
    uint32_t number = (uint32_t)station + 1;
    const uint8_t address[6] = {2,
                                0,
                                (uint8_t)(number >> 24),
                                (uint8_t)(number >> 16),
                                (uint8_t)(number >> 8),
                                (uint8_t)number};
    memcpy(bytes, address, sizeof address);
}

void ethernet_capture(struct nic *nic, const struct packet *packet,
                      enum capture_direction direction)
{
    if (!capture_wants(nic->sim->capture, nic->interface, sim_now(nic->sim)))
        return;
    const struct nic_registration *of = ethernet_protocol_of(nic, packet->protocol);
    uint32_t length = MAX(packet->wire_bytes - ETHERNET_FCS, ETHERNET_LEAST);
    g_byte_array_set_size(nic->frame, length);
    uint8_t *bytes = nic->frame->data;
    memset(bytes, 0, length);
    capture_address(bytes, route_to(packet->route));
    capture_address(bytes + 6, route_from(packet->route));
    bytes[12] = (uint8_t)(packet->protocol >> 8);
    bytes[13] = (uint8_t)packet->protocol;
    if (of->ops->frame_bytes)
        of->ops->frame_bytes(of->owner, packet, bytes + ETHERNET_HEADER, length - ETHERNET_HEADER);
    packet_capture(nic->network, packet, nic->interface, direction, bytes, length);
}

void ethernet_words(void *owner, const struct packet *packet, struct trace_words *words)
{
    const struct nic *nic = owner;
    for (int i = 0; i < nic->protocol_count; i++) {
        const struct nic_registration *of = &nic->protocols[i];
        if (of->protocol == packet->protocol && of->ops->words)
            of->ops->words(of->owner, packet, words);
    }
}
