// What the commands of the loop print.
#pragma once

#include <optional>
#include <string>

#include "autokernel/loop/loop.h"

namespace autokernel::cli {

// The block of a measurement, ended by what became of the experiment.
[[nodiscard]] std::string step_text(const loop::Step& step);
// 0 for one that was kept, else by its verdict (docs/loop.md).
[[nodiscard]] int step_exit_code(const ledger::Experiment& experiment);

// Experiments on a line each, in columns: number, commit, time, its change against the best before,
// verdict and description. The times are on one scale, so that the change leads from one to the
// other.
[[nodiscard]] std::string experiment_heading(
    const std::optional<ledger::MetricValue>& metric = std::nullopt);
[[nodiscard]] std::string experiment_line(const ledger::Experiment& experiment,
                                          const std::optional<double>& time_us);

// Of changes that were taken out, in columns: number, what the change gained then and gains now,
// whether it pays, and what it was.
[[nodiscard]] std::string ablation_heading();
[[nodiscard]] std::string ablation_line(const ledger::Experiment& experiment,
                                        const ledger::Ablation& ablation);

// Under a kilobyte, whatever an agent has written. `noise` is what gain this machine can tell from
// nothing; empty where that is not known.
[[nodiscard]] std::string status_text(const loop::Status& status, const std::string& noise = {});
// One object on one line; docs/loop-json.md describes it.
// `parked`: why the run waits (parking.h); empty: it does not.
[[nodiscard]] std::string status_json(const loop::Status& status, const std::string& noise = {},
                                      const std::string& parked = {});

[[nodiscard]] std::string finish_text(const loop::Finish& finish);

}  // namespace autokernel::cli
