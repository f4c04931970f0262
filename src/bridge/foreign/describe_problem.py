"""Describes a problem of another project as tensors, scalars and outputs of a case.

Standard input is {"format": ..., "file": ..., "arguments": {...}}; the file is in the working
directory. Standard output is one JSON object; what the file prints goes to standard error.

    format        arguments
    kernelbench   other values of the file's constants
    gpu-mode      those of generate_input
    definition    those of the function "entrypoint": axes and scalars. Only the inputs that it
                  makes are described: the tensors named in "inputs", and the numbers that it
                  gives besides.

With "try_negative", "may_be_negative" of the answer names inputs that the problem never gives
negative numbers, and that may have some. With "values_folder", that folder gets the values of each tensor whose fill is "kept": the raw
little-endian bytes of what the case has, in the file that the tensor's "file" names.
"""

import ast
import contextlib
import inspect
import json
import math
import os
import re
import sys

import torch

import foreign
from foreign import is_number, torch_name
from origins import Origins, key_of

MOST_KEPT = 1 << 30  # bytes of values
DTYPES = {
    torch.float64: "f64", torch.float32: "f32", torch.float16: "f16", torch.bfloat16: "bf16",
    torch.float8_e4m3fn: "e4m3", torch.float8_e5m2: "e5m2", torch.int64: "i64",
    torch.int32: "i32", torch.int16: "i16", torch.int8: "i8", torch.uint8: "u8",
    torch.uint32: "u32", torch.bool: "bool",
}
KEPT = {"distribution": "kept"}
RESERVED = set("""alignas alignof and asm auto bool break case catch char class const constexpr
    continue default delete do double else enum explicit export extern false float for friend goto
    if inline int long mutable namespace new not operator or private protected public register
    return short signed sizeof static struct switch template this throw true try typedef typename
    union unsigned using virtual void volatile while xor""".split())


class CannotDescribe(Exception):
    """Its text is one sentence for the user."""


class Names:
    """Makes identifiers of C++, each once."""

    def __init__(self):
        self.taken = set()

    def new(self, *parts):
        text = re.sub(r"\W+", "_", "_".join(str(part) for part in parts), flags=re.ASCII)
        text = re.sub(r"__+", "_", text).strip("_") or "value"
        if text[0].isdigit() or text in RESERVED:
            text = "value_" + text
        name, count = text, 1
        while name in self.taken:
            count += 1
            name = "%s_%d" % (text, count)
        self.taken.add(name)
        return name


def case_type(name, tensor):
    if tensor.layout != torch.strided:
        raise CannotDescribe("tensor %s has the layout %s; only dense tensors can be in a case: "
                             "make it dense in the problem" % (name, tensor.layout))
    found = DTYPES.get(foreign.STAND_INS.get(torch_name(tensor.dtype), tensor.dtype))
    if found is None:
        raise CannotDescribe(
            "tensor %s has the dtype %s, which no case can have; change the problem so that it "
            "uses one of %s" % (name, torch_name(tensor.dtype), " ".join(DTYPES.values())))
    return found


def entry(name, role, tensor):
    result = {"name": name, "role": role, "dtype": case_type(name, tensor),
              "shape": list(tensor.shape) or [1]}
    if tensor.dim() == 0:
        result["zero_dim"] = True
    return result


def build_plan(name, tensor, **others):
    """What a reference needs to make the problem's own tensor of the one that it is given, or an
    output of the problem's."""
    plan = {"name": name, "shape": list(tensor.shape), "dtype": torch_name(tensor.dtype), **others}
    strides = list(tensor.stride())
    if not tensor.is_contiguous() and 0 not in strides:
        plan["strides"] = strides
    return plan


def uniform(low, high):
    return {"distribution": "uniform", "low": low, "high": high}


def integers(low, high):
    return {"distribution": "integers", "low": low, "high": high}


