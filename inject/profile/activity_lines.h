// CUPTI's records of what ran on a GPU, as lines of ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cupti.h"
#include "record_file.h"
#include "text_ids.h"

namespace recording {

// Not for several threads at once.
class ActivityLines {
 public:
  explicit ActivityLines(RecordFile& file) : file_(file) {}

  // `to_our_clock`: what is to be added to the record's times.
  void add(const cupti::Activity& record, std::int64_t to_our_clock);
  // Records that CUPTI could not keep.
  void add_lost(std::uint64_t count);
  // Writes what has been added.
  void write();

  // How many kernels had a record of their own, or are known to have lost it.
  [[nodiscard]] std::uint64_t kernels_accounted_for() const { return accounted_for_; }

 private:
  // More than any program has; names of more are not told apart.
  static constexpr std::uint32_t kMostNames = 1U << 16U;
  // Names of templates can have some thousand characters, which say what the template was made for.
  static constexpr std::size_t kMostOfName = 60'000;

  void add_kernel(const cupti::Kernel& kernel, std::int64_t to_our_clock);
  template <typename Record>
  void add_transfer(const Record& record, std::string_view kind, std::int64_t to_our_clock);
  [[nodiscard]] std::uint64_t name_id(const char* name);
  void append(std::string_view line);

  RecordFile& file_;
  TextIds names_{kMostNames};
  bool other_names_ = false;
  std::uint64_t accounted_for_ = 0;
  std::size_t used_ = 0;
  std::array<char, 128UL << 10U> lines_{};
};

}  // namespace recording
