#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The space-time diagram of a message: the model against the run's captures and state log, the picture's layout from
the model, and what is refused."""

import glob
import json
import os
import re
import struct
import sys
import unittest
import xml.etree.ElementTree as xml

from harness import SOURCE, Case

import browser
import needs

sys.path.insert(0, os.path.join(SOURCE, "plots"))
import diagram

# Name, and what it takes to draw it.
MESSAGES = {
    "VIA RPI": ["pingpong_cluster1", "--series", "VIA RPI"],
    "LAM TCP": ["pingpong_cluster1", "--series", "LAM TCP", "--size", "4 KiB"],
    "GM": ["gm_allsize", "--series", "latency", "--size", "4 KiB"],
    "Portals": ["portals_pingpong_system1", "--series", "interrupt"],
    "Portals, long": ["portals_pingpong_system1", "--series", "polling", "--size", "8 KiB"],
    "SCTP, lost": ["sctp_streams_loss", "--series", "loss on stream 1", "--message", "2"],
}


def frames(path):
    """(time in ns, outgoing, comments) of each frame of a pcapng file."""
    with open(path, "rb") as file:
        data = file.read()
    found, at = [], 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 6:
            _, high, low, kept, _ = struct.unpack_from("<IIIII", data, at + 8)
            option, comments, flags = at + 28 + (kept + 3) // 4 * 4, [], 0
            while option < at + length - 4:
                code, size = struct.unpack_from("<HH", data, option)
                value = data[option + 4:option + 4 + size]
                if code == 0:
                    break
                if code == 1:
                    comments.append(value.decode())
                if code == 2:
                    flags = struct.unpack("<I", value)[0]
                option += 4 + (size + 3) // 4 * 4
            found.append((high << 32 | low, flags & 3 == 2, comments))
        at += length
    return found


class Diagram(Case):
    def model(self, *words, **options):
        return json.loads(self.netsim("diagram", *words, "--format", "json", "--no-constants", **options).stdout)

    def models(self):
        return {name: self.model(*words) for name, words in MESSAGES.items()}

    def test_the_critical_path_is_the_message(self):
        """Its parts follow one another and add up to the latency to the picosecond, each in its span."""
        for name, document in self.models().items():
            with self.subTest(name):
                path = document["path"]
                self.assertEqual(path[0]["from"], 0)
                self.assertEqual(path[-1]["to"], document["latency"])
                for part, after in zip(path, path[1:]):
                    self.assertEqual(part["to"], after["from"])
                self.assertEqual(sum(part["to"] - part["from"] for part in path), document["latency"])
                for part in path:
                    if part["span"] is not None:
                        span = document["spans"][part["span"]]
                        self.assertTrue(span["path"])
                        self.assertEqual((span["column"], span["class"]), (part["column"], part["class"]))
                        self.assertLessEqual(span["from"], part["from"])
                        self.assertGreaterEqual(span["to"], part["to"])

    def test_roles(self):
        """Each part of a host has its column, by what its stages are."""
        document = self.model(*MESSAGES["LAM TCP"])
        where = {(document["columns"][span["column"]]["role"], span["name"]) for span in document["spans"]
                 if document["columns"][span["column"]]["node"] == "node0"}
        self.assertLessEqual({("program", "send"), ("library", "LAM TCP"), ("kernel", "writev()"), ("kernel", "copy"),
                              ("kernel", "TCP"), ("bus", "send"), ("card", "NIC")}, where)
        call = next(span for span in document["spans"] if span["kind"] == "call" and span["name"] == "send")
        self.assertEqual((call["peer"], call["bytes"]), (1, 4096))

    def test_packets(self):
        """Each frame of the message in the capture has its arrow, at its time, and each arrow of the message its frame."""
        for name, words in MESSAGES.items():
            document = self.model(*words)
            size = f"workload.sizes=[{document['message']['bytes']} B]"
            sets = [] if "--message" in words else ["--set", size]
            series, number = words[2], document["message"]["number"]
            self.netsim("run", words[0], "--series", series, *sets, "--quiet", "--pcap", "pcap", code=None)
            folder = os.path.join("pcap", re.sub(r"[^A-Za-z0-9.-]", "_", series))
            sent = [when for file in glob.glob(self.path(f"{folder}/{document['message']['from_host']}*.pcapng"))
                    for when, outgoing, comments in frames(file)
                    if outgoing and any(text.startswith(f"message {number},") for text in comments)]
            self.assertTrue(sent)
            arrows = [document["began"] + arrow["hops"][0]["from"] for arrow in document["arrows"]
                      if arrow["own"] and arrow["from_host"] == document["message"]["from_host"]]
            with self.subTest(name):
                self.assertEqual(sorted(sent), sorted(when // 1000 for when in arrows))

    def test_a_lost_packet(self):
        document = self.model(*MESSAGES["SCTP, lost"])
        lost = [arrow for arrow in document["arrows"] if "dropped" in arrow]
        self.assertEqual([arrow["what"] for arrow in lost], ["SCTP DATA"])
        self.assertIn("lost on link", lost[0]["dropped"])
        again = [arrow for arrow in document["arrows"] if arrow["own"] and "dropped" not in arrow]
        self.assertEqual([arrow["sequence"] for arrow in again], [lost[0]["sequence"]])
        self.assertEqual([mark["what"] for mark in document["marks"]], ["T3-rtx (DATA)"])
        self.assertTrue(any(arrow["answers"] for arrow in document["arrows"]))

    def test_steps(self):
        """Each step of the state log at the two hosts within the message's time has its mark."""
        for name, words in MESSAGES.items():
            document = self.model(*words)
            size = f"workload.sizes=[{document['message']['bytes']} B]"
            sets = [] if "--message" in words else ["--set", size]
            self.netsim("run", words[0], "--series", words[2], *sets, "--quiet", "--log-states", "log.txt", code=None)
            ends = [f"rank {document['message'][key]}" for key in ("source", "destination")]
            ends += [document["message"][key] for key in ("from_host", "to_host")]
            logged = []
            for line in self.read("log.txt").splitlines():
                match = re.fullmatch(r"(\d+)\.(\d{6}) (.*?) ([^ ].*)\[(-?\d+)\] (\S.*)", line)
                if not match or not any(line.split(" ", 1)[1].startswith(f"{end} ") for end in ends):
                    continue
                when = int(match[1]) * 10 ** 6 + int(match[2]) - document["began"]
                if 0 < when <= document["until"]:
                    logged.append((when, line.split(" -> ", 1)[1].split(" ")[0]))
            steps = [(step["when"], step["to"].split(" ")[0]) for step in document["steps"] if step["when"] > 0]
            with self.subTest(name):
                self.assertEqual(sorted(steps), sorted(logged))

    def test_constants(self):
        document = json.loads(self.netsim("diagram", *MESSAGES["VIA RPI"], "--format", "json").stdout)
        of = {}
        for part in document["path"]:
            span = document["spans"][part["span"]] if part["span"] is not None else part
            of.setdefault(span.get("name", part["stage"]), set()).update(span["constants"])
        self.assertLessEqual({"host.processor.clock", "host.kernel.fast_trap"}, of["trap"])
        self.assertLessEqual({"eepro100.tx_start", "eepro100.rx_latency", "eepro100.rx_status"}, of["NIC"])
        self.assertEqual(of["switch"], {"switch.latency"})
        self.assertIn("mvia.post", of["provider"])
        self.assertEqual({name for arrow in document["arrows"] for hop in arrow["hops"] for name in hop["constants"]},
                         {"link.rate", "link.propagation"})

    def test_labels(self):
        """No two labels overlap, none leaves the picture or its band's gap, and later is lower."""
        for name, document in self.models().items():
            model = diagram.Model(document)
            with self.subTest(name):
                self.assertGreater(len(model.labels), 20)
                self.assertEqual(model.before, sorted(model.before))
                for label in model.labels:
                    self.assertGreaterEqual(label["x"], diagram.GUTTER)
                    self.assertLessEqual(label["x"] + label["width"], diagram.WIDTH)
                    self.assertGreaterEqual(label["y"], 0)
                    self.assertLessEqual(label["y"], model.height + 60)
                labels = sorted(model.labels, key=lambda label: label["y"])
                for i, one in enumerate(labels):
                    for other in labels[i + 1:]:
                        if other["y"] >= one["y"] + one["height"] - 0.01:
                            break
                        apart = other["x"] >= one["x"] + one["width"] or one["x"] >= other["x"] + other["width"]
                        self.assertTrue(apart, f"{one['text']} and {other['text']}")

    def test_the_picture(self):
        """Text is text; what has an id is named once and has a title; each part and packet is there."""
        for name, document in self.models().items():
            root = xml.fromstring(diagram.render(document, "x-"))
            space = "{http://www.w3.org/2000/svg}"
            named = [element for element in root.iter() if "id" in element.attrib]
            ids = [element.get("id") for element in named]
            with self.subTest(name):
                self.assertEqual(len(ids), len(set(ids)))
                self.assertTrue(all(one.startswith("x-") for one in ids))
                self.assertTrue(all(element.find(f"{space}title").text for element in named))
                self.assertEqual(root.get("width"), "1200")
                self.assertIn(f"Message {document['message']['number']}: ", "".join(root.itertext()))
                for number, part in enumerate(document["path"]):
                    if document["columns"][part["column"]]["role"] != "link":
                        self.assertIn(f"x-part-{number}", ids)
                for number, arrow in enumerate(document["arrows"]):
                    if not arrow["other"]:
                        self.assertIn(f"x-arrow-{number}-0", ids)
                for number in range(len(document["steps"])):
                    self.assertIn(f"x-step-{number}", ids)
                style = root.find(f"{space}style").text
                self.assertIn("prefers-color-scheme:dark", style)
                for variable in set(re.findall(r"var\((--nd-[a-z-]+)\)", xml.tostring(root, encoding="unicode"))):
                    self.assertEqual(style.count(f"{variable}:"), 2, variable)

    @browser.needed
    def test_the_page(self):
        """One file that needs nothing else: zoomed, moved and read off by pointer and by keyboard, in light and dark."""
        self.netsim("diagram", *MESSAGES["LAM TCP"], "--no-constants", "--out", "page.html")
        document = self.model(*MESSAGES["LAM TCP"])
        window = browser.Browser()
        self.addCleanup(window.close)
        window.media(width=1280)
        window.open(self.path("page.html"))
        js = window.value
        view = lambda: [float(one) for one in js("document.querySelector('svg').getAttribute('viewBox')").split()]
        read = lambda: js("document.querySelector('output.part').innerText")
        whole = view()
        button = "document.querySelector('[data-do=\"%s\"]').click()"
        js(button % "zoom in")
        self.assertAlmostEqual(view()[2], 0.7 * whole[2], 1)
        self.assertAlmostEqual(view()[3] / view()[2], whole[3] / whole[2], 3)
        window.drag((700, 500), (600, 400))
        self.assertGreater(view()[0], (whole[2] - view()[2]) / 2 + 10)
        self.assertGreater(view()[1], (whole[3] - view()[3]) / 2 + 10)
        js(button % "show all")
        self.assertEqual(view(), whole)
        # The wheel zooms with Ctrl only, around the pointer.
        for modifiers, zoomed in ((0, False), (2, True)):
            window.call("Input.dispatchMouseEvent", type="mouseWheel", x=600, y=400, deltaX=0, deltaY=-100, modifiers=modifiers)
            js("new Promise(done => setTimeout(done, 100))")
            self.assertEqual(view()[2] < whole[2], zoomed)
        js("scrollTo(0, 0)")
        window.call("Input.dispatchMouseEvent", type="mouseMoved", x=2, y=2)
        js("document.querySelector('svg').focus()")
        window.key("0")
        self.assertEqual(view(), whole)
        # From part to part along the critical path, which is that of the data.
        window.key("n")
        first = document["path"][0]
        self.assertIn(f"{(first['to'] - first['from']) / 1e6:.6f}", read())
        part = lambda: js("document.querySelector('output.part').dataset.part")
        seen = []
        while part() not in seen:
            seen.append(part())
            window.key("n")
        self.assertGreater(len(seen), 10)
        self.assertEqual(js("document.querySelectorAll('svg .at').length"), 1)
        window.key("+")
        window.key("ArrowUp")
        self.assertLess(view()[2], whole[2])
        window.key("p")
        self.assertEqual(part(), seen[-2])
        # Under the pointer.
        js(button % "show all")
        place = js("(box => [box.x + box.width / 2, box.y + box.height / 2])"
                   "(document.querySelector('#span-0, #part-0').getBoundingClientRect())")
        window.call("Input.dispatchMouseEvent", type="mouseMoved", x=place[0], y=place[1])
        self.assertIn("\u00b5s", read())
        rows = js("[...document.querySelectorAll('tbody tr')].map(row => [...row.children].map(cell => cell.textContent))")
        self.assertEqual([row[0] for row in rows], [part["stage"] for part in document["path"]] + ["sum"])
        self.assertAlmostEqual(sum(float(row[3]) for row in rows[:-1]), float(rows[-1][3]), 5)
        paper = set()
        for dark in (False, True):
            window.media(dark=dark, width=400)
            paper.add(js("getComputedStyle(document.querySelector('svg')).backgroundColor"))
            self.assertLessEqual(js("document.documentElement.scrollWidth"), 400)
        self.assertEqual(len(paper), 2)
        self.assertEqual(window.problems, [])

    @needs.matplotlib
    def test_files(self):
        self.netsim("diagram", self.small(), "--series", "second", "--no-constants")
        self.assertIn("Message ", self.read("diagram.svg"))
        self.netsim("explain", self.small(), "--series", "second", "--size", "1", "--no-trials", "--diagram", "e.svg")
        self.assertEqual(self.read("e.svg"), self.read("diagram.svg"))

    def test_sizes_and_numbers(self):
        small = self.small()
        self.assertEqual(self.model(small, "--series", "second")["message"]["bytes"], 1)
        self.assertEqual(self.model(small, "--series", "second", "--size", "4 KiB")["message"]["bytes"], 4096)
        first = self.model(small, "--series", "second", "--message", "1")
        self.assertEqual((first["message"]["number"], first["series"]), (1, "second"))

    def test_refusals(self):
        small = self.small()
        one = [small, "--series", "second"]
        flow = self.write("flow.yaml", self.read(small).replace("stack: lam_via}", "stack: lam_via, fidelity: flow}"))
        loop = self.write("own.yaml", "schema: 1\nname: own\ntestbed: testbeds/cluster1.yaml\n"
                          "workload: {program: [{ranks: all, do: [barrier]}], ranks: 2}\n"
                          "series: [{name: a, stack: lam_via}]\n")
        for words, text in ([small], "there are 2 series"), ([*one, "--message", "0"], "no number of a message"), \
                ([*one, "--message", "x"], "no number of a message"), \
                ([*one, "--message", "1000000"], "there is no message 1000000: the run has "), \
                ([*one, "--out", "d.png"], "a diagram ends in .svg or .html"), ([*one, "--format", "pdf"], "pdf"), \
                ([*one, "--size", "much"], "--size much"), ([small, "--series", "third"], "third"), \
                ([loop, "--size", "1"], "takes no message size"), \
                ([loop], "the run measures no message"), \
                (["pingpong_cluster1", "--series", "VIA RPI", "--size", "4 MiB"], "and a diagram at most"), \
                ([flow, "--series", "second"], "flow"):
            with self.subTest(words):
                done = self.netsim("diagram", *words, "--no-constants", code=1)
                self.assertIn(text, done.stderr)
                self.assertEqual(done.stdout, "")
        deadlock = self.netsim("diagram", "ring_deadlock", "--no-constants", "--message", "9999", code=None)
        self.assertIn(deadlock.returncode, (1, 3))


if __name__ == "__main__":
    unittest.main()
