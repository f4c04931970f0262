#include <array>
#include <string_view>

#include "autokernel/driver/telemetry.h"

namespace autokernel::driver {
namespace {

struct Named {
  std::uint64_t bit;
  std::string_view name;
};
constexpr std::array<Named, 8> kNamed = {{{Throttle::kIdle, "idle"},
                                          {Throttle::kClocksSet, "clocks_set"},
                                          {Throttle::kPowerCap, "power_cap"},
                                          {Throttle::kHardware, "hardware"},
                                          {Throttle::kSyncBoost, "sync_boost"},
                                          {Throttle::kHeatBySoftware, "heat_by_software"},
                                          {Throttle::kHeatByHardware, "heat_by_hardware"},
                                          {Throttle::kPowerBrake, "power_brake"}}};

struct Worded {
  std::uint64_t bits;
  std::string_view words;
};
constexpr std::array<Worded, 6> kWorded = {
    {{Throttle::kClocksSet, "clocks were set by hand"},
     {Throttle::kPowerCap, "it reaches its power limit"},
     {Throttle::kSyncBoost, "it is held to the pace of another GPU"},
     {Throttle::kHeatBySoftware | Throttle::kHeatByHardware, "it is too hot"},
     {Throttle::kPowerBrake, "its power supply asks for less"},
     {Throttle::kHardware, "the board slows it down"}}};

}  // namespace

std::vector<std::string> throttle_names(std::uint64_t reasons) {
  std::vector<std::string> names;
  for (const auto& [bit, name] : kNamed) {
    if ((reasons & bit) != 0) names.emplace_back(name);
  }
  return names;
}

std::uint64_t throttle_named(const std::vector<std::string>& names) {
  std::uint64_t reasons = 0;
  for (const std::string& name : names) {
    for (const auto& [bit, known] : kNamed) {
      if (name == known) reasons |= bit;
    }
  }
  return reasons;
}

std::string throttle_words(std::uint64_t reasons) {
  std::string text;
  for (const auto& [bits, words] : kWorded) {
    if ((reasons & bits) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(words);
  }
  return text;
}

}  // namespace autokernel::driver
