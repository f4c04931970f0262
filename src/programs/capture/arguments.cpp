#include "programs/capture/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/sort_stably.h"
#include "autokernel/compile/image_parts.h"
#include "programs/capture/element_type.h"
#include "programs/profile/kernel_name.h"

namespace autokernel::programs {
namespace {

// Of a case (docs/case-format.md).
constexpr std::size_t kMostTensors = 16;
constexpr std::size_t kMostScalars = 64;

[[nodiscard]] cases::Role role_of(const StudiedTensor& tensor) {
  if (tensor.written == 0) return cases::Role::in;
  // What is written in part only is compared as a whole: the rest has to be there.
  return tensor.read == 0 && tensor.written == tensor.bytes() ? cases::Role::out
                                                              : cases::Role::inout;
}

[[nodiscard]] std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", std::to_integer<int>(byte));
  return text;
}

class Arguments {
 public:
  Arguments(const CapturedLaunch& launch, const Study& study)
      : launch_(launch),
        types_(parameter_types(demangled(launch.kernel))),
        hints_(ptx_hints(compile::parts_of_image(launch.image, launch.major, launch.minor).ptx,
                         launch.kernel)) {
    name_tensors(study);
    for (std::size_t i = 0; i < launch.parameters.size(); ++i) add(i);
    if (made_.scalars.size() + made_.structs.size() > kMostScalars) {
      throw Error(Stop::usage,
                  fmt::format("it takes {} values; a case has at most {}",
                              made_.scalars.size() + made_.structs.size(), kMostScalars));
    }
  }
  [[nodiscard]] CaseArguments made() && { return std::move(made_); }

 private:
  void name_tensors(const Study& study);
  void add(std::size_t parameter);
  [[nodiscard]] std::optional<cases::DType> said_type(std::size_t parameter) const;
  [[nodiscard]] bool add_scalar(const std::string& name, std::size_t parameter);
  [[nodiscard]] std::vector<cases::ByValue::Pointer> pointers_in(
      const CapturedParameter& parameter) const;

