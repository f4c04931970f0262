// `loop run --plan`: from kernel to kernel of a program, each by a run of its own.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "autokernel/loop/drive.h"
#include "autokernel/loop/loop.h"
#include "autokernel/programs/plan.h"
#include "cli/command.h"

namespace autokernel::cli {

struct PlanRun {
  std::string profile;  // files and folders that the plan is made from
  std::string cases;
  driver::DeviceChoice device;  // of runs that are started
  // A new context for each loop that is opened.
  std::function<loop::LoopContext()> context;
  loop::DriveOptions drive;  // its budget holds for all kernels together
  loop::DriveObserver observer;
};

// Until nothing is worth it any more, the budget is used up, or a signal comes. The exit code.
[[nodiscard]] int run_plan(const PlanRun& plan, const Console& console);

}  // namespace autokernel::cli
