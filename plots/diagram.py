#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the space-time diagram of a message, from what `netsim diagram --format json` prints.

    diagram.py --out FILE.svg|FILE.html DOCUMENT.json

Time runs downwards, a column for each part of the two hosts and of the network between them. The
axis is as long as its labels need: a label stands within its span, and the next one of its column
begins below it, so that no two overlap; where nothing happens it is cut short. Steps of state
machines stand in strips that take no time. Boxes on the critical path have the colour of their
class, all others are grey. Only the standard library is needed: `render(document)` returns the text.

Colours are variables of CSS, by which a page may change them, with others where the reader prefers
the dark; what has an id has a <title>.
"""
import argparse
import json
import os
import sys
from xml.sax.saxutils import escape, quoteattr

WIDTH, GUTTER, MARGIN = 1200, 62, 8
LINE, SMALL = 11.5, 10.0  # heights of lines
FONT, FINE = 10.0, 8.5    # sizes of letters
LONGEST = 64.0            # pixels of a stretch in which nothing happens
TARGET = 720.0            # pixels of the message, if labels need no more

HOST_ROLES = ["program", "library", "kernel", "bus", "card"]
# Least and best width.
WIDTHS = {"program": (44, 70), "library": (92, 124), "kernel": (96, 132), "bus": (62, 92),
          "card": (66, 100), "link": (86, 150), "switch": (50, 84)}

# Class of a stage: group of the legend, in the order of the legend.
GROUPS = [("program", ["compute"]),
          ("library", ["library"]),
          ("copy, pin", ["copy", "pin"]),
          ("kernel, trap", ["kernel", "trap"]),
          ("interrupt", ["interrupt"]),
          ("wake-up", ["wake-up"]),
          ("bus", ["bus"]),
          ("card", ["NIC"]),
          ("wire", ["wire", "propagation"]),
          ("switch", ["switch", "behind others"]),
          ("waiting", [])]

# Widths of letters of Helvetica in thousandths of the size; all others are as wide as "n".
NARROW = {" ": 278, "i": 222, "l": 222, "j": 222, "t": 278, "f": 278, "r": 333, ".": 278, ",": 278,
          ":": 278, "-": 333, "(": 333, ")": 333, "[": 278, "]": 278, "/": 278, "I": 278, "1": 556,
          "m": 833, "w": 722, "M": 833, "W": 944, "c": 500, "k": 500, "s": 500, "v": 500, "x": 500,
          "y": 500, "z": 500, "\u2192": 1000, "\u00b5": 576, "\u2026": 1000, "#": 556}


def text_width(text, size):
    units = sum(NARROW.get(letter, 667 if letter.isupper() else 556) for letter in text)
    return units * size / 1000


def shortened(text, size, width):
    """The text, or as much of it as has room, with an ellipsis."""
    if text_width(text, size) <= width:
        return text
    while text and text_width(text + "\u2026", size) > width:
        text = text[:-1]
    return text.rstrip(" .,") + "\u2026" if text else ""


def broken(text, size, width):
    """A parameter's path in lines, which are broken after dots and underscores where they must be."""
    lines, line, word = [], "", ""
    for letter in text + "\0":
        word += letter if letter != "\0" else ""
        if letter in "._\0":
            if line and text_width(line + word, size) > width:
                lines.append(line)
                line = ""
            line, word = line + word, ""
    return [shortened(one, size, width) for one in lines + [line]]


def wrapped(text, size, width, most=3):
    """Lines of whole words, at most so many."""
    lines = []
    for word in text.replace("\u2192 ", "\u2192\u00a0").split(" "):
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        elif len(lines) < most:
            lines.append(word)
        else:
            lines[-1] += "\u2026"
            break
    return [(shortened(line, size, width), size) for line in lines]


def telling(constants):
    """Without the clocks that costs in cycles go by, if there is more to name."""
    rest = [one for one in constants if not one.endswith(".clock")]
    return rest or constants


def group_of(stage_class):
    for name, classes in GROUPS:
        if stage_class in classes:
            return name
    return "waiting"


def slug(text):
    return "".join(letter if letter.isalnum() else "-" for letter in text.lower())


class Units:
    """Times as text, in a unit that suits the message."""

    def __init__(self, span):
        self.unit, self.scale = ("ms", 10 ** 9) if span >= 2 * 10 ** 10 else ("\u00b5s", 10 ** 6)

    def plain(self, time):
        """On the axis, without its unit."""
        value = time / self.scale
        digits = 3 if self.unit == "ms" else 0 if abs(value) >= 1000 else 1 if abs(value) >= 100 else 2
        return f"{value:.{digits}f}"

    @staticmethod
    def text(time):
        """In the unit that suits it."""
        scale, unit = (10 ** 3, "ns") if abs(time) < 10 ** 5 else (10 ** 6, "\u00b5s") \
            if abs(time) < 10 ** 10 else (10 ** 9, "ms")
        value = time / scale
        digits = 0 if unit == "ns" or abs(value) >= 1000 else 1 if abs(value) >= 100 else 2
        return f"{value:.{digits}f} {unit}"

    @staticmethod
    def exact(time):
        return f"{time / 10 ** 6:.6f} \u00b5s"


# ---- Columns ----