  const CapturedLaunch& launch_;
  std::vector<std::string> types_;
  PtxHints hints_;
  CaseArguments made_;
};

// In the order in which the parameters lead to them.
void Arguments::name_tensors(const Study& study) {
  const auto first_pointer = [&](const StudiedTensor& tensor) {
    std::size_t first = launch_.bytes.size();
    for (const CapturedPointer& pointer : launch_.pointers) {
      if (pointer.address >= tensor.address && pointer.address < tensor.address + tensor.bytes()) {
        first = std::min(first, pointer.offset);
      }
    }
    return first;
  };
  std::vector<const StudiedTensor*> sorted;
  sorted.reserve(study.tensors.size());
  for (const StudiedTensor& tensor : study.tensors) sorted.push_back(&tensor);
  sort_stably(sorted, {}, [&](const StudiedTensor* each) { return first_pointer(*each); });
  if (sorted.size() > kMostTensors) {
    throw Error(Stop::usage, fmt::format("it has {} tensors; a case has at most {}", sorted.size(),
                                         kMostTensors));
  }
  std::array<int, 3> numbers{};
  for (const StudiedTensor* tensor : sorted) {
    const cases::Role role = role_of(*tensor);
    made_.tensors.push_back(
        {.name = fmt::format("{}{}", spelling(role), numbers.at(static_cast<std::size_t>(role))++),
         .role = role,
         .dtype = tensor->dtype,
         .count = tensor->bytes() / cases::size_of(tensor->dtype),
         .studied = tensor});
  }
}

std::vector<cases::ByValue::Pointer> Arguments::pointers_in(
    const CapturedParameter& parameter) const {
  std::vector<cases::ByValue::Pointer> pointers;
  for (const CapturedPointer& pointer : launch_.pointers) {
    if (pointer.offset < parameter.offset ||
        pointer.offset + sizeof pointer.address > parameter.offset + parameter.bytes) {
      continue;
    }
    const auto tensor = std::ranges::find_if(made_.tensors, [&](const CaseTensor& each) {
      const StudiedTensor& studied = *each.studied;
      return pointer.address >= studied.address &&
             pointer.address < studied.address + studied.bytes();
    });
    if (tensor == made_.tensors.end()) continue;
    pointers.push_back({.at = pointer.offset - parameter.offset,
                        .tensor = tensor->name,
                        .offset = pointer.address - tensor->studied->address});
  }
  return pointers;
}

// By the kernel's name, or by its PTX, which tells floating numbers from others.
std::optional<cases::DType> Arguments::said_type(std::size_t parameter) const {
  if (types_.size() == launch_.parameters.size()) return dtype_of(types_[parameter]);
  if (hints_.parameters.size() != launch_.parameters.size()) return std::nullopt;
  if (hints_.parameters[parameter] == "f32") return cases::DType::f32;
  if (hints_.parameters[parameter] == "f64") return cases::DType::f64;
  return std::nullopt;
}

// A number that a case can state exactly.
bool Arguments::add_scalar(const std::string& name, std::size_t parameter) {
  const CapturedParameter& place = launch_.parameters[parameter];
  const std::byte* from = launch_.bytes.data() + place.offset;
  std::optional<cases::DType> dtype = said_type(parameter);
  if (dtype && cases::size_of(*dtype) != place.bytes) dtype = std::nullopt;
  const auto number = [&]<typename Value>(Value value) {
    std::memcpy(&value, from, sizeof value);
    return value;
  };
  if (!dtype && place.bytes == sizeof(std::int32_t)) {
    // A float that is taken for a whole number would be a huge one.
    constexpr std::int32_t kSmall = 1 << 24;
    const auto whole = number(std::int32_t{});
    dtype = whole > -kSmall && whole < kSmall ? cases::DType::i32 : cases::DType::f32;
  }
  // Eight bytes of which nothing is known may be two numbers.
  constexpr std::int64_t kShort = 1LL << 31;
  if (!dtype && place.bytes == sizeof(std::int64_t) && std::abs(number(std::int64_t{})) < kShort) {
    dtype = cases::DType::i64;
  }
  if (!dtype) return false;
  std::string value;
  switch (*dtype) {
    case cases::DType::i32:
      value = std::to_string(number(std::int32_t{}));
      break;
    case cases::DType::u32:
      value = std::to_string(number(std::uint32_t{}));
      break;
    case cases::DType::i64: {
      // As far as a case states whole numbers: doubles hold them.
      constexpr std::int64_t kMostExact = 1LL << 53;
      const auto whole = number(std::int64_t{});
      if (whole < -kMostExact || whole > kMostExact) return false;
      value = std::to_string(whole);
      break;
    }
    case cases::DType::f32:
      if (!std::isfinite(number(float{}))) return false;
      value = fmt::format("{:.9e}", static_cast<double>(number(float{})));
      break;
    case cases::DType::f64:
      if (!std::isfinite(number(double{}))) return false;
      value = fmt::format("{:.17e}", number(double{}));
      break;
    default:
      return false;
  }
  made_.scalars.push_back({.name = name, .dtype = *dtype, .value = value});
  made_.declarations.push_back(fmt::format("{} {}", cases::cpp_name(*dtype), name));
  return true;
}

void Arguments::add(std::size_t parameter) {
  const CapturedParameter& place = launch_.parameters[parameter];
  const std::vector<cases::ByValue::Pointer> pointers = pointers_in(place);
  const bool is_pointer = place.bytes == sizeof(std::uint64_t) && pointers.size() == 1;
  if (is_pointer && pointers[0].offset == 0) {
    const auto tensor = std::ranges::find(made_.tensors, pointers[0].tensor, &CaseTensor::name);
    made_.order.push_back(tensor->name);
    made_.declarations.push_back(fmt::format("{}{}* {}",
                                             tensor->role == cases::Role::in ? "const " : "",
                                             cases::cpp_name(tensor->dtype), tensor->name));
    return;
  }
  const std::string name = fmt::format("value{}", parameter);
  made_.order.push_back(name);
  if (pointers.empty() && add_scalar(name, parameter)) return;
  made_.structs.push_back(
      {.name = name,
       .bytes = hexadecimal(std::span(launch_.bytes).subspan(place.offset, place.bytes)),
       .pointers = pointers});
  made_.declarations.push_back(
      fmt::format("const __grid_constant__ autokernel::Bytes<{}> {}", place.bytes, name));
}

}  // namespace

CaseArguments arguments_of(const CapturedLaunch& launch, const Study& study) {
  return Arguments(launch, study).made();
}

}  // namespace autokernel::programs
