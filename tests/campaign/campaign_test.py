"""A campaign of scripts/campaign from begin to end, on the emulated device at the small size: an agent that is killed, a machine
that is taken away, another one with another program, and the summary.

    tests/campaign/campaign_test.py PROGRAM
"""

import json
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

CAMPAIGN = Path(__file__).resolve().parents[2] / "scripts/campaign"
sys.path.insert(0, str(CAMPAIGN))

import record  # noqa: E402
import staircase  # noqa: E402

PREFIX = None  # of the program
# Multiplies so often: a thread for each element that does it once is faster.
SLOW = """  for (int again = 0; again < 6; ++again) {
    asm volatile("" ::: "memory");
    sum = 0.0f;
    for (int k = 0; k < K; ++k) {
      sum += __bfloat162float(A[row * K + k]) * __bfloat162float(B[k * N + col]);
    }
  }
"""
# Killed before its first edit, and behind its second one.
AGENT = """#!/bin/sh
echo >>'{turns}'
turn=$(wc -l <'{turns}')
[ "$turn" -ne 1 ] || kill -9 $$
python3 -B '{agent}'
[ "$turn" -ne 3 ] || kill -9 $$
"""
# One of each way to build a kernel that is not met in a few experiments, by the slowest to fail.
SAMPLE = [
    ("registers", {}),
    ("depth64", {}),
    ("cp_async", {}),
    ("mma", {"bn": 128, "warp_n": 64}),
    ("wgmma", {"bm": 64, "stages": 3}),
    ("multicast", {"cx": 2, "cy": 2}),
    ("split_k", {}),
    ("persistent", {"cluster": 2}),
    ("early", {"first": 2, "slices": 1, "tail": 3}),
    ("early", {"tile": "64x128/2", "first": 2, "lag": 2, "end": "quads", "a_regs": 1}),
]
# Each takes some seconds: one without tensor cores, and two of those with most in them, but for the full test.
USUAL = [SAMPLE[0], SAMPLE[5], SAMPLE[9]]


