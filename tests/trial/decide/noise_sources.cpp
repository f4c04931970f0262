#include "trial/decide/noise_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>

namespace autokernel::trial {
namespace {

// As `bench` and `loop` have them unless they are told otherwise.
constexpr double kMinGainGpu = 0.005;
constexpr double kMinGainEmulated = 0.02;

constexpr int kSyntheticPairs = 4000;

struct Pair {
  double candidate_us;
  double incumbent_us;
};

double log_ratio(const Pair& pair) { return std::log(pair.incumbent_us / pair.candidate_us); }

[[noreturn]] void fail(const std::filesystem::path& file, int line, const std::string& what) {
  throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), line, what));
}

// How the time of a launch comes about, as a share of the kernel's own.
struct Formula {
  std::string name;
  double min_gain;
  double scatter;         // standard deviation of a launch, log-normal
  double drift;           // standard deviation of what moves slowly, and moves both of a pair
  double memory;          // how much of the drift is still there at the next launch
  double one_sided;       // the same, of what moves the candidate alone
  double outliers;        // share of the launches that something disturbs
  double most_disturbed;  // by up to so much; at least by a tenth of it
  double tick_us;         // of the clock; 0: as fine as can be
  double time_us;         // the kernel's own
};

// A value that moves slowly: what is left of the last one, and something new.
class Drift {
 public:
  Drift(double deviation, double memory)
      : deviation_(deviation), memory_(memory), fresh_(std::sqrt(1 - memory * memory)) {}
  template <typename Random>
  double next(Random& random) {
    value_ = memory_ * value_ + fresh_ * deviation_ * normal_(random);
    return value_;
  }

 private:
  double deviation_;
  double memory_;
  double fresh_;
  double value_ = 0;
  std::normal_distribution<double> normal_;
};

Noise made_by(const Formula& formula) {
  std::mt19937_64 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same in each run
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> share;
  std::uniform_real_distribution<double> disturbance(formula.most_disturbed / 10,
                                                     formula.most_disturbed);
  Drift both(formula.drift, formula.memory);
  Drift candidate_alone(formula.one_sided, formula.memory);
  const auto launch = [&](double alone) {
    double time =
        formula.time_us * std::exp(formula.scatter * normal(random) + both.next(random) + alone);
    if (share(random) < formula.outliers) time *= 1 + disturbance(random);
    if (formula.tick_us > 0) time = std::round(time / formula.tick_us) * formula.tick_us;
    return time;
  };
  Noise noise{.name = formula.name, .min_gain = formula.min_gain, .log_ratios = {}};
  for (int i = 0; i < kSyntheticPairs; ++i) {
    const double alone = candidate_alone.next(random);
    Pair pair{};
    if (share(random) < 0.5) {
      pair.candidate_us = launch(alone);
      pair.incumbent_us = launch(0);
    } else {
      pair.incumbent_us = launch(0);
      pair.candidate_us = launch(alone);
    }
    noise.log_ratios.push_back(log_ratio(pair));
  }
  return noise;
}

// From the mean.
std::vector<double> deviations(std::vector<double> values) {
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& value : values) value -= mean;
  return values;
}

// Of each value with the one so many places before it.
double sum_of_products(const std::vector<double>& values, std::size_t apart) {
  double sum = 0;
  for (std::size_t i = apart; i < values.size(); ++i) sum += values[i] * values[i - apart];
  return sum;
}

}  // namespace

double scatter(const Noise& noise) {
  const std::vector<double> off = deviations(noise.log_ratios);
  return std::sqrt(sum_of_products(off, 0) / static_cast<double>(off.size() - 1));
}

double correlation(const Noise& noise) {
  const std::vector<double> off = deviations(noise.log_ratios);
  return sum_of_products(off, 1) / sum_of_products(off, 0);
}

Noise read_recording(const std::filesystem::path& file) {
  std::ifstream stream(file);
  int number = 0;
  std::string line;
  const auto next = [&] {
    ++number;
    return static_cast<bool>(std::getline(stream, line));
  };
  if (!next() || !line.starts_with("# ") || line.find('\t') == std::string::npos)
    fail(file, number, "expected '# <device> <tab> <kernel>'");
  const bool emulated = line.starts_with("# CPU");
  if (!next() || line != "candidate_us\tincumbent_us")
    fail(file, number, "expected 'candidate_us <tab> incumbent_us'");

  Noise noise{.name = file.stem().string(),
              .min_gain = emulated ? kMinGainEmulated : kMinGainGpu,
              .log_ratios = {}};
  std::ranges::replace_if(noise.name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  while (next()) {
    std::istringstream fields(line);
    Pair pair{};
    std::string rest;
    if (!(fields >> pair.candidate_us >> pair.incumbent_us) || fields >> rest ||
        !(pair.candidate_us > 0) || !(pair.incumbent_us > 0))
      fail(file, number, "expected two times above 0");
    noise.log_ratios.push_back(log_ratio(pair));
  }
  if (noise.log_ratios.size() < 2) fail(file, number, "expected two pairs at least");
  return noise;
}

std::vector<Noise> recorded_noise() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(AUTOKERNEL_NOISE_FOLDER)) {
    if (entry.path().extension() == ".tsv") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  std::vector<Noise> all;
  all.reserve(files.size());
  for (const auto& file : files) all.push_back(read_recording(file));
  return all;
}

std::vector<Noise> synthetic_noise() {
  const Formula gpu{.name = "synthetic_gpu",
                    .min_gain = kMinGainGpu,
                    .scatter = 0.003,
                    .drift = 0.005,
                    .memory = 0.98,
                    .one_sided = 0,
                    .outliers = 0.002,
                    .most_disturbed = 0.1,
                    .tick_us = 0.032,
                    .time_us = 440};
  // A short kernel: one tick of the clock is nearly the minimum gain.
  Formula ticks = gpu;
  ticks.name = "synthetic_gpu_coarse_clock";
  ticks.time_us = 8;
  // As noisy as can still be decided.
  Formula loud = gpu;
  loud.name = "synthetic_gpu_loud";
  loud.scatter = 0.018;
  // Something moves one of the two kernels and not the other, for several pairs in a row.
  Formula alike = gpu;
  alike.name = "synthetic_gpu_pairs_alike";
  alike.one_sided = 0.005;
  alike.memory = 0.6;
  const Formula emulated{.name = "synthetic_emulated",
                         .min_gain = kMinGainEmulated,
                         .scatter = 0.015,
                         .drift = 0.03,
                         .memory = 0.95,
                         .one_sided = 0,
                         .outliers = 0.02,
                         .most_disturbed = 0.5,
                         .tick_us = 0,
                         .time_us = 34000};
  return {made_by(gpu), made_by(ticks), made_by(loud), made_by(alike), made_by(emulated)};
}

}  // namespace autokernel::trial
