"""The library of scripts/campaign, and what its agent proposes, without the program: nothing is compiled here."""

import io
import json
import math
import random
import sys
import tarfile
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/campaign"))

import ends  # noqa: E402
import record  # noqa: E402
import search  # noqa: E402
import state  # noqa: E402
import templates  # noqa: E402
from early import EARLY  # noqa: E402
from runs import Runs  # noqa: E402
from staircase import NAIVE, STAIRCASE, STRUCTURES  # noqa: E402
from structure import SHARED_BYTES, THREADS, parsed  # noqa: E402

EXPERIMENTS = 300


def made_up_time(variant):
    """Each structure is faster than the one before, as on a GPU; each value has an effect of its own."""
    time = 6 - 0.4 * STAIRCASE.index(variant.structure)
    default = variant.structure.default.values
    for name, value in variant.values.items():
        if value != default[name]:
            time += random.Random(f"{variant.structure.name} {name} {value}").uniform(-0.05, 0.1)
    return time


def campaign(time_of, experiments, first=()):
    """The proposals of so many turns, each judged by `time_of`."""
    trials = [record.Trial("baseline", None, "baseline", 6.1, True), *first]
    proposals = []
    for number in range(1, experiments + 1):
        proposal = search.next_proposal(record.Record(trials, number, 0), STAIRCASE)
        proposals.append(proposal)
        time = time_of(proposal.variant)
        best = min(trial.time for trial in trials if trial.kept)
        kept = time is not None and time < best - 0.005
        trials.append(record.Trial(f"commit {number}", proposal.variant, "kept" if kept else "not faster", time, kept))
    return proposals


class Library(unittest.TestCase):
    def test_every_default_fits_and_its_file_has_a_line_for_each_parameter(self):
        for structure in STAIRCASE:
            with self.subTest(structure.name):
                self.assertTrue(structure.default.fits)
                self.assertIn("AUTOKERNEL_LAUNCH", structure.default.source)

    def test_every_value_fits_somewhere_and_makes_another_kernel(self):
        chance = random.Random(1)
        for structure in STAIRCASE:
            for name, parameter in structure.parameters.items():
                for value in parameter.values:
                    with self.subTest(f"{structure.name} {name}={value}"):
                        self.assertTrue(any(self.changes_the_kernel(structure, chance, name, value) for _ in range(3000)))

    def changes_the_kernel(self, structure, chance, name, value):
        base = self.some_variant(structure, chance)
        variant = base.changed(**{name: value})
        other = base.changed(**{name: next(one for one in structure.parameters[name].values if one != value)})
        return variant.fits and templates.digest(variant.source) != templates.digest(other.source)

    @staticmethod
    def some_variant(structure, chance):
        values = dict(structure.default.values)
        for name in chance.sample(list(values), chance.randint(0, min(4, len(values)))):
            values[name] = chance.choice(structure.parameters[name].values)
        return structure.with_values(values)

    def test_a_key_is_read_back(self):
        variant = EARLY.with_values({"tile": "64x256/2", "lag": 2, "end": "quads"})
        self.assertEqual(variant.key, "early tile=64x256/2 lag=2 end=quads")
        self.assertEqual(parsed(variant.key, STRUCTURES), variant)
        self.assertIsNone(parsed("early tile=1x1", STRUCTURES))
        self.assertIsNone(parsed("", STRUCTURES))

    def test_what_a_block_has_is_a_limit(self):
        self.assertFalse(NAIVE.with_values({"block_cols": 128, "block_rows": 16}).fits)
        self.assertFalse(EARLY.with_values({"stages": 12}).fits)

    def test_comments_and_blanks_make_no_other_source(self):
        self.assertEqual(templates.digest("int a;  // one\nint b;"), templates.digest("int a;\n\n  int b; // two"))


