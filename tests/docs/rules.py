"""What is done with each command in a block of a document: run here, or skipped for a reason."""

import re
from dataclasses import dataclass


@dataclass
class Skip:
    why: str


@dataclass
class Run:
    more: tuple = ()  # options that are added where the command has no such
    without: str = ""  # an argument that is left out
    codes: tuple = (0,)
    sizes: str = ""  # of a sweep, in place of those that it names
    edits: bool = False  # whether the kernel is edited before, unless the document has done so


# The emulated device at the small size.
SMALL = ("--device cpu", "--size check")
# What a kernel that is right may come to on a busy machine.
ANY_VERDICT = (0, 10, 16)

# Of a block that shows what commands printed.
TRANSCRIPT = Skip("a run of minutes; scripts/readme-run records it")

RULES = [
    (r"autokernel .*(--device (ssh://|slurm:)|--launcher )", Skip("another machine; tests/e2e/elsewhere_test.cpp has one")),
    (r"autokernel (bench|loop start) .*--device judge", Skip("a judge; tests/e2e/judge_test.cpp has one")),
    (r"autokernel serve\b", Skip("serves until it is stopped; tests/e2e/judge_test.cpp stops one")),
    (r"curl .*127.0.0.1:8080", Skip("of a server; tests/e2e/judge_test.cpp has one")),
    (r"@reboot ", Skip("a line of crontab; tests/e2e/loop_night_test.cpp resumes")),
    (r"sudo ", Skip("installs; tests/e2e/judge_attack_test.cpp has a judge of another user")),
    (r"export AUTOKERNEL_PACKAGE=", Skip("./dev package makes one")),
    (r"git (worktree add|switch -c) .*SLURM_ARRAY_TASK_ID|autokernel loop start tiles-.SLURM", Skip("a job of Slurm's; tests/e2e/slurm_test.cpp has one")),
    (r"\./dev ", Skip("builds or installs; that there is such a command is checked")),
    (r"export PATH=", Skip("the program is on the PATH already")),
    (r"git (push|fetch) ", Skip("there is no other repository")),
    (r"pip install ", Skip("a download")),
    (r"mkdir .*tar ", Skip("./dev package makes the archive; tests/package unpacks one")),
    (r"autokernel/bin/autokernel ", Skip("out of that archive")),
    (r"(cmake|ctest|cpack) ", Skip("builds or installs")),
    (r"mkdir driver ", Skip("another program; emulator/tests/api/programs does it")),
    (r"LD_LIBRARY_PATH=\S+ ./program", Skip("another program; emulator/tests/api/programs does it")),
    (r"(\w+=\S+ )?build/release/tests/", Skip("takes minutes; that something builds it is checked")),
    (r"scripts/campaign/", Skip("minutes of a GPU; tests/campaign/campaign_test.py has a small one")),
    (r"tests/gpu/", Skip("needs a GPU; that there is such a file is checked")),
    (r"autokernel loop run --agent ", Skip("no such agent is here; tests/e2e/loop_agent_test.cpp has one of its own")),
    (r"autokernel (case new --lab|case check tiny|loop start rates) ?", Skip("needs PyTorch; tests/e2e/server_case_test.cpp has a server")),
    (r"autokernel (bench|loop start) .*commands/", Skip("takes a minute; tests/e2e/command_examples_test.cpp does it")),
    (r"autokernel mock-server\b", Skip("serves until it is stopped; tests/e2e/mock_server_test.cpp stops one")),
    (r"autokernel bench-http\b", Skip("of somebody's server; tests/e2e/bench_http_test.cpp has one of its own")),
    (r"autokernel bench .*/best/", Skip("gigabytes; tests/e2e/best_kernels_test.cpp judges those kernels at a few rows")),
    (r"autokernel bench .*--(sweep|roofline)\b", Run(more=("--device cpu", "--quick"), sizes="check")),
    (r"autokernel bench\b", Run(more=SMALL)),
    (r"autokernel loop start ", Run(more=SMALL)),
    (r"autokernel loop step ", Run(edits=True, codes=ANY_VERDICT)),
    (r"autokernel (loop finish|verify-run)\b", Run(more=("--processes 2",), codes=ANY_VERDICT)),
    (r"autokernel loop autotune\b", Skip("of a kernel with parameters; tests/e2e/loop_autotune_test.cpp has one")),
    (r"autokernel loop status\b", Run()),
    (r"autokernel (profile|extract|verify|apply|optimize) ", Skip("another program; tests/e2e/profile_test.cpp has one of its own")),
    (r"autokernel plan\b", Skip("of a profile; tests/e2e/profile_test.cpp makes one")),
    (r"autokernel noise \[", Skip("a list of options, not a command")),
    (r"autokernel noise\b", Run(more=(*SMALL, "--seconds 1"))),
    (r"autokernel notify\b", Skip("nobody is configured; tests/e2e/notify_test.cpp has a server of its own")),
    (r"autokernel doctor --device cuda", Run(codes=(0, 3))),
    (r"autokernel doctor\b", Run(more=("--device cpu",))),
    (r"autokernel plot\b", Run(without="--open")),
    (r"autokernel (log|diff)\b", Run()),
    (r"source <\(autokernel completion zsh\)", Skip("in bash; tests/cli/completion_test.cpp asks zsh")),
    (r"autokernel completion fish \| source", Skip("in bash; tests/cli/completion_test.cpp asks fish")),
    (r"source <\(autokernel completion bash\)", Run()),
    (r"autokernel init\b", Run()),
    (r"autokernel import ", Skip("a source of one's own; tests/e2e/import_test.cpp has some")),
    (r"autokernel compare", Skip("takes minutes of an emulated device; tests/exports/compare_test.cpp has some")),
    (r"autokernel (evaluate|export) ", Skip("of somebody's problem; tests/e2e/evaluate_test.cpp has one")),
    (r"autokernel case check cases/", Skip("of a case that import made")),
    (r"autokernel case check\b", Run(more=("--device cpu",))),
    (r"autokernel case (new|list|show|program)\b", Run()),
    (r"git (init|add|commit) ", Run()),
    (r"(sed|jq|cp) |git checkout ", Run()),
]


def rule_for(command):
    for pattern, rule in RULES:
        if re.match(pattern, command):
            return rule
    return None
