#include "cli/compare/rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <set>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/cases/case.h"
#include "autokernel/compile/inclusion.h"
#include "autokernel/driver/units.h"
#include "autokernel/trial/retry.h"
#include "autokernel/trial/sources.h"
#include "autokernel/trial/verdicts.h"

namespace autokernel::cli {
namespace {

// Whether it is made of what CUTLASS is made of, which NVIDIA wrote.
[[nodiscard]] bool is_of_cute(const trial::Request& request) {
  const auto includes = [](const std::string& text) {
    return std::ranges::any_of(compile::inclusions(text), [](const compile::Inclusion& inclusion) {
      return inclusion.header.starts_with("<cute/") || inclusion.header.starts_with("<cutlass/");
    });
  };
  return includes(request.source) || std::ranges::any_of(request.files, [&](const auto& file) {
           return includes(file.second);
         });
}

class Rounds {
 public:
  explicit Rounds(const RoundsPlan& plan) : plan_(plan) {
    for (const KernelOpponent& kernel : plan.kernels) {
      made_.series.push_back(
          {.label = kernel.label,
           .kind = made_.series.empty() ? OpponentKind::ours : OpponentKind::kernel,
           .version = {},
           .configuration = {},
           .medians_us = {},
           .refused = {},
           .exit_code = 0,
           .unit = {},
           .max_abs_err = {}});
    }
    made_.size = plan.kernels.front().request.size;
    has_library_reference_ = std::holds_alternative<cases::GemmReference>(
        trial::case_of(plan.kernels.front().request).reference);
  }

