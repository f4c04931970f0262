"""The reference server: one answer at a time, the most likely token each time, nothing replaced.

Answers of the server that is tuned are compared with its answers. Keep it plain.
"""

import sys
import threading

sys.dont_write_bytecode = True  # it leaves nothing in the folder of the case

from answer_text import AnswerText  # noqa: E402
from language_model import LanguageModel  # noqa: E402
from openai_api import Piece, command_line, serve  # noqa: E402


class Engine:
    def __init__(self):
        self.language_model = None
        self.is_ready = False
        self._one_at_a_time = threading.Lock()

    def load(self, path, device):
        self.language_model = LanguageModel(path, device)
        self.language_model.step(self.language_model.tokenizer("a").input_ids)[0].argmax().item()
        self.is_ready = True

    def answer(self, request):
        if request.temperature != 0:
            raise ValueError("the reference answers at temperature 0 only")
        text = AnswerText(self.language_model.tokenizer, request.prompt, request.stops)
        tokens, cache = request.prompt, None
        with self._one_at_a_time:
            for count in range(1, request.max_tokens + 1):
                logits, cache = self.language_model.step(tokens, cache)
                token = int(logits.argmax())
                tokens = [token]
                piece, is_stopped = text.add(token)
                if is_stopped or (token in self.language_model.ends and not request.ignores_end):
                    yield Piece(piece if is_stopped else piece + text.finish(), count, "stop")
                    return
                if count < request.max_tokens:
                    yield Piece(piece, count)
            yield Piece(piece + text.finish(), count, "length")


def main():
    options = command_line("Serve a model as its answers are expected")
    engine = Engine()
    serve(engine, options.port, options.name)
    engine.load(options.model, options.device)
    threading.Event().wait()


if __name__ == "__main__":
    main()
