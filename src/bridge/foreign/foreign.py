"""Loads and runs a problem file of another project: on one device, and with no effect on what
runs after it. describe_problem.py and the references share it."""

import ast
import contextlib
import copy
import json
import os
import random
import sys
import types
import typing

import torch
from torch.overrides import TorchFunctionMode

MODULE = "foreign_problem"
FOLDER = os.path.dirname(os.path.abspath(__file__))
# dtypes that a case does not have, and what it has in their place.
STAND_INS = {"float8_e4m3fnuz": torch.float8_e4m3fn, "float8_e5m2fnuz": torch.float8_e5m2,
             "float4_e2m1fn_x2": torch.uint8}

# Deterministic products of cuBLAS need it before the first of them.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")


def torch_name(dtype):
    return str(dtype).replace("torch.", "")


def in_case(name):
    """A file of the case in which this one is."""
    return os.path.join(FOLDER, name)


def problem_of_case():
    with open(in_case("problem.json"), encoding="utf-8") as file:
        return json.load(file)


def is_number(value):
    return isinstance(value, (bool, int, float))


E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)


def unpacked(pairs):
    """The numbers of rows of 4-bit pairs; the lower half of a byte is the first."""
    codes = pairs.contiguous().view(torch.uint8)
    codes = torch.stack((codes & 15, codes >> 4), -1).flatten(-2)
    return torch.tensor(E2M1 + tuple(-value for value in E2M1))[codes.int()]


