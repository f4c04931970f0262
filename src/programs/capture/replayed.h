// Whole replays of a captured launch whose tensors are known, each in memory of its own.
#pragma once

#include <span>
#include <vector>

#include "autokernel/programs/captured_launch.h"
#include "autokernel/programs/study.h"
#include "programs/capture/numbers.h"
#include "programs/capture/replay.h"

namespace autokernel::programs {

[[nodiscard]] std::vector<Piece> pieces_of(const std::vector<StudiedTensor>& tensors);
[[nodiscard]] std::span<const std::byte> part_of(const Bytes& bytes, const StudiedTensor& tensor);
// What lay in each of them before the launch.
[[nodiscard]] std::vector<Bytes> inputs_of(const CapturedLaunch& launch,
                                           const std::vector<StudiedTensor>& tensors);
// What the launch leaves in each piece, which held `memory`. Throws StudyFaulted; a launch that
// waits for ever ends this process.
[[nodiscard]] std::vector<Bytes> replayed(const Replay& replay, const std::vector<Bytes>& memory);

}  // namespace autokernel::programs
