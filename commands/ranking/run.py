"""Scores every document for every query by rank.py: python3 run.py scores.txt

Writes a line for each query: the scores of all documents, in their order. It knows nothing of what is relevant, so it
has nothing to guard.
"""

import sys

import corpus
import rank


def main():
    documents, queries = corpus.corpus()
    ranker = rank.Ranker(documents)
    with open(sys.argv[1], "w") as file:
        for query in queries:
            print(*[repr(float(ranker.score(query, document))) for document in documents], file=file)


if __name__ == "__main__":
    main()
