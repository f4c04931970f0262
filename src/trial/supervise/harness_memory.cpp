#include "trial/supervise/harness_memory.h"

namespace autokernel::trial {
namespace {

// Copies of every tensor. In the launcher: its inputs, their noise, two sets of buffers of an
// emulated device, the outbox; in the runner: the same outbox, outputs that are taken, inputs of
// two launches, the reference's buffers and results, inputs and results as floats for a library.
constexpr std::uint64_t kCopies = 12;
// Of every element that is written: results of a reference in fp64, in three places, and rounded.
constexpr std::uint64_t kBytesPerResult = 40;

}  // namespace

std::uint64_t harness_bytes(const cases::Case& problem, const cases::Sizes& sizes) {
  std::uint64_t bytes = 0;
  for (const cases::Tensor& tensor : problem.tensors) {
    const std::uint64_t count = cases::element_count(tensor, sizes);
    bytes += kCopies * count * cases::size_of(tensor.dtype);
    if (tensor.role != cases::Role::in) bytes += kBytesPerResult * count;
  }
  return bytes;
}

}  // namespace autokernel::trial
