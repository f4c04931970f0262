#include "cli/ending_text.h"

#include <fmt/format.h>

#include <cstring>

namespace autokernel::cli {

std::string ending_text(const Ending& ending) {
  if (ending.signal != 0) {
    return fmt::format("ended by signal {} ({})", ending.signal, ::strsignal(ending.signal));
  }
  return fmt::format("ended with exit code {}", ending.code);
}

int exit_code_of(const Ending& ending) {
  constexpr int kSignals = 128;
  return ending.signal != 0 ? kSignals + ending.signal : ending.code;
}

}  // namespace autokernel::cli
