// What makes a Program of a kernel's files, whatever language they are in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/compile/program.h"

namespace autokernel::compile {

// A tensor or a scalar of the case, at the size that is compiled for.
struct RequestedOperand {
  std::string name;
  std::string dtype;                  // as in case.toml: "bf16"
  std::vector<std::int64_t> shape;    // elements; of a scalar none
  std::vector<std::int64_t> strides;  // elements
  bool is_scalar = false;
  bool is_written = false;

  friend bool operator==(const RequestedOperand&, const RequestedOperand&) = default;
};

// A compiler that is no part of this program: a file of Python, and who runs it.
struct ExternalCompiler {
  std::string name;    // "triton", or that of the file
  std::string script;  // what the file holds
  std::string python;  // a path, or a name to look for on the PATH; empty: the active one

  friend bool operator==(const ExternalCompiler&, const ExternalCompiler&) = default;
};

struct Request {
  Source source;
  std::string architecture;                   // "sm_90a"
  std::map<std::string, std::int64_t> sizes;  // constants of the served header: M, N, K
  // Of libraries: what can be included beside the source's own files, the served header and CUDA's,
  // by the name it is included by.
  std::map<std::string, std::string> headers = {};
  std::vector<std::string> flags = {};            // of the compiler: "-maxrregcount=128"
  std::map<std::string, std::string> types = {};  // of the served header: "T" -> "__nv_bfloat16"
  std::optional<ExternalCompiler> compiler = {};  // none: what the main file's kind says
  std::vector<RequestedOperand> operands = {};    // for it

  friend bool operator==(const Request&, const Request&) = default;
};

// The file does not compile or declares something impossible: a verdict, not an Error.
struct Refusal {
  std::string reason;  // a few lines, the first compiler error with its line of the file
  std::string log;     // all of it
};
using Compilation = std::variant<Program, Refusal>;

// Whether outputs are taken from, and kept in, the compile cache below the user's cache folder.
enum class Caching : std::uint8_t { no, yes };

class FrontEnd {
 public:
  FrontEnd(const FrontEnd&) = delete;
  FrontEnd& operator=(const FrontEnd&) = delete;
  virtual ~FrontEnd() = default;

  // Runs nothing of the candidate's in this process, and lets nothing of it see more than its
  // request. May be called from several threads at once. Throws Error(usage) for an architecture
  // that is none, Error(environment) where the compiler itself breaks.
  [[nodiscard]] virtual Compilation compile(const Request& request) const = 0;
  // Of the compiler, for the record: "13.0".
  [[nodiscard]] virtual std::string version() const = 0;

 protected:
  FrontEnd() = default;
  FrontEnd(FrontEnd&&) = default;
  FrontEnd& operator=(FrontEnd&&) = default;
};

}  // namespace autokernel::compile
