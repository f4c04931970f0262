#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "autokernel/base/error.h"
#include "loop/autotune/search.h"

namespace autokernel::loop {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::ThrowsMessage;

[[nodiscard]] std::vector<std::vector<double>> values_of(const TuneSpace& space) {
  std::vector<std::vector<double>> all;
  for (const TuneParameter& parameter : space.parameters)
    std::ranges::transform(
        parameter.values, std::back_inserter(all.emplace_back()),
        [](const std::string& text) { return static_cast<double>(value_of(text)); });
  return all;
}

// As of a matrix product: tiles, depth, stages and warps, of which some need each other.
constexpr const char* kTiles =
    "AUTOKERNEL_TUNE(BM, 16, 32, 64, 128, 256); AUTOKERNEL_TUNE(BN, 16, 32, 64, 128, 256);"
    "AUTOKERNEL_TUNE(BK, 16, 32, 64, 128); AUTOKERNEL_TUNE(STAGES, 1, 2, 3, 4, 5);"
    "AUTOKERNEL_TUNE(WARPS, 2, 4, 8, 16); AUTOKERNEL_TUNE_IF((BM + BN) * BK * STAGES * 2 <= "
    "99000);";

// Memory traffic falls with the tile, and what fills the device with its inverse.
[[nodiscard]] double made_up_time(const std::vector<double>& p) {
  const double traffic = 1 / p[0] + 1 / p[1];
  const double waves = std::ceil(1024 * 1024 / (p[0] * p[1]) / 132);
  const double latency = 8 / (p[3] * std::sqrt(p[2]));
  const double warps = std::abs(std::log2(p[0] * p[1] / (p[4] * 1024)));
  return 4 * waves * p[0] * p[1] / 8192 + 300 * traffic + latency + warps;
}

struct Landscape {
  TuneSpace space = tune_space_of(kTiles, "");
  std::vector<Configuration> allowed = [this] {
    TuneConditions conditions(space, {});
    return allowed_configurations(space, conditions);
  }();
  std::vector<std::vector<double>> values = values_of(space);

  [[nodiscard]] double time(const Configuration& configuration) const {
    std::vector<double> chosen;
    for (std::size_t i = 0; i < configuration.size(); ++i)
      chosen.push_back(values[i][configuration[i]]);
    return made_up_time(chosen);
  }
};

TEST(AllowedConfigurations, MeetTheConditionsAndAreInTheOrderOfTheDeclarations) {
  const TuneSpace space = tune_space_of(
      "AUTOKERNEL_TUNE(A, 1, 2, 3); AUTOKERNEL_TUNE(B, 2, 1); AUTOKERNEL_TUNE_IF(A != B);", "");
  TuneConditions conditions(space, {});
  EXPECT_EQ(allowed_configurations(space, conditions),
            (std::vector<Configuration>{{0, 0}, {1, 1}, {2, 0}, {2, 1}}));
}

TEST(AllowedConfigurations, AreNotWithoutNumber) {
  std::string text;
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G"})
    text += "AUTOKERNEL_TUNE(" + std::string(name) + ", 0, 1, 2, 3, 4, 5, 6, 7, 8, 9);";
  const TuneSpace space = tune_space_of(text, "");
  TuneConditions conditions(space, {});
  EXPECT_THAT([&] { static_cast<void>(allowed_configurations(space, conditions)); },
              ThrowsMessage<Error>(HasSubstr("more than 200000 configurations")));
}

TEST(ConfigurationSearch, GivesEachConfigurationOnce) {
  const Landscape landscape;
  // A part of them: a model of all takes a while.
  const std::vector<Configuration> some(landscape.allowed.begin(), landscape.allowed.begin() + 60);
  for (const Strategy strategy : {Strategy::exhaustive, Strategy::random, Strategy::bayes}) {
    const auto search = make_search(strategy, some, landscape.values, 7);
    search->tell(some[3], 10.0);
    std::set<Configuration> given;
    while (const auto next = search->next()) {
      EXPECT_TRUE(given.insert(*next).second);
      // One in four has no time.
      search->tell(*next,
                   given.size() % 4 == 0 ? std::nullopt : std::optional(landscape.time(*next)));
    }
    EXPECT_THAT(given, SizeIs(some.size() - 1));
    EXPECT_FALSE(given.contains(some[3]));
  }
}

// How many are measured until one is within 5 % of the best of all.
[[nodiscard]] int measured_until_good(const Landscape& landscape, Strategy strategy,
                                      std::uint64_t seed) {
  double best = 1e9;
  for (const Configuration& configuration : landscape.allowed)
    best = std::min(best, landscape.time(configuration));
  const auto search = make_search(strategy, landscape.allowed, landscape.values, seed);
  for (int count = 1; count < 400; ++count) {
    const Configuration next = search->next().value();
    const double time = landscape.time(next);
    if (time <= 1.05 * best) return count;
    search->tell(next, time);
  }
  return 400;
}

TEST(ConfigurationSearch, ByAModelNeedsHalfAsManyMeasurementsAsByChance) {
  const Landscape landscape;
  std::vector<int> by_model;
  std::vector<int> by_chance;
  for (std::uint64_t seed = 0; seed < 15; ++seed) {
    by_model.push_back(measured_until_good(landscape, Strategy::bayes, seed));
    by_chance.push_back(measured_until_good(landscape, Strategy::random, seed));
  }
  std::ranges::sort(by_model);
  std::ranges::sort(by_chance);
  EXPECT_LE(2 * by_model[7], by_chance[7])
      << testing::PrintToString(by_model) << testing::PrintToString(by_chance);
}

}  // namespace
}  // namespace autokernel::loop
