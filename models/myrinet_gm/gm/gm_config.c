// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/myrinet_gm/gm/gm_config.h"

#define G struct gm_config

#define INSTRUCTIONS "prior: instructions"
#define FIRMWARE "prior: instructions of a firmware handler, one cycle or two each"

#define FIRMWARE_PARAM(field, cycles, what)                                                        \
    PARAM(G, field, PARAM_COST, .fallback = cycles, .doc = "LANai: " what, .source = FIRMWARE)

static const struct param gm_params[] = {
    PARAM(G, ports, PARAM_COUNT, .fallback = "8", .least = "1", .most = "16",
          .doc = "ports per card", .source = "thesis 001, 2.3.1; GM 2 has 16"),
    PARAM(G, send_tokens, PARAM_COUNT, .fallback = "61", .least = "1", .most = "4096",
          .doc = "sends that a port may have outstanding",
          .source = "GM, gm_types.h: GM_NUM_SEND_TOKENS, 64 slots less 3"),
    PARAM(G, receive_tokens, PARAM_COUNT, .fallback = "254", .least = "1", .most = "4096",
          .doc = "receive buffers that a port may have given to GM",
          .source = "GM, gm_types.h: GM_NUM_RECV_TOKENS"),
    PARAM(G, mtu, PARAM_SIZE, .fallback = "4 KiB", .least = "64 B", .most = "64 KiB",
          .doc = "payload of a packet", .source = "GM, gm_types.h: GM_MTU"),
    PARAM(G, fast_receive, PARAM_SIZE, .fallback = "128 B", .most = "4 KiB",
          .doc = "messages up to this come in the event queue's slot, with one DMA",
          .source = "GM, gm_types.h: GM_MAX_FAST_RECV_BYTES"),
    PARAM(G, header, PARAM_SIZE, .fallback = "24 B", .least = "1 B", .most = "1 KiB",
          .doc = "header of a data packet", .source = "GM, gm_types.h: gm_packet_header"),
    PARAM(G, directed_header, PARAM_SIZE, .fallback = "8 B", .most = "1 KiB",
          .doc = "what a packet of a directed send has besides: the remote address",
          .source = "GM, gm_types.h: slave_addr of gm_put_packet"),
    PARAM(G, acknowledgement, PARAM_SIZE, .fallback = "16 B", .least = "1 B", .most = "1 KiB",
          .doc = "an ACK or NACK packet",
          .source = "GM 1; GM 2 has 24 B (gm_types.h: gm_ack_packet)"),
    PARAM(G, crc, PARAM_SIZE, .fallback = "1 B", .most = "64 B",
          .doc = "check sequence of a packet", .source = "Myrinet: CRC-8"),
    PARAM(G, send_descriptor, PARAM_SIZE, .fallback = "16 B", .least = "1 B", .most = "1 KiB",
          .doc = "send event that the host writes into the card; a directed send adds its address",
          .source = "GM's send event"),
    PARAM(G, receive_descriptor, PARAM_SIZE, .fallback = "16 B", .least = "1 B", .most = "1 KiB",
          .doc = "receive token that the host writes into the card",
          .source = "prior: address, size, priority and tag"),
    PARAM(G, event, PARAM_SIZE, .fallback = "32 B", .least = "1 B", .most = "1 KiB",
          .doc = "event that the card writes into the port's queue in host memory",
          .source = "GM, gm_types.h: 24 B of _gm_recv_event, padded to the granularity of DMA"),
    PARAM(G, send_buffers, PARAM_COUNT, .fallback = "2", .least = "1", .most = "64",
          .doc = "packets in SRAM on their way out: SDMA fills one while SEND empties another",
          .source = "prior: double buffering"),
    PARAM(G, receive_buffers, PARAM_COUNT, .fallback = "2", .least = "1", .most = "64",
          .doc = "packets in SRAM on their way in: RECV fills one while RDMA empties another",
          .source = "prior: double buffering"),
    PARAM(G, window, PARAM_COUNT, .fallback = "32", .least = "1", .most = "16384",
          .doc = "send records of a connection: packets that are not acknowledged yet",
          .source = "prior: much more than what is under way in a round trip"),
    PARAM(G, program_sram, PARAM_SIZE, .fallback = "128 KiB", .least = "1 B",
          .doc = "SRAM of the MCP's code and global data", .source = "prior"),
    PARAM(G, connection_sram, PARAM_SIZE, .fallback = "128 B", .least = "1 B",
          .doc = "SRAM of one connection, with its route and prestaged ACK", .source = "prior"),
    PARAM(G, port_sram, PARAM_SIZE, .fallback = "8 KiB", .least = "1 B",
          .doc = "SRAM of one open port: its queue of tokens",
          .source = "prior: 315 tokens of 16 B, and their lists"),
    PARAM(G, resend_interval, PARAM_DURATION, .fallback = "10 ms", .least = "1 us",
          .doc = "a packet that is not acknowledged for so long is sent again, with all after it",
          .source = "prior: not found in any source; long against a full window's round trip",
          .prior = "within 3"),
    PARAM(G, refused_interval, PARAM_DURATION, .fallback = "1 ms", .least = "1 us",
          .doc = "a message that found no receive buffer is tried again after this",
          .source = "prior: not found in any source", .prior = "within 3"),
    PARAM(G, send_timeout, PARAM_DURATION, .fallback = "30 s", .least = "1 us",
          .doc = "a send that can't be completed for so long ends with GM_SEND_TIMED_OUT",
          .source = "prior: not found in any source; tens of seconds", .prior = "within 3"),
    PARAM(G, registration, PARAM_BOOL, .fallback = "true",
          .doc = "the system allows to register memory that GM has not allocated",
          .source = "thesis 001, 2.3.2: where the system permits; Linux does"),

    PARAM(G, send, PARAM_COST, .fallback = "200 cycles",
          .doc = "gm_send_with_callback, without writing its event to the card",
          .source = "prior: 0.5 us a send and receive on a Pentium 4, 1 us on a Pentium III"),
    PARAM(G, provide, PARAM_COST, .fallback = "80 cycles",
          .doc = "gm_provide_receive_buffer, without writing the token to the card",
          .source = INSTRUCTIONS),
    PARAM(G, receive_check, PARAM_COST, .fallback = "30 cycles",
          .doc = "gm_receive: one look at the event queue", .source = INSTRUCTIONS),
    PARAM(G, receive_event, PARAM_COST, .fallback = "150 cycles",
          .doc = "gm_receive: taking an event that is there, cache miss included",
          .source = INSTRUCTIONS),
    PARAM(G, callback, PARAM_COST, .fallback = "60 cycles",
          .doc = "gm_unknown: giving the token back and calling the callback",
          .source = INSTRUCTIONS),
    PARAM(G, register_call, PARAM_COST, .fallback = "2 us",
          .doc = "the driver's part of gm_register_memory and its opposite, without pages",
          .source = "prior: table update, as for VIA"),
    PARAM(G, interrupt, PARAM_COST, .fallback = "2 us",
          .doc = "the driver's interrupt handler: reading the card's status, finding the port",
          .source = "prior: two reads over the I/O bus", .prior = "within 1.3"),

    FIRMWARE_PARAM(timer, "60 cycles", "a resend timer has run out"),
    FIRMWARE_PARAM(finish_rdma, "50 cycles", "a DMA into host memory has ended"),
    FIRMWARE_PARAM(finish_recv, "150 cycles",
                   "a packet is in: connection, sequence, token or address"),
    FIRMWARE_PARAM(finish_sdma, "40 cycles", "a DMA from host memory has ended"),
    FIRMWARE_PARAM(finish_send, "30 cycles", "a packet has left"),
    FIRMWARE_PARAM(start_send, "60 cycles", "starts to send a packet, with its route first"),
    FIRMWARE_PARAM(start_sdma, "120 cycles",
                   "starts a DMA from host memory: connection, token, page table, header, record"),
    FIRMWARE_PARAM(start_rdma, "80 cycles", "starts a DMA into host memory: page table"),
    FIRMWARE_PARAM(poll, "80 cycles", "finds a token that the host has written, and queues it"),
    FIRMWARE_PARAM(free_record, "15 cycles", "an acknowledged send record"),
    FIRMWARE_PARAM(resend_record, "15 cycles", "a send record looked at for sending it again"),
    {0},
};

static void gm_check_config(const void *values, const struct param_values *report)
{
    const struct gm_config *config = values;
    if (config->fast_receive > config->mtu)
        param_complain(report, "fast_receive", "a fast receive is one packet",
                       "fast_receive is more than a packet's payload (mtu)");
    if (config->send_timeout < config->resend_interval)
        param_complain(report, "send_timeout", NULL,
                       "a send would end before anything is sent again (resend_interval)");
}

const struct param_table gm_table = PARAM_TABLE(
    struct gm_config, gm_params, .name = "gm",
    .doc = "GM: the library on the host and the MCP on the card", .check = gm_check_config);

int64_t gm_packet_bytes(const struct gm_config *config)
{
    int64_t data = config->header + config->directed_header + config->mtu + config->crc;
    return MAX(data, config->acknowledgement + config->crc);
}

int64_t gm_sram_bytes(const struct gm_config *config, int64_t hosts)
{
    return config->program_sram + config->connection_sram * hosts + config->port_sram +
           (config->send_buffers + config->receive_buffers) * gm_packet_bytes(config);
}
