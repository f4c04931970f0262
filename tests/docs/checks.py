"""What documents say, held against the tree and the program. Each check gives complaints: "file:line: what is wrong"."""

import re
from fnmatch import fnmatchcase

from commands import command_lines
from markdown import anchor, names_in

# Ended by Ctrl-C, a program has 128 and the signal's number in a shell.
INTERRUPTED = 130


def complaint(document, line, text):
    return f"{document.name}:{line}: {text}"


# ---- links and files


def broken_links(documents, tree):
    by_name = {document.name: document for document in documents}
    for document in documents:
        for line, target in document.links():
            if re.match(r"[a-z]+:", target):
                continue
            path, _, fragment = target.partition("#")
            file = (tree / document.name).parent / path if path else tree / document.name
            if not file.exists():
                yield complaint(document, line, f"the link {target} leads nowhere")
                continue
            linked = by_name.get(str(file.resolve().relative_to(tree.resolve())))
            if fragment and linked and fragment not in map(anchor, linked.headings()):
                yield complaint(document, line, f"{linked.name} has no heading for the link {target}")


# A project of its own: its page names files from its own folder.
EMULATOR = "emulator"


# Documents whose commands begin in an empty folder; what their code blocks hold, the reader writes into files.
FROM_NOTHING = ["docs/writing-a-case.md"]


def files_of(document):
    """(line, path, text) for each code block of a document in FROM_NOTHING: the last line before it names the file."""
    if document.name not in FROM_NOTHING:
        return
    for block in document.blocks:
        if block.language not in ("toml", "cpp"):
            continue
        before = [text for number, text in document.prose if number < block.line - 1 and text.strip()]
        named = re.search(r"`([\w./]+)`:$", before[-1])
        if not named:
            raise RuntimeError(f"{document.name}:{block.line}: the line before does not end with the file to write, `FILE`:")
        yield block.line, named.group(1), "\n".join(block.lines) + "\n"


def missing_files(documents, tree):
    """Of paths between backticks that begin with a folder of the tree, and tests named as "lower/half_test"."""
    for document in documents:
        root = tree / EMULATOR if document.name.startswith(EMULATOR + "/") else tree
        written = {path for _, path, _ in files_of(document)}
        folders = {entry.name for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith(".")} - {"build"}
        for line, span in document.spans():
            path = span.split()[0] if span.split() else ""
            if re.search(r"[<>$(\"'=:]", path) or "/" not in path or path in written:
                continue
            if path.split("/")[0] in folders:
                there = any(root.glob(path.rstrip("/")))
            elif re.fullmatch(r"\w+/\w+_test", path):
                there = any(file for folder in ("tests", f"{EMULATOR}/tests") for file in (tree / folder).rglob(path + ".cpp"))
            else:
                continue
            if not there:
                yield complaint(document, line, f"there is no {path}")


def missing_builds(documents, tree):
    """Programs below build/ that no list of targets names."""
    lists = "".join(file.read_text() for folder in ("src", "tests", EMULATOR) for file in (tree / folder).rglob("CMakeLists.txt"))
    for document in documents:
        lines = [(line, text) for block in document.blocks for line, text in command_lines(block)]
        for line, text in [*lines, *document.spans()]:
            for name in re.findall(r"build/\w+/(?:bin|tests)/(\w+)", text):
                if not re.search(rf"\b{name}\b", lists):
                    yield complaint(document, line, f"nothing builds {name}")


# ---- commands


def wrong_commands(documents, checker):
    for document in documents:
        for block in document.blocks:
            for line, text in command_lines(block):
                for fault in checker.faults_of_line(text):
                    yield complaint(document, line, fault)
        for line, text in document.spans():
            for fault in checker.faults_of_span(text):
                yield complaint(document, line, f"`{text}`: {fault}")


def wrong_examples(program, checker):
    for words, command in program.commands.items():
        for example in command.examples:
            for fault in checker.faults_of_line(re.split(r"   +", example)[0]):
                yield f"autokernel {words} --help: {example}: {fault}"


def wrong_completion(program, completed):
    for words in program.commands.keys() | completed.keys():
        own = {name for name in program.commands[words].options if name.startswith("--")} if words in program.commands else set()
        for name in sorted(own ^ completed.get(words, set())):
            yield f"autokernel {words}: help and completion do not agree on {name}"


