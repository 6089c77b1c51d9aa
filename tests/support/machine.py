# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a printed text that depend on the machine or the hour, and must not be kept in the repository.

MASKS is the one table: everything that records what netsim prints (golden sessions, golden curves, the
consoles of the documentation) passes it through masked(), and runs netsim in environment(), so that the
texts are the same on every machine. leftovers() finds what no mask has replaced.
"""

import os
import re

# Variables of the caller's environment that a command may see; all others (locale, home, user, time zone, colours, the
# caches' place, settings of netsim) are fixed by environment().
PASSED = re.compile(r"(PATH|TMPDIR|LD_LIBRARY_PATH|LD_PRELOAD|NETSIM|NETSIM_SOURCE_DIR|NETSIM_FLOW_PLUGIN|"
                    r"[A-Z]*SAN_OPTIONS|GCOV_PREFIX\w*|PYENV\w*)$")

FIXED = {"LC_ALL": "C.UTF-8", "TZ": "UTC", "TERM": "dumb", "COLUMNS": "", "HOME": "/nonexistent",
         "USER": "user", "LOGNAME": "user", "NETSIM_PROGRESS": "off"}


def _host(match):
    """The object of a manifest that describes the machine, each value replaced by the key."""
    return re.sub(r'("(\w+)": )("(?:[^"\\]|\\.)*"|-?\d+)',
                  lambda value: value[1] + value[2].upper(), match[0])


# (what it is, pattern, replacement). A pattern holds what surrounds the value, so that no result is masked.
MASKS = (
    ("rate", re.compile(r"\([^()]* events/s\)"), "(RATE)"),
    ("clock", re.compile(r"\b\d+\.\d+ s(: |\s+to\s+simulate|\s+to\s+draw)"), r"CLOCK s\1"),
    ("clock", re.compile(r"in \d+\.\d+ s\b"), "in CLOCK s"),
    ("clock", re.compile(r'("(?:wall_s|events_per_s|started)": )("[^"]*"|[-+.e\d]+)'), r"\1CLOCK"),
    ("clock", re.compile(r'("series_wall_s": )\[[^]]*\]'), r"\1CLOCK"),
    ("clock", re.compile(r"\b((?:series_)?wall_s|events_per_s|started)=\S+"), r"\1=CLOCK"), # flat.py
    ("clock", re.compile(r'(time=)"[\d.]+"'), r'\1"CLOCK"'),
    ("sources", re.compile(r'("source": )"[0-9a-f]{16}"'), r'\1"SOURCES"'),
    ("sources", re.compile(r'(\bsource=)[0-9a-f]{16}\b'), r'\1SOURCES'),
    ("host", re.compile(r'"host": \{(?=[^{}]*"release": )[^{}]*\}'), _host),
    ("memory", re.compile(r"(need about [\d.]+ GB of memory, and there are )[\d.]+ GB"), r"\1MEMORY"),
    # A line that only some machines print.
    ("jobs", re.compile(r"(?m)^.*note: \d+ processes instead of \d+: the memory would not hold .*\n"), ""),
)

# Text that no mask has replaced, whatever printed it. The first are of no use in any file of the repository; the others
# may be in what is written by hand: the machine of a measurement, those of the theses.
EVERYWHERE = (
    ("a kernel's release", re.compile(r"\b(?:[4-9]|\d\d)\.\d+\.\d+(?:\.\d+)*-[\w.-]*[a-z]\w*")),
    ("a home directory", re.compile(r"(?<![\w.$}])/(?:root|home/\w+)\b(?![\w-])")),
    ("a temporary directory", re.compile(r"(?<![\w.$}])(?:/var)?/tmp/\w+")),
    ("a directory of a machine", re.compile(r"(?<![\w.$})])/(?:work|workspace|Users|srv)/\w+")),
)
RECORDED = EVERYWHERE + (
    ("a time of the clock", re.compile(r"\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d")),
    ("a processor's name", re.compile(r"(?i)\b(?:xeon|ryzen|epyc|core\(tm\))")),
    ("a version of a library", re.compile(r"(?i)\b(?:glib|glibc|python|sqlite|matplotlib|simgrid|gcc|clang)"
                                          r"[- /]v?\d+\.\d+")),
)


def environment(**more):
    """The environment of a command whose output is recorded."""
    passed = {name: value for name, value in os.environ.items() if PASSED.match(name)}
    return {**passed, **FIXED, **{name: str(value) for name, value in more.items()}}


def masked(text, **places):
    """A text without what belongs to the machine. `places` are directories, by the name that they get."""
    for name, path in sorted(places.items(), key=lambda place: -len(str(place[1]))):
        text = text.replace(str(path), name)
    for _, pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text


def leftovers(text, kinds=RECORDED):
    """(line number, what it is, the words) of each piece of a text that belongs to one machine."""
    return [(number, what, found[0]) for number, line in enumerate(text.splitlines(), 1)
            for what, pattern in kinds for found in pattern.finditer(line)]
