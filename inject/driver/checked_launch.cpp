#include "driver/checked_launch.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <vector>

#include "driver/elements.h"
#include "driver/real_driver.h"
#include "driver/relaxed_capture_mode.h"
#include "driver/replacement.h"
#include "driver/tally.h"

namespace autokernel::inject {
namespace {

struct Schedule {
  std::uint64_t launches = 0;  // so far
  std::uint64_t next = 0;      // to be checked
};
struct Schedules {
  std::mutex mutex;
  std::map<std::size_t, Schedule> of_replacement;
};
Schedules& schedules() {
  static auto* const kept = new Schedules;
  return *kept;
}

// A launch within a graph. Its memory is on the device, and stays until the process ends.
struct RecordedCheck {
  std::size_t number = 0;
  struct Copies {
    std::size_t tensor = 0;
    CUdeviceptr before = 0, own = 0, original = 0;
  };
  std::vector<Copies> copies;
  CUdeviceptr has_run = 0;  // four bytes that the graph sets
  Schedule schedule;
};
struct RecordedChecks {
  std::mutex mutex;
  std::vector<RecordedCheck> all;
};
RecordedChecks& recorded_checks() {
  static auto* const kept = new RecordedChecks;
  return *kept;
}

[[nodiscard]] bool is_due(Schedule& schedule) {
  const std::uint64_t launch = schedule.launches++;
  if (launch != schedule.next) return false;
  constexpr std::uint64_t kSlowerBy = 4;  // the gap is up to this part of all so far
  const std::uint64_t most = 1 + launch / kSlowerBy;
  static std::random_device random;
  schedule.next = launch + 1 + random() % most;
  return true;
}

void tell_wrong(std::size_t number, std::size_t tensor, const Difference& difference) {
  Tally& told = tally(number);
  if (told.wrong.fetch_add(1, std::memory_order_relaxed) != 0) return;
  told.wrong_launch = told.outcomes[0].load() + told.outcomes[1].load() + 1;
  told.wrong_tensor = tensor;
  told.wrong_element = difference.element;
  told.wrong_got = std::bit_cast<std::uint64_t>(difference.got);
  told.wrong_expected = std::bit_cast<std::uint64_t>(difference.expected);
}

[[nodiscard]] Bytes read_back(CUdeviceptr from, std::size_t bytes) {
  Bytes read(bytes);
  (void)AUTOKERNEL_REAL(cuMemcpyDtoH)(read.data(), from, bytes);
  return read;
}

// What the launch reads is overwritten by the time that its results are looked at, so that nothing
// more can be tried: where the case's values were smaller, so was its bound.
[[nodiscard]] double scaled_bound(const ReplacedTensor& tensor, const Bytes& expected) {
  return tensor.absolute * std::max(1.0, root_mean_square(tensor, expected));
}

void compare(RecordedCheck& check) {
  const Replacement& replacement = replacements().all[check.number];
  tally(check.number).checked.fetch_add(1, std::memory_order_relaxed);
  for (const RecordedCheck::Copies& each : check.copies) {
    const ReplacedTensor& tensor = replacement.tensors[each.tensor];
    const Bytes own = read_back(each.own, tensor.bytes);
    const Bytes original = read_back(each.original, tensor.bytes);
    if (const auto difference =
            first_difference(tensor, own, original, scaled_bound(tensor, original))) {
      tell_wrong(check.number, each.tensor, *difference);
      return;
    }
  }
}

// Memory of tensors by their number.
using Memory = std::map<std::size_t, Bytes>;

class Check {
 public:
  Check(std::size_t number, const GivenOperands& operands,
        const std::function<CUresult()>& original)
      : number_(number),
        replacement_(replacements().all[number]),
        operands_(operands),
        original_(original) {}

  [[nodiscard]] CUresult run(const std::function<CUresult()>& own);

