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


def entries_of(root):
    ledger = Path(root) / ".autokernel/ledger.jsonl"
    with ledger.open(encoding="utf-8") as lines:
        for line in lines:
            try:
                yield json.loads(line)
            except ValueError:
                continue  # the program itself reports a damaged line


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
