"""Watches how tensors are made, to tell from which distribution their values are drawn."""

import math
import operator
from dataclasses import dataclass, replace

import torch
from torch.utils._python_dispatch import TorchDispatchMode

ROOT3 = math.sqrt(3.0)


@dataclass(frozen=True)
class Origin:
    """kind: uniform, normal, integers (both ends included), constant, empty (never written), or
    made (of other values, or in a way not known here). A normal one has its mean as low and its
    standard deviation as high."""

    kind: str
    low: float = 0.0
    high: float = 0.0
    draws: frozenset = frozenset()  # the random draws that it depends on
    notes: tuple = ()

    def noted(self, note):
        return self if note in self.notes else replace(self, notes=self.notes + (note,))

    @property
    def range(self):
        """Uniform values of this range have the mean and deviation of a normal distribution."""
        if self.kind == "normal":
            return self.low - ROOT3 * self.high, self.low + ROOT3 * self.high
        return self.low, self.high

    def known(self):
        return self.kind in ("uniform", "normal", "integers", "constant")


def constant(value):
    return Origin("constant", float(value), float(value))


def made(how, parts=()):
    """The first reason is given only: what is computed from such a tensor is made too."""
    earlier = [part for part in parts if part.kind == "made"]
    return Origin("made", draws=drawn(parts), notes=all_notes(earlier) or (how,))


def drawn(parts):
    return frozenset().union(*(part.draws for part in parts))


def all_notes(parts):
    return tuple(dict.fromkeys(note for part in parts for note in part.notes))


def merged(parts):
    """Of a tensor whose parts are made differently."""
    parts = [part for part in parts if part.kind != "empty"] or list(parts)
    first = parts[0]
    draws, notes = drawn(parts), all_notes(parts)
    if all((part.kind, part.low, part.high) == (first.kind, first.low, first.high)
           for part in parts):
        return replace(first, draws=draws, notes=notes)
    if not all(part.known() for part in parts):
        return made("parts of it are made differently", parts)
    random = [part for part in parts if part.kind != "constant"]
    if not random:
        return made("it has several constants")
    if len(random) < len(parts):
        result = merged(random)
        return replace(result, notes=all_notes([result, *parts])).noted(
            "constant parts are drawn like the others")
    ranges = [part.range for part in parts]
    kind = "integers" if all(part.kind == "integers" for part in parts) else "uniform"
    return Origin(kind, min(low for low, _ in ranges), max(high for _, high in ranges), draws,
                  notes).noted("parts that are drawn differently are taken as one range")


def combined(function, first, second):
    """Of the sum, difference, product or quotient of two."""
    parts = (first, second)
    draws, notes = drawn(parts), all_notes(parts)
    if not (first.known() and second.known()):
        return made("it is computed from values with a structure", parts)
    if first.draws & second.draws:
        return made("the same random values enter it twice", parts)
    try:
        corners = [function(x, y) for x in first.range for y in second.range]
    except (ZeroDivisionError, OverflowError):
        return made("it is a quotient", parts)
    if function is operator.truediv and second.range[0] < 0 < second.range[1]:
        return made("it is a quotient", parts)
    low, high = min(corners), max(corners)
    if "constant" not in (first.kind, second.kind):
        notes += ("two random values combined are taken as uniform over their range",)
    kinds = {first.kind, second.kind}
    if kinds == {"constant"}:
        return replace(constant(low), notes=notes)
    linear = function in LINEAR or function is operator.truediv and second.kind == "constant"
    if kinds == {"normal", "constant"} and linear:
        return Origin("normal", (low + high) / 2, (high - low) / (2 * ROOT3), draws, notes)
    if kinds <= {"integers", "constant"} and low == int(low) and high == int(high):
        if "constant" in kinds and high - low != max(p.high - p.low for p in parts):
            notes += ("numbers between its integers are drawn too",)
        return Origin("integers", low, high, draws, notes)
    return Origin("uniform", low, high, draws, notes)


def mapped(function, origin):
    """Of a monotone function of each value."""
    if not origin.known():
        return made("it is computed from values with a structure", [origin])
    try:
        low, high = sorted(map(function, origin.range))
    except (ValueError, OverflowError, ZeroDivisionError):
        return made("it is a function of random values", [origin])
    if origin.kind == "constant":
        return constant(low)
    whole = origin.kind == "integers" and low == int(low) and high == int(high)
    return Origin("integers" if whole else "uniform", low, high, origin.draws, origin.notes).noted(
        "a function of random values is taken as uniform over its range")


def absolute(origin):
    if origin.known() and origin.range[0] < 0 < origin.range[1]:
        origin = replace(origin, kind="integers" if origin.kind == "integers" else "uniform",
                         low=0.0, high=max(map(abs, origin.range)))
    return mapped(abs, origin)


