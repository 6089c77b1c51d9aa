#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the page of `netsim report` from the document that the program prints (sim/cli/report.h).

    report.py [--static] --out FILE DOCUMENT.json

The numbers are the program's; what is made here is text.
"""
import argparse
import shlex
import sys

import diagram
import draw
import explain
import gallery
import page
import style
from page import text

MOST_CLAIMS = 12  # that are not folded
MOST_LINKS = 24
SIGNS = {"completed": "completed", "lost": "lost data", "impossible": "not possible", "missing": "not run"}


class Part:
    """A run or a sweep of the page, with a prefix of its own for ids."""

    def __init__(self, pictures, part, number):
        self.pictures, self.part, self.prefix = pictures, part, f"part{number}"
        self.sections = []  # (id, title, HTML)

    def add(self, name, title, body):
        if body:
            self.sections.append((f"{self.prefix}-{name}", title, body))

    def picture(self, name, document):
        return self.pictures.place(f"{self.prefix}-{name}", document) + page.all_numbers(document)

    def csv(self, name):
        """The tables of CSV with this name."""
        return next((one for one in self.part["tables"] if one["name"] == name), None)

    def html(self):
        for number, one in enumerate(self.part["pictures"]):
            self.add(f"picture{number}", one["title"].capitalize(), self.picture(f"chart{number}", one["document"]))
        (self.run if self.part["kind"] == "run" else self.sweep)()
        self.add("rows", "All rows", "".join(csv_table(one, f"{self.prefix}-csv{number}")
                                             for number, one in enumerate(self.part["tables"])))
        title = text(self.part["title"])
        links = "".join(f'<a href="#{anchor}">{text(name)}</a>' for anchor, name, _ in self.sections)
        name = f'{text(self.part["kind"]).capitalize()} of {text(self.part["scenario"])}'
        head = (f'<h2 id="{self.prefix}">{name}</h2><p class="source">{title}; {text(self.part["word"])}</p>'
                + notices(self.part["notes"]) + f'<nav aria-label="{name}">{links}</nav>')
        return f'<article aria-labelledby="{self.prefix}">{head}' + \
            "".join(section(*one) for one in self.sections) + "</article>"

    # ---- A run ----

    def run(self):
        manifest = self.part["manifest"]
        if self.part.get("machine"):
            self.add("machine", "The machine", f'<div class="drawn">{page.inline(self.part["machine"], self.prefix + "-m", "the machine")}</div>')
        if self.part.get("explain"):
            self.add("time", "Where the time goes", self.explained(self.part["explain"]))
        self.add("message", "A message on its way", self.on_their_way(self.part.get("diagrams") or []))
        self.add("series", "How the series ended", ended(manifest))
        self.add("busiest", "Loads of links", busiest(self.csv("links")))
        self.add("losses", "Losses", losses(manifest))
        claims = self.part.get("claims") or []
        if claims:
            self.add("claims", "Claims of the sources", claims_text(claims))
        self.add("parameters", "Parameters and their sources", parameters(manifest, f"{self.prefix}-values"))
        self.add("made", "How it was made", made(manifest))

    def on_their_way(self, documents):
        """The space-time diagram of a message of each of the series, folded."""
        found = ""
        for number, document in enumerate(documents):
            prefix = f"{self.prefix}-way{number}-"
            name = text(document.get("series") or document.get("scenario"))
            found += (f'<details class="way"{"" if number else " open"}><summary>{name}</summary><div class="drawn" tabindex="0" '
                      f'role="region" aria-label="a message of {name} on its way">{diagram.render(document, prefix)}</div></details>')
        return found

    def explained(self, document):
        series_list = [one for one in document["series"] if any(one["total"])]
        lines = [f"<p>{text(line)}</p>" for line in explain.failures(document)]
        if not series_list:
            return "".join(lines)
        kept, rest = explain.names_of(document)
        panels, looks = [], {}
        for series in series_list:
            layers, sizes = explain.layers_of(series, kept, rest)
            looks.update({name: (colour, "s", "none") for (name, _), colour
                          in zip(layers, explain.colours_of(layers))})
            panels.append(stack(series, layers, sizes))
        repeated = {one["repetitions"] for series in series_list for one in series["exact"] if one}
        apart = any(one.get("by_itself") for series in series_list for one in series["exact"] if one)
        note = f'<p class="source">Shares of the critical path of a message by the class of its stages' \
            + (f", each size by itself, {min(repeated)} repetitions" if apart and repeated else "") + \
            ". <code>netsim explain --size SIZE</code> has the stages.</p>"
        if self.pictures.library:
            picture = self.pictures.chart(f"{self.prefix}-time-chart", panels, looks)
        else:
            svg = style.picture(explain.draw(document), "svg").decode("utf-8")
            picture = f'<div class="picture">{page.inline(svg, self.prefix + "-time-chart", "where the time goes")}</div>'
        return note + picture + page.all_numbers({"panels": panels}) + "".join(lines)

    # ---- A sweep ----

    def sweep(self):
        report = self.part["report"]
        self.add("ends", "How its runs ended", ends(report))
        self.add("best", "Best and worst", best(report))
        self.add("effects", "Effects of the axes", effects(report))
        command = self.part.get("command")
        body = f"<p>A command that makes this sweep:</p><pre>{text(command)}</pre>" if command else ""
        self.add("made", "How it was made", body + "<p>Its report as text:</p><pre>" +
                 text(shlex.join(["netsim", "sweep", "--report", self.part["word"]])) + "</pre>")


def section(anchor, title, body):
    return f'<section id="{anchor}" aria-labelledby="{anchor}-heading"><h3 id="{anchor}-heading">' \
           f'{text(title)}</h3>{body}</section>'


def notices(notes):
    return "".join(f'<p class="notice" role="note">{text(note)}</p>' for note in notes)


def csv_table(one, anchor):
    """A file of CSV, folded."""
    left = f'<p class="source">The file has {one["left"]} more rows.</p>' if one["left"] else ""
    return (f'<details><summary>{len(one["rows"])} rows of {text(one["file"])}</summary>'
            f'{page.table(one["columns"], one["rows"], one["name"], anchor)}{left}</details>')


def claims_text(claims):
    """Claims and their verdicts: those that miss stand first, settings and all beyond some are folded."""
    order = ["misses", "known_miss", "refuted", "level", "not_checkable", "open", "not_run"]
    claims = sorted(claims, key=lambda one: (one.get("standing") == "setting", order.index(one["verdict"])
                                             if one["verdict"] in order else len(order)))
    shown = [one for one in claims[:MOST_CLAIMS] if one.get("standing") != "setting"] or claims[:MOST_CLAIMS]
    items = [gallery.claim_item(claim) for claim in claims]
    rest = f"<details><summary>{len(items) - len(shown)} more</summary><ul>{''.join(items[len(shown):])}</ul></details>" \
        if len(shown) < len(items) else ""
    return f"<p>{gallery.counts_text(claims)}, by this run alone.</p><ul>{''.join(items[:len(shown)])}</ul>{rest}"


# ---- Of a run -----------------------------------------------------------------------------------

def stack(series, layers, sizes):
    totals = [total for total in series["total"] if total]
    span = explain.time_text(totals[0]) if len(totals) == 1 else \
        f"{explain.time_text(min(totals))} to {explain.time_text(max(totals))}"
    places = sizes if len(sizes) > 1 else ["all"]
    return {"kind": "stack", "title": f"{series['name']}: {span}",
            "x": {"label": "message size", "unit": "B", "scale": "log"},
            "y": {"label": "share of the time", "unit": "%", "scale": "linear"},
            "series": [{"name": name, "points": [list(point) for point in zip(places, shares)]}
                       for name, shares in layers]}


def ended(manifest):
    rows = []
    for series in manifest["series"]:
        reason = series.get("reason") or {}
        ledger = series.get("ledger", {})
        rows.append([series["name"], series.get("stack", ""), SIGNS.get(series["status"], series["status"]),
                     f"{series.get('simulated_s', 0):.6g}", f"{series.get('events', 0):,}",
                     f"{ledger.get('messages', 0):,}", f"{ledger.get('bytes', 0):,}",
                     series.get("fingerprint", ""), reason.get("text", "")])
    if not any(row[-1] for row in rows):
        rows = [row[:-1] for row in rows]
    columns = ["series", "stack", "end", "simulated s", "events", "messages", "bytes", "fingerprint", "reason"]
    return page.table(columns[:len(rows[0])] if rows else columns, rows, "series", long=("reason",), whole=True)


def busiest(links):
    """The links by how busy they were."""
    if not links:
        return ""
    columns = links["columns"]
    wanted = [("series", "series"), ("link", "link"), ("utilisation", "busy %"), ("packets", "packets"), ("bytes", "bytes"),
              ("longest_queue", "longest queue"), ("held_us", "held us"), ("queue_full", "queue full"), ("lost", "lost"),
              ("corrupt", "corrupt"), ("dropped_by_hosts", "dropped by hosts")]
    at = [(columns.index(name), head) for name, head in wanted if name in columns]
    busy = columns.index("utilisation")
    order = sorted(links["rows"], key=lambda row: -float(row[busy] or 0))
    rows = [[link_text(row[i], head) for i, head in at] for row in order]
    kept = [i for i, (_, head) in enumerate(at) if i < 5 or any(row[i] not in ("", "0") for row in rows)]
    more = f'<p class="source">{len(rows) - MOST_LINKS} links that were less busy are in links.csv below.</p>' \
        if len(rows) > MOST_LINKS else ""
    return page.table([at[i][1] for i in kept], [[row[i] for i in kept] for row in rows[:MOST_LINKS]],
                      "links, the busiest first", whole=True) + more


def link_text(value, head):
    if head == "busy %":
        return f"{100 * float(value or 0):.1f}"
    return f"{float(value):,.6g}" if head == "held us" and value else f"{int(value):,}" if value.isdigit() else value


def losses(manifest):
    rows = [[series["name"], one["kind"], one["counter"], f"{one['count']:,}", f"{one['before_measurement']:,}"]
            for series in manifest["series"] for one in series.get("losses", [])]
    lost = [[series["name"], line] for series in manifest["series"] for line in series.get("unaccounted", [])[:20]]
    if not rows and not lost:
        return "<p>Nothing was dropped, repeated, held back or timed out.</p>"
    found = page.table(["series", "kind", "what", "count", "before the measurement"], rows, "losses") if rows else ""
    return found + (page.table(["series", "message"], lost, "messages that did not arrive", long=("message",)) if lost else "")


def plain(value):
    if isinstance(value, (dict, list)):
        return ", ".join(f"{key}: {plain(one)}" for key, one in value.items()) if isinstance(value, dict) \
            else ", ".join(map(plain, value))
    return "" if value is None else str(value)


def values_of(tree, path, found):
    """(path, value, origin, source) of all parameters of a resolved case."""
    if isinstance(tree, dict) and "value" in tree and "origin" in tree:
        found.append((path, plain(tree["value"]), tree["origin"], tree.get("source") or ""))
    elif isinstance(tree, dict):
        for key, one in tree.items():
            values_of(one, f"{path}.{key}" if path else key, found)
    elif isinstance(tree, list):
        for number, one in enumerate(tree):
            values_of(one, f"{path}[{number}]" if len(tree) > 1 else path, found)
    return found


def parameters(manifest, anchor):
    """Every parameter once, with the series that it holds for if they differ."""
    names = [series["name"] for series in manifest["series"]]
    rows = {}
    for series in manifest["series"]:
        case = series.get("case") or {}
        given = values_of(case.get("parameters"), "", [])
        topology = case.get("topology") or {}
        given += values_of(topology.get("link_parameters"), "link", [])
        given += values_of(topology.get("switch_parameters"), "switch", [])
        for one in given:
            rows.setdefault(one, []).append(series["name"])
    table = [[path, value, "all" if len(series) == len(names) else ", ".join(series), origin, source]
             for (path, value, origin, source), series in rows.items()]
    table.sort(key=lambda row: row[3] == "default")  # what was chosen stands first
    chosen = sum(row[3] != "default" for row in table)
    return (f'<details><summary>{len(table)} parameters, {chosen} of them set</summary>'
            + page.table(["parameter", "value", "series", "from", "source"], table, "parameters", anchor,
                         long=("source", "from")) + '</details>')


def made(manifest):
    execution = manifest.get("execution", {})
    host = execution.get("host", {})
    rows = [("version", f"{manifest.get('program', 'netsim')} {manifest.get('version', '')}"),
            ("scenario", manifest.get("file")), ("seed", manifest.get("seed")), ("draw", manifest.get("draw")),
            ("fingerprint", manifest.get("fingerprint")), ("started", execution.get("started")),
            ("took", f"{execution.get('wall_s', 0):.3g} s"), ("directory", execution.get("directory")),
            ("on", " ".join(str(host[key]) for key in ("name", "system", "release", "machine") if key in host)),
            ("results, SHA-256", manifest.get("results", {}).get("sha256"))]
    items = "".join(f"<dt>{text(name)}</dt><dd>{text(value)}</dd>" for name, value in rows if value not in (None, ""))
    return f"<pre>{text(shlex.join(['netsim', *execution.get('command', [])]))}</pre><dl>{items}</dl>"


# ---- Of a sweep ---------------------------------------------------------------------------------

def point_text(point):
    return ", ".join(f"{axis}={value}" for axis, value in (point or {}).get("values", {}).items())


def ends(report):
    counts = [(name, count) for name, count in report["ends"].items() if count]
    runs = ", ".join(f"{count} {SIGNS.get(name, name)}" for name, count in counts)
    missing = report["ends"].get("missing", 0)
    body = f'<p>{report["points"]} points; runs of series: {text(runs) or "none"}.</p>'
    if missing:
        total = sum(count for _, count in counts)
        body = (f'<p class="notice" role="note">This sweep is not finished: {missing} of {total} runs have not been '
                f'made, and this page is partial. The same netsim sweep goes on from there.</p>') + body
    body += notices(report["warnings"])
    rows = [[one["series"], one.get("kind") or "", one.get("text") or "", one["count"]] for one in report["failures"]]
    if rows:
        body += page.table(["series", "kind", "reason", "runs"], rows, "failures", long=("reason",))
    axes = [[axis["name"], ", ".join(axis["values"]), "nothing" if axis["changed_nothing"] else ""]
            for axis in report["axes"]]
    return body + (page.table(["axis", "values", "changed"], axes, "axes", long=("values",)) if axes else "")


def size_name(row):
    size = row.get("size_bytes")
    return "all" if size is None else "" if size < 0 else style.size_text(size)


def best(report):
    rows = []
    for metric in report["metrics"]:
        for row in metric["rows"]:
            if row.get("best") is None:
                continue
            rows.append([metric["series"], f"{metric['metric']}", size_name(row), page.number_text(row["best"]),
                         point_text(row.get("best_point")), page.number_text(row.get("worst")),
                         point_text(row.get("worst_point"))])
    return page.table(["series", "metric", "size", "best", "at", "worst", "at "], rows, "best and worst") if rows else ""


def effects(report):
    rows = []
    for metric in report["metrics"]:
        for one in metric.get("effects", []):
            change = one.get("change")
            if change is None:
                continue
            half = one.get("half_width")
            span = f" \u00b1 {100 * half:.2g} %" if half is not None else ""
            if one.get("change_low") is not None:
                span = f" ({100 * one['change_low']:+.3g} .. {100 * one['change_high']:+.3g} %)"
            told = "" if one.get("told_apart", True) or one.get("is_reference") else "not told apart"
            rows.append([metric["series"], metric["metric"], one["axis"], one["value"],
                         "reference" if one.get("is_reference") else f"{100 * change:+.3g} %{span}", told])
    if not any(row[-1] for row in rows):
        rows = [row[:-1] for row in rows]
    columns = ["series", "metric", "axis", "value", "change", "note"]
    return page.table(columns[:len(rows[0])], rows, "effects") if rows else ""


# ---- The page -----------------------------------------------------------------------------------

def page_text(document, is_static=False):
    pictures = page.Pictures(draw, is_static)
    parts = [Part(pictures, part, number + 1) for number, part in enumerate(document["parts"])]
    body = ""
    if document.get("together"):
        body += section("together", "All of them together", pictures.place("together-chart", document["together"])
                        + page.all_numbers(document["together"]))
    body += "".join(part.html() for part in parts)
    links = "".join(f'<a href="#{part.prefix}">{text(part.part["label"])} ({part.part["kind"]})</a>'
                    for part in parts)
    # One part has its own links.
    head = (f'<h1>{text(document["title"])}</h1><p class="source">netsim {text(document["version"])}: '
            f'<code>{text(shlex.join(document["command"]))}</code></p>{notices(document["notes"])}'
            + (f'<nav aria-label="parts">{links}</nav>' if len(parts) > 1 else ""))
    return page.frame(f"netsim: {document['title']}", head, body, pictures, "contents")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--static", action="store_true", help="pictures as SVG, and no script")
    parser.add_argument("--out", required=True, help="the page's file")
    parser.add_argument("document", help="-: of stdin")
    arguments = parser.parse_args()
    try:
        document = style.load(arguments.document)
        style.write(arguments.out, page_text(document, arguments.static).encode("utf-8"))
    except (OSError, ValueError, KeyError) as problem:
        what = f"the document lacks {problem}" if isinstance(problem, KeyError) else problem
        sys.exit(f"report.py: {what}")


if __name__ == "__main__":
    main()
