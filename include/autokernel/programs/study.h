// What a captured launch reads and writes, found by replaying it: where its tensors begin and end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"
#include "autokernel/driver/device.h"
#include "autokernel/programs/captured_launch.h"

namespace autokernel::programs {

// Bytes of one allocation between the first and the last that the kernel touches from one pointer
// on. What lies in it untouched belongs to it all the same.
struct StudiedTensor {
  std::size_t range = 0;                  // index in CapturedLaunch::ranges
  std::uint64_t begin = 0;                // bytes from where the kept part of that range begins
  std::uint64_t end = 0;                  // behind the last
  std::uint64_t read = 0;                 // bytes of it up to the last that is read; 0: none is
  std::uint64_t written = 0;              // bytes of it that are written
  std::uint64_t address = 0;              // in the program, of `begin`
  cases::DType dtype = cases::DType::u8;  // of its elements
  bool is_opaque = false;                 // nothing is known of them: they are bytes
  // What inputs may be made of those that were captured: the launch stays within its tensors then,
  // and gives numbers. Elements that belong to others, as offsets do, are kept.
  cases::CapturedUse use = cases::CapturedUse::kept;
  // Of one that is written and has floating elements: how far those of other kernels may be from
  // the captured one's.
  cases::Tolerance bound = {};

  [[nodiscard]] std::uint64_t bytes() const { return end - begin; }
};

struct Study {
  // Empty: the launch can be replayed. Otherwise why not, one sentence.
  std::string trouble;
  // Bytes that differ from the program's own results in a replay, and between two replays: 0 where
  // it is deterministic, as nearly all kernels are.
  std::uint64_t different = 0;
  bool deterministic = true;
  std::uint64_t results = 0;           // bytes that the launch changed
  double milliseconds = 0;             // of one replay, by the host's clock
  std::vector<StudiedTensor> tensors;  // by address
  // Folders of other launches whose values fit these tensors.
  std::vector<std::string> others = {};
};

// Exit code of a process that studied until a replay faulted: another one goes on.
inline constexpr int kFaultedStudy = 75;

// In a process of its own: a kernel that is given other memory than it expects may fault, and takes
// its device with it. What was found out before is kept in `answers`, so that the next process goes
// on behind it. `others` are folders of further captured launches of the kernel. Throws
// StudyFaulted where a replay faults, and Error(environment) where the device cannot be used.
struct StudyFaulted {
  std::string text;
};
[[nodiscard]] Study study(const CapturedLaunch& launch, const std::vector<std::string>& others,
                          const driver::Driver& driver, const std::filesystem::path& answers);

[[nodiscard]] std::string study_json(const Study& study);
// Throws Error(internal) for what is none.
[[nodiscard]] Study study_of_json(const std::string& text);

}  // namespace autokernel::programs
