#include "cli/diagnostics.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "autokernel/base/visible_text.h"

namespace autokernel::cli {

// A logger of our own instead of spdlog's registry: nothing global, and none is made where nobody
// listens.
class Diagnostics::Log {
 public:
  Log() : logger_("autokernel", std::make_shared<spdlog::sinks::stderr_sink_st>()) {
    logger_.set_pattern("[%H:%M:%S.%e] %v");
  }
  void note(const std::string& line) { logger_.info(line); }

 private:
  spdlog::logger logger_;
};

Diagnostics::Diagnostics(Level level)
    : log_(level == Level::verbose ? std::make_unique<Log>() : nullptr) {}
Diagnostics::~Diagnostics() = default;

void Diagnostics::note(const std::string& line) const {
  if (log_) log_->note(visible_text(line));
}

}  // namespace autokernel::cli
