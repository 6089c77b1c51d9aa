#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits of a run: the values that a scenario may hold, and the end of simulated time."""

import json
import unittest

from harness import Case

PROGRAM = """\
schema: 1
testbed: testbeds/cluster1.yaml
stack: lam_via
workload:
  ranks: 2
  program:
    - {ranks: 0, do: [{loop: {count: 100000, do: [{compute: %s}]}}]}
    - {ranks: 1, do: [{compute: 1 s}]}
"""

# One workload for stacks on Ethernet, one for those on Myrinet.
ETHERNET = """\
schema: 1
what_if: card_rate
testbed: testbeds/cluster1.yaml
workload: {benchmark: pmb.pingpong, sizes: [0 B, 20 kB], repetitions: 1}
series:
  - {name: a, stack: lam_via}
  - {name: b, stack: mvich}
  - {name: c, stack: lam_tcp}
  - {name: d, stack: mpich_p4}
"""
MYRINET = """\
schema: 1
testbed: testbeds/config1.yaml
stack: armci
workload: {benchmark: armci.put, sizes: [1 B, 200 kB], repetitions: 1}
"""


class EndOfTime(Case):
    def test_values_are_bounded_where_they_are_read(self):
        self.write("long.yaml", PROGRAM % "9000000 s")
        done = self.netsim("check", "long.yaml", code=1)
        self.assertIn("long.yaml:7:61: error: workload.program[0].do[0].loop.do[0].compute",
                      done.stderr)
        self.assertIn("too large (at most 600 min)", done.stderr)
        for setting, most in (("host.kernel.system_call=1e15 cycles", "36000000000000 cycles"),
                              ("host.kernel.system_call=601 min", "600 min"),
                              ("eepro100.tx_start=601 min", "600 min"),
                              ("host.memory.ram=1025 GiB", "1024 GiB"),
                              ("workload.sizes=2e12 B", "1024 GiB")):
            done = self.netsim("check", self.small(), "--set", setting, code=1)
            self.assertIn(f"--set {setting}: error: ", done.stderr)
            self.assertIn(most, done.stderr)
        self.assertIn("[0 .. 600 min]", self.netsim("describe", "host.kernel").stdout)

    def test_a_computed_value_is_bounded_when_it_is_used(self):
        self.write("computed.yaml", PROGRAM % '"1 ms * (rank - 1)"')
        done = self.netsim("run", "computed.yaml", code=3)
        self.assertIn("computed.yaml:7:52: compute, rank 0: -1 ms is no duration: "
                      "the range is 0 .. 600 min", " ".join(done.stdout.split()))

    def test_the_clock_ends(self):
        self.write("ends.yaml", PROGRAM % "600 min")
        done = self.netsim("run", "ends.yaml", "--format", "json", code=3)
        reason = json.loads(done.stdout)["series"][0]["reason"]
        self.assertEqual(reason["kind"], "end_of_time")
        self.assertIn("past the end of simulated time, 26 days; rank 0 is at "
                      "ends.yaml:7:52: compute",
                      reason["text"])
        self.assertEqual([rank["rank"] for rank in reason["ranks"]], [0])

    def test_the_limit_of_time_is_for_the_whole_command(self):
        """Series that have not begun when it is reached fail at once, in one process or in several."""
        series = "".join(f"  - {{name: s{i}, stack: lam_via}}\n" for i in range(6))
        self.write("many.yaml", "schema: 1\ntestbed: testbeds/cluster1.yaml\n"
                   "workload: {benchmark: pmb.pingpong, sizes: [0 B], repetitions: 1}\nseries:\n" + series)
        for jobs in ("-j1", "-j2"):
            with self.subTest(jobs=jobs):
                done = self.netsim("run", "many.yaml", "--time-limit", "1us", jobs, "--format", "json", code=3)
                reasons = [one["reason"] for one in json.loads(done.stdout)["series"]]
                self.assertEqual([reason["kind"] for reason in reasons], ["time_limit"] * 6)
                for reason in reasons:
                    self.assertIn("after 1e-06 s, its limit (--time-limit)", reason["text"])
        self.netsim("explain", "many.yaml", "--series", "s0", "--time-limit", "1us", code=3)

    def test_the_largest_costs_end_a_run_and_do_not_break_it(self):
        """Whatever is multiplied and summed up stays countable, wherever it is charged."""
        for text, settings in (
                (ETHERNET, ("host.kernel.system_call=600 min", "host.memory.pin_page=36e12 cycles",
                            "host.memory.copy_setup=600 min", "host.bus.read_setup=1000000",
                            "link.rate=1 b/s", "eepro100.interrupt_delay=600 min",
                            "lam.match=600 min", "tcp.select_socket=600 min",
                            "mvia.connect_retry=600 min")),
                (MYRINET, ("host.memory.pin_page=600 min", "lanai7.write_word=36e12 cycles",
                           "lanai7.read_setup=600 min",
                           "gm.free_record=600 min"))):
            self.write("costs.yaml", text)
            for setting in settings:
                with self.subTest(setting=setting):
                    done = self.netsim("run", "costs.yaml", "--set", setting, "--quiet", code=None)
                    self.assertIn(done.returncode, (0, 3), done.stderr)


