#include "driver/checked_launch.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "driver/elements.h"
#include "driver/launch_view.h"
#include "driver/real_driver.h"
#include "driver/relaxed_capture_mode.h"
#include "driver/replacement.h"
#include "driver/snapshot.h"
#include "driver/tally.h"

namespace autokernel::inject {
namespace {

[[nodiscard]] std::uint64_t random_below(std::uint64_t limit) {
  static std::random_device device;
  return device() % std::max<std::uint64_t>(limit, 1);
}

struct Schedule {
  std::uint64_t launches = 0;         // so far
  std::optional<std::uint64_t> next;  // to be checked; none: to be drawn
  bool is_over = false;
};
struct Schedules {
  std::mutex mutex;
  std::map<std::size_t, Schedule> of_replacement;
};
Schedules& schedules() {
  static auto* const kept = new Schedules;
  return *kept;
}

[[nodiscard]] bool is_due(Schedule& schedule, std::size_t replacement) {
  const std::vector<std::uint64_t>& spots = replacements().spots;
  const std::uint64_t launch = schedule.launches++;
  if (!schedule.next) {
    schedule.next = replacement < spots.size() ? random_below(spots[replacement]) : 0;
  }
  if (launch != *schedule.next || schedule.is_over) return false;
  schedule.is_over = !spots.empty();
  constexpr std::uint64_t kSlowerBy = 4;  // the gap is up to this part of all so far
  schedule.next = launch + 1 + random_below(1 + launch / kSlowerBy);
  return true;
}

// What differs, of one launch.
struct Wrong {
  std::size_t tensor = kBesideTensors;
  Difference difference;
};

void tell(std::size_t number, const Wrong& wrong) {
  Tally& told = tally(number);
  if (told.wrong.fetch_add(1, std::memory_order_relaxed) != 0) return;
  told.wrong_launch = told.outcomes[0].load() + told.outcomes[1].load();
  told.wrong_tensor = wrong.tensor;
  told.wrong_element = wrong.difference.element;
  told.wrong_got = std::bit_cast<std::uint64_t>(wrong.difference.got);
  told.wrong_expected = std::bit_cast<std::uint64_t>(wrong.difference.expected);
}

// Everything but what is written is to be as the original leaves it: inputs, tensors that it seldom
// writes, and what lies around.
[[nodiscard]] std::optional<Wrong> differing_rest(const Replacement& replacement,
                                                  const Surroundings& surroundings, Snapshot got,
                                                  Snapshot expected) {
  for (std::size_t i = 0; i < replacement.tensors.size(); ++i) {
    const ReplacedTensor& tensor = replacement.tensors[i];
    if (!tensor.is_written) {
      const Bytes ours = tensor_in(got, surroundings, i, tensor);
      const Bytes theirs = tensor_in(expected, surroundings, i, tensor);
      if (ours != theirs) {
        const auto place = std::ranges::mismatch(ours, theirs);
        const auto byte = static_cast<std::size_t>(place.in1 - ours.begin());
        const std::size_t element = byte / tensor.element_bytes;
        return Wrong{i,
                     {element, element_value(tensor, ours, element),
                      element_value(tensor, theirs, element)}};
      }
    }
    const Bytes nothing(tensor.bytes);
    put_tensor(got, surroundings, i, nothing);
    put_tensor(expected, surroundings, i, nothing);
  }
  for (std::size_t part = 0; part < got.size(); ++part) {
    const auto place = std::ranges::mismatch(got[part], expected[part]);
    if (place.in1 == got[part].end()) continue;
    return Wrong{kBesideTensors,
                 {static_cast<std::size_t>(place.in1 - got[part].begin()),
                  static_cast<double>(*place.in1), static_cast<double>(*place.in2)}};
  }
  return std::nullopt;
}

class Check {
 public:
  Check(std::size_t number, const GivenOperands& operands, CUstream stream,
        const std::function<CUresult()>& original)
      : number_(number),
        replacement_(replacements().all[number]),
        surroundings_(replacement_.tensors, operands.tensors),
        stream_(stream),
        original_(original) {}

  [[nodiscard]] CUresult run(const std::function<CUresult()>& own);

 private:
  [[nodiscard]] std::optional<Wrong> wrong(const Snapshot& before, const Snapshot& got,
                                           const Snapshot& expected) const;
  [[nodiscard]] std::vector<std::vector<double>> distances(const Snapshot& before,
                                                           const Snapshot& expected) const;

