// A case at one of its sizes: the numbers that everything that makes, launches or compares tensors
// needs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "autokernel/cases/case.h"

namespace autokernel::trial {

using Bytes = std::vector<std::byte>;

// Of buffers of one size. Comparing vectors of bytes by == takes a step per byte.
[[nodiscard]] bool same_bytes(const Bytes& one, const Bytes& other);
// Index of the first byte that differs; the size where none does.
[[nodiscard]] std::size_t first_difference(const Bytes& one, const Bytes& other);

struct SizedTensor {
  const cases::Tensor* tensor = nullptr;  // of the case, which must live longer
  std::vector<std::int64_t> extents;      // in memory
  std::uint64_t row_length = 0;           // elements of a row; those behind them are padding
  std::uint64_t count = 0;                // elements in memory
  std::size_t bytes = 0;
  cases::Fill fill = {};  // the tensor's, with its bounds at this size

  [[nodiscard]] bool has_padding() const { return !tensor->pitch.empty(); }
  [[nodiscard]] bool is_read() const { return tensor->role != cases::Role::out; }
  [[nodiscard]] bool is_written() const { return tensor->role != cases::Role::in; }
};

struct SizedCase {
  // at_size() of the case; where its types are the same at all sizes, the case itself, which must
  // live longer.
  const cases::Case* problem = nullptr;
  std::string size_name;  // "default", "check"
  cases::Sizes sizes;
  std::vector<SizedTensor> tensors;  // in the order of the kernel's parameters

  // Throws Error(usage) where the case has no such size, naming those it has.
  SizedCase(const cases::Case& problem, const std::string& size_name);
  [[nodiscard]] std::size_t index_of(const std::string& tensor) const;
  // "T" -> "__nv_bfloat16": the types that the size chooses.
  [[nodiscard]] std::map<std::string, std::string> type_names() const;
  [[nodiscard]] std::size_t output_bytes() const;  // of all tensors that are written

 private:
  std::shared_ptr<const cases::Case> typed_;  // null where it is the case itself
};

}  // namespace autokernel::trial
