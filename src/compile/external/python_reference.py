"""Runs the function `reference` of a case for autokernel, again and again.

    python_reference.py     in the folder of the case's files; calls come on standard input, a line of JSON
                            each, and answers go to descriptor 3

A call names a file for each tensor that is read, and one for each that is to be written. The function gets all
that is read by name, as torch tensors, or NumPy arrays where the reference has ARRAYS = "numpy", and scalars as
numbers. It returns what is written: one value, several in order, or a dict by name.
"""

import importlib
import json
import mmap
import os
import sys
import traceback


class Torch:
    """Tensors in files, as those of PyTorch."""

    NAMES = {"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "i64": "int64", "i32": "int32",
             "i16": "int16", "i8": "int8", "u32": "uint32", "u8": "uint8", "bool": "bool", "e4m3": "float8_e4m3fn",
             "e5m2": "float8_e5m2"}

    def __init__(self):
        self.torch = importlib.import_module("torch")

    def bytes_in(self, path, count, is_written):
        return self.torch.from_file(path, shared=is_written, size=count, dtype=self.torch.uint8)

    def read(self, tensor):
        values = self.bytes_in(tensor["file"], tensor["bytes"], False).view(self.dtype(tensor))
        return self.torch.as_strided(values, tensor["shape"], tensor["strides"])

    def dtype(self, tensor):
        return getattr(self.torch, self.NAMES[tensor["dtype"]])

    def write(self, tensor, value):
        torch = self.torch
        value = torch.as_tensor(value).detach()
        require_shape(tensor, list(value.shape))
        value = value.to(device="cpu", dtype=self.dtype(tensor)).reshape(tensor["shape"])
        row = tensor["strides"][-2] if len(tensor["shape"]) > 1 else 0
        whole = self.bytes_in(tensor["file"], tensor["bytes"], True).view(self.dtype(tensor))
        if row and row != tensor["shape"][-1]:
            torch.as_strided(whole, tensor["shape"], tensor["strides"]).copy_(value)
        else:
            whole.copy_(value.reshape(-1))

    def quiet(self):
        return self.torch.no_grad()


class Numpy:
    """The same as arrays of NumPy, which has no bf16 and no 8-bit floating types."""

    NAMES = {"f64": "float64", "f32": "float32", "f16": "float16", "i64": "int64", "i32": "int32", "i16": "int16",
             "i8": "int8", "u32": "uint32", "u8": "uint8", "bool": "bool"}

    def __init__(self):
        self.numpy = importlib.import_module("numpy")

    def whole(self, tensor, access):
        with open(tensor["file"], "r+b" if access == mmap.ACCESS_WRITE else "rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=access)
        return self.strided(self.numpy.frombuffer(mapped, self.dtype(tensor)), tensor)

    def dtype(self, tensor):
        if tensor["dtype"] not in self.NAMES:
            raise TypeError(f"tensor {tensor['name']} is {tensor['dtype']}, which NumPy does not have: use torch")
        return self.numpy.dtype(self.NAMES[tensor["dtype"]])

    def strided(self, values, tensor):
        strides = [stride * values.itemsize for stride in tensor["strides"]]
        return self.numpy.lib.stride_tricks.as_strided(values, tensor["shape"], strides)

    def read(self, tensor):
        return self.whole(tensor, mmap.ACCESS_COPY)

    def write(self, tensor, value):
        value = self.numpy.asarray(value)
        require_shape(tensor, list(value.shape))
        self.whole(tensor, mmap.ACCESS_WRITE)[...] = value.astype(self.dtype(tensor)).reshape(tensor["shape"])

    def quiet(self):
        return self.numpy.errstate(all="ignore")


def require_shape(tensor, shape):
    """One element is one element, whatever dimensions it has."""
    if shape != tensor["shape"] and not (shape in ([], [1]) and tensor["shape"] in ([], [1])):
        raise ValueError(f"reference() gives {tensor['name']} the shape {shape}, and the case {tensor['shape']}")


def by_name(result, outputs):
    if isinstance(result, dict):
        missing = [each["name"] for each in outputs if each["name"] not in result]
        if missing:
            raise KeyError(f"reference() gives no {', '.join(missing)}")
        return [result[each["name"]] for each in outputs]
    values = list(result) if isinstance(result, (list, tuple)) else [result]
    if len(values) != len(outputs):
        raise ValueError(f"reference() gives {len(values)} of the {len(outputs)} tensors that are written")
    return values


def answer(call, reference, arrays):
    inputs = {each["name"]: arrays.read(each) for each in call["inputs"]}
    inputs.update(call["scalars"])
    with arrays.quiet():
        result = reference(**inputs)
    for tensor, value in zip(call["outputs"], by_name(result, call["outputs"])):
        arrays.write(tensor, value)


def main():
    answers = os.fdopen(os.dup(3), "w")
    sys.path.insert(0, os.getcwd())
    reference = arrays = None
    for line in sys.stdin:
        said = {"ok": True}
        try:
            call = json.loads(line)
            if reference is None:
                module = importlib.import_module(call["module"])
                reference = module.reference
                arrays = Numpy() if getattr(module, "ARRAYS", "torch") == "numpy" else Torch()
            if "outputs" in call:
                answer(call, reference, arrays)
        except BaseException as error:  # whatever it does, the next call is asked for
            trace = traceback.extract_tb(error.__traceback__)
            place = f" ({os.path.basename(trace[-1].filename)}:{trace[-1].lineno})" if trace else ""
            said = {"error": f"{type(error).__name__}: {error}{place}"}
        answers.write(json.dumps(said) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
