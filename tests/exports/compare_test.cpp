// A kernel against others, and against the library, on the emulated device.
#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "e2e/authoring_workplace.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using Json = nlohmann::json;

const fs::path kRowSums = AUTOKERNEL_SOURCES "/tests/data/row_sums";

class Comparisons : public AuthoringWorkplace {
 protected:
  [[nodiscard]] Outcome compare(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "compare");
    arguments.insert(arguments.end(), {"--device", "cpu", "--size", "check", "--rounds", "2"});
    return run_autokernel(arguments);
  }
};

TEST_F(Comparisons, MeasuresKernelsAndTheReferenceInEachRound) {
  const Outcome run = compare({"--case", kRowSums.string(), (kRowSums / "reference.cu").string(),
                               (kRowSums / "wrong/leaves_out_a_column.cu").string(), "--json"});
  EXPECT_EQ(run.code, 11) << run.err;  // of the kernel that is wrong
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["rounds"], 2);
  EXPECT_TRUE(json["device"]["emulated"]);
  const Json& opponents = json["sizes"][0]["compared"];
  ASSERT_EQ(opponents.size(), 4U);
  std::map<std::string, Json> found;
  for (const Json& opponent : opponents) {
    const auto label = opponent["label"].get<std::string>();
    found[label.substr(label.rfind('/') + 1)] = opponent;
  }
  const Json ours = found.at("kernel.cu");
  EXPECT_EQ(opponents[0], ours);
  EXPECT_EQ(ours["kind"], "ours");
  EXPECT_TRUE(ours["vs_ours"].is_null());
  EXPECT_EQ(found.at("reference.cu (the case's reference)")["kind"], "library");
  const Json plain = found.at("reference.cu");
  EXPECT_EQ(plain["kind"], "kernel");
  for (const Json& measured : {ours, plain}) {
    EXPECT_EQ(measured["medians_us"].size(), 2U);
    EXPECT_GT(measured["time_us"]["value"], measured["time_us"]["low"]);
    EXPECT_LT(measured["time_us"]["value"], measured["time_us"]["high"]);
    EXPECT_EQ(measured["version"].get<std::string>().substr(0, 5), "NVRTC");
  }
  EXPECT_GT(plain["vs_ours"]["high"], plain["vs_ours"]["low"]);
  const Json wrong = found.at("leaves_out_a_column.cu");
  EXPECT_TRUE(wrong["time_us"].is_null());
  EXPECT_THAT(wrong["refused"].get<std::string>(), HasSubstr("incorrect: "));
}

TEST_F(Comparisons, PrintsATableAndDrawsBars) {
  done({"init", "--from", "matmul"});
  repository_.git("add", "-A");
  repository_.git("commit", "--quiet", "-m", "start");
  const Outcome run = compare({"HEAD", "--plot", "bars.svg"});
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_THAT(
      run.out,
      AllOf(HasSubstr("Device: CPU, emulated CUDA driver"),
            ContainsRegex("\nkernel.cu +[0-9.]+ \\[[0-9.]+, [0-9.]+\\]"),
            ContainsRegex("\nHEAD \\([0-9a-f]{12}\\) +[0-9.]+ \\[[0-9.]+, [0-9.]+\\] +[0-9.]+ \\["),
            ContainsRegex("\nOpenBLAS [^\n]+\\["), HasSubstr("2 rounds in ")));
  EXPECT_THAT(files().at("bars.svg"), AllOf(HasSubstr("<svg"), HasSubstr("kernel.cu (ours)"),
                                            HasSubstr("OpenBLAS"), HasSubstr("FLOP/s")));
}

TEST_F(Comparisons, PrintsWhatWasMeasuredWhenItIsInterrupted) {
  RunningProgram run(
      autokernel({"compare", "--case", kRowSums.string(), "--device", "cpu", "--size", "check",
                  "--rounds", "100", (kRowSums / "kernel.cu").string()}));
  std::this_thread::sleep_for(std::chrono::seconds{3});
  run.send(SIGINT);
  const Outcome ended = run.wait();
  EXPECT_EQ(ended.code, 128 + SIGINT);
  EXPECT_THAT(ended.out, AllOf(HasSubstr("\nkernel.cu "), ContainsRegex("\n  [0-9]+ rounds? in ")));
}

TEST_F(Comparisons, EndsWithOurKernelWhereItIsWrong) {
  const Outcome run = compare({"--case", kRowSums.string(), "--kernel",
                               (kRowSums / "wrong/leaves_out_a_column.cu").string(),
                               (kRowSums / "kernel.cu").string()});
  EXPECT_EQ(run.code, 11);
  EXPECT_THAT(run.out, HasSubstr("incorrect: "));
  const Outcome drawn = compare({"--case", kRowSums.string(), "--kernel",
                                 (kRowSums / "wrong/leaves_out_a_column.cu").string(),
                                 (kRowSums / "kernel.cu").string(), "--plot", "bars.svg"});
  EXPECT_EQ(drawn.code, 11);
  EXPECT_THAT(drawn.out, AllOf(HasSubstr("not measured: the comparison ended with ours"),
                               HasSubstr("  1 round in ")));
  EXPECT_THAT(drawn.err, HasSubstr("bars.svg is not drawn: ours has no time"));
}

TEST_F(Comparisons, RefusesWhatItCannotDo) {
  const auto refused = [&](std::vector<std::string> arguments, const std::string& words) {
    arguments.insert(arguments.begin(), {"compare", "--case", kRowSums.string()});
    expect_refused(arguments, 2, words);
  };
  refused({"no/such.cu"}, "there is no such file or folder");
  refused({"--size", "huge"}, "has no such size");
  refused({"--plot", "bars.pdf"}, "end its name in .png or .svg");
  refused({"--rounds", "1"}, "--rounds");
  refused({"--size", ""}, "--size names nothing");
  refused({"--size", "check, huge"}, "cannot measure at 'huge'");
  refused({""}, "the kernel to compare with has no name");
  refused({"--plot", "no/folder/bars.svg"}, "there is no folder");
  fs::create_directory(repository_.root() / "folder.svg");
  refused({"--plot", "folder.svg"}, "it is a folder");
  repository_.write("k.png", "a kernel");
  refused({"k.png", "--plot", "k.png"}, "that is a kernel to compare");
  EXPECT_EQ(files().at("k.png"), "a kernel");
}

}  // namespace
}  // namespace autokernel::test
