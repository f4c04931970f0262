// A drive that cannot go on, for want of its device, its disk or its agent, waits and is tried
// again.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "autokernel/base/interrupts.h"

namespace autokernel::cli {

struct ParkingOptions {
  double most_hours = 0;  // that it waits without an experiment; 0: it does not
  double first_seconds =
      60;  // before the first try; then twice as long each time, up to 15 minutes
};

// What is in the way, and what a person does about it.
struct Trouble {
  std::string what;
  std::string advice;
};
// By what the failure says: a GPU that was lost, a disk that is full, an agent without credit.
[[nodiscard]] Trouble trouble_of(const std::string& failure, bool of_agent);

class Parking {
 public:
  // `file` says that it waits, and why, as long as it does. One that a killed program has left is
  // removed.
  Parking(const ParkingOptions& options, std::filesystem::path file);

  // Waits before another try. False where it has waited for long enough. `told` gets a line when a
  // pause begins. Throws Interrupted.
  [[nodiscard]] bool wait(const Trouble& trouble, const Interrupts& interrupts,
                          const std::function<void(const std::string&)>& told);
  // An experiment was made: what comes next is another pause.
  void went_on();

  struct Pause {
    std::string from;  // UTC
    double seconds = 0;
    int tries = 0;
    std::string why;
    bool is_over = false;  // it went on afterwards
  };
  [[nodiscard]] const std::vector<Pause>& pauses() const { return pauses_; }
  // A line for each, for whoever looks in the morning.
  [[nodiscard]] std::string report() const;

 private:
  void remove_note() const;

  ParkingOptions options_;
  std::filesystem::path file_;
  std::vector<Pause> pauses_;
};

// What the file of a run that waits says, on one line; empty where none does.
[[nodiscard]] std::string parked_note(const std::filesystem::path& file);

}  // namespace autokernel::cli
