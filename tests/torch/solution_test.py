"""What triton_compiler.py makes of solutions written with PyTorch. The Python has PyTorch and Triton.

SOL_EXECBENCH and GPU_MODE have those benchmarks' sources, if they are there; TRITON_PYTHON has Triton and no PyTorch.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PYTHON = sys.executable
ROOT = pathlib.Path(__file__).resolve().parents[2]
COMPILER = ROOT / "src" / "compile" / "external"
SOL_EXECBENCH = pathlib.Path(os.environ.get("SOL_EXECBENCH", "nowhere"))
GPU_MODE = pathlib.Path(os.environ.get("GPU_MODE", "nowhere"))
SCRATCH = pathlib.Path(tempfile.mkdtemp())


def setUpModule():
    text = "".join((COMPILER / name).read_text() for name in ("torch_solution.py", "triton_compiler.py"))
    (SCRATCH / "compiler.py").write_text(text)


def tensor(name, dtype, shape, written=False):
    strides = [1]
    for extent in reversed(shape[1:]):
        strides.insert(0, strides[0] * extent)
    return {"name": name, "dtype": dtype, "shape": shape, "strides": strides, "written": written}


def compiled(files, tensors, scalars=(), sizes=None, architecture="sm_90a", python=PYTHON):
    """The answer to a request. `files` has kernel.py, and others by their paths."""
    request = {
        "schema_version": 1,
        "main": "kernel.py",
        "architecture": architecture,
        "sizes": sizes or {},
        "types": {},
        "tensors": tensors,
        "scalars": [{"name": name, "dtype": dtype} for name, dtype in scalars],
    }
    with tempfile.TemporaryDirectory(dir=SCRATCH) as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(SCRATCH),
            "TMPDIR": str(SCRATCH),
            "PYTHONDONTWRITEBYTECODE": "1",
            "CUDA_VISIBLE_DEVICES": "",
        }
        run = subprocess.run(
            [python, "-W", "ignore", str(SCRATCH / "compiler.py")],
            input=json.dumps(request),
            text=True,
            capture_output=True,
            cwd=folder,
            env=environment,
        )
    if run.returncode != 0 or not run.stdout:
        raise AssertionError(f"{run.returncode}: {run.stderr}")
    return json.loads(run.stdout)


HEAD = """import torch
import triton
import triton.language as tl

@triton.jit
def add(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)

@triton.jit
def scale(x, out, factor, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(out + at, tl.load(x + at, mask=inside) * factor, mask=inside)

"""
X, Y, OUT = tensor("x", "f32", [32, 128]), tensor("y", "f32", [32, 128]), tensor("out", "f32", [32, 128], True)
CALL = '"run", outputs=["out"], destination_passing=False'


def solved(body, call=CALL, tensors=(X, Y, OUT), **more):
    """The answer for a solution that has these lines behind the kernels."""
    files = {
        "kernel.py": f'from autokernel import solution\nlaunch = solution("solution/kernel.py", {call})\n',
        "solution/kernel.py": HEAD + body,
        **more.pop("files", {}),
    }
    return compiled(files, list(tensors), **more)


class Accepted(unittest.TestCase):
    def arguments(self, answer):
        """Of each launch, its names: what is a number is left out."""
        self.assertNotIn("error", answer, answer.get("log"))

        def name(each):
            return f"{each['buffer']}+{each['offset']}" if "buffer" in each else None

        named = [[each if isinstance(each, str) else name(each) for each in launch["arguments"]]
                 for launch in answer["launches"]]
        return [[each for each in names if each] for names in named]

    def test_allocated_output_is_the_tensor_of_the_case(self):
        answer = solved("""
@torch.no_grad()
def run(x, y):
    assert x.is_cuda and x.device.type == "cuda" and isinstance(x, torch.Tensor)
    assert torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)
    out = torch.empty_like(x)
    with torch.cuda.device(x.device):
        add[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel(), BLOCK=256)
    torch.cuda.synchronize()
    return out
""")
        self.assertEqual(self.arguments(answer), [["x", "y", "out"]])
        launch = answer["launches"][0]
        self.assertEqual(launch["grid"], [16, 1, 1])
        self.assertIn({"type": "i32", "value": 4096}, launch["arguments"])
        self.assertNotIn("workspace_bytes", answer)

    def test_pointers_are_known_to_be_aligned(self):
        answer = solved(
            "def run(x, y):\n    out = torch.empty_like(x)\n"
            "    add[(1,)](x, y, out, 4096, BLOCK=4096)\n    return out\n"
        )
        self.assertIn("ld.global.v4.b32", answer["ptx"])

    def test_destination_is_passed(self):
        answer = solved(
            "def run(x, y, out):\n    add[(16,)](x, y, out, x.numel(), BLOCK=256)\n", '"run", outputs=["out"]'
        )
        self.assertEqual(self.arguments(answer), [["x", "y", "out"]])

    def test_returned_view_is_its_allocation(self):
        answer = solved("""
