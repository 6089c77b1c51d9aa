# SPDX-License-Identifier: GPL-3.0-or-later
"""A C source as mutants need it: tokens, and of each function its statements.

Not a compiler. A mutant of a line that was not understood does not compile, and does not count.
"""

import bisect
import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<directive>(?<![^\n])[ \t]*\#(?:[^\n\\]|\\.|\\\n)*)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<char>'(?:[^'\\\n]|\\.)*')
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|&&|\|\||<<|>>|[-+*/%&|^<>=!]=|.)
""", re.VERBOSE | re.DOTALL)
OPENING = {"(": ")", "[": "]", "{": "}"}
KEYWORDS = {"return", "case", "sizeof", "else", "do", "goto", "if", "while", "for", "switch"}
DECLARES = {"struct", "enum", "union", "const", "static", "unsigned", "signed", "int", "char", "bool", "double",
            "float", "long", "short", "void", "g_autofree", "g_autoptr", "typedef", "extern", "register", "volatile"}


@dataclasses.dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int
    line: int
    match: int = -1  # of a bracket: the index of the other one


@dataclasses.dataclass
class Statement:
    """kind: if, while, for, switch, do, else, return, jump, declaration, assignment, call or other."""
    kind: str
    first: int  # tokens, the last one included
    last: int
    condition: tuple = ()  # tokens between the brackets of an if or while, or of the middle of a for


@dataclasses.dataclass
class Function:
    name: str
    returns: str  # void, bool, pointer, number or struct
    first: int
    last: int
    statements: list


class Source:
    def __init__(self, text: str):
        self.text = text
        starts = [0] + [found.end() for found in re.finditer("\n", text)]
        self.tokens = [Token(found.lastgroup, found.group(), found.start(), found.end(),
                             bisect.bisect_right(starts, found.start()))
                       for found in TOKEN.finditer(text) if found.lastgroup not in ("skip", "directive")]
        stack: list = []
        for i, token in enumerate(self.tokens):
            if token.kind == "sign" and token.text in OPENING:
                stack.append(i)
            elif token.kind == "sign" and token.text in OPENING.values() and stack:
                token.match = stack.pop()
                self.tokens[token.match].match = i
        self.functions = list(self.find_functions())

    def at(self, i: int) -> str:
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def slice(self, first: int, last: int) -> str:
        return self.text[self.tokens[first].start:self.tokens[last].end]

    def binary(self, i: int) -> bool:
        """Whether the sign at i has an operand before it."""
        before = self.tokens[i - 1]
        return before.kind in ("number", "string", "char") or before.text in (")", "]") or (
            before.kind == "word" and before.text not in KEYWORDS)

    # ---- Functions ----

    def find_functions(self):
        i, start = 0, 0
        while i < len(self.tokens):
            token = self.tokens[i]
            if token.match < i:
                if token.text in (";", "}"):
                    start = i + 1
                i += 1
                continue
            if token.text == "{" and self.at(i - 1) == ")":
                opening = self.tokens[i - 1].match
                yield self.function(start, opening - 1, i)
            if token.text == "{":
                start = token.match + 1
            i = token.match + 1

    def function(self, start: int, name: int, body: int) -> Function:
        words = [self.at(i) for i in range(start, name)]
        returns = ("pointer" if "*" in words else "struct" if "struct" in words else
                   "bool" if {"bool", "gboolean"} & set(words) else "void" if "void" in words else "number")
        last = self.tokens[body].match
        statements: list = []
        self.block(body, statements)
        return Function(self.at(name), returns, body, last, statements)

    # ---- Statements ----

    def block(self, i: int, out: list) -> int:
        last = self.tokens[i].match
        i += 1
        while i < last:
            i = self.statement(i, out)
        return last + 1

    def statement(self, i: int, out: list) -> int:
        """Adds the statement at i and those in it, and returns what is after it."""
        word = self.at(i)
        if word == "{":
            return self.block(i, out)
        if word in ("if", "while", "for", "switch"):
            return self.controlled(i, word, out)
        if word == "do":
            after = self.statement(i + 1, out)
            end = self.tokens[after + 1].match
            out.append(Statement("do", i, end + 1, (after + 2, end - 1)))
            return end + 2
        if word in ("case", "default"):
            while self.at(i) != ":":
                i += 1
            return i + 1
        if self.tokens[i].kind == "word" and self.at(i + 1) == ":":
            return i + 2
        return self.simple(i, out)

    def controlled(self, i: int, word: str, out: list) -> int:
        end = self.tokens[i + 1].match
        condition = (i + 2, end - 1)
        if word == "for":
            marks = [k for k in range(i + 2, end) if self.at(k) == ";"]
            condition = (marks[0] + 1, marks[1] - 1) if len(marks) == 2 else ()
        mine = Statement(word, i, i, condition)
        out.append(mine)
        after = self.statement(end + 1, out)
        if word == "if" and self.at(after) == "else":
            otherwise = Statement("else", after, after)
            out.append(otherwise)
            after = self.statement(after + 1, out)
            otherwise.last = after - 1
        mine.last = after - 1
        return after

    def simple(self, i: int, out: list) -> int:
        k = i
        while self.at(k) not in (";", "}", ""):
            k = self.tokens[k].match + 1 if self.tokens[k].match > k else k + 1
        if self.at(k) != ";":  # a macro that looks like none of these
            return k
        out.append(Statement(self.simple_kind(i, k), i, k))
        return k + 1

    def simple_kind(self, i: int, end: int) -> str:
        word = self.at(i)
        if word == "return":
            return "return"
        if word in ("break", "continue", "goto"):
            return "jump"
        k = i + 1
        while self.at(k) == "*":
            k += 1
        named = self.tokens[k].kind == "word" and self.tokens[i].kind == "word"
        if word in DECLARES or (named and (k == i + 1 or self.at(k + 1) in ("=", ";", ",", "["))):
            return "declaration"
        k = i
        while k < end:
            if self.tokens[k].kind == "sign" and (self.at(k) in ("=", "++", "--") or (
                    len(self.at(k)) > 1 and self.at(k)[-1] == "=" and self.at(k) not in ("==", "!=", "<=", ">="))):
                return "assignment"
            k = self.tokens[k].match + 1 if self.tokens[k].match > k else k + 1
        return "call" if self.at(end - 1) == ")" else "other"