  [[nodiscard]] Comparison measured() {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t kernels = plan_.kernels.size();
    std::vector<std::string> baselines = plan_.baselines;
    if (has_library_reference_ && plan_.kernels.front().request.baselines)
      baselines.emplace_back(trial::kCutlass);
    std::vector<std::size_t> order(kernels + baselines.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::mt19937 random(std::random_device{}());
    for (round_ = 0; round_ < static_cast<std::size_t>(plan_.rounds); ++round_) {
      std::ranges::shuffle(order, random);
      // Baselines are built in the first round, and whether there is a GPU is known behind a
      // kernel.
      if (round_ == 0) std::ranges::partition(order, [&](auto i) { return i < kernels; });
      made_.rounds = static_cast<int>(round_) + 1;
      try {
        for (const std::size_t which : order) {
          // Between two trials nobody else looks for a signal.
          const Interrupts interrupts;
          if (const auto signal = interrupts.next()) throw Interrupted(*signal);
          if (which < kernels) {
            measure_kernel(which);
          } else {
            measure_baseline(baselines[which - kernels]);
          }
        }
      } catch (const Interrupted& interrupted) {
        made_.interrupted = interrupted.signal();
      }
      // A comparison with a kernel that is none has no use for the others.
      if (made_.interrupted || !made_.series.front().refused.empty()) break;
    }
    note_other_units();
    note_same_sources();
    made_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(made_);
  }

 private:
  void measure_kernel(std::size_t which) {
    if (!made_.series[which].refused.empty()) return;
    trial::Request request = plan_.kernels[which].request;
    // What has passed the checks once need not again: timed launches are compared all the same.
    request.checked = round_ == 0;
    Series& series = made_.series[which];
    const std::optional<trial::Result> tried = trial_of(request, series);
    if (!tried) return;
    const trial::Result& result = *tried;
    take_circumstances(result, series);
    if (!result.times || result.verdict != trial::Verdict::correct) {
      series.refused = fmt::format("{}{}{}", trial::finding(result).in_bench,
                                   result.reason.empty() ? "" : ": ", result.reason);
      series.exit_code = trial::finding(result).exit_code;
      series.medians_us.clear();
      return;
    }
    put(series, result.times->median_us);
    if (result.unit) series.unit = driver::spelling(*result.unit);
    if (result.differences)
      series.max_abs_err = std::max(series.max_abs_err.value_or(0), result.differences->max_abs);
    if (round_ == 0) note_compiler(series, request, result);
    if (which == 0) take_what_ours_knows(result);
  }

  // None where the machine lacks something for this one, which another may do without.
  [[nodiscard]] std::optional<trial::Result> trial_of(const trial::Request& request,
                                                      Series& series) const {
    try {
      return trial::supervise_with_retry(request, plan_.limits, observer_of(series.label),
                                         {.may_be_ready = plan_.may_use_resident});
    } catch (const Error& error) {
      if (series.kind == OpponentKind::ours) throw;
      series.refused = error.what();
      series.exit_code = static_cast<int>(error.stop());
      series.medians_us.clear();
      return std::nullopt;
    }
  }

  [[nodiscard]] trial::Observer observer_of(const std::string& label) const {
    trial::Observer observer;
    observer.progress = [this, what = fmt::format("round {} of {}, {}", round_ + 1, plan_.rounds,
                                                  visible_line(label))](auto phase, auto elapsed) {
      plan_.progress(what, phase, elapsed);
    };
    return observer;
  }

  // What is the same for all, and what warned of one.
  void take_circumstances(const trial::Result& result, const Series& series) {
    if (!made_.device) made_.device = result.device;
    if (made_.problem.empty()) made_.problem = result.problem;
    if (result.flops > 0) made_.flops = result.flops;
    if (result.bytes > 0) made_.bytes = result.bytes;
    for (const std::string& warning : result.warnings) {
      // Once, and not in each round with another figure.
      std::string words = series.label + warning;
      std::erase_if(words, [](char c) { return c >= '0' && c <= '9'; });
      if (warned_.insert(std::move(words)).second)
        note(fmt::format("{}: {}", series.label, warning));
    }
  }

  static void note_compiler(Series& series, const trial::Request& request,
                            const trial::Result& result) {
    const auto nvrtc = result.versions.find("nvrtc");
    const std::string name = request.kernel_file.filename().string();
    if (nvrtc != result.versions.end() && !nvrtc->second.empty() && name.ends_with(".cu"))
      series.version =
          fmt::format("NVRTC {}{}", nvrtc->second, is_of_cute(request) ? ", with CuTe" : "");
    if (result.resources) {
      series.configuration = fmt::format(
          "{} registers, {} bytes spilled, {} bytes of shared memory", result.resources->registers,
          result.resources->spill_bytes, result.resources->shared_bytes);
    }
  }

  // The reference and cuBLASLt are timed beside ours.
  void take_what_ours_knows(const trial::Result& result) {
    made_.versions = result.versions;
    if (result.reference) {
      const auto version = result.versions.find("reference");
      const std::string name = version == result.versions.end() ? "" : version->second;
      put(has_library_reference_
              ? library("reference", name, "sums in fp32")
              : library("reference", fmt::format("{} (the case's reference)", name), ""),
          result.reference->median_us);
    }
    take_baselines(result, "");
  }

  void measure_baseline(const std::string& file) {
    if (given_up_.contains(file)) return;
    const bool is_cutlass = file == trial::kCutlass;
    if (is_cutlass && (!made_.device || made_.device->emulated)) return;
    trial::Request alone = plan_.kernels.front().request;
    alone.only_baseline = file;
    alone.baselines = true;
    // Each round takes the best of CUTLASS's tiles, of which each was right once.
    if (is_cutlass) alone.checked = round_ == 0;
    try {
      const trial::Result found = trial::supervise(alone, plan_.limits, observer_of(file));
      if (found.verdict == trial::Verdict::correct && !found.baselines.empty())
        return take_baselines(found, file);
      give_up(file, found.reason);
    } catch (const Error& error) {
      give_up(file, error.what());
    }
  }

  void give_up(const std::string& file, const std::string& why) {
    given_up_.insert(file);
    bool was_measured = false;
    const auto refuse = [&](Series& series) {
      series.refused = why;
      series.medians_us.clear();
    };
    for (const auto& [key, which] : libraries_) {
      if (!key.starts_with(file + "#")) continue;
      refuse(made_.series[which]);
      was_measured = true;
    }
    if (!was_measured) refuse(library(file, file, ""));
  }

  void take_baselines(const trial::Result& result, const std::string& from) {
    for (std::size_t i = 0; i < result.baselines.size(); ++i) {
      const trial::Baseline& baseline = result.baselines[i];
      // Which of several heuristics is the best may differ from round to round.
      Series& series = library(fmt::format("{}#{} {}", from, i, baseline.name), baseline.name,
                               baseline.configuration);
      put(series, baseline.median_us);
      if (series.configuration != baseline.configuration) {
        note(fmt::format("{}: in round {} it was {}", baseline.name, round_ + 1,
                         baseline.configuration));
      }
    }
  }

  // The series of a library, by what is the same in all rounds.
  [[nodiscard]] Series& library(const std::string& key, const std::string& label,
                                const std::string& configuration) {
    const auto known = libraries_.find(key);
    if (known != libraries_.end()) return made_.series[known->second];
    libraries_[key] = made_.series.size();
    return made_.series.emplace_back(Series{.label = label,
                                            .kind = OpponentKind::library,
                                            .version = label,
                                            .configuration = configuration,
                                            .medians_us = {},
                                            .refused = {},
                                            .exit_code = 0,
                                            .unit = {},
                                            .max_abs_err = {}});
  }

  void put(Series& series, double median_us) const {
    series.medians_us.resize(round_ + 1);
    series.medians_us[round_] = median_us;
  }

  void note(const std::string& text) {
    if (std::ranges::find(made_.notes, text) == made_.notes.end()) made_.notes.push_back(text);
  }

  // All kernels have passed the same checks. One that computes with something else says so.
  void note_other_units() {
    const std::string& ours = made_.series.front().unit;
    for (const Series& series : made_.series) {
      if (series.unit.empty() || ours.empty() || series.unit == ours) continue;
      note(fmt::format("not the same arithmetic: {} computes with {}, ours with {}", series.label,
                       series.unit, ours));
    }
  }

  // Who compares a kernel with itself sees what the machine makes of it, and may not mean to.
  void note_same_sources() {
    for (std::size_t i = 0; i < plan_.kernels.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const trial::Request& one = plan_.kernels[i].request;
        const trial::Request& other = plan_.kernels[j].request;
        if (one.source != other.source || one.files != other.files) continue;
        note(fmt::format("{} and {} are the same source", plan_.kernels[j].label,
                         plan_.kernels[i].label));
        break;
      }
    }
  }

  const RoundsPlan& plan_;
  Comparison made_;
  std::size_t round_ = 0;
  bool has_library_reference_ = false;
  std::map<std::string, std::size_t> libraries_;
  std::set<std::string> given_up_;
  std::set<std::string> warned_;  // labels and warnings, without figures
};

}  // namespace

Comparison measure_rounds(const RoundsPlan& plan) { return Rounds(plan).measured(); }

}  // namespace autokernel::cli
