"""The reference of a case made from a definition of FlashInfer Trace or SOL-ExecBench: runs the
definition's own function run.

problem.json beside this file is {"file": ..., "inputs": [...], "outputs": [...]}. The file has the
definition's "reference". inputs and outputs are the definition's, in its order:

    name       in the case
    dtype      in the definition, such as "bfloat16"
    kind       of an input: "tensor", or "scalar" for a number of Python
    zero_dim   true where a tensor has the shape [], which is [1] in the case
    original   of an output: its name in the definition, where the case has another one
"""

import functools

import torch

import foreign

PROBLEM = foreign.problem_of_case()
OTHER_NAMES = {"float4_e2m1": "float4_e2m1fn_x2"}


@functools.lru_cache(maxsize=2)
def loaded(device):
    with foreign.contained(device):
        return foreign.load(foreign.in_case(PROBLEM["file"]))


def plan_of(entry, shape):
    return {"dtype": OTHER_NAMES.get(entry["dtype"], entry["dtype"]),
            "shape": [] if entry.get("zero_dim") else list(shape)}


def number(value, dtype):
    if dtype == "bool":
        return bool(value)
    return float(value) if "float" in dtype else int(value)


def argument(value, entry):
    if entry["kind"] == "scalar":
        return number(value, entry["dtype"])
    return foreign.restored(value, plan_of(entry, value.shape))


def in_order(result, outputs):
    """What run returned, in the order of the definition's outputs."""
    if isinstance(result, dict):
        return [result[each.get("original", each["name"])] for each in outputs]
    results = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(results) != len(outputs):
        raise ValueError("run returns %d of the definition's %d outputs"
                         % (len(results), len(outputs)))
    return results


def output(value, entry):
    value = torch.as_tensor(value)
    return foreign.as_output(value, plan_of(entry, value.shape))


def reference(**inputs):
    device = foreign.device_of(inputs)
    module = loaded(device)
    with foreign.contained(device):
        result = module.run(*(argument(inputs[each["name"]], each) for each in PROBLEM["inputs"]))
        outputs = PROBLEM["outputs"]
        return {each["name"]: output(value, each)
                for each, value in zip(outputs, in_order(result, outputs))}
