#include "driver/matching.h"

#include <algorithm>
#include <cstring>

#include "driver/memory_range.h"

namespace autokernel::inject {
namespace {

// Attributes that change neither what a kernel computes nor when others may begin: ours are
// launched without them.
[[nodiscard]] bool is_harmless(CUlaunchAttributeID id) {
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    // Ours waits for all that came before, and lets nothing begin early.
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return true;
    default:
      return false;
  }
}

[[nodiscard]] Extents cluster_of(const LaunchView& launch) {
  for (unsigned i = 0; i < launch.attribute_count; ++i) {
    if (launch.attributes[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    const auto& extent = launch.attributes[i].value.clusterDim;
    return {extent.x, extent.y, extent.z};
  }
  return kOne;
}

// The bytes are those of the pattern, but for the addresses; these are put into `tensors`, where
// each has to agree with those before it.
[[nodiscard]] std::optional<Outcome> differs(const ParameterPattern& pattern,
                                             const std::vector<unsigned char>& bytes,
                                             std::vector<CUdeviceptr>& tensors) {
  std::size_t compared = 0;
  const auto same_up_to = [&](std::size_t end) {
    return std::equal(pattern.bytes.begin() + static_cast<std::ptrdiff_t>(compared),
                      pattern.bytes.begin() + static_cast<std::ptrdiff_t>(end),
                      bytes.begin() + static_cast<std::ptrdiff_t>(compared));
  };
  for (const ParameterPattern::Pointer& pointer : pattern.pointers) {  // in their order
    if (pointer.at < compared || !same_up_to(pointer.at)) return Outcome::other_values;
    compared = pointer.at + sizeof(CUdeviceptr);
    CUdeviceptr address = 0;
    std::memcpy(&address, bytes.data() + pointer.at, sizeof address);
    if (address < pointer.offset) return Outcome::other_layout;
    CUdeviceptr& tensor = tensors[pointer.tensor];
    if (tensor != 0 && tensor != address - pointer.offset) return Outcome::other_layout;
    tensor = address - pointer.offset;
  }
  if (!same_up_to(pattern.bytes.size())) return Outcome::other_values;
  return std::nullopt;
}

// An address that no captured launch has followed is not known to lead to a tensor: where it leads
// to memory, the original may use that.
[[nodiscard]] bool leads_elsewhere(const ParameterPattern& pattern) {
  for (std::size_t at = 0; at + sizeof(CUdeviceptr) <= pattern.bytes.size();
       at += sizeof(CUdeviceptr)) {
    const bool is_known = std::ranges::any_of(
        pattern.pointers, [&](const auto& pointer) { return pointer.at == at; });
    CUdeviceptr address = 0;
    std::memcpy(&address, pattern.bytes.data() + at, sizeof address);
    constexpr CUdeviceptr kLeast = 1U << 16U;
    if (!is_known && address >= kLeast && is_memory(address, 1)) return true;
  }
  return false;
}

}  // namespace

std::optional<Outcome> misplaced(const Replacement& replacement,
                                 const std::vector<CUdeviceptr>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const ReplacedTensor& tensor = replacement.tensors[i];
    if (tensors[i] == 0 || !is_memory(tensors[i], tensor.bytes)) return Outcome::other_layout;
    // Where one lies upon another, what is written depends on the order.
    for (std::size_t j = 0; j < i; ++j) {
      const ReplacedTensor& other = replacement.tensors[j];
      const bool apart =
          tensors[i] + tensor.bytes <= tensors[j] || tensors[j] + other.bytes <= tensors[i];
      if (!apart && (tensor.is_written || other.is_written)) return Outcome::other_layout;
    }
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i] % replacement.tensors[i].alignment != 0) return Outcome::other_alignment;
  }
  return std::nullopt;
}

std::variant<GivenOperands, Outcome> matched(
    const Replacement& replacement, const LaunchView& launch,
    const std::vector<LaunchedFunction::Parameter>& listed) {
  if (launch.shape != replacement.shape || launch.cooperative != replacement.cooperative ||
      cluster_of(launch) != replacement.cluster) {
    return Outcome::other_shape;
  }
  if (listed.size() != replacement.parameters.size()) return Outcome::other_code;
  GivenOperands operands{.tensors = std::vector<CUdeviceptr>(replacement.tensors.size()),
                         .parameters = parameters_of(launch, listed)};
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const ParameterPattern& pattern = replacement.parameters[i];
    if (operands.parameters[i].size() != pattern.bytes.size()) return Outcome::other_code;
    if (const auto why = differs(pattern, operands.parameters[i], operands.tensors)) return *why;
    if (leads_elsewhere(pattern)) return Outcome::other_layout;
  }
  if (const auto why = misplaced(replacement, operands.tensors)) return *why;
  for (unsigned i = 0; i < launch.attribute_count; ++i) {
    if (!is_harmless(launch.attributes[i].id)) return Outcome::other_attributes;
  }
  return operands;
}

}  // namespace autokernel::inject
