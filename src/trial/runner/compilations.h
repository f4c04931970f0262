// Everything a trial compiles, at the same time: by the launcher the kernel at the timed and at the
// check size, its incumbent, and the harness's own kernels; by the runner the case's references.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/compile/front_end.h"
#include "autokernel/trial/kernel_signature.h"
#include "autokernel/trial/result.h"
#include "trial/check/reference.h"
#include "trial/inputs/sized_case.h"
#include "trial/launch/rejection.h"

namespace autokernel::trial {

// A front end that may still be opening.
using OpeningFrontEnd = std::shared_future<std::shared_ptr<const compile::FrontEnd>>;
// The one that compiles the kernels of cases, each once. `cached`: whether it may take its outputs
// from the compile cache.
[[nodiscard]] OpeningFrontEnd open_front_end(bool cached);

// The harness's own kernels (gpu_tools_source()) for that architecture.
[[nodiscard]] compile::Program compiled_gpu_tools(const OpeningFrontEnd& front_end,
                                                  const std::string& architecture);

struct Programs {
  std::map<std::string, compile::Program> kernel;  // by the name of the size
  std::optional<compile::Program> incumbent;       // at the timed size; where there is one
  std::optional<compile::Program> gpu_tools;       // on a GPU
};

// For what, with which headers beside CUDA's, and with which options files are compiled.
struct Building {
  std::string architecture;
  std::map<std::string, std::string> headers;
  std::vector<std::string> flags;
  std::optional<compile::ExternalCompiler> compiler = {};
};

// What compiles a kernel of a case whose main file is called so; none where it is in CUDA C++. What
// the case says is for files of its kernel's language.
[[nodiscard]] std::optional<compile::ExternalCompiler> external_compiler(
    const cases::Case& problem, const std::string& kernel_name, const std::string& active_python);
// What is to be compiled at one size.
[[nodiscard]] compile::Request compile_request(compile::Source source, const SizedCase& size,
                                               const Building& building);

// Those headers of `all` that have these names.
[[nodiscard]] std::map<std::string, std::string> chosen(
    const std::map<std::string, std::string>& all, const std::vector<std::string>& names);

struct CompileTask {
  const cases::Case* problem = nullptr;
  compile::Source kernel;
  std::optional<Incumbent> incumbent;
  std::vector<const SizedCase*> sizes;  // each name once; the first is the one that is timed
  Building building;                    // of the kernel
  bool on_gpu = false;
  std::map<std::string, std::string> incumbent_headers;
  std::optional<compile::ExternalCompiler> incumbent_compiler = {};
};

// One source at several sizes, compiled in threads of their own.
class SourceCompilations {
 public:
  SourceCompilations() = default;
  SourceCompilations(const OpeningFrontEnd& front_end, compile::Source source,
                     std::span<const SizedCase* const> sizes, const Building& building);

  [[nodiscard]] const compile::Source& source() const { return source_; }
  [[nodiscard]] bool are_done() const;
  // Waits for all; by the name of the size. A file that was refused, or whose kernels have other
  // parameters, is a rejection.
  [[nodiscard]] std::variant<std::map<std::string, compile::Program>, Rejection> wait(
      const std::vector<compile::Argument>& parameters);

 private:
  compile::Source source_;
  std::map<std::string, std::future<compile::Compilation>> compilations_;
};

class Compilations {
 public:
  // Starts; all that `task` points to must live longer.
  Compilations(const OpeningFrontEnd& front_end, const CompileTask& task);

  // On a GPU: the harness's own kernels. Waits for them, and for nothing else.
  [[nodiscard]] const compile::Program& gpu_tools();
  // Whether the kernel and its incumbent need not be waited for.
  [[nodiscard]] bool are_done() const;
  // Waits for all. The rejection is the kernel's; an incumbent that does not compile is an
  // Error(usage).
  [[nodiscard]] std::variant<Programs, Rejection> wait();

 private:
  [[nodiscard]] compile::Program wait_for_incumbent(const Incumbent& incumbent);

  const CompileTask task_;
  SourceCompilations kernel_;
  SourceCompilations incumbent_;
  std::future<compile::Compilation> gpu_tools_;
  std::optional<compile::Program> gpu_tools_program_;
};

// The case's references, in its own type and in fp64. Both are empty where a library is the
// reference.
struct References {
  ReferencePrograms programs;
  ReferencePrograms fp64_programs;
  // Where they are asked for:
  std::optional<compile::Program> judging;    // device_judge_source()
  std::optional<compile::Program> gpu_tools;  // gpu_tools_source(), to time a reference with
};
class ReferenceCompilations {
 public:
  // Starts, where the case has any; all must live longer. Throws Error(usage) where a file cannot
  // be read. The harness's kernels for judging, and for timing, on a GPU are wanted as well or not.
  struct Wanted {
    bool judging = false;
    bool gpu_tools = false;
  };
  ReferenceCompilations(const OpeningFrontEnd& front_end, const cases::Case& problem,
                        std::span<const SizedCase* const> sizes, const Building& building,
                        Wanted wanted);
  // Waits for all. Throws Error(usage) for one that does not compile.
  [[nodiscard]] References wait();

 private:
  [[nodiscard]] ReferencePrograms wait_for(SourceCompilations& source, OutputType outputs) const;

  const cases::Case* problem_;
  std::optional<SourceCompilations> reference_;
  std::optional<SourceCompilations> fp64_reference_;
  std::future<compile::Compilation> judging_;
  std::future<compile::Compilation> gpu_tools_;
};

// The capability an architecture such as "sm_90a" stands for. Throws Error(usage) where the text is
// not of that form.
struct Capability {
  int major = 0;
  int minor = 0;
};
[[nodiscard]] Capability capability_of(const std::string& architecture);

}  // namespace autokernel::trial