def normal_fill(origin):
    if (origin.low, origin.high) == (0.0, 1.0):
        return {"distribution": "normal"}, None
    low, high = origin.range
    return uniform(low, high), (
        "a normal distribution of mean %.6g and deviation %.6g is taken as uniform from %.6g to "
        "%.6g" % (origin.low, origin.high, low, high))


def constant_fill(value, dtype):
    if not dtype.is_floating_point:
        return KEPT, "the constant %g is kept" % value
    low, high = sorted((value * 0.5, value * 1.5)) if value else (-0.5, 0.5)
    return uniform(low, high), ("the constant %g is taken as uniform from %g to %g, for a kernel "
                                "could leave it unread otherwise" % (value, low, high))


def fill_of(origin, dtype):
    """The fill of a tensor, and what it assumes."""
    if torch_name(dtype) == "float4_e2m1fn_x2":
        return integers(0, 255), "all pairs of 4-bit numbers occur"
    if origin.kind == "normal":
        return normal_fill(origin)
    if origin.kind == "constant":
        return constant_fill(origin.low, dtype)
    if dtype == torch.bool and origin.known():
        return integers(0, 1), None
    if origin.kind == "integers":
        return integers(int(origin.low), int(origin.high)), None
    if origin.kind == "uniform":
        return uniform(origin.low, origin.high), None
    if origin.kind == "empty" and dtype.is_floating_point:
        return {"distribution": "normal"}, "it is never written; normal values are assumed"
    return KEPT, "the generator's own values are kept"


class Description:
    def __init__(self):
        self.names = Names()
        self.tensors, self.scalars, self.outputs = [], [], []
        self.left_out = []
        self.notes = {}    # the names that each note is about
        self.origins = {}  # (origin, dtype) by name, of the tensors that are read

    def add_tensor(self, name, role, tensor, origin):
        self.tensors.append(entry(name, role, tensor))
        self.origins[name] = origin, tensor.dtype
        self.note_layout(name, tensor)

    def add_output(self, name, tensor):
        self.outputs.append(entry(name, "out", tensor))

    def note(self, text, *names):
        if text:
            self.notes.setdefault(text, []).extend(names)

    def note_layout(self, name, tensor):
        if tensor.dtype not in DTYPES:
            self.note("the problem has %s; the case has %s in its place"
                      % (torch_name(tensor.dtype), case_type(name, tensor)), name)
        if not tensor.is_contiguous():
            self.note("the problem has it with the strides %s; in the case its last dimension is "
                      "contiguous" % list(tensor.stride()), name)

    def leave_out(self, name, why):
        self.left_out.append("%s: %s" % (name, why))

    def add_scalar(self, name, value, real):
        dtype = "bool" if isinstance(value, bool) else "i64" if isinstance(value, int) else real
        if not math.isfinite(value):
            raise CannotDescribe("scalar %s is %s; change it to a finite number" % (name, value))
        self.scalars.append({"name": name, "dtype": dtype, "value": value})

    def add_fills(self):
        for tensor in self.tensors:
            name = tensor["name"]
            origin, dtype = self.origins[name]
            sharing = [other for key, (other, _) in self.origins.items()
                       if key != name and origin.draws & other.draws]
            if origin.kind != "made" and any(other.kind == "made" for other in sharing):
                fill, assumed = KEPT, "it is kept, for another tensor is computed from its values"
            else:
                fill, assumed = fill_of(origin, dtype)
            tensor["fill"] = fill
            for note in (origin.notes if dtype in DTYPES else ()) + (assumed,):
                self.note(note, name)
            if sharing and fill != KEPT:
                self.note("in the problem it has values of another tensor; here it has its own",
                          name)

    def require_outputs(self):
        if not self.outputs and not any(t["role"] == "inout" for t in self.tensors):
            raise CannotDescribe("it returns and changes no tensor, so there is nothing to judge")

    def result(self, tolerance, structure):
        self.add_fills()
        structure["kept"] = [tensor["name"] for tensor in self.tensors if tensor["fill"] == KEPT]
        return {"tensors": self.tensors, "scalars": self.scalars, "outputs": self.outputs,
                "tolerance": tolerance, "structure": structure, "left_out": self.left_out,
                "notes": [", ".join(names) + ": " * bool(names) + text
                          for text, names in self.notes.items()]}


