#include "trial/launch/operand_source.h"

namespace autokernel::trial {

void HostOperands::load(Operands& operands, const Occasion& occasion,
                        const driver::Stream& /*stream*/) {
  maker_->make(*occasion.sized, occasion.input_kind, occasion.key, inputs_);
  operands.load(inputs_, occasion.key, host_);
}

std::optional<Disturbance> HostOperands::disturbed(const Operands& operands,
                                                   const Occasion& /*occasion*/,
                                                   const driver::Stream& /*stream*/) {
  return operands.disturbed(inputs_, host_);
}

const Staging& HostOperands::staging() { return host_.staging_on(*device_); }

}  // namespace autokernel::trial
