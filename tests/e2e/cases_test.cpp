// A case of every kind: its honest kernels are found correct, and wrong ones are refused with what
// gives them away.
#include <gmock/gmock.h>

#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::filesystem::path kCases = AUTOKERNEL_SOURCES "/tests/data";

class Cases : public Workplace {
 protected:
  // `file` lies in the folder of the case.
  [[nodiscard]] Outcome bench_case(const std::string& name, const std::string& file,
                                   const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {
        "bench", "--device", "cpu", "--case", kCases / name, "--kernel", kCases / name / file};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_autokernel(arguments);
  }
  [[nodiscard]] std::filesystem::path copy_of(const std::string& name) const {
    const std::filesystem::path copy = scratch_.path() / "copies" / name;
    std::filesystem::create_directories(copy.parent_path());
    std::filesystem::copy(kCases / name, copy, std::filesystem::copy_options::recursive);
    return copy;
  }
};

struct Honest {
  std::string name;  // of the test
  std::string folder;
  std::string file;
  std::string problem;
};

class HonestKernelOf : public Cases, public testing::WithParamInterface<Honest> {};

TEST_P(HonestKernelOf, IsCorrect) {
  const Outcome run = bench_case(GetParam().folder, GetParam().file);
  EXPECT_EQ(run.code, 0) << run.out << run.err;
  EXPECT_EQ(value_of("correct", run.out), "True");
  EXPECT_EQ(value_of("problem", run.out), GetParam().problem);
  EXPECT_THAT(run.err, IsEmpty());
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(
    Each, HonestKernelOf,
    testing::Values(
        Honest{"AnUpdateInPlace", "axpy", "kernel.cu", "y = 2.5x + y, 1048576 elements float32"},
        Honest{"AReduction", "row_sums", "kernel.cu", "sums of 1024 rows of 4096 float32"},
        Honest{"AReductionInTheOrderOfTheReference", "row_sums", "reference.cu",
               "sums of 1024 rows of 4096 float32"},
        Honest{"TwoLaunchesWithAWorkspace", "split_k", "kernel.cu",
               "MatMul [64,4096] x [4096,64] float16"},
        Honest{"TwoLaunchesWithAWorkspaceOfZeros", "split_k", "zeroed.cu",
               "MatMul [64,4096] x [4096,64] float16"},
        Honest{"WholeNumbers", "histogram", "kernel.cu", "histogram of 262144 int32"},
        Honest{"Bytes", "blur", "kernel.cu", "3 x 3 blur of 480 x 640 uint8"},
        Honest{"Halves", "bias_relu", "kernel.cu", "max(x + bias, 0), 512 x 1024 float16"}),
    [](const auto& tested) { return tested.param.name; });

struct Wrong {
  std::string name;  // of the test
  std::string folder;
  std::string file;
  std::string reason;  // a part of it
};

class WrongKernelThat : public Cases, public testing::WithParamInterface<Wrong> {};

TEST_P(WrongKernelThat, IsRefused) {
  const Outcome run = bench_case(GetParam().folder, "wrong/" + GetParam().file + ".cu");
  EXPECT_EQ(run.code, 11) << run.out << run.err;
  EXPECT_EQ(value_of("verdict", run.out), "incorrect");
  EXPECT_THAT(value_of("reason", run.out), HasSubstr(GetParam().reason));
  EXPECT_THAT(value_of("median_us", run.out), IsEmpty());
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongKernelThat,
    testing::Values(
        Wrong{"LeavesATensorInPlaceAsItWas", "axpy", "leaves_y", "elements differ"},
        Wrong{"OverwritesInsteadOfUpdating", "axpy", "forgets_y", "elements differ"},
        Wrong{"UpdatesTwice", "axpy", "launched_twice", "elements differ"},
        Wrong{"LeavesOutATerm", "row_sums", "leaves_out_a_column", " of 256 elements differ"},
        Wrong{"IsALittleWorseEverywhere", "row_sums", "two_bf16_terms",
              "sums: the root mean square error against fp64 is "},
        Wrong{"AddsUpInF16", "split_k", "adds_up_in_f16", "(exact inputs, "},
        Wrong{"ForgetsAPart", "split_k", "forgets_a_part", "(exact inputs, "},
        Wrong{"LeavesOutALaunch", "split_k", "one_launch", "(exact inputs, "},
        Wrong{"TrustsTheWorkspace", "split_k", "trusts_the_workspace", "(exact inputs, "},
        // Which counts are lost is chance: one of 100 may come out right, the first too.
        Wrong{"LosesCountsInARace", "histogram", "counts_without_atomics",
              " of 100 elements differ"},
        Wrong{"AddsToWhatWasInTheOutput", "histogram", "never_clears", "counts[0] = "},
        Wrong{"RoundsBytesDown", "blur", "cuts_off", "largest difference 1"},
        Wrong{"IsWrongAtTheBorder", "blur", "dark_border", " of 1961 elements differ"},
        Wrong{"LeavesOutAColumn", "blur", "one_column_short", "blurred["},
        Wrong{"LeavesOutTheMaximum", "bias_relu", "leaves_negatives", ", expected 0 "},
        Wrong{"RoundsHalvesToBf16", "bias_relu", "rounds_to_bf16", "elements differ"}),
    [](const auto& tested) { return tested.param.name; });

TEST_F(Cases, WhoseReferencesDisagreeAreForTheirAuthorToFix) {
  const std::filesystem::path copy = copy_of("row_sums");
  std::string text = contents(copy / "reference_fp64.cu");
  text.replace(text.find("col = 0"), 7, "col = 1");
  scratch_.write("copies/row_sums/reference_fp64.cu", text);

  const Outcome run = run_autokernel({"bench", "--device", "cpu", "--case", copy});

  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_THAT(run.err, AllOf(HasSubstr("the references of case RowSums disagree: sums["),
                             HasSubstr("fix them in " + copy.string())));
}

TEST_F(Cases, WhoseReferenceTakesOtherTensorsAreForTheirAuthorToFix) {
  const std::filesystem::path copy = copy_of("axpy");
  std::string text = contents(copy / "reference.cu");
  text.replace(text.find("float* y"), 8, "float* y, int n");
  scratch_.write("copies/axpy/reference.cu", text);

  const Outcome run = run_autokernel({"bench", "--device", "cpu", "--case", copy});

  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_THAT(run.err, AllOf(HasSubstr("cannot use the reference kernel of case Axpy: "
                                       "reference.cu:10: the kernel reference has 3 parameters"),
                             HasSubstr("write reference(const float* x, float* y)")));
}

TEST_F(Cases, WithAMistakeNameFileLineAndColumn) {
  const std::filesystem::path copy = copy_of("axpy");
  std::string text = contents(copy / "case.toml");
  text.replace(text.find("\"f32\""), 5, "\"f23\"");
  scratch_.write("copies/axpy/case.toml", text);

  const Outcome run = run_autokernel({"bench", "--device", "cpu", "--case", copy});

  EXPECT_EQ(run.code, 2) << run.out;
  EXPECT_EQ(run.err, "autokernel: " + copy.string() +
                         "/case.toml:14:9: [[tensor]] x dtype is \"f23\"; write \"f64\", \"f32\", "
                         "\"f16\", \"bf16\", \"e4m3\", \"e5m2\", \"i64\", \"i32\", \"i16\", "
                         "\"i8\", \"u32\", \"u8\", \"bool\", \"complex64\", \"e2m1x2\" or \"e8m0\" "
                         "(did you mean \"f32\"?)\n");
}

}  // namespace
}  // namespace autokernel::test
