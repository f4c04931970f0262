"""How well a document answers a query."""


class Ranker:
    def __init__(self, documents):
        """May look at all documents before the first query."""

    def score(self, query, document):
        """A number, larger for a better answer. A query is some words; a document has words in `title` and `body`."""
        body = document.body + document.title
        return float(sum(body.count(word) for word in query))
