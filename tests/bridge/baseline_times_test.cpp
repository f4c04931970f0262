// Times of references, as KernelBench publishes them and as traces have them.
#include "autokernel/bridge/baseline_times.h"

#include <gmock/gmock.h>

#include "autokernel/base/error.h"

namespace autokernel::bridge {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kOfLevels = R"({
  "level1": {"19_ReLU.py": {"mean": 1.5, "std": 0.1, "hardware": "NVIDIA H100"},
             "20_LeakyReLU.py": {"mean": 2}},
  "level2": {"1_Conv2D_ReLU_BiasAdd.py": {"mean": 3}, "2_Failed.py": {"mean": -1}}})";

[[nodiscard]] std::string trace(const std::string& uuid, double ms, const std::string& status) {
  return R"({"definition": "rows", "workload": {"uuid": ")" + uuid +
         R"("}, "evaluation": {"status": ")" + status +
         R"(", "environment": {"hardware": "NVIDIA H200"}, "performance": {"latency_ms": )" +
         std::to_string(ms) + "}}}\n";
}

TEST(BaselineTimes, OfKernelBenchHaveLevelsOrNone) {
  const BaselineTimes times = read_baseline_times("times.json", kOfLevels);
  ASSERT_THAT(times.of_problems, SizeIs(3));
  EXPECT_EQ(times.of_problems.at("19_ReLU.py").ms, 1.5);
  EXPECT_EQ(times.of_problems.at("19_ReLU.py").hardware, "NVIDIA H100");
  EXPECT_EQ(times.of_problems.at("20_LeakyReLU.py").hardware, "");
  EXPECT_EQ(read_baseline_times("t", R"({"1_A.py": {"mean": 4}})").of_problems.at("1_A.py").ms, 4);
}

TEST(BaselineTimes, OfTracesAreTheShortestThatPassed) {
  const BaselineTimes times = read_baseline_times(
      "traces.jsonl", trace("a", 2, "PASSED") + "\n" + trace("a", 1, "PASSED") +
                          trace("a", 0.5, "INCORRECT_NUMERICAL") + trace("b", 0, "PASSED"));
  ASSERT_THAT(times.of_workloads, SizeIs(1));
  EXPECT_EQ(times.of_workloads.at("a").ms, 1);
  EXPECT_EQ(times.of_workloads.at("a").hardware, "NVIDIA H200");
  // One alone is an object, too.
  EXPECT_EQ(read_baseline_times("t", trace("a", 2, "PASSED")).of_workloads.at("a").ms, 2);
}

TEST(BaselineTimes, AnythingElseIsRefusedByItsName) {
  const auto said = [](const std::string& text) -> std::string {
    try {
      (void)read_baseline_times("mine.json", text);
    } catch (const Error& error) {
      return error.stop() == Stop::usage ? error.what() : "another error";
    }
    return "it is read";
  };
  EXPECT_THAT(said(""), HasSubstr("cannot take baseline times from mine.json: it has no times"));
  EXPECT_THAT(said("[1]"), HasSubstr("its line 1 is no object in JSON"));
  EXPECT_THAT(said("{\"run\": 1}"), HasSubstr("it has no times"));
  EXPECT_THAT(said("{\"a\": 1}\n{\"b\": 2}"), HasSubstr("it holds something else"));
  EXPECT_THAT(said("{\"workload\": {}, \"evaluation\": {\"performance\": 7}}"),
              HasSubstr("it has no times"));
  EXPECT_THAT(said(R"({"level1": {"1_A.py": {"mean": 1}}, "level2": {"1_A.py": {"mean": 2}}})"),
              HasSubstr("two of its levels have 1_A.py"));
  EXPECT_THAT(said(std::string(100000, '[')), HasSubstr("mine.json"));
}

TEST(BaselineTimes, AreReadOrRefusedWhereverTheyAreCut) {
  for (const std::string& whole :
       {std::string(kOfLevels), trace("a", 2, "PASSED") + trace("b", 1, "PASSED")}) {
    for (std::size_t length = 0; length < whole.size(); ++length) {
      try {
        const BaselineTimes times = read_baseline_times("t", whole.substr(0, length));
        EXPECT_FALSE(times.of_problems.empty() && times.of_workloads.empty());
      } catch (const Error& error) {
        EXPECT_EQ(error.stop(), Stop::usage);
      }
    }
  }
}

}  // namespace
}  // namespace autokernel::bridge
