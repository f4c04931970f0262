#include "compile/ptxas_report.h"

#include <gmock/gmock.h>

namespace autokernel::compile {
namespace {

constexpr const char* kLog =
    R"(kernel.cu(3): warning #177-D: variable "a" was declared but never referenced
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'g'
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in the function 'g'
ptxas info    : 24 bytes gmem, 528 bytes cmem[3]
ptxas info    : Compiling entry function 'f' for 'sm_90a'
ptxas info    : Function properties for f
ptxas         .     160 bytes stack frame, 12 bytes spill stores, 20 bytes spill loads
ptxas info    : Used 28 registers, used 1 barriers, 160 bytes cumulative stack size, 4096 bytes smem
ptxas info    : Compile time = 4.657 ms
ptxas info    : Compiling entry function '_Z1gPf' for 'sm_90a'
ptxas info    : Function properties for _Z1gPf
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers
)";

TEST(PtxasReport, TellsWhatEachKernelUses) {
  const PtxasReport report = read_ptxas_report(kLog);

  ASSERT_EQ(report.resources.size(), 2U);
  const Resources& f = report.resources.at("f");
  EXPECT_EQ(f.registers, 28U);
  EXPECT_EQ(f.spill_bytes, 32U);
  EXPECT_EQ(f.static_shared_bytes, 4096U);
  EXPECT_EQ(f.local_bytes, 160U);
  EXPECT_EQ(report.resources.at("_Z1gPf").registers, 255U);
}

TEST(PtxasReport, CountsSpillsOfFunctionsThatWereNotInlined) {
  const PtxasReport report = read_ptxas_report(
      std::string(kLog) +
      "ptxas info    : Function properties for _Z6helperf\n"
      "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n");

  EXPECT_EQ(report.resources.at("_Z1gPf").spill_bytes, 8U);
  EXPECT_EQ(report.resources.at("f").spill_bytes, 40U);
}

TEST(PtxasReport, WarnsOnceOfEachThingThatCostsSpeed) {
  EXPECT_THAT(read_ptxas_report(kLog).warnings,
              testing::ElementsAre(
                  testing::StartsWith("(C7510) Potential Performance Loss: wgmma.mma_async")));
}

TEST(PtxasReport, OfALogWithoutOneIsEmpty) {
  EXPECT_TRUE(read_ptxas_report("").resources.empty());
  EXPECT_TRUE(
      read_ptxas_report("ptxas\nptxas info : Used registers\nbytes stack frame").resources.empty());
}

TEST(PtxasReport, CutAtAnyByteIsStillRead) {
  const std::string log = kLog;
  for (std::size_t size = 0; size < log.size(); ++size) {
    EXPECT_LE(read_ptxas_report(log.substr(0, size)).resources.size(), 2U) << size;
  }
}

}  // namespace
}  // namespace autokernel::compile
