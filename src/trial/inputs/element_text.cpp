#include "trial/inputs/element_text.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "trial/inputs/conversion.h"

namespace autokernel::trial {
namespace {

template <typename Stored>
Stored stored_at(std::span<const std::byte> bytes, std::uint64_t element) {
  Stored stored;
  std::memcpy(&stored, bytes.data() + element * sizeof(Stored), sizeof(Stored));
  return stored;
}

}  // namespace

std::string element_name(const SizedTensor& tensor, std::uint64_t element) {
  std::vector<std::uint64_t> index(tensor.extents.size());
  for (std::size_t d = index.size(); d-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(tensor.extents[d]);
    index[d] = element % extent;
    element /= extent;
  }
  return fmt::format("{}[{}]", tensor.tensor->name, fmt::join(index, ","));
}

double value_at(cases::DType dtype, std::span<const std::byte> bytes, std::uint64_t element) {
  switch (dtype) {
    case cases::DType::f32:
      return static_cast<double>(stored_at<float>(bytes, element));
    case cases::DType::f16:
      return static_cast<double>(f16_to_float(stored_at<std::uint16_t>(bytes, element)));
    case cases::DType::bf16:
      return static_cast<double>(bf16_to_float(stored_at<std::uint16_t>(bytes, element)));
    case cases::DType::i32:
      return stored_at<std::int32_t>(bytes, element);
    case cases::DType::u8:
      return stored_at<std::uint8_t>(bytes, element);
  }
  return 0;
}

std::string value_text(cases::DType dtype, std::span<const std::byte> bytes,
                       std::uint64_t element) {
  const double value = value_at(dtype, bytes, element);
  // The shortest text that reads back as the same float; all types but i32 are floats, and those
  // are whole.
  if (dtype == cases::DType::i32) return fmt::format("{}", static_cast<std::int64_t>(value));
  return fmt::format("{}", static_cast<float>(value));
}

}  // namespace autokernel::trial
