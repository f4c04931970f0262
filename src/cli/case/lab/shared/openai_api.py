"""The OpenAI HTTP interface: completions and chat, in one piece or as a stream of events.

An engine has `language_model` (None until it is loaded), `is_ready`, and `answer(request)`, which gives Pieces.
"""

import argparse
import json
import pathlib
import signal
import sys
import threading
import time
import uuid
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# Of completions where none is given, as OpenAI's. An answer to a chat may fill the context.
USUAL_TOKENS = 16
# A prompt of a million tokens has about 4 MiB.
LARGEST_BODY = 8 << 20
# Connections that wait to be accepted: a load begins with hundreds in one moment, and the default is 5.
WAITING_CONNECTIONS = 1024


@dataclass
class Request:
    prompt: list  # tokens
    max_tokens: int
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int | None = None
    stops: list = field(default_factory=list)
    ignores_end: bool = False


@dataclass
class Piece:
    text: str
    tokens: int  # of the answer until here
    finish_reason: str | None = None  # of the last piece: "stop" or "length"


class Refusal(Exception):
    def __init__(self, message, status=400):
        super().__init__(message)
        self.status = status


def command_line(description):
    """What a server is started with: model, port, device, and the name that it gives the model."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--model", required=True, help="folder of the model")
    parser.add_argument("--port", required=True, type=int, help="port on 127.0.0.1")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N [auto]")
    parser.add_argument("--name", help="name of the model [that of its folder]")
    options = parser.parse_args()
    options.name = options.name or pathlib.Path(options.model).resolve().name
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it at once, without a traceback
    return options


def serve(engine, port, name):
    """Answers on 127.0.0.1 from now on, in threads; gives the server."""
    server = _Server(("127.0.0.1", port), _Handler)
    server.engine, server.name, server.began = engine, name, int(time.time())
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = WAITING_CONNECTIONS

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # a client that breaks off is no error


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # connections stay open
    disable_nagle_algorithm = True  # a token is sent when it is there

    def do_GET(self):
        if self.path == "/health":
            is_ready = self.server.engine.is_ready
            self._send(200 if is_ready else 503, {"status": "ok" if is_ready else "loading"})
        elif self.path == "/v1/models":
            model = {"id": self.server.name, "object": "model", "created": self.server.began, "owned_by": "autokernel"}
            self._send(200, {"object": "list", "data": [model]})
        else:
            self._refuse(Refusal(f"there is no {self.path}", 404))

    def do_POST(self):
        answers = {"/v1/completions": _Completion, "/v1/chat/completions": _Chat}
        try:
            body = self._body()
            if self.path not in answers:
                raise Refusal(f"there is no {self.path}", 404)
            if not self.server.engine.is_ready:
                raise Refusal("the model is being loaded", 503)
            form = answers[self.path](body, self.server)
            request = _request(body, form.prompt, form.usual_tokens, self.server.engine.language_model.context)
        except Refusal as refusal:
            self._refuse(refusal)
            return
        pieces = self.server.engine.answer(request)
        try:
            if body.get("stream"):
                self._stream(form, request, pieces, (body.get("stream_options") or {}).get("include_usage"))
            else:
                self._answer(form, request, pieces)
        except OSError:
            self.close_connection = True  # the client has gone
        finally:
            pieces.close()

    def log_message(self, *_):
        pass  # a line for each request would cost time

    def _body(self):
        try:
            size = int(self.headers.get("Content-Length", ""))
        except ValueError:
            size = -1
        if not 0 <= size <= LARGEST_BODY:
            self.close_connection = True  # where the next request begins is not known
            raise Refusal("Content-Length must be a number up to 8 MiB", 413 if size > 0 else 411)
        try:
            body = json.loads(self.rfile.read(size))
        except ValueError as error:
            raise Refusal(f"the body is no JSON: {error}") from None
        if not isinstance(body, dict):
            raise Refusal("the body must be a JSON object")
        return body

    def _answer(self, form, request, pieces):
        text, last = "", None
        try:
            for last in pieces:
                text += last.text
        except Exception as error:  # of the engine: the client learns of it, and the server goes on
            self._refuse(Refusal(f"the model failed: {error}", 500))
            return
        answer = form.whole(text, last.finish_reason)
        answer["usage"] = _usage(request, last.tokens)
        self._send(200, answer)

    def _stream(self, form, request, pieces, has_usage):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-cache")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for event in form.first_events():
            self._send_event(event)
        tokens = 0
        try:
            for piece in pieces:
                tokens = piece.tokens
                if piece.text or piece.finish_reason:
                    self._send_event(form.part(piece.text, piece.finish_reason))
        except OSError:
            raise
        except Exception as error:
            self._send_event({"error": _error(f"the model failed: {error}", 500)})
        if has_usage:
            self._send_event(form.head() | {"choices": [], "usage": _usage(request, tokens)})
        self._send_chunk(b"data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _send_event(self, event):
        self._send_chunk(b"data: " + json.dumps(event).encode() + b"\n\n")

    def _send_chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def _send(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _refuse(self, refusal):
        self._send(refusal.status, {"error": _error(str(refusal), refusal.status)})


class _Completion:
    usual_tokens = USUAL_TOKENS

    def __init__(self, body, server):
        self._id = f"cmpl-{uuid.uuid4().hex}"
        self._model = body.get("model", server.name)
        self._created = int(time.time())
        self.prompt = self._read_prompt(body, server.engine.language_model.tokenizer)

    def _read_prompt(self, body, tokenizer):
        prompt = body.get("prompt")
        if isinstance(prompt, str):
            return tokenizer(prompt).input_ids
        if isinstance(prompt, list) and prompt and all(_is_whole(token, 0, len(tokenizer) - 1) for token in prompt):
            return prompt
        raise Refusal("'prompt' must be a text or a list of tokens")

    def head(self):
        return {"id": self._id, "object": "text_completion", "created": self._created, "model": self._model}

    def whole(self, text, finish_reason):
        return self.head() | {"choices": [self._choice(finish_reason) | {"text": text}]}

    def first_events(self):
        return []

    def part(self, text, finish_reason):
        return self.whole(text, finish_reason)

    def _choice(self, finish_reason):
        return {"index": 0, "logprobs": None, "finish_reason": finish_reason}


class _Chat(_Completion):
    usual_tokens = None  # what is left of the context

    def _read_prompt(self, body, tokenizer):
        messages = body.get("messages")
        if not isinstance(messages, list) or not messages:
            raise Refusal("'messages' must be a list that is not empty")
        if not tokenizer.chat_template:
            raise Refusal("the model has no chat template: use /v1/completions")
        try:
            text = tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        except Exception as error:  # of the template, for what it does not take
            raise Refusal(f"the chat template refuses 'messages': {error}") from None
        return tokenizer(text, add_special_tokens=False).input_ids

    def head(self):
        return super().head() | {"object": "chat.completion.chunk"}

    def whole(self, text, finish_reason):
        choice = self._choice(finish_reason) | {"message": {"role": "assistant", "content": text}}
        return self.head() | {"object": "chat.completion", "choices": [choice]}

    def first_events(self):
        return [self._event({"role": "assistant", "content": ""}, None)]

    def part(self, text, finish_reason):
        return self._event({"content": text} if text else {}, finish_reason)

    def _event(self, delta, finish_reason):
        return self.head() | {"choices": [self._choice(finish_reason) | {"delta": delta}]}


def _request(body, prompt, usual_tokens, context):
    for name, only in (("n", 1), ("best_of", 1), ("echo", False), ("logprobs", False), ("tools", [])):
        if body.get(name) not in (None, only):
            raise Refusal(f"'{name}' is not supported")
    if not prompt:
        raise Refusal("the prompt has no tokens")
    left = (context or len(prompt) + LARGEST_BODY) - len(prompt)
    if left < 1:
        raise Refusal(f"the prompt has {len(prompt)} tokens, and the context of the model is {context}")
    wanted = body.get("max_completion_tokens") or body.get("max_tokens")
    if wanted is None:
        wanted = min(usual_tokens or left, left)
    if not _is_whole(wanted, 1, left):
        raise Refusal(f"'max_tokens' must be a whole number up to {left}, what the prompt leaves of the context")
    stops = body.get("stop") or []
    stops = [stops] if isinstance(stops, str) else stops
    if not isinstance(stops, list) or not all(isinstance(stop, str) for stop in stops):
        raise Refusal("'stop' must be a text or a list of texts")
    seed = body.get("seed")
    if seed is not None and not _is_whole(seed, 0, 2**63 - 1):
        raise Refusal("'seed' must be a whole number")
    return Request(
        prompt=prompt,
        max_tokens=wanted,
        temperature=_number(body, "temperature", 0, 2),
        top_p=_number(body, "top_p", 0, 1),
        seed=seed,
        stops=stops,
        ignores_end=bool(body.get("ignore_eos")),
    )


def _is_whole(value, least, most):
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _number(body, name, least, most):
    value = body.get(name)
    if value is None:
        return 1.0
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not least <= value <= most:
        raise Refusal(f"'{name}' must be a number from {least} to {most}")
    return float(value)


def _usage(request, tokens):
    return {
        "prompt_tokens": len(request.prompt),
        "completion_tokens": tokens,
        "total_tokens": len(request.prompt) + tokens,
    }


def _error(message, status):
    kind = "invalid_request_error" if status < 500 else "server_error"
    return {"message": message, "type": kind, "param": None, "code": None}
