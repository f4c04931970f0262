"""A user's repository in a scratch folder, where the commands of a document are run one after the other."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from enum import Enum

# Of one command: the longest of them measures in several processes, perhaps on a busy machine.
PATIENCE = 300

# Right, and soon compiled; whether one is kept is of no interest.
EDITS = ["02-four-per-thread.cu", "01-shared-tiles.cu"]
WRONG_EDIT = "04-forgets-the-last-tile.cu"

# Whatever is set there: a test must not write into the user's folders, nor depend on git's settings.
GIT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a user",
    "GIT_AUTHOR_EMAIL": "user@example.com",
    "GIT_COMMITTER_NAME": "a user",
    "GIT_COMMITTER_EMAIL": "user@example.com",
}


@dataclass
class Outcome:
    code: int
    out: str
    err: str


class Start(Enum):
    """What there is in the folder to begin with."""

    repository = 1
    nothing = 2


class Session:
    """`commands` and `edits` are what was run so far."""

    def __init__(self, tree, program, scratch, start=Start.repository):
        self.root = scratch / "repository"
        self._edits = list(EDITS)
        self._environment = {**os.environ, **GIT}
        for name, variable in (("home", "HOME"), ("cache", "XDG_CACHE_HOME"), ("tmp", "TMPDIR")):
            (scratch / name).mkdir()
            self._environment[variable] = str(scratch / name)
        # Another loop's, where the tests are run by an agent.
        self._environment.pop("AUTOKERNEL_TURN", None)
        self._environment["PATH"] = f"{program.parent}:{self._environment['PATH']}"
        if start == Start.nothing:
            self.root.mkdir()
            return
        for folder in ("kernels", "tests/data"):
            shutil.copytree(tree / folder, self.root / folder)
        for file in (".gitignore", "program.md", "results.tsv"):
            shutil.copy(tree / file, self.root / file)
        self.run("git init -q -b main && git add -A && git commit -q -m kernels")

    def run(self, command):
        done = subprocess.run(
            ["/bin/bash", "-c", command],
            cwd=self.root,
            env=self._environment,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=PATIENCE,
            stdin=subprocess.DEVNULL,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def is_edited(self):
        return self.run("git diff --quiet kernels/kernel.cu").code != 0

    def write(self, path, text):
        """A file as the document has it."""
        (self.root / path).write_text(text)

    def edit(self, name=None):
        """The kernel becomes that of tests/data/edits, or the next that is right."""
        shutil.copy(self.root / "tests/data/edits" / (name or self._edits.pop(0)), self.root / "kernels/kernel.cu")


def codes_of(command, rule):
    """Those of the rule, unless a remark behind the command names the one that it ends with."""
    said = re.search(r"\s{2,}#.*\bexit code (\d+)", command)
    return (int(said.group(1)),) if said else rule.codes


def adapted(command, rule):
    """The command as it is run here: without the remark behind it, which two blanks set off."""
    command = re.split(r"\s{2,}#\s", command)[0]
    if rule.without:
        command = command.replace(rule.without, "")
    if rule.sizes:
        command = re.sub(r"--sweep( (?!-)\S+)?", f"--sweep {rule.sizes}", command)
    more = [option for option in rule.more if option.split()[0] not in command]
    return " ".join([command.rstrip(), *more])
