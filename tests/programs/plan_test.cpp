#include "autokernel/programs/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autokernel/base/error.h"
#include "support/scratch_folder.h"

namespace autokernel::programs {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::ThrowsMessage;

// A kernel that takes that part of a span of a second.
[[nodiscard]] RankedKernel kernel(const std::string& name, double share) {
  RankedKernel kernel;
  kernel.name = kernel.short_name = name;
  kernel.total_us = share * 1e6;
  kernel.median_us = 100;
  kernel.launches = 1;
  return kernel;
}

[[nodiscard]] ExtractedCase extracted(const std::string& name) {
  ExtractedCase extracted;
  extracted.folder = extracted.kernel = name;
  return extracted;
}

[[nodiscard]] Ranking ranking_of(const std::vector<RankedKernel>& kernels) {
  Ranking ranking;
  ranking.devices.emplace_back();
  ranking.totals.span_us = 1e6;
  ranking.kernels = kernels;
  return ranking;
}

[[nodiscard]] const PlanItem& item(const Plan& plan, const std::string& name) {
  for (const PlanItem& each : plan.items) {
    if (each.kernel.name == name) return each;
  }
  throw std::out_of_range(name);
}

TEST(Plan, NamesTheKernelWithMostToBeSaved) {
  const Plan plan = plan_of(ranking_of({kernel("small", 0.1), kernel("large", 0.6)}), {}, {});
  ASSERT_TRUE(plan.next);
  EXPECT_EQ(plan.items[*plan.next].kernel.name, "large");
  EXPECT_EQ(plan.items[*plan.next].advice, Advice::extract);
}

TEST(Plan, PrefersWhatIsFarFromItsLimit) {
  RankedKernel near = kernel("near", 0.5);
  near.limit = Limit{.flops = 1, .bytes = 1, .bound = "memory", .least_us = 85};
  RankedKernel far = kernel("far", 0.3);
  far.limit = Limit{.flops = 1, .bytes = 1, .bound = "memory", .least_us = 10};
  const Plan plan = plan_of(ranking_of({near, far}), {extracted("near"), extracted("far")}, {});
  EXPECT_EQ(plan.items[*plan.next].kernel.name, "far");
  // Down to 10 us over 0.9, of 100: 89 % of its 30 %.
  EXPECT_THAT(item(plan, "far").still, DoubleNear(0.3 * (1 - 10 / 90.0), 1e-9));
}

TEST(Plan, ExpectsOfTheWholeWhatAmdahlsLawSays) {
  Effort effort;
  effort.folder = "half";
  effort.experiments = 3;
  effort.speedup = effort.low = effort.high = 2;
  const Plan plan = plan_of(ranking_of({kernel("half", 0.5), kernel("rest", 0.5)}),
                            {extracted("half")}, {effort});
  EXPECT_THAT(plan.speedup, DoubleNear(1 / 0.75, 1e-9));
  EXPECT_THAT(item(plan, "half").gained, DoubleNear(0.25, 1e-9));
}

TEST(Plan, GivesUpAndComesBackOnceTheOthersAreDone) {
  Effort given_up;
  given_up.folder = "stubborn";
  given_up.experiments = given_up.without_gain = 20;
  given_up.is_plateau = true;
  Ranking ranking = ranking_of({kernel("stubborn", 0.5), kernel("other", 0.45)});
  const std::vector<ExtractedCase> cases = {extracted("stubborn"), extracted("other")};
  const Plan first = plan_of(ranking, cases, {given_up});
  EXPECT_EQ(first.items[*first.next].kernel.name, "other");
  EXPECT_EQ(item(first, "stubborn").advice, Advice::give_up);

  Effort done;
  done.folder = "other";
  done.experiments = 5;
  done.speedup = done.low = done.high = 1.9;
  const Plan second = plan_of(ranking, cases, {given_up, done});
  EXPECT_EQ(second.items[*second.next].kernel.name, "stubborn");
  EXPECT_EQ(item(second, "stubborn").advice, Advice::revisit);
}

TEST(Plan, LeavesAloneWhatNobodyWouldNotice) {
  const Plan plan = plan_of(ranking_of({kernel("tiny", 0.01)}), {}, {});
  EXPECT_FALSE(plan.next);
  EXPECT_EQ(plan.items[0].advice, Advice::too_small);
  EXPECT_THAT(plan_text(plan, 5), HasSubstr("nothing: no kernel has much left to gain"));
}

TEST(Plan, OfAnEmptyProfileIsEmpty) { EXPECT_FALSE(plan_of(ranking_of({}), {}, {}).next); }

TEST(PlanReport, KeepsATableWhateverKernelsAreCalled) {
  const Plan plan = plan_of(ranking_of({kernel("a|b\n", 0.5)}), {}, {});
  EXPECT_THAT(plan_report(plan, 5), HasSubstr("| a\\|b  |"));
}

TEST(Extracted, IsKeptAndReplacedByFolder) {
  const test::ScratchFolder scratch;
  EXPECT_TRUE(read_extracted(scratch.path()).empty());
  add_extracted(scratch.path(), extracted("one"));
  add_extracted(scratch.path(), extracted("two"));
  ExtractedCase again = extracted("one");
  again.bytes = 12;
  add_extracted(scratch.path(), again);
  const std::vector<ExtractedCase> all = read_extracted(scratch.path());
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].bytes, 12);
}

TEST(Extracted, ThatIsDamagedSaysSo) {
  const test::ScratchFolder scratch;
  (void)scratch.write("extracted.json", "{\"schema_version\": 1, \"cases\": [{\"folder\": 3}]}");
  EXPECT_THAT([&] { (void)read_extracted(scratch.path()); },
              ThrowsMessage<Error>(HasSubstr("extract the cases again")));
}

}  // namespace
}  // namespace autokernel::programs
