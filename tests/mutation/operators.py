# SPDX-License-Identifier: GPL-3.0-or-later
"""The changes that make mutants.

An operator is a name and a function that yields the edits of one function of a source: (token, first character, one
past the last, new text). `token` is the place of the edit. Not touched: comments, strings, directives, assertions and
what aborts, sizeof, data outside of functions, calls that only free memory (a leak is the sanitizers').
"""

import dataclasses
import re

from source import Function, Source, Statement

NOT_MUTATED = re.compile(r"(g_)?assert|g_error$|g_critical$|g_warn|g_return_|sizeof$|static_assert|G_STATIC_ASSERT")
ONLY_FREES = re.compile(r"(_free|_unref|strfreev|^free)$")

SIGNS = {  # operator -> sign -> what it becomes
    "boundary": {"<": "<=", "<=": "<", ">": ">=", ">=": ">"},
    "relation": {"<": ">", ">": "<", "<=": ">=", ">=": "<="},
    "equality": {"==": "!=", "!=": "=="},
    "sum": {"+": "-", "-": "+"},
    "product": {"*": "/", "/": "*", "%": "*"},
    "step": {"++": "--", "--": "++"},
    "assigned": {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "|=": "&=", "&=": "|=", "<<=": ">>=", ">>=": "<<="},
    "plain_assigned": {"+=": "=", "-=": "=", "|=": "=", "*=": "="},
    "logic": {"&&": "||", "||": "&&"},
    "bits": {"&": "|", "|": "&", "^": "&"},
    "shift": {"<<": ">>", ">>": "<<"},
}
WORDS = {
    "truth": {"true": "false", "false": "true", "TRUE": "FALSE", "FALSE": "TRUE"},
    "extreme": {"MAX": "MIN", "MIN": "MAX", "fmax": "fmin", "fmin": "fmax"},
    "constant": {"0": "1", "1": "0"},
}
DROPPED = {"drop_not": "!", "drop_minus": "-", "drop_complement": "~"}


@dataclasses.dataclass(frozen=True)
class Mutant:
    operator: str
    line: int
    function: str
    start: int
    end: int
    new: str

    def apply(self, text: str) -> str:
        """The lines after the change keep their numbers."""
        lost = text.count("\n", self.start, self.end) - self.new.count("\n")
        return text[:self.start] + self.new + "\n" * lost + text[self.end:]


def left_alone(source: Source, function: Function) -> set:
    """The tokens of a function that are not mutated."""
    alone: set = set()
    for i in range(function.first, function.last):
        token = source.tokens[i]
        if token.kind == "word" and NOT_MUTATED.match(token.text) and source.at(i + 1) == "(":
            alone.update(range(i, source.tokens[i + 1].match + 1))
    for statement in function.statements:
        if statement.kind == "declaration":
            for i in range(statement.first, statement.last):
                if source.at(i) == "=":
                    break
                alone.add(i)
    return alone


def allocates(source: Source, i: int) -> bool:
    """g_new(TYPE, 1) of the number at i: more memory than is used makes no difference."""
    opening = source.tokens[i + 1].match if source.at(i + 1) == ")" else 0
    return source.at(i - 1) == "," and source.at(opening - 1) in ("g_new", "g_new0")


def token_edits(source: Source, function: Function, alone: set):
    for i in range(function.first + 1, function.last):
        token = source.tokens[i]
        if i in alone:
            continue
        for operator, table in (SIGNS if token.kind == "sign" else WORDS).items():
            if token.text in table and (operator not in ("sum", "product", "bits") or source.binary(i)):
                yield operator, i, token.start, token.end, table[token.text]
        if token.kind == "sign":
            for operator, sign in DROPPED.items():
                if token.text == sign and not source.binary(i):
                    yield operator, i, token.start, token.end, " "
        if token.kind == "number" and re.fullmatch(r"\d+[uUlL]*", token.text):
            if token.text != "0" and not allocates(source, i):
                yield "off_by_one", i, token.start, token.end, f"({token.text} + 1)"
            if token.text != "1":
                yield "off_by_one", i, token.start, token.end, f"({token.text} - 1)"
        if token.text == "(" and source.tokens[i - 1].kind == "word":
            yield from swapped_arguments(source, i)
        if token.text == "?" and source.at(i + 1) != ":":
            yield from swapped_choice(source, i)


def parts(source: Source, first: int, last: int, signs: tuple) -> list:
    """first .. last, cut at the signs that are in no brackets: pairs of tokens."""
    found, k, start = [], first, first
    while k <= last:
        if source.at(k) in signs:
            found.append((start, k - 1))
            start = k + 1
        k = source.tokens[k].match + 1 if source.tokens[k].match > k else k + 1
    found.append((start, last))
    return [part for part in found if part[0] <= part[1]]


