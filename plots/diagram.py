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

from diagram_model import GUTTER, MARGIN, WIDTH, Model
from diagram_text import FINE, FONT, Units, shortened, text_width

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


def group_of(stage_class):
    for name, classes in GROUPS:
        if stage_class in classes:
            return name
    return "waiting"


def slug(text):
    return "".join(letter if letter.isalnum() else "-" for letter in text.lower())


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
