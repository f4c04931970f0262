// What each of several agents starts its next edit from, and what its brief says of that. All of
// them are held against the one best of the run, whatever they start from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "autokernel/loop/parallel.h"
#include "autokernel/loop/status.h"

namespace autokernel::loop {

class ParallelStrategy {
 public:
  virtual ~ParallelStrategy() = default;
  // The commit that the agent (counted from 0) is to start from.
  [[nodiscard]] virtual std::string base_of(std::size_t agent, const Status& status) = 0;
  // For its brief; empty: nothing.
  [[nodiscard]] virtual std::string guidance_of(std::size_t agent, const Status& status) = 0;
  // An experiment of that agent is in the record; its figure is on the run's scale, and none where
  // it was not right.
  virtual void took(std::size_t agent, const ledger::Experiment& experiment,
                    std::optional<double> figure) = 0;
  // The agent gets no turn any more.
  virtual void lost(std::size_t agent) = 0;
};

//   climb       every agent starts from the best
//   islands     every agent goes on from what is best among its own; after each kIslandStay
//               experiments of an island, one that is behind takes over the best of all
//   tournament  a family for each agent, with an approach of its own; after each round the family
//               that is behind the others is dissolved, and its agent joins the first
[[nodiscard]] std::unique_ptr<ParallelStrategy> make_strategy(StrategyKind kind,
                                                              std::size_t agents);

// Short enough that a bad island costs little, long enough to get over a loss.
inline constexpr int kIslandStay = 8;
// Experiments of each family in a round.
inline constexpr int kRound = 6;

}  // namespace autokernel::loop
