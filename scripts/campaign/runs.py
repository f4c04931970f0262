"""The runs of a campaign: one for each device, driver and program that it met."""

import hashlib
import json

from program import PATIENCE
from record import entries_of

# Without a number, a run ends after 20 experiments in a row without a gain.
NEVER = "1000000"
# Experiments from one writing of the state to the next: what a machine takes with it that gives no notice.
AT_A_TIME = 25
BUDGET_IS_USED_UP = 20


class Runs:
    def __init__(self, program, first_tag, device, size):
        self._program = program
        self._first_tag = first_tag
        self.device = device
        self.size = size

    def _entries(self, kind):
        root = self._program.repository
        if not (root / ".autokernel/ledger.jsonl").exists():
            return []
        return [entry for entry in entries_of(root) if entry["kind"] == kind]

    @property
    def tag(self):
        return self._entries("run_started")[-1]["tag"]

    def experiments(self):
        """Of all runs, baselines and those that were interrupted left out."""
        return sum(entry["number"] > 0 and entry["verdict"] != "interrupted" for entry in self._entries("experiment"))

    def _why_not_go_on(self, here, before):
        """Why what is measured here cannot be compared with the last run, whose last session was `before`; empty if it can."""
        started = self._entries("run_started")
        if not started:
            return "there was none"
        last = started[-1]
        for what, then, now in (
            ("device", last["device_name"], here["device"]),
            ("driver", last["driver_version"], here["driver"]),
            ("driver", before.get("driver_release") or here["driver_release"], here["driver_release"]),
        ):
            if then != now:
                return f"the {what} of run {last['tag']} was {then}, and here is {now}"
        sha256 = hashlib.sha256(self._program.file.read_bytes()).hexdigest()
        if any(file["name"] == "autokernel" and file["sha256"] != sha256 for file in last["harness"]):
            return f"run {last['tag']} was measured by another autokernel"
        return ""

    def begin_or_go_on(self, here, before):
        why = self._why_not_go_on(here, before)
        if not why:
            size = self._entries("run_started")[-1]["size"]
            if size != self.size:
                raise SystemExit(f"run: run {self.tag} is of size {size}: go on with --size {size}")
            return
        runs = len(self._entries("run_started"))
        tag = self._first_tag if runs == 0 else f"{self._first_tag}-{runs + 1}"
        self._program.say(f"run {tag} begins: {why}")
        # The branch of the last run is at its best.
        words = ["loop", "start", tag, "--device", self.device, "--size", self.size, "--no-progress", NEVER]
        code, printed = self._program.call(words)
        if code != 0:
            raise SystemExit(f"run: loop start ended with {code}: {self._program.log} says why\n{printed}")

    def drive(self, agent, wanted, clock, save):
        """Until there are so many experiments, or time is up. What a kill has cut off here is resumed if it had this very agent.
        Whether it came that far."""
        cut_off = self._program.repository / ".autokernel/drive.json"
        if cut_off.exists() and json.loads(cut_off.read_text()).get("agent") == agent:
            self._drive_once(["--resume"], clock)
        while (rest := wanted - self.experiments()) > 0 and clock.left() > PATIENCE:
            cut_off.unlink(missing_ok=True)
            code = self._drive_once(["--agent", agent, "--max-runs", str(min(rest, AT_A_TIME))], clock)
            if code != BUDGET_IS_USED_UP or wanted - self.experiments() == rest:
                if clock.left() > PATIENCE:
                    self._program.say(f"the loop went no further: {self._program.log} says why")
                    return False
                break
            save()
        return True

    def _drive_once(self, words, clock):
        code = self._program.call_until(["loop", "run", *words], clock.left() - PATIENCE)
        self._program.say(f"loop run {words[0]} ended with {code}: {self.experiments()} experiments")
        return code

    def told(self, wanted):
        kept = sum(entry["number"] > 0 and entry["status"] == "keep" for entry in self._entries("experiment"))
        return f"run {self.tag}: {self.experiments()} of {wanted} experiments, {kept} kept, in {len(self._entries('run_started'))} runs"
