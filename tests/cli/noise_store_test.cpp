// What is known of a machine's noise is kept and found again; what is damaged, old or of another
// device is not used.
#include "cli/noise_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <limits>
#include <nlohmann/json.hpp>

#include "autokernel/base/files.h"
#include "support/present.h"
#include "support/scratch_folder.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

std::string some_time_ago(double seconds) {
  const std::time_t then = std::time(nullptr) - static_cast<std::time_t>(seconds);
  std::tm parts{};
  ::gmtime_r(&then, &parts);
  char text[32];  // NOLINT(cppcoreguidelines-avoid-c-arrays): strftime fills one
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

class NoiseStore : public testing::Test {
 protected:
  NoiseStore() {
    static_cast<void>(scratch_.folder("here/.git"));
    case_ = scratch_.folder("here/kernels");
  }

  [[nodiscard]] StoredNoise noise(const std::string& device = "NVIDIA H200") const {
    StoredNoise noise;
    noise.device = device;
    noise.driver_version = "13.0";
    noise.case_directory = stored_case(case_);
    noise.size = "default";
    noise.at = a_minute_ago_;
    noise.figures = {.pairs = 812,
                     .pair_seconds = 0.0123,
                     .pair_noise = 0.02,
                     .mean_noise = 0.001,
                     .drift = 0.05,
                     .reach = {{{1, {}}, {5, 0.03}, {30, 0.0125}}},
                     .longest = {20, 0.015},
                     .min_gain = 0.02,
                     .decisions = 3000,
                     .false_keeps = 1};
    return noise;
  }

  test::ScratchFolder scratch_;
  fs::path case_;
  const std::string a_minute_ago_ = some_time_ago(60);  // of all that one test stores
};

TEST_F(NoiseStore, GivesBackWhatWasStored) {
  const StoredNoise stored = noise();
  static_cast<void>(store_noise(case_, stored));
  const KnownNoise known = known_noise(case_, "default");
  EXPECT_THAT(known.devices, ElementsAre(stored));
  EXPECT_THAT(known.ignored, IsEmpty());
}

TEST_F(NoiseStore, LiesInTheFolderThatGitDoesNotSee) {
  const fs::path file = store_noise(case_, noise());
  EXPECT_EQ(file.parent_path(), scratch_.path() / "here/.autokernel/noise");
  EXPECT_EQ(read_file(scratch_.path() / "here/.autokernel/.gitignore", "a test"), "*\n");
}

TEST_F(NoiseStore, OfACaseOutsideARepositoryLiesInTheCache) {
  const fs::path lone = scratch_.folder("lone");
  const fs::path cache = scratch_.folder("cache");
  ::setenv("XDG_CACHE_HOME", cache.c_str(), 1);  // NOLINT(concurrency-mt-unsafe): one thread
  StoredNoise stored = noise();
  stored.case_directory = stored_case(lone);
  const fs::path file = store_noise(lone, stored);
  ::unsetenv("XDG_CACHE_HOME");  // NOLINT(concurrency-mt-unsafe): one thread
  EXPECT_EQ(file.parent_path(), cache / "autokernel/noise");
}

TEST_F(NoiseStore, ReplacesWhatWasKnownOfTheSameAndNothingElse) {
  static_cast<void>(store_noise(case_, noise()));
  static_cast<void>(store_noise(case_, noise("another GPU")));
  StoredNoise again = noise();
  again.figures.pairs = 99;
  static_cast<void>(store_noise(case_, again));
  const KnownNoise known = known_noise(case_, "default");
  EXPECT_THAT(known.devices, testing::UnorderedElementsAre(again, noise("another GPU")));
}

TEST_F(NoiseStore, OfAnotherSizeOrCaseIsNotMeant) {
  static_cast<void>(store_noise(case_, noise()));
  EXPECT_THAT(known_noise(case_, "check").devices, IsEmpty());
  EXPECT_THAT(known_noise(scratch_.folder("here/other"), "default").devices, IsEmpty());
}

TEST_F(NoiseStore, OfAnotherDeviceOrDriverIsNotFound) {
  static_cast<void>(store_noise(case_, noise()));
  const KnownNoise known = known_noise(case_, "default");
  EXPECT_NE(noise_on(known, "NVIDIA H200", "13.0"), nullptr);
  EXPECT_EQ(noise_on(known, "NVIDIA H100", "13.0"), nullptr);
  EXPECT_EQ(noise_on(known, "NVIDIA H200", "13.1"), nullptr);
}

TEST_F(NoiseStore, ThatIsCutAnywhereIsIgnoredWithAWord) {
  const fs::path file = store_noise(case_, noise());
  const std::string whole = read_file(file, "a test");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_file_atomically(file, whole.substr(0, length), Sync::no);
    const KnownNoise known = known_noise(case_, "default");
    ASSERT_THAT(known.devices, IsEmpty()) << length;
    ASSERT_THAT(known.ignored, ElementsAre(HasSubstr(file.string() + " is ignored: "))) << length;
  }
}