def clamped(origin, low, high):
    low, high = (-math.inf if low is None else low), (math.inf if high is None else high)
    if origin.kind == "normal" and low <= origin.low - 2 * origin.high \
            and origin.low + 2 * origin.high <= high:
        return origin.noted("a cut of the distribution's tails is left away")
    if low <= origin.range[0] and origin.range[1] <= high:
        return origin
    return mapped(lambda value: min(max(value, low), high), origin)


def inverse_error(origin):
    """The way to a normal distribution from a uniform one."""
    if origin.kind == "uniform" and -1 <= origin.low < 0 < origin.high <= 1:
        return replace(origin, kind="normal", low=0.0, high=math.sqrt(0.5))
    return made("it is a function of random values", [origin])


def cast(origin, dtype):
    if dtype is None or not origin.known():
        return origin
    if dtype == torch.bool:
        return replace(origin, kind="integers", low=0, high=1)
    if not dtype.is_floating_point and origin.kind in ("uniform", "normal"):
        low, high = origin.range
        return replace(origin, kind="integers", low=math.trunc(low),
                       high=max(math.trunc(low), math.ceil(high) - 1))
    return origin


def sigmoid(value):
    return 1 / (1 + math.exp(-value))


def reversed_difference(first, second):
    return second - first


LINEAR = (operator.add, operator.sub, operator.mul, reversed_difference)
BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "rsub": reversed_difference, "maximum": max, "minimum": min,
}
MONOTONE = {
    "exp": math.exp, "log": math.log, "sqrt": math.sqrt, "tanh": math.tanh,
    "sigmoid": sigmoid, "relu": lambda value: max(value, 0.0), "floor": math.floor,
    "ceil": math.ceil, "round": round,
}
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
COPIES = ("clone", "_to_copy", "copy", "lift_fresh", "_unsafe_view", "reshape", "_reshape_alias",
          "contiguous", "flip", "roll", "lift_fresh_copy", "lift")
PICKS = ("index", "index_select", "gather", "take", "repeat", "repeat_interleave")
CONSTANTS = {"zeros": 0, "zero": 0, "new_zeros": 0, "ones": 1, "new_ones": 1}
# What these write does not depend on what was there.
OVERWRITING = ("copy", "fill", "zero", "uniform", "normal", "random", "bernoulli", "exponential")


def storage_of(tensor):
    try:
        return tensor.untyped_storage()
    except NotImplementedError:  # a sparse tensor has none
        return None


def key_of(tensor):
    storage = storage_of(tensor)
    return None if storage is None else storage._cdata


def tensors_in(values):
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


def elements_stored(tensor):
    storage = storage_of(tensor)
    return tensor.numel() if storage is None else storage.nbytes() // tensor.element_size()


UNSEEN = (None, made("its values are written in the file"))