def real_type(values):
    """The type of scalars that are real: as exact as the tensors that they come with."""
    return "f64" if any(getattr(v, "dtype", None) == torch.float64 for v in values) else "f32"


def output_names(names, count):
    return [names.new("output") if count == 1 else names.new("output", i) for i in range(count)]


def check_has(module, *names):
    missing = [name for name in names if not hasattr(module, name)]
    if missing:
        raise CannotDescribe("it has no %s; a problem of this format defines %s"
                             % (" and no ".join(missing), ", ".join(names)))


# KernelBench

def forward_names(model, count):
    """A name for each positional argument of Model.forward."""
    result = []
    for parameter in inspect.signature(model.forward).parameters.values():
        if parameter.kind == parameter.VAR_POSITIONAL:
            result += ["%s_%d" % (parameter.name, i) for i in range(count - len(result))]
        elif parameter.kind != parameter.VAR_KEYWORD:
            result.append(parameter.name)
    return result + ["input_%d" % i for i in range(len(result), count)]


def add_inputs(description, found, names, origins):
    """Adds the leaves of what is given to forward; returns a plan for each, null where fixed."""
    plans = []
    real = real_type([leaf for _, leaf in found])
    for path, leaf in found:
        label = (names.get(path[0], path[0]),) + path[1:]
        if isinstance(leaf, torch.Tensor):
            name = description.names.new(*label)
            description.add_tensor(name, "in", leaf, origins.given_origin(leaf))
            plans.append(build_plan(name, leaf, changed=key_of(leaf) in origins.written))
        elif is_number(leaf) and len(path) == 1:
            name = description.names.new(*label)
            description.add_scalar(name, leaf, real)
            plans.append({"name": name})
        else:
            description.leave_out("_".join(map(str, label)), "fixed as %.60r" % (leaf,))
            plans.append(None)
    return plans


def batch_statistics(model):
    """The buffers that a normalization updates in training, and does not use."""
    return {"%s.%s" % (path, name) if path else name
            for path, part in model.named_modules()
            if part.training and getattr(part, "track_running_stats", False)
            for name, _ in part.named_buffers(recurse=False)}


def state_of(model):
    """(path, tensor, whether it is a plain attribute) of all that a Model holds."""
    held = [(path, tensor, False)
            for path, tensor in list(model.named_parameters()) + list(model.named_buffers())]
    for path, part in model.named_modules():
        held += [(path + "." * bool(path) + name, value, True)
                 for name, value in vars(part).items() if isinstance(value, torch.Tensor)]
    return held


def add_state(description, held, unused, origins):
    """Adds what forward reads of it; returns a plan for each one that becomes a tensor."""
    plans = []
    for path, tensor, attribute in held:
        if path in unused:
            description.leave_out(path, "in training a normalization takes the batch's own "
                                        "statistics, and only updates these")
        elif key_of(tensor) not in origins.read:
            description.leave_out(path, "forward does not read it")
        else:
            name = description.names.new(path)
            description.add_tensor(name, "in", tensor, origins.given_origin(tensor))
            plans.append(build_plan(name, tensor, path=path, attribute=attribute,
                                    changed=key_of(tensor) in origins.written))
    return plans


def note_training(description, model):
    kinds = sorted({type(part).__name__ for part in model.modules()
                    if getattr(part, "track_running_stats", False) and part.training})
    if kinds:
        description.note("the Model is in training mode, as KernelBench runs it: %s normalizes by "
                         "the mean and variance of its input" % ", ".join(kinds))
    if any(isinstance(part, torch.nn.modules.dropout._DropoutNd) and part.p and part.training
           for part in model.modules()):
        description.note("dropout is left away: KernelBench runs it in training mode, but no "
                         "kernel can draw its mask again")


