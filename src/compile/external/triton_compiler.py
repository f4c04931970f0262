"""Compiles a file of Triton kernels ahead of time: no GPU, no tensors. Speaks the protocol of docs/external-compilers.md.

Calls the file's launch() with what stands for the tensors of the case, and records which kernels it launches on which grid.
"""
import importlib.util
import inspect
import json
import os
import re
import subprocess
import sys
import traceback
import types

MAIN_MODULE = "kernel"


class Refused(Exception):
    """The file cannot be compiled, for a reason that its author can act on."""

    first = None  # of all, whether or not somebody caught it

    def __init__(self, *arguments):
        super().__init__(*arguments)
        Refused.first = Refused.first or self


class Dtype:
    """What Triton asks of a tensor's type is its name, as PyTorch writes it."""

    def __init__(self, name, size):
        self.name, self.itemsize = name, size
        self.is_floating_point = "float" in name

    def __str__(self):
        return "torch." + self.name

    __repr__ = __str__


# By the name that a case gives them.
DTYPES = {
    "f64": Dtype("float64", 8), "f32": Dtype("float32", 4), "f16": Dtype("float16", 2), "bf16": Dtype("bfloat16", 2),
    "e4m3": Dtype("float8_e4m3fn", 1), "e5m2": Dtype("float8_e5m2", 1), "i64": Dtype("int64", 8), "i32": Dtype("int32", 4),
    "i16": Dtype("int16", 2), "i8": Dtype("int8", 1), "u32": Dtype("uint32", 4), "u8": Dtype("uint8", 1),
    "bool": Dtype("bool", 1),
}


class Tensor:
    """Stands for a tensor of the case: row-major, on the GPU. It has no values.

    It begins `offset` bytes behind an address that 256 divides: that of the tensor or the workspace called `name`.
    """

    is_cuda = True
    device = "cuda"

    def __init__(self, name, dtype, shape, offset=0):
        self.name, self.dtype, self.shape, self.offset = name, dtype, tuple(shape), offset
        self.ndim = len(self.shape)

    def stride(self, dimension=None):
        strides = [1]
        for extent in reversed(self.shape[1:]):
            strides.insert(0, strides[0] * extent)
        return tuple(strides) if dimension is None else strides[dimension]

    def size(self, dimension=None):
        return self.shape if dimension is None else self.shape[dimension]

    def dim(self):
        return self.ndim

    def numel(self):
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    def element_size(self):
        return self.dtype.itemsize

    def is_contiguous(self):
        return True

    def data_ptr(self):
        return self.offset  # from an address that 256 divides: the kernel may know so much

    def ptr_range(self):
        return self.numel() * self.element_size()

    def __getattr__(self, attribute):
        raise AttributeError(f"'{self.name}' stands for a tensor while kernels are compiled: it has a shape, strides and "
                             f"a type, and no '{attribute}'")


