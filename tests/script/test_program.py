#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs that play packet scripts: a line per script, and how they end."""

import os
import pathlib
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["NETSIM"]).parent
TREE = pathlib.Path(os.environ["NETSIM_SOURCE_DIR"])


def run(program, *arguments):
    return subprocess.run([BUILD / program, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60, check=False)


class Programs(unittest.TestCase):
    def script(self, text):
        file = tempfile.NamedTemporaryFile("w", suffix=".pkt", delete=False)
        self.addCleanup(os.unlink, file.name)
        with file:
            file.write(text)
        return file.name

    def test_lines(self):
        good = TREE / "tests/script/tcp/nagle.pkt"
        bad = self.script("0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3\n\n+0 close(4) = 0\n")
        other = self.script("0 splice(3) = 0\n")
        result = run("tcp_script", good, bad, other)
        self.assertEqual(result.stdout.splitlines(), [
            f"pass {good}",
            f"fail {bad}:3: expected close = 0, got -1 EBADF",
            f"unsupported {other}:1: splice",
        ])
        self.assertEqual(result.returncode, 1)
        self.assertEqual(run("tcp_script", good).returncode, 0)

    def test_usage(self):
        for arguments in ([], ["--profile", "rfc9260", "x"], ["--nonsense", "x"], ["--set"]):
            result = run("tcp_script", *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("usage: tcp_script", result.stderr)
        self.assertEqual(run("sctp_script", "--profile", "ns3", "x").returncode, 2)
        missing = run("tcp_script", "/nowhere.pkt")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("/nowhere.pkt", missing.stderr)
        self.assertEqual(run("sctp_script", "--help").returncode, 0)

    def test_settings(self):
        # A round trip of the profile's: RFC 9260 delays a SACK, and its RTO begins at 1 s, not 3.
        script = self.script("0 socket(..., SOCK_STREAM, IPPROTO_SCTP) = 3\n"
                             "+0 connect(3, ..., ...) = -1 EINPROGRESS (x)\n"
                             "* > sctp: INIT[flgs=0, tag=1, a_rwnd=..., os=7, is=..., tsn=1, ...]\n"
                             "+1 > sctp: INIT[flgs=0, tag=1, a_rwnd=..., os=7, is=..., tsn=1, ...]\n")
        setting = ["--set", "sctp.streams_out=7"]
        self.assertEqual(run("sctp_script", *setting, script).returncode, 0)
        self.assertIn("got nothing until", run("sctp_script", *setting, "--profile", "s2007",
                                               script).stdout)
        self.assertIn(":3: expected", run("sctp_script", script).stdout)
        self.assertIn(":1: expected settings", run("sctp_script", "--set", "sctp.x=1",
                                                   script).stdout)
        verbose = run("sctp_script", "--verbose", *setting, script)
        self.assertIn("> sctp: INIT[flgs=0, tag=", verbose.stderr)


if __name__ == "__main__":
    unittest.main()
