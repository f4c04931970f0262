"""The documents and queries, the same every time: a made-up help centre with 600 articles and 300 questions.

Words have the frequencies of a language (Zipf), and each article is about one subject of some products. Articles have
very different lengths, and some repeat a word for its own sake. What is relevant to a question is not written here.
"""

import dataclasses
import random

DOCUMENTS = 600
QUERIES = 300
SUBJECTS = 60
COMMON_WORDS = 300  # they are everywhere
SUBJECT_WORDS = 25  # of each subject
RARE_WORDS = 900  # product names, error codes

SYLLABLES = "ba ce di fo gu ha ki lo mu na pe ri so tu va we xi yo za bre cla dro fle gri plo stu tra".split()


@dataclasses.dataclass(frozen=True)
class Document:
    title: tuple  # words
    body: tuple  # words


def words(choice, count, syllables, known):
    """New words, none of which is in `known`."""
    found = []
    while len(found) < count:
        word = "".join(choice.choice(SYLLABLES) for _ in range(syllables))
        if word not in known:
            known.add(word)
            found.append(word)
    return found


def zipf(choice, of, count):
    """Words of a list: the first is the most frequent, the n-th n times rarer."""
    return choice.choices(of, weights=[1 / (rank + 1) for rank in range(len(of))], k=count)


def corpus():
    """Documents and queries, by their numbers."""
    choice = random.Random(600)  # any number would do, but it must stay the same
    known = set()
    common = words(choice, COMMON_WORDS, 2, known)
    subjects = [words(choice, SUBJECT_WORDS, 3, known) for _ in range(SUBJECTS)]
    rare = words(choice, RARE_WORDS, 4, known)

    documents = []
    about = []
    for _ in range(DOCUMENTS):
        subject, aside = choice.randrange(SUBJECTS), choice.randrange(SUBJECTS)
        names = choice.sample(rare, choice.randint(1, 4))
        length = min(400, max(15, round(choice.lognormvariate(4.2, 0.8))))
        body = []
        while len(body) < length:
            source = choice.random()
            if source < 0.60:
                body += zipf(choice, common, 1)
            elif source < 0.85:
                body += zipf(choice, subjects[subject], 1)
            elif source < 0.93:
                body += zipf(choice, subjects[aside], 1)
            else:
                body.append(choice.choice(names))
        if choice.random() < 0.1:
            body += [choice.choice(subjects[aside])] * choice.randint(5, 15)
        title = zipf(choice, subjects[subject], 2) + zipf(choice, common, 2)
        if choice.random() < 0.5:
            title.append(names[0])
        choice.shuffle(title)
        documents.append(Document(tuple(title), tuple(body)))
        about.append((subject, names))

    queries = []
    for _ in range(QUERIES):
        # Somebody has an article in mind, and words that are everywhere ("how do I").
        subject, names = about[choice.randrange(DOCUMENTS)]
        query = zipf(choice, common, choice.randint(1, 3)) + zipf(choice, subjects[subject], choice.randint(1, 3))
        if choice.random() < 0.4:
            query.append(choice.choice(names))
        choice.shuffle(query)
        queries.append(tuple(dict.fromkeys(query)))
    return documents, queries