 private:
  [[nodiscard]] Memory read(bool written) const;
  void write(const Memory& memory) const;
  [[nodiscard]] CUresult launched(const std::function<CUresult()>& launch) const {
    const CUresult result = launch();
    return result != CUDA_SUCCESS ? result : AUTOKERNEL_REAL(cuCtxSynchronize)();
  }
  [[nodiscard]] bool is_right(const Memory& got, const Memory& expected, const Memory& before);
  [[nodiscard]] std::map<std::size_t, double> distances(const Memory& expected,
                                                        const Memory& before) const;

  std::size_t number_;
  const Replacement& replacement_;
  const GivenOperands& operands_;
  const std::function<CUresult()>& original_;
};

// Those that are written, or those that are only read.
Memory Check::read(bool written) const {
  Memory memory;
  for (std::size_t i = 0; i < replacement_.tensors.size(); ++i) {
    if (replacement_.tensors[i].is_written != written) continue;
    Bytes& bytes = memory[i];
    bytes.resize(replacement_.tensors[i].bytes);
    (void)AUTOKERNEL_REAL(cuMemcpyDtoH)(bytes.data(), operands_.tensors[i], bytes.size());
  }
  return memory;
}

void Check::write(const Memory& memory) const {
  for (const auto& [tensor, bytes] : memory) {
    (void)AUTOKERNEL_REAL(cuMemcpyHtoD)(operands_.tensors[tensor], bytes.data(), bytes.size());
  }
}

// How far the original's own results are from each other when its inputs move by one unit in the
// last place: by tensor. A case's bound is that of the values it was made from, and a program has
// others, too.
std::map<std::size_t, double> Check::distances(const Memory& expected, const Memory& before) const {
  constexpr unsigned kMoves = 4;
  const Memory inputs = read(false);
  std::map<std::size_t, double> largest;
  for (unsigned i = 0; i < kMoves; ++i) {
    const Move how = i == 0 ? Move::up : i == 1 ? Move::down : Move::at_random;
    Memory moved = inputs;
    for (const auto& [tensor, bytes] : before) {
      if (replacement_.tensors[tensor].is_read) moved[tensor] = bytes;
    }
    for (auto& [tensor, bytes] : moved) {
      move_by_one_place(replacement_.tensors[tensor], bytes, how,
                        i + static_cast<unsigned>(tensor));
    }
    write(before);
    write(moved);
    if (launched(original_) != CUDA_SUCCESS) break;
    const Memory results = read(true);
    for (const auto& [tensor, bytes] : expected) {
      largest[tensor] = std::max(largest[tensor], largest_distance(replacement_.tensors[tensor],
                                                                   bytes, results.at(tensor)));
    }
  }
  write(inputs);
  return largest;
}

bool Check::is_right(const Memory& got, const Memory& expected, const Memory& before) {
  std::optional<std::map<std::size_t, double>> own_distances;
  for (const auto& [tensor, bytes] : expected) {
    const ReplacedTensor& what = replacement_.tensors[tensor];
    auto difference = first_difference(what, got.at(tensor), bytes, what.absolute);
    if (difference && what.element != ReplacedTensor::Element::bits) {
      if (!own_distances) own_distances = distances(expected, before);
      // As a case allows: twice as much as that.
      const double absolute = std::max(what.absolute, 2 * (*own_distances)[tensor]);
      difference = first_difference(what, got.at(tensor), bytes, absolute);
    }
    if (!difference) continue;
    tell_wrong(number_, tensor, *difference);
    return false;
  }
  return true;
}

CUresult Check::run(const std::function<CUresult()>& own) {
  const RelaxedCaptureMode relaxed;
  CUresult result = AUTOKERNEL_REAL(cuCtxSynchronize)();
  if (result != CUDA_SUCCESS) return result;
  const Memory before = read(true);
  result = launched(own);
  if (result != CUDA_SUCCESS) {
    tally(number_).error = static_cast<std::uint64_t>(result);
    return result;
  }
  const Memory got = read(true);
  write(before);
  result = launched(original_);
  if (result != CUDA_SUCCESS) return result;
  const Memory expected = read(true);
  tally(number_).checked.fetch_add(1, std::memory_order_relaxed);
  write(is_right(got, expected, before) ? got : expected);
  return CUDA_SUCCESS;
}

}  // namespace

bool is_to_be_checked(std::size_t replacement) {
  const std::lock_guard lock(schedules().mutex);
  return is_due(schedules().of_replacement[replacement]);
}

CUresult launch_checked(std::size_t replacement, const GivenOperands& operands,
                        const std::function<CUresult()>& own,
                        const std::function<CUresult()>& original) {
  return Check(replacement, operands, original).run(own);
}

CUresult record_checked(std::size_t replacement, const GivenOperands& operands, CUstream stream,
                        const std::function<CUresult()>& own,
                        const std::function<CUresult()>& original) {
  const RelaxedCaptureMode relaxed;
  RecordedCheck check{.number = replacement, .copies = {}, .has_run = 0, .schedule = {}};
  constexpr std::size_t kFlagBytes = sizeof(std::uint32_t);
  CUresult result = AUTOKERNEL_REAL(cuMemAlloc)(&check.has_run, kFlagBytes);
  const auto attempt = [&](CUresult next) {
    if (result == CUDA_SUCCESS) result = next;
  };
  const auto copy = [&](CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    if (result == CUDA_SUCCESS)
      attempt(AUTOKERNEL_REAL(cuMemcpyDtoDAsync)(to, from, bytes, stream));
  };
  const std::vector<ReplacedTensor>& tensors = replacements().all[replacement].tensors;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].is_written) continue;
    RecordedCheck::Copies& each = check.copies.emplace_back();
    each.tensor = i;
    for (CUdeviceptr* const memory : {&each.before, &each.own, &each.original}) {
      if (result == CUDA_SUCCESS) attempt(AUTOKERNEL_REAL(cuMemAlloc)(memory, tensors[i].bytes));
    }
    copy(each.before, operands.tensors[i], tensors[i].bytes);
  }
  if (result != CUDA_SUCCESS) return original();
  attempt(own());
  for (const auto& each : check.copies) {
    copy(each.own, operands.tensors[each.tensor], tensors[each.tensor].bytes);
    copy(operands.tensors[each.tensor], each.before, tensors[each.tensor].bytes);
  }
  if (result == CUDA_SUCCESS) attempt(original());
  for (const auto& each : check.copies) {
    copy(each.original, operands.tensors[each.tensor], tensors[each.tensor].bytes);
  }
  if (result == CUDA_SUCCESS) {
    attempt(AUTOKERNEL_REAL(cuMemsetD32Async)(check.has_run, 1, 1, stream));
  }
  if (result == CUDA_SUCCESS) {
    // Not on the stream, which only records.
    const std::uint32_t not_yet = 0;
    (void)AUTOKERNEL_REAL(cuMemcpyHtoD)(check.has_run, &not_yet, sizeof not_yet);
    const std::lock_guard lock(recorded_checks().mutex);
    recorded_checks().all.push_back(std::move(check));
  }
  return result;
}

void compare_recorded(CUstream stream) {
  const std::lock_guard lock(recorded_checks().mutex);
  if (recorded_checks().all.empty()) return;
  const RelaxedCaptureMode relaxed;
  if (AUTOKERNEL_REAL(cuStreamSynchronize)(stream) != CUDA_SUCCESS) return;
  for (RecordedCheck& check : recorded_checks().all) {
    std::uint32_t has_run = 0;
    (void)AUTOKERNEL_REAL(cuMemcpyDtoH)(&has_run, check.has_run, sizeof has_run);
    if (has_run == 0) continue;
    has_run = 0;
    (void)AUTOKERNEL_REAL(cuMemcpyHtoD)(check.has_run, &has_run, sizeof has_run);
    if (is_due(check.schedule)) compare(check);
  }
}

}  // namespace autokernel::inject
