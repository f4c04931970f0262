"""A network with one hidden layer, and how it learns."""

import math
import random

HIDDEN = 24
RATE = 0.1


class Model:
    def __init__(self, inputs):
        choice = random.Random(1)
        self.first = [[choice.uniform(-1, 1) for _ in range(inputs)] for _ in range(HIDDEN)]
        self.first_bias = [0.0] * HIDDEN
        self.second = [choice.uniform(-1, 1) for _ in range(HIDDEN)]
        self.second_bias = 0.0

    def hidden(self, measured):
        return [math.tanh(bias + sum(weight * value for weight, value in zip(row, measured)))
                for row, bias in zip(self.first, self.first_bias)]

    def output(self, hidden):
        total = self.second_bias + sum(weight * value for weight, value in zip(self.second, hidden))
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, total))))

    def train_step(self, inputs, labels, progress):
        """One step of plain gradient descent. `progress` goes from 0 to 1."""
        rate = RATE / len(inputs)
        for measured, label in zip(inputs, labels):
            hidden = self.hidden(measured)
            error = self.output(hidden) - label
            for unit, value in enumerate(hidden):
                slope = error * self.second[unit] * (1 - value * value)
                self.second[unit] -= rate * error * value
                self.first_bias[unit] -= rate * slope
                row = self.first[unit]
                for i, measurement in enumerate(measured):
                    row[i] -= rate * slope * measurement
            self.second_bias -= rate * error

    def predict(self, measured):
        """The probability that the label is 1."""
        return self.output(self.hidden(measured))
