"""What a campaign left: its record, and what was measured at the end. Whatever is in a summary is in here first.

The parts must fit together, or there is no summary. That shows damage and what was altered in one place alone. It proves nothing
to a stranger, since all of it can be made up: `autokernel verify-run` on a GPU of one's own does."""

import hashlib
import json
import os
import subprocess

from ends import folder_of
from program import NO_SETTINGS_OF_GIT
from record import best_of, entries_of

EDITABLE = "kernels/kernel.cu"
GIT = {**NO_SETTINGS_OF_GIT, "GIT_NO_REPLACE_OBJECTS": "1", "GIT_ALLOW_PROTOCOL": "none"}


def read_json(file):
    try:
        return json.loads(file.read_text()) if file.exists() else {}
    except (ValueError, RecursionError) as error:
        raise SystemExit(f"summary: {file} is not JSON: {error}") from error


def refuse(what):
    raise SystemExit(f"summary: {what}: this is not what a campaign has left")


class Campaign:
    def __init__(self, work):
        self.repository = work / "repository"
        if not (self.repository / ".autokernel/ledger.jsonl").exists():
            raise SystemExit("summary: the state has no ledger yet: scripts/campaign/run makes experiments")
        entries = list(entries_of(self.repository))
        self.started = [entry for entry in entries if entry["kind"] == "run_started"]
        self._experiments = [entry for entry in entries if entry["kind"] == "experiment"]
        if not self._experiments:
            raise SystemExit("summary: there is no experiment yet")
        self.tag = self.started[-1]["tag"]
        self.best_experiment = best_of(entries, self.tag)
        self._finished = [entry for entry in entries if entry["kind"] == "run_finished" and entry["tag"] == self.tag]
        self.sessions = [json.loads(line) for line in (work / "sessions.jsonl").read_text().splitlines()]
        ends = folder_of(work, entries, self.tag)
        self.finish = read_json(ends / "finish.json")
        self.verify = read_json(ends / "verify.json")
        self.best = [bench for bench in map(read_json, sorted(ends.glob("best-*.json"))) if bench.get("verdict") == "correct"]
        self._check_chain()
        self._check_table()
        self._check_ends()

    def of(self, tag):
        return [entry for entry in self._experiments if entry["tag"] == tag]

    def kept(self):
        return [entry for entry in self._experiments if entry["status"] == "keep"]

    def results_of_earlier_runs(self):
        return sorted((self.repository / ".autokernel/aside").glob("results-*.tsv"))

    def source_of(self, entry):
        blob = f"{entry['commit']}:{EDITABLE}"
        done = subprocess.run(
            ["git", "-C", self.repository, "cat-file", "blob", blob], capture_output=True, text=True, env={"PATH": os.environ["PATH"], **GIT}
        )
        if done.returncode != 0:
            refuse(f"experiment {entry['number']} of run {entry['tag']} has no {EDITABLE} in git ({done.stderr.strip()})")
        return done.stdout

    def _check_chain(self):
        before = None
        for number, line in enumerate((self.repository / ".autokernel/ledger.jsonl").read_bytes().splitlines(keepends=True), 1):
            try:
                previous = json.loads(line)["previous"]
            except (ValueError, TypeError, KeyError, RecursionError):
                refuse(f"line {number} of the ledger is damaged")
            if previous != before:
                refuse(f"line {number} of the ledger does not follow the line before")
            before = hashlib.sha256(line).hexdigest()

    def _check_table(self):
        rows = [line.split("\t") for line in (self.repository / "results.tsv").read_text().splitlines()[1:]]
        entries = self.of(self.tag)
        if [(row[0], row[-2]) for row in rows if len(row) == 5] != [(entry["commit"][:7], entry["status"]) for entry in entries]:
            refuse(f"the rows of results.tsv are not those of run {self.tag} in the ledger")

    def _check_ends(self):
        best = self.best_experiment["commit"]
        if self.finish and (not self._finished or any(self.finish[name] != self._finished[-1][name] for name in ("best", "over_baseline", "over_library"))):
            refuse("finish.json is not what the ledger says of the end of the run")
        if self.verify and (self.verify.get("best") or {}).get("commit") != best:
            refuse("verify.json is of another kernel than the best")
        source = self.source_of(self.best_experiment)
        for bench in self.best:
            of = (bench["request"]["source"], bench["device"]["name"], bench["request"]["size"])
            if of != (source, self.started[-1]["device_name"], self.started[-1]["size"]):
                refuse("a bench of the best is of another kernel, device or size")
        if len({json.dumps(bench["keys"]) for bench in self.best}) != len(self.best):
            refuse("a bench of the best is there twice")
