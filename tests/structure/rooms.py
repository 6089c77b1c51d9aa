#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The diagram of rooms in docs/architecture.md, made from what the include check allows.

    rooms.py            prints the diagram
    rooms.py --write    puts it, and what each room may include, into the page

A room stands one line above the highest that it may include, so that every include goes down.
"""

import functools
import re

import made_page
import check_includes

MARK = "<!-- rooms: tests/structure/rooms.py -->\n"


def short(room):
    return room.removeprefix("sim/")


@functools.lru_cache(None)
def level(room):
    """0 for a room that includes no other, else one more than the highest that it may include."""
    return max((level(other) + 1 for other in check_includes.MAY_INCLUDE[room]), default=0)


def covered(room):
    """The rooms that `room` may include, and which others of them already stand on."""
    may = check_includes.MAY_INCLUDE[room]
    return {below for other in may for below in check_includes.MAY_INCLUDE[other]}


def diagram():
    """A line for each level, the highest first; after each room those right below it."""
    lines = []
    for height in range(max(map(level, check_includes.MAY_INCLUDE)), -1, -1):
        rooms = [room for room in check_includes.MAY_INCLUDE if level(room) == height]
        texts = []
        for room in rooms:
            direct = [short(other) for other in check_includes.MAY_INCLUDE[room]
                      if other not in covered(room)]
            texts.append(short(room) + (f" -> {', '.join(direct)}" if direct else ""))
        lines.append(f"{height:2}  " + "    ".join(texts))
    return "\n".join(line.rstrip() for line in lines) + "\n"


def with_diagram(text):
    head, rest = text.split(MARK)
    _, after = rest.split("```\n", 1)[1].split("```\n", 1)
    return f"{head}{MARK}```\n{diagram()}```\n{after}"


def with_permissions(text):
    """The table of rooms with its last column, what each may include."""
    def row(match):
        room = match["room"].rstrip("/")
        key = {"models/NAME": "models", "bench": "bench", "models/registry.c": None}.get(
            room, room)
        if key is None:
            return match[0]
        may = ", ".join(map(short, check_includes.MAY_INCLUDE[key])) or "none"
        return f"| `{match['room']}` | {match['owns']} | {may} |"
    return re.sub(r"(?m)^\| `(?P<room>(?:sim/\w+|models/NAME|bench)/)` \| (?P<owns>.*?) \|(?: [\w, ]+ \|)?$",
                  row, text)


def page(text):
    return with_permissions(with_diagram(text))


if __name__ == "__main__":
    made_page.main(diagram, page, "architecture.md")