TEST_F(NoiseStore, ThatHoldsSomethingElseIsIgnored) {
  const fs::path file = store_noise(case_, noise());
  const std::string whole = read_file(file, "a test");
  const auto with = [&](const std::string& part, const std::string& instead) {
    std::string text = whole;
    text.replace(text.find(part), part.size(), instead);
    write_file_atomically(file, text, Sync::no);
    const KnownNoise known = known_noise(case_, "default");
    EXPECT_THAT(known.devices, IsEmpty()) << text;
    return known.ignored.empty() ? std::string() : known.ignored.front();
  };
  EXPECT_THAT(with(R"("schema_version":1)", R"("schema_version":2)"), HasSubstr("version"));
  EXPECT_THAT(with(R"("pairs":812)", R"("pairs":1)"), HasSubstr("ignored"));
  EXPECT_THAT(with(R"("pairs":812)", R"("pairs":"many")"), HasSubstr("damaged"));
  EXPECT_THAT(with(R"("mean_noise":0.001)", R"("mean_noise":-1)"), HasSubstr("ignored"));
  EXPECT_THAT(with(R"("mean_noise":0.001)", R"("mean_noise":true)"), HasSubstr("ignored"));
  EXPECT_THAT(with(R"("mean_noise":0.001)", R"("mean_noise":1.7e308)"), HasSubstr("ignored"));
  EXPECT_THAT(with(R"({"seconds":1.0,"gain":null},)", ""), HasSubstr("ignored"));
}

TEST_F(NoiseStore, ThatLacksAFieldOrHasOneOfAnotherTypeIsIgnored) {
  using Json = nlohmann::json;
  const fs::path file = store_noise(case_, noise());
  const Json whole = Json::parse(read_file(file, "a test"));
  const auto expect_damaged = [&](const Json& json, const std::string& how) {
    write_file_atomically(file, json.dump() + "\n", Sync::no);
    const KnownNoise known = known_noise(case_, "default");
    EXPECT_THAT(known.devices, IsEmpty()) << how;
    EXPECT_THAT(known.ignored, ElementsAre(HasSubstr(file.string() + " is ignored: "))) << how;
  };
  const auto expect_needed = [&](const Json::json_pointer& field) {
    const std::string name = field.to_string();
    for (const Json& wrong : {Json::object(), Json::array(), Json(nullptr)}) {
      if (name.ends_with("/gain") && wrong.is_null()) continue;
      Json json = whole;
      json[field] = wrong;
      expect_damaged(json, name + " is " + wrong.dump());
    }
    Json json = whole;
    json[field.parent_pointer()].erase(field.back());
    expect_damaged(json, name + " is missing");
  };
  for (const auto& [name, value] : whole.items()) expect_needed(Json::json_pointer("/" + name));
  for (const char* name :
       {"/longest/seconds", "/longest/gain", "/reach/1/seconds", "/reach/1/gain"}) {
    expect_needed(Json::json_pointer(name));
  }
}

