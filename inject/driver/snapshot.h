// The memory that a launch may reach: its tensors, and some of what lies around them.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "driver/elements.h"
#include "driver/replacement.h"

namespace autokernel::inject {

// Parts of allocations, none of which touches another.
class Surroundings {
 public:
  Surroundings(const std::vector<ReplacedTensor>& tensors, std::vector<CUdeviceptr> addresses);

  struct Part {
    CUdeviceptr begin;
    std::size_t bytes;
  };
  [[nodiscard]] const std::vector<Part>& parts() const { return parts_; }
  // Where a tensor begins: in which part, and how many bytes into it.
  struct Place {
    std::size_t part, offset;
  };
  [[nodiscard]] Place place_of(std::size_t tensor) const;
  [[nodiscard]] CUdeviceptr address(std::size_t tensor) const { return addresses_[tensor]; }

 private:
  std::vector<CUdeviceptr> addresses_;
  std::vector<Part> parts_;
};

// What lay there at a time.
using Snapshot = std::vector<Bytes>;  // of each part

[[nodiscard]] Bytes tensor_in(const Snapshot& snapshot, const Surroundings& surroundings,
                              std::size_t tensor, const ReplacedTensor& what);
void put_tensor(Snapshot& snapshot, const Surroundings& surroundings, std::size_t tensor,
                const Bytes& bytes);

// The stream has done all that was queued on it; false where that takes too long: it may wait for
// what the program does next.
[[nodiscard]] bool is_done(CUstream stream);

// From the device, and back to it, in the order of the stream. None, or false, where that fails.
[[nodiscard]] std::optional<Snapshot> taken(const Surroundings& surroundings, CUstream stream);
[[nodiscard]] bool put_back(const Snapshot& snapshot, const Surroundings& surroundings,
                            CUstream stream);

}  // namespace autokernel::inject
