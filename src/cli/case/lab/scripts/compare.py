"""Starts the reference and the server that is tuned, asks both the same, and compares the answers.

    python3 scripts/compare.py --model PATH [--requests 50 --clients 8]

For trials by hand, and for checks.sh. Each prompt is asked for at temperature 0 as a stream and in one piece. The
exit code is 0 if all answers agree in text, number of tokens and reason of the end.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import time

CASE = pathlib.Path(__file__).resolve().parent.parent
START_SECONDS = 120  # as start_seconds of case.toml
ANSWER_SECONDS = 300  # of one answer, behind those of all other clients
WORDS = "the of and to in is that for it as was with be by on not он и не 的 一 是 né über 🙂".split()


class Server:
    def __init__(self, script, model):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._began = time.monotonic()
        # A group of its own, so that whatever it starts is ended with it.
        self._process = subprocess.Popen(
            [sys.executable, str(CASE / script), "--model", model, "--port", str(self.port)], start_new_session=True)

    def wait(self):
        """Seconds until it was ready."""
        while time.monotonic() - self._began < START_SECONDS:
            if self._process.poll() is not None:
                raise SystemExit(f"a server ended with {self._process.returncode} before it was ready")
            try:
                if self.ask("GET", "/health", None)[0] == 200:
                    return time.monotonic() - self._began
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit(f"a server was not ready after {START_SECONDS} s")

    def ask(self, method, path, value):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_SECONDS)
        try:
            body = None if value is None else json.dumps(value)
            connection.request(method, path, body, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, response.read().decode()
        finally:
            connection.close()

    def peak(self):
        """What it has needed, in words; nothing in a sandbox, which does not let us look."""
        try:
            status = pathlib.Path(f"/proc/{self._process.pid}/status").read_text()
        except PermissionError:
            return ""
        return f", {int(status.split('VmHWM:')[1].split()[0]) / 1024:.0f} MB at most"

    def stop(self):
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def prompts(count, seed):
    chosen = random.Random(seed)
    return [" ".join(chosen.choices(WORDS, k=chosen.randint(1, 64))) for _ in range(count)]


def answer(server, is_chat, prompt, tokens, is_streamed):
    """(text, tokens of the prompt, tokens of the answer, reason of the end)"""
    body = {"model": "any", "max_tokens": tokens, "temperature": 0}
    body |= {"messages": [{"role": "user", "content": prompt}]} if is_chat else {"prompt": prompt}
    if is_streamed:
        body |= {"stream": True, "stream_options": {"include_usage": True}}
    status, data = server.ask("POST", "/v1/chat/completions" if is_chat else "/v1/completions", body)
    if status != 200:
        raise SystemExit(f"a server answered {status}: {data[:500]}")
    events = [data]
    if is_streamed:
        events = [line.removeprefix("data: ") for line in data.split("\n\n") if line]
        assert events.pop() == "[DONE]", "the stream has no end mark"
    text, reason, usage = "", None, None
    for event in map(json.loads, events):
        if "error" in event:
            raise SystemExit(f"a server failed: {event['error']['message']}")
        usage = event.get("usage", usage)
        for choice in event["choices"]:
            reason = choice["finish_reason"] or reason
            part = (choice["delta"] if is_streamed else choice["message"]) if is_chat else choice
            text += part.get("content" if is_chat else "text", "")
    return text, usage["prompt_tokens"], usage["completion_tokens"], reason


def main():
    parser = argparse.ArgumentParser(description="Compare the server that is tuned with the reference")
    parser.add_argument("--model", required=True, help="folder of the model")
    parser.add_argument("--requests", type=int, default=1)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--tokens", type=int, default=32, help="of each answer [32]")
    parser.add_argument("--chat", action="store_true", help="ask by chat")
    parser.add_argument("--seed", type=int, default=0, help="of the prompts [0]")
    options = parser.parse_args()
    servers = [Server("reference/serve.py", options.model), Server("workspace/backend/serve.py", options.model)]
    try:
        for name, server in zip(("reference", "candidate"), servers):
            print(f"{name}: ready after {server.wait():.1f} s")
        asked = prompts(options.requests, options.seed)
        results = {}
        for name, server, is_streamed, clients in (
            ("reference", servers[0], False, 1),
            ("candidate", servers[1], False, options.clients),
            ("candidate, streamed", servers[1], True, options.clients),
        ):
            begin = time.monotonic()
            with concurrent.futures.ThreadPoolExecutor(clients) as pool:
                results[name] = list(pool.map(
                    lambda prompt: answer(server, options.chat, prompt, options.tokens, is_streamed), asked))
            took = time.monotonic() - begin
            made = sum(result[2] for result in results[name])
            rate = f"{made} tokens in {took:.1f} s, {made / took:.1f} a second"
            print(f"{name}: {rate}{server.peak()}")
    finally:
        for server in servers:
            server.stop()
    wrong = 0
    for name in ("candidate", "candidate, streamed"):
        for prompt, expected, found in zip(asked, results["reference"], results[name]):
            if found != expected:
                wrong += 1
                print(f"{name}: to {prompt[:60]!r}\n  expected {expected}\n  found    {found}")
    print(f"{2 * len(asked) - wrong} of {2 * len(asked)} answers are the reference's")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
