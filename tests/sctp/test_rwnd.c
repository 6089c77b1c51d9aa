// SPDX-License-Identifier: GPL-3.0-or-later
// The window that a receiver offers, the chunks that it drops when its buffer is full, and when it
// announces the room that a reader makes (RFC 9260, 6.2; the BSD stack of September 2007).
#include "tests/support/sctp_receiver_alone.h"
#include "tests/support/suite.h"

// A packet with one chunk of so many bytes in a stream of its TSN's turn.
static void arrive(struct sctp_receiver *receiver, int tsn, int bytes)
{
    char packet[32];
    g_snprintf(packet, sizeof packet, "%d:%d", tsn, bytes);
    sctp_receiver_packet(receiver, 0, packet);
}

static int64_t window(const struct sctp_receiver *receiver)
{
    return sctp_rwnd(receiver->association);
}

static void test_offer(void)
{
    struct sctp_receiver *receiver =
        sctp_receiver_new("{profile: rfc9260, receive_buffer: 10000 B}");
    SUITE_SAME_INTEGER(window(receiver), 10000);
    arrive(receiver, 1, 1000); // in the socket's queue
    SUITE_SAME_INTEGER(window(receiver), 9000);
    arrive(receiver, 3, 500); // waits for TSN 2
    SUITE_SAME_INTEGER(window(receiver), 8500);
    SUITE_SAME_INTEGER(receiver->association->in.held, 500);
    receiver->shows_windows = true;
    sctp_receiver_sent(receiver);
    arrive(receiver, 2, 100);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 3 a_rwnd 8400");
    SUITE_SAME_INTEGER(receiver->association->in.held, 0);
    sctp_receiver_free(receiver);
}

// The BSD stack charges an mbuf per chunk once it is in the socket's queue, and offers 1 instead of
// a sliver.
static void test_offer_s2007(void)
{
    struct sctp_receiver *receiver = sctp_receiver_new("{profile: s2007, receive_buffer: 10000 B}");
    arrive(receiver, 2, 1000);
    SUITE_SAME_INTEGER(window(receiver), 9000);
    arrive(receiver, 1, 1000);
    SUITE_SAME_INTEGER(window(receiver), 10000 - 2 * 1256);
    arrive(receiver, 3, 1400);
    arrive(receiver, 4, 1400);
    SUITE_SAME_INTEGER(window(receiver), 10000 - 2 * 1256 - 2 * 1656);
    arrive(receiver, 5, 1000); // 2920 are left
    SUITE_SAME_INTEGER(window(receiver), 1);
    arrive(receiver, 6, 1400);
    arrive(receiver, 7, 1300); // 1500 without the mbufs, which are more
    SUITE_SAME_INTEGER(window(receiver), 1);
    arrive(receiver, 8, 1500);
    SUITE_SAME_INTEGER(window(receiver), 0);
    SUITE_SAME_INTEGER(*receiver->stack.count.dropped_for_window, 0);
    sctp_receiver_free(receiver);
}

// A full buffer drops new chunks, and RFC 9260 requires a SACK at once.
static void test_full(void)
{
    static const char *const sections[] = {
        "{profile: rfc9260, receive_buffer: 4000 B, sack_frequency: 100}",
        "{profile: s2007, receive_buffer: 4000 B, sack_frequency: 100, mbuf_charge: 0 B}"};
    for (int i = 0; i < 2; i++) {
        struct sctp_receiver *receiver = sctp_receiver_new(sections[i]);
        receiver->shows_windows = true;
        for (int tsn = 1; tsn <= 4; tsn++)
            arrive(receiver, tsn, 1000);
        sctp_receiver_sent(receiver);
        arrive(receiver, 5, 1000);
        SUITE_SAME_TEXT(sctp_receiver_sent(receiver), i == 0 ? "0:SACK 4 a_rwnd 0" : "");
        SUITE_SAME_INTEGER(receiver->association->in.cum_tsn, receiver->first_tsn + 3);
        SUITE_SAME_INTEGER(*receiver->stack.count.dropped_for_window, 1);
        sctp_receiver_free(receiver);
    }
}

// A chunk that fills a gap displaces later ones, the highest first.
static void test_renege(void)
{
    struct sctp_receiver *receiver =
        sctp_receiver_new("{profile: rfc9260, receive_buffer: 4000 B}");
    sctp_receiver_packet(receiver, 0, "3s0.2:1000");
    sctp_receiver_packet(receiver, 0, "5s1.1:1000");
    sctp_receiver_packet(receiver, 0, "6s0.3:1000B 7s0.3:1000M");
    SUITE_SAME_INTEGER(window(receiver), 0);
    sctp_receiver_sent(receiver);
    sctp_receiver_packet(receiver, 0, "1s0.0:1000"); // to the reader, which is slow
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 1 [3 5]");
    SUITE_SAME_INTEGER(window(receiver), 1000);
    sctp_receiver_packet(receiver, 0, "4s1.0:1000"); // 4 and 5 are the reader's
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 1 [3-5]");
    sctp_receiver_packet(receiver, 0, "2s0.1:1000"); // 3 goes: what the reader has is not taken
                                                     // back
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 2 [4-5]");
    SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), "0.0:1000 1.0:1000 1.1:1000 0.1:1000");
    // The queue is full, without room for 3, whatever it displaces.
    sctp_receiver_packet(receiver, 0, "3s0.2:1000");
    SUITE_SAME_INTEGER(*receiver->stack.count.dropped_for_window, 1);
    // The displaced ones come again once there is room.
    for (int i = 0; i < 4; i++)
        sctp_receiver_read(receiver);
    sctp_receiver_packet(receiver, 0, "3s0.2:1000 6s0.3:1000B 7s0.3:1000M");
    SUITE_SAME_TEXT(sctp_receiver_delivered(receiver), "0.2:1000 0.3:2000+"); // half of the buffer
    SUITE_SAME_INTEGER(receiver->association->in.cum_tsn, receiver->first_tsn + 6);
    sctp_receiver_free(receiver);
}

