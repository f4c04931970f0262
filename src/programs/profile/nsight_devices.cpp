#include "programs/profile/nsight_devices.h"

#include <limits>
#include <optional>
#include <utility>

namespace autokernel::programs {
namespace {

[[nodiscard]] int bounded(std::optional<std::int64_t> value) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  return !value || *value < 0 || *value > kMost ? 0 : static_cast<int>(*value);
}

[[nodiscard]] std::uint64_t bytes_in(std::optional<std::int64_t> value) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(value.value_or(0), 0));
}

// The machine's number of the device; none where the report does not say.
[[nodiscard]] std::optional<std::int64_t> gpu_of(const SqliteFile& report, std::int64_t process,
                                                 std::int64_t number) {
  std::optional<std::int64_t> of_another;
  SqliteTable devices = report.table("TARGET_INFO_CUDA_DEVICE", {"gpuId", "cudaId", "pid"});
  while (const auto row = devices.next()) {
    if (row->integer(1) != number) continue;
    if (row->integer(2) == process) return row->integer(0);
    of_another = row->integer(0);
  }
  return of_another;
}

}  // namespace

driver::DeviceInfo nsight_device(const SqliteFile& report, std::int64_t process,
                                 std::int64_t number) {
  driver::DeviceInfo device;
  device.ordinal = bounded(number);
  const std::optional<std::int64_t> gpu = gpu_of(report, process, number);
  SqliteTable gpus = report.table(
      "TARGET_INFO_GPU", {"id", "cuDevice", "name", "computeMajor", "computeMinor", "smCount",
                          "clockRate", "l2CacheSize", "totalMemory", "busLocation"});
  while (const auto row = gpus.next()) {
    const bool knows_number = !row->is_null(1);
    const bool is_it = gpu ? row->integer(0) == gpu : row->integer(knows_number ? 1 : 0) == number;
    if (!is_it) continue;
    constexpr double kHertzInMegahertz = 1e6;
    device.name = row->text(2);
    device.major = bounded(row->integer(3));
    device.minor = bounded(row->integer(4));
    device.multiprocessors = bounded(row->integer(5));
    device.clock_mhz = static_cast<double>(bytes_in(row->integer(6))) / kHertzInMegahertz;
    device.l2_bytes = bytes_in(row->integer(7));
    device.memory_bytes = bytes_in(row->integer(8));
    device.address = row->text(9);
    break;
  }
  return device;
}

}  // namespace autokernel::programs
