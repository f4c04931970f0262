#include "notify/event_stamp.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdint>
#include <ctime>
#include <random>

namespace autokernel::notify {

void stamp(Event& event) {
  std::random_device device;
  event.id = fmt::format("{:08x}{:08x}", static_cast<std::uint32_t>(device()),
                         static_cast<std::uint32_t>(device()));
  if (event.at.empty()) event.at = fmt::format("{:%FT%TZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace autokernel::notify
