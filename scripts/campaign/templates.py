"""Kernels out of the files of library/.

A file *.cu is a kernel as it is: its parameters are lines `constexpr int NAME = VALUE;`, whose values are replaced.

A file *.cu.in is a template, for parameters that change more than numbers. Its lines of Python are `% if`, `% elif`, `% else`,
`% end` and `% include FILE`; `${...}` is the value of an expression. Names in both are the parameters.
"""

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIBRARY = HERE / "library"
EXAMPLES = HERE.parent.parent / "kernels/examples"


def wgmma(n, name, a_in_registers=False):
    """D = A x B + (add ? D : 0) of 64 x n x 16 as a function: B has N innermost."""
    count = n // 2
    a = count
    if a_in_registers:
        a_operand = f"{{%{a}, %{a + 1}, %{a + 2}, %{a + 3}}}"
        b, flags = a + 4, "add, 1, 1, 1"
        parameters = "const uint32_t (&a)[4], uint64_t b"
        inputs = '"r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)'
    else:
        a_operand = f"%{a}"
        b, flags = a + 1, "add, 1, 1, 0, 1"
        parameters = "uint64_t a, uint64_t b"
        inputs = '"l"(a), "l"(b)'
    rows = [", ".join(f"%{j}" for j in range(i, i + 8)) for i in range(0, count, 8)]
    sums = "\n".join(
        f'      "{"{" if i == 0 else " "}{row}{"}" if i + 1 == len(rows) else ""}, "' for i, row in enumerate(rows)
    )
    groups = [f"D8({i})" for i in range(0, count, 8)]
    outputs = ",\n        ".join(", ".join(groups[i : i + 8]) for i in range(0, len(groups), 8))
    return f"""__device__ __forceinline__ void {name}(float* d, {parameters}, int add) {{
  asm volatile(
      "{{\\n.reg .pred add;\\nsetp.ne.b32 add, %{b + 1}, 0;\\n"
      "wgmma.mma_async.sync.aligned.m64n{n}k16.f32.bf16.bf16 "
{sums}
      "{a_operand}, %{b}, {flags};\\n}}"
      : {outputs}
      : {inputs}, "r"(add));
}}"""


def with_includes(text):
    return re.sub(r"^% include (\S+)\n", lambda found: with_includes((LIBRARY / found[1]).read_text()), text, flags=re.M)


def fill(text, values):
    """The template as a program, and what that writes."""
    program, depth = [], 0
    for line in with_includes(text).splitlines():
        control = re.fullmatch(r"\s*% (.*)", line)
        if not control:
            parts = re.split(r"\$\{(.*?)\}", line)
            pieces = [repr(part) if i % 2 == 0 else f"str({part})" for i, part in enumerate(parts)]
            program.append("  " * depth + f"out.append({' + '.join(pieces)})")
        elif control[1] == "end":
            depth -= 1
        else:
            goes_on = control[1].startswith(("else", "elif"))
            program.append("  " * (depth - goes_on) + control[1])
            # A branch without a line of text is an empty one.
            program.append("  " * (depth + (not goes_on)) + "pass")
            depth += not goes_on
    out = []
    exec("\n".join(program), {"wgmma": wgmma, **values, "out": out})
    return "\n".join(out) + "\n"


def replace(text, values, file):
    for name, value in values.items():
        text, count = re.subn(rf"^constexpr int {name.upper()} = \d+;", f"constexpr int {name.upper()} = {value};", text, flags=re.M)
        if count != 1:
            raise ValueError(f"{file} has {count} lines for the parameter {name}")
    return text


def kernel(file, values):
    """The source of a kernel, from a file of the library or of kernels/examples."""
    text = ((EXAMPLES if file.startswith("examples/") else LIBRARY) / Path(file).name).read_text()
    return fill(text, values) if file.endswith(".in") else replace(text, values, file)


def digest(source):
    """What two sources have in common that differ only in comments and blanks."""
    return re.sub(r"\s+", "", re.sub(r"//[^\n]*", "", source))
