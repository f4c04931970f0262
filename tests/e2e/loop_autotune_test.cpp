// Parameters that a kernel declares, tried without an agent.
#include <gmock/gmock.h>

#include <csignal>
#include <map>
#include <thread>

#include "e2e/loop_workplace.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class LoopAutotune : public LoopWorkplace {
 protected:
  // How often it adds is a parameter; the other one changes nothing, and not all of their values go
  // together.
  [[nodiscard]] static std::string declared(const std::string& rounds = "30000, 30, 3000",
                                            const std::string& lanes = "1, 2") {
    std::string source = kernel_with(
        kSlow, "extern \"C\"",
        "AUTOKERNEL_TUNE(ROUNDS, " + rounds + ");  // of additions\nAUTOKERNEL_TUNE(LANES, " +
            lanes + ");\nAUTOKERNEL_TUNE_IF(LANES * ROUNDS < 60000);\nextern \"C\"");
    const std::string loop = "round < " + std::to_string(kSlow);
    return source.replace(source.find(loop), loop.size(), "round < ROUNDS");
  }
  void begin(const std::string& source) const {
    edit(source);
    repository_.git("commit", "--quiet", "-a", "-m", "with parameters");
    start();
  }
};

TEST_F(LoopAutotune, KeepsWhatIsFasterWithItsValuesFirst) {
  begin(declared());
  const Outcome run = run_autokernel(
      {"loop", "autotune", "--strategy", "exhaustive", "--t4", ".autokernel/tuning.json"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("ROUNDS: 30000, 30, 3000\nLANES: 1, 2\n"),
                             HasSubstr("6 configurations, of which 5 meet the conditions; 1 "
                                       "measured already")));
  EXPECT_THAT(run.err, AllOf(HasSubstr("stopped after 4 experiments"),
                             HasSubstr("all configurations are measured"),
                             HasSubstr("tuning.json: 5 measurements")));
  EXPECT_THAT(rows().at(1), StartsWith("keep ROUNDS = 30, LANES = 1"));
  EXPECT_THAT(kernel_now(),
              HasSubstr("AUTOKERNEL_TUNE(ROUNDS, 30, 3000, 30000);  // of additions"));

  const json results = json::parse(repository_.read(".autokernel/tuning.json"));
  EXPECT_EQ(results.at("schema_version"), "1.0.0");
  ASSERT_THAT(results.at("results"), SizeIs(5));
  const json& first = results.at("results").at(0);
  EXPECT_EQ(first.at("configuration"), (json{{"ROUNDS", 30000}, {"LANES", 1}}));
  EXPECT_EQ(first.at("invalidity"), "correct");
  EXPECT_GT(first.at("measurements").at(0).at("value"), 0.0);
  EXPECT_THAT(first.at("times").at("runtimes"), Not(SizeIs(0)));

  const Outcome again = run_autokernel({"loop", "autotune"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("; 5 measured already"));
  EXPECT_THAT(again.err, HasSubstr("stopped after 0 experiments"));
  expect_nothing_left();
}

TEST_F(LoopAutotune, AConfigurationThatIsWrongOrDoesNotCompileIsTakenBack) {
  std::string source = declared("30000, 30", "1, 2, 3");
  // Two is wrong, three does not compile.
  source.replace(source.find("AUTOKERNEL_TUNE_IF"), 0,
                 "static_assert(LANES != 3);\nconstexpr float kWrong = LANES == 2 ? 1 : 0;\n");
  source.insert(source.find("sum;\n}"), "kWrong + ");
  begin(source);
  const Outcome run =
      run_autokernel({"loop", "autotune", "--t4", ".autokernel/tuning.json", "--most", "9"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  std::map<std::string, int> kinds;
  const json results = json::parse(repository_.read(".autokernel/tuning.json"));
  for (const json& each : results.at("results")) ++kinds[each.at("invalidity")];
  EXPECT_EQ(kinds,
            (std::map<std::string, int>{{"compile", 1}, {"correct", 2}, {"correctness", 1}}));
  EXPECT_THAT(kernel_now(), AllOf(HasSubstr("AUTOKERNEL_TUNE(ROUNDS, 30, 30000)"),
                                  HasSubstr("AUTOKERNEL_TUNE(LANES, 1, 2, 3)")));
  expect_nothing_left();
}

TEST_F(LoopAutotune, GoesOnWhereItWasInterrupted) {
  begin(declared());
  RunningProgram search(autokernel({"loop", "autotune", "--strategy", "random"}));
  for (int i = 0; i < 6000 && rows().size() < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  search.send(SIGINT);
  EXPECT_EQ(search.wait(std::chrono::seconds{60}).code, 128 + SIGINT);
  const std::size_t tried = rows().size();
  EXPECT_GE(tried, 2U);
  const Outcome rest = run_autokernel({"loop", "autotune", "--strategy", "random"});
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_THAT(rest.out, HasSubstr("; " + std::to_string(tried) + " measured already"));
  EXPECT_THAT(rows(), SizeIs(5));
  expect_nothing_left();
}

TEST_F(LoopAutotune, OfAKernelOfSeveralFilesKnowsWhichItIs) {
  std::string problem = repository_.read("kernels/case.toml");
  problem.insert(0, "editable_files = [\"*.cuh\"]\n");
  repository_.write("kernels/case.toml", problem);
  repository_.write("kernels/rounds.cuh", "constexpr int MORE = 3000;\n");
  std::string source = declared("30, 3000", "1, 2");
  source.replace(source.find("round < ROUNDS"), 14, "round < ROUNDS + MORE");
  source.insert(source.find("constexpr int THREADS"), "#include \"rounds.cuh\"\n");
  edit(source);
  repository_.git("add", "-A");
  repository_.git("commit", "--quiet", "-m", "two files");
  start();
  EXPECT_EQ(run_autokernel({"loop", "autotune"}).code, 0);
  repository_.write("kernels/rounds.cuh", "constexpr int MORE = 0;  // none\n");
  const Outcome edited = run_autokernel({"loop", "step", "-m", "no more rounds"});
  EXPECT_EQ(edited.code, 0) << edited.out << edited.err;
  const Outcome again = run_autokernel({"loop", "autotune", "--most", "1"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("4 configurations; 1 measured already"));
}

TEST_F(LoopAutotune, TakesNoEditThatSomebodyMade) {
  begin(declared());
  const std::string configuration = kernel_now();
  // As a search that was killed leaves it.
  std::string left = configuration;
  left.replace(left.find("30000, 30, 3000"), 15, "30, 3000, 30000");
  edit(left);
  EXPECT_EQ(run_autokernel({"loop", "autotune", "--most", "1"}).code, 0);
  std::string edited = kernel_now();
  edited.insert(edited.find("extern"), "// by hand\n");
  edit(edited);
  const Outcome run = run_autokernel({"loop", "autotune"});
  EXPECT_EQ(run.code, 2);
  EXPECT_THAT(run.err, HasSubstr("an edit of kernels/kernel.cu that was not tried"));
  EXPECT_EQ(kernel_now(), edited);
}

TEST_F(LoopAutotune, RefusesWhatItCannotTune) {
  const auto refused = [&](const std::vector<std::string>& more, const char* why) {
    std::vector<std::string> arguments = {"loop", "autotune"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome run = run_autokernel(arguments);
    EXPECT_EQ(run.code, 2) << run.out << run.err;
    EXPECT_THAT(run.err, HasSubstr(why));
  };
  start();
  refused({}, "kernels/kernel.cu declares no parameters; write AUTOKERNEL_TUNE(BM, 64, 128, 256)");
  refused({"--strategy", "luck"}, "there are bayes, random and exhaustive");
  refused({"--most", "0"}, "--most");
  refused({"--t4", kKernel}, "kernel.cu");
  refused({"--t4", "tuning.json"}, "would stop the run");
  refused({"--t4", "/no/folder/x.json"},
          "cannot write /no/folder/x.json: there is no folder /no/folder; make it");
  EXPECT_THAT(rows(), ElementsAre("keep baseline"));
}

}  // namespace
}  // namespace autokernel::test
