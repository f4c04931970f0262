// Submissions to KernelBench and gpu-mode, as files of a kernel. What becomes of them with PyTorch
// is in tests/torch.
#include "autokernel/bridge/submission.h"

#include <gmock/gmock.h>

#include "autokernel/base/error.h"

namespace autokernel::bridge {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;
using testing::Pair;

using CaseFiles = std::map<std::string, std::string>;

constexpr const char* kKernelBench = R"({"file": "7_Affine.py", "sizes": [{"arguments": {},
  "shapes": {"x": [8, 4], "scale": [4]}, "structure": {"device": "meta",
  "inputs": [null, {"name": "x"}], "state": [{"name": "scale", "path": "scale"}],
  "outputs": [{"name": "output"}]}}]})";
constexpr const char* kGpuMode = R"({"file": "problem.py", "sizes": [{"arguments": {},
  "shapes": {"x": [8]}, "structure": {"device": "meta",
  "data": [{"name": "x", "changed": true}, {"name": "y", "allocated": true}, null],
  "outputs": [{"name": "y", "result": 0, "leaf": 1}]}}]})";

SolutionKernel kernel_in(const CaseFiles& files) {
  return kernel_of_submission({.file = "mine.py", .text = "# mine\n"},
                              [&](const std::string& name) -> std::optional<std::string> {
                                const auto found = files.find(name);
                                if (found == files.end()) return std::nullopt;
                                return found->second;
                              });
}

std::string refusal_of(const CaseFiles& files) {
  try {
    (void)kernel_in(files);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SubmissionTo, KernelBenchIsGivenInputsAndState) {
  const SolutionKernel kernel =
      kernel_in({{"problem.json", kKernelBench}, {"7_Affine.py", "# Model"}, {"task.py", "# no"}});
  EXPECT_EQ(kernel.main, "kernel.py");
  EXPECT_THAT(kernel.files,
              ElementsAre(Key("kernel.py"), Key("problem/7_Affine.py"),
                          Key("problem/call_submission.py"), Key("problem/foreign.py"),
                          Key("problem/problem.json"), Pair("submission.py", "# mine\n")));
  EXPECT_THAT(kernel.files.at("kernel.py"),
              AllOf(HasSubstr("as KernelBench does"), HasSubstr(R"(inputs=["x","scale"])"),
                    HasSubstr(R"(outputs=["output"])"), HasSubstr(R"(name="ModelNew")")));
}

TEST(SubmissionTo, GpuModeIsGivenItsDataAndWhatLiesBesideTheProblem) {
  const SolutionKernel kernel =
      kernel_in({{"problem.json", kGpuMode}, {"problem.py", "# problem"}, {"task.py", "# task"}});
  EXPECT_EQ(kernel.files.at("problem/task.py"), "# task");
  EXPECT_THAT(kernel.files.at("kernel.py"),
              AllOf(HasSubstr("as gpu-mode does"), HasSubstr(R"(inputs=["x","y"])"),
                    HasSubstr(R"(outputs=["x","y"])"), HasSubstr(R"(name="custom_kernel")")));
}

TEST(SubmissionTo, NeedsACaseOfSuchAProblem) {
  EXPECT_THAT(refusal_of({}), HasSubstr("cannot evaluate mine.py: the case is of no problem"));
  EXPECT_THAT(refusal_of({{"problem.json", R"({"axes": {}, "inputs": []})"}}),
              HasSubstr("of no problem of KernelBench or gpu-mode"));
  EXPECT_THAT(refusal_of({{"problem.json", "{"}}), HasSubstr("problem.json"));
  EXPECT_THAT(refusal_of({{"problem.json", kGpuMode}}), HasSubstr("has no file problem.py"));
  for (const std::string file : {"../secret", "/etc/passwd", "foreign.py", "a/b.py"}) {
    std::string text = kKernelBench;
    text.replace(text.find("7_Affine.py"), 11, file);
    EXPECT_THAT(refusal_of({{"problem.json", text}, {file, "# there"}}),
                HasSubstr("names a file that is none of a problem"));
  }
}

TEST(SubmissionTo, ADamagedProblemIsRefused) {
  const std::string whole = kKernelBench;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_NE(refusal_of({{"problem.json", whole.substr(0, length)}, {"7_Affine.py", ""}}),
              "accepted");
  }
}

}  // namespace
}  // namespace autokernel::bridge