  std::size_t number_;
  const Replacement& replacement_;
  const Surroundings surroundings_;
  CUstream stream_;
  const std::function<CUresult()>& original_;
};

// How far each of the original's own results moves when its inputs move by one unit in the last
// place: by tensor and element. A case's bound is that of the values it was made from, and a
// program has others, too. Empty where that cannot be found out.
std::vector<std::vector<double>> Check::distances(const Snapshot& before,
                                                  const Snapshot& expected) const {
  constexpr unsigned kMoves = 4;
  std::vector<std::vector<double>> largest(replacement_.tensors.size());
  for (unsigned i = 0; i < kMoves; ++i) {
    const Move how = i == 0 ? Move::up : i == 1 ? Move::down : Move::at_random;
    Snapshot moved = before;
    for (std::size_t t = 0; t < replacement_.tensors.size(); ++t) {
      const ReplacedTensor& tensor = replacement_.tensors[t];
      if (!tensor.is_read) continue;
      Bytes bytes = tensor_in(before, surroundings_, t, tensor);
      move_by_one_place(tensor, bytes, how, i + static_cast<unsigned>(t));
      put_tensor(moved, surroundings_, t, bytes);
    }
    if (!put_back(moved, surroundings_, stream_) || original_() != CUDA_SUCCESS) return {};
    const auto results = taken(surroundings_, stream_);
    if (!results) return {};
    for (std::size_t t = 0; t < replacement_.tensors.size(); ++t) {
      const ReplacedTensor& tensor = replacement_.tensors[t];
      if (!tensor.is_written) continue;
      add_distances(tensor, tensor_in(*results, surroundings_, t, tensor),
                    tensor_in(expected, surroundings_, t, tensor), largest[t]);
    }
  }
  return largest;
}

std::optional<Wrong> Check::wrong(const Snapshot& before, const Snapshot& got,
                                  const Snapshot& expected) const {
  if (auto rest = differing_rest(replacement_, surroundings_, got, expected)) return rest;
  std::optional<std::vector<std::vector<double>>> own_distances;
  for (std::size_t t = 0; t < replacement_.tensors.size(); ++t) {
    const ReplacedTensor& tensor = replacement_.tensors[t];
    if (!tensor.is_written) continue;
    const Bytes ours = tensor_in(got, surroundings_, t, tensor);
    const Bytes theirs = tensor_in(expected, surroundings_, t, tensor);
    auto difference = first_difference(tensor, ours, theirs, {});
    if (difference && tensor.element != ReplacedTensor::Element::bits) {
      if (!own_distances) own_distances = distances(before, expected);
      if (!own_distances->empty()) {
        difference = first_difference(tensor, ours, theirs, allowances((*own_distances)[t]));
      }
    }
    if (difference) return Wrong{t, *difference};
  }
  return std::nullopt;
}

CUresult Check::run(const std::function<CUresult()>& own) {
  const RelaxedCaptureMode relaxed;
  // Where the stream waits for what the program has yet to do, nothing can be compared.
  const auto before = is_done(stream_) ? taken(surroundings_, stream_) : std::nullopt;
  const CUresult result = own();
  if (!before || result != CUDA_SUCCESS) return result;
  const auto got = taken(surroundings_, stream_);
  if (!got) {
    const CUresult fault = AUTOKERNEL_REAL(cuStreamQuery)(stream_);
    if (fault != CUDA_ERROR_NOT_READY) tally(number_).error = static_cast<std::uint64_t>(fault);
    return CUDA_SUCCESS;  // the program will learn of it as it would by itself
  }
  if (!put_back(*before, surroundings_, stream_) || original_() != CUDA_SUCCESS) {
    return CUDA_ERROR_UNKNOWN;
  }
  const auto expected = taken(surroundings_, stream_);
  if (!expected) return CUDA_ERROR_UNKNOWN;
  tally(number_).checked.fetch_add(1, std::memory_order_relaxed);
  const auto found = wrong(*before, *got, *expected);
  if (found) tell(number_, *found);
  // All of it, since moved inputs may lie there.
  return put_back(found ? *expected : *got, surroundings_, stream_) ? CUDA_SUCCESS
                                                                    : CUDA_ERROR_UNKNOWN;
}

// A launch within a graph. Its memory is on the device, and stays until the process ends.
struct RecordedCheck {
  std::size_t number = 0;
  std::vector<CUdeviceptr> addresses;
  struct Copies {
    CUdeviceptr before = 0, own = 0, original = 0;
  };
  std::vector<Copies> copies;  // of each part
  CUdeviceptr has_run = 0;     // four bytes that the graph sets
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
// A program that records graphs without end is not to run out of memory.
constexpr std::size_t kMostRecordedChecks = 512;

[[nodiscard]] bool read_back(CUdeviceptr from, Bytes& to) {
  return AUTOKERNEL_REAL(cuMemcpyDtoH)(to.data(), from, to.size()) == CUDA_SUCCESS;
}

void compare(RecordedCheck& check) {
  const Replacement& replacement = replacements().all[check.number];
  const Surroundings surroundings(replacement.tensors, check.addresses);
  Snapshot got;
  Snapshot expected;
  for (std::size_t i = 0; i < check.copies.size(); ++i) {
    const std::size_t bytes = surroundings.parts()[i].bytes;
    if (!read_back(check.copies[i].own, got.emplace_back(bytes)) ||
        !read_back(check.copies[i].original, expected.emplace_back(bytes))) {
      return;
    }
  }
  tally(check.number).checked.fetch_add(1, std::memory_order_relaxed);
  if (const auto rest = differing_rest(replacement, surroundings, got, expected)) {
    tell(check.number, *rest);
    return;
  }
  for (std::size_t t = 0; t < replacement.tensors.size(); ++t) {
    const ReplacedTensor& tensor = replacement.tensors[t];
    if (!tensor.is_written) continue;
    const Bytes ours = tensor_in(got, surroundings, t, tensor);
    const Bytes theirs = tensor_in(expected, surroundings, t, tensor);
    // What the launch reads is overwritten by the time that its results are looked at, so that
    // nothing more can be tried: where the case's values were smaller, so was its bound.
    const double scale = std::max(1.0, median_size(tensor, theirs));
    const std::vector<double> allowed(tensor.bytes / tensor.element_bytes, tensor.absolute * scale);
    if (const auto difference = first_difference(tensor, ours, theirs, allowed)) {
      tell(check.number, {t, *difference});
      return;
    }
  }
}

}  // namespace

bool is_to_be_checked(std::size_t replacement) {
  const std::lock_guard lock(schedules().mutex);
  return is_due(schedules().of_replacement[replacement], replacement);
}

CUresult launch_checked(std::size_t replacement, const GivenOperands& operands, CUstream stream,
                        const std::function<CUresult()>& own,
                        const std::function<CUresult()>& original) {
  return Check(replacement, operands, stream, original).run(own);
}

CUresult record_checked(std::size_t replacement, const GivenOperands& operands, CUstream stream,
                        const std::function<CUresult()>& own,
                        const std::function<CUresult()>& original) {
  {
    const std::lock_guard lock(recorded_checks().mutex);
    if (recorded_checks().all.size() >= kMostRecordedChecks) return own();
  }
  const RelaxedCaptureMode relaxed;
  const Surroundings surroundings(replacements().all[replacement].tensors, operands.tensors);
  RecordedCheck check{.number = replacement,
                      .addresses = operands.tensors,
                      .copies = {},
                      .has_run = 0,
                      .schedule = {}};
  constexpr std::size_t kFlagBytes = sizeof(std::uint32_t);
  CUresult result = AUTOKERNEL_REAL(cuMemAlloc)(&check.has_run, kFlagBytes);
  const auto copy = [&](CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    if (result != CUDA_SUCCESS) return;
    result = AUTOKERNEL_REAL(cuMemcpyDtoDAsync)(to, from, bytes, stream);
  };
  for (const Surroundings::Part& part : surroundings.parts()) {
    RecordedCheck::Copies& each = check.copies.emplace_back();
    for (CUdeviceptr* const memory : {&each.before, &each.own, &each.original}) {
      if (result == CUDA_SUCCESS) result = AUTOKERNEL_REAL(cuMemAlloc)(memory, part.bytes);
    }
  }
  if (result != CUDA_SUCCESS) return own();  // there is no memory for it
  const auto copy_all = [&](CUdeviceptr RecordedCheck::Copies::* which, bool to_program) {
    for (std::size_t i = 0; i < check.copies.size(); ++i) {
      const auto& [begin, bytes] = surroundings.parts()[i];
      const CUdeviceptr kept = check.copies[i].*which;
      to_program ? copy(begin, kept, bytes) : copy(kept, begin, bytes);
    }
  };
  copy_all(&RecordedCheck::Copies::before, false);
  if (result == CUDA_SUCCESS) result = own();
  copy_all(&RecordedCheck::Copies::own, false);
  copy_all(&RecordedCheck::Copies::before, true);
  if (result == CUDA_SUCCESS) result = original();
  copy_all(&RecordedCheck::Copies::original, false);
  if (result != CUDA_SUCCESS) return result;
  result = AUTOKERNEL_REAL(cuMemsetD32Async)(check.has_run, 1, 1, stream);
  // Not on the stream, which only records.
  const std::uint32_t not_yet = 0;
  (void)AUTOKERNEL_REAL(cuMemcpyHtoD)(check.has_run, &not_yet, sizeof not_yet);
  const std::lock_guard lock(recorded_checks().mutex);
  recorded_checks().all.push_back(std::move(check));
  return result;
}

void compare_recorded(CUstream stream) {
  const std::lock_guard lock(recorded_checks().mutex);
  if (recorded_checks().all.empty()) return;
  const RelaxedCaptureMode relaxed;
  if (is_being_recorded(stream) || !is_done(stream)) return;
  for (RecordedCheck& check : recorded_checks().all) {
    std::uint32_t has_run = 0;
    (void)AUTOKERNEL_REAL(cuMemcpyDtoH)(&has_run, check.has_run, sizeof has_run);
    if (has_run == 0) continue;
    has_run = 0;
    (void)AUTOKERNEL_REAL(cuMemcpyHtoD)(check.has_run, &has_run, sizeof has_run);
    if (is_due(check.schedule, check.number)) compare(check);
  }
}

}  // namespace autokernel::inject