class OnTheEmulatedDevice(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="campaign-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.environment = {**os.environ, "TMPDIR": folder.name, "GIT_CONFIG_GLOBAL": "/dev/null", "XDG_CACHE_HOME": str(self.folder / "cache")}
        self.environment.pop("AUTOKERNEL_TURN", None)

    def run_program(self, *words, **more):
        return subprocess.run([*map(str, words)], capture_output=True, text=True, env=self.environment, cwd=self.folder, **more)

    def campaign(self, out, *words, prefix=None):
        command = [CAMPAIGN / "run", "--prefix", prefix or PREFIX, "--out", self.folder / out, "--device", "cpu", "--size", "check"]
        done = self.run_program(*command, "--budget", "500", "--tag", "test", "--processes", "2", *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def unpacked(self, out):
        work = self.folder / f"{out}-unpacked"
        with tarfile.open(self.folder / out / "state.tar.gz") as archive:
            archive.extractall(work)
        return work

    def slow_start(self):
        """A state whose kernel is slower than the first of the library."""
        done = self.run_program(CAMPAIGN / "run", "--prepare", "--out", self.folder / "prepared")
        self.assertEqual(done.returncode, 0, done.stderr)
        work = self.unpacked("prepared")
        kernel = work / "repository/kernels/kernel.cu"
        begin, loop = kernel.read_text().split("  for (int k", 1)
        kernel.write_text(begin + SLOW + loop.split("  }\n", 1)[1])
        subprocess.run(["git", "-C", work / "repository", "commit", "-q", "-a", "-m", "Slow"], check=True, env=self.environment)
        with tarfile.open(self.folder / "slow.tar.gz", "w:gz") as archive:
            archive.add(work / "repository", "repository")
        return self.folder / "slow.tar.gz"

    def another_program(self):
        """The same, but for a byte behind its end."""
        prefix = self.folder / "another"
        (prefix / "bin").mkdir(parents=True)
        for path in [*PREFIX.iterdir(), *(PREFIX / "bin").iterdir()]:
            if path.name not in ("bin", "autokernel"):
                (prefix / path.relative_to(PREFIX)).symlink_to(path)
        shutil.copy(PREFIX / "bin/autokernel", prefix / "bin/autokernel")
        with (prefix / "bin/autokernel").open("ab") as file:
            file.write(b"\0")
        return prefix

    def test_a_campaign_goes_on_behind_kills_and_with_another_program(self):
        agent = self.folder / "agent"
        agent.write_text(AGENT.format(turns=self.folder / "turns", agent=CAMPAIGN / "agent.py"))
        agent.chmod(0o755)
        self.campaign("first", "--state", self.slow_start(), "--experiments", "3", "--agent", agent)
        self.campaign("second", "--state", self.folder / "first/state.tar.gz", "--experiments", "4")
        # Its times are not comparable: a new run begins, with the best.
        said = self.campaign("third", "--state", self.folder / "second/state.tar.gz", "--experiments", "5", prefix=self.another_program())
        self.assertIn("run test-2 begins", said)
        self.assertIn("5 of 5 experiments", said)

        work = self.unpacked("third")
        entries = list(record.entries_of(work / "repository"))
        ideas = [entry["description"] for entry in entries if entry["kind"] == "experiment" and entry["number"] > 0]
        self.assertEqual(len(ideas), 5)
        self.assertEqual(len({record.key_of(idea) for idea in ideas}), 5, ideas)
        verdicts = {entry["verdict"] for entry in entries if entry["kind"] == "experiment"}
        self.assertLessEqual(verdicts, {"baseline", "kept", "not faster", "inconclusive"})
        self.assertIn("kept", verdicts)
        runs = [entry for entry in entries if entry["kind"] == "run_started"]
        self.assertEqual([entry["tag"] for entry in runs], ["test", "test-2"])

        into = self.folder / "summary"
        done = self.run_program(CAMPAIGN / "summary", "--prefix", PREFIX, "--state", self.folder / "third/state.tar.gz", "--into", into)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_summary(json.loads((into / "summary.json").read_text()), runs)
        ledger = (work / "repository/.autokernel/ledger.jsonl").read_bytes()
        self.assertEqual(lzma.open(into / "ledger.jsonl.xz").read(), ledger)
        self.assertTrue((into / "results.tsv").read_text().startswith("commit\tmedian_us"))
        self.assertTrue((into / "results-test.tsv").read_text().startswith("commit\tmedian_us"))
        self.assertEqual(len(list((into / "kernels").glob("*.cu"))), len((into / "history.tsv").read_text().splitlines()) - 1)
        self.assertEqual((into / "progress.png").exists(), shutil.which("gnuplot") is not None)

        self.check_refusals(work, into)

    def check_refusals(self, work, into):
        """What was altered in one place makes no summary, and leaves the one that is there."""
        ends = next((work / "end/test-2").iterdir())
        ledger, table = work / "repository/.autokernel/ledger.jsonl", work / "repository/results.tsv"
        alterations = {
            "finish.json is not what the ledger says": (ends / "finish.json", lambda text: text.replace('"ratio":', '"ratio":1')),
            "of another kernel, device or size": (ends / "best-1.json", lambda text: text.replace("__global__", "__device__")),
            "there twice": (ends / "best-1.json", lambda _: (ends / "best-2.json").read_text()),
            "does not follow the line before": (ledger, lambda text: text.replace('"kept"', '"lost"', 1)),
            "the rows of results.tsv": (table, lambda text: text.replace("\tdiscard\t", "\tkeep\t").replace("\tbaseline\n", "\tbase\n", 1) + "\n0\t1\t1\tkeep\tx"),
        }
        before = sorted(into.rglob("*"))
        for said, (file, altered) in alterations.items():
            text = file.read_text()
            file.write_text(altered(text))
            with self.subTest(said):
                self.assertNotEqual(file.read_text(), text)
                with tarfile.open(self.folder / "altered.tar.gz", "w:gz") as archive:
                    for name in ("end", "repository", "sessions.jsonl"):
                        archive.add(work / name, name, filter=lambda member: None if member.islnk() else member)
                done = self.run_program(CAMPAIGN / "summary", "--prefix", PREFIX, "--state", self.folder / "altered.tar.gz", "--into", into)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(said, done.stderr)
                self.assertEqual(sorted(into.rglob("*")), before)
            file.write_text(text)

    def check_summary(self, summary, runs):
        self.assertEqual(summary["tag"], runs[-1]["tag"])
        self.assertEqual(summary["experiments"], 5)
        self.assertEqual(summary["device"], runs[-1]["device_name"])
        self.assertEqual([run["begins_at_the_best_of"] for run in summary["runs"]], [None, "test"])
        for name in ("driver", "nvrtc", "program", "problem", "best_commit"):
            self.assertTrue(summary[name], name)
        for name in ("best_us", "best_tflops", "vs_cublas", "vs_cublaslt_best", "vs_baseline"):
            figure = summary[name]
            self.assertEqual(set(figure), {"value", "low", "high", "how", "reason"}, name)
            # What there is has an interval, and what there is not has a reason.
            self.assertEqual(figure["value"] is None, figure["reason"] is not None, name)
            if figure["value"] is not None:
                self.assertTrue(figure["low"] <= figure["value"] <= figure["high"], name)
        self.assertIsNotNone(summary["best_us"]["value"])
        self.assertIn(summary["verify_run"]["verdict"], ("holds", "inconclusive", "does not hold"))
        self.assertEqual(len(summary["commands"]), 3)

    def test_variants_of_each_structure_are_right_and_use_what_their_tables_say(self):
        case = self.folder / "case"
        case.mkdir()
        shutil.copy(CAMPAIGN.parent.parent / "kernels/kernel.cu", case)
        text = (CAMPAIGN.parent.parent / "kernels/case.toml").read_text()
        (case / "case.toml").write_text(text.replace("samples = 50", "samples = 1").replace("warmups = 5", "warmups = 0"))
        for name, values in SAMPLE if os.environ.get("AUTOKERNEL_TEST_FULL") == "1" else USUAL:
            variant = staircase.STRUCTURES[name].with_values(values)
            with self.subTest(variant.key):
                self.assertTrue(variant.fits)
                (self.folder / "kernel.cu").write_text(variant.source)
                place = ["--device", "cpu", "--size", "check", "--case", case, "--kernel", self.folder / "kernel.cu"]
                done = self.run_program(PREFIX / "bin/autokernel", "bench", "--json", "--quick", *place)
                bench = json.loads(done.stdout)
                self.assertEqual(bench["verdict"], "correct", bench["reason"])
                # A ring has no more stages than there are steps, of which this size has four.
                self.assertLessEqual(bench["shared_bytes"], variant.structure.uses(variant.values)[1])


if __name__ == "__main__":
    PREFIX = Path(sys.argv.pop(1)).resolve().parent.parent
    unittest.main()
