#include "autokernel/programs/profile_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"
#include "autokernel/programs/import.h"
#include "autokernel/programs/profile_file.h"
#include "autokernel/programs/profile_text.h"
#include "programs/sample_profile.h"
#include "support/scratch_folder.h"

namespace autokernel::programs {
namespace {

using sample::SampleProfile;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

[[nodiscard]] Profile example() {
  SampleProfile sample;
  sample.launch("_Z5scalePfi", 1000, 4000).registers = 32;
  sample.launch("evil<script>\n\x1b[31m", 4000, 5000);
  sample.profile.transfers.push_back(
      {.kind = "HtoD", .place = {.stream = 7}, .start = 0, .end = 900, .bytes = 4096});
  sample.profile.ranges.push_back({.text = "step \"1\"", .thread = 9, .start = 0, .end = 6000});
  sample.profile.asked = 2;
  return sample.profile;
}

TEST(ProfileFile, IsReadBackAsItWasWritten) {
  const autokernel::test::ScratchFolder scratch;
  const Ranking ranking = ranked(example());
  const auto file = scratch.write("profile.json", ranking_json(ranking, "autokernel 1"));
  const Ranking back = read_ranking(file);
  EXPECT_EQ(ranking_json(back, "autokernel 1"), ranking_json(ranking, "autokernel 1"));
  EXPECT_EQ(back.kernels[0].grid, ranking.kernels[0].grid);
}

TEST(ProfileFile, CutAnywhereIsRefusedInWords) {
  const autokernel::test::ScratchFolder scratch;
  const std::string whole = ranking_json(ranked(example()), "autokernel 1");
  for (std::size_t length = 0; length + 2 < whole.size(); length += 7) {
    const auto file = scratch.write("profile.json", whole.substr(0, length));
    EXPECT_THAT([&] { (void)read_ranking(file); },
                ThrowsMessage<Error>(HasSubstr("cannot read the profile")));
  }
}

TEST(ProfileFile, OfAnotherKindIsRefused) {
  const autokernel::test::ScratchFolder scratch;
  const auto file = scratch.write("profile.json", "{\"schema_version\": 1}");
  EXPECT_THAT([&] { (void)read_ranking(file); },
              ThrowsMessage<Error>(HasSubstr("it is no profile")));
}

TEST(ProfileText, ListsKernelsAndTotals) {
  const std::string text = profile_text(ranked(example()), 1, 0);
  EXPECT_THAT(text, AllOf(HasSubstr("2 launches, all that the program made"), HasSubstr("75.0 %"),
                          HasSubstr("scale"), HasSubstr("and 1 more, 25.0 % of the time")));
}

TEST(ProfileText, NeverPrintsWhatATerminalObeys) {
  const std::string text = profile_text(ranked(example()), 10, 80);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(ProfilePage, EscapesWhatAProgramCallsItsKernels) {
  const Profile profile = example();
  const std::string page = profile_page(ranked(profile), profile);
  EXPECT_THAT(page, AllOf(HasSubstr("evil&lt;script&gt;"), Not(HasSubstr("evil<script>"))));
}

TEST(ChromeTrace, IsReadBackByTheImporter) {
  const autokernel::test::ScratchFolder scratch;
  const Profile profile = example();
  const Profile back = imported(scratch.write("trace.json", chrome_trace(profile)));
  ASSERT_EQ(back.launches.size(), profile.launches.size());
  EXPECT_EQ(back.launches[0].end - back.launches[0].start, 3000);
  EXPECT_EQ(back.launches[0].grid, profile.launches[0].grid);
  EXPECT_EQ(back.transfers.size(), 1U);
  EXPECT_EQ(back.ranges.size(), 1U);
}

TEST(Durations, HaveThreeDigits) {
  EXPECT_EQ(duration_text(12.345), "12.3 us");
  EXPECT_EQ(duration_text(4567), "4.57 ms");
  EXPECT_EQ(duration_text(7.89e6), "7.89 s");
}

}  // namespace
}  // namespace autokernel::programs
