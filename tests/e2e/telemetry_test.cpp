// A GPU that becomes too hot, or is shared, while a kernel is timed on it: with an NVML that says
// so.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "e2e/faulty_gpu.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Where the emulated device, which passes for the GPU here, lies on the bus.
constexpr const char* kAddress = "00000000:00:00.0";

class WatchedGpu : public FaultyGpu {
 protected:
  [[nodiscard]] Outcome run_on(const std::string& state,
                               const std::vector<std::string>& options) const {
    Invocation invocation = on_gpu("", options);
    invocation.environment["LD_LIBRARY_PATH"] += std::string(":") + FAKE_DRIVER_FOLDER;
    invocation.environment["AUTOKERNEL_TEST_NVML"] = state;
    invocation.environment["AUTOKERNEL_TEST_NVML_ADDRESS"] = kAddress;
    return test::run(invocation);
  }
  // The object that a bench prints on a GPU in that state.
  [[nodiscard]] json bench_on(const std::string& state, int code,
                              const std::vector<std::string>& more = {}) const {
    std::vector<std::string> options = {"--json"};
    options.insert(options.end(), more.begin(), more.end());
    const Outcome run = run_on(state, options);
    EXPECT_EQ(run.code, code) << run.out << run.err;
    return json::parse(run.out, nullptr, /*allow_exceptions=*/false);
  }
};

TEST_F(WatchedGpu, ClocksHeatAndPowerAreInTheRecord) {
  const json conditions = bench_on("well", 0).at("conditions");
  EXPECT_EQ(conditions.at("clean"), true);
  EXPECT_EQ(conditions.at("sm_clock_mhz"), json({345, 345}));
  EXPECT_EQ(conditions.at("memory_clock_mhz"), json({2619, 2619}));
  EXPECT_EQ(conditions.at("highest_celsius"), 31);
  EXPECT_EQ(conditions.at("highest_watts"), 75.5);
  EXPECT_EQ(conditions.at("throttle_reasons"), json({"idle"}));
  EXPECT_EQ(conditions.at("other_programs"), 0);
  EXPECT_EQ(conditions.at("samples_redone"), 0);
}

TEST_F(WatchedGpu, SamplesTakenInHeatAreRedone) {
  const json record = bench_on("hot:3", 0);
  EXPECT_EQ(record.at("conditions").at("samples_redone"), 3);
  EXPECT_EQ(record.at("conditions").at("clean"), true);
  EXPECT_EQ(record.at("samples_us").size(), 5U);
}

TEST_F(WatchedGpu, ARunThatCannotBeCleanSaysSo) {
  const json record = bench_on("busy", 0);
  EXPECT_EQ(record.at("conditions").at("clean"), false);
  EXPECT_EQ(record.at("conditions").at("other_programs"), 1);
  EXPECT_EQ(record.at("samples_us").size(), 5U);
  EXPECT_THAT(record.at("warnings").dump(), HasSubstr("slowed down"));
  EXPECT_THAT(record.at("warnings").dump(), HasSubstr("1 other program uses the GPU"));
}

// Every launch takes the same time here: as fast, and not faster.
TEST_F(WatchedGpu, NothingIsConcludedFromAComparisonInHeat) {
  const json cool = bench_on("well", 10, {"--against", "case/kernel.cu"}).at("comparison");
  EXPECT_EQ(cool.at("as_fast"), true);
  const json hot = bench_on("busy", 10, {"--against", "case/kernel.cu"}).at("comparison");
  EXPECT_EQ(hot.at("as_fast"), false);
  EXPECT_THAT(hot.at("reason"), HasSubstr("it is too hot"));
}

TEST_F(WatchedGpu, AnNvmlThatRefusesLeavesItsValuesEmpty) {
  for (const char* state : {"mute", "fails"}) {
    const json conditions = bench_on(state, 0).at("conditions");
    EXPECT_TRUE(conditions.at("sm_clock_mhz").is_null()) << state;
    EXPECT_TRUE(conditions.at("throttle_reasons").is_null()) << state;
    EXPECT_TRUE(conditions.at("other_programs").is_null()) << state;
    EXPECT_EQ(conditions.at("clean"), true) << state;
  }
}

// No kernel can bring that about.
TEST_F(WatchedGpu, AnNvmlThatHangsWhileAKernelIsTimedIsTheMachinesFault) {
  expect_refusal(run_on("stuck", {}), 3, "NVML has not answered for 2 s");
  expect_nothing_left();
}

TEST_F(WatchedGpu, AnNvmlThatHangsAtItsStartIsTheMachinesFault) {
  expect_refusal(run_on("hangs", {"--timeout", "2"}), 3,
                 "took more than 2 s while none of the kernel's code was loaded");
  expect_nothing_left();
}

TEST_F(WatchedGpu, AMachineWithoutNvmlLeavesThemEmpty) {
  const Outcome run = bench_with("", {"--json"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_TRUE(json::parse(run.out).at("conditions").at("sm_clock_mhz").is_null());
}

}  // namespace
}  // namespace autokernel::test
