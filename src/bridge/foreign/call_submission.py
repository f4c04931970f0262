"""Calls a submission to KernelBench or to gpu-mode as its own evaluator does. It runs while kernels
are compiled, on tensors that have a shape and no values (torch_solution.py).

problem.json beside this file is the case's, and names in "given" what run() is called with, in its
order.
"""

import functools
import importlib.util
import sys
import types

import torch

import foreign

PROBLEM = foreign.problem_of_case()
IS_GPU_MODE = "data" in PROBLEM["sizes"][0]["structure"]


def submitted(name):
    """Of submission.py, which is a module of its own: Triton looks for the text of kernels in its file."""
    spec = importlib.util.spec_from_file_location("submission", foreign.in_case("../submission.py"))
    module = sys.modules["submission"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if not callable(getattr(module, name, None)):
        raise NameError("the submission has no " + name)
    return getattr(module, name)


ENTRY = submitted("custom_kernel" if IS_GPU_MODE else "ModelNew")


def problem_at(size):
    path = foreign.in_case(PROBLEM["file"])
    return foreign.load_gpu_mode(path) if IS_GPU_MODE else foreign.load(path, size["arguments"])


@functools.lru_cache(maxsize=1)
def skeleton(index):
    """What the problem makes for a call, of which only the structure and what is fixed counts."""
    size = PROBLEM["sizes"][index]
    structure = size["structure"]
    with foreign.contained(structure["device"]):
        problem = problem_at(size)
        made = problem.generate_input(**size["arguments"]) if IS_GPU_MODE else foreign.inputs_of(problem)
    return foreign.without_planned(made, structure["data" if IS_GPU_MODE else "inputs"])


def problems_own(value, plan):
    """A tensor of the case as the problem has it: another shape or type of the same bytes."""
    if not isinstance(value, torch.Tensor):
        return value
    dtype = getattr(torch, plan["dtype"])
    value = value.view(plan["shape"])
    if "strides" in plan:
        raise ValueError("%s does not lie as the problem has it, row by row" % plan["name"])
    if value.dtype != dtype and value.element_size() == dtype.itemsize == 1:
        value = value.view(dtype)
    if value.dtype != dtype:
        raise ValueError("%s is %s in the case, and %s in the problem" % (plan["name"], value.dtype, dtype))
    return value


def filled(index, plans, given):
    """The structure of a call with the case's tensors in it, and all its leaves."""
    left = iter(plans)

    def leaf_of(path, leaf):
        plan = next(left)
        return leaf if plan is None else problems_own(given[plan["name"]], plan)

    data = foreign.map_leaves(skeleton(index), leaf_of)
    return data, [leaf for _, leaf in foreign.leaves(data)]


def built_model(size, given):
    """ModelNew with the parameters and buffers that the case has for Model, by their names."""
    problem = problem_at(size)
    own = types.SimpleNamespace(Model=ENTRY)
    if hasattr(problem, "get_init_inputs"):
        own.get_init_inputs = problem.get_init_inputs
    with foreign.contained("meta"):
        model = foreign.build_model(own)
    plans = {plan["path"]: plan for plan in size["structure"]["state"]}
    own = state_of(model)
    paths = {path: path for path in plans if path in own}
    for path in plans:
        # Model has norm.weight, and ModelNew has it as weight.
        alike = [name for name in own if name not in plans and last_name(name) == last_name(path)]
        if path not in paths and len(alike) == 1 and sum(last_name(each) == last_name(path) for each in plans) == 1:
            paths[path] = alike[0]
    for path, name in paths.items():
        held, tensor = own.pop(name)
        if list(tensor.shape) != plans[path]["shape"]:
            raise ValueError("ModelNew has %s of shape %s, and Model %s of %s"
                             % (name, list(tensor.shape), path, plans[path]["shape"]))
        held[last_name(name)] = problems_own(given[plans[path]["name"]], plans[path])
        for other, (holder, shared) in own.items():
            if shared is tensor:
                holder[last_name(other)] = held[last_name(name)]
    for name, (_, tensor) in own.items():
        tensor.unknown_to_case = "%s, which is none of Model's %s," % (name, ", ".join(plans) or "parameters")
    return model


def last_name(path):
    return path.rpartition(".")[2]


def state_of(model):
    """Its parameters, buffers and other tensors by their paths, each with the dictionary that holds it."""
    found = {}
    for owner, part in model.named_modules():
        for held in (part._parameters, part._buffers, vars(part)):
            for name, value in held.items():
                if isinstance(value, torch.Tensor):
                    found[owner + "." + name if owner else name] = (held, value)
    return found


def results_of(value, count):
    """Its tensors, and what functions of C++ returned (torch_solution.py), which may be several."""
    found = [leaf for _, leaf in foreign.leaves(value)
             if isinstance(leaf, torch.Tensor) or type(leaf).__name__ == "Returned"]
    return list(found[0]) if len(found) == 1 < count and not isinstance(found[0], torch.Tensor) else found


def call_model(index, given):
    size = PROBLEM["sizes"][index]
    structure = size["structure"]
    arguments, _ = filled(index, structure["inputs"], given)
    results = results_of(foreign.call(built_model(size, given), arguments), len(structure["outputs"]))
    if len(results) != len(structure["outputs"]):
        raise ValueError("forward returns %d tensors, and that of the problem %d"
                         % (len(results), len(structure["outputs"])))
    return {plan["name"]: result for plan, result in zip(structure["outputs"], results)}


def call_custom_kernel(index, given):
    structure = PROBLEM["sizes"][index]["structure"]
    data, leaves = filled(index, structure["data"], given)
    results = results_of(ENTRY(data), sum(plan["result"] is not None for plan in structure["outputs"]))
    outputs = {plan["name"]: leaf for plan, leaf in zip(structure["data"], leaves)
               if plan and plan.get("changed")}
    for plan in structure["outputs"]:
        if plan["result"] is None:
            outputs[plan["name"]] = leaves[plan["leaf"]]
        elif plan["result"] < len(results):
            outputs[plan["name"]] = results[plan["result"]]
        else:
            raise ValueError("custom_kernel returns %d tensors, and ref_kernel more" % len(results))
    return outputs


def run(*values):
    given = dict(zip(PROBLEM["given"], values))
    read = PROBLEM["sizes"][0]["shapes"]
    index = foreign.size_of(PROBLEM["sizes"], {name: given[name] for name in read if name in given})
    return (call_custom_kernel if IS_GPU_MODE else call_model)(index, given)
