// The kernel of a submission that has PyTorch compile CUDA C++: what Python hands over to a
// function of C++ is noted by torch_solution.py, and what that launches is read from its text.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/run_to_end.h"
#include "autokernel/base/scratch.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/bridge/cuda_source.h"
#include "autokernel/bridge/submission.h"
#include "autokernel/cases/names.h"
#include "autokernel/compile/confined_python.h"
#include "autokernel/compile/external_compiler.h"
#include "bridge/definition/entry_json.h"

namespace autokernel::bridge {
namespace {

namespace fs = std::filesystem;
using document::Json;

constexpr std::chrono::seconds kCallPatience{300};  // as for a problem (description.cpp)
constexpr std::size_t kMostPrintedByCall = 64UL << 10U;
constexpr const char* kCallScript = "compiler.py";

// As a compiler is asked (docs/external-compilers.md), for the calls at all sizes instead of
// kernels.
[[nodiscard]] std::string request_text(const CallOfSubmission& call) {
  Json request = {
      {"schema_version", 1},     {"main", call.kernel.main}, {"architecture", call.architecture},
      {"types", Json::object()}, {"scalars", Json::array()}, {"note_calls", Json::array()}};
  for (const auto& [name, sizes] : call.problem.sizes) {
    Json tensors = Json::array();
    for (const cases::Tensor& tensor : call.problem.tensors) {
      if (tensor.is_scalar) continue;
      tensors.push_back({{"name", tensor.name},
                         {"dtype", cases::spelling(tensor.dtype)},
                         {"shape", cases::extents(tensor, sizes)},
                         {"written", tensor.role != cases::Role::in}});
    }
    request["note_calls"].push_back({{"sizes", sizes}, {"tensors", tensors}});
  }
  for (const cases::Tensor& tensor : call.problem.tensors) {
    if (tensor.is_scalar)
      request["scalars"].push_back(
          {{"name", tensor.name}, {"dtype", cases::spelling(tensor.dtype)}});
  }
  return document::line(request);
}

[[nodiscard]] Json answer_of(const CallOfSubmission& call) {
  const ScratchDirectory scratch;
  const fs::path folder = fs::canonical(scratch.path());
  write_file_atomically(folder / compile::kRequestFile, request_text(call), Sync::no);
  write_file_atomically(folder / kCallScript, compile::triton_compiler(), Sync::no);
  for (const auto& [path, text] : call.kernel.files) {
    const fs::path file = folder / compile::kFilesFolder / path;
    make_folders(file.parent_path());
    write_file_atomically(file, text, Sync::no);
  }
  const EndedRun run = run_to_end(compile::confined_python(call.python, folder, kCallScript),
                                  kCallPatience, kMostPrintedByCall);
  const auto answer = read_file_below(folder, compile::kAnswerFile, "what a submission calls");
  if (!run.succeeded() || !answer || answer->empty()) {
    throw Error(Stop::usage, run.ending ? "it could not be run: " + visible_text(run.output)
                                        : "running it took more than 300 s");
  }
  Json json = parsed_entry("what it calls", *answer);
  for (const char* const key : {"error", "broken"}) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_string()) continue;
    throw Error(Stop::usage, visible_line(json[key].get<std::string>()));
  }
  return json;
}

// The answer comes from the process that ran the submission: nothing in it is believed.
class NotedCalls {
 public:
  NotedCalls(const CallOfSubmission& call, const JsonEntry& answer) : call_(call) {
    const Json& calls = answer.at("calls");
    if (!calls.is_array() || calls.size() != call.problem.sizes.size())
      answer.fail("has not a call for each size");
    for (const Json& each : calls) noted_.emplace_back("the call", each);
    for (const JsonEntry& each : noted_) {
      const bool is_same = each.text("function") == first().text("function") &&
                           each.at("sources") == first().at("sources") &&
                           each.at("returned") == first().at("returned") &&
                           list(each, "arguments").size() == list(first(), "arguments").size();
      if (!is_same) throw Error(Stop::usage, "it calls another function at another size");
    }
  }

