#include "notify/event_stamp.h"

#include <fmt/format.h>

#include <cstdint>
#include <random>

#include "autokernel/base/utc.h"

namespace autokernel::notify {

void stamp(Event& event) {
  std::random_device device;
  event.id = fmt::format("{:08x}{:08x}", static_cast<std::uint32_t>(device()),
                         static_cast<std::uint32_t>(device()));
  if (event.at.empty()) event.at = utc_to_the_second();
}

}  // namespace autokernel::notify