class Column:
    def __init__(self, node, role, head):
        self.node, self.role, self.head = node, role, head
        self.x = self.width = 0.0

    @property
    def right(self):
        return self.x + self.width

    @property
    def middle(self):
        return self.x + self.width / 2


def depths(document):
    """The switches by how many links they are from the sender, as packets pass them."""
    sender, receiver = document["message"]["from_host"], document["message"]["to_host"]
    depth = {}
    for arrow in document["arrows"]:
        if arrow["from_host"] != sender or arrow["to_host"] != receiver:
            continue
        for place, hop in enumerate(arrow["hops"][:-1]):
            depth[hop["to_node"]] = max(depth.get(hop["to_node"], 0), place + 1)
    # Switches that only packets of the other direction pass, or at which packets are lost.
    for arrow in document["arrows"]:
        for place, hop in enumerate(reversed(arrow["hops"][1:])):
            if arrow["to_host"] == sender:
                depth.setdefault(hop["from_node"], place + 1)
        if arrow["hops"] and arrow["hops"][-1]["to_node"] not in (sender, receiver):
            depth.setdefault(arrow["hops"][-1]["to_node"], len(arrow["hops"]))
    for column in document["columns"]:
        if column["role"] == "switch":
            depth.setdefault(column["node"], 1)
    return depth


def columns_of(document):
    """All columns from left to right, and that of each of the document's (None: a link's gaps)."""
    sender, receiver = document["message"]["from_host"], document["message"]["to_host"]
    has = {(column["node"], column["role"]) for column in document["columns"]}
    for host in (sender, receiver):
        has.add((host, "card"))
    depth = depths(document)
    columns = [Column(sender, role, role) for role in HOST_ROLES if (sender, role) in has]
    if receiver != sender:
        levels = sorted(set(depth.values()))
        for level in levels:
            columns.append(Column(None, "link", "link"))
            columns += [Column(node, "switch", node) for node in sorted(depth) if depth[node] == level]
        columns.append(Column(None, "link", "link"))
        columns += [Column(receiver, role, role) for role in reversed(HOST_ROLES)
                    if (receiver, role) in has]
    else:
        columns.append(Column(None, "link", "link"))
        columns += [Column(node, "switch", node) for node in sorted(depth)]
    room = WIDTH - GUTTER - MARGIN
    least = sum(WIDTHS[column.role][0] for column in columns)
    best = sum(WIDTHS[column.role][1] for column in columns)
    share = min(max((room - least) / max(best - least, 1), 0.0), 1.0)
    stretch = min(room / least, 1.0) if least > room else 1.0
    x = float(GUTTER)
    for column in columns:
        low, high = WIDTHS[column.role]
        column.x, column.width = x, (low + share * (high - low)) * stretch
        x = column.right
    rest = room + GUTTER - x
    links = [column for column in columns if column.role == "link"]
    for column in columns:  # what is left makes links wider
        before = sum(1 for link in links if link.x < column.x)
        column.x += rest * before / max(len(links), 1)
    for link in links:
        link.width += rest / max(len(links), 1)
    return columns


# ---- What is drawn ----

class Box:
    """A stretch of time in a column, with lines of a label that must find room in it."""

    def __init__(self, column, start, end, lines=(), **more):
        self.column, self.start, self.end, self.lines = column, start, end, list(lines)
        self.track, self.tracks = 0, 1
        self.more = more

    @property
    def height(self):
        return sum(size + 1.5 for _, size in self.lines) + (3 if self.lines else 0)

    @property
    def left(self):
        return self.column.x + 3 + self.track * (self.column.width - 6) / self.tracks

    @property
    def width(self):
        return (self.column.width - 6) / self.tracks - (1 if self.tracks > 1 else 0)


def set_tracks(boxes):
    """Side by side where boxes of a column are at one time."""
    by_column = {}
    for box in boxes:
        by_column.setdefault(id(box.column), []).append(box)
    for some in by_column.values():
        some.sort(key=lambda box: (box.start, -box.end))
        cluster, until = [], None
        for box in some + [None]:
            if box is None or (until is not None and box.start >= until):
                tracks = 1 + max((one.track for one in cluster), default=0)
                for one in cluster:
                    one.tracks = tracks
                cluster, until = [], None
            if box is None:
                break
            taken = {one.track for one in cluster if one.end > box.start}
            box.track = next(k for k in range(len(cluster) + 1) if k not in taken)
            cluster.append(box)
            until = box.end if until is None else max(until, box.end)


