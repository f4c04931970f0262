#include "cli/log_text.h"

#include <fmt/format.h>

namespace autokernel::cli {

std::string log_text(const trial::Request& request, const trial::Result& result,
                     const std::vector<std::string>& notes) {
  std::string text = fmt::format(
      "autokernel {} bench\ncase:    {}\nkernel:  {}\nsize:    {}\ndevice:  {}\nverdict: {}\n",
      AUTOKERNEL_VERSION, request.case_directory.string(), request.kernel_file.string(),
      request.size, result.device ? result.device->name : trial::spelling(request.device),
      trial::spelling(result.verdict));
  if (!result.reason.empty()) text += fmt::format("reason:  {}\n", result.reason);
  for (const auto& [name, version] : result.versions)
    text += fmt::format("{}: {}\n", name, version);
  for (const auto& [phase, seconds] : result.phase_seconds) {
    text += fmt::format("{}: {:.3f} s\n", phase, seconds);
  }
  for (const std::string& warning : result.warnings) text += fmt::format("warning: {}\n", warning);
  for (const std::string& note : notes) text += fmt::format("note: {}\n", note);
  if (!result.detail.empty()) text += "\n" + result.detail;
  if (text.back() != '\n') text += '\n';
  return text;
}

}  // namespace autokernel::cli
