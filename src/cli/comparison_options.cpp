#include "cli/comparison_options.h"

#include "autokernel/base/error.h"
#include "autokernel/programs/verification.h"

namespace autokernel::cli {

void ComparisonOptions::declare(Options options) {
  options
      .add_option("--metric", metric,
                  "A regular expression with one group: the last number it finds in what the "
                  "program prints is compared, instead of the time from start to end")
      .type_name("REGEX");
  options.add_flag("--higher-is-better", higher_is_better, "A larger number of --metric is better");
  options.add_flag("--same-output", same_output, "The program must print the same as without");
  options
      .add_option("--check", check_command,
                  "A command for the shell that ends with 0 if a run was right; "
                  "$AUTOKERNEL_OUTPUT names a file with what the program printed")
      .type_name("COMMAND");
  options.add_flag("--no-graphs", no_graphs, "Replace nothing within CUDA graphs");
  options.add_option("--pairs", pairs, "Compare that many pairs of runs at most [40]")
      .type_name("N")
      .within(3, 1000);
  options.add_option("--minutes", minutes, "Begin no further pair after that many minutes [15]")
      .type_name("N")
      .within(1, 10'000);
}

void ComparisonOptions::check(const std::vector<std::string>& command) const {
  if (higher_is_better && metric.empty()) {
    throw Error(Stop::usage, "--higher-is-better goes with --metric REGEX");
  }
  programs::VerificationRequest request;
  request.command = command;
  request.measure = {metric, higher_is_better};
  programs::check(request);
}

std::vector<std::string> ComparisonOptions::words() const {
  std::vector<std::string> words = {"--pairs", std::to_string(pairs), "--minutes",
                                    std::to_string(minutes)};
  const auto add = [&](bool is_given, const std::vector<std::string>& more) {
    if (is_given) words.insert(words.end(), more.begin(), more.end());
  };
  add(!metric.empty(), {"--metric", metric});
  add(higher_is_better, {"--higher-is-better"});
  add(same_output, {"--same-output"});
  add(!check_command.empty(), {"--check", check_command});
  add(no_graphs, {"--no-graphs"});
  return words;
}

}  // namespace autokernel::cli
