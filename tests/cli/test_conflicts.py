#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A check between parameters of different sections complains where the user set one of them, not at a default."""

import unittest

from harness import Case

HEAD = "schema: 1\ntestbed: testbeds/{testbed}.yaml\nstack: {stack}\n{workload}\n"
PROGRAM = "workload: {ranks: 2, program: [{ranks: all, do: [barrier]}]}"
PINGPONG = "workload: {benchmark: native.pingpong, sizes: [1 B]}"
PUT = "workload: {benchmark: portals.put, sizes: [1 B]}"

# Stack, testbed, workload; one parameter and a value of it, and another one, that do not go together.
CONFLICTS = (
    ("ch3_hybrid", "x306", PROGRAM, "ch3_hybrid.receives", "200", "iwarp.queue_depth", "25"),
    ("ch3_hybrid", "x306", PROGRAM, "iwarp.segment", "64000 B", "ch3_sctp.socket_buffer", "40000 B"),
    ("iwarp", "x306", PINGPONG, "iwarp.segment", "64000 B", "sctp.send_buffer", "30000 B"),
    ("portals", "intercept_system1", PUT, "vdma_handler.header", "256 B", "portals.header", "256 B"),
    ("gm", "config1", PINGPONG, "gm_native.receive_buffers", "254", "gm.receive_tokens", "2"),
    ("mvich", "cluster1", PROGRAM, "mvich.vbuf", "40000 B", "mvia.largest_transfer", "512 B"),
    ("lam_via", "cluster1", PROGRAM, "lam_via.short", "40000 B", "mvia.largest_transfer", "2000 B"),
    ("lam_tcp", "cluster1", PROGRAM, "tcp.mtu", "1501 B", "eepro100.largest_frame", "1000 B"),
)


class Conflicts(Case):
    def check(self, case, settings, *options):
        stack, testbed, workload = case[:3]
        sections = "".join(f"{section}: {{{key}: {value}}}\n" for section, key, value in
                           ((*name.split("."), value) for name, value in settings))
        self.write("conflict.yaml", HEAD.format(stack=stack, testbed=testbed, workload=workload) + sections)
        return self.netsim("check", "conflict.yaml", *options, code=None)

    def test_the_place_is_that_of_what_was_set(self):
        for case in CONFLICTS:
            first, second = case[3:5], case[5:7]
            for name, value in (first, second):
                alone = self.check(case, [(name, value)])
                if alone.returncode == 0:
                    continue
                with self.subTest(name=name):
                    self.assertIn(f"conflict.yaml:5:{len(name) + 5}: error: {name}: ", alone.stderr)
                    self.assertNotIn("default", alone.stderr)

    def test_of_two_that_were_set_both_are_named(self):
        for case in CONFLICTS:
            with self.subTest(names=(case[3], case[5])):
                done = self.check(case, [case[3:5], case[5:7]])
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, rf"conflict.yaml:5:\d+: error: {case[3]}: .*; {case[5]} is set at conflict.yaml:6:\d+")

    def test_the_command_line_is_nearer_than_the_file(self):
        for case in CONFLICTS:
            with self.subTest(names=(case[3], case[5])):
                done = self.check(case, [case[3:5]], "--set", f"{case[5]}={case[6]}")
                self.assertRegex(done.stderr, rf"--set {case[5]}={case[6]}: error: {case[5]}: .*; {case[3]} is set at conflict.yaml:5:\d+")


if __name__ == "__main__":
    unittest.main()
