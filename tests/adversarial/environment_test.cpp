// Variables that change how kernels and libraries run reach no runner, and would change it if they
// did: told by what the runner says of itself, not by times.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "adversarial/switched_defences.h"
#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::HasSubstr;

const std::map<std::string, std::string> kBending = {
    {"EMULATED_CUDA_ARCH", "8.0"},       {"EMULATED_CUDA_COMPILE", "plain"},
    {"EMULATED_CUDA_ENGINE", "threads"}, {"EMULATED_CUDA_THREADS", "7"},
    {"MALLOC_ARENA_MAX", "1"},           {"OPENBLAS_CORETYPE", "PRESCOTT"},
    {"OPENBLAS_NUM_THREADS", "1"},       {"OPENBLAS_THREAD_TIMEOUT", "30"}};

class Environment : public Workplace {
 protected:
  [[nodiscard]] json record_with(const std::map<std::string, std::string>& variables,
                                 const std::string& program = AUTOKERNEL_PROGRAM) const {
    Invocation invocation = autokernel({"bench", "--device", "cpu", "--size", "check", "--json"});
    invocation.program = program;
    invocation.environment.insert(variables.begin(), variables.end());
    const Outcome run = test::run(invocation);
    EXPECT_EQ(run.code, 0) << run.out << run.err;
    return json::parse(run.out);
  }
  // What of a record tells how kernels and the library ran.
  [[nodiscard]] static json ways(const json& record) {
    return {record.at("device"), record.at("versions"), record.at("conditions").at("emulation"),
            record.at("conditions").at("environment")};
  }
};

TEST_F(Environment, OfTheUserDoesNotReachTheKernelAndIsNamed) {
  const json usual = record_with({});
  const json bent = record_with(kBending);
  EXPECT_EQ(ways(bent), ways(usual));
  for (const auto& [name, value] : kBending) {
    EXPECT_THAT(bent.at("warnings"), Contains(HasSubstr(name)));
  }
}

TEST_F(Environment, ThatWerePassedOnWouldChangeHowKernelsAndTheLibraryRun) {
  std::map<std::string, std::string> variables = kBending;
  variables[kSwitch] = "fixed_environment";
  variables["EMULATED_CUDA_COMPILE"] = "whole";
  variables["EMULATED_CUDA_ENGINE"] = "warps";
  const json bent = record_with(variables, AUTOKERNEL_WITHOUT_DEFENCES);
  EXPECT_EQ(bent.at("conditions").at("emulation"), "engine warps, compilation whole, 7 threads");
  EXPECT_THAT(bent.at("versions").at("reference"), HasSubstr("(Prescott, 1 thread)"));
  EXPECT_EQ(bent.at("conditions").at("environment").at("EMULATED_CUDA_ENGINE"), "warps");
}

TEST_F(Environment, ThatSaysWhichLibrariesAreUsedIsRecorded) {
  const json record = record_with({{"LD_LIBRARY_PATH", "/nowhere"}});
  EXPECT_EQ(record.at("conditions").at("environment").at("LD_LIBRARY_PATH"), "/nowhere");
}

TEST_F(Environment, APreloadedLibraryIsNotLoadedWhereKernelsRun) {
  const json record = record_with({{"LD_PRELOAD", "libm.so.6"}});
  EXPECT_FALSE(record.at("conditions").at("environment").contains("LD_PRELOAD"));
  EXPECT_THAT(record.at("warnings"), Contains(HasSubstr("LD_PRELOAD")));
}

}  // namespace
}  // namespace autokernel::test
