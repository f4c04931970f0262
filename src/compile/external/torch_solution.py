"""Makes a launch() of a solution written with PyTorch: host code that allocates tensors and launches Triton's kernels.

Its function runs once per compile, with tensors that have a shape and no values. The build puts this text in front of
triton_compiler.py, whose names it uses. PyTorch is imported only where a kernel.py calls solution().
"""
import contextlib
import copy
import importlib.util
import inspect
import os
import sys
import threading
import types
import typing

# Operations of PyTorch by their names in its dispatcher. Those that fill, with the place of the value.
EMPTY = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided"}
ZEROS = {"zeros", "zeros_like", "new_zeros"}
FULL = {"full": 1, "full_like": 1, "new_full": 2}
VIEWS = {
    "_reshape_alias", "_unsafe_view", "alias", "as_strided", "detach", "diagonal", "expand", "permute", "select",
    "slice", "split", "split_with_sizes", "squeeze", "t", "transpose", "unbind", "unfold", "unsqueeze", "view",
    "view_as_complex", "view_as_real",
}
COPIES = {"_to_copy", "clone", "copy_"}
READING = {"_local_scalar_dense", "equal", "is_nonzero", "nonzero"}
NO_VALUES = "values of tensors are not known while kernels are compiled"

# Persistent kernels make their grid of it. Of the A100, of the H100 and H200 with SXM, and of the B200. On a board
# that has another number, such a kernel computes the same.
MULTIPROCESSORS = {80: 108, 90: 132, 100: 148}


class Memory:
    """What tensors lie in: a tensor of the case, or what the solution allocated. A launch names it by its label."""

    def __init__(self, label, size, of_case=False, zeroed=False):
        self.label, self.bytes, self.of_case, self.zeroed = label, size, of_case, zeroed
        self.handed = False  # to a kernel


def refuse_address(*_):
    raise Refused("the address of a tensor is not known while kernels are compiled: hand over the tensor")


class Address(int):
    """What data_ptr() gives: its alignment is right, and nothing else."""

    __add__ = __radd__ = __sub__ = __rsub__ = __str__ = __format__ = refuse_address


class Inert(contextlib.ContextDecorator):
    """A stream, an event or the choice of a device. What is launched runs in the order of the launches."""

    cuda_stream = 0
    device_index = 0

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def nothing(self, *_, **__):
        return None

    synchronize = wait = wait_event = wait_stream = record = nothing

    def query(self):
        return True

    def record_event(self, event=None):
        return event or Inert()

    def elapsed_time(self, _):
        raise Refused("nothing is timed while kernels are compiled")


class DeviceProperties(dict):
    """By attribute as PyTorch has them, by key as Triton's driver does."""

    def __missing__(self, name):
        raise Refused(f"the property {name} of the device is not known while kernels are compiled: write it down")

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]


def refuse_call(what):
    def refuse(*_, **__):
        raise Refused(f"{what} cannot be part of a solution: only kernels of Triton are judged")

    return refuse


def compile_of_torch(model=None, **_):
    return compile_of_torch if model is None else refuse_call("torch.compile")


def plain_operation(_, function=None, **__):
    """Of torch.library: an operation is what it calls."""
    if function is None:
        return lambda each: plain_operation(_, each)
    for registration in ("register_autograd", "register_fake", "register_kernel", "register_vmap"):
        setattr(function, registration, lambda *_, **__: lambda each: each)
    return function


def mapped(value, change):
    """With each leaf of lists, tuples, dictionaries and slices changed."""
    if isinstance(value, (list, tuple)):
        return type(value)([mapped(each, change) for each in value]) if type(value) in (list, tuple) else value
    if isinstance(value, dict):
        return {key: mapped(each, change) for key, each in value.items()}
    if isinstance(value, slice):
        return slice(*(mapped(each, change) for each in (value.start, value.stop, value.step)))
    return change(value)


def leaves(value):
    found = []
    mapped(value, found.append)
    return found


