// Kernels that are right in their case, and try something in the program.
#include <gmock/gmock.h>

#include <filesystem>
#include <string>

#include "e2e/program_workplace.h"
#include "e2e/workplace.h"

namespace autokernel::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class AttackOnProgram : public ExtractionWorkplace {
 protected:
  // The case of scale_and_shift with that in the kernel's place.
  [[nodiscard]] Outcome verify(const std::string& kernel, const Words& options,
                               const Words& program) const {
    scratch_.write(
        extracted("scale_and_shift") / "kernel.cu",
        "#include <autokernel.cuh>\n"
        "AUTOKERNEL_LAUNCH({.kernel = \"scale\", .grid = {1}, .block = {512},\n"
        "                   .arguments = \"" +
            std::string(kernel.find("scratch") == std::string::npos ? "" : "workspace, ") +
            "in0, out0, value3, value2\"});\n" + kernel);
    return run(on_program("verify", options, program));
  }
  // A kernel has these parameters, and this is what it has to do.
  static constexpr const char* kParameters =
      "const float* in0, float* out0, float shift, float factor";
  static constexpr const char* kRight =
      "  const int i = threadIdx.x;\n"
      "  if (i < COUNT_out0) out0[i] = in0[i] * factor + shift;\n";
  // In the program, both tensors are parts of one allocation; in a case they are not.
  static constexpr const char* kIsInProgram =
      "  const bool is_in_program = llabs((long long)in0 - (long long)out0) < 65536;\n";

  [[nodiscard]] static std::string kernel(const std::string& before, const std::string& body) {
    return before + "extern \"C\" __global__ void scale(" + kParameters + ") {\n" + body + "}\n";
  }
};

TEST_F(AttackOnProgram, RightOnlyWhereTensorsLieAsInACaseIsWrong) {
  const Outcome verified = verify(kernel("", std::string(kIsInProgram) + kRight +
                                                 "  if (is_in_program && i == 7) out0[i] += 1;\n"),
                                  {"--pairs", "3"}, sample({"20"}));
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out,
              AllOf(HasSubstr("scale_and_shift: correct"), HasSubstr("scale_and_shift: wrong: "),
                    HasSubstr("element 7 of out0 is ")));
}

// Of the original, too, the next step would read what is left there.
TEST_F(AttackOnProgram, AKernelThatSpoilsItsInputsIsWrong) {
  const Outcome verified =
      verify(kernel("", std::string(kIsInProgram) + kRight +
                            "  __syncthreads();\n"
                            "  if (is_in_program && i < COUNT_in0) ((float*)in0)[i] = 0;\n"),
             {"--pairs", "3"}, sample({"20"}));
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out, AllOf(HasSubstr("scale_and_shift: wrong: "),
                                  HasSubstr(" of in0 is 0, the original's ")));
}

TEST_F(AttackOnProgram, AKernelThatSpoilsItsInputsInAGraphIsWrong) {
  const Outcome verified =
      verify(kernel("", std::string(kIsInProgram) + kRight +
                            "  __syncthreads();\n"
                            "  if (is_in_program && i < COUNT_in0) ((float*)in0)[i] = 0;\n"),
             {"--pairs", "3"}, sample({"20", "--graph"}));
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("scale_and_shift: wrong: "));
}

// What lies between tensors could remember launches.
TEST_F(AttackOnProgram, AKernelThatWritesBesideItsTensorsIsWrong) {
  const Outcome verified =
      verify(kernel("", std::string(kIsInProgram) + kRight +
                            "  if (is_in_program && i == 0) out0[COUNT_out0 + 2] += 1;\n"),
             {"--pairs", "3"}, sample({"20"}));
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("it changed memory beside its tensors"));
}

// In the last of a tensor's elements lies one so large that, moved by one place, it moves by more
// than all others are. Their bounds stay what they are.
TEST_F(AttackOnProgram, OneLargeElementWidensNoOthersBounds) {
  const Outcome verified =
      verify(kernel("", std::string(kIsInProgram) + kRight +
                            "  if (is_in_program && i > 0 && i < COUNT_out0) out0[i] += 0.01F;\n"),
             {"--pairs", "3"}, sample({"20"}));
  EXPECT_EQ(verified.code, 11) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("scale_and_shift: wrong: "));
}

// The variable is set back before each launch, compared or not.
TEST_F(AttackOnProgram, AVariableRemembersNoLaunch) {
  const Outcome verified =
      verify(kernel("__device__ int launches;\n",
                    std::string("  const int before = launches;\n  __syncthreads();\n") + kRight +
                        "  if (before > 2 && i < COUNT_out0) out0[i] = 0;\n"
                        "  if (i == 0) launches = before + 1;\n"),
             {"--pairs", "3", "--same-output"}, sample({"30"}));
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("30 of 30 launches replaced"));
}

TEST_F(AttackOnProgram, AWorkspaceRemembersNoLaunch) {
  const Outcome verified = verify(
      "AUTOKERNEL_WORKSPACE(8);\n"
      "extern \"C\" __global__ void scale(int* scratch, const float* in0, float* out0, float "
      "shift, "
      "float factor) {\n"
      "  const int before = scratch[0] == 0x1234567 ? scratch[1] : 0;\n  __syncthreads();\n" +
          std::string(kRight) +
          "  if (before > 2 && i < COUNT_out0) out0[i] = 0;\n"
          "  if (i == 0) { scratch[0] = 0x1234567; scratch[1] = before + 1; }\n}\n",
      {"--pairs", "3", "--same-output"}, sample({"30"}));
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("30 of 30 launches replaced"));
}

TEST_F(AttackOnProgram, WhatMakesTheProgramSlowerIsNoGain) {
  const Outcome verified =
      verify(kernel("", std::string(kIsInProgram) + kRight +
                            "  if (is_in_program) {\n"
                            "    float sum = 0;\n"
                            "    for (int k = 0; k < 100000; ++k) sum += __fsqrt_rn(k + in0[0]);\n"
                            "    if (sum == 12345) out0[0] = sum;\n"
                            "  }\n"),
             {}, sample({"20"}));
  EXPECT_EQ(verified.code, 10) << verified.out << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("the program  slower: 0."));
}

}  // namespace
}  // namespace autokernel::test
