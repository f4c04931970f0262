#include <fmt/format.h>

#include <algorithm>

#include "autokernel/base/document_json.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/programs/plan.h"
#include "autokernel/programs/profile_text.h"
#include "programs/markdown_cell.h"
#include "programs/profile/ranking_fields.h"

namespace autokernel::programs {
namespace {

constexpr double kPercent = 100;

[[nodiscard]] std::string name_of(const PlanItem& item) {
  const RankedKernel& kernel = item.kernel;
  const std::string operation = kernel.operation ? operation_text(*kernel.operation) : "";
  return visible_line(kernel.short_name) + (operation.empty() ? "" : "  " + operation);
}

// A single measurement of a kernel has no interval that would hold for the whole.
[[nodiscard]] std::string interval_of(const Plan& plan) {
  if (plan.low == plan.high) return "no interval before 'autokernel loop finish'";
  return fmt::format("95 %: {:.3f} to {:.3f}", plan.low, plan.high);
}

}  // namespace

std::string plan_text(const Plan& plan, int most) {
  std::string text = fmt::format("plan for    {}\n", visible_line(plan.program));
  if (!plan.part.empty()) text += fmt::format("part        {}\n", plan.part);
  text += fmt::format("span        {}, the device idle {:.1f} % of it\n",
                      duration_text(plan.span_us), kPercent * plan.idle_share);
  if (plan.speedup > 1) {
    text += fmt::format(
        "expected    {:.3f} times as fast with what was kept ({}), if it waits for the GPU\n",
        plan.speedup, interval_of(plan));
  }
  text += fmt::format("\n{:>2}  {:>7}  {:>8}  {:>6}  {:>5}  {:>7}  {:<9}  {}\n", "", "share",
                      "headroom", "gain", "tries", "still", "advice", "kernel");
  const auto shown = std::min(static_cast<std::size_t>(std::max(most, 1)), plan.items.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const PlanItem& item = plan.items[i];
    std::string line = fmt::format(
        "{:>2}  {:>5.1f} %  {:>7}  {:>5.2f}x  {:>5}  {:>5.1f} %  {:<9}  {}", i + 1,
        kPercent * item.share,
        fmt::format("{}{:.0f} %", item.headroom_is_known ? "" : "~", kPercent * item.headroom),
        item.effort.speedup, item.effort.experiments, kPercent * item.still, spelling(item.advice),
        name_of(item));
    if (item.extracted) line += "  [" + visible_line(item.extracted->folder) + "]";
    text += line + "\n";
  }
  if (shown < plan.items.size()) {
    text += fmt::format("and {} more\n", plan.items.size() - shown);
  }
  text += "\n";
  if (!plan.next) return text + "next        nothing: no kernel has much left to gain\n";
  const PlanItem& next = plan.items[*plan.next];
  text += fmt::format("next        {}: {}; {:.1f} % of the whole could still be saved\n",
                      name_of(next), next.why, kPercent * next.still);
  return text;
}

std::string plan_report(const Plan& plan, int most) {
  std::string text = fmt::format("# Plan for {}\n\n", visible_line(plan.program));
  text += fmt::format("One pass takes {}; the device is idle {:.1f} % of it.\n",
                      duration_text(plan.span_us), kPercent * plan.idle_share);
  text += fmt::format(
      "With the kernels that were kept, a pass is expected to be {:.3f} times as fast ({}),\nif "
      "it waits for the GPU. That is computed, not measured in the program.\n\n",
      plan.speedup, interval_of(plan));
  text +=
      "| kernel | case | share | headroom | gain | experiments | hours | still | advice |\n"
      "|---|---|---:|---:|---:|---:|---:|---:|---|\n";
  const auto shown = std::min(static_cast<std::size_t>(std::max(most, 1)), plan.items.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const PlanItem& item = plan.items[i];
    text += fmt::format(
        "| {} | {} | {:.1f} % | {}{:.0f} % | {:.2f} | {} | {:.1f} | {:.1f} % | {}: {} |\n",
        markdown_cell(name_of(item)), item.extracted ? markdown_cell(item.extracted->folder) : "",
        kPercent * item.share, item.headroom_is_known ? "" : "~", kPercent * item.headroom,
        item.effort.speedup, item.effort.experiments, item.effort.hours, kPercent * item.still,
        spelling(item.advice), item.why);
  }
  return text;
}

template <Of<Effort> Object>
void visit_fields(auto&& fields, Object& effort) {
  fields("speedup", effort.speedup);
  fields("low", effort.low);
  fields("high", effort.high);
  fields("experiments", effort.experiments);
  fields("without_gain", effort.without_gain);
  fields("hours", effort.hours);
  fields("is_plateau", effort.is_plateau);
}

std::string plan_json(const Plan& plan) {
  document::Json json = document::Json::object();
  json["schema_version"] = 1;
  json["program"] = document::Writer::json(plan.program);
  json["part"] = document::Writer::json(plan.part);
  json["span_us"] = plan.span_us;
  json["idle_share"] = plan.idle_share;
  json["speedup"] = plan.speedup;
  json["speedup_low"] = plan.low;
  json["speedup_high"] = plan.high;
  json["next"] = document::Json();
  if (plan.next) json["next"] = *plan.next;
  json["items"] = document::Json::array();
  for (const PlanItem& item : plan.items) {
    document::Json each = document::Json::object();
    each["kernel"] = document::Writer::json(item.kernel);
    each["case"] =
        item.extracted ? document::Writer::json(item.extracted->folder) : document::Json();
    each["effort"] = document::Writer::json(item.effort);
    each["share"] = item.share;
    each["headroom"] = item.headroom;
    each["headroom_is_known"] = item.headroom_is_known;
    each["gained"] = item.gained;
    each["still"] = item.still;
    each["advice"] = spelling(item.advice);
    each["why"] = item.why;
    json["items"].push_back(std::move(each));
  }
  return document::line(json);
}

}  // namespace autokernel::programs
