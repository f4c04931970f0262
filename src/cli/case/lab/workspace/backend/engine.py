"""The scheduler: one thread that gives each running sequence one token in turn.

A sequence is computed by itself, as the reference does it, so an answer does not depend on what else is asked for.
A batch of sequences would read the weights once for all of them. Its sums have another order, though, and where two
tokens are nearly equally likely, the answer may differ (docs/notes.md has how often).
"""

import queue
import threading

import operators
import torch
from answer_text import AnswerText
from language_model import LanguageModel
from openai_api import Piece, Request


class Sequence:
    """One request under way. The scheduler's thread works on it; the pieces go to the thread of its connection."""

    def __init__(self, request, language_model):
        self.request = request
        self.pieces = queue.SimpleQueue()  # of Piece, or an exception; the last Piece has a finish_reason
        self.is_wanted = True
        self.next_tokens = request.prompt  # those that the cache has not seen
        self.cache = None
        self._ends = frozenset() if request.ignores_end else language_model.ends
        self._text = AnswerText(language_model.tokenizer, request.prompt, request.stops)
        self._tokens = 0
        self._random = None
        if request.temperature > 0:
            self._random = torch.Generator(language_model.device)
            if request.seed is None:
                self._random.seed()
            else:
                self._random.manual_seed(request.seed)

    def choose(self, logits):
        if self._random is None:
            return int(logits.argmax())
        chances, tokens = torch.softmax(logits.float() / self.request.temperature, -1).sort(descending=True)
        # The most likely ones until top_p is reached, the one that reaches it among them.
        chances[chances.cumsum(-1) - chances > self.request.top_p] = 0
        return int(tokens[torch.multinomial(chances, 1, generator=self._random)])

    def take(self, token):
        """Whether the sequence goes on after it."""
        self._tokens += 1
        self.next_tokens = [token]
        piece, is_stopped = self._text.add(token)
        finish_reason = None
        if is_stopped or token in self._ends:
            finish_reason = "stop"
        elif self._tokens == self.request.max_tokens:
            finish_reason = "length"
        if finish_reason and not is_stopped:
            piece += self._text.finish()
        self.pieces.put(Piece(piece, self._tokens, finish_reason))
        return finish_reason is None


class Engine:
    def __init__(self, most_running):
        self.language_model = None
        self.is_ready = False
        self._most_running = most_running
        self._waiting = queue.SimpleQueue()

    def load(self, path, device, operator_names):
        self.language_model = LanguageModel(path, device)
        for name in operator_names:
            operators.load(name).install(self.language_model.model)
        threading.Thread(target=self._schedule, daemon=True).start()
        request = Request(self.language_model.tokenizer("a").input_ids, max_tokens=1, temperature=0)
        for _ in self.answer(request):
            pass
        self.is_ready = True

    def answer(self, request):
        """Gives the Pieces of an answer. To close it ends the work on it."""
        sequence = Sequence(request, self.language_model)
        self._waiting.put(sequence)
        try:
            while True:
                piece = sequence.pieces.get()
                if isinstance(piece, Exception):
                    raise piece
                yield piece
                if piece.finish_reason:
                    return
        finally:
            sequence.is_wanted = False

    def _schedule(self):
        running = []
        while True:
            while len(running) < self._most_running and (not running or not self._waiting.empty()):
                running.append(self._waiting.get())
            running = [sequence for sequence in running if self._advance(sequence)]

    def _advance(self, sequence):
        """One token further; whether there is more to do."""
        if not sequence.is_wanted:
            return False
        try:
            logits, sequence.cache = self.language_model.step(sequence.next_tokens, sequence.cache)
            return sequence.take(sequence.choose(logits))
        except Exception as error:  # such as no memory: one answer fails, the others go on
            sequence.pieces.put(error)
            return False
