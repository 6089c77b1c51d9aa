#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Profile `ns2` of SCTP against ns2_reference.py, the rules of ns-2.35 written down a second time: hosts without costs,
direct links, and of each case what leaves: which chunk, to which path, when.

| rule of ns-2.35 | where it stands there | netsim |
|---|---|---|
| a lost chunk's path is chosen when it is sent again; until then it fills its old path's window | RtxMarkedChunks, SelectRtxDest, SendMuch | cmt_late_choice |
| a window is cut once for what was under way at the last cut, and grows meanwhile | FastRtx | cmt_recovery: window |
| with CUC, cum_tsn alone lets no window grow | ProcessSackChunk | cmt_cuc_alone |
| a chunk that leaves a path is its pseudo-cum-ack no more | RtxMarkedChunks | cmt_cuc |
| avoidance counts chunk by chunk | SendBufferDequeueUpTo, ProcessGapAckBlocks | pba_by_chunk |
| DAC: the number as it is; only gap blocks make a SACK mixed; lowest TSN by path | ProcessGapAckBlocks | cmt_dac_form: number |
| four packets per path and SACK, when a chunk that may not be fast-retransmitted is acknowledged | SendMuch | burst_rule: after_fr |
| round robin after the path that was served last, each until its window is full | SendMuch | cmt_scheduler: fill |
| chunks count with their headers at both ends; what is delivered is read | GenOneDataChunk, ProcessDataChunk | charge_headers, hold_charge, queue_counts |
| without SFR, a chunk counts as missing below the newest that was ever acknowledged | ProcessGapAckBlocks | htna: false |
| an inactive path is probed at once, and again after each RTO without an answer | Timeout | heartbeat_rule: ns2 |
| PF: cwnd is 2 chunks after HEARTBEAT-ACK, and stays after a SACK | ProcessChunk, ProcessGapAckBlocks | cmt_pf, cmt_pf_sack_resets |
| no data before heartbeats have confirmed all paths | ProcessChunk | confirm_all |
| a chunk in COOKIE-ECHOED counts for COOKIE-ACK (there any chunk, here DATA) | ProcessChunk | data_for_cookie_ack |

Not as there: T3-rtx starts anew at any cumulatively acknowledged chunk (here: at the path's earliest); a SACK that its
timer sends reports 0 packets (here: 1); retransmissions count in a burst. `near` allows for differences after several losses.
SACKs that arrive at once, which two paths of one rate and full windows often have, are taken in the order of their
departure there, and here in that of some picoseconds which the sender's bus takes."""

import json
import os
import struct
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "cli")]
from harness import Case  # noqa: E402
import ns2_reference as reference  # noqa: E402

IDEAL = """\
schema: 1
name: ideal
what_if: card_rate
host:
  processor: {{clock: 1000 GHz}}
  memory: {{copy_uncached: 1000000 GB/s, copy_cached: 1000000 GB/s, copy_setup: 0 us}}
  bus: {{clock: 1000 GHz, width: 64 B, read_burst: 64 KiB, read_setup: 0, write_burst: 64 KiB, write_setup: 0}}
  kernel: {{system_call: 0 us, fast_trap: 0 us, interrupt_latency: 0 us, interrupt_entry: 0 us, interrupt_exit: 0 us,
           interrupt_unmask: 0 us, wake_process: 0 us, wake_other: 0 us, switch_process: 0 us, process_set: 0 B, block_process: 0 us}}
em82547gi: {{tx_start: 0 us, rx_status: 0 us, interrupt_delay: 0 us, interrupt_distance: 0 us, tx_interrupt_delay: 0 us,
            doorbell: 0 us, status_read: 0 us, tx_frame: 0 us, tx_done: 0 us, rx_frame: 0 us}}
stack: sctp
sctp: {{profile: ns2, send_call: 0 us, chunk_out: 0 us, packet_out: 0 us, packet_in: 0 us, chunk_in: 0 us, sack_in: 0 us,
       acked_chunk: 0 us, receive_call: 0 us, open: 0 us, timer: 0 us{sctp}}}
native_sctp: {{call: 0 us, exchange: 0 us, message: 1452 B}}
workload:
  program:
    - {{ranks: 0, do: [{{send: {{to: 1, size: {bytes} B}}}}]}}
    - {{ranks: 1, do: [{{recv: {{from: 0, size: {bytes} B}}}}]}}
hosts: [{{name: n, count: 2, nics: [{nics}]}}]
links: [{links}]
"""