def run(x, y):
    flat = x.contiguous().view(-1)
    out = torch.empty(flat.shape[0], dtype=x.dtype, device=x.device)
    add[(16,)](flat, y.reshape(4096), out, flat.numel(), BLOCK=256)
    return out.view(x.shape)
""")
        self.assertEqual(self.arguments(answer), [["x", "y", "out"]])

    def test_two_kernels_share_a_workspace(self):
        answer = solved("""
def run(x, y):
    between, out = torch.empty_like(x), torch.empty(32, 128, device="cuda")
    add[(16,)](x, y, between, x.numel(), BLOCK=256)
    scale[(16,)](between, out, 2.0, x.numel(), BLOCK=256)
    return out
""")
        self.assertEqual(self.arguments(answer), [["x", "y", "workspace"], ["workspace", "out"]])
        self.assertEqual((answer["workspace_bytes"], answer["workspace_zeroed"]), (4096 * 4, False))
        self.assertIn({"type": "f32", "value": 2.0}, answer["launches"][1]["arguments"])

    def test_zeroed_temporary_is_a_zeroed_workspace(self):
        for made in (
            "torch.zeros(4096, device='cuda')",
            "torch.full((4096,), 0.0, device=x.device)",
            "x.new_zeros(4096)",
            "torch.empty_like(x).zero_()",
            "torch.zeros_like(x)",
            "x.new_full((4096,), 0)",
        ):
            answer = solved(
                f"def run(x, y):\n    between = {made}\n    out = torch.empty_like(x)\n"
                "    add[(16,)](x, between, out, 4096, BLOCK=256)\n    return out\n"
            )
            self.assertEqual(self.arguments(answer), [["x", "workspace", "out"]], made)
            self.assertTrue(answer["workspace_zeroed"], made)

    def test_pointer_into_the_middle_of_a_tensor(self):
        answer = solved(
            "def run(x, y):\n    out = torch.empty_like(x)\n"
            "    add[(8,)](x, y, out, 2048, BLOCK=256)\n"
            "    add[(8,)](x[16:], y.view(-1)[2048:], out[16], 2048, BLOCK=256)\n    return out\n"
        )
        self.assertEqual(self.arguments(answer), [["x", "y", "out"], ["x+8192", "y+8192", "out+8192"]])

    def test_pointer_that_is_not_aligned_is_compiled_for_as_such(self):
        def ptx_from(begin):
            answer = solved(
                "def run(x, y):\n    out = torch.empty_like(x)\n"
                f"    add[(15,)](x.view(-1)[{begin}:], y, out, 3840, BLOCK=256)\n    return out\n"
            )
            return answer["ptx"]

        self.assertIn("ld.global.v2.b32", ptx_from(4))
        self.assertEqual(ptx_from(4).count("ld.global.v2.b32"), ptx_from(1).count("ld.global.v2.b32") + 1)

    def test_descriptor_of_the_host_is_a_tensor_map_or_a_pointer(self):
        source = """
from triton.tools.tensor_descriptor import TensorDescriptor

@triton.jit
def moved(source, out, count, BLOCK: tl.constexpr):
    out.store([tl.program_id(0) * BLOCK, 0], source.load([tl.program_id(0) * BLOCK, 0]))

def run(x, y):
    out, half = torch.empty_like(x), torch.empty_like(x)
    moved[(2,)](TensorDescriptor.from_tensor(x, [16, 64]), TensorDescriptor.from_tensor(half, [16, 64]), 7, BLOCK=16)
    moved[(2,)](TensorDescriptor(half[8:], [24, 128], [128, 1], [16, 64]),
                TensorDescriptor.from_tensor(out, [16, 64]), 7, BLOCK=16)
    return out
"""
        maps = [each for launch in solved(source, files={})["launches"] for each in launch["arguments"] if "map" in each]
        known = [(each["map"], each["offset"], each["dims"], each["strides"], each["type"]) for each in maps]
        whole = [128, 32]
        self.assertEqual(known, [("x", 0, whole, [128], "f32"), ("workspace", 0, whole, [128], "f32"),
                                 ("workspace", 1024, [128, 24], [128], "f32"), ("out", 0, whole, [128], "f32")])
        self.assertTrue(all(each["box"][1] == 16 and each["swizzle"] in (0, 32, 64, 128) for each in maps))
        older = solved(source, files={}, architecture="sm_80")
        self.assertEqual(self.arguments(older), [["x", "workspace"], ["workspace+4096", "out"]])

    def test_several_temporaries_are_parts_of_the_workspace(self):
        body = """
def run(x, y):
    a, b, out = torch.{}(10, device="cuda"), torch.{}(4096, device="cuda"), torch.empty_like(x)
    add[(1,)](x, y, a, 10, BLOCK=16)
    add[(16,)](x, a, b, 4096, BLOCK=256)
    add[(16,)](b[1:], y, out, 4096, BLOCK=256)
    return out
