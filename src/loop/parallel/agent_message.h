// What the one who keeps the record of a parallel drive (parallel.cpp) and its agents' processes
// (agent_process.cpp) say to each other, as lines of JSON.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "autokernel/ledger/entry.h"

namespace autokernel::loop {

// To an agent's process, one at a time.
struct AgentOrder {
  enum class Kind : std::uint8_t {
    turn,     // have the agent edit
    measure,  // what it has edited, or that again: the best is another one by now
  };
  Kind kind = Kind::turn;
  std::string base = {};      // the commit that the agent starts from
  std::string remarks = {};   // on its last turn, for the brief
  std::string guidance = {};  // what else the brief says, from the strategy
};

// From it.
struct AgentReport {
  enum class Kind : std::uint8_t {
    works,     // the agent does
    edited,    // it has, and waits for the order to measure it
    measures,  // what it has edited is being measured
    says,      // `reason` is a line for the user
    attempt,   // an experiment that is measured, and in no record yet
    in_vain,   // the turn has led to nothing: `outcome` and `reason`, as in ledger::Turn
    failed,    // this process cannot go on: `reason`, and `stop`
  };
  Kind kind = Kind::works;
  // Of an attempt: with its commit, its incumbent and its whole measurement; the number is not
  // given yet.
  ledger::Experiment experiment = {};
  std::string result = {};  // of an attempt: the trial's (trial::encode)
  std::string outcome = {};
  std::string reason = {};
  double seconds = 0;  // that the turn took
  int stop = 0;        // base/error.h
};

[[nodiscard]] std::string encode(const AgentOrder& order);
[[nodiscard]] std::string encode(const AgentReport& report);
// Throw Error(internal) for a line that makes no sense.
[[nodiscard]] AgentOrder decode_order(const std::string& line);
[[nodiscard]] AgentReport decode_report(const std::string& line);

}  // namespace autokernel::loop
