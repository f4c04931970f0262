"""Exports that need PyTorch and TVM-FFI: made, built, loaded, and compared with the reference on the emulated driver.

The name of the form is the argument. Where a GPU is, AUTOKERNEL_DRIVER is not to be set.
"""

import importlib.util
import os
import subprocess
import sys
import sysconfig
import tempfile

AUTOKERNEL = os.environ["AUTOKERNEL"]
SOURCES = os.environ["AUTOKERNEL_SOURCES"]
DATA = os.path.join(SOURCES, "tests", "data")
KERNELS = os.path.join(SOURCES, "kernels")
CASES = {
    "axpy": ["--case", DATA + "/axpy"],
    "split_k": ["--case", DATA + "/split_k"],
    "scaled_sum": ["--case", DATA + "/scaled_sum"],
    "histogram": ["--case", DATA + "/histogram"],
    "matmul": ["--case", KERNELS, "--kernel", KERNELS + "/examples/wgmma_tma.cu"],
}


def run(*command, **variables):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, **variables}, check=False)
    assert done.returncode == 0, " ".join(command) + "\n" + done.stdout
    return done.stdout


def export(form, name, folder):
    out = os.path.join(folder, name)
    run(AUTOKERNEL, "export", *CASES[name], "--size", "default,check", "--as", form, "--out", out, "--device",
        "auto" if "AUTOKERNEL_DRIVER" not in os.environ else "cpu", VIRTUAL_ENV=sys.prefix)
    return out


def test_by_its_own_test(form, folder):
    # All of them take half a minute.
    everything = os.environ.get("AUTOKERNEL_TEST_FULL") == "1"
    for name in CASES if everything else ("axpy", "scaled_sum", "matmul"):
        out = export(form, name, folder)
        print(run(sys.executable, "-B", os.path.join(out, "tests", "test_%s.py" % name)).strip().splitlines()[-1])


REGISTRATION = """
#pragma once
#include <Python.h>
#define STABLE_TORCH_LIBRARY_EXPAND(NAME, MODULE) STABLE_TORCH_LIBRARY(NAME, MODULE)
#define STABLE_TORCH_LIBRARY_IMPL_EXPAND(NAME, DEVICE, MODULE) STABLE_TORCH_LIBRARY_IMPL(NAME, DEVICE, MODULE)
#define REGISTER_EXTENSION(NAME) REGISTER_AS(NAME)
#define REGISTER_AS(NAME)                                                        \\
  PyMODINIT_FUNC PyInit_##NAME() {                                               \\
    static PyModuleDef module = {PyModuleDef_HEAD_INIT, #NAME, nullptr, 0, nullptr}; \\
    return PyModule_Create(&module);                                             \\
  }
"""