class Model:
    """Columns, boxes, bands and steps of a document, and where they stand."""

    def __init__(self, document):
        self.document = document
        self.until = max(document["until"], document["latency"], 1)
        self.units = Units(self.until)
        self.columns = columns_of(document)
        self.boxes, self.bands, self.steps, self.labels = [], [], {}, []
        self.spans()
        self.path()
        set_tracks(self.boxes)
        self.box_labels()
        self.arrows()
        self.all_steps()
        self.axis()
        self.place()

    def column(self, index):
        """The column of one of the document's; None for a link, whose place is between others."""
        of = self.document["columns"][index]
        return next((column for column in self.columns
                     if column.node == of["node"] and column.role == of["role"]), None)

    # -- Boxes --

    def spans(self):
        for number, span in enumerate(self.document["spans"]):
            start, end = max(span["from"], 0), min(span["to"], self.until)
            column = self.column(span["column"])
            if column is None or end <= start:
                continue
            title = f"{span['name']} ({span['lane']}): {self.units.exact(span['to'] - span['from'])}"
            if span["kind"] == "call":
                if "peer" in span:
                    title += f", peer {span['peer']}"
                if "bytes" in span:
                    title += f", {span['bytes']} B"
            elif span["constants"]:
                title += "\n" + "\n".join(span["constants"])
            self.boxes.append(Box(column, start, end, kind=span["kind"], id=f"span-{number}", title=title,
                                  span=span, path=None))

    def path(self):
        """Parts of the critical path, over the spans that they are of."""
        self.parts = []
        by_id = {box.more["id"]: box for box in self.boxes}
        for number, part in enumerate(self.document["path"]):
            column = self.column(part["column"])
            if column is None or column.role == "link" or part["to"] <= part["from"]:
                self.parts.append((part, None))
                continue
            span = by_id.get(f"span-{part['span']}") if part["span"] is not None else None
            whole = span and span.start == max(part["from"], 0) and span.end == part["to"]
            title = f"{part['stage']}: {self.units.exact(part['to'] - part['from'])}"
            constants = span.more["span"]["constants"] if span else part.get("constants", [])
            title += "".join(f"\n{one}" for one in constants)
            if "by" in part:
                title += f"\n{part['by']}"
            box = Box(column, part["from"], part["to"], kind="path", id=f"part-{number}", title=title,
                      span=span.more["span"] if span else None, path=part)
            if whole:
                self.boxes.remove(span)
            elif span:  # the part lies over the span
                box.more["over"] = span
            self.boxes.append(box)
            self.parts.append((part, box))
        over = [box.more["over"] for box in self.boxes if "over" in box.more]
        self.under = [span for span in over if span in self.boxes]
        self.boxes = [box for box in self.boxes if box not in self.under]

    def box_labels(self):
        for box in self.boxes:
            room = box.width - 6
            span, part = box.more["span"], box.more["path"]
            if part:
                name = span["name"] if span else part["stage"]
                time = self.units.text(box.end - box.start)
                one = f"{name} {time}"
                if text_width(one, FONT) <= room:
                    box.lines = [(one, FONT)]
                else:
                    box.lines = wrapped(name, FONT, room) + [(shortened(time, FONT, room), FONT)]
                constants = telling(span["constants"] if span else part.get("constants", []))
                for constant in constants[:2]:
                    box.lines += [(line, FINE) for line in broken(constant, FINE, room)]
                if len(constants) > 2:
                    box.lines.append((f"and {len(constants) - 2} more", FINE))
            elif box.more["kind"] == "call":
                box.lines = [(shortened(span["name"], FONT, room), FONT)]
                if span.get("bytes", 0) > 0 and "peer" in span:
                    for line in (f"{span['bytes']} B", f"rank {span['peer']}"):
                        box.lines.append((shortened(line, FINE, room), FINE))

    # -- Arrows --

    def between(self, here, there):
        """The edges of two nodes that a band joins, from left to right or from right to left."""
        sender, receiver = (self.document["message"][key] for key in ("from_host", "to_host"))

        def edges(node, side):
            if node == sender:
                cards = [one for one in self.columns if one.node == sender]
            elif node == receiver:
                cards = [one for one in self.columns if one.node == receiver]
            else:
                cards = [one for one in self.columns if one.node == node]
            if not cards:  # another host, beyond the last switch
                return None
            return (min(one.x for one in cards), max(one.right for one in cards))[side]
        a, b = edges(here, 0), edges(there, 0)
        if a is None and b is None:
            return None
        if a is None:
            return (edges(there, 0) - 60, edges(there, 0)) if there != sender else \
                (edges(there, 1) + 60, edges(there, 1))
        if b is None:
            return (edges(here, 1), edges(here, 1) + 60) if here != receiver else \
                (edges(here, 0), edges(here, 0) - 60)
        return (edges(here, 1), edges(there, 0)) if a <= b else (edges(here, 0), edges(there, 1))

    def on_path(self, hop):
        """Whether the critical path is on the hop: a part of it on that link while it is used."""
        for part in self.document["path"]:
            of = self.document["columns"][part["column"]]
            ends = "-".join(sorted((hop["from_node"], hop["to_node"])))
            if of["role"] == "link" and of["node"] == ends and \
                    hop["from"] <= part["from"] and part["to"] <= hop["arrived"]:
                return True
        return False

    def arrows(self):
        for number, arrow in enumerate(self.document["arrows"]):
            for place, hop in enumerate(arrow["hops"]):
                edges = self.between(hop["from_node"], hop["to_node"])
                if edges is None or hop["from"] >= self.until:
                    continue
                band = {"arrow": arrow, "hop": hop, "edges": edges, "id": f"arrow-{number}-{place}",
                        "path": arrow["own"] and self.on_path(hop), "lines": [],
                        "last": place + 1 == len(arrow["hops"])}
                room = abs(edges[1] - edges[0]) - 12
                if not arrow["other"]:
                    band["lines"] = self.band_lines(arrow, hop, band["last"], room)
                self.bands.append(band)

    def band_lines(self, arrow, hop, last, room):
        what = arrow["what"] or "packet"
        if "sequence" in arrow:
            what += f" {arrow['sequence']}"
        elif "acknowledges" in arrow:
            what += f" {arrow['acknowledges']}"
        lines = [(shortened(what, FONT, room), FONT)]
        size = f"{arrow['bytes']} B in {arrow['frame_bytes']} B" if arrow.get("bytes") else \
            f"{arrow['frame_bytes']} B"
        lines.append((shortened(f"{size}, {self.units.text(hop['to'] - hop['from'])}", FINE, room), FINE))
        for constant in hop["constants"][:2]:
            lines += [(line, FINE) for line in broken(constant, FINE, room)]
        if last and "dropped" in arrow:
            lines += wrapped(f"dropped: {arrow['dropped']}", FINE, room)
        return lines

    # -- Steps --

    def all_steps(self):
        """Lines of steps by time and column."""
        for number, step in enumerate(self.document["steps"]):
            column = self.column(step["column"])
            if column is None or not 0 <= step["when"] <= self.until:
                continue
            to = f"\u2192 {step['to']}" + (f" {step['detail']}" if step["detail"] else "")
            room = column.width - 16
            name = f"{step['machine']}[{step['subject']}]"
            title = f"{step['where']} {name}: {step['from'] or '-'} \u2192 {step['to']}" + \
                (f" ({step['detail']})" if step["detail"] else "") + f", {self.units.exact(step['when'])}"
            both = f"{name} {to}"
            lines = [(both, FINE)] if text_width(both, FINE) <= room else \
                [(shortened(name, FINE, room), FINE)] + wrapped(to, FINE, room)
            self.steps.setdefault(step["when"], {}).setdefault(id(column), []).append(
                {"column": column, "lines": lines, "id": f"step-{number}", "title": title, "kind": "step"})
        for number, mark in enumerate(self.document["marks"]):
            column = self.column(mark["column"])
            if column is None:
                continue
            waited = self.units.text(mark["when"] - mark["since"])
            room = column.width - 16
            lines = wrapped(f"time-out: {mark['what']} after {waited}", FINE, room)
            self.steps.setdefault(mark["when"], {}).setdefault(id(column), []).append(
                {"column": column, "lines": lines, "id": f"mark-{number}", "kind": "mark",
                 "title": f"{mark['what']} expired after {waited}"})

    # -- The axis --

    def axis(self):
        times = {0, self.until, self.document["latency"]}
        for box in self.boxes + self.under:
            times |= {box.start, box.end}
        for band in self.bands:
            hop = band["hop"]
            times |= {max(hop[key], 0) for key in ("from", "to", "arrived")} | set(self.label_time(band))
            times.add(max(hop["from"] + hop["arrived"] - hop["to"], 0))
        times |= set(self.steps)
        for part in self.document["path"]:
            times |= {part["from"], part["to"]}
        self.times = sorted(times)
        index = {time: place for place, time in enumerate(self.times)}
        scale = TARGET / self.until
        ends = {}
        for box in self.boxes:
            stop = min([when for when in self.steps if box.start < when < box.end
                        and id(box.column) in self.steps[when]] + [box.end])
            if box.lines:
                ends.setdefault(index[stop], []).append((index[box.start], box.height + 1))
            ends.setdefault(index[box.end], []).append((index[box.start], 3.0))
        for start, end, height in self.band_room():
            ends.setdefault(index[end], []).append((index[start], height))
        strips = [self.strip(time) for time in self.times]
        before, after, self.breaks = [], [], []
        for place, time in enumerate(self.times):
            y = 0.0
            if place:
                plain = (time - self.times[place - 1]) * scale
                y = after[-1] + min(plain, LONGEST)
                cut = plain > LONGEST
            for start, height in ends.get(place, []):
                y = max(y, after[start] + height)
            if place and cut and y - after[-1] < plain:
                self.breaks.append((place - 1, place))
            before.append(y)
            after.append(y + strips[place])
        self.before, self.after, self.index = before, after, index

    def strip(self, time):
        heights = [sum(size + 1.5 for step in some for _, size in step["lines"]) + 2 * len(some)
                   for some in self.steps.get(time, {}).values()]
        return max(heights, default=0.0) + (3 if heights else 0)

    def band_room(self):
        """(from, to, pixels) that labels of bands need: below one another in each gap."""
        gaps = {}
        for band in self.bands:
            start, _ = self.label_time(band)
            if band["lines"]:
                gaps.setdefault(self.gap(band), {}).setdefault(start, []).append(band)
        room = []
        for bands in gaps.values():
            starts = sorted(bands)
            for place, start in enumerate(starts):
                top = 2.0
                for band in bands[start]:
                    band["top"] = top
                    top += sum(size + 1.5 for _, size in band["lines"]) + 3
                ends = [max(self.label_time(band)[1] for band in bands[start])] + starts[place + 1:place + 2]
                room += [(start, end, top) for end in ends if end > start]
        return room

    @staticmethod
    def label_time(band):
        """When all of the band's width is taken, from its first bit's arrival to its last bit's leaving,
        if there is such a time; else all of its time."""
        hop = band["hop"]
        first = hop["from"] + hop["arrived"] - hop["to"]
        some = (first, hop["to"]) if hop["to"] > first else (hop["from"], hop["arrived"])
        return max(some[0], 0), max(some[1], 0)

    @staticmethod
    def gap(band):
        """Bands whose labels could meet: those in the same place."""
        return (round(min(band["edges"])), round(max(band["edges"])))

    def y(self, time, late=False):
        """Of a time of the axis; `late`: below the steps at that time."""
        place = self.index[min(max(time, 0), self.times[-1])]
        return (self.after if late else self.before)[place]

    # -- Labels --

    def label(self, x, y, lines, kind, owner):
        """Adds lines of text, the first with its upper edge at y."""
        for text, size in lines:
            self.labels.append({"x": x, "y": y, "width": text_width(text, size), "height": size + 1.5,
                                "text": text, "size": size, "kind": kind, "owner": owner})
            y += size + 1.5

    def place(self):
        for box in self.boxes:
            top, bottom = self.y(box.start, True), self.y(box.end)
            box.more["top"], box.more["bottom"] = top, max(bottom, top + 0.5)
            span = box.more["span"]
            if not box.lines and span and not span.get("other"):
                free = min([self.y(when) for when in self.steps if box.start < when < box.end
                            and id(box.column) in self.steps[when]] + [bottom])
                name = shortened(f"{span['name']} {self.units.text(box.end - box.start)}", FINE,
                                 box.width - 6)
                if free - top >= FINE + 3:
                    self.label(box.left + 3, top + 1, [(name, FINE)], "muted", box.more["id"])
            elif box.lines:
                self.label(box.left + 3, top + 1.5, box.lines,
                           "on-path" if box.more["path"] else "muted", box.more["id"])
        for box in self.under:
            box.more["top"], box.more["bottom"] = self.y(box.start, True), self.y(box.end)
        for band in self.bands:
            self.place_band(band)
        for time, columns in self.steps.items():
            for some in columns.values():
                y = self.y(time) + 2
                for step in some:
                    step["y"] = y
                    self.label(step["column"].x + 12, y, step["lines"], step["kind"], step["id"])
                    y += sum(size + 1.5 for _, size in step["lines"]) + 2

    def place_band(self, band):
        hop, (x1, x2) = band["hop"], band["edges"]
        travel = hop["arrived"] - hop["to"]
        band["points"] = [(x1, self.y(hop["from"], True)), (x2, self.y(hop["from"] + travel, True)),
                          (x2, max(self.y(hop["arrived"]), self.y(hop["from"] + travel, True) + 1)),
                          (x1, max(self.y(hop["to"]), self.y(hop["from"], True) + 1))]
        if band["lines"]:
            y = self.y(self.label_time(band)[0], True) + band["top"]
            for text, size in band["lines"]:
                width = text_width(text, size)
                self.label((x1 + x2 - width) / 2, y, [(text, size)], "band", band["id"])
                y += size + 1.5

    @property
    def height(self):
        return self.after[-1]


