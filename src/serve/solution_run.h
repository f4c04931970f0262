// A solution of FlashInfer Trace on a device: `autokernel evaluate` in a process of its own, which
// runs the solution's host code confined, and leaves a trace for each workload.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "autokernel/driver/device_choice.h"
#include "serve/ledger.h"
#include "serve/registered_cases.h"

namespace autokernel::serve {

// What Task::order holds of a solution.
struct SolutionOrder {
  std::vector<std::string> uuids;  // of the workloads that are asked for; none: all
  std::string sizes;               // of the case, with commas, that they are; empty: all
  std::string solution;            // its JSON
};
[[nodiscard]] std::string encode(const SolutionOrder& order);
[[nodiscard]] SolutionOrder decode_solution_order(const std::string& text);

class SolutionRun {
 public:
  // Traces, one to a line, or why there are none. Not called from within the constructor.
  using Done = std::function<void(State, std::string)>;

  // Throws Error where it cannot be started.
  SolutionRun(boost::asio::io_context& context, const Task& task, const RegisteredCase& own,
              const driver::DeviceChoice& device, Done done);
  ~SolutionRun();

  void abort();

 private:
  class Implementation;
  std::shared_ptr<Implementation> implementation_;
};

}  // namespace autokernel::serve
