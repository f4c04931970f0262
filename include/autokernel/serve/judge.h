// A judge: one process that has devices, and measures on them what others hand in, each trial alone
// on its device. Clients of the machine come by a Unix socket, others by HTTP. What it was asked
// and what it found is in a ledger of its own, out of the clients' reach where it runs as another
// user.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autokernel/driver/device_choice.h"

namespace autokernel::serve {

struct JudgeSettings {
  std::vector<driver::DeviceChoice> devices;  // one trial at a time on each
  std::vector<std::filesystem::path> cases;   // folders of cases, or with cases in them
  std::filesystem::path store;                // its own folder
  std::filesystem::path socket;               // of clients of this machine
  std::string listen;                         // "127.0.0.1:8080"; empty: no HTTP
  std::filesystem::path tokens;               // a file; needed for HTTP
  std::size_t most_waiting = 1000;            // trials of one client
  double most_per_minute = 600;               // trials that one client hands in
  double keep_days = 90;                      // what is over for longer is forgotten
};

class Judge {
 public:
  // Opens everything, and takes up what an earlier judge with that store has left. `note` gets a
  // line for the log. Throws Error, naming what is in the way.
  Judge(const JudgeSettings& settings, std::function<void(const std::string&)> note);
  ~Judge();

  [[nodiscard]] std::size_t case_count() const;
  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] std::string url() const;  // empty: no HTTP
  // Serves until `stop` can be read, which is called then. What is under way is finished and
  // recorded; when `stop` can be read once more, it is ended, and measured again by the next judge.
  void run(int stop_descriptor, const std::function<void()>& read_stop);

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace autokernel::serve
