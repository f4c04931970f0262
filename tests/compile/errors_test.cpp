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
                    HasSubstr("for <cstdint> write <cuda/std/cstdint>")));
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

}  // namespace
}  // namespace autokernel::compile
