#include "cli/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "autokernel/base/error.h"
#include "autokernel/base/interrupts.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/figures.h"
#include "autokernel/trial/record.h"
#include "autokernel/trial/verdicts.h"
#include "cli/sweep_pictures.h"
#include "cli/sweep_record.h"
#include "cli/sweep_table.h"

namespace autokernel::cli {
namespace {

[[nodiscard]] std::vector<std::string> all_sizes(const cases::Case& problem) {
  std::vector<std::pair<double, std::string>> by_work;
  by_work.reserve(problem.sizes.size());
  for (const auto& [name, symbols] : problem.sizes) {
    by_work.emplace_back(cases::flops_at(problem, name), name);
  }
  std::ranges::sort(by_work);
  std::vector<std::string> names;
  names.reserve(by_work.size());
  for (auto& [work, name] : by_work) names.push_back(std::move(name));
  return names;
}

void require_size(const cases::Case& problem, const std::string& name) {
  if (problem.sizes.contains(name)) return;
  throw Error(Stop::usage,
              fmt::format("cannot measure at '{}': case {} has no such size; it has {}", name,
                          problem.name, fmt::join(cases::size_names(problem), ", ")));
}

[[nodiscard]] std::string device_head(const trial::Result& result) {
  if (!result.device) return "";
  return fmt::format("Device: {}\nCapability: ({}, {})\n---\n", visible_line(result.device->name),
                     result.device->major, result.device->minor);
}

class SweepRun {
 public:
  SweepRun(const cases::Case& problem, const SweepPlan& plan, const MeasureSize& measure,
           const Console& console)
      : problem_(problem),
        plan_(plan),
        measure_(measure),
        console_(console),
        table_(problem, plan) {}

  [[nodiscard]] int run() {
    try {
      // Between two trials nobody else looks for a signal.
      const Interrupts interrupts;
      for (const std::string& size : plan_.sizes) {
        if (const auto signal = interrupts.next()) throw Interrupted(*signal);
        rows_.push_back(row_of(size));
        require_progress();
        print_rows();
      }
    } catch (const Interrupted& interrupted) {
      // The signal ends the program without its streams being written out.
      print_end(interrupted);
      throw;
    }
    const int drawn = draw_pictures(problem_, plan_, rows_, console_.err);
    print_end(std::nullopt);
    int exit_code = drawn;
    for (const SweepRow& row : rows_) exit_code = worse(exit_code, row.exit_code);
    return exit_code;
  }

 private:
  [[nodiscard]] SweepRow row_of(const std::string& size) const {
    SweepRow row{.size = size,
                 .symbols = problem_.sizes.at(size),
                 .texts = cases::symbol_texts(problem_, size),
                 .result = {},
                 .error = {},
                 .exit_code = 0,
                 .record = {}};
    try {
      SizeMeasured measured = measure_(size);
      row.exit_code = trial::finding(measured.result).exit_code;
      row.result = std::move(measured.result);
      row.record = std::move(measured.record);
    } catch (const Error& error) {
      row.error = error.what();
      row.exit_code = static_cast<int>(error.stop());
      row.record = trial::record(error);
    }
    return row;
  }

  // What the machine lacks, it lacks at every size.
  void require_progress() const {
    const bool in_vain = rows_.size() == 2 && !rows_[0].result && !rows_[1].result &&
                         rows_[0].error == rows_[1].error;
    if (in_vain) throw Error(static_cast<Stop>(rows_[0].exit_code), rows_[0].error);
  }

  // Rows wait for the device that they are headed by, which an Error may not tell.
  void print_rows() {
    if (plan_.json) return;
    if (printed_ == 0 && !rows_.back().result && rows_.size() < plan_.sizes.size()) return;
    for (; printed_ < rows_.size(); ++printed_) {
      if (printed_ == 0) {
        for (const SweepRow& row : rows_) {
          if (!row.result) continue;
          console_.out << device_head(*row.result);
          break;
        }
        console_.out << table_.head();
      }
      console_.out << table_.row(rows_[printed_]);
    }
    console_.out << std::flush;
  }

  void print_end(const std::optional<Interrupted>& interrupted) {
    if (plan_.json) {
      console_.out << sweep_record(rows_, interrupted);
    } else if (!rows_.empty()) {
      console_.out << sweep_summary(rows_, plan_.sizes.size());
    }
    console_.out << std::flush;
  }

  const cases::Case& problem_;
  const SweepPlan& plan_;
  const MeasureSize& measure_;
  const Console& console_;
  const SweepTable table_;
  std::vector<SweepRow> rows_;
  std::size_t printed_ = 0;
};

}  // namespace

std::vector<std::string> sweep_sizes(const cases::Case& problem, const std::string& list) {
  if (list.empty()) return all_sizes(problem);
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string name = list.substr(begin, end - begin);
    // "default, check" as people write lists.
    name.erase(0, name.find_first_not_of(' '));
    name.erase(name.find_last_not_of(' ') + 1);
    require_size(problem, name);
    if (std::ranges::find(names, name) != names.end()) {
      throw Error(Stop::usage,
                  fmt::format("cannot measure at '{}': it names {} twice", list, name));
    }
    names.push_back(std::move(name));
    begin = end + 1;
  }
  return names;
}

int run_sweep(const cases::Case& problem, const SweepPlan& plan, const MeasureSize& measure,
              const Console& console) {
  return SweepRun(problem, plan, measure, console).run();
}

int worse(int one, int other) {
  // The worst first: crashed, timed out, does not compile, incorrect; internal, environment, usage;
  // unsupported, inconclusive, not faster.
  constexpr std::array kWorstFirst = {14, 13, 12, 11, 70, 3, 2, 17, 16, 10, 0};
  const auto place = [&](int code) {
    return std::ranges::find(kWorstFirst, code) - kWorstFirst.begin();
  };
  return place(other) < place(one) ? other : one;
}

std::optional<ReferenceMean> reference_mean(const std::vector<SweepRow>& rows) {
  ReferenceMean mean;
  double logarithms = 0;
  for (const SweepRow& row : rows) {
    if (!row.result) continue;
    const auto known = figures(*row.result);
    if (!known || !known->vs_reference || *known->vs_reference <= 0) continue;
    logarithms += std::log(*known->vs_reference);
    ++mean.sizes;
  }
  if (mean.sizes == 0) return std::nullopt;
  mean.ratio = std::exp(logarithms / static_cast<double>(mean.sizes));
  return mean;
}

}  // namespace autokernel::cli
