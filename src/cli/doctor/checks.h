// What facts mean: each check is a pure function from facts to lines of the report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/doctor/facts.h"

namespace autokernel::cli::doctor {

inline constexpr double kGiB = 1024.0 * 1024 * 1024;  // what memory and disks are given in

enum class Standing : std::uint8_t { ok, missing, wrong };
[[nodiscard]] const char* spelling(Standing standing);

// Whether bench on the requested device can do without it.
enum class Need : std::uint8_t { useful, required };

struct Line {
  std::string name;  // of what was looked at: "driver"; no two lines share one
  Standing standing = Standing::ok;
  std::string found;
  std::string fix = {};  // the command that fixes it; empty where all is well
  Need need = Need::useful;
};
using Lines = std::vector<Line>;

// The parts, in the order of the report. One that has nothing to say gives no line.
[[nodiscard]] Lines check_driver(const Facts& facts);
[[nodiscard]] Lines check_gpu(const Facts& facts);
[[nodiscard]] Lines check_visible_devices(const Facts& facts);
[[nodiscard]] Lines check_telemetry(const Facts& facts);  // MIG, clocks, power, other programs
[[nodiscard]] Lines check_compiler(const Facts& facts);
[[nodiscard]] Lines check_libraries(const Facts& facts);
[[nodiscard]] Lines check_emulator(const Facts& facts);
[[nodiscard]] Lines check_folders(const Facts& facts);
[[nodiscard]] Lines check_repository(const Facts& facts);
[[nodiscard]] Lines check_gnuplot(const Facts& facts);
[[nodiscard]] Lines check_libcurl(const Facts& facts);

// All of them.
[[nodiscard]] Lines check(const Facts& facts);

// Whether bench can run: everything it needs is ok.
[[nodiscard]] bool can_bench(const Lines& lines);

}  // namespace autokernel::cli::doctor
