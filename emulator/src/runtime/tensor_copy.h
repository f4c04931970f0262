// What cp.async.bulk.tensor and its like say, as compiled code hands it over.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/abi.h"
#include "runtime/tensor_map.h"

namespace emulator::runtime {

struct TensorCopy {
  enum class Kind : std::uint8_t { load, store, reduce, prefetch };
  Kind kind{};
  std::uint32_t rank = 0;
  TensorMode mode{};
  bool gathers = false;  // four rows of a matrix, or scatters them
  bool multicast = false;
  AtomicOp operation{};  // of a reduction
};
[[nodiscard]] std::uint32_t number_of(const TensorCopy& copy);
[[nodiscard]] TensorCopy tensor_copy_of(std::uint32_t number);

// An instruction's sites lie behind each other in this order.
enum class TensorSite : std::uint32_t { map, tensor, shared, barrier };

// Which type a reduction of a tensor works on; none where there is no such reduction (PTX ISA,
// cp.reduce.async.bulk.tensor).
[[nodiscard]] std::optional<AtomicType> atomic_type_of(TensorType type, AtomicOp operation);

// What a load makes of an element: tf32 and flushed types lose bits.
[[nodiscard]] std::uint64_t converted(const TensorMap& map, std::uint64_t element);

}  // namespace emulator::runtime
