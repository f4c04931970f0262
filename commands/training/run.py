"""Trains train.py's model, for so many steps and no more, and asks it: python3 run.py predictions.txt

Writes a line for each input to be judged by: the probability that its label is 1. It has none of those labels, so it
has nothing to guard.
"""

import random
import sys

import data
import train

STEPS = 300
BATCH = 64


def main():
    inputs = data.training_inputs()
    labels = data.training_labels()
    model = train.Model(len(data.UNITS))
    choice = random.Random("batches")
    for step in range(STEPS):
        batch = [choice.randrange(len(inputs)) for _ in range(BATCH)]
        model.train_step([inputs[i] for i in batch], [labels[i] for i in batch], step / STEPS)
    with open(sys.argv[1], "w") as file:
        for measured in data.validation_inputs():
            print(repr(float(model.predict(measured))), file=file)


if __name__ == "__main__":
    main()
