// Baselines of a case's own: host programs that compute the same, on the emulated device, whose
// memory is the host's.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "e2e/workplace.h"
#include "support/scratch_repository.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// y = 2.5 x + y, but for what stands in place of FACTOR.
constexpr const char* kAxpy = R"(#include <autokernel_baseline.h>
#include <autokernel_sizes.cuh>

extern "C" const char* autokernel_baseline_prepare(AutokernelBaseline* baseline) {
  *baseline = {"a loop 1.0", "one thread", 64};
  return REFUSAL;
}
extern "C" const char* autokernel_baseline_launch(void* const* arguments, void* workspace,
                                                  CUstream_st*) {
  const auto* x = autokernel_argument<const float*>(arguments, 0);
  auto* y = autokernel_argument<float*>(arguments, 1);
  *static_cast<int*>(workspace) = 1;
  for (int i = 0; i < N; ++i) y[i] = FACTOR * x[i] + y[i];
  return nullptr;
}
)";

class Baselines : public Workplace {
 protected:
  Baselines() {
    std::filesystem::copy(AUTOKERNEL_SOURCES "/tests/data/axpy", folder_,
                          std::filesystem::copy_options::recursive);
  }
  void name_in_case(const std::string& files) {
    const std::string text = contents(folder_ / "case.toml");
    (void)scratch_.write("axpy/case.toml", "baselines = [" + files + "]\n" + text);
  }
  void write_baseline(const std::string& name, const std::string& factor,
                      const std::string& refusal = "nullptr") {
    std::string text = kAxpy;
    text.replace(text.find("FACTOR"), 6, factor);
    text.replace(text.find("REFUSAL"), 7, refusal);
    (void)scratch_.write("axpy/" + name, text);
  }
  [[nodiscard]] Outcome bench() const {
    return run_autokernel({"bench", "--device", "cpu", "--case", folder_.string(), "--size",
                           "check", "--quick", "--baselines"});
  }

  const std::filesystem::path folder_ = scratch_.path() / "axpy";
};

TEST_F(Baselines, AreTimedWhereTheyGiveWhatTheReferenceGives) {
  name_in_case("\"plain.cpp\"");
  write_baseline("plain.cpp", "2.5F");

  const Outcome run = bench();

  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr(" times the kernel's: a loop 1.0, one thread\n"));
  // Of the machine it may warn.
  EXPECT_THAT(run.out, Not(testing::ContainsRegex("warning: .*plain")));
  expect_nothing_left();
}

TEST_F(Baselines, AreNotTimedWhereTheyGiveSomethingElse) {
  name_in_case(R"("wrong.cpp", "plain.cpp")");
  write_baseline("wrong.cpp", "2.0F");
  write_baseline("plain.cpp", "2.5F");

  const Outcome run = bench();

  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("the baseline wrong.cpp is not timed, as it computes "
                                       "something else: "),
                             HasSubstr("baseline: ")));
}

TEST_F(Baselines, ThatCannotBeBuiltOrUsedAreNamedWithTheReason) {
  name_in_case(R"("broken.cpp", "empty.cpp", "unwilling.cpp")");
  (void)scratch_.write("axpy/broken.cpp", "int x = ;\n");
  (void)scratch_.write("axpy/empty.cpp", "");
  write_baseline("unwilling.cpp", "2.5F", "\"no such library\"");

  const Outcome run = bench();

  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("cannot build broken.cpp with "), HasSubstr("broken.cpp:1:9: error"),
                    HasSubstr("cannot load the baseline empty.cpp: it does not define "
                              "autokernel_baseline_launch"),
                    HasSubstr("cannot use the baseline unwilling.cpp: no such library")));
}

TEST_F(Baselines, ThatTakeTheirProcessDownLoseNothingElse) {
  name_in_case(R"("null.cpp", "throws.cpp", "exits.cpp", "plain.cpp")");
  const std::string launch = "for (int i = 0;";
  for (const auto& [name, statement] : std::map<std::string, std::string>{
           {"null.cpp", "*static_cast<volatile int*>(nullptr) = 1; "},
           {"throws.cpp", "throw 42; "},
           {"exits.cpp", "exit(0); "}}) {
    write_baseline(name, "2.5F");
    std::string text = contents(folder_ / name);
    text.insert(text.find(launch), statement);
    (void)scratch_.write("axpy/" + name, "#include <cstdlib>\n" + text);
  }
  write_baseline("plain.cpp", "2.5F");

  const Outcome run = bench();

  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(
      run.out,
      AllOf(HasSubstr("the baseline null.cpp is not timed: the runner was killed by SIGSEGV\n"),
            HasSubstr("the baseline throws.cpp is not timed: the runner was killed by SIGABRT\n"),
            HasSubstr("the baseline exits.cpp is not timed: the runner ended with code 0"),
            HasSubstr("kernel's: a loop 1.0, one thread\n"),
            HasSubstr("verdict:          correct")));
  expect_nothing_left();
}

TEST_F(Baselines, AreComparedAfterTheLastLaunchToo) {
  name_in_case(R"("once.cpp", "meddles.cpp")");
  write_baseline("once.cpp", "2.5F");
  write_baseline("meddles.cpp", "2.5F");
  std::string text = contents(folder_ / "once.cpp");
  text.insert(text.find("for (int i = 0;"), "static int n = 0; if (n++ > 0) return nullptr; ");
  (void)scratch_.write("axpy/once.cpp", text);
  text = contents(folder_ / "meddles.cpp");
  text.insert(text.find("for (int i = 0;"), "const_cast<float*>(x)[0] = 1; ");
  (void)scratch_.write("axpy/meddles.cpp", text);

  const Outcome run = bench();

  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("the baseline once.cpp is not timed, as it computes"),
                             HasSubstr("the baseline meddles.cpp is not timed, as it computes"),
                             Not(HasSubstr("baseline: "))));
}

TEST_F(Baselines, OfNvccNeedAGpu) {
  name_in_case("\"cub.cu\"");
  (void)scratch_.write("axpy/cub.cu", "#error never built here\n");
  const Outcome run = bench();
  EXPECT_THAT(run.out,
              HasSubstr("the baseline cub.cu is not timed: what nvcc builds runs on a GPU"));
}

TEST_F(Baselines, AreOfOneTrial) {
  expect_refusal(run_autokernel({"bench", "--device", "cpu", "--case", folder_.string(), "--sweep",
                                 "--baselines"}),
                 2, "--baselines is for one trial, and --sweep makes one for each size");
}

TEST_F(Baselines, NeedACompilerOnThisMachine) {
  name_in_case("\"plain.cpp\"");
  write_baseline("plain.cpp", "2.5F");

  const ScopedEnvironment without(ScopedEnvironment::Variables{{"PATH", "/nowhere"}});
  const Outcome run = bench();

  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("cannot build plain.cpp: there is no c++ on the PATH; install "
                                 "one, for example g++"));
}

TEST_F(Baselines, OfACaseThatNamesNoneAreNone) {
  const Outcome run = bench();
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, HasSubstr("--baselines measured nothing: the case names none"));
}

}  // namespace
}  // namespace autokernel::test
