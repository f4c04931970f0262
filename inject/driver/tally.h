// What was done about the launches that replacements are for, counted in a file that outlives the
// process, however it ends.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace autokernel::inject {

// Why a launch of a kernel that is to be replaced was made as it was, or that it was replaced. The
// numbers are those of the file (docs/replacement-format.md).
enum class Outcome : std::uint8_t {
  replaced,
  replaced_in_graph,  // recorded into a graph, which launches it each time
  other_code,         // a kernel of that name, of other code
  other_shape,        // grid, block, dynamic shared memory, cluster
  other_values,       // numbers and structs that are handed over
  other_layout,       // how pointers lie to each other, or how much memory they lead to
  other_alignment,    // of a tensor
  other_attributes,   // of the launch
  in_graph,           // recorded into a graph, where none is to be replaced
  graph_node,         // added to a graph by itself
  refused,            // the driver did not take our kernel
};
inline constexpr std::size_t kOutcomes = 11;

// In the place of a tensor: memory that lies beside all of them.
inline constexpr std::size_t kBesideTensors = 0xFFFFFFFF;

// Of one replacement. All of it is written by several threads at once.
struct Tally {
  std::atomic<std::uint64_t> outcomes[kOutcomes];
  std::atomic<std::uint64_t> checked;  // launches whose results were compared
  std::atomic<std::uint64_t> wrong;    // of them
  // Of the first wrong one: the tensor, the element, and both values as doubles' bits.
  std::atomic<std::uint64_t> wrong_launch;  // from 1: the how-manieth that was replaced; 0: none
  std::atomic<std::uint64_t> wrong_tensor, wrong_element, wrong_got, wrong_expected;
  std::atomic<std::uint64_t> error;  // the driver's, of the first launch it refused or that faulted
};

// What all replacements have in common.
struct ProcessTally {
  std::atomic<std::uint64_t> node_changes;  // attempts to change a kernel of ours within a graph
};

// That of a replacement, by its number. Where no file can be written, counting has no effect.
[[nodiscard]] Tally& tally(std::size_t replacement);
[[nodiscard]] ProcessTally& process_tally();

inline void count(std::size_t replacement, Outcome outcome) {
  tally(replacement)
      .outcomes[static_cast<std::size_t>(outcome)]
      .fetch_add(1, std::memory_order_relaxed);
}

}  // namespace autokernel::inject
