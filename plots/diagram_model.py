# SPDX-License-Identifier: GPL-3.0-or-later
"""The layout of the space-time diagram: its columns, boxes, arrows and steps, and where each label stands."""

from diagram_text import FINE, FONT, Units, broken, shortened, text_width, wrapped

WIDTH, GUTTER, MARGIN = 1200, 62, 8
LONGEST = 64.0            # pixels of a stretch in which nothing happens
TARGET = 720.0            # pixels of the message, if labels need no more

HOST_ROLES = ["program", "library", "kernel", "bus", "card"]
# Least and best width.
WIDTHS = {"program": (44, 70), "library": (92, 124), "kernel": (96, 132), "bus": (62, 92),
          "card": (66, 100), "link": (86, 150), "switch": (50, 84)}


def telling(constants):
    """Without the clocks that costs in cycles go by, if there is more to name."""
    rest = [one for one in constants if not one.endswith(".clock")]
    return rest or constants



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
