// What the forwarding driver counted while it replaced kernels of a program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace autokernel::programs {

// In the order of the file (docs/replacement-format.md).
enum class LaunchOutcome : std::uint8_t {
  replaced,
  replaced_in_graph,
  other_code,
  other_shape,
  other_values,
  other_layout,
  other_alignment,
  other_attributes,
  in_graph,
  graph_node,
  refused,
};
inline constexpr std::size_t kLaunchOutcomes = 11;
// Why a launch was not replaced, for a sentence: "with another grid, block or shared memory".
[[nodiscard]] const char* reason(LaunchOutcome outcome);

// An element that was wrong.
struct WrongElement {
  std::uint64_t launch = 0;  // the how-manieth that was replaced in its process, from 1
  std::uint64_t tensor = 0;
  std::uint64_t element = 0;
  double got = 0, expected = 0;
};

// Of one kernel that was to be replaced, in all processes.
struct ReplacedLaunches {
  std::array<std::uint64_t, kLaunchOutcomes> outcomes{};
  std::uint64_t checked = 0;
  std::uint64_t wrong = 0;
  std::optional<WrongElement> first_wrong;
  std::uint64_t driver_error = 0;  // with which the driver refused our kernel, or it faulted

  [[nodiscard]] std::uint64_t of(LaunchOutcome outcome) const {
    return outcomes[static_cast<std::size_t>(outcome)];
  }
  [[nodiscard]] std::uint64_t replaced() const {
    return of(LaunchOutcome::replaced) + of(LaunchOutcome::replaced_in_graph);
  }
  [[nodiscard]] std::uint64_t seen() const;
};

struct ProgramLaunches {
  std::vector<ReplacedLaunches> kernels;  // by their number in the list
  std::uint64_t processes = 0;            // that replaced kernels
  std::uint64_t node_changes = 0;         // attempts to change kernels of ours within graphs
};

// From the files in the folder, which programs wrote. One that is damaged counts for nothing.
[[nodiscard]] ProgramLaunches read_tallies(const std::filesystem::path& folder,
                                           std::size_t kernels);

}  // namespace autokernel::programs
