#include "programs/capture/replayed.h"

#include <unistd.h>

namespace autokernel::programs {

std::vector<Piece> pieces_of(const std::vector<StudiedTensor>& tensors) {
  std::vector<Piece> pieces;
  pieces.reserve(tensors.size());
  for (const StudiedTensor& tensor : tensors) {
    pieces.push_back({.range = tensor.range, .begin = tensor.begin, .end = tensor.end});
  }
  return pieces;
}

std::span<const std::byte> part_of(const Bytes& bytes, const StudiedTensor& tensor) {
  return std::span(bytes).subspan(tensor.begin, tensor.bytes());
}

std::vector<Bytes> inputs_of(const CapturedLaunch& launch,
                             const std::vector<StudiedTensor>& tensors) {
  std::vector<Bytes> memory;
  for (const StudiedTensor& tensor : tensors) {
    const auto part = part_of(launch.ranges[tensor.range].before, tensor);
    memory.emplace_back(part.begin(), part.end());
  }
  return memory;
}

std::vector<Bytes> replayed(const Replay& replay, const std::vector<Bytes>& memory) {
  for (std::size_t t = 0; t < memory.size(); ++t) replay.write(t, memory[t]);
  // As in the search.
  constexpr unsigned kPatienceSeconds = 30;
  ::alarm(kPatienceSeconds);
  const auto fault = replay.run();
  ::alarm(0);
  if (fault) throw StudyFaulted{*fault};
  std::vector<Bytes> results;
  for (const Bytes& each : memory) {
    results.emplace_back(each.size());
    replay.read(results.size() - 1, results.back());
  }
  return results;
}

}  // namespace autokernel::programs
