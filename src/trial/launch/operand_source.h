// What a launch is made from and held against: who writes the inputs, and random bits into
// everything else, and looks afterwards whether the kernel changed what it must not.
#pragma once

#include <optional>

#include "autokernel/driver/device.h"
#include "trial/inputs/inputs.h"
#include "trial/launch/operands.h"
#include "trial/launch/staging.h"

namespace autokernel::trial {

// One launch of a case: all bytes follow from it.
struct Occasion {
  const SizedCase* sized = nullptr;
  InputKind input_kind = InputKind::declared;
  Key key;
};

class OperandSource {
 public:
  OperandSource() = default;
  OperandSource(const OperandSource&) = delete;
  OperandSource& operator=(const OperandSource&) = delete;
  OperandSource(OperandSource&&) = delete;
  OperandSource& operator=(OperandSource&&) = delete;
  virtual ~OperandSource() = default;

  // Nothing may be running. What is queued on `stream` from then on finds all in place.
  virtual void load(Operands& operands, const Occasion& occasion, const driver::Stream& stream) = 0;
  // What the launch changed that it must not, after a load() of the same. Nothing may be running.
  [[nodiscard]] virtual std::optional<Disturbance> disturbed(const Operands& operands,
                                                             const Occasion& occasion,
                                                             const driver::Stream& stream) = 0;
  // For outputs.
  [[nodiscard]] virtual const Staging& staging() = 0;
};

// The host makes the bytes, keeps them, and copies them there and back.
class HostOperands : public OperandSource {
 public:
  // Both must live longer.
  HostOperands(const driver::Device& device, const InputMaker& maker)
      : device_(&device), maker_(&maker) {}
  void load(Operands& operands, const Occasion& occasion, const driver::Stream& stream) override;
  [[nodiscard]] std::optional<Disturbance> disturbed(const Operands& operands,
                                                     const Occasion& occasion,
                                                     const driver::Stream& stream) override;
  [[nodiscard]] const Staging& staging() override;

 private:
  const driver::Device* device_;
  const InputMaker* maker_;
  std::vector<Bytes> inputs_;
  HostSide host_;
};

}  // namespace autokernel::trial
