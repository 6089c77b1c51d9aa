# SPDX-License-Identifier: GPL-3.0-or-later
"""The common parts of pages of HTML: the frame with its look (page.css), the charts (page.js with d3, put into the
page when it is made), pictures as SVG where there is no d3, tables.

A page is one file without anything from elsewhere, works without a network and without its script, and is
dark where the reader's pages are.
"""
import html
import json
import os
import re

import style

# Where packages put d3 (Debian's node-d3); NETSIM_D3 names another file.
D3 = ("/usr/share/nodejs/d3/dist/d3.min.js", "/usr/local/share/nodejs/d3/dist/d3.min.js")
LEAST_D3 = 5  # what page.js calls

THEME = {style.PAPER: "var(--paper)", style.INK: "var(--ink)", style.MUTED: "var(--muted)",
         style.GRID: "var(--grid)", style.SHADE: "var(--shade)"}


def text(value):
    return html.escape(str(value))


def beside(name):
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), encoding="utf-8") as file:
        return file.read()


def library():
    """d3 as text; None if none is installed that page.js works with."""
    given = os.environ.get("NETSIM_D3")
    for path in [given] if given else D3:
        try:
            with open(path, encoding="utf-8") as file:
                found = file.read()
        except OSError:
            continue
        version = re.search(r"d3js\.org\s+v(\d+)\.", found[:200])
        if version and int(version[1]) >= LEAST_D3 and "</script" not in found:
            return found
    return None


def number_text(value):
    """Six digits, as page.js reads them off."""
    return "" if value is None else f"{value:.6g}"


def unit_text(axis):
    unit = {"us": "\u00b5s"}.get(axis.get("unit"), axis.get("unit"))
    return f"{axis['label']} ({unit})" if unit else axis["label"]


# ---- Pictures -----------------------------------------------------------------------------------

def inline(svg, prefix, title):
    """A picture as a part of the page: its own ids, the page's colours, and a title to be read."""
    svg = svg[svg.index("<svg"):]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{prefix}-', svg)
    svg = re.sub(r'href="#', f'href="#{prefix}-', svg)
    svg = svg.replace("url(#", f"url(#{prefix}-")
    for colour, variable in THEME.items():
        svg = svg.replace(colour, variable)
    svg = re.sub(r'(<svg [^>]*) role="img"', r"\1", svg, count=1)
    return svg.replace("<svg ", f'<svg role="img" aria-label="{text(title)}" ', 1)


def spoken(document):
    """The contents of a picture, to be read aloud."""
    names = list(dict.fromkeys(series["name"] for panel in document["panels"]
                               for series in panel["series"]))
    return f"{document['title']}; curves: {', '.join(names)}"


class Pictures:
    """The pictures of a page: charts of its one JSON where there is d3, else SVG. `drawing` is the module
    draw.py."""

    def __init__(self, drawing, is_static=False):
        self.drawing = drawing
        self.library = None if is_static else library()
        self.charts = {}

    def place(self, anchor, document, svg=None):
        """The picture's place in the page; `svg` if it has been drawn."""
        if not self.library:
            svg = svg or style.picture(self.drawing.draw(document), "svg").decode("utf-8")
            return f'<div class="picture">{inline(svg, anchor, spoken(document))}</div>'
        return self.chart(anchor, document["panels"], self.drawing.series_looks(document)) + \
            self.notes(document)

    def chart(self, anchor, panels, looks):
        self.charts[anchor] = {"looks": looks, "panels": panels}
        return (f'<div data-picture="{anchor}"><p class="source">The curves need JavaScript; the '
                f'numbers are below.</p></div>')

    def notes(self, document):
        """Failures, gaps and the meaning of the marks."""
        notes = [f"\u00d7 {series['name']}: {series['failure']['text']}" for panel in document["panels"]
                 for series in panel["series"] if series.get("failure")]
        notes += document.get("notes", [])
        notes += [self.drawing.note_of(mark) for panel in document["panels"]
                  for mark in panel.get("marks", [])]
        lines = "".join(f"<p>{text(note)}</p>" for note in dict.fromkeys(notes))
        return f'<div class="source notes">{lines}</div>' if lines else ""

    def script(self):
        """The data, the library and the script; nothing if all pictures are SVG."""
        if not self.charts:
            return ""
        # No text of the data can end the element.
        data = json.dumps({"pictures": self.charts}, ensure_ascii=False, allow_nan=False,
                          separators=(",", ":")).replace("<", "\\u003c")
        return (f'<script type="application/json" id="netsim-data">{data}</script>\n'
                f'<script>{self.library}</script>\n<script>{beside("page.js")}</script>\n'
                f'<script>{beside("viewer.js")}</script>\n')


