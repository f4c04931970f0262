"""The reference of a case made from a problem of KernelBench: runs the problem's own Model.

problem.json beside this file has the sizes of the case: for each, the constants of the problem's
file, the shapes of the tensors, and how a call is made of them. The Model stays in training mode,
as KernelBench's own check runs it, with dropout left away.
"""

import functools

import torch

import foreign

PROBLEM = foreign.problem_of_case()


def load(size):
    return foreign.load(foreign.in_case(PROBLEM["file"]), size["arguments"])


@functools.lru_cache(maxsize=2)
def built(device, index):
    """The Model on a device, and inputs of which only the structure and what is fixed counts."""
    size = PROBLEM["sizes"][index]
    with foreign.contained(device):
        model = foreign.build_model(load(size))
    with foreign.contained(size["structure"]["device"]):
        inputs = foreign.inputs_of(load(size))
    return model, foreign.without_planned(inputs, size["structure"]["inputs"])


def reference(**inputs):
    device = foreign.device_of(inputs)
    index = foreign.size_of(PROBLEM["sizes"], inputs)
    model, skeleton = built(device, index)
    structure = PROBLEM["sizes"][index]["structure"]
    plans = iter(structure["inputs"])

    def given(path, leaf):
        plan = next(plans)
        return leaf if plan is None else foreign.restored(inputs[plan["name"]], plan)

    # What the Model updates as it runs, such as statistics of a normalization, is a copy.
    state = {path: buffer.clone() for path, buffer in model.named_buffers()}
    with foreign.contained(device), foreign.attributes_kept(model):
        for plan in structure["state"]:
            tensor = foreign.restored(inputs[plan["name"]], plan)
            if plan["attribute"]:
                foreign.set_attribute(model, plan["path"], tensor)
            else:
                state[plan["path"]] = tensor
        arguments = foreign.map_leaves(skeleton, given)
        positional, named = ((), arguments) if isinstance(arguments, dict) else (arguments, {})
        result = torch.func.functional_call(model, state, tuple(positional), named)
    results = foreign.tensors_of(result)
    return {plan["name"]: foreign.as_output(tensor, plan)
            for plan, tensor in zip(structure["outputs"], results)}

