#include "cli/loop/tried_again.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <utility>

#include "autokernel/base/error.h"
#include "autokernel/base/visible_text.h"

namespace autokernel::cli {
namespace {

[[nodiscard]] double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// A machine that goes down ends its programs so; a person who stops one does it by Ctrl-C.
[[nodiscard]] bool is_of_a_shutdown(int signal) { return signal == SIGTERM || signal == SIGHUP; }

}  // namespace

TriedAgain::TriedAgain(Parts parts, const DriveRequest& asked,
                       std::optional<UnfinishedDrive> resumed, const std::filesystem::path& own,
                       const Console& console)
    : parts_(std::move(parts)),
      file_(own / "drive.json"),
      console_(&console),
      parking_(asked.parking, own / "parked"),
      unfinished_{.asked = asked} {
  open();
  begin(std::move(resumed));
}

void TriedAgain::open() { loop_ = std::make_unique<loop::Loop>(parts_.open()); }

void TriedAgain::begin(std::optional<UnfinishedDrive> resumed) {
  const std::string& tag = loop_->run().tag;
  before_ = seen_ = experiments_now();
  if (resumed) {
    if (resumed->tag != tag) {
      throw Error(Stop::usage, fmt::format("cannot resume: run {} was cut off, and this branch has "
                                           "run {}; switch to the branch of the first",
                                           resumed->tag, tag));
    }
    unfinished_ = *std::move(resumed);
    is_first_ = false;
    return;
  }
  unfinished_.tag = tag;
  unfinished_.begun = seconds_since_1970();
  unfinished_.experiments = before_;
  write_unfinished(file_, unfinished_);
}

loop::Driven TriedAgain::run() {
  while (const std::optional<Failure> failure = attempt()) {
    if (!failure->may_pass || !waited(*failure)) {
      remove_unfinished(file_);
      if (loop_) parts_.failed(loop_->status(), failure->what);
      console_->err << pauses();
      throw Error(failure->stop, failure->what);
    }
    record_pause();
    loop_.reset();
  }
  if (!is_of_a_shutdown(driven_.signal)) remove_unfinished(file_);
  return driven_;
}

std::optional<TriedAgain::Failure> TriedAgain::attempt() {
  driven_ = {};
  std::optional<Failure> failure;
  try {
    if (!loop_) open();
    if (experiments_now() != seen_) parking_.went_on();
    seen_ = experiments_now();
    loop::DriveOptions drive = unfinished_.asked.drive;
    if (!is_first_) drive.budget = rest_of(unfinished_, seconds_since_1970(), seen_);
    is_first_ = false;
    driven_ = parts_.drive(*loop_, drive);
    if (driven_.gave_up)
      failure = {.what = driven_.why, .of_agent = true, .may_pass = driven_.agent_failed};
  } catch (const Error& error) {
    // What is no failure of the machine will not go away.
    failure = {
        .what = error.what(), .stop = error.stop(), .may_pass = error.stop() == Stop::environment};
  }
  if (loop_ && experiments_now() != seen_) parking_.went_on();
  return failure;
}

bool TriedAgain::waited(const Failure& failure) {
  const auto told = [&](const std::string& line) {
    console_->err << "autokernel: " << line << '\n' << std::flush;
    if (loop_) parts_.failed(loop_->status(), line);
  };
  try {
    return parking_.wait(trouble_of(failure.what, failure.of_agent), interrupts_, told);
  } catch (const Interrupted& interrupted) {
    if (!is_of_a_shutdown(interrupted.signal())) remove_unfinished(file_);
    throw;
  }
}

void TriedAgain::record_pause() {
  if (!loop_) return;
  const Parking::Pause& pause = parking_.pauses().back();
  try {
    loop_->record_pause(pause.why, pause.seconds);
  } catch (const Error& error) {
    // The pause is also told at the end.
    console_->err << "autokernel: a pause is not in the record: " << visible_line(error.what())
                  << '\n';
  }
}

}  // namespace autokernel::cli
