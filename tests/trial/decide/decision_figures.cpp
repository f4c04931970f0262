// Prints the tables of docs/decision-figures.md: autokernel_decision_figures [NO_OPS]. With NO_OPS,
// also how many of so many kernels that are the same are kept; several millions take minutes.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "trial/decide/noise_sources.h"
#include "trial/decide/simulated_trials.h"

namespace autokernel::trial {
namespace {

constexpr double kPercent = 100;
constexpr int kTrials = 2000;
constexpr double kMinGain = 0.005;

std::string percent(double share) { return fmt::format("{:g} %", share * kPercent); }

// "70 (98 %)": the pairs of the trial in the middle, and how many trials kept the kernel.
std::string pairs_and_kept(const Tally& tally) {
  return fmt::format("{} ({:.0f} %)", tally.median_pairs, tally.share_faster() * kPercent);
}

void print_head(const std::string& title, const std::vector<std::string>& columns) {
  fmt::print("\n{}\n\n", title);
  for (const std::string& column : columns) fmt::print("| {} ", column);
  fmt::print("|\n");
  for (std::size_t i = 0; i < columns.size(); ++i) fmt::print("|---");
  fmt::print("|\n");
}

void print_pairs_needed() {
  const double gains[] = {0, 0.007, 0.01, 0.02, 0.05};
  std::vector<std::string> columns{"noise of a pair"};
  for (const double gain : gains) columns.push_back("gain " + percent(gain));
  print_head("Pairs of the trial in the middle, and share of trials that kept the kernel", columns);
  for (const double noise : {0.0025, 0.005, 0.01, 0.02, 0.03, 0.04, 0.06}) {
    fmt::print("| {} |", percent(noise));
    for (const double gain : gains) {
      fmt::print(" {} |",
                 pairs_and_kept(tally_normal({.deviation = noise}, gain, kMinGain, kTrials)));
    }
    fmt::print("\n");
  }
}

void print_kept_by_gain() {
  const double factors[] = {0.5, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 2};
  std::vector<std::string> columns{"noise of a pair"};
  for (const double factor : factors) columns.push_back(fmt::format("{:g}", factor));
  print_head("Share of trials that kept the kernel, by its true gain over the minimum gain",
             columns);
  for (const double noise : {0.0025, 0.005, 0.01, 0.02}) {
    fmt::print("| {} |", percent(noise));
    for (const double factor : factors) {
      const Tally trials = tally_normal({.deviation = noise}, factor * kMinGain, kMinGain, kTrials);
      fmt::print(" {:.1f} % |", trials.share_faster() * kPercent);
    }
    fmt::print("\n");
  }
}

void print_on_noise(std::vector<Noise> kinds) {
  for (Noise& noise : synthetic_noise()) kinds.push_back(std::move(noise));
  print_head("On noise of several kinds",
             {"noise", "pairs in it", "noise of a pair", "correlation", "the same kernel: kept",
              "1.4 times the minimum gain: kept", "slower by as much: kept", "pairs, same kernel",
              "pairs, 1.4 times"});
  constexpr int kNoOps = 3000;
  constexpr double kTrueGain = 1.4;
  for (const Noise& noise : kinds) {
    const double gain = kTrueGain * noise.min_gain;
    const Tally same = tally(noise, 0, kNoOps);
    const Tally faster = tally(noise, gain, kTrials);
    const Tally slower = tally(noise, -gain, kTrials);
    fmt::print(
        "| {} | {} | {:.2f} % | {:.2f} | {} of {} | {:.1f} % | {} of {} | {:.0f} | {:.0f} |\n",
        noise.name, noise.log_ratios.size(), scatter(noise) * kPercent, correlation(noise),
        same.faster, same.trials, faster.share_faster() * kPercent, slower.faster, slower.trials,
        same.mean_pairs, faster.mean_pairs);
  }
}

void print_slow_minorities(const std::vector<Noise>& kinds) {
  constexpr double kGain = 0.2;
  constexpr int kFewTrials = 2000;
  const SlowLaunches slow[] = {{0.08, 2}, {0.05, 13}, {0.02, 5}, {0.02, 50}, {0.01, 100}};
  std::vector<std::string> columns{"noise"};
  for (const auto& [share, factor] : slow) {
    columns.push_back(fmt::format("{} {:g} times slower", percent(share), factor));
  }
  print_head(
      "A kernel with a gain of 20 % that is slow in some launches: faster / confirmed apart / not "
      "faster",
      columns);
  for (const Noise& noise : kinds) {
    fmt::print("| {} |", noise.name);
    for (const SlowLaunches& launches : slow) {
      const Tally trials = tally_slow(noise, kGain, launches, kFewTrials);
      fmt::print(" {:.0f} % / {:.1f} % / {:.0f} % |", trials.share_faster() * kPercent,
                 kPercent * trials.confirmed / trials.trials,
                 kPercent * trials.not_faster / trials.trials);
    }
    fmt::print("\n");
  }
}

void print_offsets() {
  constexpr int kMany = 20000;
  constexpr double kNoise = 0.004;  // less than is needed at the first look
  const int lasting[] = {2, 5, 10, 25};
  std::vector<std::string> columns{"offset"};
  for (const int pairs : lasting) columns.push_back(fmt::format("for {} pairs", pairs));
  print_head(
      fmt::format("Kernels that are the same, kept of {}, where one of them is slower for some "
                  "pairs in a row; noise of a pair {}",
                  kMany, percent(kNoise)),
      columns);
  for (const double offset : {0.0025, 0.005, 0.01}) {
    fmt::print("| {} |", percent(offset));
    for (const int pairs : lasting) {
      const NormalNoise noise{.deviation = kNoise, .offset = offset, .offset_pairs = pairs};
      fmt::print(" {} |", tally_normal(noise, 0, kMinGain, kMany).faster);
    }
    fmt::print("\n");
  }
}

void print_no_ops(int trials) {
  // Where pairs are alike more are kept, so fewer trials show how many.
  const int fewer = trials / 10;
  print_head(
      "Kernels that are the same, kept, by the correlation of a pair with the next",
      {"noise of a pair", fmt::format("none (of {})", trials), fmt::format("0.2 (of {})", fewer),
       fmt::format("0.5 (of {})", fewer), fmt::format("0.8 (of {})", fewer)});
  for (const double deviation : {0.005, 0.01, 0.02}) {
    const auto kept = [&](double correlation, int of) {
      const NormalNoise noise{.deviation = deviation, .correlation = correlation};
      return tally_normal(noise, 0, kMinGain, of).faster;
    };
    fmt::print("| {} | {} | {} | {} | {} |\n", percent(deviation), kept(0, trials),
               kept(0.2, fewer), kept(0.5, fewer), kept(0.8, fewer));
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace autokernel::trial

int main(int count, char** arguments) {
  using namespace autokernel::trial;
  try {
    print_pairs_needed();
    print_kept_by_gain();
    print_on_noise(recorded_noise());
    print_slow_minorities(recorded_noise());
    print_slow_minorities(synthetic_noise());
    print_offsets();
    if (count > 1) print_no_ops(std::stoi(arguments[1]));
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "autokernel_decision_figures: {}\n", error.what());
    return 1;
  }
}