class Search(unittest.TestCase):
    def test_a_campaign_has_hundreds_of_different_tries_that_all_fit(self):
        proposals = campaign(made_up_time, EXPERIMENTS)
        self.assertEqual(len({proposal.variant.key for proposal in proposals}), EXPERIMENTS)
        self.assertEqual(len({templates.digest(proposal.variant.source) for proposal in proposals}), EXPERIMENTS)
        for proposal in proposals:
            threads, shared = proposal.variant.structure.uses(proposal.variant.values)
            self.assertTrue(proposal.variant.fits and threads <= THREADS and shared <= SHARED_BYTES, proposal.idea)
        order = list(dict.fromkeys(proposal.variant.structure for proposal in proposals))
        self.assertEqual(order, list(STAIRCASE))
        tried = {proposal.variant for proposal in proposals}
        self.assertIn(EARLY.with_values(EARLY.steps[-1][0]), tried)
        # The search finds values that are better, and combines them.
        self.assertLess(min(map(made_up_time, tried)), made_up_time(EARLY.default) - 0.1)

    def test_a_device_on_which_no_step_pays_is_climbed_where_it_does(self):
        proposals = campaign(lambda variant: 6.2 + 0.1 * STAIRCASE.index(variant.structure), 60)
        self.assertEqual(len({proposal.variant for proposal in proposals}), 60)
        self.assertGreater(sum(proposal.variant.structure is NAIVE for proposal in proposals), 20)

    def test_on_a_plateau_other_structures_are_tried_too(self):
        proposals = campaign(lambda variant: 6 - 0.1 * STAIRCASE.index(variant.structure), 200)
        late = [proposal.variant.structure for proposal in proposals[-60:]]
        others = [structure for structure in late if structure is not EARLY]
        self.assertGreater(len(others), 25)
        self.assertLess(len(others), 35)
        # Not those that are more than twice as slow.
        self.assertGreaterEqual(len(set(others)), 4)
        self.assertNotIn(NAIVE, others)

    def test_the_same_record_gives_the_same_proposal(self):
        self.assertEqual([p.idea for p in campaign(made_up_time, 70)], [p.idea for p in campaign(made_up_time, 70)])

    def test_what_failed_is_not_tried_again_nor_its_like(self):
        proposals = campaign(lambda variant: None if variant.values.get("end") == "words" else made_up_time(variant), 90)
        self.assertLess(sum(proposal.variant.values.get("end") == "words" for proposal in proposals), 5)

    def test_a_refused_proposal_is_passed_over(self):
        trials = [record.Trial("baseline", None, "baseline", 0.0, True)]
        first, second = (search.next_proposal(record.Record(trials, 1, refused), STAIRCASE) for refused in (0, 1))
        self.assertNotEqual(first.variant, second.variant)

    def test_the_incumbents_source_is_not_proposed(self):
        trials = [record.Trial("baseline", None, "baseline", 0.0, True)]
        proposal = search.next_proposal(record.Record(trials, 1, 0), STAIRCASE, NAIVE.default.source)
        self.assertNotEqual(proposal.variant, NAIVE.default)


def started(tag, device="GPU"):
    return {"kind": "run_started", "tag": tag, "device_name": device, "size": "default"}


def commit_of(tag, number):
    return f"{ord(tag):x}{number}".ljust(40, "0")


def experiment(tag, number, key, verdict="not faster", gain=-0.1, commit=None):
    return {
        "kind": "experiment",
        "tag": tag,
        "number": number,
        "description": f"an idea [{key}]",
        "verdict": verdict,
        "status": "keep" if verdict in ("kept", "baseline") else "discard",
        "commit": commit or commit_of(tag, number),
        "incumbent": None if number == 0 else commit_of(tag, 0),
        "gain": None if number == 0 else {"estimate": gain},
    }


