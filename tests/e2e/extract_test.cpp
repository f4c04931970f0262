// `autokernel extract` of the sample's kernels.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>

#include "e2e/program_workplace.h"
#include "support/census.h"

namespace autokernel::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class ExtractOfProgram : public ExtractionWorkplace {};

// What is found out about a kernel: the sizes of its tensors, in the order of its parameters.
struct KernelOfSample {
  const char* name;
  const char* counts;
};
// For the name of the test.
void PrintTo(const KernelOfSample& kernel, std::ostream* out) { *out << kernel.name; }

class EachKernelOfSample : public ExtractOfProgram,
                           public testing::WithParamInterface<KernelOfSample> {};

TEST_P(EachKernelOfSample, BecomesACaseWithTensorsOfItsSizeThatItIsCorrectIn) {
  const fs::path folder = extracted(GetParam().name);
  EXPECT_THAT(contents(folder / "case.toml"), HasSubstr(GetParam().counts));
  const Outcome benched = bench(folder);
  EXPECT_EQ(benched.code, 0) << benched.out << benched.err;
  expect_verdict(benched, "correct");
}

INSTANTIATE_TEST_SUITE_P(
    OfTheModel, EachKernelOfSample,
    testing::Values(
        KernelOfSample{"gather", "[sizes.default]\nCOUNT_out0 = 300\n"},
        KernelOfSample{"scale_and_shift", "[sizes.default]\nCOUNT_out0 = 300\nCOUNT_in0 = 300\n\n"},
        KernelOfSample{"softmax", "[sizes.default]\nCOUNT_out0 = 300\nCOUNT_in0 = 300\n\n"},
        KernelOfSample{"row_sums", "[sizes.default]\nCOUNT_out0 = 6\nCOUNT_in0 = 300\n\n"},
        KernelOfSample{"add_scaled",
                       "[sizes.default]\nCOUNT_out0 = 300\nCOUNT_in0 = 300\nCOUNT_in1 = 300\n\n"},
        KernelOfSample{"decay", "[sizes.default]\nCOUNT_inout0 = 300\nCOUNT_in0 = 300\n\n"},
        KernelOfSample{"histogram", "[sizes.default]\nCOUNT_inout0 = 16\nCOUNT_in0 = 300\n\n"},
        KernelOfSample{"prefix", "[sizes.default]\nCOUNT_out0 = 16\nCOUNT_in0 = 15\n\n"}),
    [](const auto& kernel) { return std::string(kernel.param.name); });

TEST_F(ExtractOfProgram, ChangesNoResultOfTheProgram) {
  const std::string alone = checksum_in(run_alone(sample()).out);
  const Outcome done = extract({"--top", "2"}, sample());
  EXPECT_THAT(alone, Not(IsEmpty()));
  EXPECT_EQ(checksum_in(done.out), alone);
}

TEST_F(ExtractOfProgram, LeavesNothingBesideTheCase) {
  const fs::path folder = extracted("decay");
  EXPECT_THAT(listing(), ElementsAre("autokernel-profile.json", "cases"));
  EXPECT_THAT(files_below(folder),
              ElementsAre("capture", "capture/.gitignore", "capture/in0.bin", "capture/inout0.bin",
                          "capture/original.ptx", "case.toml", "kernel.cu", "original.toml"));
  expect_nothing_left();
}

TEST_F(ExtractOfProgram, KeepsCodeAndValuesToTheUserAndOutOfGit) {
  const fs::path capture = extracted("decay") / "capture";
  EXPECT_EQ(fs::status(capture).permissions(), fs::perms::owner_all);
  EXPECT_THAT(contents(capture / ".gitignore"), HasSubstr("\n*\n"));
}

