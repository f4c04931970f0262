#include "cli/sweep_pictures.h"

#include <algorithm>
#include <filesystem>

#include "autokernel/base/error.h"
#include "autokernel/base/files.h"
#include "autokernel/base/visible_text.h"
#include "autokernel/trial/figures.h"
#include "cli/picture_file.h"

namespace autokernel::cli {
namespace {

namespace fs = std::filesystem;

void add_roofs(plot::Sweep& sweep, const trial::Result& result) {
  sweep.memory_gbytes_s = result.peak_gbytes_s;
  const auto add = [&](const std::string& unit, double tflops) {
    if (std::ranges::find(sweep.compute, unit, &plot::ComputeRoof::unit) == sweep.compute.end()) {
      sweep.compute.push_back({unit, tflops});
    }
  };
  if (result.unit && result.unit_tflops) {
    add(driver::spelling(*result.unit), *result.unit_tflops);
  } else if (result.peak_tflops) {
    add("inputs of the case", *result.peak_tflops);
  }
}

// Where the roofs are not known, what most devices of today come to without tensor cores.
[[nodiscard]] bool is_bound_by_memory(const trial::Figures& known) {
  constexpr double kUsualRidge = 10;
  if (known.roof) return known.roof->bound == trial::Bound::memory;
  return known.intensity < kUsualRidge;
}

}  // namespace

void require_drawable(const SweepPlan& plan) {
  if (plan.plot.empty() && plan.roofline.empty()) return;
  require_picture(plan.plot);
  require_picture(plan.roofline);
  if (plan.plot == plan.roofline) {
    throw Error(Stop::usage, "cannot draw both pictures to " + plan.plot +
                                 ": name another file for one of --plot and --roofline");
  }
  static_cast<void>(plot::find_gnuplot());
}

plot::Sweep drawn_sweep(const cases::Case& problem, const std::vector<SweepRow>& rows) {
  plot::Sweep sweep{.problem = problem.name,
                    .device = {},
                    .reference = "reference",
                    .work_rate = plot::WorkRate::operations,
                    .sizes = {},
                    .compute = {},
                    .memory_gbytes_s = {}};
  int bound_by_memory = 0;
  int bound_by_compute = 0;
  for (const SweepRow& row : rows) {
    if (!row.result) continue;
    const auto known = figures(*row.result);
    if (!known) continue;
    const trial::Result& result = *row.result;
    plot::SizePoint& size = sweep.sizes.emplace_back();
    size.name = visible_line(row.size);
    size.symbols = row.symbols;
    size.operations = result.flops;
    size.bytes = result.bytes;
    size.kernel_us = known->times->median_us;
    if (result.reference) size.reference_us = result.reference->median_us;
    if (result.device) sweep.device = result.device->name;
    if (const auto version = result.versions.find("reference"); version != result.versions.end()) {
      sweep.reference = version->second.substr(0, version->second.find(' '));
    }
    add_roofs(sweep, result);
    ++(is_bound_by_memory(*known) ? bound_by_memory : bound_by_compute);
  }
  if (bound_by_memory > bound_by_compute) sweep.work_rate = plot::WorkRate::bytes;
  return sweep;
}

int draw_pictures(const cases::Case& problem, const SweepPlan& plan,
                  const std::vector<SweepRow>& rows, std::ostream& err) {
  if (plan.plot.empty() && plan.roofline.empty()) return 0;
  const plot::Sweep sweep = drawn_sweep(problem, rows);
  const auto write = [&](const std::string& file, auto draw) {
    if (file.empty()) return;
    const std::string picture = draw(sweep, picture_format(file), plot::find_gnuplot());
    write_file_atomically(file, picture, Sync::no);
    err << visible_line(file) << ": " << sweep.sizes.size() << " sizes\n";
  };
  try {
    write(plan.plot, plot::draw_sizes);
    write(plan.roofline, plot::draw_roofline);
    return 0;
  } catch (const Error& error) {  // the table stands without them
    err << "autokernel: " << visible_line(error.what()) << '\n';
    return static_cast<int>(Stop::environment);
  }
}

}  // namespace autokernel::cli
