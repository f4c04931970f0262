// The forwarding libcuda.so.1, in a program that finds it in place of the driver.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <sstream>

#include "support/program.h"
#include "support/scratch_folder.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::SizeIs;

using Words = std::vector<std::string>;

constexpr const char* kNoDevice = "100";

[[nodiscard]] Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Forwarding : public testing::Test {
 protected:
  // What a program prints that makes these calls of our libcuda.so.1. The driver behind it is the
  // one at that path.
  [[nodiscard]] Outcome called(const Words& calls, const std::string& driver) const {
    Invocation invocation{.program = AUTOKERNEL_DRIVER_USER,
                          .arguments = calls,
                          .directory = scratch_.path(),
                          .environment = {{"AUTOKERNEL_DRIVER", driver},
                                          {"LD_LIBRARY_PATH", shim().parent_path().string()}}};
    return RunningProgram(invocation).wait(seconds{5});
  }
  [[nodiscard]] Words answers(const Words& calls, const std::string& driver) const {
    const Outcome made = called(calls, driver);
    EXPECT_EQ(made.code, 0) << made.err;
    return lines_of(made.out);
  }
  [[nodiscard]] static fs::path shim() { return AUTOKERNEL_FORWARDING_DRIVER; }
  [[nodiscard]] static std::string own() { return fs::canonical(shim()).string(); }
  [[nodiscard]] static std::string emulator() {
    return fs::canonical(AUTOKERNEL_EMULATOR).string();
  }

  // Names of the driver's functions that a library exports.
  [[nodiscard]] static std::set<std::string> exported_by(const fs::path& library) {
    const Outcome listed = run(
        {.program = "/bin/sh",
         .arguments = {"-c", R"(nm -D --defined-only "$0" | sed -n 's/.* T \(cu[A-Z]\w*\).*/\1/p')",
                       library.string()},
         .directory = {},
         .environment = {}});
    const Words names = lines_of(listed.out);
    return {names.begin(), names.end()};
  }

  ScratchFolder scratch_;
};

TEST_F(Forwarding, ExportsEveryFunctionThatTheEmulatedDriverHas) {
  const std::set<std::string> theirs = exported_by(AUTOKERNEL_EMULATOR);
  const std::set<std::string> ours = exported_by(shim());
  EXPECT_GT(theirs.size(), 300U);
  Words missing;
  std::ranges::set_difference(theirs, ours, std::back_inserter(missing));
  EXPECT_THAT(missing, IsEmpty());
}

TEST_F(Forwarding, ExportsNothingElseThanFunctionsOfTheDriverAndForProducts) {
  const Outcome listed =
      run({.program = "/bin/sh",
           .arguments =
               {"-c",
                R"(nm -D --defined-only "$0" | grep -v ' T cu[A-Z]\| T autokernel_[a-z]*_product')",
                shim().string()},
           .directory = {},
           .environment = {}});
  EXPECT_THAT(listed.out, IsEmpty());
}

TEST_F(Forwarding, GivesItsOwnFunctionsForLaunchesAndForCode) {
  EXPECT_THAT(
      answers({"same=cuLaunchKernel", "same=cuLaunchKernelEx", "same=cuLaunchCooperativeKernel",
               "same=cuModuleLoad", "same=cuModuleLoadData", "same=cuModuleLoadDataEx",
               "same=cuModuleLoadFatBinary", "same=cuModuleUnload", "same=cuLibraryLoadData",
               "same=cuLibraryLoadFromFile", "same=cuLibraryUnload", "same=cuGraphLaunch"},
              AUTOKERNEL_EMULATOR),
      AllOf(SizeIs(12), Each("exported")));
}

TEST_F(Forwarding, GivesItsOwnLaunchesForTheDefaultStreamOfEachThread) {
  EXPECT_THAT(answers({"thread=cuLaunchKernel", "thread=cuLaunchKernelEx",
                       "thread=cuLaunchCooperativeKernel"},
                      AUTOKERNEL_EMULATOR),
              AllOf(SizeIs(3), Each("exported")));
}

TEST_F(Forwarding, GivesItsOwnFunctionsToProgramsOfCuda11) {
  EXPECT_THAT(answers({"version=11080", "old=cuLaunchKernel", "old=cuModuleLoadData",
                       "old=cuGetProcAddress"},
                      AUTOKERNEL_EMULATOR),
              AllOf(SizeIs(3), Each(own())));
}