TEST_F(ExtractOfProgram, TakesTheFirstKernelsOfTheProfileAndSaysHowToMeasureTheFirst) {
  nlohmann::json profile = json_in("autokernel-profile.json");
  std::vector<nlohmann::json> kernels = profile["kernels"];
  std::ranges::sort(kernels, std::greater{},
                    [](const nlohmann::json& kernel) { return std::string(kernel["short_name"]); });
  profile["kernels"] = kernels;
  scratch_.write("work/sorted.json", profile.dump());
  const Outcome done = extract({"--profile", "sorted.json", "--top", "2"}, sample());
  EXPECT_THAT(done.out, AllOf(HasSubstr("captured    6 launches of 2 kernels\n"),
                              HasSubstr("autokernel bench --case cases/softmax\n")));
}

TEST_F(ExtractOfProgram, PutsNoCaseInThePlaceOfAnother) {
  const fs::path folder = extracted("decay");
  const std::string before = contents(folder / "case.toml");
  EXPECT_THAT(extract({"--kernel", "decay"}, sample()).out, HasSubstr("cases/decay_2: "));
  EXPECT_EQ(contents(folder / "case.toml"), before);
}

TEST_F(ExtractOfProgram, TakesTheLaunchThatIsAskedFor) {
  const fs::path folder = extracted("decay", {"--launch", "2"});
  EXPECT_THAT(contents(folder / "case.toml"), HasSubstr("\n# launch 2 of it, "));
}

TEST_F(ExtractOfProgram, KeepsTheValuesOfSeveralLaunches) {
  const fs::path folder = extracted("decay");
  constexpr std::uintmax_t kBytesOfOne = 300 * sizeof(float);
  EXPECT_EQ(fs::file_size(folder / "capture" / "inout0.bin"), 3 * kBytesOfOne);
}

TEST_F(ExtractOfProgram, SaysWhichLaunchDidNotCome) {
  const Outcome done = extract({"--kernel", "decay", "--launch", "99"}, sample());
  EXPECT_EQ(done.code, 3);
  EXPECT_THAT(done.out, AllOf(HasSubstr("refused: "), HasSubstr("99")));
}

TEST_F(ExtractOfProgram, SaysThatAProgramDoesOtherwiseThanInItsProfile) {
  const Outcome done = extract({"--kernel", "decay"}, {"/bin/true"});
  EXPECT_EQ(done.code, 3);
  EXPECT_THAT(done.out, HasSubstr("refused: the program did not launch it this time\n"));
  EXPECT_THAT(listing(), ElementsAre("autokernel-profile.json"));
}

TEST_F(ExtractOfProgram, RefusesKernelsOfGraphsAndSaysWhy) {
  const Outcome done = extract({"--kernel", "decay"}, sample({"--graph"}));
  EXPECT_EQ(done.code, 3);
  EXPECT_THAT(done.out, AllOf(HasSubstr("refused: it is launched by a CUDA graph"),
                              HasSubstr("run the program without graphs")));
}

TEST_F(ExtractOfProgram, RefusesKernelsOfGraphsThatAreMadeNodeByNodeAndSaysWhy) {
  const Outcome done = extract({"--kernel", "scale_and_shift"}, sample({"0", "--node"}));
  EXPECT_EQ(done.code, 3);
  EXPECT_THAT(done.out, HasSubstr("refused: it is launched by a CUDA graph"));
}

// The largest row of the first step is 11 of 20.
TEST_F(ExtractOfProgram, TakesAsMuchOfATableAsIsRead) {
  const fs::path folder = extracted("gather", {"--captures", "1"});
  EXPECT_THAT(contents(folder / "case.toml"), HasSubstr("COUNT_in0 = 600\nCOUNT_in1 = 6\n"));
  expect_verdict(bench(folder), "correct");
}

TEST_F(ExtractOfProgram, CapturesKernelsThatAreLoadedAnewForEachStep) {
  const Outcome done = extract({"--kernel", "decay"}, sample({"--unload"}));
  EXPECT_THAT(done.out, HasSubstr("captured    3 launches of 1 kernel\n"));
  expect_verdict(bench(file("cases/decay")), "correct");
}

