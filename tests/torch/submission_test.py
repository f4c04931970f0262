"""Submissions to KernelBench and gpu-mode, judged by the program AUTOKERNEL. The Python has PyTorch and Triton.

KERNELBENCH and GPU_MODE have those benchmarks' sources, if they are there.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

PROGRAM = os.environ.get("AUTOKERNEL", str(pathlib.Path(__file__).parents[2] / "build/release/bin/autokernel"))

HEAD = """
import torch
import torch.nn as nn
import triton
import triton.language as tl

@triton.jit
def affine(x, scale, shift, out, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    values = tl.load(x + row * columns + at, mask=inside) * tl.load(scale + at, mask=inside)
    tl.store(out + row * columns + at, values + tl.load(shift + at, mask=inside), mask=inside)
"""

SHIFT = """
class Shift(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.register_buffer("by", torch.randn(columns))
"""

# A parameter, a buffer inside of a module, an input in a list, and a constant that the sizes differ in.
MODEL = """
import torch
import torch.nn as nn

rows = 512
columns = 48
""" + SHIFT + """
class Model(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(columns))
        self.shift = Shift(columns)

    def forward(self, x):
        return x[0] * self.scale + self.shift.by

def get_inputs():
    return [[torch.randn(rows, columns)]]

def get_init_inputs():
    return [columns]
"""

MODEL_NEW = HEAD + SHIFT + """
class ModelNew(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(columns))
        self.shift = Shift(columns)

    def forward(self, x):
        values = x[0]
        assert values.is_cuda and self.scale.is_cuda
        out = torch.empty_like(values)
        affine[(values.shape[0],)](values, self.scale.data, self.shift.by, out, values.shape[1], BLOCK=64)
        return out
"""

IN_CUDA = '''''
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
__global__ void affine(const float* x, const float* scale, const float* shift, float* out, int columns, float by) {
  for (int at = threadIdx.x; at < columns; at += blockDim.x)
    out[blockIdx.x * columns + at] = x[blockIdx.x * columns + at] * scale[at] * by + shift[at];
}

torch::Tensor run(torch::Tensor x, torch::Tensor scale, torch::Tensor shift, int64_t columns, double by) {
  TORCH_CHECK(x.is_cuda());
  auto out = torch::zeros_like(x);
  affine<<<x.size(0), 32>>>(x.data_ptr<float>(), scale.data_ptr<float>(), shift.data_ptr<float>(),
                            out.data_ptr<float>(), columns, by);
  return out;
}
"""
module = load_inline(name="affine", cpp_sources="torch::Tensor run(torch::Tensor x, torch::Tensor scale, "
                     "torch::Tensor shift, int64_t columns, double by);", cuda_sources=source, functions=["run"])
'''''

MODEL_IN_CUDA = IN_CUDA + SHIFT + """
class ModelNew(nn.Module):
    def __init__(self, columns):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(columns))
        self.shift = Shift(columns)

    def forward(self, x):
        return module.run(x[0], self.scale, self.shift.by, x[0].shape[1], 1.0)
"""

KERNEL_IN_CUDA = IN_CUDA + """
def custom_kernel(data):
    given, shift, out = data
    return module.run(given.x, given.scale, shift, given.x.shape[1], 1.0)
"""

TASK = """
files:
  - {"name": "submission.py", "source": "@SUBMISSION@"}
  - {"name": "task.py", "source": "task.py"}
  - {"name": "reference.py", "source": "reference.py"}
lang: "py"
description: "adds"
config:
  main: "eval.py"
tests:
  - {"rows": 8, "columns": 48, "seed": 1}
benchmarks:
  - {"rows": 512, "columns": 48, "seed": 2}
"""

REFERENCE = """
import torch
from task import Affine

def generate_input(rows, columns, seed):
    torch.manual_seed(seed)
    return Affine(torch.randn(rows, columns), torch.randn(columns)), torch.randn(columns), torch.empty(rows, columns)

def ref_kernel(data):
    affine, shift, out = data
    out[...] = affine.x * affine.scale + shift
    return out

def check_implementation(data, output):
    assert torch.allclose(output, ref_kernel(data), rtol=1e-4, atol=1e-4)
"""

CUSTOM_KERNEL = HEAD + """
from task import Affine

def custom_kernel(data):
    given: Affine
    given, shift, out = data
    affine[(given.x.shape[0],)](given.x, given.scale, shift, out, given.x.shape[1], BLOCK=64)
    return out
"""


class Submissions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.write("affine.py", MODEL)
        for name, text in [("task.yml", TASK), ("reference.py", REFERENCE),
                           ("task.py", "class Affine:\n    def __init__(self, x, scale):\n"
                                       "        self.x, self.scale = x, scale\n")]:
            cls.write(f"adds/{name}", text)
        for what in ("affine.py", "adds"):
            run = cls.autokernel("import", what, "--allow", "--python", sys.executable)
            assert run.returncode == 0, run.stdout + run.stderr

    @classmethod
    def write(cls, name, text):
        path = cls.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))

    @classmethod
    def autokernel(cls, *arguments):
        environment = {"PATH": os.environ["PATH"], "HOME": str(cls.folder), "VIRTUAL_ENV": sys.prefix,
                       "AUTOKERNEL_RESIDENT": "0"}
        return subprocess.run([PROGRAM, *arguments], cwd=cls.folder, env=environment, text=True, capture_output=True)

    def judged(self, text, case):
        self.write("submitted.py", text)
        return self.autokernel("evaluate", "submitted.py", "--case", f"cases/{case}", "--device", "cpu",
                               "--sizes", "check")

    def passes(self, text, case):
        run = self.judged(text, case)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def fails(self, text, case, why):
        run = self.judged(text, case)
        self.assertNotEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn(why, run.stdout + run.stderr)

    def test_model_with_the_parameters_of_the_case(self):
        self.passes(MODEL_NEW, "affine")

    def test_model_that_is_wrong(self):
        self.fails(MODEL_NEW.replace("self.scale.data, self.shift.by", "self.shift.by, self.scale"), "affine",
                   "incorrect: output[0,0] = ")

    def test_model_that_takes_less(self):
        self.fails(MODEL_NEW.replace("def forward(self, x)", "def forward(self)"), "affine",
                   "forward() takes 1 positional argument but 2 were given")

    def test_parameter_of_another_shape(self):
        self.fails(MODEL_NEW.replace("nn.Parameter(torch.randn(columns))", "nn.Parameter(torch.randn(1, columns))"),
                   "affine", "ModelNew has scale of shape [1, 48], and Model scale of [48]")

    def test_tensor_that_the_model_does_not_have(self):
        self.fails(MODEL_NEW.replace("self.scale = ", "self.scales = ").replace("self.scale.data", "self.scales")
                   .replace(" and self.scale.is_cuda", ""), "affine",
                   "scales, which is none of Model's scale, shift.by, cannot be handed over")

    def test_parameter_in_another_place(self):
        self.passes(MODEL_NEW.replace("self.shift.by", "self.by").replace(
            "self.shift = Shift(columns)", "self.register_buffer('by', torch.randn(columns))"), "affine")

    def test_parameters_prepared_with_pytorch(self):
        self.fails(MODEL_NEW.replace("self.scale.data", "self.scale * 2"), "affine", "it computes with PyTorch (aten::mul)")

    def test_result_of_pytorch(self):
        self.fails(MODEL_NEW.replace("return out", "return x[0] * self.scale + self.shift.by"), "affine",
                   "it computes with PyTorch (aten::mul)")

    def test_no_model(self):
        self.fails(MODEL_NEW.replace("class ModelNew", "class Model"), "affine", "the submission has no ModelNew")

    def test_custom_kernel_that_writes_into_the_data(self):
        self.passes(CUSTOM_KERNEL, "adds")

    def test_custom_kernel_that_returns_a_tensor_of_its_own(self):
        self.passes(CUSTOM_KERNEL.replace("    affine[", "    out = torch.empty_like(given.x)\n    affine["), "adds")

    def test_custom_kernel_that_is_wrong(self):
        self.fails(CUSTOM_KERNEL.replace("(given.x.shape[0],)", "(given.x.shape[0] - 1,)"), "adds", "incorrect: ")

    def test_custom_kernel_that_returns_nothing_it_wrote(self):
        self.fails(CUSTOM_KERNEL.replace("return out", "return torch.empty_like(out)"), "adds", "another tensor than")

    def test_text_that_is_no_python(self):
        self.fails("def custom_kernel(:\n", "adds", "submission.py:1: SyntaxError: invalid syntax")

    def test_function_of_cpp(self):
        self.passes(MODEL_IN_CUDA, "affine")
        self.passes(KERNEL_IN_CUDA, "adds")

    def test_function_of_cpp_that_is_wrong(self):
        self.fails(MODEL_IN_CUDA.replace("shape[1], 1.0", "shape[1], 1.5"), "affine", "incorrect: output[0,0] = ")
        self.fails(KERNEL_IN_CUDA.replace("given.scale, shift", "shift, given.scale"), "adds", "incorrect: ")
        self.fails(KERNEL_IN_CUDA.replace("x.size(0), 32", "x.size(0) - 1, 32"), "adds", "incorrect: ")

    def test_what_a_function_of_cpp_cannot_be_part_of(self):
        for part, other, why in (
            ("return module.run(", "module.run(x[0], self.scale, self.shift.by, 4, 1.0)\n        return module.run(",
             "it calls 2 functions of C++"),
            ("x[0].shape[1], 1.0)", "x[0].shape[1], 1.0) + 1", "it computes with what a function of C++ returned"),
            ("x[0].shape[1], 1.0)", "x[0].shape[1], 1.0).sum()", "it uses what a function of C++ returned (sum)"),
            ("run(x[0], ", "run(x[0][1:], ", "a part of x_0, or another order of it"),
            ("run(x[0], ", "run(x=x[0], scale=", "hands x"),
            ("run(x[0], ", "run(x[0].data_ptr(), ", "the address of a tensor"),
            ("run(x[0], ", "run(torch.zeros_like(x[0]), ", "a tensor that it allocates"),
            ("run(x[0], ", "run(x[0].cpu(), ", "values of tensors are not known"),
            ("return module.run(", "return module.others(", "has no function others()"),
            ("affine<<<x.size(0), 32>>>", "scale.mul_(2); affine<<<x.size(0), 32>>>", "calls mul_(), which is not taken over"),
            ("out = torch::zeros_like(x)", "out = x.clone()", "calls clone(), which is not taken over"),
        ):
            with self.subTest(other):
                text = MODEL_IN_CUDA.replace(part, other)
                if "scale=" in other:
                    text = text.replace("scale=self.scale, self.shift.by, x[0].shape[1], 1.0",
                                        "scale=self.scale, shift=self.shift.by, columns=48, by=1.0")
                self.fails(text, "affine", why)

    def test_kernel_of_a_function_of_cpp_can_be_written_out(self):
        self.write("cuda.py", KERNEL_IN_CUDA)
        run = self.autokernel("evaluate", "cuda.py", "--case", "cases/adds", "--device", "cpu", "--sizes", "check",
                              "--kernel-out", "mine")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("AUTOKERNEL_LAUNCH", (self.folder / "mine/kernel.cu").read_text())
        run = self.autokernel("bench", "--case", "cases/adds", "--kernel", "mine/kernel.cu", "--device", "cpu",
                              "--size", "check", "--quick")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_python_that_was_named_runs_the_reference(self):
        self.assertIn(f"python = '{sys.executable}'", (self.folder / "cases/affine/case.toml").read_text())

    def test_all_sizes_are_judged(self):
        self.write("all.py", MODEL_NEW)
        run = self.autokernel("evaluate", "all.py", "--case", "cases/affine", "--device", "cpu", "--json")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn('"size":"check"', run.stdout.replace('": "', '":"'))
        self.assertIn('"size":"default"', run.stdout.replace('": "', '":"'))


if __name__ == "__main__":
    unittest.main()
