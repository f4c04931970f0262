"""A Markdown file as the checks see it: blocks of code, links, headings, code spans and tables, each with its line."""

import re
from dataclasses import dataclass
from pathlib import Path

SPAN = re.compile(r"(?<!`)`([^`]+)`(?!`)")
LINK = re.compile(r"!?\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)")


@dataclass
class Block:
    """Lines of code, fenced or indented by four."""

    line: int  # of the first of them
    language: str  # of a fence; else empty
    lines: list


@dataclass
class Table:
    line: int
    heading: str  # of the section it stands in
    head: list
    rows: list  # (line, cells)


class Document:
    def __init__(self, name, text):
        self.name = name
        self.blocks = []
        self.prose = []  # (line, text) of everything that is no code
        self._split(text.split("\n"))

    @staticmethod
    def read(tree, path):
        return Document(str(path.relative_to(tree)), path.read_text(encoding="utf-8"))

    def _split(self, lines):
        block = None
        fenced = False
        for number, line in enumerate(lines, 1):
            if line.lstrip().startswith("```"):
                if fenced:
                    block = None
                else:
                    block = Block(number + 1, line.strip().strip("`"), [])
                    self.blocks.append(block)
                fenced = not fenced
            elif fenced:
                block.lines.append(line)
            elif line.startswith("    ") and (block or not self._last_prose()):
                if block is None:
                    block = Block(number, "", [])
                    self.blocks.append(block)
                block.lines.append(line[4:])
            elif not line.strip() and block:
                block.lines.append("")
            else:
                block = None
                self.prose.append((number, line))
                continue
            self.prose.append((number, ""))  # so that a block ends a paragraph
        for block in self.blocks:
            while block.lines and not block.lines[-1].strip():
                block.lines.pop()

    def _last_prose(self):
        return self.prose[-1][1].strip() if self.prose else ""

    def links(self):
        return self._found(LINK)

    def spans(self):
        return self._found(SPAN)

    def _found(self, pattern):
        """What matches in a paragraph, where it may go over the end of a line, and on which line it begins."""
        for number, paragraph in self.paragraphs():
            for found in pattern.finditer(paragraph):
                yield number + paragraph.count("\n", 0, found.start()), found.group(1).replace("\n", " ")

    def paragraphs(self):
        lines = []
        for number, line in [*self.prose, (0, "")]:
            if line.strip():
                lines.append((number, line))
            elif lines:
                yield lines[0][0], "\n".join(line for _, line in lines)
                lines = []

    def headings(self):
        return [line.lstrip("#").strip() for _, line in self.prose if re.match(r"#+ ", line)]

    def tables(self):
        table = None
        heading = ""
        for number, line in self.prose:
            line = line.strip()
            if re.match(r"#+ ", line):
                heading = line.lstrip("#").strip()
            if not line.startswith("|"):
                if table:
                    yield table
                table = None
                continue
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if table is None:
                table = Table(number, heading, cells, [])
            elif not all(re.fullmatch(r":?-+:?", cell) for cell in cells):
                table.rows.append((number, cells))
        if table:
            yield table


def anchor(heading):
    """What GitHub calls a heading in a link."""
    kept = re.sub(r"[^\w\- ]", "", heading.lower())
    return kept.replace(" ", "-")


def names_in(cell):
    """The names that a cell of a table lists: `median_us`, `noise_pct`."""
    return SPAN.findall(cell)
