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
    case cases::DType::f64:
      return stored_at<double>(bytes, element);
    case cases::DType::i64:
      return static_cast<double>(stored_at<std::int64_t>(bytes, element));
    case cases::DType::i32:
      return stored_at<std::int32_t>(bytes, element);
    case cases::DType::u32:
      return stored_at<std::uint32_t>(bytes, element);
    default: {
      float value = 0;
      const std::size_t size = cases::size_of(dtype);
      to_floats(dtype, bytes.subspan(element * size, size), std::span(&value, 1));
      return static_cast<double>(value);
    }
  }
}

std::string value_text(cases::DType dtype, std::span<const std::byte> bytes,
                       std::uint64_t element) {
  if (dtype == cases::DType::i64) return fmt::format("{}", stored_at<std::int64_t>(bytes, element));
  const double value = value_at(dtype, bytes, element);
  if (!cases::is_floating(dtype)) return fmt::format("{}", static_cast<std::int64_t>(value));
  // The shortest text that reads back as the same value.
  if (dtype == cases::DType::f64) return fmt::format("{}", value);
  return fmt::format("{}", static_cast<float>(value));
}

}  // namespace autokernel::trial
