"""The server that is tuned. It begins as the reference is, with a scheduler and a place for operators."""

import argparse
import pathlib
import signal
import sys
import threading

sys.dont_write_bytecode = True  # a __pycache__ below workspace/ would be a part of what is edited

import operators  # noqa: E402
import torch  # noqa: E402
from engine import Engine  # noqa: E402
from openai_api import serve  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description="Serve a model by the OpenAI HTTP interface")
    parser.add_argument("--model", required=True, help="folder of the model")
    parser.add_argument("--port", required=True, type=int, help="port on 127.0.0.1")
    parser.add_argument("--device", default="auto", help="auto, cpu, cuda or cuda:N [auto]")
    parser.add_argument("--name", help="name of the model [that of its folder]")
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Ctrl-C ends it at once, without a traceback
    manifest = operators.read_manifest()
    if manifest["torch"]["threads"] > 0:
        torch.set_num_threads(manifest["torch"]["threads"])
    engine = Engine(manifest["scheduler"]["most_running"])
    # /health answers 503 until the model is loaded and has made a token.
    serve(engine, options.port, options.name or pathlib.Path(options.model).resolve().name)
    engine.load(options.model, options.device, operators.enabled(manifest))
    threading.Event().wait()


if __name__ == "__main__":
    main()