class Returned:
    """What a function of C++ returned, or the part of it with this index. It can be returned, and nothing else."""

    def __init__(self, host, index=0):
        self.host, self.index = host, index

    def __iter__(self):
        return (Returned(self.host, index) for index in range(self.host.output_count))

    def __getitem__(self, index):
        return list(self)[index]

    def same(self, *_, **__):
        return self

    contiguous = view = reshape = flatten = squeeze = unsqueeze = same

    def __getattr__(self, name):
        raise Refused(f"it uses what a function of C++ returned ({name}): return it as it is")

    def refuse_operator(self, *_):
        raise Refused("it computes with what a function of C++ returned: return it as it is")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = refuse_operator
    __neg__ = __matmul__ = __rmatmul__ = __pow__ = __eq__ = __ne__ = __lt__ = __gt__ = __bool__ = refuse_operator
    __iadd__ = __isub__ = __imul__ = __itruediv__ = __setitem__ = refuse_operator
    __hash__ = object.__hash__


class Extension:
    """What load_inline() gives: functions of C++, which nobody compiles. Calls of them are noted."""

    def __init__(self, host, sources):
        self.host, self.sources = host, sources

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *given, **named: self.host.note_call(self.sources, name, given, named)


def handle_class(torch, host):
    class Handle(torch.Tensor):
        """A tensor of the GPU, as the solution sees it: `inner`, a meta tensor, has its shape; it lies in `memory`."""

        __torch_function__ = torch._C._disabled_torch_function_impl

        @staticmethod
        def __new__(cls, inner, memory):
            handle = torch.Tensor._make_wrapper_subclass(
                cls, inner.size(), strides=inner.stride(), storage_offset=inner.storage_offset(), dtype=inner.dtype,
                device="cuda:0")
            handle.inner, handle.memory = inner, memory
            return handle

        @classmethod
        def __torch_dispatch__(cls, operation, types, args=(), kwargs=None):
            return host.carry_out(operation, args, kwargs or {})

        def data_ptr(self):
            return Address(host.place(self.memory) + self.storage_offset() * self.element_size())

        def refuse_value(self, *_, **__):
            raise Refused(NO_VALUES)

        item = tolist = cpu = numpy = __bool__ = __int__ = __float__ = __index__ = __array__ = refuse_value
        __format__ = refuse_value

        def new_tensor(self, *_, **__):
            refuse_host_values("new_tensor")

        def record_stream(self, _):
            return None

        def __repr__(self):
            return f"tensor(shape={list(self.shape)}, dtype={self.dtype}, device='cuda:0')"

    return Handle


def modes_of(torch, host):
    from torch.overrides import TorchFunctionMode
    from torch.utils._python_dispatch import TorchDispatchMode

    class Calls(TorchFunctionMode):
        """Sees what PyTorch would turn into plain numbers, or look for a GPU with."""

        def __torch_function__(self, function, types, args=(), kwargs=None):
            kwargs = kwargs or {}
            if any(isinstance(each, (IntegerScalar, FloatScalar)) for each in leaves([args, kwargs])):
                refuse_use(None)
            if function in (torch.tensor, torch.as_tensor) and "cuda" in str(kwargs.get("device")):
                refuse_host_values(function.__name__)
            return function(*args, **kwargs)

    class Operations(TorchDispatchMode):
        @classmethod
        def _should_skip_dynamo(cls):
            return False  # else PyTorch imports its compiler for each mode, which takes seconds

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            return host.carry_out(operation, args, kwargs or {})

    return Calls, Operations


def refuse_host_values(what):
    raise Refused(f"it copies values from the CPU to the GPU ({what}): hand numbers over to a kernel as they are")


