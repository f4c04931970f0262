#include "autokernel/trial/ready_kernel.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <utility>

#include "autokernel/compile/image_front_end.h"
#include "autokernel/trial/kernel_signature.h"
#include "autokernel/trial/sources.h"
#include "trial/inputs/conversion.h"
#include "trial/inputs/sized_case.h"
#include "trial/launch/device_memory.h"
#include "trial/launch/offset_pointers.h"
#include "trial/launch/tensor_maps.h"
#include "trial/runner/compilations.h"

namespace autokernel::trial {
namespace {

[[nodiscard]] std::vector<std::byte> bytes_of_hexadecimal(const std::string& digits) {
  constexpr int kHexadecimal = 16;
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, value, kHexadecimal);
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

template <typename Value>
[[nodiscard]] std::vector<std::byte> bytes_as(double number) {
  const auto value = static_cast<Value>(number);
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

// Of a scalar that has one value; empty where its values are drawn.
[[nodiscard]] std::vector<std::byte> bytes_of_scalar(const SizedTensor& scalar) {
  const double value = scalar.fill.low;
  if (scalar.fill.high != value) return {};
  switch (scalar.tensor->dtype) {
    case cases::DType::f32:
      return bytes_as<float>(value);
    case cases::DType::f64:
      return bytes_as<double>(value);
    case cases::DType::i32:
      return bytes_as<std::int32_t>(value);
    case cases::DType::u32:
      return bytes_as<std::uint32_t>(value);
    case cases::DType::i64:
      return bytes_as<std::int64_t>(value);
    case cases::DType::i16:
      return bytes_as<std::int16_t>(value);
    case cases::DType::i8:
      return bytes_as<std::int8_t>(value);
    case cases::DType::u8:
    case cases::DType::boolean:
      return bytes_as<std::uint8_t>(value);
    case cases::DType::f16:
    case cases::DType::bf16:
    case cases::DType::e4m3:
    case cases::DType::e5m2: {
      std::vector<std::byte> bytes(cases::size_of(scalar.tensor->dtype));
      const auto rounded = static_cast<float>(value);
      from_floats(scalar.tensor->dtype, {&rounded, 1}, bytes);
      return bytes;
    }
  }
  return {};
}

class Readying {
 public:
  Readying(const Request& request, const std::string& architecture)
      : request_(request),
        architecture_(architecture),
        problem_(case_of(request)),
        sized_(problem_, request.size) {}

  [[nodiscard]] std::variant<ReadyKernel, std::string> ready();

 private:
  [[nodiscard]] compile::Compilation compiled() const;
  void add_operands();
  [[nodiscard]] std::string add_maps();
  [[nodiscard]] std::string add_launches();

  const Request& request_;
  const std::string& architecture_;
  cases::Case problem_;
  SizedCase sized_;
  ReadyKernel made_;
};

compile::Compilation Readying::compiled() const {
  const OpeningFrontEnd front_end = open_front_end(request_.cached);
  compile::Source source{request_.kernel_file.filename().string(), request_.source, request_.files};
  const auto* reference = std::get_if<cases::KernelReference>(&problem_.reference);
  if (reference != nullptr && !reference->images.empty() &&
      compile::asks_for_original(source.text)) {
    source.text = reference->source;
    source.files = reference->images;
  }
  return front_end.get()->compile(compile_request(
      std::move(source), sized_,
      {architecture_, chosen(request_.headers, request_.kernel_headers), problem_.compile.flags,
       external_compiler(problem_, request_.kernel_file.filename().string(), request_.python)}));
}

void Readying::add_operands() {
  const bool is_exact = std::holds_alternative<cases::ExactAlways>(problem_.exactness);
  for (const SizedTensor& each : sized_.tensors) {
    const cases::Tensor& tensor = *each.tensor;
    if (!tensor.is_scalar) {
      std::vector<std::int64_t> extents = each.extents;
      const std::int64_t pitch = extents.back();
      extents.back() = static_cast<std::int64_t>(each.row_length);
      made_.tensors.push_back(
          {.name = tensor.name,
           .role = tensor.role,
           .dtype = tensor.dtype,
           .bytes = each.bytes,
           .extents = std::move(extents),
           .pitch = pitch,
           .tolerance = is_exact ? cases::Tolerance{}
                                 : tensor.tolerance.value_or(sized_.problem->tolerance)});
    } else if (tensor.by_value) {
      made_.values.push_back(
          {tensor.name, bytes_of_hexadecimal(tensor.by_value->bytes), tensor.by_value->pointers});
    } else {
      made_.values.push_back({tensor.name, bytes_of_scalar(each), {}});
    }
  }
}

std::string Readying::add_maps() {
  for (const compile::TensorMap& map : made_.program.declaration.tensor_maps) {
    auto resolved = resolve(map, sized_, made_.program.declaration.workspace_bytes);
    if (auto* reason = std::get_if<std::string>(&resolved)) return std::move(*reason);
    const auto& found = std::get<ResolvedMap>(resolved);
    made_.maps.push_back({found.buffer, found.offset, found.layout});
  }
  return {};
}

// Arguments are those of compile::arguments_of, in its order.
std::string Readying::add_launches() {
  using Kind = ReadyParameter::Kind;
  const compile::Declaration& declaration = made_.program.declaration;
  const std::vector<compile::Argument> arguments =
      compile::arguments_of(declaration, signature(*sized_.problem, OutputType::declared));
  std::vector<ReadyParameter> sources;
  sources.reserve(arguments.size());
  for (std::size_t i = 0; i < made_.tensors.size(); ++i) sources.push_back({Kind::tensor, i, 0});
  for (std::size_t i = 0; i < made_.values.size(); ++i) sources.push_back({Kind::value, i, 0});
  if (declaration.workspace_bytes > 0) sources.push_back({Kind::workspace, 0, 0});
  for (std::size_t i = 0; i < made_.maps.size(); ++i) sources.push_back({Kind::map, i, 0});
  for (const auto& [symbol, value] : sized_.sizes) sources.push_back({Kind::size, 0, value});
  for (const compile::Constant& constant : declaration.constants) {
    std::int64_t value = 0;
    std::memcpy(&value, constant.bytes.data(), std::min(constant.bytes.size(), sizeof value));
    sources.push_back({Kind::size, 0, value});
  }
  for (const compile::OffsetPointer& pointer : declaration.offset_pointers) {
    auto resolved = resolve(pointer, sized_, declaration.workspace_bytes);
    if (auto* reason = std::get_if<std::string>(&resolved)) return std::move(*reason);
    const auto [buffer, offset] = std::get<ResolvedPointer>(resolved);
    const bool is_tensor = buffer < made_.tensors.size();
    sources.push_back({is_tensor ? Kind::tensor : Kind::workspace, is_tensor ? buffer : 0,
                       static_cast<std::int64_t>(offset)});
  }
  for (const compile::Launch& launch : declaration.launches) {
    auto chosen = compile::chosen_arguments(launch, arguments);
    if (auto* unknown = std::get_if<std::string>(&chosen)) return std::move(*unknown);
    ReadyLaunch& ready = made_.launches.emplace_back(ReadyLaunch{launch, {}});
    for (const std::size_t index : std::get<std::vector<std::size_t>>(chosen)) {
      ready.parameters.push_back(sources.at(index));
    }
  }
  return {};
}

std::variant<ReadyKernel, std::string> Readying::ready() {
  compile::Compilation compilation = compiled();
  if (auto* refusal = std::get_if<compile::Refusal>(&compilation)) {
    return std::move(refusal->reason);
  }
  made_.program = std::get<compile::Program>(std::move(compilation));
  if (auto reason = compile::wrong_parameters(
          made_.program, signature(*sized_.problem, OutputType::declared),
          {request_.kernel_file.filename().string(), request_.source, request_.files})) {
    return *std::move(reason);
  }
  add_operands();
  std::string trouble = add_maps();
  if (trouble.empty()) trouble = add_launches();
  if (!trouble.empty()) return trouble;
  return std::move(made_);
}

}  // namespace

std::size_t judged_alignment() { return DeviceMemory::rounded(1); }

std::variant<ReadyKernel, std::string> ready_kernel(const Request& request,
                                                    const std::string& architecture) {
  return Readying(request, architecture).ready();
}

}  // namespace autokernel::trial
