"""What was measured when the experiments were made: the files that scripts/campaign/run leaves, and the summary reads."""

from record import best_of


def folder_of(work, entries, tag):
    """Of the best that the run has kept: where another one is the best by now, all is measured again."""
    return work / "end" / tag / best_of(entries, tag)["commit"][:12]
