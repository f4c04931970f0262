// The stages that a kernel passes through in a trial, as people and programs read of them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace autokernel::trial {

// How much is checked before a kernel is timed.
enum class Depth : std::uint8_t {
  quick,  // that it is right
  usual,  // and repeatable, and stable
  full,   // and so at all sizes of the case
};
[[nodiscard]] const char* spelling(Depth depth);  // "usual"

enum class Stage : std::uint8_t {
  compile,
  smoke,
  determinism,
  stability,
  sizes,
  edge_sizes,
  timed_outputs,
};
inline constexpr std::array kStages = {Stage::compile,      Stage::smoke, Stage::determinism,
                                       Stage::stability,    Stage::sizes, Stage::edge_sizes,
                                       Stage::timed_outputs};
[[nodiscard]] const char* spelling(Stage stage);  // "edge_sizes"
// What it shows, and when it is skipped, in a sentence.
[[nodiscard]] const char* description(Stage stage);

enum class StageOutcome : std::uint8_t { passed, failed, skipped };
[[nodiscard]] const char* spelling(StageOutcome outcome);  // "PASS"

struct StageReport {
  Stage stage = Stage::compile;
  StageOutcome outcome = StageOutcome::skipped;
  std::string reason;  // why it failed or was skipped; of one that passed, what is to be said of it
};

}  // namespace autokernel::trial
