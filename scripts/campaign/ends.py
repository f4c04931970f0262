"""What was measured when the experiments were made: the files that scripts/campaign/run leaves, and the summary reads."""

from record import best_of


def folder_of(work, entries, tag):
    """Of the best that the run has kept: where another one is the best by now, all is measured again."""
    best = best_of(entries, tag)
    if best is None:
        raise SystemExit(f"run {tag} has no baseline yet: there is nothing to measure again")
    return work / "end" / tag / best["commit"][:12]
