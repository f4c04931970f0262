// A kernel of a case in forms that other programs use: files that need neither the case nor
// autokernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/trial/ready_kernel.h"
#include "autokernel/trial/worked_example.h"

namespace autokernel::bridge {

struct ExportedCode {
  std::string size;       // "default"; what may be a file's name
  std::string case_size;  // as the case calls it
  cases::Sizes symbols;
  trial::ReadyKernel kernel;     // its launches are the same for all architectures
  std::vector<std::byte> image;  // for all of them (compile::fat_binary)
};

struct ExportedExample {
  std::string size;
  trial::WorkedExample values;
};

struct Licence {
  std::string id;    // as SPDX has it: "MIT"; "other" where it is not known
  std::string text;  // empty: there is none
};

struct KernelToShip {
  std::string name;  // of functions and modules: letters, digits and '_'
  const cases::Case* problem = nullptr;
  std::string main;                            // "kernel.cu"
  std::map<std::string, std::string> files;    // of the kernel, by path
  std::map<std::string, std::string> of_case;  // the case's own, by path: "case.toml"
  // Of [compile] include, that the kernel includes: they are not among its files.
  std::vector<std::string> library_headers;
  std::vector<ExportedCode> codes;         // one for each size
  std::vector<std::string> architectures;  // "sm_90a", which all images are for
  std::vector<ExportedExample> examples;   // of some of the sizes
  std::string record;                      // how it was measured, JSON; empty: it was not
  std::string figures;                     // of that, a sentence
  Licence licence;
  std::string author;
};

// By path from the folder of the export.
using ShippedFiles = std::map<std::string, std::string>;

// Each throws Error(usage) for a kernel that its form cannot hold.

// A header and the source of a library in C, its test, and a Makefile.
[[nodiscard]] ShippedFiles c_library(const KernelToShip& kernel);
// A package for Python with an operator of PyTorch, which calls that library.
[[nodiscard]] ShippedFiles torch_package(const KernelToShip& kernel);
// The library with what TVM-FFI calls.
[[nodiscard]] ShippedFiles tvm_ffi_module(const KernelToShip& kernel);
// A patch that adds the kernel and its launcher as source to a code base, in `folder`.
[[nodiscard]] ShippedFiles source_patch(const KernelToShip& kernel, const std::string& folder);
// A folder as kernel-builder of Hugging Face's kernels takes it.
[[nodiscard]] ShippedFiles hub_kernel(const KernelToShip& kernel);
// A kernel in Triton's language, as a package for Python.
[[nodiscard]] ShippedFiles triton_package(const KernelToShip& kernel);

// Whether functions and modules can be called so, in C, C++ and Python.
[[nodiscard]] bool can_be_called(const std::string& name);

}  // namespace autokernel::bridge
