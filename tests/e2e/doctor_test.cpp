// doctor as a user runs it, on the machine as it is and with drivers that are broken on purpose.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "e2e/workplace.h"
#include "support/census.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class Doctor : public Workplace {
 protected:
  // What it says with the fake driver in one state and the fake NVML in another.
  [[nodiscard]] Outcome doctor(const std::string& cuda, const std::string& nvml,
                               const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"doctor"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Invocation invocation = autokernel(arguments);
    invocation.environment["LD_LIBRARY_PATH"] = FAKE_DRIVER_FOLDER;
    invocation.environment["AUTOKERNEL_TEST_CUDA"] = cuda;
    invocation.environment["AUTOKERNEL_TEST_NVML"] = nvml;
    return test::run(invocation);
  }
};

// The line of a report that begins so, with the one below it.
std::string line_of(const std::string& name, const std::string& report) {
  std::size_t at = 0;
  while (at < report.size()) {
    const std::size_t end = std::min(report.find('\n', at), report.size());
    if (report.compare(at + 9, name.size() + 1, name + " ") == 0 && report[at] != ' ') {
      return report.substr(at, std::min(report.find('\n', end + 1), report.size()) - at);
    }
    at = end + 1;
  }
  return {};
}

TEST_F(Doctor, FindsThatBenchCanRunHere) {
  const Outcome run = run_autokernel({"doctor", "--device", "cpu"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_THAT(line_of("nvrtc", run.out), AllOf(HasSubstr("ok "), HasSubstr("a kernel compiles")));
  EXPECT_THAT(line_of("emulator", run.out), AllOf(HasSubstr("ok "), HasSubstr("a kernel ran")));
  EXPECT_THAT(line_of("openblas", run.out), HasSubstr("ok "));
  EXPECT_THAT(run.out, HasSubstr("bench can run on the emulated device\n"));
  expect_nothing_left();
}

TEST_F(Doctor, PrintsOneJsonObject) {
  const Outcome run = run_autokernel({"doctor", "--device", "cpu", "--json"});
  EXPECT_EQ(run.code, 0);
  EXPECT_THAT(run.err, IsEmpty());
  const auto report = nlohmann::json::parse(run.out);
  EXPECT_EQ(report.at("schema_version"), 1);
  EXPECT_EQ(report.at("device"), "cpu");
  EXPECT_EQ(report.at("can_bench"), true);
}

TEST_F(Doctor, ExitsWithThreeWhereBenchCannotRun) {
  Invocation blind = autokernel({"doctor", "--device", "cuda:99"});
  blind.environment["CUDA_VISIBLE_DEVICES"] = "";
  const Outcome run = test::run(blind);
  EXPECT_EQ(run.code, 3) << run.out;
  EXPECT_THAT(run.out, HasSubstr("bench cannot run on the GPU; fix first: gpu\n"));
}

TEST_F(Doctor, SaysThatTheDriverFails) {
  const Outcome run = doctor("fails", "fails");
  EXPECT_EQ(run.code, 0) << run.out;  // on the emulated device, as bench
  EXPECT_THAT(line_of("driver", run.out),
              AllOf(HasSubstr("wrong "), HasSubstr("999"), HasSubstr("modprobe")));
}

TEST_F(Doctor, SaysThatTheDriverIsTooOld) {
  const Outcome run = doctor("old", "well");
  EXPECT_EQ(run.code, 3) << run.out;
  EXPECT_THAT(line_of("driver", run.out), AllOf(HasSubstr("wrong "), HasSubstr("CUDA 11.4")));
}

TEST_F(Doctor, SurvivesADriverThatCrashes) {
  const Outcome run = doctor("crashes", "well");
  EXPECT_EQ(run.code, 3) << run.out;
  EXPECT_THAT(line_of("driver", run.out), AllOf(HasSubstr("wrong "), HasSubstr("signal 11")));
  EXPECT_THAT(line_of("emulator", run.out), HasSubstr("ok "));
  expect_nothing_left();
}

TEST_F(Doctor, DoesNotHangWithADriverThatDoes) {
  const Outcome run = doctor("hangs", "well", {"--timeout", "3"});
  EXPECT_EQ(run.code, 3) << run.out;
  EXPECT_LT(run.seconds, 20);
  EXPECT_THAT(line_of("driver", run.out), AllOf(HasSubstr("wrong "), HasSubstr("within 3 s")));
  expect_nothing_left();
}

TEST_F(Doctor, SaysThatNothingRunsOnTheGpu) {
  const Outcome run = doctor("works", "well");
  EXPECT_EQ(run.code, 3) << run.out;
  EXPECT_THAT(line_of("driver", run.out), HasSubstr("ok "));
  EXPECT_THAT(line_of("gpu", run.out), AllOf(HasSubstr("wrong "), HasSubstr("NVIDIA Fake")));
  EXPECT_THAT(run.out, HasSubstr("fix first: gpu"));
  EXPECT_EQ(doctor("works", "well", {"--device", "cpu"}).code, 0);
}

TEST_F(Doctor, SeesAGpuInMigModeThatIsNotCut) {
  const Outcome run = doctor("empty", "mig");
  EXPECT_EQ(run.code, 0) << run.out;
  EXPECT_THAT(line_of("mig", run.out), AllOf(HasSubstr("wrong "), HasSubstr("-mig 0")));
}

TEST_F(Doctor, SeesAGpuThatIsBusyHotAndCapped) {
  const Outcome run = doctor("works", "busy");
  EXPECT_THAT(line_of("other programs", run.out), AllOf(HasSubstr("wrong "), HasSubstr("4711")));
  EXPECT_THAT(line_of("clocks", run.out), AllOf(HasSubstr("wrong "), HasSubstr("too hot")));
  EXPECT_THAT(line_of("power", run.out), AllOf(HasSubstr("wrong "), HasSubstr("-pl 700")));
  EXPECT_THAT(line_of("persistence", run.out), AllOf(HasSubstr("wrong "), HasSubstr("-pm 1")));
}

TEST_F(Doctor, SaysThatThereIsNoCompiler) {
  Invocation poor = autokernel({"doctor", "--device", "cpu"});
  const auto empty = scratch_.folder("empty").string();
  poor.environment["CUDA_HOME"] = empty;
  poor.environment["PATH"] = empty;
  const Outcome run = test::run(poor);
  // A machine may have one where the loader or /usr/local says.
  const std::string line = line_of("nvrtc", run.out);
  EXPECT_EQ(run.code == 0, line.starts_with("ok ")) << run.out;
  EXPECT_EQ(run.code == 3, line.starts_with("missing ") && line.find("pip install") != line.npos);
  EXPECT_THAT(line_of("gnuplot", run.out), HasSubstr("missing "));
}

TEST_F(Doctor, RefusesADeviceAndATimeThatAreNone) {
  EXPECT_EQ(run_autokernel({"doctor", "--device", "tpu"}).code, 2);
  EXPECT_EQ(run_autokernel({"doctor", "--timeout", "0"}).code, 2);
}

TEST_F(Doctor, DoesNotLetUsersCallTheProbe) {
  const Outcome run = run_autokernel({"probe", "cuda"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("use 'autokernel doctor'"));
}

}  // namespace
}  // namespace autokernel::test
