#include "trial/check/unwritten_elements.h"

#include <algorithm>
#include <cmath>

#include "trial/inputs/philox.h"

namespace autokernel::trial {
namespace {

// Narrow elements agree with random bits by chance, one of bytes in 256: so many times as many must
// agree.
constexpr double kMoreThanChance = 4;

}  // namespace

std::uint64_t count_unwritten(const LaunchRecord& launch, std::size_t tensor, const Bytes& expected,
                              std::uint64_t element) {
  const SizedTensor& sized = launch.sized->tensors[tensor];
  // One that is read as well begins with its input.
  if (sized.is_read()) return 0;
  const Bytes& found = launch.outputs[tensor];
  Bytes noise(found.size());
  random_bytes({launch.key, static_cast<std::uint32_t>(tensor), Purpose::noise}, noise);

  const std::size_t width = cases::size_of(sized.tensor->dtype);
  const auto is_as = [&](const Bytes& bytes, std::uint64_t i) {
    const auto at = static_cast<std::ptrdiff_t>(i * width);
    return std::equal(found.begin() + at, found.begin() + at + static_cast<std::ptrdiff_t>(width),
                      bytes.begin() + at);
  };
  // What was written may be those bits by chance.
  const auto has_noise = [&](std::uint64_t i) { return is_as(noise, i) && !is_as(expected, i); };
  if (!has_noise(element)) return 0;
  const std::uint64_t count = found.size() / width;
  std::uint64_t unwritten = 0;
  for (std::uint64_t i = 0; i < count; ++i) unwritten += has_noise(i) ? 1 : 0;
  const double by_chance = std::ldexp(static_cast<double>(count), -8 * static_cast<int>(width));
  return static_cast<double>(unwritten) > kMoreThanChance * by_chance ? unwritten : 0;
}

}  // namespace autokernel::trial
