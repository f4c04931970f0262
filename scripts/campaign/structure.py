"""A structure is a way to build the kernel, with parameters. A variant is a structure with a value for each of them."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Callable

import templates

# Of a block, on sm_90: what it may have of its own, beside the kilobyte that is reserved.
SHARED_BYTES = 227 * 1024
THREADS = 1024


@dataclass(frozen=True)
class Parameter:
    """`values` has the default first. `about` ends a sentence that begins with name and value."""

    values: tuple
    about: str


@dataclass(frozen=True, eq=False)
class Structure:
    """`uses` gives the threads and the bytes of shared memory of a block. `allowed` says which values go together, so that no
    two variants are one kernel. `derived` has what else a template needs to know. `tries` of its variants are worth a try
    before the next structure has been tried. `steps` are known to be good: values and the idea, in the order of their trial."""

    name: str
    file: str
    idea: str
    parameters: dict
    uses: Callable
    tries: int
    allowed: Callable = lambda p: True
    derived: Callable = lambda p: {}
    steps: tuple = ()

    @property
    def default(self):
        return Variant(self, {name: parameter.values[0] for name, parameter in self.parameters.items()})

    def with_values(self, values):
        return Variant(self, {**self.default.values, **values})


@dataclass(frozen=True, eq=False)
class Variant:
    structure: Structure
    values: dict

    @cached_property
    def key(self):
        """As the record has it: the structure, and each value that is not its parameter's default."""
        default = self.structure.default.values
        return " ".join([self.structure.name, *(f"{name}={value}" for name, value in self.values.items() if value != default[name])])

    @cached_property
    def fits(self):
        threads, shared = self.structure.uses(self.values)
        return threads <= THREADS and shared <= SHARED_BYTES and bool(self.structure.allowed(self.values))

    @cached_property
    def source(self):
        text = templates.kernel(self.structure.file, {**self.values, **self.structure.derived(self.values)})
        return f"// {self.key}\n{text}"

    def __eq__(self, other):
        return self.key == other.key

    def __hash__(self):
        return hash(self.key)

    def changed(self, **values):
        return Variant(self.structure, {**self.values, **values})

    def changes_from(self, other):
        """The names of the values that differ."""
        return [name for name, value in self.values.items() if other.values[name] != value]

    def neighbours(self):
        """All that differ in one value, whether they fit or not."""
        for name, parameter in self.structure.parameters.items():
            for value in parameter.values:
                if value != self.values[name]:
                    yield self.changed(**{name: value})


def parsed(key, structures):
    """The variant with that key; None if there is no such, as of an earlier library."""
    words = key.split()
    structure = structures.get(words[0]) if words else None
    if structure is None:
        return None
    values = {}
    for word in words[1:]:
        found = re.fullmatch(r"(\w+)=(\S+)", word)
        parameter = found and structure.parameters.get(found[1])
        value = parameter and next((value for value in parameter.values if str(value) == found[2]), None)
        if value is None:
            return None
        values[found[1]] = value
    return structure.with_values(values)