def note_random(description, names, tensors, origins):
    random = [name for name, tensor in zip(names, tensors) if origins.is_random(tensor)]
    if random:
        description.note("random values are drawn while it is computed, which no kernel can draw "
                         "again: it cannot be matched", *random)


def kernelbench_tolerance(outputs):
    """That of KernelBench's own check, by the widest error among the outputs' types."""
    by_type = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 1e-2}
    values = [by_type.get(output.dtype) for output in outputs]
    if not values or None in values:
        return None
    return {"absolute": max(values), "relative": max(values)}


def kernelbench_given(request):
    module = foreign.load(request["file"], request["arguments"])
    check_has(module, "Model", "get_inputs")
    return foreign.build_model(module), foreign.inputs_of(module)


def kernelbench_values(request, structure):
    """(plan, tensor) of all that it is given."""
    model, inputs = kernelbench_given(request)
    held = {path: tensor for path, tensor, _ in state_of(model)}
    return [(plan, leaf) for plan, (_, leaf) in zip(structure["inputs"], foreign.leaves(inputs))] \
        + [(plan, held[plan["path"]]) for plan in structure["state"]]


def tried_below_zero(request, result):
    """The inputs that are never negative in a problem of KernelBench, where its results are finite
    if they are."""
    high = {tensor["name"]: tensor["fill"]["high"] for tensor in result["tensors"]
            if tensor["fill"].get("low", -1) >= 0 and tensor["fill"]["distribution"] == "uniform"}
    plans = iter(result["structure"]["inputs"])

    def lowered(path, leaf):
        name = (next(plans) or {}).get("name")
        return leaf.uniform_(-high[name] / 4, high[name]) if name in high else leaf

    try:
        with foreign.contained("cpu"):
            model, inputs = kernelbench_given(request)
            outputs = foreign.call(model, foreign.map_leaves(inputs, lowered))
            finite = all(torch.isfinite(each).all() for each in foreign.tensors_of(outputs))
    except (Exception, SystemExit):
        return []
    given = {(plan or {}).get("name") for plan in result["structure"]["inputs"]}
    return sorted(given & set(high)) if finite else []


def describe_kernelbench(request, device):
    description, origins = Description(), Origins()
    with foreign.contained(device), origins:
        model, inputs = kernelbench_given(request)
        found, held, unused = foreign.leaves(inputs), state_of(model), batch_statistics(model)
        origins.start_use()
        outputs = foreign.tensors_of(foreign.call(model, inputs))
    labels = dict(enumerate(forward_names(model, len(inputs))))
    plans = add_inputs(description, found, labels, origins)
    state = add_state(description, held, unused, origins)
    note_training(description, model)
    names = output_names(description.names, len(outputs))
    for name, tensor in zip(names, outputs):
        description.add_output(name, tensor)
    note_random(description, names, outputs, origins)
    changed = [plan["name"] for plan in plans + state if plan and plan.get("changed")]
    if changed:
        description.note("forward changes it in place, which is not judged", *changed)
    description.require_outputs()
    return description.result(kernelbench_tolerance(outputs), {
        "device": device, "inputs": plans, "state": state,
        "outputs": [build_plan(*pair) for pair in zip(names, outputs)]})


# gpu-mode

def unpacked_names(file):
    """The names under which ref_kernel takes apart its argument, or the argument's own name."""
    with open(file, encoding="utf-8") as opened:
        tree = ast.parse(opened.read())
    function = next(node for node in tree.body
                    if isinstance(node, ast.FunctionDef) and node.name == "ref_kernel")
    argument = function.args.args[0].arg
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple) \
                and isinstance(node.value, ast.Name) and node.value.id == argument:
            return [getattr(target, "id", "_") for target in node.targets[0].elts]
    return [argument]


