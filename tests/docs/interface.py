#!/usr/bin/env python3
"""What scripts and agents rely on: commands, options, keys and exit codes. A list of them all is in tests/data/interface.txt, so that
none is lost or changed unnoticed. To record the list again, after a change that is meant:

    tests/docs/interface.py PROGRAM > tests/data/interface.txt
"""

import re
import sys
from pathlib import Path

import checks
from markdown import names_in

RECORD = "tests/data/interface.txt"


def spelled_options(text):
    """Options and arguments as --help spells them, with their types, limits and defaults: "--hours H:POSITIVE"."""
    section = ""
    for line in text.split("\n"):
        if re.fullmatch(r"[A-Z]\w+:", line):
            section = line
        elif section in ("Options:", "Positionals:") and re.match(r"  \S", line):
            yield re.split(r" {2,}", line.strip())[0]


def documented_keys(documents):
    for document in documents:
        for table in document.tables():
            if table.head[0] == "key" and "type" not in table.head:
                for _, cells in table.rows:
                    yield from names_in(cells[0])


def interface(program, documents, tree):
    """One line for each command, option, key and exit code."""
    lines = []
    for words in program.commands:
        name = f"autokernel {words}".strip()
        lines.append(name)
        lines += [f"{name} {spelled}" for spelled in spelled_options(program.said(*words.split(), "--help"))]
    lines += [f"key {key}" for key in sorted(set(documented_keys(documents)) | checks.source_keys(tree))]
    told = checks.help_exit_codes(program.said("--help"))
    lines += [f"exit code {code} {told.get(code, '')}" for code in sorted(checks.source_exit_codes(tree))]
    return lines


def changes(recorded, now):
    """What one list has and the other does not."""
    for line in recorded:
        if line not in now:
            yield f"{RECORD}: '{line}' is no longer there"
    for line in now:
        if line not in recorded:
            yield f"{RECORD}: '{line}' is not recorded; tests/docs/interface.py records the list again"


def main(arguments):
    from check import all_documents
    from program import Program

    tree = Path(arguments[1] if len(arguments) > 1 else Path(__file__).parent.parent.parent).resolve()
    program = Program.ask(Path(arguments[0]).resolve())
    print("\n".join(interface(program, all_documents(tree).values(), tree)))


if __name__ == "__main__":
    main(sys.argv[1:])
