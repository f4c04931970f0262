#include "loop/autotune/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>

#include "autokernel/base/error.h"
#include "loop/autotune/surrogate.h"

namespace autokernel::loop {
namespace {

constexpr std::size_t kMostConfigurations = 200'000;

// One after the other, as they are given.
class InOrder : public ConfigurationSearch {
 public:
  explicit InOrder(std::vector<Configuration> allowed) : left_(std::move(allowed)) {}

  [[nodiscard]] std::optional<Configuration> next() override {
    while (at_ < left_.size() && told_.contains(left_[at_])) ++at_;
    return at_ < left_.size() ? std::optional(left_[at_]) : std::nullopt;
  }
  void tell(const Configuration& configuration, std::optional<double> /*time_us*/) override {
    told_.insert(configuration);
  }

 private:
  std::vector<Configuration> left_;
  std::size_t at_ = 0;
  std::set<Configuration> told_;
};

// Bayesian optimization: a Gaussian process of the logarithms of times says where the expected
// improvement over the best is the greatest (Jones, Schonlau and Welch, "Efficient global
// optimization of expensive black-box functions", 1998).
class Bayesian : public ConfigurationSearch {
 public:
  Bayesian(std::vector<Configuration> allowed, const std::vector<std::vector<double>>& values,
           std::uint64_t seed)
      : left_(std::move(allowed)), places_(values), random_(seed) {
    std::ranges::shuffle(left_, random_);
    // Two of each dimension, before a model of them is worth anything.
    drawn_first_ = std::max<std::size_t>(4, 2 * values.size());
  }

  [[nodiscard]] std::optional<Configuration> next() override {
    if (left_.empty()) return std::nullopt;
    if (surrogate_.size() < drawn_first_) return left_.back();
    return most_promising();
  }
  void tell(const Configuration& configuration, std::optional<double> time_us) override {
    std::erase(left_, configuration);
    surrogate_.add(places_.of(configuration), time_us);
  }

 private:
  // Among many of those that are left, each as likely as another.
  [[nodiscard]] Configuration most_promising() {
    constexpr std::size_t kMostLookedAt = 2000;
    const std::size_t count = std::min(left_.size(), kMostLookedAt);
    for (std::size_t i = 0; i < count; ++i) {
      std::uniform_int_distribution<std::size_t> one(i, left_.size() - 1);
      std::swap(left_[i], left_[one(random_)]);
    }
    std::vector<std::vector<double>> places;
    places.reserve(count);
    for (std::size_t i = 0; i < count; ++i) places.push_back(places_.of(left_[i]));
    return left_[surrogate_.most_promising(places)];
  }

  std::vector<Configuration> left_;
  Places places_;
  Surrogate surrogate_;
  std::size_t drawn_first_ = 0;
  std::mt19937_64 random_;
};

}  // namespace

std::vector<Configuration> allowed_configurations(const TuneSpace& space,
                                                  TuneConditions& conditions) {
  std::size_t all = 1;
  for (const TuneParameter& parameter : space.parameters) {
    all *= parameter.values.size();
    if (all <= kMostConfigurations) continue;
    throw Error(Stop::usage,
                fmt::format("cannot tune: the {} parameters have more than {} configurations; "
                            "leave values out",
                            space.parameters.size(), kMostConfigurations));
  }
  std::vector<Configuration> allowed;
  Configuration configuration(space.parameters.size(), 0);
  for (std::size_t i = 0; i < all; ++i) {
    if (conditions.hold(configuration)) allowed.push_back(configuration);
    for (std::size_t at = configuration.size(); at-- > 0;) {
      if (++configuration[at] < space.parameters[at].values.size()) break;
      configuration[at] = 0;
    }
  }
  return allowed;
}

std::unique_ptr<ConfigurationSearch> make_search(Strategy strategy,
                                                 std::vector<Configuration> allowed,
                                                 const std::vector<std::vector<double>>& values,
                                                 std::uint64_t seed) {
  if (strategy == Strategy::bayes)
    return std::make_unique<Bayesian>(std::move(allowed), values, seed);
  if (strategy == Strategy::random) std::ranges::shuffle(allowed, std::mt19937_64(seed));
  return std::make_unique<InOrder>(std::move(allowed));
}

}  // namespace autokernel::loop
