#include "programs/capture/tensor_search.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <map>

namespace autokernel::programs {

// Every address that a pointer leads to begins a zone, which ends where the next begins. What lies
// before the first pointer of a range is a zone, too: some kernels are given the middle of a
// tensor.
std::vector<TensorSearch::Zone> TensorSearch::zones() const {
  std::vector<Zone> zones;
  for (std::size_t i = 0; i < launch_.ranges.size(); ++i) {
    const CapturedRange& range = launch_.ranges[i];
    std::map<std::uint64_t, bool> begins = {{0, false}};
    for (const CapturedPointer& pointer : launch_.pointers) {
      if (pointer.address < range.kept || pointer.address - range.kept >= range.before.size()) {
        continue;
      }
      begins[pointer.address - range.kept] = true;
    }
    for (auto begin = begins.begin(); begin != begins.end(); ++begin) {
      const auto next = std::next(begin);
      zones.push_back({.range = i,
                       .begin = begin->first,
                       .end = next == begins.end() ? range.before.size() : next->first,
                       .has_pointer = begin->second});
    }
  }
  return zones;
}

// Gives the device back what a run before has changed.
void TensorSearch::restore() {
  for (std::size_t r = 0; r < launch_.ranges.size(); ++r) {
    if (is_dirty_[r]) replay_.write(r, launch_.ranges[r].before);
    is_dirty_[r] = false;
  }
}

// The device is of no more use after a fault: the next process goes on, and takes it for an answer.
// So it does where the kernel waits for ever for what was changed: SIGALRM ends this process, and
// the kernel with it.
void TensorSearch::run() const {
  ::alarm(patience_seconds_);
  const auto fault = replay_.run();
  ::alarm(0);
  if (fault) throw StudyFaulted{*fault};
}

Bytes TensorSearch::result(std::size_t range) const {
  Bytes bytes(launch_.ranges[range].before.size());
  replay_.read(range, bytes);
  return bytes;
}

bool TensorSearch::differs(const Zone& poisoned, std::span<const std::byte> poison) const {
  for (const std::size_t r : order_) {
    const Bytes bytes = result(r);
    const std::span<const std::byte> found = bytes;
    const std::span<const std::byte> expected = expected_[r];
    if (r != poisoned.range) {
      if (!same(found, expected)) return true;
      continue;
    }
    if (!same(found.first(poisoned.begin), expected.first(poisoned.begin)) ||
        !same(found.subspan(poisoned.end), expected.subspan(poisoned.end))) {
      return true;
    }
    // What was poisoned, and not written, stays as it is.
    constexpr std::uint64_t kBlock = 4096;
    for (std::uint64_t begin = poisoned.begin; begin < poisoned.end; begin += kBlock) {
      const std::uint64_t count = std::min(kBlock, poisoned.end - begin);
      const auto there = found.subspan(begin, count);
      const auto right = expected.subspan(begin, count);
      const auto put = poison.subspan(begin - poisoned.begin, count);
      if (same(there, put) || same(there, right)) continue;
      for (std::uint64_t i = 0; i < count; ++i) {
        if (there[i] != right[i] && there[i] != put[i]) return true;
      }
    }
  }
  return false;
}

Bytes TensorSearch::poisoned(const CapturedRange& range, Poison poison) {
  // Finite as numbers of every type, 1e36 of fp32, 63 k of fp16; and the same with a sign.
  constexpr std::byte kLarge{0x7b};
  constexpr std::byte kSmall{0xfb};
  Bytes bytes = range.before;
  if (poison == Poison::large || poison == Poison::small) {
    std::ranges::fill(bytes, poison == Poison::large ? kLarge : kSmall);
    return bytes;
  }
  // Words as the device sees them, so that an index in one changes by no more than 1.
  constexpr std::uint64_t kWord = 8;
  const bool is_full = poison == Poison::full;
  const std::uint64_t first = is_full ? 0 : (kWord - range.kept % kWord) % kWord;
  const std::byte change = is_full ? std::byte{0xff} : std::byte{1};
  for (std::uint64_t i = first; i < bytes.size(); i += is_full ? 1 : kWord) bytes[i] ^= change;
  return bytes;
}

bool TensorSearch::matters_on_host(const Zone& zone, Poison poison) {
  std::vector<Bytes>& poisons = poisons_.at(static_cast<std::size_t>(poison));
  poisons.resize(launch_.ranges.size());
  Bytes& whole = poisons[zone.range];
  if (whole.empty()) whole = poisoned(launch_.ranges[zone.range], poison);
  restore();
  const auto put = std::span(whole).subspan(zone.begin, zone.end - zone.begin);
  replay_.write(zone.range, zone.begin, put);
  is_dirty_[zone.range] = true;
  run();
  for (const std::size_t r : order_) is_dirty_[r] = true;
  return differs(zone, put);
}

bool TensorSearch::matters_on_device(const Zone& zone, Poison poison) {
  const auto kind = static_cast<std::size_t>(poison);
  const ProbeMemory::Part part{.range = zone.range, .begin = zone.begin, .end = zone.end};
  if (!on_device_->has_poison(kind, zone.range)) {
    on_device_->add_poison(kind, zone.range, poisoned(launch_.ranges[zone.range], poison));
  }
  for (const std::size_t r : order_) on_device_->restore(r);
  on_device_->put(kind, part);
  run();
  return std::ranges::any_of(order_,
                             [&](std::size_t r) { return on_device_->differs(r, kind, part); });
}

bool TensorSearch::matters(const Zone& zone, Poison poison) {
  return answers_.next([&] {
    return on_device_ != nullptr ? matters_on_device(zone, poison) : matters_on_host(zone, poison);
  });
}

bool TensorSearch::is_read(const Zone& zone, std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return false;
  const Zone part{.range = zone.range, .begin = begin, .end = end, .has_pointer = false};
  return matters(part, Poison::gentle) || matters(part, Poison::full) ||
         matters(part, Poison::large) || matters(part, Poison::small);
}

// Reads are taken to reach from somewhere up to a last byte: behind it, nothing matters.
std::uint64_t TensorSearch::end_of_reads(const Zone& zone) {
  std::uint64_t low = zone.begin;  // a read reaches at least behind it
  std::uint64_t high = zone.end;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_read(zone, middle, zone.end) ? low : high) = middle;
  }
  return high;
}

