// Any bytes are either a workload, which then holds what a plan takes for granted, or an error of
// usage that is one line with a place in it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "autokernel/base/error.h"
#include "autokernel/programs/workload.h"

namespace {

namespace programs = autokernel::programs;

void require(bool holds) {
  if (!holds) std::abort();
}

void check_operation(const programs::WorkloadOperation& operation) {
  require(!operation.name.empty() && !operation.kind.empty() && !operation.dtype.empty());
  require(operation.count >= 1);
  for (const auto& [symbol, value] : operation.sizes) require(!symbol.empty() && value >= 1);
  require(std::isfinite(operation.flops) && operation.flops >= 0);
  require(std::isfinite(operation.bytes()) && operation.bytes_read >= 0);
  require(operation.bytes_written >= 0 && operation.flops + operation.bytes() > 0);
  require(std::isfinite(operation.parameters) && operation.parameters >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  try {
    const programs::Workload workload = programs::parse_workload(text, "model.toml");
    require(workload.model == "model" && !workload.scenario.empty());
    require(workload.batch >= 1 && workload.sequence >= 1);
    for (const programs::WorkloadOperation& operation : workload.operations)
      check_operation(operation);
    const programs::WorkloadTotal total = programs::total_of(workload);
    require(std::isfinite(total.flops) && std::isfinite(total.bytes));
    require(std::isfinite(total.parameters));
  } catch (const autokernel::Error& error) {
    const std::string what = error.what();
    require(error.stop() == autokernel::Stop::usage);
    require(what.starts_with("model.toml:") && what.find('\n') == std::string::npos);
  }
  return 0;
}
