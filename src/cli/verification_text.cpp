#include "cli/verification_text.h"

#include <fmt/format.h>

#include "autokernel/base/document_json.h"
#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/verdicts.h"
#include "cli/key_lines.h"
#include "cli/report.h"

namespace autokernel::cli {
namespace {

using document::Json;
using document::Writer;
using loop::Verification;

constexpr int kVerificationSchemaVersion = 1;

[[nodiscard]] std::string joined(const std::vector<std::string>& sentences) {
  std::string text;
  for (const std::string& sentence : sentences) text += (text.empty() ? "" : "\n") + sentence;
  return text;
}

[[nodiscard]] Json json_of(const std::optional<ledger::Confirmed>& ratio) {
  if (!ratio) return nullptr;
  return {{"ratio", ratio->ratio}, {"low", ratio->low}, {"high", ratio->high}};
}

[[nodiscard]] Json json_of(const ledger::RunFinished& headline) {
  return {{"processes", headline.processes},
          {"baseline_us", Writer::json(headline.baseline_us)},
          {"best_us", Writer::json(headline.best_us)},
          {"library_us", Writer::json(headline.library_us)},
          {"over_baseline", json_of(headline.over_baseline)},
          {"over_library", json_of(headline.over_library)}};
}

}  // namespace

std::string verification_text(const Verification& verification) {
  const loop::Status& status = verification.status;
  const ledger::RunFinished& measured = verification.measured;
  KeyLines lines;
  lines.add("run", fmt::format("{} on {}", status.run.tag, status.run.branch));
  lines.add_unless_empty("problem", verification.problem);
  lines.add("best", fmt::format("{} ({}): {}", status.best.number, status.best.commit.substr(0, 7),
                                status.best.description));
  lines.add_count("entries", verification.entries);
  lines.add("record",
            verification.faults.empty() ? "as it was written" : joined(verification.faults));
  lines.add_unless_empty("remarks", joined(verification.remarks));
  lines.add("processes", fmt::format("{}, each with new inputs", measured.processes));
  const bool is_metric = measured.best_metric.has_value();
  if (const auto& metric = measured.baseline_metric)
    lines.add("baseline", metric->name + " " + metric_text(metric->value, metric->unit));
  if (const auto& metric = measured.best_metric)
    lines.add("best_value", metric->name + " " + metric_text(metric->value, metric->unit));
  lines.add("baseline_us", measured.baseline_us, 3);
  lines.add("best_us", measured.best_us, 3);
  lines.add("library_us", measured.library_us, 3);
  const auto ratio_text = [&](const ledger::Confirmed& ratio) {
    return is_metric ? times_as_good(ratio) : times_as_fast(ratio);
  };
  if (measured.over_baseline) lines.add("over_baseline", ratio_text(*measured.over_baseline));
  if (measured.over_library)
    lines.add("over_library", times_as_fast(*measured.over_library, verification.library));
  if (verification.claimed && verification.claimed->over_baseline) {
    lines.add("claimed", ratio_text(*verification.claimed->over_baseline));
  }
  if (!is_metric) lines.add("timing", timing(verification.device));
  lines.add("verdict", spelling(verification.verdict));
  lines.add("reason", verification.reason);
  return "Device: " + visible_line(verification.device.name) + "\n---\n" + lines.take();
}

std::string verification_json(const Verification& verification) {
  const loop::Status& status = verification.status;
  const Json object = {{"schema_version", kVerificationSchemaVersion},
                       {"tag", status.run.tag},
                       {"branch", status.run.branch},
                       {"device", verification.device.name},
                       {"verdict", spelling(verification.verdict)},
                       {"reason", verification.reason},
                       {"faults", verification.faults},
                       {"remarks", verification.remarks},
                       {"entries", verification.entries},
                       {"best", {{"number", status.best.number}, {"commit", status.best.commit}}},
                       {"measured", json_of(verification.measured)},
                       {"claimed", verification.claimed ? json_of(*verification.claimed) : Json()}};
  return document::line(object);
}

int exit_code(const Verification& verification) {
  switch (verification.verdict) {
    case Verification::Verdict::holds:
      return 0;
    case Verification::Verdict::does_not_hold:
      return trial::finding(trial::Outcome::not_faster).exit_code;
    case Verification::Verdict::inconclusive:
      return trial::finding(trial::Outcome::inconclusive).exit_code;
    case Verification::Verdict::fails:
      return verification.failure ? trial::finding(*verification.failure).exit_code
                                  : static_cast<int>(Stop::internal);
    case Verification::Verdict::tampered:
      return static_cast<int>(Stop::scope);
  }
  return static_cast<int>(Stop::internal);
}

}  // namespace autokernel::cli
