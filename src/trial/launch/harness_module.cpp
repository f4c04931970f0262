#include "trial/launch/harness_module.h"

#include <string>
#include <utility>
#include <variant>

#include "autokernel/base/error.h"

namespace autokernel::trial {
namespace {

driver::Module loaded(const driver::Device& device, const compile::Program& program) {
  driver::Loading loading = device.load(program.cubin);
  if (const auto* fault = std::get_if<driver::Fault>(&loading)) {
    throw Error(Stop::environment,
                "cannot load the harness's own kernels on " + device.info().name + ": " +
                    fault->text + " (" + fault->name + "); the driver is for CUDA " +
                    device.info().driver_version +
                    ": install one that is no older than the toolkit, or set CUDA_HOME to an older"
                    " toolkit [cuModuleLoadDataEx]");
  }
  return std::get<driver::Module>(std::move(loading));
}

}  // namespace

HarnessModule::HarnessModule(const driver::Device& device, const compile::Program& program)
    : module_(loaded(device, program)) {}

driver::Kernel HarnessModule::kernel(const char* name) const {
  const auto kernel = module_.kernel(name);
  if (!kernel)
    throw Error(Stop::internal, std::string("the harness's own program has no kernel ") + name);
  return *kernel;
}

void expect_queued(const std::optional<driver::Fault>& fault) {
  if (fault) {
    throw Error(Stop::environment, "cannot queue the harness's own kernels: " + fault->text + " (" +
                                       fault->name + ") [cuLaunchKernel]");
  }
}

}  // namespace autokernel::trial
