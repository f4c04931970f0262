"""What the ledger of a run says: which variants were tried, and how fast each is. Nothing else is remembered from turn to turn,
so an agent that is killed goes on where it was."""

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

from structure import Variant, parsed

# Of an experiment that says nothing about its kernel, so that it may be tried again.
NO_VERDICT = ("interrupted", "unsupported")
# Of a turn whose edit has the source of an earlier one.
REFUSED = "tried before"
# Both become names of files.
TAG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
MOST_EXPERIMENTS = 1_000_000
COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True)
class Trial:
    """`time` is the logarithm of its time over that of the first baseline; None if it has none."""

    commit: str
    variant: Variant | None
    verdict: str
    time: float | None
    kept: bool


@dataclass(frozen=True)
class Record:
    """`number` is that of the next experiment. `refused` turns led to none since the last one, as their edits were not new."""

    trials: list
    number: int
    refused: int

    @property
    def streak(self):
        """Trials since the last that was kept."""
        return next((since for since, trial in enumerate(reversed(self.trials)) if trial.kept), len(self.trials))

    @property
    def best(self):
        return next(trial for trial in reversed(self.trials) if trial.kept)

    def of(self, structure):
        return [trial for trial in self.trials if trial.variant and trial.variant.structure is structure]

    def tried(self):
        return {trial.variant for trial in self.trials if trial.variant}


def is_text_as(pattern, value):
    return isinstance(value, str) and pattern.fullmatch(value) is not None


def fault_of(entry):
    """What is wrong with the fields that name files and commits or are computed with; empty if nothing is. The program has written
    none that is wrong, but the record may have come from elsewhere."""
    if not isinstance(entry, dict) or not isinstance(entry.get("kind"), str):
        return "is no entry"
    if entry["kind"] not in ("run_started", "experiment", "turn", "run_finished"):
        return ""
    if not is_text_as(TAG, entry.get("tag")):
        return f"is of a run with the name {entry.get('tag')!r}"
    if entry["kind"] != "experiment":
        return ""
    number, commit, gain, time = (entry.get(name) for name in ("number", "commit", "gain", "median_us"))
    if type(number) is not int or not 0 <= number < MOST_EXPERIMENTS:
        return f"has the number {number!r}"
    if commit is not None and not is_text_as(COMMIT, commit):
        return f"has the commit {commit!r}"
    bounds = gain if isinstance(gain, dict) else {"estimate": gain}
    figures = [time, *(bounds.get(name) for name in ("estimate", "low", "high"))]
    if not all(figure is None or type(figure) in (int, float) and math.isfinite(figure) for figure in figures) or gain == {}:
        return "has a time or a gain that is no number"
    if not all(isinstance(entry.get(name), str) for name in ("verdict", "status")):
        return "has no verdict"
    return "" if isinstance(entry.get("description"), (str, type(None))) else "has a description that is no text"


def entries_of(root):
    """SystemExit where one names what it must not."""
    ledger = Path(root) / ".autokernel/ledger.jsonl"
    with ledger.open(encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue  # the program itself reports a damaged line
            if fault := fault_of(entry):
                raise SystemExit(f"{ledger}: line {number} {fault}: autokernel has not written it")
            yield entry


def best_of(entries, tag):
    """The experiment that the run kept last, or its baseline; None before that."""
    kept = [entry for entry in entries if entry["kind"] == "experiment" and entry["tag"] == tag and entry["status"] == "keep"]
    return kept[-1] if kept else None


def key_of(description):
    """Of an idea of ours: what stands in brackets at its end."""
    found = re.search(r"\[([^\][]+)\]$", description or "")
    return found[1] if found else ""


def time_of(entry, times):
    incumbent = times.get(entry.get("incumbent"))
    gain = entry.get("gain")
    if incumbent is None or gain is None or gain["estimate"] >= 1:
        return None
    return incumbent + math.log(1 - gain["estimate"])


def read(root, structures):
    """The record of the last run, with what earlier runs on a device of that name have shown."""
    entries = list(entries_of(root))
    device_of = {entry["tag"]: entry["device_name"] for entry in entries if entry["kind"] == "run_started"}
    tag = [entry["tag"] for entry in entries if entry["kind"] == "run_started"][-1]
    trials, times, number, refused = [], {}, 0, 0
    for entry in entries:
        if device_of.get(entry.get("tag")) != device_of[tag]:
            continue
        if entry["kind"] == "turn" and entry["tag"] == tag:
            refused += entry["outcome"] == REFUSED
        if entry["kind"] != "experiment":
            continue
        if entry["tag"] == tag:
            number, refused = entry["number"] + 1, 0
        if entry["verdict"] in NO_VERDICT:
            continue
        if entry["number"] == 0:
            # The baseline of a later run is the best of an earlier one.
            time = times.setdefault(entry["commit"], 0.0)
            known = next((trial for trial in trials if trial.commit == entry["commit"]), None)
            variant = known.variant if known else None
        else:
            time = time_of(entry, times)
            variant = parsed(key_of(entry["description"]), structures)
            if time is not None:
                times[entry["commit"]] = time
        trials.append(Trial(entry["commit"], variant, entry["verdict"], time, entry["status"] == "keep"))
    return Record(trials, number, refused)
