// A drive that is tried again after a pause (parking.h), until it ends by itself or has waited for
// long enough.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "autokernel/base/interrupts.h"
#include "autokernel/loop/drive.h"
#include "cli/command.h"
#include "cli/loop/parking.h"
#include "cli/loop/unfinished_drive.h"

namespace autokernel::cli {

class TriedAgain {
 public:
  struct Parts {
    // Anew after each pause: what is held in memory may not be what is on the disk any more.
    std::function<loop::Loop()> open;
    std::function<loop::Driven(loop::Loop&, const loop::DriveOptions&)> drive;
    // It fails, or waits: a line for whoever is notified.
    std::function<void(const loop::Status&, const std::string&)> failed;
  };

  // `own`: where the loop has what git does not look at. `resumed`: what was cut off there.
  TriedAgain(Parts parts, const DriveRequest& asked, std::optional<UnfinishedDrive> resumed,
             const std::filesystem::path& own, const Console& console);

  // Throws the Error that ends it, and Interrupted.
  [[nodiscard]] loop::Driven run();

  // Where it stands afterwards.
  [[nodiscard]] const loop::Status& status() const { return loop_->status(); }
  // That were made here.
  [[nodiscard]] int experiments() const { return experiments_now() - before_; }
  // A line for each pause.
  [[nodiscard]] std::string pauses() const { return parking_.report(); }

 private:
  void open();
  void begin(std::optional<UnfinishedDrive> resumed);
  [[nodiscard]] int experiments_now() const { return loop_->status().counts.experiments(); }
  // What is to be known of the failure; none: it has ended by itself.
  struct Failure {
    std::string what;
    Stop stop = Stop::environment;
    bool of_agent = false;
    bool may_pass = false;
  };
  [[nodiscard]] std::optional<Failure> attempt();
  [[nodiscard]] bool waited(const Failure& failure);
  void record_pause();

  Parts parts_;
  std::filesystem::path file_;  // of what is unfinished
  const Console* console_;
  Parking parking_;
  const Interrupts interrupts_;
  std::unique_ptr<loop::Loop> loop_;
  UnfinishedDrive unfinished_;
  bool is_first_ = true;
  int before_ = 0;
  int seen_ = 0;
  loop::Driven driven_;
};

}  // namespace autokernel::cli