std::uint64_t TensorSearch::begin_of_reads(const Zone& zone, std::uint64_t end) {
  if (zone.has_pointer) return zone.begin;
  std::uint64_t low = zone.begin;
  std::uint64_t high = end;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (is_read(zone, zone.begin, middle) ? high : low) = middle;
  }
  // The lowest bits of the first element may make no difference.
  constexpr std::uint64_t kWidestElement = 16;
  return low - low % kWidestElement;
}

// What is not read can hold anything: a byte that does not keep two values in turn is written.
void TensorSearch::find_writes(const std::vector<Zone>& unread) {
  for (std::size_t r = 0; r < expected_.size(); ++r) {
    written_.emplace_back(expected_[r].size());
    for (std::size_t i = 0; i < expected_[r].size(); ++i) {
      if (expected_[r][i] != launch_.ranges[r].before[i]) written_[r][i] = true;
    }
  }
  for (const std::byte value : {std::byte{0x5a}, std::byte{0xa5}}) {
    std::vector<Bytes> memory;
    memory.reserve(launch_.ranges.size());
    for (const CapturedRange& range : launch_.ranges) memory.push_back(range.before);
    for (const Zone& zone : unread) {
      std::fill(memory[zone.range].begin() + static_cast<std::ptrdiff_t>(zone.begin),
                memory[zone.range].begin() + static_cast<std::ptrdiff_t>(zone.end), value);
    }
    for (std::size_t r = 0; r < memory.size(); ++r) replay_.write(r, memory[r]);
    run();
    for (std::size_t r = 0; r < memory.size(); ++r) {
      const Bytes found = result(r);
      if (same(found, memory[r])) continue;
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] != memory[r][i]) written_[r][i] = true;
      }
    }
  }
}

