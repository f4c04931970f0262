// A kernel is only launched where the driver reads from a launch what the image says it does.
#include "trial/launch/candidate.h"

#include <gmock/gmock.h>

#include "autokernel/compile/compiler.h"
#include "autokernel/driver/device.h"
#include "trial/inputs/case_text.h"

namespace autokernel::trial {
namespace {

using testing::HasSubstr;

compile::Program program(const std::string& parameters) {
  compile::Compilation compilation = compile::Compiler::open().compile(
      {{"kernel.cu",
        "#include <autokernel.cuh>\nAUTOKERNEL_LAUNCH({.kernel = \"f\"});\nstruct Two { float* a; "
        "float* b; };\nextern \"C\" __global__ void f(" +
            parameters + ") {}\n"},
       "sm_90a",
       {}});
  return std::get<compile::Program>(std::move(compilation));
}

// What becomes of the image of a kernel with some parameters beside PTX in which it has others, as
// if the two had been read from one text in two ways.
std::string loaded_with(const std::string& in_image, const std::string& in_ptx) {
  compile::Program mixed = program(in_image);
  mixed.ptx = program(in_ptx).ptx;
  const driver::Driver driver = driver::Driver::open(driver::parse_device("cpu"));
  const driver::Device device(driver);
  const cases::Case problem = product_case("bf16", "bf16", 8, 16, 32);
  const auto loaded = Candidate::load(device, mixed, SizedCase(problem, "default"));
  const auto* const rejected = std::get_if<Rejection>(&loaded);
  return rejected == nullptr ? "loaded" : rejected->reason;
}

TEST(Candidate, IsLoadedWhereDriverAndImageAgree) {
  EXPECT_EQ(loaded_with("const float* x, float* y", "const float* x, float* y"), "loaded");
  EXPECT_EQ(loaded_with("", ""), "loaded");
}

TEST(Candidate, IsRefusedWhereTheDriverReadsMoreParameters) {
  EXPECT_THAT(loaded_with("float* x", "float* x, float* y"),
              HasSubstr("the device reads 2 parameters of the kernel f where its image has 1"));
}

TEST(Candidate, IsRefusedWhereTheDriverReadsLargerParameters) {
  EXPECT_THAT(loaded_with("float* x, float* y", "float* x, Two y"), HasSubstr("or of other sizes"));
}

TEST(Candidate, IsRefusedWhereTheDriverReadsThemFromElsewhere) {
  EXPECT_THAT(loaded_with("char x, char y", "char x, int y"), HasSubstr("or of other sizes"));
}

}  // namespace
}  // namespace autokernel::trial
