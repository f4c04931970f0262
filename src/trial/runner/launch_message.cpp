// The format is that of autokernel/trial/message.h; the kind is the name of the C++ type.
#include "trial/runner/launch_message.h"

#include "trial/supervise/message_json.h"

namespace autokernel::trial {

template <>
inline constexpr InputKind kLast<InputKind> = InputKind::constant;
template <>
inline constexpr cases::DType kLast<cases::DType> = cases::kLastDType;
template <>
inline constexpr cases::Role kLast<cases::Role> = cases::Role::inout;
template <>
inline constexpr cases::Distribution kLast<cases::Distribution> = cases::Distribution::captured;
template <>
inline constexpr cases::CapturedUse kLast<cases::CapturedUse> = cases::kLastCapturedUse;

template <Of<cases::Fill> Object>
void visit_fields(auto&& fields, Object& fill) {
  fields("distribution", fill.distribution);
  fields("low", fill.low);
  fields("high", fill.high);
  fields("low_formula", fill.low_formula);
  fields("high_formula", fill.high_formula);
  fields("file", fill.file);
  fields("sha256", fill.sha256);
  fields("use", fill.use);
}

template <Of<cases::ByValue::Pointer> Object>
void visit_fields(auto&& fields, Object& pointer) {
  fields("at", pointer.at);
  fields("tensor", pointer.tensor);
  fields("offset", pointer.offset);
}

template <Of<cases::ByValue> Object>
void visit_fields(auto&& fields, Object& value) {
  fields("bytes", value.bytes);
  fields("pointers", value.pointers);
}

template <Of<cases::Tensor> Object>
void visit_fields(auto&& fields, Object& tensor) {
  fields("name", tensor.name);
  fields("dtype", tensor.dtype);
  fields("role", tensor.role);
  fields("shape", tensor.shape);
  fields("fill", tensor.fill);
  fields("is_scalar", tensor.is_scalar);
  fields("pitch", tensor.pitch);
  fields("element", tensor.element);
  fields("type_symbol", tensor.type_symbol);
  fields("by_value", tensor.by_value);
}

template <Of<cases::SumOfProducts> Object>
void visit_fields(auto&& fields, Object& sum) {
  fields("left", sum.left);
  fields("right", sum.right);
  fields("output", sum.output);
  fields("symbol", sum.symbol);
}

template <Of<cases::GemmReference> Object>
void visit_fields(auto&& fields, Object& gemm) {
  fields("left", gemm.left);
  fields("right", gemm.right);
  fields("output", gemm.output);
}

template <Of<cases::TimingPlan> Object>
void visit_fields(auto&& fields, Object& plan) {
  fields("samples", plan.samples);
  fields("warmups", plan.warmups);
  fields("cap_seconds", plan.cap_seconds);
}

// A case's choices by which of their kinds are there.
struct Choices {
  std::optional<cases::SumOfProducts> sum;
  bool exact_always = false;
  std::optional<cases::GemmReference> gemm;
};
template <Of<Choices> Object>
void visit_fields(auto&& fields, Object& choices) {
  fields("sum", choices.sum);
  fields("exact_always", choices.exact_always);
  fields("gemm", choices.gemm);
}

void visit_fields(auto&& fields, const cases::Case& problem) {
  Choices choices;
  if (const auto* sum = std::get_if<cases::SumOfProducts>(&problem.exactness)) choices.sum = *sum;
  choices.exact_always = std::holds_alternative<cases::ExactAlways>(problem.exactness);
  if (const auto* gemm = std::get_if<cases::GemmReference>(&problem.reference)) {
    choices.gemm = *gemm;
  }
  fields("name", problem.name);
  fields("tensors", problem.tensors);
  fields("sizes", problem.sizes);
  fields("types", problem.types);
  fields("runtime_sizes", problem.runtime_sizes);
  fields("deterministic", problem.deterministic);
  fields("timing", problem.timing);
  fields("choices", choices);
}
void visit_fields(auto&& fields, cases::Case& problem) {
  Choices choices;
  fields("name", problem.name);
  fields("tensors", problem.tensors);
  fields("sizes", problem.sizes);
  fields("types", problem.types);
  fields("runtime_sizes", problem.runtime_sizes);
  fields("deterministic", problem.deterministic);
  fields("timing", problem.timing);
  fields("choices", choices);
  if (choices.sum) problem.exactness = *choices.sum;
  if (choices.exact_always) problem.exactness = cases::ExactAlways{};
  problem.reference = cases::KernelReference{};
  if (choices.gemm) problem.reference = *choices.gemm;
}

template <Of<Preparation> Object>
void visit_fields(auto&& fields, Object& preparation) {
  fields("device", preparation.device);
  fields("cached", preparation.cached);
}

template <Of<compile::ExternalCompiler> Object>
void visit_fields(auto&& fields, Object& compiler) {
  fields("name", compiler.name);
  fields("script", compiler.script);
  fields("python", compiler.python);
}

template <Of<LaunchTask> Object>
void visit_fields(auto&& fields, Object& task) {
  fields("problem", task.problem);
  fields("kernel_name", task.kernel_name);
  fields("source", task.source);
  fields("files", task.files);
  fields("against", task.incumbent);
  fields("headers", task.headers);
  fields("kernel_headers", task.kernel_headers);
  fields("flags", task.flags);
  fields("compiler", task.compiler);
  fields("incumbent_compiler", task.incumbent_compiler);
  fields("architecture", task.architecture);
  fields("check_size", task.check_size);
  fields("timed_size", task.timed_size);
  fields("further_sizes", task.further_sizes);
  fields("depth", task.depth);
  fields("checked", task.checked);
  fields("confined", task.confined);
  fields("times_only", task.times_only);
  fields("samples", task.samples);
  fields("recording_seconds", task.recording_seconds);
  fields("open_seconds", task.open_seconds);
  fields("keeps_outputs_on_device", task.keeps_outputs_on_device);
}

template <Of<ExpectedTask> Object>
void visit_fields(auto&& fields, Object& expected) {
  fields("task", expected.task);
}

template <Of<KeyAnswer> Object>
void visit_fields(auto&& fields, Object& answer) {
  fields("key", answer.key);
}

template <Of<SampleAnswer> Object>
void visit_fields(auto&& fields, Object& answer) {
  fields("counts", answer.counts);
}

template <Of<GoOn> Object>
void visit_fields(auto&& fields, Object& order) {
  fields("device_worked_at", order.device_worked_at);
  fields("takes_outputs_on_device", order.takes_outputs_on_device);
}

template <Of<Opened> Object>
void visit_fields(auto&& /*fields*/, Object& /*report*/) {}

template <Of<Compiled> Object>
void visit_fields(auto&& fields, Object& compiled) {
  fields("resources", compiled.resources);
  fields("warnings", compiled.warnings);
  fields("log", compiled.log);
  fields("nvrtc", compiled.nvrtc);
  fields("outbox", compiled.outbox);
}

template <Of<KeyRequest> Object>
void visit_fields(auto&& fields, Object& request) {
  fields("launch", request.launch);
}

template <Of<Delivered> Object>
void visit_fields(auto&& fields, Object& delivered) {
  fields("launch", delivered.launch);
  fields("size", delivered.size);
  fields("recipe", delivered.input_kind);
}

template <Of<LaunchOver> Object>
void visit_fields(auto&& /*fields*/, Object& /*report*/) {}

template <Of<SampleTaken> Object>
void visit_fields(auto&& fields, Object& sample) {
  fields("repeatable", sample.repeatable);
}

template <Of<BatchDone> Object>
void visit_fields(auto&& /*fields*/, Object& /*report*/) {}

template <Of<ChecksDone> Object>
void visit_fields(auto&& /*fields*/, Object& /*report*/) {}

template <Of<HostRow> Object>
void visit_fields(auto&& fields, Object& row) {
  fields("launches", row.launches);
  fields("queued", row.queued);
  fields("microseconds", row.microseconds);
}

template <Of<Timed> Object>
void visit_fields(auto&& fields, Object& timed) {
  fields("samples_us", timed.samples_us);
  fields("sampled_on", timed.sampled_on);
  fields("library_us", timed.library_us);
  fields("opponent_us", timed.incumbent_us);
  fields("alone_us", timed.alone_us);
  fields("warm_us", timed.warm_us);
  fields("library_default_us", timed.library_default_us);
  fields("event_floor_us", timed.event_floor_us);
  fields("host_row", timed.host_row);
  fields("seconds", timed.seconds);
  fields("warnings", timed.warnings);
}

template <Of<Code> Object>
void visit_fields(auto&& fields, Object& code) {
  fields("ptx", code.ptx);
}

template <Of<Whereabouts> Object>
void visit_fields(auto&& fields, Object& whereabouts) {
  fields("text", whereabouts.text);
}

template <Of<Rejection> Object>
void visit_fields(auto&& fields, Object& rejection) {
  fields("verdict", rejection.verdict);
  fields("cause", rejection.cause);
  fields("reason", rejection.reason);
  fields("detail", rejection.detail);
}

template <>
inline constexpr const char* kKind<Preparation> = "preparation";
template <>
inline constexpr const char* kKind<ExpectedTask> = "expected task";
template <>
inline constexpr const char* kKind<LaunchTask> = "task";
template <>
inline constexpr const char* kKind<KeyAnswer> = "key";
template <>
inline constexpr const char* kKind<SampleAnswer> = "sample";
template <>
inline constexpr const char* kKind<GoOn> = "go on";
template <>
inline constexpr const char* kKind<Phase> = "phase";
template <>
inline constexpr const char* kKind<Code> = "code";
template <>
inline constexpr const char* kKind<Whereabouts> = "whereabouts";
template <>
inline constexpr const char* kKind<Opened> = "opened";
template <>
inline constexpr const char* kKind<Compiled> = "compiled";
template <>
inline constexpr const char* kKind<KeyRequest> = "key wanted";
template <>
inline constexpr const char* kKind<Delivered> = "delivered";
template <>
inline constexpr const char* kKind<LaunchOver> = "launch over";
template <>
inline constexpr const char* kKind<SampleTaken> = "sample taken";
template <>
inline constexpr const char* kKind<BatchDone> = "batch done";
template <>
inline constexpr const char* kKind<ChecksDone> = "checks done";
template <>
inline constexpr const char* kKind<Timed> = "timed";
template <>
inline constexpr const char* kKind<Rejection> = "rejection";
template <>
inline constexpr const char* kKind<Failure> = "failure";

bool times_library(const LaunchTask& task) {
  return std::holds_alternative<cases::GemmReference>(task.problem.reference) && !task.times_only;
}

std::string encode(const Order& order) { return write_alternative(order); }
std::string encode(const Report& report) { return write_alternative(report); }
Order decode_order(const std::string& line) { return read_alternative<Order>(open_envelope(line)); }
Report decode_report(const std::string& line) {
  return read_alternative<Report>(open_envelope(line));
}

cases::Case blinded(const cases::Case& problem) {
  cases::Case blind;
  blind.name = problem.name;
  blind.tensors = problem.tensors;
  for (cases::Tensor& tensor : blind.tensors) {
    tensor.tolerance.reset();
    if (!tensor.fill.file.empty()) tensor.fill.file = problem.directory / tensor.fill.file;
  }
  blind.sizes = problem.sizes;
  blind.types = problem.types;
  blind.runtime_sizes = problem.runtime_sizes;
  blind.exactness = problem.exactness;
  blind.deterministic = problem.deterministic;
  blind.timing = problem.timing;
  blind.reference = cases::KernelReference{};
  // A library's product is timed beside the kernel, on inputs that no kernel is given.
  if (const auto* gemm = std::get_if<cases::GemmReference>(&problem.reference)) {
    blind.reference = *gemm;
  }
  return blind;
}

}  // namespace autokernel::trial
