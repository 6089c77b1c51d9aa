#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""A sweep on Slurm: starts Debian's slurm-wlm on this machine, runs a sweep by srun and by examples/slurm_array.sh, kills a
worker, runs it again, and compares what all of them report with one process's report, byte for byte.

    tests/slurm.py NETSIM

Needs root, slurmctld, slurmd and munged (packages slurm-wlm, munge). Ends with 77 and the reason where Slurm can't start.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
SWEEP = ROOT / "scenarios/sweeps/descriptor_counts.yaml"
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket={directory}/munge.socket
CryptoType=crypto/munge
SlurmUser=root
SlurmctldPort={controller}
SlurmdPort={node}
SlurmctldPidFile={directory}/ctld.pid
SlurmdPidFile={directory}/d.pid
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool
SlurmctldLogFile={directory}/ctld.log
SlurmdLogFile={directory}/d.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
MpiDefault=none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=p Nodes={host} Default=YES MaxTime=INFINITE State=UP OverSubscribe=YES
"""


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(77)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """Slurm of one node, with munge's key and everything else of its own in a directory."""

    def __init__(self, directory):
        self.directory = directory
        self.daemons = []
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "OMPI", "PMI"))}
        self.environment["SLURM_CONF"] = str(directory / "slurm.conf")

    def start(self):
        for name in ("state", "spool"):
            (self.directory / name).mkdir()
        key = self.directory / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        (self.directory / "slurm.conf").write_text(CONFIGURATION.format(
            host=socket.gethostname().split(".")[0], directory=self.directory, controller=free_port(), node=free_port(), cpus=os.cpu_count()))
        self.daemon("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={self.directory}/munge.socket",
                    f"--pid-file={self.directory}/munge.pid", f"--log-file={self.directory}/munge.log",
                    f"--seed-file={self.directory}/munge.seed")
        for _ in range(50):
            if (self.directory / "munge.socket").exists():
                break
            time.sleep(0.1)
        self.daemon("slurmctld", "-D")
        self.daemon("slurmd", "-D")
        for _ in range(100):
            done = self.run("sinfo", "--noheader", "--format=%t", check=False)
            if done.stdout.strip() == "idle":
                return
            if any(daemon.poll() is not None for daemon in self.daemons):
                break
            time.sleep(0.2)
        skip("Slurm does not start: " + self.logs())

    def daemon(self, *command):
        with open(self.directory / f"{command[0]}.out", "wb") as output:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdout=output, stderr=output))

    def logs(self):
        return "; ".join(path.read_text(errors="replace")[-300:] for path in sorted(self.directory.glob("*.out")))

    def run(self, *command, check=True, **environment):
        done = subprocess.run(command, env=self.environment | environment, cwd=self.directory, text=True, check=False, timeout=300,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if check and done.returncode != 0:
            sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
        return done

    def stop(self):
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            daemon.wait(20)


def check(holds, what, shown=""):
    if not holds:
        sys.exit(f"{what}\n{shown}")
    print(what)


def jobs_end(cluster):
    for _ in range(600):
        if not cluster.run("squeue", "--noheader").stdout.strip():
            return
        time.sleep(0.2)
    sys.exit("jobs do not end\n" + cluster.run("squeue").stdout)


def report(cluster, netsim, database):
    return cluster.run(netsim, "sweep", "--report", "--format", "csv", str(database)).stdout


def by_srun(cluster, netsim, expected):
    """A step of three tasks without MPI. One is killed; the same command then does what is missing."""
    step = ("srun", "--overcommit", "-n", "3", netsim, "sweep", str(SWEEP), "--out", "step")
    killer = "[ $SLURM_PROCID = 1 ] && { %s & sleep 0.05; kill -KILL $!; exit 1; }; exec %s" % ((" ".join(step[4:]),) * 2)
    cluster.run("srun", "--overcommit", "--no-kill", "--wait=0", "-n", "3", "bash", "-c", killer, check=False)
    done = cluster.run(*step)
    check("task 2 of 3 of Slurm does the runs of --shard 2/3, into step/shard-2" in done.stderr, "srun: each task names its share",
          done.stderr)
    cluster.run(netsim, "sweep", "merge", "step/sweep.sqlite", *(f"step/shard-{task}" for task in (1, 2, 3)))
    check(report(cluster, netsim, "step/sweep.sqlite") == expected, "srun, with a worker that was killed: the same report, byte for byte")
    shares = [report(cluster, netsim, f"step/shard-{task}/sweep.sqlite").count("\n") for task in (1, 2, 3)]
    check(min(shares) > 1 and max(shares) < expected.count("\n"), "srun: each task has a part of the runs", shares)


def in_draws(cluster, netsim):
    """A step of three tasks that share out the draws of each point."""
    options = ("sweep", str(SWEEP), "--set", "lam_via.rdescs=8,16", "--draws", "3", "--quiet", "--out")
    cluster.run(netsim, *options, "drawn-one")
    cluster.run("srun", "--overcommit", "-n", "3", netsim, *options, "drawn")
    cluster.run(netsim, "sweep", "merge", "drawn/sweep.sqlite", *(f"drawn/shard-{task}" for task in (1, 2, 3)))
    check(report(cluster, netsim, "drawn/sweep.sqlite") == report(cluster, netsim, "drawn-one/sweep.sqlite"),
          "srun, in draws: the same report, byte for byte")


def by_array(cluster, netsim, expected):
    cluster.run(str(ROOT / "examples/slurm_array.sh"), SCENARIO=str(SWEEP), OUT="array", TASKS="4", NETSIM=netsim, SBATCH_OVERCOMMIT="1",
                SBATCH_OVERSUBSCRIBE="1")
    jobs_end(cluster)
    check(report(cluster, netsim, "array/sweep.sqlite") == expected, "a job array and its merge: the same report, byte for byte")
    # The same without the script's --shard: the program reads the array's numbers.
    cluster.run("sbatch", "--array=0-6:3", "--overcommit", "--output=plain-%a.log", "--wrap",
                f"{netsim} sweep {SWEEP} --out plain")
    jobs_end(cluster)
    cluster.run(netsim, "sweep", "merge", "plain/sweep.sqlite", *(f"plain/shard-{task}" for task in (1, 2, 3)))
    check(report(cluster, netsim, "plain/sweep.sqlite") == expected, "a job array of three without --shard: the same report, byte for byte")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if os.geteuid() != 0:
        skip("only root can start slurmd")
    for program in ("slurmctld", "slurmd", "munged", "srun", "sbatch"):
        if not shutil.which(program):
            skip(f"there is no {program}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    netsim = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory(prefix="netsim-slurm-") as name:
        cluster = Cluster(pathlib.Path(name))
        try:
            cluster.start()
            cluster.run(netsim, "sweep", str(SWEEP), "--quiet", "--out", "one")
            expected = report(cluster, netsim, "one/sweep.sqlite")
            check(expected.count("\n") > 10, "one process: a report")
            by_srun(cluster, netsim, expected)
            in_draws(cluster, netsim)
            by_array(cluster, netsim, expected)
        finally:
            cluster.stop()


if __name__ == "__main__":
    main()
