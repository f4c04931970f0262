// An open file of the ledger: bytes in and out at a place, with every failure naming the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "autokernel/base/descriptor.h"

namespace autokernel::ledger {

// All functions throw Error(environment).
class File {
 public:
  // For reading and writing; made where it is missing, in a folder that must exist.
  [[nodiscard]] static File open_or_make(const std::filesystem::path& path);
  // None where it is missing.
  [[nodiscard]] static std::optional<File> open_if_there(const std::filesystem::path& path);
  // The same for reading alone, also on a disk that cannot be written.
  [[nodiscard]] static std::optional<File> open_to_read(const std::filesystem::path& path);
  // A file that nobody has yet; none where somebody has.
  [[nodiscard]] static std::optional<File> make_new(const std::filesystem::path& path);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  // Whether open_or_make() made it.
  [[nodiscard]] bool is_new() const { return is_new_; }
  [[nodiscard]] std::uint64_t size() const;
  // As many of the bytes as the file has.
  [[nodiscard]] std::string read(std::uint64_t offset, std::uint64_t length) const;
  // The same behind what a text holds already, in its memory; whether there were any.
  bool read_behind(std::string& text, std::uint64_t offset, std::uint64_t length) const;
  void write(std::uint64_t offset, std::string_view bytes) const;
  // Writes `bytes` at `offset` and has them on the disk. A file that grows by it and cannot is cut
  // to the size it had.
  void write_whole(std::uint64_t offset, std::string_view bytes) const;
  void cut(std::uint64_t size) const;
  void sync() const;
  // Waits until no other process holds it; given back when the file is closed. File systems that
  // know no locks go without: nobody else writes these files unless something is wrong already.
  void lock() const;
  // Waits until no other process holds it by lock(), and keeps such a one waiting.
  void lock_to_read() const;

 private:
  File(std::filesystem::path path, Descriptor descriptor, bool is_new)
      : path_(std::move(path)), descriptor_(std::move(descriptor)), is_new_(is_new) {}
  [[nodiscard]] static std::optional<File> opened(const std::filesystem::path& path, int flags,
                                                  int none, bool is_new);
  void wait_for(int operation) const;

  std::filesystem::path path_;
  Descriptor descriptor_;
  bool is_new_ = false;
};

// Has names that were made, changed or removed in a folder on the disk.
void sync_folder(const std::filesystem::path& folder);

// Whether `there` is what was written of `text` before the writer was ended: bytes that are missing
// may also be zeros, which a loss of power leaves where the size of a file was on the disk before
// its bytes were.
[[nodiscard]] bool is_part_of(std::string_view there, std::string_view text);

}  // namespace autokernel::ledger