# ---- SVG ----

STYLE = """
.netsim-diagram{--nd-paper:#ffffff;--nd-ink:#1f2328;--nd-muted:#656d76;--nd-rule:#d8dee4;--nd-lane:#f6f8fa;
--nd-idle:#e4e8ec;--nd-idle-edge:#b6bec7;--nd-path:#d1242f;--nd-drop:#b3261e;--nd-step:#6639ba;
--nd-program:#d9d9d9;--nd-library:#9fd3f5;--nd-copy--pin:#f3e37c;--nd-kernel--trap:#f5b96b;--nd-interrupt:#f09a7d;
--nd-wake-up:#e7b3d3;--nd-bus:#b9e0a5;--nd-card:#7fd1b9;--nd-wire:#8fb8e8;--nd-switch:#c5b8ec;--nd-waiting:#fbe3df;
background:var(--nd-paper);font-family:Helvetica,Arial,"Liberation Sans","Nimbus Sans","DejaVu Sans",sans-serif;
max-width:100%;height:auto}
@media (prefers-color-scheme:dark){.netsim-diagram{--nd-paper:#0d1117;--nd-ink:#e6edf3;--nd-muted:#9198a1;
--nd-rule:#30363d;--nd-lane:#151b23;--nd-idle:#262c36;--nd-idle-edge:#4a525d;--nd-path:#ff7b72;--nd-drop:#ff8f86;
--nd-step:#c297ff;--nd-program:#4a4f57;--nd-library:#0f4c75;--nd-copy--pin:#5f5510;--nd-kernel--trap:#7a4706;
--nd-interrupt:#7d2f18;--nd-wake-up:#6b2f56;--nd-bus:#33591f;--nd-card:#0f5c49;--nd-wire:#1d4b86;--nd-switch:#4a3c86;
--nd-waiting:#4a2226}}
.netsim-diagram text{fill:var(--nd-ink)}
.netsim-diagram .muted{fill:var(--nd-muted)}
.netsim-diagram .step{fill:var(--nd-step)}
.netsim-diagram .mark{fill:var(--nd-drop)}
.netsim-diagram .band{paint-order:stroke;stroke:var(--nd-paper);stroke-width:2.4px;stroke-opacity:.75}
.netsim-diagram .head{font-weight:bold}
.netsim-diagram .idle{fill:var(--nd-idle);stroke:var(--nd-idle-edge);stroke-width:.5}
.netsim-diagram .call{fill:var(--nd-lane);stroke:var(--nd-idle-edge);stroke-width:.8}
.netsim-diagram .other{opacity:.45}
.netsim-diagram .on{stroke:var(--nd-path);stroke-width:1}
.netsim-diagram .line{stroke:var(--nd-path);stroke-width:2.2;fill:none;stroke-linejoin:round}
.netsim-diagram .rule{stroke:var(--nd-rule);stroke-width:.6}
.netsim-diagram .edge{stroke:var(--nd-muted);stroke-width:1.2;fill:none}
.netsim-diagram g[id]:hover>.shape{stroke:var(--nd-ink);stroke-width:1.8}
"""


