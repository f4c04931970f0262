// Which trial a device takes next. Clients share the devices: of those that have one which the
// device can take, the client that has used the least device time so far is served first
// (start-time fair queueing: Goyal, Vin and Cheng, SIGCOMM 1996); a client's own trials come in the
// order in which they were handed in. Plain data, and no clock: each step costs the logarithm of
// what waits, and one step for each client that is passed over.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>

#include "autokernel/driver/device_choice.h"

namespace autokernel::serve {

// What a device has to be for a trial.
struct Wanted {
  driver::DeviceChoice::Kind kind = driver::DeviceChoice::Kind::automatic;
  int ordinal = -1;         // of a GPU; -1: any
  std::string device = {};  // its name ("NVIDIA H200"), so that times can be compared; empty: any
  friend auto operator<=>(const Wanted&, const Wanted&) = default;
};

// A device that is free.
struct Offered {
  driver::DeviceChoice::Kind kind = driver::DeviceChoice::Kind::automatic;
  int ordinal = 0;
  std::string label = {};             // as the judge was told of it: "ssh://box/cuda:0"
  std::string name = {};              // empty: not known before its first trial
  std::set<std::string> is_not = {};  // names that it turned out not to have

  [[nodiscard]] bool suits(const Wanted& wanted) const;
};

using TrialId = std::int64_t;

class Queue {
 public:
  // Ids are handed out in order, so that one that is put back finds its old place.
  void add(TrialId id, const std::string& client, const Wanted& wanted);
  // Takes it out. None: nothing that waits can be measured there.
  [[nodiscard]] std::optional<TrialId> next(const Offered& device);
  [[nodiscard]] bool has(TrialId id) const { return place_of_.contains(id); }
  // False where it does not wait.
  bool remove(TrialId id);
  // Of device time, for a trial of that client.
  void charge(const std::string& client, double seconds);

  [[nodiscard]] std::size_t size() const { return place_of_.size(); }
  [[nodiscard]] std::size_t waiting_of(const std::string& client) const;

 private:
  struct Client {
    double used_seconds = 0;
    std::map<Wanted, std::set<TrialId>> waiting;
    std::size_t count = 0;
  };
  struct Place {
    std::string client;
    Wanted wanted;
  };
  using Turn = std::pair<double, std::string>;  // by device time used

  void catch_up(const std::string& name);
  void take_out(Client& client, TrialId id, const Place& place);

  std::map<std::string, Client> clients_;
  std::set<Turn> turns_;  // of clients with something that waits
  std::unordered_map<TrialId, Place> place_of_;
  // Of the client that was served last: whoever comes back has no credit for the time away.
  double served_seconds_ = 0;
};

}  // namespace autokernel::serve