def kernel_builder():
    """The reader of build.toml that kernel-builder has, without the package around it."""
    found = [folder for folder in sys.path if os.path.exists(os.path.join(folder, "kernels", "_rust.abi3.so"))]
    spec = importlib.util.spec_from_file_location("_rust", os.path.join(found[0], "kernels", "_rust.abi3.so"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build_for_hub(out, name, nvcc):
    """As kernel-builder does: the sources of build.toml, into a module beside the Python of torch-ext."""
    import torch
    root = os.path.dirname(torch.__file__)
    cuda = os.path.dirname(os.path.dirname(os.path.realpath(nvcc)))
    folder = os.path.join(out, "built")
    module = os.path.join(folder, name)
    os.makedirs(module)
    with open(os.path.join(folder, "registration.h"), "w", encoding="utf-8") as file:
        file.write(REGISTRATION)
    sources = os.path.join(out, name + "_cuda")
    objects = []
    for source in sorted(os.listdir(sources)):
        if source.endswith(".cu"):
            objects.append(os.path.join(folder, source + ".o"))
            run(nvcc, "-std=c++20", "-Xcompiler", "-fPIC", "-gencode", "arch=compute_90a,code=[sm_90a,compute_90a]",
                "-I" + sources, "-c", os.path.join(sources, source), "-o", objects[-1])
    objects.append(os.path.join(folder, "binding.o"))
    version = 2 << 56 | 11 << 48  # 2.11, as build.toml says
    run("g++", "-std=c++20", "-O1", "-fPIC", "-Wall", "-DUSE_CUDA", "-DTORCH_TARGET_VERSION=%#x" % version,
        "-DTORCH_EXTENSION_NAME=_%s_ops" % name, "-I" + folder, "-I" + sources, "-I" + out + "/torch-ext",
        "-I" + root + "/include", "-I" + sysconfig.get_path("include"), "-I" + cuda + "/include", "-c",
        os.path.join(out, "torch-ext", "torch_binding.cpp"), "-o", objects[-1])
    run("g++", "-shared", "-o", os.path.join(module, "_%s_ops.so" % name), *objects, "-L" + root + "/lib", "-ltorch",
        "-ltorch_cpu", "-ltorch_cuda", "-lc10", "-L" + cuda + "/lib64", "-lcudart_static", "-ldl", "-lrt", "-lpthread")
    with open(os.path.join(module, "_ops.py"), "w", encoding="utf-8") as file:
        file.write("import torch\nfrom . import _{0}_ops\nops = torch.ops._{0}_ops\n"
                   "def add_op_namespace_prefix(name): return '_{0}_ops::' + name\n".format(name))
    for source in os.listdir(os.path.join(out, "torch-ext", name)):
        os.symlink(os.path.join(out, "torch-ext", name, source), os.path.join(module, source))
    return folder


# In a process of its own, where the module can be imported. Without a GPU the kernel is not launched; what the operator says of
# its results, and what it refuses, does not need one.
WITHOUT_A_GPU = """
import sys, torch
from torch._subclasses import FakeTensorMode
import {0} as module
scalars = [{1}]
def made(at, device, **other):
    shape, strides, dtype = module._SIZES[0][at]
    return torch.empty_strided(shape, strides, dtype=other.get("dtype", dtype), device=device)
with FakeTensorMode():
    results = module.{0}(*[made(at, "cuda") for at in module._GIVEN], *scalars)
several = results if isinstance(results, tuple) else [] if results is None else [results]
assert [(tuple(t.shape), t.dtype) for t in several] == [(module._SIZES[0][at][0], module._SIZES[0][at][2])
                                                         for at in module._MADE], results
for device, other in [("cpu", {{}}), ("cpu", {{"dtype": torch.complex128}})]:
    try:
        module.{0}(*[made(at, device, **other) for at in module._GIVEN], *scalars)
    except (NotImplementedError, RuntimeError, TypeError, ValueError) as error:
        assert "{0}" in str(error), error
    else:
        raise AssertionError("not refused")
print("{0}: schema, meta function and refusals")
"""


def test_hub(folder):
    nvcc = os.environ.get("NVCC")
    if not nvcc:
        print("there is no nvcc")
        sys.exit(77)
    reader = kernel_builder()
    for name, scalars in {"scaled_sum": "0.5, 3", "matmul": ""}.items():
        out = export("hub", name, folder)
        build = reader.Build.open(out)
        assert [str(backend) for backend in build.general.backends] == ["cuda"], build.general
        built = build_for_hub(out, name, nvcc)
        if "AUTOKERNEL_DRIVER" in os.environ:
            print(run(sys.executable, "-B", "-c", WITHOUT_A_GPU.format(name, scalars), PYTHONPATH=built).strip())
        else:
            print(run(sys.executable, "-B", os.path.join(out, "tests", "test_%s.py" % name), PYTHONPATH=built).strip())


def main():
    with tempfile.TemporaryDirectory() as folder:
        if sys.argv[1] == "hub":
            test_hub(folder)
        else:
            test_by_its_own_test(sys.argv[1], folder)


main()
