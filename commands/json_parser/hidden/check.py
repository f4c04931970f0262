"""Judges the answers of a run: python3 hidden/check.py out.bin

Makes the texts of the run again, from AUTOKERNEL_SEED, reads each with Python's json module, and compares all 10,000
canonical forms (src/worker.cpp says what they are). Exit code 1, and one line, if one of them differs.
"""

import json
import os
import struct
import sys

# Behind the standard library, so that no file of the case can stand in for a module of it.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import fixtures

DEEPEST = 512
# Two frames a level, and some more, so that what is too deep by little is still counted.
sys.setrecursionlimit(4 * DEEPEST)
# Characters of a text or an answer that a message shows.
SHOWN = 60


class Invalid(Exception):
    """What the json module reads, but this case refuses."""


def refuse(constant):
    raise Invalid(constant)  # NaN, Infinity


def canonical(value, depth=0):
    if value is None:
        return b"n"
    if value is True:
        return b"t"
    if value is False:
        return b"f"
    if isinstance(value, float):
        if value in (float("inf"), float("-inf")):
            raise Invalid("beyond the largest double")
        return b"#" + struct.pack(">d", value).hex().encode()
    if isinstance(value, str):
        text = value.encode()  # fails for a surrogate
        return b"%d:" % len(text) + text
    if depth == DEEPEST:
        raise Invalid("too deep")
    if isinstance(value, list):
        return b"[" + b"".join([canonical(item, depth + 1) for item in value]) + b"]"
    # Characters in the order of their codes are in the order of their UTF-8.
    members = [canonical(name) + canonical(value[name], depth + 1) for name in sorted(value)]
    return b"{" + b"".join(members) + b"}"


def expected(text):
    try:
        # All numbers are doubles: -0 would otherwise be the whole number 0, which has no sign.
        return canonical(json.loads(text.decode(), parse_int=float, parse_constant=refuse))
    except (ValueError, RecursionError, Invalid):
        return b"!"


def answers(file):
    """Each answer of the file, or None where it is cut off."""
    at = 0
    while True:
        length = struct.unpack_from("<I", file, at)[0] if at + 4 <= len(file) else len(file)
        at += 4
        yield file[at:at + length] if at + length <= len(file) else None
        at += length


def shown(text, first=0):
    """What is around the place `first`, on one line."""
    start = max(0, first - SHOWN // 2)
    middle = repr(text[start:start + SHOWN])[1:]
    return ("..." if start else "") + middle + ("..." if start + SHOWN < len(text) else "")


def main():
    texts = fixtures.texts_of(int(os.environ["AUTOKERNEL_SEED"], 16))
    with open(sys.argv[1], "rb") as opened:
        file = opened.read()
    wrong = []
    total = 0
    for number, (text, answer) in enumerate(zip(texts, answers(file))):
        right = expected(text)
        total += 4 + len(right)
        if answer is None:
            sys.exit(f"the answers end at fixture {number} of {len(texts)}")
        if answer != right:
            wrong.append((number, text, right, answer))
    if wrong:
        number, text, right, answer = wrong[0]
        first = len(os.path.commonprefix([right, answer]))
        sys.exit(f"{len(wrong)} of {len(texts)} fixtures are wrong; fixture {number}, {shown(text)}: "
                 f"expected {shown(right, first)}, got {shown(answer, first)}")
    if total != len(file):
        sys.exit(f"{len(file) - total} bytes follow the last answer")


if __name__ == "__main__":
    main()