// If the reader's queue alone fills the buffer, nothing is displaced in vain.
static void test_displaces_nothing_in_vain(void)
{
    struct sctp_receiver *receiver =
        sctp_receiver_new("{profile: rfc9260, receive_buffer: 4000 B}");
    sctp_receiver_packet(receiver, 0, "4s1.0:3000 3s0.2:900 5s1.1:1000");
    sctp_receiver_packet(receiver, 0, "7s2.1:10");
    SUITE_SAME_INTEGER(*receiver->stack.count.dropped_for_window, 1); // 7: 4 and 5 fill the queue
    sctp_receiver_packet(receiver, 0, "2s0.1:10");
    SUITE_SAME_INTEGER(*receiver->stack.count.dropped_for_window, 2);
    SUITE_SAME_INTEGER(receiver->association->in.held, 900);
    sctp_receiver_free(receiver);
}

// Each of a message's chunks has an mbuf.
static void test_charge_of_fragments(void)
{
    struct sctp_receiver *receiver = sctp_receiver_new("{profile: s2007, receive_buffer: 9000 B}");
    sctp_receiver_packet(receiver, 0, "1s0.0:10B 3s0.0:30E 2s0.0:20M");
    SUITE_SAME_INTEGER(receiver->association->in.queued, 60);
    SUITE_SAME_INTEGER(receiver->association->in.overhead, 3 * 256);
    sctp_receiver_read(receiver);
    SUITE_SAME_INTEGER(receiver->association->in.queued, 0);
    SUITE_SAME_INTEGER(receiver->association->in.overhead, 0);
    sctp_receiver_free(receiver);
}

// Announced at once if the window has opened by 1/8 of the buffer, and by 1,500 B at least.
static void test_reader(void)
{
    struct sctp_receiver *receiver =
        sctp_receiver_new("{profile: rfc9260, receive_buffer: 16000 B, sack_frequency: 1}");
    receiver->shows_windows = true;
    for (int tsn = 1; tsn <= 8; tsn++)
        arrive(receiver, tsn, 1000);
    sctp_receiver_sent(receiver);
    sctp_receiver_read(receiver);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "");
    sctp_receiver_read(receiver);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 8 a_rwnd 10000");
    sctp_receiver_read(receiver);
    arrive(receiver, 9, 100); // its SACK announces the window, too
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 9 a_rwnd 10900");
    sctp_receiver_read(receiver);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "");
    sctp_receiver_free(receiver);
    receiver = sctp_receiver_new("{profile: rfc9260, receive_buffer: 4000 B, sack_frequency: 1}");
    for (int tsn = 1; tsn <= 4; tsn++)
        arrive(receiver, tsn, 1000);
    sctp_receiver_sent(receiver);
    sctp_receiver_read(receiver);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "");
    sctp_receiver_read(receiver);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 4");
    sctp_receiver_free(receiver);
}

// The offer of 1 after a sliver becomes a real one as soon as there is room.
static void test_sliver_opens(void)
{
    struct sctp_receiver *receiver =
        sctp_receiver_new("{profile: s2007, receive_buffer: 4000 B, mbuf_charge: 0 B}");
    receiver->shows_windows = true;
    arrive(receiver, 1, 1001);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 1 a_rwnd 1");
    sctp_receiver_read(receiver);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "0:SACK 1 a_rwnd 4000");
    sctp_receiver_free(receiver);
}

// An association that shuts down announces no window.
static void test_ended(void)
{
    struct sctp_receiver *receiver =
        sctp_receiver_new("{profile: rfc9260, receive_buffer: 4000 B, sack_frequency: 1}");
    for (int tsn = 1; tsn <= 4; tsn++)
        arrive(receiver, tsn, 1000);
    sctp_receiver_sent(receiver);
    receiver->association->machine.state = SCTP_SHUTDOWN_RECEIVED;
    for (int i = 0; i < 4; i++)
        sctp_receiver_read(receiver);
    SUITE_SAME_TEXT(sctp_receiver_sent(receiver), "");
    sctp_receiver_free(receiver);
}

static const struct suite_case cases[] = {
    {"what is queued and held is not offered", test_offer},
    {"the BSD stack's charges and slivers", test_offer_s2007},
    {"a full buffer drops what is new", test_full},
    {"a gap's data displace what came after them", test_renege},
    {"nothing is displaced in vain", test_displaces_nothing_in_vain},
    {"each chunk of a message is charged", test_charge_of_fragments},
    {"a reader's taking is told if it is worth it", test_reader},
    {"a window of 1 opens", test_sliver_opens},
    {"nothing is told once the peer has shut down", test_ended},
    {0},
};

int main(void)
{
    return suite_run("sctp: receive window", cases);
}
