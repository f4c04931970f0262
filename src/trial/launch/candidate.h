// The kernel under trial once it is loaded: its launches, and its module-scope objects, which are
// put back before each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "autokernel/compile/program.h"
#include "autokernel/driver/device.h"
#include "trial/launch/operands.h"
#include "trial/launch/rejection.h"
#include "trial/launch/restore_cost.h"

namespace autokernel::trial {

class Candidate {
 public:
  // Loads the program and finds what it declares. `device` and `program` must live longer.
  [[nodiscard]] static std::variant<Candidate, Rejection> load(const driver::Device& device,
                                                               const compile::Program& program,
                                                               const SizedCase& sized);

  // Writes the initial bytes of every module-scope object, so that nothing is remembered. Nothing
  // may be running.
  void restore_objects() const;
  [[nodiscard]] std::span<const ModuleObject> objects() const { return objects_; }
  // Queues what is timed: zeroing the workspace where that is declared, and all launches in order.
  [[nodiscard]] std::optional<driver::Fault> launch(const driver::Stream& stream,
                                                    Operands& operands) const;
  [[nodiscard]] const Extras& extras() const { return extras_; }
  [[nodiscard]] const compile::Declaration& declaration() const { return program_->declaration; }
  [[nodiscard]] std::string launches_text()
      const;  // "matmul, grid (32,128,1), block (32,8,1), 0 bytes of shared memory"

 private:
  struct Step {
    driver::Kernel kernel;
    driver::Shape shape;
    std::vector<std::size_t> arguments;  // indices into Operands::arguments()
  };
  [[nodiscard]] std::optional<Rejection> differing_layout(const driver::Kernel& kernel,
                                                          const std::string& name) const;
  Candidate(const driver::Device& device, const compile::Program& program, driver::Module module)
      : device_(&device), program_(&program), module_(std::move(module)) {}
  [[nodiscard]] std::optional<Rejection> find_steps(const SizedCase& sized);
  [[nodiscard]] std::optional<Rejection> find_objects();
  [[nodiscard]] std::optional<Rejection> find_maps(const SizedCase& sized);
  [[nodiscard]] std::optional<Rejection> find_pointers(const SizedCase& sized);

  const driver::Device* device_;
  const compile::Program* program_;
  driver::Module module_;
  std::vector<Step> steps_;
  std::vector<ModuleObject> objects_;
  Extras extras_;
};

}  // namespace autokernel::trial