def data_labels(found, names):
    """A label for each leaf of the data: its name in ref_kernel and where it is within that."""
    labels = []
    for path, _ in found:
        first = path[0] if path else 0
        known = names[first] if isinstance(first, int) and first < len(names) else first
        known = "input_%s" % first if known == "_" else known
        inner = [part for part in path[1:] if part not in ("_parameters", "_buffers", "_modules")]
        labels.append((known, *inner))
    return labels


def role_of(tensor, origins):
    key = key_of(tensor)
    written = origins.written.get(key)
    if written is None:
        return "in" if key in origins.read else "unused"
    return "inout" if key in origins.read or written < tensor.numel() else "out"


def allocated_for(result, unused, origins):
    """The first unused tensor of the data that is there for a result that ref_kernel makes anew:
    of the same shape and type, or not filled and of as many elements."""
    for index, tensor in unused.items():
        alike = (tensor.shape, tensor.dtype) == (result.shape, result.dtype)
        empty = origins.given_origin(tensor).kind in ("empty", "constant")
        if alike or empty and tensor.numel() == result.numel():
            return index
    return None


def output_of(result, tensors, roles, unused, origins):
    """Which leaf of the data a returned tensor is, or is meant for; none where it is a new one."""
    same = [i for i, tensor in tensors.items() if key_of(tensor) == key_of(result)
            and tensor.shape == result.shape and roles[i] in ("out", "inout")]
    return same[0] if same else allocated_for(result, unused, origins)


def returned_outputs(results, tensors, roles, origins):
    """(leaf of the data or None, index among the results) of each output."""
    unused = {i: tensor for i, tensor in tensors.items() if roles[i] == "unused"}
    found = []
    for number, result in enumerate(results):
        index = output_of(result, tensors, roles, unused, origins)
        if index is not None and index in unused:
            del unused[index]
        if index is None or roles[index] != "inout":
            found.append((index, number))
    taken = {index for index, _ in found}
    return found + [(i, None) for i in tensors if roles[i] == "out" and i not in taken]


def add_data(description, found, labels, roles, outputs, origins):
    """Adds the data's tensors and numbers; returns a plan for each leaf."""
    plans = []
    real = real_type([leaf for _, leaf in found])
    for index, ((path, leaf), label) in enumerate(zip(found, labels)):
        text = "_".join(map(str, label))
        if index in outputs:
            name = description.names.new(*label)
            description.note_layout(name, leaf)
            plans.append(build_plan(name, leaf, allocated=True))
        elif index in roles and roles[index] == "unused":
            description.leave_out(text, "ref_kernel does not read it")
            plans.append(None)
        elif index in roles:
            name = description.names.new(*label)
            description.add_tensor(name, roles[index], leaf, origins.given_origin(leaf))
            plans.append(build_plan(name, leaf, changed=roles[index] == "inout"))
        elif is_number(leaf) and len(path) == 1:
            name = description.names.new(*label)
            description.add_scalar(name, leaf, real)
            plans.append({"name": name})
        else:
            if len(path) < 2:
                description.leave_out(text, "fixed as %.60r" % (leaf,))
            plans.append(None)
    return plans


def tolerance_of(module, data, results, found, device):
    """The widest tolerance that the problem's own check asks for; none where it has none."""
    output = results[0] if len(results) == 1 else tuple(results)
    with contextlib.suppress(Exception), foreign.contained(device):
        module.check_implementation(data, output)
    if not found:
        return None
    return {"absolute": max(absolute for _, absolute in found),
            "relative": max(relative for relative, _ in found)}