TEST_F(NoiseStore, WithANumberThatCannotBeIsIgnored) {
  const double never = -0.5;
  const std::vector<void (*)(trial::NoiseFigures&, double)> numbers = {
      [](auto& figures, double value) { figures.pair_seconds = value; },
      [](auto& figures, double value) { figures.pair_noise = value; },
      [](auto& figures, double value) { figures.mean_noise = value; },
      [](auto& figures, double value) { figures.drift = value; },
      [](auto& figures, double value) { figures.min_gain = value; },
      [](auto& figures, double value) { figures.reach[2].seconds = value; },
      [](auto& figures, double value) { figures.reach[2].gain = value; },
      [](auto& figures, double value) { figures.longest.seconds = value; },
      [](auto& figures, double value) { figures.longest.gain = value; },
  };
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    StoredNoise wrong = noise();
    numbers[i](wrong.figures, never);
    static_cast<void>(store_noise(case_, wrong));
    const KnownNoise known = known_noise(case_, "default");
    EXPECT_THAT(known.devices, IsEmpty()) << i;
    EXPECT_THAT(known.ignored, ElementsAre(HasSubstr("it has an invalid number"))) << i;
  }
}

TEST_F(NoiseStore, WithAnUnknownFieldIsOfALaterVersionAndRead) {
  const fs::path file = store_noise(case_, noise());
  std::string text = read_file(file, "a test");
  write_file_atomically(file, text.insert(1, R"("later":{"a":[1]},)"), Sync::no);
  EXPECT_THAT(known_noise(case_, "default").devices, ElementsAre(noise()));
}

TEST_F(NoiseStore, IsTheSameBytesInEveryVersion) {
  StoredNoise odd = noise();
  odd.at = "2026-01-31T12:34:56Z";
  EXPECT_EQ(
      read_file(store_noise(case_, odd), "a test"),
      R"({"schema_version":1,"device":"NVIDIA H200","driver_version":"13.0","case":"kernels",)"
      R"("size":"default","at":"2026-01-31T12:34:56Z","pairs":812,"pair_seconds":0.0123,)"
      R"("pair_noise":0.02,"mean_noise":0.001,"drift":0.05,"min_gain":0.02,)"
      R"("reach":[{"seconds":1.0,"gain":null},{"seconds":5.0,"gain":0.03},{"seconds":30.0,)"
      R"("gain":0.0125}],"longest":{"seconds":20.0,"gain":0.015},"decisions":3000,)"
      R"("false_keeps":1})"
      "\n");
  odd.device = "caf\xe9 \xe2\x82 \"GPU\"";
  odd.driver_version = "";
  odd.figures.drift = std::numeric_limits<double>::infinity();
  odd.figures.pair_noise = 0.1 + 0.2;
  odd.figures.pair_seconds = 1e-7;
  odd.figures.longest = {20, {}};
  EXPECT_EQ(read_file(store_noise(case_, odd), "a test"),
            R"({"schema_version":1,"device":"caf� � \"GPU\"","driver_version":"","case":"kernels",)"
            R"("size":"default","at":"2026-01-31T12:34:56Z","pairs":812,"pair_seconds":1e-07,)"
            R"("pair_noise":0.30000000000000004,"mean_noise":0.001,"drift":null,"min_gain":0.02,)"
            R"("reach":[{"seconds":1.0,"gain":null},{"seconds":5.0,"gain":0.03},{"seconds":30.0,)"
            R"("gain":0.0125}],"longest":{"seconds":20.0,"gain":null},"decisions":3000,)"
            R"("false_keeps":1})"
            "\n");
}

TEST_F(NoiseStore, ThatIsOlderThanAMonthIsIgnored) {
  StoredNoise old = noise();
  old.at = some_time_ago(31.0 * 24 * 3600);
  static_cast<void>(store_noise(case_, old));
  const KnownNoise known = known_noise(case_, "default");
  EXPECT_THAT(known.devices, IsEmpty());
  EXPECT_THAT(known.ignored, ElementsAre(HasSubstr("more than a month ago")));
}

TEST_F(NoiseStore, BecomesWhatAComparisonShouldKnow) {
  static_cast<void>(store_noise(case_, noise()));
  const auto devices = device_noise(known_noise(case_, "default"));
  ASSERT_THAT(devices, SizeIs(1));
  EXPECT_EQ(devices[0], trial::device_noise(noise().figures, "NVIDIA H200", "13.0"));
}

TEST(ReachText, ListsDetectableGainsByDuration) {
  trial::NoiseFigures figures;
  figures.reach = {{{1, {}}, {5, 0.03}, {30, 0.0125}}};
  EXPECT_EQ(reach_text(figures), "3.0 % detectable in 5 s, 1.2 % in 30 s");
  EXPECT_EQ(reach_text({}), "");
}

}  // namespace
}  // namespace autokernel::cli