class Host:
    """PyTorch as far as it needs no values: allocations, views, and questions about the device."""

    def __init__(self, compilation):
        try:
            import torch
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise Refused(f"a solution needs PyTorch, which {sys.executable} has not: {sys.executable} -m pip install "
                          "torch") from None
        self.torch, self.compilation = torch, compilation
        self.memories = []
        self.calls = []  # of functions of C++
        self.output_count = 1
        self.launching = None  # the thread that runs the solution's function
        self.strays = []
        self.Handle = handle_class(torch, self)
        self.modes = modes_of(torch, self)
        self.adapt_torch()
        self.adapt_driver()

    # What is asked about the device.

    def properties(self):
        number = capability_of(self.compilation.request["architecture"])
        major, minor = divmod(number, 10)
        known = DeviceProperties(major=major, minor=minor, name=self.device_name(), warp_size=32)
        if number in MULTIPROCESSORS:
            known["multi_processor_count"] = known["multiprocessor_count"] = MULTIPROCESSORS[number]
        return known

    def device_name(self):
        return f"NVIDIA GPU of {self.compilation.request['architecture']}"

    def functions_of_cuda(self):
        capability = divmod(capability_of(self.compilation.request["architecture"]), 10)
        known = {
            "is_available": lambda: True, "device_count": lambda: 1,
            "current_device": lambda: 0, "is_current_stream_capturing": lambda: False,
            "get_device_capability": lambda device=None: capability,
            "get_device_name": lambda device=None: self.device_name(),
            "get_device_properties": lambda device=None: self.properties(),
            "current_stream": lambda device=None: Inert(), "default_stream": lambda device=None: Inert(),
        }
        for name in ("_lazy_init", "init", "set_device", "set_stream", "synchronize", "empty_cache"):
            known[name] = lambda *_: None
        for name in ("Stream", "Event", "StreamContext", "device", "device_of", "stream"):
            known[name] = type(name, (Inert,), {})
        for name in ("CUDAGraph", "graph", "make_graphed_callables"):
            known[name] = refuse_call("a CUDA graph")
        return known

    def adapt_torch(self):
        torch = self.torch
        if hasattr(torch._C, "_ensureCUDADeviceGuardSet"):
            torch._C._ensureCUDADeviceGuardSet()  # else PyTorch looks for a driver where a device has no number
        for name, value in self.functions_of_cuda().items():
            setattr(torch.cuda, name, value)
        # In inference mode operations come in other parts, and are no fewer.
        torch.inference_mode = lambda mode=True: torch.no_grad()(mode) if callable(mode) else torch.no_grad()
        torch.compile = compile_of_torch
        library = getattr(torch, "library", None)
        for name in ("triton_op", "custom_op"):
            if hasattr(library, name):
                setattr(library, name, plain_operation)
        if hasattr(library, "wrap_triton"):
            library.wrap_triton = lambda kernel: kernel
        extension = sys.modules["torch.utils.cpp_extension"] = types.ModuleType("torch.utils.cpp_extension")
        torch.utils.cpp_extension = extension
        extension.load = refuse_call("CUDA C++ in other files (cpp_extension.load)")
        extension.load_inline = self.load_inline

    def load_inline(self, name, cpp_sources, cuda_sources=None, *_, **options):
        if not self.compilation.request.get("note_calls"):
            refuse_call("CUDA C++ that PyTorch compiles (cpp_extension.load_inline)")()
        flags = [each for key in ("extra_cflags", "extra_cuda_cflags") for each in options.get(key) or ()]
        defined = [each for each in flags if str(each).startswith("-D")]
        if defined:
            raise Refused(f"the compiler's option {defined[0]} is not heeded: write it into the source, with #define")
        sources = [[each] if isinstance(each, str) else list(each or ()) for each in (cpp_sources, cuda_sources)]
        return Extension(self, [str(each) for each in sources[0] + sources[1]])

    def note_call(self, sources, function, given, named):
        if self.launching is not threading.current_thread():
            raise Refused("it calls a function of C++ outside of the function that is judged")
        if named:
            raise Refused(f"it hands {', '.join(named)} over to {function}() by name: hand all over in their order")
        for each in given:
            if isinstance(each, self.Handle):
                if each.storage_offset() != 0 or not each.is_contiguous():
                    raise Refused(f"a part of {each.memory.label}, or another order of it, cannot be handed over to a "
                                  "function of C++: hand over the whole tensor")
                each.memory.handed = True
            elif isinstance(each, Address):
                refuse_address()
            elif not isinstance(each, (bool, int, float, IntegerScalar, FloatScalar)):
                what = unknown_name(each) if isinstance(each, self.torch.Tensor) else repr(each)
                raise Refused(f"{what} cannot be handed over to a function of C++")
        self.calls.append((sources, function, given))
        return Returned(self)

    def adapt_driver(self):
        from triton.runtime import driver

        driver.active.get_active_torch_device = lambda: self.torch.device("cuda", 0)
        driver.active.utils = types.SimpleNamespace(get_device_properties=lambda device=0: self.properties())

    # What is done with tensors.

    def remember(self, label, size, **more):
        self.memories.append(Memory(label, size, **more))
        return self.memories[-1]

    def place(self, memory):
        """Somewhere that no other memory lies."""
        return (self.memories.index(memory) + 1) << 42

    def tensor_of_case(self, given):
        """`given` is as the request describes it."""
        dtype = getattr(self.torch, DTYPES[given["dtype"]].name)
        inner = self.torch.empty_strided(given["shape"], row_major(given), dtype=dtype, device="meta")
        return self.Handle(inner, self.remember(given["name"], inner.untyped_storage().nbytes(), of_case=True))

    def carry_out(self, operation, args, options):
        name = operation._schema.name
        short = name.removeprefix("aten::")
        device = getattr(options.get("device"), "type", None)
        handles = [each for each in leaves([args, options]) if isinstance(each, self.Handle)]
        if not handles and device != "cuda":
            return operation(*args, **options)  # of numbers in the file, on the CPU
        if device in (None, "cuda") and (short in EMPTY or short in ZEROS or short in FULL):
            return self.allocated(operation, short, args, options)
        if short in VIEWS:
            memory = args[0].memory
            viewed = operation(*self.inner(args), **self.inner(options))
            return mapped(viewed, lambda each: self.Handle(each, memory))
        if short in ("zero_", "fill_"):
            return self.zeroed(short, args)
        if short == "is_pinned":
            return False
        if short in READING or device == "cpu":
            raise Refused(NO_VALUES)
        if not handles and short in COPIES:
            refuse_host_values(name)
        verb = "copies" if short in COPIES else "computes"
        raise Refused(f"it {verb} with PyTorch ({name}): only kernels of Triton are judged; do it in a kernel")

    def inner(self, values):
        return mapped(values, lambda each: each.inner if isinstance(each, self.Handle) else each)

    def allocated(self, operation, short, args, options):
        if short in FULL and args[FULL[short]] != 0:
            refuse_fill(short)
        inner = operation(*self.inner(args), **{**self.inner(options), "device": "meta"})
        label = f"allocation {len(self.memories)}"  # no name of a tensor has a space
        return self.Handle(inner, self.remember(label, inner.untyped_storage().nbytes(), zeroed=short not in EMPTY))

    def zeroed(self, short, args):
        tensor = args[0]
        memory = tensor.memory
        if short == "fill_" and (isinstance(args[1], self.torch.Tensor) or args[1] != 0):
            refuse_fill(short)
        whole = tensor.is_contiguous() and tensor.numel() * tensor.element_size() == memory.bytes
        if memory.handed or not whole:
            raise Refused(f"it zeroes a tensor with PyTorch (aten::{short}), after a kernel used it or in part: write "
                          "the zeros in a kernel")
        memory.zeroed = True
        return tensor

    # What is launched.

    @contextlib.contextmanager
    def in_force(self):
        from triton.runtime import jit

        calls, operations = self.modes
        launch = jit.JITFunction.run
        jit.JITFunction.run = self.launcher(launch)
        main_module = sys.modules.pop(MAIN_MODULE, None)  # the solution may have a kernel.py, too
        try:
            with calls(), operations():
                yield
        finally:
            jit.JITFunction.run = launch
            if main_module is not None:
                sys.modules[MAIN_MODULE] = main_module

    def launcher(self, launch):
        def run(function, *args, grid, warmup=False, **options):
            if self.launching is None:
                raise Refused("it launches a kernel while it is imported: each launch has to do it, in the function")
            if self.launching is not threading.current_thread():
                self.strays.append(function.__name__)
                raise Refused("a thread launches a kernel: do it in the function itself")
            handed = [self.handed(each) for each in args]
            named = {name: self.handed(each) for name, each in options.items()}
            own = {id(new): old for old, new in zip([*args, *options.values()], [*handed, *named.values()])}

            def grid_of(values):
                return grid({name: own.get(id(value), value) for name, value in values.items()})

            recorded = [*self.compilation.launches], [*self.compilation.kernels]
            compiled = launch(function, *handed, grid=grid_of if callable(grid) else grid, **named)
            if warmup:
                self.compilation.launches, self.compilation.kernels = recorded
            return compiled

        return run

    def handed(self, value):
        """As the compiler takes it: what stands for a tensor."""
        if isinstance(value, self.Handle):
            memory = value.memory
            begin = value.storage_offset() * value.element_size()
            if begin > 0 and begin >= memory.bytes:
                raise Refused(f"a pointer to byte {begin} is handed over to a kernel, of {memory.bytes} bytes")
            memory.handed = True
            dtype = Dtype(str(value.dtype).removeprefix("torch."), value.element_size())
            return Tensor(memory.label, dtype, value.shape, begin)
        if isinstance(value, self.torch.Tensor) and value.is_meta:
            raise Refused(f"{unknown_name(value)} cannot be handed over to a kernel: nobody knows its values")
        if isinstance(value, self.torch.Tensor):
            raise Refused("a tensor on the CPU cannot be handed over to a kernel")
        if isinstance(value, Address):
            refuse_address()
        if type(value).__name__ == "TensorDescriptor":
            described = copy.copy(value)
            described.base = self.handed(value.base)
            return described
        return value