def scaled(pairs, scales):
    """Rows of 4-bit pairs with a scale for each 16 numbers. Scales are in tiles of 128 rows by 4,
    in which every 32nd row stands together, as cuBLAS wants them."""
    values = unpacked(pairs)
    rows, columns = values.shape[0], values.shape[1] // 16
    tiles = scales.float().reshape(-(-rows // 128), -(-columns // 4), 32, 4, 4)
    tiles = tiles.permute(0, 3, 2, 1, 4).flatten(0, 2).flatten(1)
    return values * tiles[:rows, :columns].repeat_interleave(16, 1)


def scaled_product(first, mat2, scale_a, scale_b, bias=None, scale_result=None, out_dtype=None,
                   use_fast_accum=False):
    """torch._scaled_mm of 4-bit numbers, which only a GPU has."""
    result = scaled(first, scale_a) @ scaled(mat2.t(), scale_b).t()
    return (result if bias is None else result + bias).to(out_dtype or torch.bfloat16)


class OneDevice(TorchFunctionMode):
    """Whatever a file asks of a GPU goes to one device; "meta" also takes what is for the CPU.

    Dropout is off: nobody else can draw its mask again. A number made a tensor on "meta" is one
    filled with it, in which Origins sees the number.
    """

    def __init__(self, device):
        super().__init__()
        self.device = torch.device(device)

    def __torch_function__(self, function, classes, args=(), kwargs=None):
        args, kwargs = list(args), dict(kwargs or {})
        if function is torch.nn.functional.dropout:
            return args[0] if args else kwargs["input"]
        if kwargs.get("dropout_p"):
            kwargs["dropout_p"] = 0.0
        if function is torch.Tensor.cuda:
            function, args, kwargs = torch.Tensor.to, [args[0], self.device], {}
        if function is torch._scaled_mm and self.device.type == "cpu" and args \
                and torch_name(args[0].dtype) == "float4_e2m1fn_x2":
            function = scaled_product
        if function is torch.Tensor.cpu and self.device.type == "meta":
            return args[0]
        if function is torch.tensor and self.device.type == "meta" and is_number(args[0]):
            function, args = torch.full, [(), args[0]]
        if function is torch.Tensor.to and len(args) > 1 and isinstance(args[1], (str, int)):
            args[1] = self.redirected(args[1])
        if kwargs.get("device") is not None:
            kwargs["device"] = self.redirected(kwargs["device"])
        args = [self.redirected(a) if isinstance(a, torch.device) else a for a in args]
        return function(*args, **kwargs)

    def redirected(self, device):
        if isinstance(device, int):
            return self.device
        wanted = torch.device(device)
        return self.device if self.device.type == "meta" or wanted.type == "cuda" else wanted


def generator_on(device):
    """torch.Generator, but for one device; a meta tensor is drawn with the CPU's."""
    kind = "cpu" if device.type == "meta" else device

    class Generator(torch.Generator):
        def __new__(cls, device=None):
            return super().__new__(cls, device=kind)

    return Generator


def deterministic():
    return (torch.are_deterministic_algorithms_enabled(),
            torch.is_deterministic_algorithms_warn_only_enabled())


SETTINGS = (
    (torch, "Generator"), (torch.backends.cuda.matmul, "allow_tf32"),
    (torch.backends.cudnn, "allow_tf32"), (torch.backends.cudnn, "deterministic"),
    (torch.backends.cudnn, "benchmark"),
)


@contextlib.contextmanager
def settings_kept():
    """Puts back the settings that a file may change."""
    values = [getattr(owner, name) for owner, name in SETTINGS]
    dtype, exact, state, environment = (torch.get_default_dtype(), deterministic(),
                                        random.getstate(), dict(os.environ))
    try:
        yield
    finally:
        for (owner, name), value in zip(SETTINGS, values):
            setattr(owner, name, value)
        torch.set_default_dtype(dtype)
        if exact != deterministic():
            torch.use_deterministic_algorithms(exact[0], warn_only=exact[1])
        random.setstate(state)
        os.environ.clear()
        os.environ.update(environment)


@contextlib.contextmanager
def contained(device):
    """Foreign code runs inside it: always from the same seed, in full fp32, without gradients."""
    device = torch.device(device)
    devices = [device] if device.type == "cuda" else []
    with contextlib.ExitStack() as stack:
        stack.enter_context(settings_kept())
        stack.enter_context(contextlib.redirect_stdout(sys.stderr))
        stack.enter_context(torch.random.fork_rng(devices=devices))
        stack.enter_context(torch.no_grad())
        stack.enter_context(torch.device(device))
        stack.enter_context(OneDevice(device))
        torch.Generator = generator_on(device)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cudnn.deterministic = True
        torch.backends.cudnn.benchmark = False
        if device.type == "cuda":  # it takes seconds to import what this needs
            torch.use_deterministic_algorithms(True, warn_only=True)
        torch.manual_seed(0)
        random.seed(0)
        yield


def load(path, constants=None, helpers=None):
    """The module that the file is, with other values for some of its constants.

    helpers are the modules that it may import from beside it, by name.
    """
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read(), path)
    replace_constants(tree, constants or {})
    module = types.ModuleType(MODULE)
    module.__file__ = os.path.abspath(path)
    with modules_kept(dict(helpers or {}, **{MODULE: module})):
        exec(compile(tree, path, "exec"), vars(module))
    return module


def replace_constants(tree, constants):
    """Has every statement that sets one of the constants followed by one that sets its value."""
    body, found = [], set()
    for statement in tree.body:
        body.append(statement)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)):
            names = {node.id for node in ast.walk(statement)
                     if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
            for name in sorted(names.intersection(constants)):
                body += ast.parse("%s = %r" % (name, constants[name])).body
            found |= names
    missing = sorted(set(constants) - found)
    if missing:
        raise NameError("the file has no constant " + ", ".join(missing))
    tree.body = body


@contextlib.contextmanager
def modules_kept(modules):
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


class NullContext(contextlib.ContextDecorator):
    def __init__(self, *args, **kwargs):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False


def beside(folder, name, stand_in):
    """The module NAME.py of the folder, or the stand-in where there is none that works."""
    path = os.path.join(folder, name + ".py")
    try:
        return load(path) if os.path.exists(path) else stand_in
    except ImportError:
        return stand_in


def gpu_mode_helpers(folder, found):
    """The modules task and utils of a problem of gpu-mode. The comparisons in utils compare
    nothing: they tell found(relative, absolute) what tolerance they were asked for."""

    def match_reference(data, output, reference=None, rtol=1e-05, atol=1e-08):
        found(rtol, atol)
        return True, ""

    def make_match_reference(reference, rtol=1e-05, atol=1e-08, **others):
        return lambda data, output: match_reference(data, output, reference, rtol, atol)

    def verbose_allclose(received, expected, rtol=1e-05, atol=1e-08, max_print=5):
        found(rtol, atol)
        return []

    def verbose_allequal(received, expected, max_print=5):
        found(0.0, 0.0)
        return []

    task = types.ModuleType("task")
    task.__getattr__ = lambda name: typing.Any
    stand_in = types.ModuleType("utils")
    stand_in.DeterministicContext = stand_in.DisableCuDNNTF32 = NullContext
    utils = beside(folder, "utils", stand_in)
    vars(utils).update(match_reference=match_reference, make_match_reference=make_match_reference,
                       verbose_allclose=verbose_allclose, verbose_allequal=verbose_allequal)
    return {"task": beside(folder, "task", task), "utils": utils}


def load_gpu_mode(path, found=lambda relative, absolute: None):
    """A problem of gpu-mode, with what it imports from beside it; found as in gpu_mode_helpers."""
    helpers = gpu_mode_helpers(os.path.dirname(os.path.abspath(path)), found)
    return load(path, helpers=helpers)


def call(function, given):
    """Calls it with a list, a dict of keywords, or one argument that is neither."""
    if isinstance(given, dict):
        return function(**given)
    return function(*given) if isinstance(given, (list, tuple)) else function(given)


def build_model(module):
    """The Model of get_init_inputs, which gives what call takes, or [list, dict of keywords]."""
    initial = getattr(module, "get_init_inputs", list)()
    if isinstance(initial, list) and [type(part) for part in initial] == [list, dict]:
        model = module.Model(*initial[0], **initial[1])
    else:
        model = call(module.Model, initial)
    for part in model.modules():
        if isinstance(part, (torch.nn.RNNBase, torch.nn.MultiheadAttention)):
            part.dropout = 0.0
    return model


def inputs_of(module):
    """What get_inputs gives, as what call takes."""
    inputs = module.get_inputs()
    return inputs if isinstance(inputs, (list, tuple, dict)) else [inputs]


@contextlib.contextmanager
def attributes_kept(model):
    """Puts back the attributes that a Model sets as it runs."""
    before = [(part, dict(vars(part))) for part in model.modules()]
    try:
        yield
    finally:
        for part, attributes in before:
            vars(part).clear()
            vars(part).update(attributes)


def get_attribute(model, path):
    owner, _, name = path.rpartition(".")
    return getattr(model.get_submodule(owner), name)


def set_attribute(model, path, value):
    owner, _, name = path.rpartition(".")
    vars(model.get_submodule(owner))[name] = value


def is_object(value):
    """Whether it is a module of PyTorch, or of a class that the file defines."""
    return hasattr(value, "__dict__") and (isinstance(value, torch.nn.Module)
                                           or type(value).__module__ == MODULE)


def map_leaves(value, change, path=()):
    """A copy of a structure of lists, dicts and objects, with change(path, leaf) for each leaf."""
    if isinstance(value, (list, tuple)):
        items = [map_leaves(item, change, path + (i,)) for i, item in enumerate(value)]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        result = copy.copy(value)
        for key, item in value.items():
            result[key] = map_leaves(item, change, path + (key,))
        return result
    if is_object(value):
        result = copy.copy(value)
        vars(result).update(map_leaves(dict(vars(value)), change, path))
        return result
    return change(path, value)


def leaves(value):
    """(path, leaf) of each leaf, in the order of map_leaves."""
    found = []
    map_leaves(value, lambda path, leaf: found.append((path, leaf)))
    return found


def tensors_of(value):
    return [leaf for _, leaf in leaves(value) if isinstance(leaf, torch.Tensor)]


def size_of(sizes, inputs):
    """The index of the first size of the case at which tensors have these shapes."""
    given = {name: list(value.shape) for name, value in inputs.items()
             if isinstance(value, torch.Tensor)}
    for index, size in enumerate(sizes):
        if size["shapes"] == given:
            return index
    raise ValueError("problem.json knows no size with these shapes; import the problem again")


def device_of(inputs):
    """The device of a reference's inputs."""
    return next((value.device for value in inputs.values() if isinstance(value, torch.Tensor)),
                torch.device("cpu"))


def dense_like(plan, device):
    """A tensor with the shape and strides of the problem's own, of undefined values."""
    dtype = getattr(torch, plan["dtype"])
    if "strides" in plan:
        return torch.empty_strided(plan["shape"], plan["strides"], dtype=dtype, device=device)
    return torch.empty(plan["shape"], dtype=dtype, device=device)


def allocated(plan, device):
    return dense_like(plan, device).zero_()


def without_planned(skeleton, plans):
    """The structure of a call, without the values that each call is given."""
    left = iter(plans)
    return map_leaves(skeleton, lambda path, leaf: leaf if next(left) is None else None)


def restored(value, plan):
    """The problem's own tensor of one that a reference is given; a number stays as it is."""
    if not isinstance(value, torch.Tensor):
        return value
    dtype = getattr(torch, plan["dtype"])
    value = value.reshape(plan["shape"])
    if "strides" in plan:
        strided = torch.empty_strided(plan["shape"], plan["strides"], dtype=value.dtype,
                                      device=value.device)
        value = strided.copy_(value)
    elif plan.get("changed"):
        value = value.clone()
    if value.dtype == torch.uint8 != dtype:
        return value.view(dtype)
    return value.to(dtype)


def as_given(value):
    """A problem's own tensor as one that a reference is given."""
    value = value.contiguous().reshape(value.shape or (1,))
    stand_in = STAND_INS.get(torch_name(value.dtype))
    if stand_in is None:
        return value
    return value.view(stand_in) if stand_in == torch.uint8 else value.float().to(stand_in)


def as_output(value, plan):
    """An output in the shape and dtype that the case has for it."""
    dtype = getattr(torch, plan["dtype"])
    if value.dtype != STAND_INS.get(plan["dtype"], dtype):
        value = value.to(dtype)
    return as_given(value.reshape(plan["shape"]))