bool TensorSearch::repeats(Study& study) {
  using std::chrono::steady_clock;
  const auto replayed = [&] {
    is_dirty_.assign(launch_.ranges.size(), true);
    restore();
    const auto begin = steady_clock::now();
    run();
    study.milliseconds =
        std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count();
    std::vector<Bytes> results;
    results.reserve(launch_.ranges.size());
    for (std::size_t r = 0; r < launch_.ranges.size(); ++r) results.push_back(result(r));
    return results;
  };
  (void)replayed();  // loads and compiles what is loaded and compiled late
  expected_ = replayed();
  // Sums in any order may come out the same by chance; they did not, where a process before this
  // one came to ask.
  constexpr int kRepeats = 4;
  const int repeats = answers_.goes_on() ? 0 : kRepeats;
  for (int repeat = 0; repeat < repeats && study.deterministic; ++repeat) {
    const std::vector<Bytes> again = replayed();
    for (std::size_t r = 0; r < again.size(); ++r) {
      if (!same(expected_[r], again[r])) study.deterministic = false;
    }
  }
  // Long enough for a machine that is busy, and for an emulated device.
  constexpr double kTimesAsLong = 100;
  constexpr unsigned kLeastSeconds = 2;
  constexpr double kMsPerSecond = 1000;
  patience_seconds_ =
      kLeastSeconds + static_cast<unsigned>(kTimesAsLong * study.milliseconds / kMsPerSecond);
  is_dirty_.assign(launch_.ranges.size(), true);
  for (const bool changed : {true, false}) {
    for (std::size_t r = 0; r < expected_.size(); ++r) {
      if (same(expected_[r], launch_.ranges[r].before) != changed) order_.push_back(r);
    }
  }
  for (std::size_t r = 0; r < expected_.size(); ++r) {
    const CapturedRange& range = launch_.ranges[r];
    if (same(range.after, range.before) && same(range.after, expected_[r])) continue;
    for (std::size_t i = 0; i < range.after.size(); ++i) {
      study.results += range.after[i] != range.before[i] ? 1U : 0U;
      study.different += range.after[i] != expected_[r][i] ? 1U : 0U;
    }
  }
  if (!study.deterministic) {
    study.trouble = kFloatingAtomics;
  } else if (study.different > 0) {
    study.trouble = fmt::format(
        "a replay leaves other bytes than the program had in {} places: it depends on addresses, "
        "on "
        "variables of its module (__constant__, __device__), or on another kernel that ran beside "
        "it",
        study.different);
  }
  return study.trouble.empty();
}

void TensorSearch::find(Study& study, Compares compares) {
  if (compares == Compares::on_device) {
    on_device_ = ProbeMemory::made(device_, launch_, replay_, expected_);
  }
  struct Reads {
    Zone zone;
    std::uint64_t begin = 0, end = 0;  // both the zone's beginning: none
  };
  std::vector<Reads> reads;
  std::vector<Zone> unread;
  for (const Zone& zone : zones()) {
    Reads found{.zone = zone, .begin = zone.begin, .end = zone.begin};
    if (is_read(zone, zone.begin, zone.end)) {
      found.end = end_of_reads(zone);
      found.begin = begin_of_reads(zone, found.end);
      unread.push_back({zone.range, zone.begin, found.begin, false});
    }
    unread.push_back({zone.range, found.end, zone.end, false});
    reads.push_back(found);
  }
  find_writes(unread);
  for (const Reads& read : reads) {
    const Zone& zone = read.zone;
    const auto& written = written_[zone.range];
    const bool is_read = read.end > read.begin;
    StudiedTensor tensor;
    tensor.range = zone.range;
    std::uint64_t first = is_read ? read.begin : zone.end;
    std::uint64_t last = is_read ? read.end : zone.begin;
    for (std::uint64_t i = zone.begin; i < zone.end; ++i) {
      if (!written[i]) continue;
      first = std::min(first, i);
      last = std::max(last, i + 1);
      ++tensor.written;
    }
    if (last <= first) continue;
    tensor.begin = zone.has_pointer ? zone.begin : first;
    tensor.end = last;
    tensor.read = is_read ? read.end - tensor.begin : 0;
    tensor.address = launch_.ranges[zone.range].kept + tensor.begin;
    study.tensors.push_back(tensor);
  }
}

}  // namespace autokernel::programs
