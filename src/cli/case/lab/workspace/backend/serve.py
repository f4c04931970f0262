"""The server that is tuned. It begins as the reference is, with a scheduler and a place for operators."""

import sys
import threading

sys.dont_write_bytecode = True  # a __pycache__ below workspace/ would be a part of what is edited

import operators  # noqa: E402
import torch  # noqa: E402
from engine import Engine  # noqa: E402
from openai_api import command_line, serve  # noqa: E402


def main():
    options = command_line("Serve a model by the OpenAI HTTP interface")
    manifest = operators.read_manifest()
    if manifest["torch"]["threads"] > 0:
        torch.set_num_threads(manifest["torch"]["threads"])
    engine = Engine(manifest["scheduler"]["most_running"])
    # /health answers 503 until the model is loaded and has made a token.
    serve(engine, options.port, options.name)
    engine.load(options.model, options.device, operators.enabled(manifest))
    threading.Event().wait()


if __name__ == "__main__":
    main()
