// What was made once with effort, kept in a folder for the next process that needs it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace emulator::base {

// One file for each entry, named by a hash of its key. Every file holds its whole key, so that no
// two entries are ever taken for each other, and a checksum, so that a damaged file is none. Any
// number of processes may use one folder: files appear whole, by a rename. The longest unused are
// removed when all together are larger than `most_bytes`. A folder that somebody else owns or may
// write to is not used: what is kept may be code. (Against the user himself nothing here protects.)
class FileCache {
 public:
  // Files of other endings in the folder are left alone.
  FileCache(std::filesystem::path folder, std::string ending, std::uint64_t most_bytes);

  // `key` is everything the entry depends on.
  [[nodiscard]] std::optional<std::string> find(std::string_view key) const;
  // Does nothing where the folder cannot be written: nothing is lost but time.
  void keep(std::string_view key, std::string_view entry) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(std::string_view key) const;
  void remove_the_longest_unused() const;

  std::filesystem::path folder_;
  std::string ending_;
  std::uint64_t most_bytes_;
};

}  // namespace emulator::base