def add_results(description, outputs, plans, tensors, results, origins):
    """Adds the outputs; returns a plan for each, with where a call's value for it is found."""
    returned = []
    fresh = iter(output_names(description.names, sum(index is None for index, _ in outputs)))
    for index, number in outputs:
        name = next(fresh) if index is None else plans[index]["name"]
        tensor = results[number] if index is None else tensors[index]
        description.add_output(name, tensor)
        returned.append(build_plan(name, tensor, result=number, leaf=index))
        note_random(description, [name], [tensor if number is None else results[number]], origins)
    return returned


def note_gpu_mode(description, plans, tolerance):
    changed = [plan["name"] for plan in plans if plan and plan.get("changed")]
    if changed:
        description.note("ref_kernel changes it in place, and reads it or does not write all of "
                         "it", *changed)
    if tolerance is None:
        description.note("the problem has a check of its own, with no tolerance for elements; "
                         "choose one")


def gpu_mode_values(request, structure):
    """(plan, tensor) of all that it is given."""
    data = foreign.load_gpu_mode(request["file"]).generate_input(**request["arguments"])
    return [(plan, leaf) for plan, (_, leaf) in zip(structure["data"], foreign.leaves(data))]


def describe_gpu_mode(request, device):
    description, origins, tolerances = Description(), Origins(), []
    with foreign.contained(device), origins:
        module = foreign.load_gpu_mode(request["file"], lambda *pair: tolerances.append(pair))
        check_has(module, "generate_input", "ref_kernel")
        data = module.generate_input(**request["arguments"])
        found = foreign.leaves(data)
        origins.start_use()
        results = foreign.tensors_of(module.ref_kernel(data))
    tolerance = tolerance_of(module, data, results, tolerances, device)
    tensors = {i: leaf for i, (_, leaf) in enumerate(found) if isinstance(leaf, torch.Tensor)}
    roles = {i: role_of(tensor, origins) for i, tensor in tensors.items()}
    outputs = returned_outputs(results, tensors, roles, origins)
    labels = data_labels(found, unpacked_names(request["file"]))
    plans = add_data(description, found, labels, roles, {index for index, _ in outputs}, origins)
    returned = add_results(description, outputs, plans, tensors, results, origins)
    note_gpu_mode(description, plans, tolerance)
    description.require_outputs()
    return description.result(tolerance, {"device": device, "data": plans, "outputs": returned})


# Definitions

def definition_given(request, device):
    """What the entrypoint makes, by the name of the input."""
    module, name = foreign.load(request["file"]), request["entrypoint"]
    check_has(module, name)
    given = getattr(module, name)(dict(request["arguments"]), torch.device(device))
    if not isinstance(given, dict):
        raise CannotDescribe("%s gives no dict of inputs" % name)
    for wanted in request["inputs"]:
        if not isinstance(given.get(wanted), torch.Tensor):
            raise CannotDescribe("%s gives no tensor %s" % (name, wanted))
    return given


def definition_values(request, structure):
    """(plan, tensor) of all that it makes."""
    given = definition_given(request, "cpu")
    return [(plan, given[plan["name"]]) for plan in structure["inputs"]]


def describe_definition(request, device):
    description, origins = Description(), Origins()
    with foreign.contained(device), origins:
        given = definition_given(request, device)
        origins.start_use()
    wanted = {name: given[name] for name in request["inputs"]}
    for name, tensor in wanted.items():
        description.add_tensor(name, "in", tensor, origins.given_origin(tensor))
    for name, value in given.items():
        if is_number(value):
            description.add_scalar(name, value, real_type(wanted.values()))
    return description.result(None, {"device": device, "inputs": [
        build_plan(name, tensor) for name, tensor in wanted.items()]})


FORMATS = {
    "kernelbench": (describe_kernelbench, kernelbench_values),
    "gpu-mode": (describe_gpu_mode, gpu_mode_values),
    "definition": (describe_definition, definition_values),
}


def bytes_of(tensor):
    size = {name: dtype.itemsize for dtype, name in DTYPES.items()}[tensor["dtype"]]
    return math.prod(tensor["shape"]) * size


