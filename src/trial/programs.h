// Everything a trial compiles, compiled at the same time: the kernel at the timed and at the check
// size, the case's reference kernels at both, and the harness's own kernels.
#pragma once

#include <future>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/compile/compiler.h"
#include "autokernel/trial/result.h"
#include "trial/reference.h"
#include "trial/rejection.h"
#include "trial/signature.h"
#include "trial/sized_case.h"

namespace autokernel::trial {

struct Programs {
  std::map<std::string, compile::Program> kernel;  // by the name of the size
  std::optional<compile::Program> opponent;        // at the timed size; where there is one
  ReferencePrograms reference;                // the same; empty where a library is the reference
  ReferencePrograms fp64_reference;           // empty where the case has none
  std::optional<compile::Program> gpu_tools;  // on a GPU
};

struct CompileTask {
  const Request* request = nullptr;
  const cases::Case* problem = nullptr;
  std::vector<const SizedCase*> sizes;  // each name once; the first is the one that is timed
  std::string architecture;
  bool on_gpu = false;
};

// Starts compiling in threads of its own and is done when both are: the compiler is opened while
// the driver is.
class Compilations {
 public:
  // `compiler` is being opened; all that `task` points to must live longer.
  Compilations(std::shared_future<compile::Compiler>& compiler, const CompileTask& task);

  // Waits for all. The rejection is the kernel's; a reference or an opponent that does not compile
  // is an Error(usage).
  [[nodiscard]] std::variant<Programs, Rejection> wait();

 private:
  struct File {
    compile::SourceFile source;
    std::map<std::string, std::future<compile::Compilation>> compilations;  // by name of the size
  };
  void start_file(std::shared_future<compile::Compiler>& compiler, File& file,
                  compile::SourceFile source, std::span<const SizedCase* const> sizes);
  [[nodiscard]] compile::Program wait_for_opponent(const Opponent& opponent);
  [[nodiscard]] ReferencePrograms wait_for_reference(File& file, OutputType outputs);

  const CompileTask task_;
  File kernel_;
  File opponent_;
  File reference_;
  File fp64_reference_;
  std::optional<std::future<compile::Compilation>> gpu_tools_;
};

// "sm_90a" for capability 9.0: the variant with everything the hardware has, where one exists.
[[nodiscard]] std::string architecture_of(int major, int minor);

// The capability an architecture such as "sm_90a" stands for. Throws Error(usage) where the text is
// not of that form.
struct Capability {
  int major = 0;
  int minor = 0;
};
[[nodiscard]] Capability capability_of(const std::string& architecture);

}  // namespace autokernel::trial
