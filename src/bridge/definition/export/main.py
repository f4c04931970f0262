"""Calls the kernel in @MAIN@, which autokernel compiles and judges as it is here.

Made by autokernel export. The kernel is imported once for each choice of the axes: to it, they are
constants of the module autokernel.
"""

import importlib.util
import os
import sys
import types

import torch

FOLDER = os.path.dirname(os.path.abspath(__file__))
DTYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16,
          "bf16": torch.bfloat16, "e4m3": torch.float8_e4m3fn, "e5m2": torch.float8_e5m2,
          "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8,
          "u8": torch.uint8, "bool": torch.bool}
KERNELS = {}


def workspace(shape, dtype="f32", zeroed=False):
    make = torch.zeros if zeroed else torch.empty
    return make(shape, dtype=DTYPES.get(dtype, dtype), device="cuda")


def solution(file, function, inputs=None, outputs=(), destination_passing=True, packed=False):
    """A launch() of another solution's function."""
    module = imported(os.path.join(FOLDER, file), "autokernel_" + os.path.basename(file)[:-3])

    def launch(*operands):
        given = dict(zip(OPERANDS, operands))
        named = [given[name] for name in inputs or [n for n in OPERANDS if n not in outputs]]
        if destination_passing:
            named += [given[name] for name in outputs if name not in (inputs or ())]
        result = getattr(module, function)(*((tuple(named),) if packed else named))
        if not destination_passing:
            several = result if isinstance(result, (list, tuple)) else (result,)
            for name, value in zip(outputs, several):
                given[name].copy_(value)

    return launch


def imported(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def kernel_for(sizes):
    key = tuple(sorted(sizes.items()))
    if key not in KERNELS:
        harness = types.ModuleType("autokernel")
        vars(harness).update(sizes, workspace=workspace, solution=solution,
                             capability=torch.cuda.get_device_capability())
        sys.modules["autokernel"] = harness
        if FOLDER not in sys.path:
            sys.path.insert(0, FOLDER)
        KERNELS[key] = imported(os.path.join(FOLDER, "@MAIN@"), "autokernel_kernel_%d" % len(KERNELS))
    return KERNELS[key]


OPERANDS = @OPERANDS@


def run(@PARAMETERS@):
@SIZES@
@OUTPUTS@
    kernel_for(sizes).launch(@ARGUMENTS@)
    return @RETURNED@