"""
        answer = solved(body.format("empty", "empty"))
        names = [["x", "y", "workspace"], ["x", "workspace", "workspace+256"], ["workspace+260", "y", "out"]]
        self.assertEqual(self.arguments(answer), names)
        self.assertEqual((answer["workspace_bytes"], answer["workspace_zeroed"]), (256 + 4096 * 4, False))
        answer = solved(body.format("zeros", "zeros"))
        self.assertEqual(self.arguments(answer), names)
        self.assertTrue(answer["workspace_zeroed"])

    def test_zeros_of_one_of_several_temporaries_are_written_by_a_kernel(self):
        answer = solved("""
def run(x, y):
    a, b, out = torch.empty_like(x), torch.zeros(3, device="cuda"), torch.empty_like(x)
    add[(16,)](x, y, a, 4096, BLOCK=256)
    add[(16,)](a, b, out, 4096, BLOCK=256)
    return out
""")
        self.assertEqual(
            self.arguments(answer),
            [["workspace+16384"], ["x", "y", "workspace"], ["workspace", "workspace+16384", "out"]],
        )
        self.assertFalse(answer["workspace_zeroed"])
        self.assertEqual(answer["launches"][0]["kernel"], "autokernel_zeros")

    def test_unused_allocation_costs_nothing(self):
        answer = solved(
            "def run(x, y):\n    a, b = torch.zeros_like(x), torch.empty(3, device='cuda')\n"
            "    out = torch.empty_like(x)\n    add[(16,)](x, y, out, 4096, BLOCK=256)\n    return out\n"
        )
        self.assertNotIn("workspace_bytes", answer)

    def test_outputs_by_name_or_in_order(self):
        both = (X, Y, OUT, tensor("twice", "f16", [4096], True))
        call = '"run", outputs=["out", "twice"], destination_passing=False'
        for returned in ('{"twice": b, "out": a}', "a, b", "[a, b]"):
            answer = solved(
                f"""
def run(x, y):
    a, b = torch.empty_like(x), torch.empty(4096, dtype=torch.float16, device=x.device)
    add[(16,)](x, y, a, 4096, BLOCK=256)
    scale[(16,)](x, b, 2.0, 4096, BLOCK=256)
    return {returned}
""",
                call,
                both,
            )
            self.assertEqual(self.arguments(answer), [["x", "y", "out"], ["x", "twice"]])

    def test_scalars_are_handed_over(self):
        answer = solved(
            "def run(x, factor):\n    out = torch.empty_like(x)\n"
            "    scale[(16,)](x, out, factor, x.numel(), BLOCK=256)\n    return out\n",
            tensors=(X, OUT),
            scalars=[("factor", "f32")],
        )
        self.assertEqual(self.arguments(answer), [["x", "out", "factor"]])

    def test_inputs_in_the_order_of_the_function(self):
        answer = solved(
            "def run(factor, x, M):\n    assert M == 32\n    out = torch.empty_like(x)\n"
            "    scale[(16,)](x, out, factor, x.numel(), BLOCK=256)\n    return out\n",
            CALL + ', inputs=["factor", "x", "M"]',
            (X, OUT),
            scalars=[("factor", "f32")],
            sizes={"M": 32},
        )
        self.assertEqual(self.arguments(answer), [["x", "out", "factor"]])

    def test_packed_inputs(self):
        answer = solved(
            "from task import input_t, output_t\n"
            "def custom_kernel(data: input_t) -> output_t:\n    x, y = data\n    out = torch.empty_like(x)\n"
            "    add[(16,)](x, y, out, 4096, BLOCK=256)\n    return out\n",
            '"custom_kernel", outputs=["out"], destination_passing=False, packed=True',
        )
        self.assertEqual(self.arguments(answer), [["x", "y", "out"]])

    def test_packed_inputs_and_output(self):
        for call in (
            '"run", outputs=["out"], packed=True',
            '"run", outputs=["out"], destination_passing=False, packed=True, inputs=["x", "y", "out"]',
        ):
            answer = solved(
                "def run(data):\n    x, y, out = data\n    add[(16,)](x, y, out, 4096, BLOCK=256)\n"
                "    return out\n",
                call,
            )
            self.assertEqual(self.arguments(answer), [["x", "y", "out"]])

    def test_tensor_without_dimensions_is_one_of_the_case_with_one(self):
        for made in (
            "torch.empty((), device='cuda')",
            "torch.empty(1, device='cuda')",
            "torch.empty(1, device='cuda')[0]",
        ):
            answer = solved(
                f"def run(x, y):\n    out = {made}\n    add[(1,)](x, y, out, 1, BLOCK=16)\n    return out\n",
                tensors=(X, Y, tensor("out", "f32", [1], True)),
            )
            self.assertEqual(self.arguments(answer), [["x", "y", "out"]])

    def test_inout_tensor_is_written_in_place(self):
        inout = tensor("x", "f32", [32, 128], True)
        answer = solved(
            "def run(x, y):\n    add[(16,)](x, y, x, x.numel(), BLOCK=256)\n    return x\n",
            '"run", outputs=["x"], destination_passing=False, inputs=["x", "y"]',
            (inout, Y),
        )
        self.assertEqual(self.arguments(answer), [["x", "y", "x"]])
        answer = solved(
            "def run(x, y):\n    add[(16,)](x, y, x, x.numel(), BLOCK=256)\n",
            '"run", outputs=["x"], inputs=["x", "y"]',
            (inout, Y),
        )
        self.assertEqual(self.arguments(answer), [["x", "y", "x"]])

    def test_tuned_kernel_with_heuristics_and_a_hook(self):
        answer = solved(
            """
