"""Judges the predictions of a run: python3 hidden/check.py predictions.txt

Prints {"loss": ...}: the mean cross-entropy over all inputs to be judged by; a coin has 0.6931. Exit code 1, and one
line, if the file is not what run.py writes.
"""

import json
import math
import os
import sys

import teacher
import data

# Whoever is sure and wrong loses this much, and not infinitely much.
SUREST = 1e-6
# A number of 17 digits, its exponent and a line's end.
LONGEST_PREDICTION = 26


def read(path):
    if os.path.getsize(path) > data.VALIDATION * LONGEST_PREDICTION:
        sys.exit("the predictions are too many")
    with open(path, encoding="ascii", errors="replace") as file:
        lines = file.read().splitlines()
    if len(lines) != data.VALIDATION:
        sys.exit(f"{len(lines)} predictions, expected {data.VALIDATION}")
    predictions = []
    for number, line in enumerate(lines):
        try:
            prediction = float(line)
        except ValueError as error:
            sys.exit(f"prediction {number}: {error}")
        if not 0 <= prediction <= 1:  # nor is it NaN
            sys.exit(f"prediction {number} is {prediction}, which is no probability")
        predictions.append(min(max(prediction, SUREST), 1 - SUREST))
    return predictions


def main():
    predictions = read(sys.argv[1])
    labels = teacher.labels(data.validation_inputs(), "labels to be judged by")
    loss = -sum(math.log(prediction if label else 1 - prediction) for prediction, label in zip(predictions, labels))
    print(json.dumps({"loss": round(loss / len(labels), 6)}))


if __name__ == "__main__":
    main()
