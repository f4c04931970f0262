#include "autokernel/programs/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "autokernel/base/sort_stably.h"
#include "autokernel/driver/device_info.h"

namespace autokernel::programs {
namespace {

// Of a kernel of which no limit is known, half its time is taken for what could be saved: enough
// for it to be looked at, less than of one that is known to be far from its limit.
constexpr double kAssumedHeadroom = 0.5;
// No kernel reaches its roofline: 90 % of the limit counts as reached.
constexpr double kReachable = 0.9;
// With less than that of the whole to be saved, nobody would see a difference.
constexpr double kTooSmall = 0.01;
// Of a kernel that was given up, this much more than of any other must be to be had.
constexpr double kRevisit = 1.5;

// Where the bytes of a case are known, though not what it computes.
[[nodiscard]] std::optional<double> least_us(const RankedKernel& kernel,
                                             const std::optional<ExtractedCase>& extracted,
                                             const driver::DeviceInfo& device) {
  if (kernel.limit) return kernel.limit->least_us;
  const auto bandwidth = driver::peak_gbytes_s(device);
  if (!extracted || extracted->bytes <= 0 || !bandwidth) return std::nullopt;
  constexpr double kPerMicrosecond = 1e3;  // 10^9 a second
  return extracted->bytes / (*bandwidth * kPerMicrosecond);
}

[[nodiscard]] double saved(double speedup) { return 1 - 1 / speedup; }

void advise(PlanItem& item) {
  const Effort& effort = item.effort;
  if (item.still < kTooSmall && item.gained == 0 && item.share * item.headroom < kTooSmall) {
    item.advice = Advice::too_small;
    item.why = fmt::format("it could save {:.1f} % of the whole at most", 100 * item.still);
  } else if (item.headroom_is_known && saved(effort.speedup) >= item.headroom * kReachable) {
    item.advice = Advice::done;
    item.why = "it is as near to its limit as kernels come";
  } else if (effort.is_plateau) {
    item.advice = Advice::give_up;
    item.why = fmt::format("{} experiments in a row gained nothing", effort.without_gain);
  } else if (item.still < kTooSmall) {
    item.advice = Advice::done;
    item.why = fmt::format("what is left would save {:.1f} % of the whole", 100 * item.still);
  } else if (!item.extracted) {
    item.advice = Advice::extract;
    item.why = "there is no case of it yet";
  } else if (effort.experiments == 0) {
    item.advice = Advice::begin;
    item.why = "nobody has worked on it yet";
  } else {
    item.advice = Advice::go_on;
    item.why = fmt::format("{} experiments, {:.2f} times as fast so far", effort.experiments,
                           effort.speedup);
  }
}

[[nodiscard]] bool is_open(const PlanItem& item) {
  return item.advice == Advice::extract || item.advice == Advice::begin ||
         item.advice == Advice::go_on;
}

// The open item with most to be had; one that was given up if it has much more.
void choose_next(Plan& plan) {
  double most = 0;
  for (std::size_t i = 0; i < plan.items.size(); ++i) {
    if (!is_open(plan.items[i]) || plan.items[i].still <= most) continue;
    most = plan.items[i].still;
    plan.next = i;
  }
  for (std::size_t i = 0; i < plan.items.size(); ++i) {
    PlanItem& item = plan.items[i];
    if (item.advice != Advice::give_up || item.still < kRevisit * most || item.still < kTooSmall) {
      continue;
    }
    item.advice = Advice::revisit;
    item.why += fmt::format(", but with {:.1f} % of the whole it has by far the most to gain",
                            100 * item.still);
    most = item.still;
    plan.next = i;
  }
}

[[nodiscard]] PlanItem item_of(const RankedKernel& kernel, const Ranking& ranking,
                               const std::vector<ExtractedCase>& cases,
                               const std::vector<Effort>& efforts) {
  PlanItem item;
  item.kernel = kernel;
  const auto extracted =
      std::ranges::find_if(cases, [&](const ExtractedCase& each) { return each.is_of(kernel); });
  if (extracted != cases.end()) item.extracted = *extracted;
  if (item.extracted) {
    const auto effort = std::ranges::find(efforts, item.extracted->folder, &Effort::folder);
    if (effort != efforts.end()) item.effort = *effort;
  }
  item.share = ranking.totals.span_us > 0 ? kernel.total_us / ranking.totals.span_us : 0;
  const auto least = least_us(kernel, item.extracted, ranking.devices[kernel.device]);
  item.headroom_is_known = least && kernel.median_us > 0;
  item.headroom = item.headroom_is_known
                      ? std::clamp(1 - *least / (kReachable * kernel.median_us), 0.0, 1.0)
                      : kAssumedHeadroom;
  item.gained = item.share * saved(item.effort.speedup);
  item.still = std::max(item.share * item.headroom - item.gained, 0.0);
  advise(item);
  return item;
}

}  // namespace

const char* spelling(Advice advice) {
  switch (advice) {
    case Advice::extract:
      return "extract";
    case Advice::begin:
      return "begin";
    case Advice::go_on:
      return "go on";
    case Advice::revisit:
      return "revisit";
    case Advice::done:
      return "done";
    case Advice::give_up:
      return "give up";
    case Advice::too_small:
      break;
  }
  return "too small";
}

Plan plan_of(const Ranking& ranking, const std::vector<ExtractedCase>& cases,
             const std::vector<Effort>& efforts) {
  Plan plan;
  plan.program = ranking.program;
  plan.part = ranking.part;
  plan.span_us = ranking.totals.span_us / std::max(ranking.repetitions, 1);
  plan.idle_share = ranking.totals.idle_share;
  double gained = 0;
  double low = 0;
  double high = 0;
  for (const RankedKernel& kernel : ranking.kernels) {
    plan.items.push_back(item_of(kernel, ranking, cases, efforts));
    const PlanItem& item = plan.items.back();
    gained += item.gained;
    low += item.share * saved(item.effort.low);
    high += item.share * saved(item.effort.high);
  }
  const auto whole = [](double part) { return 1 / (1 - std::min(part, 0.999)); };
  plan.speedup = whole(gained);
  plan.low = whole(low);
  plan.high = whole(high);
  sort_stably(plan.items, std::greater<>{}, &PlanItem::still);
  choose_next(plan);
  return plan;
}

}  // namespace autokernel::programs
