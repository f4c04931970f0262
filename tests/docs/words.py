"""How documents and --help read: the length of lines, pages and sentences, phrases to avoid; and an index that lists every page."""

import re

from checks import complaint
from markdown import SPAN

# A line has fewer characters. Tables and code have as many as they need, and the target of a link does not count.
WIDEST = 120
README_LINES = 150
# On a page, in the mean. docs/style.md wants fewer than 25 words in each.
WORDS_PER_SENTENCE = 18

INDEX = "docs/README.md"
# Pages that belong to files beside them, and are found from there.
NOT_IN_THE_INDEX = ("README.md", INDEX, "tests/")

# In sentences and tables, not in code. Left: what is matched; right: what to write.
PHRASES = {
    r"\bmend(s|ed|ing)?\b": "fix",
    r"\basked for\b": "required, requested",
    r"\b(tell|tells|told) (\w+ ){0,3}from nothing\b": "detectable gain, detect",
    r"\bgain (this|the|a) machine can tell\b": "detectable gain",
    r"\bleast gain\b": "minimum gain",
    r"\bopponents?\b": "incumbent",
    r"\bbest of then\b": "incumbent",
    r"\bat most so (many|much)\b": "at most N",
    r"\bmost time for\b": "deadline for",
    r"\bof that run\b": "of the run",
    r"\bhere come first\b": "take precedence, override",
    r"\bis again as in\b": "was put back to",
    r"\bis no one\b": "is not one",
    r"\bwithout a word\b": "silently",
    r"\bborne? out\b|\bbear(s)? (it|them) out\b": "confirmed",
    r"\bby turns\b": "in turn",
    r"\banew\b": "again",
    r"\bwho(so)?ever\b": "a noun",
    r"\bno matter of\b": "not a matter of",
    r"\bis no mistake of\b|\bno fault of\b": "is not at fault",
    r"\bnothing of (this|it)\b": "none of this",
    r"\bbring(s)? (about|along)\b": "cause, include",
}


def visible(line):
    """The line without its links' targets."""
    return re.sub(r"\]\([^)]*\)", "]", line)


def long_lines(documents):
    for document in documents:
        for number, line in document.prose:
            if not line.lstrip().startswith("|") and len(visible(line)) >= WIDEST:
                yield complaint(document, number, f"{len(visible(line))} characters; a line has fewer than {WIDEST}")


def long_readme(document):
    lines = document.prose[-1][0] - (not document.prose[-1][1])
    if lines > README_LINES:
        yield complaint(document, README_LINES + 1, f"it has {lines} lines; at most {README_LINES}: move some of it below docs/")


def pages_in_no_index(documents):
    """Every page is linked from the index. `documents` by their names."""
    index = documents[INDEX]
    listed = {target.partition("#")[0] for _, target in index.links()}
    for name in documents:
        if not name.startswith(NOT_IN_THE_INDEX) and from_index(name) not in listed:
            yield complaint(index, 1, f"it does not list {name}")


def from_index(name):
    return name.removeprefix("docs/") if name.startswith("docs/") else f"../{name}"


def on_one_line(paragraph):
    """With its code blanked out, and as many characters as before."""
    return SPAN.sub(lambda span: "`" * len(span.group(0)), paragraph).replace("\n", " ")


def phrases_to_avoid(documents):
    for document in documents:
        for first, paragraph in document.paragraphs():
            for phrase, better in PHRASES.items():
                for found in re.finditer(phrase, on_one_line(paragraph), re.IGNORECASE):
                    line = first + paragraph.count("\n", 0, found.start())
                    yield complaint(document, line, f"'{found.group(0)}': write '{better}'")


# A line of --help has fewer characters.
WIDEST_HELP = 100


def faults_of_help(words, text):
    """Of what `autokernel WORDS --help` prints: phrases to avoid, and long lines."""
    name = f"autokernel {words} --help".replace("  ", " ")
    for line in text.split("\n"):
        if len(line) >= WIDEST_HELP:
            yield f"{name}: a line of {len(line)} characters; it has fewer than {WIDEST_HELP}: {line}"
    for phrase, better in PHRASES.items():
        for found in re.finditer(phrase, " ".join(text.split()), re.IGNORECASE):
            yield f"{name}: '{found.group(0)}': write '{better}'"


def sentences(document):
    """Those of running text: no headings, no tables."""
    for _, paragraph in document.paragraphs():
        lines = [line for line in paragraph.split("\n") if not re.match(r"\s*\||#+ ", line)]
        for item in re.split(r"\n\s*(?:-|\d+\.) ", "\n" + "\n".join(lines)):
            text = re.sub(r"\s+", " ", visible(SPAN.sub("Code", item))).strip()
            yield from (sentence for sentence in re.split(r"(?<=[.:?;])[*)]* (?=[\[(*\"]*[A-Z\d])", text) if sentence)


def long_sentences(documents):
    for document in documents:
        lengths = [len(sentence.split()) for sentence in sentences(document)]
        if lengths and sum(lengths) / len(lengths) > WORDS_PER_SENTENCE:
            mean = sum(lengths) / len(lengths)
            yield complaint(document, 1, f"its sentences have {mean:.1f} words in the mean; at most {WORDS_PER_SENTENCE}")
