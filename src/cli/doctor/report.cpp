#include "cli/doctor/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace autokernel::cli::doctor {
namespace {

constexpr int kSchemaVersion = 1;

[[nodiscard]] std::string verdict(const Facts& facts, const Lines& lines) {
  const std::string device =
      takes_gpu(facts.device, facts.cuda) ? "the GPU" : "the emulated device";
  if (can_bench(lines)) return "bench can run on " + device;
  std::string lacking;
  for (const Line& line : lines) {
    if (line.need == Need::required && line.standing != Standing::ok) {
      lacking += (lacking.empty() ? "" : ", ") + line.name;
    }
  }
  return "bench cannot run on " + device + "; fix first: " + lacking;
}

// A report has one line per look, whatever a driver or a compiler wrote.
[[nodiscard]] std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

}  // namespace

std::string text_report(const Facts& facts, const Lines& lines) {
  std::size_t widest = 0;
  for (const Line& line : lines) widest = std::max(widest, line.name.size());
  std::string text;
  for (const Line& line : lines) {
    text += fmt::format("{:<7}  {:<{}}  {}\n", spelling(line.standing), line.name, widest,
                        one_line(line.found));
    if (line.standing != Standing::ok) {
      text += fmt::format("{:<7}  {:<{}}  fix: {}\n", "", "", widest, line.fix);
    }
  }
  return text + verdict(facts, lines) + "\n";
}

std::string json_report(const Facts& facts, const Lines& lines) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Line& line : lines) {
    nlohmann::ordered_json check = {{"name", line.name},
                                    {"status", spelling(line.standing)},
                                    {"found", one_line(line.found)},
                                    {"fix", nullptr},
                                    {"required", line.need == Need::required}};
    if (line.standing != Standing::ok) check["fix"] = line.fix;
    checks.push_back(check);
  }
  const nlohmann::ordered_json report = {
      {"schema_version", kSchemaVersion},
      {"version", AUTOKERNEL_VERSION},
      {"device", spelling(facts.device)},
      {"takes", takes_gpu(facts.device, facts.cuda) ? "gpu" : "emulator"},
      {"can_bench", can_bench(lines)},
      {"checks", checks}};
  constexpr auto kReplace = nlohmann::json::error_handler_t::replace;
  return report.dump(2, ' ', false, kReplace) + "\n";
}

}  // namespace autokernel::cli::doctor
