// What a runner is given of its user's environment.
#include "autokernel/trial/runner_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "trial/time/process_conditions.h"

namespace autokernel::trial {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(RunnerEnvironment, HasWhatIsOnTheListWithItsValues) {
  const Variables ours = {{"PATH", "/bin"},          {"HOME", "/home/me"},
                          {"CUDA_HOME", "/cuda"},    {"LD_LIBRARY_PATH", "/lib"},
                          {"LC_ALL", "C.UTF-8"},     {"CUDA_VISIBLE_DEVICES", ""},
                          {"AUTOKERNEL_TURN", "1a"}, {"AUTOKERNEL_TEST_FAULT", "none"}};
  EXPECT_EQ(runner_environment(ours).variables, ours);
  EXPECT_THAT(runner_environment(ours).ignored, IsEmpty());
}

TEST(RunnerEnvironment, LacksWhatChangesAMeasurementAndNamesIt) {
  const std::vector<std::string> names = {"CUBLASLT_WORKSPACE_SIZE",
                                          "CUBLAS_WORKSPACE_CONFIG",
                                          "CUDA_DISABLE_PTX_JIT",
                                          "CUDA_FORCE_PTX_JIT",
                                          "CUDA_INJECTION64_PATH",
                                          "CUDA_LAUNCH_BLOCKING",
                                          "EMULATED_CUDA_ARCH",
                                          "EMULATED_CUDA_COMPILE",
                                          "EMULATED_CUDA_ENGINE",
                                          "EMULATED_CUDA_THREADS",
                                          "GLIBC_TUNABLES",
                                          "GOTO_NUM_THREADS",
                                          "LD_AUDIT",
                                          "LD_PRELOAD",
                                          "MALLOC_ARENA_MAX",
                                          "MKL_NUM_THREADS",
                                          "NVIDIA_TF32_OVERRIDE",
                                          "NVRTC_DISABLE_CONCURRENT_NVVM",
                                          "OMP_NUM_THREADS",
                                          "OPENBLAS_CORETYPE",
                                          "OPENBLAS_NUM_THREADS"};
  Variables ours;
  for (const std::string& name : names) ours.emplace(name, "1");
  const RunnerEnvironment environment = runner_environment(ours);
  EXPECT_THAT(environment.variables, IsEmpty());
  EXPECT_EQ(environment.ignored, names);
  EXPECT_THAT(warning_of(environment), HasSubstr("CUBLASLT_WORKSPACE_SIZE, CUBLAS_"));
  EXPECT_EQ(affecting_measurements(ours), ours) << "a runner that has one all the same records it";
}

TEST(RunnerEnvironment, LacksWhatIsOnNoListWithoutAWord) {
  const RunnerEnvironment environment =
      runner_environment({{"EDITOR", "vi"}, {"CUDA_VERSION", "12.4"}, {"LD_RUN_PATH", "/lib"}});
  EXPECT_THAT(environment.variables, IsEmpty());
  EXPECT_THAT(environment.ignored, IsEmpty());
  EXPECT_THAT(warning_of(environment), IsEmpty());
}

TEST(RunnerEnvironment, APatternStandsForNamesThatBeginLikeThatAlone) {
  const RunnerEnvironment environment =
      runner_environment({{"MY_LC_ALL", "C"}, {"PATHS", "/bin"}, {"LD_LIBRARY_PATH_OLD", "/lib"}});
  EXPECT_THAT(environment.variables, IsEmpty());
}

TEST(AffectingMeasurements, IsWhatSaysWhichLibrariesAndWhichGpu) {
  const Variables telling = {{"CUDA_VISIBLE_DEVICES", "1"}, {"LD_LIBRARY_PATH", "/lib"}};
  Variables all = telling;
  all["HOME"] = "/home/me";
  all["PATH"] = "/bin";
  EXPECT_EQ(affecting_measurements(all), telling);
}

TEST(ProcessorRanges, AreWrittenAsTasksetDoes) {
  EXPECT_EQ(ranges_text({}), "");
  EXPECT_EQ(ranges_text({3}), "3");
  EXPECT_EQ(ranges_text({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(ranges_text({1, 3, 4}), "1,3-4");
}

TEST(ProcessConditions, AreThoseOfThisProcessAndItsDevice) {
  driver::DeviceInfo device;
  device.settings = "engine automatic";
  Conditions conditions;
  add_process_conditions(device, conditions);
  EXPECT_EQ(conditions.emulation, "engine automatic");
  EXPECT_TRUE(conditions.niceness);
  EXPECT_NE(conditions.processors.value_or(""), "");
  add_process_conditions({}, conditions = {});
  EXPECT_FALSE(conditions.emulation);
}

}  // namespace
}  // namespace autokernel::trial
