#include "programs/profile/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/scratch_folder.h"

namespace autokernel::programs {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kRecord =
    "autokernel-profile\t1\tCUPTI 130001\t77\t1\n"
    "P\t./program with \\t and \\\\\n"
    "D\t0\tNVIDIA H200\t9\t0\t132\t1980000\t3201000\t6016\t62914560\t150109880320\n"
    "N\t1\t_Z6vecAddPfS_S_i\n"
    "K\t1\t1000\t3000\t0\t7\t5\t40\t1\t1\t256\t1\t1\t16\t0\t1024\t0\n"
    "K\t1\t4000\t5000\t0\t7\t6\t40\t1\t1\t256\t1\t1\t16\t0\t1024\t1\n"
    "C\tHtoD\t100\t200\t0\t7\t4\t4096\t0\n"
    "L\t5\t78\t900\tkernel\n"
    "L\t6\t78\t950\tgraph\n"
    "O\t3\t{\"call\":\"cublasLtMatmul\",\"m\":64,\"n\":32,\"k\":16,\"batch\":1,"
    "\"transposes\":\"TN\",\"a_type\":\"R_16BF\",\"b_type\":\"R_16BF\",\"c_type\":\"R_16BF\","
    "\"d_type\":\"R_16BF\",\"compute_type\":\"32F\",\"scale_type\":\"R_32F\",\"lda\":16,"
    "\"ldb\":16,\"ldc\":64,\"ldd\":64,\"stride_a\":0,\"stride_b\":0,\"stride_c\":0,"
    "\"stride_d\":0,\"epilogue\":\"BIAS\",\"order\":\"CCCC\",\"pointer_array\":false,"
    "\"alpha\":1,\"beta\":0}\n"
    "A\t5\t3\n"
    "R\t78\t800\t1000\tforward\\npass\n"
    "X\t2\n"
    "E\t9000\n";

[[nodiscard]] Profile read(const std::string& text) {
  Profile profile;
  RecordReader reader(profile);
  reader.add(text);
  reader.finish();
  return profile;
}

TEST(Record, IsReadWithAllThatItSays) {
  const Profile profile = read(kRecord);
  EXPECT_EQ(profile.source, "CUPTI");
  EXPECT_EQ(profile.processes[0].command, "./program with \t and \\");
  EXPECT_EQ(profile.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(profile.devices[0].clock_mhz, 1980);
  ASSERT_EQ(profile.launches.size(), 2U);
  EXPECT_EQ(profile.names[profile.launches[0].name], "_Z6vecAddPfS_S_i");
  EXPECT_EQ(profile.launches[0].called, 900);
  EXPECT_EQ(profile.launches[0].thread, 78);
  EXPECT_EQ(profile.launches[0].grid, (Extent{.x = 40, .y = 1, .z = 1}));
  EXPECT_EQ(profile.operations[static_cast<std::size_t>(profile.launches[0].operation)].product->m,
            64);
  EXPECT_TRUE(profile.launches[1].in_graph);
  EXPECT_EQ(profile.asked, 1);
  EXPECT_EQ(profile.graph_launches, 1);
  EXPECT_EQ(profile.transfers[0].bytes, 4096U);
  EXPECT_EQ(profile.ranges[0].text, "forward\npass");
  EXPECT_EQ(profile.lost, 2);
  EXPECT_THAT(profile.warnings, IsEmpty());
}

TEST(Record, OfAProcessThatWasKilledCountsUpToItsLastWholeLine) {
  const std::string whole = kRecord;
  const Profile profile = read(whole.substr(0, whole.find("L\t5")) + "K\t1\t6000");
  EXPECT_EQ(profile.launches.size(), 2U);
  EXPECT_THAT(profile.warnings, ElementsAre(HasSubstr("ended without notice")));
}

TEST(Record, CutAnywhereGivesAProfile) {
  const std::string whole = kRecord;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Profile profile = read(whole.substr(0, length));
    EXPECT_LE(profile.launches.size(), 2U);
  }
}

TEST(Record, CountsLinesThatAreNone) {
  const Profile profile =
      read("autokernel-profile\t1\tCUPTI 1\t77\t1\nK\t9\t1\t2\nZ\t1\nnonsense\nD\tx\nE\t1\n");
  EXPECT_THAT(profile.warnings, ElementsAre(HasSubstr("4 lines of the record")));
}

TEST(Record, OfAnotherVersionIsLeftOut) {
  const Profile profile = read("autokernel-profile\t2\tCUPTI 1\t77\t1\nN\t1\tkernel\n");
  EXPECT_TRUE(profile.names.empty());
}

TEST(Record, OfTwoProcessesKeepsTheirCorrelationsApart) {
  const test::ScratchFolder scratch;
  const std::string first = kRecord;
  std::string second = first;
  second.replace(second.find("\t77\t"), 4, "\t99\t");
  second.replace(second.find("L\t5\t78\t900"), 10, "L\t5\t98\t700");
  (void)scratch.write("77-gpu.record", first);
  (void)scratch.write("99-gpu.record", second);
  (void)scratch.write("other.txt", "no record");
  const Profile profile = read_records(scratch.path());
  ASSERT_EQ(profile.launches.size(), 4U);
  EXPECT_EQ(profile.processes.size(), 2U);
  EXPECT_EQ(profile.names.size(), 1U);
  EXPECT_EQ(profile.devices.size(), 1U);
  EXPECT_NE(profile.launches[0].thread, profile.launches[1].thread);
}

}  // namespace
}  // namespace autokernel::programs
