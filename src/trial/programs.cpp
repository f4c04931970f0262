#include "trial/programs.h"

#include <charconv>
#include <string_view>

#include "autokernel/base/error.h"
#include "trial/gpu_tools.h"

namespace autokernel::trial {
namespace {

std::future<compile::Compilation> start(std::shared_future<compile::Compiler>& compiler,
                                        compile::Request request) {
  return std::async(std::launch::async, [compiler, request = std::move(request)] {
    return compiler.get().compile(request);
  });
}

// The kernel is refused here for what only the case knows: which parameters it has.
std::variant<compile::Program, Rejection> accepted(compile::Compilation compilation,
                                                   const std::vector<std::string>& parameters,
                                                   const compile::SourceFile& file) {
  if (auto* refusal = std::get_if<compile::Refusal>(&compilation)) {
    return Rejection{Verdict::does_not_compile, std::move(refusal->reason),
                     std::move(refusal->log)};
  }
  auto& program = std::get<compile::Program>(compilation);
  if (auto reason = compile::wrong_parameters(program, parameters, file)) {
    return Rejection{Verdict::does_not_compile, *std::move(reason), std::move(program.log)};
  }
  return std::move(program);
}

[[noreturn]] void broken_reference(const cases::Case& problem, const std::string& reason) {
  throw Error(Stop::usage, "cannot use the reference kernel of case " + problem.name + ": " +
                               reason + "; mend it in " + problem.directory.string());
}

constexpr std::string_view kPrefix = "sm_";

}  // namespace

Compilations::Compilations(std::shared_future<compile::Compiler>& compiler, const CompileTask& task)
    : task_(task) {
  // The timed size first: where cores are few, the longest wait is then the shortest.
  start_file(compiler, kernel_,
             {task.request->kernel_file.filename().string(), task.request->source}, task.sizes);
  if (const auto& opponent = task.request->against) {
    start_file(compiler, opponent_,
               {task.request->kernel_file.filename().string(), opponent->source},
               std::span(task.sizes).first(1));
  }
  const auto* reference = std::get_if<cases::KernelReference>(&task.problem->reference);
  if (reference != nullptr) {
    start_file(compiler, reference_, {reference->file.string(), reference->source}, task.sizes);
    if (!reference->fp64_file.empty()) {
      start_file(compiler, fp64_reference_, {reference->fp64_file.string(), reference->fp64_source},
                 task.sizes);
    }
  }
  if (task.on_gpu) gpu_tools_ = start(compiler, gpu_tools_source(task.architecture));
}

void Compilations::start_file(std::shared_future<compile::Compiler>& compiler, File& file,
                              compile::SourceFile source, std::span<const SizedCase* const> sizes) {
  for (const SizedCase* size : sizes) {
    file.compilations[size->size_name] =
        start(compiler, {source.text, source.name, task_.architecture, size->sizes});
  }
  file.source = std::move(source);
}

ReferencePrograms Compilations::wait_for_reference(File& file, OutputType outputs) {
  ReferencePrograms programs;
  for (auto& [size, future] : file.compilations) {
    auto program = accepted(future.get(), signature(*task_.problem, outputs), file.source);
    if (const auto* rejected = std::get_if<Rejection>(&program))
      broken_reference(*task_.problem, rejected->reason);
    programs.emplace(size, std::get<compile::Program>(std::move(program)));
  }
  return programs;
}

compile::Program Compilations::wait_for_opponent(const Opponent& opponent) {
  auto program = accepted(opponent_.compilations.begin()->second.get(),
                          signature(*task_.problem, OutputType::declared), opponent_.source);
  if (const auto* rejected = std::get_if<Rejection>(&program)) {
    throw Error(Stop::usage, "cannot compare with " + opponent.name +
                                 ", which does not compile: " + rejected->reason);
  }
  return std::get<compile::Program>(std::move(program));
}

std::variant<Programs, Rejection> Compilations::wait() {
  Programs programs;
  const std::vector<std::string> parameters = signature(*task_.problem, OutputType::declared);
  for (const SizedCase* size : task_.sizes) {
    auto program =
        accepted(kernel_.compilations.at(size->size_name).get(), parameters, kernel_.source);
    if (auto* rejected = std::get_if<Rejection>(&program)) return std::move(*rejected);
    programs.kernel.emplace(size->size_name, std::get<compile::Program>(std::move(program)));
  }
  if (const auto& opponent = task_.request->against) {
    programs.opponent = wait_for_opponent(*opponent);
  }
  programs.reference = wait_for_reference(reference_, OutputType::declared);
  programs.fp64_reference = wait_for_reference(fp64_reference_, OutputType::fp64);
  if (gpu_tools_) {
    compile::Compilation tools = gpu_tools_->get();
    if (const auto* refusal = std::get_if<compile::Refusal>(&tools)) {
      throw Error(Stop::internal, "the harness's own kernels do not compile: " + refusal->reason);
    }
    programs.gpu_tools = std::get<compile::Program>(std::move(tools));
  }
  return programs;
}

std::string architecture_of(int major, int minor) {
  // From 9.0 on, what is special about a generation (wgmma, tcgen05) needs the "a".
  constexpr int kFirstWithVariant = 9;
  return std::string(kPrefix) + std::to_string(major) + std::to_string(minor) +
         (major >= kFirstWithVariant ? "a" : "");
}

Capability capability_of(const std::string& architecture) {
  const std::string digits =
      architecture.starts_with(kPrefix) ? architecture.substr(kPrefix.size()) : "";
  const char* const end = digits.data() + digits.size();
  int number = 0;
  const auto [rest, status] = std::from_chars(digits.data(), end, number);
  const std::string_view suffix(rest, static_cast<std::size_t>(end - rest));
  constexpr int kFirst = 50;
  if (status != std::errc{} || number < kFirst ||
      !(suffix.empty() || suffix == "a" || suffix == "f")) {
    throw Error(Stop::usage, "no such architecture: '" + architecture +
                                 "'; --arch takes names such as sm_80 or sm_90a");
  }
  return {number / 10, number % 10};
}

}  // namespace autokernel::trial
