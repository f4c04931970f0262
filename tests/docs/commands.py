"""Commands in the documents: whether there are such commands, and such options."""

import re
import shlex

# A block is one of commands where its first line begins with one of these.
COMMANDS = re.compile(
    r"(\$ |\./dev\b|([a-z_.]+/)*autokernel( |$)|tests/\S+\.sh\b|build/release/|export |source |mkdir |git |pip |cmake |cp |sed |jq |[A-Z_]+=)"
)
OPERATORS = set("();<>|&")

FOREIGN_PROGRAMS = {"cmake", "cpack", "ctest", "git", "ncu", "nsys", "perf", "strace"}

# Options in the text that are neither ours nor those of ./dev.
FOREIGN = {
    "--std": "NVRTC's",
    "--strip-components": "tar's",
    "--compress-mode": "nvcc's",
    "-gencode": "nvcc's",
    "-lineinfo": "nvcc's",
    "-rdc": "nvcc's",
    "--enforce-eager": "vLLM's",
}


def command_lines(block):
    """(line, command) for each command of a block; none of a block of anything else."""
    if block.language not in ("", "sh", "console") or not block.lines or not COMMANDS.match(block.lines[0]):
        return []
    transcript = block.lines[0].startswith("$ ")
    commands = []
    for number, line in enumerate(block.lines, block.line):
        if transcript:
            if line.startswith("$ "):
                commands.append((number, line[2:]))
        elif line.startswith(" ") and commands:  # goes on
            commands[-1] = (commands[-1][0], commands[-1][1] + "\n" + line)
        elif line.strip() and not line.startswith("#"):
            commands.append((number, line))
    return commands


def without_brackets(text):
    """What may be left out, [--case DIR], as if it were there."""
    return re.sub(r"\[(-[^\]]*)\]", r"\1", text)


def simple_commands(text):
    """The words of each command in a line of shell. Raises ValueError where a quote is not closed."""
    lexer = shlex.shlex(without_brackets(text), posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = "#"
    commands = [[]]
    for word in lexer:
        if word and set(word) <= OPERATORS:
            commands.append([])
        else:
            commands[-1].append(word)
    return [words for words in commands if words]


class Checker:
    """`dev` is the text of ./dev."""

    def __init__(self, program, dev):
        self.program = program
        usage = dev[dev.index("usage: ./dev") : dev.index("\nTEXT\n")]
        self.dev_options = set(re.findall(r" (--[a-z-]+)", usage))
        cases = dev[dev.index("\ncase ") :]
        self.dev_commands = {
            name for names in re.findall(r"^  ([\w| -]+)\)$|^  ([\w| -]+)\) ", cases, re.M) for name in re.split(r" \| ", "".join(names))
        }

    def faults(self, words):
        """What is wrong with a command, in words."""
        if words[0] == "./dev":
            return self._dev_faults(words[1:])
        if words[0].split("/")[-1] == "autokernel":
            return self._own_faults("", words[1:])
        return []

    def faults_of_line(self, text):
        try:
            commands = simple_commands(text)
        except ValueError as error:
            return [f"cannot be read as a command ({error})"]
        return [fault for words in commands for fault in self.faults(words)]

    def faults_of_span(self, text):
        """The same for what stands between backticks in a sentence, which need not be a command at all."""
        try:
            words = shlex.split(without_brackets(text))
        except ValueError:
            return []
        if not words:
            return []
        root = self.program.commands[""].children
        below_loop = self.program.commands["loop"].children if "loop" in root else []
        if words[0] in ("autokernel", "./dev"):
            return self.faults(words)
        if len(words) > 1 and words[0] in root:
            return self._own_faults("", words)
        if len(words) > 1 and words[0] in below_loop:
            return self._own_faults("loop", words)
        if words[0] in FOREIGN_PROGRAMS:
            return []
        known = self.program.options() | self.dev_options | set(FOREIGN)
        names = [word.split("=")[0] for word in words]
        named = [name for name in names if re.fullmatch(r"--[a-z][\w-]*", name)]
        if re.fullmatch(r"-[a-z]\w*", names[0]):
            named.append(names[0])
        return [f"there is no option '{name}'" for name in named if name not in known]

    def _dev_faults(self, words):
        if not words:
            return []
        if words[0] == "bench":  # hands its arguments on
            return self._own_faults("", words)
        faults = [] if words[0] in self.dev_commands else [f"./dev has no command '{words[0]}'"]
        return faults + [
            f"./dev has no option '{word}'" for word in words if word.startswith("--") and word not in self.dev_options
        ]

    def _own_faults(self, at, words):
        words = list(words)
        if "--" in words:  # behind it comes somebody else's command
            words = words[: words.index("--")]
        while words and words[0] in self.program.commands[at].children:
            at = f"{at} {words.pop(0)}".strip()
        command = self.program.commands[at]
        if command.children and words and not words[0].startswith("-"):
            return [f"there is no command '{at} {words[0]}'".replace("' ", "'")]
        faults = []
        positionals = 0
        while words:
            word = words.pop(0)
            name, equals, _ = word.partition("=")
            if word.startswith("-") and len(word) > 1:
                if name not in command.options:
                    faults.append(f"'{at}' has no option '{name}'")
                elif command.options[name] and not equals and words:
                    if name not in command.alone or not words[0].startswith("-"):
                        words.pop(0)
            elif word != "...":
                positionals += 1
                if positionals > command.positionals:
                    faults.append(f"'{at}' takes no argument '{word}'")
        return faults
