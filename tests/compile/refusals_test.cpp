// Declarations that are missing or impossible: the reason says what to write, and where.
#include <gmock/gmock.h>

#include "compile/compiled.h"

namespace autokernel::compile {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// A file whose third line is the declaration.
std::string declaring(const std::string& launches) {
  return "#include <autokernel.cuh>\n\nAUTOKERNEL_LAUNCH(" + launches +
         ");\nextern \"C\" __global__ void f(float* x) { x[0] = 1; }\n";
}

TEST(MissingDeclaration, IsRefusedWithTheLineToWrite) {
  const Refusal result = refusal(
      "#include <autokernel.cuh>\nextern \"C\" __global__ void scale(float* x) { x[0] *= 2; }\n");

  EXPECT_THAT(
      result.reason,
      AllOf(
          HasSubstr("kernel.cu: it does not say how to launch its kernel scale"),
          HasSubstr(
              "AUTOKERNEL_LAUNCH({.kernel = \"scale\", .grid = {BLOCKS}, .block = {THREADS}});")));
}

TEST(MissingDeclaration, InAnEmptyFileIsRefused) {
  EXPECT_THAT(refusal("").reason, HasSubstr("it does not say how to launch its kernels"));
}

TEST(MissingDeclaration, IsOneInAnUnnamedNamespace) {
  const Refusal result = refusal(
      "#include <autokernel.cuh>\nnamespace {\nAUTOKERNEL_LAUNCH({.kernel = \"f\"});\n}\n"
      "extern \"C\" __global__ void f(float* x) { x[0] = 1; }\n");

  EXPECT_THAT(result.reason, HasSubstr("outside any unnamed namespace"));
}

TEST(SecondDeclaration, IsRefusedWithItsLine) {
  const Refusal result = refusal(
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = "
      "\"f\"});\nAUTOKERNEL_LAUNCH({.kernel = \"f\"});\n");

  EXPECT_THAT(result.reason, AllOf(StartsWith("kernel.cu:3: error: "),
                                   HasSubstr("AUTOKERNEL_LAUNCH stands once in a file")));
}

TEST(Declaration, WithoutTheHeaderIsRefusedWithTheInclude) {
  const Refusal result =
      refusal("AUTOKERNEL_LAUNCH({.kernel = \"f\"});\nextern \"C\" __global__ void f() {}\n");

  EXPECT_THAT(result.reason, AllOf(StartsWith("kernel.cu:1: error: "),
                                   HasSubstr("write #include <autokernel.cuh>")));
}

TEST(Declaration, OfAKernelThatIsNotThereNamesThoseThatAre) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"g\"}")).reason,
              StartsWith("kernel.cu:3: AUTOKERNEL_LAUNCH names the kernel \"g\", but the file has "
                         "f; mend the name"));
}

TEST(Declaration, OfAnOverloadedKernelIsRefused) {
  const Refusal result = refusal(
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"g\"});\n"
      "__global__ void g(float* x) { x[0] = 1; }\n__global__ void g(int* x) { x[0] = 1; }\n");

  EXPECT_THAT(result.reason, HasSubstr("write extern \"C\" before __global__"));
}

TEST(Declaration, WithoutAKernelInTheFileIsRefused) {
  EXPECT_THAT(refusal("#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\"});\n").reason,
              HasSubstr("the file has no __global__ function"));
}

TEST(Declaration, OfNothingIsRefused) {
  EXPECT_THAT(
      refusal(declaring("")).reason,
      StartsWith("kernel.cu:3: AUTOKERNEL_LAUNCH names no kernel; write AUTOKERNEL_LAUNCH({"));
  EXPECT_THAT(refusal(declaring("{.grid = {4}}")).reason,
              StartsWith("kernel.cu:3: launch 1 names no kernel"));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\"}, {.block = {4}}")).reason,
              StartsWith("kernel.cu:3: launch 2 names no kernel"));
}

TEST(Declaration, OfFiveLaunchesIsRefused) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\"}, {.kernel = \"f\"}, {.kernel = \"f\"}, {.kernel "
                                "= \"f\"}, {.kernel = \"f\"}"))
                  .reason,
              AllOf(StartsWith("kernel.cu:3: error: "), HasSubstr("one to four launches")));
}

TEST(Declaration, WithADimensionOfZeroSaysHowItCameToBe) {
  EXPECT_THAT(
      refusal(declaring("{.kernel = \"f\", .grid = {K / N}}")).reason,
      AllOf(
          StartsWith("kernel.cu:3: launch of \"f\": .grid.x is 0; it must be from 1 to 2147483647"),
          HasSubstr("write (N + TILE - 1) / TILE to round up")));
}

TEST(Declaration, WithAnImpossibleDimensionIsRefused) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .grid = {1, -3}}")).reason,
              HasSubstr(".grid.y is -3"));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .grid = {1, 65536}}")).reason,
              HasSubstr("it must be from 1 to 65535"));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .block = {2048}}")).reason,
              HasSubstr(".block.x is 2048"));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .block = {64, 64}}")).reason,
              HasSubstr("64 x 64 x 1 = 4096 threads"));
}

TEST(Declaration, WithImpossibleSharedMemoryIsRefused) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .shared_bytes = 1 << 20}")).reason,
              HasSubstr(".shared_bytes is 1048576"));
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .shared_bytes = -1}")).reason,
              HasSubstr(".shared_bytes is -1"));
}

TEST(Declaration, WithANameThatIsTooLongIsRefused) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"" + std::string(64, 'f') + "\"}")).reason,
              HasSubstr("at most 63 characters"));
}

TEST(Declaration, ThatIsNotConstantIsRefused) {
  const Refusal result = refusal(
      "#include <autokernel.cuh>\n__device__ int blocks;\nAUTOKERNEL_LAUNCH({.kernel = \"f\", "
      ".grid = {blocks}});\n");

  EXPECT_THAT(result.reason,
              AllOf(StartsWith("kernel.cu:3: error: "), HasSubstr("use constexpr values")));
}

TEST(Declaration, WithAFieldThatDoesNotExistNamesThoseThatDo) {
  EXPECT_THAT(refusal(declaring("{.kernel = \"f\", .threads = {32}}")).reason,
              HasSubstr("a launch has .kernel, .grid, .block and .shared_bytes"));
}

TEST(Declaration, ThatIsAForgeryIsRefused) {
  const Refusal result = refusal(
      "extern \"C\" __constant__ int autokernel_launch[124] = {1, 2, 3};\nextern \"C\" __global__ "
      "void f(float* x) {}\n");

  EXPECT_THAT(result.reason, HasSubstr("autokernel_launch"));
}

TEST(Workspace, OfNoBytesIsRefused) {
  EXPECT_THAT(refusal(with_kernel("AUTOKERNEL_WORKSPACE(0);", "x[0] = 1;")).reason,
              StartsWith("kernel.cu:2: the workspace has 0 bytes; it must have from 1 to"));
}

TEST(Workspace, DeclaredTwiceIsRefused) {
  EXPECT_THAT(
      refusal(with_kernel("AUTOKERNEL_WORKSPACE(1);\nAUTOKERNEL_WORKSPACE(2);", "x[0] = 1;"))
          .reason,
      AllOf(StartsWith("kernel.cu:3: error: "), HasSubstr("AUTOKERNEL_WORKSPACE stands once")));
}

}  // namespace
}  // namespace autokernel::compile
