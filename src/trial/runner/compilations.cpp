#include "trial/runner/compilations.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <iterator>
#include <string_view>

#include "autokernel/base/error.h"
#include "autokernel/compile/compiler.h"
#include "autokernel/compile/external_compiler.h"
#include "autokernel/compile/image_front_end.h"
#include "autokernel/trial/ready_kernel.h"
#include "trial/check/device_judge.h"
#include "trial/runner/remembering_front_end.h"
#include "trial/runner/runtime_sizes.h"
#include "trial/time/gpu_tools.h"

namespace autokernel::trial {
namespace {

std::future<compile::Compilation> start(const OpeningFrontEnd& front_end,
                                        compile::Request request) {
  return std::async(std::launch::async, [front_end, request = std::move(request)] {
    return front_end.get()->compile(request);
  });
}

// The kernel is refused here for what only the case knows: which parameters it has.
std::variant<compile::Program, Rejection> accepted(compile::Compilation compilation,
                                                   const std::vector<compile::Argument>& parameters,
                                                   const compile::Source& source) {
  if (auto* refusal = std::get_if<compile::Refusal>(&compilation)) {
    return Rejection{Verdict::does_not_compile, std::move(refusal->reason),
                     std::move(refusal->log)};
  }
  auto& program = std::get<compile::Program>(compilation);
  if (auto reason = compile::wrong_parameters(program, parameters, source)) {
    return Rejection{Verdict::does_not_compile, *std::move(reason), std::move(program.log)};
  }
  std::ranges::move(compile::doubts(program, parameters, source),
                    std::back_inserter(program.warnings));
  return std::move(program);
}

[[noreturn]] void broken_reference(const cases::Case& problem, const std::string& reason) {
  throw Error(Stop::usage, "cannot use the reference kernel of case " + problem.name + ": " +
                               reason + "; fix it in " + problem.directory.string());
}

compile::Program own_program(compile::Compilation compilation) {
  if (const auto* refusal = std::get_if<compile::Refusal>(&compilation)) {
    throw Error(Stop::internal, "the harness's own kernels do not compile: " + refusal->reason);
  }
  return std::get<compile::Program>(std::move(compilation));
}

constexpr std::string_view kPrefix = "sm_";

}  // namespace

OpeningFrontEnd open_front_end(bool cached) {
  return std::async(
             std::launch::async,
             [cached]() -> std::shared_ptr<const compile::FrontEnd> {
               const auto caching = cached ? compile::Caching::yes : compile::Caching::no;
               return std::make_shared<const RememberingFrontEnd>(
                   std::make_unique<const compile::FrontEnds>(
                       std::make_unique<const compile::Compiler>(compile::Compiler::open(caching)),
                       caching));
             })
      .share();
}

compile::Program compiled_gpu_tools(const OpeningFrontEnd& front_end,
                                    const std::string& architecture) {
  return own_program(front_end.get()->compile(gpu_tools_source(architecture)));
}

namespace {

// Row-major, with the padding that rows have.
compile::RequestedOperand operand_of(const SizedTensor& sized) {
  const cases::Tensor& tensor = *sized.tensor;
  compile::RequestedOperand operand{.name = tensor.name,
                                    .dtype = cases::spelling(tensor.dtype),
                                    .shape = {},
                                    .strides = {},
                                    .is_scalar = tensor.is_scalar,
                                    .is_written = sized.is_written()};
  if (tensor.is_scalar) return operand;
  operand.shape = sized.extents;
  operand.strides.resize(sized.extents.size(), 1);
  for (std::size_t i = sized.extents.size() - 1; i > 0; --i)
    operand.strides[i - 1] = operand.strides[i] * sized.extents[i];
  operand.shape.back() = static_cast<std::int64_t>(sized.row_length);
  return operand;
}

}  // namespace

std::optional<compile::ExternalCompiler> external_compiler(const cases::Case& problem,
                                                           const std::string& kernel_name,
                                                           const std::string& active_python) {
  const auto language = [](const std::string& name) {
    return std::filesystem::path(name).extension();
  };
  cases::CompilePlan plan = problem.compile;
  if (language(kernel_name) != language(problem.kernel_name)) plan.compiler.clear();
  if (plan.compiler.empty() && language(kernel_name) == ".py")
    plan.compiler = cases::CompilePlan::kTriton;
  if (plan.compiler.empty()) return std::nullopt;
  std::filesystem::path python = plan.python.empty() ? active_python : plan.python;
  if (python.is_relative() && python.has_parent_path()) python = problem.directory / python;
  return compile::ExternalCompiler{
      .name = plan.compiler,
      .script = plan.has_script() ? plan.compiler_script : compile::triton_compiler(),
      .python = python};
}

compile::Request compile_request(compile::Source source, const SizedCase& size,
                                 const Building& building) {
  compile::Request request{std::move(source), building.architecture, size.sizes,
                           building.headers,  building.flags,        size.type_names(),
                           building.compiler};
  if (!building.compiler) return request;
  for (const SizedTensor& tensor : size.tensors) {
    // A structure is nothing that another language could take apart.
    if (!tensor.tensor->by_value) request.operands.push_back(operand_of(tensor));
  }
  return request;
}

SourceCompilations::SourceCompilations(const OpeningFrontEnd& front_end, compile::Source source,
                                       std::span<const SizedCase* const> sizes,
                                       const Building& building)
    : source_(std::move(source)) {
  for (const SizedCase* size : sizes) {
    compilations_[size->size_name] = start(front_end, compile_request(source_, *size, building));
  }
}

bool SourceCompilations::are_done() const {
  return std::ranges::all_of(compilations_, [](const auto& compilation) {
    return compilation.second.wait_for(std::chrono::seconds{0}) == std::future_status::ready;
  });
}

std::variant<std::map<std::string, compile::Program>, Rejection> SourceCompilations::wait(
    const std::vector<compile::Argument>& parameters) {
  std::map<std::string, compile::Program> programs;
  std::optional<Rejection> first;
  std::string refused_at;
  for (auto& [size, compilation] : compilations_) {
    auto program = accepted(compilation.get(), parameters, source_);
    if (auto* compiled = std::get_if<compile::Program>(&program)) {
      programs.emplace(size, std::move(*compiled));
    } else if (!first) {
      first = std::get<Rejection>(std::move(program));
      refused_at = size;
    }
  }
  if (!first) return programs;
  // Others compile: which one it is is part of what is wrong.
  if (!programs.empty()) first->reason = "at size " + refused_at + ": " + first->reason;
  return *std::move(first);
}

std::map<std::string, std::string> chosen(const std::map<std::string, std::string>& all,
                                          const std::vector<std::string>& names) {
  std::map<std::string, std::string> some;
  for (const std::string& name : names) {
    if (const auto found = all.find(name); found != all.end()) some.insert(*found);
  }
  return some;
}

Compilations::Compilations(const OpeningFrontEnd& front_end, const CompileTask& task)
    // The timed size first: where cores are few, the longest wait is then the shortest.
    : task_(task), kernel_(front_end, task.kernel, task.sizes, task.building) {
  if (task.incumbent) {
    incumbent_ = SourceCompilations(
        front_end,
        {task.incumbent->kernel_name.empty() ? task.kernel.name : task.incumbent->kernel_name,
         task.incumbent->source, task.incumbent->files},
        std::span(task.sizes).first(1),
        {task.building.architecture, task.incumbent_headers, task.building.flags,
         task.incumbent_compiler});
  }
  if (task.on_gpu) gpu_tools_ = start(front_end, gpu_tools_source(task.building.architecture));
}

compile::Program Compilations::wait_for_incumbent(const Incumbent& incumbent) {
  auto programs = incumbent_.wait(signature(*task_.problem, OutputType::declared));
  if (const auto* rejected = std::get_if<Rejection>(&programs)) {
    throw Error(Stop::usage, "cannot compare with " + incumbent.name +
                                 ", which does not compile: " + rejected->reason);
  }
  return std::move(std::get<std::map<std::string, compile::Program>>(programs).begin()->second);
}

std::variant<Programs, Rejection> Compilations::wait() {
  Programs programs;
  auto kernel = kernel_.wait(signature(*task_.problem, OutputType::declared));
  if (auto* rejected = std::get_if<Rejection>(&kernel)) return std::move(*rejected);
  programs.kernel = std::get<std::map<std::string, compile::Program>>(std::move(kernel));
  if (auto why = differing_code(*task_.problem, task_.sizes, programs.kernel)) {
    return Rejection{Verdict::does_not_compile, *std::move(why), {}};
  }
  if (task_.incumbent) programs.incumbent = wait_for_incumbent(*task_.incumbent);
  if (task_.on_gpu) programs.gpu_tools = gpu_tools();
  return programs;
}

const compile::Program& Compilations::gpu_tools() {
  if (!gpu_tools_program_) gpu_tools_program_ = own_program(gpu_tools_.get());
  return *gpu_tools_program_;
}

bool Compilations::are_done() const { return kernel_.are_done() && incumbent_.are_done(); }

ReferenceCompilations::ReferenceCompilations(const OpeningFrontEnd& front_end,
                                             const cases::Case& problem,
                                             std::span<const SizedCase* const> sizes,
                                             const Building& building, Wanted wanted)
    : problem_(&problem) {
  const auto* reference = std::get_if<cases::KernelReference>(&problem.reference);
  if (reference == nullptr) return;
  reference_.emplace(
      front_end, compile::Source{reference->file.string(), reference->source, reference->images},
      sizes, building);
  if (wanted.judging) judging_ = start(front_end, device_judge_source(building.architecture));
  if (wanted.gpu_tools) gpu_tools_ = start(front_end, gpu_tools_source(building.architecture));
  if (reference->fp64_file.empty()) return;
  fp64_reference_.emplace(front_end,
                          compile::Source{reference->fp64_file.string(), reference->fp64_source},
                          sizes, building);
}

ReferencePrograms ReferenceCompilations::wait_for(SourceCompilations& source,
                                                  OutputType outputs) const {
  auto programs = source.wait(signature(*problem_, outputs));
  if (const auto* rejected = std::get_if<Rejection>(&programs)) {
    broken_reference(*problem_, rejected->reason);
  }
  return std::get<ReferencePrograms>(std::move(programs));
}

References ReferenceCompilations::wait() {
  References references;
  if (reference_) references.programs = wait_for(*reference_, OutputType::declared);
  if (fp64_reference_) references.fp64_programs = wait_for(*fp64_reference_, OutputType::fp64);
  if (judging_.valid()) references.judging = own_program(judging_.get());
  if (gpu_tools_.valid()) references.gpu_tools = own_program(gpu_tools_.get());
  return references;
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
