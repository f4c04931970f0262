"""Tests of describe_problem.py and of the references, each with problems of a few lines. They
need a Python that has PyTorch."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest

import torch

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(ROOT, "src", "bridge", "foreign")
QUIET = dict(os.environ, CUDA_VISIBLE_DEVICES="", PYTHONDONTWRITEBYTECODE="1")
CALL = """
import sys, torch
sys.path.insert(0, ".")
import reference
torch.save(reference.reference(**torch.load("inputs.pt")), "outputs.pt")
"""


class Foreign(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.addCleanup(self.scratch.cleanup)
        self.work = os.path.join(self.scratch.name, "files")
        os.mkdir(self.work)

    def write(self, folder, files):
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(textwrap.dedent(text))

    def asked(self, files, **request):
        """The answer of describe_problem.py."""
        for name in ("describe_problem.py", "origins.py", "foreign.py"):
            shutil.copy(os.path.join(SCRIPTS, name), self.scratch.name)
        self.write(self.work, files)
        script = os.path.join(self.scratch.name, "describe_problem.py")
        run = subprocess.run([sys.executable, "-W", "ignore", script], input=json.dumps(request),
                             cwd=self.work, env=QUIET, capture_output=True, text=True, check=True)
        return json.loads(run.stdout)

    def described(self, files, **request):
        answer = self.asked(files, **request)
        self.assertNotIn("error", answer)
        return answer

    def computed(self, adapter, files, problem, **inputs):
        """What the reference of a case returns, in a process of its own."""
        folder = tempfile.mkdtemp(dir=self.scratch.name)
        shutil.copy(os.path.join(SCRIPTS, adapter), os.path.join(folder, "reference.py"))
        shutil.copy(os.path.join(SCRIPTS, "foreign.py"), folder)
        self.write(folder, dict(files, **{"problem.json": json.dumps(problem)}))
        torch.save(inputs, os.path.join(folder, "inputs.pt"))
        run = subprocess.run([sys.executable, "-W", "ignore", "-c", CALL], cwd=folder, env=QUIET,
                             capture_output=True, text=True)
        self.failure = run.stderr
        if run.returncode:
            return None
        return torch.load(os.path.join(folder, "outputs.pt"))

    def tensor(self, answer, name):
        return next(each for each in answer["tensors"] + answer["outputs"]
                    if each["name"] == name)

    def values(self, answer, name, dtype):
        path = os.path.join(self.work, "values", self.tensor(answer, name)["file"])
        with open(path, "rb") as file:
            return torch.frombuffer(bytearray(file.read()), dtype=dtype)

    def size(self, answer, **arguments):
        return {"arguments": arguments, "structure": answer["structure"],
                "shapes": {each["name"]: each["shape"] for each in answer["tensors"]}}


class GpuMode(Foreign):
    def request(self, **arguments):
        return {"format": "gpu-mode", "file": "problem.py", "arguments": arguments,
                "values_folder": "values"}

    def both(self, files, inputs, **arguments):
        answer = self.described(files, **self.request(**arguments))
        problem = {"file": "problem.py", "sizes": [self.size(answer, **arguments)]}
        result = self.computed("reference_gpumode.py", files, problem, **inputs)
        self.assertIsNotNone(result, self.failure)
        return answer, result

    def test_new_result(self):
        files = {"problem.py": """
            import torch
            from task import input_t, output_t
            from utils import make_match_reference

            def generate_input(rows: int, seed: int) -> input_t:
                generator = torch.Generator(device="cuda")
                generator.manual_seed(seed)
                return torch.randn(rows, 3, device="cuda", generator=generator), 2.5

            def ref_kernel(data: input_t) -> output_t:
                x, factor = data
                return x * factor

            check_implementation = make_match_reference(ref_kernel, rtol=1e-3, atol=2e-3)
        """}
        x = torch.arange(12.0).reshape(4, 3)
        answer, result = self.both(files, {"x": x, "factor": 3.0}, rows=4, seed=1)
        self.assertEqual(self.tensor(answer, "x")["fill"], {"distribution": "normal"})
        self.assertEqual(answer["structure"]["device"], "meta")
        self.assertEqual(answer["tolerance"], {"absolute": 2e-3, "relative": 1e-3})
        self.assertTrue(torch.equal(result["output"], x * 3))

    def test_result_in_the_data(self):
        files = {"problem.py": """
            import torch

            def generate_input(count, seed):
                return torch.rand(count), torch.empty(count), torch.zeros(1, dtype=torch.int32)

            def ref_kernel(data):
                x, out, unused = data
                assert unused.shape == (1,) and unused.device == x.device
                out[...] = x + 1
                return out
        """}
        x = torch.rand(5)
        answer, result = self.both(files, {"x": x}, count=5, seed=0)
        self.assertEqual([each["name"] for each in answer["tensors"]], ["x"])
        self.assertTrue(torch.equal(result["out"], x + 1))

    def test_changed_in_place_inside_of_an_object(self):
        files = {"task.py": """
            class Cache:
                def __init__(self, values):
                    self.values, self.length = values, 2
        """, "problem.py": """
            import torch
            from task import Cache

            def generate_input(rows):
                return Cache(torch.rand(rows, 4).T), torch.rand(rows)

            def ref_kernel(data):
                cache, x = data
                cache.values[cache.length] = x
                return cache.values.sum(), cache
        """}
        values, x = torch.rand(4, 3), torch.rand(3)
        answer, result = self.both(files, {"cache_values": values, "x": x}, rows=3)
        self.assertEqual(self.tensor(answer, "cache_values")["role"], "inout")
        expected = values.clone()
        expected[2] = x
        self.assertTrue(torch.equal(result["cache_values"], expected))
        self.assertTrue(torch.allclose(result["output"], expected.sum().reshape(1)))
        self.assertEqual(set(result), {"cache_values", "output"})

    def test_kept_values(self):
        files = {"utils.py": """
            def lower(x):
                return x.tril()
        """, "problem.py": """
            import torch
            from utils import lower

            def generate_input(n, seed):
                return lower(torch.randn(n, n).to(torch.bfloat16)), torch.randn(n)

            def ref_kernel(data):
                matrix, x = data
                return matrix.float() @ x
        """}
        answer = self.described(files, **self.request(n=4, seed=0))
        matrix = self.values(answer, "matrix", torch.bfloat16).reshape(4, 4)
        self.assertEqual(answer["structure"]["kept"], ["matrix"])
        self.assertEqual(answer["structure"]["device"], "meta")
        self.assertTrue(torch.equal(matrix, matrix.tril()))
        self.assertGreater(matrix.count_nonzero(), 0)
        self.assertNotIn("file", self.tensor(answer, "x"))
        _, result = self.both(files, {"matrix": matrix, "x": torch.ones(4)}, n=4, seed=0)
        self.assertTrue(torch.allclose(result["output"], matrix.float().sum(1)))

    def test_sizes_are_told_by_shapes(self):
        files = {"problem.py": """
            import torch

            def generate_input(n, power, seed):
                return {"x": torch.rand(n), "how": {"power": power}}

            def ref_kernel(data):
                return data["x"] ** data["how"]["power"]
        """}
        sizes = [self.size(self.described(files, **self.request(**arguments)), **arguments)
                 for arguments in ({"n": 4, "power": 2, "seed": 1},
                                   {"n": 4, "power": 2, "seed": 2},
                                   {"n": 6, "power": 3, "seed": 1})]
        problem = {"file": "problem.py", "sizes": sizes}
        for count, power in ((4, 2), (6, 3)):
            x = torch.rand(count)
            result = self.computed("reference_gpumode.py", files, problem, x=x)
            self.assertTrue(torch.allclose(result["output"], x ** power))
        self.assertIsNone(self.computed("reference_gpumode.py", files, problem, x=torch.rand(5)))
        self.assertIn("import the problem again", self.failure)

    def test_stand_ins(self):
        files = {"problem.py": """
            import torch

            def generate_input(n):
                pairs = torch.randint(0, 256, (n, 2), dtype=torch.uint8)
                return pairs.view(torch.float4_e2m1fn_x2), torch.randn(n).to(torch.float8_e4m3fnuz)

            def ref_kernel(data):
                pairs, x = data
                assert pairs.dtype == torch.float4_e2m1fn_x2 and x.dtype == torch.float8_e4m3fnuz
                return pairs.flip(0), x.float() * 2
        """}
        pairs = torch.arange(6, dtype=torch.uint8).reshape(3, 2)
        x = torch.tensor([1.0, -2.0, 0.5]).to(torch.float8_e4m3fn)
        answer, result = self.both(files, {"pairs": pairs, "x": x}, n=3)
        self.assertEqual(self.tensor(answer, "x")["dtype"], "e4m3")
        self.assertTrue(torch.equal(result["output_0"], pairs.flip(0)))
        self.assertTrue(torch.equal(result["output_1"], x.float() * 2))

    def test_product_of_4_bit_numbers(self):
        files = {"problem.py": """
            import torch

            def generate_input(seed):
                def pairs():
                    return torch.randint(0, 256, (128, 32), dtype=torch.uint8)
                scales = torch.ones(512).to(torch.float8_e4m3fn)
                return pairs(), pairs(), scales

            def ref_kernel(data):
                a, b, scales = data
                a, b = (pairs.view(torch.float4_e2m1fn_x2) for pairs in (a, b))
                return torch._scaled_mm(a, b.t(), scales, scales, out_dtype=torch.float32)
        """}
        ones = torch.full((128, 32), 0x22, dtype=torch.uint8)  # 1.0 twice
        halves = torch.full((128, 32), 0x91, dtype=torch.uint8)  # 0.5 and -0.5
        halves[0] = 0x11
        scales = torch.ones(512)
        scales[16] = 2  # the first of row 1: rows 0, 32, 64 and 96 come before it
        _, result = self.both(files, {"a": ones, "b": halves,
                                      "scales": scales.to(torch.float8_e4m3fn)}, seed=0)
        output = result["output"]
        self.assertEqual(output[0, 0], 32)
        self.assertEqual(output[0, 5], 0)
        self.assertEqual(output[1, 0], 40)  # 16 numbers of row 1 count twice
        self.assertEqual(output[32, 0], 32)


class Definition(Foreign):
    def request(self, arguments, *inputs):
        return {"format": "definition", "file": "definition.py", "arguments": arguments,
                "entrypoint": "make", "inputs": list(inputs), "values_folder": "values"}

    def run_of(self, text, inputs, outputs, **values):
        problem = {"file": "definition.py", "inputs": inputs, "outputs": outputs}
        result = self.computed("reference_definition.py", {"definition.py": text}, problem,
                               **values)
        self.assertIsNotNone(result, self.failure)
        return result

    def test_tensors_and_scalars(self):
        text = """
            import torch

            @torch.no_grad()
            def run(int, scale, bias, count, flag):
                assert bias.shape == () and type(scale) is float and type(count) is type(1)
                assert flag is True and not torch.is_grad_enabled()
                return int.float() * scale + bias + count, bias * 2
        """
        x = torch.arange(6.0).reshape(2, 3).to(torch.bfloat16)
        inputs = [{"name": "int_2", "kind": "tensor", "dtype": "bfloat16"},
                  {"name": "scale", "kind": "scalar", "dtype": "float32"},
                  {"name": "bias", "kind": "tensor", "dtype": "float32", "zero_dim": True},
                  {"name": "count", "kind": "scalar", "dtype": "int32"},
                  {"name": "flag", "kind": "scalar", "dtype": "bool"}]
        outputs = [{"name": "y", "dtype": "float16"},
                   {"name": "z", "dtype": "float32", "zero_dim": True}]
        result = self.run_of(text, inputs, outputs, int_2=x, scale=2, bias=torch.ones(1), count=3,
                             flag=1)
        self.assertEqual(result["y"].dtype, torch.float16)
        self.assertTrue(torch.equal(result["y"].float(), x.float() * 2 + 4))
        self.assertEqual(result["z"].tolist(), [2.0])

    def test_results_by_name(self):
        text = """
            def run(x):
                return {"b": x + 2, "class": x + 1}
        """
        outputs = [{"name": "class_2", "original": "class", "dtype": "float32"},
                   {"name": "b", "dtype": "float32"}]
        result = self.run_of(text, [{"name": "x", "kind": "tensor", "dtype": "float32"}], outputs,
                             x=torch.zeros(2))
        self.assertEqual({name: value.tolist() for name, value in result.items()},
                         {"class_2": [1, 1], "b": [2, 2]})

    def test_wrong_number_of_results(self):
        problem = {"file": "definition.py",
                   "inputs": [{"name": "x", "kind": "tensor", "dtype": "float32"}],
                   "outputs": [{"name": "y", "dtype": "float32"}]}
        files = {"definition.py": "def run(x):\n    return x, x\n"}
        self.assertIsNone(self.computed("reference_definition.py", files, problem,
                                        x=torch.zeros(2)))
        self.assertIn("run returns 2 of the definition's 1 outputs", self.failure)

    def test_4_bit_numbers(self):
        text = """
            import torch

            def run(x):
                assert x.dtype == torch.float4_e2m1fn_x2
                return x
        """
        for dtype in ("float4_e2m1fn_x2", "float4_e2m1"):
            x = torch.arange(4, dtype=torch.uint8)
            result = self.run_of(text, [{"name": "x", "kind": "tensor", "dtype": dtype}],
                                 [{"name": "y", "dtype": dtype}], x=x)
            self.assertTrue(torch.equal(result["y"], x))

    def test_custom_inputs(self):
        text = """
            import torch

            def make(axes_and_scalars, device):
                rows, lengths = axes_and_scalars["rows"], []
                for row in range(rows):
                    lengths.append(row * axes_and_scalars["step"])
                return {"x": torch.randn(rows, 4, device=device) * 2,
                        "mask": torch.rand(rows, device=device) < 0.5,
                        "index": torch.randint(0, rows, (7,), device=device, dtype=torch.int32),
                        "lengths": torch.tensor(lengths, device=device),
                        "class": torch.arange(rows, device=device, dtype=torch.int16),
                        "scale": 0.5, "other": torch.zeros(3)}
        """
        answer = self.described({"definition.py": text}, **self.request(
            {"rows": 3, "step": 5}, "x", "mask", "index", "lengths", "class"))
        fills = {each["name"]: each["fill"] for each in answer["tensors"]}
        self.assertEqual(fills["x"]["distribution"], "uniform")
        self.assertEqual(fills["index"], {"distribution": "integers", "low": 0, "high": 2})
        self.assertEqual(fills["lengths"], {"distribution": "kept"})
        self.assertEqual(self.values(answer, "lengths", torch.int64).tolist(), [0, 5, 10])
        self.assertEqual(self.values(answer, "class", torch.int16).tolist(), [0, 1, 2])
        self.assertEqual(self.tensor(answer, "class")["file"], "value_class.bin")
        self.assertEqual(answer["outputs"], [])
        self.assertEqual(answer["scalars"], [{"name": "scale", "dtype": "f32", "value": 0.5}])

    def test_custom_inputs_that_need_values(self):
        text = """
            import torch

            def make(axes_and_scalars, device):
                ends = torch.cumsum(torch.randint(1, 5, (axes_and_scalars["n"],)), 0)
                return {"ends": ends, "x": torch.rand(int(ends[-1]), device=device)}
        """
        answer = self.described({"definition.py": text}, **self.request({"n": 3}, "ends", "x"))
        ends = self.values(answer, "ends", torch.int64)
        self.assertEqual(answer["structure"]["device"], "cpu")
        self.assertEqual(self.tensor(answer, "x")["shape"], [int(ends[-1])])

    def test_what_cannot_be_described(self):
        text = """
            import torch

            def make(axes_and_scalars, device):
                n = axes_and_scalars["n"]
                return {"x": torch.arange(n, device=device), "y": 3}

            def other(axes_and_scalars, device):
                return 3
        """
        for change, error in (
                ({"arguments": {"n": 1 << 28}}, "2.0 GiB, more than the 1 GiB"),
                ({"inputs": ["y"]}, "make gives no tensor y"),
                ({"entrypoint": "other"}, "other gives no dict"),
                ({"entrypoint": "none"}, "it has no none"),
                ({"format": "none"}, "is not one of kernelbench, gpu-mode, definition")):
            request = dict(self.request({"n": 4}, "x"), **change)
            self.assertIn(error, self.asked({"definition.py": text}, **request).get("error", ""))

    def test_values_that_the_cpu_cannot_make(self):
        text = """
            import torch

            def make(axes_and_scalars, device):
                if device.type == "cpu":
                    raise OSError("not here")
                return {"x": torch.arange(3, device=device)}
        """
        error = self.asked({"definition.py": text}, **self.request({"n": 4}, "x"))["error"]
        self.assertIn("the values of x are to be kept", error)
        self.assertIn("not here", error)


class KernelBench(Foreign):
    FILES = {"model.py": """
        import torch

        size = 6

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("lower", torch.randn(size, size).tril())
                self.weight = torch.nn.Parameter(torch.randn(size))

            def forward(self, x, order):
                return (x @ self.lower)[:, order] * self.weight

        def get_inputs():
            return [torch.randn(2, size), torch.randperm(size)]

        def get_init_inputs():
            return []
    """}

    def test_kept_values(self):
        answer = self.described(self.FILES, format="kernelbench", file="model.py",
                                arguments={"size": 4}, values_folder="values")
        order = self.values(answer, "order", torch.int64)
        lower = self.values(answer, "lower", torch.float32).reshape(4, 4)
        self.assertEqual(sorted(order.tolist()), [0, 1, 2, 3])
        self.assertTrue(torch.equal(lower, lower.tril()) and lower.count_nonzero() > 4)
        self.assertEqual(answer["structure"]["kept"], ["order", "lower"])
        x, weight = torch.rand(2, 4), torch.rand(4)
        problem = {"file": "model.py", "sizes": [self.size(answer, size=4)]}
        result = self.computed("reference_kernelbench.py", self.FILES, problem, x=x, weight=weight,
                               order=order, lower=lower)
        self.assertIsNotNone(result, self.failure)
        self.assertTrue(torch.allclose(result["output"], (x @ lower)[:, order] * weight))

    def test_without_values(self):
        answer = self.described(self.FILES, format="kernelbench", file="model.py")
        self.assertNotIn("file", self.tensor(answer, "order"))
        self.assertEqual(self.tensor(answer, "x")["shape"], [2, 6])
        self.assertEqual(os.listdir(self.work), ["model.py"])


if __name__ == "__main__":
    unittest.main()
