// The runner's own record of what a launcher delivered: which launches, on which inputs and keys.
// A launcher whose memory the candidate has got at may say anything; what it says has to fit the
// keys it was given and the plan of the trial.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trial/keys.h"
#include "trial/launch_message.h"
#include "trial/launcher.h"

namespace autokernel::trial {

class LaunchAccount {
 public:
  // References must live longer.
  LaunchAccount(const SizedCase& checked, const SizedCase& timed, Keys& keys)
      : checked_(&checked), timed_(&timed), keys_(&keys) {}

  // The key of the next launch. None for a launch that has one and was not delivered: whoever may
  // draw again waits for inputs that suit.
  [[nodiscard]] std::optional<Key> draw(const std::string& launch);
  // Notes a launch that was delivered for the last key. All that follow return why the launcher
  // cannot be believed, in a sentence; empty where it can.
  [[nodiscard]] std::string accept(const Delivered& delivered);
  // The outputs of the launch that was accepted last, to be judged.
  void keep(std::vector<Bytes> outputs);
  // Whether all of the plan of the checks has been delivered.
  [[nodiscard]] std::string missing_checks() const;
  // Whether there is a time for each timed launch that was delivered, and nothing else.
  [[nodiscard]] std::string misfit(const Timed& timed, bool has_opponent) const;

  // What has been kept since this was last called, to be judged.
  [[nodiscard]] std::vector<LaunchRecord> take_records() { return std::exchange(records_, {}); }
  // The checks are done: from now on launches are timed ones.
  void begin_timing() { is_timing_ = true; }
  [[nodiscard]] bool is_timing() const { return is_timing_; }
  // At which size the launches are now.
  [[nodiscard]] const SizedCase& sized() const { return is_timing_ ? *timed_ : *checked_; }

 private:
  struct Planned {
    std::string name;
    Recipe recipe;
    std::string key_of;  // the launch whose key it repeats
  };
  [[nodiscard]] std::optional<Planned> planned(const std::string& launch) const;

  const SizedCase* checked_;
  const SizedCase* timed_;
  Keys* keys_;
  bool is_timing_ = false;
  std::string key_for_;
  bool is_owed_ = false;  // a check or a timed launch has a key and was not delivered
  Key key_;
  int checks_ = 0;
  bool warmed_up_ = false;
  int timed_launches_ = 0;
  Delivered accepted_;
  std::vector<LaunchRecord> records_;
};

}  // namespace autokernel::trial
