"""The real program: its commands and options as its help tells them, and what it prints."""

import re
import subprocess
from dataclasses import dataclass, field


MANY = 99  # of a positional that takes as many words as there are


@dataclass
class Command:
    options: dict = field(default_factory=dict)  # "--case" -> whether a value follows
    alone: set = field(default_factory=set)  # of those with a value: "--sweep [SIZES]" may stand without it
    children: list = field(default_factory=list)
    positionals: int = 0
    examples: list = field(default_factory=list)


# "  -m,--message TEXT REQUIRED  The idea"; what "Excludes:" names is no value.
OPTION = re.compile(r"^  (?:(-\w),)?(--[\w-]+|-\w)( (?!Excludes:|REQUIRED)\S+)?")


def parse_help(text):
    """A Command as its help describes it."""
    command = Command()
    section = ""
    for line in text.split("\n"):
        if re.fullmatch(r"[A-Z]\w+:", line):
            section = line
        elif not line.strip() and section != "Examples:":
            section = ""
        elif section == "Options:":
            found = OPTION.match(line)
            if found:
                for name in found.group(1, 2):
                    if name:
                        command.options[name] = found.group(3) is not None
                        if (found.group(3) or "").startswith(" ["):
                            command.alone.add(name)
        elif section == "Subcommands:" and re.match(r"  \w", line):
            command.children.append(line.split()[0])
        elif section == "Positionals:" and re.match(r"  \w", line):
            command.positionals += MANY if re.match(r"  \w+ TEXT \.\.\.", line) else 1
        elif section == "Examples:":
            if not line.strip():
                section = ""
            else:
                command.examples.append(line.strip())
    return command


class Program:
    """`commands` by their words: "" is the program itself, "loop start" a command of a command."""

    def __init__(self, commands, path=None):
        self.commands = commands
        self._path = path

    @staticmethod
    def ask(path):
        commands = {}
        program = Program(commands, path)

        def add(words):
            command = parse_help(program.said(*words, "--help"))
            commands[" ".join(words)] = command
            for child in command.children:
                add([*words, child])

        add([])
        return program

    def said(self, *arguments):
        """Standard output of a command that does not fail."""
        return subprocess.run([self._path, *arguments], capture_output=True, text=True, check=True).stdout

    def options(self):
        return {name for command in self.commands.values() for name in command.options}


def completed(script):
    """The commands and their options in a completion script for fish."""
    commands = {}
    for line in script.split("\n"):
        chosen = re.search(r" -n '([^']*)'", line)
        if not chosen:
            continue
        words = " ".join(
            name
            for negated, name in re.findall(r"(not )?__fish_seen_subcommand_from ([\w -]+)", chosen.group(1))
            if not negated
        )
        names = commands.setdefault(words, set())
        names.update("--" + name for name in re.findall(r" -l ([\w-]+)", line.split(" -d ")[0]))
    return commands
