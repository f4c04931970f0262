// The file that an activity record is written to, line by line, so that a process that is killed
// loses none of it. It never disturbs the program: where it cannot be written, it ends.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace emulator::api {

class RecordFile {
 public:
  // Makes FOLDER/PID-emulated.record, or PID.2-emulated.record and so on for the further programs
  // that one process becomes (exec).
  explicit RecordFile(std::string_view folder);
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile();

  [[nodiscard]] bool is_open() const { return file_ >= 0; }
  // Whole lines. Where they cannot be written, the file gets a warning, if that fits, and ends.
  void put(std::string_view lines);

 private:
  [[nodiscard]] bool write_all(std::string_view lines) const;

  int file_ = -1;
  off_t size_ = 0;  // of whole lines
};

}  // namespace emulator::api
