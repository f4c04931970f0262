// The runner's own record of what a launcher delivered: which launches, on which inputs and keys. A
// candidate that gained access to the launcher's memory may report anything: each report must fit
// the keys that were drawn and the plan of the trial.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trial/check/check_plan.h"
#include "trial/inputs/keys.h"
#include "trial/launch/kernel_launcher.h"
#include "trial/launch/launch_kind.h"
#include "trial/runner/launch_message.h"

namespace autokernel::trial {

// What the runner knows of a trial before the launcher says anything.
struct LaunchPlan {
  bool on_gpu = false;
  bool is_checked = true;
  bool has_incumbent = false;
  bool has_library = false;  // that is timed beside the kernel
  bool times_only = false;   // LaunchTask::times_only
  int samples = 0;           // of the kernel and of the library
  Depth depth = Depth::usual;
};

class LaunchAccount {
 public:
  // What `sizes` refers to and the keys must live longer.
  LaunchAccount(const CheckedSizes& sizes, const LaunchPlan& plan, Keys& keys)
      : checks_planned_(plan.is_checked ? check_plan(sizes, plan.depth) : std::vector<Check>{}),
        timed_(sizes.timed),
        plan_(plan),
        keys_(&keys) {}

  // The key of the next launch. None for one that the plan does not have then: above all not for a
  // launch that has a key and was not delivered, since whoever may draw again waits for inputs that
  // suit.
  [[nodiscard]] std::optional<Key> draw(const std::string& launch);
  // Notes outputs that were delivered for the last key, and has `copy` take them into the record,
  // unless they fit no plan; where it is empty, nobody judges them. All that follow return why the
  // launcher cannot be believed, in a sentence; empty where it can.
  using CopyOutputs = std::function<void(LaunchRecord& record)>;
  [[nodiscard]] std::string deliver(const Delivered& delivered, const CopyOutputs& copy);
  // Whether the launch that has the last key is one after which the device is looked at, and has
  // not been.
  [[nodiscard]] std::string refuse_look() const;
  void note_look() { is_looked_at_ = true; }
  // Whether it is over as well.
  [[nodiscard]] std::string refuse_sample() const;
  // Whether its time counts, as the launcher is told.
  enum class Sampled : std::uint8_t { counts, is_void };
  void note_sample(Sampled sampled);
  // Whether something waits to be judged, and no launch is under way.
  [[nodiscard]] std::string refuse_batch() const;
  // It is judged: what has been delivered cannot be repeated any more.
  void note_batch();
  // Whether all of the plan of the checks has been delivered.
  [[nodiscard]] std::string missing_checks() const;
  // Whether there is a time for each launch that was delivered or asked about, and nothing else.
  // `elapsed` is the runner's own time since begin_timing().
  [[nodiscard]] std::string misfit(const Timed& timed, std::chrono::duration<double> elapsed) const;

  // What has been delivered since this was last called, to be judged.
  [[nodiscard]] std::vector<LaunchRecord> take_records() { return std::exchange(records_, {}); }
  // The checks are done: from now on launches are timed ones.
  void begin_timing() {
    is_timing_ = true;
    begin_batch();
  }
  [[nodiscard]] bool is_timing() const { return is_timing_; }
  // At which size the launches are now.
  [[nodiscard]] const SizedCase& sized() const;

 private:
  struct Planned {
    std::string name;
    InputKind input_kind;
    std::string key_of;  // the launch whose key it repeats
    const SizedCase* sized;
  };
  // Launches of one kind that are timed: each has the next number, or that of the last once more.
  // On a GPU the device is looked at after each, and the next does not begin before one counts.
  struct Series {
    int last = 0;
    bool counts = false;
  };
  // Launches before those that are timed, each time a kernel is loaded.
  struct WarmUps {
    int loads = 0;
    int last = 0;
  };

  [[nodiscard]] std::optional<Planned> planned(const NamedLaunch& launch) const;
  [[nodiscard]] std::optional<Planned> planned_check() const;
  [[nodiscard]] bool is_to_be_drawn(const NamedLaunch& launch) const;
  [[nodiscard]] bool is_next(const Series& series, int number, int most) const;
  [[nodiscard]] bool is_next(const WarmUps& warm_ups, int number, int loads) const;
  void note_draw(const NamedLaunch& launch);
  [[nodiscard]] Series* series_of(LaunchKind kind);
  void begin_batch();
  [[nodiscard]] bool is_overfull() const;
  [[nodiscard]] std::string replace(LaunchRecord record, const CopyOutputs& copy);
  [[nodiscard]] std::string misfit_in_number(const Timed& timed) const;
  [[nodiscard]] std::string misfit_of_gpu(const Timed& timed) const;

  const std::vector<Check> checks_planned_;
  const SizedCase* timed_;
  const LaunchPlan plan_;
  Keys* keys_;
  bool is_timing_ = false;
  int keys_drawn_ = 0;
  std::string key_for_;
  bool is_owed_ = false;  // a check or a timed launch has a key and was not delivered
  Key key_;
  int checks_ = 0;
  WarmUps warm_ups_;
  WarmUps incumbent_warm_ups_;
  bool warmed_up_ = false;
  Series timed_series_;
  Series incumbent_series_;
  Series warm_series_;
  std::optional<LaunchKind> unasked_;  // whose last launch the device was not looked at after
  bool is_looked_at_ = false;          // already, after that one
  bool has_library_key_ = false;
  int timed_launches_ = 0;
  int batches_ = 0;                  // that were judged while launches were timed
  int delivered_ = 0;                // of this batch
  std::uint64_t waiting_bytes_ = 0;  // of the outputs among them that are to be judged
  int judged_up_to_ = 0;             // timed launches
  std::uint64_t repeated_bytes_ = 0;
  int replaced_ = 0;
  std::vector<LaunchRecord> records_;
};

}  // namespace autokernel::trial
