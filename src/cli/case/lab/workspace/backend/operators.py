"""The switch of operators: which of those in workspace/ops take the place of the model's own."""

import importlib.util
import os
import pathlib
import tomllib

WORKSPACE = pathlib.Path(__file__).resolve().parent.parent


def read_manifest():
    return tomllib.loads((WORKSPACE / "kernels.toml").read_text())


def enabled(manifest):
    """Names, from AUTOKERNEL_OPS where it is set, even to nothing, else from kernels.toml."""
    names = os.environ.get("AUTOKERNEL_OPS")
    return manifest["ops"]["enabled"] if names is None else [name.strip() for name in names.split(",") if name.strip()]


def load(name):
    """The module workspace/ops/**/NAME.py."""
    found = sorted((WORKSPACE / "ops").rglob(f"{name}.py"))
    if len(found) != 1:
        raise SystemExit(f"operator {name}: workspace/ops must have one {name}.py, and has {len(found)}")
    specification = importlib.util.spec_from_file_location(f"ops_{name}", found[0])
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module
