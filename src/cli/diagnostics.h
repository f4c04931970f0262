// Lines on what the program does, on standard error, for --verbose.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace autokernel::cli {

class Diagnostics {
 public:
  enum class Level : std::uint8_t { quiet, verbose };
  explicit Diagnostics(Level level);
  Diagnostics(const Diagnostics&) = delete;
  Diagnostics& operator=(const Diagnostics&) = delete;
  Diagnostics(Diagnostics&&) = delete;
  Diagnostics& operator=(Diagnostics&&) = delete;
  ~Diagnostics();

  // Printed with the time of day where the level is verbose, else dropped.
  void note(const std::string& line) const;

 private:
  class Log;
  std::unique_ptr<Log> log_;  // none where the level is quiet
};

}  // namespace autokernel::cli