class Writer:
    def __init__(self, prefix):
        self.prefix, self.parts = prefix, []

    def add(self, text):
        self.parts.append(text)

    def id(self, name):
        return quoteattr(self.prefix + name)

    def text(self, x, y, text, size, kind="", anchor="start", fit=None):
        more = f' class="{kind}"' if kind else ""
        more += f' text-anchor="{anchor}"' if anchor != "start" else ""
        if fit:
            more += f' textLength="{fit:.1f}" lengthAdjust="spacingAndGlyphs"'
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{more}>{escape(text)}</text>')


def number(value):
    return f"{value:.1f}"


def points(some):
    return " ".join(f"{number(x)},{number(y)}" for x, y in some)


def caption_of(document, units):
    message = document["message"]
    return (f"Message {message['number']}: {message['bytes']} B from rank {message['source']} "
            f"({message['from_host']}) to rank {message['destination']} ({message['to_host']}), "
            f"{units.text(document['latency'])}")


def write_heads(out, model, top, bottom):
    document = model.document
    sender, receiver = (document["message"][key] for key in ("from_host", "to_host"))
    for host in dict.fromkeys((sender, receiver)):
        own = [column for column in model.columns if column.node == host]
        left, right = min(column.x for column in own), max(column.right for column in own)
        rank = document["message"]["source" if host == sender else "destination"]
        out.add(f'<rect x="{number(left + 1)}" y="{number(top - 36)}" width="{number(right - left - 2)}" '
                f'height="{number(bottom - top + 40)}" rx="5" fill="var(--nd-lane)"/>')
        out.text((left + right) / 2, top - 23, f"{host}, rank {rank}", 12, "head", "middle")
    for column in model.columns:
        if column.role == "link":
            out.text(column.middle, top - 8, "link", FONT, "muted", "middle")
            continue
        if column.role == "switch":
            out.add(f'<rect x="{number(column.x + 1)}" y="{number(top - 20)}" '
                    f'width="{number(column.width - 2)}" height="{number(bottom - top + 24)}" rx="5" '
                    'fill="var(--nd-lane)"/>')
        out.text(column.middle, top - 8, shortened(column.head, FONT, column.width - 4), FONT, "head",
                 "middle")
        if column.role != "switch":
            out.add(f'<line class="rule" x1="{number(column.x)}" x2="{number(column.x)}" '
                    f'y1="{number(top)}" y2="{number(bottom)}"/>')


