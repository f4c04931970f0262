// One bench at several sizes: its table, its object, its pictures.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "autokernel/base/search_path.h"
#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

// The case of an update in place, at sizes that take no time.
class Sweeps : public Workplace {
 protected:
  Sweeps() {
    const std::filesystem::path original = AUTOKERNEL_SOURCES "/tests/data/axpy";
    std::filesystem::copy(original, folder_, std::filesystem::copy_options::recursive);
    std::string text = contents(folder_ / "case.toml");
    text.replace(text.find("1_048_576"), 9, "8192");
    text.replace(text.find("[[tensor]]"), 0, "[sizes.small]\nN = 1024\n\n");
    (void)scratch_.write("axpy/case.toml", text);
  }
  [[nodiscard]] std::vector<std::string> arguments(std::vector<std::string> more) const {
    std::vector<std::string> all = {"bench", "--device", "cpu", "--case", folder_.string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] Outcome sweep(const std::vector<std::string>& more) const {
    return run_autokernel(arguments(more));
  }

  const std::filesystem::path folder_ = scratch_.path() / "axpy";
};

TEST_F(Sweeps, PrintARowForEachSizeOfTheCase) {
  const Outcome run = sweep({"--quick", "--sweep"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.err, IsEmpty());
  EXPECT_THAT(run.out, MatchesRegex("Device: CPU, emulated CUDA driver [^\n]*\n"
                                    "Capability: \\(9, 0\\)\n"
                                    "---\n"
                                    "size        N  +median_us [^\n]* verdict\n"
                                    "small    1024  +[0-9.]+  +[0-9.]+  +[0-9.]+  [^\n]*  correct\n"
                                    "check    4096  +[0-9.]+  +[0-9.]+  +[0-9.]+  [^\n]*  correct\n"
                                    "default  8192  +[0-9.]+  +[0-9.]+  +[0-9.]+  [^\n]*  correct\n"
                                    "sizes:            3 of 3 measured\n"
                                    "geomean_vs_reference: [0-9.]+ of 3 sizes\n"
                                    "timing:           emulated\n"));
  expect_nothing_left();
}

TEST_F(Sweeps, AreOneObjectWithTheRecordsOfTheTrials) {
  const Outcome run = sweep({"--quick", "--sweep", "check,small", "--json"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  const json object = json::parse(run.out);
  EXPECT_EQ(object["sizes"], json({"check", "small"}));
  EXPECT_EQ(object["records"][1]["request"]["size"], "small");
  EXPECT_EQ(object["records"][1]["verdict"], "correct");
  EXPECT_GT(object["records"][1]["intensity"], 0.16);
  EXPECT_EQ(object["records"][1]["unit"], "fp32");
  EXPECT_TRUE(object["records"][1]["sol_score"].is_null());
  EXPECT_GT(object["geomean_vs_reference"], 0);
}

TEST_F(Sweeps, DrawBothPictures) {
  if (find_on_path("gnuplot").empty()) GTEST_SKIP() << "gnuplot is not installed";
  const Outcome run = sweep(
      {"--quick", "--sweep", "small,check", "--plot", "sizes.png", "--roofline", "roofline.svg"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(run.err, AllOf(HasSubstr("sizes.png: 2 sizes\n"),
                             HasSubstr("roofline.svg: 2 sizes\n"), Not(HasSubstr("warning"))));
  EXPECT_THAT(contents(scratch_.path() / "sizes.png"), StartsWith("\x89PNG"));
  EXPECT_THAT(contents(scratch_.path() / "roofline.svg"),
              AllOf(HasSubstr("<svg"), HasSubstr("no roofs"), HasSubstr(">small<")));
}

TEST_F(Sweeps, EndByCtrlCWithTheRowsThatWereDone) {
  // The second size is large enough to be still at work.
  std::string text = contents(folder_ / "case.toml");
  text.replace(text.find("8192"), 4, "16_777_216");
  (void)scratch_.write("axpy/case.toml", text);
  RunningProgram program(
      autokernel(arguments({"--quick", "--verbose", "--sweep", "small,default"})));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  while (program.err_so_far().find("size default") == std::string::npos &&
         std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  program.send(SIGINT);
  const Outcome run = program.wait(std::chrono::seconds{20});
  EXPECT_EQ(run.code, 130) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("\nsmall "), Not(HasSubstr("\ndefault ")),
                             HasSubstr("sizes:            1 of 2 measured\n")));
  expect_nothing_left();
}

TEST_F(Sweeps, RefuseWhatIsAboutOneTrial) {
  for (const std::vector<std::string>& other : {std::vector<std::string>{"--size", "check"},
                                                {"--full"},
                                                {"--quiet"},
                                                {"--timings"},
                                                {"--log", "full.log"},
                                                {"--replay", "record.json"}}) {
    std::vector<std::string> all = {"--sweep"};
    all.insert(all.end(), other.begin(), other.end());
    const Outcome run = sweep(all);
    EXPECT_EQ(run.code, 2) << other.front();
    EXPECT_THAT(run.err, HasSubstr("--sweep")) << other.front();
    EXPECT_THAT(run.out, IsEmpty()) << other.front();
  }
}

TEST_F(Sweeps, RefuseWhatCannotBeDoneBeforeAnythingRuns) {
  expect_refusal(sweep({"--sweep", "small,huge"}), 2, "no such size; it has check, default, small");
  expect_refusal(sweep({"--sweep", "small,small"}), 2, "names small twice");
  expect_refusal(sweep({"--plot", "sizes.png"}), 2, "--plot needs --sweep");
  expect_refusal(sweep({"--roofline", "roofline.txt"}), 2, "end its name in .png or .svg");
  expect_refusal(sweep({"--sweep", "--plot", "no/such/sizes.png"}), 2, "there is no folder");
}

}  // namespace
}  // namespace autokernel::test
