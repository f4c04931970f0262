// What the commands of the loop share: how they open it, and options that the run remembers.
#pragma once

#include <optional>
#include <string>

#include "autokernel/loop/loop.h"
#include "cli/command.h"
#include "cli/diagnostics.h"
#include "cli/place_options.h"
#include "cli/progress.h"

namespace autokernel::cli {

// --case, --device and --launcher: given at the start, remembered from then on. Given later they
// must be the same.
struct RememberedOptions {
  std::optional<std::string> case_directory;
  PlaceOptions place;

  void declare(Options options);
  // Throws Error(usage) where one of them is another than the run's, with the way to go on.
  void require_same(const ledger::RunStarted& run) const;
};

// --hidden-sizes, for the commands that decide what is kept.
struct HiddenSizesOption {
  std::string file;

  void declare(Options options);
};

// --timeout, for the commands of the loop that measure.
struct TimeoutOption {
  std::optional<double> seconds;

  void declare(Options options);
  // Throws Error(usage) where the option makes no sense.
  [[nodiscard]] trial::Limits limits() const;
};

// What there is to say goes to standard error; for commands that measure nothing.
[[nodiscard]] loop::LoopContext speaking_on(const Console& console);

// A line of progress on a terminal, and what there is to say, on standard error, while a loop
// works.
class Watching {
 public:
  // `limits` are those of each trial.
  Watching(const Console& console, Diagnostics::Level level, const trial::Limits& limits = {});

  // Must not outlive this.
  [[nodiscard]] loop::LoopContext context();
  // What goes on that is no phase of a trial.
  void show(const std::string& what, std::chrono::duration<double> elapsed) {
    progress_.show(what, elapsed);
  }

 private:
  const Console* console_;
  trial::Limits limits_;
  Diagnostics diagnostics_;
  Progress progress_;
};

}  // namespace autokernel::cli
