#include "device_lines.h"

#include <array>
#include <cstddef>
#include <cstring>

#include "line.h"

namespace recording {
namespace {

constexpr std::size_t kMostOfName = 256;

std::uint64_t attribute_of(const DriverLibrary& driver, int device, DeviceAttribute attribute) {
  int value = 0;
  if (driver.device_attribute(&value, attribute, device) != 0 || value < 0) return 0;
  return static_cast<std::uint64_t>(value);
}

}  // namespace

void DeviceLines::write_device(int ordinal) {
  int device = 0;
  std::array<char, kMostOfName> name{};
  if (driver_.device(&device, ordinal) != 0) return;
  if (driver_.device_name(name.data(), static_cast<int>(name.size() - 1), device) != 0)
    name[0] = '\0';
  std::size_t memory = 0;
  if (driver_.device_memory == nullptr || driver_.device_memory(&memory, device) != 0) memory = 0;

  std::array<char, 1024> room{};
  Line line{room, 'D'};
  line.number(static_cast<std::uint64_t>(ordinal)).text(name.data());
  for (const DeviceAttribute attribute :
       {DeviceAttribute::capability_major, DeviceAttribute::capability_minor,
        DeviceAttribute::multiprocessors, DeviceAttribute::clock_khz,
        DeviceAttribute::memory_clock_khz, DeviceAttribute::memory_bus_bits,
        DeviceAttribute::l2_bytes}) {
    line.number(attribute_of(driver_, device, attribute));
  }
  file_.write(line.number(std::uint64_t{memory}).done());
}

bool DeviceLines::has_functions() const {
  return driver_.device_count != nullptr && driver_.device != nullptr &&
         driver_.device_name != nullptr && driver_.device_attribute != nullptr;
}

void DeviceLines::write_once() {
  if (written_.load(std::memory_order_relaxed) || written_.exchange(true)) return;
  int count = 0;
  if (!has_functions()) return;
  if (driver_.device_count(&count) != 0) {
    written_.store(false);  // the driver is still starting
    return;
  }
  for (int ordinal = 0; ordinal < count; ++ordinal) write_device(ordinal);
}

}  // namespace recording
