"""What is relevant: the grades that a person would have given, from 0 to 3. No candidate sees this file.

The person looks for the words of the query that say something, prefers them in the title, is not impressed by
repetition, tires of long articles, likes all words to be there, and is not always of one mind.
"""

import collections
import math
import random

# The first few answers that are best get 3, the next 2, the next 1.
PLACES = ((3, 3), (8, 2), (20, 1))
# A person's whim, against about 5 for a rare word that is found.
WHIM = 1.0
TITLE = 0.9
# Words of a body after which another mention adds little.
ENOUGH = 1.5


def grades(documents, queries):
    """A grade for each document, for each query in turn."""
    choice = random.Random("what is relevant")
    bodies = [collections.Counter(document.body) for document in documents]
    titles = [frozenset(document.title) for document in documents]
    holders = collections.Counter(word for body, title in zip(bodies, titles) for word in set(body) | title)
    mean = sum(len(document.body) for document in documents) / len(documents)
    for query in queries:
        worth = {word: math.log(len(documents) / holders[word]) ** 1.2 if holders[word] else 0 for word in query}
        answers = []
        for number, (document, body, title) in enumerate(zip(documents, bodies, titles)):
            length = math.sqrt(len(document.body) / mean)
            use = 0.0
            found = 0
            for word in query:
                mentions = body[word] / length
                use += worth[word] * (mentions / (mentions + ENOUGH) + TITLE * (word in title))
                found += body[word] > 0 or word in title
            use *= 0.6 + 0.4 * found / len(query)
            answers.append((use + choice.gauss(0, WHIM), number))
        answers.sort(reverse=True)
        given = [0] * len(documents)
        for place, (use, number) in enumerate(answers[:PLACES[-1][0]]):
            if use > 0:
                given[number] = next(grade for last, grade in PLACES if place < last)
        yield given
