"""What the trials so far say of a variant that was not tried: the logarithm of its time is taken as a sum, of one term for the
structure and one for each value that is not a default (ridge regression)."""

import math

# How much the terms are drawn towards nothing, and what a trial without a time counts as: a quarter slower than the slowest.
RIDGE = 0.5
FAILED = 0.25


def features_of(variant):
    default = variant.structure.default.values
    return [variant.structure.name, *(f"{variant.structure.name} {name}={value}" for name, value in variant.values.items() if value != default[name])]


def inverse(matrix):
    """Of a positive definite matrix, by Gauss and Jordan."""
    n = len(matrix)
    rows = [list(row) + [float(i == j) for j in range(n)] for i, row in enumerate(matrix)]
    for i in range(n):
        pivot = rows[i][i]
        rows[i] = [value / pivot for value in rows[i]]
        for j in range(n):
            factor = rows[j][i]
            if j != i and factor:
                rows[j] = [value - factor * other for value, other in zip(rows[j], rows[i])]
    return [row[n:] for row in rows]


class Model:
    def __init__(self, trials):
        trials = [trial for trial in trials if trial.variant]
        slowest = max((trial.time for trial in trials if trial.time is not None), default=0.0)
        points = [(features_of(trial.variant), slowest + FAILED if trial.time is None else trial.time) for trial in trials]
        self._mean = sum(time for _, time in points) / len(points) if points else 0.0
        self._index = {}
        for features, _ in points:
            for feature in features:
                self._index.setdefault(feature, len(self._index))
        n = len(self._index)
        matrix = [[RIDGE * (i == j) for j in range(n)] for i in range(n)]
        right = [0.0] * n
        for features, time in points:
            places = [self._index[feature] for feature in features]
            for i in places:
                right[i] += time - self._mean
                for j in places:
                    matrix[i][j] += 1
        self._inverse = inverse(matrix)
        self._terms = [sum(value * other for value, other in zip(row, right)) for row in self._inverse]
        errors = [time - self.time(features) for features, time in points]
        self._error = math.sqrt(sum(error * error for error in errors) / len(errors)) if errors else 1.0

    def time(self, features):
        return self._mean + sum(self._terms[self._index[feature]] for feature in features if feature in self._index)

    def doubt(self, features):
        """The standard deviation of that time, as far as it comes from what was not tried often."""
        known = [self._index[feature] for feature in features if feature in self._index]
        variance = sum(self._inverse[i][j] for i in known for j in known)
        return self._error * math.sqrt(variance + (len(features) - len(known)) / RIDGE)
