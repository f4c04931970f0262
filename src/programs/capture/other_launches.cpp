#include "programs/capture/other_launches.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace autokernel::programs {
namespace {

[[nodiscard]] bool is_same_problem(const CapturedLaunch& one, const CapturedLaunch& other) {
  if (other.bytes.size() != one.bytes.size() || !other.trouble.empty()) return false;
  std::vector<std::byte> first = one.bytes;
  std::vector<std::byte> second = other.bytes;
  for (const CapturedPointer& pointer : one.pointers) {
    std::memset(first.data() + pointer.offset, 0, sizeof pointer.address);
    std::memset(second.data() + pointer.offset, 0, sizeof pointer.address);
  }
  return first == second;
}

[[nodiscard]] bool leads_into(const CapturedPointer& pointer, const StudiedTensor& tensor) {
  return pointer.address >= tensor.address && pointer.address - tensor.address < tensor.bytes();
}

[[nodiscard]] const CapturedPointer* pointer_at(const CapturedLaunch& launch, std::size_t offset) {
  const auto found = std::ranges::find(launch.pointers, offset, &CapturedPointer::offset);
  return found == launch.pointers.end() ? nullptr : &*found;
}

// Puts the tensor at that address; false where the memory there was not captured.
[[nodiscard]] bool place(StudiedTensor& tensor, const CapturedLaunch& launch,
                         std::uint64_t address) {
  const std::uint64_t bytes = tensor.bytes();
  for (std::size_t r = 0; r < launch.ranges.size(); ++r) {
    const CapturedRange& range = launch.ranges[r];
    if (address < range.kept || address - range.kept > range.before.size() ||
        range.before.size() - (address - range.kept) < bytes) {
      continue;
    }
    tensor.range = r;
    tensor.begin = address - range.kept;
    tensor.end = tensor.begin + bytes;
    tensor.address = address;
    return true;
  }
  return false;
}

// Of `launch`, where it lies if a pointer there leads to it as one does in `from`.
[[nodiscard]] std::optional<StudiedTensor> moved(StudiedTensor tensor, const CapturedLaunch& from,
                                                 const CapturedLaunch& launch) {
  for (const CapturedPointer& pointer : from.pointers) {
    if (!leads_into(pointer, tensor)) continue;
    const CapturedPointer* own = pointer_at(launch, pointer.offset);
    if (own == nullptr) return std::nullopt;
    if (!place(tensor, launch, own->address - (pointer.address - tensor.address))) {
      return std::nullopt;
    }
    return tensor;
  }
  return std::nullopt;
}

// Both, from where the first begins up to where the last ends; of one range.
void unite(StudiedTensor& tensor, const StudiedTensor& other) {
  const std::uint64_t begin = std::min(tensor.begin, other.begin);
  const auto last_read = [](const StudiedTensor& each) {
    return each.read > 0 ? each.begin + each.read : 0;
  };
  const std::uint64_t read = std::max(last_read(tensor), last_read(other));
  tensor.address -= tensor.begin - begin;
  tensor.end = std::max(tensor.end, other.end);
  tensor.begin = begin;
  tensor.read = read > begin ? read - begin : 0;
  tensor.written = std::max(tensor.written, other.written);
}

[[nodiscard]] bool overlap(const StudiedTensor& one, const StudiedTensor& other) {
  return one.range == other.range && one.begin < other.end && other.begin < one.end;
}

}  // namespace

std::optional<std::vector<StudiedTensor>> tensors_in(const CapturedLaunch& other,
                                                     const CapturedLaunch& launch,
                                                     const std::vector<StudiedTensor>& tensors) {
  if (!is_same_problem(launch, other)) return std::nullopt;
  std::vector<StudiedTensor> theirs;
  for (const StudiedTensor& tensor : tensors) {
    auto same = moved(tensor, launch, other);
    if (!same) return std::nullopt;
    theirs.push_back(*same);
  }
  return theirs;
}

std::optional<std::vector<StudiedTensor>> reaching(const CapturedLaunch& launch,
                                                   std::vector<StudiedTensor> tensors,
                                                   const CapturedLaunch& other,
                                                   const std::vector<StudiedTensor>& found) {
  for (const StudiedTensor& theirs : found) {
    const auto here = moved(theirs, other, launch);
    if (!here) return std::nullopt;
    const auto own = std::ranges::find_if(
        tensors, [&](const StudiedTensor& tensor) { return overlap(tensor, *here); });
    if (own == tensors.end()) return std::nullopt;
    unite(*own, *here);
    // Whole elements.
    const std::uint64_t element = cases::size_of(own->dtype);
    own->end = own->begin + (own->bytes() + element - 1) / element * element;
    if (own->end > launch.ranges[own->range].before.size()) return std::nullopt;
  }
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    for (std::size_t j = i + 1; j < tensors.size(); ++j) {
      if (overlap(tensors[i], tensors[j])) return std::nullopt;
    }
  }
  return tensors;
}

}  // namespace autokernel::programs