def write_values(path, value):
    values = value.detach().reshape(-1).view(torch.uint8)
    if not values.numel():
        open(path, "wb").close()  # nothing cannot be mapped
        return
    torch.from_file(path, shared=True, size=values.numel(), dtype=torch.uint8).copy_(values)


def write_kept(request, values, tensors):
    """Writes the values of tensors of the case; values as the format's function gives them."""
    folder, names = request["values_folder"], Names()
    os.makedirs(folder, exist_ok=True)
    for plan, value in values:
        if not plan or plan["name"] not in tensors:
            continue
        name, tensor, value = plan["name"], tensors[plan["name"]], foreign.as_given(value)
        if (case_type(name, value), list(value.shape)) != (tensor["dtype"], tensor["shape"]):
            raise CannotDescribe("%s has another type or shape on the CPU" % name)
        tensor["file"] = names.new(name) + ".bin"
        write_values(os.path.join(folder, tensor["file"]), value)


def keep_values(request, result):
    """Makes the values of all that is kept on the CPU, wherever it was described, and writes
    them."""
    tensors = {tensor["name"]: tensor for tensor in result["tensors"] if tensor["fill"] == KEPT}
    size = sum(map(bytes_of, tensors.values()))
    if size > MOST_KEPT:
        raise CannotDescribe(
            "the values of %s have a structure that no distribution has, and take %.1f GiB, more "
            "than the %.0f GiB that can be kept; make it smaller"
            % (", ".join(tensors), size / 2**30, MOST_KEPT / 2**30))
    if tensors:
        _, values = FORMATS[request["format"]]
        with foreign.contained("cpu"):
            write_kept(request, values(request, result["structure"]), tensors)


def one_line(error):
    text = " ".join(str(error).split())
    return "%s: %s" % (type(error).__name__, text[:300])


@contextlib.contextmanager
def refusals(file):
    """Says which file cannot be described."""
    try:
        yield
    except CannotDescribe as error:
        raise CannotDescribe("%s: %s" % (file, error)) from None
    except ModuleNotFoundError as error:
        raise CannotDescribe("%s needs the module %s, which is not there; install it for the "
                             "Python that has PyTorch" % (file, error.name)) from None


def described(request):
    """The answer to a request, without the values of what is kept."""
    file, failures = request["file"], []
    describe, _ = FORMATS[request["format"]]
    for device in ("meta", "cpu"):
        try:
            with refusals(file):
                return describe(request, device)
        except CannotDescribe:
            raise
        except (Exception, SystemExit) as error:
            failures.append(one_line(error))
    raise CannotDescribe(
        "%s could not be run to find its tensors, neither without data nor on the CPU (%s); make "
        "it run with PyTorch alone on the CPU" % (file, "; ".join(dict.fromkeys(failures))))


def answer_to(request):
    request = dict(request, arguments=request.get("arguments") or {})
    if request["format"] not in FORMATS:
        raise CannotDescribe("the format %r is not one of %s"
                             % (request["format"], ", ".join(FORMATS)))
    result = described(request)
    if request.get("try_negative"):
        result["may_be_negative"] = tried_below_zero(request, result)
    if "values_folder" not in request:
        return result
    try:
        with refusals(request["file"]):
            keep_values(request, result)
    except CannotDescribe:
        raise
    except (Exception, SystemExit) as error:
        raise CannotDescribe("%s: the values of %s are to be kept, but could not be made on the "
                             "CPU (%s)" % (request["file"], ", ".join(result["structure"]["kept"]),
                                           one_line(error))) from None
    return result


def main():
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        result = answer_to(json.load(sys.stdin))
    except (KeyError, ValueError) as error:
        result = {"error": "standard input is no request (%s)" % one_line(error)}
    except CannotDescribe as error:
        result = {"error": str(error)}
    json.dump(result, answer)
    answer.write("\n")
    answer.flush()


if __name__ == "__main__":
    main()