class Origins(TorchDispatchMode):
    """Records, for each memory that a tensor has: its origin, whether it is read, and how many
    elements are written. Views share a memory, and so all that is recorded."""

    def __init__(self):
        super().__init__()
        self.kept = {}       # (storage, origin): the storage must stay alive for its key
        self.draws = 0
        self.start_use()

    def start_use(self):
        """What was made until now is what is given; from now on accesses count."""
        self.given, self.given_draws = dict(self.kept), self.draws
        self.read, self.written = set(), {}

    def __torch_dispatch__(self, function, classes, args=(), kwargs=None):
        kwargs = kwargs or {}
        schema = function._schema
        named = {argument.name: argument.default_value for argument in schema.arguments}
        named.update(zip(named, args))
        named.update(kwargs)
        targets = [named[argument.name] for argument in schema.arguments
                   if argument.alias_info is not None and argument.alias_info.is_write]
        targets = list(tensors_in(targets))
        name = schema.name.split("::")[-1].rstrip("_")
        origin = self.origin(name, named, torch.Tag.nondeterministic_seeded in function.tags)
        result = function(*args, **kwargs)
        self.record(targets, result, origin)
        self.count(name, named, targets, result)
        return result

    def of(self, value):
        if isinstance(value, torch.Tensor):
            return self.kept.get(key_of(value), UNSEEN)[1]
        if isinstance(value, (bool, int, float)) and math.isfinite(value):
            return constant(value)
        return made("it is not finite")

    def given_origin(self, tensor):
        """The origin of a tensor as it was before its use."""
        return self.given.get(key_of(tensor), UNSEEN)[1]

    def is_random(self, tensor):
        """Whether values drawn during the use enter it."""
        return any(draw > self.given_draws for draw in self.of(tensor).draws)

    def record(self, targets, result, origin):
        for tensor in targets:
            whole = tensor.numel() >= elements_stored(tensor)
            self.keep(tensor, origin if whole else merged([self.of(tensor), origin]))
        if not targets:
            for tensor in tensors_in([result]):
                if key_of(tensor) not in self.kept:
                    self.keep(tensor, origin)

    def keep(self, tensor, origin):
        key = key_of(tensor)
        if key is not None:
            self.kept[key] = (storage_of(tensor), origin)

    def count(self, name, named, targets, result):
        written = {key_of(tensor) for tensor in targets}
        views = {key_of(tensor) for tensor in tensors_in([result])}
        shape_only = name.startswith("new_") or name.endswith("_like")
        if not shape_only:
            for tensor in tensors_in(named.values()):
                key = key_of(tensor)
                overwritten = key in written and name in OVERWRITING
                if not overwritten and (key in written or key not in views) \
                        and self.written.get(key, 0) < elements_stored(tensor):
                    self.read.add(key)
        for tensor in targets:
            count = tensor.numel() if name in OVERWRITING else 0
            self.written[key_of(tensor)] = self.written.get(key_of(tensor), 0) + count

    def draw(self, kind, low, high, note=None):
        self.draws += 1
        origin = Origin(kind, low, high, frozenset([self.draws]))
        return origin.noted(note) if note else origin

    def origin(self, name, named, random):
        """Of what an operation writes; random is whether it may draw values."""
        if name.startswith(("empty", "new_empty")):
            return Origin("empty")
        if name.endswith("_like"):
            name = name[:-len("_like")]
        drawn_now = self.random_origin(name, named)
        if drawn_now is not None:
            return drawn_now
        if random and named.get("dropout_p") != 0.0 and named.get("training") is not False:
            return replace(self.draw("made", 0, 0), notes=(name + " draws it",))
        if name in CONSTANTS:
            return constant(CONSTANTS[name])
        if name in ("full", "new_full", "fill", "scalar_tensor"):
            value = named.get("fill_value", named.get("value", named.get("s")))
            return self.of(value)
        if name in COPIES:
            return cast(self.of(named.get("src", named.get("self"))), self.target_type(named))
        if name in PICKS:
            return self.of(named["self"]).noted("values that occur several times are drawn afresh")
        if name in ("cat", "stack"):
            return merged([self.of(tensor) for tensor in named["tensors"]])
        if name == "index_put" and not named["accumulate"]:
            return merged([self.of(named["self"]), self.of(named["values"])])
        return self.computed(name, named)

    def target_type(self, named):
        """The dtype that a copy converts to."""
        if isinstance(named.get("src"), torch.Tensor):
            return named["self"].dtype
        return named.get("dtype")

    def random_origin(self, name, named):
        if name == "rand":
            return self.draw("uniform", 0.0, 1.0)
        if name == "randn":
            return self.draw("normal", 0.0, 1.0)
        if name == "uniform":
            return self.draw("uniform", named["from"], named["to"])
        if name == "normal" and all(isinstance(named[part], float) for part in ("mean", "std")):
            return self.draw("normal", named["mean"], named["std"])
        if name == "randint":
            return self.draw("integers", named.get("low") or 0, named["high"] - 1)
        if name == "random" and named.get("to") is not None:
            return self.draw("integers", named.get("from") or 0, named["to"] - 1)
        if name == "bernoulli":
            return self.draw("integers", 0, 1, "zeros and ones are taken as equally frequent")
        if name == "exponential":
            return self.draw("uniform", 0.0, 2.0 / named["lambd"],
                             "an exponential distribution is taken as uniform of the same mean")
        if name == "cauchy":
            return self.draw("normal", named["median"], named["sigma"],
                             "a Cauchy distribution is taken as normal, without its long tails")
        return None

    def computed(self, name, named):
        own = self.of(named.get("self"))
        if name in BINARY:
            other = self.of(named["other"])
            if named.get("alpha", 1) != 1:
                other = combined(operator.mul, other, constant(named["alpha"]))
            return combined(BINARY[name], own, other)
        if name == "neg":
            return combined(operator.mul, own, constant(-1))
        if name in MONOTONE:
            return mapped(MONOTONE[name], own)
        if name == "abs":
            return absolute(own)
        if name == "erfinv":
            return inverse_error(own)
        if name in ("clamp", "clamp_min", "clamp_max") and own.known() \
                and not isinstance(named.get("min", named.get("max")), torch.Tensor):
            return clamped(own, named.get("min"), named.get("max"))
        if name in ("_softmax", "_safe_softmax") and own.known():
            size = named["self"].shape[named["dim"]] if named["self"].dim() else 1
            return Origin("uniform", 0.5 / size, 1.5 / size, own.draws).noted(
                "a softmax of %d values is taken as uniform around 1/%d: sums are near one only"
                % (size, size))
        if name in COMPARISONS and own.known() and self.of(named["other"]).known() \
                and own.kind != "constant":
            return Origin("integers", 0, 1, own.draws).noted(
                "a comparison is taken as zeros and ones, equally frequent")
        parts = [self.of(tensor) for tensor in tensors_in(named.values())]
        return made(name + " makes it", parts)
