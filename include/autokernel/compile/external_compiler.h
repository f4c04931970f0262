// Compilers of others: a program that reads a request and prints what it made of the kernel's files
// (docs/external-compilers.md). It is not trusted, nor are the files that it runs, which may be
// Python: it has a folder of its own, no network, no GPU, and is told no input.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/compile/front_end.h"

namespace autokernel::compile {

// The program that comes with autokernel for Triton's kernels, in Python.
[[nodiscard]] const char* triton_compiler();

// The one that a request names. Throws Error(internal) where it names none.
[[nodiscard]] const ExternalCompiler& compiler_of(const Request& request);

// Starts the compiler that the request names, in a process of its own. With the cache, what was
// once made of a file is what it stays: a file that compiles to something else later, by the clock
// or by what it finds, would otherwise be judged as one kernel and compared as another.
class ExternalFrontEnd : public FrontEnd {
 public:
  explicit ExternalFrontEnd(Caching caching) : caching_(caching) {}
  [[nodiscard]] Compilation compile(const Request& request) const override;
  [[nodiscard]] std::string version() const override { return "none"; }

 private:
  [[nodiscard]] Compilation compiled(const Request& request, std::string& answer) const;

  Caching caching_;
};

// What a compiler's answer says, for a request: a text of JSON. For tests.
[[nodiscard]] Compilation compilation_of_answer(const Request& request, const std::string& answer);

}  // namespace autokernel::compile