def write_axis(out, model, top):
    last, before = -100.0, None
    units = model.units
    wanted = sorted({part["from"] for part in model.document["path"]} |
                    {0, model.document["latency"], model.until})
    # Both ends of the message have labels, and times between them where there is room.
    fixed = [model.y(time) for time in (model.document["latency"],)]
    for time in wanted:
        y = model.y(time)
        end = time in (0, model.document["latency"])
        if not end and (y - last < 13 or any(abs(y - other) < 13 for other in fixed) or units.plain(time) == before):
            continue
        last, before = y, units.plain(time)
        out.text(GUTTER - 8, top + y + 3.5, before, FONT, "head" if end else "muted", "end")
        out.add(f'<line class="rule" x1="{GUTTER - 5}" x2="{WIDTH - MARGIN}" y1="{number(top + y)}" '
                f'y2="{number(top + y)}"/>')
    out.text(GUTTER - 8, top - 8, units.unit, FONT, "muted", "end")
    for first, second in model.breaks:
        y = top + (model.after[first] + model.before[second]) / 2
        zigzag = [(4, y + 3), (9, y - 3), (14, y + 3), (19, y - 3), (24, y + 3)]
        out.add('<g><title>nothing begins or ends here: the axis is cut short</title>'
                f'<polyline class="edge" points="{points(zigzag)}"/>'
                f'<polyline class="edge" points="{points([(x, y + 4) for x, y in zigzag])}"/></g>')


def write_box(out, box, top):
    more, height = box.more, box.more["bottom"] - box.more["top"]
    span = more["span"]
    style = ""
    if more["path"]:
        kind = "shape on"
        style = f' fill="var(--nd-{slug(group_of(more["path"]["class"]))})"'
    elif more["kind"] == "call":
        kind = "shape call"
    else:
        kind = "shape idle" + (" other" if span.get("other") else "")
    dash = ' stroke-dasharray="3 2"' if more["kind"] == "delay" or \
        (span and span["kind"] == "delay") else ""
    out.add(f'<g id={out.id(more["id"])}><title>{escape(more["title"])}</title>'
            f'<rect class="{kind}" x="{number(box.left)}" y="{number(top + more["top"])}" '
            f'width="{number(box.width)}" height="{number(height)}"{style}{dash}/></g>')


