// The mock server's own account of its answers, as JSON lines (docs/mock-server.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lab/mock/reply_text.h"

namespace autokernel::lab {

// One answer, or what there was of it.
struct LoggedAnswer {
  std::string id;
  std::chrono::steady_clock::time_point arrival;  // the last byte of the request was read
  std::chrono::steady_clock::time_point start;    // from which tokens are due
  // Each token as it was given to the kernel; of an answer in one piece, only that.
  std::vector<std::chrono::steady_clock::time_point> handed_over;
  Usage usage;        // what was really sent
  std::string fault;  // that befell it; empty: none
  std::string ended;  // "finished", "faulty" or "abandoned"
};

// Appends to a buffer, and that to the file when it is large or flush() is called: while answers
// are under way, writing would make tokens late.
class RequestLog {
 public:
  RequestLog() = default;  // of nothing
  // Replaces the file. Throws Error(usage) where it cannot be written.
  explicit RequestLog(const std::filesystem::path& file);

  [[nodiscard]] bool is_kept() const { return file_.is_open(); }
  void add(const LoggedAnswer& answer);
  // Throws Error(environment) where it cannot be written.
  void flush();

 private:
  std::filesystem::path path_;
  std::ofstream file_;
  std::string buffer_;
};

}  // namespace autokernel::lab
