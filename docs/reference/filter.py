#!/usr/bin/env python3
"""Turns the plain comments of a public header into those that Doxygen reads. Doxygen runs it on every header (INPUT_FILTER).

A header is written for readers of the header; these are its rules:

- The comment on top is about the file.
- A comment before a declaration, or behind it, is its text. Behind `double a, b;` it is that of both, and behind a line of
  an enum that of all values in the line.
- A comment that ends with a colon is the text of each declaration up to the next blank line or comment of its own; what
  stands behind one of them follows the colon.
- `// --- heading` in a class begins a group of members. A comment that is followed by a blank line belongs to nothing.
- Lines that are indented by three blanks in a comment are code, and so is what stands between back quotes.
- What is in namespace detail, in bodies of functions, or for other tools (NOLINT, clang-format) is left out.

Lines keep their numbers, so that warnings point into the header."""

import re
import sys

FOR_TOOLS = re.compile(r"(NOLINT|clang-format|IWYU)\b")
SCOPE = re.compile(r'^\s*(template\s*<.*>\s*)?(typedef\s+)?((namespace|struct|class|union)\b|extern\s+"C")[^;=()]*\{$')
ENUM = re.compile(r"^\s*(typedef\s+)?enum\b[^;]*\{$")
NOT_SPLIT = re.compile(r"^\s*(using|typedef|friend|enum|template|return|static_assert)\b")


def escaped(text):
    """Plain text, so that Doxygen sees no command, tag or link in it that was not meant."""
    out = []
    for i, part in enumerate(re.split(r"`([^`]*)`", text)):
        part = re.sub(r"([\\@#$%])", r"\\\1", part).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        part = part.replace("--", r"\--")
        part = re.sub(r"(?<![\w>])::(?=\w)", r"\\::", part)
        if i % 2:
            part = f"<code>{part}</code>"
        else:  # the first word of a sentence is no class: "Names of ..."
            part = re.sub(r"(^|[.:;] )([A-Z][a-z]+)\b(?!::|\()", r"\1%\2", part)
        out.append(part)
    return "".join(out)


def split_comment(line):
    """(code, comment or None) of a line; no header has // or /* in a string."""
    found = re.match(r"^(.*?)\s*//+ ?(.*)$", line) or re.match(r"^(.*?)\s*/\* ?(.*?) ?\*/\s*$", line)
    return (found[1], found[2]) if found else (line.rstrip(), None)


def top_level_parts(code, separator=","):
    """Splits at separators outside of all brackets."""
    parts, depth, last = [], 0, ""
    for c in code:
        depth += (c in "<([{") - (c in ">)]}")
        if c == separator and depth == 0:
            parts.append(last)
            last = ""
        else:
            last += c
    return [*parts, last]


def with_text(code, text):
    """A declaration in one line with its text before it; `double a, b;` becomes two."""
    indent = code[: len(code) - len(code.lstrip())]
    mark = f"/** {text} */ "
    parts = top_level_parts(code.strip().removesuffix(";"))
    first = re.match(r"^([^=]*[\s>&*])(\w+)(\s*=.*)?$", parts[0])
    if len(parts) > 1 and first and "(" not in code and code.endswith(";") and not NOT_SPLIT.match(code):
        declarators = [parts[0]] + [first[1] + part.strip() for part in parts[1:]]
        return indent + " ".join(f"{mark}{d};" for d in declarators)
    return indent + mark + code.lstrip()


def enum_values(code, text):
    """Each value of a line of an enum with the text of the line."""
    values = [v.strip() for v in top_level_parts(code) if v.strip()]
    joined = ", ".join(f"/** {text} */ {v}" for v in values)
    return joined + ("," if code.rstrip().endswith(",") else "")


