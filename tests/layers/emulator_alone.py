#!/usr/bin/env python3
"""Whether the emulator builds without the rest of the tree: a copy of its folder alone is configured, and whatever its build would
read must lie in the copy, in the build or in the system. Nothing is compiled.

    tests/layers/emulator_alone.py CMAKE_OPTION...     CTest runs it
"""

import json
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def configured(source, build, options):
    """What CMake would have compiled."""
    made = subprocess.run(["cmake", "-S", source, "-B", build, *options], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"the emulator's folder alone cannot be configured:\n{made.stdout}{made.stderr}")
    return json.loads((build / "compile_commands.json").read_text())


def read_by(entry):
    """The source of a compile command, the folders that headers are looked for in, and headers that come before all."""
    yield entry["file"]
    words = iter(shlex.split(entry["command"]))
    for word in words:
        if word in ("-I", "-isystem", "-include"):
            yield next(words)
        elif word.startswith("-I"):
            yield word[2:]


def is_below(path, folders):
    return any(path.is_relative_to(folder) for folder in folders)


def outside(entries, own):
    """What they read of the scratch folder or the tree that lies in none of the folders `own`, sorted."""
    found = set()
    for entry in entries:
        for name in read_by(entry):
            path = (Path(entry["directory"]) / name).resolve()
            if not is_below(path, own) and is_below(path, [own[0].parent, ROOT]):
                found.add(str(path))
    return sorted(found)


def main(options):
    with tempfile.TemporaryDirectory(prefix="emulator-alone-") as scratch:
        scratch = Path(scratch).resolve()
        source, build = scratch / "emulator", scratch / "build"
        shutil.copytree(ROOT / "emulator", source, ignore=shutil.ignore_patterns("build"))
        # CUDA may have been unpacked into the tree's build folder.
        own = [source, build, *(Path(option.partition("=")[2]).resolve() for option in options if option.startswith("-DCUDA_"))]
        entries = configured(source, build, options)
        files = {Path(entry["file"]).name for entry in entries}
        missing = {"parser.cpp", "cu_launch.cpp", "random_test.cpp", "mutation_test.cpp"} - files
        if missing:
            sys.exit(f"the build alone leaves out {sorted(missing)}")
        if found := outside(entries, own):
            sys.exit("the emulator's build reads what is not its own:\n" + "\n".join(found))

        # And such a thing would be found.
        with (source / "src/ptx/CMakeLists.txt").open("a") as lists:
            lists.write("target_include_directories(emulator_ptx PRIVATE ${PROJECT_SOURCE_DIR}/../include)\n")
        planted = outside(configured(source, build, options), own)
        if planted != [str(scratch / "include")]:
            sys.exit(f"an include folder beside the emulator's was planted, and found was {planted}")


if __name__ == "__main__":
    main(sys.argv[1:])
