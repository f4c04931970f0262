// A file of the record: made when there is something to write, and given up, without a word to the
// program, when it cannot be written.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string_view>

#include "lock.h"

namespace recording {

class RecordFile {
 public:
  // The file is PID-`kind`.record in `folder`; its header says `writer`.
  RecordFile(const char* folder, const char* kind, const char* writer);

  // Where the header is not yet written: who writes the file.
  void set_writer(const char* writer);
  // Writes whole lines, at once. From any thread.
  void write(std::string_view lines);
  // Writes the last lines. Later ones are left out.
  void end(std::string_view lines);
  // In a child that was forked: the file is the parent's.
  void abandon();

 private:
  enum class State : std::uint8_t { not_begun, open, over };

  void write_held(std::string_view lines);
  bool open();
  bool open_again();
  [[nodiscard]] bool still_ours() const;
  [[nodiscard]] int put(std::string_view bytes) const;
  void give_up(int error);

  Lock lock_;
  State state_ = State::not_begun;
  const char* const folder_;
  const char* const kind_;
  std::array<char, 48> writer_{};
  std::array<char, 4352> path_{};
  int file_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  off_t size_ = 0;         // of the whole lines
  off_t first_ = 0;        // size after the header
  off_t before_last_ = 0;  // size before the last write that succeeded
};

}  // namespace recording
