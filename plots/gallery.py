# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a gallery: each picture next to its claims and their verdicts."""
import itertools
import re

import page
import style
from page import text

# Of one claim, and of several.
VERDICTS = {
    "holds": ("holds", "hold"),
    "level": ("level", "level"),
    "misses": ("misses", "miss"),
    "known_miss": ("known miss", "known misses"),
    "refuted": ("refuted", "refuted"),
    "not_checkable": ("not checkable", "not checkable"),
    "not_run": ("not run", "not run"),
    "open": ("open", "open"),
    "same_as": ("counted elsewhere", "counted elsewhere"),
}

def powers(value):
    """Text with its powers as people write them: "2^20"."""
    return re.sub(r"\^(\d+)", r"<sup>\1</sup>", text(value))


def claim_item(claim):
    verdict = claim.get("verdict")
    badge = f'<span class="verdict {verdict}">{VERDICTS[verdict][0]}</span>' \
        if verdict in VERDICTS \
        else '<span class="verdict none">not judged</span>'
    rows = ""
    standing = claim.get("standing")
    if standing:
        by = claim.get("standing_by")
        badge += f'<span class="standing">{text(standing)}{": " + text(by) if by else ""}</span>'
    for key, name in (("expected", "expected"), ("simulated", "simulated"),
                      ("deviation", "deviation"), ("why", "why")):
        value = claim.get(key)
        if value is None or value == "":
            continue
        if key == "deviation" and isinstance(value, (int, float)):
            value = f"{100 * value:+.1f} %"
        rows += f"<dt>{name}</dt><dd>{text(value)}</dd>"
    return f'<li>{badge}<code>{text(claim["id"])}</code><dl>{rows}</dl></li>'


def counts_text(claims):
    """"5 hold, 2 miss", each in its colour; empty without verdicts."""
    counts = {}
    for claim in claims:
        if claim.get("verdict") in VERDICTS:
            counts[claim["verdict"]] = counts.get(claim["verdict"], 0) + 1
    return ", ".join(f'<span class="{verdict}">{counts[verdict]} {words[counts[verdict] > 1]}'
                     f'</span>' for verdict, words in VERDICTS.items() if verdict in counts)


def section(entry, document, name, picture):
    anchor = style.slug(entry["id"])
    claims = "".join(claim_item(claim) for claim in entry["claims"])
    number = f'Figure {text(entry["number"])}: ' if entry.get("number") else ""
    count = counts_text(entry["claims"])
    still = ' class="still"' if "data-picture" not in picture else ""
    return (f'<section id="{anchor}" aria-labelledby="{anchor}-heading">'
            f'<h2 id="{anchor}-heading">{number}{text(document["title"])}'
            + (f'<span class="count">{count}</span>' if count else "") +
            f'</h2><div class="pair"><figure{still}>{picture}'
            f'<figcaption class="source">{text(entry["source"])}. Files: '
            f'<a href="{text(name)}">{text(name)}</a>, '
            f'<a href="data/{text(entry["id"])}.json">{text(entry["id"])}.json</a></figcaption>'
            f'{page.all_numbers(document)}'
            f'</figure><ul aria-label="claims">{claims}</ul></div></section>')


def totals_line(listing):
    claims = {}
    for entry in listing["figures"]:
        for claim in entry["claims"]:
            if claim.get("verdict") in VERDICTS:
                claims.setdefault(claim["id"], claim)
    if not claims:
        why = listing.get("no_verdicts")
        return f"No verdicts: {text(why)}" if why else "No verdicts"
    predicted = [claim["verdict"] for claim in claims.values()
                 if claim.get("standing") == "predicted" and claim["verdict"] != "not_checkable"]
    more = f"; {predicted.count('holds')} of {len(predicted)} predicted ones hold" if predicted else ""
    return f"{counts_text(claims.values())} of {len(claims)} claims{more}"


def page_of(listing, drawn, pictures):
    """The page as text; `drawn` has (entry, document, file name, SVG) of each picture."""
    links = body = ""
    for about, figures in itertools.groupby(drawn, lambda one: one[0].get("about") or ""):
        figures = list(figures)
        head = f'<p class="source">{powers(about)}</p>' if about else ""
        links += f'{head}<nav aria-label="{text(about) or "figures"}">' + "".join(
            f'<a href="#{style.slug(entry["id"])}">{text(entry.get("number") or entry["id"])}</a>'
            for entry, *_ in figures) + "</nav>"
        body += head
        for entry, document, name, svg in figures:
            picture = pictures.place(style.slug(entry["id"]) + "-chart", document, svg)
            body += section(entry, document, name, picture)
    head = (f'<h1>Figures, from simulation</h1><p>{totals_line(listing)}. '
            f'netsim {text(listing["version"])}.</p><p class="source">Curves are simulated. '
            f'Rings, lines and shades are what the source states.</p>{links}')
    return page.frame("netsim: figures", head, body, pictures, "figures")
