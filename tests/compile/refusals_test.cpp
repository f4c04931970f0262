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
          HasSubstr("kernel.cu:1: it does not say how to launch its kernel scale"),
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
                                   HasSubstr("AUTOKERNEL_LAUNCH occurs once in a file")));
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
                         "f; fix the name"));
}

TEST(Declaration, OfAnInstanceThatNothingMakesSaysWhatMakesIt) {
  const std::string source =
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"rmsnorm<256>\"});\n"
      "template <int THREADS>\n__global__ void rmsnorm(const float* x, float* y) { y[0] = "
      "x[THREADS]; "
      "}\n";
  const std::string line = "template __global__ void rmsnorm<256>(const float* x, float* y);";

  EXPECT_THAT(
      refusal(source).reason,
      AllOf(StartsWith("kernel.cu:2: AUTOKERNEL_LAUNCH names \"rmsnorm<256>\", an instance of "
                       "a template that nothing in the file makes"),
            HasSubstr(line), HasSubstr("extern \"C\"")));
  EXPECT_EQ(program(source + line + "\n").declaration.launches.size(), 1U);
}

TEST(Declaration, OfAnInstanceMayBeWrittenWithoutBlanks) {
  const std::string source =
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f<float,2>\"});\n"
      "template <class T, int N> __global__ void f(T* x) { x[0] = N; }\n"
      "template __global__ void f<float, 2>(float*);\n";

  EXPECT_EQ(program(source).declaration.launches[0].kernel, "_Z1fIfLi2EEvPT_");
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
      AllOf(StartsWith("kernel.cu:3: error: "), HasSubstr("AUTOKERNEL_WORKSPACE occurs once")));
}

TEST(Workspace, OfMoreThanAGibibyteIsRefused) {
  EXPECT_THAT(
      refusal(with_kernel("AUTOKERNEL_WORKSPACE((1LL << 30) + 1);", "x[0] = 1;")).reason,
      StartsWith("kernel.cu:2: the workspace has 1073741825 bytes; it must have from 1 to"));
}

TEST(MissingDeclaration, InAFileWithoutTheHeaderNamesItsFirstLine) {
  EXPECT_THAT(
      refusal("\n\nextern \"C\" __global__ void f(float* x) { x[0] = 1; }\n").reason,
      StartsWith("kernel.cu:1: it does not say how to launch its kernel f; below #include "));
}

TEST(SharedMemory, ThatIsDeclaredBeyondTheLimitIsRefusedWithItsLine) {
  EXPECT_THAT(refusal(with_kernel("",
                                  "__shared__ float s[75 << 10];\ns[threadIdx.x] = x[0];\n"
                                  "__syncthreads();\nx[1] = s[7];"))
                  .reason,
              AllOf(StartsWith("kernel.cu:5: f declares 307200 bytes of __shared__ memory"),
                    HasSubstr("give its size as .shared_bytes")));
}

// A kernel whose line 3 is the declaration, with 40 KiB of shared memory of its own.
std::string sharing(const std::string& shared_bytes) {
  return "#include <autokernel.cuh>\n\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .block = {32}, "
         ".shared_bytes = " +
         shared_bytes +
         "});\nextern \"C\" __global__ void f(float* x) {\n__shared__ float s[10 << 10];\n"
         "extern __shared__ float d[];\ns[threadIdx.x] = x[0];\nd[threadIdx.x] = x[1];\n"
         "__syncthreads();\nx[2] = s[3] + d[4];\n}\n";
}

TEST(SharedMemory, ThatIsDeclaredAndAskedForMustFitTogether) {
  EXPECT_THAT(refusal(sharing("200 << 10")).reason,
              AllOf(StartsWith("kernel.cu:3: launch of \"f\": the kernel's __shared__ objects have "
                               "40960 bytes and .shared_bytes requests 204800 more"),
                    HasSubstr("a block of sm_90 has at most 232448 in all")));
  EXPECT_EQ(program(sharing("187 << 10")).declaration.launches[0].shared_bytes, 187U << 10U);
}

TEST(SharedMemory, FitsTheArchitectureThatIsCompiledFor) {
  const Compilation result =
      Compiler::open().compile({sharing("100 << 10"), "kernel.cu", "sm_86", {{"M", 1}}});

  ASSERT_TRUE(std::holds_alternative<Refusal>(result));
  EXPECT_THAT(std::get<Refusal>(result).reason, HasSubstr("a block of sm_86 has at most 101376"));
}

TEST(Block, LargerThanTheKernelPromisesIsRefused) {
  EXPECT_THAT(
      refusal("#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .block = "
              "{16, 16}});\nextern \"C\" __global__ void __launch_bounds__(128) f(float* x) "
              "{ x[threadIdx.x] = 1; }\n")
          .reason,
      StartsWith("kernel.cu:2: launch of \"f\": .block has 256 threads, but "
                 "__launch_bounds__ of the kernel promises at most 128"));
}

// A hundred values that each thread holds at a time, in blocks of 1024 threads.
std::string greedy(const std::string& bounds) {
  return "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .block = "
         "{1024}});\nextern "
         "\"C\" __global__ void " +
         bounds +
         " f(float* x) {\nfloat a[100];\nfor (int i = 0; i < 100; ++i) a[i] = x[i + threadIdx.x];\n"
         "__syncthreads();\nfloat s = 0;\nfor (int i = 0; i < 100; ++i) s = s * s + a[99 - i];\n"
         "for (int i = 0; i < 100; ++i) s = s * a[i] + s;\nx[threadIdx.x] = s;\n}\n";
}

TEST(Block, WithMoreRegistersThanThereAreIsRefused) {
  EXPECT_THAT(
      refusal(greedy("")).reason,
      AllOf(StartsWith("kernel.cu:2: launch of \"f\": .block has 1024 threads, and the kernel "
                       "takes "),
            HasSubstr("write __launch_bounds__(1024)")));
  EXPECT_LE(program(greedy("__launch_bounds__(1024)")).resources.at("f").registers, 64U);
}

}  // namespace
}  // namespace autokernel::compile