def outbound(data):
    """(time in s, frame) of what a pcapng file's interface sent."""
    at, resolution = 0, 1e-6
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 1:
            option = at + 16
            while option < at + length - 4:
                code, size = struct.unpack_from("<HH", data, option)
                if code == 0:
                    break
                if code == 9:
                    resolution = 10.0 ** -data[option + 4]
                option += 4 + (size + 3) // 4 * 4
        elif kind == 6:
            high, low, kept = struct.unpack_from("<III", data, at + 12)
            frame = data[at + 28:at + 28 + kept]
            option = at + 28 + (kept + 3) // 4 * 4
            flags = 0
            while option < at + length - 4:
                code, size = struct.unpack_from("<HH", data, option)
                if code == 0:
                    break
                if code == 2:
                    flags, = struct.unpack_from("<I", data, option + 4)
                option += 4 + (size + 3) // 4 * 4
            if flags & 3 == 2:
                yield ((high << 32) + low) * resolution, frame
        at += length


class Link:
    def __init__(self, rate, delay, drops=(), down=None):
        """rate in Mb/s, delay in ms; drops: which packets to the receiver vanish, counted from the first with DATA;
        down: (from, to), s after the first DATA."""
        self.rate, self.delay, self.drops, self.down = rate, delay, drops, down


