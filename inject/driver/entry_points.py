#!/usr/bin/env python3
"""The entry points of the CUDA driver as cuda.h declares them, each in all its versions, made into what forwards them.

    entry_points.py CUDA_INCLUDE_FOLDER OWN.txt NAMES.inc FORWARD.S

OWN.txt lists those that the library defines by itself. NAMES.inc gets the others as C strings, one a line, and FORWARD.S a
function for each that jumps to the address in the same place of forwarded_entries.
"""

import re
import sys
from pathlib import Path

# Declared in headers of their own, which pull in others of graphics systems; named by what programs link.
ELSEWHERE = ("cuProfilerInitialize cuProfilerStart cuProfilerStop cuGLGetDevices cuGLGetDevices_v2 cuGraphicsGLRegisterBuffer "
             "cuGraphicsGLRegisterImage cuGLCtxCreate cuGLCtxCreate_v2 cuGLInit cuGraphicsEGLRegisterImage "
             "cuEGLStreamConsumerConnect cuEGLStreamConsumerDisconnect cuEGLStreamProducerConnect cuEGLStreamProducerDisconnect "
             "cuEventCreateFromEGLSync cuGraphicsResourceGetMappedEglFrame cuVDPAUGetDevice cuVDPAUCtxCreate "
             "cuVDPAUCtxCreate_v2").split()


def declared(header):
    """Every name of an entry point: prototypes, older and newer versions, and both kinds of default stream."""
    text = re.sub(r"/\*.*?\*/", "", header, flags=re.S)
    names = set(re.findall(r"CUDAAPI\s+(cu[A-Z]\w*)\s*\(", text))
    for short, full in re.findall(r"#\s*define\s+(cu[A-Z]\w*)\s+(cu[A-Z]\w*)\s*$", text, flags=re.M):
        names |= {short, full}
    for short, kind, full in re.findall(r"#\s*define\s+(cu[A-Z]\w*)\s+__CUDA_API_(PTDS|PTSZ)\((cu[A-Z]\w*)\)", text):
        names |= {short, full, f"{full}_{kind.lower()}"}
    return names


def write_changed(file, text):
    """What depends on the file is built again only where it is another one."""
    if not Path(file).exists() or Path(file).read_text() != text:
        Path(file).write_text(text)


def main(include, own, names_file, assembly_file):
    names = declared((Path(include) / "cuda.h").read_text(errors="replace")) | set(ELSEWHERE)
    if len(names) < 500:
        sys.exit(f"{include}/cuda.h declares only {len(names)} entry points: it is no header of CUDA 12 or later")
    names = sorted(names - set(Path(own).read_text().split()))
    write_changed(names_file, "".join(f'"{name}",\n' for name in names))
    lines = ["        .text"]
    for number, name in enumerate(names):
        lines += [f"        .globl {name}", f"        .type {name}, @function", f"{name}:",
                  "        movq forwarded_entries@GOTPCREL(%rip), %r11", f"        jmp *{8 * number}(%r11)",
                  f"        .size {name}, . - {name}"]
    lines.append('        .section .note.GNU-stack, "", @progbits')
    write_changed(assembly_file, "\n".join(lines) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
