# SPDX-License-Identifier: GPL-3.0-or-later
"""Texts of the space-time diagram: how wide they are, how they are cut and broken, and times in their units."""

FONT, FINE = 10.0, 8.5    # sizes of letters

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
