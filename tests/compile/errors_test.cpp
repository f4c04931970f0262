// Sources that do not compile: the reason is the first error, its line, and the line itself.
#include <gmock/gmock.h>

#include "compile/compiled.h"

namespace autokernel::compile {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::StartsWith;

TEST(CompileError, NamesTheLineAndShowsIt) {
  const Refusal result = refusal(with_kernel("", "  x[0] = undefined_name + 1;\n  y = 3;"));

  EXPECT_THAT(result.reason,
              StartsWith("kernel.cu:5: error: identifier \"undefined_name\" is undefined\n"
                         "    x[0] = undefined_name + 1;"));
  EXPECT_THAT(result.reason, testing::Not(HasSubstr("\"y\"")));
}

TEST(CompileError, KeepsTheWholeLog) {
  EXPECT_THAT(refusal(with_kernel("", "  x[0] = undefined_name + 1;\n  y = 3;")).log,
              AllOf(HasSubstr("undefined_name"), HasSubstr("\"y\" is undefined")));
}

TEST(CompileError, InAHeaderNamesTheLineThatLedToIt) {
  const Refusal result = refusal(with_kernel(
      "#include <cuda/std/array>", "cuda::std::array<float, 2> a;\nx[0] = cuda::std::get<5>(a);"));

  EXPECT_THAT(result.reason, StartsWith("kernel.cu:6: error: "));
  EXPECT_THAT(result.reason, HasSubstr("x[0] = cuda::std::get<5>(a);"));
}

TEST(CompileError, OfAHeaderOfTheHostSaysWhichToUse) {
  EXPECT_THAT(refusal(with_kernel("#include <vector>", "")).reason,
              AllOf(StartsWith("kernel.cu:2: error: cannot open source file \"vector\""),
                    HasSubstr("host code, which is not compiled here")));
}

TEST(CompileError, OfAHostFunctionSaysWhatToWrite) {
  EXPECT_THAT(refusal(with_kernel("int twice(int n) { return 2 * n; }", "")).reason,
              AllOf(StartsWith("kernel.cu:2: error: "), HasSubstr("write __device__")));
}

TEST(CompileError, InInlineAssemblyPointsThere) {
  EXPECT_THAT(refusal(with_kernel("", R"(asm("mov.f64 %0, 1;" : "=f"(x[0]));)")).reason,
              AllOf(ContainsRegex("kernel.cu:[0-9]+: ptxas"), HasSubstr("Arguments mismatch"),
                    HasSubstr("look at the inline asm")));
}

TEST(CompileError, OfTooMuchSharedMemorySaysHowMuchThereIs) {
  EXPECT_THAT(
      refusal(
          with_kernel("", "__shared__ float v[1 << 20]; v[threadIdx.x] = 1; x[0] = v[(int)x[1]];"))
          .reason,
      AllOf(HasSubstr("f declares 4194304 bytes of __shared__ memory"),
            HasSubstr("49152 are the most")));
}

TEST(CompileError, OfAFunctionOfTheHostThatIsOnlyDeclaredNamesIt) {
  const Refusal result = refusal(
      with_kernel("extern \"C\" __device__ int system(const char*);", "x[0] = system(\"true\");"));

  EXPECT_THAT(result.reason, HasSubstr("Unresolved extern function 'system'"));
}

TEST(CompileError, OfAZeroByteNamesItsLine) {
  std::string source = with_kernel("", "x[0] = 1;");
  source.insert(source.find("AUTOKERNEL"), 1, '\0');

  EXPECT_THAT(refusal(source).reason, StartsWith("kernel.cu:3: it holds a zero byte"));
}

TEST(Malloc, OfTheDeviceIsRefusedAsItsMemoryOutlivesTheLaunch) {
  EXPECT_THAT(
      refusal(with_kernel("", "float* p = (float*)malloc(4); *p = 1; x[0] = *p; free(p);")).reason,
      AllOf(HasSubstr("whose memory outlives the launch"), HasSubstr("AUTOKERNEL_WORKSPACE")));
  EXPECT_THAT(refusal(with_kernel("", "int* p = new int(3); x[0] = *p;")).reason,
              HasSubstr("it calls malloc"));
}

TEST(Printf, IsAllowed) {
  EXPECT_NO_THROW(static_cast<void>(program(with_kernel("", "printf(\"%f\\n\", x[0]);"))));
}

TEST(CompileError, SurvivesNestingWithoutEnd) {
  EXPECT_NO_THROW(static_cast<void>(refusal(std::string(200, '(') + "1" + std::string(150, ')'))));
}

// What is said of a file whose line 2 is `line`.
std::string said_of(const std::string& line) {
  return refusal("#include <autokernel.cuh>\n" + line +
                 "\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .block = {32}});\n"
                 "extern \"C\" __global__ void f(float* x) { x[0] = 1; }\n")
      .reason;
}
// The same of a kernel whose body is `body`.
std::string said_of_body(const std::string& body) { return refusal(with_kernel("", body)).reason; }

TEST(AnInclude, OfTheUsersOwnIsToBePutIntoTheFile) {
  EXPECT_THAT(said_of("#include \"body.cuh\""),
              AllOf(StartsWith("kernel.cu:2: error: "),
                    HasSubstr("put what it needs of body.cuh into it")));
}

TEST(AnInclude, OfTheHostsIsToBeDeletedOrReplaced) {
  EXPECT_THAT(said_of("#include <cmath>"), HasSubstr("delete it: functions of device math"));
  EXPECT_THAT(said_of("#include <float.h>"),
              AllOf(HasSubstr("<cuda/std/limits>"), HasSubstr("<math_constants.h>"),
                    HasSubstr("CUDART_INF_F")));
  EXPECT_THAT(said_of("#include <cstdint>"), HasSubstr("write <cuda/std/cstdint>"));
  EXPECT_THAT(said_of("#include <stdint.h>"), HasSubstr("write <cuda/std/cstdint>"));
  EXPECT_THAT(said_of("#include <iostream>"), HasSubstr("host code, which is not compiled here"));
  EXPECT_THAT(said_of("#include <assert.h>"), HasSubstr("__trap()"));
}

TEST(AName, OfTheHostsLimitsIsToBeReplaced) {
  EXPECT_THAT(said_of_body("x[0] = INFINITY;"),
              AllOf(HasSubstr("write CUDART_INF_F and #include <math_constants.h>")));
  EXPECT_THAT(said_of_body("x[0] = FLT_MAX;"),
              HasSubstr("cuda::std::numeric_limits<float>::max()"));
  EXPECT_THAT(said_of_body("uint32_t n = 1; x[n] = 1;"), HasSubstr("<cuda/std/cstdint>"));
  EXPECT_THAT(said_of_body("x[0] = std::max(x[0], x[1]);"), HasSubstr("write max(a, b)"));
  EXPECT_THAT(said_of_body("x[0] = std::exp(x[1]);"), HasSubstr("cuda::std::exp"));
}

TEST(WhatReplacesAName, Compiles) {
  static_cast<void>(program(with_kernel(
      "#include <math_constants.h>\n#include <cuda/std/limits>\n#include <cuda/std/cstdint>",
      "cuda::std::uint32_t n = 1; x[n] = CUDART_INF_F + CUDART_NAN_F + CUDART_PI_F +"
      " cuda::std::numeric_limits<float>::max() + max(x[2], x[3]);")));
}

TEST(HostCode, IsToBeDeleted) {
  for (const char* host :
       {"int main() { return 0; }", "void run(float* x) {\n  f<<<1, 32>>>(x);\n}",
        "void run() { float* p; cudaMalloc(&p, 4); }", "__host__ void run() {}"}) {
    EXPECT_THAT(said_of(host), HasSubstr("delete it: host code is not compiled here")) << host;
  }
  EXPECT_THAT(said_of_body("cudaMalloc((void**)&x, 4);"),
              HasSubstr("delete it: host code is not compiled here"));
}

TEST(AFunctionThatALaunchCalls, IsToBeMarkedAndNotDeleted) {
  const std::string said =
      said_of("constexpr int div_up(int a, int b) { return (a + b - 1) / b; }");

  EXPECT_THAT(said, HasSubstr("write __device__ before it: "));
  EXPECT_THAT(said, testing::Not(HasSubstr("delete")));
}

TEST(ALaunch, WithoutItsBracesIsToldOfThem) {
  const std::string source =
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH(.kernel = \"f\", .grid = {1}, .block = {32});\n"
      "extern \"C\" __global__ void f(float* x) { x[0] = 1; }\n";

  EXPECT_THAT(refusal(source).reason,
              AllOf(StartsWith("kernel.cu:2: error: "), HasSubstr("write each launch in braces")));
}

TEST(ALaunch, ThatNamesAnInstanceByAConstantIsToldWhatThereIs) {
  const std::string source =
      "#include <autokernel.cuh>\nconstexpr int T = 256;\n"
      "AUTOKERNEL_LAUNCH({.kernel = \"f<T>\", .block = {32}});\n"
      "template <int V> __global__ void f(float* x) { x[0] = V; }\n"
      "template __global__ void f<T>(float*);\n";

  EXPECT_THAT(refusal(source).reason,
              StartsWith("kernel.cu:3: AUTOKERNEL_LAUNCH names \"f<T>\", but the file makes "
                         "\"f<256>\": write values there"));
}

TEST(AnOpenBrace, IsNamedWithItsLine) {
  const std::string source =
      "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\", .block = {32}});\n"
      "extern \"C\" __global__ void f(float* x) {\n  x[0] = 1;\n";

  EXPECT_THAT(refusal(source).reason,
              AllOf(StartsWith("kernel.cu:3: error: expected a \"}\""),
                    HasSubstr("extern \"C\" __global__ void f(float* x) {")));
}

TEST(AFileName, MayHoldWhatEndsAStringInThePtx) {
  const std::string name = "my\"odd\\k.cu";
  const Compiler compiler = Compiler::open();
  const auto compiled = [&](const std::string& source) {
    return compiler.compile({{name, source}, "sm_90a", {{"M", 1}, {"N", 1}, {"K", 1}}});
  };

  EXPECT_TRUE(std::holds_alternative<Program>(compiled(with_kernel("", "x[0] = 1;"))));
  EXPECT_THAT(std::get<Refusal>(compiled(with_kernel("", "x[0] = y;"))).reason,
              StartsWith(name + ":5: error: "));
}

TEST(AHeaderOfCudas, ThatDoesNotCompileIsReportedAtItsInclude) {
  EXPECT_THAT(said_of("#include <cudaProfiler.h>"),
              AllOf(StartsWith("kernel.cu:2: error: <cudaProfiler.h> does not compile here: "),
                    HasSubstr("delete this include")));
  EXPECT_THAT(said_of("#include <thrust/device_vector.h>"),
              AllOf(StartsWith("kernel.cu:2: error: <thrust/device_vector.h> does not"),
                    HasSubstr("thrust is called by host code")));
}

TEST(AFunctionThatAKernelMayCall, IsToBeMarked) {
  EXPECT_THAT(said_of("float half_of(float x) { return x / 2; }"),
              HasSubstr("write __device__ before it where a kernel calls it, else delete it"));
  EXPECT_THAT(said_of("float table[3];"), HasSubstr("write __device__, __constant__ or constexpr"));
}

TEST(AByteOrderMark, IsNoError) {
  EXPECT_EQ(program("\xEF\xBB\xBF" + with_kernel("", "x[0] = 1;")).declaration.line, 3U);
}

}  // namespace
}  // namespace autokernel::compile