def band_title(band, units):
    arrow, hop = band["arrow"], band["hop"]
    lines = [f"{arrow['what'] or 'packet'} from {arrow['from_host']} to {arrow['to_host']} on {hop['link']}"]
    for key, name in (("sequence", "sequence"), ("acknowledges", "expects")):
        if key in arrow:
            lines.append(f"{name} {arrow[key]}")
    if arrow.get("bytes"):
        lines.append(f"bytes {arrow['offset']} .. {arrow['offset'] + arrow['bytes'] - 1} of the message")
    lines.append(f"frame of {arrow['frame_bytes']} B")
    if hop["from"] > hop["since"]:
        lines.append(f"waited {units.exact(hop['from'] - hop['since'])}")
    lines.append(f"first bit {units.exact(hop['from'])}, last bit {units.exact(hop['to'])}, "
                 f"arrived {units.exact(hop['arrived'])}")
    lines += hop["constants"]
    if "dropped" in arrow:
        lines.append(f"dropped: {arrow['dropped']}")
    return "\n".join(lines)


def write_band(out, band, top, units):
    arrow = band["arrow"]
    shape = [(x, top + y) for x, y in band["points"]]
    (x1, _), (x2, _) = shape[0], shape[1]
    lost = band["last"] and "dropped" in arrow
    if lost:
        shape[1], shape[2] = [((x1 + 3 * x2) / 4, y) for _, y in shape[1:3]]
    if band["path"]:
        kind, fill = "shape on", "var(--nd-wire)"
    elif arrow["own"]:
        kind, fill = "shape", "var(--nd-wire)"
    else:
        kind, fill = "shape idle" + (" other" if arrow["other"] else ""), "var(--nd-idle)"
    (ax, ay), (bx, by) = shape[3], shape[2]
    towards = 1 if bx > ax else -1
    out.add(f'<g id={out.id(band["id"])}><title>{escape(band_title(band, units))}</title>'
            f'<polygon class="{kind}" points="{points(shape)}" fill="{fill}"/>')
    if not arrow["other"]:
        colour = "var(--nd-path)" if band["path"] else "var(--nd-muted)"
        head = [(bx, by), (bx - 7 * towards, by - 3.4), (bx - 7 * towards, by + 3.4)]
        out.add(f'<line x1="{number(ax)}" y1="{number(ay)}" x2="{number(bx)}" y2="{number(by)}" '
                f'stroke="{colour}" stroke-width="1.4"/><polygon points="{points(head)}" fill="{colour}"/>')
    if lost:
        x, y = bx + 9 * towards, (shape[1][1] + by) / 2
        out.add(f'<path d="M{number(x - 6)} {number(y - 6)}l12 12m0 -12l-12 12" stroke="var(--nd-drop)" '
                'stroke-width="2.6" fill="none"/>')
    out.add("</g>")


def path_line(model, top):
    """Where the critical path goes from one box to the next, or to a link and from it, as points."""
    lines = []
    for (part, box), (_, other) in zip(model.parts, model.parts[1:]):
        at = part["to"]
        above, below = top + model.y(at), top + model.y(at, True)
        if box and other and box.column is other.column:
            if below > above:
                x = max(box.left, other.left) + 3
                lines.append([(x, above), (x, below)])
        elif box and other:
            right = box.column.x < other.column.x
            start = box.left + box.width if right else box.left
            end = other.left if right else other.left + other.width
            lines.append([(start, above), (start, below), (end, below)])
        elif box or other:
            lines += link_line(model, box or other, at, other is None, (above, below))
    return lines


def link_line(model, box, at, starts, heights):
    """From a box to the first bit of a packet, or from its last bit to a box."""
    for band in model.bands:
        hop = band["hop"]
        if not band["path"] or at != hop["from" if starts else "arrived"]:
            continue
        edge = band["edges"][0 if starts else 1]
        near = box.left + box.width if edge >= box.left + box.width / 2 else box.left
        above, below = heights
        return [[(near, above), (near, below), (edge, below)] if starts else
                [(edge, above), (edge, below), (near, below)]]
    return []


def write_legend(out, model, y):
    sums = {}
    for part in model.document["path"]:
        name = group_of(part["class"])
        sums[name] = sums.get(name, 0) + part["to"] - part["from"]
    x = GUTTER
    total = max(model.document["latency"], 1)
    out.text(x, y, "Critical path:", FONT, "head")
    x += text_width("Critical path: ", FONT) + 8
    for name, _ in GROUPS:
        if name not in sums:
            continue
        text = f"{name} {model.units.text(sums[name])} ({100 * sums[name] / total:.0f} %)"
        width = 14 + text_width(text, FONT) + 12
        if x + width > WIDTH - MARGIN:
            x, y = GUTTER, y + 16
        out.add(f'<rect class="on" x="{number(x)}" y="{number(y - 9)}" width="10" height="10" '
                f'fill="var(--nd-{slug(name)})"/>')
        out.text(x + 14, y, text, FONT)
        x += width
    y += 16
    out.text(GUTTER, y, "Grey: not on the critical path. Dashed: a latency, in which nothing is busy. A band is a "
             "packet, from its first bit to its last. The axis is stretched to fit labels, and cut short at "
             "zigzags.", FINE, "muted")
    return y + 8


