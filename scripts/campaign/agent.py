#!/usr/bin/env python3
"""A coding agent that is a program, for `autokernel loop run --agent 'python3 -B .../agent.py'`, on the case of kernels/.

Each call makes one edit: a structure of the library, or other values of its parameters. What was tried is in the run's ledger.
"""

import os
import sys
from pathlib import Path

import record
import search
import staircase


def main():
    kernel = Path(os.environ["AUTOKERNEL_KERNEL"])
    known = record.read(os.environ["AUTOKERNEL_ROOT"], staircase.STRUCTURES)
    proposal = search.next_proposal(known, staircase.STAIRCASE, kernel.read_text())
    if proposal is None:
        sys.exit("agent.py: no variant is left")
    # The edit comes last and at once: an agent may be killed at any moment, and an edit without its idea is not found again.
    idea_file = Path(os.environ["AUTOKERNEL_IDEA_FILE"])
    idea_file.write_text(proposal.idea + "\n")
    edit = idea_file.with_name("edit.cu")
    edit.write_text(proposal.variant.source)
    edit.replace(kernel)
    print(proposal.idea)


main()
