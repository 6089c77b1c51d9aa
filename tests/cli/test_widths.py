#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The text that commands print where there is no terminal has at most 80 columns."""

import unittest

import harness


class Widths(harness.Case):
    def test_text_has_80_columns(self):
        self.netsim("new", "wide", "--stack", "openmpi_tcp", "--hosts", "16")
        for command in (["list"], ["list", "figures"], ["list", "parameters"], ["list", "sections"],
                        ["show", "pingpong_cluster1"], ["show", "two_networks"], ["show", "wide.yaml"],
                        ["show", "fat_tree_10000"], ["show", "intercept_clos1024", "--route", "node0", "node900"],
                        ["describe", "lam_via"], ["describe", "openmpi_tcp"], ["describe", "put"],
                        ["describe", "nas.bt"], ["describe", "ch3_sock"], ["describe", "link"], ["describe", "host"],
                        ["describe", "sctp"], ["describe", "file"], ["describe", "file", "claims"]):
            with self.subTest(command):
                lines = self.netsim(*command).stdout.splitlines()
                # A word that is longer by itself is not cut.
                self.assertEqual([line for line in lines if len(line) > 80 and len(line.split()) > 1], [])


if __name__ == "__main__":
    unittest.main()
