#include "cli/samples.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"

namespace autokernel::cli {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(Samples, AreALineForEachTimedLaunch) {
  EXPECT_EQ(samples_text(R"({"samples_us": [1.5, 2]})"), "n\tkernel_us\n1\t1.500\n2\t2.000\n");
}

TEST(Samples, OfIncumbentAndLibraryStandBesideThem) {
  EXPECT_EQ(samples_text(R"({"samples_us": [1, 2], "comparison": {"against_samples_us": [3, 4]},
                             "reference_samples_us": [5, 6]})"),
            "n\tkernel_us\tagainst_us\treference_us\n"
            "1\t1.000\t3.000\t5.000\n"
            "2\t2.000\t4.000\t6.000\n");
}

TEST(Samples, OfOtherCountsLeaveTheirPlaceEmpty) {
  EXPECT_EQ(samples_text(R"({"samples_us": [1, 2], "reference_samples_us": [5]})"),
            "n\tkernel_us\treference_us\n1\t1.000\t5.000\n2\t2.000\t\n");
  EXPECT_EQ(samples_text(R"({"samples_us": [1], "reference_samples_us": [5, 6]})"),
            "n\tkernel_us\treference_us\n1\t1.000\t5.000\n2\t\t6.000\n");
}

TEST(Samples, OfAnExperimentThatWasNotTimedAreRefused) {
  for (const char* record : {"", "{}", "[1]", R"({"samples_us": null})", R"({"samples_us": []})",
                             R"({"samples_us": ["x", null]})", R"({"comparison": [{}]})"}) {
    EXPECT_THAT([&] { (void)samples_text(record); }, ThrowsMessage<Error>(HasSubstr("no samples")))
        << record;
  }
}

TEST(Samples, BesideNoComparisonAreTheKernelsAlone) {
  EXPECT_EQ(samples_text(R"({"samples_us": [1], "comparison": null})"), "n\tkernel_us\n1\t1.000\n");
}

}  // namespace
}  // namespace autokernel::cli
