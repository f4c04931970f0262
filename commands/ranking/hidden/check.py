"""Judges the scores of a run: python3 hidden/check.py scores.txt

Prints {"ndcg": ...}: the mean NDCG@10 over all queries. 1 is the best order there is. Exit code 1, and one line, if
the file is not what run.py writes.
"""

import json
import math
import os
import sys

import judge

# Behind the standard library and hidden/, so that no file of the case can stand in for another module.
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import corpus

TOP = 10
# A score of 17 digits, its exponent and a blank.
LONGEST_SCORE = 26


def read(path, queries, documents):
    if os.path.getsize(path) > queries * documents * LONGEST_SCORE:
        sys.exit("the scores are too many")
    with open(path, encoding="ascii", errors="replace") as file:
        lines = file.read().splitlines()
    if len(lines) != queries:
        sys.exit(f"{len(lines)} lines of scores, expected {queries}")
    table = []
    for query, line in enumerate(lines):
        try:
            scores = [float(score) for score in line.split(" ")]
        except ValueError as error:
            sys.exit(f"query {query}: {error}")
        if len(scores) != documents:
            sys.exit(f"query {query}: {len(scores)} scores, expected {documents}")
        for document, score in enumerate(scores):
            if not math.isfinite(score):
                sys.exit(f"query {query}, document {document}: the score is {score}")
        table.append(scores)
    return table


def gain(grades):
    return sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(grades[:TOP]))


def main():
    documents, queries = corpus.corpus()
    table = read(sys.argv[1], len(queries), len(documents))
    ratios = []
    for query, scores, grades in zip(queries, table, judge.grades(documents, queries)):
        # Equal scores leave their documents in an order that is no better than chance.
        order = sorted(range(len(documents)), key=lambda document: (-scores[document], document))
        ratios.append(gain([grades[document] for document in order]) / gain(sorted(grades, reverse=True)))
    print(json.dumps({"ndcg": round(sum(ratios) / len(ratios), 6)}))


if __name__ == "__main__":
    main()
