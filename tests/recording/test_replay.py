#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Recordings as workloads: replayed over every stack with MPI they take exactly as long as the same
calls as a program, all messages arrive, and mistakes are reported with file and line. The random
programs have fixed seeds; no test depends on how long something takes.
"""

import csv
import json
import os
import random
import subprocess
import tempfile
import unittest

NETSIM = os.path.abspath(os.environ["NETSIM"])
SOURCE = os.path.abspath(os.environ["NETSIM_SOURCE_DIR"])
TESTBEDS = os.path.join(SOURCE, "scenarios", "testbeds")

# Each with a machine that it runs on.
STACKS = {"lam_tcp": "cluster1", "lam_via": "cluster1", "mvich": "cluster1", "mpich_p4": "cluster1",
          "ch3_sock": "x306", "ch3_sctp": "x306", "ch3_hybrid": "x306", "openmpi_tcp": "x306",
          "armci": "config1"}
EAGER_ONLY = {"armci"}          # the modelled MPICH-GM has no rendezvous
PINNING = {"lam_via", "mvich"}  # long messages of memory that is pinned first
MOST_RANKS = {"x306": 2, "config1": 2, "cluster1": 6}
DONE, WRONG, FAILED = 0, 1, 3   # exit codes

COMPUTE = 1e9                   # flop/s


class Author:
    """A random program, as lines of traces and as parts of a program. It cannot deadlock: in each
    round messages go round a ring, and their receives are posted first."""

    def __init__(self, seed, ranks, largest, synchronous):
        self.random, self.ranks, self.largest = random.Random(seed), ranks, largest
        self.sends = (("send", "send"), ("ssend", "Ssend"))[:1 + synchronous]
        self.lines = [["init"] for _ in range(ranks)]
        self.parts = [[] for _ in range(ranks)]
        for _ in range(self.random.randint(4, 9)):
            self.random.choice((self.ring, self.pair, self.sendrecv, self.collective,
                                self.collective, self.work))()
        for lines in self.lines:
            lines.append("finalize")

    def size(self):
        return self.random.choice((0, 1, 100, 1500, 10000, 70000, 300000)) % (self.largest + 1)

    def put(self, rank, line, part):
        self.lines[rank].append(line)
        self.parts[rank].append(part)

    def all(self, line, part):
        for rank in range(self.ranks):
            self.put(rank, line, part)

    def ring(self):
        """Several at once, and waited for together or one by one, in any order."""
        count, step = self.random.randint(1, 3), self.random.randint(0, self.ranks - 1)
        sizes, together = [self.size() for _ in range(count)], self.random.random() < 0.5
        for rank in range(self.ranks):
            to, source = (rank + step) % self.ranks, (rank - step) % self.ranks
            if to == rank:
                continue
            waits = []
            for tag, size in enumerate(sizes):
                self.put(rank, f"irecv {source} {tag} {size} 6",
                         f"{{irecv: {{from: {source}, tag: {tag}, size: {size} B, request: r{tag}}}}}")
                waits.append((f"wait {source} {rank} {tag}", f"{{wait: r{tag}}}"))
            for tag, size in enumerate(sizes):
                self.put(rank, f"isend {to} {tag} {size} 6",
                         f"{{isend: {{to: {to}, tag: {tag}, size: {size} B, request: s{tag}}}}}")
                waits.append((f"wait {rank} {to} {tag}", f"{{wait: s{tag}}}"))
            if together:
                self.put(rank, f"waitall {len(waits)}", "{waitall: all}")
                continue
            # Requests that are alike are awaited in their order.
            for line, part in sorted(waits, key=lambda _: self.random.random()):
                self.put(rank, line, part)

    def pair(self):
        if self.ranks < 2:
            return
        one, other = self.random.sample(range(self.ranks), 2)
        size, tag = self.size(), self.random.randint(0, 3)
        kind, action = self.random.choice(self.sends)
        self.put(one, f"{action} {other} {tag} {size} 6",
                 f"{{{kind}: {{to: {other}, tag: {tag}, size: {size} B}}}}")
        self.put(other, f"recv {one} {tag} {size} 6",
                 f"{{recv: {{from: {one}, tag: {tag}, size: {size} B}}}}")

    def sendrecv(self):
        """Each sends another size, so that it receives another size than it sends."""
        sizes = [self.size() for _ in range(self.ranks)]
        for rank in range(self.ranks):
            to, source = (rank + 1) % self.ranks, (rank - 1) % self.ranks
            if to != rank:
                self.put(rank, f"sendRecv {sizes[rank]} {to} {sizes[source]} {source} 6 6",
                         f"{{sendrecv: {{to: {to}, from: {source}, size: {sizes[rank]} B, "
                         f"receive_size: {sizes[source]} B}}}}")

    def collective(self):
        size, root = self.size() % 5000, self.random.randrange(self.ranks)
        blocks = [self.size() % 3000 for _ in range(self.ranks)]
        listed = " ".join(map(str, blocks))
        sizes = " + ".join(f"{block} B * (peer == {rank})" for rank, block in enumerate(blocks))
        line, part = self.random.choice((
            ("barrier", "barrier"),
            (f"bcast {size} {root} 6", f"{{bcast: {{root: {root}, size: {size} B}}}}"),
            (f"reduce {size} 0 {root} 6", f"{{reduce: {{root: {root}, size: {size} B}}}}"),
            (f"allreduce {size} 0 6", f"{{allreduce: {size} B}}"),
            (f"allgather {size} {size} 6 6", f"{{allgather: {size} B}}"),
            (f"alltoall {size} {size} 6 6", f"{{alltoall: {size} B}}"),
            (f"gather {size} {size} {root} 6 6", f"{{gather: {{root: {root}, size: {size} B}}}}"),
            (f"scatter {size} {size} {root} 6 6", f"{{scatter: {{root: {root}, size: {size} B}}}}"),
            (f"scan {size} 0 6", f"{{scan: {size} B}}"),
            (f"exscan {size} 0 6", f"{{exscan: {size} B}}"),
            (f"reducescatter {listed} 0 6", f"{{reduce_scatter: \"{sizes}\"}}"),
            ("allgatherv", f"{{allgatherv: \"{sizes}\"}}"),
            ("gatherv", f"{{gatherv: {{root: {root}, sizes: \"{sizes}\"}}}}"),
            ("scatterv", f"{{scatterv: {{root: {root}, sizes: \"{sizes}\"}}}}")))
        for rank, block in enumerate(blocks):
            known = listed if rank == root else " ".join("0" * self.ranks)
            own = {"allgatherv": f"allgatherv {block} {listed} 6 6",
                   "gatherv": f"gatherv {block} {known} {root} 6 6",
                   "scatterv": f"scatterv {known} {block} {root} 6 6"}.get(line, line)
            self.put(rank, own, part)

    def work(self):
        rank, flops = self.random.randrange(self.ranks), self.random.randint(1, 10**6)
        self.put(rank, f"compute {flops}", f"{{compute: {flops} ns}}")

    def trace(self):
        return "".join(f"{rank} {line}\n" for rank, lines in enumerate(self.lines) for line in lines)

    def program(self):
        return "".join(f"    - ranks: {rank}\n      do: [{', '.join(parts)}]\n"
                       for rank, parts in enumerate(self.parts) if parts)


class Replays(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="netsim-replay-")
        self.addCleanup(temporary.cleanup)
        self.directory = temporary.name

    def write(self, name, text):
        with open(os.path.join(self.directory, name), "w", encoding="ascii") as file:
            file.write(text)

    def netsim(self, command, *words, code=DONE):
        done = subprocess.run([NETSIM, command, *words], cwd=self.directory, text=True, check=False,
                              timeout=300, stdin=subprocess.DEVNULL, capture_output=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def scenario(self, name, workload, stack="lam_tcp"):
        self.write(name, f"schema: 1\ntestbed: {TESTBEDS}/{STACKS[stack]}.yaml\nstack: {stack}\n"
                         f"workload:\n{workload}")

    def replayed(self, trace, stack="lam_tcp", code=DONE, options=(), keys="  speed: 1 Gflop/s\n"):
        """The JSON document of a replay."""
        self.write("t.txt", trace)
        self.scenario("s.yaml", "  replay: t.txt\n" + keys, stack)
        return json.loads(self.netsim("run", "s.yaml", "--format", "json", "--out", "replay",
                                      *options, code=code).stdout)

    def refused(self, trace, *parts, stack="lam_tcp", keys="  speed: 1 Gflop/s\n", options=()):
        self.write("t.txt", trace)
        self.scenario("s.yaml", "  replay: t.txt\n" + keys, stack)
        errors = self.netsim("check", "s.yaml", *options, code=WRONG).stderr
        for part in parts:
            self.assertIn(part, errors)


def times(document):
    """{rank: us} of the only series."""
    return {value["rank"]: value["value"] for value in document["series"][0]["values"]
            if value["metric"] == "program_us"}


class SameAsProgram(Replays):
    def compare(self, stack, seed, largest):
        """Times by rank of the replay and of the program, whose messages are the same."""
        ranks = min(2 + seed % 5, MOST_RANKS[STACKS[stack]])
        author = Author(seed, ranks, largest, stack not in EAGER_ONLY)
        replay = self.replayed(author.trace(), stack)
        self.scenario("p.yaml", f"  ranks: {ranks}\n  program:\n{author.program()}", stack)
        program = json.loads(self.netsim("run", "p.yaml", "--format", "json", "--out",
                                         "program").stdout)
        for key in ("messages", "bytes", "delivered", "lost", "open"):
            self.assertEqual(replay["series"][0]["ledger"][key],
                             program["series"][0]["ledger"][key], key)
        self.assertTrue(replay["series"][0]["ledger"]["balanced"])
        return times(replay), times(program)

    def test_every_stack(self):
        """Where no memory is pinned, addresses do not matter: both take the same time to the bit."""
        for stack in STACKS:
            largest = 1500 if stack in PINNING else 10000 if stack in EAGER_ONLY else 300000
            for seed in range(8):
                with self.subTest(stack=stack, seed=seed):
                    replay, program = self.compare(stack, seed, largest)
                    self.assertEqual(replay, program)

    def test_messages_of_pinned_memory(self):
        """Calls that block share memory in a replay, which is pinned once: the messages are the same."""
        for stack in PINNING:
            for seed in range(8):
                with self.subTest(stack=stack, seed=seed):
                    self.compare(stack, seed, 300000)

    def test_pinned_memory(self):
        """Requests that are open at once have memory of their own, and each has its own pinned."""
        lines = ("irecv {o} 1 60000 6", "irecv {o} 2 200000 6", "isend {o} 1 60000 6",
                 "isend {o} 2 200000 6", "waitall 4")
        trace = "".join(f"{rank} {line.format(o=1 - rank)}\n" for rank in (0, 1)
                        for line in ("init", *lines, "finalize"))
        parts = ", ".join(f"{{{kind}: {{{end}: 1 - rank, tag: {tag}, size: {size} B, "
                          f"request: {kind}{tag}}}}}" for kind, end in (("irecv", "from"),
                                                                        ("isend", "to"))
                          for tag, size in ((1, 60000), (2, 200000)))
        for stack in STACKS.keys() - EAGER_ONLY:
            self.scenario("p.yaml", "  ranks: 2\n  program:\n    - ranks: all\n"
                                    f"      do: [{parts}, {{waitall: all}}]\n", stack)
            program = json.loads(self.netsim("run", "p.yaml", "--format", "json", "--out",
                                             "program").stdout)
            self.assertEqual(times(self.replayed(trace, stack)), times(program), stack)

    def test_poll(self):
        """A rank that polls goes on when its message has arrived, and not before."""
        document = self.replayed("0 init\n0 compute 5e6\n0 send 1 7 1 6\n0 finalize\n1 init\n"
                                 "1 irecv 0 7 1 6\n1 test 0 1 7\n1 test 0 1 7\n1 finalize\n")
        self.assertGreater(times(document)[1], 5000)

    def test_time(self):
        """Work takes its operations at the speed; a sleep takes its seconds at any speed."""
        trace = "0 init\n0 compute 3e6\n0 sleep 0.001\n0 finalize\n1 init\n1 finalize\n"
        slow = times(self.replayed(trace))[0]
        fast = times(self.replayed(trace, keys="  speed: 3 Gflop/s\n"))[0]
        self.assertAlmostEqual(slow, 4000, delta=1)
        self.assertAlmostEqual(fast, 2000, delta=1)


class Failures(Replays):
    GOOD = ("0 init\n0 send 1 7 100 0\n0 recv 1 6 1 0\n0 finalize\n"
            "1 init\n1 recv 0 7 100 0\n1 send 0 6 1 0\n1 finalize\n")

    def test_receive_without_send(self):
        self.replayed(self.GOOD)
        trace = self.GOOD.replace("1 send 0 6 1 0\n", "")
        self.replayed(trace, code=FAILED)
        text = self.netsim("run", "s.yaml", "--out", "again", code=FAILED).stdout
        self.assertIn("deadlock", text)
        self.assertIn("t.txt:3:1: recv", text)

    def test_collective_of_some(self):
        """As when a communicator was lost: the ranks that call it wait for those that do not."""
        self.replayed("0 init\n0 allreduce 1 0 0\n0 finalize\n1 init\n1 finalize\n", code=FAILED)
        text = self.netsim("run", "s.yaml", "--out", "again", code=FAILED).stdout
        self.assertIn("t.txt:2:1: allreduce", text)

    def test_names_the_file_of_the_rank(self):
        for rank in (0, 1):
            self.write(f"r{rank}.txt", f"{rank} init\n{rank} recv {1 - rank} 1 8 6\n"
                                       f"{rank} finalize\n")
        self.replayed("r0.txt\nr1.txt\n", code=FAILED)
        text = self.netsim("run", "s.yaml", "--out", "again", code=FAILED).stdout
        self.assertIn("r0.txt:2:1: recv", text)
        self.assertIn("r1.txt:2:1: recv", text)


class Keys(Replays):
    WORK = "0 init\n0 compute 1e6\n0 barrier\n0 finalize\n1 init\n1 barrier\n1 finalize\n"

    def test_refused(self):
        speed = "  speed: 1 Gflop/s\n"
        for keys, part in (("", "workload.speed: must be given: the recording counts operations"),
                           ("  speed: 1 GB/s\n", "workload.speed: "),
                           ("  speed: -1 Gflop/s\n", "workload.speed: "),
                           (speed + "  ranks: 3\n", "the recording has 2 ranks, not 3"),
                           (speed + "  time_scale: 2\n", "the recording counts operations"),
                           (speed + "  sizes: 1 B\n", "sizes belongs to a benchmark"),
                           (speed + "  benchmark: pmb.barrier\n", "exclude each other"),
                           (speed + "  program: [{ranks: all, do: [barrier]}]\n",
                            "exclude each other"),
                           (speed + "  communicators: {a: [0]}\n", "communicators belong to"),
                           (speed + "  sped: 2\n", "did you mean speed?")):
            with self.subTest(keys=keys):
                self.refused(self.WORK, part, keys=keys)

    def test_accepted(self):
        self.replayed(self.WORK, keys="  speed: 1 Gflop/s\n  ranks: 2\n")
        self.replayed("0 init\n0 barrier\n0 finalize\n", keys="")  # no work, no speed

    def test_what_a_stack_lacks(self):
        """Reported with the line of the first such call, before anything runs."""
        self.write("t.txt", self.WORK)
        self.write("s.yaml", f"schema: 1\ntestbed: {TESTBEDS}/config1.yaml\nstack: gm\n"
                             "workload: {replay: t.txt, speed: 1 Gflop/s}\n")
        errors = self.netsim("check", "s.yaml", code=WRONG).stderr
        self.assertIn("t.txt:3:1: error: workload.replay: the stack gm has no barrier", errors)

    def test_bad_trace_at_check(self):
        self.refused("0 init\n0 fly\n0 finalize\n", "t.txt:2:3: error: \"fly\" is no action")
        self.refused("", "is empty")
        self.refused("9999999 init\n", "is out of range")

    def test_no_file(self):
        self.scenario("s.yaml", "  replay: nowhere.txt\n")
        self.assertIn("nowhere.txt cannot be read: No such file",
                      self.netsim("check", "s.yaml", code=WRONG).stderr)

    def test_relative_to_the_scenario(self):
        os.mkdir(os.path.join(self.directory, "inner"))
        self.write("inner/t.txt", self.WORK)
        self.scenario("inner/s.yaml", "  replay: t.txt\n  speed: 1 Gflop/s\n")
        self.netsim("run", "inner/s.yaml", "--out", "out")


class Sweeps(Replays):
    ONE = "0 init\n0 compute 1e6\n0 finalize\n1 init\n1 finalize\n"

    def swept(self, path, *values):
        """Times of rank 0, in whole us, of a sweep over a key."""
        self.scenario("s.yaml", "  replay: t.txt\n  speed: 1 Gflop/s\n")
        text = self.netsim("sweep", "s.yaml", "--set", f"{path}={','.join(values)}", "--out",
                           "swept", "--csv", "-q").stdout
        rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
        return [round(float(row["value"])) for row in rows
                if row["metric"] == "program_us" and row["rank"] == "0"]

    def test_over_speed_and_recording(self):
        self.write("t.txt", self.ONE)
        self.write("u.txt", self.ONE.replace("1e6", "4e6"))
        self.assertEqual(self.swept("workload.speed", "1 Gflop/s", "2 Gflop/s"), [1000, 500])
        self.assertEqual(self.swept("workload.replay", "t.txt", "u.txt")[-2:], [1000, 4000])

    def test_a_changed_recording_is_another_case(self):
        """Results that are kept are of the recording's contents, not of its name."""
        self.write("t.txt", self.ONE)
        self.assertEqual(self.swept("workload.speed", "1 Gflop/s"), [1000])
        self.write("t.txt", self.ONE.replace("1e6", "7e6"))
        self.assertEqual(self.swept("workload.speed", "1 Gflop/s")[-1:], [7000])


if __name__ == "__main__":
    unittest.main()
