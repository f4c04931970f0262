"""Which variant is tried next. It follows from the record alone; what chance decides has the experiment's number as its seed."""

import itertools
import math
import random
from dataclasses import dataclass

import templates
from model import Model, features_of
from structure import Variant

# A structure is tuned as long as its best is not slower than the best of all by more than this (of the logarithm of times).
WORTH_TUNING = 0.25
# So many tries in a row without an improvement of its own end that, until all structures have had their turn.
GIVE_UP = 3
# Bases of single changes, when all structures have had it.
BASES = 4
# Every third experiment combines two changes, every eighth is a random one.
PAIRS_EACH = 3
RANDOM_EACH = 8
# After so many tries in a row without a gain, every second experiment goes to another structure. Those of the best differ by less
# than can be told, and cost ten times as much: they are measured until that is known.
PLATEAU = 20
# Unless it is more than twice as slow.
WITHIN_REACH = math.log(2)


@dataclass(frozen=True)
class Proposal:
    variant: Variant
    idea: str


def described(variant, base=None, idea=""):
    """One sentence, with the variant's key in brackets, by which it is found in the record."""
    structure = variant.structure
    changes = variant.changes_from(base) if base else []
    one = [f"{name} {variant.values[name]} in place of {base.values[name]} ({structure.parameters[name].about})" for name in changes]
    return Proposal(variant, f"{structure.name}: {idea or ' and '.join(one) or structure.idea} [{variant.key}]")


def best_of(trials):
    timed = [trial for trial in trials if trial.time is not None]
    return min(timed, key=lambda trial: trial.time) if timed else None


class Search:
    def __init__(self, record, staircase, incumbent_source=""):
        self._record = record
        self._staircase = staircase
        self._tried = record.tried()
        self._incumbent = templates.digest(incumbent_source)
        self._random = random.Random(record.number)
        self._model = None

    def proposals(self):
        """Best first; none twice, and none that was tried."""
        seen = set()
        for proposal in self._ordered():
            variant = proposal.variant
            if self._is_new(variant) and variant not in seen and templates.digest(variant.source) != self._incumbent:
                seen.add(variant)
                yield proposal

    def _is_new(self, variant):
        return variant.fits and variant not in self._tried

    def _ordered(self):
        for structure in self._staircase:
            trials = self._record.of(structure)
            if not trials:
                yield described(structure.default)
            for values, idea in structure.steps:
                yield described(structure.with_values(values), idea=idea)
            if self._is_worth_tuning(structure, trials):
                yield from self._single_changes([best_of(trials).variant])
        yield from self._free()
        yield from self._rest()

    def _is_worth_tuning(self, structure, trials):
        """Before the later ones have been tried."""
        best, own = best_of(self._record.trials), best_of(trials)
        if own is None or len(trials) > structure.tries or structure is self._staircase[-1]:
            return False
        later = self._staircase[self._staircase.index(structure) + 1 :]
        since = len(trials) - 1 - trials.index(own)
        return not any(self._record.of(other) for other in later) and since < GIVE_UP and own.time < best.time + WORTH_TUNING

    def _free(self):
        """When every structure has had its turn."""
        number = self._record.number
        bases = self._bases()
        singles, pairs = self._single_changes(bases), self._pairs(bases[:1])
        if number % 2 and self._record.streak >= PLATEAU:
            order = [self._of_others(), singles, pairs]
        elif number % RANDOM_EACH == RANDOM_EACH - 1:
            order = [self._random_walks(bases + self._best_of_each()), pairs, singles]
        elif number % PAIRS_EACH == PAIRS_EACH - 1:
            order = [pairs, singles]
        else:
            order = [singles, pairs]
        for part in order:
            yield from part

    def _of_others(self):
        """Changes of the best of each structure but the best one, of that first which was tried least."""
        others = self._best_of_each(within=WITHIN_REACH)[1:]
        for base in sorted(others, key=lambda base: len(self._record.of(base.structure))):
            yield from self._single_changes([base])
        yield from self._random_walks(others)

    def _rest(self):
        """Where the best structures have nothing left."""
        for base in self._best_of_each(within=math.inf):
            yield from self._single_changes([base])
            yield from self._random_walks([base])

    def _bases(self):
        timed = [trial for trial in self._record.trials if trial.variant and trial.time is not None]
        return [trial.variant for trial in sorted(timed, key=lambda trial: trial.time)[:BASES]]

    def _best_of_each(self, within=WORTH_TUNING):
        bests = [best_of(self._record.of(structure)) for structure in self._staircase]
        bests = sorted((best for best in bests if best), key=lambda best: best.time)
        return [best.variant for best in bests if best.time < bests[0].time + within]

    def _predict(self, variant, boldness):
        self._model = self._model or Model(self._record.trials)
        features = features_of(variant)
        return self._model.time(features) - boldness * self._model.doubt(features)

    def _sorted(self, candidates, boldness):
        """By the time that is hoped for; chance decides between equal ones. `candidates`: {variant: what it differs from}"""
        order = sorted(candidates.items(), key=lambda pair: pair[0].key)
        self._random.shuffle(order)
        return sorted(order, key=lambda pair: round(self._predict(pair[0], boldness), 6))

    def _single_changes(self, bases):
        candidates = {}
        for base in bases:
            for variant in base.neighbours():
                if self._is_new(variant):
                    candidates.setdefault(variant, base)
        yield from (described(variant, base) for variant, base in self._sorted(candidates, boldness=1.0))

    def _pairs(self, bases):
        """Two changes that were each slower may pay together. Also one that only fits with another."""
        candidates = {}
        for base in bases:
            for one in base.neighbours():
                for variant in one.neighbours():
                    if len(variant.changes_from(base)) == 2 and self._is_new(variant):
                        candidates.setdefault(variant, base)
        yield from (described(variant, base) for variant, base in self._sorted(candidates, boldness=0.3))

    def _random_walks(self, bases, most=200):
        for _ in range(most if bases else 0):
            base = self._random.choice(bases)
            variant = base
            for name in self._random.sample(list(base.values), min(self._random.randint(2, 4), len(base.values))):
                variant = variant.changed(**{name: self._random.choice(base.structure.parameters[name].values)})
            yield described(variant, base)


def next_proposal(record, staircase, incumbent_source=""):
    """None if nothing is left. What was refused since the last experiment is passed over."""
    return next(itertools.islice(Search(record, staircase, incumbent_source).proposals(), record.refused, None), None)