class Ns2(Case):
    def simulate(self, links, chunks, sctp, faults):
        """Sends: (time, path, TSN from 1); frames to the receiver before the first DATA, by path; counters."""
        described = []
        for number, link in enumerate(links):
            text = f"from: n0.e{number}, to: n1.e{number}, rate: {link.rate} Mb/s, propagation: {link.delay} ms"
            described.append("{" + text + faults.get(number, "") + "}")
        nics = ", ".join(f"{{name: e{number}, nic: em82547gi}}" for number in range(len(links)))
        file = self.write("ideal.yaml", IDEAL.format(sctp=sctp, bytes=chunks * 1452, nics=nics, links=", ".join(described)))
        self.netsim("run", file, "--quiet", "--out", "out", "--pcap", "pcap", "--simulated-limit", "400 s")
        sends, before = [], []
        for number in range(len(links)):
            with open(self.path(f"pcap/sctp/n0.e{number}.pcapng"), "rb") as capture:
                frames = list(outbound(capture.read()))
            is_data = [len(frame) > 46 and frame[46] == 0 for _, frame in frames]
            before.append(is_data.index(True) if True in is_data else len(frames))
            for (time, frame), data in zip(frames, is_data):
                if data:
                    sends.append((time, number, struct.unpack_from(">I", frame, 50)[0]))
        sends.sort()
        first = sends[0]
        sends = [(time - first[0], path, (tsn - first[2]) % 2 ** 32 + 1) for time, path, tsn in sends]
        counters = json.loads(self.read("out/manifest.json"))["series"][0]["counters"]
        return sends, before, first[0], counters

    def both(self, links, chunks, sctp="", **options):
        _, before, start, _ = self.simulate(links, 20, sctp, {})
        faults = {}
        for number, link in enumerate(links):
            text = ""
            if link.drops:
                text += ", fault_direction: forward, drop_nth: [" + ", ".join(
                    str(before[number] + drop) for drop in link.drops) + "]"
            if link.down:
                text += f", down: [{{from: {start + link.down[0]:.6f} s, to: {start + link.down[1]:.6f} s}}]"
            faults[number] = text
        sends, _, _, counters = self.simulate(links, chunks, sctp, faults)
        run = reference.Run([reference.Link(link.rate * 1e6, link.delay / 1e3, link.drops, link.down) for link in links],
                            chunks, **options).run()
        return sends, run, counters


    def near(self, links, chunks, sctp="", **options):
        """With losses, the share of each path, the end and what is counted: bursts after a loss may differ by packets."""
        sends, run, counters = self.both(links, chunks, sctp, **options)
        for number, _ in enumerate(links):
            found = sum(path == number for _, path, _ in sends)
            self.assertAlmostEqual(found, sum(path == number for _, path, _, _ in run.sent), delta=0.05 * len(sends))
        end = max(time for time, *_ in run.sent)
        self.assertAlmostEqual(sends[-1][0], end, delta=0.08 * end)
        self.assertEqual(counters.get("sctp retransmission timeouts", 0), len(run.timeouts))
        self.assertEqual(counters.get("sctp fast retransmits", 0), run.fast)

    def compare(self, links, chunks, sctp="", **options):
        sends, run, counters = self.both(links, chunks, sctp, **options)
        expected = sorted((time, path, tsn) for time, path, tsn, _ in run.sent)
        for number, _ in enumerate(links):
            self.assertEqual([tsn for _, path, tsn in sends if path == number],
                             [tsn for _, path, tsn in expected if path == number], f"path {number}")
        self.assertAlmostEqual(sends[-1][0], expected[-1][0], delta=0.01 * expected[-1][0])
        stalls = [[round(b[0] - a[0], 1) for a, b in zip(each, each[1:]) if b[0] - a[0] > 0.3] for each in (sends, expected)]
        self.assertEqual(*stalls)
        name = next((key for key in counters if "retransmission timeouts" in key), None)
        self.assertEqual(counters.get(name, 0), len(run.timeouts))
        self.assertEqual(counters.get("sctp fast retransmits", 0), run.fast)

    def returns(self, links, chunks, sctp="", **options):
        """When the second path has data again after its cut, how much of them it carries, and the end."""
        sends, run, _ = self.both(links, chunks, sctp, **options)
        after = links[1].down[1]
        found = [time for time, path, _ in sends if path == 1 and time > after]
        expected = [time for time, path, *_ in run.sent if path == 1 and time > after]
        self.assertAlmostEqual(found[0], expected[0], delta=0.05)
        self.assertAlmostEqual(len(found), len(expected), delta=0.05 * len(expected))
        end = max(time for time, *_ in run.sent)
        self.assertAlmostEqual(sends[-1][0], end, delta=0.02 * end)

    def test_equal_paths(self):
        self.compare([Link(10, 10), Link(10, 10.3)], 600)

    def test_rates(self):
        self.compare([Link(10, 10), Link(1, 10.3)], 600)

    def test_delays(self):
        self.compare([Link(10, 10), Link(10, 45.3)], 600)

    def test_three_paths(self):
        self.compare([Link(10, 10), Link(5, 15.3), Link(2, 20.7)], 800)

    def test_large_buffer(self):
        self.compare([Link(10, 10), Link(10, 20.3)], 1500, ", receive_buffer: 1 MiB", rwnd=1 << 20)

    def test_small_buffer(self):
        self.compare([Link(10, 10), Link(2, 45.3)], 400, ", receive_buffer: 16 KiB", rwnd=16384)

    def test_without_sfr(self):
        """Up to the first SACKs that arrive at once: with chunks that repeated gaps have made fast retransmissions of."""
        sends, run, _ = self.both([Link(10, 15), Link(10, 70.7)], 600, ", cmt_sfr: false, cmt_policy: ssthresh, receive_buffer: 48 KiB",
                                  rwnd=49152, sfr=False, policy="ssthresh")
        for number, count in ((0, 100), (1, 15)):
            found = [tsn for _, path, tsn in sends if path == number][:count]
            self.assertEqual(found, [tsn for _, path, tsn, _ in sorted(run.sent) if path == number][:count])

    def test_inactive_path(self):
        """PF at 1.5 s, INACTIVE at 7.5 s, heartbeats then and at 15.5 s, which is answered."""
        self.returns([Link(1, 10), Link(1, 15.3, down=(0.5, 12.0))], 2200, ", path_retries: 2", path_retries=2)

    def test_inactive_path_without_pf(self):
        self.returns([Link(1, 10), Link(1, 15.3, down=(0.5, 12.0))], 2200, ", cmt_pf: 0, path_retries: 2", pf=False, path_retries=2)

    def test_loss_on_the_first(self):
        self.near([Link(10, 10, [20]), Link(10, 15.3)], 600)

    def test_loss_on_the_second(self):
        self.compare([Link(10, 10), Link(10, 15.3, [30])], 600)

    def test_losses_on_both(self):
        self.near([Link(10, 10, [20, 90, 91]), Link(10, 15.3, [30, 33, 150])], 600)

    def test_cut_with_pf(self):
        self.compare([Link(10, 10), Link(10, 15.3, down=(0.5, 6.0))], 3000)

    def test_cut_without_pf(self):
        self.compare([Link(10, 10), Link(10, 15.3, down=(0.5, 6.0))], 1500, ", cmt_pf: 0", pf=False)


if __name__ == "__main__":
    unittest.main()
