#include "trial/check/padding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "trial/inputs/element_text.h"
#include "trial/inputs/inputs.h"
#include "trial/inputs/philox.h"

namespace autokernel::trial {
namespace {

// Calls `on_row` with the first byte of the padding behind each row, and the number of bytes.
template <typename OnRow>
void for_each_padding(const SizedTensor& tensor, const OnRow& on_row) {
  const std::size_t element = cases::size_of(tensor.tensor->dtype);
  const auto pitch = static_cast<std::uint64_t>(tensor.extents.back());
  if (pitch == tensor.row_length) return;
  for (std::uint64_t row = 0; row < tensor.count; row += pitch)
    on_row((row + tensor.row_length) * element, (pitch - tensor.row_length) * element);
}

}  // namespace

std::optional<Rejection> written_padding(const LaunchRecord& launch,
                                         const std::vector<Bytes>& inputs) {
  for (std::size_t t = 0; t < launch.sized->tensors.size(); ++t) {
    const SizedTensor& tensor = launch.sized->tensors[t];
    if (!tensor.is_written() || !tensor.has_padding()) continue;
    const Bytes& found = launch.outputs[t];
    Bytes noise;
    if (!tensor.is_read()) {
      noise.resize(found.size());
      random_bytes({launch.key, static_cast<std::uint32_t>(t), Purpose::noise}, noise);
    }
    const Bytes& before = tensor.is_read() ? inputs[t] : noise;
    std::optional<std::size_t> first;
    for_each_padding(tensor, [&](std::size_t at, std::size_t bytes) {
      if (first) return;
      const auto begin = found.begin() + static_cast<std::ptrdiff_t>(at);
      const auto end = begin + static_cast<std::ptrdiff_t>(bytes);
      const auto differs =
          std::mismatch(begin, end, before.begin() + static_cast<std::ptrdiff_t>(at)).first;
      if (differs != end) first = static_cast<std::size_t>(differs - found.begin());
    });
    if (!first) continue;
    return Rejection{
        Verdict::incorrect,
        fmt::format("{} was written, which is padding: a row has {} elements ({})",
                    element_name(tensor, *first / cases::size_of(tensor.tensor->dtype)),
                    tensor.row_length, occasion(*launch.sized, launch.input_kind, launch.name)),
        ""};
  }
  return std::nullopt;
}

void clear_padding(const SizedCase& sized, std::vector<Bytes>& outputs) {
  for (std::size_t t = 0; t < sized.tensors.size(); ++t) {
    if (!sized.tensors[t].is_written()) continue;
    for_each_padding(sized.tensors[t], [&](std::size_t at, std::size_t bytes) {
      std::fill_n(outputs[t].begin() + static_cast<std::ptrdiff_t>(at), bytes, std::byte{0});
    });
  }
}

}  // namespace autokernel::trial