TEST_F(Forwarding, GivesItselfWhereItIsAskedForWhatFindsFunctions) {
  EXPECT_THAT(answers({"new=cuGetProcAddress", "version=11080", "new=cuGetProcAddress"},
                      AUTOKERNEL_EMULATOR),
              AllOf(SizeIs(2), Each(own())));
}

TEST_F(Forwarding, GivesNoOtherFunctionThatFindsFunctions) {
  EXPECT_THAT(answers({"new=cuGetProcAddress_v2"}, AUTOKERNEL_EMULATOR),
              Each(Not(HasSubstr(emulator()))));
}

TEST_F(Forwarding, GivesTheDriversOwnFunctionsForAllElse) {
  EXPECT_THAT(answers({"new=cuInit", "new=cuMemAlloc", "old=cuMemcpyHtoD", "new=cuGraphCreate"},
                      AUTOKERNEL_EMULATOR),
              AllOf(SizeIs(4), Each(emulator())));
}

TEST_F(Forwarding, FindsNoFunctionThatTheDriverDoesNotKnow) {
  EXPECT_THAT(answers({"new=cuNoSuchFunction", "version=11000", "new=cuLaunchKernelEx"},
                      AUTOKERNEL_EMULATOR),
              AllOf(SizeIs(2), Each(HasSubstr("nowhere"))));
}

TEST_F(Forwarding, HandsArgumentsOnAndResultsBack) {
  EXPECT_THAT(answers({"init", "launch", "link"}, AUTOKERNEL_PRINTING_DRIVER),
              ElementsAre("cuInit 0", "0", "cuLaunchKernel 0x10 1 2 3 4 5 6 7 0x20 0x30 0x40",
                          "701", "cuLinkAddData 0x10 1 0x20 3 four 5 0x60 0x70", "200"));
}

TEST_F(Forwarding, SaysThatADriverHasNoSuchFunction) {
  EXPECT_THAT(answers({"count"}, AUTOKERNEL_PRINTING_DRIVER), ElementsAre("500"));
}

TEST_F(Forwarding, SaysThatThereIsNoDeviceWhereTheDriverIsMissing) {
  const Outcome made = called({"init", "count", "launch", "link"}, "/missing/libcuda.so.1");
  EXPECT_EQ(made.code, 0);
  EXPECT_THAT(lines_of(made.out), AllOf(SizeIs(4), Each(kNoDevice)));
  EXPECT_THAT(made.err, AllOf(HasSubstr("autokernel: "), HasSubstr("/missing/libcuda.so.1")));
}

TEST_F(Forwarding, SaysThatThereIsNoDeviceWhereTheDriverIsNoLibrary) {
  const Outcome made = called({"init"}, scratch_.write("text", "no library\n").string());
  EXPECT_EQ(made.code, 0);
  EXPECT_EQ(made.out, std::string(kNoDevice) + "\n");
}

TEST_F(Forwarding, FindsNothingWhereTheDriverIsMissing) {
  EXPECT_THAT(answers({"new=cuInit", "new=cuLaunchKernel"}, "/missing/libcuda.so.1"),
              AllOf(SizeIs(2), Each("result 100 status 0: nowhere")));
}

TEST_F(Forwarding, SaysThatThereIsNoDeviceWhereNoDriverIsNamedOrFound) {
  const std::array places = {"/usr/lib/x86_64-linux-gnu/libcuda.so.1",
                             "/usr/lib64/libcuda.so.1",
                             "/usr/lib/libcuda.so.1",
                             "/usr/local/nvidia/lib64/libcuda.so.1",
                             "/usr/lib/wsl/lib/libcuda.so.1",
                             "/run/opengl-driver/lib/libcuda.so.1"};
  if (std::ranges::any_of(places, [](const char* place) { return fs::exists(place); })) {
    GTEST_SKIP() << "a driver is installed here";
  }
  EXPECT_THAT(answers({"init", "count", "launch"}, ""), AllOf(SizeIs(3), Each(kNoDevice)));
}

// As where one of our tools runs another of them.
TEST_F(Forwarding, TakesItselfForNoDriver) {
  EXPECT_THAT(answers({"init"}, own()), ElementsAre(kNoDevice));
}

}  // namespace
}  // namespace autokernel::test
