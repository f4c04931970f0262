// A repository with a case in it, and a loop whose trials are made by the fake runner.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "autokernel/base/error.h"
#include "autokernel/loop/loop.h"
#include "support/scratch_repository.h"

namespace autokernel::loop {

// A kernel that takes so long, for the fake runner. What it does besides, by a word in `more`:
// WRONG, BROKEN (does not compile), CRASHES, HANGS, NOISY (inconclusive), NO_DEVICE (the machine's
// fault), NO_RIVAL (what it is compared with does not run), SLOW (0.4 s until its verdict).
[[nodiscard]] std::string kernel(double time_us, const std::string& more = {});

// kernels/case.toml, kernels/kernel.cu (100 us) and notes.txt are committed on the branch main.
class Workplace {
 public:
  Workplace();

  [[nodiscard]] const test::ScratchRepository& git() const { return scratch_; }
  [[nodiscard]] std::filesystem::path root() const { return scratch_.root(); }

  // What opens a loop; `said` gets what it tells.
  [[nodiscard]] LoopContext context() const;
  [[nodiscard]] Loop open(const std::string& purpose = "a test") const;
  // What every command does first.
  void repair() const { static_cast<void>(open()); }
  [[nodiscard]] StartOptions start_options(const std::string& tag = "demo") const;
  // NOLINTNEXTLINE(modernize-use-nodiscard): most tests only want a run to be there
  Loop::Started start(const std::string& tag = "demo") const;
  // Puts the source into the editable file.
  void edit(const std::string& source) const { scratch_.write(kEditable, source); }
  [[nodiscard]] std::string edited() const { return scratch_.read(kEditable); }
  // An edit, and a step with it by a loop of its own.
  // NOLINTNEXTLINE(modernize-use-nodiscard): most tests look at what is left
  Step try_out(const std::string& source, const StepOptions& options = {.idea = "an idea"}) const;
  // The runs of 100 us, 80 us (kept), a wrong one, one that is not faster, 60 us (kept).
  void make_a_run() const;

  [[nodiscard]] Status status() const { return Loop::open_to_read(root(), context()).status(); }
  // Everything that git knows of and that the loop writes, to see that nothing has changed.
  [[nodiscard]] std::string snapshot() const;
  [[nodiscard]] std::string commit_of(const std::string& revision) const {
    return scratch_.line("rev-parse", revision);
  }
  [[nodiscard]] bool has(const std::filesystem::path& file) const;
  // What all loops have said, a line each.
  [[nodiscard]] const std::vector<std::string>& said() const { return *said_; }

  static constexpr const char* kEditable = "kernels/kernel.cu";

  // Set before a loop is opened.
  std::function<void(std::string_view)> reached;
  std::vector<std::filesystem::path> harness;
  std::function<void(const std::string&)> note;  // of a trial
  double check_seconds = 20;

 private:
  test::ScratchRepository scratch_;
  test::ScopedEnvironment temporary_;
  std::shared_ptr<std::vector<std::string>> said_ = std::make_shared<std::vector<std::string>>();
};

// How the process ended that did this: an exit code, or 128 + signal. An Error is its stop.
[[nodiscard]] int in_a_process(const std::function<void()>& work);

// What an Error(stop) says that this throws; says so where it throws none or another.
[[nodiscard]] std::string refusal(Stop stop, const std::function<void()>& work);

}  // namespace autokernel::loop
