"""What is to be learned: how probable label 1 is for an input. No candidate sees this file.

    python3 hidden/teacher.py training_labels.txt      writes the labels to learn from
"""

import math
import os
import random
import sys

# Behind the standard library and hidden/, so that no file of the case can stand in for another module.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import data


def probability(measured):
    a, b, c, d, e, f, g, h = (value / unit for value, unit in zip(measured, data.UNITS))
    # Something straight, a product, and a curve; h says nothing.
    return 1 / (1 + math.exp(-(2 * a - 1.5 * b + 2 * c * d + 2 * math.sin(2 * e) + f * f - 1 + g)))


def labels(inputs, seed):
    choice = random.Random(seed)
    return [int(choice.random() < probability(measured)) for measured in inputs]


def main():
    with open(sys.argv[1], "w") as file:
        print(*labels(data.training_inputs(), "labels to learn from"), sep="", file=file)


if __name__ == "__main__":
    main()
