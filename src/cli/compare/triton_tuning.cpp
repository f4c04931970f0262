#include "cli/compare/triton_tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <regex>
#include <sstream>
#include <utility>
#include <vector>

#include "autokernel/base/visible_text.h"
#include "autokernel/trial/retry.h"

namespace autokernel::cli {
namespace {

using Choice = std::map<std::string, int>;

// What the file says of other kernels stays.
[[nodiscard]] std::string with_choice(const std::string& source, const Choice& choice) {
  std::vector<std::string> entries;
  entries.reserve(choice.size());
  for (const auto& [kernel, number] : choice)
    entries.push_back(fmt::format("'{}': {}", kernel, number));
  return fmt::format("{}\nCONFIG = {{**globals().get('CONFIG', {{}}), {}}}\n", source,
                     fmt::join(entries, ", "));
}

}  // namespace

std::map<std::string, int> configurations_in(const std::string& log) {
  static const std::regex line_of_kernel(R"((\w+) has (\d{1,6}) configurations)");
  std::map<std::string, int> counts;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (std::regex_match(line, parts, line_of_kernel)) counts[parts[1]] = std::stoi(parts[2]);
  }
  return counts;
}

std::string tune_triton(trial::Request& request, const RoundsPlan& plan, const Console& console) {
  if (request.kernel_file.extension() != ".py") return "";
  trial::Request alone = request;
  alone.baselines = false;
  const auto measured = [&](const std::string& what) {
    trial::Observer observer;
    observer.progress = [&](auto phase, auto elapsed) { plan.progress(what, phase, elapsed); };
    return trial::supervise_with_retry(alone, plan.limits, observer);
  };
  const std::string file = visible_line(request.kernel_file.filename().string());
  const std::map<std::string, int> counts = configurations_in(measured(file).detail);
  Choice choice;
  std::vector<std::string> chosen;
  for (const auto& [kernel, count] : counts) {
    std::optional<double> least;
    Choice best = choice;
    for (int i = 0; i < count; ++i) {
      Choice tried = choice;
      tried[kernel] = i;
      alone.source = with_choice(request.source, tried);
      const trial::Result result =
          measured(fmt::format("{}, {} CONFIG = {} of {}", file, kernel, i, count));
      // One that does not run here is no candidate.
      if (result.verdict != trial::Verdict::correct || !result.times) continue;
      if (least && result.times->median_us >= *least) continue;
      least = result.times->median_us;
      best = std::move(tried);
    }
    choice = std::move(best);
    if (!least) continue;
    console.err << fmt::format("autokernel: the best of {} configurations of {} in {} is no. {}\n",
                               count, kernel, file, choice.at(kernel));
    chosen.push_back(fmt::format("{}CONFIG = {} of {}", counts.size() > 1 ? kernel + " " : "",
                                 choice.at(kernel), count));
  }
  if (choice.empty()) return "";
  request.source = with_choice(request.source, choice);
  return fmt::format(", {}", fmt::join(chosen, ", "));
}

}  // namespace autokernel::cli