def render(document, prefix=""):
    """The diagram as SVG. prefix: of all ids, for a page with several."""
    model = Model(document)
    top = 78.0
    bottom = top + model.height
    body = Writer(prefix)
    write_heads(body, model, top, bottom)
    write_axis(body, model, top)
    for box in model.under + model.boxes:
        write_box(body, box, top)
    for band in sorted(model.bands, key=lambda band: (not band["arrow"]["other"], not band["arrow"]["own"], band["path"])):
        write_band(body, band, top, model.units)
    for line in path_line(model, top):
        body.add(f'<polyline class="line" points="{points(line)}"/>')
    for columns in model.steps.values():
        for some in columns.values():
            for step in some:
                x, y = step["column"].x + 6, top + step["y"] + 5
                colour = "var(--nd-drop)" if step["kind"] == "mark" else "var(--nd-step)"
                body.add(f'<g id={body.id(step["id"])}><title>{escape(step["title"])}</title>'
                         f'<path class="shape" d="M{number(x)} {number(y - 4)}l4 4l-4 4l-4 -4z" '
                         f'fill="{colour}"/></g>')
    for label in model.labels:
        body.text(label["x"], top + label["y"] + label["size"] * 0.82, label["text"], label["size"],
                  label["kind"] if label["kind"] != "on-path" else "", fit=label["width"])
    height = write_legend(body, model, bottom + 24)
    units, scenario = model.units, document["scenario"]
    caption = caption_of(document, units)
    head = Writer(prefix)
    head.add(f'<svg xmlns="http://www.w3.org/2000/svg" class="netsim-diagram" viewBox="0 0 {WIDTH} '
             f'{number(height)}" width="{WIDTH}" height="{number(height)}" role="img" '
             f'aria-label={quoteattr(caption)}>')
    head.add(f"<style>{STYLE}</style>")
    head.add(f'<rect width="{WIDTH}" height="{number(height)}" fill="var(--nd-paper)"/>')
    head.text(MARGIN, 20, caption, 14, "head")
    head.text(MARGIN, 36, f"{document['series']}, {scenario}", FONT, "muted")
    return "\n".join(head.parts + body.parts) + "\n</svg>\n"


# ---- A page of its own ----

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def beside(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:
        return file.read()


def path_table(document, units):
    """The critical path as rows, for readers without the picture."""
    rows, total = "", max(document["latency"], 1)
    for part in document["path"]:
        span = document["spans"][part["span"]] if part["span"] is not None else {}
        constants = span.get("constants") or part.get("constants", [])
        length = part["to"] - part["from"]
        rows += (f'<tr><th scope="row">{escape(part["stage"])}</th><td class="text">{escape(part["class"])}</td>'
                 f'<td>{part["from"] / 10 ** 6:.6f}</td><td>{length / 10 ** 6:.6f}</td><td>{100 * length / total:.1f} %</td>'
                 f'<td class="long">{escape(", ".join(constants))}</td></tr>')
    heads = "".join(f'<th scope="col"{kind}>{name}</th>' for name, kind in (
        ("stage", ' class="text"'), ("class", ' class="text"'), ("from, \u00b5s", ""), ("takes, \u00b5s", ""), ("share", ""),
        ("parameters", ' class="text"')))
    return (f'<details><summary>The critical path in numbers</summary><div class="numbers whole" tabindex="0" role="region" '
            f'aria-label="the critical path"><table><thead><tr>{heads}</tr></thead><tbody>{rows}'
            f'<tr><th scope="row">sum</th><td></td><td></td><td>{document["latency"] / 10 ** 6:.6f}</td><td></td>'
            f'<td class="text">{escape(units.text(document["latency"]))}</td></tr></tbody></table></div></details>')


def render_page(document):
    """The diagram as one file of HTML that needs nothing else."""
    units = Units(max(document["until"], document["latency"], 1))
    title = f"{document['series']}, {document['scenario']}"
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}"><meta name="generator" content="netsim">'
            f'<title>netsim: {escape(title)}</title><style>{beside("page.css")}{beside("viewer.css")}</style></head><body>'
            f'<a class="skip" href="#contents">To the contents</a><header><h1>{escape(title)}</h1>'
            f'<p class="source">{escape(caption_of(document, units))}</p>'
            f'<p class="source">+ and \u2212 zoom, as does the wheel with Ctrl; arrow keys or the pointer move the view; N and P go '
            f'along the critical path.</p></header><main id="contents"><section><div class="drawn" tabindex="-1">{render(document)}'
            f'</div></section><section>{path_table(document, units)}</section></main><script>{beside("viewer.js")}</script>'
            f'</body></html>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--out", required=True)
    parser.add_argument("document")
    options = parser.parse_args()
    if options.document == "-":
        document = json.load(sys.stdin)
    else:
        with open(options.document, encoding="utf-8") as file:
            document = json.load(file)
    with open(options.out, "w", encoding="utf-8") as file:
        file.write(render_page(document) if options.out.endswith(".html") else render(document))


if __name__ == "__main__":
    main()