def unknown_name(tensor):
    return getattr(tensor, "unknown_to_case", "a tensor that the problem does not have")


def stand_in_of_task():
    """Of gpu-mode's problems: it has the types of inputs and outputs, which only annotate."""
    def attribute(name):
        if name.startswith("__"):
            raise AttributeError(name)
        return typing.Any

    module = types.ModuleType("task")
    module.__getattr__ = attribute
    return module


def refuse_fill(operation):
    raise Refused(f"it fills a tensor with PyTorch (aten::{operation}): write the values in a kernel")


def refuse_zeros(name):
    raise Refused(f"{name} is to be zeroed before the kernels run, and its rows are padded: write the zeros in a kernel")


def row_major(given):
    strides = [1]
    for extent in reversed(given["shape"][1:]):
        strides.insert(0, strides[0] * extent)
    return given.get("strides") or strides


def same_layout(tensor, given):
    """Whether it is what the case says. A case has no tensors without dimensions: it calls them [1]."""
    shape, wanted = list(tensor.shape), list(given["shape"])
    if shape != wanted:
        return shape in ([], [1]) and wanted in ([], [1])
    if 0 in shape:
        return True
    return all(extent == 1 or mine == its for extent, mine, its in zip(shape, tensor.stride(), row_major(given)))


class Solution:
    """A function of a file, and which tensors of the case it takes and gives."""

    def __init__(self, compilation, file, function, outputs, destination_passing, packed, inputs, name):
        request = compilation.request
        self.compilation, self.packed, self.destination_passing = compilation, packed, destination_passing
        self.tensors = {each["name"]: each for each in request["tensors"]}
        self.outputs = [outputs] if isinstance(outputs, str) else list(outputs)
        self.case_names = [*self.tensors, *(each["name"] for each in request["scalars"])]
        self.is_ordered = inputs is not None
        if inputs is None:
            inputs = [each for each in self.case_names if not self.tensors.get(each, {}).get("written")]
        self.inputs = list(inputs)
        self.check_names(request)
        self.given = self.inputs + [each for each in self.outputs if destination_passing and each not in self.inputs]
        self.host = Host(compilation)
        self.name = name or function
        self.function = self.loaded(file, function)
        self.check_signature()

    def check_names(self, request):
        for name in self.outputs:
            if not self.tensors.get(name, {}).get("written"):
                raise Refused(f"solution() has the output {name}, which is no tensor that the case lets a kernel write")
        for name in self.inputs:
            if name not in self.case_names and name not in request["sizes"]:
                raise Refused(f"solution() has the input {name}, which the case has not: it has "
                              f"{', '.join([*self.case_names, *request['sizes']])}")
        for name, each in self.tensors.items():
            if each["written"] and name not in self.outputs and name not in self.inputs:
                raise Refused(f"solution() does not say which output is {name}: name it in outputs")

    def loaded(self, file, function):
        if not os.path.isfile(file):
            raise Refused(f"solution() names {file}, and there is no such file of the kernel")
        folder = os.path.dirname(os.path.abspath(file))
        here = os.getcwd()
        above = folder
        folders = [above]
        while above.startswith(here + os.sep):  # an entry point may lie in a package
            above = os.path.dirname(above)
            folders.append(above)
        sys.path[:0] = folders
        if not os.path.exists(os.path.join(folder, "task.py")):
            sys.modules["task"] = stand_in_of_task()
        package = sys.modules["solution_files"] = types.ModuleType("solution_files")
        package.__path__ = [folder]
        name = "solution_files." + os.path.splitext(os.path.basename(file))[0]
        spec = importlib.util.spec_from_file_location(name, file)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        with self.host.in_force():
            spec.loader.exec_module(module)
        if not callable(getattr(module, function, None)):
            raise Refused(f"{file} has no function {function}()")
        return getattr(module, function)

    def check_signature(self):
        try:
            signature = inspect.signature(self.function)
        except ValueError:
            return
        listed = ", ".join(self.given)
        parameters = list(signature.parameters)
        try:
            signature.bind(*([None] if self.packed else self.given))
        except TypeError as error:
            raise Refused(f"{self.name}({', '.join(parameters)}) cannot be called with {listed} ({error})") from None
        if not self.is_ordered and parameters != self.given and sorted(parameters) == sorted(self.given):
            raise Refused(f"{self.name}() takes its tensors in another order than the case has them: say solution(..., "
                          f"inputs={[each for each in parameters if each in self.inputs]})")

    def launch(self, *values):
        host = self.host
        scalars = {name: value for name, value in zip(self.case_names, values) if name not in self.tensors}
        self.seen = {name: host.tensor_of_case(each) for name, each in self.tensors.items()}
        known = {**self.compilation.request["sizes"], **self.seen, **scalars}
        arguments = tuple(known[name] for name in self.given)
        host.launching, host.output_count = threading.current_thread(), len(self.outputs)
        with host.in_force():
            returned = self.function(arguments) if self.packed else self.function(*arguments)
        host.launching = None
        if host.strays:
            raise Refused(f"a thread launches {host.strays[0]}: do it in {self.name}() itself")
        if Refused.first is not None:
            raise Refused.first  # which the solution may have caught, and gone another way
        if self.compilation.request.get("note_calls"):
            self.compilation.call = self.noted(self.named(returned))
        else:
            self.settle(self.named(returned))

    def named(self, returned):
        """By the names of outputs, what the function returned."""
        if self.destination_passing and (returned is None or not self.packed):
            return {}
        wanted = ", ".join(self.outputs)
        if returned is None:
            raise Refused(f"{self.name}() returns nothing, and has to return {wanted}")
        if isinstance(returned, dict):
            if set(returned) != set(self.outputs):
                raise Refused(f"{self.name}() returns {', '.join(map(str, returned))}, and has to return {wanted}")
            return returned
        several = list(returned) if isinstance(returned, (list, tuple)) else [returned]
        if isinstance(returned, Returned) and len(self.outputs) > 1:
            several = list(returned)
        if len(several) != len(self.outputs):
            raise Refused(f"{self.name}() returns {len(several)} values, and has to return {len(self.outputs)}: "
                          f"{wanted}")
        return dict(zip(self.outputs, several))

    def noted(self, returned):
        """The one call of a function of C++, with tensors by their names in the case."""
        host = self.host
        if len(host.calls) != 1 or self.compilation.launches:
            raise Refused(f"it calls {len(host.calls)} functions of C++ and launches {len(self.compilation.launches)} "
                          "kernels of Triton: one such function is judged, and nothing beside it")
        parts = {each.index: name for name, each in returned.items() if isinstance(each, Returned)}
        if sorted(parts) != list(range(len(parts))):
            raise Refused(f"{self.name}() returns a part of what the function of C++ returned")
        labels = self.labels_of({name: each for name, each in returned.items() if not isinstance(each, Returned)})
        (sources, function, given), arguments = host.calls[0], []
        for each in given:
            if isinstance(each, host.Handle):
                label = each.memory.label if each.memory.of_case else labels.get(each.memory.label)
                if label is None or each.memory.zeroed:
                    raise Refused(f"it hands over to {function}() a tensor that it allocates, and that is no output or is to "
                                  "be zeroed: allocate it in the function")
                arguments.append({"tensor": label, "shape": list(each.shape)})
            elif isinstance(each, (IntegerScalar, FloatScalar)):
                arguments += [{"scalar": name} for name, scalar in self.compilation.scalars.items() if scalar is each]
            else:
                arguments.append({"number": each, "is_whole": not isinstance(each, float)})
        return {"sources": sources, "function": function, "arguments": arguments,
                "returned": [parts[index] for index in sorted(parts)]}

    def labels_of(self, returned):
        """By what stands for the solution's own memory, the outputs that it returns."""
        labels = {}
        for name, tensor in returned.items():
            if not isinstance(tensor, self.host.Handle):
                raise Refused(f"{self.name}() returns {type(tensor).__name__} as {name}: return a tensor of the GPU")
            memory, mine = tensor.memory, self.seen[name].memory
            if name in self.given and memory is mine and tensor.storage_offset() == 0:
                continue
            if name in self.given and (memory.of_case or mine.handed or self.destination_passing):
                raise Refused(f"{self.name}() returns another tensor than {name}, which it is given to write")
            self.check_output(name, tensor)
            if memory.label in labels:
                raise Refused(f"{self.name}() returns one allocation as {labels[memory.label]} and as {name}")
            labels[memory.label] = name
        return labels

    def settle(self, returned):
        """Replaces in the launches what stands for the solution's own memory."""
        labels = self.labels_of(returned)
        for name in self.outputs:
            if name in self.given and name not in labels.values() and not self.seen[name].memory.handed:
                raise Refused(f"{self.name}() hands the output {name} to no kernel")
        parts = {each.label: self.compilation.part(DTYPES["u8"], (each.bytes,), each.zeroed).offset
                 for each in self.host.memories if each.handed and not each.of_case and each.label not in labels}

        def settled(argument):
            if isinstance(argument, str):
                argument = {"buffer": argument, "offset": 0}
            key = "map" if "map" in argument else "buffer"
            if argument is BEHIND_PARTS or key not in argument:
                return argument
            # Of a map in elements. Parts begin at multiples of 256 bytes.
            label, offset, unit = argument[key], argument["offset"], argument.get("element_bytes", 1)
            name = "workspace" if label in parts else labels.get(label, label)
            offset += parts.get(label, 0) // unit
            return {**argument, "map": name, "offset": offset} if key == "map" else pointer(name, offset)

        for launch in self.compilation.launches:
            launch["arguments"] = [settled(each) for each in launch["arguments"]]
        for memory in self.host.memories:
            name = memory.label if memory.of_case else labels.get(memory.label)
            if memory.zeroed and name in self.tensors:
                self.zero(name)

    def zero(self, name):
        given = self.tensors[name]
        if given.get("strides") not in (None, row_major({"shape": given["shape"]})):
            refuse_zeros(name)
        self.compilation.zero_first(Tensor(name, DTYPES[given["dtype"]], given["shape"]))

    def check_output(self, name, tensor):
        memory, given = tensor.memory, self.tensors[name]
        what = f"{self.name}() returns as {name}"
        if memory.of_case:
            raise Refused(f"{what} the tensor {memory.label} of the case: an output is memory of its own")
        if str(tensor.dtype) != str(DTYPES[given["dtype"]]) or not same_layout(tensor, given):
            raise Refused(f"{what} {tensor.dtype} of shape {list(tensor.shape)} and strides {list(tensor.stride())}; "
                          f"the case has {DTYPES[given['dtype']]} of shape {given['shape']} and strides "
                          f"{row_major(given)}")
        if tensor.storage_offset() != 0 or memory.bytes != tensor.numel() * tensor.element_size():
            raise Refused(f"{what} a part of an allocation: allocate each output by itself")
        if not memory.handed:
            raise Refused(f"{what} a tensor that no kernel is given")


def solution_of(compilation, file, function, outputs, destination_passing=True, packed=False, inputs=None, name=None):
    """What autokernel.solution() gives: a launch() for the tensors and scalars of the case. Messages call it `name`."""
    made = Solution(compilation, file, function, outputs, destination_passing, packed, inputs, name)
    return lambda *values: made.launch(*values)
