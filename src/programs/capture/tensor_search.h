// Where the tensors of a captured launch begin and end, found by replaying it on changed memory:
// what is read makes a difference, what is written does not keep what was there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "autokernel/programs/captured_launch.h"
#include "autokernel/programs/study.h"
#include "programs/capture/numbers.h"
#include "programs/capture/probe_answers.h"
#include "programs/capture/probe_memory.h"
#include "programs/capture/replay.h"

namespace autokernel::programs {

// Of as many bytes as the other has.
[[nodiscard]] inline bool same(std::span<const std::byte> one, std::span<const std::byte> other) {
  return one.empty() || std::memcmp(one.data(), other.data(), one.size()) == 0;
}

inline constexpr const char* kFloatingAtomics =
    "it adds floating numbers atomically, whose sum depends on their order: two replays on the "
    "same "
    "memory give different bits";

class TensorSearch {
 public:
  // Where memory is poisoned and compared. The emulated device's is the host's anyway.
  enum class Compares : std::uint8_t { on_host, on_device };
  [[nodiscard]] static Compares best_for(const driver::Device& device) {
    return device.info().emulated ? Compares::on_host : Compares::on_device;
  }

  // `replay` is of whole ranges. All must live longer.
  TensorSearch(const CapturedLaunch& launch, const driver::Device& device, const Replay& replay,
               ProbeAnswers& answers)
      : launch_(launch), device_(device), replay_(replay), answers_(answers) {}

  // Replays it as it was captured, and notes what that tells. False: there is a trouble. Throws
  // StudyFaulted where a replay faults.
  [[nodiscard]] bool repeats(Study& study);
  // Fills in the tensors. Throws StudyFaulted where a replay faults: the answers go on from there.
  // On the host, too, where the device has too little memory.
  void find(Study& study, Compares compares);

 private:
  // Bytes from `begin` to before `end` of one range, which belong to nobody but one pointer.
  struct Zone {
    std::size_t range;
    std::uint64_t begin, end;
    bool has_pointer;  // to its beginning
  };
  // How memory that may be read is changed. The first leaves numbers that are used as indices near
  // what they were, the second changes every bit, and the others make numbers the largest or the
  // smallest: of those a maximum or a minimum depends on no others.
  enum class Poison : std::uint8_t { gentle, full, large, small };

  [[nodiscard]] std::vector<Zone> zones() const;
  void restore();
  void run() const;
  [[nodiscard]] Bytes result(std::size_t range) const;
  [[nodiscard]] bool differs(const Zone& poisoned, std::span<const std::byte> poison) const;
  [[nodiscard]] static Bytes poisoned(const CapturedRange& range, Poison poison);
  [[nodiscard]] bool matters(const Zone& zone, Poison poison);
  [[nodiscard]] bool matters_on_host(const Zone& zone, Poison poison);
  [[nodiscard]] bool matters_on_device(const Zone& zone, Poison poison);
  [[nodiscard]] bool is_read(const Zone& zone, std::uint64_t begin, std::uint64_t end);
  [[nodiscard]] std::uint64_t end_of_reads(const Zone& zone);
  [[nodiscard]] std::uint64_t begin_of_reads(const Zone& zone, std::uint64_t end);
  void find_writes(const std::vector<Zone>& unread);

  const CapturedLaunch& launch_;
  const driver::Device& device_;
  const Replay& replay_;
  ProbeAnswers& answers_;
  unsigned patience_seconds_ = 0;   // for one replay; 0: for ever
  std::vector<Bytes> expected_;     // what a replay leaves in each range
  std::vector<std::size_t> order_;  // of ranges: those that it changes come first
  std::vector<bool> is_dirty_;      // by range: the device has other bytes than `before`
  // Each range poisoned as a whole, by kind; made when asked for. On a GPU that has the room, they
  // are kept there instead.
  std::array<std::vector<Bytes>, ProbeMemory::kPoisons> poisons_;
  std::unique_ptr<ProbeMemory> on_device_;
  std::vector<std::vector<bool>> written_;  // by range and byte
};

}  // namespace autokernel::programs
