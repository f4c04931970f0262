#include "compile/ptxas_report.h"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <string_view>

namespace autokernel::compile {
namespace {

constexpr std::string_view kPrefix = "ptxas";

// The number in front of `unit`, as in "Used 32 registers, 16 bytes smem"; 0 where the line does
// not tell.
std::uint64_t number_before(std::string_view line, std::string_view unit) {
  const std::size_t at = line.find(unit);
  if (at == std::string_view::npos) return 0;
  const std::size_t end = line.find_last_not_of(' ', at == 0 ? 0 : at - 1);
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end + 1;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::uint64_t value = 0;
  std::from_chars(line.data() + begin, line.data() + end + 1, value);
  return value;
}

// What follows `intro` in single quotes or up to the end of the line; empty where the line has no
// `intro`.
std::string name_after(std::string_view line, std::string_view intro) {
  const std::size_t at = line.find(intro);
  if (at == std::string_view::npos) return "";
  std::string_view rest = line.substr(at + intro.size());
  if (rest.starts_with('\'')) rest.remove_prefix(1);
  return std::string(rest.substr(0, rest.find_first_of("' ")));
}

// "ptxas info    : (C7510) Potential Performance Loss: ..." without what stands before the colon.
std::string message_of(std::string_view line) {
  const std::size_t colon = line.find(':');
  const std::size_t text =
      line.find_first_not_of(' ', colon == std::string_view::npos ? 0 : colon + 1);
  return std::string(text == std::string_view::npos ? line : line.substr(text));
}

bool costs_speed(std::string_view line) {
  return line.find("Performance Loss") != std::string_view::npos ||
         line.find("(C75") != std::string_view::npos || line.starts_with("ptxas warning");
}

}  // namespace

PtxasReport read_ptxas_report(const std::string& log) {
  PtxasReport report;
  std::string entry;     // the kernel being compiled
  std::string function;  // the function the next properties are of
  std::uint64_t spills_of_others =
      0;  // of functions that were not inlined, which any kernel may call
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kPrefix)) continue;
    if (costs_speed(line)) {
      const std::string message = message_of(line);
      if (std::ranges::find(report.warnings, message) == report.warnings.end()) {
        report.warnings.push_back(message);
      }
    }
    if (const std::string name = name_after(line, "Compiling entry function "); !name.empty()) {
      entry = name;
      report.resources[entry] = {};
    } else if (const std::string of = name_after(line, "Function properties for "); !of.empty()) {
      function = of;
    } else if (line.find("bytes stack frame") != std::string::npos) {
      const std::uint64_t spills =
          number_before(line, "bytes spill stores") + number_before(line, "bytes spill loads");
      const auto found = report.resources.find(function);
      if (found == report.resources.end()) {
        spills_of_others += spills;
      } else {
        found->second.spill_bytes = spills;
        found->second.local_bytes = number_before(line, "bytes stack frame");
      }
    } else if (line.find(": Used ") != std::string::npos && !entry.empty()) {
      report.resources[entry].registers =
          static_cast<std::uint32_t>(number_before(line, "registers"));
      report.resources[entry].static_shared_bytes = number_before(line, "bytes smem");
    }
  }
  for (auto& [name, resources] : report.resources) resources.spill_bytes += spills_of_others;
  return report;
}

}  // namespace autokernel::compile
