// The record that a program's processes have written (docs/profile-format.md), read back.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "autokernel/programs/profile.h"

namespace autokernel::programs {

// Adds what the records of one process say, in any order: correlations and names are one process's
// own. A line that is none, and an unfinished last one, are counted and left out.
class RecordReader {
 public:
  explicit RecordReader(Profile& profile);
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;
  RecordReader(RecordReader&&) = delete;
  RecordReader& operator=(RecordReader&&) = delete;
  ~RecordReader();

  // The text of a file that a process has written.
  void add(std::string_view text);
  // Ties launches to what launched them, sorts them, and adds warnings.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// All records in a folder. Throws Error(environment) where it cannot be read.
[[nodiscard]] Profile read_records(const std::filesystem::path& folder);

}  // namespace autokernel::programs
