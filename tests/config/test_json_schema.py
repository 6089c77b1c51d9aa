#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Every scenario and testbed of the tree passes the JSON Schema that `netsim describe --json-schema`
prints, and spoiled ones do not.
"""

import copy
import json
import os
import subprocess
import sys

import jsonschema
import yaml

ROOT = os.environ.get("NETSIM_SOURCE_DIR", ".")
NETSIM = os.environ.get("NETSIM", os.path.join(ROOT, "build", "netsim"))

SPOIL = 8  # one file of so many gets each mistake


def scenario_files():
    for folder, _, names in os.walk(os.path.join(ROOT, "scenarios")):
        for name in sorted(names):
            if name.endswith(".yaml"):
                yield os.path.join(folder, name)


def spoiled(document):
    """(what was done, a copy with one mistake) for mistakes that fit the document."""
    def changed(what, change):
        other = copy.deepcopy(document)
        change(other)
        return what, other

    yield changed("unknown key", lambda d: d.update(hsots=[]))
    yield changed("wrong version", lambda d: d.update(schema=2))
    yield changed("no version", lambda d: d.pop("schema"))
    yield changed("unknown stack", lambda d: d.update(stack="no_such_stack"))
    yield changed("links as a map", lambda d: d.update(links={}))
    yield changed("a link without an end", lambda d: d.update(links=[{"from": "a"}]))
    yield changed("a host without a name", lambda d: d.update(hosts=[{"count": 3}]))
    for what, card in (("a card without a name", {"nic": "tulip"}),
                       ("a card without a model", {"name": "eth0"}),
                       ("unknown NIC model of a card", {"name": "eth0", "nic": "tulips"}),
                       ("unknown key of a card", {"name": "eth0", "nic": "tulip", "speed": 3}),
                       ("an MTU without a unit", {"name": "eth0", "nic": "tulip", "mtu": 3}),
                       ("a bus that is a map", {"name": "eth0", "nic": "tulip", "bus": {}})):
        yield changed(what, lambda d, card=card: d.update(hosts=[{"name": "n", "nics": [card]}]))
    for what, bus in (("a bus without a name", {"clock": "66 MHz"}),
                      ("unknown key of a bus", {"name": "csa", "speed": "66 MHz"}),
                      ("a clock without a unit", {"name": "csa", "clock": 66})):
        yield changed(what, lambda d, bus=bus: d.update(buses=[bus]))
    yield changed("a card that is no list",
                  lambda d: d.update(hosts=[{"name": "n", "nics": {"name": "e", "nic": "tulip"}}]))
    yield changed("unknown benchmark", lambda d: d.update(workload={"benchmark": "no.such"}))
    yield changed("a size without unit",
                  lambda d: d.update(workload={"benchmark": "pmb.pingpong", "sizes": 64}))
    for what, put in (("no data", {"to": 1}),
                      ("two kinds of data", {"to": 1, "size": "8 B",
                                             "segments": [{"bytes": "8 B", "count": 1}]}),
                      ("a stride too few", {"to": 1, "strided": {"counts": ["8 B"]}}),
                      ("no flag", {"to": 1, "size": "8 B", "notify": "maybe"})):
        yield changed(what, lambda d, put=put: d.update(
            workload={"program": [{"ranks": 0, "do": [{"put": put}]}]}))
    yield changed("unknown operation",
                  lambda d: d.update(workload={"program": [{"ranks": 0, "do": [{"snd": {}}]}]}))


def good_workloads():
    yield {"benchmark": "pmb.pingpong", "sizes": "0 B .. 4 MiB", "repetitions": "auto", "ranks": 2}
    yield {"benchmark": "pmb.pingpong", "sizes": ["0..64 B", "1.5 KiB", 0], "repetitions": 5}
    yield {"benchmark": "pmb.pingpong", "sizes": ["1 KiB .. 64 KiB step 1 KiB", "1 B..8 B step 2 B"]}
    yield {"benchmark": "grim.inject", "sizes": "1 .. 64 step 4"}
    yield {"ranks": 2, "program": [{"ranks": [0, "1..3"], "do": [
        "barrier", {"barrier": None}, {"compute": "3 ms"}, {"waitall": "all"},
        {"waitall": ["a"]}, {"wait": "a"}, {"alltoall": "4 MB"},
        {"bcast": {"root": "i % ranks", "size": "1 KiB"}}, {"allreduce": "8 B"},
        {"gather": {"root": 0, "size": 8, "buffer": 4096, "receive_buffer": 8192}},
        {"sendrecv": {"to": "(rank + 1) % ranks", "from": "any", "size": "8 B"}},
        {"put": {"to": 1, "size": "64 KiB", "notify": True, "channel": 2, "request": "a"}},
        {"get": {"from": 0, "strided": {"counts": ["8 B", 4], "strides": ["64 B"]}}},
        {"accumulate": {"to": "rank", "segments": [{"bytes": "8 B", "count": 100}]}},
        {"fence": "all"}, {"lock": 1}, {"unlock": {"to": 1, "request": "b"}}, {"poll": 1},
        {"active_message": {"to": 1, "size": 0, "handler": "reply"}}, {"call": "reset"},
        {"call": {"name": "reset", "count": 3}}, {"fetch_add": 1},
        {"copy": "1 MiB"}, {"register": {"size": "4 KiB", "buffer": 4096}},
        {"loop": {"count": 3, "as": "i", "do": [{"send": {"to": 1, "size": "1 KiB * i"}}]}}]}]}


def main():
    text = subprocess.run([NETSIM, "describe", "--json-schema"], check=True, capture_output=True).stdout
    schema = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures = 0

    files = list(scenario_files())
    if not files:
        sys.exit("no scenarios found")
    for number, path in enumerate(files):
        with open(path, encoding="utf-8") as stream:
            document = yaml.safe_load(stream)
        for error in validator.iter_errors(document):
            print(f"{path}: {error.json_path}: {error.message[:300]}")
            failures += 1
        for what, other in spoiled(document) if number % SPOIL == 0 else ():
            if validator.is_valid(other):
                print(f"{path}: {what}: not refused")
                failures += 1
    cards = [{"name": "eth0", "nic": "eepro100"}, {"name": "eth1", "nic": "tulip"}]
    goods = [{"schema": 1, "workload": workload} for workload in good_workloads()]
    goods.append({"schema": 1, "hosts": [{"name": "n", "count": 2, "nics": cards}], "nic": "eth1",
                  "links": [{"from": "n.eth0", "to": "s"}]})
    goods.append({"schema": 1, "buses": [{"name": "csa", "clock": "66 MHz"}, {"name": "pci"}],
                  "hosts": [{"name": "n", "nics": [dict(cards[0], bus="csa", mtu="9000 B"), cards[1]]}]})
    for document in goods:
        for error in validator.iter_errors(document):
            print(f"{document}: {error.message[:300]}")
            failures += 1

    print(f"{len(files)} files, {failures} failures")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
