"""The inputs, the same every time, and the labels of those to learn from.

An input is 8 measurements of one thing, each in a unit of its own: some are thousands, some are thousandths. Its label
is 0 or 1, drawn with a probability that depends on the input; hidden/teacher.py has it.
"""

import os
import random

TRAINING = 2000
VALIDATION = 4000
# How large each measurement is, about.
UNITS = (1.0, 0.2, 5.0, 1.0, 0.5, 2.0, 1.0, 3.0)


def drawn(seed, count):
    choice = random.Random(seed)
    return [[choice.gauss(0, unit) for unit in UNITS] for _ in range(count)]


def training_inputs():
    return drawn("to learn from", TRAINING)


def validation_inputs():
    return drawn("to be judged by", VALIDATION)


def training_labels():
    """A character for each input, in a file that hidden/teacher.py has written."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "training_labels.txt")) as file:
        return [int(label) for label in file.read().split()[0]]