def options_by_command(documents):
    """Of tables with the columns "option" and "commands": the options of each command."""
    found = {}
    for document in documents:
        for table in document.tables():
            if table.head[:2] != ["option", "commands"]:
                continue
            for line, cells in table.rows:
                for words in names_in(cells[1]):
                    words = "" if words == "autokernel" else words
                    for spelling in names_in(cells[0]):
                        found.setdefault(words, {})[spelling.split()[0]] = (document, line)
    return found


def wrong_option_tables(documents, program):
    documented = options_by_command(documents)
    for words, options in documented.items():
        if words not in program.commands:
            document, line = next(iter(options.values()))
            yield complaint(document, line, f"there is no command '{words}'")
            continue
        for name, (document, line) in options.items():
            if name not in program.commands[words].options:
                yield complaint(document, line, f"'{words}' has no option '{name}'")
    for words, command in program.commands.items():
        for name in sorted(set(command.options) - {"-h", "--help"} - set(documented.get(words, {}))):
            yield f"no table of options has {name} of '{words or 'autokernel'}'"


# ---- exit codes


def source_exit_codes(tree):
    """All that the program ends with, out of its sources."""
    stop = re.search(r"enum class Stop[^{]*\{(.*?)\};", (tree / "include/autokernel/base/error.h").read_text(), re.S)
    codes = {0} | {int(code) for code in re.findall(r"= (\d+)", stop.group(1))}
    verdicts = (tree / "src/trial/report/verdicts.cpp").read_text()
    return codes | {int(code) for code in re.findall(r"(\d+),\s+advice_when_", verdicts)}


def help_exit_codes(text):
    """{10: "not faster"} out of the end of --help."""
    footer = " ".join(text[text.index("Exit codes:") :].split())
    return {int(code): words.strip() for code, words in re.findall(r"(\d+) ([a-z][^,.;]*)", footer)}


def wrong_exit_codes(documents, codes, told):
    """`told` is what --help says. A table with the codes of all commands must have each of them."""
    if set(told) != codes:
        yield f"--help tells the exit codes {sorted(told)}, the sources have {sorted(codes)}"
    for document in documents:
        for table in document.tables():
            columns = [i for i, head in enumerate(table.head) if head in ("exit code", "code")]
            if not columns:
                continue
            listed = set()
            for line, cells in table.rows:
                row = {int(code) for code in re.findall(r"\d+", cells[columns[0]])}
                listed |= row
                for code in row - codes - {INTERRUPTED}:
                    yield complaint(document, line, f"no command ends with {code}")
                yield from misnamed(document, line, row, cells, told)
            if columns[0] == 0 and codes - listed:
                yield complaint(document, table.line, f"the table lacks the exit codes {sorted(codes - listed)}")
        for number, line in document.prose:
            for first, more in re.findall(r"[Ee]xit(?:s with| codes?)(?: is)? (\d+)((?:(?:, | or | and | to )\d+)*)", line):
                for code in {int(text) for text in [first, *re.findall(r"\d+", more)]} - codes - {INTERRUPTED}:
                    yield complaint(document, number, f"no command ends with {code}")


# Of the verdicts on kernels: the others are told in other words by each command.
VERDICT_CODES = range(10, 20)


def misnamed(document, line, row, cells, told):
    """A row of one code, with the verdict that another code stands for."""
    verdicts = {code: word for code, word in told.items() if code in VERDICT_CODES}
    text = " ".join(cells).replace("_", " ")
    if len(row) != 1:
        return
    for code, word in verdicts.items():
        if code not in row and any(cell.replace("_", " ").strip("`") == word for cell in cells):
            yield complaint(document, line, f"'{word}' is {code}, not {min(row)}: {text}")


# ---- keys and fields


