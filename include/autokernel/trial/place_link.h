// A part of this program that was started at a place (driver::DeviceChoice), and that is talked to
// in lines. Nothing here waits: whoever has it watches its descriptors.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::trial {

class PlaceLink {
 public:
  // Starts `autokernel relay` there; an empty place is this machine. Throws Error(environment)
  // where what that takes is not here, and Error(usage) for a place that this user has not named
  // (known_places.h).
  explicit PlaceLink(const std::string& place);
  PlaceLink(PlaceLink&&) = delete;
  // What is there sees that nothing more comes, and ends: killed at once, a job of a cluster would
  // stay. What does not end in time is killed.
  ~PlaceLink();

  // There may be a queue before it, which it waits in.
  [[nodiscard]] bool is_queued() const;
  void send(const std::string& line);
  struct Wait {
    int descriptor = -1;
    short events = 0;  // of poll(2)
  };
  // What is to be watched before the next exchange().
  [[nodiscard]] std::vector<Wait> waits_for() const;
  // Sends what can be sent, and takes what has come.
  void exchange();
  [[nodiscard]] std::optional<std::string> next_line();
  // Nothing more will come.
  [[nodiscard]] bool is_over() const;
  // What it has said beside its lines, on one line: of ssh, say, why there is no connection.
  [[nodiscard]] std::string said() const;
  // It sees that nothing more comes, and ends.
  void end_input();
  // For whoever has no time to wait for its end.
  void kill();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace autokernel::trial
