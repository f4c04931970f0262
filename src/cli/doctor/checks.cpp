#include "cli/doctor/checks.h"

#include <algorithm>
#include <array>

namespace autokernel::cli::doctor {

const char* spelling(Standing standing) {
  switch (standing) {
    case Standing::ok:
      return "ok";
    case Standing::missing:
      return "missing";
    case Standing::wrong:
      return "wrong";
  }
  return "wrong";
}

Lines check(const Facts& facts) {
  constexpr std::array kParts = {check_driver,    check_gpu,      check_visible_devices,
                                 check_telemetry, check_compiler, check_libraries,
                                 check_emulator,  check_folders,  check_repository,
                                 check_gnuplot,   check_libcurl};
  Lines all;
  for (const auto& part : kParts) {
    const Lines lines = part(facts);
    all.insert(all.end(), lines.begin(), lines.end());
  }
  return all;
}

bool can_bench(const Lines& lines) {
  return std::ranges::none_of(lines, [](const Line& line) {
    return line.need == Need::required && line.standing != Standing::ok;
  });
}

}  // namespace autokernel::cli::doctor
