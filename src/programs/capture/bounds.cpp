#include "programs/capture/bounds.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <vector>

#include "programs/capture/error_bound.h"
#include "programs/capture/numbers.h"
#include "programs/capture/replay.h"
#include "programs/capture/replayed.h"

namespace autokernel::programs {
namespace {

// Inputs, and what the captured kernel makes of them.
struct Results {
  std::vector<Bytes> inputs;
  std::vector<Bytes> outputs;
};

class Bounds {
 public:
  Bounds(const CapturedLaunch& launch, const driver::Device& device, Study& study)
      : launch_(launch), study_(study), replay_(launch, device, pieces_of(study.tensors)) {}

  void find() {
    see(inputs_of(launch_, study_.tensors));
    std::vector<Bytes> drawn = inputs_of(launch_, study_.tensors);
    bool is_drawn = false;
    for (std::size_t t = 0; t < drawn.size(); ++t) {
      const StudiedTensor& tensor = study_.tensors[t];
      make_anew(tensor.dtype, tensor.use, drawn[t], 1);
      is_drawn = is_drawn || tensor.use != cases::CapturedUse::kept;
    }
    if (is_drawn) see(std::move(drawn));
    for (std::size_t t = 0; t < study_.tensors.size(); ++t) {
      StudiedTensor& tensor = study_.tensors[t];
      if (tensor.written > 0 && is_plain_float(tensor.dtype)) tensor.bound = bound_of(t);
    }
  }

 private:
  // Replays on these inputs and on such as are moved a little.
  void see(std::vector<Bytes> inputs) {
    Results& base = seen_.emplace_back();
    base.outputs = replayed(replay_, inputs);
    base.inputs = std::move(inputs);
    all_.resize(study_.tensors.size());
    without_own_.resize(study_.tensors.size());
    for (unsigned number = 0; number < kMoves; ++number) {
      std::vector<Bytes> moved = base.inputs;
      for (std::size_t t = 0; t < moved.size(); ++t) {
        const StudiedTensor& tensor = study_.tensors[t];
        if (tensor.read > 0) move_by_one_place(tensor.dtype, moved[t], number);
        moves_any_ = moves_any_ || moved[t] != base.inputs[t];
      }
      const std::vector<Bytes> results = replayed(replay_, moved);
      for (std::size_t t = 0; t < results.size(); ++t) add(t, base, moved[t], results[t]);
    }
  }

  void add(std::size_t t, const Results& base, const Bytes& moved, const Bytes& result) {
    const StudiedTensor& tensor = study_.tensors[t];
    if (tensor.written == 0 || !is_plain_float(tensor.dtype)) return;
    std::mutex adding;
    over_elements(result.size() / cases::size_of(tensor.dtype), [&](std::size_t first,
                                                                    std::size_t end) {
      ErrorBound all;
      ErrorBound without_own;
      for (std::size_t i = first; i < end; ++i) {
        const double right = value_at(tensor.dtype, base.outputs[t], i);
        const double change = std::fabs(value_at(tensor.dtype, result, i) - right);
        all.add(right, change);
        if (tensor.read == 0) continue;
        const double own =
            std::fabs(value_at(tensor.dtype, moved, i) - value_at(tensor.dtype, base.inputs[t], i));
        without_own.add(right, std::max(0.0, change - own));
      }
      const std::lock_guard held(adding);
      all_[t].add(all);
      without_own_[t].add(tensor.read == 0 ? all : without_own);
    });
  }

  [[nodiscard]] cases::Tolerance bound_of(std::size_t t) const {
    const double both = 2 * 2 * rounding(study_.tensors[t].dtype);
    const auto twice = [&](const cases::Tolerance& least) {
      return cases::Tolerance{.absolute = 2 * least.absolute,
                              .relative = 2 * least.relative + both};
    };
    cases::Tolerance by_moves = twice(all_[t].least());
    if (!moves_any_) by_moves.absolute = by_order_of_sums(t);
    if (!excuses_nothing_done(t, by_moves)) return by_moves;
    // Where a result is the tensor's own element, changed a little, moving that says nothing.
    const cases::Tolerance by_others = twice(without_own_[t].least());
    if (!excuses_nothing_done(t, by_others)) return by_others;
    const cases::Tolerance by_rounding = {.absolute = 0, .relative = both};
    if (!excuses_nothing_done(t, by_rounding)) return by_rounding;
    return {};
  }

