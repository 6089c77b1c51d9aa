#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The waits on cluster 1: the readings of its missing microseconds, each with its own fit, held against
the claims that no fit has seen. Prints the table of docs/constants.md.

    examples/readings.py        all readings
    examples/readings.py switches

The program is $NETSIM, or the launcher next to this directory. Each reading takes the place of
scenarios/testbeds/cluster1.yaml in a copy of the shipped data, on which `netsim validate via' is run.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[1]
NETSIM = os.environ.get("NETSIM", str(SOURCE / "netsim"))
BEDS = SOURCE / "scenarios" / "testbeds"
# The testbed, what is fitted and the prior that it replaces.
READINGS = (
    ("cluster1", "a delay in the receiving card that frames follow one another through",
     "`eepro100.rx_latency`", "0"),
    ("cluster1_switches", "two switches", "`switch.latency` of each", "3 .. 10 us"),
    ("cluster1_hold_off", "an interrupt that is held off", "`eepro100.interrupt_delay`", "0.5 us"),
    ("cluster1_transmit", "a card that is slow to start", "`eepro100.tx_start`", "3 us"),
)


def fitted(name: str) -> str:
    """The reading's constant: the first of its overlay."""
    return re.search(r"value: ([^,]*),", (BEDS / f"{name}.fit.yaml").read_text("utf-8"))[1]


def off_target(name: str) -> list:
    """The fit's own statements that it does not meet, by the overlay's head."""
    text = (BEDS / f"{name}.fit.yaml").read_text("utf-8")
    return [line[2:].split(":")[0] for line in text.splitlines()
            if (off := re.search(r"off by ([0-9.e+-]+) tol", line)) and float(off[1]) > 1]


def data_with(name: str, root: pathlib.Path) -> None:
    """The shipped data, with a reading as cluster 1."""
    shutil.copytree(SOURCE / "scenarios", root / "scenarios")
    (root / "references").symlink_to(SOURCE / "references")
    beds = root / "scenarios" / "testbeds"
    if name == "cluster1":
        return
    beds.joinpath("cluster1.yaml").rename(beds / "as_shipped.yaml")
    text = (BEDS / f"{name}.yaml").read_text("utf-8").replace("[cluster1.yaml,", "[as_shipped.yaml,")
    beds.joinpath("cluster1.yaml").write_text(text, "utf-8")
    shutil.copy(BEDS / f"{name}.fit.yaml", beds / "cluster1.fit.yaml")


def predicted(name: str) -> dict:
    """{id: verdict} of the claims of thesis 000 that nothing was fitted or chosen to."""
    with tempfile.TemporaryDirectory(prefix="netsim-readings-") as directory:
        root = pathlib.Path(directory)
        data_with(name, root)
        done = subprocess.run([NETSIM, "validate", "via", "-q", "--format", "json", "--database",
                               str(root / "results.sqlite")], check=False, encoding="utf-8",
                              env={**os.environ, "NETSIM_DATA_DIR": str(root)},
                              stdout=subprocess.PIPE)
    claims = json.loads(done.stdout)["claims"]
    return {claim["id"]: claim["verdict"] for claim in claims
            if claim.get("standing") == "predicted"}


def main() -> int:
    words = sys.argv[1:]
    readings = [one for one in READINGS if not words or any(word in one[0] for word in words)]
    if not readings:
        print(f"no reading has {' or '.join(words)} in its name", file=sys.stderr)
        return 1
    verdicts = {one[0]: predicted(one[0]) for one in readings}
    held = {name: {claim for claim, verdict in of.items() if verdict == "holds"}
            for name, of in verdicts.items()}
    everywhere = set.intersection(*held.values())
    print("| reading, testbed | fitted | prior | of the fit's own statements, not met | "
          "predicted claims that hold | of them, not of every reading |\n|---|---|---|---|---|---|")
    for name, reading, constant, prior in readings:
        own = ", ".join(f"`{claim}`" for claim in sorted(held[name] - everywhere))
        print(f"| {reading}, `{name}` | {constant} {fitted(name)} | {prior} | "
              f"{'; '.join(off_target(name)) or 'none'} | {len(held[name])} of "
              f"{len(verdicts[name])} | {own or 'none'} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