# ---- Tables -------------------------------------------------------------------------------------

def numbers(panel):
    """The numbers of a panel of lines, bars or stacks, as a table."""
    points = [dict((x, y) for x, y, *_ in series["points"]) for series in panel["series"]]
    places = list(dict.fromkeys(x for one in points for x in one))
    if not any(isinstance(x, str) for x in places):
        places.sort()
    heads = "".join(f'<th scope="col">{text(series["name"])}</th>' for series in panel["series"])
    rows = ""
    for x in places:
        place = style.size_text(x) if panel["x"].get("unit") == "B" and not isinstance(x, str) \
            else text(x)
        cells = "".join(f"<td>{number_text(one.get(x))}</td>" for one in points)
        rows += f'<tr><th scope="row">{place}</th>{cells}</tr>'
    title = f"{panel['title']}: " if panel.get("title") else ""
    return (f'<table><caption>{text(title + unit_text(panel["y"]))}</caption><thead><tr>'
            f'<th scope="col">{text(panel["x"]["label"])}</th>{heads}</tr></thead>'
            f'<tbody>{rows}</tbody></table>')


def all_numbers(document):
    """The numbers of a picture, folded."""
    tables = "".join(numbers(panel) for panel in document["panels"] if panel.get("kind") != "heat")
    return f'<details><summary>Numbers</summary><div class="numbers" tabindex="0" role="region" ' \
           f'aria-label="numbers">{tables}</div></details>' if tables else ""


def is_number(value):
    return re.fullmatch(r"[-+]?(\d[\d,]*\.?\d*([eE][-+]?\d+)?( %)?)?", str(value)) is not None


def table(columns, rows, caption="", filter_id=None, long=(), whole=False):
    """A table of texts; columns that hold other things than numbers are on the left. `filter_id`: with a
    field that searches its rows; `long`: the columns that may be folded; `whole`: however long it is, it does
    not scroll downwards."""
    left = [any(not is_number(row[i]) for row in rows) for i in range(len(columns))]
    sort = ['class="long"' if name in long else 'class="text"' if left[i] else ""
            for i, name in enumerate(columns)]
    head = "".join(f'<th scope="col" {sort[i].replace("long", "text")}>{text(name)}</th>'
                   for i, name in enumerate(columns))
    body = "".join("<tr>" + "".join(f"<td {sort[i]}>{text(value)}</td>" for i, value in enumerate(row))
                   + "</tr>" for row in rows)
    search = f'<input type="search" aria-label="search in {text(caption or "the table")}" ' \
             f'placeholder="search" aria-controls="{filter_id}">' if filter_id else ""
    name = f' id="{filter_id}"' if filter_id else ""
    title = f"<caption>{text(caption)}</caption>" if caption else ""
    return (f'{search}<div class="numbers{" whole" if whole else ""}" tabindex="0" role="region" '
            f'aria-label="{text(caption or "table")}">'
            f'<table{name}>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>')


# ---- The frame ----------------------------------------------------------------------------------

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def frame(title, head, body, pictures, target):
    """A page as text: head and body are HTML; `target` is the id of what the skip link leads to."""
    return (f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1">'
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
            f'<meta name="generator" content="netsim">'
            f'<title>{text(title)}</title><style>{beside("page.css")}{beside("viewer.css")}</style></head><body>'
            f'<a class="skip" href="#{target}">To the contents</a><header>{head}</header>'
            f'<main id="{target}">{body}</main>\n{pictures.script()}</body></html>\n')