  // Packed numbers cannot be moved by one unit in the last place. What they are summed up to in
  // fp32 differs with the order: of some thousand terms by the square root of their number in such
  // units of the sum.
  [[nodiscard]] double by_order_of_sums(std::size_t t) const {
    constexpr double kUnits = 64;
    const double unit =
        2 * rounding(study_.tensors[t].dtype == cases::DType::f64 ? cases::DType::f64
                                                                  : cases::DType::f32);
    double most = 0;
    for (const Results& results : seen_) most = std::max(most, root_mean_square(t, results));
    return kUnits * unit * most;
  }

  [[nodiscard]] double root_mean_square(std::size_t t, const Results& results) const {
    const cases::DType dtype = study_.tensors[t].dtype;
    const std::size_t count = results.outputs[t].size() / cases::size_of(dtype);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = value_at(dtype, results.outputs[t], i);
      if (std::isfinite(value)) sum += value * value;
    }
    return count == 0 ? 0 : std::sqrt(sum / static_cast<double>(count));
  }

  // Whether what was there before, zeros, another input, or one number everywhere would pass for
  // the results each time.
  [[nodiscard]] bool excuses_nothing_done(std::size_t t, const cases::Tolerance& bound) const {
    const StudiedTensor& tensor = study_.tensors[t];
    const auto always = [&](const auto& passes) {
      return std::ranges::all_of(seen_, [&](const Results& results) { return passes(results); });
    };
    for (std::size_t other = 0; other < study_.tensors.size(); ++other) {
      const StudiedTensor& source = study_.tensors[other];
      if (source.read == 0 || source.dtype != tensor.dtype || source.bytes() != tensor.bytes()) {
        continue;
      }
      if (always([&](const Results& results) {
            return passes(t, results, bound, [&](std::size_t i) {
              return value_at(tensor.dtype, results.inputs[other], i);
            });
          })) {
        return true;
      }
    }
    return always([&](const Results& results) {
             return passes(t, results, bound, [](std::size_t /*i*/) { return 0.0; });
           }) ||
           always([&](const Results& results) {
             const double mean = mean_of(t, results);
             return passes(t, results, bound, [&](std::size_t /*i*/) { return mean; });
           });
  }

  [[nodiscard]] bool passes(std::size_t t, const Results& results, const cases::Tolerance& bound,
                            const auto& given) const {
    const cases::DType dtype = study_.tensors[t].dtype;
    const std::size_t count = results.outputs[t].size() / cases::size_of(dtype);
    for (std::size_t i = 0; i < count; ++i) {
      const double right = value_at(dtype, results.outputs[t], i);
      if (std::isfinite(right) && !(std::fabs(given(i) - right) <= bound.allowed(right))) {
        return false;
      }
    }
    return true;
  }

  [[nodiscard]] double mean_of(std::size_t t, const Results& results) const {
    const cases::DType dtype = study_.tensors[t].dtype;
    const std::size_t count = results.outputs[t].size() / cases::size_of(dtype);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double value = value_at(dtype, results.outputs[t], i);
      if (std::isfinite(value)) sum += value;
    }
    return count == 0 ? 0 : sum / static_cast<double>(count);
  }

  const CapturedLaunch& launch_;
  Study& study_;
  Replay replay_;
  std::vector<Results> seen_;
  // By tensor: how much its elements change, and how much more than they were moved themselves.
  std::vector<ErrorBound> all_, without_own_;
  bool moves_any_ = false;  // whether there are plain numbers among the inputs
};

}  // namespace

void find_bounds(const CapturedLaunch& launch, const driver::Device& device, Study& study) {
  Bounds(launch, device, study).find();
}

}  // namespace autokernel::programs