def source_keys(tree):
    """Keys of the lines that commands print."""
    keys = set()
    for file in (tree / "include/autokernel/trial").glob("result.h"):
        keys |= set(re.findall(r"\bSpeedFigure\{\"([a-z0-9_]+)\"", file.read_text()))
    for file in (tree / "src/cli").rglob("*.cpp"):
        text = file.read_text()
        keys |= set(re.findall(r"\badd(?:_count|_unless_empty)?\(\s*\"([a-z0-9_]+)\"", text))
        keys |= set(re.findall(r"\blines\.emplace_back\(\s*\"([a-z0-9_]+)\"", text))
        # Made from numbers: add(fmt::format("found_{:g}s_pct", seconds), ...) stands for all such.
        keys |= {re.sub(r"\{.*?\}", "*", key) for key in re.findall(r"\badd\(fmt::format\(\"([a-z_{}:]+)\"", text)}
    return keys


def printed_keys(output):
    return set(re.findall(r"^([a-z][a-z0-9_]*): ", output, re.M))


def wrong_keys(documents, printed):
    """`printed`: all that commands print. Those in the documents are among them, and each is in a table."""

    def is_printed(key):
        return any(fnmatchcase(key, pattern) for pattern in printed)

    documented = set()
    for document in documents:
        for table in document.tables():
            if table.head[0] != "key" or "type" in table.head:  # those with types are of files
                continue
            for line, cells in table.rows:
                for key in names_in(cells[0]):
                    documented.add(key)
                    if not is_printed(key):
                        yield complaint(document, line, f"no command prints the key {key}")
        for block in document.blocks:
            if block.language:
                continue
            for number, text in enumerate(block.lines, block.line):
                found = re.match(r"([a-z][a-z0-9_]*):  +\S", text)
                if found and not is_printed(found.group(1)):
                    yield complaint(document, number, f"no command prints the key {found.group(1)}")
    for pattern in sorted(printed):
        if not any(fnmatchcase(key, pattern) for key in documented):
            yield f"no table of keys has {pattern}"


def fields_of(value, inner=()):
    """Names in an object; those of objects in it, where `inner` names them, as "budget.hours"."""
    names = set()
    for name, member in value.items():
        names.add(name)
        if name in inner and isinstance(member, dict):
            names |= {f"{name}.{below}" for below in member}
    return names


def wrong_fields(document, heading, value, sometimes=()):
    """A table of the fields of an object under this heading, against the object. `sometimes` need not be there."""
    for table in document.tables():
        if table.heading.replace("`", "") == heading and table.head[0] == "field":
            break
    else:
        return [f"{document.name}: no table of fields under '{heading}'"]
    documented = {names_in(cells[0])[0] if names_in(cells[0]) else cells[0]: line for line, cells in table.rows}
    inner = {name.split(".")[0] for name in documented if "." in name}
    real = fields_of(value, inner)
    found = [complaint(document, documented[name], f"there is no field {name}") for name in sorted(set(documented) - real - set(sometimes))]
    return found + [complaint(document, table.line, f"the table lacks the field {name}") for name in sorted(real - set(documented))]


def wrong_list_of_fields(document, phrase, value):
    """A paragraph with this phrase names the fields of an object and of those in it, and no others."""
    for _, paragraph in document.paragraphs():
        if phrase in paragraph:
            break
    else:
        return [f"{document.name}: nothing says '{phrase}'"]
    listed = {span for span in names_in(paragraph[paragraph.index(phrase) :].split(". ")[0].replace("\n", " ")) if re.fullmatch(r"[a-z_]+", span)}
    everywhere = set()

    def collect(member):
        for inner in member.values() if isinstance(member, dict) else member if isinstance(member, list) else ():
            collect(inner)
        if isinstance(member, dict):
            everywhere.update(member)

    collect(value)
    found = [f"{document.name}: behind '{phrase}', {name} is no field" for name in sorted(listed - everywhere)]
    return found + [f"{document.name}: behind '{phrase}', {name} is missing" for name in sorted(set(value) - listed)]


# ---- the environment


# Of strings in capitals in the sources: macros of a kernel's file.
MACROS = {"AUTOKERNEL_LAUNCH", "AUTOKERNEL_TUNE", "AUTOKERNEL_TUNE_IF", "AUTOKERNEL_TENSOR_MAP", "AUTOKERNEL_WORKSPACE", "AUTOKERNEL_ZEROED_WORKSPACE"}