TEST_F(ExtractOfProgram, CapturesLaunchesOfSeveralThreads) {
  const std::string alone = checksum_in(run_alone(sample({"--threads"})).out);
  const Outcome done = extract({"--kernel", "decay"}, sample({"--threads"}));
  EXPECT_EQ(checksum_in(done.out), alone);
  expect_verdict(bench(file("cases/decay")), "correct");
}

TEST_F(ExtractOfProgram, MakesCasesOfAProgramThatFailsAndSaysSo) {
  const Outcome done = extract({"--kernel", "decay"}, sample({"--exit", "7"}));
  EXPECT_THAT(done.out, HasSubstr("cases/decay: 2 tensors"));
  EXPECT_THAT(done.err, HasSubstr("exit code 7"));
}

TEST_F(ExtractOfProgram, MakesCasesOfAProgramThatCrashesAndSaysSo) {
  const Outcome done = extract({"--kernel", "decay"}, sample({"--crash"}));
  EXPECT_THAT(done.out, HasSubstr("cases/decay: 2 tensors"));
  EXPECT_THAT(done.err, HasSubstr("signal 11"));
}

TEST_F(ExtractOfProgram, KeepsNoMoreMemoryThanItMay) {
  const Outcome done = extract({"--kernel", "decay", "--budget", "0.000000001"}, sample());
  EXPECT_EQ(done.code, 3);
  EXPECT_THAT(done.out, AllOf(HasSubstr("refused: "), HasSubstr("--budget")));
}

TEST_F(ExtractOfProgram, SaysWhatListsTheKernelsWhereNoneHasThatName) {
  expect_early_refusal(extract({"--kernel", "attention"}, sample()), 2,
                       "no kernel of autokernel-profile.json has 'attention' in its name; "
                       "'autokernel profile' lists them");
}

TEST_F(ExtractOfProgram, SaysHowAProfileIsMadeWhereThereIsNone) {
  expect_early_refusal(extract({"--profile", "missing.json"}, sample()), 2, "autokernel profile");
}

TEST_F(ExtractOfProgram, RefusesAProfileThatIsNone) {
  scratch_.write("work/other.json", "{}");
  expect_early_refusal(extract({"--profile", "other.json"}, sample()), 2,
                       "cannot read the profile other.json: it is no profile; make one with");
}

TEST_F(ExtractOfProgram, RefusesAProfileThatIsCut) {
  const std::string whole = contents(file("autokernel-profile.json"));
  scratch_.write("work/cut.json", whole.substr(0, whole.size() / 2));
  expect_early_refusal(extract({"--profile", "cut.json"}, sample()), 2,
                       "cannot read the profile cut.json: ");
}

TEST_F(ExtractOfProgram, SaysWhatIsMissingWithoutAProgram) {
  expect_early_refusal(extract({}, {}), 2, "COMMAND is required");
}

TEST_F(ExtractOfProgram, RefusesAProgramThatIsNotThere) {
  expect_early_refusal(extract({}, {"./missing"}), 2, "cannot run './missing'");
}

TEST_F(ExtractOfProgram, RefusesNumbersThatMeanNothing) {
  expect_early_refusal(extract({"--top", "0"}, sample()), 2, "--top: ");
  expect_early_refusal(extract({"--captures", "0"}, sample()), 2, "--captures: ");
  expect_early_refusal(extract({"--launch", "-1"}, sample()), 2, "--launch: ");
  expect_early_refusal(extract({"--budget", "0"}, sample()), 2, "--budget: ");
}

TEST_F(ExtractOfProgram, SaysThatItCannotWriteACase) {
  const Outcome done = extract({"--kernel", "decay", "--out", "/proc/cases"}, sample());
  EXPECT_EQ(done.code, 3);
  EXPECT_THAT(done.err, StartsWith("autokernel: cannot make the folder /proc/cases/decay"));
  expect_nothing_left();
}

}  // namespace
}  // namespace autokernel::test