class OfALedger(unittest.TestCase):
    def read(self, entries):
        with tempfile.TemporaryDirectory() as root:
            (Path(root) / ".autokernel").mkdir()
            (Path(root) / ".autokernel/ledger.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
            return record.read(root, STRUCTURES)

    def test_times_are_on_the_scale_of_the_baseline(self):
        known = self.read([started("a"), experiment("a", 0, "", "baseline"), experiment("a", 1, "tiles", "kept", 0.5)])
        self.assertEqual(known.number, 2)
        self.assertEqual(known.best.variant.key, "tiles")
        self.assertAlmostEqual(known.best.time, math.log(0.5))

    def test_what_was_interrupted_may_be_tried_again(self):
        known = self.read([started("a"), experiment("a", 0, "", "baseline"), experiment("a", 1, "tiles", "interrupted")])
        self.assertEqual((known.number, known.tried()), (2, set()))

    def test_turns_that_were_refused_since_the_last_experiment_count(self):
        turn = {"kind": "turn", "tag": "a", "outcome": "tried before"}
        known = self.read([started("a"), experiment("a", 0, "", "baseline"), turn, experiment("a", 1, "tiles"), turn, turn])
        self.assertEqual(known.refused, 2)

    def test_a_later_run_knows_what_an_earlier_one_tried_on_such_a_device(self):
        first = [started("a"), experiment("a", 0, "", "baseline"), experiment("a", 1, "tiles", "kept", 0.5)]
        known = self.read([*first, started("b"), experiment("b", 0, "", "baseline", commit=commit_of("a", 1)), experiment("b", 1, "mma")])
        self.assertEqual({variant.key for variant in known.tried()}, {"tiles", "mma"})
        self.assertEqual(known.best.variant.key, "tiles")
        other = self.read([*first, started("b", "another GPU"), experiment("b", 0, "", "baseline", commit=commit_of("a", 1))])
        self.assertEqual(other.tried(), set())


class Program:
    """In place of the program: remembers what it is called with."""

    def __init__(self, folder, entry):
        self.repository = folder
        self.file = folder / "autokernel"
        self.file.write_text("")
        (folder / ".autokernel").mkdir()
        (folder / ".autokernel/ledger.jsonl").write_text(json.dumps(entry) + "\n")
        self.called = []

    def say(self, text):
        pass

    def call(self, words):
        self.called.append(words)
        return 0, ""


class OnTheNextMachine(unittest.TestCase):
    HERE = {"device": "GPU", "driver": "13.0", "driver_release": "580.159.04"}

    def begun(self, before=None, **here):
        """What `autokernel` is called with where a session as `before` was the last one of the run."""
        with tempfile.TemporaryDirectory() as folder:
            program = Program(Path(folder), {**started("tag"), "driver_version": "13.0", "harness": []})
            Runs(program, "tag", "cuda", "default").begin_or_go_on({**self.HERE, **here}, self.HERE if before is None else before)
        return program.called

    def test_the_run_goes_on_where_all_is_as_it_was(self):
        self.assertEqual(self.begun(), [])

    def test_a_new_run_begins_with_another_device_or_driver(self):
        for other in ({"device": "Other"}, {"driver": "13.1"}, {"driver_release": "580.200.01"}):
            with self.subTest(other):
                self.assertEqual(self.begun(**other)[0][:3], ["loop", "start", "tag-2"])

    def test_a_session_that_did_not_say_its_release_had_any(self):
        self.assertEqual(self.begun(before={"device": "GPU"}), [])


class State(unittest.TestCase):
    """A state that somebody made who wants more than a campaign."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.work = self.folder / "work"
        self.work.mkdir()

    def archive(self, *members):
        """Of pairs of a name and its content, or whole members."""
        file = self.folder / "state.tar.gz"
        with tarfile.open(file, "w:gz") as archive:
            for member in [("repository/.git/HEAD", b"ref: refs/heads/main\n"), *members]:
                if isinstance(member, tuple):
                    info = tarfile.TarInfo(member[0])
                    info.size = len(member[1])
                    archive.addfile(info, io.BytesIO(member[1]))
                else:
                    archive.addfile(member)
        return file

    def unpacked(self):
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file() and path.name != "state.tar.gz")

    def test_only_what_a_campaign_writes_is_unpacked(self):
        names = ["../out", "/tmp/campaign-out", "repository/../../out", "home/.config/autokernel/notify.toml", "repository/kernels/case.py"]
        names += [f"repository/.git/{name}" for name in ("hooks/pre-commit", "config.worktree", "info/attributes", "refs/replace/0", "objects/info/alternates")]
        names += ["repository/.autokernel/drive.json", "repository/kernels/kernel.cu/../../../../out", "end/a\nb", "end//x"]
        state.unpack(self.archive(("repository/.git/config", b"[core]\nsshCommand = id\n"), *((name, b"x") for name in names)), self.work)
        self.assertEqual(self.unpacked(), ["work/repository/.git/HEAD", "work/repository/.git/config"])
        self.assertEqual((self.work / "repository/.git/config").read_text(), state.GIT_CONFIG)

    def test_links_and_devices_are_refused_and_nothing_is_left(self):
        for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE):
            member = tarfile.TarInfo("end/link")
            member.type, member.linkname = kind, "/etc"
            with self.subTest(kind), self.assertRaisesRegex(SystemExit, "end/link is neither a file nor a folder"):
                state.unpack(self.archive(member), self.work)
            self.assertEqual(self.unpacked(), [])

    def test_what_is_there_twice_or_too_large_is_refused(self):
        with self.assertRaisesRegex(SystemExit, "File exists"):
            state.unpack(self.archive(("sessions.jsonl", b"a"), ("sessions.jsonl", b"b")), self.work)
        with unittest.mock.patch.object(state, "MOST_BYTES", 1 << 20), self.assertRaisesRegex(SystemExit, "more than"):
            state.unpack(self.archive(("end/zeros", bytes(2 << 20))), self.work)
        self.assertEqual(self.unpacked(), [])

    def test_a_state_that_is_cut_off_anywhere_is_refused(self):
        whole = self.archive(("repository/.autokernel/ledger.jsonl", b"{}\n" * 50)).read_bytes()
        for length in range(len(whole) - 8):  # the last bytes are gzip's own sum
            (self.folder / "state.tar.gz").write_bytes(whole[:length])
            with self.subTest(length), self.assertRaisesRegex(SystemExit, "cannot unpack"):
                state.unpack(self.folder / "state.tar.gz", self.work)
            self.assertEqual(self.unpacked(), [])


class Entries(unittest.TestCase):
    def faults(self, **fields):
        entry = {"kind": "experiment", "tag": "a", "number": 1, "commit": "0" * 40, "verdict": "kept", "status": "keep"}
        return record.fault_of({**entry, **fields})

    def test_a_field_that_names_a_file_or_a_commit_is_checked(self):
        self.assertEqual(self.faults(), "")
        self.assertEqual(self.faults(commit=None, gain={"estimate": 0.1, "low": 0, "high": 0.2}), "")
        for tag in ("../x", "/x", "", "a/b", ".hidden", "x" * 65, None, "a\n"):
            self.assertIn("name", self.faults(tag=tag), tag)
        for number in ("1", -1, 1.5, True, None, 10**6):
            self.assertIn("number", self.faults(number=number), number)
        for commit in ("main", "--output=/x", "0" * 39, "0" * 41, 5):
            self.assertIn("commit", self.faults(commit=commit), commit)
        for gain in ("x", {}, {"estimate": "1", "low": 0, "high": 0}, {"estimate": math.nan, "low": 0, "high": 0}):
            self.assertIn("no number", self.faults(gain=gain), gain)
        self.assertIn("no text", self.faults(description=5))
        self.assertIn("no entry", record.fault_of([]))

    def test_a_line_that_is_no_json_is_left_to_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            ledger = Path(folder) / ".autokernel/ledger.jsonl"
            ledger.parent.mkdir()
            ledger.write_text("[" * 100_000 + "\n{\n" + '{"kind": "run_started", "tag": "a"}\n')
            self.assertEqual([entry["tag"] for entry in record.entries_of(folder)], ["a"])
            ledger.write_text('{"kind": "run_started", "tag": "../a"}\n')
            with self.assertRaisesRegex(SystemExit, "line 1 is of a run with the name '../a'"):
                list(record.entries_of(folder))

    def test_what_was_measured_belongs_to_the_best_of_then(self):
        entries = [{"kind": "experiment", "tag": "a", "number": n, "commit": f"{n}" * 40, "status": "keep"} for n in range(3)]
        self.assertEqual(ends.folder_of(Path("work"), entries[:2], "a"), Path("work/end/a/111111111111"))
        self.assertEqual(ends.folder_of(Path("work"), entries, "a"), Path("work/end/a/222222222222"))


if __name__ == "__main__":
    unittest.main()