@triton.autotune([triton.Config({"BLOCK": 128}, num_warps=4), triton.Config({"BLOCK": 512}, num_warps=8)],
                 key=["count"])
@triton.heuristics({"EVEN": lambda args: args["x"].numel() % args["BLOCK"] == 0})
@triton.jit
def tuned(x, y, out, count, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    tl.static_assert(EVEN)
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) + tl.load(y + at))

def run(x, y):
    out = torch.empty_like(x)
    grid = lambda meta: (triton.cdiv(meta["out"].numel(), meta["BLOCK"]),)
    tuned[grid](x, y=y, out=out, count=x.numel())
    return out
""",
            files={},
        )
        self.assertEqual(self.arguments(answer), [["x", "y", "out"]])
        self.assertEqual(answer["launches"][0]["grid"], [32, 1, 1])
        self.assertIn("* CONFIG = 0", answer["log"])

    def test_function_of_autograd_and_a_library_operation(self):
        answer = solved("""
class Add(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        out = torch.empty_like(x)
        ctx.save_for_backward(x, y)
        add[(16,)](x, y, out, x.numel(), BLOCK=256)
        return out

    @staticmethod
    def backward(ctx, gradient):
        return gradient, gradient

@torch.library.triton_op("mine::twice", mutates_args={})
def twice(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    torch.library.wrap_triton(scale)[(16,)](x, out, 2.0, x.numel(), BLOCK=256)
    return out

@twice.register_fake
def _(x):
    return torch.empty_like(x)

def run(x, y):
    return twice(Add.apply(x, y))
""")
        self.assertEqual(self.arguments(answer), [["x", "y", "workspace"], ["workspace", "out"]])

    def test_inference_mode_streams_and_the_number_of_multiprocessors(self):
        answer = solved("""
BLOCKS = torch.cuda.get_device_properties("cuda").multi_processor_count
assert triton.runtime.driver.active.utils.get_device_properties(0)["multiprocessor_count"] == BLOCKS
DEVICE = triton.runtime.driver.active.get_active_torch_device()

@torch.inference_mode()
def run(x, y):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        out = torch.empty(x.shape, dtype=x.dtype, device=DEVICE)
        add[(BLOCKS,)](x.to("cuda").cuda().float(), y.detach().data, out, x.numel(), BLOCK=256)
    torch.cuda.current_stream().wait_stream(side)
    assert x.data_ptr() % 16 == 0 and x.data_ptr() != y.data_ptr()
    return out
""")
        self.assertEqual(self.arguments(answer), [["x", "y", "out"]])
        self.assertEqual(answer["launches"][0]["grid"], [132, 1, 1])

    def test_types_of_eight_bits_and_truth(self):
        tensors = (tensor("x", "e4m3", [4096]), tensor("y", "bool", [4096]), tensor("out", "bf16", [4096], True))
        answer = solved(
            """
@triton.jit
def choose(x, y, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.where(tl.load(y + at), tl.load(x + at).to(tl.float32), 0.0))

def run(x, y):
    assert x.dtype == torch.float8_e4m3fn and y.dtype == torch.bool
    out = torch.empty(x.shape, dtype=torch.bfloat16, device=x.device)
    choose[(16,)](x, y, out, BLOCK=256)
    return out
""",
            tensors=tensors,
        )
        self.assertEqual(self.arguments(answer), [["x", "y", "out"]])

    def test_transposed_and_other_views_of_an_input(self):
        answer = solved("""
def run(x, y):
    turned = x.t()
    assert turned.stride() == (1, 128) and turned.shape == (128, 32) and not turned.is_contiguous()
    first, second = y.split(16)
    assert second.storage_offset() == 16 * 128
    out = torch.empty_like(x)
    add[(16,)](turned, first[None, :8], out, x.numel(), BLOCK=256)
    return out
""")
        self.assertEqual(self.arguments(answer), [["x", "y", "out"]])

    def test_helpers_beside_the_file_can_be_imported(self):
        answer = solved(
            "from helper import BLOCK\nfrom .parts.more import twice\nfrom kernel_of_sizes import N\n"
            "def run(x, y):\n    out = torch.empty_like(x)\n    assert twice(2) == 4 and N == 4096\n"
            "    add[(16,)](x, y, out, x.numel(), BLOCK=BLOCK)\n    return out\n",
            sizes={"N": 4096},
            files={
                "solution/helper.py": "BLOCK = 256\n",
                "solution/parts/more.py": "twice = lambda n: 2 * n\n",
                "solution/kernel_of_sizes.py": "from autokernel import N\n",
            },
        )
        self.assertEqual(self.arguments(answer), [["x", "y", "out"]])

    def test_helper_may_be_called_kernel(self):
        files = {
            "kernel.py": f'from autokernel import solution\nlaunch = solution("solution/pack/main.py", {CALL})\n',
            "solution/pack/main.py": "from kernel import add, torch\ndef run(x, y):\n    out = torch.empty_like(x)\n"
            "    add[(16,)](x, y, out, 4096, BLOCK=256)\n    return out\n",
            "solution/pack/kernel.py": HEAD,
        }
        self.assertEqual(self.arguments(compiled(files, [X, Y, OUT])), [["x", "y", "out"]])

    def test_numbers_computed_on_the_cpu_are_numbers(self):
        answer = solved(
            "FACTOR = torch.tensor([1.0, 2.0]).sum().item()\n"
            "def run(x, y):\n    out = torch.empty_like(x)\n"
            "    scale[(16,)](x, out, FACTOR, 4096, BLOCK=256)\n    return out\n"
        )
        self.assertIn({"type": "f32", "value": 3.0}, answer["launches"][0]["arguments"])

    def test_compiling_ahead_is_no_launch(self):
        answer = solved(
            "def run(x, y):\n    out = torch.empty_like(x)\n"
            "    add.warmup(x, y, out, 4096, BLOCK=256, grid=(1,))\n"
            "    add[(16,)](x, y, out, 4096, BLOCK=256)\n    return out\n"
        )
        self.assertEqual(len(answer["launches"]), 1)
        self.assertEqual(answer["ptx"].count(".entry"), 1)

    def test_file_without_a_solution_imports_no_pytorch(self):
        answer = compiled(
            {
                "kernel.py": HEAD.replace("import torch\n", "import sys\n")
                + "def launch(x, y, out):\n    assert 'torch' not in sys.modules\n"
                "    add[(16,)](x, y, out, 4096, BLOCK=256)\n"
            },
            [X, Y, OUT],
        )
        self.assertEqual(self.arguments(answer), [["x", "y", "out"]])


class Refused(unittest.TestCase):
    def refused(self, answer, *texts):
        self.assertIn("error", answer)
        for text in texts:
            self.assertIn(text, answer["error"])

    def of_lines(self, lines, *texts, call=CALL, head="", **more):
        """Of a run() with these lines in front of an honest launch."""
        body = head + "def run(x, y):\n    out = torch.empty_like(x)\n" + "".join(f"    {each}\n" for each in lines)
        self.refused(
            solved(body + "    add[(16,)](x, y, out, 4096, BLOCK=256)\n    return out\n", call, **more), *texts
        )

    def test_what_computes_with_pytorch(self):
        for line, name in [
            ("x = x * 2", "computes with PyTorch (aten::mul)"),
            ("x += y", "(aten::add_)"),
            ("x @ y.t()", "(aten::mm)"),
            ("x.sum()", "(aten::sum)"),
            ("torch.relu(x)", "(aten::relu)"),
            ("torch.softmax(x, -1)", "(aten::_softmax)"),
            ("x.half()", "copies with PyTorch (aten::_to_copy)"),
            ("x.t().contiguous()", "(aten::clone)"),
            ("out.copy_(x)", "(aten::copy_)"),
            ("out[:] = y", "(aten::copy_)"),
            ("torch.cat([x, y])", "(aten::cat)"),
            ("torch.ones_like(x)", "(aten::ones_like)"),
            ("torch.randn(3, device='cuda')", "(aten::randn)"),
            ("torch.arange(3, device='cuda')", "(aten::arange)"),
            ("x[torch.tensor([0])]", "(aten::index)"),
            ("torch.full_like(x, 1)", "fills a tensor with PyTorch (aten::full_like)"),
            ("out.fill_(2)", "(aten::fill_)"),
            ("torch.nn.functional.silu(x)", "(aten::silu)"),
            ("torch.nn.functional.linear(x, y)", "computes with PyTorch"),
        ]:
            with self.subTest(line):
                self.of_lines([line], "solution/kernel.py:19: it ", name)

    def test_what_needs_values(self):
        for line in (
            "x[0, 0].item()",
            "x.tolist()",
            "x.cpu()",
            "x.numpy()",
            "int(x[0, 0])",
            "x.to('cpu')",
            "if x[0, 0]: pass",
            "float(x.max() if False else x[0, 0])",
            "torch.equal(x, y)",
            "f'{x[0, 0]:.2f}'",
        ):
            with self.subTest(line):
                self.of_lines([line], "solution/kernel.py:19: values of tensors are not known")

    def test_values_of_the_cpu(self):
        for line in (
            "torch.tensor([1, 2], device='cuda')",
            "torch.tensor([1, 2]).cuda()",
            "torch.ones(3).to(x.device)",
        ):
            with self.subTest(line):
                self.of_lines([line], "copies values from the CPU to the GPU")
        self.of_lines(["x = torch.empty(32, 128)"], "a tensor on the CPU cannot be handed over")

    def test_pointer_beyond_the_end(self):
        self.of_lines(
            ["x = x.as_strided((16,), (1,), 4096)"], "a pointer to byte 16384 is handed over to a kernel, of 16384 bytes"
        )
        self.of_lines(["x = torch.empty(1 << 42, device='cuda')"], "the kernels' own memory has")

    def test_address_of_a_tensor(self):
        self.of_lines(["x = x.data_ptr()"], "the address of a tensor is not known")
        self.of_lines(["x = x.data_ptr() + 4"], "the address of a tensor is not known")

    def test_zeroed_output_is_zeroed_by_a_kernel(self):
        for lines in ["out = torch.zeros_like(x)", "out = torch.empty_like(x).zero_()"]:
            answer = solved(
                f"def run(x, y):\n    {lines}\n    add[(16,)](x, y, out, 4096, BLOCK=256)\n    return out\n",
                '"run", outputs=["out"], destination_passing=False',
            )
            self.assertNotIn("error", answer)
            self.assertEqual([each["kernel"] for each in answer["launches"]], ["autokernel_zeros", "add"])
            self.assertEqual(answer["launches"][0]["arguments"][0], "out")
            self.assertEqual(answer["launches"][0]["grid"], [4, 1, 1])
        answer = solved(
            "def run(x, y, out):\n    out.zero_()\n    add[(16,)](x, y, out, 4096, BLOCK=256)\n",
            '"run", outputs=["out"]',
        )
        self.assertEqual(answer["launches"][0]["kernel"], "autokernel_zeros")

    def test_zeroes_between_launches(self):
        self.of_lines(
            ["a = torch.empty_like(x)", "add[(16,)](x, y, a, 4096, BLOCK=256)", "a.zero_()"],
            "after a kernel used it or in part",
        )
        self.of_lines(["a = torch.empty_like(x)", "a[0].zero_()"], "after a kernel used it or in part")

    def test_other_outputs_than_the_case_has(self):
        for line, text in [
            ("out = torch.empty(4096, device='cuda')", "run() returns as out torch.float32 of shape [4096]"),
            ("out = torch.empty_like(x, dtype=torch.float16)", "run() returns as out torch.float16"),
            ("out = torch.empty(128, 32, device='cuda').t()", "strides [1, 32]"),
            ("out = torch.empty(64, 128, device='cuda')[:32]", "a part of an allocation"),
            ("return x", "run() returns as out the tensor x of the case"),
            ("return torch.empty_like(x)", "a tensor that no kernel is given"),
            ("return None", "run() returns nothing, and has to return out"),
            ("return out, x", "run() returns 2 values, and has to return 1: out"),
            ("return {'other': out}", "run() returns other, and has to return out"),
            ("return 3.0", "run() returns float as out"),
            ("return torch.empty(32, 128)", "run() returns Tensor as out"),
        ]:
            with self.subTest(line):
                self.of_lines([line], text)
        two = '"run", outputs=["out", "more"], destination_passing=False'
        self.refused(
            solved(
                "def run(x, y):\n    out = torch.empty_like(x)\n    add[(16,)](x, y, out, 4096, BLOCK=256)\n"
                "    return out, out\n",
                two,
                (X, Y, OUT, tensor("more", "f32", [32, 128], True)),
            ),
            "run() returns one allocation as out and as more",
        )

    def test_another_tensor_than_the_one_given_to_write(self):
        answer = solved(
            "def run(data):\n    x, y, out = data\n    mine = torch.empty_like(x)\n"
            "    add[(16,)](x, y, mine, 4096, BLOCK=256)\n    return mine\n",
            '"run", outputs=["out"], packed=True',
        )
        self.refused(answer, "run() returns another tensor than out, which it is given to write")

    def test_output_that_no_kernel_is_given(self):
        answer = solved(
            "def run(x, y, out):\n    mine = torch.empty_like(x)\n    add[(16,)](x, y, mine, 4096, BLOCK=256)\n"
            "    return mine\n",
            '"run", outputs=["out"]',
        )
        self.refused(answer, "run() hands the output out to no kernel")

    def test_scalar_that_is_computed_with(self):
        text = "a scalar has another value in each launch"
        for line in (
            "factor * 2",
            "torch.empty(factor, device='cuda')",
            "x[:factor]",
            "x * factor",
            "math.floor(factor)",
            "if factor == 1: pass",
            "float(factor)",
            "int(factor)",
        ):
            for dtype in ("i32", "f32"):
                if dtype == "f32" and ("[" in line or "empty" in line):
                    continue
                with self.subTest(line, dtype=dtype):
                    answer = solved(
                        f"import math\ndef run(x, factor):\n    {line}\n    out = torch.empty_like(x)\n"
                        "    scale[(16,)](x, out, factor, 4096, BLOCK=256)\n    return out\n",
                        tensors=(X, OUT),
                        scalars=[("factor", dtype)],
                    )
                    self.refused(answer, text)

    def test_what_solution_is_told_wrongly(self):
        for call, text in [
            ('"go", outputs=["out"], destination_passing=False', "has no function go()"),
            ('"run", outputs=["z"], destination_passing=False', "has the output z"),
            ('"run", outputs=["x"], destination_passing=False', "has the output x"),
            ('"run", outputs=[], destination_passing=False', "does not say which output is out"),
            ('"run", outputs=["out"]', "run(x, y) cannot be called with x, y, out (too many"),
            (CALL + ', inputs=["x", "z"]', "has the input z, which the case has not: it has x, y, out"),
        ]:
            with self.subTest(call):
                self.of_lines([], "kernel.py:2: ", text, call=call)
        self.refused(
            compiled(
                {"kernel.py": 'from autokernel import solution\nlaunch = solution("a.py", "run", ["out"])\n'},
                [X, Y, OUT],
            ),
            "solution() names a.py, and there is no such file",
        )
        self.refused(solved("def run(y, x):\n    pass\n"), "say solution(..., inputs=['y', 'x'])")

    def test_what_pytorch_would_compile_or_record(self):
        self.of_lines(["torch.compile(lambda: 0)()"], "torch.compile cannot be part of a solution")
        self.of_lines(
            ["later()"], "torch.compile cannot be", head="@torch.compile(mode='x')\ndef later():\n    pass\n"
        )
        self.of_lines(["torch.cuda.CUDAGraph()"], "a CUDA graph cannot be part of a solution")
        self.of_lines(["torch.cuda.Event().elapsed_time(torch.cuda.Event())"], "nothing is timed")

    def test_what_is_not_known_of_the_device(self):
        self.of_lines(
            ["torch.cuda.get_device_properties(0).L2_cache_size"], "the property L2_cache_size of the device"
        )
        self.of_lines(
            ["torch.cuda.get_device_properties(0).multi_processor_count"],
            "the property multi_processor_count",
            architecture="sm_89",
        )

    def test_launch_by_a_thread_or_while_importing(self):
        self.of_lines(
            [
                "import threading",
                "t = threading.Thread(target=lambda: add[(16,)](x, y, out, 4096, BLOCK=256))",
                "t.start()",
                "t.join()",
            ],
            "a thread launches add: do it in run() itself",
        )
        self.of_lines(
            [],
            "launches a kernel while it is imported",
            head="A = torch.empty(4096, device='cuda')\nadd[(1,)](A, A, A, 1, BLOCK=16)\n",
        )

    def test_module_that_is_missing(self):
        self.of_lines([], "solution/kernel.py:17: ModuleNotFoundError: No module named 'tvm'", head="import tvm\n")

    def test_python_without_pytorch_says_how_to_install_it(self):
        bare = os.environ.get("TRITON_PYTHON")
        if not bare:
            self.skipTest("TRITON_PYTHON names no Python that has Triton and no PyTorch")
        self.of_lines([], "a solution needs PyTorch", "-m pip install torch", python=bare)


class Published(unittest.TestCase):
    """Other people's solutions, and cheats among them, unchanged."""

    DTYPES = {"bfloat16": "bf16", "float32": "f32", "float16": "f16"}

    def case_of(self, definition, axes):
        tensors, scalars, sizes = [], [], {}
        for name, axis in definition["axes"].items():
            sizes[name] = axis.get("value", axes.get(name))
        for kind in ("inputs", "outputs"):
            for name, each in definition[kind].items():
                dtype = self.DTYPES[each["dtype"]]
                if each["shape"] is None:
                    scalars.append((name, dtype))
                else:
                    tensors.append(tensor(name, dtype, [sizes[axis] for axis in each["shape"]], kind == "outputs"))
        return tensors, scalars

    def answer_of(self, definition, spec, sources, axes):
        file, function = spec["entry_point"].split("::")
        call = (
            f'solution("solution/{file}", {function!r}, outputs={list(definition["outputs"])}, '
            f'destination_passing={spec["destination_passing_style"]}, inputs={list(definition["inputs"])})'
        )
        tensors, scalars = self.case_of(definition, axes)
        return compiled(
            {
                "kernel.py": f"from autokernel import solution\nlaunch = {call}\n",
                **{f"solution/{path}": text for path, text in sources.items()},
            },
            tensors,
            scalars,
        )

    def setUp(self):
        if not SOL_EXECBENCH.is_dir():
            self.skipTest("SOL_EXECBENCH is no folder")

    def test_examples_in_triton(self):
        found = [
            *SOL_EXECBENCH.glob("examples/triton/*/definition.json"),
            *(
                each.parent / "definition.json"
                for each in SOL_EXECBENCH.glob("tests/sol_execbench/samples/*/solution_triton.json")
            ),
        ]
        self.assertGreater(len(found), 3)
        for file in found:
            with self.subTest(file.parent.name):
                definition = json.loads(file.read_text())
                solution = json.loads((file.parent / "solution_triton.json").read_text())
                sources = {
                    each["path"]: each["content"] or (file.parent / each["path"]).read_text()
                    for each in solution["sources"]
                }
                answer = self.answer_of(definition, solution["spec"], sources, {"batch_size": 2, "seq_len": 8})
                self.assertNotIn("error", answer)
                names = [each for each in answer["launches"][0]["arguments"] if isinstance(each, str)]
                self.assertLessEqual({*definition["inputs"], *definition["outputs"]}, set(names))

    def test_cheats_are_refused(self):
        definition = {
            "axes": {"n": {"value": 4096}},
            "inputs": {"x": {"shape": ["n"], "dtype": "float32"}, "y": {"shape": ["n"], "dtype": "float32"}},
            "outputs": {"z": {"shape": ["n"], "dtype": "float32"}},
        }
        for file in SOL_EXECBENCH.glob("tests/sol_execbench/samples/evil_*/kernel.py"):
            with self.subTest(file.parent.name):
                spec = json.loads((file.parent / "solution.json").read_text())["spec"]
                answer = self.answer_of(definition, spec, {"kernel.py": file.read_text()}, {})
                self.assertIn("it computes with PyTorch (aten::add)", answer.get("error", ""))
        folder = SOL_EXECBENCH / "tests/samples/rmsnorm"
        definition = json.loads((SOL_EXECBENCH / "examples/triton/rmsnorm/definition.json").read_text())
        for file in folder.glob("solution_hack_*.json"):
            with self.subTest(file.name):
                solution = json.loads(file.read_text())
                sources = {each["path"]: each["content"] for each in solution["sources"]}
                answer = self.answer_of(definition, solution["spec"], sources, {"batch_size": 2})
                self.assertIn("with PyTorch (aten::", answer.get("error", ""))

    def test_submissions_of_gpu_mode(self):
        if not GPU_MODE.is_dir():
            self.skipTest("GPU_MODE is no folder")
        a, b, c = (tensor(name, "f16", [256, 256], name == "C") for name in "ABC")
        data, total = tensor("data", "f32", [4096]), tensor("total", "f32", [1], True)
        matrices = [tensor("data", "f32", [8, 32, 32]), tensor("out", "f32", [8, 32, 32], True)]
        for file, tensors, call, text in [
            (
                "pmpp/vectoradd_py/solutions/correct/submission_triton.py",
                [a, b, c],
                'outputs=["C"], destination_passing=False, packed=True',
                None,
            ),
            (
                "pmpp_v2/vectoradd_py/solutions/correct/submission_triton.py",
                [a, b, c],
                'outputs=["C"], destination_passing=True, packed=True',
                None,
            ),
            (
                "linalg/cholesky_py/submissions/triton_cholesky32.py",
                matrices,
                'outputs=["out"], destination_passing=False',
                None,
            ),
            (
                "linalg/eigh_py/submissions/triton_diagonal_fast_path.py",
                matrices,
                'outputs=["out"], destination_passing=False',
                "it computes with PyTorch (aten::count_nonzero)",
            ),
            (
                "pmpp/vectorsum_py/submission.py",
                [data, total],
                'outputs=["total"], destination_passing=False',
                "torch.compile cannot be part of a solution",
            ),
        ]:
            with self.subTest(file):
                files = {
                    "kernel.py": f'from autokernel import solution\nlaunch = solution("submission.py", '
                    f'"custom_kernel", {call})\n',
                    "submission.py": (GPU_MODE / file).read_text(),
                }
                error = compiled(files, tensors).get("error")
                if text is None:
                    self.assertIsNone(error)
                else:
                    self.assertIn(text, error)

    def test_cheats_around_an_honest_kernel_come_to_nothing(self):
        for line in (
            "torch.cuda.Event.elapsed_time = lambda self, end: 0.0",
            "import threading, time; threading.Thread(target=time.sleep, args=(1,), daemon=True).start()",
            "torch.cuda.synchronize = torch.empty = torch.Tensor.add = torch.allclose = lambda *_, **__: None",
        ):
            with self.subTest(line):
                answer = solved(
                    f"def run(x, y):\n    {line}\n    out = torch.empty_like(x)\n"
                    "    add[(16,)](x, y, out, 4096, BLOCK=256)\n    return out\n"
                )
                self.assertNotIn("error", answer)
                self.assertEqual(answer["launches"][0]["arguments"][:3], ["x", "y", "out"])

    def test_cheats_that_hide_the_output_are_refused(self):
        for line, text in [
            ("return torch.empty_like(x).as_subclass(type('Fake', (torch.Tensor,), {}))", "new Tensor subclass Fake"),
            ("return lambda: out", "function as out"),
        ]:
            with self.subTest(line):
                answer = solved(f"def run(x, y):\n    out = torch.empty_like(x)\n    {line}\n")
                self.assertIn(text, answer.get("error", ""))


if __name__ == "__main__":
    unittest.main()
