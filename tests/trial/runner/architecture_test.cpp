#include <gtest/gtest.h>

#include <string>

#include "autokernel/base/error.h"
#include "autokernel/trial/ready_kernel.h"
#include "trial/runner/compilations.h"

namespace autokernel::trial {
namespace {

TEST(Architecture, OfADeviceIsTheVariantWithEverythingItHas) {
  EXPECT_EQ(architecture_of(8, 0), "sm_80");
  EXPECT_EQ(architecture_of(8, 9), "sm_89");
  EXPECT_EQ(architecture_of(9, 0), "sm_90a");
  EXPECT_EQ(architecture_of(12, 0), "sm_120a");
}

TEST(Architecture, GivesItsCapability) {
  EXPECT_EQ(capability_of("sm_90a").major, 9);
  EXPECT_EQ(capability_of("sm_86").minor, 6);
  EXPECT_EQ(capability_of("sm_120").major, 12);
}

class NoArchitecture : public ::testing::TestWithParam<std::string> {};

TEST_P(NoArchitecture, IsAUsageError) {
  try {
    static_cast<void>(capability_of(GetParam()));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.stop(), Stop::usage);
  }
}

INSTANTIATE_TEST_SUITE_P(Each, NoArchitecture,
                         ::testing::Values("", "sm_", "90", "compute_90", "sm_9", "sm_90x",
                                           "sm_90 ", "SM_90"));

}  // namespace
}  // namespace autokernel::trial