class ConnectionsGivenUp(Case):
    def test_all_requests_lost(self):
        """Stacks over VIA end, and report which links lost how many of their requests."""
        for stack, benchmark in (("mvia", "native.pingpong"), ("lam_via", "pmb.pingpong"),
                                 ("mvich", "pmb.pingpong")):
            self.write("lost.yaml", "schema: 1\ntestbed: testbeds/cluster1.yaml\n"
                       f"stack: {stack}\nlink: {{drop_probability: 1}}\n"
                       f"workload: {{benchmark: {benchmark}, sizes: [1 B], repetitions: 2}}\n")
            with self.subTest(stack=stack):
                done = self.netsim("run", "lost.yaml", "--format", "json", code=3)
                reason = json.loads(done.stdout)["series"][0]["reason"]
                self.assertEqual(reason["kind"], "connection_timeout")
                self.assertRegex(reason["text"], r"node1: 300 requests in 30 s had no answer .*; "
                                                 r"300 packets lost on link node0->switch")


class Limits(Case):
    def reason(self, *arguments):
        done = self.netsim("run", *arguments, "--format", "json", code=3)
        return json.loads(done.stdout)

    def test_simulated_time(self):
        """Ends at the same event each time, with what each rank waits for."""
        self.write("waits.yaml", PROGRAM.replace("compute: 1 s", "recv: {from: 0, size: 1 B}")
                   % "1 ms")
        first = self.reason("waits.yaml", "--simulated-limit", "70 ms")
        reason = first["series"][0]["reason"]
        self.assertEqual(reason["kind"], "simulated_limit")
        self.assertIn("not over after 70 ms of simulated time, its limit (limits.simulated_time)",
                      reason["text"])
        self.assertIn("rank 0 is at waits.yaml:7:52: compute", reason["text"])
        self.assertEqual(reason["ranks"][1]["at"], "waits.yaml:8:24: recv")
        self.assertEqual(reason["ranks"][1]["requests"][0]["waits_for"], "a matching message")
        again = self.reason("waits.yaml", "--set", "limits.simulated_time=70 ms")
        self.assertEqual(first["run"]["fingerprint"], again["run"]["fingerprint"])
        self.assertEqual(first["run"]["events"], again["run"]["events"])

    def test_a_limit_that_is_not_reached_changes_nothing(self):
        runs = [json.loads(self.netsim("run", self.small(), "--format", "json", *more).stdout)
                for more in ((), ("--simulated-limit", "10 s"), ("--time-limit", "600"))]
        self.assertEqual(len({run["run"]["fingerprint"] for run in runs}), 1)

    def test_when_all_ranks_have_ended_only_timers_are_left(self):
        """The last message is lost after its sender has gone: TCP repeats it for minutes."""
        self.write("timers.yaml", """\
schema: 1
testbed: testbeds/cluster1.yaml
stack: lam_tcp
link: {down: [{from: 5 ms, to: 600 min}]}
workload:
  ranks: 2
  program:
    - {ranks: 0, do: [{compute: 10 ms}, {send: {to: 1, size: 1 KiB}}]}
    - {ranks: 1, do: [{compute: 1 ms}]}
""")
        self.netsim("run", "timers.yaml", code=3)
        # The programs came to their end; the loss of data is reported all the same.
        done = self.netsim("run", "timers.yaml", "--simulated-limit", "1 s", code=2)
        self.assertIn("1 lost", done.stdout)
        self.assertNotIn("limits.simulated_time", done.stdout)

    def test_time_on_the_wall(self):
        """A loop of nothing takes no simulated time, and would never end."""
        self.write("endless.yaml", PROGRAM.replace("100000", "1" + 15 * "0") % "0")
        reason = self.reason("endless.yaml", "--time-limit", "2s")["series"][0]["reason"]
        self.assertEqual(reason["kind"], "time_limit")
        self.assertIn("still going on after 2 s, its limit (--time-limit); rank 0 is at "
                      "endless.yaml:7:", reason["text"])
        done = self.netsim("explain", "endless.yaml", "--time-limit", "100ms", code=3)
        self.assertIn("its limit (--time-limit)", done.stdout)

    def test_stop_at(self):
        """Ends at the same event each time, with the state of what is under way."""
        arguments = ("pingpong_cluster1", "--series", "LAM TCP", "--series", "native TCP")
        first = self.reason(*arguments, "--stop-at", "3 ms")
        reason = first["series"][0]["reason"]
        self.assertEqual(reason["kind"], "stopped")
        self.assertIn("stopped after 3 ms of simulated time (--stop-at); rank 0 is at ", reason["text"])
        self.assertLessEqual(reason["time_us"], 3000)
        self.assertEqual([rank["rank"] for rank in reason["ranks"]], [0, 1])
        self.assertIn("a matching message", [request["waits_for"] for rank in reason["ranks"] for request in rank["requests"]])
        states = reason["states"]
        self.assertEqual(len(states), reason["machines"])
        self.assertIn(("tcp", 1, "ESTABLISHED"),
                      [(one["machine"], one["number"], one["state"]) for one in states])
        self.assertEqual([one["since_us"] for one in states],
                         sorted((one["since_us"] for one in states), reverse=True))
        # The wait is that of the state's row; what has ended is not there.
        waits = {one["state"]: one.get("waits_for") for one in first["series"][1]["reason"]["states"]}
        self.assertEqual(waits["posted"], "its bytes")
        self.assertNotIn("done", waits)
        again = self.reason(*arguments, "--set", "limits.simulated_time=3 ms")
        self.assertEqual(first["run"]["fingerprint"], again["run"]["fingerprint"])
        # Beside another sink, and in processes.
        more = self.reason(*arguments, "--stop-at", "3 ms", "--log-states", "log", "--jobs", "2")
        self.assertEqual(first["series"], more["series"])
        self.assertIn("-> ESTABLISHED", self.read("log"))
        shown = self.netsim("run", *arguments, "--stop-at", "3 ms", code=3).stdout
        self.assertRegex(shown, r"\n    node0, tcp 1: ESTABLISHED since [0-9.]+ us\n")

    def test_stop_at_is_not_reached(self):
        runs = [json.loads(self.netsim("run", self.small(), "--format", "json", *more).stdout)
                for more in ((), ("--stop-at", "10 s"))]
        self.assertEqual(runs[0]["series"], runs[1]["series"])

    def test_wrong_stops(self):
        for stop, why in (("soon", ""), ("0 s", "nothing would be left"), ("-1 s", ""), ("5", "")):
            done = self.netsim("run", self.small(), f"--stop-at={stop}", code=1)
            self.assertIn(f"--stop-at {stop}: {why}", done.stderr)

    def test_in_sweeps(self):
        done = self.netsim("sweep", self.small(), "--set", "lam_via.tiny=1 KiB,2 KiB", "--quiet",
                           "--simulated-limit", "1 ms", code=None)
        self.assertEqual(done.returncode, 0, done.stderr)
        report = self.netsim("sweep", "--report", "results/small", "--format", "json").stdout
        self.assertIn("simulated_limit", report)

    def test_wrong_limits(self):
        for command in ("run", "sweep", "explain", "plot"):
            for limit in ("soon", "0", "-1 s", "5 MB"):
                done = self.netsim(command, self.small(), f"--time-limit={limit}", code=1)
                self.assertIn(f"--time-limit {limit}: ", done.stderr)
        done = self.netsim("run", self.small(), "--simulated-limit", "5", code=1)
        self.assertIn("limits.simulated_time: \"5\": missing unit", done.stderr)


if __name__ == "__main__":
    unittest.main()
