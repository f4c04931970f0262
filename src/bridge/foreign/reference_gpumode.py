"""The reference of a case made from a problem of gpu-mode: runs the problem's own ref_kernel.

problem.json beside this file has the problem's file (its own reference.py, under another name) and
the sizes of the case: for each, the arguments of generate_input, the shapes of the tensors, and
how a call is made of them. task.py and utils.py of the problem, where it has them, are beside this
file, too.

Of two sizes with the same shapes the first one's arguments are taken. Where they differ in a seed
only that is the same: all tensors and numbers are given to a call. Other numbers and texts, which
are inside of what generate_input makes, would be those of the first size.
"""

import functools

import torch

import foreign

PROBLEM = foreign.problem_of_case()


@functools.lru_cache(maxsize=2)
def loaded(device):
    with foreign.contained(device):
        return foreign.load_gpu_mode(foreign.in_case(PROBLEM["file"]))


@functools.lru_cache(maxsize=2)
def skeleton(index):
    """What generate_input makes, of which only the structure and what is fixed counts."""
    size = PROBLEM["sizes"][index]
    device = size["structure"]["device"]
    module = loaded(torch.device(device))
    with foreign.contained(device):
        data = module.generate_input(**size["arguments"])
    return foreign.without_planned(data, size["structure"]["data"])


def fixed(leaf, device):
    """A leaf that is not given: a tensor is one that ref_kernel does not read."""
    if not isinstance(leaf, torch.Tensor):
        return leaf
    return torch.zeros_like(leaf, device=device) if leaf.is_meta else leaf.to(device)


def leaf_of(leaf, plan, inputs, device):
    if plan is None:
        return fixed(leaf, device)
    if plan.get("allocated"):
        return foreign.allocated(plan, device)
    return foreign.restored(inputs[plan["name"]], plan)


def reference(**inputs):
    device = foreign.device_of(inputs)
    index = foreign.size_of(PROBLEM["sizes"], inputs)
    module, empty = loaded(device), skeleton(index)
    structure = PROBLEM["sizes"][index]["structure"]
    plans = iter(structure["data"])
    with foreign.contained(device):
        data = foreign.map_leaves(
            empty, lambda path, leaf: leaf_of(leaf, next(plans), inputs, device))
        leaves = [leaf for _, leaf in foreign.leaves(data)]
        results = foreign.tensors_of(module.ref_kernel(data))
    outputs = {plan["name"]: foreign.as_output(leaf, plan)
               for plan, leaf in zip(structure["data"], leaves) if plan and plan.get("changed")}
    for plan in structure["outputs"]:
        value = leaves[plan["leaf"]] if plan["result"] is None else results[plan["result"]]
        outputs[plan["name"]] = foreign.as_output(value, plan)
    return outputs
