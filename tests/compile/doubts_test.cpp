// What is no mistake to the compiler, and probably one to whoever wrote it.
#include <gmock/gmock.h>

#include "compile/compiled.h"

namespace autokernel::compile {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> doubts_about(const std::string& launches, const std::string& kernels) {
  const std::string source = "#include <autokernel.cuh>\n" + launches + "\n" + kernels + "\n";
  return doubts(program(source), {{"x", "float* x"}, {"y", "float* y"}}, {"kernel.cu", source});
}
std::string launch(const std::string& fields = "") {
  return "AUTOKERNEL_LAUNCH({.kernel = \"f\"" + fields + "});";
}
std::string kernel(const std::string& parameters) {
  return "extern \"C\" __global__ void f(" + parameters + ") { asm volatile(\"\"); }";
}

TEST(Doubts, AreNoneAboutParametersThatAreCalledWhatTheyAreGiven) {
  EXPECT_THAT(doubts_about(launch(), kernel("const float* x, float* y")), IsEmpty());
  EXPECT_THAT(doubts_about(launch(), kernel("const float* __restrict__ in, float*")), IsEmpty());
  EXPECT_THAT(doubts_about(launch(), kernel("const float*, float* y")), IsEmpty());
  EXPECT_THAT(doubts_about(launch(", .arguments = \"y, x\""), kernel("const float* y, float* x")),
              IsEmpty());
}

TEST(Doubts, AreAboutParametersInAnotherOrder) {
  EXPECT_THAT(doubts_about(launch(), kernel("const float* y, float* x")),
              ElementsAre("f calls its parameter 1 y, and is given x there; it is given x, y, in "
                          "this order"));
  EXPECT_THAT(doubts_about(launch(), kernel("const float*, float* x")),
              ElementsAre(HasSubstr("parameter 2 x, and is given y there")));
}

TEST(Doubts, AreAboutAProgrammaticLaunchThatWaitsForNothing) {
  const std::string two =
      R"(AUTOKERNEL_LAUNCH({.kernel = "f"}, {.kernel = "g", .programmatic = true});)";
  const auto g = [](const std::string& body) {
    return kernel("const float* x, float* y") +
           "\nextern \"C\" __global__ void g(const float* x, float* y) { " + body +
           " y[0] = x[0]; }";
  };
  EXPECT_THAT(doubts_about(two, g("")),
              ElementsAre(HasSubstr("the launch of g is .programmatic, and nothing waits")));
  EXPECT_THAT(doubts_about(two, g("asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");")),
              IsEmpty());
}

}  // namespace
}  // namespace autokernel::compile
