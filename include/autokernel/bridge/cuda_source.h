// Cases of the kernels in a CUDA source that has host code, too: what the host code says of a
// launch goes into case.toml, and what the device needs into kernel.cu. Nothing is run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/bridge/note.h"

namespace autokernel::bridge {

struct ImportedCase {
  std::string kernel;                        // its name in the source
  int line = 0;                              // of its launch
  std::map<std::string, std::string> files;  // by path: "case.toml", "kernel.cu", "IMPORT.md"
  std::vector<Note> blanks;                  // in those files: what the source does not say
  std::vector<Note> assumptions;             // in the source: what was taken for granted
  std::vector<Note> left_out;                // in the source: what is not in kernel.cu
};

// A kernel of which no case was made.
struct NotImported {
  std::string kernel;
  int line = 0;
  std::string reason;
};

struct ImportedSource {
  std::vector<ImportedCase> cases;  // one for each kernel, of its first launch
  std::vector<NotImported> others;
};

// Host code that is called from outside, such as a solution of a benchmark's.
struct HostCall {
  struct Operand {
    std::string name;                   // in the case
    std::string dtype;                  // "f32"
    bool is_tensor = true;              // else a scalar
    std::vector<std::string> shape;     // of a tensor: sizes of the case, or numbers
    std::optional<double> number = {};  // that is handed over in place of a scalar
    bool is_whole = true;               // of the number
    std::string symbol = {};            // a size of the case that the number is
  };
  std::string function;                       // by the name that it is exported by
  std::vector<Operand> parameters;            // of it, in their order
  std::vector<std::string> returned;          // tensors of the case that it returns, in their order
  std::map<std::string, std::int64_t> sizes;  // of the case, at one of its sizes
};

// The kernel that the function launches, for the case whose operands they are: kernel.cu.
struct CalledKernel {
  std::string text;
  std::vector<Note> assumptions;  // in the source: what was taken for granted
};
// The text of it, or a sentence on why there is none: more than one launch, values that the text
// does not tell. Throws as import_cuda_source() does.
[[nodiscard]] std::variant<CalledKernel, std::string> import_called_kernel(
    const std::string& file, const std::string& text,
    const std::map<std::string, std::string>& headers, const HostCall& call);

// `file` is the name that messages and comments have. `headers` are those that lie beside it, by
// the name that it includes them by. Any text is read. Throws Error(environment) where the grammar
// of CUDA C++, a library of ours, is missing.
[[nodiscard]] ImportedSource import_cuda_source(const std::string& file, const std::string& text,
                                                const std::map<std::string, std::string>& headers);

}  // namespace autokernel::bridge