class Filter:
    def __init__(self, lines):
        self.lines = lines
        self.out = [""] * len(lines)
        self.group = None  # text for each of the declarations that follow
        self.scopes = []  # what is open: "scope" or "enum"
        self.heading = None  # number of scopes inside which a group of members is open

    def run(self):
        i = 0
        while i < len(self.lines):
            line = self.lines[i].strip()
            if not line:
                self.group = None
                i += 1
            elif line == "namespace detail {":
                while self.lines[i].strip() != "}  // namespace detail":
                    i += 1
                i += 1
            elif line.startswith(("//", "/*")):
                i = self.comment(i)
            elif line.startswith("#"):
                i = self.directive(i)
            else:
                i = self.declaration(i)
        return "\n".join(self.out) + "\n"

    def directive(self, i):
        while self.lines[i].endswith("\\"):
            self.out[i] = self.lines[i]
            i += 1
        self.out[i] = self.lines[i] if self.lines[i].startswith("#include") else split_comment(self.lines[i])[0]
        return i + 1

    def comment(self, begin):
        """A run of lines that are nothing but comment."""
        i, texts = begin, []
        if self.lines[i].lstrip().startswith("/*"):
            while True:
                texts.append(re.sub(r"^\s*(/\*|\*(?!/))? ?|\s*\*/\s*$", "", self.lines[i]))
                i += 1
                if "*/" in self.lines[i - 1]:
                    break
        else:
            while i < len(self.lines) and self.lines[i].lstrip().startswith("//"):
                text = re.sub(r"^\s*// ?", "", self.lines[i])
                if text.startswith("--- ") and not texts:
                    self.section(i, text[4:])
                    return i + 1
                texts.append("" if FOR_TOOLS.match(text) else text)
                i += 1
        self.group = None
        if not any(texts):
            return i
        if begin == 0:
            self.emit(begin, texts, "/** @file\n")
        elif i == len(self.lines) or not self.lines[i].strip():
            pass  # it belongs to nothing
        elif texts[-1].endswith(":"):
            self.group = escaped(" ".join(texts))
        else:
            self.emit(begin, texts, "/** ")
        return i

    def emit(self, begin, texts, opening):
        code = False
        written = []
        for k, text in enumerate(texts):
            following = texts[k + 1] if k + 1 < len(texts) else ""
            if not text and not code and following.startswith("  "):
                written.append("@code{.cpp}")
                code = True
            elif not text and code and not following.startswith("  "):
                written.append("@endcode")
                code = False
            else:
                written.append(text if code else escaped(text))
        if code:
            written[-1] += " @endcode"
        written[0] = opening.replace("\n", " ") + written[0]
        if "@file" in opening:  # the brief text of a file begins in a line of its own
            written[0] = written[0].replace("@file ", "@file\n", 1)
        written[-1] += " */"
        self.out[begin : begin + len(texts)] = written

    def section(self, i, heading):
        close = "/** @} */ " if self.heading is not None else ""
        self.heading = None
        if self.lines[i].startswith(" "):  # in a class; among classes it is for readers of the header alone
            self.heading = len(self.scopes)
            self.out[i] = close + f"/** @name {escaped(heading)} */ /** @{{ */"

    def declaration(self, begin):
        """One declaration, to its semicolon, its body's end, or the brace that opens a class."""
        i, codes, texts = begin, [], []
        while True:
            code, text = split_comment(self.lines[i])
            codes.append(code)
            if text and not FOR_TOOLS.match(text):
                texts.append(escaped(text))
            i += 1
            whole = " ".join(c.strip() for c in codes)
            if self.complete(whole) or i == len(self.lines):
                break
        self.out[begin:i] = codes
        if whole.startswith("}"):
            return self.closing(begin, i, whole, texts)
        if re.match(r"(struct|class) \w+;$", whole):  # it is described where it is defined
            return i
        text = self.text_of(texts, whole.startswith("~"))
        if self.scopes and self.scopes[-1] == "enum":
            if text:
                self.out[begin] = enum_values(codes[0], text)
            return i
        if text and not whole.startswith(("public:", "private:", "protected:", "namespace", "extern")):
            self.out[begin] = with_text(codes[0], text) if len(codes) == 1 else f"/** {text} */ " + codes[0].lstrip()
        if ENUM.match(whole):
            self.scopes.append("enum")
        elif SCOPE.match(whole):
            self.scopes.append("scope")
            self.group = None
        elif whole.count("{") > whole.count("}"):
            return self.body(i, whole.count("{") - whole.count("}"))
        return i

    def complete(self, whole):
        if self.scopes and self.scopes[-1] == "enum" or re.fullmatch(r"(public|private|protected):", whole):
            return True
        if whole.startswith("}"):
            return True
        if whole.startswith("template") and whole.endswith(">") and whole.count("<") == whole.count(">"):
            return False  # the line after it has what it is a template of
        if whole.count("(") != whole.count(")"):
            return False
        if whole.endswith("{"):
            return True
        return whole.count("{") == whole.count("}") and whole.endswith((";", "}"))

    def text_of(self, own, destructor):
        if not self.group or destructor:
            return ". ".join(own)
        if own:
            return f"{self.group} {'. '.join(own)}"
        return self.group[:-1] + ("" if self.group.endswith("?:") else ".")

    def closing(self, begin, end, whole, texts):
        if self.scopes:
            self.scopes.pop()
        close = ""
        if self.heading is not None and len(self.scopes) < self.heading:
            close = "/** @} */ "
            self.heading = None
        name = re.match(r"\}\s*\w+", whole)
        behind = f" /**< {'. '.join(texts)} */" if texts and name else ""
        self.out[begin] = close + self.out[begin] + behind
        self.group = None
        return end

    def body(self, i, depth):
        """The rest of a function, without its comments."""
        while depth > 0 and i < len(self.lines):
            self.out[i] = split_comment(self.lines[i])[0]
            depth += self.out[i].count("{") - self.out[i].count("}")
            i += 1
        return i


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        sys.stdout.write(Filter(file.read().split("\n")[:-1]).run() if sys.argv[1].endswith((".hpp", ".h")) else file.read())


if __name__ == "__main__":
    main()
