#include "trial/launch/launch_kind.h"

#include <fmt/format.h>

#include <array>

#include "autokernel/base/number.h"

namespace autokernel::trial {
namespace {

constexpr std::array kKinds = {
    LaunchKind::check,     LaunchKind::warm_up,           LaunchKind::timed,  LaunchKind::warm,
    LaunchKind::incumbent, LaunchKind::incumbent_warm_up, LaunchKind::library};

}  // namespace

const char* name_of(LaunchKind kind) {
  switch (kind) {
    case LaunchKind::check:
      return "check launch";
    case LaunchKind::warm_up:
      return "warm-up launch";
    case LaunchKind::timed:
      return "timed launch";
    case LaunchKind::warm:
      return "warm launch";
    case LaunchKind::incumbent_warm_up:
      return "opponent's warm-up launch";
    case LaunchKind::incumbent:
      return "opponent's launch";
    case LaunchKind::library:
      return "library";
  }
  return "";
}

std::string launch_name(LaunchKind kind, int number) {
  return fmt::format("{} {}", name_of(kind), number);
}

std::optional<NamedLaunch> named_launch(std::string_view name) {
  for (const LaunchKind kind : kKinds) {
    const std::string_view first = name_of(kind);
    if (name == first) return NamedLaunch{kind, 0};
    if (!name.starts_with(first)) continue;
    const std::string_view rest = name.substr(first.size());
    int number = 0;
    // One launch has one name: " 03" is none.
    if (!read_number(rest.substr(1), number) || number < 1 || launch_name(kind, number) != name) {
      return std::nullopt;
    }
    return NamedLaunch{kind, number};
  }
  return std::nullopt;
}

}  // namespace autokernel::trial