def exchanged(source: Source, left: tuple, right: tuple) -> tuple:
    between = source.text[source.tokens[left[1]].end:source.tokens[right[0]].start]
    return (source.tokens[left[0]].start, source.tokens[right[1]].end,
            source.slice(*right) + between + source.slice(*left))


def swapped_arguments(source: Source, i: int):
    if source.at(i - 1) in ("MAX", "MIN"):  # the same value
        return
    arguments = parts(source, i + 1, source.tokens[i].match - 1, (",",))
    for left, right in zip(arguments, arguments[1:]):
        if source.slice(*left) != source.slice(*right):
            yield "swap_arguments", left[0], *exchanged(source, left, right)


def swapped_choice(source: Source, i: int):
    k, depth, middle = i + 1, 0, -1
    while k < len(source.tokens) and source.at(k) not in (";", ",", ")", "]", "}"):
        depth += source.at(k) == "?"
        if source.at(k) == ":":
            if depth == 0:
                middle = k
                break
            depth -= 1
        k = source.tokens[k].match + 1 if source.tokens[k].match > k else k + 1
    if middle < 0:
        return
    k = middle + 1
    while source.at(k) not in (";", ",", ")", "]", "}"):
        k = source.tokens[k].match + 1 if source.tokens[k].match > k else k + 1
    yield "swap_choice", i, *exchanged(source, (i + 1, middle - 1), (middle + 1, k - 1))


def condition_edits(source: Source, statement: Statement):
    first, last = statement.condition
    if first > last:
        return
    start, end, text = source.tokens[first].start, source.tokens[last].end, source.slice(first, last)
    if statement.kind == "if":
        yield "negate", first, start, end, f"!({text})"
        yield "always", first, start, end, "1"
    if statement.kind in ("if", "while", "for"):
        yield "never", first, start, end, "0"
    for sign in ("&&", "||"):
        operands = parts(source, first, last, (sign,))
        other = "||" if sign == "&&" else "&&"
        if len(operands) < 2 or len(parts(source, first, last, (other,))) > 1:
            continue
        for k, operand in enumerate(operands):
            kept = operands[:k] + operands[k + 1:]
            yield "drop_operand", operand[0], start, end, f" {sign} ".join(source.slice(*part) for part in kept)


def return_edits(source: Source, statement: Statement, returns: str):
    first, last = statement.first + 1, statement.last - 1
    if first > last:
        yield ("delete_jump", statement.first, source.tokens[statement.first].start,
               source.tokens[statement.last].end, ";")
        return
    start, end, text = source.tokens[first].start, source.tokens[last].end, source.slice(first, last)
    new = {"bool": [f"!({text})"], "pointer": ["0"], "number": ["0", f"({text}) + 1"]}.get(returns, [])
    for value in new:
        if text not in (value, "true", "false", "NULL"):
            yield "return_value", first, start, end, value


def statement_edits(source: Source, function: Function, alone: set):
    for statement in function.statements:
        if statement.first in alone and statement.kind != "declaration":
            continue
        token, end = source.tokens[statement.first], source.tokens[statement.last].end
        if statement.condition:
            yield from condition_edits(source, statement)
        if statement.kind == "return":
            yield from return_edits(source, statement, function.returns)
        elif statement.kind == "else":
            yield "delete_else", statement.first, token.start, end, ""
        elif statement.kind == "jump":
            yield "delete_jump", statement.first, token.start, end, ";"
        elif statement.kind == "assignment":
            yield "delete_assignment", statement.first, token.start, end, ";"
        elif statement.kind == "call" and not ONLY_FREES.search(token.text):
            yield "delete_call", statement.first, token.start, end, ";"


OPERATORS = [*SIGNS, *WORDS, *DROPPED, "off_by_one", "swap_arguments", "swap_choice", "negate", "always", "never",
             "drop_operand", "return_value", "delete_jump", "delete_else", "delete_assignment", "delete_call"]


def mutants(text: str) -> list:
    """All mutants of a source, in the order of their lines; no two of the same text."""
    source = Source(text)
    found: dict = {}
    for function in source.functions:
        alone = left_alone(source, function)
        for edits in (token_edits, statement_edits):
            for operator, i, start, end, new in edits(source, function, alone):
                mutant = Mutant(operator, source.tokens[i].line, function.name, start, end, new)
                if text[start:end] != new:
                    found.setdefault((start, end, new), mutant)
    return sorted(found.values(), key=lambda mutant: (mutant.line, mutant.start, mutant.operator, mutant.new))
