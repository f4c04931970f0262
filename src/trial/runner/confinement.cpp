#include "trial/runner/confinement.h"

#include "autokernel/base/defences.h"
#include "autokernel/base/sandbox.h"

namespace autokernel::trial {

void confine(const driver::DeviceInfo& device) {
  if (!stands(Defence::sandbox)) return;
  enter_sandbox(device.emulated ? Sandbox::computing : Sandbox::driving_a_gpu);
}

}  // namespace autokernel::trial
