"""The text of an answer, piece by piece: the pieces joined are the whole, streamed or not."""

# Tokens of the prompt that are decoded along with the answer. Some tokenizers drop the blank before the first word of
# what they decode, so one token has to come first. A character of UTF-8 has up to 4 bytes, each a token at worst.
CONTEXT_TOKENS = 5
# What a decoder writes for bytes that are no character, or not yet one.
UNFINISHED = "\N{REPLACEMENT CHARACTER}"


class AnswerText:
    def __init__(self, tokenizer, prompt_tokens, stops=()):
        self._tokenizer = tokenizer
        self._tokens = list(prompt_tokens[-CONTEXT_TOKENS:])
        self._begin = 0                     # what is decoded begins here, at the end of an earlier character
        self._told = len(self._tokens)      # the text of the tokens before was given out
        self._before = self._decode(0, self._told)
        self._stops = [stop for stop in stops if stop]
        self._held = ""                     # the end of the text, which may be the beginning of a stop sequence

    def add(self, token):
        """The text that follows, perhaps empty, and whether a stop sequence has ended it."""
        self._tokens.append(token)
        text = self._decode(self._begin, len(self._tokens))
        if len(text) <= len(self._before) or text.endswith(UNFINISHED):
            return "", False
        piece = text[len(self._before):]
        self._begin, self._told = self._told, len(self._tokens)
        self._before = self._decode(self._begin, self._told)
        return self._pass_on(piece)

    def finish(self):
        """The rest, with what never became a character, where no further token comes."""
        rest = self._decode(self._begin, len(self._tokens))[len(self._before):]
        piece, is_stopped = self._pass_on(rest)
        return piece if is_stopped else piece + self._held

    def _decode(self, begin, end):
        return self._tokenizer.decode(
            self._tokens[begin:end], skip_special_tokens=True, clean_up_tokenization_spaces=False)

    def _pass_on(self, piece):
        text = self._held + piece
        found = [at for at in (text.find(stop) for stop in self._stops) if at >= 0]
        if found:
            self._held = ""
            return text[:min(found)], True
        held = max((_overlap(text, stop) for stop in self._stops), default=0)
        self._held = text[len(text) - held:]
        return text[:len(text) - held], False


def _overlap(text, stop):
    """The length of the longest end of the text that a stop sequence begins with."""
    longest = min(len(text), len(stop) - 1)
    return next((n for n in range(longest, 0, -1) if text.endswith(stop[:n])), 0)