  [[nodiscard]] HostCall host_call() const {
    HostCall found{.function = first().text("function"),
                   .parameters = {},
                   .returned = {},
                   .sizes = call_.problem.sizes.begin()->second};
    if (!cases::is_identifier(found.function)) first().fail("names no function");
    for (std::size_t i = 0; i < list(first(), "arguments").size(); ++i)
      found.parameters.push_back(operand(i));
    for (const Json& each : list(first(), "returned")) {
      if (!each.is_string()) first().fail("returns what has no name");
      found.returned.push_back(tensor_named(each.get<std::string>()).name);
    }
    return found;
  }

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Json& each : list(first(), "sources")) {
      if (!each.is_string()) first().fail("has a source that is no text");
      text += each.get<std::string>() + "\n";
    }
    return text;
  }

 private:
  [[nodiscard]] const JsonEntry& first() const { return noted_.front(); }
  [[nodiscard]] static const Json& list(const JsonEntry& entry, const char* key) {
    if (!entry.at(key).is_array()) entry.fail(fmt::format("has no list of {}", key));
    return entry.at(key);
  }

  [[nodiscard]] const cases::Tensor& tensor_named(const std::string& name) const {
    const auto found = std::ranges::find(call_.problem.tensors, name, &cases::Tensor::name);
    if (found == call_.problem.tensors.end()) first().fail("names a tensor that the case has not");
    return *found;
  }

  [[nodiscard]] HostCall::Operand operand(std::size_t index) const {
    std::vector<JsonEntry> at_sizes;
    at_sizes.reserve(noted_.size());
    for (const JsonEntry& each : noted_)
      at_sizes.emplace_back("an argument", list(each, "arguments").at(index));
    const JsonEntry& argument = at_sizes.front();
    HostCall::Operand operand{.name = {}, .dtype = {}, .is_tensor = false, .shape = {}};
    if (argument.has("number")) {
      std::vector<double> numbers;
      numbers.reserve(at_sizes.size());
      for (const JsonEntry& each : at_sizes) numbers.push_back(each.number("number"));
      take_number(operand, numbers, argument.number("is_whole") != 0);
      return operand;
    }
    operand.is_tensor = argument.has("tensor");
    const char* const key = operand.is_tensor ? "tensor" : "scalar";
    const cases::Tensor& given = tensor_named(argument.text(key));
    operand.name = given.name;
    operand.dtype = cases::spelling(given.dtype);
    if (!operand.is_tensor) return operand;
    for (std::size_t axis = 0; axis < list(argument, "shape").size(); ++axis) {
      std::vector<double> extents;
      extents.reserve(at_sizes.size());
      for (const JsonEntry& each : at_sizes) {
        const Json& shape = list(each, "shape");
        if (each.text(key) != given.name || axis >= shape.size() ||
            !shape[axis].is_number_unsigned())
          throw Error(Stop::usage,
                      fmt::format("it hands {} over in another way at another size", given.name));
        extents.push_back(shape[axis].get<double>());
      }
      const auto symbol = symbol_of(extents);
      if (!symbol && !is_one(extents)) throw_varying(fmt::format("an extent of {}", given.name));
      operand.shape.push_back(symbol ? *symbol : fmt::format("{:.0f}", extents.front()));
    }
    return operand;
  }

  void take_number(HostCall::Operand& operand, const std::vector<double>& numbers,
                   bool is_whole) const {
    if (!std::isfinite(numbers.front())) first().fail("hands over what is no number");
    const auto symbol = symbol_of(numbers);
    if (!symbol && !is_one(numbers)) throw_varying("a number");
    if (symbol) operand.symbol = *symbol;
    operand.number = numbers.front();
    operand.is_whole = is_whole;
  }

  [[noreturn]] static void throw_varying(const std::string& what) {
    throw Error(Stop::usage, fmt::format("{} that it hands over is another at each size, and none "
                                         "of the case's: compute it in the function of C++",
                                         what));
  }

  [[nodiscard]] static bool is_one(const std::vector<double>& values) {
    return std::ranges::all_of(values, [&](double each) { return each == values.front(); });
  }

  // Of values that differ: what the case calls them.
  [[nodiscard]] std::optional<std::string> symbol_of(const std::vector<double>& values) const {
    if (is_one(values)) return std::nullopt;
    for (const auto& [symbol, _] : call_.problem.sizes.begin()->second) {
      std::size_t index = 0;
      const bool is_it = std::ranges::all_of(call_.problem.sizes, [&](const auto& size) {
        const auto found = size.second.find(symbol);
        return found != size.second.end() && static_cast<double>(found->second) == values[index++];
      });
      if (is_it) return symbol;
    }
    return std::nullopt;
  }

  const CallOfSubmission& call_;
  std::vector<JsonEntry> noted_;
};

[[nodiscard]] SolutionKernel kernel_called(const CallOfSubmission& call) {
  const Json answer = answer_of(call);
  const JsonEntry entry("what it calls", answer);
  const NotedCalls found(call, entry);
  const auto kernel = import_called_kernel("load_inline", found.text(), {}, found.host_call());
  if (const auto* const why = std::get_if<std::string>(&kernel)) {
    throw Error(Stop::usage,
                "its kernel cannot be taken from the host code around it: " + visible_line(*why));
  }
  const auto& called = std::get<CalledKernel>(kernel);
  SolutionKernel made{.main = "kernel.cu", .files = {{"kernel.cu", called.text}}, .notes = {}};
  for (const Note& note : called.assumptions)
    made.notes.push_back(fmt::format("{}:{}: {}", note.file, note.line, note.text));
  return made;
}

}  // namespace

bool is_in_cuda(const Submission& submission) {
  return submission.text.find("load_inline") != std::string::npos;
}

SolutionKernel cuda_kernel_of_submission(const Submission& submission,
                                         const CallOfSubmission& call) {
  try {
    return kernel_called(call);
  } catch (const Error& error) {
    if (error.stop() != Stop::usage) throw;
    throw Error(Stop::usage,
                fmt::format("cannot evaluate {}: {}", visible_line(submission.file), error.what()));
  }
}

}  // namespace autokernel::bridge
