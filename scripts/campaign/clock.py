"""How much of the time that a machine is there is left."""

import time

# What is kept back for writing the state.
RESERVE = 10


class Clock:
    def __init__(self, budget):
        self._end = time.monotonic() + budget - RESERVE

    def left(self):
        return self._end - time.monotonic()
