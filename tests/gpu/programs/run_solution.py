"""Builds an exported solution as its benchmark does, runs it on the GPU, and compares it with the definition.

    run_solution.py DEFINITION.json WORKLOADS.jsonl SOLUTION.json

In the first two workloads; prints the largest difference in each. Ends with 1 where it is not within the tolerance.
"""
import importlib.util
import json
import os
import sys
import tempfile

import torch

DEFAULT = 1e-2  # of both benchmarks


def loaded(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def built(solution, folder):
    for source in solution["sources"]:
        path = os.path.join(folder, source["path"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(source["content"])
    file, function = solution["spec"]["entry_point"].split("::")
    if file.endswith(".py"):
        return getattr(loaded(os.path.join(folder, file), "solution_main"), function)
    from torch.utils.cpp_extension import load
    sources = [os.path.join(folder, each["path"]) for each in solution["sources"]
               if each["path"].endswith((".cpp", ".cu")) and each["path"] != "kernel.cu"]
    return getattr(load("solution", sources, extra_cuda_cflags=["-O3"]), function)


def drawn(definition, workload):
    sizes = {name: axis.get("value") for name, axis in definition["axes"].items()}
    sizes.update(workload["axes"])
    inputs = []
    for name, tensor in definition["inputs"].items():
        if tensor["shape"] is None:
            inputs.append(workload["inputs"][name]["value"])
        else:
            shape = [sizes[axis] for axis in tensor["shape"]]
            inputs.append(torch.randn(shape, dtype=getattr(torch, tensor["dtype"]), device="cuda"))
    return inputs


def main():
    texts = [open(path, encoding="utf-8").read() for path in sys.argv[1:]]
    definition, solution = json.loads(texts[0]), json.loads(texts[2])
    workloads = [json.loads(line) for line in texts[1].splitlines()][:2]
    reference = {}
    exec(definition["reference"], reference)
    with tempfile.TemporaryDirectory() as folder:
        run = built(solution, folder)
        failed = False
        for workload in workloads:
            inputs = drawn(definition, workload)
            expected, got = reference["run"](*inputs), run(*inputs)
            torch.cuda.synchronize()
            difference = (got.double() - expected.double()).abs()
            failed |= bool((difference > DEFAULT + DEFAULT * expected.double().abs()).any())
            print("%-16s %s  largest difference %.3g" % (solution["name"][:16], workload["axes"], difference.max()))
    sys.exit(failed)


main()