def zero_kernel():
    import triton
    import triton.language as tl

    globals()["tl"] = tl  # where Triton looks for it

    @triton.jit
    def autokernel_zeros(out, count, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(out + at, tl.zeros([BLOCK], dtype=out.dtype.element_ty), mask=at < count)

    return autokernel_zeros


def refuse_use(scalar, *_):
    raise Refused("a scalar has another value in each launch, which is not known here: hand it over to a kernel as it is")


def unknown(kind):
    """Of numbers whose value nothing may be made of: Triton reads their type, and hands them over."""
    names = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor", "divmod"]
    uses = [f"__{name}__" for name in names] + [f"__r{name}__" for name in names]
    uses += ["__lt__", "__le__", "__gt__", "__ge__", "__bool__", "__neg__", "__abs__", "__round__", "__str__", "__format__"]
    uses += ["__eq__", "__ne__", "__float__", "__int__", "__trunc__", "__floor__", "__ceil__"]
    return type(kind.__name__ + "Scalar", (kind,), {**{use: refuse_use for use in uses}, "__hash__": kind.__hash__})


IntegerScalar, FloatScalar = unknown(int), unknown(float)

# Of each type that Triton can be given, a value that it takes no advantage of: neither 1 nor a multiple of 16, and too large
# for 32 bits where the type is wider.
SCALARS = {"i32": lambda: IntegerScalar(3), "i64": lambda: IntegerScalar((1 << 40) + 3), "f32": lambda: FloatScalar(0.3)}


MOST_BYTES = 1 << 40  # of the workspace, as of any tensor
# Of a parameter in PTX, "u32".
PARAMETER = r"\.param\s+(?:\.align\s+\d+\s+)?\.([busf]\d+)"
# By their numbers in Triton's metadata: the bytes of a swizzle, and the type of a tensor map's elements.
SWIZZLES = {0: 0, 1: 32, 2: 64, 3: 128}
MAP_TYPES = dict(enumerate(["u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f32_ftz", "f64", "bf16", "tf32"]))


# Where Triton's own memory begins, until all parts of the workspace are known.
BEHIND_PARTS = {"buffer": "workspace", "offset": None}


def aligned(size):
    """As tensors are."""
    return (size + 255) // 256 * 256


def pointer(name, offset):
    """As the protocol has it."""
    return {"buffer": name, "offset": offset} if offset else name


def capability_of(architecture):
    return int(re.sub("[^0-9]", "", architecture))


class Compilation:
    """One request: what launch() asks for, in order."""

    def __init__(self, request):
        self.request = request
        self.launches = []
        self.kernels = []  # compiled, each once
        self.parts = []  # of the workspace, one behind the other, and whether each is zeroed
        self.end_of_parts = 0  # bytes
        self.tritons_bytes = 0  # behind them, for Triton itself
        self.log = []
        self.module = None
        self.call = None  # of a function of C++, where the request asks for it
        self.tuned = set()

    def scratch(self, shape, dtype="f32", zeroed=False):
        """Memory of the kernels' own, which a launch may use like a tensor."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        name = getattr(dtype, "name", dtype)
        known = DTYPES.get(name) or next((each for each in DTYPES.values() if each.name == name), None)
        if known is None:
            raise Refused(f"the workspace's type is {dtype!r}; write one of {', '.join(DTYPES)}")
        if any(isinstance(each, bool) or not isinstance(each, int) or each < 0 for each in shape):
            raise Refused(f"workspace() is asked for the shape {shape}: write whole numbers from 0 up")
        return self.part(known, shape, bool(zeroed))

    def part(self, dtype, shape, zeroed):
        """Of the workspace, as large as a tensor."""
        tensor = Tensor("workspace", dtype, shape, aligned(self.end_of_parts))
        self.end_of_parts = tensor.offset + max(1, tensor.ptr_range())
        if self.end_of_parts > MOST_BYTES:
            raise Refused(f"the kernels' own memory has {self.end_of_parts} bytes: it may have {MOST_BYTES}")
        self.parts.append((tensor, zeroed))
        return tensor

    def scratch_of_triton(self, size):
        """Memory that a kernel of Triton's asks for, while it runs. Launches run one after another, and share it."""
        self.tritons_bytes = max(self.tritons_bytes, size)
        return BEHIND_PARTS

    def argument(self, parameter, value, type_of):
        """As the protocol names it: a place in a tensor, a scalar, or a number."""
        if isinstance(value, Tensor):
            return pointer(value.name, value.offset)
        for name, scalar in self.scalars.items():
            if value is scalar:
                return name
        if value is None:
            return {"type": "pointer", "value": 0}
        if isinstance(value, bool):
            return {"type": "i8", "value": int(value)}
        if isinstance(value, int):
            return {"type": type_of, "value": int(value)}
        if isinstance(value, float):
            return {"type": "f32" if type_of == "fp32" else "f64", "value": float(value)}
        others = {"Tensor": ", or what workspace() gives", "Parameter": ", or what workspace() gives"}
        kind = type(value).__name__
        raise Refused(f"the parameter {parameter} is given {kind}: write a tensor of the case, a scalar, a number, or None"
                      + others.get(kind, ""))

    def descriptor(self, parameter, given, meta, types):
        """What a kernel is handed for a tensor descriptor of the host's, whose parameters have these types: a map, or where
        it copies without maps the pointer; then shape, strides and more, as Triton hands them over."""
        if not isinstance(given.base, Tensor):
            raise Refused(f"the descriptor {parameter} is of no tensor of the case, nor of what workspace() gives")
        numbers = [*given.shape, *given.strides]
        if any(type(each) is not int for each in numbers):
            raise Refused(f"the descriptor {parameter} has a shape or strides that are no whole numbers")
        if meta is None:
            padding = [given.padding == "nan"]
            if hasattr(given, "round_f32_to_tf32"):
                padding.append(given.round_f32_to_tf32)
            first, numbers = pointer(given.base.name, given.base.offset), [*numbers, *padding, *numbers]
        else:
            first = self.map_of(parameter, given, meta)
        return [first] + [{"type": type_of, "value": int(each)} for type_of, each in zip(types[1:], numbers)]

    def map_of(self, parameter, given, meta):
        size = given.base.element_size()
        if meta.get("is_im2col") or meta.get("fp4_padded") or meta["elem_size"] != size or meta["swizzle"] not in SWIZZLES:
            raise Refused(f"the descriptor {parameter} is of a kind that cannot be handed over: make it in the kernel, with "
                          "tl.make_tensor_descriptor")
        if given.base.offset % size:
            raise Refused(f"the descriptor {parameter} begins within an element of {given.base.name}")
        element = MAP_TYPES.get(meta["elem_type"])
        return {"map": given.base.name, "offset": given.base.offset // size, "element_bytes": size,
                "type": "tf32" if getattr(given, "round_f32_to_tf32", False) else element,
                "dims": list(given.shape)[::-1], "strides": list(given.strides)[-2::-1],
                "box": list(meta["block_size"])[::-1], "swizzle": SWIZZLES[meta["swizzle"]], "l2_promotion": 128,
                "oob_fill": "nan" if given.padding == "nan" else "zeros"}

    def record(self, function, compiled, grid, values):
        metadata = compiled.metadata
        signature = compiled.src.signature
        for name, scalar in self.scalars.items():
            for parameter in signature:
                if values[parameter] is scalar and signature[parameter] == "constexpr":
                    raise Refused(f"the scalar {name} cannot be the constant {parameter}: each launch gets it anew")
        ptx = compiled.asm["ptx"]
        entry = ptx[ptx.index(".entry"):]
        entry = entry[:entry.index("{")]
        # As the protocol calls them: i32.
        types = [re.sub("^[bus]", "i", each) for each in re.findall(PARAMETER, entry)]
        taken = len(types)
        arguments = []
        metas = iter(getattr(metadata, "tensordesc_meta", None) or [])
        for name in signature:
            if str(signature[name]).startswith("tensordesc"):
                more = types[len(arguments):]
                arguments += self.descriptor(name, values[name], next(metas, None), more)
            elif signature[name] != "constexpr":
                arguments.append(self.argument(name, values[name], signature[name]))
        scratch = getattr(metadata, "global_scratch_size", 0) or 0
        # With warp specialization there are more threads than num_warps says.
        threads = re.search(r"\.reqntid\s+(\d+)", entry)
        blocks = list(grid) + [1] * (3 - len(grid))
        ctas = getattr(metadata, "num_ctas", 1) or 1
        for hidden in range(taken - len(arguments)):
            if hidden == 0 and scratch:
                size = scratch * ctas * blocks[0] * blocks[1] * blocks[2]
                arguments.append(self.scratch_of_triton(size))
            else:
                arguments.append({"type": "pointer", "value": 0})
        if compiled not in self.kernels:
            self.kernels.append(compiled)
        cluster = [ctas, 1, 1]
        blocks[0] *= ctas
        self.launches.append({
            "kernel": metadata.name, "of": self.kernels.index(compiled), "grid": blocks,
            "block": [int(threads[1]) if threads else 32 * metadata.num_warps, 1, 1],
            "shared_bytes": metadata.shared, "cluster": cluster,
            "cooperative": bool(getattr(metadata, "launch_cooperative_grid", False)),
            "programmatic": bool(getattr(metadata, "launch_pdl", False)), "arguments": arguments,
        })

    def intercept(self):
        """Has Triton compile for the architecture asked for, and hand its launches to record()."""
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.runtime import autotuner, driver, jit

        capability = capability_of(self.request["architecture"])
        target = GPUTarget("cuda", capability, 32)

        class Driver:
            get_current_target = staticmethod(lambda: target)
            get_current_device = staticmethod(lambda: 0)
            get_current_stream = staticmethod(lambda device=None: 0)
            get_active_torch_device = staticmethod(lambda: "cuda")

        driver.set_active(Driver())
        compilation = self
        compile_only = jit.JITFunction.run

        def run(function, *args, grid, warmup=False, **options):
            if len(compilation.launches) == 16:
                raise Refused("launch() has more than 16 launches")
            values = {name: parameter.default for name, parameter in function.signature.parameters.items()}
            values.update(zip(function.arg_names, args))
            values.update(options)
            compiled = compile_only(function, *args, grid=grid, warmup=True, **options)
            if warmup:
                return compiled
            blocks = grid(values) if callable(grid) else grid
            blocks = (blocks,) if isinstance(blocks, int) else tuple(blocks)
            compilation.record(function, compiled, [int(each) for each in blocks], values)
            return compiled

        def run_configured(tuner, *args, **options):
            tuner.nargs = dict(zip(tuner.arg_names, args))
            number = compilation.chosen(tuner, options)
            name = tuner.base_fn.__name__
            named = " (CONFIG names one)" if compilation.choice_of(name) is not None else ""
            compilation.log.append(f"{name} has {len(tuner.configs)} configurations{named}")
            for index, each in enumerate(tuner.configs):
                compilation.log.append(f"{'*' if index == number else ' '} CONFIG = {index}: {each}")
            config = tuner.configs[number]
            if config.pre_hook is not None:
                config.pre_hook({**tuner.nargs, **options, **config.all_kwargs()})
            return tuner.fn.run(*args, **{**options, **config.all_kwargs()})

        jit.JITFunction.run = run
        autotuner.Autotuner.run = run_configured
        self.log.append(f"Triton {triton.__version__} for sm_{capability}")

    def chosen(self, tuner, options):
        """Of the configurations of @triton.autotune: the first that prune_configs_by leaves, or what CONFIG says, for all
        kernels or by name."""
        left = list(range(len(tuner.configs)))
        if getattr(tuner, "early_config_prune", None) or getattr(tuner, "perf_model", None):
            kept = tuner.prune_configs(options)
            left = [index for index in left if any(tuner.configs[index] is each for each in kept)]
        if not left:
            raise Refused(f"prune_configs_by leaves no configuration of {tuner.base_fn.__name__}")
        name = tuner.base_fn.__name__
        self.tuned.add(name)
        choice = self.choice_of(name)
        if choice is None:
            choice = left[0]
        if isinstance(choice, bool) or not isinstance(choice, int) or not 0 <= choice < len(tuner.configs):
            raise Refused(f"CONFIG is {choice!r}; {tuner.base_fn.__name__} has configurations 0 to {len(tuner.configs) - 1}")
        if choice not in left:
            raise Refused(f"CONFIG is {choice}, which prune_configs_by removes; it leaves {', '.join(map(str, left))}")
        return choice

    def choice_of(self, name):
        """What CONFIG says of the kernel of that name; None: nothing."""
        choice = getattr(self.module, "CONFIG", None)
        return choice.get(name) if isinstance(choice, dict) else choice

    def run(self):
        request = self.request
        tensors = {each["name"]: Tensor(each["name"], DTYPES[each["dtype"]], each["shape"])
                   for each in request["tensors"] if each["dtype"] in DTYPES}
        unknown = [each for each in request["tensors"] if each["dtype"] not in DTYPES]
        if unknown:
            raise Refused(f"Triton has no type for the tensor {unknown[0]['name']}, whose dtype is {unknown[0]['dtype']}")
        self.scalars = {}
        for each in request["scalars"]:
            if each["dtype"] not in SCALARS:
                raise Refused(f"a kernel of Triton's cannot be given the scalar {each['name']}, whose dtype is "
                              f"{each['dtype']}: it takes {', '.join(SCALARS)}")
            self.scalars[each["name"]] = SCALARS[each["dtype"]]()
        self.intercept()
        harness = types.ModuleType("autokernel")
        harness.__dict__.update(request["sizes"])
        harness.workspace = self.scratch
        harness.solution = lambda *given, **named: solution_of(self, *given, **named)  # of torch_solution.py
        harness.capability = divmod(capability_of(request["architecture"]), 10)
        sys.modules["autokernel"] = harness
        sys.path.insert(0, os.getcwd())  # further files of the kernel's
        spec = importlib.util.spec_from_file_location(MAIN_MODULE, request["main"])
        self.module = importlib.util.module_from_spec(spec)
        sys.modules[MAIN_MODULE] = self.module
        spec.loader.exec_module(self.module)
        launch = getattr(self.module, "launch", None)
        if not callable(launch):
            raise Refused("it has no function launch(): define launch(" + ", ".join([*tensors, *self.scalars]) + ")")
        given = [*tensors, *self.scalars]
        try:
            inspect.signature(launch).bind(*given)
        except TypeError as error:
            raise Refused(f"launch() cannot be called with the tensors and scalars of the case ({error}): define "
                          f"launch({', '.join(given)})") from None
        launch(*tensors.values(), *self.scalars.values())
        choice = getattr(self.module, "CONFIG", 0)
        strangers = set(choice) - self.tuned if isinstance(choice, dict) else set()
        if strangers:
            raise Refused(f"CONFIG names {', '.join(map(str, strangers))}, which is no kernel with @triton.autotune")
        if self.request.get("note_calls"):
            return {"call": self.call}
        if not self.launches:
            raise Refused("launch() launches no kernel")
        return self.answer()

    def answer(self):
        to_zero = [tensor for tensor, zeroed in self.parts if zeroed]
        is_zeroed = bool(to_zero) and len(to_zero) == len(self.parts) and not self.tritons_bytes
        for tensor in [] if is_zeroed else to_zero:
            self.zero_first(Tensor("workspace", DTYPES["u32"], ((tensor.ptr_range() + 3) // 4,), tensor.offset))
        answer = {"launches": self.launches, "log": "\n".join(self.log)}
        if self.parts or self.tritons_bytes:
            behind = aligned(self.end_of_parts)
            answer["workspace_bytes"] = behind + self.tritons_bytes if self.tritons_bytes else self.end_of_parts
            answer["workspace_zeroed"] = is_zeroed
            for launch in self.launches:
                launch["arguments"] = [pointer("workspace", behind) if each is BEHIND_PARTS else each
                                       for each in launch["arguments"]]
        if len(self.kernels) == 1:
            import base64
            answer["ptx"] = self.kernels[0].asm["ptx"]
            answer["cubin"] = base64.b64encode(self.kernels[0].asm["cubin"]).decode()
        else:
            answer["ptx"] = self.joined()
            answer["cubin"] = assembled(answer["ptx"], self.request["architecture"])
        for each in self.launches:
            del each["of"]
        return answer

    def zero_first(self, tensor):
        """Zeros are written in front of all launches: a kernel does it, which is timed as the others are."""
        block = 1024
        zero_kernel()[((tensor.numel() + block - 1) // block,)](tensor, tensor.numel(), BLOCK=block)
        self.launches.insert(0, self.launches.pop())

    def joined(self):
        """One module of all kernels. Two of the same name are told apart by a number."""
        names = {}
        text = ""
        for index, kernel in enumerate(self.kernels):
            ptx = kernel.asm["ptx"]
            name = kernel.metadata.name
            unique = name if name not in names.values() else f"{name}_{index}"
            names[index] = unique
            # An instruction may be called like it: "add.f32".
            body = re.sub(rf"(?<![\w.$%]){re.escape(name)}(?![\w.$])", unique, without_debug(ptx))
            if index > 0:
                body = re.sub(r"(?m)^\s*(\.version|\.target|\.address_size).*$", "", body)
            for line in re.findall(r"(?m)^\s*\.extern .shared .*;$", body):
                if line in text:
                    body = body.replace(line, "", 1)
            # What each module calls its own.
            for own in set(re.findall(r"(?m)^\s*(?:\.visible |\.weak )?\.global [^;=]*?\b([A-Za-z_$][\w$]*)(?:\[|\s*=|;)", body)):
                body = re.sub(rf"(?<![\w$]){re.escape(own)}(?![\w$])", f"{own}_{index}", body)
            text += body
        for each in self.launches:
            each["kernel"] = names[each["of"]]
        return text


def without_debug(ptx):
    ptx = re.sub(r"(?m)^\s*\.(loc|file)\b.*$", "", ptx)
    return re.sub(r"(?ms)^\s*\.section\s+\.debug_\w+\s*\{.*?^\s*\}", "", ptx).replace(", debug", "")


def assembled(ptx, architecture):
    """By Triton's own ptxas, which knows its PTX."""
    import base64
    from triton.backends.nvidia import compiler
    ptxas = compiler.get_ptxas(capability_of(architecture)).path
    with open("joined.ptx", "w") as file:
        file.write(ptx)
    run = subprocess.run([ptxas, "--gpu-name=" + target_of(ptx), "joined.ptx", "-o", "joined.cubin"], capture_output=True, text=True)
    if run.returncode != 0:
        raise Refused("ptxas does not take the kernels joined: " + run.stderr.strip())
    with open("joined.cubin", "rb") as file:
        return base64.b64encode(file.read()).decode()


def target_of(ptx):
    return re.search(r"\.target\s+(\w+)", ptx).group(1)


def innermost(error):
    """Of errors in functions that kernels call, that of the called one."""
    seen = error
    while seen is not None:
        if getattr(seen, "node", None) is not None:
            error = seen
        seen = seen.__cause__ or seen.__context__
    return error


def line_of_kernel(error, modules):
    """Of an error that Triton finds in a kernel, which it places in the text of that function: file and line."""
    node, text = getattr(error, "node", None), getattr(error, "src", None)
    for each in [value for module in modules for value in vars(module).values()]:
        while hasattr(each, "fn") and not hasattr(each, "starting_line_number"):
            each = each.fn  # of what @triton.autotune and @triton.heuristics make
        if text is not None and getattr(each, "src", None) == text:
            # The text begins at "def", and the function with what is above it.
            whole = "".join(getattr(each, "raw_src", []))
            above = whole[:whole.find("def ")].count("\n") if "def " in whole else 0
            file = os.path.relpath(inspect.getsourcefile(each.fn))
            return f"{file}:{each.starting_line_number + above + getattr(node, 'lineno', 1) - 1}"
    return None


def place_in(error, main):
    """The line of the file that an error comes from, and what it says."""
    error = innermost(error)
    here = os.getcwd() + os.sep
    lines = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)
             if os.path.abspath(frame.filename).startswith(here)]
    where = main
    if lines:
        where = f"{os.path.relpath(lines[-1][0])}:{lines[-1][1]}"
    text = (getattr(error, "error_message", None) or str(error)).strip()
    if isinstance(error, SyntaxError) and os.path.abspath(error.filename or "").startswith(here):
        where, text = f"{os.path.relpath(error.filename)}:{error.lineno}", f"{error.msg}: {(error.text or '').strip()}"
    own = [module for module in list(sys.modules.values())
           if os.path.abspath(getattr(module, "__file__", None) or "/").startswith(here)]
    where = line_of_kernel(error, own) or where
    if isinstance(error, Refused):
        return f"{where}: {text}"
    return f"{where}: {type(error).__name__}: {text}" if text else f"{where}: {type(error).__name__}"


def answer_to(request):
    try:
        return Compilation(request).run()
    except ModuleNotFoundError as error:
        if error.name == "triton":
            return {"broken": f"{sys.executable} has no Triton: {sys.executable} -m pip install triton"}
        return {"error": place_in(error, request["main"]), "log": traceback.format_exc()}
    except BaseException as error:  # whatever the file raises, SystemExit among it
        return {"error": place_in(error, request["main"]), "log": traceback.format_exc()}


def noted_calls(request):
    """The one call of a function of C++ (torch_solution.py) at each of several sizes, or what is wrong."""
    calls = []
    for size in request["note_calls"]:
        Refused.first = None
        answer = answer_to({**request, **size})
        if "call" not in answer:
            return answer
        calls.append(answer["call"])
    return {"calls": calls}


def main():
    request = json.load(sys.stdin)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the file prints is no answer
    answer = noted_calls(request) if "note_calls" in request else answer_to(request)
    json.dump(answer, answers)
    answers.flush()


main()