def source_variables(tree):
    """Environment variables that the sources, and ./dev, read or set, with a file for each."""
    found = {}
    for folder in ("src", "include", f"{EMULATOR}/src", "tests", f"{EMULATOR}/tests"):
        for file in sorted((tree / folder).rglob("*")):
            if file.suffix not in (".cpp", ".h", ".c"):
                continue
            text = file.read_text()
            if folder.endswith("tests"):  # which set many; what they read, somebody may want to set
                for name in re.findall(r"\bgetenv\(\s*\"((?:AUTOKERNEL|EMULAT)\w*)\"", text):
                    found.setdefault(name, str(file.relative_to(tree)))
                continue
            names = re.findall(r"\b(?:getenv|setenv|variable|from_environment)\(\s*\"([A-Z][A-Z0-9_]*)\"", text)
            names += re.findall(r"\"((?:AUTOKERNEL|EMULATED_CUDA)_[A-Z_]+)\"", text)
            for name in set(names) - MACROS:
                found.setdefault(name, str(file.relative_to(tree)))
    dev = (tree / "dev").read_text()
    for name in set(re.findall(r"\$\{?((?:AUTOKERNEL|CUDA)_[A-Z_]+)", dev)):
        found.setdefault(name, "dev")
    return found


def tables_of_variables(documents):
    for document in documents:
        for table in document.tables():
            if table.head[0] == "variable":
                yield document, table


def wrong_variables(documents, variables):
    """Every variable is in a table of variables; every one with our prefix in a table is in the sources."""
    documented = {}
    for document, table in tables_of_variables(documents):
        for line, cells in table.rows:
            for name in names_in(cells[0]):
                documented[name] = (document, line)
    for name in sorted(variables):
        if not any(fnmatchcase(name, pattern) for pattern in documented):
            yield f"{variables[name]}: no table of variables has {name}"
    for name, (document, line) in documented.items():
        if name.startswith(("AUTOKERNEL_", "EMULATED_CUDA_")) and name not in variables and not name.endswith("*"):
            yield complaint(document, line, f"nothing reads {name}")


def runner_variables(tree):
    """The lists of src/trial/supervise/runner_environment.cpp by their names."""
    source = (tree / "src/trial/supervise/runner_environment.cpp").read_text()
    lists = re.findall(r"std::array<Pattern, \d+> (k\w+) = \{(.*?)\};", source, re.S)
    return {name: set(re.findall(r"\"([A-Z][A-Z0-9_]*\*?)\"", text)) for name, text in lists}


def wrong_runner_variables(document, lists):
    """Tables with the columns "variable" and "where kernels run", against the lists."""
    told = {"passed on, recorded": "kRecorded", "passed on": "kPassed", "left out, with a warning": "kIgnored"}
    documented = {name: set() for name in lists}
    for table in document.tables():
        if "where kernels run" not in table.head:
            continue
        column = table.head.index("where kernels run")
        for line, cells in table.rows:
            if not cells[column]:  # of the program alone
                continue
            if cells[column] not in told:
                yield complaint(document, line, f"'{cells[column]}' is none of {sorted(told)}")
            else:
                documented[told[cells[column]]] |= set(names_in(cells[0]))
    for name, variables in lists.items():
        for variable in sorted(variables ^ documented[name]):
            yield f"{document.name}: does not agree with {name} of src/trial/supervise/runner_environment.cpp on {variable}"


# ---- numbers


def wrong_counts(document, tree):
    """How many kernels the suite has, as the page on it says."""
    counts = {r"\((\d+) in all\)": "tests/adversarial/kernels", r"(\d+) honest kernels": "tests/adversarial/honest"}
    for pattern, folder in counts.items():
        files = len(list((tree / folder).glob("*.cu")))
        for line, text in document.prose:
            for number in re.findall(pattern, text):
                if int(number) != files:
                    yield complaint(document, line, f"{folder} has {files} kernels, not {number}")


# ---- code shown in the style guide


def wrong_excerpts(document, tree):
    """Every block of C++ is a piece of some source, as it stands there."""
    sources = [file.read_text() for folder in ("include", "src", "tests", EMULATOR) for file in sorted((tree / folder).rglob("*")) if file.suffix in (".h", ".cpp")]
    for block in document.blocks:
        if block.language == "cpp" and not any("\n".join(block.lines) in source for source in sources):
            yield complaint(document, block.line, "this code is in no source as it stands here")
