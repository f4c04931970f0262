// What makes a Program of a kernel's files, whatever language they are in.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/compile/program.h"

namespace autokernel::compile {

struct Request {
  Source source;
  std::string architecture;                   // "sm_90a"
  std::map<std::string, std::int64_t> sizes;  // constants of the served header: M, N, K
  // Of libraries: what can be included beside the source's own files, the served header and CUDA's,
  // by the name it is included by.
  std::map<std::string, std::string> headers = {};
  std::vector<std::string> flags = {};            // of the compiler: "-maxrregcount=128"
  std::map<std::string, std::string> types = {};  // of the served header: "T" -> "__nv_bfloat16"

  friend bool operator==(const Request&, const Request&) = default;
};

// The file does not compile or declares something impossible: a verdict, not an Error.
struct Refusal {
  std::string reason;  // a few lines, the first compiler error with its line of the file
  std::string log;     // all of it
};
using Compilation = std::variant<Program, Refusal>;

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
