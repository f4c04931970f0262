#!/usr/bin/env python3
"""Compares every document of the tree with the program and the sources: links, files, commands and their options, exit codes,
keys, fields, environment variables, code. Compares the program with the recorded list of its interface. Runs the commands in
blocks, in scratch repositories, as rules.py says. Checks how the documents read: words.py.

    tests/docs/check.py PROGRAM [TREE]
"""

import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import checks
import interface
import words
from commands import Checker, command_lines
from markdown import Document
from program import Program, completed
from rules import SMALL, TRANSCRIPT, Run, rule_for
from session import WRONG_EDIT, Session, Start, adapted, codes_of

# Documents whose commands follow on each other, in one repository; any other has its own.
TOGETHER = [
    [
        "README.md",
        "docs/ledger.md",
        "docs/doctor.md",
        "docs/install.md",
        "docs/plot.md",
        "docs/verify-run.md",
        "tests/data/edits/README.md",
    ]
]


def all_documents(tree):
    # Pages of the template of lab cases have placeholders, and are documents of the case.
    lab = tree / "src/cli/case/lab"
    files = sorted(file for file in tree.rglob("*.md") if lab not in file.parents)
    kept = [file for file in files if not any(part.startswith((".", "build")) for part in file.relative_to(tree).parts)]
    return {str(file.relative_to(tree)): Document.read(tree, file) for file in kept}


def rules_of(document):
    """(line, command, rule) for each command of the document's blocks."""
    for block in document.blocks:
        for line, command in command_lines(block):
            yield line, command, TRANSCRIPT if block.lines[0].startswith("$ ") else rule_for(command)


def undecided(documents):
    for document in documents:
        for line, command, rule in rules_of(document):
            if rule is None:
                yield checks.complaint(document, line, f"no rule of tests/docs/rules.py is for: {command}")


def groups(documents):
    named = [name for names in TOGETHER for name in names]
    single = [[name] for name in documents if name not in named]
    for names in [*TOGETHER, *single]:
        if any(isinstance(rule, Run) for name in names for _, _, rule in rules_of(documents[name])):
            yield [documents[name] for name in names]


def run_commands(session, documents):
    """Complaints, and all that was printed."""
    found = []
    printed = []
    for document in documents:
        files = list(checks.files_of(document))
        for line, command, rule in rules_of(document):
            while files and files[0][0] < line:
                session.write(*files.pop(0)[1:])
            if not isinstance(rule, Run):
                continue
            if rule.edits and not session.is_edited():
                session.edit()
            outcome = session.run(adapted(command, rule))
            printed.append(outcome.out)
            if outcome.code not in codes_of(command, rule):
                found.append(checks.complaint(document, line, f"{command}: exit code {outcome.code}: {outcome.err or outcome.out}"))
    return found, printed


def check_fields(session, documents):
    """Objects that commands print, against the pages that describe them. Of a repository that has a run."""

    def printed(command):
        outcome = session.run(f"autokernel {command}")
        try:
            return json.loads(outcome.out)
        except ValueError:
            raise RuntimeError(f"autokernel {command} printed no JSON: {outcome.out}{outcome.err}") from None

    bench = printed(f"bench --json --against HEAD {' '.join(SMALL)}")
    page = documents["docs/json.md"]
    yield from checks.wrong_fields(page, "The JSON of bench", bench, sometimes=["error"])
    yield from checks.wrong_fields(page, "conditions", bench["conditions"])
    yield from checks.wrong_fields(page, "comparison", bench["comparison"])
    status = printed("loop status --json")
    page = documents["docs/loop-json.md"]
    # Null until a run is finished.
    confirmed = ["confirmed.ratio", "confirmed.low", "confirmed.high", "confirmed.webhook"]
    yield from checks.wrong_fields(page, "loop status --json", status, sometimes=confirmed)
    yield from checks.wrong_fields(page, "An experiment", status["best"])
    yield from checks.wrong_list_of_fields(page, "`--json` prints one object with", printed("verify-run --json --processes 2"))
    yield from checks.wrong_fields(documents["docs/doctor.md"], "JSON", printed("doctor --json --device cpu"))
    noise = printed(f"noise --json --seconds 1 {' '.join(SMALL)}")
    yield from checks.wrong_list_of_fields(documents["docs/noise.md"], "`--json` prints one object with", noise)


def rejected_step(session):
    """What a step prints that no document has: of a kernel that is wrong, since any other may be kept."""
    session.edit(WRONG_EDIT)
    return session.run("autokernel loop step -m 'a mistake'").out


def check_in_session(tree, program, group, documents):
    with tempfile.TemporaryDirectory(prefix="autokernel-docs-") as scratch:
        start = Start.nothing if group[0].name in checks.FROM_NOTHING else Start.repository
        session = Session(tree, program, Path(scratch), start)
        found, printed = run_commands(session, group)
        if group[0].name == TOGETHER[0][0]:
            found += check_fields(session, documents)
            printed.append(rejected_step(session))
        return found, printed


def check(tree, path):
    documents = all_documents(tree)
    every = list(documents.values())
    program = Program.ask(path)
    checker = Checker(program, (tree / "dev").read_text())
    found = []
    found += checks.broken_links(every, tree)
    found += checks.missing_files(every, tree)
    found += checks.missing_builds(every, tree)
    found += checks.wrong_commands(every, checker)
    found += checks.wrong_examples(program, checker)
    found += checks.wrong_completion(program, completed(program.said("completion", "fish")))
    found += checks.wrong_option_tables(every, program)
    told = checks.help_exit_codes(program.said("--help"))
    found += checks.wrong_exit_codes(every, checks.source_exit_codes(tree), told)
    found += interface.changes((tree / interface.RECORD).read_text().splitlines(), interface.interface(program, every, tree))
    found += checks.wrong_variables(every, checks.source_variables(tree))
    found += checks.wrong_runner_variables(documents["docs/reference.md"], checks.runner_variables(tree))
    found += checks.wrong_excerpts(documents["docs/style.md"], tree)
    found += checks.wrong_counts(documents["docs/trust.md"], tree)
    for command in program.commands:
        found += words.faults_of_help(command, program.said(*command.split(), "--help"))
    found += words.long_lines(every)
    found += words.long_readme(documents["README.md"])
    found += words.pages_in_no_index(documents)
    found += words.phrases_to_avoid(every)
    found += words.long_sentences(every)
    found += undecided(every)

    keys = checks.source_keys(tree)
    with ThreadPoolExecutor() as threads:
        for complaints, printed in threads.map(lambda group: check_in_session(tree, path, group, documents), groups(documents)):
            found += complaints
            keys |= {key for text in printed for key in checks.printed_keys(text)}
    found += checks.wrong_keys(every, keys)
    return found


def main(arguments):
    path = Path(arguments[0]).resolve()
    tree = Path(arguments[1] if len(arguments) > 1 else Path(__file__).parent.parent.parent).resolve()
    found = check(tree, path)
    print("\n".join(found) or "the documents agree with the program")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
