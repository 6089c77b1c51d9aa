#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""tshark's verdict on all that hosts send in the packet scripts of SCTP, which have every chunk and every cause of an
error that the stack sends: no malformed packet, no wrong CRC32c, no warning of its experts."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import needs  # noqa: E402

BUILD = pathlib.Path(os.environ["NETSIM"]).parent
SCRIPTS = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"]) / "tests/script/sctp"
SENT = "frame.packet_flags_direction == 2"
CHECKS = ["-o", "ip.check_checksum:TRUE", "-o", "sctp.checksum:CRC 32c"]
# DATA to ERROR, COOKIE-ECHO, COOKIE-ACK, SHUTDOWN-COMPLETE (RFC 9260, 3.2). Nothing makes the stack send others.
CHUNKS = {*range(12), 14}
# RFC 9260, 3.3.10, without 4 (memory does not run out); 1 .. 13.
CAUSES = {1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13}


@needs.program("tshark")
class Capture(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="netsim-script-")
        self.addCleanup(directory.cleanup)
        self.file = os.path.join(directory.name, "scripts.pcapng")

    def rows(self, names, *arguments):
        listed = [option for name in names for option in ("-e", name)]
        done = subprocess.run(["tshark", "-r", self.file, *CHECKS, *arguments, "-T", "fields", *listed],
                              capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"})
        return [line.split("\t") for line in done.stdout.splitlines()]

    def test_all_that_is_sent(self):
        for profile in ("rfc9260", "s2007"):
            with self.subTest(profile):
                # A script may fail with the other profile; the packets are sound with both.
                subprocess.run([BUILD / "sctp_script", "--profile", profile, "--pcap", self.file,
                                *sorted(SCRIPTS.glob("*.pkt"))], capture_output=True, timeout=60, check=False)
                rows = self.rows(["_ws.malformed", *(f"{layer}.checksum.status" for layer in ("ip", "sctp"))], "-Y", SENT)
                self.assertGreater(len(rows), 500)
                self.assertEqual({tuple(row) for row in rows}, {("", "1", "1")})
                grave = f"({SENT}) && _ws.expert.severity >= 0x00600000"
                self.assertEqual(self.rows(["_ws.expert.message"], "-Y", grave), [])
                kinds, causes = set(), set()
                for chunks, codes in self.rows(["sctp.chunk_type", "sctp.cause_code"], "-Y", SENT):
                    kinds.update(int(kind) for kind in chunks.split(",") if kind)
                    causes.update(int(code, 0) for code in codes.split(",") if code)
                self.assertLessEqual(CHUNKS, kinds)
                self.assertEqual(causes, CAUSES)


if __name__ == "__main__":
    unittest.main()
